"""Validated names that become paths, and the layout of all files (S3 section 17)."""

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mabos.configs.errors import InvalidArgument
from mabos.workspace.text import shorten

INTERNAL = ".mabos"
"""The folder of a workspace for everything derived or internal."""

_SHOWN = 200  # letters of a name that is none
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


def name(text: str, *, kind: str = "name", argument: str | None = None) -> str:
    """Return `text` if it is a valid name for an agent, business or file stem.

    Raises `InvalidArgument`: lower-case letters, digits, `-` and `_`, at most 63 of them, starting with a letter or
    digit. Anything else could leave the workspace or differ between file systems.
    """
    if _NAME.fullmatch(text) is None:
        shown = shorten(text, _SHOWN)
        message = (
            f"{shown!r} is not a valid {kind}; use 1 to 63 of a-z, 0-9, '-' and '_', starting with a letter or digit"
        )
        raise InvalidArgument(message, argument=argument or kind)
    return text


@dataclass(frozen=True)
class Layout:
    """The paths of one workspace; `root` is absolute."""

    root: Path

    @cached_property
    def agents(self) -> Path:
        """The folder that holds one folder per agent."""
        return self.root / "agents"

    @cached_property
    def businesses(self) -> Path:
        """The folder that holds one folder per business."""
        return self.root / "businesses"

    @cached_property
    def ledgers(self) -> Path:
        """The folder that holds one ledger per agent."""
        return self.root / "ledger"

    @cached_property
    def internal(self) -> Path:
        """The folder of derived or internal data; deleting it loses no truth."""
        return self.root / INTERNAL

    @property
    def simulation(self) -> Path:
        """The file of the workspace's simulated run, if there is one."""
        return self.root / ".simulation" / "run.json"

    def agent(self, agent_id: str) -> Path:
        """Return the folder of an agent."""
        return self.agents / name(agent_id, kind="agent id", argument="agent_id")

    def business(self, business_id: str) -> Path:
        """Return the folder of a business."""
        return self.businesses / name(business_id, kind="business id", argument="business_id")

    def ledger(self, agent_id: str) -> Path:
        """Return the ledger file of an agent."""
        return self.ledgers / f"{name(agent_id, kind='agent id', argument='agent_id')}.jsonl"


def usable(place: Path) -> None:
    """Raise `InvalidArgument` if `place` cannot hold a workspace."""
    if place.exists() and not place.is_dir():
        raise InvalidArgument(f"{place} is a file; a workspace must be a folder", argument="workspace")
    if (place / "__init__.py").exists():
        message = f"{place} is a Python package, not a workspace; name another folder, as --workspace my-company"
        raise InvalidArgument(message, argument="workspace")
