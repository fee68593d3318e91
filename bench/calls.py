"""The cost of the call path above the tool itself: `python -m bench.calls`.

Validation, identity, capability, budgets, governance and the ledger lines, without their fsync: durability is off, and
CPU time is measured, so that disks and other processes do not count. Each tool is called and, alternating with that,
its bare function is run with validated arguments. The overhead of a call is the difference of the two medians. Target:
at most half a millisecond. With an effect key it includes the two records in `effects.json`. The cost of governed
spending must not depend on earlier spending: the last lines measure it again with ten thousand expenses in the ledger.
"""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from bench.measured import Line, exactly
from bench.printed import printed
from mabos.configs.settings import load_settings
from mabos.tools.gate.call import call
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock, iso

ROUNDS, WARM = 150, 20
EXPENSES = 10_000
TARGET, SPENDING_KNOWN, KEYED_KNOWN = 0.5, 0.6, 0.9
"""Milliseconds, and what it may come to until that is kept: governed spending, and calls with an effect key, which make
two more records durable than the target reckons with."""
STEP = timedelta(minutes=20)
"""The time from one round to the next: governance looks at what was spent in a day, which is some seventy calls."""
AGENT = Caller("agent", "hr")

CALLS: Mapping[str, Callable[[int], dict[str, Any]]] = {
    "belief_get": lambda _: {},
    "fact_query": lambda _: {"subject": "bench"},
    "fact_assert": lambda number: {
        "subject": "bench",
        "predicate": "round",
        "object": str(number),
        "confidence": 0.9,
        "source": "bench",
    },
    "memory_store_item": lambda number: {"content": f"Round {number} went through", "importance": 0.4},
    "agent_message": lambda number: {"to": "ceo", "performative": "INFORM", "content": f"Round {number}"},
    "work_package_create": lambda number: {
        "title": f"Round {number}",
        "description": "Go round once more",
        "required_skills": ["running"],
        "budget_usd": 0.01,
    },
}
"""Two tools that read, three that write, and one that spends, which governance judges; the arguments of a round."""
SPENDS = "work_package_create"


def milliseconds(work: Callable[[], object]) -> float:
    """Return the CPU milliseconds of `work`."""
    started = time.thread_time()
    work()
    return 1000 * (time.thread_time() - started)


def overhead(services: Services, clock: SteppedClock, name: str, rounds: int, *, keyed: bool) -> tuple[float, float]:
    """Return the medians of a call of the tool `name` and of its bare function, measured alternately."""
    tool, numbers, made = services.tools.tool(name), count(), CALLS[name]
    whole: list[float] = []
    alone: list[float] = []
    for _ in range(rounds + WARM):
        clock.advance(STEP)
        given, key = made(next(numbers)), f"{name}/{clock():%d-%H-%M}" if keyed else None
        whole.append(milliseconds(lambda: done(services, name, given, key)))  # noqa: B023  # called at once
        values, agent = tool.validate_arguments(made(next(numbers))), services.agent(AGENT.agent_id, caller=AGENT)
        alone.append(milliseconds(lambda: tool.run(agent, values)))  # noqa: B023  # called at once
    return median(whole[WARM:]), median(alone[WARM:])


def done(services: Services, name: str, given: Mapping[str, Any], key: str | None) -> None:
    """Call a tool and check that it succeeded."""
    outcome = call(services, name, given, caller=AGENT, key=key)
    assert outcome.ok, outcome.message
    assert not outcome.repeated


def spent_before(services: Services, clock: SteppedClock, expenses: int) -> None:
    """Add a number of expenses to the ledger, one a minute, the last of them within the relevant day."""
    body = {"tool": SPENDS, "arguments": {}, "cost": 0.001, "category": services.tools.tool(SPENDS).category}
    for _ in range(expenses):
        clock.advance(timedelta(minutes=1))
        services.ledger.append(AGENT.agent_id, "call", body, at=iso(clock()))


def line(services: Services, clock: SteppedClock, name: str, rounds: int, said: str = "", *, keyed: bool) -> Line:
    """Return a tool's line: the cost of a call above the tool itself."""
    whole, alone = overhead(services, clock, name, rounds, keyed=keyed)
    told = f"{name}{said}{', with an effect key' if keyed else ''}"
    note, known = (
        f"{whole:.2f} ms, alone {alone:.2f}",
        KEYED_KNOWN if keyed else SPENDING_KNOWN if name == SPENDS else None,
    )
    return Line(told, exactly(whole - alone), most=TARGET, beside="the tool alone", note=note, known=known)


def lines(scale: int) -> Iterator[Line]:
    """Yield the overhead of each tool, and of the spending one again after much earlier spending."""
    rounds = max(10, ROUNDS // scale)
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        settings = load_settings(root).model_copy(update={"durability": "off"})
        clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        services = open_services(root, settings=settings, clock=clock)
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        for name in CALLS:
            for keyed in (False, True) if services.tools.tool(name).writes else (False,):
                yield line(services, clock, name, rounds, keyed=keyed)
        expenses = EXPENSES // scale
        spent_before(services, clock, expenses)
        for keyed in (False, True):
            yield line(services, clock, SPENDS, rounds, f" after {expenses:,} expenses", keyed=keyed)
        services.close()


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
