"""The end of each ledger's chain, stored apart from it (`.mabos/heads/<agent>`), so that a missing end is noticed.

A head is written after the entry is durable and never forced itself. So after a crash it may lag behind its chain,
which is not a fault, and it is never ahead of it. Without durability (`off`) a power cut may take entries and leave
their head: that is reported as a loss.

This reveals accidents, and manual edits of one file. It is no proof against an attacker who may write every file here:
they can make a new chain and a head for it, or delete both. For that, keep the heads that `mabos verify ledger --json`
prints somewhere else.
"""

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from mabos.configs.errors import Damaged
from mabos.workspace.atomic import write_over
from mabos.workspace.regular import content


@dataclass(frozen=True, slots=True)
class ChainHead:
    """Sequence and hash of the last entry of a chain, and where it ends; an empty chain has none."""

    seq: int = 0
    hash: str = ""
    end: int = 0


class Heads:
    """The saved heads in the internal folder of a workspace; none if there is no such folder."""

    def __init__(self, internal: Path) -> None:
        self._folder = internal / "heads"

    def agents(self) -> list[str]:
        """Return the agents with a saved head, sorted."""
        return sorted(path.name for path in self._folder.glob("*"))

    def read(self, agent_id: str) -> ChainHead:
        """Return the saved head; if it is unreadable, that of an empty chain, which nothing can be missing from."""
        try:
            seq, digest, *end = content(self._folder / agent_id).decode("ascii").split()
            return ChainHead(int(seq), digest, *map(int, end))
        except (OSError, ValueError, TypeError, Damaged):
            return ChainHead()

    def keep(self, agent_id: str, head: ChainHead) -> None:
        """Save the head of a chain; failing to save it does not invalidate the entry."""
        line, path = f"{head.seq:020d} {head.hash} {head.end:020d}\n".encode(), f"{self._folder}/{agent_id}"
        with suppress(OSError):
            try:
                write_over(path, line)
            except FileNotFoundError:
                self._folder.mkdir(exist_ok=True)
                write_over(path, line)
