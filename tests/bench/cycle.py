"""What a cycle costs beside what LangGraph and the disk cost anyway: `python -m tests.bench.cycle`.

All numbers are of one run, interleaved, so that a loaded machine slows everything alike. Targets: an idle cycle at most
twice a bare five-node graph with the same saver; a working cycle (one message, three steps, a case) at most one and a
half times the bare graph plus the separately measured cost of its durable writes; at most 8 KB of checkpoint a cycle.
"""

import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from langgraph.graph import END, START, StateGraph

from graphs import wiring
from graphs.checkpoints import Checkpoints, thread_id
from mind.model import Goal, Intention, Plan, Step
from nodes.state import BdiInput, BdiOutput, BdiState, Context
from society.messages import Message
from tools.call import call
from tools.services import Services
from workspace.clock import iso
from workspace.documents import json_document
from workspace.ledger import Ledger
from workspace.names import Layout
from workspace.store import Op, Put, Store
from workspace.sync import Sync

ROUNDS, WARM = 60, 8
IDLE_TARGET, WORKING_TARGET, CHECKPOINT_TARGET = 2.0, 1.5, 8 * 1024
AGENT = "hr"


@dataclass(slots=True)
class Writes:
    """What a working cycle made durable: transactions by store, ledger bodies, and how often a group ended."""

    commits: list[tuple[str, list[Op], Mapping[str, Any]]] = field(default_factory=list)
    entries: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)


def bare_graph(saver: Checkpoints) -> Any:
    """Return five nodes that do nothing but pass on a state of our shape."""
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
    """Return how long `work` takes, in milliseconds."""
    started = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - started)


def give_work(services: Services, number: int) -> None:
    """Put one message into the inbox, and a committed plan of three steps into the mind."""
    agent, now = services.agent(AGENT), iso(services.clock())
    goal = Goal(f"G-bench-{number}", f"Bench goal {number}", priority=0.9, created=now, updated=now)
    steps = (
        Step(
            "fact",
            tool="fact_assert",
            arguments={"subject": "bench", "predicate": "round", "object": str(number), "confidence": 0.9, "source": "bench"},
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
            "memory",
            tool="memory_store_item",
            arguments={"content": f"Round {number} went through", "importance": 0.4},
        ),
    )
    plan = Plan(f"P-bench-{number}", goal.id, f"bench {number}", steps=steps, status="active", created=now, updated=now)
    intention = Intention(f"I-bench-{number}", goal.id, plan.id, started=now, updated=now)
    agent.mind.save(goal, plan, intention)
    news = {"subject": "bench_news", "value": str(number)}
    services.deliver(Message(f"MSG-bench-{number}", "ceo", AGENT, "INFORM", f"News {number}", now, metadata=news))


@contextmanager
def recorded(writes: Writes) -> Iterator[None]:
    """Record every transaction and ledger entry while the block runs."""
    commit, append = Store.commit, Ledger.append

    def spy_commit(store: Store, change: Any, *, note: Mapping[str, Any] | None = None) -> int:
        seen: list[Op] = []

        def kept(collections: Any) -> Sequence[Op]:
            ops = list(change(collections) if callable(change) else change)
            seen.extend(ops)
            return ops

        before = store.seq
        after = commit(store, kept, note=note)
        if after != before:
            writes.commits.append((str(id(store)), seen, note or {}))
        return after

    def spy_append(ledger: Ledger, agent_id: str, kind: str, body: Mapping[str, Any], **more: Any) -> Any:
        writes.entries.append((kind, dict(body)))
        return append(ledger, agent_id, kind, body, **more)

    with patch.object(Store, "commit", spy_commit), patch.object(Ledger, "append", spy_append):
        yield


def replayed(writes: Writes, folder: Path, number: int) -> Callable[[], None]:
    """Return the same writes on documents of their own: as many transactions of the same size, equally durable."""
    sync = Sync("phase")
    stores: dict[str, Store] = {}
    for name, _, _ in writes.commits:
        if name not in stores:
            stores[name] = json_document(folder / f"{len(stores)}.json", ["bench"], sync=sync)
            stores[name].commit([Put("bench", "warm", {"id": "warm"})])
    ledger = Ledger(Layout(folder), sync)

    def write() -> None:
        for name, ops, note in writes.commits:
            records = [
                Put("bench", f"{number}-{place}", {"id": f"{number}-{place}", "value": getattr(op, "value", "")})
                for place, op in enumerate(ops)
            ]
            stores[name].commit(records, note=note)
        for kind, body in writes.entries:
            ledger.append("bench", kind, body, at="2026-01-05T09:00:00.000Z", cycle=str(number))

    return write


def settle(services: Services) -> None:
    """Run cycles until the agent has nothing left to do."""
    for _ in range(40):
        if wiring.run_cycle(services, AGENT).outcome == "idle":
            return
    raise AssertionError(f"{AGENT} never came to rest")


def measure(root: Path) -> dict[str, float]:
    """Return the medians of everything, in milliseconds and bytes."""
    times: dict[str, list[float]] = {name: [] for name in ("bare", "idle", "working", "writes")}
    saver = Checkpoints(root / "bare.sqlite")
    graph = bare_graph(saver)
    given: Any = {"agent_id": AGENT, "message": "x" * 500}
    config: Any = {"configurable": {"thread_id": thread_id(root, "bench", "bare")}}
    with wiring.opened(root / "workspace") as services:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        settle(services)
        writes = Writes()
        for number in range(ROUNDS + WARM):
            times["bare"].append(timed(lambda: graph.invoke(given, config, context=Context(), durability="exit")))
            times["idle"].append(timed(lambda: wiring.run_cycle(services, AGENT)))
            give_work(services, number)
            reports = []
            if number == WARM - 1:
                with recorded(writes):
                    reports.append(wiring.run_cycle(services, AGENT))
            else:
                times["working"].append(timed(lambda: reports.append(wiring.run_cycle(services, AGENT))))
            assert reports[0].outcome == "completed", reports[0]
            if number >= WARM:
                folder = root / "writes" / str(number)
                times["writes"].append(timed(replayed(writes, folder, number)))
            settle(services)
        size = checkpoint_bytes(services)
    saver.close()
    found = {name: median(values[WARM:] if name != "writes" else values) for name, values in times.items()}
    return found | {"checkpoint": size, "commits": float(len(writes.commits)), "entries": float(len(writes.entries))}


def checkpoint_bytes(services: Services) -> float:
    """Return the mean size of the checkpoints that are kept."""
    saver = Checkpoints(services.layout.internal / "checkpoints.sqlite")
    with saver.cursor(transaction=False) as cursor:
        row = cursor.execute("SELECT avg(length(checkpoint) + length(metadata)) FROM checkpoints").fetchone()
    saver.close()
    return float(row[0])


def rows(found: Mapping[str, float]) -> list[tuple[str, float, float, bool]]:
    """Return what is promised: its name, what was measured, the most it may be, and whether it holds."""
    idle = found["idle"] / found["bare"]
    working = found["working"] / (found["bare"] + found["writes"])
    return [
        ("idle cycle / bare graph", idle, IDLE_TARGET, idle <= IDLE_TARGET),
        ("working cycle / (bare graph + its writes)", working, WORKING_TARGET, working <= WORKING_TARGET),
        ("checkpoint of a cycle, bytes", found["checkpoint"], CHECKPOINT_TARGET, found["checkpoint"] <= CHECKPOINT_TARGET),
    ]


def main() -> int:
    """Print the table; the exit code says whether every target holds."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    print(f"bare {found['bare']:.2f} ms   idle {found['idle']:.2f} ms   working {found['working']:.2f} ms")
    print(f"durable writes {found['writes']:.2f} ms: {found['commits']:.0f} transactions, {found['entries']:.0f} ledger entries")
    print(f"\n{'':44}{'measured':>10}{'target':>10}")
    for name, measured, target, holds in rows(found):
        print(f"{name:44}{measured:10.2f}{target:10.2f}  {'holds' if holds else 'MISSED'}")
    return 0 if all(row[-1] for row in rows(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
