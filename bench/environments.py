"""Environments of their own for other people's programs that must not be among ours: `build/<name>`."""

import subprocess
import venv
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"


def environment(pinned: str, *, make: bool = True) -> Path | None:
    """Return the Python of the environment that has a program, as `name==1.2.3`, made now where it is missing.

    None where it cannot be had, or is not there and shall not be made.
    """
    folder = BUILD / pinned.partition("=")[0]
    python, ready = folder / "bin" / "python", folder / "ready"
    if not ready.exists():
        if not make:
            return None
        venv.create(folder, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", pinned]
        if subprocess.run(install, check=False, stdout=subprocess.DEVNULL).returncode:
            return None
        ready.touch()
    return python
