"""What a model is told when it plans, what becomes of its plan, and how it competes with the library's."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel
from mabos.configs.errors import Unavailable
from mabos.mind.model import Belief, Desire, Goal, Plan
from mabos.society.pricing import Price, Product
from mabos.tools.work.proposals import ModelProposal, ProposalStatus
from tests.world import Member, World

ASKED = (
    "Zyx the qwv for Ana Ruiz (ana@ruiz.example) before 1 June: the old qwv was 42 by 17, the new one must be 64 by "
    "23, in green, and it must not cost more than 950 dollars in all, delivery to 12 Mill Lane included."
)
NOTE: dict[str, Any] = {
    "operation": "belief_update", "description": "Write down the colour of the qwv",
    "arguments": {"description": "the qwv is green", "certainty": 0.9, "source": "seen"},
}  # fmt: skip


class Planner(ScriptedModel):
    """A model that only plans, by the answers that a test gives it; the last one is given again and again."""

    def __init__(self) -> None:
        self.answers: list[Reply] = [{}]
        super().__init__(self._plan)

    def _plan(self, asked: ScriptedCall) -> Reply:
        if asked.tag != "plan":
            return "Noted." if asked.tag == "work" else Unavailable("nobody is there")
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]

    @property
    def asked(self) -> list[ScriptedCall]:
        return [one for one in self.calls if one.tag == "plan"]


@pytest.fixture
def model() -> Planner:
    return Planner()


@pytest.fixture
def world(tmp_path: Path, model: Planner) -> Iterator[World]:
    with World(tmp_path / "workspace", model=model) as world:
        yield world


def seat(world: World, role: str) -> Member:
    return world.quiet(role)


def aim(member: Member, **more: Any) -> None:
    """Give an agent one goal that no template is for."""
    now = member.world.now
    known = {"description": "Zyx the qwv", "priority": 1.0, "target": "qwv = zyxed", "created": now, "updated": now}
    member.mind.save(Goal("G-hue", **{**known, **more}))


def plans(member: Member) -> list[Plan]:
    return [one for one in member.mind.plans if one.goal_id == "G-hue"]


def proposals(member: Member) -> list[ModelProposal]:
    return [one for one in member.handle.proposals.all() if one.kind == "plan"]


def tools(member: Member) -> list[str]:
    return [step.tool for plan in plans(member) for step in plan.steps]


def price(amount: float, segment: str = "mid", **more: Any) -> dict[str, Any]:
    arguments = {"product": "Subscription", "amount_usd": amount, "segment": segment}
    return {
        "operation": "stripe_create_price",
        "description": "Set the price that they accept",
        "arguments": arguments,
        **more,
    }


def on_sale(world: World, amount: float = 100.0) -> None:
    """Put a product on sale, and measure that customers leave, within what is usual."""
    pricing, at = world.business.pricing, world.now
    pricing.products.save(Product("prod_subscription", "Subscription", created_at=at))
    pricing.prices.save(Price("price_1", "prod_subscription", round(amount * 100), segment="mid", created_at=at))
    world.do("metrics_record", "strategy", name="churn_rate", value=3.5, unit="% a month")


# --- what the model is told


def test_the_model_sees_the_whole_goal_what_asked_for_it_and_who_it_is(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    hr.hear(ASKED, "qwv", sender="stakeholder", performative="INFORM")
    hr.mind.save(Desire("D-qwv", "Zyx it", description="The qwv is what visitors see first.", status="suspended"))
    aim(hr, desire_id="D-qwv", evidence=("MSG-qwv",), deadline="2026-06-01")
    hr.cycle()
    system, question = model.asked[0].messages[0].content, model.asked[0].messages[-1].content
    assert ASKED in question
    assert "The qwv is what visitors see first" in question
    assert "Deadline: 2026-06-01" in question
    assert "Head of People" in system
    assert "- cfo: Chief Financial Officer." in system
    assert "S3" not in system + question


@pytest.mark.parametrize("tag", ["deliberate", "plan", "work"])
def test_each_question_shows_the_persona_the_course_of_figures_and_capable_colleagues(
    world: World, model: Planner, tag: str
) -> None:
    hr = seat(world, "hr")
    for day, value in (("2026-01-05", 11), ("2026-02-02", 12), ("2026-03-01", 14)):
        world.do("metrics_record", "hr", name="open_packages", value=value, at=f"{day}T09:00:00Z")
    hr.hear(ASKED, "qwv", sender="stakeholder", performative="REQUEST" if tag == "work" else "INFORM")
    aim(hr, description="Zyx the qwv of our open packages", target="open_packages < 9")
    hr.cycle()
    [asked, *_] = [one for one in model.calls if one.tag == tag]
    system, question = asked.messages[0].content, asked.messages[-1].content
    assert ASKED in question
    assert hr.mind.persona.style
    assert hr.mind.persona.style in system
    assert "Can use, unlike you: " in system
    assert re.search(r"open packages: 14.*before: 11 .*12 ", question)


def test_operations_come_with_the_full_schema_and_public_names_of_their_arguments(world: World, model: Planner) -> None:
    strategy = seat(world, "strategy")
    aim(strategy, description="Set another price for mid-sized customers")
    strategy.cycle()
    question = model.asked[0].messages[-1].content
    assert "- stripe_create_price: " in question
    assert '"enum":["month","year"]' in question
    assert '"amount_usd":{"description"' in question
    assert "from_" not in question
    assert "object_" not in question


def test_operations_of_colleagues_are_named_with_who_owns_them(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    aim(hr, description="Start a search campaign and set another price")
    hr.cycle()
    question = model.asked[0].messages[-1].content
    assert "Only the CMO may use it" in question


def test_what_is_missing_is_found_by_one_search(world: World, model: Planner) -> None:
    strategy = seat(world, "strategy")
    model.answers = [{"find": "set a price for a segment"}, {"steps": [NOTE]}]
    aim(strategy)
    strategy.cycle()
    assert tools(strategy) == ["belief_update"]
    assert "- stripe_create_price: Create a price" in model.asked[1].messages[-1].content


# --- what becomes of it


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"operation": "rob_a_bank"}, "rob_a_bank"),
        ({"arguments": {"description": "x", "certainty": "high", "source": "seen"}}, "certainty"),
        ({"conditions": ["cash >= ((("]}, "condition"),
        ({"operation": "delegate", "arguments": {"to": "nobody", "text": "Do it"}}, "nobody"),
        ({"operation": "stakeholder_profile", "arguments": {"approval_threshold_usd": 1e6}}, "not a step of a plan"),
    ],
)
def test_what_is_wrong_goes_back_to_the_model_once(world: World, model: Planner, wrong: Any, why: str) -> None:
    hr = seat(world, "hr")
    model.answers = [{"steps": [{**NOTE, **wrong}]}, {"steps": [NOTE]}]
    aim(hr)
    hr.cycle()
    assert why in model.asked[1].messages[-1].content
    assert tools(hr) == ["belief_update"]


RECORD = {"operation": "metrics_record", "description": "Record it", "arguments": {"name": "no_show_rate", "value": 3}}


@pytest.mark.parametrize(
    ("step", "where", "why"),
    [(RECORD, None, "it is measured"), (NOTE, {"id": "G-hue"}, "exist already"), (NOTE, {"hue": 1}, "and not hue")],
)
def test_a_plan_cannot_make_its_own_success(world: World, model: Planner, step: Any, where: Any, why: str) -> None:
    hr = seat(world, "hr")
    model.answers = [{"steps": [step], "done_when": [{"records": "goals", "where": where}] if where else []}]
    aim(hr, target="no_show_rate < 6%")
    hr.cycle()
    assert why in model.asked[1].messages[-1].content
    assert plans(hr) == []


def test_evidence_that_does_not_exist_goes_back_and_refuses_the_plan(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    model.answers = [{"steps": [NOTE], "evidence": ["B-invented"]}]
    aim(hr)
    hr.cycle()
    assert plans(hr) == []
    assert len(model.asked) == 2
    assert "B-invented" in model.asked[1].messages[-1].content


def test_a_delegation_is_a_request_with_the_whole_order(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    order = {"to": "cfo", "text": ASKED, "deadline": "2026-06-01"}
    model.answers = [{"steps": [{"operation": "delegate", "description": "Ask the CFO", "arguments": order}]}]
    aim(hr)
    hr.cycle()
    (sent,) = world.agent("cfo").messages("hr")
    assert (sent.performative, sent.content) == ("REQUEST", f"{ASKED} (by 2026-06-01)")


def test_a_condition_holds_a_step_back(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    model.answers = [{"steps": [{**NOTE, "conditions": ["qwv_count >= 3"]}]}]
    hr.believe(qwv_count="1")
    aim(hr)
    hr.cycle()
    assert not [one for one in hr.mind.beliefs if one.statement == "the qwv is green"]


def test_the_owner_is_asked_where_governance_says_so(world: World, model: Planner) -> None:
    on_sale(world)
    strategy = seat(world, "strategy")
    model.answers = [{"steps": [price(90)], "evidence": ["churn_rate"]}]
    aim(strategy, description="Set another price")
    strategy.cycle()
    (asked,) = world.questions()
    assert asked.action is not None
    assert (asked.action["tool"], asked.action["arguments"]["amount_usd"]) == ("stripe_create_price", 90)
    assert asked.recommendation == "A"
    world.answer()
    strategy.cycle()
    offered = world.business.pricing.offered("mid")
    assert offered is not None
    assert offered.unit_amount == 9_000


def test_what_was_refused_is_told_and_never_asked_again(world: World, model: Planner) -> None:
    on_sale(world)
    strategy = seat(world, "strategy")
    model.answers = [{"steps": [price(90)], "evidence": ["churn_rate"]}]
    aim(strategy, description="Set another price")
    strategy.cycle()
    world.answer("reject", feedback="Prices stay as they are this year")
    strategy.cycle()
    (kept,) = proposals(strategy)
    assert kept.status == "refused"
    for _ in range(6):
        world.later(days=12)
        strategy.cycle()
    assert world.questions() == []
    assert len(proposals(strategy)) == 1
    assert "Prices stay as they are this year" in model.asked[-1].messages[1].content


def test_a_model_is_not_asked_twice_in_the_same_state_also_after_a_restart(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    aim(hr)
    hr.cycle()
    before = len(model.asked)
    assert before
    for _ in range(3):
        world.later(days=8)
        world.restart()
        world.agent("hr").cycle()
    assert len(model.asked) == before


# --- levers


def test_a_lever_has_one_owner_whom_others_ask(world: World, model: Planner) -> None:
    on_sale(world)
    cfo = seat(world, "cfo")
    model.answers = [{"steps": [price(90)], "evidence": ["churn_rate"]}]
    aim(cfo, description="Set another price")
    cfo.cycle()
    assert tools(cfo) == ["agent_message"]
    (sent,) = world.agent("strategy").messages("cfo")
    assert sent.performative == "REQUEST"
    assert "$90" in sent.content
    assert world.questions() == []


@pytest.mark.parametrize(
    ("churn", "amount", "allowed"), [(3.5, 90, True), (3.5, 50, False), (40.0, 50, True), (40.0, 20, False)]
)
def test_how_far_a_price_moves_depends_on_what_is_measured(
    world: World, model: Planner, churn: float, amount: float, allowed: bool
) -> None:
    on_sale(world)
    world.later(days=1)
    world.do("metrics_record", "strategy", name="churn_rate", value=churn, unit="% a month")
    strategy = seat(world, "strategy")
    expects = [{"figure": "churn_rate", "direction": "lower"}]
    model.answers = [{"steps": [price(amount)], "evidence": ["churn_rate"], "expects": expects}]
    aim(strategy, description="Set another price")
    strategy.cycle()
    assert bool(world.questions()) is allowed


# --- merit


PUBLISH = {"description": "Be known in the market", "target": "maximize leads"}


def compete(world: World, model: Planner, **answer: Any) -> tuple[Member, Plan]:
    """Let a model's plan compete with the library's for a goal that the library knows, and return the plan chosen."""
    strategy = seat(world, "strategy")
    world.do("metrics_record", "strategy", name="leads", value=40)
    model.answers = [{"steps": [NOTE], "evidence": ["leads"], **answer}]
    aim(strategy, **PUBLISH)
    strategy.cycle()
    return strategy, plans(strategy)[0]


def came_true(member: Member, status: ProposalStatus) -> None:
    """Put six plans of a model on record whose figures were measured."""
    told: dict[str, Any] = {"kind": "plan", "about": "G-old", "words": "Something", "status": status}
    member.handle.proposals.save(*(ModelProposal(f"PROP-{at}", plan_id=f"P-{at}", **told) for at in range(6)))


LEADS = {"figure": "leads", "direction": "higher"}


def test_the_plan_with_more_merit_is_carried_out_whoever_made_it(world: World, model: Planner) -> None:
    came_true(seat(world, "strategy"), "confirmed")
    strategy, chosen = compete(world, model, probability=0.95, expects=[LEADS])
    assert chosen.source == "model"
    noted = next(one for one in strategy.entries("plan") if "merits" in one)
    assert [one for one in noted["passed_over"] if "less merit" in one]


@pytest.mark.parametrize(
    "answer",
    [
        {"probability": 0.5, "expects": [LEADS]},
        {"probability": 0.95, "expects": []},
        {"probability": 0.95, "expects": [{**LEADS, "direction": "lower"}]},
        {"probability": 0.95, "expects": [LEADS], "evidence": []},
    ],
)
def test_a_plan_that_promises_less_loses_to_the_library(world: World, model: Planner, answer: Any) -> None:
    came_true(seat(world, "strategy"), "confirmed")
    _, chosen = compete(world, model, **answer)
    assert chosen.source == "library"


def test_a_model_must_earn_the_trust_that_the_library_has(world: World, model: Planner) -> None:
    _, chosen = compete(world, model, probability=0.95, expects=[LEADS])
    assert chosen.source == "library"


def test_plans_that_did_not_come_true_cost_the_next_ones_merit(world: World, model: Planner) -> None:
    came_true(seat(world, "strategy"), "contradicted")
    _, chosen = compete(world, model, probability=0.95, expects=[LEADS])
    assert chosen.source == "library"


def test_beliefs_are_evidence_by_their_ids(world: World, model: Planner) -> None:
    hr = seat(world, "hr")
    hr.mind.save(Belief("B-qwv", "the qwv is old", 0.9, subject="qwv_age", value="old"))
    model.answers = [{"steps": [NOTE], "evidence": ["B-qwv"], "probability": 0.8}]
    aim(hr)
    hr.cycle()
    assert tools(hr) == ["belief_update"]
