"""Rows of attributes with the class of each: what rules and classifiers are learned from."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.problem import Finite, Name, Problem

Value = Name | Finite | bool
"""The value of an attribute: a word or a number."""


class Rows(Problem):
    """Rows with the same attributes, one of which is the `target`; `query` is a row whose class is asked for."""

    kind: Literal["table"] = "table"
    target: Name
    rows: Annotated[tuple[Mapping[Name, Value], ...], Field(min_length=1, max_length=20_000)]
    query: Mapping[Name, Value] | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "table",
        "target": "churned",
        "rows": [
            {"plan": "basic", "support": "slow", "churned": "yes"},
            {"plan": "basic", "support": "fast", "churned": "no"},
            {"plan": "pro", "support": "slow", "churned": "yes"},
            {"plan": "pro", "support": "fast", "churned": "no"},
        ],
        "query": {"plan": "pro", "support": "slow"},
    }

    @model_validator(mode="after")
    def _rows_are_alike(self) -> Self:
        names = set(self.rows[0])
        if self.target not in names:
            msg = f"no row has the target {self.target!r}; the first has {', '.join(sorted(names)[:9])}"
            raise ValueError(msg)
        for number, row in enumerate(self.rows):
            if set(row) != names:
                msg = f"row {number} and the first differ in {sorted(set(row) ^ names)[0]!r}; every row names them all"
                raise ValueError(msg)
        if self.query is not None and not set(self.query) <= names - {self.target}:
            strange = sorted(set(self.query) - names | (set(self.query) & {self.target}))
            msg = f"the query has {strange[0]!r}, which is no attribute to go by"
            raise ValueError(msg)
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The names to go by, in the order of the first row."""
        return tuple(name for name in self.rows[0] if name != self.target)
