"""A company whose graph checkpoints are in Postgres: what is kept there, and what happens when it is away."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import pytest
import yaml

from mabos.backends.graph import breaker
from mabos.configs.errors import InvalidArgument
from mabos.configs.settings import load_settings
from mabos.graphs import postgres as module
from mabos.graphs import wiring
from mabos.graphs.live import LiveCompany
from mabos.graphs.simulate import simulate
from mabos.interfaces.health import health
from mabos.interfaces.threads import thread
from mabos.workspace.delivery import RetryPolicy
from tests import acme
from tests.contracts.proxy import Proxy

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services

FILE = Path(".mabos") / "checkpoints.sqlite"
WHOLE = ("journal.jsonl", "kpis.csv", "manifest.json", "report.md", "report.html")


def wanting(root: Path, database: str, *, keep: int = 50) -> Path:
    """Return the folder of a workspace that is to keep its checkpoints in a database."""
    root.mkdir(parents=True)
    settings = {"checkpoints": {"database": database, "keep": keep}}
    (root / "mabos.yaml").write_text(yaml.safe_dump(settings), "utf-8")
    return root


@contextmanager
def company(root: Path) -> "Iterator[Services]":
    with wiring.hold_services(root) as services:
        if "acme" not in services.businesses():
            acme.found(services)
        yield services


@pytest.fixture
def proxy(postgres: str) -> Iterator[Proxy]:
    place = urlsplit(postgres)
    made = Proxy(place.hostname or "", place.port or 5432)
    yield made
    made.close()


def through(proxy: Proxy) -> str:
    return f"postgresql://mabos@127.0.0.1:{proxy.port}/postgres"


def test_cycles_of_a_company_are_looked_back_at_in_postgres_and_no_file_is_made(tmp_path: Path, postgres: str) -> None:
    root = wanting(tmp_path / "workspace", postgres)
    with company(root) as services:
        wiring.run_cycle(services, "legal")
    with company(root) as services:
        wiring.run_cycle(services, "legal")
        wiring.run_maintenance(services)
        past = thread(services, "legal").past
        assert [one.values["agent_id"] for one in past] == ["legal", "legal"]
        assert len(thread(services, "heartbeat").past) == 1
        assert thread(services, "cfo").past == ()
    assert not (root / FILE).exists()
    assert (root / ".mabos" / module.SCHEMA).read_text("utf-8").startswith("mabos_")


def test_a_live_company_leaves_every_turn_there(tmp_path: Path, postgres: str) -> None:
    root = wanting(tmp_path / "workspace", postgres)
    with company(root) as services:
        LiveCompany(services, pace=0.05).run(once=True)
        assert all(thread(services, agent_id).past for agent_id in services.agents())
    assert not (root / FILE).exists()


def test_a_simulation_writes_the_same_bytes_wherever_its_checkpoints_are(tmp_path: Path, postgres: str) -> None:
    wanting(tmp_path / "there" / "workspace", postgres)
    for name in ("here", "there"):
        simulate("saas", out=tmp_path / name, weeks=2, seed=3, policy="bdi")
    for name in WHOLE:
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    with wiring.hold_services(tmp_path / "there" / "workspace") as services:
        assert len(thread(services, "company").past) == 2
    assert (tmp_path / "here" / "workspace" / FILE).exists()
    assert not (tmp_path / "there" / "workspace" / FILE).exists()


def test_what_is_cut_leaves_nothing_behind(tmp_path: Path, postgres: str) -> None:
    import psycopg

    root = wanting(tmp_path / "workspace", postgres, keep=2)
    with company(root) as services:
        for _ in range(30):
            wiring.run_cycle(services, "legal", message="Look at the terms")
    schema = (root / ".mabos" / module.SCHEMA).read_text("utf-8").strip()
    with psycopg.connect(postgres, options=f"-c search_path={schema}") as connection:
        (kept,) = connection.execute("SELECT count(*) FROM checkpoints").fetchone() or (0,)
        (values,) = connection.execute("SELECT count(*) FROM checkpoint_blobs").fetchone() or (0,)
        (idle,) = connection.execute(
            "SELECT count(*) FROM checkpoint_blobs AS b WHERE NOT EXISTS (SELECT FROM checkpoints AS c"
            " WHERE c.thread_id = b.thread_id AND c.checkpoint -> 'channel_versions' ->> b.channel = b.version)"
        ).fetchone() or (-1,)
    assert 2 <= kept <= 13
    assert values
    assert idle == 0, "values that no checkpoint refers to"


def test_a_server_that_refuses_is_said_once_stops_nobody_and_is_met_again(
    tmp_path: Path, proxy: Proxy, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(breaker, "RETRY", RetryPolicy(0.05, longest=300.0))
    root = wanting(tmp_path / "workspace", through(proxy))
    proxy.turn("refuse")
    with company(root) as services, caplog.at_level(logging.WARNING, logger="mabos.graphs.checkpoint_places"):
        for _ in range(3):
            assert wiring.run_cycle(services, "legal").outcome != "failed"
        (said,) = [one.getMessage() for one in caplog.records]
        assert "Postgres cannot store checkpoints" in said
        assert str(root / FILE) in said
        assert len(thread(services, "legal").past) == 3, "what was kept meanwhile can be looked at"
        proxy.turn("pass")
        until(lambda: len(thread(services, "legal").past) == 0, "Postgres is asked again")
        until(lambda: wiring.run_cycle(services, "legal").outcome != "failed" and bool(thread(services, "legal").past))
    assert len(caplog.records) <= 3, "once for each time that it went, and once for each who looked"


def until(holds: Callable[[], bool], why: str = "it comes to pass") -> None:
    """Wait until something holds, as long as a busy machine may take."""
    for _ in range(600):
        if holds():
            return
        sleep(0.05)
    pytest.fail(why)


def test_a_server_that_goes_or_falls_silent_in_the_middle_costs_no_cycle(
    tmp_path: Path, proxy: Proxy, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 1)
    root = wanting(tmp_path / "workspace", through(proxy))
    with company(root) as services:
        wiring.run_cycle(services, "legal")
        assert not (root / FILE).exists()
        proxy.turn("silent")
        assert wiring.run_cycle(services, "legal").outcome != "failed"
        assert "wait" in caplog.text
        assert (root / FILE).exists()
        proxy.turn("refuse")
        assert wiring.run_cycle(services, "legal").outcome != "failed"


def test_the_doctor_says_whether_it_listens_and_what_happens_until_then(tmp_path: Path, proxy: Proxy) -> None:
    with company(wanting(tmp_path / "workspace", through(proxy))):
        pass

    def said() -> tuple[str, str]:
        (found,) = [one for one in health(tmp_path / "workspace") if one.subject == "checkpoints"]
        return found.state, found.says

    assert said() == ("ok", f"127.0.0.1:{proxy.port} listens")
    proxy.turn("refuse")
    state, says = said()
    assert state == "degraded"
    assert "kept in a file of the workspace" in says


def test_without_the_extra_the_file_is_used_and_it_is_said_what_to_install(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mabos.graphs.postgres", None)  # as if what it imports were not installed
    root = wanting(tmp_path / "workspace", "postgresql://127.0.0.1:1/nowhere")
    with company(root) as services:
        assert wiring.run_cycle(services, "legal").outcome != "failed"
        assert len(thread(services, "legal").past) == 1
    assert "pip install 'mabos[postgres]'" in caplog.text
    assert (root / FILE).exists()


@pytest.mark.parametrize(
    ("database", "said"),
    [
        ("postgresql://mabos:hush@db.example/mabos", "PGPASSWORD"),
        ("postgresql://db.example/mabos?user=mabos&password=hush", "PGPASSWORD"),
        ("mysql://db.example/mabos", "postgresql://"),
        ("db.example", "postgresql://"),
    ],
)
def test_an_address_that_is_none_or_holds_a_password_is_refused(tmp_path: Path, database: str, said: str) -> None:
    wanting(tmp_path / "workspace", database)
    with pytest.raises(InvalidArgument, match=said) as refused:
        load_settings(tmp_path / "workspace")
    assert "hush" not in refused.value.message
