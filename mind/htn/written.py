"""Plans in the format of the planning competition of 2020: the steps, the tasks asked for, and what refined what.

==>
0 book ann
1 tell
root 2
2 find_help -> friends 0 1
<==
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mabos.configs.errors import InvalidArgument
from mabos.mind.htn.model import Fact
from mabos.mind.htn.result import Result, walk

_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Refined:
    """A compound task, the method that refined it, and the numbers of its parts in order."""

    task: Fact
    method: str
    parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A plan by numbers: its steps in the order in which they are done, the tasks asked for, and how they were refined.

    `lines` tells where each number stands in a text.
    """

    steps: Mapping[int, Fact]
    roots: tuple[int, ...]
    refined: Mapping[int, Refined]
    lines: Mapping[int, int] = field(default_factory=dict)


def written(result: Result) -> Written:
    """Return a plan that was found, by numbers: the steps from 0 on, then the compound tasks."""
    nodes = [node for root in result.tree for node in walk(root)]
    numbers = {step.id: number for number, step in enumerate(result.steps)}
    for node in nodes:
        numbers.setdefault(node.id, len(numbers))
    return Written(
        {numbers[step.id]: step.task for step in result.steps},
        tuple(numbers[root.id] for root in result.tree),
        {
            numbers[node.id]: Refined(node.task, node.method, tuple(numbers[part.id] for part in node.children))
            for node in nodes
            if not node.is_primitive
        },
    )


def plan_text(plan: Written) -> str:
    """Return a plan as text; blanks within a name become `_`."""
    lines = ["==>", *(_line(number, *task) for number, task in plan.steps.items()), _line("root", *plan.roots)]
    lines += [_line(number, *one.task, "->", one.method, *one.parts) for number, one in plan.refined.items()]
    return "\n".join((*lines, "<==", ""))


def read_plan(text: str, *, file: str = "plan") -> Written:
    """Return the plan written in `text`, its names in lower case; raises `InvalidArgument` with the line."""
    steps: dict[int, Fact] = {}
    refined: dict[int, Refined] = {}
    roots: tuple[int, ...] | None = None
    lines: dict[int, int] = {}
    for line, words in _lines(text, file):
        where = f"{file}:{line}"
        if words[0] == "root":
            roots = _numbers(words[1:], where)
            continue
        (number,) = _numbers(words[:1], where)
        if number in lines:
            raise InvalidArgument(f"{where}: the number {number} was given in line {lines[number]} already")
        lines[number] = line
        task, arrow, rest = _split(words[1:])
        if not task or (arrow and not rest):
            raise InvalidArgument(f"{where}: expected 'NUMBER TASK' or 'NUMBER TASK -> METHOD NUMBERS'")
        if arrow:
            refined[number] = Refined(task, rest[0], _numbers(rest[1:], where))
        else:
            steps[number] = task
    if roots is None:
        raise InvalidArgument(f"{file}: no line begins with 'root', so nobody asked for the plan")
    return Written(steps, roots, refined, lines)


def _lines(text: str, file: str) -> Iterable[tuple[int, list[str]]]:
    rows = [row.strip() for row in text.casefold().splitlines()]
    if "==>" not in rows or "<==" not in rows[rows.index("==>") :]:
        raise InvalidArgument(f"{file}: a plan stands between a line '==>' and a line '<=='")
    start = rows.index("==>") + 1
    end = rows.index("<==", start)
    return [(number, row.split()) for number, row in enumerate(rows[start:end], start + 1) if row]


def _split(words: Sequence[str]) -> tuple[Fact, bool, Sequence[str]]:
    if "->" not in words:
        return tuple(words), False, ()
    place = words.index("->")
    return tuple(words[:place]), True, words[place + 1 :]


def _numbers(words: Sequence[str], where: str) -> tuple[int, ...]:
    for word in words:
        if not word.isdecimal():
            raise InvalidArgument(f"{where}: {word!r} is no number of a task")
    return tuple(map(int, words))


def spelling(name: object) -> str:
    """Return what a name is compared by: lower case, and `_` for blanks and `-`."""
    return _SPACE.sub("_", str(name)).casefold().replace("-", "_")


def _line(*words: object) -> str:
    return " ".join(_SPACE.sub("_", str(word)) for word in words)
