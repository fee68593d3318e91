"""What a company that runs for long meets: agents that fail, floods of mail, a full disk, a stop in between."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import partial, wraps
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from mabos.graphs import bdi
from mabos.graphs.live import Actor, Happening, LiveCompany
from mabos.graphs.live.actors import HEAD_START, next_up
from mabos.mind.model import Step
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import iso, system_clock
from tests.graphs.test_budgets import settings
from tests.graphs.test_live import PATIENCE, quiet, running, tell, wait_for
from tests.tools.workspaces import Bench
from tests.world import World, write_company

ROOT = Path(__file__).resolve().parents[3]
FLOOD = 500  # messages that take an agent ten cycles to read
MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"'


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    """Three agents who want nothing by themselves, on a disk that is not waited for."""
    with World.small(tmp_path, clock=system_clock, settings={"memory.embeddings": "none"}) as world:
        yield world.services


@pytest.fixture
def fault(monkeypatch: pytest.MonkeyPatch) -> Event:
    """Return an event while which is set every cycle of the CFO raises what no program should."""
    failing, (plain, told) = Event(), bdi.PHASES["perceive"]

    @wraps(plain)
    def perceive(state: Any, runtime: Any) -> Any:
        if failing.is_set() and state["agent_id"] == "cfo":
            raise ZeroDivisionError("a defect")
        return plain(state, runtime)

    monkeypatch.setitem(bdi.PHASES, "perceive", (perceive, told))
    return failing


def about(told: list[Happening], kind: str) -> list[str]:
    return [one.agent_id for one in told if one.kind == kind]


def test_an_agent_whose_cycles_raise_rests_longer_each_time_and_is_told_of_once(
    services: Services, fault: Event
) -> None:
    told: list[Happening] = []
    company = LiveCompany(services, pace=0.05, on_event=told.append)
    fault.set()
    with running(company):
        wait_for(lambda: company.actors["cfo"].failures == 1)
        for number in range(5):
            tell(services, "cfo", f"Are you there? {number}", "urgent")
        wait_for(lambda: company.actors["cfo"].failures == 3)
        wait_for(lambda: [one for one in services.inbox(STAKEHOLDER).messages() if one.sender == "cfo"])
        tell(services, "ceo", "How are you?")
        wait_for(lambda: not services.inbox("ceo").unread())
        fault.clear()
        (services.layout.agent("cfo") / "Knowledge.md").write_text("# Knowledge\n", encoding="utf-8")  # a person mends
        wait_for(lambda: not services.inbox("cfo").unread())
    assert about(told, "failing") == about(told, "mended") == ["cfo"]
    letters = [one.content for one in services.inbox(STAKEHOLDER).messages() if one.sender == "cfo"]
    assert len(letters) == 1
    assert "a defect" in letters[0]


def test_a_failing_agent_is_tried_at_doubled_intervals_whatever_wakes_it() -> None:
    actor = Actor("cfo", Path("cfo"))
    rests = []
    for _ in range(12):
        actor.want(0.0, urgent=True)
        actor.begin()
        actor.end("failed", 0.0, 0.0)
        actor.want(0.0, urgent=True)
        rests.append(actor.ready_at)
        actor.rests_until = 0.0
    assert rests[:5] == [1, 2, 4, 8, 16]
    assert rests[-1] == 600
    actor.begin()
    actor.end("idle", 0.0, 7.0)
    assert (actor.failures, actor.ready_at) == (0, 7.0)


def test_nobody_waits_longer_than_the_head_start_for_a_flood_of_urgent_mail() -> None:
    """Two agents always have urgent mail, one wants a single turn, and there is one thread."""
    flooded, patient = [Actor("a", Path("a")), Actor("b", Path("b"))], Actor("z", Path("z"), due=0.0)
    now = 0.0
    while patient.due == 0.0:
        for one in flooded:
            one.want(now, urgent=True)
        chosen = next_up([*flooded, patient], now)
        assert chosen is not None
        chosen.begin()
        now += 0.1
        chosen.end("idle", now, float("inf"))
        assert now <= HEAD_START + 0.3
    assert next_up([patient], now, urgent_only=True) is None


@pytest.mark.slow
def test_a_flood_of_messages_for_one_keep_no_other_waiting_and_all_are_read(services: Services) -> None:
    now = iso(services.clock())
    for number in range(FLOOD):
        services.mail.deliver(Message(f"MSG-{number}", STAKEHOLDER, "cfo", "INFORM", f"Figure {number}", now))
    company = LiveCompany(services, pace=0.05)
    with running(company):
        wait_for(lambda: len(services.inbox("cfo").unread()) < FLOOD)
        tell(services, "ceo", "How is it going?")
        wait_for(lambda: not services.inbox("ceo").unread())
        assert services.inbox("cfo").unread(), "the CEO did not have to wait for all of it"
        tell(services, "cfo", "The bank has called.", "urgent")
        while left := len(services.inbox("cfo").unread()):
            wait_for(partial(_fewer, services, left))
        wait_for(lambda: quiet(company))
    assert len(services.inbox("cfo").messages()) == FLOOD + 1


def _fewer(services: Services, left: int) -> bool:
    return len(services.inbox("cfo").unread()) < left


def test_what_a_person_writes_into_a_file_while_its_agent_is_at_work_is_believed(services: Services) -> None:
    company = LiveCompany(services, pace=0.05)
    with running(company):
        for number in range(30):
            tell(services, "cfo", f"Figure {number} of the week.")
            if number == 15:
                with (services.layout.agent("cfo") / "Beliefs.md").open("a", encoding="utf-8") as file:
                    file.write("\n## The bank is closed\n\n- **Certainty:** 0.9\n")
        wait_for(lambda: not services.inbox("cfo").unread() and quiet(company))
    assert any("The bank is closed" in one.statement for one in services.agent("cfo").mind.beliefs)


def test_an_agent_that_is_removed_while_the_company_runs_ends_nothing_else(services: Services) -> None:
    company = LiveCompany(services, pace=0.05)
    with running(company):
        wait_for(lambda: quiet(company))
        shutil.rmtree(services.layout.agent("cto"))
        wait_for(lambda: "cto" not in company.actors)
        tell(services, "ceo", "How are you?")
        wait_for(lambda: not services.inbox("ceo").unread())


def test_whoever_listens_and_fails_stops_nobody(services: Services) -> None:
    def gone(_: Happening) -> None:
        raise BrokenPipeError

    company = LiveCompany(services, pace=0.05, on_event=gone)
    with running(company):
        wait_for(lambda: quiet(company))
        tell(services, "ceo", "How are you?")
        wait_for(lambda: not services.inbox("ceo").unread())


def test_a_stop_during_an_effect_waits_for_it_and_the_next_run_does_not_repeat_it(tmp_path: Path) -> None:
    bench = Bench()
    office = World.small(tmp_path, settings=settings("run"), tools=Registry(extra=bench.tools()))
    office.agent("cfo").commit(*(Step(one, "Write it", "note_write", {"text": one}) for one in ("one", "two")))
    begun, goes_on = Event(), Event()

    def before() -> None:
        begun.set()
        goes_on.wait(PATIENCE)

    bench.before = before
    with office:
        company = LiveCompany(office.services)
        thread = Thread(target=company.run)
        thread.start()
        wait_for(begun.is_set)
        company.stop()
        thread.join(0.6)
        assert thread.is_alive(), "an effect is not left half done"
        goes_on.set()
        thread.join(PATIENCE)
        assert not thread.is_alive()
    office.open()
    with office, running(LiveCompany(office.services, pace=0.05)):
        wait_for(lambda: all(one.status == "completed" for one in office.agent("cfo").mind.plans))
    assert [one["text"] for one in bench.ran] == ["one", "two"]


def mabos(root: Path, *words: str, before: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    command = [*before, sys.executable, "-m", "mabos", "-w", str(root), *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_a_workspace_that_may_only_be_read_is_refused_in_one_line(tmp_path: Path) -> None:
    root = write_company(tmp_path)
    if shutil.which("unshare") is None:
        pytest.skip("a read-only mount needs unshare")
    mounted = ("unshare", "-rm", "sh", "-c", MOUNTED, "sh", str(root))
    if subprocess.run([*mounted, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this system lets nobody mount")
    found = mabos(root, "live", "--once", before=mounted)
    assert (found.returncode, found.stdout) == (1, "")
    assert "Traceback" not in found.stderr
    assert [line for line in found.stderr.splitlines() if line.startswith("mabos: ")], found.stderr


def test_a_second_company_on_one_workspace_is_refused_and_says_why(services: Services) -> None:
    company = LiveCompany(services)
    with running(company):
        wait_for(lambda: any(one.turns for one in company.actors.values()))
        found = mabos(services.layout.root, "live", "--for", "1s")
    assert found.returncode == 1
    (line,) = [line for line in found.stderr.splitlines() if line.startswith("mabos: ")]
    assert "is already live in another process; stop that one first" in line


FILLED = """
import json, resource, signal, sys, time
from pathlib import Path
from threading import Thread
from mabos.graphs.live import LiveCompany
from mabos.graphs.wiring import hold_services
from tests.graphs.test_live import quiet, tell, wait_for
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
none = resource.getrlimit(resource.RLIMIT_FSIZE)
told = []
with hold_services(Path(sys.argv[1])) as services:
    company = LiveCompany(services, pace=0.05, on_event=told.append)
    thread = Thread(target=company.run)
    thread.start()
    wait_for(lambda: quiet(company))
    tell(services, "cfo", "The bank has called.")
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, none[1]))
    wait_for(lambda: company.actors["cfo"].failures >= 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, none)
    wait_for(lambda: not services.inbox("cfo").unread() and not company.actors["cfo"].failures)
    company.stop()
    thread.join()
print(json.dumps([one.kind for one in told if one.agent_id == "cfo" and one.kind != "turn"]))
"""


def test_a_disk_that_is_full_for_a_while_stops_nobody_for_good(tmp_path: Path) -> None:
    command = [sys.executable, "-c", FILLED, str(write_company(tmp_path))]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=4 * PATIENCE)
    assert found.returncode == 0, found.stderr[-3000:]
    assert found.stdout.strip() == '["failing", "mended"]', found.stderr[-3000:]
