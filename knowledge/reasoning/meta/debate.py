"""Debate: mutually exclusive positions attack each other; the sounder prevails (Amgoud and Cayrol 2002)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Name, Probability, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Soundness, TraceStep
from mabos.knowledge.reasoning.social.argumentation import Arguments, Attack, Standing
from mabos.knowledge.reasoning.social.argumentation import solve as argue


class DebatePosition(ProblemPart):
    """The position of a source on a question, with its soundness and confidence."""

    question: Name
    answer: str | float | bool
    soundness: Soundness = 4
    confidence: Probability = 0.5


class Positions(ReasoningProblem):
    """Positions by source; two on one question with different answers attack each other."""

    kind: Literal["positions"] = "positions"
    positions: Annotated[Mapping[Name, DebatePosition], Field(min_length=1, max_length=200)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "positions",
        "positions": {
            "proof": {"question": "legal?", "answer": False, "soundness": 1, "confidence": 0.9},
            "analogy": {"question": "legal?", "answer": True, "soundness": 4, "confidence": 0.8},
        },
    }


@dataclass(frozen=True, slots=True)
class Debated:
    """For each question, the surviving answer, if any; its supporters and dissenters; and each position's status."""

    stands: dict[str, str | float | bool | None]
    held_by: dict[str, tuple[str, ...]]
    dissent: dict[str, tuple[str, ...]]
    labels: dict[str, Standing]


def estimate(problem: Positions) -> float:
    """Return about how many milliseconds this takes."""
    return 15.0 + 0.05 * len(problem.positions) ** 2


def solve(problem: Positions, budget: Budget) -> MethodResult[Debated]:
    """Return the positions that survive all attacks. If equals oppose each other, none does."""
    positions = problem.positions
    attacks = [
        Attack(by=a, on=b)
        for a, mine in budget.each(positions.items())
        for b, other in positions.items()
        if mine.question == other.question and mine.answer != other.answer
    ]
    preferred = tuple((one.by, one.on) for one in attacks if _prevails(positions, one.by, one.on))
    framework = Arguments(arguments=tuple(positions), attacks=tuple(attacks), prefer=preferred)
    argued = argue(framework, budget)
    labels = argued.answer.grounded
    questions = list(dict.fromkeys(one.question for one in positions.values()))
    stands = {question: _standing(positions, labels, question) for question in questions}
    undecided = [question for question, answer in stands.items() if answer is None]
    return MethodResult(
        "unknown" if len(undecided) == len(questions) else "computed",
        Debated(
            stands,
            {q: tuple(n for n, one in positions.items() if one.question == q and labels[n] == "in") for q in questions},
            {q: tuple(n for n, one in positions.items() if one.question == q and labels[n] != "in") for q in questions},
            labels,
        ),
        "; ".join(f"{q} {'undecided' if answer is None else answer}" for q, answer in stands.items()),
        claims=tuple(AnswerClaim(q, "is", answer) for q, answer in stands.items() if answer is not None),
        trace=(*argued.trace, *(TraceStep(f"{q}: equals oppose each other", "tie") for q in undecided)),
        assumptions=("a sounder position prevails, then one held more surely",),
    )


def _prevails(positions: Mapping[str, DebatePosition], a: str, b: str) -> bool:
    """Return whether `a` is preferred to `b`: it is sounder, or as sound and held more surely."""
    first, second = positions[a], positions[b]
    return (first.soundness, -first.confidence) < (second.soundness, -second.confidence)


def _standing(
    positions: Mapping[str, DebatePosition], labels: Mapping[str, Standing], question: str
) -> str | float | bool | None:
    return next((one.answer for n, one in positions.items() if one.question == question and labels[n] == "in"), None)
