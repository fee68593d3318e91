"""The task rate of workflows, compared with SpiffWorkflow: `python -m bench.workflows`.

A process with a sequence of script tasks is run from start to end; ours saves its state after every task, as a journal
would. SpiffWorkflow (LGPL) is measured alternately in the same run if installed. Then the cost of waiting workflows per
cycle of an agent is measured.
"""

import importlib.util
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

from bench.measured import Line, exactly, missing
from bench.printed import printed
from mabos.configs.settings import load_settings
from mabos.graphs import wiring
from mabos.society.bpmn.document import WorkflowDocument, read
from mabos.society.bpmn.engine.expressions import run_script
from mabos.society.bpmn.engine.running import ProcessExecution
from mabos.society.bpmn.engine.state import ExecutionState
from mabos.society.bpmn.engine.tables import tables
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller
from mabos.tools.workflow.due import due
from mabos.workspace.clock import SteppedClock
from tests.world import write_company

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SIZES, PEERED, ROUNDS = (10, 100, 1000), 100, 7
AHEAD, LINEAR = 5.0, 1.5
RUNS, CYCLES, SHARE = 20, 60, 5.0
_HEAD = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:bench" id="D">'

WAITING = (
    f'{_HEAD}<process id="P" isExecutable="true"><startEvent id="s"/><userTask id="t" name="Wait"/><endEvent id="e"/>'
    '<sequenceFlow id="f" sourceRef="s" targetRef="t"/><sequenceFlow id="g" sourceRef="t" targetRef="e"/></process>'
    "</definitions>"
)


def row_of(count: int) -> WorkflowDocument:
    """Return a process with that many script tasks in sequence."""
    names = ["s", *(f"t{number}" for number in range(count)), "e"]
    script = "<script>x = x + 1</script>"
    tasks = "".join(f'<scriptTask id="{one}" name="{one}">{script}</scriptTask>' for one in names[1:-1])
    flows = "".join(
        f'<sequenceFlow id="f{at}" sourceRef="{one}" targetRef="{other}"/>'
        for at, (one, other) in enumerate(pairwise(names))
    )
    inner = f'<startEvent id="s"/>{tasks}<endEvent id="e"/>{flows}'
    return read(f'{_HEAD}<process id="P" isExecutable="true">{inner}</process></definitions>'.encode())


def ours(document: WorkflowDocument) -> Callable[[], None]:
    """Return a function that runs a process to its end and saves its state after every task."""
    table = tables(document.model)

    def run() -> None:
        made = ProcessExecution(table, ExecutionState("W-1", variables={"x": 0}))
        made.begin(["P"], NOW)
        kept = 0
        while work := made.state.work():
            token = work[0]
            made.complete(token.id, run_script(table.node(token.node).script, made.state.variables), NOW)
            kept += len(json.dumps(made.state.as_json()))
        assert (made.state.status, made.state.variables["x"]) == ("completed", len(table.model.nodes) - 2)

    return run


def spiff(document: WorkflowDocument) -> Callable[[], None] | None:
    """Return a function that runs the process in SpiffWorkflow; None if it is not installed."""
    if importlib.util.find_spec("SpiffWorkflow") is None:
        return None
    from SpiffWorkflow.bpmn.parser.BpmnParser import BpmnParser
    from SpiffWorkflow.bpmn.workflow import BpmnWorkflow

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.bpmn"
        path.write_bytes(document.xml())
        parser = BpmnParser()
        parser.add_bpmn_file(str(path))
        spec = parser.get_spec("P")

    def run() -> None:
        workflow = BpmnWorkflow(spec)
        workflow.task_tree.data["x"] = 0
        workflow.do_engine_steps()
        assert workflow.is_completed()

    return run


def tasks_a_second(run: Callable[[], None], count: int) -> float:
    """Return the tasks per second of one run."""
    started = time.perf_counter()
    run()
    return count / (time.perf_counter() - started)


def waiting(count: int, times: int) -> tuple[float, float]:
    """Return the seconds of an idle cycle with that many runs waiting for a person, and of checking them."""
    with tempfile.TemporaryDirectory() as folder:
        clock = SteppedClock(NOW)
        settings = load_settings().model_copy(update={"durability": "off"})
        with wiring.hold_services(
            write_company(Path(folder) / "workspace"), clock=clock, settings=settings
        ) as services:
            for number in range(count):
                named = {"workflow_id": f"w{number}"}
                made, begun = named | {"name": "Waits", "bpmn": WAITING}, named | {"status": "running"}
                for tool, given in (("workflow_create", made), ("workflow_status", begun)):
                    assert call(services, tool, given, caller=Caller("agent", "ceo"), agent_id="ceo").ok
            for _ in range(3):  # they ask, and then there is nothing left to do
                wiring.run_cycle(services, "ceo")
            assert len(services.decisions().all()) == count
            agent = services.agent("ceo")
            cycles = [seconds(lambda: wiring.run_cycle(services, "ceo")) for _ in range(times)]
            return median(cycles), median(seconds(lambda: due(agent)) for _ in range(times))


def seconds(run: Callable[[], object]) -> float:
    """Return the duration of an action."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def lines(scale: int) -> Iterator[Line]:
    """Yield the tasks per second of processes of several lengths, and the cost of waiting workflows."""
    found: dict[int, float] = {}
    for size in SIZES:
        found[size], peer = rates(size, ROUNDS if scale == 1 else 1)
        what = f"tasks a second of a process of {size:,}"
        if size != PEERED:
            yield Line(what, exactly(found[size]), unit="")
        elif not peer:
            yield missing(what, "SpiffWorkflow")
        else:
            note = f"{found[size]:,.0f} and {peer:,.0f}"
            yield Line(what, exactly(found[size] / peer), least=AHEAD, unit="x", beside="SpiffWorkflow", note=note)
    linear = exactly(found[100] / found[1000])
    yield Line("cost of a task among 1,000", linear, most=LINEAR, unit="x", beside="one among 100")
    runs = max(1, RUNS // scale)
    cycle, look = waiting(runs, CYCLES // min(scale, 10))
    note = f"{look * 1e3:.2f} of {cycle * 1e3:.1f} ms"
    share = exactly(100 * look / cycle)
    yield Line(f"a look at {runs} workflows that wait", share, most=SHARE, unit="%", beside="an idle cycle", note=note)


def rates(size: int, rounds: int) -> tuple[float, float]:
    """Return the tasks per second of a process of a size, ours and SpiffWorkflow's alternately; 0 if it is missing."""
    document = row_of(size)
    one, other = ours(document), spiff(document) if size == PEERED else None
    found: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds):
        found[0].append(tasks_a_second(one, size))
        if other is not None:
            found[1].append(tasks_a_second(other, size))
    return median(found[0]), median(found[1]) if found[1] else 0.0


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
