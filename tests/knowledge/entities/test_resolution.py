"""Which records are the same thing: laws, near misses, hostile input, and the figures on public data."""

import random
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.entity_sets import DATA, RESOLUTION, Scored, best_limit, halves, measured
from bench.entity_sets import scored as read
from mabos.knowledge.entities.resolution import MERGE, SUGGEST, matches, pairs, verdict
from mabos.knowledge.similarity import Rarity, Record, record_likeness, record_of, record_profile

TEXT = st.text(alphabet="abc 12.-", max_size=30)
HERE = pytest.mark.skipif(not DATA.exists(), reason="the public sets are not in ../shared/data/graph")
scored = cache(read)


def alike(one: str, other: str) -> float:
    return compared(record_of(one, {}), record_of(other, {}), record_of("something else altogether", {}))


def compared(one: Record, other: Record, *others: Record) -> float:
    """Return how alike two records are, where words are as rare as they are among all."""
    a, b, *rest = map(record_profile, (one, other, *others))
    return record_likeness(a, b, Rarity([a, b, *rest])).score


def test_two_spellings_of_one_name_are_merged() -> None:
    found = matches({"x": record_of("sql-injection-risk", {}), "y": record_of("SQL injection risk", {})})
    assert [(one.a, one.b, verdict(one.score)) for one in found] == [("x", "y", "merge")]
    assert found[0].reasons[0] == "100% of the words, by weight"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Churn was 3.2% in March", "Churn was 5.8% in March"),
        ("the results of the survey of 2021", "the results of the survey of 2022"),
        ("caching is safe for all our reports", "caching is unsafe for all our reports"),
        ("always deploy the service by hand", "never deploy the service by hand"),
        ("canon pixma printer mx700c", "canon pixma printer mx860c"),
        ("exporting is possible for every plan", "exporting is impossible for every plan"),
    ],
)
def test_what_differs_by_a_number_or_an_opposite_is_never_merged(one: str, other: str) -> None:
    assert verdict(alike(one, other)) != "merge"


def test_a_name_within_another_is_suggested_and_not_merged() -> None:
    assert verdict(alike("input validation", "input validation library")) == "suggest"


def test_names_with_a_word_of_their_own_are_not_merged_whatever_else_they_share() -> None:
    told = {"situation": "the new prices go live for all customers of one region with a banner and an e-mail"}
    found = matches({"a": record_of("rollout-eu", told), "b": record_of("rollout-us", told)})
    assert [verdict(one.score) for one in found] == ["suggest"]
    assert found[0].reasons[-1] == "each name has a word of its own: eu, us"


def test_a_misspelled_word_and_an_initial_are_found() -> None:
    found = matches(
        {"a": {"title": "integrating heterogenous databases", "authors": "Mary Fernandez"}},
        {"b": {"title": "integrating heterogeneous databases", "authors": "M. Fernandez"}, "c": {"title": "a cache"}},
    )
    assert [(one.a, one.b) for one in found] == [("a", "b")]


def test_swapped_fields_do_not_matter() -> None:
    one = {"title": "crawling the hidden web", "authors": "sriram raghavan", "year": "2001"}
    other = {"title": "crawling the hidden web sriram raghavan 2001.0", "authors": "", "year": ""}
    assert verdict(compared(one, other)) == "merge"


def test_numbers_of_an_entity_are_not_read_as_words() -> None:
    record = record_of("retry", {"situation": "timeouts", "actions": ["wait", "retry"], "success_rate": 0.9}, ["works"])
    assert record == {"name": "retry", "situation": "timeouts", "actions": "wait retry", "observations": "works"}


@given(st.lists(TEXT, min_size=1, max_size=6), st.lists(TEXT, min_size=1, max_size=6))
def test_likeness_is_symmetric_within_0_and_1_and_whole_for_equal_records(one: list[str], other: list[str]) -> None:
    a, b = record_profile(dict(enumerate_names(one))), record_profile(dict(enumerate_names(other)))
    rarity = Rarity([a, b])
    there, back = record_likeness(a, b, rarity).score, record_likeness(b, a, rarity).score
    assert there == pytest.approx(back, abs=0.02)
    assert 0 <= there <= 1
    if a.words and a.name:
        assert record_likeness(a, a, rarity).score == pytest.approx(1)


def enumerate_names(texts: list[str]) -> list[tuple[str, str]]:
    return [(str(number), text) for number, text in enumerate(texts)]


@given(st.dictionaries(st.text("xyz", min_size=1, max_size=3), st.fixed_dictionaries({"name": TEXT}), max_size=12))
def test_every_pair_is_found_once_in_order_and_above_the_limit(records: dict[str, dict[str, str]]) -> None:
    found = matches(records)
    assert len({(one.a, one.b) for one in found}) == len(found)
    assert all(one.a < one.b and one.score >= SUGGEST for one in found)
    assert found == matches(dict(reversed(records.items())))


def test_the_pairs_that_are_compared_grow_with_the_records_and_not_with_their_pairs() -> None:
    chance = random.Random(7)
    vocabulary = [f"w{number}" for number in range(300)]

    def count(size: int) -> int:
        many = {str(n): record_profile({"name": " ".join(chance.choices(vocabulary, k=6))}) for n in range(size)}
        return len(pairs(many, None, Rarity(many.values())))

    assert count(2_000) < 2.6 * count(1_000)


def test_a_huge_record_is_compared_and_a_crowd_under_one_name_is_left_alone() -> None:
    huge = {"name": "x", "observations": " ".join(f"word{number}" for number in range(200_000))}
    found = matches({"a": huge, "b": dict(huge)} | {f"c{number}": {"name": "the same"} for number in range(1_000)})
    assert [(one.a, one.b) for one in found] == [("a", "b")]


@HERE
@pytest.mark.parametrize("name", RESOLUTION)
def test_what_is_merged_without_a_question_is_right_in_99_of_100_cases_on_every_public_set(name: str) -> None:
    for half in (*halves(scored(name)), scored(name)):
        assert measured(half, MERGE).precision >= 0.99


@HERE
@pytest.mark.parametrize(("name", "least"), [("dblp_acm", 0.94), ("dirty_dblp_acm", 0.90)])
def test_publications_are_resolved_as_asked_on_the_half_nothing_was_tuned_on(name: str, least: float) -> None:
    tuning, report = halves(scored(name))
    assert measured(report, SUGGEST).f1 >= least
    assert measured(report, best_limit([tuning])).f1 >= least
    assert measured(report, MERGE).recall > 0.5, "automatic merging is worth having"


@HERE
def test_the_limit_in_use_is_the_best_on_the_tuning_halves() -> None:
    tuning: list[list[Scored]] = [halves(scored(name))[0] for name in RESOLUTION]
    assert best_limit(tuning) == SUGGEST
