"""Analysis of a causal graph alone: independences, and whether and how an effect is identifiable."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.causal.effects import Estimand, best_of
from mabos.knowledge.reasoning.causal.models import Arrow, check_apart, check_known
from mabos.knowledge.reasoning.kernels.graphs import (
    MOST_TRIED,
    CausalDiagram,
    NodeSet,
    adjustment_sets,
    front_doors,
    graph,
    instruments,
    is_adjustment,
)
from mabos.knowledge.reasoning.problem import Name, Names, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep


class Separation(ProblemPart):
    """The question whether two variables are independent given others."""

    one: Name
    other: Name
    given: tuple[Name, ...] = ()


class CausalGraph(ReasoningProblem):
    """Arrows from causes to effects, and an effect: whether and how it can be determined from observations.

    `latent` variables are never observed; `confounded` pairs have an unobserved common cause. `adjust` are adjustment
    sets to judge, `independent` are independences to decide.
    """

    kind: Literal["causal_graph"] = "causal_graph"
    arrows: Annotated[tuple[Arrow, ...], Field(max_length=2_000)]
    variables: tuple[Name, ...] = ()
    latent: Names = ()
    confounded: tuple[Arrow, ...] = ()
    treatment: Name | None = None
    outcome: Name | None = None
    adjust: tuple[tuple[Name, ...], ...] = ()
    independent: tuple[Separation, ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "causal_graph",
        "arrows": [["genotype", "smoking"], ["genotype", "cancer"], ["smoking", "tar"], ["tar", "cancer"]],
        "latent": ["genotype"],
        "treatment": "smoking",
        "outcome": "cancer",
    }

    @model_validator(mode="after")
    def _is_a_graph(self) -> Self:
        if (self.treatment is None) != (self.outcome is None):
            raise ValueError("give treatment and outcome together")
        if self.treatment is None and not self.independent:
            raise ValueError("ask for a treatment and its outcome, or for independences")
        known = set(self.graph().nodes)
        asked = [name for one in self.independent for name in (one.one, one.other, *one.given)]
        asked += [name for name in (self.treatment, self.outcome) if name]
        asked += [name for pair in self.confounded for name in pair]
        check_known([*asked, *self.latent, *(name for one in self.adjust for name in one)], known)
        check_apart(self.treatment, self.outcome, self.latent)
        return self

    def graph(self) -> CausalDiagram:
        """Return the whole graph, with latent variables. Raises `ValueError` for a cycle."""
        return graph(self.variables, self.arrows, self.confounded)


LARGEST = 500
"""Variables of a graph."""
Set = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class GraphReading:
    """The statements of a graph about an effect: whether it can be, whether observation can tell it and by which
    formula, sets to adjust for, mediators that carry it, instruments; whether each proposed set is right; which
    variables are what."""

    can_affect: bool | None = None
    identifiable: bool | None = None
    estimand: str = ""
    by: str = ""
    adjustment_sets: tuple[Set, ...] = ()
    front_doors: tuple[Set, ...] = ()
    instruments: tuple[tuple[str, Set], ...] = ()
    adjust: tuple[tuple[Set, bool], ...] = ()
    confounders: Set = ()
    mediators: Set = ()
    colliders: Set = ()
    independent: tuple[bool, ...] = ()


def estimate(problem: CausalGraph) -> float:
    """Return about how many milliseconds this takes: the number of possible adjustment sets decides."""
    if problem.treatment is None or problem.outcome is None:
        return 0.1 + 0.01 * len(problem.arrows) * len(problem.independent)
    whole = problem.graph()
    possible = whole.ancestors([problem.treatment, problem.outcome]) - whole.descendants([problem.treatment])
    tried = min(MOST_TRIED, 1 << len(possible))
    return 0.2 + 0.006 * tried * (len(whole.nodes) + len(problem.arrows))


def solve(problem: CausalGraph, budget: Budget) -> MethodResult[GraphReading]:
    """Return the graph's statements on an effect and on independences. Raises `InvalidArgument` for large graphs."""
    whole = problem.graph()
    at_most(len(whole.nodes), LARGEST, "variables", argument="arrows")
    independent = tuple(
        whole.is_separated([one.one], [one.other], one.given) for one in budget.each(problem.independent)
    )
    steps = [
        TraceStep(
            f"{one.one} and {one.other} are {'independent' if held else 'not separated'}{_format_condition(one.given)}",
            "d-separation",
        )
        for one, held in zip(problem.independent, independent, strict=True)
    ]
    claims = [
        AnswerClaim(f"{one.one} and {one.other}", f"independent{_format_condition(one.given)}", held)
        for one, held in zip(problem.independent, independent, strict=True)
    ]
    cause, effect = problem.treatment, problem.outcome
    if cause is None or effect is None:
        reading = GraphReading(independent=independent)
        return MethodResult(
            "computed", reading, "; ".join(one.says for one in steps), tuple(claims), trace=tuple(steps), soundness=1
        )
    seen = whole.observing(problem.latent, budget)
    sets, all_sets = adjustment_sets(seen, cause, effect, budget)
    through, all_through = front_doors(seen, cause, effect, budget)
    found = best_of(seen, (cause, effect), sets, through, budget)
    reading = replace(
        _reading(problem, whole, seen, found, budget),
        adjustment_sets=tuple(map(_set, sets)),
        front_doors=tuple(map(_set, through)),
        independent=independent,
    )
    steps += _reasons(problem, reading, found)
    claims = [AnswerClaim(f"{cause} -> {effect}", "identifiable", found.formula is not None), *claims]
    status: Status = "proved" if found.formula is not None else "disproved"
    return MethodResult(
        status,
        reading,
        _summary(cause, effect, reading),
        claims=tuple(claims),
        trace=tuple(steps),
        witness=found.hedge or reading.estimand,
        assumptions=("the graph is complete: what it leaves out does not matter",)
        + (("not all sets are listed: there are too many",) if not (all_sets and all_through) else ()),
        soundness=1,
    )


def _reading(
    problem: CausalGraph, whole: CausalDiagram, seen: CausalDiagram, found: Estimand, budget: Budget
) -> GraphReading:
    """Return the graph's reading without adjustment sets, mediators and independences."""
    cause, effect = str(problem.treatment), str(problem.outcome)
    after, before = whole.descendants([cause]), whole.ancestors([effect])
    above = whole.ancestors([cause]) - {cause}
    past = whole.without_arrows_into([cause])  # on a way that avoids the treatment
    colliders = (after & whole.descendants([effect])) - {cause, effect}
    between = (after & before) - {cause, effect}
    return GraphReading(
        effect in after,
        found.formula is not None,
        "" if found.formula is None else f"P({effect} | do({cause})) = {found.formula}",
        found.by,
        instruments=tuple((name, _set(given)) for name, given in instruments(seen, cause, effect, budget)),
        adjust=tuple((one, is_adjustment(seen, cause, effect, frozenset(one))) for one in budget.each(problem.adjust)),
        confounders=tuple(
            name for name in budget.each(whole.nodes) if name in above and effect in past.descendants([name])
        ),
        mediators=tuple(name for name in whole.nodes if name in between),
        colliders=tuple(name for name in whole.nodes if name in colliders),
    )


def _reasons(problem: CausalGraph, reading: GraphReading, found: Estimand) -> list[TraceStep]:
    cause, effect = problem.treatment, problem.outcome
    steps = []
    if not reading.can_affect:
        steps.append(
            TraceStep(f"no chain of arrows leads from {cause} to {effect}: setting it changes nothing", "paths")
        )
    if reading.confounders:
        steps.append(TraceStep(f"{', '.join(reading.confounders)} act on both {cause} and {effect}", "back-door paths"))
    if found.hedge is not None:
        steps.append(
            TraceStep(
                f"unobserved causes tie {', '.join(found.hedge.inner)} to {', '.join(found.hedge.whole)}: "
                "two models can agree in all that is observed and differ in the effect",
                "hedge",
            )
        )
    else:
        steps.append(TraceStep(reading.estimand, found.by))
    for one, right in reading.adjust:
        told = "is right" if right else "is wrong"
        steps.append(TraceStep(f"adjusting for {', '.join(one) or 'nothing'} {told}", "back-door criterion"))
    return steps


def _summary(cause: str, effect: str, reading: GraphReading) -> str:
    if not reading.can_affect:
        return f"{cause} does not affect {effect}: no chain of arrows leads there"
    if not reading.identifiable:
        more = f"; {reading.instruments[0][0]} is an instrument" if reading.instruments else ""
        return f"observation alone cannot tell the effect of {cause} on {effect}{more}"
    return f"the effect of {cause} on {effect} can be told from observation ({reading.by}): {reading.estimand}"


def _set(names: NodeSet) -> Set:
    return tuple(sorted(names))


def _format_condition(names: tuple[str, ...]) -> str:
    return f" given {', '.join(names)}" if names else ""
