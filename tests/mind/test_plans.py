"""How a plan advances, step by step."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.mind.model import Plan, Step
from mabos.mind.plans import (
    current_step,
    effect_key,
    effects,
    fold_outcome,
    is_decision,
    next_step,
    progress,
    remaining_cost,
    reopen_failed,
    reopen_step,
    revise_plan,
    waiting,
    with_results,
)
from tests.mind.examples import known

NOBODY = known({})
AT = "2026-02-24T12:00:00.000Z"


def plan_of(*steps: Step) -> Plan:
    return Plan("P-1", "G-1", "a plan", steps=steps, status="active")


def do(plan: Plan, *step_ids: str, lookup: object = NOBODY) -> Plan:
    for step_id in step_ids:
        plan = fold_outcome(plan, step_id, "done", lookup, AT)  # type: ignore[arg-type]  # a mapping's get
    return plan


def test_steps_are_done_in_order_and_the_last_one_completes_the_plan() -> None:
    plan = plan_of(Step("a"), Step("b"))
    assert next_step(plan, NOBODY).step == plan.steps[0]
    plan = do(plan, "a")
    assert (plan.cursor, plan.status, progress(plan)) == (1, "active", 0.5)
    plan = do(plan, "b")
    assert (plan.cursor, plan.status, progress(plan)) == (2, "completed", 1.0)
    assert next_step(plan, NOBODY).readiness == "finished"


def test_a_precondition_that_fails_blocks_and_one_nobody_knows_does_not() -> None:
    plan = plan_of(Step("a", preconditions=("cash > 5", "launched")))
    assert next_step(plan, known({"cash": "3"})).unmet == ("cash > 5",)
    assert next_step(plan, known({"cash": "3"})).readiness == "blocked"
    ready = next_step(plan, known({"cash": "9"}))
    assert (ready.readiness, ready.unknown) == ("ready", ("launched",))


CHURN = plan_of(
    Step("reasons"),
    Step(
        "choose",
        ordering="choice",
        branches=(("backlog >= 40", "support"), ("quality < 0.6", "product"), ("otherwise", "help")),
    ),
    Step("support", branches=(("always", "tell"),)),
    Step("product", branches=(("always", "tell"),)),
    Step("help"),
    Step("tell"),
)


@pytest.mark.parametrize(
    ("held", "path"),
    [
        ({"backlog": "50"}, ["support", "tell"]),
        ({"backlog": "5", "quality": "0.4"}, ["product", "tell"]),
        ({}, ["help", "tell"]),
    ],
)
def test_a_decision_point_takes_the_first_branch_that_holds(held: dict[str, str], path: list[str]) -> None:
    plan = do(CHURN, "reasons", "choose", lookup=held.get)
    taken = []
    while step := current_step(plan):
        taken.append(step.id)
        plan = do(plan, step.id, lookup=held.get)
    assert taken == path
    assert plan.status == "completed"
    assert is_decision(CHURN.steps[1])
    assert not is_decision(CHURN.steps[0])


def test_a_branch_to_the_end_completes_the_plan() -> None:
    plan = do(plan_of(Step("a", branches=(("done", "end"),)), Step("b")), "a", lookup=known({"done": "yes"}))
    assert (plan.status, [step.status for step in plan.steps]) == ("completed", ["done", "skipped"])


def test_of_alternatives_the_first_that_can_be_done_is_done() -> None:
    plan = plan_of(
        Step("rich", ordering="choice", preconditions=("cash > 5",)), Step("poor", ordering="choice"), Step("after")
    )
    assert next_step(plan, known({"cash": "1"})).step == plan.steps[1]
    assert next_step(plan, known({"cash": "9"})).step == plan.steps[0]
    plan = do(plan, "poor")
    assert [step.status for step in plan.steps] == ["skipped", "done", "pending"]
    assert next_step(plan, NOBODY).step == plan.steps[2]


def test_a_failed_step_fails_the_plan_unless_there_is_an_alternative() -> None:
    plan = plan_of(Step("a"), Step("b"))
    failed = fold_outcome(plan, "a", "failed", NOBODY, AT, result="no money")
    assert (failed.status, failed.cursor, failed.steps[0].result) == ("failed", 0, "no money")
    assert next_step(failed, NOBODY).readiness == "failed"
    assert next_step(reopen_failed(failed, AT), NOBODY).readiness == "ready"
    either = plan_of(Step("a", ordering="choice"), Step("b", ordering="choice"))
    failed = fold_outcome(either, "a", "failed", NOBODY, AT)
    assert (failed.status, next_step(failed, NOBODY).step) == ("active", either.steps[1])


def test_a_step_that_waits_for_a_decision_stays_next() -> None:
    plan = waiting(plan_of(Step("a"), Step("b")), "a", "DEC-1", AT)
    found = next_step(plan, NOBODY)
    assert (found.readiness, found.step and found.step.decision_id) == ("waiting", "DEC-1")


def test_a_revision_keeps_what_is_done_and_renames_what_clashes() -> None:
    plan = do(plan_of(Step("a"), Step("b"), Step("c")), "a")
    again = (Step("a", branches=(("always", "d"),)), Step("x", branches=(("always", "a"),)), Step("d"))
    fresh = revise_plan(plan, again, AT)
    assert [step.id for step in fresh.steps] == ["a", "a-2", "x", "d"]
    assert (fresh.revision, fresh.cursor, fresh.status) == (2, 1, "active")
    assert fresh.steps[2].branches == (("always", "a-2"),)


def test_the_key_of_an_effect_changes_with_everything_that_makes_it_another_effect() -> None:
    step = Step("a", arguments={"x": 1, "y": 2})
    plan = plan_of(step)
    key = effect_key(plan, step)
    assert key == effect_key(plan, replace(step, arguments={"y": 2, "x": 1}))
    others = {
        effect_key(plan, replace(step, arguments={"x": 2, "y": 2})),
        effect_key(replace(plan, revision=2), step),
        effect_key(plan, replace(step, attempt=1)),
        effect_key(replace(plan, id="P-2"), step),
    }
    assert len(others - {key}) == 4
    assert reopen_step(plan, "a", AT).steps[0].attempt == 1


def test_effects_are_triples() -> None:
    step = Step("a", effects=("budget status revised", 'plan name "enterprise tier"', "it's done now", "short one"))
    assert effects(step) == (
        ("budget", "status", "revised"), ("plan", "name", "enterprise tier"), ("it's", "done", "now"),
    )  # fmt: skip


def test_arguments_may_use_what_an_earlier_step_made() -> None:
    plan = plan_of(Step("a", status="done", result="CAMP-1"), Step("b"))
    given = {"id": "{a.result}", "list": ["see {a.result}"], "deep": {"x": "{a.result}"}, "other": "{b.result}", "n": 5}
    assert with_results(given, plan) == {
        "id": "CAMP-1", "list": ["see CAMP-1"], "deep": {"x": "CAMP-1"}, "other": "{b.result}", "n": 5,
    }  # fmt: skip


def test_what_is_left_to_pay() -> None:
    assert remaining_cost(do(plan_of(Step("a", cost=5.0), Step("b", cost=7.0)), "a")) == 7.0


def test_an_outcome_that_ends_nothing_and_a_step_that_does_not_exist_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="is unknown"):
        fold_outcome(plan_of(Step("a")), "a", "waiting", NOBODY, AT)
    with pytest.raises(UnknownId, match="did you mean 'reasons'"):
        fold_outcome(CHURN, "reason", "done", NOBODY, AT)


@given(st.lists(st.sampled_from(["sequence", "parallel", "choice"]), min_size=1, max_size=6), st.data())
def test_every_plan_ends_and_its_progress_never_falls(orderings: list[str], data: st.DataObject) -> None:
    plan = plan_of(*(Step(f"s{n}", ordering=ordering) for n, ordering in enumerate(orderings)))  # type: ignore[arg-type]  # sampled
    for _ in range(2 * len(orderings)):
        found = next_step(plan, NOBODY)
        if found.readiness != "ready" or found.step is None:
            break
        before = progress(plan)
        outcome = data.draw(st.sampled_from(["done", "skipped", "failed"]))
        plan = fold_outcome(plan, found.step.id, outcome, NOBODY, AT)  # type: ignore[arg-type]  # sampled
        assert progress(plan) >= before
    assert plan.status in ("completed", "failed")


def side_by_side(*steps: Step) -> Plan:
    return plan_of(*(replace(step, ordering="parallel") for step in steps), Step("after"))


def test_of_steps_side_by_side_any_that_can_be_done_is_next() -> None:
    plan = side_by_side(Step("a", preconditions=("cash > 5",)), Step("b"))
    poor = known({"cash": "3"})
    assert next_step(plan, poor).step == plan.steps[1]
    plan = do(plan, "b")
    assert (next_step(plan, poor).readiness, plan.cursor) == ("blocked", 0)
    assert next_step(plan, known({"cash": "9"})).step == plan.steps[0]
    done = do(plan, "a")
    assert next_step(done, NOBODY).step == done.steps[2]


def test_a_step_that_waits_holds_up_only_what_comes_after_all_beside_it() -> None:
    plan = waiting(side_by_side(Step("a"), Step("b")), "a", "DEC-1", AT)
    assert next_step(plan, NOBODY).step == plan.steps[1]
    plan = do(plan, "b")
    assert next_step(plan, NOBODY).readiness == "waiting"


def test_a_step_that_failed_beside_others_is_told_when_they_are_done() -> None:
    plan = fold_outcome(side_by_side(Step("a"), Step("b")), "a", "failed", NOBODY, AT)
    assert next_step(plan, NOBODY).step == plan.steps[1]
    assert next_step(do(plan, "b"), NOBODY).readiness == "failed"


@given(st.permutations(["a", "b", "c"]))
def test_steps_side_by_side_may_be_done_in_any_order(order: list[str]) -> None:
    plan = do(side_by_side(Step("a"), Step("b"), Step("c")), *order)
    assert (next_step(plan, NOBODY).step, plan.cursor) == (plan.steps[3], 3)
