"""The owner's own rules of procedure for a company, in a file of its folder that only people write (`Policy.md`)."""

from pathlib import Path
from typing import Final

from mabos.workspace.regular import content

POLICY_FILE: Final = "Policy.md"


def read_policy(folder: Path) -> str:
    """Return the policy of the business in `folder` as it is written now; an empty text where it has none.

    Raises `Damaged` where the file is no file of the workspace.
    """
    try:
        return content(folder / POLICY_FILE).decode("utf-8", "replace").strip()
    except FileNotFoundError:
        return ""
