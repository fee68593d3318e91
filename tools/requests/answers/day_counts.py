"""Day counts and dates: "how many days until the fair?", "if we gave notice today, when would we be out?".

>>> span_in("three months' notice, to the end of a calendar month").ends_after(date(2026, 11, 9))
datetime.date(2027, 2, 28)
"""

import re
from calendar import monthrange
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from mabos.language.request import Claim
from mabos.language.sentences import split
from mabos.tools.requests.answers.passages import valid_clause
from mabos.tools.requests.answers.periods import day_label, month_of, periods_in
from mabos.tools.requests.answers.synonyms import empty_words, question_forms
from mabos.tools.requests.response import Say
from mabos.tools.requests.wording import format_count
from mabos.workspace.copies import replace
from mabos.workspace.dates import dates_in, day_named
from mabos.workspace.text import terms

_FORMS = question_forms("in_day_counts")
_COUNTS = _FORMS["counts"]
_AIMED = re.compile(r"\b(?:until|till|before|left|to go|away|since|ago|between|from .* (?:to|until)|got|have)\b", re.I)
_OF_AGENT = re.compile(r"\bhow long (?:have|do) you\b", re.IGNORECASE)  # the deadline of its own work
_IF_GIVEN = re.compile(r"\bif (?:we|i|it|they|you)\b.*\b(?:today|now|tomorrow|this (?:week|month)|\d)", re.IGNORECASE)
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_SPAN = re.compile(
    rf"\b(?P<number>\d+|an?|{'|'.join(_WORDS)})[ -](?:calendar )?(?P<unit>day|week|month|year)(?:s|'s|s'|’s|s’)?\b"
    r"(?P<rest>.*)",
    re.IGNORECASE,
)
_TO_END = _FORMS["to_end"]


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """A length of time in a text, and the unit to whose end it is extended ("" for none)."""

    number: int
    unit: str
    to_end_of: str
    words: str

    def ends_after(self, start: date) -> date:
        """Return the last day if it begins on the given one."""
        if self.unit in ("day", "week"):
            day = start + timedelta(days=self.number * (7 if self.unit == "week" else 1))
        else:
            at = start.year * 12 + start.month - 1 + self.number * (12 if self.unit == "year" else 1)
            day = date(at // 12, at % 12 + 1, min(start.day, monthrange(at // 12, at % 12 + 1)[1]))
        last = {"": day.month, "month": day.month, "quarter": (day.month + 2) // 3 * 3, "year": 12}[self.to_end_of]
        return month_of(day.year, last).last if self.to_end_of else day


def span_in(text: str) -> TimeSpan | None:
    """Return the first length of time in a text, as of a notice, or None."""
    found = _SPAN.search(text)
    if found is None:
        return None
    word = found["number"].lower()
    number = int(word) if word.isdigit() else _WORDS.index(word) + 1 if word in _WORDS else 1
    end = _TO_END.search(found["rest"])
    words = found[0].removesuffix(found["rest"]) + (f", {end[0]}" if end else "")
    return TimeSpan(number, found["unit"].lower(), end["unit"].lower() if end else "", words)


def reached_by(question: str, evidence: Sequence[Sequence[str]], today: date) -> tuple[str, Claim] | None:
    """Return the day that a recorded length of time leads to, from the day that a question supposes."""
    if not _IF_GIVEN.search(question) or not re.search(r"\bwhen\b|\bwhat (?:day|date)\b", question, re.IGNORECASE):
        return None
    periods, _ = periods_in(question, today)
    start = next((one.first for one in periods if one.first == one.last), today)
    for file, text in evidence:
        if (span := span_in(text)) is not None:
            end = span.ends_after(start)
            said = f"From {day_label(start)}, {span.words} lead to {day_label(end)} ({file})."
            return said, Claim(file, "text", text)
    return None


_OF_LAST = re.compile(r"\W*(?:(?:left|still|to go|for|until|till|then|it|that|this|them|there)\b\W*)*", re.IGNORECASE)


def count_days(
    sentence: str, today: date, answer: Callable[[str], Say], evidence: Sequence[Sequence[str]] = ()
) -> Say | None:
    """Return the days to or from a day that a question names, or that `answer` finds on record.

    Where it names nothing ("How many days do we have left for it?"), the day ahead in the `evidence` of the answer
    before is meant.
    """
    found = _COUNTS.search(sentence)
    is_bare = set(terms(sentence)) <= _ELLIPTIC and _OF_DAYS.search(sentence)
    if found is None or not _AIMED.search(found[0]) or _OF_AGENT.search(sentence) or is_bare:
        return _until_last(evidence, today) if is_bare else None
    sentence = next((one for one in split(sentence) if _COUNTS.search(one)), sentence)
    found = _COUNTS.search(sentence) or found
    periods, _ = periods_in(sentence, today)
    days = [one.first for one in periods if one.first == one.last]
    if len(days) > 1:
        words = [one.said_in(sentence) for one in periods if one.first == one.last]
        return Say(f"{_format_span(days[0], days[1])}: from {words[0]} to {words[1]}.")
    if days:
        return Say(_apart(today, _ahead(days[0], today, sentence), today))
    is_past = re.search(r"\bsince\b|\bago\b", sentence, re.IGNORECASE)
    if not is_past and _OF_LAST.fullmatch(found["rest"]) and (said := _until_last(evidence, today)):
        return said
    reply = answer(f"{'Since when' if is_past else 'When'} {found['rest'].strip()}")
    known = [day for claim in reply.claims for day in _days_of(f"{claim.value}", today)]
    known = [day for day in known if (day <= today) == bool(is_past)]
    if not known or reply.data.get("is_nearest"):
        return None
    return replace(reply, text=f"{_apart(today, known[0], today)} {reply.text}")


_OF_DAYS = re.compile(r"\bdays?\b|\bweeks\b|\bhow long\b", re.IGNORECASE)
_ELLIPTIC = empty_words("of_day_counts")


def _until_last(evidence: Sequence[Sequence[str]], today: date) -> Say | None:
    """Return how far the day ahead in the evidence of the answer before is."""
    last = [(day, file, text) for file, text in evidence for day in _days_of(text, today) if day >= today]
    if not last:
        return None
    day, file, text = last[0]
    return Say(f'{_apart(today, day, today)} "{text}" ({file})', (Claim(file, "text", text),))


def _ahead(day: date, today: date, sentence: str) -> date:
    """Return a day of this year or the next one, where a question without a year asks until then."""
    is_ahead = re.search(r"\b(?:until|till|before|to)\b", sentence, re.IGNORECASE) and str(day.year) not in sentence
    return day.replace(year=day.year + 1) if is_ahead and day < today and (day.month, day.day) != (2, 29) else day


def _days_of(text: str, today: date) -> list[date]:
    text = valid_clause(text)
    day = day_named(text[:10]) if re.match(r"\d{4}-\d\d-\d\d", text) else None
    return [day] if day else [it for one in dates_in(text) if (it := one.in_year(today.year))]


def _format_span(first: date, second: date) -> str:
    """Return how far two days are apart, in days and in weeks."""
    number = abs((second - first).days)
    weeks, rest = divmod(number, 7)
    parts = [format_count(weeks, "week"), *([format_count(rest, "day")] if rest else [])]
    long = f" ({' and '.join(parts)})" if weeks else ""
    return format_count(number, "day") + long


def _apart(first: date, second: date, today: date) -> str:
    """Return how far two days are apart, and which days they are."""
    early, late = sorted((first, second))
    start, end = ("today, " if one == today else "" for one in (early, late))
    return f"{_format_span(early, late)}: from {start}{day_label(early)} to {end}{day_label(late)}."
