"""Calculations in words, as a table: `configs/reasoning_sums.yaml` has their questions, roles and equations.

Every figure of a question is scored for every role of a calculation by the words around it, its unit and its frequency.
A calculation is recognised if one assignment uses all figures and is clearly the best; an open role is the missing
part.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.deals import build_bargain
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import BREAK, FigureSlot, clause_of, distinct, in_unit, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult
from mabos.workspace.expressions import Expression

WORDS = packaged_yaml("reasoning_words.yaml")["sums"]

UNCUED, CLEAR, SURE, MOST = 5, 6, 60, 8
"""Weights: of a figure without words for its role, of a lead that is clear, of a sure one; and the most figures."""
_MATTERS = re.compile(WORDS["matters"])
"""Words that change a calculation; where the table does not say that it takes them, they stay unused."""


@dataclass(frozen=True, slots=True)
class SumRole:
    """An input figure of a calculation: its kind, the words before or after it, its frequency and its unit."""

    kind: str = "n"
    before: str = ""
    after: str = ""
    every: bool | None = None
    span: bool = False
    noun: bool = False
    default: float | None = None
    forbids: str = ""
    inverts: str = ""
    signed: int = 0
    behind: str = ""
    lacks: str = ""

    def weight(self, slot: FigureSlot) -> int:
        """Return how well a figure fits, from 0 to 120 for words directly at it."""
        if slot.kind != self.kind or bool(slot.span) != self.span or self.every not in (None, bool(slot.period)):
            return 0
        if self.forbids and re.search(rf"\b(?:{self.forbids})\b", clause_of(slot), re.IGNORECASE):
            return 0
        weights = [0]
        if self.before and (found := [*re.finditer(rf"\b(?:{self.before})", slot.before, re.IGNORECASE)]):
            gap = slot.before[found[-1].end() :]
            weights.append(100 - min(60, len(gap)) - 12 * len(BREAK.findall(gap)))
        if self.after and (behind := re.search(rf"(?<!\w)(?:{self.after})\b", slot.after, re.IGNORECASE)):
            gap = slot.after[: behind.start()]
            weights.append(100 - min(60, len(gap)) - 12 * len(BREAK.findall(gap)))
        best = max(weights) + round(0.3 * (sum(weights) - max(weights)))
        best = best + (20 if best else 30) if self.noun and slot.noun else best
        return best or (UNCUED if self.default is None else 0)


@dataclass(frozen=True, slots=True)
class Calculation:
    """A row of the table: its question words, its input figures, and its equations, whose last is the result."""

    asks: str
    roles: Mapping[str, SumRole]
    equations: Mapping[str, str]
    says: Sequence[Mapping[str, str]]
    method: str = "interventional"
    context: str = ""
    never: str = ""
    takes: str = ""
    unit: str = ""
    assumes: str = ""
    outcome: str = ""
    rhythm: str = ""
    period: bool = False
    plain: bool = False


def _rows() -> Iterator[Calculation]:
    for row in packaged_yaml("reasoning_sums.yaml").values():
        roles = {name: SumRole(**role) for name, role in row["roles"].items()}
        yield Calculation(**{**row, "roles": roles})


CALCULATIONS = tuple(_rows())


def read_sums(q: Phrasing, _held: Holdings) -> Reading:
    """Read the calculation whose roles the question's figures fill best."""
    figures, repeated = distinct(slots(q))
    if not figures or len(figures) > MOST:
        return None
    asked = [
        one for one in CALCULATIONS if q.has(one.asks) and q.has(one.context) and not (one.never and q.has(one.never))
    ]
    for spare in [None, *(figures if len(figures) > 2 else [])]:
        some = [one for one in figures if one is not spare]
        fits = [(*way, row) for row in asked if (way := _assign(some, row))]
        for _, found, row in sorted(fits, key=lambda one: -one[0]):
            form = _build(q, row, found)
            if isinstance(form, MissingFields) and spare is None:
                return form
            if isinstance(form, FilledForm):
                q.use(*(one.at for one in (*some, *repeated)))
                _use_words(q, row)
                if spare is not None:
                    q.leave(spare.at[0])
                return form
    lacks = ((one, _open_roles(figures, one)) for one in asked)
    return next((MissingFields(one.method, tuple(names)) for one, names in lacks if names), None)


def _assign(figures: Sequence[FigureSlot], row: Calculation) -> tuple[float, dict[str, FigureSlot]] | None:
    """Return the clearly best role of every figure with its mean weight, or None."""
    spare = [name for name, role in row.roles.items() if role.default is not None]
    ways = list[tuple[int, dict[str, FigureSlot]]]()
    size = len(figures) - (len(row.roles) - len(spare))
    for more in combinations(spare, size) if 0 <= size <= len(spare) else ():
        names = [name for name in row.roles if name not in spare or name in more]
        ways += _ways(figures, {name: row.roles[name] for name in names})
    ways = [one for one in ways if _is_in_order(one[1], row.roles) and _is_told(one[1], row)]
    ways.sort(key=lambda one: -one[0])
    if not ways or (len(ways) > 1 and ways[0][0] - ways[1][0] < CLEAR):
        return None
    return ways[0][0] / len(figures), ways[0][1]


def _is_told(way: Mapping[str, FigureSlot], row: Calculation) -> bool:
    """Return whether words tell the role of each figure; where the question is plain, one may have the role left."""
    weights = sorted(row.roles[name].weight(slot) for name, slot in way.items())
    return weights[0] > UNCUED or (row.plain and len(weights) > 2 and weights[1] >= SURE)


def _is_in_order(way: Mapping[str, FigureSlot], roles: Mapping[str, SumRole]) -> bool:
    return all(way[role.behind].at < way[name].at for name, role in roles.items() if role.behind in way and name in way)


def _ways(figures: Sequence[FigureSlot], roles: Mapping[str, SumRole]) -> Iterator[tuple[int, dict[str, FigureSlot]]]:
    """Yield each assignment of all figures to all roles with its weight."""
    if not figures:
        yield 0, {}
        return
    first, rest = figures[0], figures[1:]
    for name, role in roles.items():
        if weight := role.weight(first):
            for more, way in _ways(rest, {other: each for other, each in roles.items() if other != name}):
                yield weight + more, {name: first, **way}


def _open_roles(figures: Sequence[FigureSlot], row: Calculation) -> list[str]:
    """Return what is missing where all figures are sure of their roles and one role is open."""
    needed = [name for name, role in row.roles.items() if role.default is None]
    spare = [name for name in row.roles if name not in needed]
    size = len(figures) - len(needed) + 1
    for more in combinations(spare, size) if figures and 0 <= size <= len(spare) else ():
        roles = {name: row.roles[name] for name in (*needed, *more)}
        for _, way in sorted(_ways(figures, roles), key=lambda one: -one[0]):
            open_ = [row.roles[name].lacks for name in needed if name not in way]
            if len(open_) == 1 and all(row.roles[name].weight(one) >= SURE for name, one in way.items()):
                return open_
    return []


def _build(q: Phrasing, row: Calculation, way: Mapping[str, FigureSlot]) -> Reading:
    """Return the form of a calculation over its figures, all in one unit of time."""
    unit = way[row.unit].period or way[row.unit].span or row.rhythm if row.unit in way else ""
    if row.method == "systems-thinking" and not unit:
        return MissingFields(row.method, (f"the rate per {way['time'].span}",))
    values = {name: role.default for name, role in row.roles.items() if role.default is not None}
    for name, one in way.items():
        value = _in_unit(one, row.roles[name], unit)
        if value is None:
            return MissingFields(row.method, (f"{name} by the {unit}",))
        values[name] = value
    asked = re.search(_ASKED_PERIOD, q.question, re.IGNORECASE)
    if row.period and asked and unit and (asked["unit"] or asked["ly"]).lower()[: len(unit)] != unit:
        return MissingFields(row.method, (f"the figures by the {asked['unit'] or asked['ly']}",))
    given = dict(values)
    try:
        values |= dict.fromkeys(row.equations, 0.0)
        for name, text in row.equations.items():
            values[name] = Expression.of(text).value(values)
        says = [one for one in row.says if q.has(one.get("asks", ""))]
        told = next(one for one in says if Expression.of(one.get("when", "1")).value(values))
    except (ArithmeticError, ValueError, StopIteration):
        return None
    if lacks := told.get("lacks", ""):
        return MissingFields(row.method, (lacks,))
    return (
        _form(q, row, way, _Solved(given, values, _spoken_words(q, way, unit), told["says"])) if told["says"] else None
    )


def _in_unit(one: FigureSlot, role: SumRole, unit: str) -> float | None:
    """Return the value of a figure in its role, by the unit of time; None where that is not exact."""
    value, own = one.value, one.span or one.period
    if role.inverts and re.search(rf"\b(?:{role.inverts})", clause_of(one), re.IGNORECASE):
        value = 1 - value
    elif role.signed and one.move:
        value *= role.signed * one.move
    if not unit or not own or own == unit:
        return value
    if one.span:
        return in_unit(value, own, unit)
    factor = in_unit(1.0, unit, own)
    return None if factor is None else value * factor


@dataclass(frozen=True, slots=True)
class _Solved:
    """The figures of a calculation, all its values, the words of the question, and the sentence to say."""

    given: Mapping[str, float]
    values: Mapping[str, float]
    words: Mapping[str, str]
    template: str

    def upshot(self, outcome: str, value: float, sure: float = 1.0) -> Upshot:
        """Return the sentence with the value that the method computed."""
        return Upshot(_say(self.template, {**self.values, outcome: value}, self.words), value, sure)


def _spoken_words(q: Phrasing, way: Mapping[str, FigureSlot], unit: str) -> dict[str, str]:
    """Return the words of a question that an answer repeats: the things counted, and the names of two options."""
    option = q.search(WORDS["option"])
    words = {"unit": unit, "option": q.written(option["name"]) if option else "uncertain one"}
    for name, one in way.items():
        cue = re.search(r"(?i)\b(?:fixed|safe|sure|certain|guaranteed|steady)\b", clause_of(one))
        words |= {f"{name}_noun": one.noun or "units", f"{name}_cue": cue[0].lower() if cue else "sure"}
    return words


def _form(q: Phrasing, row: Calculation, way: Mapping[str, FigureSlot], solved: _Solved) -> Reading:
    """Return the form of the method that a calculation is for."""
    given, outcome = solved.given, row.outcome or list(row.equations)[-1]
    echo = join_items(f"{name.replace('_', ' ')} {q.written(q.plain[slice(*one.at)])}" for name, one in way.items())
    if {"least", "most"} <= set(row.roles):
        return build_bargain(q, solved.values["low"], solved.values["high"])
    if row.method == "systems-thinking":
        problem: dict[str, Any] = {
            "kind": "stock_flow", "stocks": {"stock": {"start": given["base"], "inflows": ["growth"]}},
            "flows": {"growth": "stock * rate"}, "constants": {"rate": given["rate"]},
            "stop": given["time"], "step": 1, "scheme": "euler",
        }  # fmt: skip

        def conclude(result: MethodResult[Any]) -> Upshot:
            return solved.upshot(outcome, float(result.answer.final["stock"]))

        return FilledForm(row.method, problem, echo, conclude, assumes=row.assumes)
    form = build_calculation(
        given, row.equations[outcome], outcome, echo, lambda value: solved.upshot(outcome, value), assumes=row.assumes
    )
    form.problem["equations"].update(row.equations)
    return form


_FORMATS: Mapping[str, Callable[[float], str]] = {
    "": figure,
    "ceil": lambda value: figure(ceil(value - 1e-9)),
    "percent": percent,
    "money": lambda value: figure(round(value, 2), 8),
}


def _say(template: str, values: Mapping[str, float], words: Mapping[str, str]) -> str:
    """Return a sentence with the values that it names: `{size}`, `{size:ceil}`, `{drop:percent}`."""

    def show_value(found: re.Match[str]) -> str:
        name, _, way = found[1].partition(":")
        return words[name] if name in words else _FORMATS[way](values[name])

    return re.sub(r"\{([\w:]+)\}", show_value, template)


def _use_words(q: Phrasing, row: Calculation) -> None:
    """Mark all clauses, and leave those with words that matter and that the calculation does not take."""
    taken = [*q.matches(row.takes)] if row.takes else []
    taken += q.matches(row.asks)
    for one in taken:
        q.grasp(one)
    asking = q.last()[0]
    for one in _MATTERS.finditer(q.plain):
        waits = asking <= one.start() and one[0].lower() in ("until", "while", "once")
        clause = re.match(r"[^.,;?]*", q.plain[one.start() :])
        waits = waits or re.match(r"only (?:\w+ )?«", q.plain[one.start() :]) is not None
        waits = waits or (one[0].lower() in ("if", "assuming") and clause is not None and "«" in clause[0])
        if not waits and not any(a.start() < one.end() and one.start() < a.end() for a in taken):
            q.leave(one.start())
    for span in q.clauses():
        q.use(span)


_ASKED_PERIOD: str = WORDS["asked_period"]
