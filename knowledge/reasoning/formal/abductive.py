"""Abduction: the minimal assumptions that explain the observations, best first, and the next test.

Minimal is by inclusion: no part of an explanation can be left out (Reiter 1987; Poole 1993; de Kleer, Williams 1987).
Ranked by the odds of the assumptions, else by cost; the scores of S0 section 22 and S3 section 12.3 are added.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log, prod
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.formal import horn
from mabos.knowledge.reasoning.formal.statements import (
    Atom,
    Body,
    Denied,
    Knowledge,
    Signed,
    StatedFact,
    clause,
    literal,
    require_shape,
)
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.kernels.clauses import ClauseClosure, HornClause, SignedAtom, derive, proof
from mabos.knowledge.reasoning.kernels.theory import RULES, Theory
from mabos.knowledge.reasoning.problem import Finite, ProblemPart
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

BROKEN = SignedAtom(("⊥",))
"""The atom that a violated constraint implies."""


class Assumable(ProblemPart):
    """An assumption with its prior probability or its cost; the default is a cost of one."""

    atom: Signed
    prior: Annotated[float, Field(gt=0, lt=1)] | None = None
    cost: Annotated[Finite, Field(ge=0)] | None = None

    @property
    def worth(self) -> float:
        """Return the cost of assuming it: its log odds against, if it has a prior."""
        return log((1 - self.prior) / self.prior) if self.prior is not None else 1.0 if self.cost is None else self.cost


class Explain(Knowledge):
    """Observations to be explained by a minimal set of assumptions.

    With `explains` derive, the observations must follow from facts, rules and assumptions; with consistent, the rules
    describe normality (`{"not": ["broken", "?x"]}`) and the observations must no longer contradict them. Each of
    `constraints` is a list of conditions that never hold together. `tests` are possible next observations.
    """

    kind: Literal["explanation"] = "explanation"
    observations: Annotated[
        tuple[Annotated[StatedFact | Denied | Atom, require_shape("neg", "atom")], ...],
        Field(min_length=1, max_length=200),
    ]
    abducibles: Annotated[
        tuple[Annotated[Assumable | Denied | Atom, require_shape("neg", "atom")], ...],
        Field(min_length=1, max_length=500),
    ]
    constraints: Annotated[tuple[Body, ...], Field(max_length=500)] = ()
    explains: Literal["derive", "consistent"] = "derive"
    tests: Annotated[tuple[Signed, ...], Field(max_length=500)] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "explanation",
        "rules": [
            {"id": "rain", "if": [["rained"]], "then": ["wet", "grass"], "factor": 0.9},
            {"id": "sprinkler", "if": [["sprinkler", "on"]], "then": ["wet", "grass"]},
            {"id": "road", "if": [["rained"]], "then": ["wet", "road"]},
        ],
        "observations": [["wet", "grass"]],
        "abducibles": [{"atom": ["rained"], "prior": 0.3}, {"atom": ["sprinkler", "on"], "prior": 0.1}],
    }

    @model_validator(mode="after")
    def _all_is_ground(self) -> Self:
        variable = next((one for one in (*self.observed, *self.assumable, *self.testable) if one.variables), None)
        if variable is not None:
            msg = f"{variable} has a variable; observations, assumptions and tests are about things with names"
            raise ValueError(msg)
        _ = self.integrity
        return self

    @cached_property
    def observed(self) -> dict[SignedAtom, tuple[float, str]]:
        """The observations, each with its confidence and id."""
        return {
            literal(one.atom if isinstance(one, StatedFact) else one): (one.confidence, one.id)
            if isinstance(one, StatedFact)
            else (1.0, "")
            for one in self.observations
        }

    @cached_property
    def assumable(self) -> dict[SignedAtom, Assumable]:
        """Return the possible assumptions."""
        told = (one if isinstance(one, Assumable) else Assumable(atom=one) for one in self.abducibles)
        return {literal(one.atom): one for one in told}

    @cached_property
    def testable(self) -> tuple[SignedAtom, ...]:
        """Return the possible tests."""
        return tuple(map(literal, self.tests))

    @cached_property
    def integrity(self) -> tuple[HornClause, ...]:
        """Return the constraints as rules to a forbidden conclusion."""
        return tuple(clause(f"constraint {number}", body, BROKEN) for number, body in enumerate(self.constraints, 1))


MOST = 256
"""Explanations that are listed; where there are more, the cheapest is among them."""
SEARCHED = 0.8
"""The share of the time in which explanations are searched for; in the rest they are worked out."""
_WANTED = RULES + ":- goal(L), not h(L).\n:- broken(L), h(L).\n"
_CHEAPEST = _WANTED + "#minimize { C,A : in(A), cost(A,C) }.\n"


@dataclass(frozen=True, slots=True)
class RankedExplanation:
    """Assumptions, their cost, and, with priors, their share of the probability of all explanations.

    `coverage` is the score of S0: the share of the conditions used that are facts, times the factor of the rules;
    `prior_times_likelihood` is that of S3. Each is missing where it is meaningless.
    """

    assumes: tuple[str, ...]
    cost: float
    share: float | None
    coverage: float | None
    prior_times_likelihood: float | None


@dataclass(frozen=True, slots=True)
class Test:
    """The next observation: the explanations that expect it, and the others. `mass` is the weight of the former."""

    look_at: str
    expected_by: tuple[tuple[str, ...], ...]
    not_expected_by: tuple[tuple[str, ...], ...]
    mass: float


@dataclass(frozen=True, slots=True)
class Explanations:
    """All minimal explanations, best first, and the test that best separates them."""

    ranked: tuple[RankedExplanation, ...]
    next_test: Test | None = None


@dataclass(frozen=True, slots=True)
class _Worked:
    """An explanation with all that follows from it."""

    assumed: tuple[SignedAtom, ...]
    told: RankedExplanation
    closure: ClauseClosure
    weight: float


def estimate(problem: Explain) -> float:
    """Return about how many milliseconds this takes."""
    known = len(problem.facts) + len(problem.rules)
    return 8.0 + 0.5 * known + 0.02 * known * len(problem.abducibles)


def solve(problem: Explain, budget: Budget) -> MethodResult[Explanations]:
    """Return the minimal explanations; on timeout, those found so far."""
    assumable = problem.assumable
    names = sorted(assumable)
    program = _program(problem, names, budget)
    found, late = _minimal(program, budget.part(SEARCHED))
    worked: list[_Worked] = []
    test: Test | None = None
    try:
        worked.extend(_assess_explanation(problem, [names[n] for n in one], budget) for one in found)
    except OutOfTime:
        if not worked:
            raise
        late = late or f"the time was up after {len(worked)} of {len(found)} explanations"
    worked = _rank_explanations(worked)
    try:
        test = _next_test(problem, worked, budget) if len(worked) > 1 else None
    except OutOfTime as out:
        late = late or out.message
    assumptions: list[str] = []
    if len(found) >= MOST:
        assumptions.append(f"of more than {MOST} smallest explanations these and the cheapest were weighed")
    if len(worked) > 1 and worked[0].told.share is not None:
        assumptions.append("what may be assumed is independent, and the truth is one of these explanations")
    return _result(problem, worked, test, late, tuple(assumptions))


def _program(problem: Explain, names: Sequence[SignedAtom], budget: Budget) -> asp.AnswerSetProgram:
    observed, stated = problem.observed, list(problem.stated)
    given = [*stated, *observed] if problem.explains == "consistent" else stated
    theory = Theory(given, [*problem.clauses, *problem.integrity], names, budget)
    facts: list[asp.Atom] = [("broken", (theory.number(BROKEN),))]
    if problem.explains == "derive":
        facts += [("goal", (theory.number(one),)) for one in observed]
    for number, name in enumerate(names):
        facts += [("open", (number,)), ("gives", (number, theory.number(name)))]
        facts.append(("cost", (number, round(1_000 * problem.assumable[name].worth))))
    return asp.AnswerSetProgram(_WANTED, [*facts, *theory.facts()], (("in", 1),))


def _minimal(program: asp.AnswerSetProgram, budget: Budget) -> tuple[list[tuple[int, ...]], str]:
    """Return the smallest sets of assumptions that explain, and why there may be more if the time was up."""
    found: list[tuple[int, ...]] = []
    try:
        for model in asp.subset_extremal(program, "in(A) : open(A)", budget, limit=MOST):
            found.append(_read_choice(model))  # noqa: PERF401  # what was found stays where the time is up
        if len(found) == MOST:
            cheapest = asp.optimal(asp.AnswerSetProgram(_CHEAPEST, program.facts, program.shown), budget)
            found = list(dict.fromkeys([*map(_read_choice, cheapest.models), *found]))
    except OutOfTime as out:
        return found, out.message
    return found, ""


def _read_choice(model: asp.Model) -> tuple[int, ...]:
    return tuple(int(str(number)) for (number,) in asp.arguments(model, "in"))


def _assess_explanation(problem: Explain, assumed: Sequence[SignedAtom], budget: Budget) -> _Worked:
    """Return an explanation's cost, the likelihood it gives the observations, and its consequences."""
    consistent = problem.explains == "consistent"
    observed = problem.observed
    closure = ClauseClosure()
    stated = {**problem.stated, **(observed if consistent else {}), **dict.fromkeys(assumed, (1.0, ""))}
    derive(stated, problem.clauses, budget, closure)
    chosen = [problem.assumable[one] for one in assumed]
    likelihood = 1.0 if consistent else min(closure.held[one].confidence for one in observed)
    priors = [one.prior for one in chosen if one.prior is not None]
    cost = sum(one.worth for one in chosen)
    has_priors = all(one.prior is not None for one in problem.assumable.values())
    told = RankedExplanation(
        tuple(map(str, assumed)),
        cost,
        None,
        None if consistent else _coverage(closure, list(observed), assumed),
        prod(priors) * likelihood if has_priors else None,
    )
    return _Worked(tuple(assumed), told, closure, exp(-cost) * likelihood if has_priors else 0.0)


def _coverage(closure: ClauseClosure, observed: Sequence[SignedAtom], assumed: Sequence[SignedAtom]) -> float:
    """Return the score of S0: supported conditions / all conditions x factor, over the proof of the observations."""
    factors: dict[SignedAtom, float] = {}
    leaves, supported = 0, 0
    for held in proof(closure, observed):
        if held.clause is None:
            factors[held.literal] = 1.0
            leaves += 1
            supported += held.literal not in assumed
        else:
            factors[held.literal] = held.clause.factor * min((factors[one] for one in held.uses), default=1.0)
    return supported / leaves * min(factors[one] for one in observed) if leaves else 1.0


def _rank_explanations(found: Sequence[_Worked]) -> list[_Worked]:
    """Return the explanations the best first, each with its share where there are priors."""
    total = sum(one.weight for one in found)
    shared = [
        replace(
            one,
            told=replace(one.told, share=one.weight / total if total else None),
            weight=one.weight / total if total else 1 / len(found),
        )
        for one in found
    ]
    return sorted(shared, key=lambda one: (-round(one.weight, 12), one.told.cost, len(one.assumed), one.assumed))


def _next_test(problem: Explain, found: Sequence[_Worked], budget: Budget) -> Test | None:
    """Return the literal that splits the weight of the explanations most evenly: a test before an assumption."""
    everywhere = set.intersection(*(set(one.closure.held) for one in found))
    somewhere = {literal for one in found for literal in one.closure.held} - everywhere
    assumable = set(problem.assumable)
    open_to = somewhere & set(problem.testable) if problem.tests else somewhere - assumable or somewhere
    if not open_to:
        return None

    def unevenness(literal: SignedAtom) -> tuple[float, SignedAtom]:
        return round(abs(0.5 - sum(one.weight for one in found if literal in one.closure.held)), 9), literal

    best = min(budget.each(open_to), key=unevenness)
    expecting = [one for one in found if best in one.closure.held]
    return Test(
        str(best),
        tuple(one.told.assumes for one in expecting),
        tuple(one.told.assumes for one in found if one not in expecting),
        sum(one.weight for one in expecting),
    )


def _result(
    problem: Explain, worked: Sequence[_Worked], test: Test | None, late: str, assumptions: tuple[str, ...]
) -> MethodResult[Explanations]:
    if not worked:
        status: Status = "timeout" if late else "infeasible"
        none = late or "nothing that may be assumed explains the observations"
        return MethodResult(status, Explanations(()), none, confidence_kind="score")
    best = worked[0]
    answer = Explanations(tuple(one.told for one in worked), test)
    goals = [one for one in problem.observed if one in best.closure.held]
    steps = proof(best.closure, goals)
    observed = ", ".join(map(str, problem.observed))
    share = best.told.share
    named = [(_name_explanation(one.told), one.told.share) for one in worked]
    return MethodResult(
        "timeout" if late else "computed",
        answer,
        _summary(observed, answer),
        claims=(
            AnswerClaim(
                observed, "explained by", named[0][0], tuple((name, one) for name, one in named if one is not None)
            ),
        ),
        confidence=share if share is not None else best.told.coverage,
        confidence_kind="posterior" if share is not None else "score",
        evidence=tuple(dict.fromkeys(name for held in steps for name in horn.list_citations(held))),
        trace=(
            *(TraceStep(f"assume {one}", "assumption", (), str(one)) for one in best.assumed),
            *map(horn.step, steps),
        ),
        witness={"explanations": [list(one.told.assumes) for one in worked]},
        assumptions=((late, *assumptions) if late else assumptions),
    )


def _name_explanation(told: RankedExplanation) -> str:
    return " and ".join(told.assumes) or "nothing more"


def _summary(observed: str, answer: Explanations) -> str:
    best = answer.ranked[0]
    share = "" if best.share is None else f" ({best.share:.0%})"
    others = f", {len(answer.ranked) - 1} other explanation(s)" if len(answer.ranked) > 1 else ""
    test = f"; look at {answer.next_test.look_at} next" if answer.next_test else ""
    return f"{observed} is best explained by {_name_explanation(best)}{share}{others}{test}"
