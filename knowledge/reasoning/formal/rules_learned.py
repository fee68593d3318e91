"""Rules as they are learned: from columns of a table to names of variables, and what a search begins with."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mabos.knowledge.reasoning.formal.relations import Constant, Relational
from mabos.knowledge.reasoning.kernels.joins import Relations
from mabos.knowledge.reasoning.kernels.rule_search import Condition, Language, Types

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.kernels.joins import Table

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True, slots=True)
class Literal:
    """A relation and the variables of its arguments."""

    relation: str
    variables: tuple[str, ...]

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.relation}({', '.join(self.variables)})"


@dataclass(frozen=True, slots=True)
class Lesson:
    """A rule: the head holds if all of the body does. `covers` counts the positive examples it has."""

    head: Literal
    body: tuple[Literal, ...]
    covers: int

    @property
    def text(self) -> str:
        """As it is written."""
        return f"{self.head.text} :- {', '.join(one.text for one in self.body)}."


@dataclass(frozen=True, slots=True)
class Learned:
    """The rules, and the positive examples that none of them has."""

    rules: tuple[Lesson, ...]
    uncovered: tuple[tuple[Constant, ...], ...] = ()

    @property
    def text(self) -> str:
        """The rules as they are written."""
        return " ".join(one.text for one in self.rules)


def lesson(problem: Relational, conditions: Sequence[Condition], covers: int) -> Lesson:
    """Return the rule with these conditions, its variables named in the order they come."""
    head = Literal(problem.head, tuple(_LETTERS[: problem.arity]))
    body = tuple(Literal(name, tuple(_LETTERS[one - 1] for one in columns)) for name, columns in conditions)
    return Lesson(head, body, covers)


def language(problem: Relational) -> Language:
    """Return what rules may be made of; relations without facts are left out."""

    def types(name: str, arity: int) -> Types:
        return tuple(problem.types.get(name, (None,) * arity))

    known = {name: types(name, len(rows[0])) for name, rows in sorted(problem.background.items()) if rows}
    if problem.recursion:
        known[problem.head] = types(problem.head, problem.arity)
    return Language(
        known,
        types(problem.head, problem.arity),
        frozenset(problem.single),
        max(problem.max_variables, problem.arity),
    )


def relations(problem: Relational) -> "tuple[Relations, Table]":
    """Return the background, and the examples: their number from 0 on, the positive ones first, and their arguments."""
    import numpy as np

    known = Relations({name: rows for name, rows in problem.background.items() if rows})
    told = known.numbered((*problem.positive, *problem.negative))
    return known, np.concatenate([np.arange(len(told))[:, None], told], axis=1)
