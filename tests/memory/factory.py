"""A memory in a temporary folder, on a clock that the test moves."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mabos.configs.settings import load_settings
from mabos.memory.memory import Memory, open_memory
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

TUESDAY = datetime(2026, 2, 24, 14, 30, tzinfo=UTC)


@dataclass
class Remembering:
    """An agent's folder, its open memory document and its clock."""

    directory: Path
    clock: SteppedClock = field(default_factory=lambda: SteppedClock(TUESDAY))

    def __post_init__(self) -> None:
        self.document: Store = open_memory(self.directory, sync=Sync("off"))
        self.ids = Ids(self.clock, "test")

    @property
    def memory(self) -> Memory:
        """A new handle, as every call gets one."""
        settings = load_settings().memory
        return Memory("cfo", self.document, self.directory, self.clock, self.ids, settings=settings)

    def wait(self, **time: float) -> None:
        """Let time pass."""
        self.clock.advance(timedelta(**time))

    def reopened(self) -> "Remembering":
        """Close and open again, as another process would."""
        self.document.close()
        return Remembering(self.directory, self.clock)

    def log(self, day: str = "2026-02-24") -> str:
        """The text of a daily log."""
        return (self.directory / "memory" / f"{day}.md").read_text(encoding="utf-8")
