"""Which belief stands when two meet."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.beliefs import revise, stands, structure_belief, trust
from mabos.mind.conflicts import conflicts
from mabos.mind.model import Belief
from tests.mind.examples import believe

NOW = "2026-02-24T12:00:00.000Z"
CHURN = Belief(
    "B-1", "churn_rate is 3.2%", 0.92, subject="churn_rate", value="3.2%", source="analytics_api", updated="2026-02-01"
)


def other(value: str, certainty: float, source: str = "crm_export", **more: object) -> Belief:
    said = Belief("B-2", f"churn_rate is {value}", certainty, subject="churn_rate", value=value, source=source)
    return replace(said, **more)  # type: ignore[arg-type]  # a factory


def test_a_new_claim_is_a_new_belief() -> None:
    change = revise([], CHURN, NOW)
    assert (change.kind, change.saved) == ("new", (CHURN,))


def test_the_same_value_from_a_second_source_confirms_the_belief_and_its_certainty_never_falls() -> None:
    change = revise([CHURN], other("3.20 %", 0.7), NOW)
    assert change.kind == "confirmed"
    assert change.saved[0].id == "B-1"
    assert change.saved[0].certainty == 0.92


def test_a_source_that_changes_its_mind_revises_its_belief_in_place_and_the_log_says_how() -> None:
    change = revise([CHURN], other("4.1%", 0.6, source="analytics_api"), NOW)
    (belief,) = change.saved
    assert (change.kind, belief.id, belief.value, belief.status) == ("revised", "B-1", "4.1%", "held")
    entry = belief.revisions[-1]
    assert (entry.at, entry.before, entry.after, entry.certainty_before, entry.certainty_after) == (
        NOW, "3.2%", "4.1%", 0.92, 0.6,
    )  # fmt: skip


def test_the_revision_log_keeps_the_last_few() -> None:
    belief = CHURN
    for number in range(9):
        belief = revise([belief], other(f"{number + 4}%", 0.9, source="analytics_api"), NOW, keep=5).belief
    assert [entry.after for entry in belief.revisions] == ["8%", "9%", "10%", "11%", "12%"]


def test_the_belief_of_a_less_trusted_source_is_kept_and_flagged() -> None:
    change = revise([CHURN], other("5.8%", 0.85), NOW)
    (belief,) = change.saved
    assert (change.kind, belief.id, belief.status) == ("rejected", "B-2", "flagged")


def test_a_newer_belief_about_as_certain_supersedes_the_older() -> None:
    redis = believe("Redis", 0.9, id="B-1", subject="store", value="Redis", source="cto", updated="2026-01-15")
    postgres = believe("PostgreSQL", 0.85, id="B-2", subject="store", value="PostgreSQL", source="coo")
    change = revise([redis], postgres, NOW)
    assert change.kind == "revised"
    assert {belief.id: belief.status for belief in change.saved} == {"B-2": "held", "B-1": "superseded"}


@pytest.mark.parametrize("founded", ["2026-01-15", NOW])
def test_what_a_step_has_changed_is_no_conflict_later(founded: str) -> None:
    about = {"subject": "cash_forecast", "predicate": "status"}
    stale = believe("stale", 0.9, id="B-1", value="stale", source="role", updated=founded, **about)
    current = believe("current", 0.9, id="B-2", value="current", source="step report of cash flow", **about)
    change = revise([stale], current, NOW)
    assert {belief.id: belief.status for belief in change.saved} == {"B-2": "held", "B-1": "superseded"}
    assert conflicts(change.saved) == ()


def test_a_newer_belief_that_is_much_less_certain_does_not_stand() -> None:
    redis = believe("Redis", 0.9, id="B-1", subject="store", value="Redis", source="cto", updated="2026-01-15")
    change = revise([redis], believe("Mongo", 0.7, id="B-2", subject="store", value="Mongo", source="coo"), NOW)
    assert change.kind == "rejected"


def test_two_values_of_a_predicate_with_many_values_stand_side_by_side() -> None:
    one = believe("Acme competes with Globex", id="1", subject="acme", predicate="competitor", value="Globex")
    two = believe("Acme competes with Initech", id="2", subject="acme", predicate="competitor", value="Initech")
    assert revise([one], two, NOW).kind == "new"


def test_one_source_never_holds_two_values_of_one_claim() -> None:
    held = [CHURN, other("5.8%", 0.85, status="flagged")]
    change = revise(held, replace(CHURN, id="B-3", value="5.8%", statement="churn_rate is 5.8%", certainty=0.95), NOW)
    assert change.belief.id == "B-2"
    assert {belief.id: belief.status for belief in change.saved} == {"B-2": "held", "B-1": "superseded"}


def test_nothing_new_is_nothing_to_save() -> None:
    assert revise([CHURN], replace(CHURN), NOW).kind == "unchanged"
    assert revise([CHURN], replace(CHURN), NOW).saved == ()


def test_beliefs_that_share_only_a_subject_do_not_touch_each_other() -> None:
    one = believe("Acme sells software", id="1", subject="acme", source="cfo")
    two = believe("Acme has nine people", id="2", subject="acme", source="cfo")
    assert revise([one], two, NOW).kind == "new"


def test_a_measured_statement_gets_subject_and_value() -> None:
    belief = structure_belief(believe("churn_rate is 3.2%"))
    assert (belief.subject, belief.value) == ("churn_rate", "3.2%")
    assert structure_belief(believe("Market demand is growing")).subject == ""


@pytest.mark.parametrize(("source", "level"), [("stakeholder", 0.9), ("metrics", 0.8), ("model", 0.4), ("Bob", 0.5)])
def test_sources_are_trusted_by_what_they_are(source: str, level: float) -> None:
    assert trust(source) == level


@given(
    st.floats(0, 1), st.floats(0, 1), st.sampled_from(["", "2026-01-01", "2026-02-01"]), st.sampled_from(["", "model"])
)
def test_who_stands_does_not_depend_on_the_order_unless_all_is_equal(a: float, b: float, day: str, source: str) -> None:
    one = believe("A", a, updated="2026-01-15", source="cto")
    two = believe("B", b, updated=day, source=source)
    if a != b or day or source:
        assert stands(one, two).winner == stands(two, one).winner


@given(
    st.lists(st.tuples(st.sampled_from(["1", "2", "3"]), st.floats(0, 1), st.sampled_from(["x", "y", "z"])), max_size=8)
)
def test_at_most_one_value_is_held_and_no_source_has_two_voices(said: list[tuple[str, float, str]]) -> None:
    held: dict[str, Belief] = {}
    for number, (value, certainty, source) in enumerate(said):
        incoming = Belief(f"B-{number}", f"x is {value}", certainty, subject="x", value=value, source=source)
        for belief in revise(tuple(held.values()), incoming, f"2026-02-{number + 1:02}").saved:
            held[belief.id] = belief
    standing = [belief for belief in held.values() if belief.status == "held"]
    assert len({belief.value for belief in standing}) == (1 if said else 0)
