"""What a model proposes in deliberation is checked, scored by the formula, and told with its reasons."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ChatModel, Reply, ScriptedCall, ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.graphs import wiring
from mabos.interfaces.reasons.chain import Reason, explained
from mabos.interfaces.reasons.gathering import gathered
from mabos.mind.desires import priority
from mabos.mind.model import Belief, Desire, Goal
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso
from tests.backends.test_openai_compatible import completion, model, server

CLOCK = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
SHARES: dict[str, Any] = {"base": 0.9, "importance": 0.8, "urgency": 0.7, "alignment": 0.6}
WISH: dict[str, Any] = {
    "name": "Paint the shop", "target": "shop = painted", **SHARES,
    "reason": "customers pass a bare shop by", "evidence": ["MSG-shop"],
}  # fmt: skip


class Desk:
    """The HR agent at rest, and a model whose answers to deliberation a test gives."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.answers: Callable[[ScriptedCall], Reply] = lambda _call: {}
        self.model = ScriptedModel(lambda call: self.answers(call) if call.tag == "deliberate" else Unavailable("no"))
        self.services = self.opened(self.model)
        made = call(self.services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message

    def opened(self, model: ChatModel) -> Services:
        return wiring.hold(self.root, clock=CLOCK, model=model)

    def hear(self, name: str = "shop", value: str = "bare") -> None:
        metadata = {"subject": name, "value": value, "certainty": 0.9}
        told = Message(f"MSG-{name}", "ceo", "hr", "INFORM", f"The {name} is {value}.", iso(CLOCK()), metadata=metadata)
        self.services.deliver(told)

    def cycle(self) -> dict[str, Any]:
        """Run one cycle and return what its deliberation put on record."""
        report = wiring.run_cycle(self.services, "hr")
        assert not [one for one in report.failures if one.startswith("deliberate")]
        entries = self.services.ledger.entries("hr")
        found = [dict(one.body) for one in entries if one.cycle == report.cycle and one.kind == "deliberate"]
        return found[0] if found else {}

    @property
    def desires(self) -> dict[str, Desire]:
        return {one.name: one for one in self.services.agent("hr").mind.desires}

    def why(self, record_id: str) -> Reason:
        records = gathered(self.services)
        return explained(records.find(record_id, "hr"), records, self.services.layout.root)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    made = Desk(tmp_path / "workspace")
    yield made
    wiring.release(made.services)


def test_a_proposed_wish_has_the_priority_of_the_formula_and_a_goal_in_the_same_cycle(desk: Desk) -> None:
    desk.answers = lambda _call: {"desires": [WISH]}
    desk.hear()
    told = desk.cycle()
    wish = desk.desires["Paint the shop"]
    assert wish.priority == pytest.approx(priority(**SHARES))
    assert (wish.category, wish.target, wish.status) == ("terminal", "shop = painted", "active")
    assert [one for one in told["proposed"] if wish.id in one and "customers pass a bare shop by" in one]
    assert any(goal.desire_id == wish.id for goal in desk.services.agent("hr").mind.goals)


def test_why_a_proposed_wish_is_wished_for_leads_to_what_it_rests_on(desk: Desk) -> None:
    desk.answers = lambda _call: {"desires": [WISH]}
    desk.hear()
    desk.cycle()
    reason = desk.why(desk.desires["Paint the shop"].id)
    assert "MSG-shop" in {one.id for one in reason.because}
    assert "customers pass a bare shop by" in desk.desires["Paint the shop"].reason


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"evidence": ["MSG-shop", "B-invented"]}, "it rests on B-invented, which does not exist"),
        ({"evidence": []}, "it names no evidence"),
        ({"target": "shop >= (((("}, "nothing could decide its target"),
        ({"serves": "D-nobody"}, "there is no such desire"),
        ({"deadline": "soon"}, "soon"),
    ],
)
def test_a_proposal_that_does_not_hold_together_is_refused_and_told(desk: Desk, changed: Any, why: str) -> None:
    desk.answers = lambda _call: {"desires": [{**WISH, **changed}]}
    desk.hear()
    told = desk.cycle()
    assert "Paint the shop" not in desk.desires
    assert [one for one in told["refused"] if one.startswith("Paint the shop: ") and why in one]


def test_a_proposal_that_a_certain_belief_speaks_against_is_refused(desk: Desk) -> None:
    no = Belief("B-no", "impossible", 0.9, subject="Paint the shop", value="impossible")
    desk.services.agent("hr").mind.save(no)
    desk.answers = lambda _call: {"desires": [WISH]}
    desk.hear()
    assert [one for one in desk.cycle()["refused"] if "B-no" in one]
    assert "Paint the shop" not in desk.desires


def test_what_was_dropped_is_not_proposed_back(desk: Desk) -> None:
    desk.services.agent("hr").mind.save(Desire("D-old", "Paint the shop", status="dropped", reason="too dear"))
    desk.answers = lambda _call: {"desires": [WISH]}
    desk.hear()
    assert [one for one in desk.cycle()["refused"] if "D-old wanted it and was dropped: too dear" in one]
    assert desk.desires["Paint the shop"].status == "dropped"


def test_nonsense_breaks_nothing_and_is_told_once(desk: Desk) -> None:
    desk.answers = lambda _call: "As a language model I love shops."
    told = []
    for value in ("bare", "empty", "closed"):
        desk.hear("shop" + value, value)
        told.append(desk.cycle())
    assert ["counsel" in one for one in told] == [True, False, False]
    desk.answers = lambda _call: {}
    desk.hear("shopquiet", "quiet")
    desk.cycle()
    desk.answers = lambda _call: {"desires": "many"}
    desk.hear("shopwet", "wet")
    assert "no answer of use" in desk.cycle()["counsel"]


def test_a_model_is_asked_only_when_something_new_was_perceived(desk: Desk) -> None:
    def asked() -> int:
        return sum(one.tag == "deliberate" for one in desk.model.calls)

    for _ in range(20):
        if not desk.cycle():
            break
    before = asked()
    desk.cycle()
    assert asked() == before
    desk.hear()
    desk.cycle()
    assert asked() == before + 1


def test_a_model_sees_ids_and_no_more_than_it_needs(desk: Desk) -> None:
    many = [Belief(f"B-{at}", f"thing {at} is there", 0.6, subject=f"thing {at}") for at in range(300)]
    desk.services.agent("hr").mind.save(*many)
    desk.hear()
    desk.cycle()
    (asked,) = [one for one in desk.model.calls if one.tag == "deliberate"]
    question = asked.messages[-1].content
    assert "[MSG-shop] INFORM from ceo: The shop is bare." in question
    assert question.count("\n[B-") <= 40


def test_a_served_model_proposes_over_http(tmp_path: Path) -> None:
    answer = completion(json.dumps({"desires": [WISH]}))
    with (
        server(lambda _body: (200, answer)) as served,
        wiring.opened(tmp_path / "w", clock=CLOCK, model=model(served.base_url)) as services,
    ):
        assert call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"}).ok
        services.deliver(Message("MSG-shop", "ceo", "hr", "INFORM", "The shop is bare.", iso(CLOCK())))
        wiring.run_cycle(services, "hr")
        (wish,) = [one for one in services.agent("hr").mind.desires if one.name == "Paint the shop"]
    assert wish.reason.startswith("proposed by tiny: customers pass")
    assert served[0]["body"]["response_format"]["type"] == "json_schema"


def rivals(desk: Desk) -> None:
    now = iso(CLOCK())
    goals = [
        Goal("G-paint", "Paint the shop", priority=0.99, target="shop = painted", created=now, updated=now),
        Goal("G-fill", "Fill the shop", priority=0.98, target="shop = full", created=now, updated=now),
    ]
    desk.services.agent("hr").mind.save(*goals)


def advise(desk: Desk, **more: Any) -> None:
    options = [
        {"goal": "G-paint", "probability": 0.1, "reason": "nobody can paint", "evidence": ["MSG-shop"], **more},
        {"goal": "G-fill", "probability": 0.9, "reason": "the goods are here", "evidence": ["MSG-shop"]},
    ]
    desk.answers = lambda _call: {"options": options}


def test_between_goals_a_models_estimate_counts_by_expected_utility(desk: Desk) -> None:
    rivals(desk)
    advise(desk)
    desk.hear()
    told = desk.cycle()
    assert told["goal"] == "G-fill"
    assert [one for one in told["advised"] if one.startswith("G-fill: 0.9, since the goods are here")]


def test_what_was_seen_outweighs_what_a_model_thinks(desk: Desk) -> None:
    rivals(desk)
    advise(desk)
    desk.hear()
    cases = desk.services.agent("hr").cases
    for number in range(6):
        situation = {"beliefs": {"shop": "bare"}, "desires": ["Paint the shop"]}
        cases.store(situation, {"plan": f"P-{number}"}, "success", case_id=f"good-{number}")
        cases.store(
            {**situation, "desires": ["Fill the shop"]}, {"plan": f"Q-{number}"}, "failure", case_id=f"bad-{number}"
        )
    assert desk.cycle()["goal"] == "G-paint"


def test_an_estimate_that_rests_on_nothing_counts_for_nothing(desk: Desk) -> None:
    rivals(desk)
    options = [
        {"goal": "G-fill", "probability": 1.0, "reason": "I know it", "evidence": ["B-invented"]},
        {"goal": "G-nowhere", "probability": 1.0, "reason": "I know it", "evidence": ["MSG-shop"]},
    ]
    desk.answers = lambda _call: {"options": options}
    desk.hear()
    told = desk.cycle()
    assert told["goal"] == "G-paint"
    assert told["refused"] == [
        "G-fill: it rests on B-invented, which does not exist",
        "G-nowhere: there is no such open goal",
    ]
