"""What one machine carries, and what Postgres costs: `python -m tests.cluster.limit`.

A company of nine agents in a process of its own: seconds of the processor for a cycle with nothing to do, for one with
a request in it, for a message, and what memory a company takes. Then the same cycle with its checkpoint in the file and
in a Postgres on this machine, in turns, by the clock.
"""

import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import yaml

from graphs import wiring
from tests import acme
from tests.cluster.postgres_server import served
from tools.call import call

ROUNDS = 20


def founded(root: Path, database: str = "") -> None:
    """Make a company of nine agents that has looked around once."""
    root.mkdir(parents=True)
    (root / "mabos.yaml").write_text(yaml.safe_dump({"checkpoints": {"database": database}}), "utf-8")
    with wiring.opened(root) as services:
        acme.found(services)
        for _ in range(2):
            for agent_id in services.agents():
                wiring.run_cycle(services, agent_id)


def company(root: Path) -> dict[str, float]:
    """Return what a company costs: seconds of the processor, and MB that the process holds."""
    before = _memory_mb()
    founded(root)
    with wiring.opened(root) as services:
        agents = services.agents()
        terms: dict[str, Any] = {"to": "cfo", "performative": "INFORM", "content": "All is well"}
        found = {
            "idle cycle": _processor(lambda: [wiring.run_cycle(services, one) for one in agents], len(agents)),
            "message sent": _processor(lambda: [call(services, "agent_message", terms, agent_id="ceo")]),
            "cycle with a request": _processor(
                lambda: [wiring.run_cycle(services, "legal", message="Please review our terms")]
            ),
        }
        return {**found, "memory MB": _memory_mb() - before}


def _processor(work: Callable[[], Any], times: int = 1) -> float:
    taken = []
    for _ in range(ROUNDS):
        begun = process_time()
        work()
        taken.append((process_time() - begun) / times)
    return median(taken)


def _memory_mb() -> float:
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    return int(status.read_text().partition("VmRSS:")[2].split()[0]) / 1024


def compared(folder: Path, database: str) -> dict[str, float]:
    """Return the seconds by the clock of a cycle whose checkpoint goes into the file, and into Postgres."""
    taken: dict[str, list[float]] = {"file": [], "postgres": []}
    for place, address in (("file", ""), ("postgres", database)):
        founded(folder / place, address)
    with wiring.opened(folder / "file") as here, wiring.opened(folder / "postgres") as there:
        for _ in range(ROUNDS):
            for place, services in (("file", here), ("postgres", there)):
                begun = perf_counter()
                wiring.run_cycle(services, "legal")
                taken[place].append(perf_counter() - begun)
    return {place: median(seconds) for place, seconds in taken.items()}


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
            costs = pool.submit(company, folder / "company").result()
        memory = costs.pop("memory MB")
        for what, seconds in costs.items():
            print(f"{what}: {1000 * seconds:.2f} ms of a processor, {1 / seconds:,.0f} a second")
        print(f"a company of nine agents, its minds and machines: {memory:.0f} MB")
        with served() as database:
            found = compared(folder / "places", database)
        ratio = found["postgres"] / found["file"]
        print(f"checkpoint in Postgres / in the file, a cycle by the clock: {ratio:.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
