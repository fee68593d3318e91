"""The cost of one agent among 10, 100 and 1,000 in one workspace: `python -m bench.agents`.

Each number of agents has its own process and workspace; all agents are heads of people, created as in a new business.
Files are not forced to disk. All minds are opened and read, some agents run a cycle, and a few of those continue until
they have no work left: their cycles, writes and messages are timed, since one agent's work must cost the same whoever
else is there. Memory is the growth of the process after all minds have been read, and again after the cycles;
everything stays open.
"""

import gc
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

import orjson

from bench.calls import CALLS
from bench.cycle import settle
from bench.measured import Line, exactly, resident, timed
from bench.printed import printed
from mabos.configs.settings import load_settings
from mabos.graphs import wiring
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller, Services

SIZES = (10, 100, 1_000)
ACTIVE, SAMPLE, TIMES = 40, 5, 10
"""Agents that run a cycle, and those of them that are timed, so often."""
GROWTH = 1.5
"""A thing that one agent does may cost this many times as much among a hundred times as many."""
PATTERN = "hr"
WRITES = ("fact_assert", "memory_store_item", "agent_message")
"""Tools that write."""


@dataclass(frozen=True, slots=True)
class Costs:
    """The measurements for a number of agents: milliseconds, and KB per agent."""

    opening: float
    first_cycle: float
    idle_cycle: float
    fact: float
    item: float
    message: float
    heartbeat: float
    read: float
    active: float


def laid_out(root: Path, agents: int) -> None:
    """Create a workspace with a business of that many agents."""
    with wiring.hold_services(root) as services:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        known = services.agents()
    pattern = root / "agents" / PATTERN
    manifest = orjson.loads((pattern / "agent.json").read_bytes())
    for number in range(agents - len(known)):
        one = root / "agents" / f"{PATTERN}-{number:04}"
        shutil.copytree(pattern, one)
        (one / "agent.json").write_bytes(orjson.dumps(manifest | {"id": one.name}))


def measured(folder: str, agents: int) -> Costs:
    """Return the cost of agents in a company of the given size; run in its own process."""
    root = Path(folder)
    settings = load_settings(root).model_copy(update={"durability": "off"})
    laid_out(root, agents)
    begun = perf_counter()
    with wiring.hold_services(root, settings=settings) as services:
        names = services.agents()
        opening = (perf_counter() - begun) * 1000
        assert len(names) >= agents, f"{len(names)} agents instead of {agents}"
        seats = [one for one in names if not one.startswith(f"{PATTERN}-")]
        for one in seats:  # which imports every library, and loads the model of meanings with what it works in
            wiring.run_cycle(services, one)
        before = held()
        for one in names:
            mind = services.agent(one).mind
            _ = mind.beliefs, mind.desires, mind.goals, mind.intentions, mind.plans
        read = held()
        active = [one for one in names if one not in seats][-ACTIVE:]
        first = each(active, lambda one, _: wiring.run_cycle(services, one), times=1)
        cycled = held()
        some = active[-SAMPLE:]
        for one in some:
            settle(services, one)
        idle = each(some, lambda one, _: wiring.run_cycle(services, one))
        fact, item, sent = (each(some, write(services, tool)) for tool in WRITES)
        wiring.run_maintenance(services)
        heartbeat = each([""], lambda *_: wiring.run_maintenance(services), times=1) / len(names)
    kept = (read - before) / (len(names) - len(seats)), (cycled - read) / len(active)
    return Costs(opening, first, idle, fact, item, sent, heartbeat, *kept)


def write(services: Services, tool: str) -> Callable[[str, int], None]:
    """Return a function by which an agent calls a writing tool."""

    def done(agent: str, number: int) -> None:
        outcome = call(services, tool, CALLS[tool](number), caller=Caller("agent", agent))
        assert outcome.ok, outcome.message

    return done


def each(agents: list[str], action: Callable[[str, int], object], times: int = SAMPLE * TIMES) -> float:
    """Return the median time of some agents for an operation, repeated in turn, or once by each."""
    number = len(agents)
    return timed(lambda turn: action(agents[turn % number], turn // number), max(1, times // number) * number).worked


def held() -> float:
    """Return the KB of memory held by this process, without garbage."""
    gc.collect()
    return 1024 * resident()


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of an agent among many, compared with one among ten."""
    sizes = sorted({max(SIZES[0], size // scale) for size in SIZES})
    found: list[Costs] = []
    for size in sizes:
        with (
            tempfile.TemporaryDirectory() as folder,
            ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process,
        ):
            found.append(process.submit(measured, folder, size).result())
    few, many = f"one among {sizes[0]}", f"among {sizes[-1]:,} agents"

    def grown(name: str, each: list[float], *, most: float | None = GROWTH, unit: str = "ms") -> Line:
        told = f"{', '.join(f'{one:.3g}' for one in each)} {unit} among {', '.join(f'{size:,}' for size in sizes)}"
        return Line(f"{name} {many}", exactly(each[-1] / each[0]), most=most, unit="x", beside=few, note=told)

    yield grown("an idle cycle", [one.idle_cycle for one in found])
    yield grown("the first cycle of an agent", [one.first_cycle for one in found])
    yield grown("a fact asserted", [one.fact for one in found])
    yield grown("a memory stored", [one.item for one in found])
    yield grown("a message sent", [one.message for one in found])
    yield grown("a heartbeat, for each agent,", [one.heartbeat for one in found])
    opening = [one.opening / size for one, size in zip(found, sizes, strict=True)]
    yield grown("opening a workspace, for each agent,", opening, most=GROWTH)
    yield Line(f"memory of an agent {many} whose mind has been read", exactly(found[-1].read), unit="KB")
    yield Line(f"more of one {many} that has run a cycle", exactly(found[-1].active), unit="KB")


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
