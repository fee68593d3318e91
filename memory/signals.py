"""The signals of the default ranking: small pure functions of what is known about a question and its candidates.

Each returns a number from 0 to 1 for the candidates it has anything to say about (`meaning` and `context` go down to
-1), and nothing at all where its data is absent: without vectors, without times, without a date in the question. What
they add up to is decided by the weights in `configs/ranking.yaml`.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta

from memory.catalogue import Entry
from memory.findable import Findable
from memory.question import Named, Question
from memory.words import Spans, Words

Scores = Mapping[str, float]
_QUESTION = re.compile(r"\?\s*(?:\[[^\]]*\]\s*)?$")  # a remark in brackets may follow
_LATER_DAYS = 7
_NEXT_DAY, _EACH_DAY = 0.75, 0.05
_SAME_MONTH, _OTHER_PART = 0.4, 0.2
_ABOUT_ASKING = re.compile(
    r"\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed)?|inquir(?:e|es|ed|y)|request(?:s|ed)?|questions?"
    r"|want(?:s|ed)? to (?:know|hear))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known when candidates are ranked; scores cover more than the candidates.

    `meaning` holds the similarities of question and text; `faintest` is the one of the hundredth best, or of the last.
    """

    question: Question
    words: Words
    spans: Spans
    own: Scores = field(default_factory=dict)
    around: Scores = field(default_factory=dict)
    days: Scores = field(default_factory=dict)
    meaning: Scores = field(default_factory=dict)
    faintest: float = 0.0

    @property
    def candidates(self) -> list[str]:
        """What is to be ranked."""
        return list(self.spans)

    @property
    def texts(self) -> Iterator[tuple[str, Findable]]:
        """The candidates with their ids."""
        return ((one, span[0].one) for one, span in self.spans.items())


Signal = Callable[[Evidence], dict[str, float]]


def words(known: Evidence) -> dict[str, float]:
    """How well the words of the text and its tags match, beside the best match."""
    return _beside_best(known, known.own)


def neighbours(known: Evidence) -> dict[str, float]:
    """How well the text matches together with what was remembered just before and after."""
    return _beside_best(known, known.around)


def day(known: Evidence) -> dict[str, float]:
    """How well everything remembered on the text's day matches."""
    top = max(known.days.values(), default=0.0)
    found = {one: known.days.get(text.day, 0.0) for one, text in known.texts}
    return {one: score / top for one, score in found.items() if score}


def meaning(known: Evidence) -> dict[str, float]:
    """How near question and text are, between the hundredth best and the best."""
    top = max(known.meaning.values(), default=0.0)
    spread = top - known.faintest
    if spread <= 0:
        return {}
    similar = known.meaning
    return {one: max(-1.0, (similar[one] - known.faintest) / spread) for one in known.spans if one in similar}


def context(known: Evidence) -> dict[str, float]:
    """How near the question is to what was remembered just before and after; the text itself where there is nothing."""
    top = max(known.meaning.values(), default=0.0)
    spread = top - known.faintest
    if spread <= 0:
        return {}
    found = {}
    for one, span in known.spans.items():
        near = [known.meaning[other.one.id] for other in span[1:] if other.one.id in known.meaning]
        own = known.meaning.get(one)
        if near or own is not None:
            mean = sum(near) / len(near) if near else own or 0.0
            found[one] = min(1.0, max(-1.0, (mean - known.faintest) / spread))
    return found


def speaker(known: Evidence) -> dict[str, float]:
    """Whether somebody whom the question names said it."""
    people = known.question.people
    return {one: 1.0 for one, text in known.texts if text.source in people} if people else {}


def statement(known: Evidence) -> dict[str, float]:
    """Whether it tells something rather than asks: who asks wants to be told, unless it is what somebody asked."""
    if _ABOUT_ASKING.search(known.question.text):
        return {}
    return {one: 1.0 for one, text in known.texts if not _asks(text.text)}


def date_named(known: Evidence) -> dict[str, float]:
    """Whether it was remembered on a date that the question names, in that (part of a) month, or in the week after."""
    dates = known.question.dates
    if not dates:
        return {}
    found = {one: max(_fit(named, text.day) for named in dates) for one, text in known.texts}
    return {one: fit for one, fit in found.items() if fit}


def recency(known: Evidence) -> dict[str, float]:
    """How late it stands in the order of what is remembered; half where nobody knows."""
    late = known.words.lateness(span[0] for span in known.spans.values())
    places = dict(zip(known.spans, late, strict=True))
    if all(place is None for place in places.values()):
        return {}
    return {one: 0.5 if place is None else place for one, place in places.items()}


def importance(known: Evidence) -> dict[str, float]:
    """How important it was held to be."""
    return {one: text.importance for one, text in known.texts}


SIGNALS: dict[str, Signal] = {
    "meaning": meaning,
    "context": context,
    "words": words,
    "neighbours": neighbours,
    "day": day,
    "date": date_named,
    "speaker": speaker,
    "statement": statement,
    "recency": recency,
    "importance": importance,
}


def _beside_best(known: Evidence, scores: Scores) -> dict[str, float]:
    top = max(scores.values(), default=0.0)
    return {one: scores[one] / top for one in known.spans if one in scores} if top else {}


def _asks(text: str) -> bool:
    return _QUESTION.search(text) is not None


def _fit(named: Named, day_of_text: str) -> float:
    if not day_of_text:
        return 0.0
    year, month, number = int(day_of_text[:4]), int(day_of_text[5:7]), int(day_of_text[8:10])
    first, last = named.days
    if not named.day:
        within = _SAME_MONTH if not named.part else 1.0 if first <= number <= last else _OTHER_PART
        return within if month == named.month and named.year in (0, year) else 0.0
    try:
        later = (date(year, month, number) - date(named.year or year, named.month, named.day)).days
    except ValueError:
        return 0.0
    if later == 0:
        return 1.0
    if 0 < later <= _LATER_DAYS:
        return _NEXT_DAY - _EACH_DAY * (later - 1)
    return _SAME_MONTH if month == named.month and named.year in (0, year) else 0.0


def remembered_then(known: Question, words: Words, limit: int) -> list[Entry]:
    """Return what was remembered on the dates that the question names, as further candidates."""
    found: list[Entry] = []
    for named in known.dates:
        for year in [named.year] if named.year else words.years():
            with suppress(ValueError, OverflowError):  # there is no such day that year, or none after it
                first_day, last_day = named.days
                first = date(year, named.month, first_day)
                month_later = (first.replace(day=1) + timedelta(days=31)).replace(day=1)
                part_later = first + timedelta(days=last_day - first_day + 1)
                end = first + timedelta(days=_LATER_DAYS + 1) if named.day else min(part_later, month_later)
                found += words.within(first.isoformat(), end.isoformat(), limit)
    return found[:limit]
