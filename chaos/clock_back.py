"""Clock jumps of minutes and days backwards under a working company: `python -m chaos.clock_back --trials 20`.

A company writes letters, facts, memories, questions, goals and calls for bids with deadlines, runs cycles, heartbeats
and the live company, and is closed and opened again with ids that begin again; in between the clock jumps forward and
back. In the end everything acknowledged must exist under a unique id, letters must be in the order of sending, each
deadline must have been reported once, every letter must have been read, and the ledger and all files must be intact.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

from chaos.tally import Row, Tally
from mabos.graphs import wiring
from mabos.graphs.live import LiveCompany
from mabos.interfaces.soundness import damaged_files
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso
from tests.tools.catalogue.house import MONDAY, settings

JUMPS = tuple(
    timedelta(minutes=one) for one in (1, 7, 90, 24 * 60, 3 * 24 * 60, -1, -20, -60, -5 * 60, -24 * 60, -9 * 24 * 60)
)
AGENTS = ("ceo", "cfo", "cmo", "hr")


@dataclass(slots=True)
class Company:
    """A company with an unreliable clock, and its acknowledged writes: kind, id and text of each."""

    root: Path
    luck: random.Random
    clock: SteppedClock = field(default_factory=lambda: SteppedClock(MONDAY))
    said: list[tuple[str, str, str]] = field(default_factory=list)
    jumps_back: int = 0
    services: Services = field(init=False)
    _held: ExitStack = field(default_factory=ExitStack)

    def open(self) -> None:
        """Open the workspace; ids restart with the same seed, which is the worst case."""
        self._held.close()
        opening = wiring.hold_services(self.root, settings=settings(), clock=self.clock, seed="clock")
        self.services = self._held.enter_context(opening)

    def close(self) -> None:
        """Close the workspace."""
        self._held.close()

    def step(self, number: int) -> None:
        """Do one random action of the company or of its clock."""
        deed = self.luck.random()
        if deed < 0.25:
            by = self.luck.choice(JUMPS)
            self.jumps_back += by < timedelta()
            self.clock.advance(by)
        elif deed < 0.32:
            self.open()
        elif deed < 0.40:
            assert wiring.run_cycle(self.services, self.luck.choice(AGENTS)).ok
        elif deed < 0.46:
            wiring.run_maintenance(self.services)
        elif deed < 0.48:
            LiveCompany(self.services, pace=0.01).run(once=True)
        else:
            self._write(number)

    def _write(self, number: int) -> None:
        agent, text = self.luck.choice(AGENTS), f"thing {number}"
        soon = iso(self.clock() + self.luck.choice(JUMPS[:5]))
        kind, tool, given, name = self.luck.choice(_writes(agent, text, soon))
        outcome = call(self.services, tool, given, agent_id=agent)
        assert outcome.ok, f"{tool}: {outcome.message}"
        self.said.append((kind, str(outcome.result[name]), text))


def _writes(agent: str, text: str, soon: str) -> list[tuple[str, str, dict[str, Any], str]]:
    to = AGENTS[(AGENTS.index(agent) + 1) % len(AGENTS)]
    return [
        (f"letter to {to}", "agent_message", {"to": to, "performative": "INFORM", "content": text}, "message_id"),
        (f"fact of {agent}", "fact_assert",
         {"subject": text, "predicate": "is", "object": "so", "confidence": 1, "source": "x"}, "fact_id"),
        (f"memory of {agent}", "memory_store_item",
         {"content": text, "importance": 0.9, "store": "long_term"}, "memory_id"),
        ("question", "decision_request",
         {"subject": text, "description": "x", "options": ["yes", "no"], "deadline": soon}, "decision_id"),
        (f"goal of {agent}", "goal_create", {"level": "operational", "description": text, "deadline": soon}, "goal_id"),
        ("call for bids", "contract_net_initiate",
         {"task_description": text, "candidates": [to], "deadline": soon}, "task_id"),
    ]  # fmt: skip


def faults(company: Company) -> Iterator[str]:
    """Yield every promise that was broken."""
    services = company.services
    twice = [one for one, count in Counter((kind, name) for kind, name, _ in company.said).items() if count > 1]
    yield from (f"one id for two: {one}" for one in twice)
    for kind, name, text in company.said:
        found = _found(services, kind, name)
        if found is None or text not in found:
            yield f"{kind} {name} ({text}) is not there"
    for agent in AGENTS:
        lie = [one.content for one in services.inbox(agent).messages()]
        sent = [text for kind, _, text in company.said if kind == f"letter to {agent}"]
        if [one for one in lie if one in sent] != sent:
            yield f"letters to {agent} are not in the order in which they were sent"
        unread = [one.id for one in services.inbox(agent).unread()]
        if unread:
            yield f"{agent} has not heard {unread}"
    yield from _said_twice(services)
    yield from (f"damaged: {one}" for one in damaged_files(services))
    yield from (f"ledger: {one}" for one in services.ledger.verify())


def _found(services: Services, kind: str, name: str) -> str | None:
    """Return the text of what was written, None if it is not there."""
    what, _, agent = kind.rpartition(" ")
    if what == "letter to":
        letter = services.inbox(agent).find(name)
        return letter.content if letter else None
    if what == "fact of":
        return next((fact.subject for fact in services.agent(agent).facts.query() if fact.id == name), None)
    if what == "memory of":
        return next((one.content for one in services.agent(agent).memory.recent(10_000) if one.id == name), None)
    if what == "goal of":
        return next((one.description for one in services.agent(agent).mind.goals if one.id == name), None)
    if kind == "question":
        return services.business("acme").decisions.one(name).subject
    return services.contract_net.task(name).task_description


def _said_twice(services: Services) -> Iterator[str]:
    told = Counter((one.sender, one.performative, one.content) for one in services.inbox("stakeholder").messages())
    yield from (f"the owner was told twice: {one}" for one, count in told.items() if count > 1)
    outbox = Counter(one.id for one in services.business("acme").outbox.all())
    yield from (f"delivered twice: {one}" for one, count in outbox.items() if count > 1)


def trial(root: Path, seed: int, steps: int) -> tuple[Company, list[str]]:
    """Return a company after a number of steps, and its faults."""
    company = Company(root, random.Random(seed))
    company.open()
    founded = {"business_id": "acme", "name": "Acme", "template": "saas"}
    assert call(company.services, "business_create", founded).ok
    for number in range(steps):
        company.step(number)
    LiveCompany(company.services, pace=0.01).run(once=True)
    company.open()
    found = list(faults(company))
    company.close()
    return company, found


def campaign(trials: int, *, seed: int = 0, steps: int = 60, say: bool = False) -> Row:
    """Return the results of a number of companies."""
    tally, acknowledged = Tally(say), 0
    for number in range(trials):
        with tempfile.TemporaryDirectory() as folder:
            company, found = trial(Path(folder) / "workspace", seed + number, steps)
            tally.add(f"trial {seed + number}", company.jumps_back, found)
            acknowledged += len(company.said)
    return tally.row(f"the clock set back ({acknowledged:,} writes)")


def main() -> int:
    """Run the campaign and print its findings; the exit code is 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    given = parser.parse_args()
    return campaign(given.trials, seed=given.seed, steps=given.steps, say=True).told()


if __name__ == "__main__":
    sys.exit(main())
