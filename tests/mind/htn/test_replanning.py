"""After a step failed as little as possible is done otherwise."""

from dataclasses import replace

import pytest

from mabos.configs.errors import UnknownId
from mabos.mind.htn import (
    Domain,
    Method,
    Network,
    Operator,
    Problem,
    Result,
    State,
    choice,
    parallel,
    plan,
    replan,
    sequence,
)
from tests.mind.htn.worlds import problem

OPERATORS = tuple(Operator(name) for name in ("stripe", "paddle", "page", "mail", "phone", "demo", "brief"))
METHODS = (
    Method("all", ("launch",), sequence(("bill",), ("tell",), ("sell",))),
    Method("small", ("launch",), ("page",), fit=0.5),
    Method("in stripe", ("bill",), ("stripe",)),
    Method("in paddle", ("bill",), ("paddle",), fit=0.5),
    Method("by mail", ("tell",), sequence(("page",), ("mail",))),
    Method("by phone", ("tell",), sequence(("phone",)), fit=0.5),
    Method("demos", ("sell",), ("demo",)),
)
LAUNCH = Problem(Domain(OPERATORS, METHODS), State(), ("launch",))


def step_id(result: Result, name: str) -> str:
    return next(step.id for step in result.steps if step.name == name)


def test_the_smallest_task_around_the_step_is_done_another_way_and_what_is_done_stays() -> None:
    found = plan(LAUNCH)
    assert [task[0] for task in found.plan] == ["stripe", "page", "mail", "demo"]
    again = replan(LAUNCH, found, step_id(found, "mail"))
    assert again
    assert [step.name for step in again.done] == ["stripe", "page"]
    assert [task[0] for task in again.rest.plan] == ["phone", "demo"]
    assert again.anew is not None
    assert (again.anew.name, again.anew.method) == ("tell", "by mail")


def test_where_that_leads_nowhere_the_task_around_it_is_done_another_way() -> None:
    found = plan(LAUNCH)
    again = replan(LAUNCH, found, step_id(found, "demo"))
    assert [task[0] for task in again.rest.plan] == ["page"]
    assert again.anew is not None
    assert again.anew.name == "launch"
    assert [step.name for step in again.done] == ["stripe", "page", "mail"]


def test_where_nothing_can_be_done_another_way_it_says_so() -> None:
    only = replace(LAUNCH, domain=Domain(OPERATORS, METHODS[2:3]), network=("bill",))
    found = plan(only)
    again = replan(only, found, found.steps[0].id)
    assert not again
    assert again.rest.status == "none"
    assert again.rest.why is not None
    alone = replace(LAUNCH, network=("brief",))
    found = plan(alone)
    why = replan(alone, found, found.steps[0].id).rest.why
    assert why is not None
    assert why.told() == "'brief' needs: a task around it that can be done in another way"
    with pytest.raises(UnknownId, match="t9"):
        replan(alone, found, "t9")


def test_the_state_is_that_of_now_and_another_binding_is_another_way() -> None:
    objects = "a b c - place v w - van x - parcel"
    roads = "(road a b) (road b a) (road b c) (road c b)"
    before = problem("transport", objects, "(deliver x c)", f"(at x b) (at v a) (at w c) {roads}")
    found = plan(before)
    assert found.plan[0] == ("drive", "v", "a", "b")
    again = replan(before, found, found.steps[0].id)
    assert [task[:3] for task in again.rest.plan] == [
        ("drive", "w", "c"), ("load", "x", "w"), ("drive", "w", "b"), ("unload", "x", "w"),
    ]  # fmt: skip
    loaded = problem("transport", objects, "(deliver x c)", f"(in x v) (at v b) (at w c) {roads}")
    assert not replan(loaded, found, found.steps[2].id), "the parcel is in a van that does not get away"
    other = problem("transport", objects, "(deliver x c)", f"(in x v) (at v b) (at w c) {roads} (road a c)")
    around = replan(other, found, found.steps[2].id)
    assert around.rest.plan[:2] == (("drive", "v", "b", "a"), ("drive", "v", "a", "c"))


def test_what_was_begun_beside_the_failed_step_goes_on_where_it_was() -> None:
    network = parallel(sequence(("page",), ("bill",)), sequence(("mail",), ("demo",)), choice(("phone",), ("brief",)))
    one = replace(LAUNCH, network=network)
    found = plan(one)
    order = [step.name for step in found.steps]
    assert order == ["page", "stripe", "mail", "demo", "phone"]
    again = replan(one, found, step_id(found, "stripe"))
    assert [task[0] for task in again.rest.plan] == ["paddle", "mail", "demo", "phone"]
    other = replan(one, found, step_id(found, "phone"))
    assert [task[0] for task in other.rest.plan] == ["brief"]


def test_tasks_that_needed_no_step_and_were_over_are_not_asked_for_again() -> None:
    methods = (*METHODS, Method("nothing", ("check",), Network()), Method("more", ("check",), ("brief",), fit=0.1))
    one = replace(LAUNCH, domain=Domain(OPERATORS, methods), network=sequence(("check",), ("bill",), ("check",)))
    found = plan(one)
    assert found.plan == (("stripe",),)
    again = replan(one, found, found.steps[0].id)
    assert again.rest.plan == (("paddle",),)
    assert [node.name for node in again.rest.tree] == ["bill", "check"]
