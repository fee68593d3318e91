"""Separate environments for other programs that must not be dependencies of ours: `build/<name>`."""

import subprocess
import venv
from pathlib import Path

BUILD = Path(__file__).resolve().parents[1] / "build"


def environment(pinned: str, *, make: bool = True) -> Path | None:
    """Return the Python of the environment with a program, as `name==1.2.3`, created if missing.

    Returns None if that fails, or if it is missing and must not be created.
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
