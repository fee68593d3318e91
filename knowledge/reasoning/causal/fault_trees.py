"""Fault trees: the minimal sets of events that cause the failure, and the most important event (Vesely 1981)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.kernels.bdd import Diagram, Node
from mabos.knowledge.reasoning.kernels.graphs import CausalDiagram, graph
from mabos.knowledge.reasoning.problem import Name, Names, Probability, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class FaultGate(ProblemPart):
    """An event that happens if all, any, or at least a number of its inputs happen."""

    when: Literal["all", "any", "at least"] = "any"
    of: Annotated[Names, Field(min_length=1)]
    least: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.least > len(self.of):
            raise ValueError(f"at least {self.least} of {len(self.of)} inputs can never happen")
        return self


class BasicEvent(ProblemPart):
    """An independent event with a probability; `id` is for citations, `happened` what is known."""

    probability: Probability
    id: str = ""
    happened: bool | None = None


class FaultTree(ReasoningProblem):
    """A failure, the gates that lead to it, and basic events that are independent of each other.

    An event may be given as just its probability.
    """

    kind: Literal["fault_tree"] = "fault_tree"
    top: Name
    gates: Annotated[Mapping[Name, FaultGate], Field(min_length=1)]
    events: Annotated[Mapping[Name, BasicEvent], Field(min_length=1)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "fault_tree",
        "top": "no water",
        "gates": {
            "no water": {"when": "all", "of": ["train one", "train two"]},
            "train one": {"of": ["valve one", "pump one"]},
            "train two": {"of": ["valve two", "pump two"]},
        },
        "events": {"valve one": 0.5, "valve two": 0.5, "pump one": 0.7, "pump two": 0.7},
    }

    @field_validator("events", mode="before")
    @classmethod
    def _numbers_are_probabilities(cls, events: Any) -> Any:
        if not isinstance(events, dict):
            return events
        return {name: {"probability": one} if isinstance(one, int | float) else one for name, one in events.items()}

    @model_validator(mode="after")
    def _is_a_tree(self) -> Self:
        if self.top not in self.gates:
            raise ValueError(f"the top {self.top!r} is not a gate")
        if twice := sorted(self.gates.keys() & self.events.keys()):
            raise ValueError(f"{twice[0]!r} is both a gate and an event")
        for name, gate in self.gates.items():
            for one in gate.of:
                if one not in self.gates and one not in self.events:
                    raise ValueError(f"{name!r} needs {one!r}, which is neither a gate nor an event")
        self.graph()
        return self

    def graph(self) -> CausalDiagram:
        """Return the graph of causes. Raises `ValueError` for a cycle."""
        return graph((), [(one, name) for name, gate in self.gates.items() for one in gate.of])


MOST_EVENTS = 400
MOST_SHOWN = 1_000
"""Cut sets that are listed; all are counted."""


@dataclass(frozen=True, slots=True)
class CutSet:
    """A minimal set of events that suffices for the failure; its probability, before and given the failure."""

    events: tuple[str, ...]
    probability: float
    given_top: float


@dataclass(frozen=True, slots=True)
class Importance:
    """The contribution of an event: by how much it raises the failure's probability (Birnbaum), the share of failures
    in which it is decisive (criticality), and how probable it is after the failure."""

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


def estimate(problem: FaultTree) -> float:
    """Return about how many milliseconds this takes."""
    return 0.1 + 0.04 * len(problem.events) * len(problem.gates)


def solve(problem: FaultTree, budget: Budget) -> MethodResult[Causes]:
    """Return the possible causes of the failure; `timeout` with the cut sets found so far."""
    order, diagram, top = _build_diagram(problem, budget)
    shares = {name: _share(problem, name) for name in order}
    total = diagram.probability(top, shares)
    if total == 0:
        nothing = Causes((), 0, 0.0, {}, None)
        return MethodResult("inconsistent", nothing, f"{problem.top} cannot happen as things are")
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
    return _report_causes(problem, Causes(tuple(found), count, total, importance, check), late=late)


def _build_diagram(problem: FaultTree, budget: Budget) -> tuple[list[str], Diagram, Node]:
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


def _report_causes(problem: FaultTree, answer: Causes, *, late: bool) -> MethodResult[Causes]:
    first = answer.cut_sets[0] if answer.cut_sets else None
    known = sorted(name for name, event in problem.events.items() if event.happened is not None)
    cited = [*(first.events if first else ()), *known]
    steps = [
        TraceStep(
            f"{' and '.join(one.events)}: {one.probability:.6g}, {one.given_top:.2%} of the failures",
            "minimal cut set",
            tuple(problem.events[name].id or name for name in one.events),
        )
        for one in answer.cut_sets[:20]
    ]
    summary = f"{problem.top} has probability {answer.probability:.6g}; {answer.count} minimal cut sets"
    if first:
        summary += f", most probably {' and '.join(first.events)} ({first.given_top:.2%} of the failures)"
    return MethodResult(
        "timeout" if late else "computed",
        answer,
        summary,
        claims=(AnswerClaim(problem.top, "root cause", " and ".join(first.events)),) if first else (),
        confidence=first.given_top if first else None,
        confidence_kind="posterior" if first else None,
        evidence=tuple(dict.fromkeys(problem.events[name].id for name in cited if problem.events[name].id)),
        trace=(*steps, TraceStep(f"any of them: {answer.probability:.6g}", "decision diagram")),
        assumptions=(
            "events are independent, apart from the gates",
            *((f"the {len(answer.cut_sets)} most probable are listed",) if len(answer.cut_sets) < answer.count else ()),
        ),
    )
