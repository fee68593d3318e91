"""The common base of every surface: the open workspace, the caller, and the answer as JSON and as text.

A door is opened for a person, who may name any agent, or for one agent. An agent may name only itself and sees only the
tools in its Capabilities.md. A door may be limited to groups of tools. Surfaces decide nothing: `call()` does.
"""

import json
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from mabos.configs.errors import InvalidArgument, MabosError, Refused, Unavailable, UnknownId, nearest
from mabos.configs.yaml_file import packaged_yaml
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.call import Outcome, call
from mabos.tools.gate.identity import check_capability
from mabos.tools.runtime.services import PERSON, Caller, Services

LOG = logging.getLogger(__name__)
CONVERSATION = "ask_agent"
"""The name under which servers offer a conversation with an agent; as a group it is that alone."""
_FOREIGN = re.compile(r"[^A-Za-z0-9_-]+")

ANSWER_SCHEMA: Mapping[str, Any] = packaged_yaml("answer_schema.yaml")
"""The answer of every surface: a result or an error, as `mabos call` prints it."""


@dataclass(frozen=True)
class Door:
    """An entry point to an open workspace, for one caller.

    A door that `publishes` updates the readable files after a write, since people read them while a server runs for
    days. `groups`, if given, limit the offer: groups of the catalogue ("memory"), names ("knowledge") and patterns
    ("memory_*").
    """

    services: Services
    caller: Caller = PERSON
    publishes: bool = False
    groups: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, services: Services, agent_id: str = "", *, publishes: bool = False, groups: Sequence[str] = ()
    ) -> "Door":
        """Return the door of an agent, or of a person if none is named.

        Raises `UnknownId` for an unknown agent or group, and `Refused` for a group without a permitted tool.
        """
        if isinstance(groups, str):
            raise InvalidArgument(f"the tool groups must be a list, as [{groups!r}]", argument="names")
        caller = Caller("agent", services.agent(agent_id).id) if agent_id else PERSON
        door = cls(services, caller, publishes)
        # Asking for all tools imports every module of tools, which a single call has no use for.
        tools, everything = (door.tools, services.tools.all()) if groups else ((), ())
        for group in groups:
            if (group == CONVERSATION and not agent_id) or any(_is_in(tool, group) for tool in tools):
                continue
            if group == CONVERSATION:
                raise Refused(f"{group} is for a person; agents use agent_message", argument="names")
            if any(_is_in(tool, group) for tool in everything):
                raise Refused(f"{agent_id!r} may not use a tool called {group!r}", argument="names")
            named = sorted({word for tool in everything for word in groups_of(tool)})
            hint = nearest(group, [*named, CONVERSATION, *map(plain_name, everything)], "")
            hint = hint if hint.endswith("?") else f"the groups are {', '.join(named)}; `mabos tools` lists the names"
            raise UnknownId(f"no tool or group of tools {group!r}; {hint}", argument="names")
        return cls(services, caller, publishes, tuple(groups))

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools offered here, in catalogue order; calling another one is refused like any other call."""
        everything = tuple(filter(self.offers, self.services.tools.all()))
        if self.caller.kind == "person":
            return everything
        agent = self.services.agent(self.caller.agent_id, caller=self.caller)
        return tuple(tool for tool in everything if _is_allowed(agent, tool))

    def offers(self, tool: Tool) -> bool:
        """Return whether a tool is in one of the door's groups."""
        return not self.groups or any(_is_in(tool, group) for group in self.groups)

    @property
    def talks(self) -> bool:
        """Return whether a conversation with an agent is offered here."""
        return self.caller.kind == "person" and (not self.groups or CONVERSATION in self.groups)

    def tool(self, name: str) -> Tool:
        """Return the tool with that name, as in the catalogue or from `plain_name`; raises `UnknownId`."""
        try:
            tool = self.services.tools.tool(name)
        except UnknownId:
            if name not in self._by_plain_name:
                raise
            tool = self._by_plain_name[name]
        if not self.offers(tool):
            raise UnknownId(f"{name!r} is not offered here, only {', '.join(self.groups)}", argument="tool")
        return tool

    def call(self, name: str, arguments: object, agent_id: str = "", key: str = "") -> Outcome:
        """Return the outcome of a call; `agent_id` is the agent named by a person besides the arguments.

        A call with a `key` has its effect once.
        """
        if not isinstance(arguments, Mapping):
            wrong = f"{name}: the arguments are {type(arguments).__name__}; expected an object of arguments by name"
            return build_failure(InvalidArgument(wrong, argument="arguments"))
        try:
            tool = self.tool(name)
        except UnknownId as error:
            return build_failure(error)
        outcome = call(
            self.services, tool.name, arguments, caller=self.caller, agent_id=agent_id or None, key=key or None
        )
        if self.publishes and tool.writes:
            self.publish()
        return outcome

    def publish(self) -> None:
        """Update the readable files, if this door publishes; any failure is logged."""
        if not self.publishes:
            return
        try:
            self.services.checkpoint()
        except (MabosError, OSError) as error:
            LOG.warning("the readable files are behind: %s", error)

    @cached_property
    def _by_plain_name(self) -> Mapping[str, Tool]:
        return {plain_name(tool): tool for tool in self.services.tools.all()}


def build_failure(error: MabosError) -> Outcome:
    """Return the outcome that represents a `MabosError`."""
    return Outcome(code=error.code, message=error.message, argument=error.argument)


def plain_name(tool: Tool) -> str:
    """Return a tool's name in the form for models and MCP clients: `ldg:task:get` is `ldg_task_get`."""
    return _FOREIGN.sub("_", tool.name)


def groups_of(tool: Tool) -> tuple[str, ...]:
    """Return the catalogue groups of a tool as people write them: "memory", "bdi-core"."""
    return tuple(dict.fromkeys(map(_group_name, (tool.module, tool.catalogue))))


def _group_name(row: str) -> str:
    return row.lower().replace(" ", "-")


def _is_in(tool: Tool, group: str) -> bool:
    return _group_name(group) in groups_of(tool) or any(
        fnmatchcase(name, group) for name in (tool.name, plain_name(tool))
    )


def text_of(outcome: Outcome) -> str:
    """Return an answer as readable text: the tool's own rendering, else its result as JSON, or the error."""
    if not outcome.ok:
        return f"{outcome.code}: {outcome.message}"
    text = outcome.result.get("text")
    return text if isinstance(text, str) and text else as_text(outcome.result)


def as_text(result: object) -> str:
    """Return JSON on one line, without escaping letters."""
    return json.dumps(result, ensure_ascii=False, separators=(",", ":"))


def needs(package: str, extra: str) -> None:
    """Raise `Unavailable` with the install command unless `package` is installed."""
    if find_spec(package) is None:
        raise Unavailable(f"the package {package!r} is not installed; pip install 'mabos[{extra}]'")


def _is_allowed(agent: Any, tool: Tool) -> bool:
    try:
        check_capability(agent, tool)
    except Refused:
        return False
    return True
