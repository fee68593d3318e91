"""The server's cost of each dashboard page, in a workspace of nine agents with 10,000 messages.

Every page must take less than 150 ms of the server's time, from request to answer: without writes since the last
request, the first time after a message was sent, and the first time after a start, when the server has finished its
background preparation. No page may have a serious or critical finding of axe, in light or dark colours.
"""

import gc
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import pytest

from bench.measured import Line, Spent, exactly, middle, missing, timed
from bench.printed import printed
from mabos.graphs import wiring
from mabos.interfaces.dashboard.views import VIEWS
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso
from tests.interfaces.dashboard.browser import axe_script, browser, serious_findings
from tests.interfaces.dashboard.visitor import Visitor
from tests.interfaces.surfaces.servers import serving

LIMIT = 150.0
MESSAGES, ENTRIES, DECISIONS, WEEKS, TIMES = 10_000, 10_000, 200, 60, 9
SERIES = ("cash", "mrr", "arr", "subscribers", "churn_rate", "burn", "runway_months", "nps", "leads", "cac")
THREAD = 25
"""Messages of a conversation."""


def furnished(root: Path, scale: int = 1) -> None:
    """Create a company with a long history, its size divided by `scale`."""
    with wiring.hold_services(root) as services:
        done(services, "business_create", business_id="acme", name="Acme", template="saas")
        agents = services.agents()
        with services.sync.group():
            talk(services, agents, MESSAGES // scale)
            for number in range(ENTRIES // scale):
                agent = agents[number % len(agents)]
                body = {"tool": "memory_recall", "arguments": {"query": f"question {number}"}, "why": {"plan": "P-1"}}
                services.ledger.append(agent, "call", body, at=iso(services.clock()), cycle=f"C-{agent}-{number // 90}")
            for week in range(WEEKS):
                at = f"{2025 + week // 52}-{1 + week % 12:02}-{1 + week % 28:02}"
                for name in SERIES:
                    services.business().metrics.record(name, 100.0 + week, at, "", "books")
        for number in range(max(1, DECISIONS // scale)):
            given = {"subject": f"Question {number}", "description": "Shall we?", "options": ["Yes", "No"]}
            done(services, "decision_request", agents[number % len(agents)], **given)
        for agent in agents:
            wiring.run_cycle(services, agent)


def talk(services: Services, agents: list[str], messages: int) -> None:
    """Let agents exchange messages, in conversations of a few dozen."""
    for number in range(messages):
        topic = number // THREAD
        pair = agents[topic % 9], (agents[(topic + 1 + topic // 9 % 8) % 9] if topic % 10 else STAKEHOLDER)
        sender, to = pair if number % 2 else pair[::-1]
        if sender == STAKEHOLDER:
            sender, to = to, sender
        at = iso(services.clock())
        told = f"Message {number}: churn is {number % 9}.{number % 7} %, please look at it before Friday"
        message = Message(f"MSG-{number}", sender, to, "INFORM", told, at, conversation_id=f"CONV-{topic}", read=True)
        services.inbox(to).deliver(message)


def done(services: Services, tool: str, agent: str = "", /, **given: object) -> None:
    """Call a tool, which must succeed."""
    outcome = call(services, tool, given, agent_id=agent or None)
    if not outcome.ok:
        raise SystemExit(f"{tool}: {outcome.message}")


def pages(services: Services) -> dict[str, str]:
    """Return the pages to request, by name."""
    (cycle, *_) = services.ledger_index().cycles(agents=["cfo"], limit=2)
    decision = services.decisions().all()[-1].id
    return {
        **{view.title: f"/{view.name}" for view in VIEWS},
        "Edit a mind": "/edit?agent=cfo",
        "Decisions, one": f"/decisions?id={decision}",
        "Decisions, all": "/decisions?status=all",
        "Minds, after a cycle": f"/minds?agent=cfo&cycle={cycle}",
        "Goals, all": "/goals?status=all",
        "Messages, one conversation": "/messages?thread=CONV-0",
        "Messages, in words": "/messages?q=please&row=40",
        "Knowledge, three hops": "/network?depth=3",
        "Ledger, of a kind": "/ledger?kind=call&from=200",
        "Why, a decision": f"/why?id={decision}",
    }


def lines(scale: int) -> Iterator[Line]:
    """Yield the cost of each page: repeated, after a write, and after a start."""
    gc.set_threshold(50_000, 20, 50)  # as the command `mabos dashboard` does
    with TemporaryDirectory(prefix="mabos-bench-") as folder:
        root = Path(folder) / "workspace"
        furnished(root, scale)
        with wiring.hold_services(root) as services:
            paths = pages(services)
            visitor = Visitor(services)
            for name, path in paths.items():
                visitor.page(path)
                yield Line(name, timed(lambda _, path=path: visitor.page(path), TIMES), most=LIMIT)  # type: ignore[misc]
            for name, path in paths.items():
                yield Line(f"{name}, after a write", after_a_write(visitor, services, path), most=LIMIT)
        with wiring.hold_services(root) as services:
            visitor, start = Visitor(services), perf_counter()
            visitor.prepare()
            yield Line("preparing every view after a start", exactly((perf_counter() - start) * 1000))
            for name, path in paths.items():
                start = perf_counter()
                visitor.page(path)
                yield Line(f"{name}, first after a start", exactly((perf_counter() - start) * 1000), most=LIMIT)
        if scale == 1:
            yield from findings(root, paths)


def findings(root: Path, paths: Mapping[str, str]) -> Iterator[Line]:
    """Yield the number of serious and critical axe findings on each page, in light and dark colours together."""
    with (
        TemporaryDirectory(prefix="mabos-bench-") as folder,
        serving(root, "dashboard", "--http", "127.0.0.1:0") as url,
    ):
        try:
            axe = axe_script(Path(folder))
            with browser() as chromium:
                for name, path in paths.items():
                    count = dict.fromkeys(("light", "dark"), 0)
                    for scheme in count:
                        page = chromium.new_page(color_scheme=scheme)
                        page.goto(url + path)
                        count[scheme] = len(serious_findings(page, axe))
                        page.close()
                    note = ", ".join(f"{number} in {scheme} colours" for scheme, number in count.items())
                    what = f"{name}, serious findings of axe"
                    yield Line(what, exactly(sum(count.values())), most=0, unit="", note=note)
        except pytest.skip.Exception:
            yield missing("serious findings of axe", "Chromium or axe")


def after_a_write(visitor: Visitor, services: Services, path: str) -> Spent:
    """Return the cost of a page after a write since the last request."""
    spent = []
    for number in range(TIMES // 2):
        done(services, "agent_message", "cfo", to="ceo", performative="INFORM", content=f"{path} {number}")
        start = perf_counter()
        visitor.page(path)
        spent.append((perf_counter() - start) * 1000)
    return middle(spent)


if __name__ == "__main__":
    raise SystemExit(printed(lines, __doc__))
