"""Problems of likeness: two descriptions to be laid over each other, and series to be continued."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Finite, Name, Part, Problem

MOST_STATEMENTS = 60


class Statement(Part):
    """A relation over things, or over other statements by their id."""

    id: Name
    relation: Name
    of: Annotated[tuple[Name, ...], Field(min_length=1, max_length=6)]


Description = Annotated[tuple[Statement, ...], Field(min_length=1, max_length=MOST_STATEMENTS)]


class Analogy(Problem):
    """What is known well (`base`), and what is to be understood by it (`target`), as statements.

    A relation goes with the same relation; `same` lists pairs of names, base then target, that may go together too.
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


def orders(statements: tuple[Statement, ...]) -> dict[str, int]:
    """Return the order of each statement: 1 over things, one more than the highest it is over.

    Raises `ValueError` for ids that are used twice or that are over themselves.
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
            msg = f"statement {min(set(by_id) - set(known))!r} is over itself"
            raise ValueError(msg)
        for one in ready:
            known[one.id] = 1 + max(known.get(of, 0) for of in one.of)
    return known


class Series(Problem):
    """Terms of a series of numbers or letters to be continued; or a change `from` one string `to` another, and the
    string it is to be done to."""

    kind: Literal["sequence"] = "sequence"
    terms: tuple[Finite | Annotated[str, Field(pattern=r"^[a-z]$")], ...] = ()
    before: Annotated[str, Field(pattern=r"^[a-z]{0,40}$")] = ""
    after: Annotated[str, Field(pattern=r"^[a-z]{0,40}$")] = ""
    apply_to: Annotated[str, Field(pattern=r"^[a-z]{0,40}$")] = ""

    example: ClassVar[Mapping[str, Any]] = {"kind": "sequence", "terms": [2, 5, 10, 17, 26]}

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        strings = bool(self.before and self.after and self.apply_to)
        if strings == bool(self.terms) or (self.terms and len(self.terms) < 3):
            raise ValueError("give at least three terms, or before, after and apply_to")
        if len({isinstance(one, str) for one in self.terms}) > 1:
            raise ValueError("terms are all numbers or all letters")
        return self
