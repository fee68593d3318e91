"""A compiled program, and the intentions of an agent that follows it.

A line of a body is a function of the agent, the intention and the slots of this run. It returns True if it succeeded,
False if it failed; `Broken` is a failure with a reason.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from bench.agentspeak.syntax import Procedure
from mabos.mind.procedures.beliefs import Notes
from mabos.mind.procedures.expressions import Slots
from mabos.mind.procedures.queries import EventTrigger, Rules
from mabos.mind.procedures.syntax import Kind
from mabos.mind.procedures.terms import Term, Variable

Do: TypeAlias = "Callable[[Any, Intention, Slots], bool]"
"""The effect of a line on an `Agent`."""
Action: TypeAlias = "Callable[[Any, Intention, tuple[Term, ...]], bool]"
"""An action of an `Agent` with its arguments; returns True if it was done."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A procedure in executable form.

    `rests` are the turns that pass before each line and before the end; `options` are all procedures for its event,
    itself among them. The names of its trigger are those of the whole procedure.
    """

    procedure: Procedure
    trigger: EventTrigger
    lines: tuple[Do, ...]
    rests: tuple[int, ...]
    options: "list[Compiled]"


@dataclass(slots=True)
class Program:
    """Procedures in the order in which they are tried, with the beliefs and goals an agent starts with."""

    rules: Rules
    options: dict[tuple[Kind, str, int], list[Compiled]] = field(default_factory=dict)
    beliefs: tuple[tuple[Term, Notes], ...] = ()
    goals: tuple[tuple[Term, Notes], ...] = ()

    def about(self, kind: Kind, functor: str, length: int) -> list[Compiled]:
        """Return the procedures for a kind of event; the list is the one that later procedures are added to."""
        return self.options.setdefault((kind, functor, length), [])


@dataclass(slots=True, eq=False)
class Frame:
    """A procedure in execution, and its purpose; `tried` is the number of options already tried."""

    compiled: Compiled
    slots: Slots
    term: Term
    notes: Notes
    tried: int
    open: tuple[Variable, ...] = ()
    at: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """The wait of an intention: for a moment in milliseconds, an event, or whichever comes first."""

    until: float | None = None
    kind: Kind | None = None
    term: Term = None


@dataclass(slots=True, eq=False)
class Intention:
    """An intention; `number` is its age, `turns` its share so far, `paid` the turns used for its next line."""

    number: int
    priority: float = 1.0
    frames: list[Frame] = field(default_factory=list)
    wait: Wait | None = None
    turns: int = 0
    paid: int = 0

    @property
    def rest(self) -> int:
        """The number of turns before its next line."""
        frame = self.frames[-1]
        return frame.compiled.rests[frame.at] - self.paid
