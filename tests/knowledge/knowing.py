"""Facts, rules and cases of one agent in a temporary folder, on a clock that the test moves."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mabos.knowledge.cases import Cases, open_cases
from mabos.knowledge.facts import Facts, open_facts
from mabos.knowledge.model import Fact
from mabos.knowledge.rules import Rules, open_rules
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

NOON = datetime(2026, 2, 24, 12, tzinfo=UTC)


def assert_all(facts: Facts, statements: Iterable[Fact]) -> list[Fact]:
    """State many facts in one transaction, each made by `statement`."""
    stated = list(statements)
    return facts.change(lambda draft: [draft.state(one) for one in stated])


@dataclass
class Knowing:
    """An agent's open documents; every access gives a new handle, as every call gets one."""

    directory: Path
    clock: SteppedClock = field(default_factory=lambda: SteppedClock(NOON))

    def __post_init__(self) -> None:
        sync = Sync("off")
        self.ids = Ids(self.clock, "test")
        self.fact_file = open_facts(self.directory, sync=sync)
        self.rule_file = open_rules(self.directory, sync=sync)
        self.case_file = open_cases(self.directory, sync=sync)

    @property
    def facts(self) -> Facts:
        """What is held true."""
        return Facts("cfo", self.fact_file, self.clock, self.ids)

    def hold(self, subject: str, predicate: str, object_: str, **more: Any) -> Fact:
        """State a fact."""
        return self.facts.assert_(subject, predicate, object_, **more)  # noqa: PT009  # states a fact, tests nothing

    @property
    def rules(self) -> Rules:
        """The rules."""
        return Rules("cfo", self.rule_file, self.clock, self.ids)

    @property
    def cases(self) -> Cases:
        """The cases."""
        return Cases("cfo", self.case_file, self.clock, self.ids)

    def reopened(self) -> "Knowing":
        """Close and open again, as another process would."""
        for document in (self.fact_file, self.rule_file, self.case_file):
            document.close()
        return Knowing(self.directory, self.clock)
