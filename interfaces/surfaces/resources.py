"""Resources with addresses: the entity memory as in S2, and the files of agents' minds.

    mabos://knowledge/entities          mabos://knowledge/entities/Pattern     mabos://knowledge/pattern:orchestrator
    mabos://knowledge/search?q=pricing  mabos://knowledge/stats                mabos://knowledge/recent
    mabos://agents                      mabos://agents/cfo/Beliefs.md

`?agent=ID` selects an agent's view of the knowledge; a person is shown everything without it.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from mabos.configs.errors import Refused, UnknownId, unknown
from mabos.interfaces.surfaces.door import Door
from mabos.mind.forms import MIND_FILES

JSON, MARKDOWN = "application/json", "text/markdown"
_SCHEME = "mabos"


@dataclass(frozen=True, slots=True)
class Resource:
    """An address, or an address pattern, and its content."""

    uri: str
    name: str
    description: str
    kind: str = JSON

    def as_fields(self, address: str) -> dict[str, Any]:
        """Return the fields in MCP's form, the address under the matching name."""
        return {address: self.uri, "name": self.name, "description": self.description, "mime_type": self.kind}


KNOWLEDGE = (
    Resource("mabos://knowledge/entities", "entities", "Every entity the business knows, with its observations."),
    Resource("mabos://knowledge/stats", "stats", "The figures of the entity memory: counts, density, growth, quality."),
    Resource("mabos://knowledge/recent", "recent", "The entities that were looked at last."),
    Resource("mabos://agents", "agents", "The agents, and where their minds can be read."),
)
TEMPLATES = (
    Resource("mabos://knowledge/entities/{type}", "entities by type", "Entities of a type, as Pattern or Insight."),
    Resource("mabos://knowledge/{entity_id}", "entity", "One entity with its observations and relations."),
    Resource("mabos://knowledge/search{?q}", "search", "Entities that fit a question, by meaning, else by words."),
    Resource("mabos://agents/{agent_id}/{file}", "mind", "A file of an agent's mind, as Beliefs.md.", MARKDOWN),
)


def collect_resources(door: Door) -> list[Resource]:
    """Return the listed addresses: of knowledge, and of each mind that the caller may read."""
    own = door.caller.agent_id
    agents = [own] if own else door.services.agents()
    return [*KNOWLEDGE, *(_mind(agent_id, file) for agent_id in agents for file in MIND_FILES)]


def read(door: Door, uri: str) -> tuple[str, str]:
    """Return the type and text at an address; raises `UnknownId`, `Refused` and errors of tools."""
    parts = urlsplit(uri)
    path = [unquote(part) for part in parts.path.strip("/").split("/") if part]
    asked = {name: values[-1] for name, values in parse_qs(parts.query).items()}
    if parts.scheme == _SCHEME and parts.netloc == "knowledge":
        return JSON, _as_json(_knowledge(door, path, asked))
    if parts.scheme == _SCHEME and parts.netloc == "agents":
        if not path:
            return JSON, _as_json({"agents": [_agent(one) for one in door.services.agents()]})
        if len(path) == 2:
            return MARKDOWN, _mind_file(door, *path)
    raise unknown("resource", uri, [one.uri for one in (*KNOWLEDGE, *TEMPLATES)], argument="uri")


def _knowledge(door: Door, path: list[str], asked: Mapping[str, str]) -> Mapping[str, Any]:
    def answer(action: str, **arguments: Any) -> Mapping[str, Any]:
        return door.call("knowledge", {"action": action, **arguments}, asked.get("agent", "")).required()

    match path:
        case ["entities", *types] if len(types) < 2:
            return _entities(answer, types)
        case ["stats" | "recent" as action]:
            return answer(action)
        case ["search"]:
            return answer("query_semantic", query=asked.get("q", ""))
        case [entity]:
            return answer("get_entity", entity=entity)
    raise UnknownId("unknown knowledge resource; see the list of templates", argument="uri")


def _entities(answer: Callable[..., Mapping[str, Any]], types: list[str]) -> Mapping[str, Any]:
    drawn = json.loads(answer("export", format="d3", filters={"types": types})["text"])
    return {"entities": drawn["nodes"], "count": len(drawn["nodes"])}


def _mind_file(door: Door, agent_id: str, file: str) -> str:
    if door.caller.kind == "agent" and agent_id != door.caller.agent_id:
        raise Refused(f"{door.caller.agent_id!r} may read only its own mind, not that of {agent_id!r}", argument="uri")
    if file not in MIND_FILES:
        raise unknown("file of a mind", file, MIND_FILES, argument="uri")
    agent = door.services.agent(agent_id)
    with suppress(OSError):  # in a workspace that may only be read the files are as they are
        agent.mind.checkpoint()
    path = door.services.layout.agent(agent_id) / file
    if not path.is_file():
        raise UnknownId(f"{agent_id!r} has no {file} yet", argument="uri")
    return path.read_text("utf-8")


def _mind(agent_id: str, file: str) -> Resource:
    name = file.removesuffix(".md").lower()
    uri = f"mabos://agents/{quote(agent_id)}/{file}"
    return Resource(uri, f"{agent_id}: {name}", f"The {name} of {agent_id}.", MARKDOWN)


def _agent(agent_id: str) -> dict[str, Any]:
    return {"id": agent_id, "mind": [_mind(agent_id, file).uri for file in MIND_FILES]}


def _as_json(value: Mapping[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
