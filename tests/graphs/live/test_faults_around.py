"""What fails beside a turn, or beside what is due, ends no thread of a live company and keeps nothing else back."""

import errno
import os
import sqlite3
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged
from mabos.graphs.companies import live_companies
from mabos.graphs.live import LiveCompany, keeper
from mabos.graphs.live.actors import traces
from mabos.graphs.live.keeper import Keeper
from mabos.nodes.maintenance.moments import Moment
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.graphs.test_live import quiet, running, wait_for
from tests.world import NOON, write_company


@pytest.mark.parametrize("error", [Damaged("goals.json:3: not JSON"), OSError(28, "No space left on device")])
def test_what_cannot_be_tended_keeps_no_other_moment_back(
    services: Services, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def failing(_: Services, agent_id: str = "", **__: Any) -> None:
        if agent_id == "ceo":
            raise error

    monkeypatch.setattr(keeper, "run_maintenance", failing)
    woken: list[str] = []

    def wake(agent_id: str, urgent: bool = False) -> None:
        woken.append(agent_id)

    keeps = Keeper(services, 86_400.0, wake, lambda *_, **__: None)
    for minutes, agent_id in enumerate(("ceo", "cfo"), start=1):
        moment = Moment(at=NOON + timedelta(minutes=minutes), agent_id=agent_id, tends=True)
        keeps._wheel.name(agent_id, [moment], NOON)
    clock.advance(timedelta(hours=1))
    keeps._look()
    assert woken == ["ceo", "cfo"]


def test_a_first_heartbeat_that_cannot_be_noted_leaves_the_clock_going(
    services: Services, clock: SteppedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: Services) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(keeper, "note_heartbeat", full)
    monkeypatch.setattr(keeper, "run_maintenance", lambda *_, **__: None)
    beats: list[str] = []
    company = LiveCompany(services, heartbeat=60.0, on_event=lambda one: beats.append(one.kind))
    with running(company):
        clock.advance(timedelta(minutes=2))
        wait_for(lambda: "heartbeat" in beats)


def test_a_turn_that_cannot_be_told_ends_no_thread(services: Services, monkeypatch: pytest.MonkeyPatch) -> None:
    company = LiveCompany(services, workers=1, heartbeat=86_400.0)

    def away(*_: Any) -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(company._turns, "tell", away)
    with running(company):
        wait_for(lambda: quiet(company))
    assert all(one.turns for one in company.actors.values())


def test_a_folder_that_cannot_be_looked_into_just_now_ends_no_company(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "goals.json").write_text("[]")
    assert [Path(path).name for path, _, _ in traces(tmp_path, tmp_path / "none")] == ["goals.json"]
    usual = os.scandir

    def refused(folder: Path) -> Any:
        if folder == tmp_path / "locked":
            raise OSError(errno.EMFILE, "Too many open files")
        return usual(folder)

    monkeypatch.setattr(os, "scandir", refused)
    assert [Path(path).name for path, _, _ in traces(tmp_path / "locked", tmp_path)] == ["goals.json"]


def test_a_workspace_that_is_a_file_ends_no_other_company(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    write_company(tmp_path / "acme")
    file, acme = live_companies([tmp_path / "file", tmp_path / "acme"], once=True, jobs=1)
    assert "Not a directory; name another place" in file.problem
    assert not acme.problem
    assert acme.turns
