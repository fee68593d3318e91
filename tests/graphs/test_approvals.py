"""A person decides: what waits, what follows from each answer, and that a restart between changes nothing."""

import os
import signal
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.model import Step
from mabos.tools.catalogue.declaration import Text, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.effects import Effect, Effects
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.ledger import Ledger
from tests.graphs.offices import Office

PACKAGE = {
    "title": "A new data centre",
    "description": "Build it",
    "required_skills": ["engineering"],
    "budget_usd": 9000.0,
    "area": "product",
}


WHO = ("cto", "coo", "hr")


class PostOffice(Office):
    """A world with an operation that cannot be repeated, which dies before or after its effect if it is told to."""

    def __init__(self, root: Path) -> None:
        self.posted: list[str] = []
        self.dies = ""

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

        # Its alias is among the agent's capabilities, which know nothing of letters.
        post = Tool.of(letter_post, module="Email", writes=True, idempotent=False, aliases=("belief_update",))
        super().__init__(root, tools=Registry(extra=[post]))

    def killed(self, patch: Callable[[], None]) -> None:
        """Run a cycle in a process of its own, which is killed where `patch` says."""
        self.close()
        process = get_context("fork").Process(target=partial(self._dies, patch))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL
        self.open()

    def _dies(self, patch: Callable[[], None]) -> None:
        patch()
        self.open()
        self.cycle("cto")


@pytest.fixture
def office(tmp_path: Path) -> Iterator[PostOffice]:
    with PostOffice(tmp_path / "workspace") as made:
        yield made


def status(office: Office, decision_id: str) -> str:
    return office.services.decisions("acme").one(decision_id).status


def packages(office: Office) -> list[float]:
    return [one.budget_usd for one in office.business.workforce.packages.all() if one.title == PACKAGE["title"]]


def commit(office: Office, *steps: Step, agent: str = "cto") -> None:
    office.agent(agent).commit(*steps, goal={"description": "Build it"})
    office.restart()


def asked(office: Office, agent: str = "cto", **package: Any) -> str:
    """Let the agent come to the step that a person must allow, and return the decision."""
    commit(office, Step("build", "Build it", "work_package_create", PACKAGE | package), agent=agent)
    report = office.cycle(agent)
    assert report.outcome == "waiting"
    assert packages(office) == []
    return waits(office, agent)


def waits(office: Office, agent: str = "cto") -> str:
    """Return the decision that the agent's intention waits for."""
    intention = office.agent(agent).intention()
    assert intention is not None
    assert intention.status == "awaiting_approval"
    return intention.decision_id


def ended(office: Office, agent: str) -> bool:
    """Whether the agent's intention is over, after a few cycles."""
    for _ in range(3):
        office.cycle(agent)
    return office.agent(agent).intention() is None


def test_while_a_person_thinks_the_agent_goes_on_with_other_goals(office: PostOffice) -> None:
    for name, value in {"cash": 200_000, "runway_months": 12, "quality": 0.5}.items():  # plans rest on these
        office.do("metrics_record", "cfo", name=name, value=value)
    asked(office)
    report = office.cycle("cto")
    assert report.intention_id not in ("", "I-1")
    assert report.results


def test_what_was_approved_is_performed_once_in_the_next_cycle(office: PostOffice) -> None:
    office.answer("approve", asked(office))
    assert packages(office) == []
    report = office.cycle("cto")
    assert (report.intention_id, report.outcome) == ("I-1", "completed")
    for _ in range(3):
        office.cycle("cto")
    assert packages(office) == [9000.0]


def test_a_cycle_that_died_after_it_had_heard_the_answer_performs_it_once_all_the_same(office: PostOffice) -> None:
    office.answer("approve", asked(office))

    def die(event: Mapping[str, Any]) -> None:
        if event["phase"] == "act":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        office.cycle("cto", on_event=die)
    office.restart()
    for _ in range(3):
        office.cycle("cto")
    assert packages(office) == [9000.0]
    assert [one.cost for one in office.business.decisions.all()].count(9000.0) == 1


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
    office: PostOffice, dies: Callable[[], None]
) -> None:
    office.answer("approve", asked(office, budget_usd=10_000.0))
    office.killed(dies)
    assert ended(office, "cto")
    assert packages(office) == [10_000.0]
    (decision,) = (one for one in office.services.decisions("acme").all() if one.cost == 10_000)
    assert (decision.status, bool(decision.performed_at)) == ("approved", True)
    spent = [one for one in office.agent("cto").entries("call") if one.get("cost")]
    assert {one["key"] for one in spent} == {decision.performed_key}


def test_three_agents_wait_at_once_and_each_goes_on_with_its_own_answer(office: PostOffice) -> None:
    decisions = {agent_id: asked(office, agent_id, budget_usd=6000.0 + number) for number, agent_id in enumerate(WHO)}
    assert len({*decisions.values()}) == len(office.business.decisions.pending()) == 3
    office.answer("approve", decisions["cto"])
    office.answer("reject", decisions["coo"], feedback="Not now")
    office.answer("modify", decisions["hr"], modifications={"budget_usd": 5500})
    assert [ended(office, agent_id) for agent_id in WHO] == [True, True, True]
    assert packages(office) == [6000.0, 5500.0]
    assert "Not now" in str(office.agent("coo").mind.learnings)


def test_what_was_rejected_is_given_up_and_learned_from(office: PostOffice) -> None:
    decision_id = asked(office)
    office.answer("reject", decision_id, feedback="We rent instead")
    office.cycle("cto")
    assert office.agent("cto").intention() is None
    assert "abandoned" in office.agent("cto").mind.file("Intentions.md")
    lessons = [one.insight for one in office.agent("cto").mind.learnings if decision_id in one.id]
    assert len(lessons) == 1
    assert "We rent instead" in lessons[0]
    assert packages(office) == []


def test_what_was_modified_is_performed_as_the_person_made_it(office: PostOffice) -> None:
    office.answer("modify", asked(office), modifications={"budget_usd": 7000})
    assert office.cycle("cto").outcome == "completed"
    office.cycle("cto")
    assert packages(office) == [7000.0]


def test_what_was_put_off_is_asked_again_once_when_its_time_has_come(office: PostOffice) -> None:
    decision_id = asked(office)
    office.answer("defer", decision_id, until=iso(office.clock() + timedelta(days=2)))
    office.cycle("cto")
    assert (reminders(office, decision_id), status(office, decision_id)) == (0, "deferred")
    office.later(days=3)
    for _ in range(2):
        office.cycle("cto")
    assert (reminders(office, decision_id), status(office, decision_id)) == (1, "pending")
    office.answer("approve", decision_id)
    office.cycle("cto")
    assert packages(office) == [9000.0]


def reminders(office: PostOffice, decision_id: str) -> int:
    inbox = office.services.inbox("stakeholder").messages()
    return sum(one.conversation_id == decision_id and one.performative == "QUERY" for one in inbox)


@pytest.mark.parametrize(("chosen", "value"), [("A", "rented"), ("B", "built")])
def test_an_answer_without_an_action_decides_which_way_the_plan_takes(
    office: PostOffice, chosen: str, value: str
) -> None:
    question = {"subject": "Rent or build?", "description": "Both are costed.", "recommendation": "A",
                "options": [{"id": "A", "label": "Rent"}, {"id": "B", "label": "Build"}]}  # fmt: skip
    commit(
        office,
        Step("ask", "Ask the owner", "decision_request", question),
        Step("way", "Choose", branches=(("answer = A", "rent"), ("ask answer = B", "build"))),
        Step("rent", "Rent", "belief_update", belief("rented"), branches=(("always", "end"),)),
        Step("build", "Build", "belief_update", belief("built")),
    )
    office.cycle("cto")
    office.answer("approve", waits(office), chosen_option=chosen)
    assert office.cycle("cto").outcome == "completed"
    assert office.agent("cto").mind.value("data_centre", "status") == value


@pytest.mark.parametrize(("dies", "chosen"), [("after", "done"), ("before", "not-done")])
def test_what_cannot_be_repeated_and_was_cut_short_is_put_before_a_person(
    office: PostOffice, dies: str, chosen: str
) -> None:
    commit(office, Step("post", "Post it", "letter_post", {"text": "We are sorry"}))
    office.dies = dies
    with pytest.raises(KeyboardInterrupt):
        office.cycle("cto")
    posted = list(office.posted)
    office.restart()
    assert office.cycle("cto").outcome == "waiting"
    office.cycle("cto")
    assert office.posted == posted
    office.answer("approve", waits(office), chosen_option=chosen)
    assert office.cycle("cto").outcome == "completed"
    office.cycle("cto")
    assert office.posted == ["We are sorry"]


def belief(value: str) -> dict[str, Any]:
    return {"description": f"The data centre is {value}", "certainty": 0.9, "source": "owner",
            "subject": "data_centre", "predicate": "status", "value": value}  # fmt: skip
