"""The live company: its latency for urgent mail while nine agents are busy, and the growth over a day of heartbeats.

    python -m bench.live

Latency is from the letter's arrival on disk to the start of the recipient's next perceive; about half of the agents are
in the middle of a cycle, and these are also counted separately. Limit: a median of 5 ms. The cycles have no listeners,
as in `mabos live`. The day is simulated: the company runs live while its clock advances by half an hour whenever no
agent has work, which causes a heartbeat and further cycles, and every agent gets a letter; the second half may grow
memory, disk, threads and open files by no more than the first. A heartbeat may take 30 ms of CPU time per agent (S0
section 18).
"""

import random
import tempfile
import time
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import wraps
from pathlib import Path
from statistics import quantiles
from threading import Event, Thread, active_count

from langgraph.runtime import Runtime

from bench.measured import Line, Spent, exactly, middle, resident, timed
from bench.printed import printed
from mabos.graphs import bdi
from mabos.graphs.live import LiveCompany
from mabos.graphs.wiring import hold_services, run_cycle, run_maintenance
from mabos.nodes.state import BdiState, Context, Update
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock

LETTERS, BEATS = 100, 48
LIMIT_MS = 5.0
BEAT_MS = 30.0
BUSINESS = {"business_id": "acme", "name": "Acme", "template": "saas"}
WARM = 15
"""Turns of each agent before anything is measured."""
_PATIENCE = 300.0  # seconds


def tell(services: Services, to: str, content: str, priority: str = "normal") -> None:
    """Send a letter in the stakeholder's name."""
    given = {"to": to, "performative": "INFORM", "content": content, "priority": priority}
    outcome = call(services, "agent_message", given)
    if not outcome.ok:
        raise RuntimeError(outcome.message)


@contextmanager
def perceiving() -> Iterator[dict[str, list[float]]]:
    """Yield the start times of each agent's perceive phase, in seconds of the performance counter."""
    begun: dict[str, list[float]] = defaultdict(list)
    plain, told = bdi.PHASES["perceive"]

    @wraps(plain)
    def noted(state: BdiState, runtime: Runtime[Context]) -> Update:
        begun[state["agent_id"]].append(time.perf_counter())
        return plain(state, runtime)

    bdi.PHASES["perceive"] = (noted, told)
    try:
        yield begun
    finally:
        bdi.PHASES["perceive"] = (plain, told)


@dataclass(slots=True)
class Latencies:
    """The milliseconds of each urgent letter, by whether its recipient was in the middle of a cycle."""

    at_rest: list[float] = field(default_factory=list)
    at_work: list[float] = field(default_factory=list)

    def lines(self) -> Iterator[Line]:
        """Yield the median and 95th percentile of all, and the medians for resting and working recipients."""
        both = [*self.at_rest, *self.at_work]
        yield Line("an urgent letter until it is perceived, nine agents busy", middle(both), most=LIMIT_MS)
        if len(both) > 1:
            yield Line("95 % of them", exactly(quantiles(both, n=20)[-1]))
        for name, found in (("rested", self.at_rest), ("worked", self.at_work)):
            if found:
                yield Line(f"the same, of who {name}", middle(found), note=f"{len(found)} letters")


def latencies(letters: int) -> Latencies:
    """Return the latencies of urgent letters while eight others and the recipient are kept busy."""
    luck, found, done, sent = random.Random(1), Latencies(), Event(), dict[str, float]()
    with perceiving() as begun, tempfile.TemporaryDirectory() as root, hold_services(Path(root)) as services:
        call(services, "business_create", BUSINESS)
        agents = services.agents()
        company = LiveCompany(services, pace=0.001)
        services.mail.on_wake(lambda agent, urgent: sent.update({agent: time.perf_counter()} if urgent else {}))

        def keep_busy() -> None:
            while not done.wait(0.005):
                tell(services, luck.choice(agents), f"Figure {luck.random():.3f} of the week.")

        threads = [Thread(target=company.run), Thread(target=keep_busy)]
        for thread in threads:
            thread.start()
        # The first turns open every file, import every library and load the model of meanings.
        wait(lambda: all(sum(one.turns.values()) >= WARM for one in company.actors.values()))
        for number in range(letters):
            one = luck.choice(agents)
            works = company.actors[one].is_running
            tell(services, one, f"Alarm {number}.", "urgent")
            wait(lambda one=one: begun[one] and begun[one][-1] >= sent[one])  # type: ignore[misc]  # bound as it is now
            at = begun[one][bisect_left(begun[one], sent[one])]
            (found.at_work if works else found.at_rest).append((at - sent[one]) * 1000)
            time.sleep(luck.uniform(0.05, 0.15))
        done.set()
        company.stop()
        for thread in threads:
            thread.join()
    return found


@dataclass(frozen=True, slots=True)
class Used:
    """The company's resources: resident memory and disk in MB, threads, open files."""

    memory: float
    disk: float
    threads: float
    files: float


def lived(beats: int, apart: timedelta, then: Callable[[Services, int], object] = lambda *_: None) -> Iterator[Path]:
    """Yield the workspace of a live company on a simulated clock, at rest again after each heartbeat.

    `then` runs between a heartbeat and the rest.
    """
    clock, heard = SteppedClock(datetime(2026, 3, 2, tzinfo=UTC)), list[str]()
    with tempfile.TemporaryDirectory() as root, hold_services(Path(root), clock=clock) as services:
        call(services, "business_create", BUSINESS)
        company = LiveCompany(
            services, pace=0.001, on_event=lambda one: heard.append(one.at) if one.kind == "heartbeat" else None
        )
        running = Thread(target=company.run)
        running.start()
        try:
            wait(lambda: is_quiet(company))
            for number in range(beats):
                clock.advance(apart)
                wait(lambda number=number: len(heard) > number)  # type: ignore[misc]  # bound as it is now
                then(services, number)
                wait(lambda: is_quiet(company))
                yield Path(root)
        finally:
            company.stop()
            running.join()


def day(beats: int) -> list[Used]:
    """Return a live company's resources after each heartbeat of a simulated day in which every agent gets letters."""

    def write(services: Services, number: int) -> None:
        for agent in services.agents():
            tell(services, agent, f"Figure {number} of the day.")

    return [used(root) for root in lived(beats, timedelta(minutes=30), write)]


def heartbeat(times: int) -> Spent:
    """Return the cost per heartbeat for each of nine agents working on their first desires."""
    with tempfile.TemporaryDirectory() as root, hold_services(Path(root)) as services:
        call(services, "business_create", BUSINESS)
        agents = services.agents()
        for agent in (*agents, *agents):
            run_cycle(services, agent)
        run_maintenance(services)
        return timed(lambda _: run_maintenance(services), times).per(len(agents))


def is_quiet(company: LiveCompany) -> bool:
    """Return whether every agent has had a turn, and none has or needs another now."""
    now = time.monotonic()
    return all(one.turns and not one.is_running and one.ready_at > now for one in company.actors.values())


def wait(condition: Callable[[], object]) -> None:
    """Return once a condition holds; raises `RuntimeError` after some minutes."""
    ends = time.monotonic() + _PATIENCE
    while not condition():
        if time.monotonic() > ends:
            raise RuntimeError(f"nothing happened for {_PATIENCE:.0f} s")
        time.sleep(0.0005)


def used(root: Path) -> Used:
    """Return the current resources of this process and a workspace."""
    files = [path.stat().st_size for path in root.rglob("*") if path.is_file()]
    return Used(resident(), sum(files) / 2**20, active_count(), len(list(Path("/proc/self/fd").iterdir())))


def grown(found: list[Used]) -> Iterator[Line]:
    """Yield the growth in the second half of a day, compared with the first."""
    middle_of_day = len(found) // 2
    for name, unit in (("memory", "MB"), ("disk", "MB"), ("threads", ""), ("files", "")):
        values = [getattr(one, name) for one in found]
        first, second = values[middle_of_day] - values[0], values[-1] - values[middle_of_day]
        told = f"{values[0]:.1f} at first, {first:+.2f} in the first half"
        yield Line(
            f"{name}, what the second half of a day adds",
            exactly(second),
            most=1.25 * max(first, 0.0) + 2,
            unit=unit,
            beside="a quarter more than the first half, and two",
            note=told,
        )


def lines(scale: int) -> Iterator[Line]:
    """Yield the latency of urgent mail, the cost of a heartbeat, and the growth over a day of them."""
    yield from latencies(max(3, LETTERS // scale)).lines()
    beat = heartbeat(5 if scale == 1 else 1)
    name = "a heartbeat, for each agent, of the processor"
    yield Line(name, exactly(beat.worked), most=BEAT_MS, note=f"{beat.median:.1f} ms by the clock")
    yield from grown(day(max(4, BEATS // scale)))


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
