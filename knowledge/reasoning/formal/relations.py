"""Relations with examples: what rules of logic are learned from (Muggleton 1991)."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Finite, Name, Problem

Constant = Name | Finite
Tuples = tuple[tuple[Constant, ...], ...]


class Relational(Problem):
    """Facts of the background by relation, and what is and is not in the relation `head`, which rules are to define.

    `types` names the type of each argument of a relation; relations without take anything. A rule has at most
    `max_variables` variables and `max_body` conditions, and of a type in `single` one variable. With `recursion` a
    rule may use `head` itself.
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
            msg = f"{self.head!r} is what is to be learned; the background cannot have it, the examples say it"
            raise ValueError(msg)
        known = {**self.background, self.head: (*self.positive, *self.negative)}
        for name, tuples in known.items():
            sizes = {len(one) for one in tuples}
            if len(sizes) > 1 or 0 in sizes:
                msg = f"{name!r} has tuples of {' and '.join(map(str, sorted(sizes)))} arguments, not of one number"
                raise ValueError(msg)
            if sizes and name in self.types and sizes != {len(self.types[name])}:
                msg = f"{name!r} has {sizes.pop()} arguments but {len(self.types[name])} types"
                raise ValueError(msg)
        if strange := sorted(set(self.types) - set(known)):
            msg = f"types has {strange[0]!r}, which is no relation of the background"
            raise ValueError(msg)
        if strange := sorted(set(self.single) - {one for types in self.types.values() for one in types}):
            msg = f"single has {strange[0]!r}, which is no type"
            raise ValueError(msg)
        if both := sorted(set(self.positive) & set(self.negative), key=str):
            msg = f"{self.head}{both[0]!r} is a positive and a negative example"
            raise ValueError(msg)
        return self

    @property
    def arity(self) -> int:
        """The arguments of what is learned."""
        return len(self.positive[0])
