"""The operations that can be requested in words: those of the catalogue, with people's wordings."""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from mabos.language.operation import Operation
from mabos.tools.catalogue.declaration import OWN, Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.runtime.services import Services


def operations(services: Services) -> tuple[Operation, ...]:
    """Return every operation of the workspace, in the form for a reader of requests."""
    return _operations(services.tools, services.tools.version)


@lru_cache(maxsize=8)
def _operations(registry: Registry, _version: int) -> tuple[Operation, ...]:
    return tuple(Operation(one.name, one.summary, _slot_schema(one)) for one in registry.all())


def _slot_schema(tool: Tool) -> Mapping[str, Any]:
    """Return the schema of an operation's slots; in an owner's tool the acting agent is not one."""
    if tool.catalogue != OWN:
        return tool.schema
    properties = {name: one for name, one in tool.schema["properties"].items() if name != "agent_id"}
    return {**tool.schema, "properties": properties}
