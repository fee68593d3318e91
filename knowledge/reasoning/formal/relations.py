"""Relations with examples, and the logic rules learned from them (Muggleton 1991)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.kernels.joins import Relations
from mabos.knowledge.reasoning.kernels.rule_search import Condition, Language, Types
from mabos.knowledge.reasoning.problem import Finite, Name, ReasoningProblem

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.kernels.joins import Table


Constant = Name | Finite
Tuples = tuple[tuple[Constant, ...], ...]


class Relational(ReasoningProblem):
    """Background facts by relation, and positive and negative examples of the relation `head` to be defined.

    `types` names the type of each argument of a relation; untyped relations accept anything. A rule has at most
    `max_variables` variables and `max_body` conditions, and only one variable of each type in `single`. With
    `recursion` a rule may use `head` itself.
    """

    kind: Literal["relational"] = "relational"
    head: Name
    background: Mapping[Name, Tuples]
    positive: Annotated[Tuples, Field(min_length=1)]
    negative: Tuples = ()
    types: Mapping[Name, tuple[Name, ...]] = {}
    single: tuple[Name, ...] = ()
    max_variables: Annotated[int, Field(ge=1, le=8)] = 6
    max_body: Annotated[int, Field(ge=1, le=8)] = 6
    max_clauses: Annotated[int, Field(ge=1, le=50)] = 10
    recursion: bool = False

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "relational",
        "head": "grandparent",
        "background": {"parent": [["ann", "bob"], ["bob", "cid"], ["bob", "dee"], ["eve", "cid"]]},
        "positive": [["ann", "cid"], ["ann", "dee"]],
        "negative": [["ann", "bob"], ["bob", "cid"], ["eve", "cid"], ["cid", "dee"]],
    }

    @model_validator(mode="after")
    def _relations_are_relations(self) -> Self:
        if self.head in self.background:
            msg = f"{self.head!r} is to be learned; remove it from the background and give it in the examples"
            raise ValueError(msg)
        known = {**self.background, self.head: (*self.positive, *self.negative)}
        for name, tuples in known.items():
            sizes = {len(one) for one in tuples}
            if len(sizes) > 1 or 0 in sizes:
                msg = f"{name!r} has tuples of {' and '.join(map(str, sorted(sizes)))} arguments, not of one number"
                raise ValueError(msg)
            if sizes and name in self.types and sizes != {len(self.types[name])}:
                raise ValueError(f"{name!r} has {sizes.pop()} arguments but {len(self.types[name])} types")
        if strange := sorted(set(self.types) - set(known)):
            raise ValueError(f"types has {strange[0]!r}, which is not a relation of the background")
        if strange := sorted(set(self.single) - {one for types in self.types.values() for one in types}):
            raise ValueError(f"single has {strange[0]!r}, which is not a type")
        if both := sorted(set(self.positive) & set(self.negative), key=str):
            raise ValueError(f"{self.head}{both[0]!r} is a positive and a negative example")
        return self

    @property
    def arity(self) -> int:
        """Return the arity of the learned relation."""
        return len(self.positive[0])


_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class RuleLiteral:
    """A relation and the variables of its arguments."""

    relation: str
    variables: tuple[str, ...]

    @property
    def text(self) -> str:
        """Its source form."""
        return f"{self.relation}({', '.join(self.variables)})"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A rule: the head holds if the whole body does. `covers` counts the positive examples covered."""

    head: RuleLiteral
    body: tuple[RuleLiteral, ...]
    covers: int

    @property
    def text(self) -> str:
        """Its source form."""
        return f"{self.head.text} :- {', '.join(one.text for one in self.body)}."


@dataclass(frozen=True, slots=True)
class LearnedRules:
    """The rules, and the positive examples that none of them covers."""

    rules: tuple[Lesson, ...]
    uncovered: tuple[tuple[Constant, ...], ...] = ()

    @property
    def text(self) -> str:
        """The rules in source form."""
        return " ".join(one.text for one in self.rules)


def lesson(problem: Relational, conditions: Sequence[Condition], covers: int) -> Lesson:
    """Return the rule with these conditions, its variables named in order of occurrence."""
    head = RuleLiteral(problem.head, tuple(_LETTERS[: problem.arity]))
    body = tuple(RuleLiteral(name, tuple(_LETTERS[one - 1] for one in columns)) for name, columns in conditions)
    return Lesson(head, body, covers)


def language(problem: Relational) -> Language:
    """Return the language of the rules; relations without facts are left out."""

    def types(name: str, arity: int) -> Types:
        return tuple(problem.types.get(name, (None,) * arity))

    known = {name: types(name, len(rows[0])) for name, rows in sorted(problem.background.items()) if rows}
    if problem.recursion:
        known[problem.head] = types(problem.head, problem.arity)
    return Language(
        known, types(problem.head, problem.arity), frozenset(problem.single), max(problem.max_variables, problem.arity)
    )


def relations(problem: Relational) -> "tuple[Relations, Table]":
    """Return the background, and the examples: their numbers from 0 on, positive ones first, and their arguments."""
    import numpy as np

    known = Relations({name: rows for name, rows in problem.background.items() if rows})
    told = known.numbered((*problem.positive, *problem.negative))
    return known, np.concatenate([np.arange(len(told))[:, None], told], axis=1)
