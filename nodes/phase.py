"""A decorator that makes a phase a node, with its lock, validity check, events, ledger entry and error handling."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from langgraph.runtime import Runtime
from langgraph.types import Command

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.nodes.cycle import Cycle
from mabos.nodes.open_workspaces import OPEN, begin, current
from mabos.nodes.snapshot import mind_snapshot
from mabos.nodes.state import BdiState, Context, Update, context_of, fresh_state
from mabos.tools.runtime.activity import observe_activity
from mabos.workspace.currencies import speaking_in

Phase = Callable[[Cycle, BdiState], Update]
Tell = Callable[[Mapping[str, Any]], None]


class PhaseNode(Protocol):
    """A phase as LangGraph calls it."""

    def __call__(self, state: BdiState, runtime: Runtime[Context]) -> Update:
        """Run the phase and return its state changes."""
        ...


def phase(name: str, *, begins: bool = False, ends: bool = False) -> Callable[[Phase], PhaseNode]:
    """Return a decorator that turns `(cycle, state) -> update` into the LangGraph node `name`.

    The first phase `begins` a cycle and the last `ends` it. A `MabosError` becomes an entry of `failures` and the cycle
    continues with learn; any other error is a bug, ends the cycle and is raised. A phase's writes become durable
    together at its end, in the order of writing; an effect first forces its announcement. The next phase, and every
    write, sees others' writes to the agent's files. A phase that repeats is reported and made durable each time. If the
    context is `stepwise`, each time is a LangGraph step. Otherwise it continues at once, the mind's files are checked
    once for all repetitions, and LangGraph sees one step.
    """

    def decorate(step: Phase) -> PhaseNode:
        def node(state: BdiState, runtime: Runtime[Context]) -> Update:
            if state.get("outcome") == "failed" and not (begins or ends):
                return {}  # the phase before could not do its work; learn takes it from there
            cycle = _cycle(state, runtime.context, begins=begins)
            with cycle.turn, speaking_in(cycle.services.directory.currency_of(cycle.agent.id)):
                update = _run_turns(name, step, cycle, state, runtime.stream_writer, ends=ends)
            # What stays as it was is not handed over: every key of an update costs LangGraph a write.
            before: Mapping[str, object] = state
            return {key: value for key, value in update.items() if key not in before or before[key] != value}

        # Name and docstring only: LangGraph reads the signature to know what to hand over.
        node.__name__, node.__qualname__, node.__doc__, node.__module__ = name, name, step.__doc__, step.__module__
        return node

    return decorate


def _cycle(state: BdiState, given: object, *, begins: bool) -> Cycle:
    """Return the cycle to work in; a resumed run has no context, so the state says where it was."""
    context = context_of(given, Context)
    home = OPEN.find(context.workspace or state.get("workspace", ""))
    agent_id = (state.get("agent_id") or context.agent_id) if begins else state["agent_id"]
    if not agent_id:
        raise InvalidArgument("no agent given; set agent_id in the input or in the context", argument="agent_id")
    return begin(home, agent_id, context) if begins else current(home, agent_id, state["cycle"], context)


def _run_turns(name: str, step: Phase, cycle: Cycle, state: BdiState, tell: Tell, *, ends: bool) -> Update:
    """Return a phase's state changes in all its turns; the last phase has only one turn, also if it fails."""
    with cycle.agent.mind.store.steady(), cycle.bind_budgets(name):
        # The last phase moves what is over to the archive, so that is shown as it was before.
        shown: Update = {"mind": mind_snapshot(cycle, state)} if ends else {}
        update = shown | _turn(name, step, cycle, state, tell, ends=ends)
        while update.get("next") == name and not (ends or cycle.context.stepwise):
            update |= _turn(name, step, cycle, _after(state, update), tell, ends=ends)
        if cycle.context.stepwise and not ends:
            update["mind"] = mind_snapshot(cycle, _after(state, update))
    return update


def _after(state: BdiState, update: Update) -> BdiState:
    after: BdiState = {**state, **update}  # type: ignore[typeddict-item]  # phases return parts of it
    return after


def _turn(name: str, step: Phase, cycle: Cycle, state: BdiState, tell: Tell, *, ends: bool) -> Update:
    event = {"phase": name, "agent_id": cycle.agent.id, "cycle": cycle.id}
    tell({**event, "status": "begun"})
    finished = False
    activity = (lambda heard: tell({**event, **heard})) if cycle.context.streams else None
    try:
        with cycle.services.sync.group(), cycle.services.sync.looking_once(), observe_activity(activity):
            try:
                update = step(cycle, state)
            except MabosError as error:
                update = _build_failure_update(name, error, cycle, state)
            if cycle.exhausted and not ends:
                cycle.note(budget=cycle.exhausted)
                update["next"] = "learn"
            told = cycle.record(name)
        if ends:
            cycle.services.sync.ahead()  # while the machine puts away its state
        finished = True
    finally:
        if ends or not finished:
            cycle.end(completed=finished)
    tell({**event, "status": "done", "noted": dict(told)})
    return update


def _build_failure_update(name: str, error: MabosError, cycle: Cycle, state: BdiState) -> Update:
    """Return the update of a phase that could not do its work: learn takes it from there."""
    failure = f"{name}: {error.message}"
    cycle.note(failure=failure, code=error.code)
    told: Update = {"failures": [*state.get("failures", []), failure][-9:], "next": "learn", "outcome": "failed"}
    if state.get("cycle") == cycle.id:
        return told
    # The first phase failed before it had made the state of this cycle.
    root = str(cycle.services.layout.root)
    return {**fresh_state(agent_id=cycle.agent.id, workspace=root, cycle=cycle.id), **told, "failures": [failure]}


WAYS = {
    "deliberate": ("plan", "learn"),
    "plan": ("act", "learn"),
    "act": ("act", "plan", "work", "learn"),
    "work": ("act", "learn"),
}
"""Where a phase may lead: to planning where something is worth doing, to acting where there is a plan, to its next
step, to a new plan where one failed, to a model that works on a message, and back to what it asks for; else to
learning."""


def way(phase: str, state: BdiState) -> str:
    """Return the next phase: the one in the state, if `phase` may lead there, else learning."""
    named = state.get("next", "")
    return named if named in WAYS[phase] else "learn"


def leading(phase: str, node: PhaseNode, door: Callable[[str], str] = str) -> Callable[..., Any]:
    """Return `node` for a graph: with several successors it names the next itself, at half the cost of a route.

    `door` names the entry node of a phase.
    """
    if phase not in WAYS:
        return node

    def going(state: BdiState, runtime: Runtime[Context]) -> Command[Any]:
        update = node(state, runtime)
        return Command(update=update, goto=door(way(phase, _after(state, update))))

    going.__name__, going.__doc__ = phase, node.__doc__
    return going
