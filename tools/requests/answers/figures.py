"""Questions about figures: the latest value, a period, a difference, a trend, the best and the worst, a sum."""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import pairwise
from typing import Any

from mabos.language.request import Claim
from mabos.society.figures import OWNER
from mabos.society.quantities import spellings_of
from mabos.tools.requests.answers.periods import Period, before, is_within, month_of
from mabos.tools.requests.answers.question import Question, uncovered_stems
from mabos.tools.requests.answers.sources import Point, Series, Sources, Value
from mabos.tools.requests.answers.synonyms import core, coverage, question_forms, question_words, same
from mabos.tools.requests.answers.wording import (
    age,
    join_words,
    label,
    moment,
    money_or_number,
    rhythm,
    sentence,
    unit_of,
)
from mabos.workspace.text import terms

_FORMS = question_forms("in_figures")
_WORSE_IF_HIGHER = frozenset(core(question_words()["worse_if_higher"]))
"""Stems that say that more of a figure is bad; `show` is that of `no_show` alone."""


_DIVIDES = re.compile(r"\bper\b|\bfor each\b|\bratio\b|\bshare of\b|\bproportion\b", re.IGNORECASE)
_ASKS_SHARE = re.compile(r"%|\bper ?cent|\bpercentage|\bshare\b|\bproportion|\brelative", re.IGNORECASE)
_BY_SIZE = _FORMS["by_size"]
_EACH = _FORMS["each"]
_MOST_LISTED = 12
_MOST_DAYS = 45
"""Days from which a period is one of several values, whatever their rhythm."""
_LISTED = 6
"""Values of a period that are named each, rather than the first and the last."""


@dataclass(frozen=True, slots=True)
class Found:
    """Sentences that answer a question, their claims, and their subject, for later questions about it."""

    lines: tuple[str, ...]
    claims: tuple[Claim, ...] = ()
    about: dict[str, Any] = field(default_factory=dict)


def together(several: Iterable[Found]) -> Found:
    """Return several answers as one, without repeated lines and claims."""
    every = list(several)
    lines = dict.fromkeys(line for found in every for line in found.lines)
    claims = dict.fromkeys(claim for found in every for claim in found.claims)
    return Found(tuple(lines), tuple(claims), {name: value for found in every for name, value in found.about.items()})


def matching(question: Question, sources: Sources) -> tuple[tuple[Series, ...], tuple[str, ...]]:
    """Return the series that a question names, in its order, and the words of its topic that they do not cover."""
    found = [(series, *_score_name(series.name, question)) for series in sources.series.values()]
    is_topic = frozenset(question.topic)
    full = [(series, words) for series, share, words in found if share >= 1 and words & is_topic]
    exact = {one.name: words for one, words in full if set(core(one.name)) <= set(question.stems)}
    full = [(one, words) for one, words in full if one.name in exact or not any(words <= it for it in exact.values())]
    again = {word for word in question.topic if question.stems.count(word) > 1}  # "meals, cost per meal" names two
    full = [(one, words) for one, words in full if words <= again or not any(words < other for _, other in full)]
    covered = {word for _, words in full for word in words}
    chosen = full
    for word in uncovered_stems(question, covered):
        if word in covered:
            continue
        partly = [(one, words) for one, share, words in found if 0 < share < 1 and word in words]
        best = max((len(words & is_topic) for _, words in partly), default=0)
        partly = [(one, words) for one, words in partly if len(words & is_topic) == best]
        if 0 < len(partly) <= 3:
            chosen = [*chosen, *partly]
            covered |= {word for _, words in partly for word in words}
    files = {value.source for one, _ in chosen for value in one.points[-1].values}
    measures = {stem for file in files for stem in core(file.rpartition(".")[0])} - question.proper
    left = uncovered_stems(question, covered | measures)  # the hours of "red_crane" in hours.csv
    if left and len(chosen) > len(full):  # a part of a name alone is too little where another word is left open
        covered = {word for _, words in full for word in words}
        chosen, left = full, uncovered_stems(question, covered)
    unique = list({series.name: (series, words) for series, words in chosen}.values())
    order = {stem: at for at, stem in reversed(list(enumerate(question.stems)))}
    numbers = {word for word in question.stems if word.isdigit()}
    if numbered := [one for one in unique if numbers.intersection(terms(one[0].name.replace("_", " ")))]:
        unique = numbered  # "house 12" is no "house 21"
    unique.sort(key=lambda one: min((order.get(word, 99) for word in one[1]), default=99))
    return tuple(series for series, _ in unique), left


def _score_name(name: str, question: Question) -> tuple[float, frozenset[str]]:
    """Return how well a question names a series, under its own name or another that people use for it."""
    every = (name, *spellings_of(name))
    return max((coverage(one, question.stems) for one in every), key=lambda one: (one[0], len(one[1])))


def qualifiers(question: Question, left: Sequence[str], series: Sequence[Series]) -> tuple[str, ...]:
    """Return the words that restrict a figure to a part of it: a name, or a word right before it."""
    names = {word for one in series for word in _score_name(one.name, question)[1]}
    found = []
    for at, stem in enumerate(question.stems):
        if stem in left:
            after = question.stems[at + 1] if at + 1 < len(question.stems) else ""
            before = question.stems[at - 1] if at else ""
            narrows = after in names or (before in ("in", "at", "of", "from", "for", "by", "on", "with"))
            if stem in question.proper or narrows:
                found.append(stem)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class View:
    """A series prepared for a reply: its unit, its rhythm, and the day of the question."""

    series: Series
    today: date
    is_less_better: bool = False
    """Whether a target sets a limit that it must stay below."""
    is_share: bool = False
    """Whether to add to a difference its share of the earlier value: no record holds it, so only where it is asked."""

    @property
    def unit(self) -> str:
        """Its unit, on record or from its name."""
        return unit_of(self.series.name, self.series.unit)

    @property
    def by(self) -> str:
        """The rhythm of its values: month, week or day."""
        return rhythm([one.day for one in self.series.points])

    @property
    def label(self) -> str:
        """Its name in everyday form."""
        return label(self.series.name)

    def say(self, value: float) -> str:
        """Return a value with its unit."""
        return money_or_number(value, self.unit)

    def when(self, day: date) -> str:
        """Return a day as the period that it ends; the end of a month is that month if the series is monthly."""
        return moment(day, self._by(day))

    def at(self, day: date) -> str:
        """Return a day with its preposition: on 8 November 2026, in October 2026."""
        return f"{'on' if self._by(day) == 'day' else 'in'} {self.when(day)}"

    def before(self) -> Point | None:
        """Return the value to compare the last one with; a day's count is not compared with a month's."""
        points = self.series.points
        is_state = self.unit in ("%", "days", "weeks", "months")
        alike = [one for one in points[:-1] if is_state or self._by(one.day) == self._by(points[-1].day)]
        return alike[-1] if alike else None

    def _by(self, day: date) -> str:
        ends = [one.day for one in self.series.points if one.day == month_of(one.day.year, one.day.month).last]
        return "month" if day in ends and len(ends) > 1 else self.by

    def gap(self, later: float, earlier: float) -> str:
        """Return a difference, with its share of the earlier value if asked, unless it is itself a percentage."""
        amount = abs(round(later - earlier, 4))
        if self.unit == "%":
            return f"{money_or_number(amount, '')} percentage points"
        is_told = self.is_share and earlier
        part = f" ({abs(later - earlier) / abs(earlier):.1%})".replace(".0%", "%") if is_told else ""
        return f"{self.say(amount)}{part}"

    def within(self, periods: Sequence[Period]) -> tuple[Point, ...]:
        """Return the points of these periods; one that begins or ends a span bounds it."""
        return tuple(one for one in self.series.points if is_within(one.day, periods))


def answer_figures(
    question: Question, series: Sequence[Series], sources: Sources, today: date, limited: Collection[str] = ()
) -> Found | None:
    """Return the answer from the series to a question, or None. For `limited` ones, less is better."""
    if re.match(r"\W*who\b", question.text, re.IGNORECASE):
        return None  # a figure is nobody: "who owes us the most?"
    if not series:
        return None
    named = [one for one in question.periods if not one.back]
    if question.periods and not named:  # "than the week before" the last value
        latest = max(one.points[-1].day for one in series)
        question = replace(question, periods=shift_periods(question.periods, Period(latest, latest, "")))
    if named and len(named) < len(question.periods):
        question = replace(question, periods=shift_periods(question.periods, named[0]))
    if (ratio := _ratio(question, series, sources, today)) is not None:
        return ratio
    if len(series) == 1 and question.asks("ratio"):
        return None
    if (balance := _balance(question, series, today)) is not None:
        return balance
    is_share = _ASKS_SHARE.search(question.text) is not None
    if is_share and len(question.periods) == 2:
        question = replace(question, wants=question.wants | {"compare"})
    is_over_time = question.asks("compare", "trend", "best", "worst", "sum", "average")
    kept = [_of_one_rhythm(one) if is_over_time else one for one in series]
    answers = [_answer(View(one, today, one.name in limited, is_share), question) for one in kept]
    lines = tuple(line for lines, _ in answers for line in lines)
    claims = tuple(dict.fromkeys(claim for _, points in answers for claim in points))
    about = {"series": [one.name for one in series], "periods": serialize_periods(question.periods)}
    return Found(lines, claims, about)


def _of_one_rhythm(series: Series) -> Series:
    """Return a series without values that the owner told, where tables have later ones: those are of other spans."""
    listed = [one for one in series.points if any(value.source != OWNER for value in one.values)]
    if len(listed) < 2:
        return series
    return replace(series, points=tuple(it for it in series.points if it in listed or it.day > listed[-1].day))


def serialize_periods(periods: Sequence[Period]) -> list[list[str]]:
    """Serialize the periods of an answer, for a later question that refers to them."""
    return [[one.first.isoformat(), one.last.isoformat(), one.label, one.role] for one in periods]


def claims_of(series: Series, points: Sequence[Point]) -> tuple[Claim, ...]:
    """Return a claim for each value of these points."""
    return tuple(
        Claim(one.record, series.name, one.value, point.day.isoformat()) for point in points for one in point.values
    )


def _wholes(part: Series, sources: Sources) -> list[Series]:
    """Return the series that one is a part of by its name: deliveries, where it is late deliveries."""
    own = set(core(part.name))
    return [one for one in sources.series.values() if set(core(one.name)) < own]


def _ratio(question: Question, series: Sequence[Series], sources: Sources, today: date) -> Found | None:
    """Return one figure divided by another, where a question asks for the one per the other."""
    if len(series) == 1 and question.asks("ratio"):
        series = (*series, *_wholes(series[0], sources))
    if len(series) != 2 or not _DIVIDES.search(question.text):
        return None
    upper, lower = (View(one, today) for one in series)
    pairs = [
        (one, other)
        for one in (upper.within(question.periods) if question.periods else upper.series.points)
        for other in lower.series.points
        if one.day == other.day and other.value and not one.is_disputed and not other.is_disputed
    ]
    if not pairs:
        return None
    pairs = pairs if len(question.periods) > 1 and len(pairs) <= _LISTED else pairs[-1:]
    is_part = set(core(lower.series.name)) < set(core(upper.series.name))
    told = []
    for above, below in pairs:
        parted = above.value / below.value
        share = f"{parted:.1%}" if is_part and parted <= 1 else money_or_number(round(parted, 2), upper.unit)
        how = f"{upper.say(above.value)} and {lower.say(below.value)}"
        told.append(f"{upper.at(above.day)}: {share}, from {how}")
    uppers, lowers = [one for one, _ in pairs], [one for _, one in pairs]
    text = f"{upper.label} divided by {lower.label} {'; '.join(told)} ({_sources(uppers)})"
    claims = (*claims_of(upper.series, uppers), *claims_of(lower.series, lowers))
    return Found((sentence(text),), claims, {"series": [one.name for one in series]})


_LEFT = re.compile(r"\bdifference\b|\bleft (?:of|from|over|after)\b|\bminus\b|\bgap\b|\bapart\b|\bafter\b", re.I)


def _balance(question: Question, series: Sequence[Series], today: date) -> Found | None:
    """Return the sum of figures of one unit and time, or the difference of two, as takings less wages."""
    views = [View(one, today) for one in series]
    is_sum = question.asks("sum") and not _LEFT.search(question.text)
    is_between = _LEFT.search(question.text) and len([one for one in question.periods if not one.back]) < 2
    is_pair = len(series) == 2 and bool(is_between)
    is_alike = len({one.unit for one in views}) == 1 and (bool(views[0].unit) or is_pair)
    if len(series) < 2 or not is_alike or not (is_sum or is_pair):
        return None
    found = [{one.day: one for one in view.within(question.periods) if not one.is_disputed} for view in views]
    days = sorted(set.intersection(*(set(one) for one in found)))
    days = days if question.periods else days[-1:]
    if not days:
        return None
    columns = [[one[day] for day in days] for one in found]
    sums = [sum(one.value for one in points) for points in columns]
    start, end = (views[0].when(day) for day in (days[0], days[-1]))
    told = join_words([f"{view.label} {view.say(round(total, 2))}" for view, total in zip(views, sums, strict=True)])
    total = views[0].say(round(sum(sums) if is_sum else abs(sums[0] - sums[1]), 2))
    most = views[0] if sums[0] > sums[1] else views[1]
    apart = "together" if is_sum else f"{most.label.lower()} is higher by"
    span = start if start == end else f"{start} to {end}"
    sources = _sources([point for points in columns for point in points])
    text = f"{told} in {span}: {apart} {total} ({sources})"
    claims = tuple(claim for one, points in zip(series, columns, strict=True) for claim in claims_of(one, points))
    return Found(
        (sentence(text),),
        claims,
        {"series": [one.name for one in series], "periods": serialize_periods(question.periods)},
    )


_Lines = tuple[tuple[str, ...], tuple[Claim, ...]]


def _answer(view: View, question: Question) -> _Lines:  # noqa: PLR0911  # one for each kind of answer
    points = view.series.points
    spans = [one for one in question.periods if (one.last - one.first).days > _MOST_DAYS]
    if question.asks("compare") and len(question.periods) == len(spans) == 1 and len(view.within(spans)) > 1:
        return _trend(view, view.within(spans))  # "How has it changed this year?"
    if question.asks("compare") and len(points) > 1:
        return _comparison(view, question)
    inside = view.within(question.periods) if question.periods else points
    if not inside:  # "in January" may be ahead
        inside = view.within(tuple(one.a_year_later(question.text) for one in question.periods))
    if not inside:
        return _none_there(view, question.periods)
    if len(inside) > 1 and _EACH.search(question.text) and not question.asks("sum", "average"):
        return _list_values(view, inside[-_MOST_LISTED:], question.periods)
    if question.asks("best", "worst"):
        return _extremes(view, inside, question)
    if len(inside) > 1 and question.asks("sum", "average"):
        return _aggregate_values(view, inside, question)
    if 1 < len(inside) <= _LISTED and all(one.role in ("", "versus") for one in question.periods) and question.periods:
        return _list_values(view, inside, question.periods)
    if len(inside) > 1 and (question.periods or question.asks("trend")):
        return _trend(view, inside)
    return _value(view, inside[-1], is_latest=not question.periods)


def _sources(points: Sequence[Point]) -> str:
    return join_words(list(dict.fromkeys(one.source for point in points for one in point.values)))


def cite_value(value: Value) -> str:
    """Return the source of one of several values, with its line."""
    line = value.record.rpartition(":")[2]
    return f"{value.source} (line {line})" if line.isdigit() else value.source


def _value(view: View, point: Point, *, is_latest: bool) -> _Lines:
    """Return one value with its date and source; both values where two sources disagree."""
    claims = claims_of(view.series, [point])
    when = view.at(point.day)
    if point.is_disputed:
        said = join_words([f"{cite_value(one)} says {view.say(one.value)}" for one in point.values])
        return (
            f"The sources differ on {view.label} {when}: {said}. I do not choose between them; which is right?",
        ), claims
    old = age(point.day, view.today, view.by) if is_latest else ""
    late = f" This is the latest value, {old} old." if old else ""
    return (sentence(f"{view.label}: {view.say(point.value)} {when} ({_sources([point])})") + late,), claims


def _list_values(view: View, points: Sequence[Point], periods: Sequence[Period]) -> _Lines:
    """Return each value of a period that has a few."""
    disputed = next((one for one in points if one.is_disputed), None)
    if disputed:
        return _value(view, disputed, is_latest=False)
    told = join_words([f"{view.say(one.value)} {view.at(one.day)}" for one in points])
    span = f" in {join_words([one.label for one in periods])}" if periods else ""
    return (sentence(f"{view.label}{span}: {told} ({_sources(points)})"),), claims_of(view.series, points)


def _none_there(view: View, periods: Sequence[Period]) -> _Lines:
    """Report a missing value for a period, and those on record."""
    first, last = view.series.points[0], view.series.points[-1]
    asked = join_words([one.label for one in periods])
    span = view.when(first.day) if first == last else f"{view.when(first.day)} to {view.when(last.day)}"
    text = f"I have no value of {view.label} for {asked}. On record is {span} ({_sources([first, last])})"
    latest = f"; the latest is {view.say(last.value)}" if not last.is_disputed else ""
    return (sentence(text + latest),), claims_of(view.series, [last])


def _comparison(view: View, question: Question) -> _Lines:
    """Compare two periods; one that is named alone is compared with the latest value, that with the one before."""
    wanted = [one for one in question.periods if one.role != "until"]
    picked = [next((one for one in reversed(view.series.points) if period.holds(one.day)), None) for period in wanted]
    missing = [period for period, point in zip(wanted, picked, strict=True) if point is None]
    if missing:
        return _none_there(view, missing)
    points = [one for one in picked if one is not None]
    latest = view.series.points[-1]
    if not points:
        points = list(view.series.points[-2:])
    elif len(points) == 1:
        is_last = points[0] == latest
        older = [one for one in view.series.points if one.day < points[0].day]
        if is_last and not older:
            return _value(view, points[0], is_latest=False)
        points = [older[-1], points[0]] if is_last else [points[0], latest]
    disputed = next((one for one in points if one.is_disputed), None)
    if disputed:
        return _value(view, disputed, is_latest=False)
    points = sorted(dict.fromkeys(points), key=lambda one: one.day)
    pairs = pairwise(points)
    lines = tuple(_describe_difference(view, earlier, later) for earlier, later in pairs)
    return lines or _value(view, points[0], is_latest=False)[0], claims_of(view.series, points)


def _describe_difference(view: View, earlier: Point, later: Point) -> str:
    now = f"{view.say(later.value)} {view.at(later.day)}"
    values = f"from {view.say(earlier.value)} {view.at(earlier.day)} to {now}"
    told = _sources([earlier, later])
    if later.value == earlier.value:
        value, first, last = view.say(later.value), view.at(earlier.day), view.at(later.day)
        return sentence(f"{view.label}: unchanged, {value} {first} and {last} ({told})")
    way = "up" if later.value > earlier.value else "down"
    return sentence(f"{view.label}: {way} by {view.gap(later.value, earlier.value)}, {values} ({told})")


def _trend(view: View, points: Sequence[Point]) -> _Lines:
    """Return how a series went from its first value to its last, with where it turned."""
    disputed = next((one for one in (points[0], points[-1]) if one.is_disputed), None)
    if disputed:
        return _value(view, disputed, is_latest=False)
    first, last = points[0], points[-1]
    turns = turning_points(points)
    text = _describe_difference(view, first, last)
    steps = [after.value - earlier.value for earlier, after in pairwise(points)]
    if len(points) > 2 and (all(step > 0 for step in steps) or all(step < 0 for step in steps)):
        way = "rising" if last.value > first.value else "falling"
        text = f"{text.removesuffix('.')}, {way} {_each(view.by)}."
    elif turns:
        text += " " + sentence(
            "in between: " + ", ".join(f"{view.say(one.value)} {view.at(one.day)}" for one in turns[:4])
        )
    return (text,), claims_of(view.series, [first, *turns[:4], last])


def _each(by: str) -> str:
    return f"every {by}" if by != "day" else "from each value to the next"


def turning_points(points: Sequence[Point]) -> tuple[Point, ...]:
    """Return the points at which a series changes direction."""
    return tuple(
        here
        for earlier, here, after in zip(points, points[1:], points[2:], strict=False)
        if (here.value - earlier.value) * (after.value - here.value) < 0
    )


def is_worse_if_higher(name: str) -> bool:
    """Return whether an increase of a figure is bad, as far as its name tells."""
    parts = set(core(name))
    is_attended = "show" in parts and "no" not in parts
    return not is_attended and bool(_WORSE_IF_HIGHER & {alike for one in parts for alike in same(one)})


def _extremes(view: View, points: Sequence[Point], question: Question) -> _Lines:
    by_words = _BY_SIZE.search(question.text) is not None
    lowest = min(points, key=lambda one: one.value)
    highest = max(points, key=lambda one: one.value)
    worse_higher = (view.is_less_better or is_worse_if_higher(view.series.name)) and not by_words
    best, worst = (lowest, highest) if worse_higher else (highest, lowest)
    names = ("highest", "lowest") if by_words else ("best", "worst")
    asked = [(names[0], best)] * question.asks("best") + [(names[1], worst)] * question.asks("worst")
    told = ", ".join(f"{name} {view.say(point.value)} {view.at(point.day)}" for name, point in asked)
    span = f"{view.when(points[0].day)} to {view.when(points[-1].day)}"
    how = ", counting lower as better" if worse_higher else ""
    text = f"{view.label}, {span}: {told}{how} ({_sources(points)})"
    return (sentence(text),), claims_of(view.series, [point for _, point in asked])


def _aggregate_values(view: View, points: Sequence[Point], question: Question) -> _Lines:
    """Return a sum or an average, and of which values."""
    if any(one.is_disputed for one in points):
        return _value(view, next(one for one in points if one.is_disputed), is_latest=False)
    total = sum(one.value for one in points)
    kind, value = ("total", total) if question.asks("sum") else ("average", total / len(points))
    span = f"{view.when(points[0].day)} to {view.when(points[-1].day)}"
    how = f"{kind} of the {len(points)} values from {span}"
    text = f"{view.label}, {how}: {view.say(round(value, 2))} ({_sources(points)})"
    return (sentence(text),), claims_of(view.series, points)


def series_named(names: Sequence[str], sources: Sources) -> tuple[Series, ...]:
    """Return the series with these names that are still on record."""
    return tuple(sources.series[name] for name in names if name in sources.series)


def with_periods(question: Question, kept: Sequence[Sequence[str]]) -> Question:
    """Return a question that refers to earlier periods, with these."""
    earlier = tuple(_read(one) for one in kept)
    if earlier and question.periods and all(one.back for one in question.periods):
        periods = shift_periods(question.periods, earlier[-1])
        return replace(question, periods=(*earlier, *periods) if question.asks("compare") else periods)
    if question.asks("compare"):
        return replace(question, periods=tuple(dict.fromkeys((*earlier, *question.periods))))
    return replace(question, periods=question.periods or earlier)


def shift_periods(periods: Sequence[Period], base: Period) -> tuple[Period, ...]:
    """Return periods with relative months and years counted from `base`."""
    return tuple(replace(before(base, one.back), role=one.role) if one.back else one for one in periods)


def _read(kept: Sequence[str]) -> Period:
    first, last, name, role = kept
    return Period(date.fromisoformat(first), date.fromisoformat(last), name, role)  # type: ignore[arg-type]  # a Role
