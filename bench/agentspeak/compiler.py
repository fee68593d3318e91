"""The compiler of programs, once for all agents that follow them: procedures by trigger, and their bodies.

The number of turns per line decides how several agents interleave. The counts are those of python-agentspeak, so that
multi-agent programs give the same trace in both: entering a procedure takes one turn, an action or query one before and
one after it, everything else a single one.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import TypeAlias

from bench.agentspeak.agent import Agent
from bench.agentspeak.program import Action, Compiled, Do, Intention, Program
from bench.agentspeak.syntax import Line, Procedure, Rule, Source
from mabos.configs.errors import Damaged
from mabos.mind.procedures.beliefs import Key, Notes
from mabos.mind.procedures.expressions import Broken, Build, Numbering, Slots, arguments, building, compile_notes
from mabos.mind.procedures.queries import INTERNAL, QueryScope, query, trigger
from mabos.mind.procedures.syntax import Expression, Name, Structure, Sum
from mabos.mind.procedures.terms import Term, Trail, ground_term, resolve_term, undo

_Conclusion: TypeAlias = Callable[[QueryScope, Term, Trail, Callable[[], bool]], bool]


def compiled(source: Source, actions: Mapping[str, Action]) -> Program:
    """Return a program that agents can follow; a fault in it raises `Damaged` with its line."""
    rules: dict[Key, list[_Conclusion]] = {}
    program = Program(rules)
    try:
        for rule in source.rules:
            rules.setdefault((rule.head.functor, len(rule.head.parts)), []).append(_conclusion(rule))
        program.beliefs = tuple(map(_fact, source.beliefs))
        program.goals = tuple(map(_fact, source.goals))
        for procedure in source.procedures:
            head = procedure.head
            options = program.about(procedure.kind, head.functor, len(head.parts))
            options.append(_one(procedure, program, actions, options))
    except Broken as error:
        raise Damaged(str(error)) from None
    return program


def _conclusion(rule: Rule) -> _Conclusion:
    """Return what asks a rule for answers to a term."""
    number = Numbering()
    head = arguments(rule.head, number)
    body = query(rule.condition, number, _handed_back)
    size = len(number.slots)

    def ask(place: QueryScope, term: Term, trail: Trail, then: Callable[[], bool]) -> bool:
        slots: Slots = [None] * size
        slots.append(then)  # behind the rule's own variables
        mark = len(trail)
        if head(term, slots, trail) and body(place, slots, trail):
            return True
        undo(trail, mark)
        return False

    return ask


def _handed_back(_place: QueryScope, slots: Slots, _trail: Trail) -> bool:
    return bool(slots[-1]())


def _fact(shape: Structure) -> tuple[Term, Notes]:
    term = building(shape, Numbering())([])
    return term, tuple(building(note, Numbering())([]) for note in shape.notes)


def _one(procedure: Procedure, program: Program, actions: Mapping[str, Action], options: list[Compiled]) -> Compiled:
    number = Numbering()
    begun = trigger(procedure.kind, procedure.head, procedure.context, number)
    lines, rests, after = list[Do](), list[int](), 1
    for line in procedure.body:
        for do, before, behind in _line(line, number, program, actions):
            lines.append(do)
            rests.append(after + before)
            after = behind
    return Compiled(procedure, begun, tuple(lines), (*rests, after), options)


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
    if not isinstance(what, Structure):
        raise Broken(f"line {line.number}: {line.act!r} needs a name with arguments")
    if line.act in ("-", "-+"):
        yield _forgotten(_loosened(what) if line.act == "-+" else what, number, program), 0, 0
    if line.act in ("+", "-+"):
        yield _believed(what, number, program), 0, 0
    if line.act in ("!", "!!"):
        yield _achieved(what, number, program, beside=line.act == "!!"), 0, 0


def _loosened(shape: Structure) -> Structure:
    """Return what a replaced belief looked like: any value where the new one is computed or bound."""
    parts = tuple(Name("_") if isinstance(part, Name | Sum) else part for part in shape.parts)
    return Structure(shape.functor, parts, shape.notes, shape.line)


def _performed(what: Expression, number: Numbering, program: Program, actions: Mapping[str, Action]) -> Do:
    if isinstance(what, Structure) and what.functor in actions:
        action, parts = actions[what.functor], [building(part, number) for part in what.parts]
        return lambda agent, intention, slots: action(
            agent, intention, tuple([resolve_term(part(slots)) for part in parts])
        )
    if isinstance(what, Structure) and what.functor.startswith(".") and not _can_be_asked(what):
        known = ", ".join(sorted({*actions, *(name for name, _ in INTERNAL)}))
        raise Broken(f"line {what.line}: unknown action {what.functor}; known: {known}")
    asked = query(what, number)
    return lambda agent, _intention, slots: asked(agent, slots, [])


def _can_be_asked(what: Structure) -> bool:
    return (what.functor, len(what.parts)) in INTERNAL or (what.functor, -1) in INTERNAL


def _tested(what: Expression, number: Numbering, program: Program) -> Do:
    """A procedure for the question goes before what is believed."""
    asked = query(what, number)
    if not isinstance(what, Structure):
        return lambda agent, _intention, slots: asked(agent, slots, [])
    build, options = building(what, number), program.about("+?", what.functor, len(what.parts))

    def do(agent: Agent, intention: Intention, slots: Slots) -> bool:
        if options and agent.entered(intention, options, build(slots)):
            return True
        return asked(agent, slots, [])

    return do


def _believed(what: Structure, number: Numbering, program: Program) -> Do:
    build, notes = building(what, number), _notes(what, number)
    options = program.about("+", what.functor, len(what.parts))

    def do(agent: Agent, intention: Intention, slots: Slots) -> bool:
        term = ground_term(build(slots))
        if term is None:
            raise Broken(f"the new belief has an unbound variable: {what.functor}/{len(what.parts)}")
        agent.beliefs.add(term, noted_as := notes(slots))
        agent.happened(intention, options, "+", term, noted_as)
        return True

    return do


def _forgotten(what: Structure, number: Numbering, program: Program) -> Do:
    key = (what.functor, len(what.parts))
    match, notes = arguments(what, number), compile_notes(what, number)
    options = program.about("-", *key)

    def do(agent: Agent, intention: Intention, slots: Slots) -> bool:
        gone = agent.forget(key, match, notes, slots)
        if gone is not None:
            agent.happened(intention, options, "-", *gone)
        return True

    return do


def _achieved(what: Structure, number: Numbering, program: Program, *, beside: bool) -> Do:
    build, notes = building(what, number), _notes(what, number)
    options = program.about("+!", what.functor, len(what.parts))
    otherwise = program.about("-!", what.functor, len(what.parts))

    def do(agent: Agent, intention: Intention, slots: Slots) -> bool:
        if beside:
            return agent.adopt(resolve_term(build(slots)), notes(slots))
        term, noted_as = build(slots), notes(slots)
        if agent.waiting:
            agent.noticed("+!", term)
        if agent.entered(intention, options, term, noted_as):
            return True
        if agent.entered(intention, otherwise, term, noted_as):
            return True
        raise Broken(f"no procedure applies to {what.functor}/{len(what.parts)}")

    return do


def _notes(what: Structure, number: Numbering) -> Callable[[Slots], Notes]:
    builds: tuple[Build, ...] = tuple(building(note, number) for note in what.notes)
    if not builds:
        return lambda _slots: ()
    return lambda slots: tuple([resolve_term(build(slots)) for build in builds])
