"""A plan that takes longer than its goal allows is found out before anything is started."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.model import Goal, Plan, Step
from mabos.nodes.planning.proposals import find_deadline_conflict
from mabos.workspace.clock import iso

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def due(days: float | None, goal_id: str = "G-1", description: str = "Win ten customers") -> Goal:
    return Goal(goal_id, description, deadline="" if days is None else iso(NOW + timedelta(days=days)))


def campaign(*weeks: int) -> Plan:
    steps = tuple(Step(f"s{n}", "advertise", "ad_campaign_create", {"weeks": many}) for n, many in enumerate(weeks))
    return Plan("P-1", "G-1", "advertising", steps=steps)


def test_a_campaign_of_six_weeks_cannot_serve_a_goal_due_in_three() -> None:
    conflict = find_deadline_conflict(campaign(6), [due(21)], NOW)
    assert "step s0 through at least 42 after now" in conflict
    assert "Win ten customers (G-1) at most 21 after now" in conflict


def test_campaigns_side_by_side_take_as_long_as_the_longest() -> None:
    assert find_deadline_conflict(campaign(2, 3), [due(21)], NOW) == ()
    assert find_deadline_conflict(campaign(2, 3), [due(20)], NOW) != ()


def test_the_goal_above_may_be_due_sooner() -> None:
    above = due(14, "G-0", "Grow this quarter")
    assert any(
        "Grow this quarter (G-0) at most 14" in one
        for one in find_deadline_conflict(campaign(3), [due(60), above], NOW)
    )


def test_without_a_deadline_or_a_lasting_step_nothing_contradicts() -> None:
    assert find_deadline_conflict(campaign(6), [due(None)], NOW) == ()
    assert find_deadline_conflict(campaign(), [due(1)], NOW) == ()


@given(st.lists(st.integers(1, 30), min_size=1, max_size=4), st.integers(1, 200))
def test_a_plan_is_overdue_if_and_only_if_its_longest_step_is(weeks: list[int], days: int) -> None:
    assert bool(find_deadline_conflict(campaign(*weeks), [due(days)], NOW)) == (7 * max(weeks) > days)


@given(st.text(max_size=400), st.text(max_size=400))
def test_any_description_of_a_goal_serves_however_long_and_though_another_goal_has_the_same(
    one: str, other: str
) -> None:
    goals = [due(2, "G-1", one), due(3, "G-0", other), due(4, "G-2", one), due(5, "G-3", "now")]
    assert find_deadline_conflict(campaign(6), goals, NOW)
    assert find_deadline_conflict(campaign(0), goals, NOW) == ()


def test_an_argument_that_is_no_duration_says_nothing_of_how_long_a_step_goes_on() -> None:
    for strange in (float("inf"), float("nan"), 10**400, -3, True, "3"):
        steps = (Step("s0", "advertise", "ad_campaign_create", {"days": strange}),)
        assert find_deadline_conflict(Plan("P-1", "G-1", "advertising", steps=steps), [due(0.5)], NOW) == ()
