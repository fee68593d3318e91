"""Procedures compared with python-agentspeak on the same programs in one run: `python -m bench.procedures`.

The peer (GPL, so never a dependency) runs in its own environment, `build/agentspeak`, which is created if missing; if
that fails, only our lines are printed. `--record` writes the peer's traces of the programs in
`bench/agentspeak/programs` to `traces.json`, with which the test suite compares ours; `--invented 200 7` compares the
traces of 200 random programs from seed 7.

Both parse before the clock starts. Targets: at least a quarter of the peer's increments a second, as many messages; an
agent among 5,000 costs at most 1.2 times as much as among 1,000; at most 50 KB for an idle one.
"""

import gc
import json
import subprocess
import time
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from bench.agentspeak import Program, Scheduler, program
from bench.agentspeak.compared import FAILED, PEER, TRACES, programs, traced
from bench.environments import BUILD, environment
from bench.measured import Line, Spent, exactly, middle
from bench.printed import options, shown
from bench.random_programs import invented

PINNED = "agentspeak==0.2.2"
MANY, AGENTS, MORE_AGENTS, EACH, ROUNDS = 3_000, 1_000, 5_000, 20, 5
FEWER, MORE = f"{AGENTS:,} agents", f"{MORE_AGENTS:,} agents"
SIDE_BY_SIDE, MESSAGES_TARGET, GROWTH_TARGET, MEMORY_TARGET = 0.25, 1.0, 1.2, 50.0

BELIEFS = "count(0). +count(N) : N < {many} <- -count(N); +count(N + 1)."
GOALS = "!count(0). +!count(N) : N < {many} <- !count(N + 1). +!count(N)."
SERVE = "!ball(0). +!ball(N) : N < {many} <- .send(bob, achieve, ball(N + 1)). +!ball(N)."
RETURN = "+!ball(N) : N < {many} <- .send(ann, achieve, ball(N + 1)). +!ball(N)."
IDLE = "price(apple, 3). +!sell(X) : price(X, P) <- .print(X, P)."

Request = dict[str, Any]


def requests(scale: int) -> dict[str, Request]:
    """Return the timed requests: the agents of each program, and their number of copies."""
    many = MANY // scale
    goals = GOALS.format(many=EACH)
    ball = [["ann", SERVE.format(many=many)], ["bob", RETURN.format(many=many)]]
    return {
        "belief events": {"agents": [["a", BELIEFS.format(many=many)]], "copies": 1, "many": many},
        "nested goals": {"agents": [["a", GOALS.format(many=many)]], "copies": 1, "many": many},
        "messages": {"agents": ball, "copies": 1, "many": many},
        FEWER: {"agents": [["a", goals]], "copies": AGENTS // scale, "many": AGENTS // scale * EACH},
        MORE: {"agents": [["a", goals]], "copies": MORE_AGENTS // scale, "many": MORE_AGENTS // scale * EACH},
    }


def ours(request: Request) -> float:
    """Return the CPU seconds of our world for a request."""
    world = Scheduler()
    for name, text in request["agents"]:
        shared = program(text)
        for at in range(request["copies"]):
            world.add(f"{name}{at}" if request["copies"] > 1 else name, shared)
    gc.collect()
    begun = time.process_time()
    world.run()
    return time.process_time() - begun


def asked(python: Path, request: Request) -> dict[str, Any]:
    """Return the peer's answer to a request."""
    done = subprocess.run([python, PEER], input=json.dumps(request), capture_output=True, text=True, check=True)
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def record(python: Path) -> int:
    """Save the peer's traces; return how many of ours differ."""
    traces = asked(python, {"programs": programs()})["programs"]
    lines = [f" {json.dumps(name)}: {json.dumps(traces[name])}" for name in sorted(traces)]
    TRACES.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    different = [name for name, agents in programs().items() if traced(agents) != traces[name]]
    print(f"{len(traces)} traces of {PINNED} recorded; ours differ in {', '.join(different) or 'none'}")
    return len(different)


def compare(python: Path, many: int, seed: int) -> int:
    """Compare the traces of random programs; return how many differ of those that the peer completes."""
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
    """Return the seconds of ten working agents among idle others."""
    world, quiet, shared = Scheduler(), program(IDLE), program(GOALS.format(many=500))
    for at in range(idle):
        world.add(f"idle{at}", quiet)
    for at in range(10):
        world.add(f"busy{at}", shared)
    gc.collect()
    begun = time.process_time()
    world.run()
    return time.process_time() - begun


def memory(shared: Program, agents: int) -> float:
    """Return the KB of an idle agent."""
    world = Scheduler()
    tracemalloc.start()
    for at in range(agents):
        world.add(f"agent{at}", shared)
    world.run()
    used, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return used / agents / 1024


def beside(python: Path | None, scale: int) -> Iterator[Line]:
    """Yield the timings of both sides, interleaved."""
    asked_for = requests(scale)
    mine: dict[str, list[float]] = {name: [] for name in asked_for}
    theirs: dict[str, list[float]] = {name: [] for name in asked_for}
    for _ in range(ROUNDS if scale == 1 else 1):
        for name, request in asked_for.items():
            mine[name].append(ours(request))
            if python is not None and (request["copies"] == 1 or len(theirs[name]) == 0):
                theirs[name].append(asked(python, {"timed": {name: request}})["timed"][name])
    for name, request in asked_for.items():
        speed = request["many"] / median(mine[name])
        what = f"{name}: {'messages' if name == 'messages' else 'increments'} a second"
        if theirs[name]:
            ratio = median(theirs[name]) / median(mine[name])
            least = MESSAGES_TARGET if name == "messages" else SIDE_BY_SIDE
            note = f"{speed:,.0f} and {request['many'] / median(theirs[name]):,.0f}"
            yield Line(what, exactly(ratio), least=least, unit="x", beside=PINNED, note=note)
        else:
            yield Line(what, exactly(speed), unit="", note=f"{PINNED} is not installed")


def crowded(scale: int) -> Spent:
    """Return the cost ratio of the same work for many agents together to fewer, world after world."""
    asked_for = requests(scale)
    worlds = MORE_AGENTS // AGENTS
    times = [
        ours(asked_for[MORE]) / sum(ours(asked_for[FEWER]) for _ in range(worlds))
        for _ in range(ROUNDS if scale == 1 else 1)
    ]
    return middle(times)


def lines(scale: int) -> Iterator[Line]:
    """Yield our procedures' speed compared with the peer's, and the cost of idle agents."""
    yield from beside(environment(PINNED, make=scale == 1), scale)
    name = f"an agent among {MORE} at work"
    yield Line(name, crowded(scale), most=GROWTH_TARGET, unit="x", beside=f"one among {FEWER}")
    idle = MORE_AGENTS // scale
    alone, among = (middle(busy_among(number) for _ in range(ROUNDS if scale == 1 else 1)) for number in (0, idle))
    name = f"10 busy agents among {idle:,} idle"
    yield Line(name, among.over(alone), most=GROWTH_TARGET, unit="x", beside="the ten alone")
    size = memory(program(IDLE), AGENTS // scale)
    yield Line("memory of an agent with nothing to do", exactly(size), most=MEMORY_TARGET, unit="KB")


def main() -> int:
    """Record or compare traces if requested, else print the table."""
    parser = options(__doc__)
    parser.add_argument("--record", action="store_true", help="write the peer's traces of our programs down")
    parser.add_argument("--invented", nargs=2, type=int, metavar=("PROGRAMS", "SEED"), help="compare random programs")
    chosen = parser.parse_args()
    if not (chosen.record or chosen.invented):
        return shown(lines(chosen.scale), as_json=chosen.json)
    python = environment(PINNED)
    if python is None:
        raise SystemExit(f"{PINNED} cannot be installed into {BUILD}")
    return record(python) if chosen.record else compare(python, *chosen.invented)


if __name__ == "__main__":
    raise SystemExit(main())
