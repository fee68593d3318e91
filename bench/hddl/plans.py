"""Plans in the format of the 2020 planning competition: the steps, the requested tasks, and their refinements.

==>
0 book ann
1 tell
root 2
2 find_help -> friends 0 1
<==
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.mind.htn.model import Fact, PlanningProblem
from mabos.mind.htn.verification import Decomposition, PlanVerdict, Refinement, verify

_SPACE = re.compile(r"\s+")


def judge(problem: PlanningProblem, text: str) -> PlanVerdict:
    """Return the faults of the plan in `text`, or of the text."""
    try:
        plan = read_plan(text)
    except InvalidArgument as error:
        return PlanVerdict((error.message,))
    return verify(problem, _named(plan, problem))


def plan_text(plan: Decomposition) -> str:
    """Return a plan as text; blanks within a name become `_`."""
    lines = ["==>", *(_line(number, *task) for number, task in plan.steps.items()), _line("root", *plan.roots)]
    lines += [_line(number, *one.task, "->", one.method, *one.parts) for number, one in plan.refined.items()]
    return "\n".join((*lines, "<==", ""))


def read_plan(text: str, *, file: str = "plan") -> Decomposition:
    """Return the plan in `text`, its names in lower case; raises `InvalidArgument` with the line."""
    steps: dict[int, Fact] = {}
    refined: dict[int, Refinement] = {}
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
            refined[number] = Refinement(task, rest[0], _numbers(rest[1:], where))
        else:
            steps[number] = task
    if roots is None:
        raise InvalidArgument(f"{file}: no line begins with 'root', so the plan has no task")
    return Decomposition(steps, roots, refined, lines)


def _lines(text: str, file: str) -> Iterable[tuple[int, list[str]]]:
    rows = [row.strip() for row in text.casefold().splitlines()]
    if "==>" not in rows or "<==" not in rows[rows.index("==>") :]:
        raise InvalidArgument(f"{file}: a plan must be between a line '==>' and a line '<=='")
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
            raise InvalidArgument(f"{where}: {word!r} is not a number of a task")
    return tuple(map(int, words))


def _spelling(name: object) -> str:
    """Return what a name is compared by: lower case, and `_` for blanks and `-`."""
    return _SPACE.sub("_", str(name)).casefold().replace("-", "_")


def _line(*words: object) -> str:
    return " ".join(_SPACE.sub("_", str(word)) for word in words)


def _named(plan: Decomposition, problem: PlanningProblem) -> Decomposition:
    """Return a plan with the names of the problem where the text only spells them otherwise."""
    domain = problem.domain
    things = {**domain.objects, **problem.state.objects}
    tasks = {one.task[0] for one in domain.methods}.union(domain.tasks, (one.name for one in domain.operators))
    known = {_spelling(name): name for name in (*tasks, *(method.name for method in domain.methods), *things)}

    def name(word: Any) -> Any:
        return word if word in tasks or word in things else known.get(_spelling(word), word)

    return Decomposition(
        {number: tuple(map(name, task)) for number, task in plan.steps.items()},
        plan.roots,
        {
            number: Refinement(tuple(map(name, one.task)), name(one.method), one.parts)
            for number, one in plan.refined.items()
        },
        plan.lines,
    )
