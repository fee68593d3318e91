"""Static examination of a workflow: its possible paths, and the settings missing before it can run."""

from collections.abc import Iterator
from dataclasses import dataclass

from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.checks.game import Game, GameMove, Marking, explore_states
from mabos.society.bpmn.engine.expressions import readable
from mabos.society.bpmn.engine.tables import tables
from mabos.society.bpmn.model import FlowNode, SequenceFlow, WorkflowModel

MOST = 200
"""At most this many ways of one process are listed."""


@dataclass(frozen=True, slots=True)
class ProcessPath:
    """A path through a process: its steps, its decisions, and whether it reaches an end."""

    steps: tuple[str, ...]
    decided: tuple[str, ...]
    ends: bool


@dataclass(frozen=True, slots=True)
class ProcessPaths:
    """The paths of a process, and whether there are more than listed; loops are traversed at most once."""

    process: str
    ways: tuple[ProcessPath, ...]
    is_cut: bool


def dry_run(model: WorkflowModel) -> list[ProcessPaths]:
    """Return the paths of every non-empty process and sub-process; for a large one only that there are more."""
    if model.is_large:
        return [ProcessPaths(scope, (), is_cut=True) for scope in model.processes]
    table = tables(model)
    return [_ways(model, explore_states(table, scope)) for scope, nodes in model.members.items() if nodes]


def _ways(model: WorkflowModel, game: Game) -> ProcessPaths:
    found: list[ProcessPath] = []
    left: list[tuple[Marking, tuple[GameMove, ...], frozenset[Marking]]] = [
        (marking, (), frozenset({marking})) for marking in reversed(game.beginnings)
    ]
    while left and len(found) < MOST:
        marking, before, seen = left.pop()
        steps = _one_order(game.moves.get(marking, ()))
        if not steps:
            names = tuple(model.nodes[step.node].label for step in before)
            found.append(ProcessPath(names, tuple(step.decided for step in before if step.decided), not marking))
        left += [
            (step.after, (*before, step), seen | {step.after}) for step in reversed(steps) if step.after not in seen
        ]
    return ProcessPaths(game.scope, tuple(found), bool(left) or game.is_cut)


def _one_order(steps: tuple[GameMove, ...]) -> tuple[GameMove, ...]:
    """Return the moves of one node only: the order of parallel branches makes no other path."""
    return tuple(step for step in steps if step.node == steps[0].node) if steps else ()


def readiness(model: WorkflowModel) -> list[WorkflowFinding]:
    """Return the gaps before a workflow can run by itself; they are reported but never block a file."""
    found: list[WorkflowFinding] = []
    for process in model.processes.values():
        if model.members.get(process.id) and not process.executable:
            mend = "set isExecutable, when the rest of this list is done"
            found.append(
                WorkflowFinding(
                    "not-executable", process.id, "it says of itself that it is not made to run", mend, "info"
                )
            )
    for node in model.nodes.values():
        found += _lacks(model, node)
    return found


def _lacks(model: WorkflowModel, node: FlowNode) -> Iterator[WorkflowFinding]:
    flows = [model.flows[flow] for flow in node.outgoing]
    if node.type in ("exclusiveGateway", "inclusiveGateway") and len(flows) > 1:
        yield from _check_conditions(node, flows)
    if node.type == "serviceTask" and "tool" not in node.settings:
        yield WorkflowFinding(
            "no-tool", node.id, f"nothing says which tool does {node.label!r}", "set mabos:tool", "warning"
        )
    if node.type == "businessRuleTask" and "rule" not in node.settings:
        yield WorkflowFinding(
            "no-rule", node.id, f"nothing says which rule decides {node.label!r}", "set mabos:rule", "warning"
        )
    if node.type == "scriptTask" and not node.script:
        yield WorkflowFinding(
            "no-script", node.id, f"{node.label!r} has no script", "write lines of 'name = expression'", "warning"
        )
    if node.type == "callActivity" and node.calls not in model.processes:
        called = repr(node.calls) if node.calls else "nothing"
        yield WorkflowFinding(
            "no-process", node.id, f"{node.label!r} calls {called}, which is not here", "add it", "warning"
        )
    if node.loop is not None and node.loop.kind != "standard" and not (node.loop.count or node.loop.collection):
        yield WorkflowFinding(
            "no-count", node.id, f"nothing says how often {node.label!r} is done", "set loopCardinality", "warning"
        )
    for trigger in node.triggers:
        if trigger.kind in ("timer", "conditional") and not trigger.when:
            mend = "set a timeDuration, timeDate or timeCycle" if trigger.kind == "timer" else "write its condition"
            yield WorkflowFinding(
                f"no-{trigger.kind}", node.id, f"{node.label!r} says not when it happens", mend, "warning"
            )


def _check_conditions(node: FlowNode, flows: list[SequenceFlow]) -> Iterator[WorkflowFinding]:
    for flow in flows:
        if flow.id == node.default:
            continue
        told = flow.name or flow.id
        if not flow.condition:
            message = f"nothing says when {told!r} is taken from {node.label!r}"
            yield WorkflowFinding(
                "no-condition", flow.id, message, "write its condition, or make it the default", "warning"
            )
        elif fault := readable(flow.condition):
            yield WorkflowFinding("condition", flow.id, fault, "write it as 'amount > 5'", "warning")
