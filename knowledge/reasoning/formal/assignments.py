"""The problem of values for variables under constraints, as in puzzles of order and of schedules."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.kernels.conditions import Value, check
from mabos.knowledge.reasoning.problem import Name, Names, Part, Problem

Domain = Annotated[tuple[bool | int | float | Name, ...], Field(min_length=1, max_length=200)]


class Constraint(Part):
    """A condition with the id under which a result cites it."""

    id: str = ""
    says: Any


def _labelled(told: object) -> object:
    return told if isinstance(told, dict) else {"says": told}


class Assignment(Problem):
    """Variables with the values each may have, and conditions on them.

    A condition is a list, its operator first: `["<", "robin", "owl"]`, `["==", "a", ["+", "b", 1]]`, `["or", c, d]`,
    `["==", ["count", c, d, e], 2]`. A word is a variable if one is called so, else a value. With `options`, each is
    judged: it must, could or cannot be true; `ask` says which is looked for.
    """

    kind: Literal["assignment"] = "assignment"
    variables: Annotated[Mapping[Name, Domain], Field(min_length=1, max_length=400)]
    all_different: Annotated[tuple[Names, ...], Field(max_length=200)] = ()
    constraints: Annotated[tuple[Annotated[Constraint, BeforeValidator(_labelled)], ...], Field(max_length=1_000)] = ()
    options: Annotated[Mapping[Name, Any], Field(max_length=50)] = {}
    ask: Literal["must", "could", "cannot", "need_not"] | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "assignment",
        "variables": {"robin": [1, 2, 3], "owl": [1, 2, 3], "crow": [1, 2, 3]},
        "all_different": [["robin", "owl", "crow"]],
        "constraints": [["<", "robin", "owl"], {"id": "B-2", "says": ["==", "owl", 2]}],
        "options": {"A": ["==", "crow", 3], "B": ["==", "robin", 3]},
        "ask": "must",
    }

    @model_validator(mode="after")
    def _conditions_are_understood(self) -> Self:
        for number, group in enumerate(self.all_different, 1):
            strange = next((name for name in group if name not in self.variables), None)
            if strange is not None:
                msg = f"all_different {number} names {strange!r}, which is no variable"
                raise ValueError(msg)
        values = frozenset[Value]().union(*self.variables.values())
        for where, said in [*self.labelled, *self.options.items()]:
            try:
                check(said, frozenset(self.variables), values)
            except InvalidArgument as error:
                msg = f"{where}: {error.message}"
                raise ValueError(msg) from None
        if self.ask is not None and not self.options:
            msg = f"ask {self.ask!r} is about options, and there are none"
            raise ValueError(msg)
        return self

    @property
    def labelled(self) -> list[tuple[str, Any]]:
        """The label and condition of each constraint; one without an id is called by its number."""
        return [(one.id or f"#{number}", one.says) for number, one in enumerate(self.constraints, 1)]
