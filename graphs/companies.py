"""Many live companies at a time: one workspace each, in local processes or on a Ray cluster.

    for company in live_companies([Path("acme"), Path("bakery")], once=True, jobs=2):
        print(company.workspace, company.agents, company.problem)

A workspace is used by one process at a time. A company whose machine is lost continues elsewhere from its files.
"""

import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any

from mabos.configs.errors import MabosError, file_refused
from mabos.graphs.engines import Engine, alone, perform_orders
from mabos.graphs.live import LiveCompany
from mabos.graphs.live.actors import NEVER
from mabos.graphs.wiring import hold_services


@dataclass(frozen=True, slots=True)
class Lived:
    """The result of a live company: its agents' turns by outcome, and the error that stopped it, if any.

    A company that continued elsewhere reports its activity there.
    """

    workspace: str
    agents: Mapping[str, Mapping[str, int]]
    problem: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)

    @property
    def turns(self) -> Mapping[str, int]:
        """The number of turns of all its agents, by outcome."""
        return sum((Counter(turns) for turns in self.agents.values()), Counter())


@dataclass(frozen=True, slots=True)
class _Order:
    root: Path
    seconds: float
    heartbeat: float | None
    once: bool


def live_companies(
    roots: Sequence[Path],
    *,
    seconds: float = NEVER,
    once: bool = False,
    heartbeat: float | None = None,
    jobs: int | None = None,
    engine: Engine = "local",
) -> Iterator[Lived]:
    """Yield the result of each company as it ends: after `seconds`, or (`once`) when no agent has work left.

    `jobs` companies run at a time, by default all of them. An error in one company is reported and does not end the
    others.
    """
    orders = [_Order(root.resolve(), seconds, heartbeat, once) for root in roots]
    # A live company mostly waits: it takes no machine for itself.
    for _, lived in perform_orders(_live, orders, jobs=jobs or len(orders), engine=engine, cpus=0):
        yield lived


def _live(order: _Order) -> Lived:
    try:
        with alone(order.root), hold_services(order.root) as services:
            company = LiveCompany(services, heartbeat=order.heartbeat)
            with ended_by_signals(company):
                company.run(seconds=order.seconds, once=order.once)
            return Lived(str(order.root), {one.agent_id: dict(one.turns) for one in company.actors.values()})
    except MabosError as error:
        return Lived(str(order.root), {}, error.message)
    except OSError as error:
        return Lived(str(order.root), {}, file_refused(error).message)


@contextmanager
def ended_by_signals(company: LiveCompany) -> Iterator[None]:
    """Make termination signals end the company first, each cycle at its next phase."""
    if current_thread() is not main_thread():  # nobody else hears of signals
        yield
        return

    def stop(*_: Any) -> None:
        company.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
