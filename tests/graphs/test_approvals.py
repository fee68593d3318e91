"""A person decides: what waits, what follows from each answer, and that a restart between changes nothing."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.tools.catalogue.declaration import Text, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.effects import Effect, Effects
from mabos.tools.runtime.services import PERSON, Agent, Services
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.ledger import Ledger

PACKAGE = {
    "title": "A new data centre",
    "description": "Build it",
    "required_skills": ["engineering"],
    "budget_usd": 9000.0,
    "area": "product",
}


WHO = ("cto", "coo", "hr")


class Company:
    """A workspace that is closed and opened again between any two things that happen."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.posted: list[str] = []
        self.dies = ""
        self.clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        self.services = self._opened()
        made = call(self.services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message

    def _opened(self) -> Services:
        # Its alias is among the agent's capabilities, which know nothing of letters.
        post = Tool.of(self.letter_post(), module="Email", writes=True, idempotent=False, aliases=("belief_update",))
        return wiring.hold(self.root, clock=self.clock, registry=Registry(extra=[post]))

    def letter_post(self) -> Callable[..., dict[str, Any]]:
        """Return an operation that cannot be repeated, and dies before or after its effect if it is told to."""

        def letter_post(agent: Agent, *, text: Text) -> dict[str, Any]:
            """Post a letter.

            Args:
                text: What it says.
            """
            dies, self.dies = self.dies, ""
            if dies == "before":
                raise KeyboardInterrupt
            self.posted.append(text)
            if dies == "after":
                raise KeyboardInterrupt
            return {"letter_id": "LET-1"}

        return letter_post

    def restart(self) -> None:
        wiring.release(self.services)
        self.services = self._opened()

    def killed(self, patch: Callable[[], None]) -> None:
        """Run a cycle in a process of its own, which is killed where `patch` says."""
        wiring.release(self.services)
        process = get_context("fork").Process(target=partial(self._dies, patch))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        self.services = self._opened()

    def _dies(self, patch: Callable[[], None]) -> None:
        patch()
        wiring.run_cycle(self._opened(), "cto")

    def cycle(self, agent_id: str = "cto") -> Any:
        report = wiring.run_cycle(self.services, agent_id)
        self.restart()
        return report

    def answer(self, decision_id: str, resolution: str, **more: Any) -> None:
        given = {"decision_id": decision_id, "resolution": resolution, **more}
        outcome = call(self.services, "decision_resolve", given, caller=PERSON)
        assert outcome.ok, outcome.message
        self.restart()

    def standing(self, decision_id: str) -> str:
        return self.services.decisions("acme").decision(decision_id).status

    def intention(self, agent_id: str = "cto") -> Intention | None:
        mind = self.services.agent(agent_id).mind
        return next((one for one in mind.intentions if one.id == "I-1"), None)

    def packages(self) -> list[float]:
        return [one.budget_usd for one in self.services.business("acme").workforce.packages.all()
                if one.title == PACKAGE["title"]]  # fmt: skip

    def commit(self, *steps: Step, agent_id: str = "cto") -> None:
        now = iso(self.clock())
        goal = Goal("G-1", "Build it", priority=0.99, created=now, updated=now)
        plan = Plan("P-1", "G-1", "building", steps=steps, status="active", confidence=0.9, created=now, updated=now)
        intention = Intention("I-1", "G-1", "P-1", started=now, updated=now)
        self.services.agent(agent_id).mind.save(goal, plan, intention)
        self.restart()

    def asked(self, agent_id: str = "cto", **package: Any) -> str:
        """Let the agent come to the step that a person must allow, and return the decision."""
        self.commit(Step("build", "Build it", "work_package_create", PACKAGE | package), agent_id=agent_id)
        report = self.cycle(agent_id)
        assert report.outcome == "waiting"
        intention = self.intention(agent_id)
        assert intention is not None
        assert intention.status == "awaiting_approval"
        assert self.packages() == []
        return intention.decision_id

    def ended(self, agent_id: str) -> bool:
        """Whether the agent's intention is over, after a few cycles."""
        for _ in range(3):
            self.cycle(agent_id)
        return self.intention(agent_id) is None


@pytest.fixture
def company(tmp_path: Path) -> Iterator[Company]:
    made = Company(tmp_path / "workspace")
    yield made
    wiring.release(made.services)


def test_while_a_person_thinks_the_agent_goes_on_with_other_goals(company: Company) -> None:
    company.asked()
    report = company.cycle()
    assert report.intention_id not in ("", "I-1")
    assert report.results


def test_what_was_approved_is_performed_once_in_the_next_cycle(company: Company) -> None:
    company.answer(company.asked(), "approve")
    assert company.packages() == []
    report = company.cycle()
    assert (report.intention_id, report.outcome) == ("I-1", "completed")
    for _ in range(3):
        company.cycle()
    assert company.packages() == [9000.0]


def test_a_cycle_that_died_after_it_had_heard_the_answer_performs_it_once_all_the_same(company: Company) -> None:
    company.answer(company.asked(), "approve")

    def die(event: Mapping[str, Any]) -> None:
        if event["phase"] == "act":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wiring.run_cycle(company.services, "cto", on_event=die)
    company.restart()
    for _ in range(3):
        company.cycle()
    assert company.packages() == [9000.0]
    assert [one.cost for one in company.services.business("acme").decisions.all()].count(9000.0) == 1


def dies_when_begun() -> None:
    begin = Effects.begin

    def begin_and_die(self: Effects, effect: Effect) -> Effect:
        begun = begin(self, effect)
        if effect.cost:
            os.kill(os.getpid(), signal.SIGKILL)
        return begun

    Effects.begin = begin_and_die  # type: ignore[method-assign]  # in a process that ends with it


def dies_before_the_ledger() -> None:
    append = Ledger.append

    def die_or_append(self: Ledger, agent_id: str, kind: str, body: Mapping[str, Any], **more: Any) -> Any:
        if kind == "call" and body.get("cost"):
            os.kill(os.getpid(), signal.SIGKILL)
        return append(self, agent_id, kind, body, **more)

    Ledger.append = die_or_append  # type: ignore[method-assign]  # in a process that ends with it


def dies_before_done() -> None:
    done = Effects.done

    def die_or_done(self: Effects, effect: Effect, result: Mapping[str, Any], at: str) -> None:
        if effect.cost:
            os.kill(os.getpid(), signal.SIGKILL)
        done(self, effect, result, at)

    Effects.done = die_or_done  # type: ignore[method-assign]  # in a process that ends with it


@pytest.mark.parametrize("dies", [dies_when_begun, dies_before_the_ledger, dies_before_done])
def test_ten_thousand_dollars_are_spent_once_though_the_process_is_killed_in_the_middle(
    company: Company, dies: Callable[[], None]
) -> None:
    company.answer(company.asked(budget_usd=10_000.0), "approve")
    company.killed(dies)
    assert company.ended("cto")
    assert company.packages() == [10_000.0]
    (decision,) = (one for one in company.services.decisions("acme").all() if one.cost == 10_000)
    assert (decision.status, bool(decision.performed_at)) == ("approved", True)
    spent = [one for one in company.services.ledger.entries("cto") if one.kind == "call" and one.body.get("cost")]
    assert {one.body["key"] for one in spent} == {decision.performed_key}


def test_three_agents_wait_at_once_and_each_goes_on_with_its_own_answer(company: Company) -> None:
    asked = {agent_id: company.asked(agent_id, budget_usd=6000.0 + number) for number, agent_id in enumerate(WHO)}
    assert len({*asked.values()}) == len(company.services.business("acme").decisions.pending()) == 3
    company.answer(asked["cto"], "approve")
    company.answer(asked["coo"], "reject", feedback="Not now")
    company.answer(asked["hr"], "modify", modifications={"budget_usd": 5500})
    assert [company.ended(agent_id) for agent_id in WHO] == [True, True, True]
    assert company.packages() == [6000.0, 5500.0]
    assert "Not now" in str(company.services.agent("coo").mind.learnings)


def test_what_was_rejected_is_given_up_and_learned_from(company: Company) -> None:
    decision_id = company.asked()
    company.answer(decision_id, "reject", feedback="We rent instead")
    company.cycle()
    assert company.intention() is None
    assert "abandoned" in company.services.agent("cto").mind.file("Intentions.md")
    lessons = [one.insight for one in company.services.agent("cto").mind.learnings if decision_id in one.id]
    assert len(lessons) == 1
    assert "We rent instead" in lessons[0]
    assert company.packages() == []


def test_what_was_modified_is_performed_as_the_person_made_it(company: Company) -> None:
    company.answer(company.asked(), "modify", modifications={"budget_usd": 7000})
    assert company.cycle().outcome == "completed"
    company.cycle()
    assert company.packages() == [7000.0]


def test_what_was_put_off_is_asked_again_once_when_its_time_has_come(company: Company) -> None:
    decision_id = company.asked()
    company.answer(decision_id, "defer", until=iso(company.clock() + timedelta(days=2)))
    company.cycle()
    assert (reminders(company, decision_id), company.standing(decision_id)) == (0, "deferred")
    company.clock.advance(timedelta(days=3))
    for _ in range(2):
        company.cycle()
    assert (reminders(company, decision_id), company.standing(decision_id)) == (1, "pending")
    company.answer(decision_id, "approve")
    company.cycle()
    assert company.packages() == [9000.0]


def reminders(company: Company, decision_id: str) -> int:
    inbox = company.services.inbox("stakeholder").messages()
    return sum(one.conversation_id == decision_id and one.performative == "QUERY" for one in inbox)


@pytest.mark.parametrize(("chosen", "value"), [("A", "rented"), ("B", "built")])
def test_an_answer_without_an_action_decides_which_way_the_plan_takes(
    company: Company, chosen: str, value: str
) -> None:
    question = {"subject": "Rent or build?", "description": "Both are costed.", "recommendation": "A",
                "options": [{"id": "A", "label": "Rent"}, {"id": "B", "label": "Build"}]}  # fmt: skip
    company.commit(
        Step("ask", "Ask the owner", "decision_request", question),
        Step("way", "Choose", branches=(("answer = A", "rent"), ("ask answer = B", "build"))),
        Step("rent", "Rent", "belief_update", belief("rented"), branches=(("always", "end"),)),
        Step("build", "Build", "belief_update", belief("built")),
    )
    company.cycle()
    waiting = company.intention()
    assert waiting is not None
    assert waiting.status == "awaiting_approval"
    company.answer(waiting.decision_id, "approve", chosen_option=chosen)
    assert company.cycle().outcome == "completed"
    assert company.services.agent("cto").mind.value("data_centre", "status") == value


@pytest.mark.parametrize(("dies", "chosen"), [("after", "done"), ("before", "not-done")])
def test_what_cannot_be_repeated_and_was_cut_short_is_put_before_a_person(
    company: Company, dies: str, chosen: str
) -> None:
    company.commit(Step("post", "Post it", "letter_post", {"text": "We are sorry"}))
    company.dies = dies
    with pytest.raises(KeyboardInterrupt):
        wiring.run_cycle(company.services, "cto")
    posted = list(company.posted)
    company.restart()
    assert company.cycle().outcome == "waiting"
    company.cycle()
    waiting = company.intention()
    assert waiting is not None
    assert (waiting.status, company.posted) == ("awaiting_approval", posted)
    company.answer(waiting.decision_id, "approve", chosen_option=chosen)
    assert company.cycle().outcome == "completed"
    company.cycle()
    assert company.posted == ["We are sorry"]


def belief(value: str) -> dict[str, Any]:
    return {"description": f"The data centre is {value}", "certainty": 0.9, "source": "owner",
            "subject": "data_centre", "predicate": "status", "value": value}  # fmt: skip
