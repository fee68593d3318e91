"""Series: the forecast with its interval, and outliers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import combinations
from statistics import NormalDist, median
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.calculations import held_series, humanize_name
from mabos.knowledge.reasoning.questions.forms import FilledForm, HeldSeries, Holdings, MissingFields, Reading, Upshot
from mabos.knowledge.reasoning.questions.wording import ANY, NUMBER, Phrasing, clock, figure, join_items
from mabos.knowledge.reasoning.result import MethodResult

WORDS = packaged_yaml("reasoning_words.yaml")["series"]
N = NUMBER
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_LABEL = re.compile(WORDS["label"])
_NTHS = ("fir", "sec", "thi", "fou", "fif", "six", "1st", "2nd", "3rd", "4th", "5th", "6th")
_UNITS = ("day", "week", "month", "quarter", "year")
_RHYTHM = re.compile(WORDS["rhythm"], re.IGNORECASE)
_NEXT: str = WORDS["next"]
_ON: str = WORDS["on"]


@dataclass(frozen=True, slots=True)
class ListedValues:
    """The values of the longest list in a question, with their unit, and the row length if it has several."""

    values: tuple[float, ...]
    at: tuple[int, int]
    row: int = 0
    months: tuple[str, ...] = ()

    @property
    def alternates(self) -> bool:
        """Return whether every other value is the higher one: two series in one list."""
        even, odd = self.values[::2], self.values[1::2]
        return len(odd) > 2 and (min(even) > max(odd) or max(even) < min(odd))


def listed_values(q: Phrasing) -> ListedValues | None:
    """Return the longest list of at least three figures; labels between them, as a month or week, are skipped."""
    marks = [one for one in re.finditer(ANY, q.plain) if not _is_label(q, one)]
    lists = list[list[re.Match[str]]]()
    for place, one in enumerate(marks):
        gap = q.plain[marks[place - 1].end() : one.start()] if place else "."
        noun = re.match(r"\s?[a-zA-Z]+", q.plain[one.end() :])
        gap = gap.removeprefix(noun[0]) if noun else gap
        if place and one[0][1] == marks[place - 1][0][1] and not re.sub(f"{ANY}|{WORDS['gap']}", "", gap):
            lists[-1].append(one)
        else:
            lists.append([one])
    lists.sort(key=len)
    if not lists or len(lists[-1]) < 3 or (lists[1:] and len(lists[-2]) > max(2, len(lists[-1]) - 2)):
        return None
    every = lists[-1]
    breaks = [
        at for at in range(1, len(every)) if re.search(r"[.;]\s|«", q.plain[every[at - 1].end() : every[at].start()])
    ]
    row = breaks[0] if breaks == [*range(min(breaks, default=0) or 1, len(every), breaks[0] if breaks else 1)] else 0
    months = re.findall(rf"(?i)\b({_MONTHS})", q.plain[max(0, every[0].start() - 12) : every[-1].end()])
    lead = re.search(rf"{ANY}[\s:=(]*$", q.plain[: every[0].start()])
    at = (lead or every[0]).start(), every[-1].end()
    return ListedValues(tuple(q.value(one[0]) for one in every), at, row if row > 2 else 0, tuple(months))


def _is_label(q: Phrasing, mark: re.Match[str]) -> bool:
    """Return whether a figure only says which value comes: "week 3:", "2024:", "on day 5"."""
    value, after = q.value(mark[0]), q.plain[mark.end() :]
    is_year = 1990 <= value <= 2100 and value == int(value) and re.match(r"\s*[:=(]|,? we\b", after)
    return bool(
        is_year or (_LABEL.search(q.plain[: mark.start()]) and re.match(r"\s*[:=(]?\s*(?:[a-z]|«)|[:=]", after))
    )


def read_forecast(q: Phrasing, held: Holdings) -> Reading:  # noqa: PLR0911, PLR0912  # one for each missing field
    """Read a series, or the name of a held figure, and a horizon: the forecast with its interval."""
    if (
        not q.has(_NEXT)
        or q.has(WORDS["prescribes"])
        or re.search(r"(?i)\bif\b|\bunusual\b|\bodd\b", re.sub(_ON, "", q.plain))
    ):
        return None
    listed = listed_values(q)
    series = None if listed else held_series(q, held)
    if listed is None and (series is None or (q.has(_PAIR) and q.has(WORDS["figures"]))):
        return _too_few(q)
    ahead = q.search_asking(WORDS["ahead"])
    since = q.search(rf"\b(?:since|from|starting(?: in| with)?|beginning(?: in)?) (?P<month>{_MONTHS})\b")
    if ahead is None and (listed is None or not q.search_asking(WORDS["expects"])):
        return MissingFields("pattern-recognition", ("how far ahead",))
    said = ahead.groupdict() if ahead else {}
    labels = listed.months if listed else ()
    if said.get("month") and series is None and since is None and not labels:
        return MissingFields("pattern-recognition", ("how far ahead",))
    values = list(listed.values) if listed else list(series.values) if series else []
    unit = next((said[one] for one in ("unit", "next", "one", "place_unit", "beyond") if said.get(one)), "").lower()
    unit = "month" if said.get("month") else "day" if said.get("morrow") else unit
    rest = _RHYTHM.finditer(q.plain[: ahead.start()] + q.plain[ahead.end() :] if ahead else q.plain)
    rhythms = {series.step} if series else {_step(one[0]) for one in rest}
    if unit in _UNITS and rhythms - {unit} and unit not in rhythms and not (listed and listed.row):
        subject = humanize_name(series.name) if series else "the values"
        return MissingFields("pattern-recognition", (f"{subject} by {unit}",))
    step = series.step if series else rhythms.pop() if len(rhythms) == 1 else unit
    if series is not None and not step:
        return MissingFields("pattern-recognition", (f"{humanize_name(series.name)} at regular intervals",))
    count = int(q.value(said["k"])) if said.get("k") else 1
    if said.get("beyond"):
        count, unit = 2, said["beyond"].lower()
    if said.get("place") and not (listed and listed.row):
        count = int(q.value(said["place"])) - len(values)
    if said.get("nth") and listed and listed.row:
        count = _NTHS.index(said["nth"].lower()[:3]) % 6 + 1
    asked = _ask_period(
        said.get("month") or "", count, unit or ("" if series else step), step, series=series, held=held
    )
    if (since is not None or labels) and said.get("month") and listed:
        last = _month_number(said["month"])
        steps = last - _month_number(since["month"]) - len(values) + 1 if since else last - _month_number(labels[-1])
        asked = replace(asked, count=steps % 12, behind=0)
        q.use(since)
    if asked.horizon < 1:
        return None  # the value is on record
    if listed and listed.alternates and step not in ("quarter", "month", "day"):
        return MissingFields("pattern-recognition", ("each of the two kinds of values by itself, at least 6 of each",))
    goal = q.search(rf"\b(?P<verb>reach|exceed|hit|pass|fall below|drop below|be above|be below)\w* (?P<n>{N})")
    q.use(listed.at if listed else None, ahead, goal)
    for a, b in q.sentences():
        if "«" in q.plain[a:b] or q.plain[a:b].rstrip().endswith("?") or not listed:
            q.every(_RHYTHM.pattern, a, b)
    q.counted(len(values) if listed else 0)
    _use_subject(q, bool(listed))
    return forecast_values(q, values, asked, series=series, goal=goal, period=listed.row if listed else 0)


_PAIR = rf"{N}(?:,? and |, ){N}"


def _too_few(q: Phrasing) -> Reading:
    """Return that past values are missing, where a forecast is asked for from one or two, or from none."""
    named = q.search(WORDS["figures"])
    if (named and q.has(_PAIR)) or (len(q.numbers()) == 1 == len(q.figures) and q.search_asking(WORDS["ahead"])):
        return MissingFields("pattern-recognition", ("at least 6 past values, of earlier periods",))
    if named and not q.figures and q.has(r"\bforecast\b|\bpredict\b|\bnext\b"):
        return MissingFields("pattern-recognition", (f"past values of {named[0].lower()}",))
    return None


def _month_number(name: str) -> int:
    return _MONTHS.split("|").index(next(one for one in _MONTHS.split("|") if one.startswith(name.lower())))


def _ask_period(
    month: str, count: int, unit: str, step: str, *, series: HeldSeries | None, held: Holdings
) -> "AskedPeriod":
    """Return the period asked for, counted from today where the series has a day, else from its last value."""
    behind = 0
    if series is not None and series.last is not None and held.today is not None and unit in _UNITS:
        behind = _period_number(held.today, step) - _period_number(series.last, step)
    if month:
        start = held.today or (series.last if series else None)
        count = (_MONTHS.split("|").index(month.lower()) + 1 - start.month) % 12 if start else 0
    return AskedPeriod(count, behind, unit, step, month)


def _period_number(day: date, step: str) -> int:
    months = 12 * day.year + day.month - 1
    days = day.toordinal()
    return {"day": days, "week": (days - 1) // 7, "month": months, "quarter": months // 3}.get(step, day.year)


@dataclass(frozen=True, slots=True)
class AskedPeriod:
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
        if not re.search(WORDS["breaks"], text, re.I) and (
            text.rstrip().endswith("?")
            or not is_listed
            or "«" in text
            or re.match(r"\s*(?:forecast|predict)", text, re.I)
            or re.search(WORDS["request"], text, re.I)
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


def forecast_values(
    q: Phrasing,
    values: Sequence[float],
    asked: AskedPeriod,
    *,
    series: HeldSeries | None = None,
    goal: re.Match[str] | None = None,
    period: int = 0,
) -> Reading:
    """Return the form that forecasts values by some steps, with an interval; `goal` asks whether they reach it."""
    name, horizon = humanize_name(series.name) if series else "it", asked.horizon
    if len(values) < LEAST_VALUES:
        return MissingFields("pattern-recognition", (f"at least {LEAST_VALUES} past values ({len(values)} are given)",))
    if horizon > max(3, len(values)) or horizon < 1:
        return MissingFields("pattern-recognition", (f"at least {horizon} past values for {horizon} steps ahead",))
    period = period or {"quarter": 4, "month": 12, "week": 52, "day": 7}.get(asked.step, 0)
    problem: dict[str, Any] = {"kind": "series", "name": name, "values": list(values), "horizon": horizon}
    if period and len(values) >= 2 * period:
        problem["period"] = period

    cover = q.find(WORDS["coverage"])

    def conclude(result: MethodResult[Any]) -> Upshot:
        ahead, when = result.answer.forecast, asked.when
        share = q.value(cover["p"] or cover["q"]) if cover else ahead.coverage
        width = (
            (ahead.high - ahead.value)
            * NormalDist().inv_cdf((1 + share) / 2)
            / NormalDist().inv_cdf((1 + ahead.coverage) / 2)
        )
        within = (
            f"between {figure(ahead.value - width)} and {figure(ahead.value + width)} in {share:.0%} of cases like it"
        )
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
    """Read a list or a held figure: the outliers among its values."""
    if not q.has(WORDS["unusual"]):
        return None
    listed = listed_values(q)
    series = None if listed or q.figures else held_series(q, held)
    values = list(series.values) if series else list(listed.values) if listed else []
    if not values and (
        len(q.figures) != 1 or not q.search_asking(r"\bunusual|\bnormal|\bodd|\bstrange|\babnormal|out of line")
    ):
        return None
    if len(values) < 5:
        return MissingFields("pattern-recognition", ("at least 5 values to compare, as of earlier periods",))
    q.use(listed.at if listed else None)
    q.counted(len(values))
    q.find(r"\b(?:every hour|hourly|each hour)\b[^«]*«t\d+»")
    _use_subject(q, listed is not None)
    return find_unusual(q, values, listed, series)


def find_unusual(
    q: Phrasing,
    values: Sequence[float],
    listed: ListedValues | None = None,
    series: HeldSeries | None = None,
    gap: float | None = None,
) -> Reading:
    """Return the form that finds the outliers among values."""
    latest = q.has(r"\b(?:latest|last|newest|most recent|this month['’]?s?) (?:figure|value|number|one|reading|month)?")
    name, row = humanize_name(series.name) if series else "the values", listed.row if listed else 0
    compared = _without_pattern(values, row)
    middle, shift = median(values), None if row else _level_shift(values)

    def conclude(result: MethodResult[Any]) -> Upshot:
        places = [
            one
            for one in result.answer.outliers
            if abs(compared[one]) > (_LEAST_GAP if gap is None else gap) * abs(middle)
        ]
        if row:
            places = [
                at
                for at in places
                if all(abs(values[at] - middle) >= abs(one - middle) for one in values[at % row :: row])
            ]
        if shift is not None:
            before, after = (figure(median(part)) for part in (values[:shift], values[shift:]))
            sentence = f"No single value: {name} moved to another level at value {shift + 1} ({figure(values[shift])})"
            return Upshot(f"{sentence}, from about {before} to about {after}, and stayed there.", "level")
        shown = join_items(
            f"{figure(values[one])} ({_label(q, listed, one)}value {one + 1} of {len(values)})" for one in places
        )
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
    problem = {"kind": "series", "name": name, "values": compared}
    return FilledForm(
        "pattern-recognition", problem, shown, conclude, (series.source or series.name,) if series else ()
    )


def _label(q: Phrasing, listed: ListedValues | None, place: int) -> str:
    """Return the hour or the month of a value where the question tells it."""
    hourly = q.search(r"\b(?:every hour|hourly|each hour)\b[^«]*(?P<t>«t\d+»)")
    months = listed.months if listed and len(listed.months) == len(listed.values) else ()
    return f"at {clock(q.value(hourly['t']) + 60 * place)}, " if hourly else f"{months[place]}, " if months else ""


_LEAST_GAP = 0.1
"""The share of the median by which a value must miss its pattern to be unusual."""


def _without_pattern(values: Sequence[float], row: int) -> list[float]:
    """Return how far each value is from what is usual: at its place in the row, or on the trend where there is one."""
    if row:
        return [value - median(values[place % row :: row]) for place, value in enumerate(values)]
    slopes = [(b - a) / (j - i) for (i, a), (j, b) in combinations(enumerate(values), 2)]
    trend = median(slopes) if abs(sum((one > 0) - (one < 0) for one in slopes)) > len(slopes) / 2 else 0.0
    level = [value - trend * place for place, value in enumerate(values)]
    return [value - median(level) for value in level]


def _level_shift(values: Sequence[float]) -> int | None:
    """Return where a series moves to another level for good: all later values lie far beyond all earlier ones."""
    for place in range(3, len(values) - 2):
        before, after = values[:place], values[place:]
        gap = max(min(after) - max(before), min(before) - max(after))
        if gap > 1.5 * max(max(before) - min(before), max(after) - min(after)):
            return place
    return None
