"""A company whose time is moved by hand, and which is closed and opened again between any two things that happen."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from mailbox import Maildir
from pathlib import Path
from typing import Any

from mabos.graphs import wiring
from mabos.mind.model import Belief
from mabos.society.outbox import Notice
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.services import PERSON
from mabos.workspace.clock import SteppedClock

MONDAY = datetime(2026, 3, 2, 9, tzinfo=UTC)


class Office:
    """One business, acme, founded on a Monday morning."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.clock = SteppedClock(MONDAY)
        self.services = wiring.hold(root, clock=self.clock)
        self.do("business_create", business_id="acme", name="Acme", template="saas")

    def restart(self) -> None:
        """Close the workspace and open it again."""
        wiring.release(self.services)
        self.services = wiring.hold(self.root, clock=self.clock)

    def close(self) -> None:
        """Let go of the workspace."""
        wiring.release(self.services)

    def ask(self, tool: str, /, agent: str = "", **arguments: Any) -> Outcome:
        """Return what became of a person's call, in an agent's name where one is given."""
        given = {name.rstrip("_"): value for name, value in arguments.items()}
        return call(self.services, tool, given, caller=PERSON, agent_id=agent or None)

    def do(self, tool: str, /, agent: str = "", **arguments: Any) -> Mapping[str, Any]:
        """Return the result of a person's call that must succeed."""
        outcome = self.ask(tool, agent, **arguments)
        assert outcome.ok, outcome.message
        return outcome.result

    def cycle(self, agent_id: str) -> Any:
        """Return the report of one cycle, after which the workspace was closed and opened."""
        report = wiring.run_cycle(self.services, agent_id)
        self.restart()
        return report

    def beat(self, **later: float) -> list[Notice]:
        """Return what was told by a heartbeat that much later, after which the workspace was closed and opened."""
        self.clock.advance(timedelta(**later))
        before = {one.id for one in self.notices() if one.status == "sent"}
        wiring.run_maintenance(self.services)
        told = [one for one in self.notices() if one.status == "sent" and one.id not in before]
        self.restart()
        return told

    def notices(self) -> tuple[Notice, ...]:
        """Return the whole outbox."""
        return self.services.business("acme").outbox.all()

    def believes(self, agent_id: str, subject: str, predicate: str) -> str | None:
        """Return what an agent holds."""
        return self.services.agent(agent_id).mind.value(subject, predicate)

    def belief(self, agent_id: str, subject: str, predicate: str) -> Belief | None:
        """Return the belief itself."""
        found = (one for one in self.services.agent(agent_id).mind.beliefs if one.status == "held")
        return next((one for one in found if (one.subject, one.predicate) == (subject, predicate)), None)

    def entries(self, kind: str) -> list[Mapping[str, Any]]:
        """Return the ledger entries of a kind, of everybody."""
        return [one.body for one in self.services.ledger_index().entries(kinds=[kind])]

    def letters(self) -> list[tuple[str, str]]:
        """Return to whom the letters in the Maildir are, and their subjects, sorted."""
        folder = self.services.business("acme").directory / "outbox" / "email"
        box = Maildir(folder) if folder.exists() else ()
        return sorted((str(one["To"]), str(one["Subject"])) for one in box)
