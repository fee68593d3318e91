"""Forms from roles: calculations of changes, break-even, total costs, points and causes."""

import re
from collections.abc import Mapping

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.forms import Reading, Upshot
from mabos.knowledge.reasoning.questions.roles import RoleMark
from mabos.knowledge.reasoning.questions.shape_roles import MissingRole, Roles
from mabos.knowledge.reasoning.questions.slots import in_unit
from mabos.knowledge.reasoning.questions.wording import figure, join_items, percent, stems

_ASKED_PERIOD: str = packaged_yaml("reasoning_words.yaml")["sums"]["asked_period"]


def _apply_change(one: RoleMark, base: float, sign: int) -> float | None:
    """Return a figure after a rise or fall by an amount or a share; None for a change in words."""
    if one.slot is None:
        return None
    return base * (1 + sign * one.value) if one.slot.kind == "p" else base + sign * one.value


def build_break_even(r: Roles) -> Reading:  # noqa: PLR0911  # one return for each thing asked
    """Return how many to sell, at which price, the profit of a number, the spare sales, or the time to pay back."""
    if r.ask == "payback":
        return _payback(r)
    rate = ("fixed", "units", "target")
    unit = next(
        (one.slot.period for role in ("fixed", "units") for one in r.of(role) if one.slot and one.slot.period), ""
    )
    asked = re.search(_ASKED_PERIOD, r.q.question, re.IGNORECASE)
    if asked and unit and (asked["unit"] or asked["ly"]).lower()[: len(unit)] != unit:
        return None
    timed = {role: _in_period(r, role, unit) for role in rate}
    fixed, units, target = timed["fixed"], timed["units"], timed["target"]
    if fixed is None:
        raise MissingRole(r.lack("fixed"))
    fixed, goal = fixed or 0.0, target or 0.0
    price, cost, margin, share = (r.get(role) for role in ("price", "unit_cost", "margin", "margin_share"))
    if r.ask == "price":
        if units is None:
            raise MissingRole(r.lack("units"))
        given = {"fixed": fixed, "goal": goal, "cost": r.require("unit_cost"), "units": units}
        return r.sums(given, "cost + (fixed + goal) / units", lambda v: Upshot(f"At a price of {figure(v, 6)}.", v))
    if r.ask == "revenue":
        if share is None and price and (cost is not None or margin is not None):
            share = (price - cost if cost is not None else margin or 0.0) / price
        if share is None:
            raise MissingRole(r.lack("margin_share"))
        if not 0 < share < 1:
            return None
        return r.tell(
            {"fixed": fixed, "goal": goal, "share": share},
            "(fixed + goal) / share",
            f"A turnover of {{v}}{f' a {unit}' if unit else ''}.",
        )
    each = _margin(r)
    if r.ask == "units":
        if each <= 0:
            return r.tell(
                {"each": each}, "each + 0", "Never: each one costs as much as it brings, or more.", short="never"
            )
        given = {"fixed": fixed, "goal": goal, "each": each}

        def number(value: float) -> Upshot:
            whole = round(value) if abs(value - round(value)) < 1e-9 else -(-value // 1)
            text = f"{figure(whole)} units{f' a {unit}' if unit else ''}: each leaves {figure(each)}"
            return Upshot(f"{text} of the {figure(fixed + goal)} to be earned.", value)

        return r.sums(given, "(fixed + goal) / each", number)
    if units is None:
        raise MissingRole(r.lack("units"))
    return _result_of(r, {"fixed": fixed, "each": each, "units": units}, unit)


def _margin(r: Roles) -> float:
    """Return what one leaves; raises `MissingRole` if that is not told."""
    price, cost, margin, share = (r.get(role) for role in ("price", "unit_cost", "margin", "margin_share"))
    if margin is not None:
        return margin
    if price is None:
        raise MissingRole(r.lack("price"))
    if share is not None:
        return price * share
    if cost is None:
        raise MissingRole(r.lack("unit_cost"))
    return price - (price * cost if _is_share(r, "unit_cost") else cost)


def _result_of(r: Roles, given: Mapping[str, float], unit: str) -> Reading:
    """Return the profit or loss of a number of units, and how far that is from breaking even."""
    fixed, each, units = given["fixed"], given["each"], given["units"]
    least = fixed / each if each > 0 else None

    def conclude(value: float) -> Upshot:
        result = f"{'profit' if value >= 0 else 'loss'} of {figure(abs(value))}{f' a {unit}' if unit else ''}"
        if least is None or not fixed:
            return Upshot(f"A {result}.", value)
        spare = (
            f"{figure(abs(units - least))} ({percent(abs(units - least) / units)}) {'fewer' if value >= 0 else 'more'}"
        )
        if r.ask == "profit_at":
            return Upshot(f"A {result}; {figure(least)} are needed to break even, {spare}.", value)
        return Upshot(
            f"It breaks even at {figure(least)}, {spare} than the {figure(units)} now, which bring a {result}.", least
        )

    return r.sums(given, "units * each - fixed", conclude)


def _is_share(r: Roles, role: str) -> bool:
    one = r.mark(role)
    return one is not None and one.slot is not None and one.slot.kind == "p"


def _in_period(r: Roles, role: str, unit: str) -> float | None:
    """Return a figure by a unit of time; raises `LookupError` if that is not exact."""
    one = r.mark(role)
    if one is None or one.slot is None:
        return None
    if not unit or not one.slot.period or one.slot.period == unit:
        return one.value
    factor = in_unit(1.0, unit, one.slot.period)
    if factor is None:
        raise LookupError(role)
    return one.value * factor


def _payback(r: Roles) -> Reading:
    saving = r.mark("saving")
    if saving is None or saving.slot is None:
        raise MissingRole(r.lack("saving"))
    unit = saving.slot.period
    given = {
        "investment": r.require("investment"),
        "saving": saving.value,
        "upkeep": _in_period(r, "upkeep", unit) or 0.0,
    }
    net = given["saving"] - given["upkeep"]
    if net <= 0:
        return r.tell(given, "saving - upkeep", "Never: it costs as much as it brings.", short="never")
    if not unit:
        raise MissingRole("what it saves or brings in which time")
    years = {"month": 12.0, "quarter": 4.0, "week": 52.0, "day": 365.0}.get(unit)
    return r.sums(
        given,
        "investment / (saving - upkeep)",
        lambda v: Upshot(
            f"After {figure(v)} {unit}s{f' ({figure(v / years, 3)} years)' if years and v >= years else ''}.", v
        ),
    )


def build_compare(r: Roles) -> Reading:  # noqa: PLR0911  # one return for each thing asked
    """Return options by their total cost over a time or a number of uses, or by points for criteria."""
    names = r.names()
    if len(names) < 2 and not (r.ask == "total" and names):
        return None
    if r.has("score") and len(names) > 1:
        return _scores(r, names)
    if r.ask == "from_when":
        return _crossing(r, names)
    totals = {name: _total(r, group) for group, name in names.items()}
    ranked = sorted(totals, key=lambda one: totals[one])
    if r.ask == "total":
        asked = r.mark("asked")
        own = (
            [name for name in totals if asked and stems(name) & stems(asked.words)] if len(totals) > 1 else list(totals)
        )
        if len(own) != 1:
            return None
        return r.tell({"total": totals[own[0]]}, "total + 0", f"{own[0]} costs {{v}} in all.")
    best, second = ranked[:2]
    gap = totals[second] - totals[best]
    against = join_items(f"{name} {figure(totals[name])}" for name in ranked[1:])
    given = {"best": totals[best], "second": totals[second]}
    if gap <= 1e-9 * max(1.0, abs(totals[best])):
        return r.tell(given, "second - best", f"They cost the same: {figure(totals[best])} each.", short="equal")
    return r.sums(
        given,
        "second - best",
        lambda v: Upshot(f"{best} is cheaper by {figure(v)}: {figure(totals[best])} in all, against {against}.", best),
    )


def _counts(r: Roles) -> tuple[float | None, str, float | None, str]:
    """Return for how many periods of which unit, and how many uses, per which unit."""
    periods, uses = r.mark("periods"), r.mark("uses")
    return (
        periods.value if periods else None,
        (periods.slot.span or periods.slot.period) if periods and periods.slot else "",
        uses.value if uses else None,
        uses.slot.period if uses and uses.slot else "",
    )


def _total(r: Roles, group: int) -> float:
    """Return what an option costs in all."""
    periods, span, uses, per = _counts(r)
    once, each, use, resale = (r.mark(role, group) for role in ("once", "per_period", "per_use", "resale"))
    if not (once or each or use):
        raise MissingRole(f"what {r.name(group)} costs")
    if any(one is not None and one.slot is not None and one.slot.kind != "n" for one in (once, each, use, resale)):
        raise LookupError("cost")
    total = (once.value if once else 0.0) - (resale.value if resale else 0.0)
    if each is not None and each.slot is not None:
        factor = in_unit(1.0, span, each.slot.period) if span and each.slot.period else 1.0
        if factor is None:
            raise LookupError("periods")
        if periods is None:
            if any(r.of("once", other) or r.of("resale", other) for other in r.groups()):
                raise MissingRole(r.lack("periods"))
            periods, factor = 1.0, 1.0
        total += each.value * factor * periods
    if use is not None:
        if uses is None:
            raise MissingRole(r.lack("uses"))
        times = 1.0
        if per and periods is not None and span:
            factor = in_unit(1.0, span, per)
            if factor is None:
                raise LookupError("uses")
            times = periods * factor
        elif per and each is not None and each.slot is not None and each.slot.period and each.slot.period != per:
            raise LookupError("uses")
        total += use.value * uses * times
    return total


def _crossing(r: Roles, names: Mapping[int, str]) -> Reading:
    """Return from how many periods or uses on the option with the higher price at once is cheaper."""
    roles = [
        (role, other)
        for role, other in (("per_use", "per_period"), ("per_period", "per_use"))
        if r.has(role) and not (r.has("once") and r.has(other))
    ]
    if len(names) != 2 or r.has("resale") or not roles:
        return None
    (a, b), (role, other) = names, roles[0]
    start = {group: r.get("once" if r.has("once") else other, group) or 0.0 for group in names}
    slope = {group: r.get(role, group) or 0.0 for group in names}
    dear, cheap = (a, b) if start[a] > start[b] else (b, a)
    gap, saved = start[dear] - start[cheap], slope[cheap] - slope[dear]
    if gap <= 0 or saved <= 0:
        return None
    unit = next((one.slot.period for one in r.of("per_period") if one.slot and one.slot.period), "")
    what = f" {unit}s" if role == "per_period" else " uses" + (f" a {unit}" if not r.has("once") and unit else "")
    why = f"each saves {figure(saved)} of the {figure(gap)}"
    return r.tell({"gap": gap, "saved": saved}, "gap / saved", f"{names[dear]} is cheaper from {{v}}{what} on: {why}.")


def _scores(r: Roles, names: Mapping[int, str]) -> Reading:
    """Return options by the points for their criteria and the weights of these."""
    rows = {group: [one.value for one in r.of("score", group)] for group in names}
    count = max(map(len, rows.values()))
    if short := next((names[group] for group, row in rows.items() if len(row) < count), ""):
        named = join_items(dict.fromkeys(one.words for one in r.of("criterion")))
        raise MissingRole(f"all points of {short} (for {named or 'each criterion'})")
    criteria, weighted = r.of("criterion"), r.of("weight")
    if not weighted and r.q.has(r"\b(?:weigh\w*|twice|double|triple|times as|important|matters?|counts?)\b"):
        return None
    weights = [1.0] * count
    if weighted and len(weighted) == count and all(one.slot for one in weighted):
        weights = [one.value for one in weighted]
    elif weighted:
        distinct = list({one.words.lower(): one for one in criteria}.values())
        factor = {"double": 2.0, "twice": 2.0, "triple": 3.0, "half": 0.5}.get(
            weighted[0].words.lower().split()[0], 0.0
        )
        if len(weighted) > 1 or not factor or len(distinct) != count:
            return None
        near = min(criteria, key=lambda one: abs(one.at - weighted[0].at))
        weights = [factor if one.words.lower() == near.words.lower() else 1.0 for one in distinct]
    scale = 1.0 if max(weights) > 1 or len(weighted) < 2 else sum(weights)
    totals = {
        names[group]: sum(w * v for w, v in zip(weights, row, strict=True)) / scale for group, row in rows.items()
    }
    ranked = sorted(totals, key=lambda one: -totals[one])
    best, second = ranked[:2]
    given = {"best": totals[best], "second": totals[second]}
    against = join_items(f"{name} {figure(totals[name])}" for name in ranked[1:])
    if totals[best] - totals[second] < 1e-9:
        return r.tell(
            given, "best - second", f"A tie: {best} and {second} both have {figure(totals[best])}.", short="tie"
        )
    return r.sums(
        given,
        "best - second",
        lambda v: Upshot(
            f"{best} comes out on top with {figure(totals[best])}, {figure(v)} ahead: against {against}.", best
        ),
    )


def build_cause(r: Roles) -> Reading:  # noqa: PLR0911  # one return for each thing asked
    """Return which part moved a figure most, how much of it comes from one part, or by how much it moved."""
    before, after = r.get("total_before"), r.get("total_after")
    if r.ask == "total_change" and before is not None and after is not None:
        return r.sums(
            {"before": before, "after": after},
            "after - before",
            lambda v: Upshot(f"By {_with_sign(v)}{f' ({percent(v / before)})' if before else ''}.", v),
        )
    if not r.of("name"):
        raise MissingRole("the parts that it is made of, before and after (which items)")
    names = r.names()
    if len(names) < 2:
        return None
    if len(r.of("before")) != len(r.of("after")) and not r.has("change_up", "change_down"):
        raise MissingRole(r.lack("after" if len(r.of("after")) < len(r.of("before")) else "before"))
    changes = {name: _change(r, group) for group, name in names.items()}
    if r.kind == "multiply":
        asked = r.mark("asked")
        known = asked is None or any(stems(name) & stems(asked.words) for name in changes)
        return _factors(r, changes) if known else None  # else it asks about something that is no factor
    moved = {name: b - a for name, (a, b) in changes.items()}
    total = after - before if before is not None and after is not None else sum(moved.values())
    if abs(total) < 1e-9 or sum(moved.values()) * total <= 0:
        return None  # the parts do not add up to it, as costs do not to a profit
    asked = r.mark("asked")
    ranked = sorted(moved, key=lambda one: -moved[one] * (1 if total > 0 else -1))
    best = ranked[0]
    own = [name for name in moved if asked and stems(name) & stems(asked.words)]
    if (asked or r.ask == "contribution") and len(own) != 1:
        return None
    if r.ask == "total_change":
        return r.sums(
            {"total": total},
            "total + 0",
            lambda v: Upshot(
                f"By {_with_sign(v)}: {join_items(f'{name} {_with_sign(moved[name])}' for name in ranked)}.", v
            ),
        )
    name = own[0] if r.ask == "contribution" else best
    if r.ask != "contribution" and len(ranked) > 1 and abs(moved[ranked[0]] - moved[ranked[1]]) < 1e-9:
        return None
    shown = join_items(f"{each} {_with_sign(moved[each])}" for each in ranked)
    return r.sums(
        {"part": moved[name], "total": total},
        "part / total",
        lambda v: Upshot(
            f"{name}: {_with_sign(moved[name])} of {_with_sign(total)} ({percent(v)}); {shown}.",
            name if r.ask != "contribution" else v,
        ),
    )


def _with_sign(value: float) -> str:
    return f"{'+' if value >= 0 else '-'}{figure(abs(value))}"


def _change(r: Roles, group: int) -> tuple[float, float]:
    """Return a part before and after."""
    a, b = r.get("before", group), r.get("after", group)
    up, down = r.mark("change_up", group), r.mark("change_down", group)
    one, sign = (up, 1) if up else (down, -1)
    if a is not None and b is None and one is not None:
        b = _apply_change(one, a, sign)
    if a is None and b is not None and one is not None and one.slot is not None:
        a = b / (1 + sign * one.value) if one.slot.kind == "p" else b - sign * one.value
    if a is None and b is None and one is not None and one.slot is not None and one.slot.kind == "n":
        a, b = 0.0, sign * one.value
    if a is None or b is None:
        raise MissingRole(r.lack("before" if a is None else "after", group))
    if a and b and not 0.01 < abs(b / a) < 100:
        raise LookupError("after")
    return a, b


def _factors(r: Roles, changes: Mapping[str, tuple[float, float]]) -> Reading:
    """Return which of the factors of a product moved it most."""
    if any(a <= 0 or b <= 0 for a, b in changes.values()):
        return None
    ratios = {name: b / a for name, (a, b) in changes.items()}
    whole = 1.0
    for ratio in ratios.values():
        whole *= ratio
    ranked = sorted(ratios, key=lambda one: -ratios[one] if whole > 1 else ratios[one])
    best = ranked[0]
    shown = join_items(f"{name} {percent(ratios[name] - 1)}" for name in ranked[1:])
    if r.ask == "contribution":
        return None
    if r.ask == "total_change":
        return r.tell({"whole": whole}, "whole - 1", f"By {{p}}: {best} {percent(ratios[best] - 1)}, {shown}.")
    return r.sums(
        {"ratio": ratios[best]},
        "ratio - 1",
        lambda v: Upshot(f"{best}: it moved by {percent(v)} ({shown}), and the whole by {percent(whole - 1)}.", best),
    )
