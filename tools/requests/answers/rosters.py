"""Answer who works when from a roster with a row per person and a column per day, a row per duty, or a row per day.

A roster that names weekdays alone is one of every week, unless its file or sheet names the week.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.request import Claim
from mabos.society.documents import DocumentText, TextTable
from mabos.society.german_terms import in_english
from mabos.tools.requests.answers.figures import Found
from mabos.tools.requests.answers.inquiry import Inquiry
from mabos.tools.requests.answers.periods import Period, day_label, periods_in
from mabos.tools.requests.answers.question import Question
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.answers.wording import join_words, sentence
from mabos.workspace.dates import WEEKDAYS, day_named
from mabos.workspace.text import STOPWORDS, terms

_FORMS = question_forms("in_rosters")
_DAYS = {word: at for at, words in enumerate(packaged_yaml("german_terms.yaml")["weekdays"]) for word in words.split()}
_MOST_DAYS, _FEW = 31, 2
_Line = tuple[int, str, date | int | None, str]
"""The number of a row, its people, the day and the shift."""


@dataclass(frozen=True, slots=True)
class RosterDuty:
    """A person's duty on a day, or on a weekday of every week; without `words` it is a day off."""

    person: str
    day: date | int
    words: str
    source: str
    place: str

    @property
    def is_off(self) -> bool:
        """Return whether the person has the day off."""
        return not self.words or _FORMS["idle"].fullmatch(self.words) is not None

    def is_on(self, day: date) -> bool:
        """Return whether it is on a day."""
        return self.day in (day, day.weekday()) if isinstance(self.day, int) else self.day == day


def answer_rosters(inquiry: Inquiry, part: Question) -> Found | None:
    """Return who is on or off on the days that a question names, or when a person is; None for other questions."""
    days: Sequence[date] = days_named(part.text, part.periods, inquiry.today)
    if not any(_FORMS[name].search(part.text) for name in ("asks", "gap", "most")):
        return None  # no table is read for any other question
    every = [one for document in inquiry.sources.documents for one in _duties(document, inquiry.today)]
    if counted := _count_shifts(every, part, days):
        return counted
    if not _FORMS["asks"].search(part.text) or not days:
        return None
    duties = [one for one in every if one.person]
    days = _of_the_roster(days, duties, part.text)
    words = {*terms(part.text)} - STOPWORDS
    named = {one.person for one in duties if {word for word in terms(one.person) if len(word) > 2} & words}
    is_of_person = re.search(r"(?i)(?:^|[-–,;:.] )\W*(?:and |so |but )*who", part.text) is None
    if not duties or (is_of_person and not named):
        return None
    told = [(day, one) for day in days for one in duties if one.is_on(day) and (not named or one.person in named)]
    shifts = {word for one in duties if not one.is_off for word in terms(one.words) if word.isalpha()} & words
    told = [(day, one) for day, one in told if not shifts or shifts & {*terms(one.words)}]
    wants_off = _FORMS["free"].search(part.text) is not None
    if not told:
        label = day_label(days[0]) if len(days) == 1 else f"{day_label(days[0])} to {day_label(days[-1])}"
        files = join_words([*dict.fromkeys(one.source for one in duties)])
        return Found((f"No line of {files} is about {join_words(sorted(shifts) or ['anybody'])} on {label}.",))
    fitting = [(day, one) for day, one in told if is_of_person or one.is_off is wants_off]
    lines = [_tell_day(day, [one for on, one in fitting if on == day], wants_off=wants_off) for day in days]
    verdict = () if len(told) > 1 or not _FORMS["yes_or_no"].match(part.text) else (told[0][1].is_off is wants_off,)
    claims = tuple(Claim(one.place, one.person, one.words or "off", day.isoformat()) for day, one in fitting)
    return Found((*("Yes." if one else "No." for one in verdict), *filter(None, lines)), claims)


def _count_shifts(lines: Sequence[RosterDuty], part: Question, days: Sequence[date]) -> Found | None:
    """Return the shifts that nobody has, or who has the most of them, where a question asks for that; else None."""
    gap, most = _FORMS["gap"].search(part.text), _FORMS["most"].search(part.text)
    known = [one for one in lines if not one.person or not one.is_off]
    kept = [one for one in known if not days or any(one.is_on(day) for day in days)] or known
    if not kept or not (gap or most):
        return None
    if gap:
        open_shifts = [one for one in kept if not one.person or _FORMS["open"].fullmatch(one.words)]
        told = join_words([" ".join(filter(None, (_label(it.day), it.person, it.words, f"({it.source})")))
                           for it in open_shifts])  # fmt: skip
        line = f"Nobody has these: {told}." if told else "Every shift of the roster has somebody."
        return Found((line,), tuple(Claim(one.place, one.words, "", _label(one.day)) for one in open_shifts))
    ranked = Counter(one.person for one in kept if one.person).most_common()
    ranked = ranked[::-1] if most and most["least"] else ranked
    claims = tuple(Claim(one.place, one.person, one.words) for one in kept if one.person == ranked[0][0])
    return Found((f"{'; '.join(f'{name}: {number}' for name, number in ranked)} ({kept[0].source}).",), claims)


def _label(day: date | int) -> str:
    return f"{day:%A}, {day_label(day)}" if isinstance(day, date) else WEEKDAYS[day]


def _of_the_roster(days: Sequence[date], duties: Sequence[RosterDuty], text: str) -> Sequence[date]:
    """Return the same weekdays of the roster's week, where it has none of the days and the question gives no date."""
    dated = {one.day for one in duties if isinstance(one.day, date)}
    if re.search(r"\d|\btoday\b|\btomorrow\b|\bnext\b|\bthis\b", text) or dated.intersection(days):
        return days
    wanted = {one.weekday() for one in days}
    return sorted(one for one in dated if one.weekday() in wanted and one > days[0])[: len(days)] or days


def _tell_day(day: date, duties: Sequence[RosterDuty], *, wants_off: bool) -> str:
    label = f"{day:%A}, {day_label(day)}"
    if not duties:
        return f"{label}: nobody is {'off' if wants_off else 'on'}."
    files = dict[str, list[str]]()
    for one in duties:
        files.setdefault(one.source, []).append(f"{one.person} ({one.words or 'off'})")
    parts = [f"{join_words(people)} ({file})" for file, people in files.items()]
    return sentence(f"{label}: {'; '.join(parts)}")


def days_named(text: str, periods: Sequence[Period], today: date) -> list[date]:
    """Return the days that a question names: those of its periods, and the next day of each weekday."""
    weekdays = [_DAYS[word] for word in terms(text) if len(word) > 2 and word in _DAYS]
    number = re.search(r"\b(\d{1,2})(?:st|nd|rd|th)\b", text) if len(weekdays) == 1 else None
    near = (today + timedelta(days=at) for at in range(2 * _MOST_DAYS if number else 0))
    if number and (day := next((it for it in near if (it.weekday(), it.day) == (weekdays[0], int(number[1]))), None)):
        return [day]  # "Sunday the 20th"
    if weekdays:
        start = next((one.first for one in periods if one.last > today), today)
        return [start + timedelta(days=(one - start.weekday()) % 7) for one in weekdays]
    spans = [(one.first + timedelta(days=at)) for one in periods for at in range((one.last - one.first).days + 1)]
    return spans[:_MOST_DAYS] if len(spans) <= _MOST_DAYS else []


def _duties(document: DocumentText, today: date) -> Iterator[RosterDuty]:
    for table in document.tables:
        header = [in_english(one).strip() for one in table.header]
        titled = f"{document.title} {document.file} {table.name}".replace("_", " ").replace("-", " ")
        week, _ = periods_in(titled, today)
        days = [_day(one, week) for one in table.header]
        across = [at for at, one in enumerate(days) if one is not None]
        if len(across) > _FEW and across[0] > 0:
            rows = [*enumerate(table.rows)]
            found = [(number, row[0], days[at], row[at]) for number, row in rows for at in across if at < len(row)]
        elif _FORMS["roster"].search(f"{titled} {' '.join(header)}"):
            found = _by_rows(table, header, week)
        else:
            continue
        for number, people, day, words in found:
            source = document.file if not isinstance(day, int) else f"{document.file}, which names no week"
            for person in re.split(r"\s*(?:[,;/&+]|\band\b|\bund\b)\s*", people):
                if day is not None:
                    place = f"{document.name}, {table.place(number)}"
                    yield RosterDuty(person, day, words.strip(" -–—"), source, place)


def _by_rows(table: TextTable, header: Sequence[str], week: Sequence[Period]) -> list[_Line]:
    """Return the people of each row with its day and their shift: one in a column of its own, or one a column."""
    rows = [(number, row) for number, row in enumerate(table.rows) if len(row) == len(header)]
    dated = [at for at in range(len(header)) if rows and all(_day(row[at], week) is not None for _, row in rows)]
    if not dated:
        return []
    at, every = dated[0], [one for one in range(len(header)) if one not in dated[1:]]
    people = next((one for one in every if _FORMS["people"].fullmatch(header[one])), None)
    if people is None:
        return [
            (number, row[one], _day(row[at], week), header[one]) for number, row in rows for one in every if one != at
        ]
    shift = next((one for one in every if _FORMS["shift"].search(header[one]) and one != people), None)
    return [(number, row[people], _day(row[at], week), "on" if shift is None else row[shift]) for number, row in rows]


def _day(text: str, week: Sequence[Period]) -> date | int | None:
    """Return the day that a heading or a cell names: a date, or a weekday, of the week that its table is about."""
    if (day := day_named(text)) is not None:
        return day
    words = terms(text)
    if not words or words[0] not in _DAYS:
        return None
    weekday = _DAYS[words[0]]
    spans = [one for one in week if (one.last - one.first).days <= 7]
    return spans[0].first + timedelta(days=(weekday - spans[0].first.weekday()) % 7) if spans else weekday
