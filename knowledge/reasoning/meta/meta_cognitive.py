"""Meta-cognition: is further thought worth its cost (Russell and Wefald 1991)?"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Name, Probability, ProblemPart, ReasoningProblem, Weight
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class Option(ProblemPart):
    """A next step for more certainty: its accuracy and its cost."""

    reliability: Probability
    cost: Weight = 0.0


class Computation(ReasoningProblem):
    """A choice between acting and more thought: the confidence, the values of right and wrong, the options.

    `ask` is the option of asking a person.
    """

    kind: Literal["computation"] = "computation"
    confidence: Probability
    gain: Weight = 1.0
    loss: Weight = 0.0
    options: Mapping[Name, Option] = {}
    ask: Option | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "computation",
        "confidence": 0.7,
        "gain": 100,
        "loss": 50,
        "options": {"bayesian": {"reliability": 0.9, "cost": 5}, "monte-carlo": {"reliability": 0.92, "cost": 20}},
    }


Verdict = Literal["act", "think on", "ask", "abstain"]
_ASK = "ask a person"


@dataclass(frozen=True, slots=True)
class NextThought:
    """The advised step: act, use another method, ask, or stop; the value of acting now, and for each option the
    value of its computation, its cost taken off."""

    verdict: Verdict
    method: str
    now: float
    value: dict[str, float]


def estimate(problem: Computation) -> float:
    """Return about how many milliseconds this takes."""
    return 0.01 * (1 + len(problem.options))


def solve(problem: Computation, budget: Budget) -> MethodResult[NextThought]:
    """Return the next action. Of two methods the more reliable is followed, so a less reliable one changes nothing."""
    budget.check()
    now = _worth(problem, problem.confidence)
    options: Mapping[str, Option] = {**problem.options, **({_ASK: problem.ask} if problem.ask else {})}
    value = {
        name: _worth(problem, max(problem.confidence, one.reliability)) - one.cost - now
        for name, one in options.items()
    }
    best = max(value, key=lambda name: value[name], default="")
    if best and value[best] > 0:
        verdict: Verdict = "ask" if best == _ASK else "think on"
    else:
        best, verdict = "", "act" if now > 0 else "abstain"
    told = {"act": "act now", "think on": f"think on with {best}", "ask": _ASK, "abstain": "leave it"}[verdict]
    return MethodResult(
        "computed",
        NextThought(verdict, best, now, value),
        f"{told}: acting now is worth {now:.4g}" + (f", {best} adds {value[best]:.4g}" if best else ""),
        claims=(AnswerClaim("reasoning", "next", verdict),),
        trace=tuple(
            TraceStep(f"{name} is worth {worth:.6g} after its cost", "value of computation")
            for name, worth in value.items()
        ),
        assumptions=("methods err independently of each other", "one may leave it, at no gain and no loss"),
    )


def _worth(problem: Computation, sure: float) -> float:
    """Return the value of acting when the answer is right with this probability, or 0 for abstaining."""
    return max(0.0, sure * problem.gain - (1 - sure) * problem.loss)
