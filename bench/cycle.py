"""The cost of a cycle compared with the inherent cost of LangGraph and the disk: `python -m bench.cycle`.

All numbers come from one run, interleaved, so that a loaded machine slows everything equally. Targets: an idle cycle at
most twice a bare five-node graph with the same saver; a working cycle (one message, three steps, a case) at most one
and a half times the bare graph plus the separately measured cost of its durable writes; at most 8 KB of checkpoint a
cycle. Its writes are recorded in one working cycle and repeated in isolation on separate files (`durable.py`).
"""

import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

from langgraph.graph import END, START, StateGraph

from bench.durable import KINDS, Disk, Writes, counted, recorded, replayed
from bench.measured import Line, exactly
from bench.printed import printed
from mabos.graphs import wiring
from mabos.graphs.checkpoints import Checkpoints, thread_id
from mabos.mind.model import Goal, Intention, Item, Plan, Step
from mabos.nodes.state import BdiInput, BdiOutput, BdiState, Context, CycleReport
from mabos.society.messages import Message
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso

ROUNDS, WARM = 60, 8
IDLE_TARGET, WORKING_TARGET, CHECKPOINT_TARGET = 2.0, 1.5, 8 * 1024
WORKING_KNOWN = 1.95
"""The time allowed for a working cycle until its target is met; most of the rest is its own thinking."""
AGENT = "hr"


def bare_graph(saver: Checkpoints) -> Any:
    """Return five nodes that only pass on a state of our shape."""
    machine = StateGraph(BdiState, context_schema=Context, input_schema=BdiInput, output_schema=BdiOutput)
    before = START
    for name in ("perceive", "deliberate", "plan", "act", "learn"):

        def step(state: BdiState, name: str = name) -> dict[str, Any]:
            return {"outcome": name}

        machine.add_node(name, step)
        machine.add_edge(before, name)
        before = name
    machine.add_edge(before, END)
    return machine.compile(checkpointer=saver)


def timed(work: Callable[[], object]) -> float:
    """Return the milliseconds of `work`."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def give_work(services: Services, number: int) -> tuple[Item, ...]:
    """Put one message in the inbox and a committed plan of three steps in the mind; return the mind's content."""
    agent, now = services.agent(AGENT), iso(services.clock())
    goal = Goal(f"G-bench-{number}", f"Bench goal {number}", priority=0.9, created=now, updated=now)
    steps = (
        Step(
            "fact",
            tool="fact_assert",
            arguments={
                "subject": "bench",
                "predicate": "round",
                "object": str(number),
                "confidence": 0.9,
                "source": "bench",
            },
        ),
        Step(
            "belief",
            tool="belief_update",
            arguments={
                "description": f"Round {number} of the bench is measured",
                "certainty": 0.9,
                "source": "bench",
                "subject": "bench_round",
                "value": str(number),
            },
        ),
        Step(
            "memory", tool="memory_store_item", arguments={"content": f"Round {number} went through", "importance": 0.4}
        ),
    )
    plan = Plan(f"P-bench-{number}", goal.id, f"bench {number}", steps=steps, status="active", created=now, updated=now)
    intention = Intention(f"I-bench-{number}", goal.id, plan.id, started=now, updated=now)
    agent.mind.save(goal, plan, intention)
    news = {"subject": "bench_news", "value": str(number)}
    services.mail.deliver(Message(f"MSG-bench-{number}", "ceo", AGENT, "INFORM", f"News {number}", now, metadata=news))
    return goal, plan, intention


def settle(services: Services, agent: str = AGENT) -> None:
    """Run cycles until an agent has no work left."""
    for _ in range(40):
        if wiring.run_cycle(services, agent).outcome == "idle":
            return
    raise AssertionError(f"{agent} did not become idle")


def measure(root: Path, rounds: int) -> dict[str, float]:
    """Return the medians of all measurements, in milliseconds and bytes."""
    times: dict[str, list[float]] = {name: [] for name in ("bare", "idle", "working", "writes")}
    saver = Checkpoints(root / "bare.sqlite")
    graph = bare_graph(saver)
    given: Any = {"agent_id": AGENT, "message": "x" * 500}
    config: Any = {"configurable": {"thread_id": thread_id(root, "bench", "bare")}}
    with wiring.hold_services(root / "workspace") as services:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        settle(services)
        writes, again = Writes(), Disk()
        reports: list[CycleReport] = []
        for number in range(rounds + WARM):
            times["bare"].append(timed(lambda: graph.invoke(given, config, context=Context(), durability="exit")))
            times["idle"].append(timed(lambda: wiring.run_cycle(services, AGENT)))
            if number == WARM - 1:
                services.checkpoint()
                template = root / "template"
                shutil.copytree(services.layout.agent(AGENT), template)
                work = give_work(services, number)
                with recorded(services.layout.root, writes):
                    reports.append(wiring.run_cycle(services, AGENT))
            else:
                give_work(services, number)
                times["working"].append(timed(lambda: reports.append(wiring.run_cycle(services, AGENT))))
            assert reports[-1].outcome == "completed", reports[-1]
            if number >= WARM:
                folder = root / "writes" / str(number)
                write = replayed(writes, template, folder, work)
                if number == WARM:
                    with counted(folder, again):
                        write()
                else:
                    times["writes"].append(timed(write))
            settle(services)
        size = checkpoint_bytes(services)
    saver.close()
    found = {name: median(values[WARM:] if name != "writes" else values) for name, values in times.items()}
    assert again.syncs == writes.disk.syncs, f"{again.syncs} syncs stand for {writes.disk.syncs} of the cycle"
    kinds = {kind: float(writes.count(kind)) for kind in KINDS}
    disk = {"syncs": writes.disk.syncs, "bytes": writes.disk.bytes, "bytes again": again.bytes}
    return found | kinds | disk | {"checkpoint": size}


def checkpoint_bytes(services: Services) -> float:
    """Return the mean size of the stored checkpoints."""
    saver = Checkpoints(services.layout.internal / "checkpoints.sqlite")
    with saver.cursor(transaction=False) as cursor:
        row = cursor.execute("SELECT avg(length(checkpoint) + length(metadata)) FROM checkpoints").fetchone()
    saver.close()
    return float(row[0])


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of a cycle compared with a bare graph and its durable writes."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), max(3, ROUNDS // scale))
    bare = "a bare five-node graph with the same saver"
    idle = exactly(found["idle"] / found["bare"])
    note = f"{found['idle']:.2f} and {found['bare']:.2f} ms"
    yield Line("idle cycle", idle, most=IDLE_TARGET, unit="x", beside=bare, note=note)
    working = exactly(found["working"] / (found["bare"] + found["writes"]))
    note = f"{found['working']:.2f} and {found['bare']:.2f} + {found['writes']:.2f} ms"
    beside = "the bare graph and its writes alone"
    yield Line("working cycle", working, most=WORKING_TARGET, unit="x", beside=beside, note=note, known=WORKING_KNOWN)
    yield Line("checkpoint of a cycle", exactly(found["checkpoint"]), most=CHECKPOINT_TARGET, unit="bytes")
    listed = ", ".join(f"{found[kind]:.0f} {name}" for kind, name in KINDS.items())
    yield Line("durable writes of a working cycle, alone", exactly(found["writes"]), note=listed)
    size = f"{found['bytes']:,.0f} bytes, alone {found['bytes again']:,.0f}"
    yield Line("syncs of a working cycle, and as many alone", exactly(found["syncs"]), unit="", note=size)


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
