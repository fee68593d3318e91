"""The content of Studio without Studio: a machine's drawing, its thread's states, and decisions waiting at a gate.

    with hold_services(Path("workspace")) as services:
        found = thread(services, "cfo")
        print([step.name for step in found.steps], found.past, found.gates)

States come from LangGraph's checkpoints, in `.mabos/checkpoints.sqlite` or in Postgres. Open decisions come from their
records, each run to its gate in memory, with the question and form that Studio would show.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from importlib import import_module
from typing import Any, Literal

from mabos.configs.errors import unknown
from mabos.society.decisions import Decision
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.runtime.services import Services

HEARTBEAT = "heartbeat"
_START, _END = "__start__", "__end__"

Machine = Literal["bdi", "company", "maintenance", "governance"]


@dataclass(frozen=True, slots=True)
class ThreadStep:
    """A node of a drawing: its action, and its successors; `is_choice` if these are conditional."""

    name: str
    does: str
    leads_to: tuple[str, ...]
    is_choice: bool


@dataclass(frozen=True, slots=True)
class ThreadState:
    """A stored state: its time, its checkpoint, the next nodes, and its values."""

    at: str
    checkpoint: str
    next: tuple[str, ...]
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PendingDecision:
    """An open decision: its question, and the form of an answer as JSON schema."""

    decision_id: str
    question: Mapping[str, Any]
    form: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Thread:
    """A thread: its machine and drawing, its states, and its open decisions."""

    name: str
    machine: Machine
    steps: tuple[ThreadStep, ...]
    past: tuple[ThreadState, ...]
    gates: tuple[PendingDecision, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the thread as JSON."""
        return asdict(self)


def names(services: Services) -> dict[str, str]:
    """Return the names of threads with descriptions: agents, businesses, the heartbeat, open decisions."""
    waiting = {one.id: f"waits for a person: {one.subject}" for one in all_decisions(services) if one.open}
    agents, businesses = services.agents(), services.businesses()
    known = dict.fromkeys(agents, "cycles of an agent") | dict.fromkeys(businesses, "weeks of a company")
    return known | {HEARTBEAT: "maintenance of all agents"} | waiting


def thread(services: Services, name: str, *, most: int = 10) -> Thread:
    """Return the thread of an agent, a business, the heartbeat or a decision, with its last `most` states.

    Raises `UnknownId` with the nearest name.
    """
    decisions = [one for one in all_decisions(services) if one.open]
    machine, kind, asked = _home(services, name, decisions)
    past = tuple(_past(services, machine, kind, "all" if name == HEARTBEAT else name, most))
    return Thread(name, machine, tuple(drawing(machine)), past, tuple(_gates(services, asked)))


def _home(services: Services, name: str, decisions: list[Decision]) -> tuple[Machine, str, list[Decision]]:
    """Return the machine of a thread, the kind under which its id is made, and the decisions that are its own."""
    if name in services.agents():
        return "bdi", "agent", [one for one in decisions if one.from_agent == name]
    if name in services.businesses():
        return "company", "company", []
    if name == HEARTBEAT:
        return "maintenance", "maintenance", []
    asked = [one for one in decisions if one.id == name]
    if not asked:
        raise unknown("thread", name, names(services), argument="thread")
    return "governance", "decision", asked


def drawing(machine: str) -> Iterator[ThreadStep]:
    """Yield the steps of a machine from its start, as its code describes them."""
    graph = import_module(f"mabos.graphs.{machine}").build().compile(name=machine).get_graph()
    places = {name: at for at, name in enumerate(graph.nodes)}
    for name, node in graph.nodes.items():
        ways = sorted((one for one in graph.edges if one.source == name), key=lambda one: places[one.target])
        if name != _END:
            leads_to = tuple(way.target.strip("_") for way in ways)
            does = str((node.metadata or {}).get("description", ""))
            yield ThreadStep(name.strip("_"), does, leads_to, is_choice=any(way.conditional for way in ways))


def _past(services: Services, machine: str, kind: str, name: str, most: int) -> Iterator[ThreadState]:
    """Yield the states that were kept of a thread; none where it never ran, or its checkpoints were deleted."""
    from mabos.graphs.checkpoint_places import checkpoints_of, file_of
    from mabos.graphs.checkpoints import thread_id

    if not services.settings.checkpoints.database and not file_of(services.layout).exists():
        return
    saver = checkpoints_of(services.layout, services.settings.checkpoints)
    try:
        graph = import_module(f"mabos.graphs.{machine}").build().compile(checkpointer=saver, name=machine)
        config = {"configurable": {"thread_id": thread_id(services.layout.root, kind, name)}}
        for state in graph.get_state_history(config, limit=most):
            checkpoint = str(state.config["configurable"]["checkpoint_id"])
            yield ThreadState(str(state.created_at or ""), checkpoint, tuple(state.next), dict(state.values))
    finally:
        saver.close()


def _gates(services: Services, decisions: list[Decision]) -> Iterator[PendingDecision]:
    """Yield the decision machine's question for each, run up to its gate."""
    if not decisions:
        return
    from langgraph.checkpoint.memory import InMemorySaver

    from mabos.graphs import governance
    from mabos.nodes.governance import GovernanceContext, Reply

    graph = governance.build().compile(checkpointer=InMemorySaver(), name="governance")
    context = GovernanceContext(workspace=str(services.layout.root))
    for decision in decisions:
        config: Any = {"configurable": {"thread_id": decision.id}}
        state = graph.invoke({"decision_id": decision.id}, config, context=context)
        for waiting in state.get("__interrupt__", ()):
            yield PendingDecision(decision.id, waiting.value, Reply.model_json_schema())
