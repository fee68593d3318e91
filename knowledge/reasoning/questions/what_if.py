"""Arithmetic in words: a new price, breaking even, runway, growth, interest, discounts, capacity."""

import re
from math import ceil, log

from mabos.knowledge.reasoning.questions.calculations import build_calculation, held_series, humanize_name
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import DOWN, UP
from mabos.knowledge.reasoning.questions.wording import NUMBER, SHARE, Phrasing, figure, percent, stem

N, P = NUMBER, SHARE


def read_what_if(q: Phrasing, held: Holdings) -> Reading:
    """Read arithmetic in words: a new price and volume, breaking even, runway, growth, discounts, capacity."""
    readers = (_runway, _doubling, _before_discount, _capacity, _changed_figure)
    lacking: Reading = None
    for reader in readers:
        reading = reader(q, held)
        if isinstance(reading, FilledForm):
            return reading
        lacking = lacking or reading
    return lacking


def _runway(q: Phrasing, held: Holdings) -> Reading:
    asked = q.search(
        r"\bhow (?:long|many (?P<unit>months|weeks|days|years))\b[^.?«]*\b(?:last|run out|"
        r"runway|hold)\w*\b[^.?«]*|\bwhen\b[^.?«]*\brun out\b[^.?«]*"
    )
    return _held_runway(q, held, asked) if asked is not None and not q.figures else None


def _held_runway(q: Phrasing, held: Holdings, asked: re.Match[str]) -> Reading:
    """Read how long a figure of the agent lasts at the rate of its last changes."""
    series = held_series(q, held)
    if series is None and asked[0].lower().startswith("when"):
        return None  # an insurance or a lease runs out too: documents know
    if series is None:
        return MissingFields("interventional", ("how much there is", "how much of it is used in which time"))
    values = series.values[-4:]
    if len(values) < 2:
        return MissingFields("interventional", (f"two values of {humanize_name(series.name)}",))
    rate = (values[0] - values[-1]) / (len(values) - 1)
    q.use(asked)
    q.use_question()
    if rate <= 0:
        return build_calculation(
            {"last": values[-1], "change": -rate},
            "last + change",
            "next",
            f"{humanize_name(series.name)} went from {figure(values[0])} to {figure(values[-1])}",
            lambda _value: Upshot(
                f"It does not run out at this rate: {humanize_name(series.name)} has not fallen over the "
                f"last {len(values) - 1} periods.",
                "never",
                1.0,
            ),
            cites=(series.source or series.name,),
        )
    unit = f"{series.step}s"
    if not series.step or (asked["unit"] or unit).lower() != unit:
        return MissingFields(
            "interventional", (f"{humanize_name(series.name)} by {(asked['unit'] or 'month').rstrip('s')}",)
        )
    echo = (
        f"{humanize_name(series.name)} is {figure(values[-1])} and fell by {figure(rate)} a {series.step} "
        f"on average over the last {len(values) - 1} {unit}"
    )
    return build_calculation(
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


def _doubling(q: Phrasing, _held: Holdings) -> Reading:
    found = q.search(
        rf"\b(?P<what>double|triple|halve)\b[^.?«]*?\b(?P<verb>{UP}|{DOWN}) (?:by |at )"
        f"?(?P<p>{P}) (?:a|per|each|every) (?P<unit>day|week|month|quarter|year)"
    )
    if found is None or not q.has(r"\bhow long\b|\bhow many\b|\bwhen\b"):
        return None
    q.find(r"\b(?:how long|how many \w+|when)\b[^.?«]*")
    q.use(found)
    rate = q.value(found["p"]) * (-1 if re.match(DOWN, found["verb"], re.I) else 1)
    factor = {"double": 2.0, "triple": 3.0, "halve": 0.5}[found["what"].lower()]
    if rate == 0 or (factor > 1) != (rate > 0):
        return None
    unit = found["unit"].lower()
    periods = log(factor) / log(1 + rate)
    return build_calculation(
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
    return build_calculation(
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
    return build_calculation(
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
    found = q.search(rf"\b(?P<verb>{UP}|{DOWN})\s*(?:by )?(?P<p>{P})(?: of (?:it|them|that))?")
    if (
        series is None
        or found is None
        or len(q.figures) != 1
        or not q.has(r"\bwhat (?:if|would|happens|will)\b|\bhow (?:much|many|high)\b")
    ):
        return None
    if q.search(
        rf"\bif (?:the |our |we )?(?:{UP} |{DOWN} )?(?:the |our )?(?!{re.escape(humanize_name(series.name))})"
        r"(?:price|customers|orders|cost|churn|sales|revenue)\w*"
    ) or q.search(r"\b(?:a|per|each|every) (?:month|year|week|day)\b|\bfor\b|\bnext\b"):
        return None
    if not q.has(r"\b(?:unless|except|but|and|only|last|ago)\b"):
        q.use((0, len(q.plain)))
    sign = -1 if re.match(DOWN, found["verb"], re.I) else 1
    now, share = series.values[-1], sign * q.value(found["p"])
    name = humanize_name(series.name)
    return build_calculation(
        {"now": now, "share": share},
        "now * (1 + share)",
        "then",
        f"{name} is {figure(now)} now; {share:+.0%}",
        lambda value: Upshot(f"{name.capitalize()} would be {figure(value)}, against {figure(now)} now.", value, 1.0),
        cites=(series.source or series.name,),
    )
