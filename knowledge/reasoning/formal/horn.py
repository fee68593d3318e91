"""Derivation of a goal from facts and rules, with a proof that names them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

from pydantic import model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.formal.statements import Knowledge, Signed, literal
from mabos.knowledge.reasoning.kernels.clauses import ClauseClosure, HeldAtom, SignedAtom, contradictions, derive, proof
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep


class Horn(Knowledge):
    """A goal to derive from facts and rules; if it has variables, the values that make it follow.

    In a closed world (`cwa`) everything underivable is false; in an open one (`owa`) only what is denied.
    """

    kind: Literal["horn"] = "horn"
    goal: Signed
    semantics: Literal["owa", "cwa"] = "owa"

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "horn",
        "facts": [["man", "Socrates"], {"id": "F-2", "atom": ["man", "Plato"], "confidence": 0.9}],
        "rules": [{"id": "R-1", "if": [["man", "?x"]], "then": ["mortal", "?x"]}],
        "goal": ["mortal", "Socrates"],
    }

    @model_validator(mode="after")
    def _absence_needs_a_closed_world(self) -> Self:
        open_rule = next((one.id for one in self.clauses if one.unless), None)
        if self.semantics == "owa" and open_rule is not None:
            msg = (
                f'rule {open_rule} has "not", which only a closed world decides: say {{"neg": ...}}, or semantics "cwa"'
            )
            raise ValueError(msg)
        return self


MOST_SHOWN = 1_000


@dataclass(frozen=True, slots=True)
class Binding:
    """Values of the variables for which the goal follows, with confidence."""

    values: dict[str, str]
    confidence: float


@dataclass(frozen=True, slots=True)
class Entailment:
    """The verdict on a goal: it follows (`holds` True), its negation does (False), both or neither (None); its values.

    `contradictions` are atoms that are both derived and denied.
    """

    holds: bool | None
    bindings: tuple[Binding, ...] = ()
    contradictions: tuple[str, ...] = ()
    derived: int = 0


def estimate(problem: Horn) -> float:
    """Return about how many milliseconds this takes."""
    facts, rules = len(problem.facts), len(problem.rules)
    recursive = any(one.head.relation in {part.relation for part in one.body} for one in problem.clauses)
    return 0.2 + 0.02 * facts + 0.02 * rules + 0.008 * facts * (facts if recursive else min(rules, 3))


def solve(problem: Horn, budget: Budget) -> MethodResult[Entailment]:
    """Return whether the goal follows. On timeout, use the consequences found by then."""
    closure, goal, late = ClauseClosure(), literal(problem.goal), ""
    stated = problem.stated
    try:
        derive(stated, problem.clauses, budget, closure)
    except OutOfTime as out:
        late = out.message
    found = _matches(goal, closure)
    denied = [] if goal.variables else _matches(goal.opposite, closure)
    torn = contradictions(closure)
    by_absence = not found and not denied and problem.semantics == "cwa" and not late
    holds = None if bool(found) == bool(denied) and not by_absence else bool(found)
    settled: Status = "unknown" if holds is None else "proved" if holds else "disproved"
    status: Status = "timeout" if late else "inconsistent" if torn else settled
    shown = [side for one in torn[:3] for side in (one, one.opposite)] or [one for one, _ in (found or denied)[:20]]
    steps = proof(closure, shown)
    bindings = tuple(Binding(values, closure.held[one].confidence) for one, values in found[:MOST_SHOWN] if values)
    derived = sum(held.clause is not None for held in closure.held.values())
    answer = Entailment(holds, bindings, tuple(map(str, torn[:MOST_SHOWN])), derived)
    return MethodResult(
        status,
        answer,
        late or _summary(goal, status, answer, torn),
        claims=() if holds is None else (AnswerClaim(str(SignedAtom(goal.atom)), "holds", holds is goal.holds),),
        confidence=closure.held[shown[0]].confidence if shown and status == settled else 1.0 if by_absence else None,
        confidence_kind="proof",
        evidence=tuple(dict.fromkeys(name for held in steps for name in list_citations(held))),
        trace=tuple(step(held) for held in steps),
        witness={"proof of": [str(one) for one in shown]} if shown else None,
        assumptions=("what does not follow is false",) if by_absence else (),
    )


def _matches(goal: SignedAtom, closure: ClauseClosure) -> list[tuple[SignedAtom, dict[str, str]]]:
    """Return the instances of the goal that hold with the values of its variables, the surest first."""
    found = [
        (SignedAtom((goal.atom[0], *(values.get(term, term) for term in goal.atom[1:])), goal.holds), values)
        for values in closure.matching(goal)
    ]
    return sorted(found, key=lambda one: (-closure.held[one[0]].confidence, one[0]))


def list_citations(held: HeldAtom) -> tuple[str, ...]:
    """Return the ids behind a step; a rule with only a number has none."""
    name = held.id if held.clause is None else held.clause.id
    return () if not name or name.startswith("#") else (name,)


def step(held: HeldAtom) -> TraceStep:
    """Return the derivation of a literal as a step of a trace."""
    by = "stated" if held.clause is None else f"rule {held.clause.id}"
    uses = tuple(str(one) for one in held.uses) or ((held.id,) if held.id else ())
    return TraceStep(f"{held.literal} ({held.confidence:.3g})", by, uses, str(held.literal))


def _summary(goal: SignedAtom, status: Status, answer: Entailment, torn: list[SignedAtom]) -> str:
    if status == "inconsistent":
        return f"the premises contradict each other: {torn[0]} follows and is denied"
    if answer.bindings:
        values = "; ".join(
            ", ".join(f"{name} = {value}" for name, value in one.values.items()) for one in answer.bindings[:5]
        )
        return f"{goal} follows for {len(answer.bindings)}: {values}{' ...' if len(answer.bindings) > 5 else ''}"
    told = {"proved": "follows", "disproved": "is false"}.get(status, "is not decided by the premises")
    return f"{goal} {told}"
