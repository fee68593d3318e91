"""The agent bus of S4: an ability is invoked by id with JSON text and answers with JSON text.

    bus = AgentBus(ws.services, "cfo")
    bus.invoke("mem:retrieve")('{"query": "How is growth calculated?"}')     # '{"nodes": [...], "by": "words"}'

The abilities of the document (`mem:archive`, `mem:retrieve`, `mem:graph`, `mem:related`, `ldg:*`, `model:llm`,
`model:embed`) answer in its format; every other tool of the catalogue is an ability of the same form. Failures are
raised, with code and faulty argument. An agent's bus acts for that agent alone.
"""

import json
from collections.abc import Callable
from typing import Any

from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.given import parse_arguments
from mabos.tools.runtime.services import Services

Ability = Callable[[str], str]


class AgentBus:
    """All abilities of an open workspace, for a person or for one agent."""

    def __init__(self, services: Services, agent_id: str = "") -> None:
        self._door = Door.of(services, agent_id)

    def abilities(self) -> list[dict[str, Any]]:
        """Return the abilities: id, description and input schema of each."""
        return [{"id": one.name, "description": one.summary, "inputSchema": one.schema} for one in self._door.tools]

    def invoke(self, ability: str) -> Ability:
        """Return the ability as a function from JSON to JSON; raises `UnknownId`, and when called, call errors."""
        name = self._door.tool(ability).name

        return lambda text: json.dumps(self._door.call(name, parse_arguments(text)).required(), ensure_ascii=False)
