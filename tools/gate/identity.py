"""The actor of a call and its rights: a person may name any agent, an agent only itself."""

from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import Any

from mabos.configs.errors import InvalidArgument, Refused
from mabos.mind.proficiency import lacking
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import OWN, Tool
from mabos.tools.runtime.services import Agent, Caller


def identify_agent(
    tool: Tool, arguments: Mapping[str, Any], caller: Caller, agent_id: str | None
) -> tuple[dict[str, Any], str]:
    """Return the arguments without `agent_id`, and the acting agent ("" for a person without an agent).

    An agent may name only itself, in `agent_id` and in the tool's own actor argument; missing ones are filled in.
    Raises `Refused` and `InvalidArgument`.
    """
    given = dict(arguments)
    named = given.pop("agent_id", None)
    speaker = given.get(tool.acts_as) if tool.acts_as else None
    for argument, value in (("agent_id", named), (tool.acts_as, speaker)):
        if value is not None and not isinstance(value, str):
            raise InvalidArgument(f"{tool.name}: {argument!r} must be the id of an agent", argument=argument)
    if caller.kind == "agent":
        for argument, other in (("agent_id", agent_id), ("agent_id", named), (tool.acts_as, speaker)):
            _only_itself(tool, caller, argument, other)
        acting = caller.agent_id
    else:
        acting = _one_of(tool, [("agent_id", agent_id), ("agent_id", named), (tool.acts_as, speaker)])
    if tool.acts_as:
        given[tool.acts_as] = acting or STAKEHOLDER
    return given, acting


def _only_itself(tool: Tool, caller: Caller, argument: str, agent_id: str | None) -> None:
    if agent_id and agent_id != caller.agent_id:
        message = f"{tool.name}: {caller.agent_id!r} may act only as itself, not as {agent_id!r}; send it a message"
        raise Refused(message, argument=argument)


def _one_of(tool: Tool, named: Sequence[tuple[str, str | None]]) -> str:
    """Return the agent that a person names, by argument; naming two is a contradiction."""
    acting = ""
    for argument, agent_id in named:
        if agent_id and acting not in {"", agent_id}:
            message = f"{tool.name}: the call is made for {acting!r} and names {agent_id!r}; leave one of them out"
            raise InvalidArgument(message, argument=argument)
        acting = acting or agent_id or ""
    return acting


def check_capability(agent: Agent, tool: Tool) -> None:
    """Raise `Refused` if the agent lacks the tool or its required skill; a person may use all tools.

    An agent whose Capabilities.md lists no tools may use all of them; `memory_*` lists a family. One that lists no
    skills counts as competent. The owner's own tools are for all agents, or for those that they name.
    """
    if agent.caller.kind == "person":
        return
    capabilities = agent.mind.capabilities
    if tool.catalogue == OWN:
        if tool.agents and agent.id not in tool.agents:
            message = f"{agent.id!r} may not use {tool.name}: the owner brought it for {', '.join(tool.agents)}"
            raise Refused(message, argument="agent_id")
    elif not _lists(tuple(capabilities.tools), tool.name, tool.aliases):
        message = f"{agent.id!r} may not use {tool.name}: it is not among the tools of its Capabilities.md"
        raise Refused(message, argument="agent_id")
    if tool.skills and (short := lacking(capabilities, tool.skills)):
        message = f"{agent.id!r} may not use {tool.name}: it asks for {short}, which its Capabilities.md does not show"
        raise Refused(f"{message}; ask a colleague with contract_net_initiate", argument="agent_id")


@lru_cache(maxsize=4096)  # a briefing asks this of each colleague for each operation
def _lists(listed: tuple[str, ...], name: str, aliases: tuple[str, ...]) -> bool:
    return not listed or name in listed or any(fnmatchcase(name, one) or one in aliases for one in listed)
