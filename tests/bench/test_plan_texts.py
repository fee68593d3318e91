"""Plans as text: read and written, and judged as the competition's verifier judges them."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings

from bench.hddl import judge, plan_text, read_plan, read_problem
from mabos.configs.errors import InvalidArgument
from mabos.mind.htn import decomposition, plan
from tests.mind.htn.worlds import SHARED, problem, problems


def judged() -> list[tuple[Path, dict[str, object]]]:
    manifest = SHARED / "MANIFEST.json"
    if not manifest.exists():
        return []
    return [(SHARED / row["domain"], row) for row in json.loads(manifest.read_text("utf-8"))["plans"]]


@pytest.mark.skipif(not judged(), reason="the judged plans are not in ../shared/data/htn")
def test_the_verifier_agrees_with_every_verdict_of_the_competitions_verifier() -> None:
    wrong = []
    for folder, row in judged():
        text = (folder / "domain.hddl").read_text("utf-8"), (folder / str(row["problem"])).read_text("utf-8")
        verdict = judge(read_problem(*text), (folder / str(row["plan"])).read_text("utf-8"))
        if verdict.is_valid != row["valid"]:
            wrong.append((row["plan"], verdict))
    assert not wrong


@pytest.mark.skipif(not judged(), reason="the judged plans are not in ../shared/data/htn")
def test_the_problems_of_the_competition_are_solved_by_plans_that_hold() -> None:
    problem_files = sorted({(folder, str(row["problem"])) for folder, row in judged()})
    assert len(problem_files) >= 6
    for folder, name in problem_files:
        one = read_problem((folder / "domain.hddl").read_text("utf-8"), (folder / name).read_text("utf-8"))
        found = plan(one, budget=2_000)
        assert judge(one, plan_text(decomposition(found))).is_whole, (folder, name, found)


LINE = problem(
    "transport", "a b c - place v - van x - parcel", "(deliver x c)", "(at x b) (at v a) (road a b) (road b c)"
)


def test_a_verdict_names_the_line_and_what_is_wrong_there() -> None:
    text = plan_text(decomposition(plan(LINE)))
    assert judge(LINE, text).is_whole
    assert judge(LINE, text.upper()).is_whole, "names in another case are the same names"
    assert "line 3, task 1: 'lode' is not an action" in judge(LINE, text.replace("1 load", "1 lode")).faults
    assert judge(LINE, text.replace("drive v a b", "drive v b c")).faults == (
        "line 2, task 0: drive v b c needs: at v b",
    )
    wrong = text.replace("-> carry 5 1 6 3", "-> carry 5 1 6")
    assert any("belongs to no requested task" in fault for fault in judge(LINE, wrong).faults), wrong
    assert judge(LINE, "no plan").faults == ("plan: a plan must be between a line '==>' and a line '<=='",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("==>\n0 a\n0 b\nroot 0\n<==", "plan:3: the number 0 was given in line 2 already"),
        ("==>\n0 a\n<==", "no line begins with 'root'"),
        ("==>\nroot 1\n1 t -> \n<==", "plan:3: expected 'NUMBER TASK'"),
        ("==>\nroot x\n<==", "plan:2: 'x' is not a number of a task"),
        ("==>\nroot 0\n0 a\n", "'<=='"),
    ],
)
def test_a_text_that_is_no_plan_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_plan(text)
    assert words in caught.value.message


@settings(max_examples=40, deadline=None)
@given(problems)
def test_a_plan_that_is_written_reads_the_same(one) -> None:  # type: ignore[no-untyped-def]
    found = plan(one, budget=5_000)
    assume(found)
    whole = decomposition(found)
    assert judge(one, plan_text(whole)).is_whole
    assert replace(read_plan(plan_text(whole)), lines={}) == whole
