"""Search all records for a question: return the nearest records, of any kind, quoted with their source.

found = look_up(RecordLines(agent, sources), read_question("How many people came in October?", today))
found.lines       # ('I have no record on "people" ... Nearest on record:', "Tickets: 6,240 in October 2026 (box.csv).")

A record is rated by the share of the question's words that it has, each weighted by its rarity on record. With an
embedder, nearness in meaning counts too. A record with all words of the question is reported as its answer; any other
as the nearest, and as that only. A distant record is not reported: it would pass for an answer.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from math import log

from mabos.language.request import Claim
from mabos.society.german_terms import gloss
from mabos.society.quantities import spellings_of
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.colleague_answers import NOTHING
from mabos.tools.requests.answers.entries import Entry, entries_of
from mabos.tools.requests.answers.figures import Found, View, answer_figures, serialize_periods
from mabos.tools.requests.answers.outcomes import progress_of
from mabos.tools.requests.answers.passages import has_kind, is_duty
from mabos.tools.requests.answers.periods import periods_in
from mabos.tools.requests.answers.query import fields_asked
from mabos.tools.requests.answers.question import Party, Question, fits, party_of, without_idioms
from mabos.tools.requests.answers.reasons import reasons_of
from mabos.tools.requests.answers.sheets import Sheet, sheets_of
from mabos.tools.requests.answers.sources import (
    KEPT,
    Sources,
    StatedValue,
    believed_of,
    cosines,
    passages_of,
    sentences_of,
)
from mabos.tools.requests.answers.state import is_asked_for
from mabos.tools.requests.answers.stated import PLANNED, words_of
from mabos.tools.requests.answers.statement import Statement
from mabos.tools.requests.answers.synonyms import empty_words, likeness, stems_in, stems_of
from mabos.tools.requests.answers.targets import answer_targets
from mabos.tools.requests.answers.wording import label, sentence, stated_value
from mabos.tools.requests.answers.work_items import WorkItem, is_uncommon, work_items
from mabos.tools.requests.colleagues import title
from mabos.tools.requests.wording import day
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, one_line, shorten, terms

_LONGEST = 320  # characters of a paragraph that is told whole
_EMBEDDED = 80  # records that are compared with a question by meaning, those that share most words first
_COMMON = 0.4  # the weight of a common word of the language, as "call" or "people"
_SURE = 0.88  # the share of the words from which a record is told as the answer
_NEAR = 0.4  # the share from which a record of the kind that is asked for is near
_NEAR_UNKNOWN = 0.5  # the same, where an uncommon word of the question is on no record at all
_NEAR_TOO = 0.3  # the share that is enough, where the meaning is near as well
_MEANT = 0.38  # the cosine of a meaning that is near
_MEANT_ALONE = 0.4  # the cosine that is enough without shared words; of sums of money it must be larger
_MEANT_MONEY = 0.5
_AROUND = 0.6  # what a word counts that stands only around a record: in its heading, its file, its sender
_UNKNOWN = 0.5  # what a word that no record has counts where the nearest record is looked for
_MUCH_MORE = 0.2  # by how much of a question another record must have more than an answer that it replaces
_SHOWN = 3
_ID = re.compile(r" \((?:[A-Z]+-)+\d+-\w+(?:, [^()]*)?\)")
_HALF = 0.5
_ASKING = frozenset(stem for word in empty_words("of_all") for stem in stems_of(word))
"""Stems of words that ask, and name nothing."""


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A record of any kind: its searchable text, its context, and the function that words it for a reply."""

    text: str
    tell: Callable[[Question], Statement]
    around: str = ""
    about: Mapping[str, object] = field(default_factory=dict)
    is_own_goal: bool = False
    view: View | None = None


class RecordLines:
    """All records that may answer a question of one agent, as lines; read once, and only if needed."""

    def __init__(self, agent: Agent, sources: Sources) -> None:
        self.agent = agent
        self.sources = sources
        self._wanted: dict[Question, _Wanted] = {}

    @cached_property
    def lines(self) -> tuple[RecordLine, ...]:
        """All records."""
        sources = self.sources
        return (
            *_series(self.agent, sources),
            *_values(sources),
            *(line for sheet in sheets_of(sources.documents) for line in _rows(sheet)),
            *_passages(sources),
            *_entries(self.agent),
            *_work(self.agent),
            *_list_agent_lines(self.agent),
        )

    @cached_property
    def stems(self) -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
        """The stems of each record and its context."""
        return tuple((_stems(one.text), _stems(one.around)) for one in self.lines)

    def wanted(self, question: Question) -> "_Wanted":
        """Return the words of a question with their weights; cached."""
        if question not in self._wanted:
            self._wanted[question] = _Wanted(self, question)
        return self._wanted[question]


def look_up(catalogue: RecordLines, question: Question, *, is_sure: bool = False) -> Found | None:
    """Return the text of the records nearest to a question; None if none is near, or, with `is_sure`, complete."""
    rated = _rank_lines(catalogue, question)
    if not rated:
        return None
    best = rated[0]
    if best.share >= _SURE and best.fits:
        return _describe_lines([one for one in rated[:_SHOWN] if one.share >= best.share - 0.05], question)
    if is_sure:
        return None
    if question.asks("amount", "count") and best.share < _HALF:
        return None  # another number would pass for the one that is asked for
    minimum = (0.5 if question.asks("compare") else 0.8) * best.rating
    lead = f'I have no record on "{words_of(question) or question.text}" in these words. Nearest on record:'
    return _describe_lines([one for one in rated[:_SHOWN] if one.rating >= minimum], question, lead)


def better_told(catalogue: RecordLines, question: Question, found: Found) -> Found | None:
    """Return the record that covers much more of a question than the answer found, or None."""
    rated = [one for one in _rank_lines(catalogue, question) if one.fits and not one.line.view]
    if not rated or rated[0].share < share_told(catalogue, question, found) + _MUCH_MORE:
        return None
    best = rated[0]
    lead = "" if best.share >= _SURE else f'On "{words_of(question) or question.text}" the nearest record is this:'
    return _describe_lines([best], question, lead)


@dataclass(frozen=True, slots=True)
class _Rated:
    line: RecordLine
    share: float
    nearness: float
    meaning: float
    fits: bool
    is_of_time: bool

    @property
    def rating(self) -> float:
        fitting = 0.1 * (self.fits + bool(self.line.view)) + 0.4 * self.is_of_time
        return (self.nearness + max(0.0, self.meaning - 0.2) + fitting) * (0.6 if self.line.is_own_goal else 1.0)


def _is_near(one: _Rated, question: Question, *, is_known: bool) -> bool:
    """Return whether a record is near enough to report; `is_known` means that all uncommon words are on record."""
    alone = _MEANT_MONEY if question.asks("amount") or not is_known else _MEANT_ALONE
    return (
        (one.nearness >= (_NEAR if is_known else _NEAR_UNKNOWN) and (one.fits or one.nearness >= _NEAR_UNKNOWN))
        or (one.nearness >= _NEAR_TOO and (one.meaning >= _MEANT or one.is_of_time))
        or (one.meaning >= alone and one.fits)
    )


def _extract_stems(question: Question) -> tuple[str, ...]:
    """Return the stems of a question that may name something."""
    words = [one for one in terms(without_idioms(question.text)) if one not in STOPWORDS and len(one) > 1]
    dates = {stem for period in question.periods for word in terms(period.label) for stem in stems_of(word)}
    stems = [stem for word in words for stem in stems_of(word)]
    short = {one for one in stems if one[:3] in {date[:3] for date in dates} and len(one) <= 4}
    return tuple(dict.fromkeys(one for one in stems if one not in _ASKING and one not in dates and one not in short))


class _Wanted:
    """The words of a question with their weights, and how much of them a text has."""

    def __init__(self, catalogue: RecordLines, question: Question) -> None:
        lines = catalogue.lines
        self.words = _extract_stems(question)
        texts = [text for text, _ in catalogue.stems]
        vocabulary = frozenset[str]().union(*(one for both in catalogue.stems for one in both))
        self._alike = {one: _alike(one, vocabulary) for one in self.words}
        self._weights = {
            one: (1.0 if is_uncommon(one) or one in question.proper else _COMMON)
            * log(1 + len(lines) / max(1, sum(not self._alike[one].keys().isdisjoint(text) for text in texts)))
            for one in self.words
        }

    @property
    def are_known(self) -> bool:
        """Return whether every uncommon word is on some record."""
        return all(self._alike[one] for one in self.words if is_uncommon(one))

    def are_known_all(self, stems: Sequence[str]) -> bool:
        """Return whether all of these words are on some record."""
        return bool(stems) and all(self._alike.get(one) for one in stems)

    def share(self, text: frozenset[str], around: frozenset[str] = frozenset(), *, unknown: float = 1.0) -> float:
        """Return the share of the words that a text has, by weight; words around it count for less.

        `unknown` is the weight of a word without a record.
        """
        parts = (
            weight * max(self._best(one, text), _AROUND * self._best(one, around))
            for one, weight in self._weights.items()
        )
        whole = sum(weight * (1.0 if self._alike[one] else unknown) for one, weight in self._weights.items())
        return sum(parts) / (whole or 1.0)

    def _best(self, wanted: str, text: frozenset[str]) -> float:
        known = self._alike[wanted]
        return max((known[word] for word in text if word in known), default=0.0)


def share_told(catalogue: RecordLines, question: Question, found: Found) -> float:
    """Return the share of the words of a question that an answer contains."""
    named = (word for one in found.about.get("series", ()) for word in spellings_of(one))  # staff cost is payroll
    told = " ".join([*found.lines, *(f"{one.field} {one.record}" for one in found.claims), *named])
    return catalogue.wanted(question).share(_stems(told))


def _stems(text: str) -> frozenset[str]:
    return frozenset(stems_in(f"{text} {gloss(text)}"))


def _rank_lines(catalogue: RecordLines, question: Question) -> list[_Rated]:
    """Return the lines near to a question, nearest first."""
    wanted, lines = catalogue.wanted(question), catalogue.lines
    if not wanted.words:
        return []
    shares = [wanted.share(*one) for one in catalogue.stems]
    nearness = [wanted.share(*one, unknown=_UNKNOWN) for one in catalogue.stems]
    order = sorted(range(len(lines)), key=lambda at: -shares[at])[:_EMBEDDED]
    meanings = cosines(catalogue.agent, question.text, [shorten(lines[at].text, _LONGEST) for at in order])
    found = [
        _Rated(
            lines[at],
            shares[at],
            nearness[at],
            meaning,
            has_kind(question, lines[at].text),
            _is_of_time(lines[at], question),
        )
        for at, meaning in zip(order, meanings or [0.0] * len(order), strict=True)
    ]
    party = None if question.asks("who") else party_of(question.text)
    is_known = party is not None and wanted.are_known_all(party.stems)
    near = [
        one
        for one in found
        if _is_near(one, question, is_known=wanted.are_known) and _is_of_period(one.line, question)
        if party is None or (is_known and one.line.view) or _is_of_party(party, one.line)
    ]
    return sorted(near, key=lambda one: -one.rating)


def _is_of_party(party: Party, line: RecordLine) -> bool:
    """Return whether a record is about whose value is asked for, and so is each of its sentences with a number."""
    parts = (one for one in sentences_of(line.text) if any(map(str.isdigit, one)))
    return fits(party, line.text, line.around) and all(fits(party, one, line.around) for one in parts)


def _is_of_time(line: RecordLine, question: Question) -> bool:
    """Return whether a record names a day in the time that is asked for."""
    asked = [one for one in question.periods if not one.role and not one.back]
    named = periods_in(line.text, question.today)[0] if asked and line.view is None else ()
    year = timedelta(days=365)  # a day without a year may be ahead
    return any(one.holds(day.first) or one.holds(day.first + year) for one in asked for day in named)


def _is_of_period(line: RecordLine, question: Question) -> bool:
    """Return whether a figure has a value in the time that is asked for; any other record but a plan may be of any."""
    if not line.view:  # what was planned answers no question for what was
        is_asked = question.asks("target") or PLANNED.search(question.text)
        return not question.periods or bool(is_asked) or not PLANNED.search(line.around)
    return not question.periods or bool(line.view.within(question.periods))


def _alike(wanted: str, vocabulary: frozenset[str]) -> dict[str, float]:
    """Return the match of each recorded word with one of a question: itself, a synonym, a typo, a common start."""
    found = {word: likeness(wanted, word) for word in vocabulary}
    return {word: quality for word, quality in found.items() if quality}


def _describe_lines(chosen: Sequence[_Rated], question: Question, lead: str = "") -> Found:
    """Return these records in words, with their subjects for a question that refers to them."""
    told = [one.line.tell(question) for one in chosen]
    about: dict[str, object] = {}
    for one in chosen:
        for name, value in one.line.about.items():
            known = about.get(name)
            about[name] = [*known, *value] if isinstance(known, list) and isinstance(value, list) else value
    texts = [_ID.sub("", one.text) if lead else one.text for one in told]
    every = dict.fromkeys(sentence(one) for one in texts if one)
    lines = [one for one in every if not any(one != other and one in other for other in every)]
    closing = ("If that is not it, please tell me, or drop a document with it into the inbox.",) if lead else ()
    claims = tuple(dict.fromkeys(claim for one in told for claim in one.claims))
    about |= {"periods": serialize_periods(question.periods), **({"is_nearest": True} if lead else {})}
    return Found((*([lead] if lead else []), *lines, *closing), claims, about)


def _quoting(said: Statement) -> Callable[[Question], Statement]:
    """Return a function that words a record the same way for any question."""
    return lambda _: said


def _series(agent: Agent, sources: Sources) -> Iterator[RecordLine]:
    for series in sources.series.values():
        view = View(series, agent.clock().date())

        last = series.points[-1]
        text = f"{view.label}: {view.say(last.value)} {view.at(last.day)}"
        value = Claim(last.values[0].record, view.label, last.value, last.day.isoformat())
        latest = Statement(f"{text} ({last.values[0].source})", (value,))

        def tell(question: Question, view: View = view, latest: Statement = latest) -> Statement:
            about = (question, [view.series], sources, view.today)
            found = answer_targets(agent, *about) if question.asks("target") else answer_figures(*about)
            return Statement(" ".join(found.lines), found.claims) if found else latest

        yield RecordLine(text, tell, " ".join(one.source for one in last.values), {"series": [series.name]}, view=view)


def _values(sources: Sources) -> Iterator[RecordLine]:
    for one in sources.statements:
        if not one.is_assumption and one.record.partition("/")[0] not in KEPT:
            yield _value(one)


def _value(one: StatedValue) -> RecordLine:
    owner = f"{label(one.owner)}, " if one.owner and one.record.startswith("fact ") else ""
    name = f"{owner}{label(one.name)}"
    said = Statement(
        f"{name}: {stated_value(one.name, one.value)} ({one.source})",
        (Claim(one.record, label(one.name), one.value, one.as_of),),
    )
    return RecordLine(f"{name}: {one.value}", _quoting(said), f"{one.owner} {one.source}", {"documents": [one.source]})


def _rows(sheet: Sheet) -> Iterator[RecordLine]:
    for number, row in enumerate(sheet.table.rows):
        cells = [at for at in range(len(sheet.table.header)) if at < len(row) and row[at] and at != sheet.names]
        told = ", ".join(f"{sheet.header(at)} {sheet.cell(row, at)}" for at in cells)
        record = f"{sheet.document.name}, {sheet.table.place(number)}"
        claims = tuple(Claim(record, sheet.header(at), row[at]) for at in cells)
        said = Statement(f"{sheet.name(row)}: {told} ({sheet.place})", claims)
        about = {"documents": [sheet.document.file]}
        yield RecordLine(f"{sheet.name(row)}: {told}", _quoting(said), f"{sheet.place}", about)


def _passages(sources: Sources) -> Iterator[RecordLine]:
    for document in sources.documents:
        if document.sender:
            by = Statement(
                f"{document.file} is from {document.sender}", (Claim(document.name, "sender", document.sender),)
            )
            around = " ".join([document.title, *(one.text for one in document.passages[:3])])
            text = f"contact sender address of the mail from {document.sender}"
            yield RecordLine(text, _quoting(by), around, {"documents": [document.file]})
        whole = [one for one in document.passages if len(one.text) <= _LONGEST]
        parts = [one for one in passages_of(document) if one.place not in {known.place for known in whole}]
        for one in (*whole, *parts):
            if one.text == document.title or is_duty(one.text) or (": " in one.text and len(one.text) < 60):
                continue
            said = Statement(
                f'"{one.text}" ({document.file}, {one.place})',
                (Claim(f"{document.name}, {one.place}", "text", one.text),),
            )
            about: Mapping[str, object] = {"documents": [document.file], "evidence": [[document.file, one.text]]}
            around = f"{one.heading} {document.title} {document.sender} {document.file}"
            yield RecordLine(one.text, _quoting(said), around, about)


def _entries(agent: Agent) -> Iterator[RecordLine]:
    now = agent.now()
    for entry in entries_of(agent):

        def tell(question: Question, entry: Entry = entry) -> Statement:
            fields = [one for one in fields_asked(question.text)[0] if one in entry.cells]
            return Statement(entry.say(fields), entry.claims(fields, now))

        labels = " ".join(
            f"{entry.kind.labels[name]} {cell.text}" for name, cell in entry.cells.items() if name in entry.kind.labels
        )
        yield RecordLine(f"{entry.kind.noun} {entry.name} {labels}", tell, " ".join(entry.words))


def _work(agent: Agent) -> Iterator[RecordLine]:
    for item in work_items(agent):
        if item.request is None and item.goal is None and item.made:
            continue  # told as the entry that it is

        def tell(_: Question, item: WorkItem = item) -> Statement:
            is_question = item.request is None and item.goal is None
            return reasons_of(agent, item) if is_question else progress_of(agent, item)

        is_own = not is_asked_for(item) and not item.decisions
        yield RecordLine(item.words, tell, "", {"items": [item.key]}, is_own)


def _list_agent_lines(agent: Agent) -> Iterator[RecordLine]:
    """Yield the agent's beliefs about things with a name and a value, and colleagues' statements."""
    for one in believed_of(agent):
        yield _value(one)
    colleagues = {one: title(agent, one) for one in agent.services.agents() if one != agent.id}
    inboxes = (agent.inbox, agent.services.inbox(STAKEHOLDER))
    for message in (one for inbox in inboxes for one in inbox.messages()):
        if (message.to == STAKEHOLDER and message.reply_to) or message.content.startswith(NOTHING):
            continue  # what was answered then is no record now
        if message.performative == "INFORM" and message.sender in colleagues and not message.flag:
            said = Statement(
                f"{message.sender.upper()} wrote on {day(message.timestamp)}: {one_line(message.content)}",
                (Claim(f"message {message.id}", "content", message.content, message.timestamp),),
            )
            yield RecordLine(message.content, _quoting(said), f"{message.sender} {colleagues[message.sender]}")
