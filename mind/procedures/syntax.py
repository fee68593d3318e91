"""The syntax tree of triggers and contexts, before compilation."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind = Literal["+", "-", "+!", "-!", "+?"]
"""An event: a belief is added or removed, a goal is adopted or has failed, something is asked that is not believed."""


@dataclass(frozen=True, slots=True)
class Name:
    """A variable by its name; each `_` is a new one."""

    name: str


@dataclass(frozen=True, slots=True)
class Value:
    """A number, text or truth value."""

    value: float | str | bool


@dataclass(frozen=True, slots=True)
class Structure:
    """A structure or atom with its annotations, as `source(ann)`."""

    functor: str
    parts: tuple["Expression", ...] = ()
    notes: tuple["Expression", ...] = ()
    line: int = 0


@dataclass(frozen=True, slots=True)
class Series:
    """A list; `rest` is the part after the bar in `[First | Rest]`."""

    parts: tuple["Expression", ...]
    rest: "Expression | None" = None


@dataclass(frozen=True, slots=True)
class Sum:
    """A binary expression: `+ - * / ** div mod`, a comparison, `&`, `|` or `not`."""

    sign: str
    left: "Expression"
    right: "Expression"
    line: int = 0


Expression: TypeAlias = Name | Value | Structure | Series | Sum
