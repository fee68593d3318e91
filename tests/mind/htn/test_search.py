"""Plans over beliefs and facts: which methods are taken, what is tried again, and why there is no plan."""

from dataclasses import replace

import pytest
from hypothesis import given, settings

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.mind.conditions import Lookup
from mabos.mind.htn import (
    TRUE,
    And,
    Assign,
    Domain,
    Each,
    Increase,
    Method,
    Network,
    Not,
    Operator,
    Or,
    PlanningProblem,
    Result,
    Same,
    State,
    choice,
    leaves,
    parallel,
    plan,
    sequence,
    walk,
)
from mabos.mind.htn.model import Part
from tests.mind.examples import known
from tests.mind.htn.worlds import problem, transport


def step(name: str, needs: str | And = TRUE, **effects: str) -> Operator:
    return Operator(name, precondition=needs, effects=tuple(Assign(key, value) for key, value in effects.items()))


def planned(operators: list[Operator], methods: list[Method], network: Part, lookup: Lookup | None = None) -> Result:
    return plan(PlanningProblem(Domain(tuple(operators), tuple(methods)), State(lookup=lookup), network))


def names(result: Result) -> list[str]:
    return [task[0] for task in result.plan]


STEPS = [step("a"), step("b"), step("c")]


def test_the_best_fitting_method_is_taken_of_equals_the_cheapest_then_the_first() -> None:
    methods = [
        Method("dear", ("t",), ("a",), cost=9, fit=0.8),
        Method("cheap", ("t",), ("b",), cost=1, fit=0.8),
        Method("cheap too", ("t",), ("c",), cost=1, fit=0.8),
        Method("unlike", ("t",), ("c",), fit=0.5),
    ]
    found = planned(STEPS, methods, ("t",))
    assert (names(found), found.tree[0].method) == (["b"], "cheap")
    assert planned(STEPS, methods[3:] + methods[:1], ("t",)).tree[0].method == "dear"


def test_beliefs_decide_and_what_nobody_knows_stands_in_no_ones_way() -> None:
    methods = [Method("rich", ("t",), ("a",), "cash > $5K", fit=1), Method("poor", ("t",), ("b",), fit=0.5)]
    for cash, taken in (("$9,000", "rich"), ("$900", "poor")):
        assert planned(STEPS, methods, ("t",), known({"cash": cash})).tree[0].method == taken
    assert planned(STEPS, methods, ("t",), known({})).tree[0].method == "rich"


def test_effects_are_believed_by_later_steps_and_taken_back_with_the_way_that_brought_them() -> None:
    spend = Operator("spend", effects=(Increase("cash", -600),))
    methods = [
        Method("spending", ("save",), sequence(("spend",), ("invest",)), fit=0.9),
        Method("thrifty", ("save",), ("invest",), fit=0.1),
    ]
    invest = step("invest", "cash >= 500")
    found = planned([spend, invest], methods, ("save",), known({"cash": "1000"}))
    assert names(found) == ["invest"]
    assert names(planned([spend, invest], methods, ("save",), known({"cash": "2000"}))) == ["spend", "invest"]


def test_a_condition_may_name_a_variable_of_the_method() -> None:
    hire = Operator("hire", (("?who", "object"),), "{who} rate <= 80")
    method = Method("from market", ("staff",), ("hire", "?who"), ("offers", "?who"))
    state = State([("offers", "ann"), ("offers", "bob")], lookup=known({"ann rate": "95", "bob rate": "70"}))
    found = plan(PlanningProblem(Domain((hire,), (method,)), state, ("staff",)))
    assert found.plan == (("hire", "bob"),)
    assert dict(found.tree[0].binding) == {"?who": "bob"}


def test_the_first_alternative_that_can_be_done_is_chosen() -> None:
    steps = [step("call", "phone = works"), step("write"), step("wait")]
    network = sequence(choice(("call",), sequence(("write",), ("wait",))), ("wait",))
    found = planned(steps, [], network, known({"phone": "broken"}))
    assert names(found) == ["write", "wait", "wait"]
    assert (found.tree[0].ordering, found.tree[0].method) == ("choice", "(write, wait)")
    assert names(planned(steps, [], network, known({"phone": "works"}))) == ["call", "wait"]


def test_tasks_without_an_order_interleave_where_they_must() -> None:
    steps = [
        step("open", door="open"),
        step("close", "door = open", door="shut"),
        step("enter", "door = open", in_="yes"),
    ]
    methods = [Method("m", ("air",), sequence(("open",), ("close",)))]
    found = planned(steps, methods, parallel(("air",), ("enter",)), known({"door": "shut"}))
    assert names(found) == ["open", "enter", "close"]
    assert [node.ordering for node in found.tree] == ["sequence", "sequence"]
    assert found.root.ordering == "parallel"
    late = planned(steps, methods, sequence(("air",), ("enter",)), known({"door": "shut"}))
    assert late.status == "none"


def test_a_partial_order_is_kept() -> None:
    needs = [step("roof", "walls = up"), step("walls", "ground = firm", walls="up"), step("ground", ground="firm")]
    network = Network((("roof",), ("walls",), ("ground",)), ((2, 1), (1, 0)))
    assert names(planned(needs, [], network, known({"walls": "none", "ground": "soft"}))) == ["ground", "walls", "roof"]
    with pytest.raises(InvalidArgument, match="circular"):
        planned(needs, [], Network((("roof",), ("walls",)), ((0, 1), (1, 0))))
    with pytest.raises(InvalidArgument, match="unknown task"):
        planned(needs, [], Network((("roof",),), ((0, 1),)))


def test_every_method_and_binding_is_tried_before_there_is_no_plan() -> None:
    boxes = [("box", number) for number in range(30)]
    pick = Operator("pick", (("?box", "object"),), effects=(("picked", "?box"),))
    check = Operator("check", precondition=("picked", 29))
    method = Method("any", ("find",), sequence(("pick", "?box"), ("check",)), ("box", "?box"))
    found = plan(PlanningProblem(Domain((pick, check), (method,)), State(boxes), ("find",)))
    assert found.plan == (("pick", 29), ("check",))


def test_why_there_is_no_plan_names_the_precondition_that_was_come_furthest_to() -> None:
    steps = [step("a"), step("b", "budget > 100"), step("c", "never = so")]
    methods = [
        Method("first", ("t",), sequence(("a",), ("a",), ("b",)), fit=0.9),
        Method("second", ("t",), sequence(("c",)), fit=0.8),
    ]
    found = planned(steps, methods, ("t",), known({"budget": "40", "never": "no"}))
    assert found.status == "none"
    assert found.why is not None
    assert (found.why.task, found.why.by, found.why.condition) == (("b",), "b", "budget > 100")
    assert dict(found.why.values) == {"budget": "40"}
    assert found.why.told() == "after 2 steps, 'b' needs: budget > 100 (budget is 40)"
    assert not found


def test_why_names_the_facts_and_things_that_were_bound_by_then() -> None:
    one = problem("transport", "a b - place v - van x - parcel", "(deliver x b)", "(at x a) (at v a)")
    found = plan(one)
    assert found.why is not None
    assert found.why.told() == "after 1 step, 'go v b', by 'next-door', needs: road a b"
    assert planned([], [Method("m", ("t",), ("u",)), Method("n", ("u",), ("u",))], ("t",)).why is not None


def test_a_task_that_nobody_knows_or_calls_wrongly_is_refused() -> None:
    with pytest.raises(UnknownId, match="no task 'A'; did you mean 'a'"):
        planned([step("aa"), step("a")], [], ("A",))
    with pytest.raises(InvalidArgument, match="'hire' takes 1 arguments, not 0"):
        planned([Operator("hire", (("?who", "object"),))], [], ("hire",))
    with pytest.raises(InvalidArgument, match=r"uses \?b, which is not one of its parameters"):
        planned([Operator("o", (("?a", "object"),), ("p", "?b"))], [], ("o", 1))


def test_recursion_that_leads_back_to_itself_ends() -> None:
    methods = [Method("again", ("t",), sequence(("t",), ("a",)), fit=0.9), Method("once", ("t",), ("b",), fit=0.1)]
    assert names(planned(STEPS, methods, ("t",))) == ["b"]
    circle = [Method("m", ("t",), ("u",)), Method("n", ("u",), ("t",))]
    found = planned(STEPS, circle, ("t",))
    assert found.status == "none"
    assert found.why is not None
    assert found.why.condition == "a way that does not lead back to the task itself"


@pytest.mark.parametrize("length", [1, 2, 63, 64, 65, 200])
def test_a_walk_that_leaves_nothing_to_choose_ends_where_it_comes_back_to_its_beginning(length: int) -> None:
    go = Operator("go", (("?a", "object"), ("?b", "object")), ("at", "?a"), (Not(("at", "?a")), ("at", "?b")))
    on = Method("on", ("walk",), sequence(("go", "?a", "?b"), ("walk",)), And((("at", "?a"), ("next", "?a", "?b"))))
    ring = [("next", place, (place + 1) % length) for place in range(length)]
    found = plan(PlanningProblem(Domain((go,), (on,)), State([("at", 0), *ring]), ("walk",)))
    assert found.status == "none"
    assert found.expanded < 10 * length + 500


def test_recursion_may_do_the_same_more_than_once_where_nothing_else_reaches_the_goal() -> None:
    methods = [Method("again", ("climb",), sequence(("climb",), ("up",))), Method("once", ("climb",), ("up",))]
    up = Operator("up", effects=(Increase("height", 1),))
    one = PlanningProblem(
        Domain((up,), tuple(methods)), State(lookup=known({"height": "0"})), ("climb",), goal="height = 3"
    )
    assert names(plan(one)) == ["up", "up", "up"]


def test_a_budget_and_a_deadline_end_the_search_plainly() -> None:
    methods = [Method(f"m{number}", ("t",), sequence(("a",), ("t",))) for number in range(3)]
    counting = Operator("a", effects=(Increase("count", 1),))
    one = PlanningProblem(Domain((counting,), tuple(methods)), State(lookup=known({"count": "0"})), ("t",))
    found = plan(one, budget=1_000)
    assert (found.status, found.expanded, found.plan) == ("out of budget", 1_000, ())
    assert plan(replace(one, domain=Domain((counting,), tuple(methods[:1]))), budget=1_000).expanded == 1_000
    assert plan(one, expired=lambda: True).expanded < 1_000


def test_a_state_is_as_it_was_after_planning_and_the_lookup_is_asked_live() -> None:
    held = {"cash": "1"}
    methods = [Method("m", ("t",), ("a",), "cash > 5")]
    assert not planned(STEPS, methods, ("t",), held.get)
    held["cash"] = "9"
    assert planned(STEPS, methods, ("t",), held.get)
    assert held == {"cash": "9"}


def test_conditions_and_effects_of_every_form() -> None:
    things = {"a": "box", "b": "box", "k": "key"}
    unlock = Operator(
        "unlock",
        (("?k", "key"),),
        Or((("spare",), ("with", "?k"))),
        (
            Each((("?b", "box"),), Not(("stuck", "?b")), (("open", "?b"), Assign("{b} state", "open"))),
            Not(("with", "?k")),
        ),
    )
    both = Operator("both", precondition=And((("open", "a"), Not(Same("a", "b")), "a state = open")))
    domain = Domain((unlock, both))
    state = State([("with", "k"), ("stuck", "b")], things)
    network = sequence(("unlock", "k"), ("both",))
    assert plan(PlanningProblem(domain, state, network, goal=Not(("open", "b"))))
    assert plan(PlanningProblem(domain, state, network, goal=("open", "b"))).status == "none"
    assert plan(PlanningProblem(domain, replace(state, facts=[]), network)).status == "none"


def test_a_node_tells_what_it_asks_changes_and_costs() -> None:
    hire = Operator("hire", (("?who", "object"),), "cash > 50", (("hired", "?who"), Increase("cash", -50)), cost=50)
    method = Method("market", ("staff", "?n"), sequence(("hire", "?who"), ("hire", "?n")), ("offers", "?who"))
    one = PlanningProblem(
        Domain((hire,), (method,)), State([("offers", "ann")], lookup=known({"cash": "500"})), ("staff", "bo")
    )
    found = plan(one)
    (node,) = found.tree
    assert (node.task, node.method, node.preconditions, node.cost) == (("staff", "bo"), "market", ("offers ann",), 100)
    first = found.steps[0]
    assert (first.preconditions, first.effects) == (("cash > 50",), ("hired ann", "cash + -50"))
    assert first.is_primitive
    assert [leaf.task for leaf in leaves(node)] == [("hire", "ann"), ("hire", "bo")]
    assert [one.id for one in walk(node)] == ["t1", "t2", "t3"]


def test_the_same_problem_gives_the_same_plan() -> None:
    one = problem(
        "transport", "a b c d - place v w - van x y - parcel", "(deliver x d) (deliver y a)",
        "(at x a) (at y c) (at v b) (at w d) (road a b) (road b a) (road b c) (road c b) (road c d) (road d c)",
    )  # fmt: skip
    assert len({plan(one).plan for _ in range(3)}) == 1


@settings(max_examples=50, deadline=None)
@given(transport())
def test_there_is_a_plan_just_where_the_roads_lead_there(one: PlanningProblem) -> None:
    facts = set(one.state.facts)

    def reached(start: object) -> set[object]:
        found, todo = {start}, [start]
        while todo:
            here = todo.pop()
            fresh = {fact[2] for fact in facts if fact[:2] == ("road", here)} - found
            found |= fresh
            todo += fresh
        return found

    vans = [thing for thing, kind in one.state.objects.items() if kind == "van"]
    at = {fact[1]: fact[2] for fact in facts if fact[0] == "at"}
    network = one.network
    assert isinstance(network, Network)
    _, parcel, to = next(part for part in network.parts if isinstance(part, tuple))
    alone = replace(one, network=("deliver", parcel, to))
    possible = any(at[parcel] in reached(at[van]) for van in vans) and to in reached(at[parcel])
    found = plan(alone, budget=20_000)
    assert bool(found) == possible, found
