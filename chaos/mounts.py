"""Mounts visible only to this program's processes: a small disk that can be full, and a read-only folder."""

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PROBE = 'mount -t tmpfs -o size=64k tmpfs "$1"'
INSIDE = "--inside"
"""The word by which a campaign knows that it runs where it may mount."""


def can_mount(folder: Path) -> bool:
    """Return whether this machine allows private mounts."""
    if shutil.which("unshare") is None:
        return False
    probe = [*alone(), "sh", "-c", _PROBE, "sh", str(folder)]
    return subprocess.run(probe, check=False, capture_output=True).returncode == 0


def alone() -> list[str]:
    """Return the command prefix that gives a command its own mounts."""
    return ["unshare", "--user", "--map-root-user", "--mount"]


def again_inside(module: str, arguments: list[str]) -> int:
    """Run this campaign again where it may mount, and return its exit code; 0 with a note if it may not."""
    with tempfile.TemporaryDirectory() as folder:
        if not can_mount(Path(folder)):
            print("skipped: this machine lets nobody mount anything of its own")
            return 0
    return subprocess.run([*alone(), sys.executable, "-m", module, INSIDE, *arguments], check=False).returncode


@contextmanager
def small_disk(place: Path, size: int) -> Iterator[Path]:
    """Yield an empty disk of `size` bytes at `place`."""
    place.mkdir(parents=True, exist_ok=True)
    _mount("-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place))
    try:
        yield place
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, capture_output=True)


@contextmanager
def read_only(place: Path) -> Iterator[None]:
    """Make a folder or file read-only while this is open; it cannot be replaced either."""
    _mount("--bind", str(place), str(place))
    try:
        _mount("-o", "remount,ro,bind", str(place))
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(place)], check=True, capture_output=True)


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True, capture_output=True)


def fill(disk: Path, *, free: int) -> Path:
    """Leave a number of bytes free on a disk; return the file that fills the rest."""
    ballast = disk / "ballast"
    room = shutil.disk_usage(disk).free - free
    with suppress(OSError), ballast.open("wb") as file:
        while room > 0:
            room -= file.write(bytes(min(room, 1 << 16)))
            file.flush()
    return ballast
