"""How many tasks a workflow does in a second, beside SpiffWorkflow: `python -m tests.bench.workflows`.

A process of so many script tasks in a row is run from start to end; ours keeps its state after every task, as a journal
would. SpiffWorkflow (LGPL) is measured where it is installed, in the same run, by turns. Then what workflows that wait
for people cost each cycle of an agent.
"""

import importlib.util
import json
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from statistics import median

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from configs.settings import load_settings
from graphs import wiring
from society.bpmn.document import Document, read
from society.bpmn.engine.expressions import performed
from society.bpmn.engine.running import Run
from society.bpmn.engine.state import State
from society.bpmn.engine.tables import tables
from tests.tools.workspaces import laid_out
from tools.agent import Caller
from tools.call import call
from tools.workflow_due import due
from workspace.clock import SteppedClock

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
SIZES, ROUNDS = (10, 100, 1000), 7
AHEAD, LINEAR = 5.0, 1.5
RUNS, CYCLES, SHARE = 20, 60, 0.05
_HEAD = '<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="urn:bench" id="D">'

WAITING = (
    f'{_HEAD}<process id="P" isExecutable="true"><startEvent id="s"/><userTask id="t" name="Wait"/><endEvent id="e"/>'
    '<sequenceFlow id="f" sourceRef="s" targetRef="t"/><sequenceFlow id="g" sourceRef="t" targetRef="e"/></process>'
    "</definitions>"
)


def row_of(count: int) -> Document:
    """Return a process of so many script tasks in a row."""
    names = ["s", *(f"t{number}" for number in range(count)), "e"]
    script = "<script>x = x + 1</script>"
    tasks = "".join(f'<scriptTask id="{one}" name="{one}">{script}</scriptTask>' for one in names[1:-1])
    flows = "".join(
        f'<sequenceFlow id="f{at}" sourceRef="{one}" targetRef="{other}"/>'
        for at, (one, other) in enumerate(pairwise(names))
    )
    inner = f'<startEvent id="s"/>{tasks}<endEvent id="e"/>{flows}'
    return read(f'{_HEAD}<process id="P" isExecutable="true">{inner}</process></definitions>'.encode())


def ours(document: Document) -> Callable[[], None]:
    """Return what runs a process to its end and keeps its state after every task."""
    table = tables(document.model)

    def run() -> None:
        made = Run(table, State("W-1", variables={"x": 0}))
        made.begin(["P"], NOW)
        kept = 0
        while work := made.state.work():
            token = work[0]
            made.complete(token.id, performed(table.node(token.node).script, made.state.variables), NOW)
            kept += len(json.dumps(made.state.as_json()))
        assert (made.state.status, made.state.variables["x"]) == ("completed", len(table.model.nodes) - 2)

    return run


def spiff(document: Document) -> Callable[[], None] | None:
    """Return what runs the process in SpiffWorkflow; None where that is not installed."""
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
    """Return the tasks a second of one run."""
    started = time.perf_counter()
    run()
    return count / (time.perf_counter() - started)


def waiting(count: int) -> tuple[float, float]:
    """Return the seconds of an idle cycle beside so many runs that wait for a person, and of its look at them."""
    with tempfile.TemporaryDirectory() as folder:
        clock = SteppedClock(NOW)
        settings = load_settings().model_copy(update={"durability": "off"})
        with wiring.opened(laid_out(Path(folder) / "workspace"), clock=clock, settings=settings) as services:
            for number in range(count):
                named = {"workflow_id": f"w{number}"}
                made, begun = named | {"name": "Waits", "bpmn": WAITING}, named | {"status": "running"}
                for tool, given in (("workflow_create", made), ("workflow_status", begun)):
                    assert call(services, tool, given, caller=Caller("agent", "ceo"), agent_id="ceo").ok
            for _ in range(3):  # they ask, and then there is nothing left to do
                wiring.run_cycle(services, "ceo")
            assert len(services.decisions().all()) == count
            agent = services.agent("ceo")
            cycles = [seconds(lambda: wiring.run_cycle(services, "ceo")) for _ in range(CYCLES)]
            return median(cycles), median(seconds(lambda: due(agent)) for _ in range(CYCLES))


def seconds(run: Callable[[], object]) -> float:
    """Return how long something takes."""
    started = time.perf_counter()
    run()
    return time.perf_counter() - started


def main() -> int:
    """Print the tables; the exit code says whether every target holds."""
    is_fast = fast_enough()
    cycle, look = waiting(RUNS)
    print(f"{RUNS} runs that wait: a look at all {look * 1e3:.2f} ms of {cycle * 1e3:.1f} ms that an idle cycle takes:")
    print(f"{look / cycle:.1%} (at most {SHARE:.0%})")
    return 0 if is_fast and look / cycle <= SHARE else 1


def fast_enough() -> bool:
    """Print the tasks a second, and return whether they reach their targets."""
    found: dict[int, tuple[float, float]] = {}
    for size in SIZES:
        document = row_of(size)
        one, other = ours(document), spiff(document) if size <= 100 else None
        rates: tuple[list[float], list[float]] = ([], [])
        for _ in range(ROUNDS):
            rates[0].append(tasks_a_second(one, size))
            if other is not None:
                rates[1].append(tasks_a_second(other, size))
        found[size] = median(rates[0]), median(rates[1]) if rates[1] else 0.0
        peer = f"{found[size][1]:,.0f}" if found[size][1] else "not measured"
        print(f"{size:>5} tasks in a row: {found[size][0]:>10,.0f} tasks/s    SpiffWorkflow {peer}")
    ahead = found[100][0] / found[100][1] if found[100][1] else 0.0
    linear = found[100][0] / found[1000][0]
    told = f"{ahead:.1f}x" if ahead else "SpiffWorkflow is not installed"
    print(f"100 tasks, ours to SpiffWorkflow: {told} (at least {AHEAD:g}x)")
    print(f"cost of a task among 1,000 to one among 100: {linear:.2f}x (at most {LINEAR:g}x)")
    return (not ahead or ahead >= AHEAD) and linear <= LINEAR


if __name__ == "__main__":
    sys.exit(main())
