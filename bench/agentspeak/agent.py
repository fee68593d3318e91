"""An agent that follows procedures: its events, its intentions, and one turn of its work."""

from bisect import insort
from collections.abc import Iterable, Iterator
from operator import attrgetter
from typing import Protocol

from bench.agentspeak.program import Compiled, Frame, Intention, Program, Wait
from mabos.mind.procedures.beliefs import BeliefBase, Key, Notes
from mabos.mind.procedures.expressions import Broken, Match, Slots
from mabos.mind.procedures.queries import answers
from mabos.mind.procedures.syntax import Kind
from mabos.mind.procedures.terms import Listing, Term, Trail, Variable, resolve_term, undo, unify, value_of
from mabos.mind.turns import Contender, whose_turn

SPEECH = ("tell", "untell", "achieve", "unachieve", "askOne", "askAll")
"""The performatives of messages to another agent."""

_NO_SLOTS: Slots = []
_AGE = attrgetter("number")
_PLAIN = frozenset({int, float, str, bool})


class World(Protocol):
    """The surroundings of agents: how they speak, wait, and get their turns."""

    def said(self, agent: "Agent", text: str) -> None:
        """Print an agent's output."""

    def send(self, sender: "Agent", receivers: Iterable[str], performative: str, term: Term) -> bool:
        """Deliver a speech act; False if a receiver is unknown."""

    def others(self, agent: "Agent") -> Iterable[str]:
        """Return the names of all other agents."""

    def wake(self, agent: "Agent") -> None:
        """Give an agent turns again."""

    def alarm(self, agent: "Agent", intention: Intention) -> None:
        """Wake an intention at the time it waits for."""

    def failed(self, agent: "Agent", term: Term, why: str) -> None:
        """Handle a failed goal or event."""

    @property
    def now(self) -> float:
        """The current time in milliseconds."""


class Agent:
    """The beliefs and intentions of an agent, those that can run and those that wait, by age.

    With `fair`, intentions take turns by priority, as annotated: `!close[priority(0.8)]`; else the oldest goes first,
    until it is through or waits. `planned` is the intention whose line is done at the turn `due`; 0 is never.
    """

    __slots__ = (
        "beliefs",
        "due",
        "fair",
        "index",
        "name",
        "planned",
        "program",
        "ready",
        "rules",
        "started",
        "waiting",
        "world",
    )

    def __init__(self, name: str, program: Program, world: World, *, index: int = 0, fair: bool = False) -> None:
        self.name, self.program, self.world, self.index, self.fair = name, program, world, index, fair
        self.rules = program.rules
        self.beliefs = BeliefBase()
        self.ready: list[Intention] = []
        self.waiting: list[Intention] = []
        self.started = 0
        self.planned: Intention | None = None
        self.due = 0

    def begin(self) -> None:
        """Adopt the program's initial beliefs and goals."""
        for term, notes in self.program.beliefs:
            self.believe(term, notes)
        for term, notes in self.program.goals:
            self.adopt(term, notes)

    def believe(self, term: Term, notes: Notes = ()) -> None:
        """Add a ground belief, and react to it in a new intention."""
        self.beliefs.add(term, notes)
        self.happened(None, self.program.options.get(("+", term[0], len(term) - 1), []), "+", term, notes)

    def disbelieve(self, term: Term, notes: Notes = ()) -> None:
        """Remove a belief with these annotations, and react to that."""
        key = (term[0], len(term) - 1)
        if notes in self.beliefs.groups.get(key, {}).get(term, ()):
            self.beliefs.remove(term, notes)
            self.happened(None, self.program.options.get(("-", *key), []), "-", term, notes)

    def adopt(self, term: Term, notes: Notes = ()) -> bool:
        """Pursue a goal in a new intention; without an applicable procedure the world is notified of the failure."""
        key = (term[0], len(term) - 1)
        if self.waiting:
            self.noticed("+!", term)
        kinds: tuple[Kind, Kind] = ("+!", "-!")
        for kind in kinds:
            if self.entered(None, self.program.options.get((kind, *key), []), term, notes):
                return True
        self.world.failed(self, term, f"no procedure applies to {key[0]}/{key[1]}")
        return False

    def abandon(self, term: Term) -> None:
        """Drop the intentions for a goal."""
        for standing in (self.ready, self.waiting):
            standing[:] = [one for one in standing if not any(_pursues(frame, term) for frame in one.frames)]
        self.world.wake(self)

    def answer(self, asker: str, term: Term, *, every: bool) -> None:
        """Send the asker the beliefs that answer a question: one or all."""
        told: list[Term] = []

        def keep() -> bool:
            told.append(resolve_term(term))
            return not every

        trail: Trail = []
        answers(self, term, trail, keep)
        undo(trail, 0)
        for one in told:
            self.world.send(self, (asker,), "tell", one)

    def forget(self, key: Key, match: Match, notes: Match | None, slots: Slots) -> tuple[Term, Notes] | None:
        """Remove and return the first matching belief, with its annotations, or None."""
        trail: Trail = []
        for term, held in self.beliefs.groups.get(key, {}).items():
            for noted_as in held:
                if match(term, slots, trail) and (notes is None or notes(noted_as, slots, trail)):
                    self.beliefs.remove(term, noted_as)
                    return term, noted_as
                undo(trail, 0)
        return None

    def happened(
        self, intention: Intention | None, options: list[Compiled], kind: Kind, term: Term, notes: Notes
    ) -> None:
        """React to an event, in the intention that caused it or in a new one."""
        if self.waiting:
            self.noticed(kind, term)
        if options:
            self.entered(intention, options, term, notes)

    def noticed(self, kind: Kind, term: Term) -> None:
        """Resume intentions that waited for an event."""
        for one in self.waiting[:]:
            if one.wait is not None and one.wait.kind == kind and unify(one.wait.term, resolve_term(term), []):
                self.resume(one)

    def resume(self, intention: Intention) -> None:
        """Resume a waiting intention, at the position of its age."""
        if intention in self.waiting:
            self.waiting.remove(intention)
            intention.wait = None
            insort(self.ready, intention, key=_AGE)
            self.world.wake(self)

    def entered(
        self, intention: Intention | None, options: list[Compiled], term: Term, notes: Notes = (), *, tried: int = 0
    ) -> bool:
        """Return whether a procedure applies; the first applicable one is started."""
        for at in range(tried, len(options)):
            slots = self._applied(options[at], term, notes)
            if slots is not None:
                frame = Frame(options[at], slots, term, notes, at + 1, _open_variables(term))
                if intention is None:
                    self._intend(frame, notes)
                else:
                    intention.frames.append(frame)
                return True
        return False

    def turn(self) -> int:
        """Execute the planned line; return in how many turns the next one is due, 0 if there is no more work now."""
        intention = self.planned
        if intention is not None and intention in self.ready:
            intention.paid = 0
            frame = intention.frames[-1]
            if frame.at == len(frame.compiled.lines):
                intention.frames.pop()
                if not intention.frames:
                    self.ready.remove(intention)
            else:
                self._do(intention, frame)
        return self.plan()

    def plan(self) -> int:
        """Choose the next intention; return in how many turns its line is due, 0 if there is none."""
        if not self.ready:
            self.planned = None
            return 0
        self.planned = self._chosen() if self.fair and len(self.ready) > 1 else self.ready[0]
        return 1 + self.planned.rest

    def _do(self, intention: Intention, frame: Frame) -> None:
        frame.at += 1
        try:
            if not frame.compiled.lines[frame.at - 1](self, intention, frame.slots):
                self._broke(intention, "a line failed")
            elif frame.at == len(frame.compiled.lines):
                frame.slots = _NO_SLOTS  # a deep stack waits for what it called last, and needs them no more
        except Broken as error:
            self._broke(intention, str(error))
        if intention.wait is not None:
            self._rest(intention)

    def _applied(self, option: Compiled, term: Term, notes: Notes) -> Slots | None:
        """Return the slots with which a procedure applies; one whose context cannot be decided does not."""
        try:
            return option.trigger.match_event(self, term, notes)
        except Broken as error:
            self.world.failed(self, resolve_term(term), str(error))
            return None

    def _intend(self, frame: Frame, notes: Notes) -> None:
        stated = [one[1] for one in notes if one[0] == "priority" and len(one) == 2 and type(one[1]) in (int, float)]
        self.started += 1
        self.ready.append(Intention(self.started, stated[0] if stated else 1.0, [frame]))
        self.world.wake(self)

    def _chosen(self) -> Intention:
        """Return the intention whose turn it is by priority, with the turn counted."""
        by_id = {f"{one.number:09}": one for one in self.ready}
        turn = whose_turn([Contender(one.priority, one.turns, id=name) for name, one in by_id.items()])
        by_id[turn.id].turns = turn.turns
        return by_id[turn.id]

    def _rest(self, intention: Intention) -> None:
        if intention in self.ready:
            self.ready.remove(intention)
            self.waiting.append(intention)
            self.world.alarm(self, intention)

    def _broke(self, intention: Intention, why: str) -> None:
        """Take the next procedure for what failed, else one for its failure; else what it was for fails as well."""
        intention.wait, intention.paid = None, 0
        while intention.frames:
            frame = intention.frames.pop()
            for box in frame.open:
                box[0] = None
            if self.entered(intention, frame.compiled.options, frame.term, frame.notes, tried=frame.tried):
                return
            otherwise = self.program.options.get(("-!", frame.term[0], len(frame.term) - 1), [])
            if _is_goal(frame) and self.entered(intention, otherwise, frame.term, frame.notes):
                return
        if intention in self.ready:
            self.ready.remove(intention)
        self.world.failed(self, resolve_term(frame.term), why)


def waited(milliseconds: float | None, event: tuple[Kind, Term] | None, now: float) -> Wait:
    """Return the events or times an intention waits for."""
    kind, term = event or (None, None)
    return Wait(None if milliseconds is None else now + milliseconds, kind, term)


def _is_goal(frame: Frame) -> bool:
    return frame.compiled.procedure.kind == "+!"


def _pursues(frame: Frame, term: Term) -> bool:
    trail: Trail = []
    same = _is_goal(frame) and unify(resolve_term(frame.term), term, trail)
    undo(trail, 0)
    return same


def _open_variables(term: Term) -> tuple[Variable, ...]:
    """Return the variables of a structure that are unbound."""
    for part in term:
        if type(part) not in _PLAIN:
            return tuple(_open(term))
    return ()


def _open(term: Term) -> Iterator[Variable]:
    term = value_of(term)
    if type(term) is Variable:
        yield term
    elif type(term) is tuple or type(term) is Listing:
        for part in term:
            yield from _open(part)
