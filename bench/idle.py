"""The cost of a cycle without requests: `python -m bench.idle`.

Four agents take turns in one run, so that a loaded machine slows them equally: one that never had a request, one with
hundreds of finished orders, one with a chat model, and one with both. Targets: finished orders and an idle model add at
most half to the cost of an idle cycle; the model is not called, and nothing is written to the files of the mind, the
ledger and the requests.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from bench.measured import Line, Spent, exactly, middle
from bench.printed import printed
from mabos.backends.chat import ScriptedModel
from mabos.graphs import wiring
from mabos.language.request import Request
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.tools.work.session import WORK, WorkSession, session_id
from mabos.workspace.clock import iso

ROUNDS, WARM = 60, 10
ORDERS = 300
AGENT = "hr"
TARGET = 1.5
PLAIN, ASKED, MODEL, BOTH = "never asked", "with orders behind it", "with a chat model", "with both"


def opened(root: Path, model: ScriptedModel | None, orders: int, stack: ExitStack) -> Services:
    """Return a workspace whose agent has that many finished orders, half of them from sessions, and no work."""
    services = stack.enter_context(wiring.hold_services(root, model=model))
    made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
    assert made.ok, made.message
    agent, now = services.agent(AGENT), iso(services.clock())
    for number in range(orders):
        operation = WORK if number % 2 else "task"
        name = f"REQ-bench-{number}"
        request = Request(name, f"MSG-{number}", STAKEHOLDER, "order", f"Collect cup {number}", operation)
        agent.requests.save(replaced(request, now))
        if operation == WORK:
            agent.work.save(WorkSession(session_id(request), name, status="done", created_at=now, updated_at=now))
    for _ in range(40):
        if wiring.run_cycle(services, AGENT).outcome == "idle":
            return services
    raise AssertionError(f"{AGENT} did not become idle")


def replaced(request: Request, now: str) -> Request:
    """Return a request as done."""
    return Request(
        request.id, request.message_id, request.sender, request.act, request.sentence, request.operation,
        status="done", created_at=now, updated_at=now,
    )  # fmt: skip


def worked(work: Callable[[], object]) -> float:
    """Return the CPU milliseconds of `work`."""
    started = time.process_time()
    work()
    return 1000 * (time.process_time() - started)


def truth(services: Services) -> Mapping[str, bytes]:
    """Return the files of the agent and its ledger."""
    root = services.layout.root
    paths = [*(root / "agents" / AGENT).rglob("*"), *(root / "ledger").rglob("*")]
    return {str(path): path.read_bytes() for path in sorted(paths) if path.is_file()}


def idle(services: Services) -> None:
    """Run an idle cycle."""
    assert wiring.run_cycle(services, AGENT).outcome == "idle"


def measure(root: Path, rounds: int, orders: int) -> tuple[dict[str, Spent], int, int]:
    """Return the cost of each agent's idle cycles, the number of model calls, and the bytes written."""
    model = ScriptedModel(lambda _: {})
    times: dict[str, list[float]] = {}
    with ExitStack() as stack:
        kinds = {PLAIN: (None, 0), ASKED: (None, orders), MODEL: (model, 0), BOTH: (model, orders)}
        there = {
            name: opened(root / str(at), given, number, stack)
            for at, (name, (given, number)) in enumerate(kinds.items())
        }
        before, calls = {name: truth(services) for name, services in there.items()}, len(model.calls)
        for _ in range(rounds + WARM):
            for name, services in there.items():
                times.setdefault(name, []).append(worked(lambda: idle(services)))  # noqa: B023  # called at once
        changed = sum(truth(services) != before[name] for name, services in there.items())
    return {name: middle(values[WARM:]) for name, values in times.items()}, len(model.calls) - calls, changed


def lines(scale: int) -> Iterator[Line]:
    """Yield the CPU cost of an idle cycle compared with that of an agent without any requests."""
    orders = max(2, ORDERS // scale)
    with tempfile.TemporaryDirectory() as folder:
        found, calls, changed = measure(Path(folder), max(3, ROUNDS // scale), orders)
    plain = found[PLAIN]
    for name in (ASKED, MODEL, BOTH):
        note = f"{found[name].median:.2f} and {plain.median:.2f} ms of the processor"
        told = f"idle cycle of an agent {name}".replace("orders", f"{orders} orders")
        yield Line(told, found[name].over(plain), most=TARGET, unit="x", beside="one that was never asked", note=note)
    yield Line("calls of the model in idle cycles", exactly(calls), most=0, unit="")
    yield Line("agents of which an idle cycle changed a file", exactly(changed), most=0, unit="")


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
