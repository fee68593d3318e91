"""Which way each task is done: the first with which every step can be done when its turn comes."""

from collections.abc import Mapping
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from mabos.mind.model import Step
from mabos.mind.tasks import PlanTask, Way, adapt_to_agent, compounds, parts_of, remove_refused, steps_of, ways_above
from mabos.mind.ways import fault_in, find_hindered, ways
from tests.mind.examples import known


def free(_tool: str) -> str:
    return ""


def call(step_id: str, *needs: str, effects: tuple[str, ...] = (), tool: str = "", **more: object) -> PlanTask:
    return PlanTask(Step(step_id, step_id, tool, preconditions=needs, effects=effects, **more))  # type: ignore[arg-type]


HELP = PlanTask(
    Step("help", "Find help"),
    (
        Way("agency", (call("help.agency.book", "cash > 500", tool="book"), call("help.agency.brief", tool="mail"))),
        Way("friends", (call("help.friends.ask", tool="message"),), ("friends_known = yes",)),
        Way("alone", (call("help.alone.work"),)),
    ),
)


def chosen(held: Mapping[str, str], *tasks: PlanTask) -> Mapping[str, str]:
    return ways(tasks or (HELP,), known(held), free).chosen


def test_the_first_way_that_can_be_gone_is_taken() -> None:
    assert chosen({"cash": "900"}) == {"help": "agency"}
    assert chosen({"cash": "100", "friends_known": "yes"}) == {"help": "friends"}
    assert chosen({"cash": "100", "friends_known": "no"}) == {"help": "alone"}


def test_what_nobody_knows_stands_in_no_ones_way() -> None:
    assert chosen({}) == {"help": "agency"}


def test_a_tool_that_cannot_be_used_rules_its_way_out_and_is_told() -> None:
    def why(tool: str) -> str:
        return "not there yet" if tool == "mail" else ""

    assert ways((HELP,), known({"cash": "900"}), why).chosen == {"help": "friends"}
    told = find_hindered(HELP, known({"cash": "900", "friends_known": "no"}), why)
    assert set(told) == {"agency", "friends"}
    assert "tool mail is not there yet" in told["agency"]
    assert "friends_known is no" in told["friends"]


def test_what_a_later_step_needs_decides_the_way_of_an_earlier_task() -> None:
    spent = Way("dear", (call("get.dear.buy", effects=("budget status spent",)),))
    kept = Way("cheap", (call("get.cheap.borrow"),))
    get = PlanTask(Step("get"), (spent, kept))
    assert chosen({"budget status": "open"}, get, call("use", "budget status = open")) == {"get": "cheap"}


def test_an_effect_makes_a_later_precondition_true() -> None:
    steps = (call("write", effects=("page status written",)), call("publish", "page status = written"))
    assert ways(steps, known({"page status": "missing"}), free)
    found = ways(tuple(reversed(steps)), known({"page status": "missing"}), free)
    assert not found
    assert "page status is missing" in found.why


def test_where_no_way_is_left_the_deepest_condition_is_named() -> None:
    found = ways((HELP, call("tell", "team status = here")), known({"cash": "900", "team status": "gone"}), free)
    assert (found.chosen, bool(found)) == ({}, False)
    assert "team status is gone" in found.why


def test_a_branch_that_is_not_taken_asks_for_nothing() -> None:
    fork = call("which", branches=(("backlog > 40", "dear"), ("otherwise", "cheap")))
    tasks = (fork, call("dear", "cash > 500", branches=(("always", "end"),)), call("cheap"))
    assert ways(tasks, known({"backlog": "10", "cash": "1"}), free)
    assert "cash is 1" in ways(tasks, known({"backlog": "50", "cash": "1"}), free).why


def test_alternatives_need_one_that_can_be_done_and_steps_side_by_side_all() -> None:
    for ordering, possible in (("choice", True), ("parallel", False)):
        pair = (call("a", "cash > 500", ordering=ordering), call("b", ordering=ordering))
        assert bool(ways(pair, known({"cash": "1"}), free)) is possible


def test_steps_keep_the_conditions_of_their_way_and_the_branches_of_their_task() -> None:
    task = PlanTask(Step("help", branches=(("always", "end"),), preconditions=("open = yes",)), HELP.ways)
    before = call("which", branches=(("x = 1", "help"),))
    steps = steps_of((before, task), {"help": "friends"})
    assert [step.id for step in steps] == ["which", "help.friends.ask"]
    assert steps[0].branches == (("x = 1", "help.friends.ask"),)
    assert steps[1].preconditions == ("open = yes", "friends_known = yes")
    assert steps[1].branches == (("always", "end"),)


def test_ways_that_are_refused_are_left_out_also_within_others() -> None:
    outer = PlanTask(Step("do"), (Way("w", (PlanTask(Step("do.w.help"), HELP.ways),)), Way("v", (call("do.v.x"),))))
    left = remove_refused((outer,), {"do.w.help.agency"})
    assert left is not None
    assert [way.name for task in compounds(left) for way in task.ways] == ["w", "v", "friends", "alone"]
    every = {f"do.w.help.{way.name}" for way in HELP.ways}
    gone = remove_refused((outer,), every)
    assert gone is not None
    assert [way.name for way in gone[0].ways] == ["v"]
    assert remove_refused((outer,), every | {"do.v"}) is None
    assert ways_above("do.w.help.agency.book") == ("do.w.help.agency", "do.w")


@given(st.lists(st.sampled_from(["cash > 500", "cash > 50", "friends_known = yes"]), max_size=3), st.integers(0, 1000))
def test_no_way_is_taken_whose_conditions_fail(needs: list[str], cash: int) -> None:
    tasks = (PlanTask(Step("t"), (Way("first", (call("t.first.a", *needs),)), Way("last", (call("t.last.a"),)))),)
    lookup = known({"cash": str(cash), "friends_known": "no"})
    fails = (
        "friends_known = yes" in needs
        or ("cash > 500" in needs and cash <= 500)
        or ("cash > 50" in needs and cash <= 50)
    )
    assert ways(tasks, lookup, free).chosen == {"t": "last" if fails else "first"}


def one_step(number: int, drawn: tuple[str, str, str, bool]) -> PlanTask:
    """Return a step, or a task that is done by it or by one that needs nothing."""
    needs, brings, ordering, is_task = drawn
    step = call(f"s{number}", *filter(None, [needs]), effects=tuple(filter(None, [brings])), ordering=ordering)
    if not is_task:
        return step
    inner = replace(step.step, id=f"s{number}.w.a", ordering="sequence")
    return PlanTask(Step(f"s{number}"), (Way("w", (PlanTask(inner),)), Way("v", (call(f"s{number}.v.b"),))))


STEPS = st.tuples(
    st.sampled_from(["", "page status = done", "page status = open", "cash > 500"]),
    st.sampled_from(["", "page status done", "page status open"]),
    st.sampled_from(["sequence", "parallel", "choice"]),
    st.booleans(),
)


@given(st.lists(STEPS, min_size=1, max_size=5), st.integers(0, 1000))
def test_the_verifier_finds_no_fault_where_ways_were_found_and_one_wherever_none_were(
    drawn: list[tuple[str, str, str, bool]], cash: int
) -> None:
    tasks = [one_step(number, one) for number, one in enumerate(drawn)]
    lookup = known({"page status": "open", "cash": str(cash)})
    assert bool(fault_in(tasks, lookup, free)) is not bool(ways(tasks, lookup, free))


def letter(to: str, performative: str, step_id: str = "tell") -> PlanTask:
    arguments = {"to": to, "performative": performative, "content": "x"}
    return PlanTask(Step(step_id, "Tell", "agent_message", arguments, effects=("word status out",)))


def test_what_an_agent_would_say_to_itself_is_skipped_and_what_it_would_request_of_itself_is_no_way() -> None:
    kept = adapt_to_agent((letter("cfo", "INFORM"), letter("cmo", "REQUEST")), "cfo")
    assert kept is not None
    assert [(one.step.status, one.step.effects) for one in kept] == [
        ("skipped", ()), ("pending", ("word status out",)),
    ]  # fmt: skip
    assert adapt_to_agent((letter("cfo", "REQUEST"),), "cfo") is None
    task = PlanTask(
        Step("ask"), (Way("boss", (letter("cfo", "REQUEST", "ask.boss.a"),)), Way("alone", (call("ask.alone.b"),)))
    )
    left = adapt_to_agent((task,), "cfo")
    assert left is not None
    assert [way.name for way in left[0].ways] == ["alone"]


def test_a_goal_is_taken_apart_where_it_lists_things() -> None:
    assert parts_of("Reduce churn and clear the support backlog.") == ("Reduce churn", "clear the support backlog")
    assert parts_of("Review our runway") == ("Review our runway",)
