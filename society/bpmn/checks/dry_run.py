"""A workflow looked at without running it: the ways it can take, and what is missing before it could run."""

from collections.abc import Iterator
from dataclasses import dataclass

from mabos.society.bpmn.checks.finding import Finding
from mabos.society.bpmn.checks.game import Game, Marking, Step, played
from mabos.society.bpmn.engine.expressions import readable
from mabos.society.bpmn.engine.tables import tables
from mabos.society.bpmn.model import Flow, Model, Node

MOST = 200
"""At most this many ways of one process are listed."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way through a process: its steps, what was decided on it, and whether it comes to an end."""

    steps: tuple[str, ...]
    decided: tuple[str, ...]
    ends: bool


@dataclass(frozen=True, slots=True)
class Ways:
    """The ways of a process, and whether there are more than are listed; a loop is gone round at most once."""

    process: str
    ways: tuple[Way, ...]
    is_cut: bool


def dry_run(model: Model) -> list[Ways]:
    """Return the ways of every process and sub-process that holds anything; of a large one that there are more."""
    if model.is_large:
        return [Ways(scope, (), is_cut=True) for scope in model.processes]
    table = tables(model)
    return [_ways(model, played(table, scope)) for scope, nodes in model.members.items() if nodes]


def _ways(model: Model, game: Game) -> Ways:
    found: list[Way] = []
    left: list[tuple[Marking, tuple[Step, ...], frozenset[Marking]]] = [
        (marking, (), frozenset({marking})) for marking in reversed(game.beginnings)
    ]
    while left and len(found) < MOST:
        marking, before, seen = left.pop()
        steps = _one_order(game.moves.get(marking, ()))
        if not steps:
            names = tuple(model.nodes[step.node].label for step in before)
            found.append(Way(names, tuple(step.decided for step in before if step.decided), not marking))
        left += [
            (step.after, (*before, step), seen | {step.after}) for step in reversed(steps) if step.after not in seen
        ]
    return Ways(game.scope, tuple(found), bool(left) or game.is_cut)


def _one_order(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the moves of one node only: in which order branches run beside each other makes no other way."""
    return tuple(step for step in steps if step.node == steps[0].node) if steps else ()


def readiness(model: Model) -> list[Finding]:
    """Return what is missing before a workflow could run by itself; it is told, and never a reason to refuse a file."""
    found: list[Finding] = []
    for process in model.processes.values():
        if model.members.get(process.id) and not process.executable:
            mend = "set isExecutable, when the rest of this list is done"
            found.append(
                Finding("not-executable", process.id, "it says of itself that it is not made to run", mend, "info")
            )
    for node in model.nodes.values():
        found += _lacks(model, node)
    return found


def _lacks(model: Model, node: Node) -> Iterator[Finding]:
    flows = [model.flows[flow] for flow in node.outgoing]
    if node.type in ("exclusiveGateway", "inclusiveGateway") and len(flows) > 1:
        yield from _undecided(node, flows)
    if node.type == "serviceTask" and "tool" not in node.settings:
        yield Finding("no-tool", node.id, f"nothing says which tool does {node.label!r}", "set mabos:tool", "warning")
    if node.type == "businessRuleTask" and "rule" not in node.settings:
        yield Finding(
            "no-rule", node.id, f"nothing says which rule decides {node.label!r}", "set mabos:rule", "warning"
        )
    if node.type == "scriptTask" and not node.script:
        yield Finding(
            "no-script", node.id, f"{node.label!r} has no script", "write lines of 'name = expression'", "warning"
        )
    if node.type == "callActivity" and node.calls not in model.processes:
        called = repr(node.calls) if node.calls else "nothing"
        yield Finding("no-process", node.id, f"{node.label!r} calls {called}, which is not here", "add it", "warning")
    if node.loop is not None and node.loop.kind != "standard" and not (node.loop.count or node.loop.collection):
        yield Finding(
            "no-count", node.id, f"nothing says how often {node.label!r} is done", "set loopCardinality", "warning"
        )
    for trigger in node.triggers:
        if trigger.kind in ("timer", "conditional") and not trigger.when:
            mend = "set a timeDuration, timeDate or timeCycle" if trigger.kind == "timer" else "write its condition"
            yield Finding(f"no-{trigger.kind}", node.id, f"{node.label!r} says not when it happens", mend, "warning")


def _undecided(node: Node, flows: list[Flow]) -> Iterator[Finding]:
    for flow in flows:
        if flow.id == node.default:
            continue
        told = flow.name or flow.id
        if not flow.condition:
            message = f"nothing says when {told!r} is taken from {node.label!r}"
            yield Finding("no-condition", flow.id, message, "write its condition, or make it the default", "warning")
        elif fault := readable(flow.condition):
            yield Finding("condition", flow.id, fault, "write it as 'amount > 5'", "warning")
