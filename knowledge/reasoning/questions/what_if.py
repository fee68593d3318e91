"""Arithmetic in words: a new price, breaking even, runway, growth, interest, discounts, capacity."""

import re

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import build_calculation, held_series, humanize_name
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.slots import DOWN, UP
from mabos.knowledge.reasoning.questions.wording import NUMBER, SHARE, Phrasing, figure

WORDS = packaged_yaml("reasoning_words.yaml")["what_if"]
N, P = NUMBER, SHARE


def read_what_if(q: Phrasing, held: Holdings) -> Reading:
    """Read arithmetic in words: a new price and volume, breaking even, runway, growth, discounts, capacity."""
    runway = _runway(q, held)
    return runway if isinstance(runway, FilledForm) else _changed_figure(q, held) or runway


def _runway(q: Phrasing, held: Holdings) -> Reading:
    asked = q.search(WORDS["asks_runway"])
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
