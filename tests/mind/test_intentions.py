"""Commitments: how firm they are, when they lapse, and what may shake them."""

from dataclasses import replace
from datetime import timedelta

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.mind.intentions import (
    apply_reconsideration,
    belief_severity,
    choose_strategy,
    expected_value,
    prune,
    reconsider,
    record_progress,
)
from mabos.mind.model import Belief, Goal, Intention, Plan, Step, Strategy
from mabos.workspace.clock import iso
from tests.mind.examples import NOW


def commit(strategy: Strategy = "open-minded", days_ago: float = 0, **more: object) -> Intention:
    at = iso(NOW - timedelta(days=days_ago))
    return Intention("I-1", "G-1", "P-1", strategy, started=at, updated=at, **more)  # type: ignore[arg-type]  # a factory


@pytest.mark.parametrize(
    ("strategy", "days", "lapses"),
    [
        ("single-minded", 300, False),
        ("open-minded", 7, False),
        ("open-minded", 7.1, True),
        ("cautious", 3, False),
        ("cautious", 3.1, True),
    ],
)
def test_an_intention_stalls_by_the_window_of_its_strategy(strategy: Strategy, days: float, lapses: bool) -> None:
    found = prune([commit(strategy, days)], NOW)
    assert [one.status for one in found.pruned] == (["stalled"] if lapses else [])
    assert len(found.kept) == (0 if lapses else 1)


@pytest.mark.parametrize("strategy", ["single-minded", "open-minded", "cautious"])
def test_every_strategy_ends_at_the_deadline(strategy: Strategy) -> None:
    (gone,) = prune([commit(strategy, deadline="2026-02-20")], NOW).pruned
    assert (gone.status, gone.reason) == ("expired", "its deadline 2026-02-20 has passed")


def test_a_day_named_as_deadline_is_over_when_the_day_is() -> None:
    assert not prune([commit(deadline="2026-02-24")], NOW).pruned
    assert prune([commit(deadline="2026-02-24T11:59:00Z")], NOW).pruned


def test_what_waits_for_a_person_or_has_no_dates_has_not_stalled() -> None:
    assert not prune([commit("cautious", 30, status="awaiting_approval")], NOW).pruned
    assert not prune([Intention("I-1"), commit("cautious", 30, status="completed")], NOW).pruned
    assert prune([commit("cautious", 30, status="suspended")], NOW).pruned


def test_a_note_a_status_or_a_hundredth_of_progress_counts_as_life() -> None:
    old = commit("cautious", 10)
    assert record_progress(old, 0.005, iso(NOW)) == old
    for alive in (record_progress(old, 0.01, iso(NOW)), record_progress(old, 0.0, iso(NOW), note="asked Jane")):
        assert not prune([alive], NOW).pruned
    assert not prune([record_progress(old, 0.0, iso(NOW), status="suspended")], NOW).pruned


def test_tiny_steps_add_up_because_they_are_not_recorded_one_by_one() -> None:
    intention = commit("cautious", 10)
    for share in (0.004, 0.008, 0.012):
        intention = record_progress(intention, share, iso(NOW))
    assert intention.progress == 0.012


@pytest.mark.parametrize(
    ("description", "strategy"),
    [
        ("File the tax return", "single-minded"),
        ("Honour the contract with Acme", "single-minded"),
        ("Pilot a podcast", "cautious"),
        ("Reduce churn", "open-minded"),
    ],
)
def test_a_strategy_is_chosen_by_what_is_at_stake(description: str, strategy: Strategy) -> None:
    assert choose_strategy(Goal("G-1", description)) == strategy
    assert choose_strategy(Goal("G-1", "Reduce churn"), default="cautious") == "cautious"


@pytest.mark.parametrize(
    ("trigger", "severity", "details", "fired", "outcome"),
    [
        ("belief_change", 0.3, {}, False, "continue"),
        ("belief_change", 0.31, {}, True, "modify"),
        ("belief_change", 0.9, {}, True, "abandon"),
        ("progress_stall", None, {"progress_delta": 0.01}, False, "continue"),
        ("progress_stall", None, {"progress_delta": 0.009}, True, "modify"),
        ("resource_constraint", None, {"available": 0.5}, False, "continue"),
        ("resource_constraint", None, {"available": 0.49}, True, "suspend"),
        ("better_option", None, {"expected_value": 1.2, "current_value": 1.0}, False, "continue"),
        ("better_option", None, {"expected_value": 1.21, "current_value": 1.0}, True, "modify"),
        ("external_event", 0.1, {}, True, "continue"),
        ("external_event", 0.8, {}, True, "suspend"),
    ],
)
def test_each_trigger_fires_at_its_threshold(
    trigger: str, severity: float | None, details: dict[str, float], fired: bool, outcome: str
) -> None:
    found = reconsider(commit(), trigger, severity, details)
    assert (found.fired, found.outcome) == (fired, outcome)


def test_a_single_minded_intention_is_hard_to_shake() -> None:
    firm = commit("single-minded")
    assert reconsider(firm, "belief_change", 0.95).outcome == "modify"
    assert reconsider(firm, "progress_stall", None, {"progress_delta": 0}).outcome == "continue"
    assert reconsider(firm, "better_option", None, {"expected_value": 9, "current_value": 1}).outcome == "continue"


def test_a_cautious_intention_is_given_up_early() -> None:
    assert reconsider(commit("cautious"), "progress_stall").outcome == "abandon"


def test_the_outcome_becomes_the_status() -> None:
    gone = apply_reconsideration(commit(), reconsider(commit(), "belief_change", 0.95), iso(NOW))
    assert (gone.status, gone.reason) == ("abandoned", "a belief changed with severity 0.95")
    held = apply_reconsideration(
        commit(), reconsider(commit(), "resource_constraint", None, {"available": 0.2}), iso(NOW)
    )
    assert held.status == "suspended"
    assert apply_reconsideration(commit(), reconsider(commit(), "belief_change", 0.1), iso(NOW)) == commit()


def test_an_unknown_trigger_and_a_measure_that_is_no_number_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="no trigger 'boredom'"):
        reconsider(commit(), "boredom")
    with pytest.raises(InvalidArgument, match="available is 'some'"):
        reconsider(commit(), "resource_constraint", None, {"available": "some"})


def test_severity_is_the_change_of_certainty_times_the_share_of_preconditions_touched() -> None:
    plan = Plan(
        "P-1", steps=(Step("a", preconditions=("cash > 5", "quality > 0.5")), Step("b", preconditions=("cash > 9",)))
    )
    before = Belief("B-1", "cash is 10", 0.9, subject="cash", value="10")
    assert belief_severity(before, replace(before, certainty=0.6), plan) == pytest.approx(0.3 * 2 / 3)
    assert belief_severity(before, replace(before, value="3"), plan) == pytest.approx(0.9 * 2 / 3)
    assert belief_severity(None, Belief("B-2", "x", 0.9, subject="weather"), plan) == 0.0


def test_expected_value_is_probability_times_priority_less_the_share_of_the_budget() -> None:
    assert expected_value(0.8, 0.5, cost=100, budget=1000) == pytest.approx(0.3)
    assert expected_value(0.8, 0.5) == pytest.approx(0.4)
