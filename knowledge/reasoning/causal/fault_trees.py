"""Fault trees: the smallest sets of events that bring the failure about, and which event matters most (Vesely 1981)."""

from dataclasses import dataclass

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.causal.failures import FaultTree
from mabos.knowledge.reasoning.kernels.bdd import Diagram, Node
from mabos.knowledge.reasoning.result import Claim, Result, Step

MOST_EVENTS = 400
MOST_SHOWN = 1_000
"""Cut sets that are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class CutSet:
    """Events that together are enough, and none of which can be left out; how probable they are, and how probable it
    is that they all happened, the failure having happened."""

    events: tuple[str, ...]
    probability: float
    given_top: float


@dataclass(frozen=True, slots=True)
class Importance:
    """What an event contributes: by how much it raises the failure's probability (Birnbaum), the share of failures in
    which it is decisive (criticality), and how probable it is after the failure."""

    birnbaum: float
    criticality: float
    given_top: float


@dataclass(frozen=True, slots=True)
class Causes:
    """The minimal cut sets, most probable first (of many the first 1,000), how many there are, the probability of the
    failure, each event's importance, and the event to look at next."""

    cut_sets: tuple[CutSet, ...]
    count: int
    probability: float
    importance: dict[str, Importance]
    check_next: str | None


def diagnosed(problem: FaultTree, budget: Budget) -> Result[Causes]:
    """Return what can bring the failure about; `timeout` with the cut sets listed by then."""
    order, diagram, top = _built(problem, budget)
    shares = {name: _share(problem, name) for name in order}
    total = diagram.probability(top, shares)
    if total == 0:
        nothing = Causes((), 0, 0.0, {}, None)
        return Result("root-cause", "inconsistent", nothing, f"{problem.top} cannot happen as things are", soundness=2)
    minimal = diagram.minimal(top)
    count = diagram.counted(minimal)
    raised = diagram.differences(top, shares)
    importance = {
        name: Importance(one, one * shares[name] / total, shares[name] * (total + (1 - shares[name]) * one) / total)
        for name, one in raised.items()
    }
    found: list[CutSet] = []
    late = False
    try:
        for events, share in diagram.likeliest(minimal, shares):
            if len(found) == MOST_SHOWN or share == 0:
                break
            found.append(CutSet(tuple(sorted(events)), share, share / total))
    except OutOfTime:
        late = True
    found.sort(key=lambda one: (-one.probability, len(one.events), one.events))
    after = {name: importance[name].given_top for name in order if 0 < importance[name].given_top < 1}
    check = min(after, key=lambda name: abs(after[name] - 0.5), default=None)  # what tells most: the least certain
    return _told(problem, Causes(tuple(found), count, total, importance, check), late=late)


def _built(problem: FaultTree, budget: Budget) -> tuple[list[str], Diagram, Node]:
    """Return the events in the order in which they are met from the top, the diagram, and the node of the failure."""
    order: dict[str, None] = {}
    pending, seen = [problem.top], set[str]()
    while pending:
        budget.check()
        name = pending.pop()
        if name in problem.events:
            order.setdefault(name)
        elif name not in seen:
            seen.add(name)
            pending += reversed(problem.gates[name].of)
    at_most(len(order), MOST_EVENTS, "events", argument="events")
    diagram = Diagram(tuple(order), budget)
    nodes = {name: diagram.event(name) for name in order}
    for name in budget.each(problem.graph().nodes):
        if name in seen:
            gate = problem.gates[name]
            inputs = [nodes[one] for one in gate.of]
            if gate.when == "at least":
                nodes[name] = diagram.least_of(gate.least, inputs)
            else:
                nodes[name] = diagram.all_of(inputs) if gate.when == "all" else diagram.any_of(inputs)
    return list(order), diagram, nodes[problem.top]


def _share(problem: FaultTree, name: str) -> float:
    event = problem.events[name]
    return event.probability if event.happened is None else float(event.happened)


def _told(problem: FaultTree, answer: Causes, *, late: bool) -> Result[Causes]:
    first = answer.cut_sets[0] if answer.cut_sets else None
    known = sorted(name for name, event in problem.events.items() if event.happened is not None)
    cited = [*(first.events if first else ()), *known]
    steps = [
        Step(
            f"{' and '.join(one.events)}: {one.probability:.6g}, {one.given_top:.2%} of the failures",
            "minimal cut set",
            tuple(problem.events[name].id or name for name in one.events),
        )
        for one in answer.cut_sets[:20]
    ]
    summary = f"{problem.top} has probability {answer.probability:.6g}; {answer.count} minimal cut sets"
    if first:
        summary += f", most probably {' and '.join(first.events)} ({first.given_top:.2%} of the failures)"
    return Result(
        "root-cause",
        "timeout" if late else "computed",
        answer,
        summary,
        claims=(Claim(problem.top, "root cause", " and ".join(first.events)),) if first else (),
        confidence=first.given_top if first else None,
        confidence_kind="posterior" if first else None,
        evidence=tuple(dict.fromkeys(problem.events[name].id for name in cited if problem.events[name].id)),
        trace=(*steps, Step(f"any of them: {answer.probability:.6g}", "decision diagram")),
        assumptions=(
            "events are independent, but for the gates",
            *((f"the {len(answer.cut_sets)} most probable are listed",) if len(answer.cut_sets) < answer.count else ()),
        ),
        soundness=2,
    )
