"""Norms: obligations, permissions and prohibitions, their violations and conflicts.

A norm is in force if its conditions hold, so a duty that follows from a violation (Chisholm 1963, Forrester 1984)
coexists with the violated one. Conflicting norms yield by priority (Brewka's preferred subtheories, 1989); those of
equal priority remain in conflict. Formulas are judged in standard deontic logic, KD.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal import horn, modal, statements
from mabos.knowledge.reasoning.formal.modal import DUTY, propositional
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.kernels.clauses import (
    ClauseClosure,
    HornClause,
    SignedAtom,
    contradictions,
    derive,
    instances,
    proof,
)
from mabos.knowledge.reasoning.kernels.formula import parse
from mabos.knowledge.reasoning.kernels.theory import RULES, Theory
from mabos.knowledge.reasoning.problem import Name, ProblemPart
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

Modality = Literal["obligatory", "permitted", "forbidden"]


class Norm(ProblemPart):
    """An obligation, permission or prohibition of an act under conditions. Higher priorities win."""

    id: Name
    modality: Modality
    act: statements.Signed
    conditions: statements.Body = Field(alias="if", default=(), max_length=40)
    priority: Annotated[int, Field(ge=-1_000, le=1_000)] = 0

    @property
    def clause(self) -> HornClause:
        """Return the norm as a rule to its act, or the opposite if forbidden. Raises `ValueError` where it is
        unsafe.
        """
        act = statements.literal(self.act)
        return statements.clause(self.id, self.conditions, act.opposite if self.modality == "forbidden" else act)


class AskedNorm(ProblemPart):
    """The question whether an act is obligatory, permitted or forbidden."""

    modality: Modality
    act: statements.Signed


class Norms(statements.Knowledge):
    """Norms, the facts and strict rules they apply to, and an act to judge.

    Or, for standard deontic logic, `formulas` with `O p` (p ought to be) and `P p` (p may be) and a formula as `goal`.
    """

    kind: Literal["norms"] = "norms"
    norms: Annotated[tuple[Norm, ...], Field(max_length=500)] = ()
    goal: AskedNorm | statements.Text | None = None
    formulas: statements.Premises = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "norms",
        "norms": [
            {"id": "help", "modality": "obligatory", "act": ["go"]},
            {"id": "warn", "modality": "obligatory", "act": ["tell"], "if": [["go"]]},
            {"id": "no-warning", "modality": "forbidden", "act": ["tell"], "if": [{"neg": ["go"]}]},
        ],
        "facts": [{"id": "F-1", "atom": {"neg": ["go"]}}],
        "goal": {"modality": "forbidden", "act": ["tell"]},
    }

    @model_validator(mode="after")
    def _one_form_is_used(self) -> Self:
        in_formulas = bool(self.formulas) or isinstance(self.goal, str)
        if in_formulas and (self.norms or self.facts or self.rules or not isinstance(self.goal, str)):
            raise ValueError("give norms with facts and rules, or formulas with a formula as goal, not both")
        if not in_formulas and not self.norms:
            raise ValueError("there are no norms")
        for label, text in [
            *statements.label_premises(self.formulas),
            *([("goal", self.goal)] if isinstance(self.goal, str) else []),
        ]:
            propositional(statements.parse_formula(text, label, words=DUTY), label)
        return self

    @model_validator(mode="after")
    def _norms_are_sound(self) -> Self:
        names = [norm.id for norm in self.norms]
        if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
            raise ValueError(f"two norms are called {twice!r}")
        for norm in self.norms:
            _ = norm.clause
        if isinstance(self.goal, AskedNorm) and statements.literal(self.goal.act).variables:
            raise ValueError(f"the act asked about, {statements.literal(self.goal.act)}, has a variable")
        return self


MOST_SETS = 64
Standing = Literal["open", "fulfilled", "violated", "overridden", "conflicting"]


@dataclass(frozen=True, slots=True)
class InForce:
    """A norm whose conditions hold, its demand or permission, and the facts that satisfy its conditions."""

    norm: Norm
    demand: SignedAtom
    because: tuple[SignedAtom, ...]

    @property
    def act(self) -> SignedAtom:
        """The act it concerns."""
        return self.demand.opposite if self.norm.modality == "forbidden" else self.demand


def in_force(norms: Sequence[Norm], closure: ClauseClosure, budget: Budget) -> list[InForce]:
    """Return the norms in force, once for each way their conditions hold."""
    found = [
        InForce(norm, one.head, one.body)
        for norm in norms
        for one in instances([norm.clause], closure, budget)
        if not any(absent in closure.held for absent in one.unless)
    ]
    found.sort(key=lambda one: (-one.norm.priority, one.norm.id, one.demand, one.because))
    return list({(one.norm.id, one.demand): one for one in reversed(found)}.values())[::-1]


def stand(
    found: Sequence[InForce], problem: Norms, closure: ClauseClosure, budget: Budget
) -> tuple[list[Standing], list[frozenset[int]]]:
    """Return the status of each norm in force, and the best sets of duties that can be met together."""
    standings: list[Standing | None] = [
        _by_permission(one, found) or _by_facts(one, found, problem, closure, budget) for one in found
    ]
    duties = [n for n, one in enumerate(found) if standings[n] is None and one.norm.modality != "permitted"]
    ideals = _select_duties({n: found[n] for n in duties}, problem, budget)
    for n in duties:
        within = sum(n in ideal for ideal in ideals)
        met: Standing = "fulfilled" if found[n].demand in closure.held else "open"
        standings[n] = met if within == len(ideals) else "conflicting" if within else "overridden"
    return [one or "open" for one in standings], ideals


def _by_permission(one: InForce, found: Sequence[InForce]) -> Standing | None:
    """Return a norm's standing against opposing permissions, or as a permission itself; None if it prevails."""
    permits = one.norm.modality == "permitted"
    against = [
        other.norm.priority
        for other in found
        if other.demand == one.demand.opposite and (other.norm.modality == "permitted") is not permits
    ]
    highest = max(against, default=one.norm.priority - 1)
    if highest == one.norm.priority:
        return "conflicting"
    return "overridden" if highest > one.norm.priority else None


def _by_facts(
    one: InForce, found: Sequence[InForce], problem: Norms, closure: ClauseClosure, budget: Budget
) -> Standing | None:
    """Return whether a duty is violated, or was no duty since a higher one spoke against it; None if neither."""
    if one.norm.modality == "permitted" or one.demand.opposite not in closure.held:
        return None
    conduct = {other.demand.atom for other in found}
    circumstances = {fact: how for fact, how in problem.stated.items() if fact.atom not in conduct}
    for other in found:
        if other.norm.priority > one.norm.priority and other.norm.modality != "permitted":
            both = ClauseClosure()
            derive(circumstances | {one.demand: (1.0, ""), other.demand: (1.0, "")}, problem.clauses, budget, both)
            if contradictions(both):
                return "overridden"
    return "violated"


def _select_duties(duties: dict[int, InForce], problem: Norms, budget: Budget) -> list[frozenset[int]]:
    """Return the largest sets of duties that can be met together given the facts, by falling priority."""
    together = ClauseClosure()
    demands = {one.demand: (1.0, "") for one in duties.values()}
    derive({**problem.stated, **demands}, problem.clauses, budget, together)
    if not contradictions(together):
        return [frozenset(duties)]
    theory = Theory(problem.stated, problem.clauses, demands, budget)
    gives: list[asp.Atom] = [("gives", (n, theory.number(one.demand))) for n, one in duties.items()]
    sets = [frozenset[int]()]
    for priority in sorted({one.norm.priority for one in duties.values()}, reverse=True):
        level: list[asp.Atom] = [("open", (n,)) for n, one in duties.items() if one.norm.priority == priority]
        grown: list[frozenset[int]] = []
        for before in sets[:MOST_SETS]:
            taken: list[asp.Atom] = [("taken", (n,)) for n in sorted(before)]
            program = asp.AnswerSetProgram(RULES, [*theory.facts(), *gives, *level, *taken], (("in", 1),))
            models = asp.subset_extremal(program, "in(A) : open(A)", budget, largest=True, limit=MOST_SETS)
            grown += [frozenset(int(str(n)) for (n,) in asp.arguments(model, "in")) for model in models]
        sets = sorted(grown, key=sorted)
    return sets


def entailed_by(
    found: Sequence[InForce], ideals: Sequence[frozenset[int]], problem: Norms, closure: ClauseClosure, budget: Budget
) -> list[SignedAtom]:
    """Return the further consequences of each best set of duties."""
    shared: set[SignedAtom] | None = None
    for ideal in ideals:
        demands = {found[n].demand: (1.0, "") for n in ideal}
        met = ClauseClosure()
        derive({**problem.stated, **demands}, problem.clauses, budget, met)
        new = set(met.held) - set(closure.held) - set(demands)
        shared = new if shared is None else shared & new
    return sorted(shared or ())


@dataclass(frozen=True, slots=True)
class Applied:
    """A norm in force: its demand or permission, and its status."""

    norm: str
    modality: Modality
    act: str
    standing: Standing


@dataclass(frozen=True, slots=True)
class Deontic:
    """The norms in force; what is still to be done, what was violated, which norms conflict; what doing all that is to
    be done entails; and of the act asked about whether it is as asked, None where norms conflict over it."""

    norms: tuple[Applied, ...]
    to_do: tuple[str, ...]
    violated: tuple[str, ...]
    conflicting: tuple[str, ...]
    entailed: tuple[str, ...]
    holds: bool | None = None


def estimate(problem: Norms) -> float:
    """Return about how many milliseconds this takes."""
    if isinstance(problem.goal, str):
        return modal.cost(
            [
                parse(text, words=DUTY)
                for text in [problem.goal, *(one for _, one in statements.label_premises(problem.formulas))]
            ]
        )
    return 0.3 + 0.05 * (len(problem.facts) + len(problem.rules)) + 0.05 * len(problem.norms) ** 2


def solve(problem: Norms, budget: Budget) -> MethodResult[Deontic] | MethodResult[modal.Validity]:
    """Return the result of the norms in force. Raises `OutOfTime`."""
    if isinstance(problem.goal, str):
        return _in_standard_logic(problem, problem.goal, budget)
    closure = ClauseClosure()
    derive(problem.stated, problem.clauses, budget, closure)
    torn = contradictions(closure)
    if torn:
        return _report_contradiction(torn, closure)
    found = in_force(problem.norms, closure, budget)
    standings, ideals = stand(found, problem, closure, budget)
    entailed = entailed_by(found, ideals, problem, closure, budget)
    result = _result(problem, found, standings, entailed, closure)
    if len(ideals) < MOST_SETS:
        return result
    capped = f"of the ways to meet the duties in conflict only {len(ideals)} were weighed"
    weighed = replace(result, assumptions=(*result.assumptions, capped))
    if problem.goal is None:
        return weighed
    return replace(weighed, status="unknown", answer=replace(result.answer, holds=None), claims=(), confidence=None)


def _in_standard_logic(problem: Norms, goal: str, budget: Budget) -> MethodResult[modal.Validity]:
    said = statements.label_premises(problem.formulas)
    judged = modal.judge([parse(text, words=DUTY) for _, text in said], parse(goal, words=DUTY), "D", budget)
    return modal.verdict(said, goal, "D", judged, ("standard deontic logic: nothing is both obligatory and forbidden",))


def _report_contradiction(torn: Sequence[SignedAtom], closure: ClauseClosure) -> MethodResult[Deontic]:
    steps = proof(closure, [torn[0], torn[0].opposite])
    return MethodResult(
        "inconsistent",
        Deontic((), (), (), (), ()),
        f"the facts contradict each other: {torn[0]} follows and is denied",
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(name for held in steps for name in horn.list_citations(held))),
        trace=tuple(map(horn.step, steps)),
    )


def _result(
    problem: Norms,
    found: Sequence[InForce],
    standings: Sequence[Standing],
    entailed: Sequence[SignedAtom],
    closure: ClauseClosure,
) -> MethodResult[Deontic]:
    def those(*wanted: Standing) -> list[InForce]:
        return [one for one, standing in zip(found, standings, strict=True) if standing in wanted]

    holds, deciding = None, list(found)
    if isinstance(problem.goal, AskedNorm):
        holds, deciding = _judge_goal(
            problem.goal, those("open", "fulfilled", "violated"), those("conflicting"), entailed
        )
    to_do = [str(one.demand) for one in those("open") if one.norm.modality != "permitted"]
    answer = Deontic(
        tuple(
            Applied(one.norm.id, one.norm.modality, str(one.act), how)
            for one, how in zip(found, standings, strict=True)
        ),
        tuple(dict.fromkeys(to_do)),
        tuple(dict.fromkeys(one.norm.id for one in those("violated"))),
        tuple(dict.fromkeys(one.norm.id for one in those("conflicting"))),
        tuple(map(str, entailed)),
        holds,
    )
    steps = proof(closure, dict.fromkeys(fact for one in deciding for fact in one.because))
    ids = [name for held in steps for name in horn.list_citations(held)] + [one.norm.id for one in deciding]
    because = min((closure.held[fact].confidence for one in deciding for fact in one.because), default=1.0)
    status: Status = "computed" if problem.goal is None else _STATUS[holds]
    return MethodResult(
        status,
        answer,
        _summary(problem, answer),
        claims=_claims(problem, answer),
        confidence=because if status in ("proved", "disproved") else None,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(ids)),
        trace=(*map(horn.step, steps), *map(_step, found, standings)),
        witness={"norms": answer.norms},
        assumptions=("no other norms apply",) if problem.goal is not None else (),
    )


_STATUS: dict[bool | None, Status] = {True: "proved", False: "disproved", None: "unknown"}


def _judge_goal(
    goal: AskedNorm, standing: Sequence[InForce], conflicting: Sequence[InForce], entailed: Sequence[SignedAtom]
) -> tuple[bool | None, list[InForce]]:
    """Return whether an act is as asked, and the norms that decide it."""
    act = statements.literal(goal.act)
    wanted = act.opposite if goal.modality == "forbidden" else act
    permits = goal.modality == "permitted"
    named = {wanted, wanted.opposite}
    over = [one for one in conflicting if one.demand in named]
    duties = [one for one in standing if one.norm.modality != "permitted"]
    bars = [one for one in duties if one.demand == wanted.opposite]
    if permits:
        granted = [one for one in standing if one.demand == wanted]
        barred = bool(bars) or wanted.opposite in entailed
        return (True, granted) if not barred and not over else (None if over else False, over or bars)
    demanded = [one for one in duties if one.demand == wanted]
    if demanded or wanted in entailed:
        return True, demanded or duties
    return (None, over) if over else (False, bars)


def _step(one: InForce, standing: Standing) -> TraceStep:
    uses = tuple(str(fact) for fact in one.because)
    return TraceStep(f"{one.act} is {one.norm.modality}: {standing}", f"norm {one.norm.id}", uses, one.norm.id)


def _claims(problem: Norms, answer: Deontic) -> tuple[AnswerClaim, ...]:
    if not isinstance(problem.goal, AskedNorm):
        return tuple(AnswerClaim(norm, "violated", True) for norm in answer.violated)
    if answer.holds is None:
        return ()
    return (AnswerClaim(str(statements.literal(problem.goal.act)), problem.goal.modality, answer.holds),)


def _summary(problem: Norms, answer: Deontic) -> str:
    told_ = [f"to do: {', '.join(answer.to_do) or 'nothing'}"]
    told_ += [f"violated: {', '.join(answer.violated)}"] if answer.violated else []
    told_ += [f"in conflict: {', '.join(answer.conflicting)}"] if answer.conflicting else []
    if not isinstance(problem.goal, AskedNorm):
        return "; ".join(told_)
    said = {True: "is", False: "is not", None: "is in dispute whether"}[answer.holds]
    act, modality = statements.literal(problem.goal.act), problem.goal.modality
    asked = f"{said} {act} is {modality}" if answer.holds is None else f"{act} {said} {modality}"
    return "; ".join([asked.removeprefix("is "), *told_])
