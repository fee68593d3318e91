"""Tokens of running workflows: gateways, loops, events, errors, sub-processes, and a kill at any place."""

import json
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.society.bpmn.document import read
from mabos.society.bpmn.engine.expressions import holds, run_script, value_of
from mabos.society.bpmn.engine.running import ProcessExecution
from mabos.society.bpmn.engine.state import ExecutionState
from mabos.society.bpmn.engine.tables import tables
from tests.society.bpmn.flows import NOW, again, at, done, later, model_of, node, path, run_of
from tests.society.bpmn.test_document import DATA, PUBLIC

START, END = node("startEvent", "s"), node("endEvent", "e")


def tasks(*names: str, kind: str = "userTask") -> str:
    return "".join(node(kind, name) for name in names)


def test_a_token_takes_the_first_flow_whose_condition_holds_else_the_default() -> None:
    big = node("exclusiveGateway", "x", default="F2")
    model = model_of(START, big, tasks("a", "b", "c"), flows="s>x; x>a[amount > 100]; x>b; x>c[amount > 10]")
    for amount, chosen in ((500, "a"), (50, "c"), (5, "b")):
        assert at(run_of(model, amount=amount)) == {chosen: "user"}


def test_a_parallel_gateway_waits_for_every_branch() -> None:
    both = node("parallelGateway", "f") + node("parallelGateway", "j")
    run = run_of(model_of(START, both, tasks("a", "b"), END, flows="s>f; f>a; f>b; a>j; b>j; j>e"))
    assert at(run) == {"a": "user", "b": "user"}
    done(run, "b")
    assert at(run) == {"a": "user", "j": "join"}
    done(run, "a")
    assert (run.state.status, at(run)) == ("completed", {})


def test_an_inclusive_gateway_waits_for_the_branches_that_were_taken_and_no_others() -> None:
    some = node("inclusiveGateway", "f", default="F3") + node("inclusiveGateway", "j")
    model = model_of(START, some, tasks("a", "b", "c"), END,
                     flows="s>f; f>a[x > 1]; f>b[x > 2]; f>c; a>j; b>j; c>j; j>e")  # fmt: skip
    run = run_of(model, x=3)
    assert at(run) == {"a": "user", "b": "user"}
    done(run, "a")
    assert at(run) == {"b": "user", "j": "join"}
    done(run, "b")
    assert run.state.status == "completed"
    only = run_of(model, x=0)
    done(only, "c")
    assert only.state.status == "completed"


def test_a_complex_gateway_joins_what_it_split_as_an_inclusive_one() -> None:
    some = node("complexGateway", "f") + node("complexGateway", "j")
    run = run_of(model_of(START, some, tasks("a", "b"), END, flows="s>f; f>a[x > 1]; f>b[x > 2]; a>j; b>j; j>e"), x=3)
    done(run, "a")
    assert at(run) == {"b": "user", "j": "join"}
    done(run, "b")
    assert run.state.status == "completed"


def test_a_branching_that_nothing_decides_waits_for_help_and_goes_where_somebody_says() -> None:
    run = run_of(model_of(START, node("exclusiveGateway", "x"), tasks("a", "b"), flows="s>x; x>a; x>b"))
    (stuck,) = run.state.troubles()
    assert "no condition" in stuck.why
    with pytest.raises(UnknownId, match="F9"):
        run.choose(stuck.id, "F9", NOW)
    run.choose(stuck.id, "F2", NOW)
    assert at(run) == {"b": "user"}


def test_the_first_event_of_a_race_wins() -> None:
    timer = node("intermediateCatchEvent", "t", node("timerEventDefinition", "d", "<timeDuration>PT1H</timeDuration>"))
    message = node("intermediateCatchEvent", "m", node("messageEventDefinition", "md", messageRef="paid"))
    model = model_of(START, node("eventBasedGateway", "g"), timer, message, tasks("late", "ship"),
                     flows="s>g; g>t; g>m; t>late; m>ship", outside='<message id="paid" name="Paid"/>')  # fmt: skip
    run = run_of(model)
    assert run.tick(later(minutes=59)) == 0
    assert run.tell_of("message", "Refused", NOW) == 0
    assert run.tell_of("message", "Paid", NOW, {"amount": 5}) == 1
    assert (at(run), run.state.variables) == ({"ship": "user"}, {"amount": 5})
    other = run_of(model)
    assert other.tick(later(hours=1)) == 1
    assert at(other) == {"late": "user"}


def test_a_boundary_timer_interrupts_its_task_or_runs_beside_it() -> None:
    def timer(interrupting: str, when: str) -> str:
        inner = node("timerEventDefinition", "d", f"<timeDuration>{when}</timeDuration>" if when[0] == "P" else
                     f"<timeCycle>{when}</timeCycle>")  # fmt: skip
        return node("boundaryEvent", "b", inner, attachedToRef="a", cancelActivity=interrupting)

    flows = "s>a; a>e; b>remind"
    run = run_of(model_of(START, tasks("a", "remind"), END, timer("true", "P1D"), flows=flows))
    run.tick(later(days=1))
    assert at(run) == {"remind": "user"}
    beside = run_of(model_of(START, tasks("a", "remind"), END, timer("false", "R2/P1D"), flows=flows))
    for day in range(1, 5):
        beside.tick(later(days=day))
    assert [one.node for one in beside.state.work()] == ["a", "remind", "remind"]


def test_an_error_goes_to_the_nearest_event_that_catches_it_else_the_workflow_fails() -> None:
    inner = node("startEvent", "is") + tasks("work") + node("endEvent", "bad", node("errorEventDefinition", "ed",
            errorRef="E1")) + '<sequenceFlow id="I1" sourceRef="is" targetRef="work"/><sequenceFlow id="I2" ' \
            'sourceRef="work" targetRef="bad"/>'  # fmt: skip
    caught = node("boundaryEvent", "c", node("errorEventDefinition", "cd", errorRef="E1"), attachedToRef="sub")
    outside = '<error id="E1" name="No stock"/>'
    run = run_of(model_of(START, node("subProcess", "sub", inner), caught, tasks("mend"), END,
                          flows="s>sub; sub>e; c>mend", outside=outside))  # fmt: skip
    done(run, "work")
    assert at(run) == {"mend": "user"}
    alone = run_of(model_of(START, node("subProcess", "sub", inner), END, flows="s>sub; sub>e", outside=outside))
    done(alone, "work")
    assert (alone.state.status, "No stock" in alone.state.outcome) == ("failed", True)
    broken = run_of(model_of(START, tasks("a"), END, flows="s>a; a>e"))
    broken.fail(broken.state.work()[0].id, "", "the server is down", NOW)
    assert (broken.state.status, broken.state.outcome) == ("failed", "the server is down")


def test_a_terminate_end_stops_everything_in_its_scope() -> None:
    stop = node("endEvent", "stop", node("terminateEventDefinition", "td"))
    run = run_of(model_of(START, tasks("a", "b"), stop, END, flows="s>a; s>b; a>stop; b>e"))
    done(run, "a")
    assert (run.state.status, at(run)) == ("terminated", {})


@pytest.mark.parametrize(("kind", "together"), [("true", 1), ("false", 3)])
def test_an_activity_is_done_once_for_each_one_by_one_or_all_at_once(kind: str, together: int) -> None:
    several = node("multiInstanceLoopCharacteristics", "l", "<loopCardinality>len(customers)</loopCardinality>",
                   isSequential=kind)  # fmt: skip
    run = run_of(model_of(START, node("userTask", "a", several), END, flows="s>a; a>e"), customers=["x", "y", "z"])
    for left in (3, 2, 1):
        assert len(run.state.work()) == min(together, left)
        done(run, "a")
    assert run.state.status == "completed"


def test_a_task_is_done_again_while_its_condition_holds() -> None:
    again_ = node("standardLoopCharacteristics", "l", "<loopCondition>not good</loopCondition>")
    run = run_of(model_of(START, node("userTask", "a", again_), END, flows="s>a; a>e"))
    done(run, "a", {"good": False})
    assert at(run) == {"a": "user"}
    done(run, "a", {"good": True})
    assert run.state.status == "completed"


def test_an_event_sub_process_takes_over_or_runs_beside() -> None:
    def handler(interrupting: str) -> str:
        begin = node("startEvent", "hs", node("messageEventDefinition", "md", messageRef="m"),
                     isInterrupting=interrupting)  # fmt: skip
        return node("subProcess", "h", begin + tasks("mend") + '<sequenceFlow id="H1" sourceRef="hs" '
                    'targetRef="mend"/>', triggeredByEvent="true")  # fmt: skip

    outside = '<message id="m" name="Alarm"/>'
    run = run_of(model_of(START, tasks("a"), handler("true"), END, flows="s>a; a>e", outside=outside))
    assert run.tell_of("message", "Alarm", NOW) == 1
    assert at(run) == {"mend": "user"}
    done(run, "mend")
    assert run.state.status == "completed"
    beside = run_of(model_of(START, tasks("a"), handler("false"), END, flows="s>a; a>e", outside=outside))
    beside.tell_of("message", "Alarm", NOW)
    done(beside, "a")
    assert (at(beside), beside.state.status) == ({"mend": "user"}, "running")
    done(beside, "mend")
    assert beside.state.status == "completed"


def test_a_message_reaches_the_other_pool_or_begins_it() -> None:
    head = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" id="D">'
    raw = f"""{head}<collaboration id="C"><participant id="P1" processRef="A"/><participant id="P2" processRef="B"/>
      <messageFlow id="M1" sourceRef="ask" targetRef="bs"/><messageFlow id="M2" sourceRef="be" targetRef="wait"/>
      </collaboration><process id="A"><startEvent id="as"/><sendTask id="ask"/><receiveTask id="wait"/>
      <endEvent id="ae"/><sequenceFlow id="A1" sourceRef="as" targetRef="ask"/>
      <sequenceFlow id="A2" sourceRef="ask" targetRef="wait"/><sequenceFlow id="A3" sourceRef="wait" targetRef="ae"/>
      </process><process id="B"><startEvent id="bs"><messageEventDefinition id="x"/></startEvent><userTask id="work"/>
      <endEvent id="be"><messageEventDefinition id="y"/></endEvent>
      <sequenceFlow id="B1" sourceRef="bs" targetRef="work"/><sequenceFlow id="B2" sourceRef="work" targetRef="be"/>
      </process></definitions>"""
    run = ProcessExecution(tables(read(raw.encode()).model), ExecutionState("W-1"))
    run.begin(["A"], NOW)
    done(run, "ask")
    assert at(run) == {"wait": "message", "work": "user"}
    done(run, "work")
    assert run.state.status == "completed"


def test_what_was_done_is_undone_the_latest_first() -> None:
    def undone(task: str) -> str:
        event = node("boundaryEvent", f"u{task}", node("compensateEventDefinition", f"d{task}"), attachedToRef=task)
        link = f'<association id="l{task}" sourceRef="u{task}" targetRef="undo_{task}"/>'
        return event + node("userTask", f"undo_{task}", isForCompensation="true") + link

    back = node("intermediateThrowEvent", "back", node("compensateEventDefinition", "cd"))
    run = run_of(model_of(START, tasks("a", "b"), undone("a"), undone("b"), back, END,
                          flows="s>a; a>b; b>back; back>e"))  # fmt: skip
    done(run, "a")
    done(run, "b")
    assert [one.node for one in run.state.work()] == ["undo_b", "undo_a"]


def test_a_loop_that_waits_for_nothing_is_stopped_and_told() -> None:
    run = run_of(model_of(START, node("exclusiveGateway", "x"), node("exclusiveGateway", "y"), flows="s>x; x>y; y>x"))
    (stuck,) = run.state.troubles()
    assert "goes round" in stuck.why


def test_a_process_that_would_run_inside_itself_waits_for_help_and_fills_nothing() -> None:
    run = run_of(model_of(START, node("callActivity", "c", calledElement="P"), END, flows="s>c; c>e"))
    (stuck,) = run.state.troubles()
    assert "runs already" in stuck.why
    assert len(run.state.scopes) == 1
    run.complete(stuck.id, {}, NOW)
    assert run.state.status == "completed"


def test_every_wait_of_a_token_is_another_occasion() -> None:
    gateway = node("exclusiveGateway", "x")
    run = run_of(model_of(START, tasks("a", "b"), gateway, END, flows="s>a; a>b; b>x; x>a[back]; x>e[out]"), out=False)
    run.state.variables["back"] = False
    seen = list[str]()
    for name in ("a", "b", "x") * 3:
        (token,) = run.state.waits()
        assert token.node == name
        seen.append(token.occasion)
        run = again(run)
        if name == "x":  # nothing decides, and somebody says: back
            run.choose(token.id, "F3", NOW)
        else:
            done(run, name)
    assert len(set(seen)) == len(seen)


def test_a_workflow_that_has_ended_takes_nothing_more() -> None:
    run = run_of(model_of(START, END, flows="s>e"))
    with pytest.raises(InvalidArgument, match="completed"):
        run.tick(NOW)


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("${amount > 5 && !late}", True),
        ("= amount = 7", True),
        ("customer.name == 'A = B'", True),
        ("amount gt 5 or missing", True),
        ("len(items) * 2 + 1", 5),
        ("'x' in items", True),
    ],
)
def test_conditions_of_several_engines_are_understood(expression: str, value: object) -> None:
    known = {"amount": 7, "late": False, "customer": {"name": "A = B"}, "items": ["x", "y"]}
    assert value_of(expression, known) == value


@pytest.mark.parametrize(
    "expression",
    ["", "nobody > 5", "9**9**9", "__import__('os')", "().__class__", "open('/etc/passwd')", "'a' * 10**9",
     "1 << 999999", "[x for x in range(10**9)]",
     "'a'.ljust(10**9)", "'a'.ljust(1000000000)", "'%1000000000d' % 1", "f'{amount:>100000000}'", "name.upper()",
     "*".join(["99999999999"] * 150), "amount.__class__", "x" * 3000, "getVariable('x')", "lambda: 1", "date('never')"],
)  # fmt: skip
def test_what_is_no_plain_condition_is_refused_and_never_run(expression: str) -> None:
    with pytest.raises(InvalidArgument):
        value_of(expression, {"amount": 7})


def test_a_script_sets_variables_one_after_the_other() -> None:
    assert run_script("total = price * seats; rebate = total > 100\n# done", {"price": 60, "seats": 2}) == {
        "total": 120,
        "rebate": True,
    }
    assert run_script("note = 'first; then'; due = date('2026-03-01')", {}) == {
        "note": "first; then",
        "due": "2026-03-01",
    }
    with pytest.raises(InvalidArgument, match="is not an assignment"):
        run_script("print(price)", {"price": 1})
    assert holds("${a == null}", {"a": None})


@pytest.mark.parametrize(
    "script",
    [
        "a = 99999999999\n" + "a = a * a\n" * 40,
        "a = [1]\n" + "a = [a, a]\n" * 60,
        "a = {1, 2}",
        "a = 2 * 9223372036854775807",
    ],
)
def test_a_script_that_makes_what_cannot_be_kept_is_refused_at_once(script: str) -> None:
    with pytest.raises(InvalidArgument):
        run_script(script, {})


def answered(run: ProcessExecution, chance: st.DataObject | None, moment: int) -> None:
    """Answer the first wait of a run, in the way that it can be answered."""
    state, now = run.state, NOW + timedelta(days=moment)
    token = state.waits()[0]
    where, flows = run.tables.node(token.node), run.tables.outgoing[token.node]
    if token.wait == "trouble" and flows:
        run.choose(token.id, flows[moment % len(flows)].id, now)
    elif token.wait in ("timer", "conditional") or (token.wait == "race" and chance is None and moment % 2):
        state.variables.update(dict.fromkeys(("x",), True))
        if not run.tick(now + timedelta(days=500)):
            token.wait = "trouble"
            run.complete(token.id, {}, now)
    elif token.wait == "race":
        run.tell_of("message", flows[moment % len(flows)].target, now) or run.tick(now + timedelta(days=500))
    elif token.wait in ("message", "signal"):
        assert run.tell_of(token.wait, where.id, now)
    else:
        run.complete(token.id, {}, now)


@PUBLIC
@pytest.mark.parametrize("name", sorted(one.name for one in (DATA / "miwg").glob("*.bpmn")))
def test_every_public_reference_process_runs_to_an_end_when_all_its_waits_are_answered(name: str) -> None:
    model = read((DATA / "miwg" / name).read_bytes(), name).model
    run = ProcessExecution(tables(model), ExecutionState(name))
    run.begin([one for one in model.processes if model.members[one]], NOW)
    for moment in range(400):
        if run.state.status != "running":
            break
        answered(run, None, moment)
    assert run.state.status in ("completed", "terminated", "failed"), [one.wait for one in run.state.waits()]
    assert any(run.tables.node(one).type == "endEvent" or not run.tables.outgoing[one] for one in path(run))


@PUBLIC
@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_run_that_is_taken_up_again_after_every_move_comes_to_the_same_end(data: st.DataObject) -> None:
    file: Path = data.draw(st.sampled_from(sorted((DATA / "miwg").glob("*.bpmn"))))
    model = read(file.read_bytes(), file.name).model
    table = tables(model)
    one, other = ProcessExecution(table, ExecutionState("W-1")), ProcessExecution(table, ExecutionState("W-1"))
    for run in (one, other):
        run.begin([process for process in model.processes if model.members[process]], NOW)
    for moment in range(40):
        if one.state.status != "running":
            break
        answered(one, None, moment)
        kept = json.loads(json.dumps(other.state.as_json()))
        other = again(ProcessExecution(table, ExecutionState.of(kept)))
        answered(other, None, moment)
        assert other.state.as_json() == one.state.as_json()
