"""Plans are judged as the competition's verifier judges them, and as the definition says."""

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.mind.htn import Written, plan, plan_text, read_plan, verify, written
from mabos.mind.htn.hddl import read_problem
from mabos.mind.htn.written import Refined
from tests.mind.htn.brute_force import is_plan
from tests.mind.htn.worlds import SHARED, problem, problems, transport, workshop


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
        verdict = verify(read_problem(*text), (folder / str(row["plan"])).read_text("utf-8"))
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
        assert verify(one, plan_text(written(found))).is_whole, (folder, name, found)


@settings(max_examples=150, deadline=None)
@given(problems)
def test_every_plan_that_is_found_is_one_and_where_there_is_none_it_says_why(one) -> None:  # type: ignore[no-untyped-def]
    found = plan(one, budget=5_000)
    if found:
        assert verify(one, written(found)).is_whole
        assert verify(one, plan_text(written(found))).is_whole
        assert [step.task for step in found.steps] == list(found.plan)
    else:
        assert found.why is not None
        assert found.why.told()


def mutations(whole: Written, data: st.DataObject) -> Iterator[Written]:
    """Yield a plan changed in one place: a step, an argument, a method, the parts of a task."""
    steps, refined = dict(whole.steps), dict(whole.refined)
    numbers = [*steps, *refined]
    if steps:
        order = data.draw(st.permutations(list(steps)))
        yield replace(whole, steps={number: steps[number] for number in order})
        gone = data.draw(st.sampled_from(list(steps)))
        yield replace(
            whole,
            steps={number: task for number, task in steps.items() if number != gone},
            refined={
                number: replace(one, parts=tuple(part for part in one.parts if part != gone))
                for number, one in refined.items()
            },
        )
        things = sorted({thing for task in steps.values() for thing in task[1:]})
        number = data.draw(st.sampled_from(list(steps)))
        if steps[number][1:]:
            at = data.draw(st.integers(1, len(steps[number]) - 1))
            other = data.draw(st.sampled_from(things))
            task = (*steps[number][:at], other, *steps[number][at + 1 :])
            yield replace(whole, steps={**steps, number: task})
    if refined:
        number = data.draw(st.sampled_from(list(refined)))
        one = refined[number]
        yield replace(
            whole, refined={**refined, number: replace(one, parts=tuple(data.draw(st.permutations(one.parts))))}
        )
        names = sorted({other.method for other in refined.values()})
        yield replace(whole, refined={**refined, number: replace(one, method=data.draw(st.sampled_from(names)))})
        part = data.draw(st.sampled_from(numbers))
        yield replace(whole, refined={**refined, number: replace(one, parts=(*one.parts, part))})


@settings(max_examples=120, deadline=None)
@given(st.one_of(transport(most=3), workshop()), st.data())
def test_changed_plans_are_judged_as_the_definition_says(one, data) -> None:  # type: ignore[no-untyped-def]
    found = plan(one, budget=2_000)
    assume(found)
    whole = written(found)
    assume(len(whole.refined) <= 6 and len(whole.steps) <= 7)
    assert is_plan(one, whole)
    for changed in mutations(whole, data):
        assert verify(one, changed).is_whole == is_plan(one, changed), changed


LINE = problem(
    "transport", "a b c - place v - van x - parcel", "(deliver x c)", "(at x b) (at v a) (road a b) (road b c)"
)


def test_a_verdict_names_the_line_and_what_is_wrong_there() -> None:
    text = plan_text(written(plan(LINE)))
    assert verify(LINE, text).is_whole
    assert verify(LINE, text.upper()).is_whole, "names in another case are the same names"
    assert "line 3, task 1: 'lode' is no action" in verify(LINE, text.replace("1 load", "1 lode")).faults
    assert verify(LINE, text.replace("drive v a b", "drive v b c")).faults == (
        "line 2, task 0: drive v b c needs: at v b",
    )
    wrong = text.replace("-> carry 5 1 6 3", "-> carry 5 1 6")
    assert any("is part of nothing that was asked for" in fault for fault in verify(LINE, wrong).faults), wrong
    assert verify(LINE, "no plan").faults == ("plan: a plan stands between a line '==>' and a line '<=='",)


def test_the_one_task_of_a_method_may_be_left_out_as_in_the_competition_but_the_plan_is_not_whole() -> None:
    one = problem("workshop", "m - machine", "(make lamp)", "(idle m)", key=":subtasks")
    steps = {0: ("saw", "lamp", "m"), 1: ("brush", "lamp"), 2: ("pack", "lamp")}
    refined = {3: Refined(("make", "lamp"), "side-by-side", (0, 4, 2)), 4: Refined(("paint", "lamp"), "by-hand", (1,))}
    can_paint = replace(one, state=replace(one.state, facts=[("idle", "m"), ("can-paint", "m"), ("dirty", "m")]))
    verdict = verify(can_paint, Written(steps, (3,), refined))
    assert verdict.is_valid
    assert not verdict.is_whole
    assert verdict.left_out == ("task 3: leaves out clean ?m",)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("==>\n0 a\n0 b\nroot 0\n<==", "plan:3: the number 0 was given in line 2 already"),
        ("==>\n0 a\n<==", "no line begins with 'root'"),
        ("==>\nroot 1\n1 t -> \n<==", "plan:3: expected 'NUMBER TASK'"),
        ("==>\nroot x\n<==", "plan:2: 'x' is no number of a task"),
        ("==>\nroot 0\n0 a\n", "'<=='"),
    ],
)
def test_a_text_that_is_no_plan_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(InvalidArgument) as caught:
        read_plan(text)
    assert words in caught.value.message


@settings(max_examples=100, deadline=None)
@given(problems)
def test_a_plan_that_is_written_reads_the_same(one) -> None:  # type: ignore[no-untyped-def]
    found = plan(one, budget=5_000)
    assume(found)
    whole = written(found)
    assert replace(read_plan(plan_text(whole)), lines={}) == whole


def test_a_deep_tree_is_judged_without_recursion() -> None:
    places = [f"p{number}" for number in range(700)]
    roads = " ".join(f"(road {a} {b})" for a, b in pairwise(places))
    one = problem("transport", f"{' '.join(places)} - place v - van x - parcel", "(go v p699)", f"(at v p0) {roads}")
    found = plan(one)
    assert len(found.plan) == 699
    assert verify(one, written(found)).is_whole
