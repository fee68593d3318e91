"""The live company, started, seen and stopped from a page."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from mabos.graphs.live.presence import presence
from mabos.interfaces.dashboard.live import LiveControl
from mabos.tools.runtime.services import Services
from tests import warm
from tests.interfaces.dashboard.visitor import Visitor, words
from tests.interfaces.surfaces.servers import COMMAND, surroundings

pytestmark = pytest.mark.slow


def until(happens: Callable[[], Any], seconds: float = 30) -> Any:
    ends = monotonic() + seconds
    while not (found := happens()):
        assert monotonic() < ends, "it did not happen"
        sleep(0.05)
    return found


@pytest.fixture(autouse=True)
def this_source(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in surroundings().items():
        monkeypatch.setenv(name, value)


@contextmanager
def terminal(root: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run the company as a person does in a terminal."""
    run = subprocess.Popen([*COMMAND, "--workspace", str(root), "live"], stderr=subprocess.DEVNULL)
    try:
        yield run
    finally:
        run.send_signal(signal.SIGINT)
        run.wait(60)


def switch(visitor: Visitor, do: str) -> Any:
    return visitor.fill("/overview", "/live", do=do)


def test_a_company_is_started_answers_a_message_and_is_stopped(services: Services) -> None:
    layout = services.layout
    with closing(LiveControl(layout.root)) as live:
        visitor = Visitor(services, live=live)
        page = switch(visitor, "start")
        found = presence(layout)
        assert found is not None
        assert (found.pid, found.by) == (live.pid, "the dashboard")
        assert all(one in words(page.get_element_by_id("company")) for one in (str(live.pid), found.host, "Stop"))
        until(lambda: services.ledger_index().cycles(agents=["ceo"]))
        page = switch(visitor, "stop")
        switch(visitor, "start")
        switch(visitor, "stop")
        assert presence(layout) is None
        assert "stopped" in words(page.get_element_by_id("company"))


def test_the_company_ends_with_the_dashboard_that_started_it(services: Services) -> None:
    with closing(LiveControl(services.layout.root)) as live:
        live.start(services.layout)
        pid = live.pid
    assert presence(services.layout) is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_a_killed_dashboard_leaves_no_company_behind(services: Services) -> None:
    root = services.layout.root
    source = (
        "import sys, time; from pathlib import Path; from mabos.interfaces.dashboard.live import LiveControl;"
        "from mabos.workspace.names import Layout;"
        "LiveControl(Path(sys.argv[1])).start(Layout(Path(sys.argv[1]))); print('runs', flush=True); time.sleep(60)"
    )
    owner = subprocess.Popen([*warm.python(), "-c", source, str(root)], stdout=subprocess.PIPE)
    assert owner.stdout is not None
    assert owner.stdout.readline() == b"runs\n"
    owner.kill()
    owner.wait(30)
    until(lambda: presence(services.layout) is None)


def test_a_company_of_a_terminal_is_named_not_started_twice_and_can_be_stopped(services: Services) -> None:
    layout = services.layout
    with terminal(layout.root) as run, closing(LiveControl(layout.root)) as live:
        found = until(lambda: presence(layout))
        visitor = Visitor(services, live=live)
        shown = words(visitor.page("/overview").get_element_by_id("company"))
        assert (found.pid, found.by) == (run.pid, "mabos live")
        assert all(one in shown for one in ("mabos live", str(run.pid)))
        form = dict(next(one for one in visitor.page("/overview").forms if one.action == "/live").fields)
        answer = visitor.ask("/live", method="POST", data={**form, "do": "start"})
        assert (answer.status_code, "is already running" in answer.text, live.pid) == (400, True, 0)
        switch(visitor, "stop")
        assert (presence(layout), run.wait(30)) == (None, 0)


def test_a_company_that_was_killed_is_not_shown_as_running(services: Services) -> None:
    with terminal(services.layout.root) as run:
        until(lambda: presence(services.layout))
        run.kill()
        run.wait(30)
    assert presence(services.layout) is None
    assert "stopped" in words(Visitor(services).page("/overview").get_element_by_id("company"))


def test_a_start_that_fails_says_why(services: Services) -> None:
    with closing(LiveControl(services.layout.root)) as live:
        (services.layout.root / "mabos.yaml").write_text("heartbeat: {minutes: soon}\n", "utf-8")
        form = dict(
            next(one for one in Visitor(services, live=live).page("/overview").forms if one.action == "/live").fields
        )
        visitor = Visitor(services, live=live)
        page = visitor.page("/overview")
        form = dict(next(one for one in page.forms if one.action == "/live").fields)
        answer = visitor.ask("/live", method="POST", data={**form, "do": "start"})
        assert answer.status_code >= 400
        assert "heartbeat" in answer.text
        assert presence(services.layout) is None


def test_a_dashboard_without_a_starter_names_the_command(services: Services) -> None:
    page = Visitor(services).page("/overview")
    assert "mabos live" in words(page.get_element_by_id("company"))
    assert not page.xpath("//form[@id='company']//button")
