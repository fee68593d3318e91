"""Procedures beside python-agentspeak, both given the same programs in one run: `python -m tests.bench.procedures`.

The peer (GPL, so never a dependency) runs in an environment of its own, `build/agentspeak`, which is made where it is
missing; where that cannot be, only our lines are printed. `--record` writes the traces that the peer gives of the
programs in `tests/mind/procedures/programs` into `traces.json`, which the suite compares ours with; `--invented 200 7`
compares the traces of 200 programs made at random from the seed 7.

Both parse before the clock starts. Targets: at least a quarter of the peer's increments a second, as many messages; an
agent among 5,000 costs at most 1.2 times what it costs among 1,000; at most 50 KB for one with nothing to do.
"""

import gc
import json
import subprocess
import sys
import time
import tracemalloc
import venv
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from mind.procedures import Program, Scheduler, program
from tests.mind.procedures.compared import FAILED, PEER, TRACES, programs, traced
from tests.mind.procedures.invented import invented

ENVIRONMENT = Path(__file__).parents[2] / "build" / "agentspeak"
PINNED = "agentspeak==0.2.2"
MANY, AGENTS, MORE_AGENTS, EACH, ROUNDS = 3_000, 1_000, 5_000, 20, 5
SIDE_BY_SIDE, MESSAGES_TARGET, GROWTH_TARGET, MEMORY_TARGET = 0.25, 1.0, 1.2, 50.0

BELIEFS = "count(0). +count(N) : N < {many} <- -count(N); +count(N + 1)."
GOALS = "!count(0). +!count(N) : N < {many} <- !count(N + 1). +!count(N)."
SERVE = "!ball(0). +!ball(N) : N < {many} <- .send(bob, achieve, ball(N + 1)). +!ball(N)."
RETURN = "+!ball(N) : N < {many} <- .send(ann, achieve, ball(N + 1)). +!ball(N)."
IDLE = "price(apple, 3). +!sell(X) : price(X, P) <- .print(X, P)."

Request = dict[str, Any]


def requests() -> dict[str, Request]:
    """Return what is timed: the agents of each program, and how often each of them stands."""
    goals = GOALS.format(many=EACH)
    ball = [["ann", SERVE.format(many=MANY)], ["bob", RETURN.format(many=MANY)]]
    return {
        "beliefs": {"agents": [["a", BELIEFS.format(many=MANY)]], "copies": 1, "many": MANY},
        "goals": {"agents": [["a", GOALS.format(many=MANY)]], "copies": 1, "many": MANY},
        "messages": {"agents": ball, "copies": 1, "many": MANY},
        "thousand": {"agents": [["a", goals]], "copies": AGENTS, "many": AGENTS * EACH},
        "five thousand": {"agents": [["a", goals]], "copies": MORE_AGENTS, "many": MORE_AGENTS * EACH},
    }


def ours(request: Request) -> float:
    """Return the seconds of the processor that our world takes for a request."""
    world = Scheduler()
    for name, text in request["agents"]:
        shared = program(text)
        for at in range(request["copies"]):
            world.add(f"{name}{at}" if request["copies"] > 1 else name, shared)
    gc.collect()
    begun = time.process_time()
    world.run()
    return time.process_time() - begun


def peer_python() -> Path | None:
    """Return the Python of the peer's environment, made now where it is missing; None where it cannot be had."""
    python = ENVIRONMENT / "bin" / "python"
    if not (ENVIRONMENT / "ready").exists():
        venv.create(ENVIRONMENT, with_pip=True, clear=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", PINNED]
        if subprocess.run(install, check=False).returncode:
            return None
        (ENVIRONMENT / "ready").touch()
    return python


def asked(python: Path, request: Request) -> dict[str, Any]:
    """Return the peer's answer to a request."""
    done = subprocess.run([python, PEER], input=json.dumps(request), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def record(python: Path) -> int:
    """Write the peer's traces down; return how many of ours differ."""
    traces = asked(python, {"programs": programs()})["programs"]
    lines = [f" {json.dumps(name)}: {json.dumps(traces[name])}" for name in sorted(traces)]
    TRACES.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    different = [name for name, agents in programs().items() if traced(agents) != traces[name]]
    print(f"{len(traces)} traces of {PINNED} recorded; ours differ in {', '.join(different) or 'none'}")
    return len(different)


def compare(python: Path, many: int, seed: int) -> int:
    """Compare the traces of random programs; return how many differ of those that the peer carries through."""
    chance = Random(seed)
    made = {str(at): invented(chance) for at in range(many)}
    theirs = asked(python, {"programs": made})["programs"]
    whole = [name for name in made if FAILED not in theirs[name]]
    different = [name for name in whole if traced(made[name]) != theirs[name]]
    lines = sum(len(theirs[name]) for name in whole)
    print(
        f"{len(whole)} of {many} programs carried through by {PINNED}, {lines} lines; ours differ in {len(different)}"
    )
    return len(different)


def busy_among(idle: int) -> float:
    """Return the seconds of ten agents at work among others that have nothing to do."""
    world, quiet, shared = Scheduler(), program(IDLE), program(GOALS.format(many=500))
    for at in range(idle):
        world.add(f"idle{at}", quiet)
    for at in range(10):
        world.add(f"busy{at}", shared)
    gc.collect()
    begun = time.process_time()
    world.run()
    return time.process_time() - begun


def memory(shared: Program) -> float:
    """Return the KB that an agent with nothing to do takes."""
    world = Scheduler()
    tracemalloc.start()
    for at in range(AGENTS):
        world.add(f"agent{at}", shared)
    world.run()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / AGENTS / 1024


def told(name: str, value: str, limit: str = "", *, holds: bool = True) -> bool:
    """Print one line, and return whether it keeps its limit."""
    print(f"{name:<64}{value:>22}  {limit:<12}{'' if holds else 'MISSED'}")
    return holds


def beside(python: Path | None) -> list[bool]:
    """Print what was timed on both sides, interleaved, and return whether each ratio keeps its limit."""
    mine: dict[str, list[float]] = {name: [] for name in requests()}
    theirs: dict[str, list[float]] = {name: [] for name in requests()}
    for _ in range(ROUNDS):
        for name, request in requests().items():
            mine[name].append(ours(request))
            if python is not None and (request["copies"] == 1 or len(theirs[name]) == 0):
                theirs[name].append(asked(python, {"timed": {name: request}})["timed"][name])
    kept = []
    for name, request in requests().items():
        speed = request["many"] / median(mine[name])
        told(f"{name}: increments or messages a second", f"{speed:,.0f}")
        if theirs[name]:
            ratio = median(theirs[name]) / median(mine[name])
            least = MESSAGES_TARGET if name == "messages" else SIDE_BY_SIDE
            peer = f"{name}: times python-agentspeak ({request['many'] / median(theirs[name]):,.0f})"
            kept.append(told(peer, f"{ratio:.2f}", f">= {least:g}", holds=ratio >= least))
    pairs = zip(mine["five thousand"], mine["thousand"], strict=True)
    growth = median(more / fewer for more, fewer in pairs) * AGENTS / MORE_AGENTS
    kept.append(
        told("one of 5,000 against one of 1,000", f"{growth:.2f}", f"<= {GROWTH_TARGET}", holds=growth <= GROWTH_TARGET)
    )
    return kept


def main() -> int:
    """Print all lines; return how many limits were missed."""
    python = peer_python()
    if python is not None and "--record" in sys.argv[1:]:
        return record(python)
    if python is not None and "--invented" in sys.argv[1:]:
        many, seed = map(int, sys.argv[2:4])
        return compare(python, many, seed)
    kept = beside(python)
    alone, among = (median(busy_among(idle) for _ in range(ROUNDS)) for idle in (0, MORE_AGENTS))
    ratio = among / alone
    kept.append(told("10 busy agents among 5,000 idle, against alone", f"{ratio:.2f}", "<= 1.2", holds=ratio <= 1.2))
    size = memory(program(IDLE))
    kept.append(told("KB for an idle agent", f"{size:.1f}", f"<= {MEMORY_TARGET:g}", holds=size <= MEMORY_TARGET))
    return kept.count(False)


if __name__ == "__main__":
    sys.exit(main())
