"""A company whose agents have every tool, asked as an agent or as a person."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from mabos.tools.catalogue.registry import registry
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests.tools.offices import office


def thinking_office(root: Path, **given: Any) -> Services:
    """Return the services of a new workspace with the whole catalogue."""
    return replace(office(root, **given), tools=registry())


def told(services: Services, agent_id: str, tool: str, /, **arguments: Any) -> Mapping[str, Any]:
    """Return the result of a call that a person makes in the name of an agent, and that must succeed."""
    outcome = call(services, tool, arguments, agent_id=agent_id)
    assert outcome.ok, outcome.message
    return outcome.result
