"""The workspaces open in this process: one registry with reference counts, keyed by real path.

LangGraph's context carries only JSON, so a node finds open objects by the path in it. `graphs.wiring` registers the
services of a workspace here; they close with the last release.
"""

from collections.abc import Callable, Hashable
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock, RLock, get_ident
from typing import Any

from mabos.backends.metering import Meter
from mabos.configs.errors import Refused, Unavailable, UnknownId
from mabos.configs.settings import environment
from mabos.mind.mind import Mind
from mabos.nodes.cycle import Cycle
from mabos.nodes.state import Context
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.budgets import budget
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import iso
from mabos.workspace.ids import Ids
from mabos.workspace.locks import AgentLock
from mabos.workspace.names import name

Opener = Callable[[Path], Services]


class AgentTurn:
    """A lock that knows whether the current thread holds it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holder = 0

    def is_mine(self) -> bool:
        """Return whether the current thread holds it."""
        return self._holder == get_ident()

    def __enter__(self) -> None:
        self._lock.acquire()
        self._holder = get_ident()

    def __exit__(self, *_: object) -> None:
        self._holder = 0
        self._lock.release()


@dataclass(slots=True)
class OpenWorkspace:
    """An open workspace: its services, its reference count, and the running cycle of each agent.

    `minds` are cached because reading a mind's files costs more than an idle cycle. `seen` is an agent's position in
    each document, so that an idle cycle does not read it again; losing it costs only another read.
    """

    services: Services
    holders: int = 1
    cycles: dict[str, Cycle] = field(default_factory=dict)
    turns: dict[str, AgentTurn] = field(default_factory=dict)
    minds: dict[str, Mind] = field(default_factory=dict)
    machines: dict[str, Any] = field(default_factory=dict)
    threads: dict[tuple[str, str], str] = field(default_factory=dict)
    on_close: list[Callable[[], None]] = field(default_factory=list)
    seen: dict[tuple[str, str], Hashable] = field(default_factory=dict)
    lock: RLock = field(default_factory=RLock)

    def turn(self, agent_id: str) -> AgentTurn:
        """Return the lock with which threads of this process take turns running an agent."""
        with self.lock:
            return self.turns.setdefault(agent_id, AgentTurn())


class OpenWorkspaces:
    """The registry; `opener` opens a workspace that a graph names but that is not yet open."""

    def __init__(self) -> None:
        self.opener: Opener | None = None
        self._lock = RLock()
        self._open: dict[str, OpenWorkspace] = {}
        self._resolved: dict[str, str] = {}

    def hold(self, root: Path, opener: Opener) -> OpenWorkspace:
        """Return the workspace at `root`, opened if necessary; pair each `hold` with one `release`."""
        key = self._key(root)
        with self._lock:
            workspace = self._open.get(key)
            if workspace is None:
                workspace = self._open[key] = OpenWorkspace(opener(Path(key)))
            else:
                workspace.holders += 1
            return workspace

    def find(self, root: str | Path) -> OpenWorkspace:
        """Return the open workspace at `root`; by default that of the environment, or the only open one.

        A workspace that a server's graph names is opened permanently; raises `Unavailable` if it is not a folder.
        """
        if not root and not (root := environment().workspace).exists() and len(self._open) == 1:
            return next(iter(self._open.values()))
        workspace = self._open.get(self._key(root))
        if workspace is not None:
            return workspace
        if self.opener is None or not Path(root).is_dir():
            message = (
                f"no workspace is open at {self._key(root)!r}; open one with mabos.open_workspace, or name its "
                "folder in the context or in MABOS_WORKSPACE"
            )
            raise Unavailable(message, argument="workspace")
        return self.hold(Path(root), self.opener)

    def release(self, root: Path) -> None:
        """Release the workspace at `root`; the last release closes it."""
        key = self._key(root)
        with self._lock:
            workspace = self._open[key]
            workspace.holders -= 1
            if workspace.holders:
                return
            del self._open[key]
        with ExitStack() as closing:  # the last that is put on is the first to go; what fails keeps no other from it
            closing.callback(workspace.services.close)
            for close in reversed(workspace.on_close):
                closing.callback(close)
            for cycle in list(workspace.cycles.values()):
                closing.callback(cycle.end)

    def _key(self, root: str | Path) -> str:
        # Resolving asks the file system for every part of the path; a node asks for the same few paths all the time.
        text = str(root)
        key = self._resolved.get(text)
        if key is None:
            key = str(Path(text).resolve())
            if Path(text).is_absolute():
                self._resolved[text] = key
        return key


OPEN = OpenWorkspaces()
"""The one registry of this process."""


def begin(home: OpenWorkspace, agent_id: str, context: Context) -> Cycle:
    """Return a new cycle of an agent, which becomes the current one.

    An unfinished cycle of this process is superseded; one of another process raises `Unavailable`.
    """
    services = home.services
    name(agent_id, kind="agent id", argument="agent_id")  # it becomes a path
    earlier = home.cycles.get(agent_id)
    if earlier is not None:
        with earlier.turn:
            earlier.end()
    lock = AgentLock(services.layout.internal / "locks" / f"{agent_id}.lock", agent_id)
    lock.acquire()
    try:
        cycle_id = context.cycle or services.ids.new("C")
        ids = Ids(services.clock, seed=f"{services.seed}:{cycle_id}") if services.seed else services.ids
        agent = services.agent(agent_id, caller=Caller("agent", agent_id), ids=ids, cycle=cycle_id)
        agent = replace(agent, mind=home.minds.setdefault(agent_id, agent.mind))
    except BaseException as error:
        lock.release()
        if isinstance(error, UnknownId):  # a graph may work in a folder that nobody named
            raise UnknownId(f"{error.message} (workspace {services.layout.root})", argument=error.argument) from None
        raise
    meter = Meter(budget("cycle", services.settings.budgets.cycle))
    cycle = Cycle(cycle_id, agent, home.cycles, home.seen, lock, iso(services.clock()), context, meter)
    cycle.heard_before = len(services.inbox(STAKEHOLDER).messages())
    home.cycles[agent_id] = cycle
    return cycle


def current(home: OpenWorkspace, agent_id: str, cycle_id: str, context: Context) -> Cycle:
    """Return the running cycle after checking that this phase belongs to it; an interrupted one is resumed.

    Raises `Refused` for a finished cycle: running it again from an old checkpoint would do nothing.
    """
    cycle = home.cycles.get(agent_id)
    if cycle is None:
        if _is_over(home, agent_id, cycle_id):
            message = (
                f"cycle {cycle_id} of {agent_id} is over and cannot be undone; to try another way, branch the"
                f" workspace as it was before: mabos branch again --before {cycle_id}"
            )
            raise Refused(message, argument="cycle")
        return begin(home, agent_id, context.model_copy(update={"cycle": cycle_id}))
    if cycle.id != cycle_id:
        message = f"cycle {cycle_id} of {agent_id} was superseded by {cycle.id}; that cycle does the rest"
        raise Refused(message, argument="cycle")
    return cycle


def _is_over(home: OpenWorkspace, agent_id: str, cycle_id: str) -> bool:
    """Return whether the last phase of a cycle is on record; one that did nothing leaves no record."""
    return any(one.kind == "learn" and one.cycle == cycle_id for one in home.services.ledger.entries(agent_id))
