"""What contradicts, what only follows, and what is added: laws, public data, and conclusions in words."""

import json
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, timedelta
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.entity_sets import DATA, rows
from mabos.knowledge.entities.conclusions import Conclusion, compare, difference
from mabos.knowledge.entities.contradiction import RelationClaim, Settlement, settle, told_end

POPULATION = frozenset({"P1082"})
"""The one relation of the public sets of which a subject has one value at a time: how many live in a place."""
HERE = pytest.mark.skipif(not DATA.exists(), reason="the public sets are not in ../shared/data/graph")


def claim(object_: str, since: str = "", until: str = "", *, relation: str = "ceo", id_: str = "") -> RelationClaim:
    return RelationClaim(id_ or f"{object_}@{since}-{until}", "acme", relation, object_, since, until)


def learned(claims: Iterable[RelationClaim], functional: frozenset[str] = frozenset({"ceo"})) -> list[RelationClaim]:
    """Return the claims after each was settled in turn."""
    kept: dict[tuple[str, str], dict[str, RelationClaim]] = defaultdict(dict)
    for one in claims:
        place = kept[one.subject, one.relation]
        settled = settle(one, list(place.values()), is_functional=one.relation in functional)
        place.update({changed.id: changed for changed in settled.changed})
    return [one for place in kept.values() for one in place.values()]


def spans(claims: Iterable[RelationClaim]) -> list[tuple[str, str, str]]:
    return sorted((one.object, one.valid_from, one.valid_to) for one in claims)


def answers(claims: Iterable[RelationClaim], at: str) -> set[tuple[str, str, str]]:
    return {(one.subject, one.relation, one.object) for one in claims if one.holds(at)}


def oracle(told: list[RelationClaim], functional: frozenset[str], at: str) -> set[tuple[str, str, str]]:
    """Return what held at a moment, by looking at everything that was told."""
    starts: dict[tuple[str, str], list[str]] = defaultdict(list)
    ends: dict[tuple[str, str, str, str], bool] = {}
    for one in told:
        starts[one.subject, one.relation].append(one.valid_from)
        key = (one.subject, one.relation, one.object, one.valid_from)
        ends[key] = ends.get(key, False) or bool(one.valid_to)
    found = set()
    for one in told:
        begun = one.valid_from <= at
        if one.valid_to:
            lasts = at < one.valid_to
        else:
            later = [start for start in starts[one.subject, one.relation] if one.valid_from < start <= at]
            is_twin = ends[one.subject, one.relation, one.object, one.valid_from]
            lasts = not is_twin and not (one.relation in functional and later)
        if begun and lasts:
            found.add((one.subject, one.relation, one.object))
    return found


def test_a_later_value_of_a_functional_relation_ends_the_earlier_one() -> None:
    settled = settle(claim("kim", "2025-06-01"), [claim("lee", "2025-01-01")], is_functional=True)
    assert [one.action for one in settled.conflicts] == ["supersede"]
    assert spans(settled.changed) == [("kim", "2025-06-01", ""), ("lee", "2025-01-01", "2025-06-01")]
    assert settled.changed[0].superseded_by == settled.changed[1].id


def test_a_value_learned_late_ends_where_the_known_one_begins() -> None:
    settled = settle(claim("lee", "2025-01-01"), [claim("kim", "2025-06-01")], is_functional=True)
    assert spans(settled.changed) == [("lee", "2025-01-01", "2025-06-01")]


def test_the_same_of_the_same_time_is_merged_and_learns_its_end() -> None:
    known = claim("lee", "2025-01-01")
    settled = settle(claim("lee", "2025-01-01", "2025-03-01"), [known], is_functional=True)
    assert [one.action for one in settled.conflicts] == ["merge"]
    assert [(one.id, one.valid_to) for one in settled.changed] == [(known.id, "2025-03-01")]
    assert settle(known, [known], is_functional=False) == Settlement(
        (), settle(known, [known], is_functional=False).conflicts
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (claim("lee", "2025-01-01"), claim("kim", "2025-01-01")),
        (claim("lee"), claim("kim")),
        (claim("lee", "2025-01-01", "2025-12-31"), claim("kim", "2025-06-01")),
        (claim("lee", "2025-01-01", "2025-12-31"), claim("lee", "2025-01-01", "2025-10-31")),
    ],
)
def test_what_nobody_can_decide_is_flagged_and_both_stay_as_they_were(one: RelationClaim, other: RelationClaim) -> None:
    for first, second in permutations((one, other)):
        settled = settle(second, [first], is_functional=True)
        assert [conflict.action for conflict in settled.conflicts] == ["flag"]
        assert settled.changed == (second,)


@pytest.mark.parametrize("is_functional", [True, False])
def test_two_disjoint_times_stay_two_and_are_no_conflict(is_functional: bool) -> None:
    first, second = claim("lee", "2020", "2022"), claim("lee", "2024", "2025")
    assert settle(second, [first], is_functional=is_functional) == Settlement((second,), ())
    other = claim("kim", "2022", "2024")
    assert settle(other, [first, second], is_functional=is_functional) == Settlement((other,), ())


def test_an_additive_relation_is_never_ended_by_another_object() -> None:
    known = claim("risk-a", "2020", relation="risk")
    assert settle(claim("risk-b", "2021", relation="risk"), [known], is_functional=False).conflicts == ()


def test_another_subject_or_relation_is_none_of_its_business() -> None:
    known = [RelationClaim("1", "acme", "cfo", "lee", "2020"), RelationClaim("2", "beta", "ceo", "lee", "2020")]
    assert settle(claim("kim", "2020"), known, is_functional=True).conflicts == ()


YEARS = st.integers(2000, 2006).map(str)
CLAIMS = st.lists(
    st.builds(
        lambda object_, relation, since, length: claim(
            object_, since, str(int(since) + length) if length else "", relation=relation
        ),
        st.sampled_from("abc"),
        st.sampled_from(["ceo", "risk"]),
        YEARS,
        st.integers(0, 3),
    ),
    max_size=7,
    unique_by=lambda one: (one.id, one.relation),
)


@given(CLAIMS, st.randoms())
def test_the_order_in_which_facts_are_learned_does_not_matter(told: list[RelationClaim], chance: object) -> None:
    mixed = list(told)
    chance.shuffle(mixed)  # type: ignore[attr-defined]  # a Random
    assert spans(learned(told)) == spans(learned(mixed))


@given(CLAIMS)
def test_every_answer_as_of_a_year_is_that_of_a_brute_force_oracle(told: list[RelationClaim]) -> None:
    after = learned(told)
    for year in range(1999, 2011):
        assert answers(after, str(year)) == oracle(told, frozenset({"ceo"}), str(year))


@given(CLAIMS)
def test_no_told_end_is_changed_and_additive_claims_stay_as_told(told: list[RelationClaim]) -> None:
    after = learned(told)
    ends = {(one.relation, one.object, one.valid_from, one.valid_to) for one in told if one.valid_to}
    assert ends == {(one.relation, one.object, one.valid_from, told_end(one)) for one in after if told_end(one)}
    assert not any(one.superseded_by for one in after if one.relation == "risk")


def wikidata() -> list[RelationClaim]:
    """Return the facts of the sample: a year of beginning with the first end that fits; an end takes in its year."""
    known: dict[tuple[str, str, str], dict[str, set[int]]] = defaultdict(lambda: defaultdict(set))
    for subject, relation, object_, kind, year in rows("temporal/wikidata"):
        known[subject, relation, object_][kind].add(int(year))
    claims = []
    for (subject, relation, object_), years in known.items():
        starts, ends = sorted(years["occurSince"]), sorted(years["occurUntil"])
        for start, later in zip(starts, [*starts[1:], 9999], strict=False):
            end = next((one for one in ends if start <= one <= later), None)
            if end is not None:
                ends.remove(end)
            until = "" if end is None else str(end + 1)
            claims.append(
                RelationClaim(
                    json.dumps([subject, relation, object_, start]), subject, relation, object_, str(start), until
                )
            )
        claims += [
            RelationClaim(json.dumps([subject, relation, object_, -end]), subject, relation, object_, "", str(end + 1))
            for end in ends
        ]
    return claims


def icews() -> list[RelationClaim]:
    """Return the events of the sample, each a day long."""
    return [
        RelationClaim(
            str(number), subject, relation, object_, day, (date.fromisoformat(day) + timedelta(days=1)).isoformat()
        )
        for number, (subject, relation, object_, day) in enumerate(rows("temporal/icews14"))
    ]


@HERE
@pytest.mark.parametrize("told", [wikidata(), icews()], ids=["wikidata", "icews14"])
def test_on_public_data_no_disjoint_time_is_collapsed_and_nothing_additive_ends(told: list[RelationClaim]) -> None:
    after = learned(told, POPULATION)
    distinct = {(one.subject, one.relation, one.object, one.valid_from, one.valid_to) for one in told}
    kept = {(one.subject, one.relation, one.object, one.valid_from, told_end(one)) for one in after}
    assert kept == distinct
    assert len(after) == len(distinct), "what was told once or more is kept once"
    assert not any(one.superseded_by for one in after if one.relation not in POPULATION)


@HERE
@pytest.mark.parametrize("told", [wikidata(), icews()], ids=["wikidata", "icews14"])
def test_on_public_data_answers_as_of_every_time_are_those_of_the_oracle(told: list[RelationClaim]) -> None:
    after = learned(told, POPULATION)
    times = sorted({time for one in told for time in (one.valid_from, one.valid_to) if time})
    for at in times[:: max(1, len(times) // 120)]:
        assert answers(after, at) == oracle(told, POPULATION, at)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Market demand is growing", "Market demand is declining"),
        ("Churn in the US is 3.2%", "Churn in the US is 5.8%"),
        ("Caching query results is safe for reports", "Caching query results is unsafe for reports"),
        ("Sub-agents should read all shared state", "Sub-agents should not read all shared state"),
    ],
)
def test_conclusions_that_differ_by_opposites_or_numbers_are_flagged(one: str, other: str) -> None:
    found = compare(Conclusion("new", one), [Conclusion("old", other)])
    assert [(each.existing, each.action) for each in found] == [("old", "flag")]
    assert found[0].reason == difference(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Churn was 3.2% in March", "Churn was 5.8% in April"),
        ("Revenue grew 5% in 2024", "Revenue grew 7% in 2025"),
        ("Market demand is growing", "Server costs are declining"),
        ("Use parameterized queries", "Validate all user input"),
    ],
)
def test_another_occasion_or_another_matter_is_no_contradiction(one: str, other: str) -> None:
    assert compare(Conclusion("new", one), [Conclusion("old", other)]) == []


def test_what_agrees_is_merged() -> None:
    found = compare(Conclusion("new", "Market demand is growing."), [Conclusion("old", "The market demand is growing")])
    assert [each.action for each in found] == ["merge"]


def test_two_choices_on_one_question_are_flagged_and_the_same_choice_is_merged() -> None:
    docker = Conclusion("old", "Docker", "How do we deploy?")
    assert compare(Conclusion("new", "Kubernetes", "How do we deploy?"), [docker])[0].action == "flag"
    assert compare(Conclusion("new", "docker", "How do we deploy?"), [docker])[0].action == "merge"
    assert compare(Conclusion("new", "Kubernetes", "Where do we store logs?"), [docker]) == []


CONTRADICTING = [
    ("Postgres scales", "Postgres does not scale to our load"),
    ("The API is stable", "The API is unstable"),
    ("Raise prices", "Lower prices"),
    ("Delivery takes 3 days", "Delivery takes two weeks"),
    ("Use Docker for deployment", "We should use Kubernetes for deployment"),
    ("The churn rate is 9 percent", "The churn rate is 5 percent"),
    ("The churn at Globex is 3%", "Globex churn is 5%"),
    ("We deploy with Docker", "We deploy with Kubernetes"),
    ("Customers like the new design", "Customers dislike the new design"),
    ("The contract ends in March", "The contract ends in June"),
    ("Nobody reads the weekly report", "People read the weekly report"),
]
COMPATIBLE = [
    ("Team A has 5 people", "Team B has 9 people"),
    ("The churn rate is 9 percent", "The churn rate is 9 percent in US"),
    ("The churn rate is 9 percent", "The churn rate is 5 percent in Germany"),
    ("Delivery takes 3 days", "Delivery takes 72 hours"),
    ("Use Docker for deployment", "Use Docker for tests"),
    ("Postgres scales", "Postgres does not cost much"),
    ("Prices rose in May", "Prices fell in June"),
    ("The API is fast", "The API is stable"),
]


@pytest.mark.parametrize(("one", "other"), CONTRADICTING)
def test_plain_contradictions_are_flagged(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert [each.action for each in compare(Conclusion("new", second), [Conclusion("old", first)])] == ["flag"]


@pytest.mark.parametrize(("one", "other"), COMPATIBLE)
def test_what_goes_together_is_neither_flagged_nor_merged(one: str, other: str) -> None:
    for first, second in ((one, other), (other, one)):
        assert compare(Conclusion("new", second), [Conclusion("old", first)]) == []
