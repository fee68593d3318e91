"""How desires become goals, and how a goal stands."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mabos.mind.goals import adopt, apply_evaluation, conclude_goal, ended_with, evaluate, level_for, settle_goal
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Desire, Goal, Intention, Plan, Step
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.ids import Ids
from tests.mind.examples import NOW, known

IDS = Ids(SteppedClock(NOW), "goals")
CHURN = Desire("D-1", "Reduce churn below 3%", target="churn_rate < 3%", priority=0.7, urgency=0.5)
GOAL = Goal("G-1", "Reduce churn", "tactical", "D-1", target="churn_rate < 3%", success_criteria=("churn_rate < 3%",))


def test_an_unmet_or_unknown_target_gets_a_goal_with_a_deadline_and_criteria() -> None:
    for held in ({"churn_rate": "4%"}, {}):
        (goal,) = adopt([CHURN], [], lookup=held.get, now=NOW, ids=IDS).goals
        assert (goal.desire_id, goal.target, goal.success_criteria) == ("D-1", "churn_rate < 3%", ("churn_rate < 3%",))
        assert (goal.level, goal.priority) == ("tactical", 0.7)
        assert goal.deadline == iso(NOW + timedelta(days=90))


def test_a_desire_with_an_open_goal_gets_no_second_one() -> None:
    found = adopt([CHURN], [GOAL], lookup=known({}), now=NOW, ids=IDS)
    assert (found.goals, found.achieved, found.desires) == ((), (), ())


def test_an_achieved_target_fulfils_the_desire_and_closes_its_goal() -> None:
    found = adopt([CHURN], [GOAL], lookup=known({"churn_rate": "2%"}), now=NOW, ids=IDS)
    assert [goal.status for goal in found.achieved] == ["achieved"]
    assert [desire.status for desire in found.desires] == ["fulfilled"]


@pytest.mark.parametrize("kind", ["maintain", "avoid", "optimize"])
def test_a_desire_to_keep_something_is_quietly_satisfied_while_it_holds(kind: str) -> None:
    keep = replace(CHURN, type=kind)  # type: ignore[arg-type]  # parametrised
    found = adopt([keep], [], lookup=known({"churn_rate": "2%"}), now=NOW, ids=IDS)
    assert (found.goals, found.desires) == ((), ())
    assert adopt([keep], [], lookup=known({"churn_rate": "4%"}), now=NOW, ids=IDS).goals


def test_something_to_optimise_becomes_a_tenth_better_than_it_is() -> None:
    cac = Desire("D-2", "Lower CAC", type="optimize", target="cac lower", priority=0.6)
    (goal,) = adopt([cac], [], lookup=known({"cac": "$1,000"}), now=NOW, ids=IDS).goals
    assert goal.target == "cac <= 900"
    assert adopt([replace(cac, priority=0.2)], [], lookup=known({}), now=NOW, ids=IDS).goals == ()


def test_goals_are_adopted_by_priority_up_to_the_limit() -> None:
    desires = [replace(CHURN, id=f"D-{n}", name=f"x{n}", priority=n / 10) for n in range(5)]
    found = adopt(desires, [], lookup=known({}), now=NOW, ids=IDS, limit=2)
    assert [goal.desire_id for goal in found.goals] == ["D-4", "D-3"]


def test_suspended_desires_get_nothing() -> None:
    assert adopt([replace(CHURN, status="suspended")], [], lookup=known({}), now=NOW, ids=IDS).goals == ()


def test_a_goal_without_a_measure_rests_after_it_was_achieved() -> None:
    vague = Desire("D-3", "Keep customers glad", type="maintain", priority=0.9)
    done = Goal("G-2", "x", desire_id="D-3", status="achieved", updated=iso(NOW - timedelta(days=3)))
    assert adopt([vague], [done], lookup=known({}), now=NOW, ids=IDS).goals == ()
    assert adopt([vague], [replace(done, updated="2026-01-01")], lookup=known({}), now=NOW, ids=IDS).goals
    assert adopt([replace(vague, type="achieve")], [done], lookup=known({}), now=NOW, ids=IDS).desires


@pytest.mark.parametrize(
    ("days", "level"), [(7, "operational"), (30, "operational"), (31, "tactical"), (200, "strategic")]
)
def test_the_tier_follows_from_the_horizon(days: int, level: str) -> None:
    assert level_for(iso(NOW + timedelta(days=days)), NOW) == level


def test_a_goal_hangs_below_the_goal_its_desire_serves() -> None:
    top = Desire("D-0", "Grow", priority=0.9, target="mrr >= 9", deadline="2027-06-01")
    below = replace(CHURN, category="instrumental", serves="Grow")
    first, second = adopt([top, below], [], lookup=known({}), now=NOW, ids=IDS).goals
    assert (first.level, second.parent_goal_id) == ("strategic", first.id)


def test_an_evaluation_has_its_four_outputs() -> None:
    plan = Plan("P-1", "G-1", steps=(Step("a", status="done"), Step("b", preconditions=("cash > 5",))), cursor=1)
    working = Intention("I-1", "G-1", "P-1")
    found = evaluate(
        replace(GOAL, deadline="2026-03-06", last_evaluated="2026-02-20", progress=50.0),
        lookup=known({"churn_rate": "4%", "cash": "9"}),
        intentions=[working],
        plans=[plan],
        now=NOW,
    )
    assert (found.achievable, found.blockers, found.recommendation) == (True, (), "continue")
    assert found.progress == 75.0
    assert found.progress_assessment == "75% complete; +25.0 points since 2026-02-20; 10 days left"


def test_a_failing_precondition_is_a_blocker_and_asks_for_another_plan() -> None:
    plan = Plan("P-1", "G-1", steps=(Step("b", preconditions=("cash > 5",)),))
    found = evaluate(
        GOAL, lookup=known({"cash": "3"}), intentions=[Intention("I-1", "G-1", "P-1")], plans=[plan], now=NOW
    )
    assert found.blockers == ("step b needs cash > 5, but cash <= 5",)
    assert found.recommendation == "revise"


def test_a_decision_that_is_waited_for_is_escalated() -> None:
    waiting = Intention("I-1", "G-1", "P-1", status="awaiting_approval", decision_id="DEC-1")
    found = evaluate(GOAL, lookup=known({}), intentions=[waiting], now=NOW)
    assert (found.blockers, found.recommendation) == (("waits for decision DEC-1",), "escalate")


def test_a_goal_whose_time_is_over_is_abandoned_unless_much_is_at_stake() -> None:
    late = replace(GOAL, deadline="2026-02-01")
    assert evaluate(late, lookup=known({"churn_rate": "9%"}), now=NOW).recommendation == "abandon"
    assert evaluate(late, lookup=known({"churn_rate": "4%"}), now=NOW).recommendation == "escalate"
    assert not evaluate(late, lookup=known({}), now=NOW).achievable
    found = evaluate(late, lookup=known({"churn_rate": "9%"}), now=NOW)
    assert apply_evaluation(late, found, NOW).status == "abandoned"
    assert apply_evaluation(late, found, NOW, gives_up=False).status == "active"


def test_a_belief_may_say_that_a_goal_is_out_of_reach() -> None:
    found = evaluate(GOAL, lookup=known({"G-1 feasible": "no"}), now=NOW)
    assert (found.achievable, found.recommendation) == (False, "abandon")


def test_a_goal_is_concluded_by_its_criteria_alone() -> None:
    assert conclude_goal(GOAL, known({"churn_rate": "4%"}), NOW).status == "active"
    assert conclude_goal(GOAL, known({"churn_rate": "2%"}), NOW).status == "achieved"
    assert conclude_goal(replace(GOAL, target="", success_criteria=("glad",)), known({}), NOW).status == "active"


@pytest.mark.parametrize(
    ("goal", "belief", "status"),
    [
        (GOAL, Belief("B-1", "", 0.95, subject="churn_rate", value="2%"), "achieved"),
        (GOAL, Belief("B-1", "", 0.95, subject="churn_rate", value="4%"), ""),
        (
            Goal("G-1", "Berlin", target="berlin status = open"),
            Belief("B-1", "", 0.95, subject="berlin", predicate="status", value="impossible"),
            "abandoned",
        ),
        (
            Goal("G-1", "Berlin", target="berlin status = open"),
            Belief("B-1", "", 0.3, subject="berlin", predicate="status", value="impossible"),
            "",
        ),
        (replace(GOAL, request_id="REQ-1"), Belief("B-1", "", 0.95, subject="churn_rate", value="2%"), ""),
    ],
)
def test_an_intention_ends_with_its_goal_reached_or_believed_impossible(
    goal: Goal, belief: Belief, status: str
) -> None:
    end = settle_goal(goal, BeliefIndex([belief]), NOW)
    assert (end[0].status if end else "") == status
    if end is not None:
        plan = Plan("P-1", "G-1", steps=(Step("a", status="done"), Step("b")), status="active")
        _, intention, ended_plan = ended_with(Intention("I-1", "G-1", "P-1"), plan, end, "2026-03-02")
        assert isinstance(ended_plan, Plan)
        assert [step.status for step in ended_plan.steps] == ["done", "skipped"]
        assert isinstance(intention, Intention)
        assert intention.status == ("completed" if status == "achieved" else "abandoned")


def test_a_target_that_names_a_direction_becomes_a_condition_once_its_metric_is_known() -> None:
    more = Desire("D-1", "More leads", type="optimize", priority=0.9, target="maximize leads")
    goal = Goal("G-1", "More leads", desire_id="D-1", target="maximize leads", success_criteria=("maximize leads",))
    assert adopt([more], [goal], lookup=known({}), now=NOW, ids=IDS).measurable == ()
    (measurable,) = adopt([more], [goal], lookup=known({"leads": "40"}), now=NOW, ids=IDS).measurable
    assert (measurable.target, measurable.success_criteria) == ("leads >= 44", ("leads >= 44",))


@pytest.mark.parametrize(("target", "condition"), [("leads higher", "leads > 0"), ("leads lower", "leads < 0")])
def test_a_figure_at_zero_has_to_move_before_its_goal_is_reached(target: str, condition: str) -> None:
    wish = Desire("D-1", "Other leads", type="optimize", priority=0.9, target=target)
    (goal,) = adopt([wish], [], lookup=known({"leads": "0"}), now=NOW, ids=IDS).goals
    assert goal.target == condition
    assert conclude_goal(goal, known({"leads": "0"}), NOW).status != "achieved"


def test_a_name_that_reads_like_a_condition_is_no_criterion() -> None:
    wish = Desire("D-1", "Stop the campaigns whose payback is above twelve months", type="achieve", priority=0.9)
    (goal,) = adopt([wish], [], lookup=known({}), now=NOW, ids=IDS).goals
    assert goal.success_criteria == ()


def test_a_parent_progresses_with_its_children() -> None:
    parent = Goal("G-0", "Glad customers")
    children = [Goal("G-1", "a", parent_goal_id="G-0", progress=80.0), Goal("G-2", "b", parent_goal_id="G-0")]
    assert evaluate(parent, lookup=known({}), goals=children, now=NOW).progress == 40.0
