"""Information: measures of uncertainty, and the most informative question (Shannon 1948; Lindley 1956)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.shares import entropy
from mabos.knowledge.reasoning.problem import SCALE, Name, Prior, Probability, ProblemPart, ReasoningProblem, Weight
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class PossibleQuestion(ProblemPart):
    """A possible question: its cost, and the probability of each answer under each hypothesis."""

    answers: Annotated[Mapping[Name, Mapping[Name, Probability]], Field(min_length=2)]
    cost: Weight = 1.0


class QuestionChoice(ReasoningProblem):
    """Hypotheses with probabilities, and questions to choose the next from."""

    kind: Literal["questions"] = "questions"
    prior: Prior
    questions: Annotated[Mapping[Name, PossibleQuestion], Field(min_length=1)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "questions",
        "prior": {"pricing": 0.5, "quality": 0.25, "support": 0.25},
        "questions": {
            "ask churned customers": {
                "answers": {
                    "price": {"pricing": 0.9, "quality": 0.1, "support": 0.1},
                    "other": {"pricing": 0.1, "quality": 0.9, "support": 0.9},
                }
            }
        },
    }

    @model_validator(mode="after")
    def _answers_are_distributions(self) -> Self:
        for name, question in self.questions.items():
            for hypothesis in self.prior:
                if lacking := [answer for answer, row in question.answers.items() if hypothesis not in row]:
                    raise ValueError(
                        f"question {name!r}, answer {lacking[0]!r} has no probability under {hypothesis!r}"
                    )
                total = sum(row[hypothesis] for row in question.answers.values())
                if abs(total - 1) > SCALE:
                    raise ValueError(f"the answers to {name!r} under {hypothesis!r} sum to {total:g}, not to 1")
        return self


class Joint(ReasoningProblem):
    """Counts or weights of two variables together: a table, rows by columns."""

    kind: Literal["joint"] = "joint"
    table: Annotated[Mapping[Name, Annotated[Mapping[Name, Weight], Field(min_length=1)]], Field(min_length=1)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "joint",
        "table": {"weak": {"yes": 6, "no": 2}, "strong": {"yes": 3, "no": 3}},
    }

    @model_validator(mode="after")
    def _has_weight(self) -> Self:
        columns = {frozenset(row) for row in self.table.values()}
        if len(columns) > 1:
            raise ValueError("every row must name the same columns")
        if sum(sum(row.values()) for row in self.table.values()) <= 0:
            raise ValueError("every row of the table has weight 0")
        return self


ROUNDING = 1e-12
"""Bits below which a question tells nothing."""


@dataclass(frozen=True, slots=True)
class NextQuestion:
    """The most informative question for its cost; the bits from each, and the remainder after each answer."""

    ask: str
    uncertainty: float
    gain: dict[str, float]
    gain_per_cost: dict[str, float]
    after: dict[str, dict[str, float]]


@dataclass(frozen=True, slots=True)
class Information:
    """Bits of a table of two variables: of each, of both, of one given the other, and what they share."""

    rows: float
    columns: float
    both: float
    rows_given_columns: float
    columns_given_rows: float
    mutual: float


def estimate(problem: QuestionChoice | Joint) -> float:
    """Return about how many milliseconds this takes."""
    if isinstance(problem, Joint):
        return 0.002 * sum(map(len, problem.table.values()))
    return 0.002 * len(problem.prior) * sum(len(one.answers) for one in problem.questions.values())


def solve(problem: QuestionChoice | Joint, budget: Budget) -> MethodResult[NextQuestion] | MethodResult[Information]:
    """Return the question most worth asking next, or the information in a table, in bits."""
    if isinstance(problem, Joint):
        return _of_table(problem, budget)
    before = entropy(problem.prior.values())
    after = {
        name: _answer_uncertainties(problem.prior, question)
        for name, question in budget.each(problem.questions.items())
    }
    gain = {
        name: max(0.0, before - sum(p * left for p, left in after[name].values()))
        for name in budget.each(problem.questions)
    }
    per_cost = {name: _per(gain[name], one.cost) for name, one in problem.questions.items()}
    ask = max(per_cost, key=lambda name: (per_cost[name], gain[name]))
    answer = NextQuestion(
        ask,
        before,
        gain,
        per_cost,
        {name: {said: left for said, (_, left) in one.items()} for name, one in after.items()},
    )
    return MethodResult(
        "computed",
        answer,
        f"ask {ask!r}: {gain[ask]:.4g} of {before:.4g} bits",
        claims=(AnswerClaim("question", "ask", ask),),
        trace=tuple(
            TraceStep(f"{name} tells {gain[name]:.6g} bits", "mutual information", label=name) for name in gain
        ),
        witness=after,
    )


def _answer_uncertainties(prior: Mapping[str, float], question: PossibleQuestion) -> dict[str, tuple[float, float]]:
    """Return the probability of each answer and the uncertainty it would leave."""
    left = {}
    for said, row in question.answers.items():
        joint = [share * row[name] for name, share in prior.items()]
        left[said] = (sum(joint), entropy(joint))
    return left


def _per(gain: float, cost: float) -> float:
    """Return the bits for the cost; a free question whose gain is mere rounding is worth nothing."""
    return gain / cost if cost else inf if gain > ROUNDING else 0.0


def _of_table(problem: Joint, budget: Budget) -> MethodResult[Information]:
    rows = entropy(sum(row.values()) for row in budget.each(problem.table.values()))
    names = list(next(iter(problem.table.values())))
    columns = entropy(sum(row[name] for row in problem.table.values()) for name in budget.each(names))
    both = entropy(weight for row in budget.each(problem.table.values()) for weight in row.values())
    shared = max(0.0, rows + columns - both)
    return MethodResult(
        "computed",
        Information(rows, columns, both, both - columns, both - rows, shared),
        f"the two share {shared:.4g} bits",
        claims=(AnswerClaim("table", "mutual information", shared),),
        trace=(TraceStep(f"{rows:.6g} + {columns:.6g} - {both:.6g} bits", "H(X) + H(Y) - H(X,Y)"),),
    )
