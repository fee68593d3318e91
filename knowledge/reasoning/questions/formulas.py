"""Arithmetic as tables: for each calculation its question, its slots, and its result.

If a question asks for a calculation and its figures fill every role, it is computed; otherwise the refusal names the
open roles.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import ceil
from typing import Any

from mabos.knowledge.reasoning.questions.calculations import build_calculation
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import (
    DOWN,
    UP,
    FigureSlot,
    SlotRole,
    assign_roles,
    in_unit,
    lacking,
    slots,
)
from mabos.knowledge.reasoning.questions.wording import Phrasing, figure, join_items, percent
from mabos.knowledge.reasoning.result import MethodResult

Slots = Mapping[str, FigureSlot]
Made = Callable[[Phrasing, Slots], Reading]


@dataclass(frozen=True, slots=True)
class Formula:
    """A calculation: the words that ask for it, one or more sets of roles, and the form that they make."""

    asked: str
    roles: tuple[Mapping[str, SlotRole], ...]
    form: Made
    method: str = "interventional"


def read_formulas(q: Phrasing, _held: Holdings) -> Reading:
    """Read a calculation whose roles the figures of the question fill."""
    figures = slots(q)
    if not figures or q.has(_LATER):
        return None
    asked = [
        (one, cue) for one in FORMULAS if (cue := q.search(one.asked)) is not None and not _has_restriction(q, cue)
    ]
    for spare in (0, 1):
        for one, cue in asked:
            form = _fill_formula(q, one, figures, spare)
            if form is not None:
                q.use_question()
                q.use_asked(cue)
                return form
    for one, _ in asked:
        for roles in one.roles:
            if fields := lacking(figures, roles):
                return MissingFields(one.method, tuple(fields))
    return None


def _fill_formula(q: Phrasing, formula: Formula, figures: Sequence[FigureSlot], spare: int) -> Reading:
    """Return the form of a formula, with so many figures to spare; those are not marked, so that they are quoted."""
    for roles in formula.roles:
        if len(figures) != len(roles) + spare:
            continue
        ways = [way for some in combinations(figures, len(roles)) if (way := assign_roles(some, roles)) is not None]
        if len(ways) == 1 and (form := formula.form(q, ways[0])) is not None:
            q.use(*(slot.at for slot in ways[0].values()))
            if not spare:
                q.use_clauses((0, len(q.plain)))
            return form
    return None


def _has_restriction(q: Phrasing, cue: re.Match[str]) -> bool:
    """Return whether a condition without a figure occurs outside the cue: no role of a formula holds it."""
    found = (
        one for one in re.finditer(_CONDITION, q.plain, re.IGNORECASE) if not cue.start() <= one.start() < cue.end()
    )
    return any("«" not in one[0] for one in found)


def _asks_other_period(q: Phrasing, *given: FigureSlot) -> bool:
    """Return whether a question asks for another period of time than one in which figures are given."""
    asked = re.search(_ASKED_PERIOD, q.question, re.IGNORECASE)
    unit = (asked["unit"] or {"annual": "year"}.get(asked["ly"].lower(), asked["ly"].lower()[:-2])) if asked else ""
    return bool(unit) and any(one.period not in ("", unit.lower()) for one in given)


def _units(q: Phrasing, by: Slots) -> Reading:
    if q.has(r"\b(?:at what|which|what) price\b") or _asks_other_period(q, by["fixed"]):
        return None
    fixed, cost, price = (by[name].value for name in ("fixed", "cost", "price"))
    each = f"fixed costs {figure(fixed)}, price {figure(price)}, unit cost {figure(cost)}"
    if price <= cost:
        says = "Never: each unit costs as much as it brings, or more."
        return build_calculation(
            {"price": price, "unit cost": cost},
            "price - unit_cost",
            "margin",
            each,
            lambda _: Upshot(says, "never", 1.0),
        )
    return build_calculation(
        {"fixed": fixed, "price": price, "unit cost": cost},
        "fixed / (price - unit_cost)",
        "units",
        each,
        lambda value: Upshot(
            f"{figure(ceil(value - 1e-9))} units: each covers {figure(price - cost)} of the fixed costs.", value, 1.0
        ),
    )


def _price(q: Phrasing, by: Slots) -> Reading:
    fixed, cost, units = (by[name].value for name in ("fixed", "cost", "units"))
    if not q.has(r"\b(?:at what|which|what) price\b"):
        return None
    return build_calculation(
        {"fixed": fixed, "unit cost": cost, "units": units},
        "unit_cost + fixed / units",
        "price",
        f"fixed costs {figure(fixed)}, unit cost {figure(cost)}, {figure(units)} units",
        lambda value: Upshot(f"At a price of {figure(value)}.", value, 1.0),
    )


def _lasts(_q: Phrasing, by: Slots) -> Reading:
    stock, use = by["stock"], by["use"]
    if stock.noun and re.search(r"\b(?:pay|pays|spends?|burns?)\b", use.before, re.IGNORECASE):
        return None
    if use.value <= 0 or (use.move > 0 and not re.search(r"\bmore than\b", use.after)):
        return None
    income = by.get("income")
    if income is not None and income.period != use.period:
        return MissingFields("interventional", (f"what comes in a {use.period}",))
    gained = income.value if income is not None else 0.0
    echo = f"{figure(stock.value)} held, {figure(use.value)} used a {use.period}"
    echo += f", {figure(gained)} coming in" if income is not None else ""
    given = {"stock": stock.value, "use": use.value, "income": gained}
    if gained >= use.value:
        says = f"It does not run out at this rate: each {use.period} brings as much as it uses, or more."
        return build_calculation(given, "income - use", "gain", echo, lambda _: Upshot(says, "never", 1.0))
    return build_calculation(
        given,
        "stock / (use - income)",
        "time",
        echo,
        lambda value: Upshot(f"{figure(value)} {use.period}s.", value, 1.0),
        assumes="nothing else is added and the rate stays as it is",
    )


def _extra(q: Phrasing, by: Slots) -> Reading:
    """Return how much more, or less, a figure comes to that moves by a share, each period and over the time asked."""
    base, rate = by["base"], by["rate"]
    cue = q.search(r"\bhow much (?:more|less|extra)\b")
    asked = re.search(_ASKED_PERIOD, q.plain[cue.end() :] if cue else "", re.IGNORECASE)
    unit = (asked["unit"] or "").lower() if asked else base.period
    count = in_unit(1.0, unit, base.period) if unit and base.period else 1.0
    wanted = -1 if cue and cue[0].lower().endswith("less") else 1
    if rate.move != wanted or not count or (unit and not base.period):
        return None
    each = f" ({figure(abs(base.value * rate.value))} a {base.period})" if count != 1 else ""
    return build_calculation(
        {"base": base.value, "rate": rate.value, "periods": count},
        "base * rate * periods",
        "change",
        f"{figure(base.value)}{f' a {base.period}' if base.period else ''}, {rate.value * rate.move:+.1%}",
        lambda value: Upshot(
            f"{figure(value)} {'more' if wanted > 0 else 'less'}{f' a {unit}' if unit else ''}{each}.", value, 1.0
        ),
    )


def _paid_back(_q: Phrasing, by: Slots) -> Reading:
    cost, gain = by["cost"], by["gain"]
    if gain.value <= 0:
        return None
    return build_calculation(
        {"cost": cost.value, "gain": gain.value},
        "cost / gain",
        "time",
        f"cost {figure(cost.value)}, gain {figure(gain.value)} a {gain.period}",
        lambda value: Upshot(f"After {figure(value)} {gain.period}s.", value, 1.0),
    )


def _build_growth(q: Phrasing, by: Slots) -> Reading:
    base, rate, time = by["base"], by["rate"], by["time"]
    if q.has(r"\bof (?:the |its )?(?:original|initial|starting|first)\b|\b(?:linear|in all|altogether)\b"):
        return None
    is_interest = q.has(r"\binterest\b|\b(?:lend|invest|deposit|borrow|sav)\w*\b|\bput in\b")
    unit = rate.period or ("year" if is_interest else "")
    if (rate.move == 0 and not is_interest) or q.has(r"\bcompounded (?:monthly|daily|quarterly)\b"):
        return None
    count = in_unit(time.value, time.span, unit) if unit else None
    if count is None or count != int(count):
        return MissingFields("systems-thinking", (f"the rate per {time.span}",))
    share = rate.value * (rate.move or 1)
    what = base.noun or "amount"
    echo = f"{figure(base.value)} {what}, {share:+.1%} a {unit}, {figure(count)} {unit}s"
    if is_interest and q.has(r"\bsimple interest\b"):
        given = {"start": base.value, "rate": share, "years": count}
        return build_calculation(
            given, "start * (1 + rate * years)", "worth", echo, lambda value: Upshot(f"{figure(value, 8)}.", value, 1.0)
        )
    problem = {
        "kind": "stock_flow", "stocks": {"stock": {"start": base.value, "inflows": ["growth"]}},
        "flows": {"growth": "stock * rate"}, "constants": {"rate": share},
        "stop": count, "step": 1, "scheme": "euler",
    }  # fmt: skip

    def conclude(result: MethodResult[Any]) -> Upshot:
        value = float(result.answer.final["stock"])
        shown = figure(value, 8) if is_interest else f"{figure(round(value, 1))} {what}"
        return Upshot(f"{shown} after {figure(count)} {unit}s.", value, 1.0)

    assumes = "each period grows on the one before, and the rate stays as it is"
    return FilledForm("systems-thinking", problem, echo, conclude, assumes=assumes)


def _is_of_buyers(share: FigureSlot, count: FigureSlot) -> bool:
    """Return whether a share is of the buyers alone."""
    whose = re.match(r"\s*(?:of )?(?:(?:our|the|its|my|their|all) )?(?P<noun>[a-z]+)", share.after)
    noun = whose["noun"].rstrip("s") if whose else ""
    return noun in {"", "and", "of", "our", "the", *_BUYERS, count.noun.rstrip("s")}


def _change_of(by: Slots) -> tuple[float, float] | None:
    """Return the new price, and the share of the volume that is kept; None where nothing changes or it is unclear."""
    old, count, share, moved = by["price"], by["units"], by.get("share"), by.get("moved price")
    new = by["new price"].value if "new price" in by else old.value * (1 + (moved.value * moved.move if moved else 0))
    kept = 1.0
    if share is not None:
        is_kept = re.search(rf"\b(?:{_KEEPS})\b", share.before, re.IGNORECASE)
        kept = share.value if is_kept else 1 + share.value * share.move
    is_unclear = (share is None and moved is None) or (share is not None and kept == 1.0)
    if is_unclear or (moved is not None and not moved.move) or (share is not None and not _is_of_buyers(share, count)):
        return None
    return new, kept


def _revenue(q: Phrasing, by: Slots) -> Reading:
    """Return the revenue at another price and volume, each given as a new value or as a change.

    With the cost of a unit it is the profit; a question of profit without one is not answered.
    """
    old, count, cost = by["price"], by["units"], by.get("cost")
    changed = _change_of(by)
    asks_profit = q.search_asking(r"\b(?:profits?|margins?)\b") is not None
    if changed is None or _asks_other_period(q, old, count) or (cost is None and asks_profit):
        return None
    new, kept = changed
    unit = cost.value if cost is not None else 0.0
    name = "profit" if cost is not None else "revenue"
    what, before = count.noun or "units", (old.value - unit) * count.value
    flat = 1 - (old.value - unit) / (new - unit) if new > unit else 0

    def conclude(value: float) -> Upshot:
        way = "up" if value > before else "down" if value < before else "unchanged"
        says = ("Yes: " if value > before else "No: ") if q.has(r"\bshould\b|\bworth it\b") else ""
        told = name if says else name.capitalize()
        sentence = f"{says}{told} would be {figure(value)}, {way} from {figure(before)} ({figure(value - before)})."
        changes = f"it is up as long as fewer than {percent(flat)} are lost." if flat > 0 and kept < 1 else ""
        return Upshot(sentence, value, 1.0, changes)

    changes = [f"price {figure(old.value)} to {figure(new)}"] if new != old.value else []
    changes += [f"{what} {kept - 1:+.0%}"] if kept != 1 else []
    whole = f"price less unit cost {figure(unit)}," if cost is not None else "price"
    echo = f"{figure(count.value)} {what} at {figure(old.value)}; {join_items(changes)}; {name} is {whole} times {what}"
    given = {"price": new, "units": count.value, "kept": kept, "cost": unit}
    assumes = f"each of the {what} buys once at the price"
    return build_calculation(given, "(price - cost) * units * kept", name, echo, conclude, assumes=assumes)


_ASKED_PERIOD = (
    r"\b(?:a|per|each|every|in an?|whole) (?P<unit>day|week|month|quarter|year)\b|"
    r"\b(?P<ly>weekly|monthly|yearly|annual)\b"
)
_CONDITION = r"\b(?:if|unless|provided|assuming|as long as|except|once|although|though|only|while)\b[^,.;?]*"
_LATER = (
    r"\bfrom (?!now|to\b)(?:\w+ ){1,3}on\b|\bstarting\b|\b(?:next|last) (?:year|month|quarter|week)\b|\bfrom next\b"
)
_BUYERS = frozenset(
    ["buyer", "customer", "client", "guest", "visitor", "them", "those", "sale", "demand", "subscriber"]
)
_KEEPS = r"keep\w*|stay\w*|remain\w*|retain\w*|hold on to"
_EVEN = (
    r"\b(?:(?:before|until|for|that) (?:we|it|they|i) )?(?:can |do |does |will )?break[- ]?even\b|\bcover (?:our|the|"
    r"its|my) (?:fixed )?costs\b|\b(?:(?:before|until|so that) (?:we|it|they|i) )?(?:stop|cease)\w* (?:losing|to "
    r"lose)\b(?: money)?|\bto cover (?=«)|\b(?:make|turn|earn|yield)\w* a profit\b|\bin the black\b|\bout of the "
    r"red\b|\b(?:become|be|are) profitable\b"
)
_FIXED = SlotRole(
    "n",
    r"(?:fixed|overheads?|rent|salar|wages|standing|running cost|lease|premises|staff)",
    r"(?:of|in) (?:fixed|overheads?|rent|salar\w+|wages|running)",
    lacks="the fixed costs",
)
_UNIT = SlotRole(
    "n",
    r"(?:variable|unit cost|costs? per|ingredients?|materials?|labou?r|to (?:make|produce|buy)|eats? up|costs? us|"
    r"needs|uses? up|parts?|each costs?|costs?)\b",
    r"(?:per unit|of (?:materials?|ingredients?|labou?r|parts))",
    lacks="the variable cost per unit",
)
_PRICE = SlotRole(
    "n",
    r"(?:price|sell\w* (?:it|them|each)?\s?(?:at|for)|sold (?:at|for)|charge|brings?(?: in)?|fetch\w*|goes for|earns?|"
    r"pays?|at)\b",
    lacks="the price",
)
_COUNT = SlotRole("n", r"(?:sell(?:ing)?|make|produce)\b", lacks="the number of units")
_STOCK = SlotRole(
    "n",
    r"(?:have|has|holds?|with|left|account|reserves?|bank|cash|savings?|stands? at|is|are|there (?:is|are)|stock|"
    r"contains?|tank)\b",
    r"(?:left|in (?:the )?(?:bank|cash|stock|hand)|on (?:the|our) account)",
    recurs=False,
    lacks="how much there is",
)
_USE = SlotRole(
    "n",
    r"(?:spends?|burns?|los\w+|uses?(?: up)?|needs?|consumes?|shrinks?|falls?|drops?|pays? out|pay|goes? down|"
    r"go(?:es)?|takes?|withdraw\w*|eats?|draws?|dwindles?|payroll|outgoings|expenses|rent|wages)\b",
    r"(?:more than)",
    recurs=True,
    lacks="how much of it is used in which time",
)
_INCOME = SlotRole(
    "n",
    r"(?:comes? in|brings?(?: in)?|earns?|receives?|income|takings|takes? in|collect\w*)\b",
    r"(?:coming in|comes? in|of (?:income|sales|revenue|new money))",
    recurs=True,
    lacks="what comes in",
)
_OUTLAY = SlotRole(
    "n", r"(?:costs?|price[ds]?|for|invest\w*|spend\w*|pa(?:y|id)|is|was)\b", recurs=False, lacks="what it costs"
)
_GAIN = SlotRole(
    "n",
    r"(?:sav\w+|spares?|cuts?|reduc\w+|brings?(?: in)?|earns?|yields?|gains?|lowers?|makes?|returns?)\b",
    recurs=True,
    lacks="what it saves or brings in which time",
)
_BASE = SlotRole("n", r"[^.]*", r"\w+", lacks="how many there are now")
_RATE = SlotRole("p", rf"(?:{UP}|{DOWN}|at|with|interest|rate)\b", r"(?:interest|growth|more|fewer)", lacks="the rate")
_SPAN = SlotRole("n", r"(?:in|after|within|for|over|of|be)\b", r"(?:from now|later|on)", is_span=True, lacks="the time")
_OLD = SlotRole(
    "n", r"(?:at|from|for|price(?: of| is)?)\b", r"(?:each|apiece|per|a (?:month|piece|head|year))", lacks="the price"
)
_NEW = SlotRole("n", r"(?:to|charge[ds]?|at|price of|raise\w*)\b", follows_role="price", lacks="the new price")
_VOLUME = SlotRole(
    "n", r"(?:sell|sold|selling|have|has|with|of our|our|of the|lose|of|keep)\b", lacks="how many are sold"
)
_SHARE = SlotRole(
    "p", rf"(?:{UP}|{DOWN}|{_KEEPS}|volume|demand|sales|units|quantity)\b", lacks="how many are lost or won"
)
_COST = SlotRole("n", r"(?:unit cost|costs?(?: of| us)?|to make|to buy)\b", lacks="the cost of a unit")
_BY = SlotRole("p", r"prices?\b", lacks="by how much the price changes")

FORMULAS = (
    Formula(_EVEN, ({"fixed": _FIXED, "cost": _UNIT, "price": _PRICE},), _units),
    Formula(_EVEN, ({"fixed": _FIXED, "cost": _UNIT, "units": _COUNT},), _price),
    Formula(
        r"\bpa(?:y|ys|id|ying) (?:(?:for )?itself|off|back|for themselves)\b|\bpayback\b|\bmoney back\b|\brecoup\w*\b|"
        r"\bpaid back\b|\brecover(?:ed)? (?:the|its|our) (?:cost|outlay|price|money)",
        ({"cost": _OUTLAY, "gain": _GAIN},),
        _paid_back,
    ),
    Formula(
        r"\b(?:for )?how (?:long|many (?:months|weeks|days|years))\b|\bwhen\b[^.?«]*\b(?:run out|gone|empty|used up|"
        r"dry|exhausted|zero)\b",
        ({"stock": _STOCK, "use": _USE}, {"stock": _STOCK, "use": _USE, "income": _INCOME}),
        _lasts,
    ),
    Formula(
        r"\bhow (?:many|much|large|big|high)\b|\bwhat (?:size|will|would|is|number|does)\b|\bwhere will\b",
        ({"base": _BASE, "rate": _RATE, "time": _SPAN},),
        _build_growth,
        "systems-thinking",
    ),
    Formula(r"\bhow much (?:more|less|extra)\b", ({"base": _OLD, "rate": _RATE},), _extra),
    Formula(
        r"\bwhat (?:if|happens|would|will)\b|\brevenue\b|\bprofit\b|\bincome\b|\btakings\b|\bhow much\b|"
        r"\bworth it\b|\bshould\b",
        (
            {"price": _OLD, "new price": _NEW, "units": _VOLUME, "share": _SHARE},
            {"price": _OLD, "units": _VOLUME, "moved price": _BY, "share": _SHARE},
            {"price": _OLD, "units": _VOLUME, "moved price": _BY},
            {"price": _OLD, "cost": _COST, "units": _VOLUME, "moved price": _BY, "share": _SHARE},
            {"price": _OLD, "cost": _COST, "new price": _NEW, "units": _VOLUME, "share": _SHARE},
        ),
        _revenue,
    ),
)
