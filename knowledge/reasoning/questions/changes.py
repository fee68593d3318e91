"""Causes of a change in a figure: how much of it each part explains (Shapley)."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation, held_series, humanize_name
from mabos.knowledge.reasoning.questions.forms import FilledForm, HeldSeries, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, Phrasing, bare_name, figure, join_items, stems
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["changes"]
_MOVE = re.compile(
    rf"(?:(?P<name>[A-Za-z][\w ’'-]*?)\s+)?(?:(?P<verb>{WORDS['verb']})\s+)?"
    rf"(?:from (?P<a>{ANY})(?: [\w]+)? to (?P<b>{ANY})|(?P<d>{ANY})(?P<noun> \w+)? instead of (?P<c>{ANY}))",
    re.IGNORECASE,
)
_SAME = re.compile(rf"(?P<name>[A-Za-z][\w ’'-]*?)\s+{WORDS['same']}(?P<a>{ANY})", re.IGNORECASE)


def _moves(q: Phrasing) -> dict[str, tuple[float, float]] | None:
    """Return the figures that moved from one value to another, or stayed, by their names; None where a name is open."""
    moves = dict[str, tuple[float, float]]()
    for one in (*_MOVE.finditer(q.plain), *_SAME.finditer(q.plain)):
        groups = one.groupdict()
        name = bare_name(re.split(r"[.,;:]\s|\b(?:while|although|but|and)\b", groups["name"] or "")[-1])
        name = (groups.get("noun") or "").strip() or name
        first, last = groups["a"] or groups.get("c"), groups.get("b") or groups.get("d") or groups["a"]
        if not name or name in moves:
            return None
        moves[name] = (q.value(first), q.value(last))
        q.use(one)
    return moves


def _product(values: Sequence[float]) -> float:
    result = 1.0
    for one in values:
        result *= one
    return result


Relation = tuple[str, Callable[[Sequence[float]], float]]
_RELATIONS: tuple[Relation, ...] = (
    ("times", _product),
    ("plus", sum),
    ("minus", lambda one: one[0] - sum(one[1:])),
    ("as a share of the first that is left of", lambda one: 1 - sum(one[1:]) / one[0] if one[0] else 0.0),
    ("divided by", lambda one: one[0] / one[1] if len(one) == 2 and one[1] else float("nan")),
)


PRODUCT = _RELATIONS[0]


def read_change(q: Phrasing, held: Holdings) -> Reading:  # noqa: PLR0911  # one return for each thing unclear
    """Read the changes of a figure and of its parts: how much of the change each part explains (Shapley)."""
    if not q.has(WORDS["asks"]):
        return None
    if not q.figures:
        return _held_change(q, held)
    if not _MOVE.search(q.plain):
        return None
    changes = _moves(q)
    if changes is None:
        return None
    if len(changes) < 3:
        return MissingFields("game-theory", ("how at least two parts of it changed",)) if len(changes) < 2 else None
    target, *parts = changes
    found = _relation(changes[target], {name: changes[name] for name in parts})
    if found is None:
        return MissingFields(
            "game-theory",
            (f"parts that multiply or add up to {target} before and after",),
            join_items(f"{name} {figure(a)} to {figure(b)}" for name, (a, b) in changes.items()),
        )
    for a, b in q.clauses():
        if not re.search(ANY, q.plain[a:b]) and not re.search(WORDS["matters"], q.plain[a:b], re.I):
            q.use((a, b))
    q.use_question()
    for one in q.matches(r"\b(?:although|though|instead|still|not)\b"):
        q.grasp(one)
    a, b = q.last()
    asked = stems(q.plain[a:b]) if q.has(r"\bhow much\b|\bdue to\b|\bwhat (?:share|part)\b") else set[str]()
    return attribute_change(target, changes, found, asked=asked, cites=())


def _relation(
    target: tuple[float, float], parts: Mapping[str, tuple[float, float]]
) -> tuple[tuple[str, ...], Relation] | None:
    """Return in which order the parts make up the target, and how; None where they do not within a hundredth."""
    for order in permutations(parts):
        for relation in _RELATIONS:
            try:
                made = [relation[1]([parts[name][when] for name in order]) for when in (0, 1)]
            except ZeroDivisionError:
                continue
            if all(
                abs(value - wanted) <= 0.01 * max(abs(wanted), 1e-9) for value, wanted in zip(made, target, strict=True)
            ):
                return order, relation
    return None


def attribute_change(
    target: str,
    changes: Mapping[str, tuple[float, float]],
    made: tuple[tuple[str, ...], Relation],
    *,
    asked: set[str],
    cites: tuple[str, ...],
) -> Reading:
    """Return the form that attributes the change of a figure to the parts that make it up."""
    order, (word, make) = made
    worths = []
    for size in range(1, len(order) + 1):
        for members in combinations(order, size):
            value = make([changes[name][int(name in members)] for name in order])
            worths.append({"members": list(members), "value": value - make([changes[name][0] for name in order])})
    problem = {"kind": "coalition", "players": list(order), "values": worths}

    def conclude(result: MethodResult[Any]) -> Upshot:
        effects = {name: float(value) for name, value in result.answer.shapley.items()}
        total = sum(effects.values())
        ranked = sorted(effects, key=lambda one: -effects[one] * (1 if total >= 0 else -1))
        named = [name for name in order if stems(name) <= asked]
        shown = join_items(f"{name} {_format_signed(effects[name], target, changes)}" for name in ranked)
        if len(named) == 1:
            share = f" ({effects[named[0]] / total:.0%} of it)" if total else ""
            sentence = (
                f"{_format_signed(effects[named[0]], target, changes)} of the change in {target} is due "
                f"to {named[0]}{share}; all parts: {shown}."
            )
            return Upshot(sentence, effects[named[0]], 1.0)
        best = ranked[0]
        way = "fall" if total < 0 else "rise"
        return Upshot(
            f"The {way} of {target} comes from {best}: {shown}, together {_format_signed(total, target, changes)}.",
            best,
            1.0,
            "what in turn moved the parts is not in these figures.",
        )

    figures = join_items(f"{name} {figure(a)} to {figure(b)}" for name, (a, b) in changes.items())
    whole = f" {word} ".join(order)
    assumes = "what two parts do together is split evenly (Shapley)"
    return FilledForm("game-theory", problem, f"{figures}; {target} is {whole}", conclude, cites, assumes)


def _format_signed(value: float, target: str, changes: Mapping[str, tuple[float, float]]) -> str:
    small = max(abs(one) for one in changes[target]) <= 1
    return f"{100 * value:+.1f} points" if small else f"{'+' if value >= 0 else '-'}{figure(abs(value), 6)}"


def _held_change(q: Phrasing, held: Holdings) -> Reading:
    """Read why a figure of the agent changed last: other figures that multiply or add up to it all the time."""
    series = held_series(q, held)
    if (
        series is None
        or len(series.values) < 4
        or not q.has(r"\blast\b|\blatest\b|\bdid\b|\bfall\b|\bfell\b|\bdrop\w*\b|\brose\b|\brise\b|\bdown\b|\bup\b")
    ):
        return None
    if q.has(r"\b(?:in|since|during|before|after|last year|this year)\b (?!last month)") and not q.has(
        r"\blast month\b"
    ):
        return None
    others = [one for one in held.series.values() if one.name != series.name and len(one.values) == len(series.values)]
    for pair in permutations(others, 2):
        for relation in _RELATIONS[:3]:
            made = [relation[1](values) for values in zip(*(one.values for one in pair), strict=True)]
            if all(abs(a - b) <= 0.005 * max(abs(b), 1e-9) for a, b in zip(made, series.values, strict=True)):
                return _explained_change(q, series, pair, relation)
    name, (before, now) = humanize_name(series.name), series.values[-2:]
    known = f"{name} went from {figure(before)} to {figure(now)} ({'+' if now >= before else ''}{figure(now - before)})"
    return MissingFields("game-theory", (f"the figures that {name} is made of",), known)


def _explained_change(q: Phrasing, series: HeldSeries, parts: Sequence[HeldSeries], relation: Relation) -> Reading:
    changes = {humanize_name(one.name): (one.values[-2], one.values[-1]) for one in (series, *parts)}
    start, end = changes[humanize_name(series.name)]
    falls, rises = (q.has(WORDS["moved"]), q.has(r"\b(?:rise|rose|up|increas\w*|grow\w*|grew|higher)\b"))
    name = humanize_name(series.name)
    if (falls and end >= start) or (rises and end <= start):
        q.use_question()
        return build_calculation(
            {"before": start, "now": end},
            "now - before",
            "change",
            f"{name} {figure(start)} to {figure(end)}",
            lambda value: Upshot(
                f"It did not: {name} went from {figure(start)} to {figure(end)} ({figure(value)}).", "no", 1.0
            ),
            cites=(series.source or series.name,),
        )
    q.use_question()
    return attribute_change(
        name,
        changes,
        (tuple(humanize_name(one.name) for one in parts), relation),
        asked=set(),
        cites=tuple(one.source or one.name for one in (series, *parts)),
    )
