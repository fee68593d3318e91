"""Entailment in first-order logic: two satisfiability questions, and the required premises."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.formal.statements import Premises, Text, label_premises, parse_formula
from mabos.knowledge.reasoning.kernels.formula import Formula, JoinedFormula, atoms, constants, is_modal, parse
from mabos.knowledge.reasoning.kernels.grounding import Decided, decide
from mabos.knowledge.reasoning.problem import ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep


class FirstOrder(ReasoningProblem):
    """The truth of a goal in all models of the premises; names that no quantifier binds are constants.

    `witnesses` bounds the number of unnamed things, and the nesting of existentials, for formulas beyond the decidable
    class.
    """

    kind: Literal["fol"] = "fol"
    premises: Premises = ()
    goal: Text
    witnesses: Annotated[int, Field(ge=0, le=4)] = 2

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "fol",
        "premises": ["∀x (Man(x) → Mortal(x))", {"id": "B-1", "says": "Man(socrates)"}],
        "goal": "Mortal(socrates)",
    }

    @model_validator(mode="after")
    def _all_is_first_order(self) -> Self:
        places: dict[str, int] = {}
        for label, text in [*label_premises(self.premises), ("goal", self.goal)]:
            formula = parse_formula(text, label)
            if is_modal(formula):
                raise ValueError(f"{label}: {text[:60]!r} has a box or diamond; that is a problem of kind modal")
            for atom in atoms(formula):
                before = places.setdefault(atom.predicate, len(atom.terms))
                if before != len(atom.terms):
                    msg = f"{label}: {atom.predicate!r} has {len(atom.terms)} places here and {before} before"
                    raise ValueError(msg)
        return self

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The premises, parsed."""
        return tuple(parse(text) for _, text in label_premises(self.premises))


@dataclass(frozen=True, slots=True)
class Consequence:
    """The verdict on a goal: true in all models (True) or in none (False); None if it depends or is undecided.

    `independent` means that it depends: `model` makes it true and `countermodel` false, each as its true atoms.
    """

    holds: bool | None
    independent: bool = False
    model: tuple[str, ...] | None = None
    countermodel: tuple[str, ...] | None = None


def estimate(problem: FirstOrder) -> float:
    """Return about how many milliseconds this takes."""
    formulas = (*problem.formulas, parse(problem.goal))
    names = len(frozenset[str]().union(*map(constants, formulas))) + 1
    texts = [problem.goal, *(text for _, text in label_premises(problem.premises))]
    deep = max(text.count("∀") + text.count("∃") + text.count("forall") for text in texts)
    return 2.0 + 3.0 * len(formulas) + 0.02 * len(formulas) * float(names ** min(deep, 4))


def solve(problem: FirstOrder, budget: Budget) -> MethodResult[Consequence]:
    """Return whether the goal follows from the premises, its negation does, or neither."""
    premises, goal = problem.formulas, parse(problem.goal)
    denial: Formula = JoinedFormula("not", (goal,))
    against = decide([*premises, denial], budget, witnesses=problem.witnesses)
    for_ = decide([*premises, goal], budget, witnesses=problem.witnesses)
    status = _status(against, for_)
    needed, minimal = tuple(range(len(premises))), True
    if status in ("proved", "disproved", "inconsistent"):
        refuted = {"proved": [denial], "disproved": [goal]}.get(status, [])
        needed, minimal = _minimize_premises(premises, refuted, budget, problem.witnesses)
    labels = [label for label, _ in label_premises(problem.premises)]
    undecided = tuple(dict.fromkeys(one.bound for one in (against, for_) if one.bound))
    holds = {"proved": True, "disproved": False}.get(status)
    answer = Consequence(
        holds,
        against.verdict == for_.verdict == "satisfiable",
        for_.model if for_.verdict == "satisfiable" else None,
        against.model if against.verdict == "satisfiable" else None,
    )
    return MethodResult(
        status,
        answer,
        _summary(problem.goal, status, answer, [labels[one] for one in needed]),
        claims=() if holds is None else (AnswerClaim(problem.goal, "holds", holds),),
        confidence=None if holds is None else 1.0,
        confidence_kind="proof",
        evidence=() if holds is None and status != "inconsistent" else _cite_premises(labels, needed),
        trace=_trace(problem, status, needed, against, for_),
        witness={"model": for_.model, "countermodel": against.model, "things": for_.things or against.things},
        assumptions=(*undecided, *(() if minimal else ("the time did not reach to find which premises are needed",))),
    )


def _cite_premises(labels: Sequence[str], needed: Sequence[int]) -> tuple[str, ...]:
    """Return the ids of the premises needed; one that has only its number has none."""
    return tuple(labels[one] for one in needed if not labels[one].startswith("#"))


def _status(against: Decided, for_: Decided) -> Status:
    impossible = (against.verdict == "unsatisfiable", for_.verdict == "unsatisfiable")
    if impossible == (True, True):
        return "inconsistent"
    return "proved" if impossible[0] else "disproved" if impossible[1] else "unknown"


def _minimize_premises(
    premises: Sequence[Formula], refuted: Sequence[Formula], budget: Budget, witnesses: int
) -> tuple[tuple[int, ...], bool]:
    """Return premises that suffice and of which none can be left out, and whether time reached to find them."""
    kept = list(range(len(premises)))
    try:
        for one in range(len(premises)):
            rest = [premises[other] for other in kept if other != one]
            if decide([*rest, *refuted], budget, witnesses=witnesses).verdict == "unsatisfiable":
                kept.remove(one)
    except OutOfTime:
        return tuple(kept), False
    return tuple(kept), True


def _trace(
    problem: FirstOrder, status: Status, needed: Sequence[int], against: Decided, for_: Decided
) -> tuple[TraceStep, ...]:
    said = label_premises(problem.premises)
    shown = needed if status in ("proved", "disproved", "inconsistent") else ()
    steps = [TraceStep(said[one][1], "premise", (), said[one][0]) for one in shown]
    uses = tuple(said[one][0] for one in shown)
    for words, found in (("false", against), ("true", for_)):
        if found.verdict == "satisfiable":
            steps.append(
                TraceStep(f"all premises hold with the goal {words} in a model of {len(found.things)} things", "model")
            )
        elif found.verdict == "unsatisfiable":
            steps.append(TraceStep(f"no model of the premises has the goal {words}", "ground contradiction", uses))
        else:
            steps.append(TraceStep(f"whether the goal can be {words} is not decided: {found.bound}", "bounded search"))
    return tuple(steps)


def _summary(goal: str, status: Status, answer: Consequence, needed: Sequence[str]) -> str:
    by = f" from {', '.join(needed)}" if needed else ""
    told_ = {
        "proved": f"follows{by}",
        "disproved": f"is false{by}",
        "inconsistent": f"and its denial both follow: the premises contradict each other ({', '.join(needed)})",
    }
    independent = "is true in some models of the premises and false in others"
    return f"{goal} {told_.get(status) or (independent if answer.independent else 'is not decided within the bound')}"
