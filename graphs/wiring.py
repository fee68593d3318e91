"""Open a workspace, build its machines, and run cycles, maintenance and rounds on it.

    with hold_services(Path("workspace")) as services:
        report = run_cycle(services, "cfo", message="Review our runway")
        rows = run_maintenance(services)

LangGraph is imported when the first machine is made, so that opening a workspace stays cheap.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import InvalidArgument, Refused
from mabos.configs.settings import Settings
from mabos.nodes.open_workspaces import OPEN, OpenWorkspace
from mabos.nodes.state import CycleReport
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import Clock

if TYPE_CHECKING:
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.runtime import RunControl
    from langgraph.store.base import BaseStore

    from mabos.graphs.checkpoint_places import ServerOrFile
    from mabos.graphs.checkpoints import Checkpoints

Listener = Callable[[Mapping[str, Any]], None]
"""Called with every phase event while a machine runs."""


@contextmanager
def hold_services(
    root: Path, *, settings: Settings | None = None, clock: Clock | None = None, seed: str = "", **more: Any
) -> Iterator[Services]:
    """Yield the services of the workspace at `root`; they close at the last release."""
    services = hold(root, settings=settings, clock=clock, seed=seed, **more)
    try:
        yield services
    finally:
        release(services)


def hold(
    root: Path,
    *,
    settings: Settings | None = None,
    clock: Clock | None = None,
    seed: str = "",
    checkpointer: "BaseCheckpointSaver[Any] | None" = None,
    store: "BaseStore | None" = None,
    **more: Any,
) -> Services:
    """Return the services of the workspace at `root`; pair it with `release`.

    `checkpointer` and `store` are the caller's own for the machines; the caller closes them. Raises `InvalidArgument`
    if the workspace is open with others.
    """

    def opener(path: Path) -> Services:
        return open_services(path, settings=settings, clock=clock, seed=seed, run_cycle=_cycle_for_tool, **more)

    home = OPEN.hold(root, opener)
    given = (("checkpoints", "checkpointer", "get_tuple", checkpointer), ("store", "store", "batch", store))
    for name, argument, method, one in given:
        with home.lock:
            message = ""
            if one is not None and not hasattr(one, method):
                message = f"the {argument} is {type(one).__name__}, which is not a LangGraph {argument}"
            elif one is not None and home.machines.setdefault(name, one) is not one:
                message = f"{root} is already open with another {argument}; close it first"
        if message:
            OPEN.release(root)
            raise InvalidArgument(message, argument=argument)
    return home.services


def release(services: Services) -> None:
    """Release a workspace."""
    OPEN.release(services.layout.root)


def run_cycle(
    services: Services,
    agent_id: str,
    message: str | None = None,
    on_event: Listener | None = None,
    *,
    trigger: str = "manual",
    max_steps: int | None = None,
    control: "RunControl | None" = None,
) -> CycleReport:
    """Run one cycle of an agent and return its report; events go to `on_event` as they happen.

    An event has `phase`, `agent_id`, `cycle` and a `status`: `begun`, `done` (with `noted`), `call` for each operation,
    `text` for an unchecked piece of a chat model's answer, and `replied` at the end (`reply`, `claims`).

    At most `max_steps` plan steps are done, by default the workspace's limit. Through `control` the cycle can be
    stopped at its next phase boundary. It then ends with LangGraph's `GraphDrained`, and the next cycle does the rest.

    Cycles of one agent take turns within this process; if another process runs the agent, `Unavailable` is raised. A
    cycle that starts another of the same agent is refused.
    """
    from mabos.nodes.state import BdiInput, Context

    home = OPEN.find(services.layout.root)
    given = BdiInput(agent_id=agent_id, message=services.mail.clean(message or ""), trigger=trigger)
    root, streams = str(services.layout.root), on_event is not None
    context = Context(workspace=root, agent_id=agent_id, max_steps=max_steps, stepwise=False, streams=streams)
    # Where nobody hears of a phase before the cycle is through, what phases write on this thread is forced with what
    # announces an effect, and at the end. A listener is told only what is durable: each phase forces its own.
    gathered = services.sync.group() if on_event is None else nullcontext()
    with _turn(home, agent_id), gathered:
        try:
            report = CycleReport.of(_run(home, "bdi", agent_id, given, context, on_event=on_event, control=control))
            if on_event is not None and report.reply:
                heard = {"phase": "learn", "agent_id": agent_id, "cycle": report.cycle, "status": "replied"}
                on_event({**heard, "reply": report.reply, "claims": list(report.claims)})
            return report
        finally:
            cycle = home.cycles.get(agent_id)
            if cycle is not None:
                cycle.end()


def run_maintenance(
    services: Services, agent_id: str = "", on_event: Listener | None = None, *, control: "RunControl | None" = None
) -> list[dict[str, Any]]:
    """Return one row of the heartbeat for each agent, or for the named one (S0 section 10).

    Through `control` it can be stopped at its next step; it then ends with LangGraph's `GraphDrained`.
    """
    from mabos.nodes.maintenance.state import MaintenanceContext

    home = OPEN.find(services.layout.root)
    context = MaintenanceContext(workspace=str(services.layout.root))
    given = {"agent_id": agent_id}
    output = _run(home, "maintenance", agent_id or "all", given, context, on_event=on_event, control=control)
    return list(output["results"])


def run_round(
    services: Services, business_id: str = "", on_event: Listener | None = None, *, threads: int = 4
) -> Mapping[str, Any]:
    """Run one round of a company and return its report; results never depend on the number of `threads`."""
    from mabos.nodes.company.state import CompanyContext

    home = OPEN.find(services.layout.root)
    # One thread more than agents that think at once: streaming keeps one waiting, and with a single one nobody would.
    context = CompanyContext(workspace=str(services.layout.root))
    business = services.business(business_id).id
    output: Mapping[str, Any] = _run(
        home, "company", business, {"business_id": business}, context, on_event=on_event, max_concurrency=threads + 1
    )
    return output


def _run(
    home: OpenWorkspace,
    machine: str,
    name: str,
    given: Mapping[str, Any],
    context: Any,
    *,
    on_event: Listener | None,
    control: "RunControl | None" = None,
    **config: Any,
) -> Any:
    """Run a machine on its thread and return its output; with a listener, stream its events."""
    graph, thread = _machine(home, machine), _thread(home, machine, name)
    settings = {"configurable": {"thread_id": thread}, **config}
    if on_event is None:
        return graph.invoke(given, settings, context=context, durability="exit", control=control)
    output: Any = {}
    modes = ["custom", "values"]
    streamed = graph.stream(given, settings, context=context, durability="exit", stream_mode=modes, control=control)
    for mode, part in streamed:
        if mode == "custom":
            on_event(part)
        else:
            output = part
    return output


def _machine(home: OpenWorkspace, name: str) -> Any:
    """Return a machine compiled with the workspace's checkpoints, made when it is first needed."""
    with home.lock:
        if name not in home.machines:
            from mabos.graphs import bdi, company, maintenance

            modules = {"bdi": bdi, "company": company, "maintenance": maintenance}
            machine, store = modules[name].build(), _store(home)
            home.machines[name] = machine.compile(checkpointer=_checkpoints(home), store=store, name=name)
        return home.machines[name]


def _store(home: OpenWorkspace) -> "BaseStore":
    """Return the caller's store, by default that of the workspace's files: own tools get it from `get_store()`."""
    if "store" not in home.machines:
        from mabos.graphs.memory_store import MemoryStore

        store = home.machines["store"] = MemoryStore(home.services)
        home.on_close.append(store.close)
    return home.machines["store"]  # type: ignore[no-any-return]  # as below


def _checkpoints(home: OpenWorkspace) -> "Checkpoints | ServerOrFile":
    if "checkpoints" not in home.machines:
        from mabos.graphs.checkpoint_places import checkpoints_of

        saver = checkpoints_of(home.services.layout, home.services.settings.checkpoints)
        home.machines["checkpoints"] = saver
        home.on_close.append(saver.close)
    return home.machines["checkpoints"]  # type: ignore[no-any-return]  # machines of every kind lie there


def _thread(home: OpenWorkspace, machine: str, name: str) -> str:
    from mabos.graphs.checkpoints import thread_id

    kind = "agent" if machine == "bdi" else machine
    if (kind, name) not in home.threads:
        home.threads[kind, name] = thread_id(home.services.layout.root, kind, name)
    return home.threads[kind, name]


@contextmanager
def _turn(home: OpenWorkspace, agent_id: str) -> Iterator[None]:
    """Hold the turn of an agent within this process; its own cycle must not wait for itself."""
    turn = home.turn(agent_id)
    if turn.is_mine():
        raise Refused(f"a cycle of {agent_id!r} cannot start another cycle inside itself")
    with turn:
        yield


def _cycle_for_tool(services: Services, agent_id: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
    """Run one cycle for the operation `bdi_cycle`, and return its report as JSON."""
    report = run_cycle(
        services, agent_id, message=given.get("message"), trigger="tool", max_steps=given.get("max_steps")
    )
    return report.as_json()


# LangGraph's server has no launcher: a graph may name a workspace that is not open yet.
OPEN.opener = partial(open_services, run_cycle=_cycle_for_tool)
