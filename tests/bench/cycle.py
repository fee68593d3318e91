"""What a cycle costs beside what LangGraph and the disk cost anyway: `python -m tests.bench.cycle`.

All numbers are of one run, interleaved, so that a loaded machine slows everything alike. Targets: an idle cycle at most
twice a bare five-node graph with the same saver; a working cycle (one message, three steps, a case) at most one and a
half times the bare graph plus the separately measured cost of its durable writes; at most 8 KB of checkpoint a cycle.
A durable write is the call that acknowledges it: a saved mind (Markdown, merged with hand edits), a transaction of a
document, a ledger entry. They are recorded in one working cycle and done again, alone, on files of their own.
"""

import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
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
from mind.mind import Mind, open_mind
from mind.model import Goal, Intention, Plan, Step
from nodes.report import CycleReport
from nodes.state import BdiInput, BdiOutput, BdiState, Context
from society.messages import Message
from tools.call import call
from tools.services import Services
from workspace.clock import iso, system_clock
from workspace.documents import json_document
from workspace.ids import Ids
from workspace.ledger import Ledger
from workspace.names import Layout
from workspace.store import Op, Put, Store
from workspace.sync import Sync

ROUNDS, WARM = 60, 8
IDLE_TARGET, WORKING_TARGET, CHECKPOINT_TARGET = 2.0, 1.5, 8 * 1024
AGENT = "hr"
KINDS = {"mind": "saved minds", "transaction": "transactions of documents", "entry": "ledger entries"}


@dataclass(slots=True)
class Writes:
    """What a working cycle made durable, in order: saved minds, transactions, ledger entries, ends of groups."""

    done: list[tuple[str, Any]] = field(default_factory=list)
    within: int = 0

    def count(self, kind: str) -> int:
        """Return how many writes of a kind there were."""
        return sum(one == kind for one, _ in self.done)


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
    """Record every write of the block that is acknowledged as durable, by the call that acknowledges it."""
    save, commit, append, group = Mind.save, Store.commit, Ledger.append, Sync.group

    def spy_save(mind: Mind, *items: Any, **more: Any) -> int:
        writes.done.append(("mind", (items, more)))
        writes.within += 1
        try:
            return save(mind, *items, **more)
        finally:
            writes.within -= 1

    def spy_commit(store: Store, change: Any, *, note: Mapping[str, Any] | None = None) -> int:
        seen: list[Op] = []

        def kept(collections: Any) -> Sequence[Op]:
            seen[:] = change(collections) if callable(change) else change
            return seen

        before = store.seq
        after = commit(store, kept, note=note)
        if after != before and not writes.within:
            writes.done.append(("transaction", (id(store), list(seen), note or {})))
        return after

    def spy_append(ledger: Ledger, agent_id: str, kind: str, body: Mapping[str, Any], **more: Any) -> Any:
        writes.done.append(("entry", (kind, dict(body))))
        return append(ledger, agent_id, kind, body, **more)

    @contextmanager
    def spy_group(sync: Sync) -> Iterator[None]:
        writes.done.append(("begin", None))
        with group(sync):
            yield
        writes.done.append(("end", None))

    with (
        patch.object(Mind, "save", spy_save),
        patch.object(Store, "commit", spy_commit),
        patch.object(Ledger, "append", spy_append),
        patch.object(Sync, "group", spy_group),
    ):
        yield


def replayed(writes: Writes, template: Path, folder: Path) -> Callable[[], None]:
    """Return the same writes on files of their own: a copy of the mind as it was, and as many documents.

    Files are made and read before, as they are in a running workspace; only the writing is left to do.
    """
    sync, clock = Sync("phase"), system_clock
    shutil.copytree(template, folder / "mind")
    mind = open_mind(folder / "mind", clock=clock, ids=Ids(clock), sync=sync)
    _ = mind.beliefs, mind.desires, mind.goals, mind.intentions, mind.plans, mind.learnings
    stores: dict[int, Store] = {}
    for _, (name, *_rest) in (one for one in writes.done if one[0] == "transaction"):
        if name not in stores:
            stores[name] = json_document(folder / f"{len(stores)}.json", ["bench"], sync=sync)
            stores[name].commit([Put("bench", "warm", {"id": "warm"})])
    ledger = Ledger(Layout(folder), sync)
    ledger.append("bench", "warm", {}, at=iso(clock()))

    def write() -> None:
        with ExitStack() as groups:
            for place, (kind, what) in enumerate(writes.done):
                if kind == "begin":
                    groups.enter_context(sync.group())
                elif kind == "end":
                    groups.close()
                elif kind == "mind":
                    mind.save(*what[0], **what[1])
                elif kind == "entry":
                    ledger.append("bench", what[0], what[1], at=iso(clock()), cycle="bench")
                else:
                    name, ops, note = what
                    keys = [f"{place}-{number}" for number in range(len(ops))]
                    records = [
                        Put("bench", key, {"id": key, "value": getattr(op, "value", "")})
                        for key, op in zip(keys, ops, strict=True)
                    ]
                    stores[name].commit(records, note=note)

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
        reports: list[CycleReport] = []
        for number in range(ROUNDS + WARM):
            times["bare"].append(timed(lambda: graph.invoke(given, config, context=Context(), durability="exit")))
            times["idle"].append(timed(lambda: wiring.run_cycle(services, AGENT)))
            give_work(services, number)
            if number == WARM - 1:
                services.checkpoint()
                template = root / "template"
                shutil.copytree(services.layout.agent(AGENT), template)
                with recorded(writes):
                    reports.append(wiring.run_cycle(services, AGENT))
            else:
                times["working"].append(timed(lambda: reports.append(wiring.run_cycle(services, AGENT))))
            assert reports[-1].outcome == "completed", reports[-1]
            if number >= WARM:
                folder = root / "writes" / str(number)
                times["writes"].append(timed(replayed(writes, template, folder)))
            settle(services)
        size = checkpoint_bytes(services)
    saver.close()
    found = {name: median(values[WARM:] if name != "writes" else values) for name, values in times.items()}
    kinds = {kind: float(writes.count(kind)) for kind in ("mind", "transaction", "entry")}
    return found | kinds | {"checkpoint": size}


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
        (
            "checkpoint of a cycle, bytes",
            found["checkpoint"],
            CHECKPOINT_TARGET,
            found["checkpoint"] <= CHECKPOINT_TARGET,
        ),
    ]


def main() -> int:
    """Print the table; the exit code says whether every target holds."""
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder))
    print(f"bare {found['bare']:.2f} ms   idle {found['idle']:.2f} ms   working {found['working']:.2f} ms")
    counted = ", ".join(f"{found[kind]:.0f} {name}" for kind, name in KINDS.items())
    print(f"its durable writes alone {found['writes']:.2f} ms: {counted}")
    print(f"\n{'':44}{'measured':>10}{'target':>10}")
    for name, measured, target, holds in rows(found):
        print(f"{name:44}{measured:10.2f}{target:10.2f}  {'holds' if holds else 'MISSED'}")
    return 0 if all(row[-1] for row in rows(found)) else 1


if __name__ == "__main__":
    sys.exit(main())
