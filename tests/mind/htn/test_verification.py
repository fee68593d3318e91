"""Plans are judged as the definition says."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from mabos.mind.htn import Decomposition, Refinement, decomposition, plan, verify
from tests.mind.htn.brute_force import is_plan
from tests.mind.htn.worlds import problem, problems, transport, workshop


@settings(max_examples=50, deadline=None)
@given(problems)
def test_every_plan_that_is_found_is_one_and_where_there_is_none_it_says_why(one) -> None:  # type: ignore[no-untyped-def]
    found = plan(one, budget=5_000)
    if found:
        assert verify(one, decomposition(found)).is_whole
        assert [step.task for step in found.steps] == list(found.plan)
    else:
        assert found.why is not None
        assert found.why.told()


def mutations(whole: Decomposition, data: st.DataObject) -> Iterator[Decomposition]:
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


@settings(max_examples=40, deadline=None)
@given(st.one_of(transport(most=3), workshop()), st.data())
def test_changed_plans_are_judged_as_the_definition_says(one, data) -> None:  # type: ignore[no-untyped-def]
    found = plan(one, budget=2_000)
    assume(found)
    whole = decomposition(found)
    assume(len(whole.refined) <= 6 and len(whole.steps) <= 7)
    assert is_plan(one, whole)
    for changed in mutations(whole, data):
        assert verify(one, changed).is_whole == is_plan(one, changed), changed


def test_the_one_task_of_a_method_may_be_left_out_as_in_the_competition_but_the_plan_is_not_whole() -> None:
    one = problem("workshop", "m - machine", "(make lamp)", "(idle m)", key=":subtasks")
    steps = {0: ("saw", "lamp", "m"), 1: ("brush", "lamp"), 2: ("pack", "lamp")}
    refined = {
        3: Refinement(("make", "lamp"), "side-by-side", (0, 4, 2)),
        4: Refinement(("paint", "lamp"), "by-hand", (1,)),
    }
    can_paint = replace(one, state=replace(one.state, facts=[("idle", "m"), ("can-paint", "m"), ("dirty", "m")]))
    verdict = verify(can_paint, Decomposition(steps, (3,), refined))
    assert verdict.is_valid
    assert not verdict.is_whole
    assert verdict.left_out == ("task 3: leaves out clean ?m",)


def test_a_deep_tree_is_judged_without_recursion() -> None:
    places = [f"p{number}" for number in range(700)]
    roads = " ".join(f"(road {a} {b})" for a, b in pairwise(places))
    one = problem("transport", f"{' '.join(places)} - place v - van x - parcel", "(go v p699)", f"(at v p0) {roads}")
    found = plan(one)
    assert len(found.plan) == 699
    assert verify(one, decomposition(found)).is_whole
