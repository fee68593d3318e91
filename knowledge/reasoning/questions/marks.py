"""Marks of options by weighted criteria: the winner, and the weight at which another one takes over."""

import re
from collections.abc import Mapping, Sequence

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.criteria import build_comparison, direction
from mabos.knowledge.reasoning.questions.forms import Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, join_items, percent, stems

WORDS = packaged_yaml("reasoning_words.yaml")["marks"]
_FILLS = re.compile(WORDS["fills"])
_ENDS = re.compile(r"[,;:.()]|\s[-–—]\s|\band\b|\bbut\b")
_STOP = frozenset(WORDS["no_name"].split())


def read_marks(q: Phrasing, _held: Holdings) -> Reading:  # noqa: PLR0911, PLR0912  # one for each thing unclear
    """Read the weights of criteria, and each option's marks by criterion, by name or in order."""
    if not q.has(WORDS["asks"]) or q.has(WORDS["never"]):
        return None
    found = [one for one in slots(q) if not _is_scale(q, one)]
    given = _weight_figures(q, found)
    limit = q.search(WORDS["limit"])
    prices = [one for one in found if limit and one.value > 10 and one.kind == "n" and one not in given]
    marks = [one for one in found if one not in [*given, *prices] and one.kind == "n"]
    times = [one for one in found if one.kind == "t"]
    if len(given) + len(marks) + len(times) + len(prices) < len(found) or not marks:
        return None
    weights = _weights(q, given)
    rows = _rows(q, [*marks, *times, *prices], set(weights or ()))
    priced = {name: [one.value for one in row if one in prices] for name, row in rows.items()}
    rows = {name: [one for one in row if one not in prices] for name, row in rows.items()}
    if len(rows) < 2 or weights is None:
        return None
    names = list(weights) or _labels(rows)
    if not weights and len(set(names)) < len(names):
        names = _list_criteria(q)
    values = [one for row in rows.values() for one in _marks(row)]
    is_raw = any(one.span or one.value > 100 for one in values) or (
        max(one.value for one in values) > 10 and not q.has(WORDS["scale"])
    )
    more = {name: direction(name) if is_raw else True for name in names}
    if len(names) < 2 or min(one.value for one in values) < 0 or (is_raw and None in more.values()):
        return None
    options, lacking = _options(rows, names)
    if options is None:
        return None
    if lacking:
        return MissingFields("expected-utility", tuple(lacking), settles=True)
    if heavy := q.search(WORDS["heavy"]):
        named = [name for name in names if stems(heavy["name"]) & stems(name)]
        factor = {"double": 2.0, "twice": 2.0, "most": float(len(names))}.get(heavy["how"].lower(), 3.0)
        weights = {name: factor if name in named else 1.0 for name in names} if len(named) == 1 else weights
    if not weights and not q.has(WORDS["equal"]) and (not is_raw or q.has(WORDS["weighs"])):
        return MissingFields("expected-utility", ("the weight of each criterion",))
    out = _knocked_out(q, rows)
    if limit:
        most, over = q.value(limit["n"]), limit["how"].lower() in ("over", "above", "more than")
        if any(len(one) != 1 for one in priced.values()):
            return None
        out = [name for name, one in priced.items() if (one[0] > most if over else one[0] < most)]
    if out is None or len(out) >= len(options):
        wanted = q.search(WORDS["must"])
        return MissingFields("expected-utility", (f"which options meet “{wanted[0] if wanted else 'it'}”",))
    q.use((0, len(q.plain)))
    for one in q.matches(WORDS["grasps"]):
        q.grasp(one)
    weights = weights or dict.fromkeys(names, 1.0)
    if q.search_asking(WORDS["turn"]) and len(names) == 2 == len(options):
        return _turning_weight(q, options, names)
    left = {name: row for name, row in options.items() if name not in out}
    return build_comparison(
        q, left if len(left) > 1 else options, {name: one is not False for name, one in more.items()}, weights, out=out
    )


def _is_scale(q: Phrasing, one: FigureSlot) -> bool:
    """Return whether a figure only says what marks there are, or how many things: "out of 10", "three systems"."""
    if one.kind == "n" and not q.in_digits(q.plain[slice(*one.at)]):
        return True
    return bool(re.search(WORDS["scale_before"], one.before, re.I) or re.match(WORDS["scale_after"], one.after, re.I))


def _marks(row: Sequence[FigureSlot]) -> list[FigureSlot]:
    return [one for one in row if one.kind == "n"]


def _weight_figures(q: Phrasing, found: Sequence[FigureSlot]) -> list[FigureSlot]:
    """Return the figures that are weights: all shares, or the plain numbers of a sentence about weights."""
    if shares := [one for one in found if one.kind == "p"]:
        return shares
    spans = [(a, b) for a, b in q.sentences() if re.search(WORDS["weighs"], q.plain[a:b], re.I)]
    ends = [(a, min([b, *(a + mark.start() for mark in re.finditer(r": [A-Z]", q.plain[a:b]))])) for a, b in spans]
    return [one for one in found if one.kind == "n" and any(a <= one.at[0] < b for a, b in ends)]


def _bare(head: str) -> str:
    """Return the name of an option without words that only begin a sentence."""
    words = head.split()
    while words and words[0].lower() in _STOP:
        words = words[1:]
    return " ".join(words)


def _rows(q: Phrasing, figures: Sequence[FigureSlot], criteria: set[str]) -> dict[str, list[FigureSlot]]:
    """Return the figures of each option: another begins where a name stands before a figure."""
    rows, name = dict[str, list[FigureSlot]](), ""
    at = 0
    for one in sorted(figures, key=lambda each: each.at):
        heads = [_bare(head) for head in re.findall(WORDS["head"], q.plain[at : one.at[0]])]
        heads = [head for head in heads if head and head.lower() not in criteria]
        at = one.at[1]
        if heads and heads[-1] != name and heads[-1] not in rows:
            name = heads[-1]
        if name:
            rows.setdefault(name, []).append(one)
    return {name: row for name, row in rows.items() if _marks(row)}


def _weights(q: Phrasing, given: Sequence[FigureSlot]) -> dict[str, float] | None:
    """Return the weight of each criterion by its name; none where none is given, None where they do not fit."""
    if not given:
        return _said_weights(q)
    names = [_name(_ENDS.split(one.before)[-1]) or _name(_ENDS.split(one.after)[0]) for one in given]
    if len(set(names) - {""}) < len(names):
        names = _list_criteria(q)
    values = [one.value for one in given]
    half = q.search(WORDS["half"])
    if half and given[0].kind == "p" and abs(sum(values) - 0.5) < 1e-6:
        names, values = [_name(half["name"]), *names], [0.5, *values]
    if half and given[0].kind == "p" and abs(sum(values) - 1) > 1e-6:
        return None
    if len(names) != len(values) or not all(names) or (given[0].kind == "p" and abs(sum(values) - 1) > 1e-3):
        return None
    return dict(zip(names, values, strict=True))


def _list_criteria(q: Phrasing) -> list[str]:
    """Return the criteria of a list: "scored on price, ease of use and support"."""
    listed = q.search(WORDS["listed"])
    return [_name(part) for part in re.split(r",\s*(?:and\s+)?|\s+and\s+|\s/\s", listed["what"])] if listed else []


def _said_weights(q: Phrasing) -> dict[str, float] | None:
    """Return weights that words relate: "quality matters twice as much as price, delivery as much as price"."""
    factors = {"twice": 2.0, "double": 2.0, "three times": 3.0, "triple": 3.0, "half": 0.5, "four times": 4.0}
    told = [
        (_name(one["a"]), _name(one["b"]), factors.get((one["how"] or "").lower(), 1.0))
        for one in q.matches(WORDS["related"])
    ]
    weights = {told[0][1]: 1.0} if told else {}
    for _ in told:
        for a, b, factor in told:
            if b in weights and a not in weights:
                weights[a] = factor * weights[b]
            elif a in weights and b not in weights:
                weights[b] = weights[a] / factor
    return weights if len(weights) == len({name for a, b, _ in told for name in (a, b)}) and all(weights) else None


def _name(text: str) -> str:
    """Return the name of a criterion in a text."""
    return " ".join(_FILLS.sub(" ", text).lower().replace("«", " ").split()[-3:])


def _labels(rows: Mapping[str, Sequence[FigureSlot]]) -> list[str]:
    """Return the criteria that the first row names."""
    name, first = next(iter(rows.items()))
    return [
        _name(_ENDS.split(one.before.replace(name, ""))[-1]) or _name(_ENDS.split(one.after)[0])
        for one in _marks(first)
    ]


def _options(
    rows: Mapping[str, Sequence[FigureSlot]], names: Sequence[str]
) -> tuple[dict[str, dict[str, float]] | None, list[str]]:
    """Return the marks of each option, and those that are missing; None where a mark has no criterion."""
    order, options, lacking = list(names), dict[str, dict[str, float]](), list[str]()
    for head, row in rows.items():
        ways = [[_criterion(one, names, head, is_behind=side) for one in _marks(row)] for side in (True, False)]
        named = next(
            (way for way in ways if all(way) and len(set(way)) == len(way)),
            [a or b for a, b in zip(*ways, strict=True)],
        )
        if all(named) and len(set(named)) == len(named):
            order = named if len(named) == len(names) else order
        elif any(named) or len(named) not in (len(names), len(names) - 1):
            return None, []
        elif len(named) < len(names):
            return {}, [f"a mark of {head} for each of {join_items(names)}"]
        else:
            named = order
        if len(named) > len(names):
            return None, []
        options[head] = dict(zip(named, (one.value for one in _marks(row)), strict=True))
        lacking += [f"{name} of {head}" for name in names if name not in options[head]]
    return options, lacking


def _criterion(slot: FigureSlot, names: Sequence[str], head: str, *, is_behind: bool) -> str:
    """Return the criterion that a mark names behind or before it."""
    words = stems(_ENDS.split(slot.after)[0] if is_behind else _ENDS.split(slot.before)[-1].replace(head, ""))
    scores = {name: len(stems(name) & words) for name in names}
    best = max(scores, key=lambda one: scores[one])
    return best if scores[best] and [*scores.values()].count(scores[best]) == 1 else ""


def _knocked_out(q: Phrasing, rows: Mapping[str, Sequence[FigureSlot]]) -> list[str] | None:
    """Return the options that a condition rules out; None where it is not said which do not meet it."""
    bound = q.search(WORDS["bound"])
    if bound:
        limit, too_low = q.value(bound["t"]), bound["how"].lower() in ("before", "earlier than")
        at = {
            name: next((one.value for one in row if one.kind == "t" and one.at[0] != bound.start("t")), None)
            for name, row in rows.items()
        }
        return [
            name for name, value in at.items() if value is not None and (value < limit if too_low else value > limit)
        ]
    out = [name for name in rows if re.search(rf"\b{re.escape(name)}\b{WORDS['lacks']}", q.plain)]
    if q.has(WORDS["must"]):
        return out or None
    return [] if not out else None


def _turning_weight(q: Phrasing, options: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Reading:
    """Return from which weight of a criterion on the order of two options turns."""
    asked = next((name for name in names if stems(name) & stems(q.question)), names[0])
    other = next(name for name in names if name != asked)
    (one, a), (two, b) = options.items()
    gap, rest = a[asked] - b[asked], a[other] - b[other]
    if gap * rest >= 0:
        better = one if gap + rest > 0 else two
        return build_calculation(
            {"gap": gap, "rest": rest},
            "gap + rest",
            "lead",
            f"{one} and {two}",
            lambda value: Upshot(f"Never: {better} is at least as good in both.", value),
        )
    ahead, behind = (one, two) if gap > 0 else (two, one)

    def conclude(weight: float) -> Upshot:
        turn = f"{ahead} is ahead above it, {behind} below it"
        return Upshot(f"At a weight of {percent(weight)} for {asked} they are equal: {turn}.", weight, 1.0)

    shown = "; ".join(
        f"{name}: {join_items(f'{c} {figure(v)}' for c, v in row.items())}" for name, row in options.items()
    )
    return build_calculation(
        {"gap": gap, "rest": rest},
        "0 - rest / (gap - rest)",
        "weight",
        shown,
        conclude,
        assumes="the weights make up a whole",
    )
