"""Programs of AgentSpeak as they are written, before they are compiled."""

from dataclasses import dataclass, field
from typing import Literal

from mabos.mind.procedures.syntax import Expression, Kind, Structure

Act = Literal["!", "!!", "?", "+", "-", "-+", ""]
"""What a line of a body does: achieve, achieve beside, test, believe, forget, replace; else a query or an action."""


@dataclass(frozen=True, slots=True)
class Line:
    """One formula of a body."""

    act: Act
    what: Expression
    number: int = 0


@dataclass(frozen=True, slots=True)
class Rule:
    """What is so when its condition holds: `head :- condition.`"""

    head: Structure
    condition: Expression


@dataclass(frozen=True, slots=True)
class Procedure:
    """What to do when something happens: `trigger : context <- body.`"""

    kind: Kind
    head: Structure
    context: Expression | None = None
    body: tuple[Line, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A whole program as it is written."""

    beliefs: tuple[Structure, ...] = ()
    rules: tuple[Rule, ...] = ()
    goals: tuple[Structure, ...] = ()
    procedures: tuple[Procedure, ...] = field(default=())
