"""The MCP servers in `mabos.yaml`: their accepted tools, the status of each server, and calls through it.

A server's first offer is saved in `mcp_servers/<name>.json` of the workspace, for the owner to read, and is what agents
see. A new or changed tool waits until the owner accepts it (`mabos servers accept NAME`); a removed one is not offered.
So no server can change the tool texts that an agent reads.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import RLock
from time import monotonic, time
from typing import TYPE_CHECKING, Any, Final, Literal

import orjson

from mabos.backends.daily import DailyMeter
from mabos.backends.metering import ModelBudget, Spent
from mabos.backends.one_address import is_private, public
from mabos.backends.tool_listing import ListedTool, ToolAnswer
from mabos.configs.errors import MabosError, Unavailable, nearest, unknown
from mabos.configs.settings import Environment
from mabos.configs.tool_servers import ToolClass, ToolServerSettings
from mabos.society.business import agent_ids
from mabos.tools.catalogue.server_tools import ServerTool, class_of, operation_name, server_tool, unique
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import Clock, iso
from mabos.workspace.names import Layout

if TYPE_CHECKING:
    from mabos.backends.tool_server import ToolServer

LOG = logging.getLogger(__name__)
FOLDER: Final = "mcp_servers"
"""The folder of a workspace that holds what each server offers, as it was accepted."""
_INHERITED: Final = ("HOME", "LANG", "LOGNAME", "PATH", "SHELL", "SYSTEMROOT", "TEMP", "TMPDIR", "USER", "USERPROFILE")
_AGAIN_S: Final = 300.0
"""Seconds after which a server that nobody has reached yet is tried again by itself, in whichever process."""
Standing = Literal["ready", "changed", "misnamed", "away"]


@dataclass(frozen=True, slots=True)
class ServerReport:
    """A server's status on one line, and the class of each of its tools; `waiting` are those not yet accepted."""

    name: str
    stands: Standing
    says: str
    tools: Mapping[str, ToolClass] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()


@dataclass(slots=True)
class _Known:
    """The known state of a server in this process."""

    settings: ToolServerSettings
    accepted: tuple[ListedTool, ...] | None = None
    offered: tuple[ListedTool, ...] | None = None
    fault: str = ""
    tried_at: float = float("-inf")
    is_stale: bool = True
    server: "ToolServer | None" = None


class ToolServers:
    """All servers of a workspace, shared by threads. A server is contacted for a call, or if it is unknown."""

    def __init__(
        self, settings: Mapping[str, ToolServerSettings], layout: Layout, environment: Environment, clock: Clock
    ) -> None:
        self._layout, self._environment, self._clock = layout, environment, clock
        self._known = {name: _Known(one) for name, one in settings.items()}
        self._guard = RLock()
        self._version = 0

    @property
    def version(self) -> int:
        """A version that changes whenever the tools may change."""
        now = monotonic()
        waits = any(one.accepted is None and now - one.tried_at > _AGAIN_S for one in self._known.values())
        return self._version + waits

    def tools(self, taken: Callable[[str], bool]) -> Sequence[ServerTool]:
        """Return the callable tools; servers that are still unknown are contacted, all at once."""
        now = monotonic()
        for name, one in self._known.items():
            if one.accepted is None and one.offered is None:
                one.accepted = self._read(name)
            if one.accepted is None and self._failed_lately(name):
                one.tried_at = max(one.tried_at, now)
        fresh = [n for n, one in self._known.items() if one.accepted is None and now - one.tried_at > _AGAIN_S]
        self._ask_all(fresh)
        made = [
            server_tool(name, listed, one.settings, partial(self._call, name))
            for name, one in self._known.items()
            for listed in self._usable(one)
        ]
        kept, faults = unique(made, taken)
        for fault in faults:
            LOG.warning("%s", fault)
        return kept

    def reports(self) -> list[ServerReport]:
        """Return the current status of every server."""
        for name, one in self._known.items():
            one.accepted = one.accepted or self._read(name)
        self._ask_all(list(self._known))
        return [self._report(name, one) for name, one in self._known.items()]

    def accept(self, name: str) -> ServerReport:
        """Accept a server's current offer; raises `UnknownId`, and `Unavailable` if it cannot be reached."""
        if name not in self._known:
            raise unknown("MCP server", name, self._known, argument="name")
        self._ask(name)
        one = self._known[name]
        if one.fault or one.offered is None:
            raise Unavailable(one.fault or f"MCP server {name} could not be asked")
        self._accept(name, one)
        return self._report(name, one)

    def close(self) -> None:
        """End every connection, and the programs behind them."""
        for one in self._known.values():
            if one.server is not None:
                one.server.close()
                one.server = None

    def _ask_all(self, names: Sequence[str]) -> None:
        if names:
            with ThreadPoolExecutor(min(8, len(names)), thread_name_prefix="mcp-ask") as pool:
                list(pool.map(self._ask, names))

    def _ask(self, name: str) -> None:
        """Ask a server for its tools; its first offer counts as accepted, later changes are named."""
        one = self._known[name]
        one.tried_at = monotonic()
        try:
            one.offered = tuple(self._server(name).listed())
        except MabosError as error:
            if one.fault != error.message:
                LOG.warning("%s; mabos servers asks it again", error.message)
            one.fault = error.message
            with suppress(OSError):  # a workspace that may only be read
                write_atomic(self._failure(name), error.message, durable=False)
            return
        one.fault, one.is_stale = "", False
        self._failure(name).unlink(missing_ok=True)
        if one.accepted is None:
            one.accepted = self._read(name)
        if one.accepted is None:
            self._accept(name, one)
        if found := [*_changes(one), *self._find_misnamed(one)]:
            LOG.warning("MCP server %s %s; review it: mabos servers", name, "; ".join(found))
        with self._guard:
            self._version += 1

    def _accept(self, name: str, one: _Known) -> None:
        one.accepted = one.offered or ()
        record = {"server": name, "accepted_at": iso(self._clock()), "tools": [asdict(tool) for tool in one.accepted]}
        options = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE
        write_atomic(self._path(name), orjson.dumps(record, option=options))
        with self._guard:
            self._version += 1

    def _read(self, name: str) -> tuple[ListedTool, ...] | None:
        path = self._path(name)
        try:
            return tuple(ListedTool(**tool) for tool in orjson.loads(path.read_bytes())["tools"])
        except FileNotFoundError:
            return None
        except (ValueError, TypeError, KeyError) as error:
            said = f"does not say which tools were accepted ({error}); delete it to accept what the server offers now"
            self._known[name].fault = f"{path} {said}"
            LOG.warning("%s", self._known[name].fault)
            return ()

    def _usable(self, one: _Known) -> list[ListedTool]:
        """Return the accepted tools that the server still describes as it did; all of them while it was not asked."""
        accepted = one.accepted or ()
        if one.offered is None:
            return list(accepted)
        offered = {tool.name: tool for tool in one.offered}
        return [tool for tool in accepted if offered.get(tool.name) == tool]

    def _call(self, name: str, tool: str, arguments: Mapping[str, Any], key: str) -> ToolAnswer:
        """Call a tool that is as it was accepted, within the server's time and its calls of a day."""
        one = self._known[name]
        if one.is_stale:
            self._ask(name)
        if one.fault:
            raise Unavailable(one.fault)
        if all(usable.name != tool for usable in self._usable(one)):
            message = f"MCP server {name} changed or withdrew {tool}; review its tools: mabos servers"
            raise Unavailable(message)
        self._meter(name, one.settings).reserve(Spent(deeds=1))
        return self._server(name).call(tool, arguments, timeout_s=one.settings.timeout_s, key=key)

    def _meter(self, name: str, settings: ToolServerSettings) -> DailyMeter:
        budget = ModelBudget(f"day of MCP server {name}", deeds=settings.calls_a_day)
        path = self._layout.internal / FOLDER / f"{name}.json"
        return DailyMeter(path, budget, today=lambda: self._clock().date().isoformat())

    def _server(self, name: str) -> "ToolServer":
        with self._guard:
            one = self._known[name]
            if one.server is None:
                one.server = self._build_server(name, one.settings)
            return one.server

    def _build_server(self, name: str, settings: ToolServerSettings) -> "ToolServer":
        if find_spec("mcp") is None:
            raise Unavailable(f"MCP server {name} needs the package mcp; pip install 'mabos[mcp]'")
        from mabos.backends.tool_pipe import ServerPipe
        from mabos.backends.tool_server import ToolServer

        variables = self._environment.variables
        token = self._environment.secret(settings.token_env)
        if settings.url and token and not is_private(settings.url):
            raise Unavailable(f"MCP server {name}: its token would be sent unencrypted to {public(settings.url)}")
        given = {one: variables[one] for one in (*_INHERITED, *settings.env_from) if one in variables}
        if lacking := [one for one in (*settings.env_from, settings.token_env) if one and one not in variables]:
            raise Unavailable(f"MCP server {name} needs {lacking[0]} in the environment; it is not set")
        env = {**given, **settings.env}

        def pipe() -> ServerPipe:
            return ServerPipe(settings.command, env, self._layout.root)

        return ToolServer(
            name,
            pipe=pipe if settings.command else None,
            url=settings.url,
            token=token,
            connect_s=settings.connect_s,
            answer_bytes=settings.answer_kb * 1024,
            on_change=partial(self._has_changed, name),
        )

    def _has_changed(self, name: str) -> None:
        """Note that a server says it has other tools: it is asked before its next call."""
        self._known[name].is_stale = True

    def _report(self, name: str, one: _Known) -> ServerReport:
        if one.fault:
            return ServerReport(name, "away", one.fault)
        tools = {operation_name(name, tool.name): class_of(tool, one.settings) for tool in self._usable(one)}
        waiting, misnamed = _changes(one), self._find_misnamed(one)
        number = len([chosen for chosen in tools.values() if chosen != "hidden"])
        says = f"{number} tool{'' if number == 1 else 's'}" + "".join(f"; {text}" for text in (*waiting, *misnamed))
        stands: Standing = "misnamed" if misnamed else "changed" if waiting else "ready"
        return ServerReport(name, stands, says, tools, tuple(waiting))

    def _find_misnamed(self, one: _Known) -> list[str]:
        """Return what the settings of a server name and what does not exist, a sentence each."""
        tools = [tool.name for tool in one.offered or one.accepted or ()]
        agents = agent_ids(self._layout) if one.settings.agents else ()
        return [
            *(f"has no tool for the pattern {pattern!r}; {nearest(pattern, tools, 'it offers')}"
              for pattern in one.settings.tools
              if pattern != "*" and not any(fnmatchcase(name, pattern) for name in tools)),
            *(f"is for an unknown agent {agent!r}; {nearest(agent, agents, 'there are')}"
              for agent in one.settings.agents
              if agent not in agents),
        ]  # fmt: skip

    def _failed_lately(self, name: str) -> bool:
        """Return whether another process could not reach a server a moment ago: not each of them waits for it."""
        try:
            return time() - self._failure(name).stat().st_mtime < _AGAIN_S
        except OSError:
            return False

    def _failure(self, name: str) -> Path:
        return self._layout.internal / FOLDER / f"{name}.failure"

    def _path(self, name: str) -> Path:
        return self._layout.root / FOLDER / f"{name}.json"


def _changes(one: _Known) -> list[str]:
    """Return the differences of a server's offer from the accepted one, a sentence each."""
    if one.offered is None or one.accepted is None:
        return []
    accepted = {tool.name: tool for tool in one.accepted}
    offered = {tool.name: tool for tool in one.offered}
    kinds = {
        "offers new tools": [name for name in offered if name not in accepted],
        "describes otherwise": [n for n, tool in offered.items() if n in accepted and accepted[n] != tool],
        "withdrew": [name for name in accepted if name not in offered],
    }
    return [f"{said} {', '.join(names)}" for said, names in kinds.items() if names]
