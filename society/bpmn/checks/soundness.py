"""Check that a workflow always ends: deadlock, missing synchronisation, unbounded tokens, dead elements.

A process is sound if it can end from each of its states with no tokens left (van der Aalst 1998).
"""

from collections.abc import Iterator

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.checks.game import Game, Marking, explore_states
from mabos.society.bpmn.engine.tables import tables
from mabos.society.bpmn.model import WorkflowModel


def soundness(model: WorkflowModel) -> list[WorkflowFinding]:
    """Return the findings from the token games of all processes and sub-processes, without duplicates."""
    found: dict[tuple[str, str], WorkflowFinding] = {}
    table = tables(model)
    for scope in model.members:
        for one in _list_findings(model, explore_states(table, scope)):
            found.setdefault((one.rule, one.element), one)
    return list(found.values())


def _list_findings(model: WorkflowModel, game: Game) -> Iterator[WorkflowFinding]:
    if game.is_cut:
        message = f"more than {len(game.moves):,} states can come about; only those were looked at"
        yield WorkflowFinding("not-all-states", game.scope, message, "split it into sub-processes", "info")
    yield from _find_deadlocks(model, game)
    yield from _find_multiple_tokens(model, game)
    if not game.is_cut:
        yield from _endless(model, game)
        yield from _dead(model, game)


def _find_deadlocks(model: WorkflowModel, game: Game) -> Iterator[WorkflowFinding]:
    for marking, steps in game.moves.items():
        if marking and not steps:
            for flow in sorted(flow for flow, _ in marking):
                node = model.nodes[model.flows[flow].target if flow in model.flows else flow]
                lacking = [one for one in node.incoming if one not in dict(marking)]
                waits = " and ".join(repr(_name_flow(model, one)) for one in lacking)
                message = f"{node.label!r} can wait forever for {waits or 'nothing'}: a deadlock"
                mend = "join with the kind of gateway that split, or let every branch lead here"
                yield WorkflowFinding("deadlock", node.id, message, mend)


def _find_multiple_tokens(model: WorkflowModel, game: Game) -> Iterator[WorkflowFinding]:
    for marking in game.first:
        for flow, count in sorted(marking):
            if count < 2 or flow not in model.flows:
                continue
            node = model.nodes[model.flows[flow].target]
            if _is_growing(game, marking):
                message = f"tokens gather before {node.label!r} without bound: a loop makes more than it takes"
                yield WorkflowFinding("unbounded", node.id, message, "let the loop go back with one token only")
            else:
                message = (
                    f"{node.label!r} can be reached twice over {_name_flow(model, flow)!r}: branches are not joined"
                )
                yield WorkflowFinding("lack-of-synchronisation", node.id, message, "join the branches before it")


def _is_growing(game: Game, marking: Marking) -> bool:
    """Return whether a state has come from one with no more of anything, and less of something."""
    held, before = dict(marking), game.first.get(marking)
    while before is not None:
        earlier = before[0]
        if earlier != marking and all(held.get(flow, 0) >= count for flow, count in earlier):
            return True
        before = game.first.get(earlier)
    return False


def _endless(model: WorkflowModel, game: Game) -> Iterator[WorkflowFinding]:
    """Yield where a process goes round forever: it can move, and can come to no end any more."""
    ended = {marking for marking in game.first if not marking}
    before: dict[Marking, list[Marking]] = {}
    for marking, steps in game.moves.items():
        for step in steps:
            before.setdefault(step.after, []).append(marking)
    left = list(ended)
    while left:
        for earlier in before.get(left.pop(), ()):
            if earlier not in ended:
                ended.add(earlier)
                left.append(earlier)
    lost = [marking for marking in game.moves if marking not in ended and game.moves[marking]]
    for marking in lost[-1:]:
        nodes = [model.nodes[model.flows[flow].target if flow in model.flows else flow] for flow, _ in sorted(marking)]
        names = ", ".join(repr(node.label) for node in nodes)
        message = f"from {names} no end can be reached any more"
        yield WorkflowFinding("no-end", nodes[0].id, message, "lead one way out of the loop to an end event")


def _dead(model: WorkflowModel, game: Game) -> Iterator[WorkflowFinding]:
    happened = {step.node for steps in game.moves.values() for step in steps}
    for node in model.members.get(game.scope, ()):
        is_step = not (node.by_event or node.attached_to or node.for_compensation)
        if is_step and not node.ends_link and node.incoming and node.id not in happened:
            message = f"{node.label!r} can never happen"
            yield WorkflowFinding("dead", node.id, message, "lead a flow from the start to it, or remove it", "warning")


def _name_flow(model: WorkflowModel, flow_id: str) -> str:
    flow = model.flows.get(flow_id)
    return (
        flow_id
        if flow is None
        else flow.name or f"{model.nodes[flow.source].label} to {model.nodes[flow.target].label}"
    )
