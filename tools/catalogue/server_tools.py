"""Tools of MCP servers as operations: a server's statements are data; the owner decides their governance.

A tool `get_current_time` of the server `time` is the operation `time_get_current_time`. Its arguments are checked
against the schema that the owner accepted. Its class (`configs.tool_servers.ToolClass`) comes from `mabos.yaml`. The
server's hints count only if the owner trusts them, and only for tools that match no pattern.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, Final

from pydantic import BaseModel, ConfigDict, Field, create_model

from mabos.backends.tool_listing import ListedTool, ToolAnswer
from mabos.configs.errors import InvalidArgument, Refused, nearest
from mabos.configs.tool_servers import ToolClass, ToolServerSettings
from mabos.tools.catalogue.declaration import OWN, Arguments, Tool
from mabos.workspace.text import shorten

Ask = Callable[[str, Mapping[str, Any], str], ToolAnswer]
"""Asks a server: the name of a tool as the server calls it, its arguments, and an effect key or ""."""

_FOREIGN: Final = re.compile(r"[^a-z0-9_]+")
_SUMMARY, _NOTE = 300, 200
_OURS: Final = "agent_id"
"""The argument that names the acting agent; a server's own of that name is published with an underscore before it."""
_CLASSES: Final[Mapping[ToolClass, Mapping[str, Any]]] = {
    "read": {"writes": False},
    "write": {"writes": True},
    "outward": {"writes": True, "external": True, "reversible": False},
    "ask": {"writes": True, "external": True, "reversible": False, "asks": True, "exempts_people": True},
}


class _Given(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


@dataclass(frozen=True)
class ServerTool(Tool):
    """A tool of an MCP server; `listed` is its description as it was accepted."""

    listed: ListedTool | None = None
    ask: Ask | None = None
    key_argument: str = ""

    @property
    def is_ours(self) -> bool:
        """Return whether its answers come from inside MABOS, which is never so."""
        return False

    @cached_property
    def summary(self) -> str:
        """The first sentence of the server's description, as data, on one line."""
        assert self.listed is not None  # noqa: S101 - made by `server_tool` alone
        text = " ".join((self.listed.description or self.listed.title or self.listed.name).split())
        first = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
        return shorten(first, _SUMMARY)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The server's schema of the arguments, with `agent_id` and without the effect key."""
        assert self.listed is not None  # noqa: S101 - as above
        given = dict(self.listed.input_schema)
        properties = {
            _field_name(name): _shorten_description(one)
            for name, one in dict(given.get("properties") or {}).items()
            if name != self.key_argument
        }
        properties[_OURS] = {"type": "string", "description": "The agent that acts; by default the caller itself."}
        required = [_field_name(name) for name in given.get("required") or () if name != self.key_argument]
        return {**given, "type": "object", "properties": properties, "required": required}

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """A model for arguments that `validate_arguments` has checked: its fields are the server's, of any type."""
        fields: dict[str, Any] = {
            f"a{number}": (Any, Field(default=None, alias=name))
            for number, name in enumerate(self.schema["properties"])
            if name != _OURS
        }
        return create_model(self.name, __base__=_Given, **fields)

    def validate_arguments(self, given: Arguments) -> BaseModel:
        """Return `given` as the arguments model, checked against the server's schema; raises `InvalidArgument`."""
        from jsonschema.exceptions import SchemaError, best_match
        from jsonschema.validators import validator_for

        properties = self.schema["properties"]
        values = {name: value for name, value in given.items() if value is not None or name in self.schema["required"]}
        is_open = self.schema.get("additionalProperties", False) is not False
        if (unknown := next((name for name in values if name not in properties), None)) and not is_open:
            known = [name for name in properties if name != _OURS]
            message = f"{self.name}: there is no argument {unknown!r}; {nearest(unknown, known, 'it takes')}"
            raise InvalidArgument(message, argument=unknown)
        if missing := next((name for name in self.schema["required"] if name not in values), None):
            note = properties.get(missing, {}).get("description") or "the server asks for it"
            raise InvalidArgument(f"{self.name}: {missing!r} is missing ({note})", argument=missing)
        try:
            error = best_match(validator_for(self.schema)(self.schema).iter_errors(values))
        except (SchemaError, RecursionError, LookupError, re.error) as broken:
            message = f"{self.name}: the schema of its server cannot be used ({type(broken).__name__})"
            raise InvalidArgument(message) from broken
        if error is not None:
            at = str(error.absolute_path[0]) if error.absolute_path else None
            raise InvalidArgument(f"{self.name}: {shorten(error.message, _NOTE)}", argument=at)
        return self.arguments.model_validate(values)

    def run(self, agent: Any, values: BaseModel) -> Mapping[str, Any]:
        """Return the server's answer. Only `call()` uses this, after the gate."""
        assert self.listed is not None  # noqa: S101 - as above
        assert self.ask is not None  # noqa: S101 - as above
        given = values.model_dump(by_alias=True, exclude_unset=True)
        names = {_field_name(name): name for name in self.listed.input_schema.get("properties") or {}}
        arguments = {names.get(name, name): value for name, value in given.items()}
        if self.key_argument and agent.key:
            arguments[self.key_argument] = agent.key
        answer = self.ask(self.listed.name, arguments, agent.key)
        if answer.is_error:
            raise Refused(f"{self.name}: {shorten(answer.text, 600) or 'the server says that it failed'}")
        if answer.structured is None:
            return {"text": answer.text}
        fields = answer.structured if isinstance(answer.structured, dict) else {"result": answer.structured}
        return fields if _is_json(answer.text) else {**fields, "text": answer.text}


def server_tool(server: str, listed: ListedTool, settings: ToolServerSettings, ask: Ask) -> ServerTool | None:
    """Return the operation for a server's tool; None if its class is `hidden`."""
    chosen = class_of(listed, settings)
    if chosen == "hidden":
        return None
    takes_key = settings.key_argument and settings.key_argument in (listed.input_schema.get("properties") or {})
    flags = dict(_CLASSES[chosen])
    cost = settings.cost_usd if flags["writes"] else 0.0

    def stub_function(*_: Any, **__: Any) -> Mapping[str, Any]:
        """Stand for a function: `ServerTool.run` asks the server."""
        raise NotImplementedError

    return ServerTool(
        function=stub_function,
        called=operation_name(server, listed.name),
        module=OWN,
        catalogue=OWN,
        category=f"mcp_{server}" if flags["writes"] else "reading",
        cost=(lambda _: cost) if cost else None,
        counterparty=lambda _: server,
        idempotent=not flags["writes"] or bool(takes_key),
        listed=listed,
        ask=ask,
        agents=settings.agents,
        key_argument=settings.key_argument if takes_key else "",
        **flags,
    )


def class_of(listed: ListedTool, settings: ToolServerSettings) -> ToolClass:
    """Return the class of a tool: from the first matching pattern, else from trusted hints, else `ask`."""
    for pattern, chosen in settings.tools.items():
        if fnmatchcase(listed.name, pattern):
            return chosen
    if settings.trust_hints and listed.hints.get("read_only_hint") is True:
        return "read"
    if settings.trust_hints and listed.hints.get("destructive_hint") is False:
        return "outward" if listed.hints.get("open_world_hint", True) else "write"
    return "ask"


def operation_name(server: str, tool: str) -> str:
    """Return the name of the operation for a server's tool.

    >>> operation_name("files", "read-multiple.Files"), operation_name("git", "git_log")
    ('files_read_multiple_files', 'git_log')
    """
    plain = _FOREIGN.sub("_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", tool).lower()).strip("_")
    return plain if plain.startswith(f"{server}_") else f"{server}_{plain}"


def unique(tools: Sequence[ServerTool | None], taken: Callable[[str], bool]) -> tuple[list[ServerTool], list[str]]:
    """Return the tools with free names, and a sentence for each one left out."""
    kept, faults = dict[str, ServerTool](), list[str]()
    for tool in tools:
        if tool is None:
            continue
        if tool.name in kept or taken(tool.name):
            faults.append(f"{tool.name} is not offered: another operation has that name")
        else:
            kept[tool.name] = tool
    return list(kept.values()), faults


def _is_json(text: str) -> bool:
    """Return whether a text only repeats the structure of an answer, as servers add it for old clients."""
    try:
        return isinstance(json.loads(text), dict | list)
    except ValueError:
        return False


def _field_name(name: str) -> str:
    return f"_{name}" if name == _OURS else name


def _shorten_description(schema: Any) -> dict[str, Any]:
    """Return the schema of one argument with a short description; an invalid schema accepts anything."""
    if not isinstance(schema, Mapping):
        return {}
    note = schema.get("description")
    return {**schema, "description": shorten(note, _NOTE)} if isinstance(note, str) else dict(schema)
