"""Arithmetic in words: a new price, breaking even, runway, growth, interest, discounts, capacity."""

import re
from math import ceil, log
from typing import Any

from mabos.knowledge.reasoning.problem import identifier
from mabos.knowledge.reasoning.questions.calculations import calculated, held_series, spoken
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import NUMBER, SHARE, Phrasing, figure, listed, percent, stem
from mabos.knowledge.reasoning.result import MethodResult

N, P = NUMBER, SHARE


def read_what_if(q: Phrasing, held: Holdings) -> Reading:
    """Read arithmetic in words: a new price and volume, breaking even, runway, growth, discounts, capacity."""
    readers = (
        _price_and_loss,
        _price_and_volume,
        _break_even,
        _payback,
        _runway,
        _growth,
        _interest,
        _doubling,
        _before_discount,
        _capacity,
        _changed_figure,
    )
    return next((found for reader in readers if (found := reader(q, held)) is not None), None)


_UP = r"(?:rais\w*|increas\w*|put up|lift\w*|ris\w*|rose|go(?:es)? up|grow\w*|grew|gains?|gain\w*|add\w*|wins?)"
_DOWN = r"(?:lower\w*|cut\w*|reduc\w*|drop\w*|decreas\w*|los\w+|fall\w*|fell|go(?:es)? down|shrink\w*|shrank)"


def _price_and_loss(q: Phrasing, _held: Holdings) -> Reading:
    """Read "raise the price from 20 to 22 and lose 5% of our 1,000 customers"."""
    price = q.search(rf"\b(?:{_UP}|{_DOWN}|change\w*|set)\b[^.;«]*?\bprices?\b[^.;«]*?from (?P<a>{N}) to (?P<b>{N})")
    base = q.search(
        rf"\b(?P<verb>{_UP}|{_DOWN})\s+(?:about )?(?P<p>{P}) (?:of )?(?:our |the |its |my )?(?P<n>{N}) (?P<what>\w+)"
    )
    if (
        price is None
        or base is None
        or not q.has(r"\bwhat (?:if|happens|would)\b|\brevenue\b|\bincome\b|\bhow much\b|\bworth it\b")
    ):
        return None
    q.find(r"\bwhat (?:if|happens if|would happen if) (?:we |i |you )?")
    q.find(r"\bwhat (?:happens to|would) (?:our |the )?(?:revenue|income|sales)\b[^.?«]*")
    q.all_used(price, base)
    sign = -1 if re.match(_DOWN, base["verb"], re.I) else 1
    old, new, share, count = (q.value(one) for one in (price["a"], price["b"], base["p"], base["n"]))
    what = base["what"]

    def conclude(value: float) -> Upshot:
        before = old * count
        way = "up" if value > before else "down" if value < before else "unchanged"
        flat = (old / new - 1) * -1
        return Upshot(
            f"Revenue would be {figure(value)}, {way} from {figure(before)} ({figure(value - before)}).", value, 1.0,
            f"it is up as long as fewer than {percent(flat)} are lost." if new > old and sign < 0 else "",
        )  # fmt: skip

    given = {"price": new, what: count, "share": sign * share}
    echo = (
        f"price {figure(old)} to {figure(new)}; {figure(count)} {what}, {'minus' if sign < 0 else 'plus'} "
        f"{percent(share)}; revenue is price times {what}"
    )
    return calculated(
        given,
        f"price * {identifier(what)} * (1 + share)",
        "revenue",
        echo,
        conclude,
        assumes=f"each of the {what} buys once at the price",
    )


def _price_and_volume(q: Phrasing, _held: Holdings) -> Reading:
    """Read "we sell 400 units at 25 each; the price goes up by 8% and volume drops by 10%"."""
    base = q.search(
        rf"\b(?:sell|sold|selling)\s+(?P<n>{N}) (?P<what>\w+)[^.;«]*? (?:at|for) (?P<p>{N})(?: each| apiece| per \w+)?"
    )
    if base is None:
        return None
    moves = []
    for name, words in (("price", "price"), ("volume", "volume|units|sales|demand|quantity")):
        found = q.search(
            rf"\b(?:{words})\b\s*(?P<verb>{_UP}|{_DOWN})\s*(?:by )?(?P<p>{P})|\b(?P<verb2>{_UP}|"
            rf"{_DOWN})\s+(?:the |our )?(?:{words})\s*(?:by )?(?P<p2>{P})"
        )
        if found:
            verb = found["verb"] or found["verb2"]
            moves.append((name, (-1 if re.match(_DOWN, verb, re.I) else 1) * q.value(found["p"] or found["p2"]), found))
    if not moves or not q.has(r"\brevenue\b|\bincome\b|\bsales\b|\bwhat happens\b"):
        return None
    change = {name: by for name, by, _ in moves}
    q.find(r"\bwhat (?:happens to|would happen to|about) (?:our |the )?(?:revenue|income|sales)(?: if)?")
    q.all_used(base, *(found for *_, found in moves))
    count, price = q.value(base["n"]), q.value(base["p"])

    def conclude(value: float) -> Upshot:
        before = count * price
        sentence = f"Revenue would be {figure(value)}, against {figure(before)} now ({(value / before - 1):+.1%})."
        return Upshot(sentence, value, 1.0)

    given = {"price": price * (1 + change.get("price", 0)), "units": count * (1 + change.get("volume", 0))}
    echo = f"{figure(count)} {base['what']} at {figure(price)}; " + listed(
        f"{name} {by:+.0%}" for name, by in change.items()
    )
    return calculated(given, "price * units", "revenue", echo, conclude)


_COSTS = rf"(?:fixed costs?|overheads?)[^.;,«]*?(?P<fixed>{N})"


def _break_even(q: Phrasing, _held: Holdings) -> Reading:
    if not q.has(r"\bbreak[- ]?even\b|\bcover (?:our|the) costs\b"):
        return None
    fixed = q.search(_COSTS)
    unit = q.search(
        r"\b(?:variable (?:unit )?costs?(?: per unit| a unit| per piece)?|unit costs?|costs? per (?:unit|piece|"
        rf"item))[^.;,«]*?(?P<n>{N})|(?P<n2>{N}) (?:variable )?(?:costs? )?per unit\b"
    )
    price = q.search(rf"(?<!what )(?<!which )\b(?:price|sell (?:it|them|each)?(?: at| for))[^.;,«]*?(?P<n>{N})")
    units = q.search(rf"\bsell(?:ing)? (?P<n>{N}) (?:units|pieces|items|\w+)")
    wants_price = q.has(r"\b(?:at what|which|what) price\b")
    parts = {
        "the fixed costs": fixed,
        "the variable cost per unit": unit,
        ("the number of units" if wants_price else "the price"): units if wants_price else price,
    }
    lacking = [name for name, one in parts.items() if one is None]
    other = units if wants_price else price
    if fixed is None or unit is None or other is None:
        return MissingFields("interventional", tuple(lacking)) if len(lacking) < 3 else None
    q.use(*parts.values())
    q.find(r"\b(?:how many|at what|which|what)\b[^.?«]*?\bbreak[- ]?even\b(?: if)?") or q.find(r"\bbreak[- ]?even\b")
    q.use_question()
    q.find(r"\ba month\b|\bper month\b|\ba year\b|\bper year\b")
    f, v = q.value(fixed["fixed"]), q.value(unit["n"] or unit["n2"])
    if wants_price:
        count = q.value(other["n"])
        return calculated(
            {"fixed": f, "unit cost": v, "units": count},
            "unit_cost + fixed / units",
            "price",
            f"fixed costs {figure(f)}, unit cost {figure(v)}, {figure(count)} units",
            lambda value: Upshot(f"At a price of {figure(value)}.", value, 1.0),
        )
    p = q.value(other["n"])
    if p <= v:
        return calculated(
            {"price": p, "unit cost": v},
            "price - unit_cost",
            "margin",
            f"price {figure(p)}, unit cost {figure(v)}",
            lambda _value: Upshot("Never: each unit costs as much as it brings, or more.", "never", 1.0),
        )
    return calculated(
        {"fixed": f, "price": p, "unit cost": v},
        "fixed / (price - unit_cost)",
        "units",
        f"fixed costs {figure(f)}, price {figure(p)}, unit cost {figure(v)}",
        lambda value: Upshot(
            f"{figure(ceil(value - 1e-9))} units: each covers {figure(p - v)} of the fixed costs.", value, 1.0
        ),
    )


def _payback(q: Phrasing, _held: Holdings) -> Reading:
    """Read "costs 12,000 and saves 500 a month: when has it paid for itself"."""
    found = q.search(
        rf"\bcosts? (?P<cost>{N})[^.;«]*?\b(?:saves?|brings?(?: in)?|earns?|yields?) (?:us "
        f"|me )?(?P<gain>{N}) (?:a|per|each|every) (?P<unit>day|week|month|quarter|year)"
    )
    if found is None or not q.has(r"\bpa(?:y|id|ys) (?:for itself|off|back|itself)\b|\bpayback\b"):
        return None
    q.all_used(found)
    cost, gain, unit = q.value(found["cost"]), q.value(found["gain"]), found["unit"].lower()
    if gain <= 0:
        return None
    return calculated(
        {"cost": cost, "gain": gain},
        "cost / gain",
        "time",
        f"cost {figure(cost)}, gain {figure(gain)} a {unit}",
        lambda value: Upshot(f"After {figure(value)} {unit}s.", value, 1.0),
    )


def _runway(q: Phrasing, held: Holdings) -> Reading:
    asked = q.search(
        r"\bhow (?:long|many (?P<unit>months|weeks|days|years))\b[^.?«]*\b(?:last|run out|"
        r"runway|hold)\w*\b[^.?«]*|\bwhen\b[^.?«]*\brun out\b[^.?«]*"
    )
    if asked is None:
        return None
    cash = q.search(
        rf"\b(?:have|holds?|has|is|with) (?P<n>{N})(?: (?:in (?:the )?(?:bank|cash|hand)|cash|left|of \w+))?"
    )
    burn = q.search(
        rf"\b(?:spend|burn|lose|use(?: up)?|need|consume)s? (?P<n>{N})(?: (?:more than (?:we|it|i) (?:earn|make|take "
        "in)s?))? ?(?:net )?(?:(?:a|per|each|every) (?P<unit>day|week|month|quarter|year))"
    )
    if cash is None and burn is None and not q.figures:
        return _held_runway(q, held, asked)
    if cash is None or burn is None:
        missing = "how much there is" if cash is None else "how much of it is used in which time"
        return MissingFields("interventional", (missing,)) if len(q.figures) == 1 else None
    if (
        re.search(r"\bspend\b", burn[0], re.I)
        and "more than" not in burn[0]
        and q.has(r"\b(?:earn|income|revenue|make)\w*\b")
        and len(q.figures) > 2
    ):
        return None
    q.use(asked)
    q.all_used(cash, burn)
    have, use, unit = q.value(cash["n"]), q.value(burn["n"]), burn["unit"].lower()
    if use <= 0:
        return None
    return calculated(
        {"stock": have, "use": use},
        "stock / use",
        "time",
        f"{figure(have)} held, {figure(use)} used a {unit}",
        lambda value: Upshot(f"{figure(value)} {unit}s.", value, 1.0),
        assumes="nothing is added and the rate stays as it is",
    )


def _held_runway(q: Phrasing, held: Holdings, asked: re.Match[str]) -> Reading:
    """Read how long a figure of the agent lasts at the rate of its last changes."""
    series = held_series(q, held)
    if series is None:
        return MissingFields("interventional", ("how much there is", "how much of it is used in which time"))
    values = series.values[-4:]
    if len(values) < 2:
        return MissingFields("interventional", (f"two values of {spoken(series.name)}",))
    rate = (values[0] - values[-1]) / (len(values) - 1)
    q.use(asked)
    q.use_question()
    if rate <= 0:
        return calculated(
            {"last": values[-1], "change": -rate},
            "last + change",
            "next",
            f"{spoken(series.name)} went from {figure(values[0])} to {figure(values[-1])}",
            lambda _value: Upshot(
                f"It does not run out at this rate: {spoken(series.name)} has not fallen over the "
                f"last {len(values) - 1} periods.",
                "never",
                1.0,
            ),
            cites=(series.source or series.name,),
        )
    unit = f"{series.step}s"
    if not series.step or (asked["unit"] or unit).lower() != unit:
        return MissingFields("interventional", (f"{spoken(series.name)} by {(asked['unit'] or 'month').rstrip('s')}",))
    echo = (
        f"{spoken(series.name)} is {figure(values[-1])} and fell by {figure(rate)} a {series.step} "
        f"on average over the last {len(values) - 1} {unit}"
    )
    return calculated(
        {"stock": values[-1], "use": rate},
        "stock / use",
        "time",
        echo,
        lambda value: Upshot(
            f"{figure(value)} {unit} at the rate of the last {len(values) - 1} {unit}.",
            value,
            1.0,
            f"another rate: at {figure(rate * 1.2)} a {series.step} it is {figure(values[-1] / (rate * 1.2))}.",
        ),
        cites=(series.source or series.name,),
        assumes="the rate stays as it is",
    )


def _growth(q: Phrasing, _held: Holdings) -> Reading:
    """Read "500 subscribers grow by 4% a month: how many in 12 months"."""
    base = q.search(
        rf"(?P<n>{N})(?: (?P<what>[a-z]+))?(?: (?:that|which))? (?P<verb>{_UP}|{_DOWN})\s*(?:by |at )?(?P<p>{P})(?: "
        "(?:a|per|each|every) (?P<unit>day|week|month|quarter|year)| (?P<ly>monthly|yearly|annually|weekly|daily))?"
    )
    after = q.search(rf"\b(?:in|after|within|for) (?P<k>{N}) (?P<unit>day|week|month|quarter|year)s?")
    if base is None or after is None:
        return None
    unit = (
        base["unit"]
        or {"monthly": "month", "yearly": "year", "annually": "year", "weekly": "week", "daily": "day"}.get(
            (base["ly"] or "").lower(), ""
        )
    ).lower()
    if unit != after["unit"].lower():
        return MissingFields("systems-thinking", (f"the rate per {after['unit'].lower()}",))
    q.find(r"\bhow (?:many|much|large)\b[^.?«]*")
    q.find(r"\bif\b")
    q.all_used(base, after)
    sign = -1 if re.match(_DOWN, base["verb"], re.I) else 1
    start, rate, count = q.value(base["n"]), sign * q.value(base["p"]), q.value(after["k"])
    what = base["what"] or "amount"
    problem = {
        "kind": "stock_flow", "stocks": {"stock": {"start": start, "inflows": ["growth"]}},
        "flows": {"growth": "stock * rate"},
        "constants": {"rate": rate}, "stop": count, "step": 1, "scheme": "euler",
    }  # fmt: skip

    def conclude(result: MethodResult[Any]) -> Upshot:
        value = result.answer.final["stock"]
        return Upshot(f"{figure(round(value, 1))} {what} after {figure(count)} {unit}s.", value, 1.0)

    echo = f"{figure(start)} {what}, {rate:+.1%} a {unit}, {figure(count)} {unit}s"
    assumes = "each period grows on the one before, and the rate stays as it is"
    return FilledForm("systems-thinking", problem, echo, conclude, assumes=assumes)


def _interest(q: Phrasing, _held: Holdings) -> Reading:
    base = q.search(
        rf"\b(?:lend|invest|deposit|put(?: in)?|borrow|save)\w*\s+(?P<n>{N})[^.;«]*?(?:at|with) (?P<p>{P})[^.;«]*"
    )
    after = q.search(rf"\b(?:in|after|for|over) (?P<k>{N}) years?")
    if base is None or after is None:
        return None
    simple = q.has(r"\bsimple interest\b")
    if q.has(r"\bcompounded (?:monthly|daily|quarterly)\b|\bmonthly\b"):
        return None
    q.find(r"\bwhat\b[^.?«]*|\bhow much\b[^.?«]*")
    q.all_used(base, after)
    start, rate, years = q.value(base["n"]), q.value(base["p"]), q.value(after["k"])
    expression = "start * (1 + rate * years)" if simple else "start * (1 + rate) ** years"
    return calculated(
        {"start": start, "rate": rate, "years": years},
        expression,
        "worth",
        (
            f"{figure(start)} at {percent(rate)} a year {'without' if simple else 'with'} compounding, "
            f"{figure(years)} years"
        ),
        lambda value: Upshot(f"{figure(value, 8)}.", value, 1.0),
        assumes="" if simple else "interest is compounded yearly",
    )


def _doubling(q: Phrasing, _held: Holdings) -> Reading:
    found = q.search(
        rf"\b(?P<what>double|triple|halve)\b[^.?«]*?\b(?P<verb>{_UP}|{_DOWN}) (?:by |at )"
        f"?(?P<p>{P}) (?:a|per|each|every) (?P<unit>day|week|month|quarter|year)"
    )
    if found is None or not q.has(r"\bhow long\b|\bhow many\b|\bwhen\b"):
        return None
    q.find(r"\b(?:how long|how many \w+|when)\b[^.?«]*")
    q.use(found)
    rate = q.value(found["p"]) * (-1 if re.match(_DOWN, found["verb"], re.I) else 1)
    factor = {"double": 2.0, "triple": 3.0, "halve": 0.5}[found["what"].lower()]
    if rate == 0 or (factor > 1) != (rate > 0):
        return None
    unit = found["unit"].lower()
    periods = log(factor) / log(1 + rate)
    return calculated(
        {"rate": rate, "periods": periods},
        "(1 + rate) ** periods",
        "factor",
        f"{rate:+.1%} a {unit}; times {factor:g}",
        lambda value: (
            Upshot(f"{figure(periods, 3)} {unit}s.", periods, 1.0)
            if abs(value - factor) < 1e-6
            else Upshot("", changes="it does not come out")
        ),
        assumes="the rate stays as it is and is compounded",
    )


def _before_discount(q: Phrasing, _held: Holdings) -> Reading:
    found = q.search(
        rf"(?P<n>{N}) (?P<how>after|including|with|incl\.?) (?:an? |the )?(?:(?P<kind>discount|"
        f"reduction|rebate|increase|rise|vat|tax|markup) (?:of |by )?(?P<p>{P})|(?P<p2>{P})"
        " (?P<kind2>discount|reduction|rebate|increase|rise|vat|tax|sales tax|markup))"
    )
    if found is None or not q.has(r"\b(?:before|original|without|net)\b"):
        return None
    q.find(r"\bwhat (?:was|is|were)\b[^.?«]*")
    q.use(found)
    q.find(r"^[^.;«]*\bcosts? (?=«)|^[^.;«]*(?=«)")
    less = re.match(r"discount|reduction|rebate", (found["kind"] or found["kind2"]), re.I) is not None
    after, share = q.value(found["n"]), q.value(found["p"] or found["p2"])
    if share >= 1 and less:
        return None
    return calculated(
        {"after": after, "share": -share if less else share},
        "after / (1 + share)",
        "before",
        f"{figure(after)} is what is left after {'-' if less else '+'}{percent(share)}",
        lambda value: Upshot(f"{figure(value)}.", value, 1.0),
    )


def _capacity(q: Phrasing, _held: Holdings) -> Reading:
    each = q.search(
        r"\b(?:each|every|one|a|an) (?P<who>\w+) (?:handles?|does|makes?|serves?|carries|"
        f"holds|takes|produces?|can (?:handle|do|make|serve|carry|hold|take|produce)) (?P<n>{N})"
        r" (?P<what>\w+)(?: (?:a|per|each) (?P<unit>\w+))?"
    )
    need = q.search(
        rf"\bhow many (?P<who>\w+) (?:do|would|will|are|must)\b[^.?«]*?(?P<n>{N}) (?P<what>\w+)"
        r"(?: (?:a|per|each) (?P<unit>\w+))?"
    )
    if (
        each is None
        or need is None
        or stem(each["who"]) != stem(need["who"])
        or stem(each["what"]) != stem(need["what"])
        or (each["unit"] or "") != (need["unit"] or "")
    ):
        return None
    q.all_used(each, need)
    rate, total = q.value(each["n"]), q.value(need["n"])
    if rate <= 0:
        return None
    return calculated(
        {"total": total, "rate": rate},
        "total / rate",
        "number",
        f"{figure(rate)} {each['what']} each, {figure(total)} in all",
        lambda value: Upshot(
            f"{figure(ceil(value - 1e-9))} {need['who']} (exactly {figure(value)}).", float(ceil(value - 1e-9)), 1.0
        ),
    )


def _changed_figure(q: Phrasing, held: Holdings) -> Reading:
    """Read "what would revenue be if it rose by 10%" of a figure that the agent holds."""
    series = held_series(q, held)
    found = q.search(rf"\b(?P<verb>{_UP}|{_DOWN})\s*(?:by )?(?P<p>{P})(?: of (?:it|them|that))?")
    if (
        series is None
        or found is None
        or len(q.figures) != 1
        or not q.has(r"\bwhat (?:if|would|happens|will)\b|\bhow (?:much|many|high)\b")
    ):
        return None
    if q.search(
        rf"\bif (?:the |our |we )?(?:{_UP} |{_DOWN} )?(?:the |our )?(?!{re.escape(spoken(series.name))})"
        r"(?:price|customers|orders|cost|churn|sales|revenue)\w*"
    ) or q.search(r"\b(?:a|per|each|every) (?:month|year|week|day)\b|\bfor\b|\bnext\b"):
        return None
    if not q.has(r"\b(?:unless|except|but|and|only|last|ago)\b"):
        q.use((0, len(q.plain)))
    sign = -1 if re.match(_DOWN, found["verb"], re.I) else 1
    now, share = series.values[-1], sign * q.value(found["p"])
    name = spoken(series.name)
    return calculated(
        {"now": now, "share": share},
        "now * (1 + share)",
        "then",
        f"{name} is {figure(now)} now; {share:+.0%}",
        lambda value: Upshot(f"{name.capitalize()} would be {figure(value)}, against {figure(now)} now.", value, 1.0),
        cites=(series.source or series.name,),
    )
