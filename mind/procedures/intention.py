"""What an agent of procedures is busy with: a stack of procedures, each with the line it is at."""

from dataclasses import dataclass, field

from mabos.mind.procedures.beliefs import Notes
from mabos.mind.procedures.expressions import Slots
from mabos.mind.procedures.program import Compiled
from mabos.mind.procedures.syntax import Kind
from mabos.mind.procedures.terms import Term, Variable


@dataclass(slots=True, eq=False)
class Frame:
    """A procedure that is being carried out, and what for; `tried` is how many of the options have had their chance."""

    compiled: Compiled
    slots: Slots
    term: Term
    notes: Notes
    tried: int
    open: tuple[Variable, ...] = ()
    at: int = 0


@dataclass(frozen=True, slots=True)
class Wait:
    """What an intention waits for: a moment in milliseconds, an event, or whichever comes first."""

    until: float | None = None
    kind: Kind | None = None
    term: Term = None


@dataclass(slots=True, eq=False)
class Intention:
    """One line of work; `number` is its age, `turns` its share so far, `paid` the turns its next line has had."""

    number: int
    priority: float = 1.0
    frames: list[Frame] = field(default_factory=list)
    wait: Wait | None = None
    turns: int = 0
    paid: int = 0

    @property
    def rest(self) -> int:
        """How many turns have still to pass before its next line."""
        frame = self.frames[-1]
        return frame.compiled.rests[frame.at] - self.paid
