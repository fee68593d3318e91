"""Two periods in words: the effect of volumes and prices on a total, and of a shift between parts on a rate."""

import re
from collections.abc import Sequence
from functools import partial
from itertools import combinations, permutations

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.changes import PRODUCT, attribute_change
from mabos.knowledge.reasoning.questions.forms import Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import FigureSlot, distinct, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, percent

WORDS = packaged_yaml("reasoning_words.yaml")["periods"]
_ASKS: str = packaged_yaml("reasoning_words.yaml")["changes"]["asks"]
_CHANGES: str = WORDS["changes"]


def read_periods(q: Phrasing, _held: Holdings) -> Reading:
    """Read the figures of two periods: volumes and prices, or the rates and weights of two parts."""
    if not q.has(_ASKS) or not q.has(_CHANGES) or q.has(WORDS["never"]):
        return None
    found, _ = distinct(slots(q))
    return _shifted_mix(q, found) or _amounts_mix(q, found) or _price_and_number(q, found)


def _price_and_number(q: Phrasing, found: Sequence[FigureSlot]) -> Reading:
    """Read a count and a price of each of two periods, with or without their product."""
    if not 4 <= len(found) <= 8 or any(one.kind != "n" for one in found):
        return None
    pairs_of = [(a, b) for a, b in combinations(found, 2)]
    totals = [one for one in found if any(_is_product(one, a, b) for a, b in pairs_of if one not in (a, b))]
    figures = [one for one in found if one not in totals]
    worths = [a.value * b.value for a, b in combinations(figures, 2)]
    gaps = [abs(a - b) for a, b in combinations([*worths, *(one.value for one in totals)], 2)]
    figures = [
        one for one in figures if len(figures) <= 4 or not any(abs(one.value - gap) < 1e-6 * gap for gap in gaps)
    ]
    if len(figures) == 3 and len(totals) == 1 and q.search_asking(WORDS["split"]):
        known = [one for one in figures if any(_is_product(totals[0], one, other) for other in figures)]
        what = next((one.noun for one in known if one.noun), "units")
        lacks = f"the number of {what} in the other period (this year, say), or the average price then"
        return MissingFields("game-theory", (lacks,), settles=True)
    if len(figures) != 4:
        return None
    pairs = []
    for pair in (figures[:2], figures[2:]):
        counted = [one for one in pair if one.noun and not _is_price(one)]
        priced = [one for one in pair if _is_price(one)]
        if len(priced) != 1 or len(counted) > 1 or (counted and counted[0] is priced[0]):
            return None
        pairs.append((next(one for one in pair if one is not priced[0]), priced[0]))
    (n1, p1), (n2, p2) = pairs
    what = "volume" if q.has(r"\bvolume\b") else n1.noun or n2.noun or "number"
    each = "price" if q.has(r"\bprices?\b") else "amount of each"
    q.use((0, len(q.plain)))
    changes = {
        "total": (n1.value * p1.value, n2.value * p2.value),
        what: (n1.value, n2.value),
        each: (p1.value, p2.value),
    }
    return attribute_change("total", changes, ((what, each), PRODUCT), asked=set(), cites=())


def _is_product(one: FigureSlot, a: FigureSlot, b: FigureSlot) -> bool:
    return one.value > max(a.value, b.value) > 1 and abs(a.value * b.value - one.value) <= 0.005 * one.value


def _is_price(one: FigureSlot) -> bool:
    """Return whether a figure is a price for each: "at 20", "24 each", "paid 20 on average"."""
    return bool(re.search(WORDS["price_before"], one.before) or re.match(WORDS["price_after"], one.after))


def _shifted_mix(q: Phrasing, found: Sequence[FigureSlot]) -> Reading:
    """Read an overall rate before and after, the rates of two parts, and how much of the whole each was and is.

    The figures prove their roles: weights times rates come to the overall rates, before and after.
    """
    overall = re.search(WORDS["overall"], q.plain)
    pair = [one for one in found if overall and one.at[0] in (overall.start(1), overall.start(2))]
    if len(pair) != 2:
        return None
    shares = [one for one in found if one.kind == "p" and one not in pair]
    numbers = [one for one in found if one.kind == "n" and one not in pair]
    rest, counts = (shares, numbers) if pair[0].kind == "p" else ([*numbers, *shares], [])
    if len(counts) not in (0, 4):
        return None
    for way in _ways(rest, counts):
        (r1, s1), (r2, s2), (w1, w2) = way
        if all(
            abs(w * r + (1 - w) * s - one.value) < 0.0006 + 0.01 * abs(one.value)
            for w, r, s, one in ((w1, r1.value, r2.value, pair[0]), (w2, s1.value, s2.value, pair[1]))
        ):
            return _mix(q, pair, (r1, r2), (s1, s2), (w1, w2))
    return None


_Way = tuple[tuple[FigureSlot, FigureSlot], tuple[FigureSlot, FigureSlot], tuple[float, float]]


def _ways(rest: Sequence[FigureSlot], counts: Sequence[FigureSlot]) -> list[_Way]:
    """Return the ways in which figures may be the rates of two parts, before and after, and the first part's weight."""
    found = list[_Way]()
    for size in (4, 2):
        for picked in permutations(rest, size) if len(rest) <= 8 else ():
            left = [one for one in rest if one not in picked]
            first, second = (
                ((picked[0], picked[1]), (picked[2], picked[3]))
                if size == 4
                else ((picked[0], picked[0]), (picked[1], picked[1]))
            )
            if first[0].at > second[0].at or first[0].at > first[1].at or second[0].at > second[1].at:
                continue
            if counts and not left:
                a, b, c, d = (one.value for one in counts)
                found += [(first, second, (a / (a + b), c / (c + d))), (first, second, (a / (a + c), b / (b + d)))]
            elif not counts and 2 <= len(left) <= 4 and all(one.kind == "p" for one in left):
                before, after = left[0].value, left[len(left) // 2 if len(left) == 4 else 1].value
                found += [(first, second, (before, after))]
    return found


def _amounts_mix(q: Phrasing, found: Sequence[FigureSlot]) -> Reading:
    """Read what each of two things brings, and how many of each there were in two periods, as many in all."""
    for each in combinations(found, 2):
        counts = [one for one in found if one not in each]
        (a, b), numbers = (one.value for one in each), [one.value for one in counts[:4]]
        if len(counts) not in (4, 5, 6) or any(one.kind != "n" for one in found) or max(a, b) >= min(numbers):
            continue
        (n1, n2, k1, k2), whole = numbers, numbers[0] + numbers[1]
        if whole != k1 + k2 or any(one.value != whole for one in counts[4:]) or each[1].at[0] > counts[0].at[0]:
            continue
        first, second = counts[0].noun or "the first", counts[1].noun or "the second"
        more, fewer = (first, second) if k1 > n1 else (second, first)
        change = a * (k1 - n1) + b * (k2 - n2)
        q.use((0, len(q.plain)))
        made = f"{figure(abs(change))} {'less' if change < 0 else 'more'}"
        says = f"It is the mix: more {more} and fewer {fewer}, at {figure(whole)} in all as before. That makes {made}."
        shown = (
            f"{figure(a)} and {figure(b)} each; {figure(n1)} and {figure(n2)} before, {figure(k1)} and {figure(k2)} now"
        )
        given = {"one": a, "other": b, "moved": k1 - n1}
        return build_calculation(given, "(one - other) * moved", "change", shown, partial(Upshot, says))
    return None


def _mix(
    q: Phrasing,
    pair: Sequence[FigureSlot],
    before: tuple[FigureSlot, FigureSlot],
    after: tuple[FigureSlot, FigureSlot],
    weights: tuple[float, float],
) -> Reading:
    names = [
        re.findall(
            r"[a-zA-Z][\w-]+",
            re.sub(
                r"(?i)\b(?:always|make|makes|and|in|the|from|both|went|up|is|at|to|was|has|have|bring\w*|are|rate|of)\b",
                " ",
                one.before,
            ),
        )
        for one in before
    ]
    behind = [re.match(r"\s*(?:for|on|with) (?:the |our )?(?P<name>\w+)", one.after) for one in before]
    first, second = (
        after["name"] if after else words[-1].lower() if words else f"part {place}"
        for place, (words, after) in enumerate(zip(names, behind, strict=True), 1)
    )  # fmt: skip
    (r1, r2), (w1, w2) = (before[0].value, before[1].value), weights
    mix = (w2 - w1) * (r1 - r2)
    q.use((0, len(q.plain)))
    more, low = (first, r1 < r2) if w2 > w1 else (second, r2 < r1)
    whole = pair[1].value - pair[0].value
    worse = [name for name, a, b in ((first, before[0], after[0]), (second, before[1], after[1])) if b.value < a.value]
    parts = "no part by itself got worse" if not worse else f"{' and '.join(worse)} got worse too"
    is_share = pair[0].kind == "p"
    show = percent if is_share else figure
    moved = (
        f"{100 * mix:+.1f} of the {100 * whole:+.1f} points" if is_share else f"{figure(mix)} of the {figure(whole)}"
    )
    says = (
        f"It is the mix: {more} is now {percent(w2 if more == first else 1 - w2)} of the whole, up from "
        f"{percent(w1 if more == first else 1 - w1)}, and its rate is the {'lower' if low else 'higher'} one. "
        f"That makes {moved}; {parts}. The {'rates' if is_share else 'amounts'} by themselves made "
        + (f"{100 * (whole - mix):+.1f} points." if is_share else f"{figure(whole - mix)}.")
    )
    given = {"share before": w1, "share after": w2, "rate one": r1, "rate two": r2}
    return build_calculation(
        given, "(share_after - share_before) * (rate_one - rate_two)", "mix",
        f"{first} {show(r1)}, {second} {show(r2)}; {first} went from {percent(w1)} to {percent(w2)} of the whole",
        lambda value: Upshot(says, value, 1.0),
    )  # fmt: skip
