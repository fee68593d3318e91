"""Where tests keep their files: in memory, where this machine has room there, so that no test waits for a disk.

What is forced to the disk is forced there all the same, and what a test holds of files holds on any file system. A run
that is given `--basetemp`, or the variable below, has its folders where that says.
"""

import os
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - the folder of Linux that lies in memory; pytest makes one of its user's own in it
VARIABLE = "PYTEST_DEBUG_TEMPROOT"
ENOUGH = 6 << 30
"""Bytes that must be free in it, and in the machine's memory: a whole run keeps less than one of them."""


def roomy(folder: Path = MEMORY, enough: int = ENOUGH) -> bool:
    """Return whether a folder takes so many bytes, and programs to start."""
    try:
        held = os.statvfs(folder)
    except OSError:
        return False
    is_enough = held.f_bavail * held.f_frsize >= enough and available() >= enough
    return is_enough and not held.f_flag & getattr(os, "ST_NOEXEC", 0) and os.access(folder, os.W_OK)


def available(root: Path = Path("/")) -> int:
    """Return the bytes of memory that nobody needs, by the machine and by the limit of this container; 0 if unknown."""
    try:
        lines = (root / "proc/meminfo").read_text("ascii").splitlines()
        free = next(int(line.split()[1]) << 10 for line in lines if line.startswith("MemAvailable:"))
    except (OSError, StopIteration):
        return 0
    group = root / "sys/fs/cgroup"
    try:
        limit, used = ((group / name).read_text("ascii").strip() for name in ("memory.max", "memory.current"))
    except OSError:
        return free
    return free if limit == "max" else min(free, int(limit) - int(used))
