"""The syntax tree of AgentSpeak programs, before compilation."""

from dataclasses import dataclass, field
from typing import Literal

from mabos.mind.procedures.syntax import Expression, Kind, Structure

Act = Literal["!", "!!", "?", "+", "-", "-+", ""]
"""The kind of a body's line: achieve, achieve beside, test, believe, forget, replace; else a query or an action."""


@dataclass(frozen=True, slots=True)
class Line:
    """One formula of a body."""

    act: Act
    what: Expression
    number: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """An inference rule: `head :- condition.`"""

    head: Structure
    condition: Expression


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure for an event: `trigger : context <- body.`"""

    kind: Kind
    head: Structure
    context: Expression | None = None
    body: tuple[Line, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A whole program in source form."""

    beliefs: tuple[Structure, ...] = ()
    rules: tuple[Rule, ...] = ()
    goals: tuple[Structure, ...] = ()
    procedures: tuple[Procedure, ...] = field(default=())
