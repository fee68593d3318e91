"""What an agent wants, and how much."""

from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.desires import (
    adoptable,
    dependency_score,
    ended_with,
    find_outlived,
    is_fulfilled,
    priority,
    rank_desires,
    released_goals,
    revive_desires,
    satisfaction,
    target_of,
    terms,
    urgency,
)
from mabos.mind.files import parse
from mabos.mind.forms import DESIRE
from mabos.mind.model import Desire, Goal
from mabos.mind.rivalry import apply_resolutions, resolve_conflicts
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.markdown import split
from tests.mind.examples import NOW, believe, known

share = st.floats(0, 1)


def want(name: str = "Grow", priority_: float = 0.5, **more: object) -> Desire:
    return Desire(str(more.pop("id", f"D-{name}")), name, priority=priority_, **more)  # type: ignore[arg-type]  # a factory


@given(share, share, share, share, share)
def test_priority_is_a_share_and_rises_with_every_dimension(a: float, b: float, c: float, d: float, e: float) -> None:
    assert 0 <= priority(a, b, c, d, e) <= 1
    for better in ((1, b, c, d, e), (a, 1, c, d, e), (a, b, 1, d, e), (a, b, c, 1, e), (a, b, c, d, 1)):
        assert priority(*better) >= priority(a, b, c, d, e)


def test_priority_is_the_printed_formula() -> None:
    assert priority(0.9, 0.8, 0.7, 0.6, 0.5) == pytest.approx(
        0.9 * 0.3 + 0.8 * 0.25 + 0.7 * 0.25 + 0.6 * 0.15 + 0.5 * 0.05
    )
    assert priority(1, 1, 1, 1) == 1.0


@given(st.integers(-400, 400), st.integers(-400, 400), share)
def test_urgency_is_a_share(created: int, deadline: int, stated: float) -> None:
    desire = want(
        urgency=stated, created=iso(NOW + timedelta(days=created)), deadline=iso(NOW + timedelta(days=deadline))
    )
    assert 0 <= urgency(desire, NOW) <= 1


@pytest.mark.parametrize(
    ("created", "deadline", "expected"), [(-5, 5, 0.5), (-9, 1, 0.9), (-10, -1, 1.0), (0, 10, 0.0), (5, 10, 0.0)]
)
def test_urgency_is_how_much_of_the_time_is_gone(created: int, deadline: int, expected: float) -> None:
    desire = want(created=iso(NOW + timedelta(days=created)), deadline=iso(NOW + timedelta(days=deadline)))
    assert urgency(desire, NOW) == expected


def test_without_a_deadline_the_stated_urgency_stands() -> None:
    assert urgency(want(urgency=0.37), NOW) == 0.37
    assert urgency(want(urgency=0.37, deadline="some day"), NOW) == 0.37


def test_dependencies_count_by_their_mean_and_none_counts_as_met() -> None:
    met = satisfaction([want("done", status="fulfilled"), want("open")], [Goal("G-1", "half", progress=50.0)])
    assert dependency_score(want(), met) == 1.0
    assert dependency_score(want(deps=("D-done", "D-open", "G-1", "nowhere")), met) == pytest.approx(1.5 / 4)
    assert dependency_score(want(deps=("cash > 5",)), met, known({"cash": "9"})) == 1.0


def test_desires_are_ranked_by_priority_and_then_by_name() -> None:
    ranked = rank_desires([want("b"), want("a"), want("c", base=1.0)], NOW)
    assert [desire.name for desire in ranked] == ["c", "a", "b"]
    assert ranked[0].priority == priority(1.0, 0.5, 0.5, 0.5)


def test_a_desire_written_with_nothing_but_its_priority_keeps_it() -> None:
    text = "## Low\npriority: 0.3\n\n## High\npriority: 0.95\n\n## Soon [deadline: 2026-02-25]\npriority: 0.5\n"
    desires = [parse(DESIRE, section.key, section.text) for section in split(text)[1]]
    ranked = rank_desires(desires, NOW)
    assert [(desire.name, desire.priority) for desire in ranked] == [("High", 0.95), ("Soon", 0.5), ("Low", 0.3)]
    assert rank_desires(ranked, NOW) == ranked


def test_priority_and_urgency_are_not_rounded() -> None:
    expected = 1 / 3 * 0.30 + 2 / 3 * 0.25 + 0.1 * 0.25 + 0.9 * 0.15 + 0.05
    assert priority(1 / 3, 2 / 3, 0.1, 0.9) == pytest.approx(expected, abs=1e-9)
    seventh = want(created="2026-02-24T12:00:00Z", deadline="2026-03-03T12:00:00Z")
    assert urgency(seventh, parse_time("2026-02-25T12:00:00Z")) == pytest.approx(1 / 7, abs=1e-9)


def test_a_desire_is_fulfilled_when_its_target_holds() -> None:
    assert is_fulfilled(want(target="mrr >= 100"), known({"mrr": "$120"})) is True
    assert is_fulfilled(want(target="mrr >= 100"), known({})) is None
    assert is_fulfilled(want(target="happy customers"), known({})) is None
    assert is_fulfilled(want(target="compliance event != notice"), known({})) is True


def test_a_desire_that_a_certain_belief_speaks_against_is_not_adopted() -> None:
    against = [believe("Entering Japan is infeasible", 0.9, subject="Enter Japan", value="infeasible")]
    assert not adoptable(want("Enter Japan"), [], against).adopted
    assert adoptable(want("Enter Japan"), [], [replace(against[0], certainty=0.5)]).adopted
    opposite = [believe("Expansion is impossible", 0.8)]
    assert not adoptable(want("Expansion is possible"), [], opposite).adopted


def test_a_desire_that_another_one_covers_is_not_adopted() -> None:
    standing = [want("Reach 100K", 0.8, target="mrr >= 100000")]
    assert not adoptable(want("More revenue", 0.7, target="mrr >= 100000"), standing, []).adopted
    assert adoptable(want("More revenue", 0.9, target="mrr >= 100000"), standing, []).adopted
    assert not adoptable(want("reach 100k", 0.8, id="D-2"), standing, []).adopted


@pytest.mark.parametrize(
    ("name", "kind", "target"),
    [
        ("Maintain cash runway > 6 months", "maintain", "cash runway > 6 months"),
        ("Achieve $100K MRR", "achieve", "MRR >= $100K"),
        ("Avoid churn > 5%", "avoid", "churn <= 5%"),
        ("Grow the team", "achieve", ""),
    ],
)
def test_a_name_may_spell_out_its_target(name: str, kind: str, target: str) -> None:
    assert target_of(name, kind) == target  # type: ignore[arg-type]  # parametrised


def test_dropping_a_desire_drops_what_only_served_it_and_frees_its_goals() -> None:
    top, middle, leaf = want("top"), want("middle", category="instrumental", serves="top"), want("leaf")
    leaf = replace(leaf, category="instrumental", serves="D-middle")
    gone = replace(top, status="dropped")
    orphans = ended_with(gone, [gone, middle, leaf])
    assert [desire.id for desire in orphans] == ["D-middle", "D-leaf"]
    goals = [Goal("G-1", "x", desire_id="D-leaf"), Goal("G-2", "y", desire_id="D-top", target="mrr > 1")]
    heir = want("heir", target="mrr > 1")
    freed = released_goals([gone, *orphans], [heir], goals, "now")
    assert [(goal.id, goal.status, goal.desire_id) for goal in freed] == [
        ("G-1", "abandoned", "D-leaf"), ("G-2", "active", "D-heir"),
    ]  # fmt: skip


def test_a_desire_that_another_of_higher_order_wants_too_is_superseded() -> None:
    means = want("Raise revenue", 0.9, id="D-1", category="instrumental", target="mrr >= 100")
    end = want("Reach 100", 0.5, id="D-2", target="mrr >= 100")
    (gone,) = find_outlived([means, end])
    assert (gone.id, gone.status) == ("D-1", "dropped")
    assert gone.reason == "superseded by D-2 (Reach 100), which wants the same"
    won = replace(means, reason="won by bid: MSG-1")
    assert find_outlived([won, end]) == ()  # its result is owed to whoever awarded it
    assert not find_outlived([replace(means, serves="D-2"), end]), "a step on the way to it is no rival"
    assert not find_outlived([replace(means, type="avoid"), end])
    assert [one.id for one in find_outlived([want("x", 0.4, id="D-3"), want("X", 0.6, id="D-4")])] == ["D-3"]


@pytest.mark.parametrize(
    ("subject", "predicate", "value", "certainty", "ends"),
    [
        ("Enter Japan", "", "impossible", 0.9, True),
        ("D-1", "feasible", "no", 0.9, True),
        ("G-1", "feasible", "false", 0.9, True),
        ("japan_share >= 5%", "", "unreachable", 0.9, True),
        ("Enter Japan", "", "impossible", 0.6, False),
        ("Enter Korea", "", "impossible", 0.9, False),
        ("G-1", "feasible", "yes", 0.9, False),
    ],
)
def test_a_desire_that_a_new_belief_says_cannot_be_had_is_infeasible(
    subject: str, predicate: str, value: str, certainty: float, ends: bool
) -> None:
    wish = want("Enter Japan", id="D-1", target="japan_share >= 5%")
    goals = [Goal("G-1", "Enter Japan", desire_id="D-1")]
    news = [believe("x", certainty, subject=subject, predicate=predicate, value=value)]
    found = find_outlived([wish], goals, news)
    assert [one.status for one in found] == (["dropped"] if ends else [])
    assert all(one.reason.startswith("infeasible: belief ") for one in found)


def test_what_served_a_fulfilled_desire_ends_with_it_and_comes_back_with_it() -> None:
    top, means = want("top", status="fulfilled"), want("means", category="instrumental", serves="D-top")
    (gone,) = ended_with(top, [top, means])
    assert (gone.status, gone.reason) == ("dropped", "the desire it served, top, is fulfilled")
    assert revive_desires([top, gone]) == ()
    (back,) = revive_desires([replace(top, status="active"), gone])
    assert (back.id, back.status, back.reason) == ("D-means", "active", "")
    by_hand = replace(gone, reason="no use")
    assert revive_desires([replace(top, status="active"), by_hand]) == ()


def test_the_terms_of_a_priority_are_its_formula() -> None:
    wish = want(base=0.5, importance=0.4, urgency=0.8, alignment=0.2, deps=("D-x",))
    found = terms(wish, NOW, {"D-x": 0.5})
    assert {name: round(adds, 4) for name, (_, adds) in found.items()} == {
        "base": 0.15, "importance": 0.1, "urgency": 0.2, "alignment": 0.03, "deps": 0.025,
    }  # fmt: skip
    assert sum(adds for _, adds in found.values()) == pytest.approx(priority(0.5, 0.4, 0.8, 0.2, 0.5))
    assert terms(replace(wish, stated=True), NOW, {}) == {}


@pytest.mark.parametrize(
    ("one", "other", "strategy", "why"),
    [
        ({"resource": "budget"}, {"resource": "budget"}, "resource-sharing", "budget can be divided"),
        ({"resource": "room"}, {"resource": "room"}, "priority-based", "room cannot be divided"),
        (
            {"resource": "room", "deadline": "2026-03-01"}, {"resource": "room", "deadline": "2026-04-01"},
            "temporal-scheduling", "each has a deadline of its own",
        ),
        ({"target": "price > 9"}, {"target": "price < 5"}, "priority-based", "what the one wants rules the other out"),
    ],
)  # fmt: skip
def test_how_a_conflict_is_settled_follows_from_what_it_is_about_and_is_said(
    one: dict[str, str], other: dict[str, str], strategy: str, why: str
) -> None:
    desires = [want("a", 0.8, **one), want("b", 0.4, **other)]
    (found,) = resolve_conflicts(desires)
    assert (found.strategy, found.why) == (strategy, why)
    assert all(waiting.reason.endswith(f"since {why}") for waiting in apply_resolutions(desires, [found]))


def test_who_waits_goes_first_once_its_priority_has_risen_above_the_others() -> None:
    first, second = want("first", 0.6, resource="room"), want("second", 0.4, resource="room")
    (waiting,) = apply_resolutions([first, second], resolve_conflicts([first, second]))
    assert waiting.id == "D-second"
    again = [first, waiting]
    assert apply_resolutions(again, resolve_conflicts(again)) == ()
    pressing = [first, replace(waiting, priority=0.9)]
    changed = {one.id: one.status for one in apply_resolutions(pressing, resolve_conflicts(pressing))}
    assert changed == {"D-first": "suspended", "D-second": "active"}


def test_of_two_desires_for_one_resource_the_higher_priority_goes_first_and_the_other_waits() -> None:
    desires = [want("low", 0.4, resource="engineers"), want("high", 0.8, resource="Engineers")]
    (found,) = resolve_conflicts(desires)
    assert (found.strategy, found.winner, found.suspended) == ("priority-based", "D-high", ("D-low",))
    (waiting,) = apply_resolutions(desires, [found])
    assert (waiting.id, waiting.status) == ("D-low", "suspended")
    after = apply_resolutions([replace(desires[1], status="fulfilled"), waiting], [])
    assert [(desire.id, desire.status) for desire in after] == [("D-low", "active")]


def test_a_divisible_resource_is_shared_by_priority() -> None:
    (found,) = resolve_conflicts([want("a", 0.6, resource="budget"), want("b", 0.2, resource="budget")])
    assert (found.strategy, found.suspended) == ("resource-sharing", ())
    assert found.shares == {"D-a": 0.75, "D-b": 0.25}


def test_desires_with_different_deadlines_take_turns_by_urgency() -> None:
    soon = want("soon", 0.3, resource="engineers", deadline="2026-03-01", urgency=0.9)
    later = want("later", 0.7, resource="engineers", deadline="2026-06-01", urgency=0.2)
    (found,) = resolve_conflicts([later, soon])
    assert (found.strategy, found.order) == ("temporal-scheduling", ("D-soon", "D-later"))


def test_targets_that_exclude_each_other_conflict_whatever_they_need() -> None:
    assert resolve_conflicts([want("up", 0.9, target="price higher"), want("down", 0.2, target="price lower")])
    (found,) = resolve_conflicts([want("up", 0.9, target="price > 90"), want("down", 0.2, target="price < 50")])
    assert found.suspended == ("D-down",)
    assert not resolve_conflicts([want("a", target="price > 20"), want("b", target="price < 50")])


def test_a_desire_that_has_what_it_wants_competes_for_nothing_and_a_servant_does_not_compete_with_its_master() -> None:
    held = known({"quality": "0.9"})
    keep = want("keep quality", 0.9, type="maintain", target="quality >= 0.7", resource="engineers")
    launch = want("launch", 0.4, resource="engineers")
    assert resolve_conflicts([keep, launch], held) == ()
    assert resolve_conflicts([keep, launch], known({"quality": "0.5"}))
    assert resolve_conflicts([keep, replace(launch, serves="keep quality")], known({"quality": "0.5"})) == ()
    waiting = replace(launch, status="suspended", reason="waits for D-keep quality (x): priority-based over engineers")
    assert apply_resolutions([replace(keep, id="D-keep"), waiting], [])[0].status == "active"


@given(st.lists(st.tuples(share, st.sampled_from(["", "engineers", "room", "budget"])), max_size=6))
def test_of_the_desires_for_an_indivisible_resource_one_goes_ahead(given_: list[tuple[float, str]]) -> None:
    desires = [want(str(n), amount, resource=resource) for n, (amount, resource) in enumerate(given_)]
    waiting = {desire.id for desire in apply_resolutions(desires, resolve_conflicts(desires))}
    for resource in ("engineers", "room"):
        rivals = [desire for desire in desires if desire.resource == resource]
        assert len([desire for desire in rivals if desire.id not in waiting]) == min(len(rivals), 1)
