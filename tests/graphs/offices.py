"""A company that is closed and opened again between any two things that happen."""

from mailbox import Maildir
from typing import Any

from mabos.nodes.state import CycleReport
from mabos.society.outbox import Notice
from tests.world import World


class Office(World):
    """A world that remembers nothing but its files: it is opened again after every cycle, answer and heartbeat."""

    def cycle(self, agent: str, message: str | None = None, **how: Any) -> CycleReport:
        """Return the report of one cycle."""
        report = super().cycle(agent, message, **how)
        self.restart()
        return report

    def answer(self, resolution: str = "approve", decision_id: str = "", **more: Any) -> None:
        """Answer a decision."""
        super().answer(resolution, decision_id, **more)
        self.restart()

    def beat(self, **later: float) -> list[Notice]:
        """Return what the owner was told by a heartbeat that much later."""
        self.later(**later)
        before = {one.id for one in self.notices() if one.status == "sent"}
        self.maintain()
        told = [one for one in self.notices() if one.status == "sent" and one.id not in before]
        self.restart()
        return told

    def notices(self) -> tuple[Notice, ...]:
        """Return the whole outbox."""
        return self.business.outbox.all()

    def letters(self) -> list[tuple[str, str]]:
        """Return to whom the letters in the Maildir are, and their subjects, sorted."""
        folder = self.business.directory / "outbox" / "email"
        box = Maildir(folder) if folder.exists() else ()
        return sorted((str(one["To"]), str(one["Subject"])) for one in box)
