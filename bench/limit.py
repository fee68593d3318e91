"""The limits of one machine and the cost of Postgres: `python -m bench.limit`, about a minute if it is idle.

    python -m bench.limit --write        # and the tables of docs/scaling.md after it

It measures a company of nine agents in its own process: idle cycles, cycles with a request and messages, in CPU and
wall seconds, and its memory. Then as many such companies at once as there are processors. Then, alternating, the same
cycle with its checkpoint in the file and in a local Postgres with production durability.
"""

import os
import platform
import shutil
import sys
import tempfile
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median, quantiles
from threading import BrokenBarrierError
from time import perf_counter, process_time
from typing import Any, Protocol

import yaml

from bench import limit_page
from mabos.graphs import wiring
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests import acme
from tests.cluster.postgres_server import served

ROUNDS = 20
AT_A_TIME = {"idle": 1, "request": 5, "message": 20}
"""The number of times a round does each; the first is done by all nine agents."""


class Start(Protocol):
    """A barrier where processes wait for each other."""

    def wait(self) -> object:
        """Return when all processes have arrived."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The speed of one kind of work: the CPU and wall seconds of its rounds."""

    processor: list[float]
    clock: list[float]

    @property
    def a_second(self) -> float:
        """The number per CPU second, the median of the rounds."""
        return 1 / median(self.processor)

    @property
    def spread(self) -> tuple[float, float]:
        """The rates per second at the slowest and the fastest quarter of the rounds."""
        low, _, high = quantiles(self.processor, n=4)
        return 1 / high, 1 / low

    @property
    def a_second_by_the_clock(self) -> float:
        """The number per wall second, over all rounds."""
        return len(self.clock) / sum(self.clock)


@dataclass(frozen=True, slots=True)
class Company:
    """The cost of a company of nine agents."""

    paces: Mapping[str, Pace]
    memory_mb: float


@dataclass(frozen=True, slots=True)
class Found:
    """All measurements, and the machine."""

    at: str
    load: float
    processors: int
    platform: str
    alone: Company
    together: tuple[Company, ...]
    places: Mapping[str, list[float]]


def founded(root: Path, database: str = "") -> None:
    """Create a company of nine agents that has run its first cycles."""
    root.mkdir(parents=True)
    (root / "mabos.yaml").write_text(yaml.safe_dump({"checkpoints": {"database": database}}), "utf-8")
    with wiring.hold_services(root) as services:
        acme.found(services)
        for _ in range(2):
            for agent_id in services.agents():
                wiring.run_cycle(services, agent_id)


def company(root: Path, rounds: int, start: Start, told: Connection) -> None:
    """Report the cost of a company; each kind of work begins when all other companies begin it."""
    before = _memory_mb()
    founded(root)
    with wiring.hold_services(root) as services:
        paces = {}
        for kind, work in _kinds(services).items():
            start.wait()
            paces[kind] = _paced(work, rounds, AT_A_TIME[kind] * (len(services.agents()) if kind == "idle" else 1))
        told.send(Company(paces, _memory_mb() - before))


def _kinds(services: Services) -> dict[str, Callable[[], None]]:
    terms: dict[str, Any] = {"to": "cfo", "performative": "INFORM", "content": "All is well"}

    def idle() -> None:
        for agent_id in services.agents():
            wiring.run_cycle(services, agent_id)

    def requests() -> None:
        for _ in range(AT_A_TIME["request"]):
            wiring.run_cycle(services, "legal", message="Please review our terms")

    def messages() -> None:
        for _ in range(AT_A_TIME["message"]):
            assert call(services, "agent_message", terms, agent_id="ceo").ok

    return {"idle": idle, "request": requests, "message": messages}


def _paced(work: Callable[[], object], rounds: int, times: int) -> Pace:
    processor, clock = [], []
    for _ in range(rounds):
        worked, begun = process_time(), perf_counter()
        work()
        processor.append((process_time() - worked) / times)
        clock.append((perf_counter() - begun) / times)
    return Pace(processor, clock)


def _memory_mb() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    return int(status.read_text().partition("VmRSS:")[2].split()[0]) / 1024


def companies(folder: Path, number: int, rounds: int) -> tuple[Company, ...]:
    """Return the cost of that many companies, each in its own process, all at once."""
    context = get_context("spawn")
    start = context.Barrier(number)
    running, answers = [], []
    for index in range(number):
        answer, told = context.Pipe(duplex=False)
        process = context.Process(target=_told, args=(folder / f"company-{index}", rounds, start, told))
        process.start()
        told.close()
        running.append(process)
        answers.append(answer)
    try:
        return tuple(answer.recv() for answer in answers)
    finally:
        for process in running:
            process.join()


def _told(root: Path, rounds: int, start: Any, told: Connection) -> None:
    try:
        company(root, rounds, start, told)
    except BrokenBarrierError:
        sys.exit("another company failed")
    except BaseException:
        start.abort()
        raise


def compared(folder: Path, database: str, rounds: int) -> dict[str, list[float]]:
    """Return the wall seconds of cycles with their checkpoint in the file, and in Postgres."""
    taken: dict[str, list[float]] = {"file": [], "postgres": []}
    for place, address in (("file", ""), ("postgres", database)):
        founded(folder / place, address)
    with wiring.hold_services(folder / "file") as here, wiring.hold_services(folder / "postgres") as there:
        for _ in range(rounds):
            for place, services in (("file", here), ("postgres", there)):
                begun = perf_counter()
                wiring.run_cycle(services, "legal")
                taken[place].append(perf_counter() - begun)
    return taken


@contextmanager
def _lasting() -> Iterator[Path]:
    """Yield a folder that a server of another user may be given; TemporaryDirectory's would lie in one of ours."""
    path = Path(tempfile.mkdtemp(prefix="mabos-limit-postgres-"))
    try:
        yield path
    finally:
        shutil.rmtree(path)


def measured(folder: Path, rounds: int = ROUNDS) -> Found:
    """Return all measurements; `folder` holds the companies."""
    load, processors = os.getloadavg()[0], os.cpu_count() or 1
    (alone,) = companies(folder / "alone", 1, rounds)
    together = companies(folder / "together", processors, rounds)
    with _lasting() as data, served(data) as database:
        places = compared(folder / "places", database, 2 * rounds)
    kind = f"{platform.system()} {platform.machine()}, Python {platform.python_version()}"
    return Found(f"{datetime.now(UTC):%Y-%m-%d}", load, processors, kind, alone, together, places)


def main() -> int:
    """Measure, print, and update the page if requested."""
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true", help="write the tables of docs/scaling.md")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        found = measured(Path(name))
    print("\n\n".join(limit_page.tables(found).values()))
    if asked.write:
        limit_page.write(found)
    return 0


if __name__ == "__main__":
    sys.exit(main())
