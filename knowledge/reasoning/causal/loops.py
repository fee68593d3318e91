"""Causal loops: reinforcing and balancing ones, and the effect of a push (Sterman 2000, chapter 5)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.graphs import cycles
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class CausalLink(ProblemPart):
    """An effect of one variable on another: in the same (+) or opposite (-) direction, with delay and strength."""

    cause: Name
    effect: Name
    sign: Literal["+", "-"]
    delay: bool = False
    strength: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class Loops(ReasoningProblem):
    """A causal loop diagram. `push` asks for the effects of raising that variable."""

    kind: Literal["loops"] = "loops"
    links: Annotated[tuple[CausalLink, ...], Field(min_length=1, max_length=5_000)]
    push: Name | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "loops",
        "links": [
            {"cause": "chickens", "effect": "eggs", "sign": "+"},
            {"cause": "eggs", "effect": "chickens", "sign": "+"},
            {"cause": "chickens", "effect": "road crossings", "sign": "+"},
            {"cause": "road crossings", "effect": "chickens", "sign": "-"},
        ],
        "push": "eggs",
    }

    @model_validator(mode="after")
    def _is_a_diagram(self) -> Self:
        pairs = [(one.cause, one.effect) for one in self.links]
        if len(set(pairs)) < len(pairs):
            twice = next(pair for pair in pairs if pairs.count(pair) > 1)
            msg = (
                f"there are two links from {twice[0]!r} to {twice[1]!r}; one sign holds, or a variable is between them"
            )
            raise ValueError(msg)
        if self.push is not None and self.push not in self.variables:
            raise ValueError(f"{self.push!r} is in no link")
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables, in the order of the links."""
        return tuple(dict.fromkeys(name for one in self.links for name in (one.cause, one.effect)))


MOST_LOOPS = 5_000
"""Loops that are looked at."""
Polarity = Literal["reinforcing", "balancing"]
Push = Literal["up", "down", "either"]


@dataclass(frozen=True, slots=True)
class Loop:
    """Variables that act round in a circle, whether that reinforces or balances, whether a link is late, and the
    product of the links' strengths where all are known."""

    variables: tuple[str, ...]
    polarity: Polarity
    delayed: bool
    strength: float | None


@dataclass(frozen=True, slots=True)
class Feedback:
    """The loops, the dominant one where strengths are known, the variables in most loops, what raising the pushed
    variable does at first (`either`: ways of both signs lead there), and patterns people know by name."""

    loops: tuple[Loop, ...]
    reinforcing: int
    balancing: int
    dominant: Loop | None
    leverage: tuple[tuple[str, int], ...]
    push: dict[str, Push]
    patterns: tuple[str, ...]


def estimate(problem: Loops) -> float:
    """Return about how many milliseconds this takes; the number of loops is not known in advance."""
    return 0.1 + 0.03 * len(problem.links)


def solve(problem: Loops, budget: Budget) -> MethodResult[Feedback]:
    """Return the loops of a diagram; `timeout` with those found so far."""
    links = {(one.cause, one.effect): one for one in problem.links}
    following: dict[str, list[str]] = {name: [] for name in problem.variables}
    for one in problem.links:
        following[one.cause].append(one.effect)
    found: list[Loop] = []
    late = capped = False
    push: dict[str, Push] = {}
    try:
        push = {} if problem.push is None else _propagate_push(problem, budget)
        for variables in cycles(following, budget):
            if len(found) == MOST_LOOPS:
                capped = True
                break
            found.append(_loop(variables, [links[pair] for pair in _round(variables)]))
    except OutOfTime:
        late = True
    found.sort(key=lambda one: (len(one.variables), one.variables))
    strong = [one for one in found if one.strength is not None]
    counts = Counter(name for one in found for name in one.variables)
    answer = Feedback(
        tuple(found),
        sum(one.polarity == "reinforcing" for one in found),
        sum(one.polarity == "balancing" for one in found),
        max(strong, key=lambda one: one.strength or 0.0, default=None) if len(strong) == len(found) else None,
        tuple(sorted(counts.items(), key=lambda item: (-item[1], item[0]))[:10]),
        push,
        tuple(_patterns(found)),
    )
    return _report_feedback(problem, answer, capped=capped, late=late)


def _round(variables: Sequence[str]) -> list[tuple[str, str]]:
    return list(zip(variables, [*variables[1:], variables[0]], strict=True))


def _loop(variables: tuple[str, ...], links: Sequence[CausalLink]) -> Loop:
    against = sum(one.sign == "-" for one in links)
    strengths = [one.strength for one in links if one.strength is not None]
    return Loop(
        variables,
        "balancing" if against % 2 else "reinforcing",
        any(one.delay for one in links),
        prod(strengths) if len(strengths) == len(links) else None,
    )


def _propagate_push(problem: Loops, budget: Budget) -> dict[str, Push]:
    """Return the way each variable goes when one is raised: the signs of all ways that do not come back to it."""
    start = str(problem.push)
    links: dict[str, list[CausalLink]] = {name: [] for name in problem.variables}
    for one in budget.each(problem.links):
        links[one.cause].append(one)
    reached: dict[str, set[bool]] = {name: set() for name in problem.variables}
    pending = [(start, True)]
    while pending:
        budget.check()
        name, up = pending.pop()
        if up in reached[name]:
            continue
        reached[name].add(up)
        pending += [(one.effect, up == (one.sign == "+")) for one in links[name] if one.effect != start]
    words: dict[frozenset[bool], Push] = {frozenset([True]): "up", frozenset([False]): "down"}
    return {name: words.get(frozenset(ways), "either") for name, ways in reached.items() if ways and name != start}


def _patterns(loops: Sequence[Loop]) -> list[str]:
    """Return the patterns of Senge 1990 that two loops with a common variable make, and loops that are late."""
    said = []
    growing = [one for one in loops if one.polarity == "reinforcing"][:50]
    limiting = [one for one in loops if one.polarity == "balancing"][:50]
    for grows in growing:
        for limits in limiting:
            common = [name for name in grows.variables if name in limits.variables]
            if grows.delayed and not limits.delayed and len(common) > 1:
                said.append(
                    f"a fix that fails: {_format_loop(limits)} helps at once, {_format_loop(grows)} makes it "
                    "worse later"
                )
            elif common and not (grows.delayed and not limits.delayed):
                said.append(
                    f"a limit to growth: {_format_loop(grows)} grows until {_format_loop(limits)} holds it, by "
                    f"{common[0]}"
                )
    said += [f"swings are to be expected: {_format_loop(one)} balances late" for one in limiting if one.delayed]
    return said[:20]


def _format_loop(loop: Loop) -> str:
    return " -> ".join((*loop.variables, loop.variables[0]))


def _report_feedback(problem: Loops, answer: Feedback, *, capped: bool, late: bool) -> MethodResult[Feedback]:
    steps = [
        TraceStep(f"{_format_loop(one)}: {one.polarity}{', late' if one.delayed else ''}", "product of the signs")
        for one in answer.loops[:30]
    ]
    steps += [
        TraceStep(f"{name} goes {way}", f"raising {problem.push}", (str(problem.push),))
        for name, way in answer.push.items()
    ]
    claims = [
        AnswerClaim("system", "reinforcing loops", float(answer.reinforcing)),
        AnswerClaim("system", "balancing loops", float(answer.balancing)),
    ]
    if answer.dominant is not None:
        claims.insert(0, AnswerClaim("system", "dominant loop", answer.dominant.polarity))
    claims += [AnswerClaim(name, f"when {problem.push} is raised", way) for name, way in answer.push.items()]
    most = f"; {answer.leverage[0][0]} is in {answer.leverage[0][1]} of them" if answer.leverage else ""
    return MethodResult(
        "timeout" if late else "computed",
        answer,
        f"{answer.reinforcing} reinforcing and {answer.balancing} balancing loops{most}",
        claims=tuple(claims),
        trace=tuple(steps),
        assumptions=(
            "the links have the signs that are given, whatever the state",
            *((f"only the first {MOST_LOOPS:,} loops are reported",) if capped else ()),
        ),
        soundness=1,
    )
