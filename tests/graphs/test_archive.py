"""The machine that makes knowledge of finished tasks, and the heartbeat that runs it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.configs.errors import Damaged
from mabos.graphs import wiring
from mabos.graphs.server import archive as graph
from mabos.graphs.server import maintenance
from mabos.nodes.archiving import ArchiveContext
from mabos.nodes.maintenance.state import MaintenanceContext
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests.tools.test_ledger import GROWTH
from tests.world import write_company


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[Services]:
    with wiring.hold_services(write_company(tmp_path)) as services:
        yield services


def saved(services: Services) -> str:
    return str(call(services, "ldg:task:save", {"task": GROWTH}, agent_id="cfo").result["taskId"])


def test_a_round_archives_what_is_due_and_the_next_one_finds_nothing(acme: Services) -> None:
    task_ids = {saved(acme), saved(acme)}
    context = ArchiveContext(workspace=str(acme.layout.root))
    answer: Any = graph.invoke({}, context=context)
    assert {row["taskId"] for row in answer["tasks"]} == task_ids
    assert sum(row["nodesCreated"] for row in answer["tasks"]) > 0
    assert graph.invoke({}, context=context)["tasks"] == []


def test_a_named_task_is_archived_again_and_an_unknown_one_is_refused_by_itself(acme: Services) -> None:
    task_id = saved(acme)
    context = ArchiveContext(workspace=str(acme.layout.root))
    answer: Any = graph.invoke({"task_ids": ["TASK-0", task_id]}, context=context)
    refused, done = answer["tasks"]
    assert "TASK-0" in refused["refused"]
    assert done["nodesCreated"] > 0


def test_the_heartbeat_archives_what_is_over(acme: Services) -> None:
    saved(acme)
    context = MaintenanceContext(workspace=str(acme.layout.root))
    assert maintenance.invoke({}, context=context)["archived"] == {"acme": 1}
    assert maintenance.invoke({}, context=context)["archived"] == {}
    assert acme.business().archive.nodes()


def test_a_business_that_cannot_be_read_keeps_no_other_from_it_and_is_told(acme: Services) -> None:
    saved(acme)
    folder = acme.layout.root / "businesses" / "zeta"
    folder.mkdir()
    manifest = {"id": "zeta", "name": "Zeta", "template": "saas", "created": "2025-01-01T00:00:00.000Z", "agents": {}}
    (folder / "business.json").write_bytes(orjson.dumps(manifest | {"users": ["kim"]}))
    (folder / "archive.json").write_text("{{{")
    with pytest.raises(Damaged, match="zeta"):
        maintenance.invoke({}, context=MaintenanceContext(workspace=str(acme.layout.root)))
    assert acme.businesses() == ["zeta", "acme"]
    assert acme.business("acme").archive.nodes()
    (folder / "archive.json").unlink()
