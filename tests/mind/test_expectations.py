"""What plans promised against what was observed: confirmed, missed or contradicted, and what that does to trust."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.expectations import NEUTRAL, ExpectationVerdict, Kind, apply_verdicts, observed_results, trust, verdicts
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Plan, Revision, Step
from mabos.mind.times import moment

BEGUN, ENDED, LATER = "2026-02-02T09:00:00.000Z", "2026-02-02T12:00:00.000Z", "2026-02-16T09:00:00.000Z"
STEP = Step("s1", "Call those at risk", "agent_message", effects=("churn_review status closed",), status="done")
PLAN = Plan(
    "P-1", "G-1", "keep customers", steps=(STEP,), status="completed", template="keep", created=BEGUN, updated=ENDED
)
GOAL = Goal("G-1", "Reduce churn", target="churn_rate < 5%")
REST = timedelta(days=10)


def at(text: str) -> datetime:
    found = moment(text)
    assert found is not None
    return found


def found(*beliefs: Belief, plan: Plan = PLAN, goal: Goal = GOAL, now: str = LATER) -> list[ExpectationVerdict]:
    return verdicts([plan], [goal], beliefs, BeliefIndex(beliefs), at(now), rest=lambda _: REST)


def churn(before: str, after: str, **more: Any) -> Belief:
    moved = Revision("2026-02-09T09:00:00.000Z", before, after, 0.95, 0.95, "market")
    told = {"subject": "churn_rate", "value": after, "source": "market", "updated": LATER, "revisions": (moved,)} | more
    return Belief("B-churn", f"churn_rate is {after}", 0.95, **told)


def told(value: str, source: str = "report of the coo", **more: Any) -> Belief:
    given = {
        "subject": "churn_review",
        "predicate": "status",
        "value": value,
        "source": source,
        "updated": LATER,
    } | more
    return Belief("B-told", f"churn_review status {value}", 0.9, **given)


def test_what_a_goal_asks_for_is_confirmed_missed_or_contradicted_by_the_next_measurement() -> None:
    for before, after, kind in (
        ("8%", "4%", "confirmed"),
        ("8%", "6%", "confirmed"),
        ("8%", "8%", "missed"),
        ("8%", "9%", "contradicted"),
    ):
        (verdict,) = found(churn(before, after))
        assert verdict.kind == kind, (before, after)
        assert verdict.reason == f"{kind}: expected churn_rate < 5%; churn_rate was {before} and is {after}"


def test_what_was_done_needs_time_to_show_unless_it_shows_before() -> None:
    soon = "2026-02-05T09:00:00.000Z"
    assert found(churn("8%", "8%", updated=soon), now=soon) == []
    assert [one.kind for one in found(churn("8%", "4%", updated=soon), now=soon)] == ["confirmed"]


def test_nothing_is_judged_before_it_is_measured_again_or_by_the_word_of_a_step() -> None:
    assert found(churn("8%", "8%", updated=ENDED)) == []
    assert found(churn("8%", "4%", source="step s1 of keep customers")) == []
    assert found() == []


def test_what_held_before_is_no_doing_of_the_plan_and_what_is_long_over_is_not_either() -> None:
    assert found(churn("4%", "4%")) == []
    assert found(churn("8%", "4%", updated="2027-02-01T09:00:00.000Z"), now="2027-02-01T09:00:00.000Z") == []


def test_a_plan_that_was_not_carried_through_promised_nothing_for_its_goal() -> None:
    assert found(churn("8%", "8%"), plan=replace(PLAN, status="failed")) == []
    assert found(churn("8%", "8%"), goal=Goal("G-1", "Tidy up")) == []


def test_the_effect_of_a_step_is_judged_by_what_somebody_else_says_later() -> None:
    before = (Revision(BEGUN, "", "open", 0.8, 0.9, "report of the coo"),)
    assert [one.kind for one in found(told("closed", revisions=before))] == ["confirmed"]
    assert [one.kind for one in found(told("open", revisions=before))] == ["missed"]
    assert [one.kind for one in found(told("escalated", revisions=before))] == ["contradicted"]
    assert found(told("closed", source="step s4 of another plan")) == []
    assert found(told("closed", updated=ENDED)) == []


def test_of_several_words_of_a_plan_about_one_claim_the_last_counts() -> None:
    later = replace(STEP, id="s2", effects=("churn_review status filed",))
    plan = replace(PLAN, steps=(STEP, later))
    assert [one.kind for one in found(told("filed"), plan=plan)] == ["confirmed"]


def test_a_step_makes_known_what_its_call_answers_and_nothing_else() -> None:
    asked = replace(STEP, effects=("ticket status closed", "ticket status {result.status}", "ticket age {result.days}"))
    plan = replace(PLAN, steps=(asked,))
    (seen,) = observed_results(plan, asked, {"status": "still\nopen", "more": [1]}, ENDED)
    assert (seen.statement, seen.evidence) == ("ticket status still open", ("P-1",))
    assert [one.kind for one in found(seen, plan=plan)] == ["contradicted"]
    assert observed_results(plan, STEP, {"status": "closed"}, ENDED) == ()


def test_what_is_judged_once_is_not_judged_again() -> None:
    measured = churn("8%", "9%")
    (trusted,) = apply_verdicts(found(measured), [measured], LATER)
    assert found(measured, trusted) == []


def test_a_contradiction_costs_more_trust_than_a_miss_and_the_reason_is_kept() -> None:
    sure = {}
    for after, kind in (("4%", "confirmed"), ("8%", "missed"), ("9%", "contradicted")):
        (belief,) = apply_verdicts(found(churn("8%", after)), [], LATER)
        sure[kind] = trust([belief])["keep"]
        assert f"P-1 {kind}: expected churn_rate < 5%; churn_rate was 8% and is {after}" == belief.revisions[-1].source
    assert sure["contradicted"] < sure["missed"] < NEUTRAL < sure["confirmed"]


def test_an_effect_that_somebody_else_confirms_is_surer() -> None:
    seen = told("closed")
    changed = {one.id: one for one in apply_verdicts(found(seen), [seen], LATER)}
    assert changed[seen.id].certainty == 0.95
    assert changed[seen.id].revisions[-1].source.startswith("confirmed: expected churn_review status closed")


@given(st.lists(st.sampled_from(["confirmed", "missed", "contradicted"]), min_size=1, max_size=80))
def test_trust_stays_a_share_and_moves_with_each_verdict(kinds: list[Kind]) -> None:
    beliefs: list[Belief] = []
    before = NEUTRAL
    for number, kind in enumerate(kinds):
        plan = replace(PLAN, id=f"P-{number}")
        (belief,) = apply_verdicts([ExpectationVerdict(plan, f"{plan.id}/goal", kind, "x", "y")], beliefs, LATER)
        assert 0 <= belief.certainty <= 1
        assert belief.certainty >= before if kind == "confirmed" else belief.certainty <= before
        before, beliefs = belief.certainty, [belief]
    assert len(beliefs[0].revisions) <= 5
