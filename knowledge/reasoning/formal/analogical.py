"""Analogy: the mapping that preserves most structure, and its suggestions (Gentner 1983; Falkenhainer et al. 1989)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep

MOST_STATEMENTS = 60


class RelationStatement(ProblemPart):
    """A relation between things, or between other statements by id."""

    id: Name
    relation: Name
    of: Annotated[tuple[Name, ...], Field(min_length=1, max_length=6)]


Description = Annotated[tuple[RelationStatement, ...], Field(min_length=1, max_length=MOST_STATEMENTS)]


class Analogy(ReasoningProblem):
    """A well-known domain (`base`) and one to be understood (`target`), as statements.

    A relation maps to the same relation; `same` lists further pairs of names, base then target, that may map.
    """

    kind: Literal["analogy"] = "analogy"
    base: Description
    target: Description
    same: tuple[tuple[Name, Name], ...] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "analogy",
        "base": [
            {"id": "b1", "relation": "attracts", "of": ["sun", "planet"]},
            {"id": "b2", "relation": "heavier", "of": ["sun", "planet"]},
            {"id": "b3", "relation": "revolves around", "of": ["planet", "sun"]},
            {"id": "b4", "relation": "causes", "of": ["b1", "b3"]},
        ],
        "target": [
            {"id": "t1", "relation": "attracts", "of": ["nucleus", "electron"]},
            {"id": "t2", "relation": "heavier", "of": ["nucleus", "electron"]},
        ],
    }

    @model_validator(mode="after")
    def _statements_are_in_order(self) -> Self:
        for side in (self.base, self.target):
            orders(side)
        return self


def orders(statements: tuple[RelationStatement, ...]) -> dict[str, int]:
    """Return the order of each statement: 1 for things, one more than the highest order of its arguments.

    Raises `ValueError` for duplicate or self-referential ids.
    """
    by_id = {one.id: one for one in statements}
    if len(by_id) < len(statements):
        raise ValueError("an id is used twice")
    known: dict[str, int] = {}
    while len(known) < len(by_id):
        ready = [
            one for one in statements if one.id not in known and all(of in known or of not in by_id for of in one.of)
        ]
        if not ready:
            raise ValueError(f"statement {min(set(by_id) - set(known))!r} refers to itself")
        for one in ready:
            known[one.id] = 1 + max(known.get(of, 0) for of in one.of)
    return known


LONGEST = 1_000
"""Characters of what is said about things, in one statement that is suggested."""
HIGHEST = 12
"""Levels of statements over statements: each counts four times the one below."""
_MAPPING = Path(__file__).with_suffix(".lp").read_text("utf-8")


@dataclass(frozen=True, slots=True)
class StructureMapping:
    """The mapping, the preserved statements, the share of the base's structure (0 to 1), and what the
    base suggests of the target: statements with the things of the target, a `?` before what has no counterpart."""

    things: dict[str, str]
    statements: dict[str, str]
    kept: float
    suggests: tuple[str, ...]


def estimate(problem: Analogy) -> float:
    """Return about how many milliseconds this takes."""
    return 10.0 + 0.3 * len(problem.base) * len(problem.target)


def solve(problem: Analogy, budget: Budget) -> MethodResult[StructureMapping]:
    """Return the mapping that preserves most structure, and its suggestions, which are not proofs."""
    base, target = orders(problem.base), orders(problem.target)
    at_most(max(base.values()), HIGHEST, "levels of statements over statements", argument="base")
    program = asp.AnswerSetProgram(_MAPPING, list(_facts(problem, base, target)), (("pair", 2), ("holds", 2)))
    best = asp.optimal(program, budget)
    model = best.models[0] if best.models else frozenset()
    things = {str(b): str(t) for b, t in asp.arguments(model, "pair")}
    held = {str(b): str(t) for b, t in asp.arguments(model, "holds")}
    weights = _weights(problem, base)
    kept = sum(weights[name] for name in held) / sum(weights.values())
    suggests = tuple(_project_inferences(problem, things, held))
    told = ", ".join(f"{b} is like {t}" for b, t in things.items()) or "nothing goes with anything"
    return MethodResult(
        "satisficed" if best.proved and held else "unknown" if not held else "timeout",
        StructureMapping(things, held, kept, suggests),
        told + (f"; it suggests {suggests[0]}" if suggests else ""),
        claims=tuple(AnswerClaim(b, "is like", t) for b, t in things.items()),
        confidence=kept,
        confidence_kind="score",
        trace=tuple(TraceStep(f"{b} goes with {t}", "same relation", (b, t)) for b, t in held.items()),
        assumptions=("a relation over relations counts four times one over things, and what it is over twice",),
    )


def _weights(problem: Analogy, orders_of_base: dict[str, int]) -> dict[str, int]:
    """Return the weight of keeping each statement of the base: by its order, and by the statements over it."""
    over = [of for one in problem.base for of in one.of]
    return {name: 4 ** (order - 1) * (1 + over.count(name)) for name, order in orders_of_base.items()}


def _facts(problem: Analogy, base: dict[str, int], target: dict[str, int]) -> Iterator[asp.Atom]:
    same = set(problem.same)
    for side, statements, known in (("base", problem.base, base), ("target", problem.target, target)):
        for one in statements:
            yield "statement", (side, one.id)
            for place, of in enumerate(one.of):
                yield "argument", (side, one.id, place, of)
                if of not in known:
                    yield "thing", (side, of)
    weights = _weights(problem, base)
    for one in problem.base:
        yield "weight", (one.id, weights[one.id])
        for other in problem.target:
            alike = one.relation == other.relation or (one.relation, other.relation) in same
            if alike and len(one.of) == len(other.of) and base[one.id] == target[other.id]:
                yield "match", (one.id, other.id)


def _project_inferences(problem: Analogy, things: dict[str, str], held: dict[str, str]) -> Iterator[str]:
    """Yield the statements of the base that are not kept but touch kept ones, for the target (Falkenhainer 1989)."""
    by_id = {one.id: one for one in problem.base}
    same = dict(problem.same)

    @cache
    def render_statement(name: str) -> str:
        one = by_id.get(name)
        if one is None:
            return things.get(name, f"?{name}")
        relation, about = same.get(one.relation, one.relation), ", ".join(render_statement(of) for of in one.of)
        return f"{relation}({about if len(about) <= LONGEST else '...'})"

    @cache
    def touches(one: RelationStatement) -> bool:
        return any(of in things or of in held or (of in by_id and touches(by_id[of])) for of in one.of)

    inside = {of for one in problem.base if one.id not in held and touches(one) for of in one.of}
    for one in problem.base:
        if one.id not in held and one.id not in inside and touches(one):
            yield render_statement(one.id)
