"""The live company: agents run when something is up, urgent mail goes before, and stopping loses nothing."""

import json
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from mabos.configs.errors import Unavailable
from mabos.graphs.live import LiveCompany
from mabos.graphs.live.turns import Listener
from mabos.graphs.wiring import hold_services
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.state import CycleReport
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests import acme, warm
from tests.world import write_company

PATIENCE = 180  # seconds; only a test that fails waits so long, and a disk may stand still for a minute


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Three agents who want nothing by themselves."""
    with hold_services(write_company(tmp_path)) as found:
        yield found


@contextmanager
def running(company: LiveCompany) -> Iterator[None]:
    thread = Thread(target=company.run)
    thread.start()
    try:
        yield
    finally:
        company.stop()
        thread.join(PATIENCE)
    assert not thread.is_alive()


def wait_for(condition: Callable[[], object]) -> None:
    ends = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.01)


def heard(reports: list[CycleReport]) -> Listener:
    """Return a listener that keeps the reports of turns."""
    return lambda one: reports.append(one.report) if one.report else None


def quiet(company: LiveCompany) -> bool:
    return all(one.turns and not one.is_running and one.ready_at == float("inf") for one in company.actors.values())


def tell(services: Services, to: str, content: str, priority: str = "normal") -> None:
    arguments = {"to": to, "performative": "INFORM", "content": content, "priority": priority}
    assert call(services, "agent_message", arguments).ok


def test_everybody_has_a_turn_and_then_only_who_has_something_to_do(services: Services) -> None:
    reports: list[CycleReport] = []
    company = LiveCompany(services, pace=0.05, on_event=heard(reports))
    with running(company):
        wait_for(lambda: quiet(company))
        assert {report.agent_id for report in reports} == set(services.agents())
        reports.clear()
        tell(services, "cfo", "The bank has called.")
        wait_for(lambda: reports)
        wait_for(lambda: quiet(company))
    assert {report.agent_id for report in reports} == {"cfo"}, "nobody else had anything to do"
    assert not services.inbox("cfo").unread()


def test_a_change_by_hand_and_a_message_from_another_process_are_noticed(services: Services) -> None:
    reports: list[CycleReport] = []
    company = LiveCompany(services, pace=0.05, on_event=heard(reports))
    with running(company):
        wait_for(lambda: quiet(company))
        reports.clear()
        written = "# Beliefs\n\n## B-1 The bank is closed\n\n- **Certainty:** 0.9\n"
        (services.layout.agent("cto") / "Beliefs.md").write_text(written, encoding="utf-8")
        wait_for(lambda: any(report.agent_id == "cto" for report in reports))
        arguments = json.dumps({"to": "ceo", "performative": "INFORM", "content": "Two people have applied."})
        command = [*warm.mabos(), "--workspace", str(services.layout.root)]
        subprocess.run([*command, "call", "agent_message", arguments], check=True, capture_output=True)
        wait_for(lambda: any(report.agent_id == "ceo" and report.outcome != "idle" for report in reports))
        wait_for(lambda: quiet(company))
    assert not services.inbox("ceo").unread()


def test_urgent_mail_cuts_a_running_cycle_short_and_is_heard_in_the_next(services: Services) -> None:
    """The agent's turn is held while the urgent message comes, so that it always comes before the cycle's end."""
    company = LiveCompany(services, pace=0.05)
    with running(company):
        wait_for(lambda: quiet(company))
        actor = company.actors["cfo"]
        with OPEN.find(services.layout.root).turn("cfo"):
            tell(services, "cfo", "Something ordinary.")
            wait_for(lambda: actor.is_running)
            tell(services, "cfo", "The bank has frozen the account.", "urgent")
        wait_for(lambda: quiet(company))
    assert actor.turns["cut short"] == 1
    assert not services.inbox("cfo").unread()


def test_a_flood_of_urgent_mail_starves_no_cycle(services: Services) -> None:
    company = LiveCompany(services, pace=0.05)
    with running(company):
        wait_for(lambda: quiet(company))
        for number in range(40):
            tell(services, "cfo", f"Alarm {number}.", "urgent")
        wait_for(lambda: quiet(company))
    assert not services.inbox("cfo").unread()
    assert len(services.inbox("cfo").messages()) >= 40


def test_the_heartbeat_comes_by_itself(services: Services) -> None:
    company = LiveCompany(services, pace=0.05, heartbeat=0.3)
    folder = services.layout.agent("ceo") / "memory" / "maintenance"
    with running(company):
        wait_for(lambda: folder.is_dir() and list(folder.iterdir()))


def test_an_agent_whose_cycle_fails_keeps_nobody_else_and_runs_when_its_files_are_mended(services: Services) -> None:
    reports: list[CycleReport] = []
    manifest = services.layout.agent("cto") / "agent.json"
    written = manifest.read_bytes()
    manifest.write_bytes(b"{")
    company = LiveCompany(services, pace=0.05, on_event=heard(reports))
    with running(company):
        wait_for(lambda: company.actors["cto"].failures)
        wait_for(lambda: all(one.turns for one in company.actors.values()))
        wait_for(lambda: any("agents/cto/agent.json" in said for report in reports for said in report.failures))
        manifest.write_bytes(written)
        wait_for(lambda: quiet(company))
    assert company.actors["cto"].turns["idle"]


def test_one_workspace_is_live_in_one_process_at_a_time(services: Services) -> None:
    first = LiveCompany(services)
    with running(first):
        wait_for(lambda: any(one.turns for one in first.actors.values()))
        with pytest.raises(Unavailable, match="live in another"):
            LiveCompany(services).run(seconds=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_company_that_is_ended_goes_on_where_it_was(tmp_path: Path, number: signal.Signals) -> None:
    command = [*warm.mabos(), "--workspace", str(acme.founded(tmp_path))]
    going = subprocess.Popen([*command, "live", "--json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert going.stderr is not None
    assert "9 agents are live" in going.stderr.readline()
    going.stderr.readline()  # the first turn that came to something
    going.send_signal(number)
    out, _ = going.communicate(timeout=PATIENCE)
    assert going.returncode == 0
    assert sum(count for turns in json.loads(out)["agents"].values() for count in turns.values()) >= 1
    again = subprocess.run([*command, "live", "--for", "1s", "--json"], check=True, capture_output=True, text=True)
    assert json.loads(again.stdout)["agents"]
    verified = subprocess.run([*command, "verify"], check=False, capture_output=True, text=True)
    assert verified.returncode == 0, verified.stdout + verified.stderr
