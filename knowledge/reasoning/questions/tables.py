"""Rows of figures in words: marks of options by weighted criteria, and products that share what is scarce."""

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.linear import Solution, maximise
from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.criteria import build_comparison
from mabos.knowledge.reasoning.questions.forms import Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, slots
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, figure, join_items, stem, stems

WORDS = packaged_yaml("reasoning_words.yaml")["tables"]

_FILLS = re.compile(WORDS["fills"])
_MUST = re.compile(WORDS["must"], re.I)
_LACKS = r"[^.;,«]*?\b(?:(?:do|does|is|has|have|can|did)(?: not|n['’]t)|cannot|no|lacks?|fails?|without)\b"


def read_marks(q: Phrasing, _held: Holdings) -> Reading:  # noqa: PLR0911  # one return for each thing unclear
    """Read weights of criteria, and for each option one mark by each of them, by name or in their order."""
    if not q.has(r"\b(?:which|who|whom|what|rank|best|choose|top|ahead|wins?|order)\b"):
        return None
    found = [one for one in slots(q) if not re.search(r"\bout of\s*$|/\s*$", one.before)]
    count = next((n for n in range(2, 7) if _is_whole(q, found[:n])), 0)
    start = 0
    if not count:  # "three places": a mere count goes before the weights
        start = 1
        count = next((n for n in range(2, 7) if _is_whole(q, found[1 : n + 1])), 0)
    if not count:
        return None
    given = found[start : start + count]
    names = [_name(one.before) or one.noun for one in given]
    weights = {name: one.value for name, one in zip(names, given, strict=True)}
    if half := re.search(
        r"\b(?P<name>[a-z -]+?) (?:counts?|weighs?|is|makes? up|has|for|at) (?:for )?half\b", q.plain, re.I
    ):
        weights = {_name(half["name"]): 0.5, **weights}
    options = _rows(q, found[start + count :], list(weights))
    if options is None or len(options) < 2 or not all(weights):
        return None
    limit = 10 if max(max(one.values()) for one in options.values()) <= 10 else 100
    if any(not 0 <= value <= limit for one in options.values() for value in one.values()):
        return None
    out = [name for name in options if re.search(rf"\b{re.escape(name)}\b{_LACKS}", q.plain)]
    if must := _MUST.search(q.plain):
        if not out or len(out) > len(options) - 1:
            return MissingFields(
                "expected-utility", (f"which options meet “{q.written(q.plain[must.start() :].partition('.')[0])}”",)
            )
    elif out or q.has(r"\b(?:lower|less|1|one) is (?:the )?be(?:tter|st)\b|\bminimum\b|\bat least\b"):
        return None
    q.use((0, len(q.plain)))
    if len(left := {name: row for name, row in options.items() if name not in out}) == 1:
        left = options
    return build_comparison(q, left, dict.fromkeys(weights, True), weights, out=out)


def _name(text: str) -> str:
    """Return the name of a criterion at the end of a text."""
    last = re.split(r"[,;:.(]|\s[-–—]\s|\band\b", text)[-1]
    return " ".join(_FILLS.sub(" ", last).lower().split()[-3:])


def _is_whole(q: Phrasing, given: Sequence[FigureSlot]) -> bool:
    """Return whether figures are weights: shares or numbers that make up a whole, with a "half" in words."""
    if len({one.kind for one in given}) != 1 or len(given) < 1:
        return False
    whole = sum(one.value for one in given)
    if given[0].kind == "p":
        return abs(whole - 1) < 1e-6 or (abs(whole - 0.5) < 1e-6 and q.has(r"\bhalf\b"))
    return len(given) > 1 and min(abs(whole - 100), abs(whole - 1)) < 1e-6


def _rows(q: Phrasing, found: Sequence[FigureSlot], names: Sequence[str]) -> dict[str, dict[str, float]] | None:
    """Return the marks of each option; the first row may name the criteria in another order than the weights do."""
    width = len(names)
    while len(found) % width and found and not q.plain[slice(*found[-1].at)].startswith("«p"):
        if q.written(q.plain[slice(*found[-1].at)])[:1].isdigit():
            return None
        found = found[:-1]  # "the other two do"
    order, options = list(names), dict[str, dict[str, float]]()
    for place in range(0, len(found), width):
        row = found[place : place + width]
        heads = re.findall(
            WORDS["heads"],
            row[0].before,
        )
        named = [_criterion(one, names, heads[-1] if heads else "") for one in row]
        if all(named) and len(set(named)) == width:
            order = [one for one in named if one] if not options else order
        elif any(named) or len(row) < width:
            return None
        if not heads or heads[-1] in options or any(one.kind != "n" for one in row):
            return None
        options[heads[-1]] = dict(zip(named if all(named) else order, (one.value for one in row), strict=True))
    return options


def _criterion(slot: FigureSlot, names: Sequence[str], head: str) -> str:
    """Return the criterion that a mark names behind or before it."""
    behind = stems(re.split(r"[,;.]|\band\b", slot.after)[0])
    before = stems(re.split(r"[,;.:]|\band\b|«", slot.before)[-1].replace(head, ""))
    for words in (behind, before):
        named = [name for name in names if stems(name) & words]
        if len(named) == 1:
            return named[0]
    return ""


_PRODUCT = r"(?!to\b|hours?\b|minutes?\b)[a-z][a-z-]*(?: (?!and\b)[a-z-]+)?"
_HOURS = {"hour": 60.0, "minute": 1.0, "min": 1.0}
_BRINGS: str = WORDS["brings"]
_NEEDS = r"(?:needs?|takes?|uses?|requires?|costs?|eats?(?: up)?|consumes?)"
_MANY = rf"(?:(?P<n>{NUMBER})|(?P<half>half an?|a half)|(?P<quarter>a quarter of an)|an?|one)"


def read_mix(q: Phrasing, _held: Holdings) -> Reading:
    """Read what each product brings and needs, and how much there is: how many of each bring the most."""
    if not q.has(r"\b(?:how many|how much|what (?:should|do|mix)|which mix|best mix|most)\b") or q.has(
        r"\bat least\b|\bif\b"
    ):
        return None
    heads = list(
        re.finditer(
            rf"\b(?:an?|one|each|per|every|the) (?P<name>{_PRODUCT}),? {_BRINGS} (?=«)|"
            rf"\b(?:an?|one|each|every) (?P<other>{_PRODUCT}) {_NEEDS} (?=«|an?\b|half\b)",
            q.plain,
            re.I,
        )
    )
    starts = dict[str, int]()
    for one in heads:
        starts.setdefault((one["name"] or one["other"]).lower(), one.start())
    if not 2 <= len(starts) <= 3:
        return None
    ends = [
        *list(starts.values())[1:],
        next((b for a, b in q.sentences() if b > list(starts.values())[-1]), len(q.plain)),
    ]
    gains, needs, used = dict[str, float](), dict[str, dict[str, float]](), list[tuple[int, int]]()
    for (name, start), end in zip(starts.items(), ends, strict=True):
        text = q.plain[start:end]
        gain = re.search(rf"\b{_BRINGS} (?P<n>{NUMBER})", text, re.I)
        if gain is None:
            return None
        gains[name] = q.value(gain["n"])
        used.append((start + gain.start("n"), start + gain.end("n")))
        needs[name] = {}
        for one in re.finditer(rf"(?:\b{_NEEDS} |,? and |, ){_MANY} (?P<unit>[a-z]+)", text, re.I):
            if one.start("n") == gain.start("n") and one["n"]:
                continue
            if (
                one["n"] or one["half"] or one["quarter"] or re.match(r"hours?|minutes?", one["unit"], re.I)
            ) and not re.match(rf"{_BRINGS}\b", one["unit"], re.I):
                unit, amount = _scarce(
                    one["unit"],
                    q.value(one["n"]) if one["n"] else 0.5 if one["half"] else 0.25 if one["quarter"] else 1.0,
                )
                needs[name][unit] = amount
                used.append((start + one.start(), start + one.end()))
    return _best_mix(q, gains, needs, used)


def _scarce(unit: str, amount: float) -> tuple[str, float]:
    """Return a unit and an amount, times in minutes."""
    name = stem(unit)
    factor = next((value for word, value in _HOURS.items() if stem(word) == name), 0.0)
    return ("time", amount * factor) if factor else (name, amount)


def _best_mix(
    q: Phrasing, gains: Mapping[str, float], needs: Mapping[str, dict[str, float]], used: list[tuple[int, int]]
) -> Reading:
    """Return the form of the best whole numbers within the limits, which are the figures that are left."""
    names, limits, caps = list(gains), dict[str, float](), dict[str, float]()
    left = [one for one in re.finditer(ANY, q.plain) if not any(a <= one.start() < b for a, b in used)]
    for one in left:
        words = re.findall(r"[a-z]+", q.plain[one.end() :][:30].lower())[:2]
        named = [name for name in names if any(each in (name, _plural(name, 2)[2:]) for each in words)]
        scarce = [_scarce(each, q.value(one[0])) for each in words]
        unit, amount = next((each for each in scarce if any(each[0] in row for row in needs.values())), ("", 0.0))
        if len(named) == 1 and not unit:
            caps[named[0]] = q.value(one[0])
        elif unit and unit not in limits:
            limits[unit] = amount
        else:
            return None
    units = {unit for row in needs.values() for unit in row}
    if (lacking := sorted(units - set(limits))) or not units:
        return MissingFields("interventional", tuple(f"how much {one} there is" for one in lacking)) if limits else None
    rows = [
        ([Fraction(str(needs[name].get(unit, 0))) for name in names], Fraction(str(limits[unit])))
        for unit in sorted(units)
    ]
    rows += [([Fraction(int(name == other)) for name in names], Fraction(str(caps[other]))) for other in caps]
    best = maximise([Fraction(str(gains[name])) for name in names], rows, [], Budget(2.0))
    if not isinstance(best, Solution):
        return None
    around = product(*(range(max(0, int(one) - 12), int(one) + 13) for one in best.at))
    fits = [
        point
        for point in around
        if all(sum(a * x for a, x in zip(row, point, strict=True)) <= bound for row, bound in rows)
    ]
    whole = max(fits, key=lambda point: sum(gains[name] * x for name, x in zip(names, point, strict=True)))
    q.use((0, len(q.plain)))
    plural = [_plural(name, count) for name, count in zip(names, whole, strict=True)]
    given = {
        f"{name} {kind}": value
        for name, x in zip(names, whole, strict=True)
        for kind, value in (("number", float(x)), ("gain", gains[name]))
    }
    expression = " + ".join(
        f"{name}_number * {name}_gain".replace(" ", "_").replace("-", "_").replace("_*_", " * ") for name in names
    )
    shown = "; ".join(
        f"{name}: {figure(gains[name])}, " + join_items(f"{figure(n)} {unit}" for unit, n in needs[name].items())
        for name in names
    )
    limits |= {f"{name} at most": n for name, n in caps.items()}
    echo = f"{shown}; there is {join_items(f'{figure(n)} {unit}' for unit, n in limits.items())}"
    return build_calculation(
        given,
        expression,
        "total",
        echo,
        lambda value: Upshot(f"{join_items(plural)}, which brings {figure(value)}.", value, 1.0),
        assumes="whole numbers, and all that is made is sold",
    )


def _plural(name: str, count: int) -> str:
    ending = (
        name[:-1] + "ies"
        if name.endswith("y") and count != 1
        else name + ("es" if name.endswith(("s", "x", "ch")) else "s")
    )
    return f"{count} {name if count == 1 else ending}"


def read_blend(q: Phrasing, _held: Holdings) -> Reading:
    """Read a total, a price for each part and least shares: the cheapest mixture."""
    found = slots(q)
    prices = dict[str, float]()
    for one in re.finditer(rf"(?P<name>[a-z]+) (?:\(|at |costs? |for |cost )(?P<n>{NUMBER})", q.plain, re.I):
        prices[one["name"].lower()] = q.value(one["n"])
    least = {
        one["name"].lower(): (q.value(one["p"]), bool(one["most"]))
        for one in re.finditer(
            WORDS["bounds"],
            q.plain,
            re.I,
        )
    }
    totals = [one for one in found if one.kind == "n" and one.value not in prices.values()]
    if (
        not 2 <= len(prices) <= 5
        or not least
        or len(totals) != 1
        or len(found) != len(prices) + len(least) + 1
        or not set(least) <= set(prices)
    ):
        return None
    if not q.has(r"\bcheap\w*|\bleast\b[^.?]*\bcost\b|\blowest\b"):
        return None
    total, names = totals[0].value, list(prices)
    rows = [
        (
            [Fraction((1 if most else -1) * int(name == other)) for name in names],
            Fraction(str((1 if most else -1) * share * total)),
        )
        for other, (share, most) in least.items()
    ]
    best = maximise(
        [-Fraction(str(prices[name])) for name in names],
        rows,
        [([Fraction(1)] * len(names), Fraction(str(total)))],
        Budget(2.0),
    )
    if not isinstance(best, Solution):
        return None
    q.use((0, len(q.plain)))
    shown = join_items(f"{figure(float(x))} {name}" for name, x in zip(names, best.at, strict=True) if x)
    given = {
        f"{name} {kind}": value
        for name, x in zip(names, best.at, strict=True)
        for kind, value in (("amount", float(x)), ("price", prices[name]))
    }
    expression = " + ".join(f"{name}_amount * {name}_price" for name in names)
    bounds = join_items(f"{name} at {'most' if most else 'least'} {share:.0%}" for name, (share, most) in least.items())
    echo = f"{figure(total)} in all; prices {join_items(f'{name} {figure(n)}' for name, n in prices.items())}; {bounds}"
    return build_calculation(
        given, expression, "total", echo, lambda value: Upshot(f"{shown}, which costs {figure(value)}.", value, 1.0)
    )
