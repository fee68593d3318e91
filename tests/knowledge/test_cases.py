"""Cases: both forms of a situation, similarity, negative cases, and the limit."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.configs.settings import load_settings
from mabos.knowledge.case_index import CaseIndex, best
from mabos.knowledge.case_records import Case
from mabos.knowledge.cases import RECENT, Cases
from mabos.knowledge.similarity import Aggregate, linear, overlap, situation, value_likeness
from mabos.workspace.clock import iso
from tests.knowledge.knowing import Knowing

SOLUTION = {"plan_id": "P-1", "actions": ["call customers"]}


@pytest.fixture
def cfo(tmp_path: Path) -> Knowing:
    return Knowing(tmp_path)


def kept(cfo: Knowing, *beliefs: str, outcome: str = "success", desires: tuple[str, ...] = ("D",)) -> str:
    return cfo.cases.store({"beliefs": list(beliefs), "desires": list(desires)}, SOLUTION, outcome).id


def test_cases_are_ranked_by_the_printed_formula(cfo: Knowing) -> None:
    half = kept(cfo, "B1", "B2")
    full = kept(cfo, "B1")
    kept(cfo, "B9", desires=("D9",))
    found = cfo.cases.retrieve(["B1"], ["D"])
    assert [(one.case.id, round(one.score, 3)) for one in found] == [(full, 1.0), (half, 0.7)]


def test_the_newer_of_equals_comes_first(cfo: Knowing) -> None:
    old = kept(cfo, "B1")
    cfo.clock.advance(timedelta(days=1))
    new = cfo.cases.store({"beliefs": ["B1"], "desires": ["D"], "context": "later"}, SOLUTION, "success").id
    assert [one.case.id for one in cfo.cases.retrieve(["B1"], ["D"])] == [new, old]


def test_the_form_of_both_documents_is_read_from_a_hand_written_file(tmp_path: Path) -> None:
    first = {
        "case_id": "C-001",
        "situation": {"beliefs": ["B1"], "desires": ["D"], "context": "x"},
        "solution": SOLUTION,
        "outcome": {"success": False, "lessons": "ask first"},
        "stored_at": "2026-01-01T00:00:00Z",
    }
    second = {
        "id": "CASE-001",
        "situation": {"beliefs": {"mrr": 42000}, "desires": {"grow_mrr": 0.9}},
        "solution": SOLUTION,
        "outcome": {"status": "success", "mrr_after": 47000},
        "stored_at": "2026-01-15T00:00:00Z",
        "agent_id": "cmo",
    }
    (tmp_path / "cases.json").write_text(json.dumps([first, second]))
    cases = Knowing(tmp_path).cases
    assert [(case.id, case.outcome) for case in cases.all()] == [("C-001", "failure"), ("CASE-001", "success")]
    assert cases.case("C-001").results == {"lessons": "ask first"}
    assert cases.retrieve({"mrr": 42000}, ["grow_mrr"])[0].case.id == "CASE-001"


def test_a_partial_failure_is_a_warning_only_in_a_like_situation(cfo: Knowing) -> None:
    bad = kept(cfo, "B1", outcome="partial_failure")
    assert [one.case.id for one in cfo.cases.risks(["B1"], ["D"])] == [bad]
    assert cfo.cases.risks([], ["D"]) == []
    assert cfo.cases.retrieve(["B1"], ["D"]) == []
    other = kept(cfo, *"1234567", outcome="failure")
    assert [one.case.id for one in cfo.cases.risks([*"1234"], ["D"])] == [other], "0.6 * 4/7 + 0.4 is above 0.7"
    assert cfo.cases.risks([*"123"], ["D"]) == []


def test_an_id_is_not_given_a_second_meaning(cfo: Knowing) -> None:
    cfo.cases.store({"beliefs": ["B1"], "desires": []}, SOLUTION, "success", case_id="C-1")
    with pytest.raises(InvalidArgument, match="says something else"):
        cfo.cases.store({"beliefs": ["B2"], "desires": []}, SOLUTION, "success", case_id="C-1")


@pytest.mark.parametrize("side", [{"beliefs": "B1"}, {"desires": 3}])
def test_a_side_that_is_neither_list_nor_mapping_is_refused(cfo: Knowing, side: dict[str, object]) -> None:
    with pytest.raises(InvalidArgument, match="expected a list of ids or a mapping"):
        cfo.cases.store(side, SOLUTION, "success")


def test_at_the_limit_old_failures_go_before_successes_and_recent_failures(cfo: Knowing) -> None:
    few = load_settings().knowledge.model_copy(update={"case_limit": 3})
    cases = Cases("cfo", cfo.case_file, cfo.clock, cfo.ids, settings=few)

    def store(name: str, outcome: str) -> None:
        cases.store({"beliefs": [name], "desires": []}, SOLUTION, outcome)
        cfo.clock.advance(timedelta(days=60))

    for name, outcome in (
        ("s1", "success"),
        ("f1", "failure"),
        ("s2", "success"),
        ("f2", "failure"),
        ("s3", "success"),
    ):
        store(name, outcome)
    assert [next(iter(case.beliefs)) for case in cases.all()] == ["s2", "f2", "s3"]


@given(st.lists(st.tuples(st.booleans(), st.sampled_from([0, 0, 20, 60]), st.sampled_from([4, 4, 2])), max_size=12))
def test_which_cases_go_are_those_that_looking_at_all_of_them_would_find(episodes: list[tuple[bool, int, int]]) -> None:
    with TemporaryDirectory() as folder:
        cfo = Knowing(Path(folder))
        for number, (success, days, limit) in enumerate(episodes):
            few = load_settings().knowledge.model_copy(update={"case_limit": limit})
            cases = Cases("cfo", cfo.case_file, cfo.clock, cfo.ids, settings=few)
            before, recent = cases.all(), iso(cfo.clock() - RECENT)
            new = cases.store({"beliefs": [f"b{number}"], "desires": []}, SOLUTION, success)
            gone = sorted(before, key=lambda case: (case.success or case.stored_at >= recent, case.stored_at))
            stays = gone[max(0, len(before) - limit + 1) :]
            assert {one.id for one in cases.all()} == {one.id for one in (*stays, new)}
            cfo.clock.advance(timedelta(days=days))


VALUES = st.one_of(st.none(), st.integers(-1000, 1000), st.floats(-10, 10), st.text(max_size=3), st.booleans())


@given(VALUES, VALUES)
def test_likeness_is_a_share_symmetric_and_whole_for_the_same(a: object, b: object) -> None:
    assert 0 <= value_likeness(a, b) <= 1
    assert value_likeness(a, b) == value_likeness(b, a)
    assert value_likeness(a, a) == 1


@given(st.dictionaries(st.sampled_from("abcd"), VALUES), st.dictionaries(st.sampled_from("abcd"), VALUES))
def test_overlap_of_plain_names_is_the_share_of_the_past(past: dict[str, object], present: dict[str, object]) -> None:
    names = situation(list(past))
    assert overlap(names, present) == (len(past.keys() & present.keys()) / len(past) if past else 0)
    assert 0 <= overlap(past, present) <= 1


NAMES = st.sampled_from([f"b{n}" for n in range(8)])
PLAIN = st.dictionaries(NAMES, st.none(), max_size=5)
MIXED = st.dictionaries(NAMES, st.one_of(st.none(), st.integers(0, 9), st.sampled_from(["3%", "up"])), max_size=5)
SITUATIONS = st.one_of(st.tuples(PLAIN, PLAIN), st.tuples(MIXED, MIXED))


def brute(
    cases: list[Case], beliefs: Mapping[str, Any], desires: Mapping[str, Any], aggregate: Aggregate, limit: int
) -> list[tuple[float, str]]:
    """Return scores and ids by looking at every case."""
    scored = [
        (aggregate(overlap(case.beliefs, beliefs), overlap(case.desires, desires)), case.stored_at, number, case.id)
        for number, case in enumerate(cases)
    ]
    return [(score, name) for score, _, _, name in sorted(scored, reverse=True) if score > 0][:limit]


@settings(max_examples=50, deadline=None)
@given(
    told=st.lists(st.tuples(SITUATIONS, st.sampled_from("12")), max_size=30),
    now=SITUATIONS,
    gone=st.sets(st.integers(0, 29)),
    back=st.sets(st.integers(0, 29)),
    limit=st.integers(1, 8),
    aggregate=st.sampled_from([linear(), linear(0.3, 0.7), min]),
)
def test_the_index_ranks_as_looking_at_every_case_does(
    *,
    told: list[tuple[tuple[dict[str, Any], dict[str, Any]], str]],
    now: tuple[dict[str, Any], dict[str, Any]],
    gone: set[int],
    back: set[int],
    limit: int,
    aggregate: Aggregate,
) -> None:
    cases = [
        Case(f"C-{number}", beliefs, desires, "success", stored_at=stored_at)
        for number, ((beliefs, desires), stored_at) in enumerate(told)
    ]
    index = CaseIndex()
    for number, case in enumerate(cases):
        index.add(case, number)
    for number, case in enumerate(cases):
        if number in gone:
            index.remove(case)
    for number in sorted(gone & back, reverse=True):
        if number < len(cases):
            index.add(cases[number], number)
    left = [case for number, case in enumerate(cases) if number not in gone - back]
    found = [(score, case.id) for score, _, _, case in best([index], *now, aggregate, limit)]
    assert found == brute(left, *now, aggregate, limit)


def test_ten_thousand_cases_are_searched_without_looking_at_them_all(cfo: Knowing) -> None:
    random = Random(4)
    records = [
        {
            "id": f"C-{number}",
            "situation": {
                "beliefs": random.sample([f"b{n}" for n in range(500)], random.randint(3, 20)),
                "desires": random.sample([f"d{n}" for n in range(50)], random.randint(1, 5)),
            },
            "outcome": {"success": number % 5 > 0},
            "stored_at": f"2026-01-{1 + number % 28:02d}",
        }
        for number in range(10_000)
    ]
    (cfo.directory / "cases.json").write_text(json.dumps(records))
    cases = cfo.cases.all()
    for _ in range(10):
        now = dict.fromkeys(random.sample([f"b{n}" for n in range(500)], 30)), dict.fromkeys(["d1", "d2", "d3"])
        found = [(one.score, one.case.id) for one in cfo.cases.retrieve(*now, 10)]
        assert found == brute([case for case in cases if case.success], *now, linear(), 10)
        everything = [(one.score, one.case.id) for one in cfo.cases.retrieve(*now, 10, include_negative=True)]
        assert everything == brute(cases, *now, linear(), 10)


def test_whether_a_case_is_kept_is_known_by_its_id(cfo: Knowing) -> None:
    case_id = kept(cfo, "b")
    assert case_id in cfo.cases
    assert "CASE-2" not in cfo.cases
