"""The agent bus of S4: abilities are invoked with a JSON text and answer with one, as the document prints."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, MabosError, Refused, Unavailable, UnknownId
from mabos.interfaces.surfaces.bus import AgentBus
from mabos.tools.runtime.services import Services
from tests.interfaces.surfaces.offices import copied
from tests.tools.test_ledger import GROWTH


@pytest.fixture
def services(company: Path, tmp_path: Path) -> Iterator[Services]:
    with copied(company, tmp_path / "workspace") as opened:
        yield opened


def invoked(bus: AgentBus, ability: str, **arguments: Any) -> Any:
    return json.loads(bus.invoke(ability)(json.dumps(arguments)))


def test_the_full_archiving_flow_of_the_document_runs_over_the_bus(services: Services) -> None:
    bus = AgentBus(services)
    task_id = invoked(bus, "ldg:task:save", task=GROWTH)["taskId"]
    assert invoked(bus, "ldg:task:get", taskId=task_id)["task"]["id"] == task_id
    assert len(invoked(bus, "ldg:msg:list", taskId=task_id)["messages"]) >= len(GROWTH["messages"])
    archived = invoked(bus, "mem:archive", taskId=task_id, agent_id="ceo")
    assert archived["success"] is True
    assert archived["nodesCreated"] > 0
    nodes = invoked(bus, "mem:retrieve", query="How is growth calculated?", limit=3)["nodes"]
    assert nodes[0]["source"]["taskId"] == task_id
    walked = invoked(bus, "mem:graph", startNodeIds=[nodes[0]["id"]], maxDepth=1)
    assert walked["edges"]
    assert "tasks" in invoked(bus, "mem:related", taskId=task_id)


def test_the_abilities_that_the_document_registers_are_there_with_their_schemas(services: Services) -> None:
    abilities = {one["id"]: one for one in AgentBus(services).abilities()}
    assert {"mem:archive", "mem:retrieve", "mem:graph", "mem:related", "model:llm", "model:embed"} <= abilities.keys()
    schema = abilities["mem:retrieve"]["inputSchema"]
    assert schema["required"] == ["query"]
    assert schema["properties"]["limit"]["default"] == 5
    assert schema["properties"]["minRelevance"]["default"] == 0.7


def test_what_cannot_be_done_is_raised_with_its_argument(services: Services) -> None:
    bus = AgentBus(services, "cfo")
    with pytest.raises(UnknownId, match="did you mean 'mem:retrieve'"):
        bus.invoke("mem:retreive")
    for ability, text, error, argument in (
        ("mem:retrieve", "{", InvalidArgument, "arguments"),
        ("mem:retrieve", "[]", InvalidArgument, "arguments"),
        ("mem:retrieve", "{}", InvalidArgument, "query"),
        ("belief_get", '{"agent_id": "ceo"}', Refused, "agent_id"),
    ):
        with pytest.raises(MabosError) as raised:
            bus.invoke(ability)(text)
        assert (raised.value.code, raised.value.argument) == (error.code, argument)


def test_a_model_that_is_not_there_is_said(services: Services) -> None:
    with pytest.raises(MabosError, match="model") as raised:
        invoked(AgentBus(services), "model:llm", messages=[{"role": "user", "content": "Hello"}])
    assert raised.value.code == Unavailable.code
