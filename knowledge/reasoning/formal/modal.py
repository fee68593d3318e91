"""Modal logic: validity of an argument in a logic, with a countermodel of possible worlds if it is invalid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal.statements import Premises, Text, label_premises, parse_formula
from mabos.knowledge.reasoning.kernels import kripke
from mabos.knowledge.reasoning.kernels.formula import Formula, JoinedFormula, parse
from mabos.knowledge.reasoning.problem import ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

DUTY: Mapping[str, Literal["box", "diamond"]] = {"O": "box", "P": "diamond"}
"""Standard deontic logic: it ought to be, it may be."""


class ModalArgument(ReasoningProblem):
    """An argument to judge: the truth of its goal in every world where the premises hold, in all frames of a logic.

    `[]p` or `□p` is true in a world if p is true in every accessible world, `<>p` or `◇p` if in some.
    """

    kind: Literal["modal"] = "modal"
    logic: kripke.Logic = "K"
    premises: Premises = ()
    goal: Text
    worlds: Annotated[int, Field(ge=1, le=8)] = 4

    example: ClassVar[Mapping[str, Any]] = {"kind": "modal", "logic": "S4", "premises": ["[]p"], "goal": "[][]p"}

    @model_validator(mode="after")
    def _all_is_propositional(self) -> Self:
        for label, text in [*label_premises(self.premises), ("goal", self.goal)]:
            propositional(parse_formula(text, label), label)
        return self

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The premises, parsed."""
        return tuple(parse(text) for _, text in label_premises(self.premises))


def propositional(formula: Formula, label: str) -> None:
    """Raise `ValueError`, as validators do, for terms and quantifiers."""
    try:
        kripke.reduce_to_box(formula)
    except InvalidArgument as error:
        raise ValueError(f"{label}: {error.message}") from None


@dataclass(frozen=True, slots=True)
class Validity:
    """The validity of an argument: None if undecided. If invalid, `countermodel` shows why, true at its first
    world but for the goal; `model` has premises and goal true together."""

    valid: bool | None
    countermodel: kripke.Model | None = None
    model: kripke.Model | None = None


@dataclass(frozen=True, slots=True)
class Judged:
    """The status of a goal under premises in a logic."""

    status: Status
    answer: Validity
    worlds: int
    """Up to how many there is no countermodel, where that is all that is known."""


def judge(
    premises: Sequence[Formula], goal: Formula, logic: kripke.Logic, budget: Budget, *, worlds: int = 4
) -> Judged:
    """Return whether a goal follows, its negation does, both or neither. Raises `OutOfTime`."""
    against = kripke.satisfy([*premises, JoinedFormula("not", (goal,))], logic, budget, worlds=worlds)
    for_ = kripke.satisfy([*premises, goal], logic, budget, worlds=worlds)
    follows, denied = _none(against), _none(for_)
    status: Status = (
        "inconsistent" if follows and denied else "proved" if follows else "disproved" if denied else "unknown"
    )
    valid = True if follows else False if against.model is not None else None
    return Judged(status, Validity(valid, against.model, for_.model), 0 if valid is not None else against.worlds)


def estimate(problem: ModalArgument) -> float:
    """Return about how many milliseconds this takes."""
    return cost([*problem.formulas, parse(problem.goal)])


def cost(formulas: Sequence[Formula]) -> float:
    """Return about how many milliseconds judging the formulas takes."""
    bits = kripke.size(formulas)
    return 0.2 + 0.1 * 2.0**bits if bits <= kripke.MOST_BITS else 4.0 * bits


def solve(problem: ModalArgument, budget: Budget) -> MethodResult[Validity]:
    """Return whether the argument is valid in the logic."""
    judged = judge(problem.formulas, parse(problem.goal), problem.logic, budget, worlds=problem.worlds)
    return verdict(label_premises(problem.premises), problem.goal, problem.logic, judged)


def verdict(
    said: Sequence[tuple[str, str]], goal: str, logic: kripke.Logic, judged: Judged, assumed: tuple[str, ...] = ()
) -> MethodResult[Validity]:
    """Return the verdict on a goal from labelled premises as the result of a method."""
    valid = judged.answer.valid
    return MethodResult(
        judged.status,
        judged.answer,
        summary(goal, logic, judged),
        claims=() if valid is None else (AnswerClaim(goal, f"valid in {logic}", valid),),
        confidence=None if valid is None else 1.0,
        confidence_kind="proof",
        evidence=tuple(label for label, _ in said if valid and not label.startswith("#")),
        trace=(*(TraceStep(text, "premise", (), label) for label, text in said), *steps(judged, logic)),
        witness=judged.answer.countermodel,
        assumptions=(*assumed, *bounds(judged)),
    )


def bounds(judged: Judged) -> tuple[str, ...]:
    """Return the assumption made if the question was too large to decide."""
    return (
        (f"no countermodel of up to {judged.worlds} worlds; larger ones were not looked at",) if judged.worlds else ()
    )


def steps(judged: Judged, logic: kripke.Logic) -> tuple[TraceStep, ...]:
    """Return the findings, as steps."""
    frame = f"{logic} ({', '.join(sorted(kripke.FRAMES[logic])) or 'any'} frames)"
    counter = judged.answer.countermodel
    if counter is None:
        no = f"up to {judged.worlds} worlds" if judged.worlds else "at all"
        return (TraceStep(f"no model in {frame} {no} has the premises true and the goal false", "elimination"),)
    worlds = "; ".join(f"{name}: {', '.join(letters) or 'nothing'} true" for name, letters in counter.worlds)
    sight = ", ".join(f"{one} sees {other}" for one, other in counter.sees) or "no world sees any"
    return (
        TraceStep(f"in {frame} there is a model with the premises true and the goal false at w0", "countermodel"),
        TraceStep(worlds, "worlds"),
        TraceStep(sight, "sight"),
    )


def summary(goal: str, logic: kripke.Logic, judged: Judged) -> str:
    """Return the result in a sentence."""
    if judged.status == "inconsistent":
        return f"the premises cannot all be true in {logic}, so that anything follows"
    if judged.answer.valid is None:
        return f"{goal}: no countermodel in {logic} of up to {judged.worlds} worlds"
    if judged.answer.valid:
        return f"{goal} follows in {logic}"
    count = len(judged.answer.countermodel.worlds) if judged.answer.countermodel else 0
    never = "; its denial follows" if judged.status == "disproved" else ""
    return f"{goal} does not follow in {logic}: a countermodel has {count} world(s){never}"


def _none(found: kripke.Satisfaction) -> bool:
    return found.decided and found.model is None
