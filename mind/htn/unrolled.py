"""The methods of a compound task, or an operator, unrolled into one function for frequent tasks.

The function's text contains positions only; names, objects and conditions are passed as values, so nothing that was
read or believed can become code.
"""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

from mabos.knowledge.wording import name_key
from mabos.mind.htn.agenda import Cell
from mabos.mind.htn.matching import Environment, Matcher, Stage
from mabos.mind.htn.model import Assign, Fact, Not, Same
from mabos.mind.htn.truth import fill_variables, variables_of
from mabos.mind.htn.world import World

Entry: TypeAlias = tuple[Cell, Any, Environment, Any]
"""A task taken from the agenda: the `TaskWay` that refined it, its environment and the next cell; a step has none."""


class _PreparedStep(Protocol):
    """A compiled primitive task, and its effects."""

    matcher: Matcher
    adds: list[Fact]
    removes: list[Fact]
    assigned: list[Assign]


class _PreparedWay(Protocol):
    """A way made ready, and its tasks from the last to the first, each with its name and terms."""

    matcher: Matcher
    backwards: Sequence[tuple[Any, str, tuple[Any, ...]]]


def unrolled_ways(ways: Sequence[_PreparedWay], arity: int) -> Callable[[Cell], list[Entry]]:
    """Return a function that lists every refinement of a task with `arity` arguments, each chaining its tasks."""
    text = _FunctionText()
    text.line("def made(task):")
    text.line("    _, arguments, rest, _ = task")
    text.line("    found = []")
    for way in ways:
        _way(way, arity, text)
    text.line("    return found")
    function: Callable[[Cell], list[Entry]] = text.function()
    return function


def unrolled_step(act: _PreparedStep, arity: int, world: World) -> Callable[[tuple[Any, ...]], bool]:
    """Return a function that does a step whose effects are facts and values; False if a precondition fails."""
    text = _FunctionText()
    names = _Names(act.matcher, text)
    width = len(names.layout.constants) + arity
    text.line("def made(arguments):")
    _unpack(names, arity, text)
    for check, requirement in act.matcher.stages[0].checks:
        text.line(f"    if not ({_check(check, requirement.condition, names, width, text)}):")
        text.line("        return False")
    if act.adds or act.removes:
        rows = (f"({''.join(f'{names.row(fact)}, ' for fact in facts)})" for facts in (act.removes, act.adds))
        text.line(f"    {text.value(world.change)}({', '.join(rows)})")
    for one in act.assigned:
        name, value = (
            _compile_text(part, spelt, names, text) for part, spelt in ((one.name, name_key), (one.value, str))
        )
        text.line(f"    {text.value(world.assign)}({name}, {value})")
    text.line("    return True")
    function: Callable[[tuple[Any, ...]], bool] = text.function()
    return function


class _FunctionText:
    """Lines of source, and the values that they name."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.values: dict[str, Any] = {}

    def line(self, words: str) -> None:
        """Add a line."""
        self.lines.append(words)

    def value(self, thing: Any) -> str:
        """Return a name for a value."""
        name = f"_{len(self.values)}"
        self.values[name] = thing
        return name

    def function(self) -> Any:
        """Return the function `made` that the lines are."""
        exec(compile("\n".join(self.lines), "<unrolled>", "exec"), self.values)  # noqa: S102 - positions only, see above
        return self.values["made"]


class _Names:
    """The names of the positions of an environment: constants by their values, the others `n` and their position."""

    def __init__(self, matcher: Matcher, text: _FunctionText) -> None:
        self.layout = matcher.layout
        self._constants = [text.value(constant) for constant in self.layout.constants]

    def place(self, place: int) -> str:
        """Return the name of a place."""
        return self._constants[place] if place < len(self._constants) else f"n{place}"

    def of(self, term: Any) -> str:
        """Return the name of a term."""
        return self.place(self.layout[term])

    def row(self, terms: Sequence[Any]) -> str:
        """Return a tuple of terms."""
        return f"({''.join(f'{self.of(term)}, ' for term in terms)})"

    def environment(self, width: int) -> str:
        """Return the environment up to a width."""
        return f"({''.join(f'{self.place(place)}, ' for place in range(width))})"


def _way(way: _PreparedWay, arity: int, text: _FunctionText) -> None:
    names = _Names(way.matcher, text)
    width = len(names.layout.constants) + arity
    _unpack(names, arity, text)
    indent = "    "
    for number, stage in enumerate(way.matcher.stages):
        if number:
            indent, width = _expansion(stage, names, width, indent, text)
        for check, requirement in stage.checks:
            text.line(f"{indent}if {_check(check, requirement.condition, names, width, text)}:")
            indent += "  "
    cell, signature = "rest", "rest[3]"
    for task, name, terms in way.backwards:
        if cell != "rest":
            text.line(f"{indent}cell = {cell}")
            cell, signature = "cell", "s"
        text.line(f"{indent}a = {names.row(terms)}")
        text.line(f"{indent}s = hash(({text.value(name)}, a, {signature}))")
        cell = f"({text.value(task)}, a, {cell}, s)"
    text.line(f"{indent}found.append((task, {text.value(way)}, {names.environment(width)}, {cell}))")


def _unpack(names: _Names, arity: int, text: _FunctionText) -> None:
    width = len(names.layout.constants)
    if arity:
        text.line(f"    {''.join(f'{names.place(width + place)}, ' for place in range(arity))}= arguments")


def _expansion(stage: Stage, names: _Names, width: int, indent: str, text: _FunctionText) -> tuple[str, int]:
    """Write the loop over the bindings of a stage, and return the inner indent and width of the environment."""
    index = stage.index
    if index is None:
        text.line(f"{indent}for e in {text.value(stage.expand)}({names.environment(width)}):")
        wide = width + stage.adds
        for place in range(width, wide):
            text.line(f"{indent}  {names.place(place)} = e[{place}]")
        return indent + "  ", wide
    new = {place: width + number for number, place in enumerate(index.new)}
    terms = ", ".join(names.place(new[place]) if place in new else "_" for place in range(index.width))
    facts = f"{text.value(index.facts)}.get({names.place(index.slot)}, ())"
    if index.is_even:
        text.line(f"{indent}for {terms} in {facts}:")
    else:
        text.line(f"{indent}for e in {facts}:")
        text.line(f"{indent}  if len(e) == {index.width}:")
        text.line(f"{indent}    {terms} = e")
    return indent + "    ", width + len(new)


def _compile_text(said: str, spelt: Callable[[str], str], names: _Names, text: _FunctionText) -> str:
    """Return the expression that fills a text in; a constant one is made once."""
    used = list(variables_of(said))
    if not used:
        return text.value(spelt(said))
    if said == f"{{{used[0][1:]}}}":
        whole = f"str({names.of(used[0])})"
    else:
        binding = ", ".join(f"{text.value(name)}: {names.of(name)}" for name in used)
        whole = f"{text.value(fill_variables)}({text.value(said)}, {{{binding}}})"
    return whole if spelt is str else f"{text.value(spelt)}({whole})"


def _check(check: Callable[[Environment], bool], condition: Any, names: _Names, width: int, text: _FunctionText) -> str:
    match condition:
        case (_, "is a", _):
            return f"{text.value(check)}({names.environment(width)})"
        case tuple():
            return f"{names.row(condition)} in {text.value(names.layout.facts)}"
        case Not(tuple() as fact):
            return f"{names.row(fact)} not in {text.value(names.layout.facts)}"
        case Same(left, right):
            return f"{names.of(left)} == {names.of(right)}"
        case Not(Same(left, right)):
            return f"{names.of(left)} != {names.of(right)}"
        case _:
            return f"{text.value(check)}({names.environment(width)})"
