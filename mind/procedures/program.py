"""A program, compiled once and shared by all agents that follow it: procedures by their trigger, and what bodies do.

A line of a body is a function of the agent, the intention and the slots of this run. It says True if it was done,
False if it failed; `Broken` is a failure with a reason.

How many turns a line takes decides how several agents interleave. The counts are those of python-agentspeak, so that
programs for several agents give the same trace in both: entering a procedure takes one turn, an action or query one
before and one after what it does, everything else one alone.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mabos.configs.errors import Damaged
from mabos.mind.procedures.beliefs import Key, Notes
from mabos.mind.procedures.expressions import Broken, Build, Match, Numbering, Slots, arguments, building, noted
from mabos.mind.procedures.queries import INTERNAL, Place, Query, Rulebook, query
from mabos.mind.procedures.syntax import Expression, Kind, Line, Name, Procedure, Rule, Shape, Source, Sum
from mabos.mind.procedures.terms import Term, Trail, grounded, resolved, undo

if TYPE_CHECKING:
    from mabos.mind.procedures.agent import Agent
    from mabos.mind.procedures.intention import Intention

Do = Callable[["Agent", "Intention", Slots], bool]
Action = Callable[["Agent", "Intention", tuple[Term, ...]], bool]
"""What an action does with its arguments: True if it was done."""


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """One procedure, ready to be tried and run.

    `rests` are the turns that pass before each line and before the end; `names` says which slot is which
    variable's; `options` are all procedures for its event, itself among them.
    """

    procedure: Procedure
    head: Match
    notes: Match | None
    context: Query | None
    lines: tuple[Do, ...]
    rests: tuple[int, ...]
    names: Mapping[str, int]
    size: int
    options: "list[Compiled]"

    def applied(self, place: Place, term: Term, notes: Notes) -> Slots | None:
        """Return the slots with which this procedure applies to an event now, or None."""
        slots: Slots = [None] * self.size
        trail: Trail = []
        if (
            self.head(term, slots, trail)
            and (self.notes is None or self.notes(notes, slots, trail))
            and (self.context is None or self.context(place, slots, trail))
        ):
            return slots
        undo(trail, 0)
        return None


@dataclass(slots=True)
class Program:
    """Procedures in the order in which they are tried, with the beliefs and goals an agent starts with."""

    options: dict[tuple[Kind, str, int], list[Compiled]] = field(default_factory=dict)
    rules: Rulebook = field(default_factory=Rulebook)
    beliefs: tuple[tuple[Term, Notes], ...] = ()
    goals: tuple[tuple[Term, Notes], ...] = ()

    def about(self, kind: Kind, functor: str, length: int) -> list[Compiled]:
        """Return the procedures for a kind of event; the list is the one that later procedures are added to."""
        return self.options.setdefault((kind, functor, length), [])


def compiled(source: Source, actions: Mapping[str, Action]) -> Program:
    """Return a program that agents can follow; a fault in it is `Damaged` and names its line."""
    rules: dict[Key, tuple[Rule, ...]] = {}
    for rule in source.rules:
        key = (rule.head.functor, len(rule.head.parts))
        rules[key] = (*rules.get(key, ()), rule)
    program = Program(rules=Rulebook(rules))
    try:
        program.beliefs = tuple(map(_fact, source.beliefs))
        program.goals = tuple(map(_fact, source.goals))
        for procedure in source.procedures:
            head = procedure.head
            options = program.about(procedure.kind, head.functor, len(head.parts))
            options.append(_one(procedure, program, actions, options))
    except Broken as error:
        raise Damaged(str(error)) from None
    return program


def _fact(shape: Shape) -> tuple[Term, Notes]:
    term = building(shape, Numbering())([])
    return term, tuple(building(note, Numbering())([]) for note in shape.notes)


def _one(procedure: Procedure, program: Program, actions: Mapping[str, Action], options: list[Compiled]) -> Compiled:
    number = Numbering()
    head, notes = arguments(procedure.head, number), noted(procedure.head, number)
    context = None if procedure.context is None else query(procedure.context, number, program.rules)
    lines, rests, after = list[Do](), list[int](), 1
    for line in procedure.body:
        for do, before, behind in _line(line, number, program, actions):
            lines.append(do)
            rests.append(after + before)
            after = behind
    return Compiled(
        procedure, head, notes, context, tuple(lines), (*rests, after), number.slots, len(number.slots), options
    )


def _line(
    line: Line, number: Numbering, program: Program, actions: Mapping[str, Action]
) -> Iterable[tuple[Do, int, int]]:
    """Yield what a line does, one or two parts, each with the turns that pass before and behind it."""
    what = line.what
    if not line.act:
        yield _performed(what, number, program, actions), 1, 1
        return
    if line.act == "?":
        yield _tested(what, number, program), 0, 0
        return
    if not isinstance(what, Shape):
        raise Broken(f"line {line.number}: {line.act!r} wants a name with arguments")
    if line.act in ("-", "-+"):
        yield _forgotten(_loosened(what) if line.act == "-+" else what, number, program), 0, 0
    if line.act in ("+", "-+"):
        yield _believed(what, number, program), 0, 0
    if line.act in ("!", "!!"):
        yield _achieved(what, number, program, beside=line.act == "!!"), 0, 0


def _loosened(shape: Shape) -> Shape:
    """Return what a replaced belief looked like: any value where the new one is computed or bound."""
    parts = tuple(Name("_") if isinstance(part, Name | Sum) else part for part in shape.parts)
    return Shape(shape.functor, parts, shape.notes, shape.line)


def _performed(what: Expression, number: Numbering, program: Program, actions: Mapping[str, Action]) -> Do:
    if isinstance(what, Shape) and what.functor in actions:
        action, parts = actions[what.functor], [building(part, number) for part in what.parts]
        return lambda agent, intention, slots: action(
            agent, intention, tuple([resolved(part(slots)) for part in parts])
        )
    if isinstance(what, Shape) and what.functor.startswith(".") and not _can_be_asked(what):
        known = ", ".join(sorted({*actions, *(name for name, _ in INTERNAL)}))
        raise Broken(f"line {what.line}: nobody knows the action {what.functor}; known: {known}")
    asked = query(what, number, program.rules)
    return lambda agent, _intention, slots: asked(agent, slots, [])


def _can_be_asked(what: Shape) -> bool:
    return (what.functor, len(what.parts)) in INTERNAL or (what.functor, -1) in INTERNAL


def _tested(what: Expression, number: Numbering, program: Program) -> Do:
    """A procedure for the question goes before what is believed."""
    asked = query(what, number, program.rules)
    if not isinstance(what, Shape):
        return lambda agent, _intention, slots: asked(agent, slots, [])
    build, options = building(what, number), program.about("+?", what.functor, len(what.parts))

    def do(agent: "Agent", intention: "Intention", slots: Slots) -> bool:
        if options and agent.entered(intention, options, build(slots)):
            return True
        return asked(agent, slots, [])

    return do


def _believed(what: Shape, number: Numbering, program: Program) -> Do:
    build, notes = building(what, number), _notes(what, number)
    options = program.about("+", what.functor, len(what.parts))

    def do(agent: "Agent", intention: "Intention", slots: Slots) -> bool:
        term = grounded(build(slots))
        if term is None:
            raise Broken(f"what is to be believed has an unbound variable: {what.functor}/{len(what.parts)}")
        agent.beliefs.add(term, noted_as := notes(slots))
        agent.happened(intention, options, "+", term, noted_as)
        return True

    return do


def _forgotten(what: Shape, number: Numbering, program: Program) -> Do:
    key = (what.functor, len(what.parts))
    match, notes = arguments(what, number), noted(what, number)
    options = program.about("-", *key)

    def do(agent: "Agent", intention: "Intention", slots: Slots) -> bool:
        gone = agent.forget(key, match, notes, slots)
        if gone is not None:
            agent.happened(intention, options, "-", *gone)
        return True

    return do


def _achieved(what: Shape, number: Numbering, program: Program, *, beside: bool) -> Do:
    build, notes = building(what, number), _notes(what, number)
    options = program.about("+!", what.functor, len(what.parts))
    otherwise = program.about("-!", what.functor, len(what.parts))

    def do(agent: "Agent", intention: "Intention", slots: Slots) -> bool:
        if beside:
            return agent.adopt(resolved(build(slots)), notes(slots))
        term, noted_as = build(slots), notes(slots)
        if agent.waiting:
            agent.noticed("+!", term)
        if agent.entered(intention, options, term, noted_as):
            return True
        if agent.entered(intention, otherwise, term, noted_as):
            return True
        raise Broken(f"no procedure applies to {what.functor}/{len(what.parts)}")

    return do


def _notes(what: Shape, number: Numbering) -> Callable[[Slots], Notes]:
    builds: tuple[Build, ...] = tuple(building(note, number) for note in what.notes)
    if not builds:
        return lambda _slots: ()
    return lambda slots: tuple([resolved(build(slots)) for build in builds])
