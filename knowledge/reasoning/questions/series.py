"""Series: the forecast with its interval, and values that are out of line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import held_series, humanize_name
from mabos.knowledge.reasoning.questions.forms import FilledForm, HeldSeries, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, figure, join_items
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["series"]

N = NUMBER

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_LABEL: str = WORDS["label"]
_LIST = rf"{N}(?:(?:,? and |,? then |[,;/]? |/| ?[-–] ){_LABEL}{N}){{2,}}"
_UNITS = ("day", "week", "month", "quarter", "year")
_RHYTHM = re.compile(WORDS["rhythm"], re.IGNORECASE)
_NEXT: str = WORDS["next"]
_ON: str = WORDS["on"]


def _values_of(q: Phrasing) -> tuple[list[float], re.Match[str]] | None:
    found = max(re.finditer(_LIST, q.plain), key=lambda one: len(one[0]), default=None)
    return ([q.value(token) for token in re.findall(N, found[0])], found) if found else None


def read_forecast(q: Phrasing, held: Holdings) -> Reading:  # noqa: PLR0911  # one for each missing field
    """Read a series, or the name of a figure that is held, and how far ahead: the forecast with its interval."""
    if (
        not q.has(_NEXT)
        or re.search(r"(?i)\bif\b|\bunusual\b|\bodd\b", re.sub(_ON, "", q.plain))
        or not q.has(r"\b(?:next|coming|following|forecast\w*|predict\w*|in|within|by|tomorrow|for)\b")
    ):
        return None
    listed_values = _values_of(q)
    series = None if listed_values else held_series(q, held)
    named = q.search(
        r"\b(?:sales|revenue|churn|customers|visitors|orders|profit|turnover|demand|costs?|income|signups|traffic)\b"
    )
    few = re.search(rf"{N}(?:,? and |, ){N}", q.plain)
    if listed_values is None and few and named:
        return MissingFields("pattern-recognition", ("at least 6 past values",))
    if listed_values is None and series is None:
        if named and not q.figures and q.has(r"\bforecast\b|\bpredict\b|\bnext\b"):
            return MissingFields("pattern-recognition", (f"past values of {named[0].lower()}",))
        return None
    ahead = q.search_asking(
        rf"\b(?:in|within|by) (?P<k>{N}) (?P<unit>day|week|month|quarter|year)s?|\b(?:next|coming|"
        rf"following) (?P<next>day|"
        rf"week|month|quarter|year|one|value|period|term)\b|\b(?:in|for|by) (?P<month>{_MONTHS})\b|"
        rf"\b(?:for|in) (?P<place_unit>day|week|month|quarter|year) (?P<place>{N})|"
        r"\b(?P<morrow>tomorrow)\b|\b(?:in|within) (?:a|one) (?P<one>day|week|month|quarter|year)\b|"
        r"\bwhat (?:comes|is) next\b|\bnext\b"
    )
    since = q.search(rf"\b(?:since|from|starting(?: in| with)?|beginning(?: in)?) (?P<month>{_MONTHS})\b")
    if ahead is None or (ahead["month"] and series is None and since is None):
        return MissingFields("pattern-recognition", ("how far ahead",))
    values = listed_values[0] if listed_values else list(series.values) if series else []
    named_unit = next((ahead[one] for one in ("unit", "next", "one", "place_unit") if ahead[one]), "").lower()
    unit = "month" if ahead["month"] else "day" if ahead["morrow"] else named_unit
    rest = _RHYTHM.finditer(q.plain[: ahead.start()] + q.plain[ahead.end() :])
    rhythms = {series.step} if series else {_step(one[0]) for one in rest}
    if unit in _UNITS and rhythms - {unit} and unit not in rhythms:
        subject = humanize_name(series.name) if series else "the values"
        return MissingFields("pattern-recognition", (f"{subject} by {unit}",))
    step = series.step if series else rhythms.pop() if len(rhythms) == 1 else unit
    if series is not None and not step:
        return MissingFields("pattern-recognition", (f"{humanize_name(series.name)} at regular intervals",))
    count = int(q.value(ahead["k"])) if ahead["k"] else 1
    if ahead["place"]:
        count = int(q.value(ahead["place"])) - len(values)
    asked = _ask_period(ahead["month"] or "", count, unit or ("" if series else step), step, series=series, held=held)
    if since is not None and ahead["month"] and listed_values:
        first, last = (_MONTHS.split("|").index(one["month"].lower()) for one in (since, ahead))
        asked = replace(asked, count=(last - first - len(values) + 1) % 12, behind=0)
        q.use(since)
    if asked.horizon < 1:
        return None  # the value is on record
    goal = q.search(rf"\b(?P<verb>reach|exceed|hit|pass|fall below|drop below|be above|be below)\w* (?P<n>{N})")
    q.use(listed_values[1] if listed_values else None, ahead, goal)
    for a, b in q.sentences():
        if "«" in q.plain[a:b] or q.plain[a:b].rstrip().endswith("?") or not listed_values:
            q.every(_RHYTHM.pattern, a, b)
    q.counted(len(values) if listed_values else 0)
    _use_subject(q, bool(listed_values))
    return _forecast(q, values, asked, series=series, goal=goal)


def _ask_period(
    month: str, count: int, unit: str, step: str, *, series: HeldSeries | None, held: Holdings
) -> "_AskedPeriod":
    """Return the period asked for, counted from today where the series has a day, else from its last value."""
    behind = 0
    if series is not None and series.last is not None and held.today is not None and unit in _UNITS:
        behind = _period_number(held.today, step) - _period_number(series.last, step)
    if month:
        start = held.today or (series.last if series else None)
        count = (_MONTHS.split("|").index(month.lower()) + 1 - start.month) % 12 if start else 0
    return _AskedPeriod(count, behind, unit, step, month)


def _period_number(day: date, step: str) -> int:
    months = 12 * day.year + day.month - 1
    days = day.toordinal()
    return {"day": days, "week": (days - 1) // 7, "month": months, "quarter": months // 3}.get(step, day.year)


@dataclass(frozen=True, slots=True)
class _AskedPeriod:
    """The period that a forecast is for: `count` units after today, whose period is `behind` steps after the data."""

    count: int
    behind: int
    unit: str
    step: str
    month: str = ""

    @property
    def horizon(self) -> int:
        """The steps from the last value."""
        return self.count + self.behind

    @property
    def when(self) -> str:
        """The period in words."""
        if self.month:
            return f"in {self.month.capitalize()}"
        if self.count > 1:
            return f"in {self.count} {self.unit}s"
        return f"next {self.unit}" if self.unit in _UNITS else "next"


def _step(word: str) -> str:
    """Return "month" of "monthly" and "months"."""
    bare = word.lower().removesuffix("ly").removesuffix("s")
    return "day" if bare == "dai" else bare


def _use_subject(q: Phrasing, is_listed: bool) -> None:
    """Mark the words that name the series and ask; a clause with a restriction or a cause stays open."""
    for a, b in q.sentences():
        text = q.plain[a:b]
        if not re.search(
            WORDS["breaks"],
            text,
            re.I,
        ) and (
            text.rstrip().endswith("?")
            or not is_listed
            or "«" in text
            or re.match(r"\s*(?:forecast|predict)", text, re.I)
            or re.search(r"\b(?:grow\w*|trend|steady|stable|same|seems?|give me|please|roughly)\b", text, re.I)
        ):
            span = q.asking((a, b)) if text.rstrip().endswith("?") and not is_listed else (a, b)
            for start, end in _outside_figures(q, *span):
                q.use((start, end))


def _outside_figures(q: Phrasing, start: int, end: int) -> list[tuple[int, int]]:
    places, at = [], start
    for one in re.compile(ANY).finditer(q.plain, start, end):
        places.append((at, one.start()))
        at = one.end()
    return [(a, b) for a, b in (*places, (at, end)) if b > a]


LEAST_VALUES = 6


def _forecast(
    q: Phrasing, values: Sequence[float], asked: _AskedPeriod, *, series: HeldSeries | None, goal: re.Match[str] | None
) -> Reading:
    name, horizon = humanize_name(series.name) if series else "it", asked.horizon
    if len(values) < LEAST_VALUES:
        return MissingFields("pattern-recognition", (f"at least {LEAST_VALUES} past values ({len(values)} are given)",))
    if horizon > max(3, len(values)) or horizon < 1:
        return MissingFields("pattern-recognition", (f"at least {horizon} past values for {horizon} steps ahead",))
    period = {"quarter": 4, "month": 12, "week": 52, "day": 7}.get(asked.step)
    problem: dict[str, Any] = {"kind": "series", "name": name, "values": list(values), "horizon": horizon}
    if period and len(values) >= 2 * period:
        problem["period"] = period

    def conclude(result: MethodResult[Any]) -> Upshot:
        ahead = result.answer.forecast
        when = asked.when
        within = f"between {figure(ahead.low)} and {figure(ahead.high)} in {ahead.coverage:.0%} of cases like it"
        if goal is not None:
            return _reaches(q.value(goal["n"]), goal, ahead, f"{name} {when}", within)
        subject = f"{name.capitalize()} {when}" if series else when.capitalize()
        changes = f"a break with the past {len(values)} values; the forecast is by {ahead.model}."
        return Upshot(f"{subject}: about {figure(ahead.value)}, {within}.", ahead.value, ahead.coverage, changes)

    day = f" of {series.last.day} {series.last:%B %Y}" if series and series.last else ""
    shown = f"{name}, {len(values)} values, the last {figure(values[-1])}{day}; {horizon} ahead of it"
    assumes = "what made the past values goes on as it was"
    return FilledForm(
        "pattern-recognition", problem, shown, conclude, (series.source or series.name,) if series else (), assumes
    )


_WORDS = ((0.05, "very unlikely"), (0.35, "unlikely"), (0.65, "an open question"), (0.95, "likely"))


def _reaches(wanted: float, goal: re.Match[str], ahead: Any, name: str, within: str) -> Upshot:
    """Return how likely a level is reached."""
    below = "below" in goal["verb"].lower()
    chance = ahead.above(wanted)
    chance = 1 - chance if below else chance
    word = next((name for bound, name in _WORDS if chance < bound), "very likely")
    shown = "less than 1%" if chance < 0.01 else "more than 99%" if chance > 0.99 else f"about {chance:.0%}"
    return Upshot(
        f"That is {word} ({shown}): {name} is about {figure(ahead.value)}, {within}.",
        chance,
        max(chance, 1 - chance),
        "a break with the past.",
    )


def read_unusual(q: Phrasing, held: Holdings) -> Reading:
    """Read a list or a figure that is held: which values are out of line with the others."""
    if not q.has(WORDS["unusual"]):
        return None
    found = _values_of(q)
    series = None if found or q.figures else held_series(q, held)
    if found is None and series is None:
        return None
    values = list(series.values) if series else found[0] if found else []
    if len(values) < 5:
        return MissingFields("pattern-recognition", ("at least 5 values",))
    q.use(found[1] if found else None)
    q.counted(len(values))
    _use_subject(q, found is not None)
    latest = q.has(r"\b(?:latest|last|newest|most recent|this month['’]?s?) (?:figure|value|number|one|reading|month)?")
    name = humanize_name(series.name) if series else "the values"

    def conclude(result: MethodResult[Any]) -> Upshot:
        places, shift = result.answer.outliers, result.answer.change_at
        middle = sorted(values)[len(values) // 2]
        if shift is not None and len(places) > 2 and all(one >= shift for one in places):
            sentence = f"No single value: {name} moved to another level at value {shift + 1} ({figure(values[shift])})."
            return Upshot(sentence, "level")
        shown = join_items(f"{figure(values[one])} (value {one + 1} of {len(values)})" for one in places)
        if latest and series:
            says = "Yes" if len(values) - 1 in places else "No"
            return Upshot(
                f"{says}: the latest value of {name} is {figure(values[-1])}, where the usual is "
                f"about {figure(middle)}.",
                says,
            )
        if not places:
            return Upshot(
                f"No: none of the {len(values)} values is out of line with the others (they lie "
                f"around {figure(middle)}).",
                "none",
            )
        return Upshot(f"{shown}; the others lie around {figure(middle)}.", shown)

    shown = (
        f"{name}: {len(values)} values from {figure(min(values))} to {figure(max(values))}; "
        "beyond 3.5 robust deviations from the median counts as unusual"
    )
    problem = {"kind": "series", "name": name, "values": values}
    return FilledForm(
        "pattern-recognition", problem, shown, conclude, (series.source or series.name,) if series else ()
    )
