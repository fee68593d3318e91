"""What a model proposes in deliberation is checked, scored by the formula, and told with its reasons."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.mind.desires import priority
from mabos.mind.model import Belief, Desire, Goal
from tests.backends.test_openai_compatible import completion, server
from tests.backends.test_openai_compatible import model as served_model
from tests.world import Member, World

SHARES: dict[str, Any] = {"base": 0.9, "importance": 0.8, "urgency": 0.7, "alignment": 0.6}
WISH: dict[str, Any] = {
    "name": "Paint the shop", "target": "shop = painted", **SHARES,
    "reason": "customers pass a bare shop by", "evidence": ["MSG-shop"],
}  # fmt: skip


class Counsel(ScriptedModel):
    """A model that proposes what a test gives it."""

    def __init__(self) -> None:
        self.proposed: Reply = {}
        super().__init__(lambda asked: self.proposed if asked.tag == "deliberate" else Unavailable("no"))


@pytest.fixture
def model() -> Counsel:
    return Counsel()


@pytest.fixture
def hr(tmp_path: Path, model: Counsel) -> Iterator[Member]:
    with World(tmp_path / "workspace", model=model) as world:
        yield world.agent("hr")


def hear(hr: Member, name: str = "shop", value: str = "bare") -> None:
    hr.hear(f"The {name} is {value}.", name, subject=name, value=value, certainty=0.9)


def deliberated(hr: Member) -> Mapping[str, Any]:
    """Run one cycle and return what its deliberation put on record."""
    report = hr.cycle()
    assert not [one for one in report.failures if one.startswith("deliberate")]
    found = hr.entries("deliberate", report.cycle)
    return found[0] if found else {}


def desires(hr: Member) -> dict[str, Desire]:
    return {one.name: one for one in hr.mind.desires}


def test_a_proposed_wish_has_the_priority_of_the_formula_and_a_goal_in_the_same_cycle(
    hr: Member, model: Counsel
) -> None:
    model.proposed = {"desires": [WISH]}
    hear(hr)
    told = deliberated(hr)
    wish = desires(hr)["Paint the shop"]
    assert wish.priority == pytest.approx(priority(**SHARES))
    assert (wish.category, wish.target, wish.status) == ("terminal", "shop = painted", "active")
    assert [one for one in told["proposed"] if wish.id in one and "customers pass a bare shop by" in one]
    assert any(goal.desire_id == wish.id for goal in hr.mind.goals)


def test_why_a_proposed_wish_is_wished_for_leads_to_what_it_rests_on(hr: Member, model: Counsel) -> None:
    model.proposed = {"desires": [WISH]}
    hear(hr)
    deliberated(hr)
    reason = hr.world.why(desires(hr)["Paint the shop"].id)
    assert "MSG-shop" in {one.id for one in reason.because}
    assert "customers pass a bare shop by" in desires(hr)["Paint the shop"].reason


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
def test_a_proposal_that_does_not_hold_together_is_refused_and_told(
    hr: Member, model: Counsel, changed: Any, why: str
) -> None:
    model.proposed = {"desires": [{**WISH, **changed}]}
    hear(hr)
    told = deliberated(hr)
    assert "Paint the shop" not in desires(hr)
    assert [one for one in told["refused"] if one.startswith("Paint the shop: ") and why in one]


def test_a_proposal_that_a_certain_belief_speaks_against_is_refused(hr: Member, model: Counsel) -> None:
    no = Belief("B-no", "impossible", 0.9, subject="Paint the shop", value="impossible")
    hr.mind.save(no)
    model.proposed = {"desires": [WISH]}
    hear(hr)
    assert [one for one in deliberated(hr)["refused"] if "B-no" in one]
    assert "Paint the shop" not in desires(hr)


def test_what_was_dropped_is_not_proposed_back(hr: Member, model: Counsel) -> None:
    hr.mind.save(Desire("D-old", "Paint the shop", status="dropped", reason="too dear"))
    model.proposed = {"desires": [WISH]}
    hear(hr)
    assert [one for one in deliberated(hr)["refused"] if "D-old wanted it and was dropped: too dear" in one]
    assert desires(hr)["Paint the shop"].status == "dropped"


def test_nonsense_breaks_nothing_and_is_told_once(hr: Member, model: Counsel) -> None:
    model.proposed = "As a language model I love shops."
    told = []
    for value in ("bare", "empty", "closed"):
        hear(hr, "shop" + value, value)
        told.append(deliberated(hr))
    assert ["counsel" in one for one in told] == [True, False, False]
    model.proposed = {}
    hear(hr, "shopquiet", "quiet")
    deliberated(hr)
    model.proposed = {"desires": "many"}
    hear(hr, "shopwet", "wet")
    assert "no answer of use" in deliberated(hr)["counsel"]


def test_a_model_is_asked_only_when_something_new_was_perceived(hr: Member, model: Counsel) -> None:
    def asked() -> int:
        return sum(one.tag == "deliberate" for one in model.calls)

    for _ in range(20):
        if not deliberated(hr):
            break
    before = asked()
    deliberated(hr)
    assert asked() == before
    hear(hr)
    deliberated(hr)
    assert asked() == before + 1


def test_a_model_sees_ids_and_no_more_than_it_needs(hr: Member, model: Counsel) -> None:
    many = [Belief(f"B-{at}", f"thing {at} is there", 0.6, subject=f"thing {at}") for at in range(300)]
    hr.mind.save(*many)
    hear(hr)
    deliberated(hr)
    (asked,) = [one for one in model.calls if one.tag == "deliberate"]
    question = asked.messages[-1].content
    assert "[MSG-shop] INFORM from ceo: The shop is bare." in question
    assert question.count("\n[B-") <= 40


def test_a_served_model_proposes_over_http(tmp_path: Path) -> None:
    answer = completion(json.dumps({"desires": [WISH]}))
    with (
        server(lambda _body: (200, answer)) as served,
        World(tmp_path / "w", model=served_model(served.base_url)) as world,
    ):
        hr = world.agent("hr")
        hr.hear("The shop is bare.", "shop")
        hr.cycle()
        wish = desires(hr)["Paint the shop"]
    assert wish.reason.startswith("proposed by tiny: customers pass")
    assert served[0]["body"]["response_format"]["type"] == "json_schema"


def rivals(hr: Member) -> None:
    now = hr.world.now
    goals = [
        Goal("G-paint", "Paint the shop", priority=0.99, target="shop = painted", created=now, updated=now),
        Goal("G-fill", "Fill the shop", priority=0.98, target="shop = full", created=now, updated=now),
    ]
    hr.mind.save(*goals)


def advise(model: Counsel, **more: Any) -> None:
    options = [
        {"goal": "G-paint", "probability": 0.1, "reason": "nobody can paint", "evidence": ["MSG-shop"], **more},
        {"goal": "G-fill", "probability": 0.9, "reason": "the goods are here", "evidence": ["MSG-shop"]},
    ]
    model.proposed = {"options": options}


def test_between_goals_a_models_estimate_counts_by_expected_utility(hr: Member, model: Counsel) -> None:
    rivals(hr)
    advise(model)
    hear(hr)
    told = deliberated(hr)
    assert told["goal"] == "G-fill"
    assert [one for one in told["advised"] if one.startswith("G-fill: 0.9, since the goods are here")]


def test_what_was_seen_outweighs_what_a_model_thinks(hr: Member, model: Counsel) -> None:
    rivals(hr)
    advise(model)
    hear(hr)
    cases = hr.handle.cases
    for number in range(6):
        situation = {"beliefs": {"shop": "bare"}, "desires": ["Paint the shop"]}
        cases.store(situation, {"plan": f"P-{number}"}, "success", case_id=f"good-{number}")
        cases.store(
            {**situation, "desires": ["Fill the shop"]}, {"plan": f"Q-{number}"}, "failure", case_id=f"bad-{number}"
        )
    assert deliberated(hr)["goal"] == "G-paint"


def test_an_estimate_that_rests_on_nothing_counts_for_nothing(hr: Member, model: Counsel) -> None:
    rivals(hr)
    options = [
        {"goal": "G-fill", "probability": 1.0, "reason": "I know it", "evidence": ["B-invented"]},
        {"goal": "G-nowhere", "probability": 1.0, "reason": "I know it", "evidence": ["MSG-shop"]},
    ]
    model.proposed = {"options": options}
    hear(hr)
    told = deliberated(hr)
    assert told["goal"] == "G-paint"
    assert told["refused"] == [
        "G-fill: it rests on B-invented, which does not exist",
        "G-nowhere: there is no such open goal",
    ]
