"""The owner's own rules of procedure for a company, in a file that only people write (`Policy.md`)."""

from pathlib import Path
from typing import Final

from mabos.workspace.regular import content

POLICY_FILE: Final = "Policy.md"


def read_policy(folder: Path) -> str:
    """Return the current policy of the business in `folder`; an empty text without one.

    Raises `Damaged` if it is not a regular file of the workspace.
    """
    try:
        return content(folder / POLICY_FILE).decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return ""
