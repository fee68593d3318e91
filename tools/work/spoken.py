"""A person's words on a request: their messages, a question they agreed to, documents they pointed at.

    spoken = spoken_by_person(agent, request)
    [one.place for one in spoken.sources]      # ["MSG-9", "MSG-7"]: the message at hand first, then earlier ones

Statements found only in documents, mails, web texts or tool results are data: they count if the person's words point at
them.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final

from mabos.language.forwarded import mail_in, points
from mabos.language.request import Request
from mabos.language.selectors import singular
from mabos.language.spoken_time import SpokenTime
from mabos.language.wordlists import order_form
from mabos.society.documents import DocumentText
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.sources import sources_of
from mabos.tools.runtime.services import Agent, Caller
from mabos.tools.work.clauses import ReadText, SaidClause, read_text
from mabos.tools.work.session import parent_of
from mabos.workspace.clock import parse_time
from mabos.workspace.text import fold

CONVERSATION: Final = 12
"""The number of a person's earlier messages that count as said."""
HANDED_ON: Final = 5
"""The number of colleagues who may have passed an order on."""
_LONGEST_DOCUMENT: Final = 20_000
"""Characters of a document in which values are looked for."""
_ASSENT: Final = order_form("work_spoken.assent")
_LATER_ASSENT: Final = order_form("work_spoken.later_assent")
_DISSENT: Final = order_form("work_spoken.dissent")
_PAPER: Final = order_form("work_spoken.paper")
_POINTS: Final = order_form("work_spoken.points")
_USES: Final = order_form("work_spoken.uses")
_UNIT_DAYS: Final = {"day": 1.0, "week": 7.0, "fortnight": 14.0}
_UNIT_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class WordSource:
    """A text that can ground a value, and its place: the id of a message or a rule, or a document's name."""

    place: str
    text: str
    at: datetime
    is_focus: bool = False
    is_document: bool = False

    @property
    def read(self) -> ReadText:
        """The text as clauses."""
        return read_text(self.text, self.at)

    @property
    def days(self) -> frozenset[date]:
        """The days of the text, and those that follow from its durations and frequencies."""
        return days_of(self.read, self.at)


@dataclass(frozen=True, slots=True)
class SpokenWords:
    """A person's words on a request; `at` is the time of the latest ones, `sources` has the current message first."""

    texts: tuple[str, ...]
    at: datetime
    sources: tuple[WordSource, ...] = ()

    @property
    def focus(self) -> tuple[WordSource, ...]:
        """The current message, and the question that it agreed to."""
        return tuple(one for one in self.sources if one.is_focus)

    @property
    def folded_text(self) -> str:
        """All words of the person in lower case, without punctuation."""
        return f" {' '.join(fold(one) for one in self.texts)} "

    @property
    def lowered(self) -> str:
        """The texts of the person in lower case."""
        return "\n".join(self.texts).casefold()

    @property
    def papers(self) -> str:
        """The texts of the documents that the person pointed at, in lower case."""
        return "\n".join(one.text for one in self.sources if one.is_document).casefold()

    def has_day(self, day: date) -> bool:
        """Return whether a day is in the words, or follows from them."""
        return day == self.at.date() or any(day in one.days for one in self.sources)

    def has_words(self, phrase: str) -> bool:
        """Return whether all words of a phrase occur together, in the singular or plural."""
        return says(self.folded_text, phrase)


def says(folded: str, phrase: str) -> bool:
    """Return whether folded words contain all words of a phrase together, in the singular or plural."""
    wanted = fold(phrase)
    if not wanted:
        return False
    if f" {wanted} " in folded:
        return True
    plain = " ".join(singular(word) for word in folded.split())
    return f" {' '.join(singular(word) for word in wanted.split())} " in f" {plain} "


def spoken_by_person(agent: Agent, request: Request, *, handed_on: int = HANDED_ON) -> SpokenWords:
    """Return the words of the person behind a request, even if colleagues passed it on."""
    said = tuple(_list_spoken_messages(agent, request, handed_on))
    at = max((parse_time(one.timestamp) for one in said), default=agent.clock())
    focus = {said[-1].id} if said else set[str]()
    if len(said) > 1 and said[-2].sender != STAKEHOLDER:  # the question that was agreed to
        focus.add(said[-2].id)
    messages, papers = list[WordSource](), list[WordSource]()
    for one in reversed(said):
        own, mail = _own_words(one.content)
        when = parse_time(one.timestamp)
        messages.append(WordSource(one.id, own, when, is_focus=one.id in focus))
        if mail and one.sender == STAKEHOLDER and points(own):
            papers.append(WordSource(f"the mail in {one.id}", mail, when, is_document=True))
    for source in messages:
        papers += _papers(agent, source) if source.is_focus else ()
    near = [one for one in messages if one.is_focus]
    far = [one for one in messages if not one.is_focus]
    return SpokenWords(tuple(one.text for one in reversed(messages)), at, (*near, *papers, *far, *_rules(agent, at)))


def assents(text: str) -> bool:
    """Return whether an answer agrees: it begins with a yes, or has one later and no "no"."""
    return bool(_ASSENT.match(text)) or bool(_LATER_ASSENT.search(text) and not _DISSENT.search(text))


def days_of(read: ReadText, at: datetime) -> frozenset[date]:
    """Return the days of a text, with those that its durations and weekdays imply."""
    days = {one.day for one in read.times if one.day is not None}
    for base in (at.date(), *days):
        later = [moved for one in read.times if one.kind == "duration" if (moved := _later(base, one)) is not None]
        days |= set(later)
    for one in read.times:
        if weekday := str(one.every.get("weekday", "")):
            days |= {
                on for n in range(1, 15) if (on := at.date() + timedelta(days=n)).strftime("%A") == weekday.capitalize()
            }
    return frozenset(days)


def _own_words(text: str) -> tuple[str, str]:
    """Return the person's own words in a message, and the mail that it passes on, or an empty text."""
    found = mail_in(text)
    return (text, "") if found is None or found[1].is_card else (found[0], found[1].text)


def _later(day: date, duration: SpokenTime) -> date | None:
    """Return the day that a duration leads to."""
    try:
        if duration.unit in _UNIT_DAYS:
            return day + timedelta(days=round(duration.count * _UNIT_DAYS[duration.unit]))
        if duration.unit in _UNIT_MONTHS and duration.count == int(duration.count):
            months = day.month - 1 + int(duration.count) * _UNIT_MONTHS[duration.unit]
            year, month = day.year + months // 12, months % 12 + 1
            last = (date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)).day
            return date(year, month, min(day.day, last))
    except (OverflowError, ValueError):
        return None
    return None


# --- messages -----------------------------------------------------------------


def _list_spoken_messages(agent: Agent, request: Request, handed_on: int) -> Iterator[Message]:
    """Yield the person's messages up to the one of the request, oldest first, and a question that was assented to."""
    if request.sender != STAKEHOLDER:
        yield from _behind(agent, request, handed_on)
        return
    carrying = agent.requests.find(parent_of(request)) or request  # an older order that is changed now is said anew
    heard = [one for one in agent.inbox.messages() if one.sender == STAKEHOLDER]
    at = next((number for number, one in enumerate(heard) if one.id == carrying.message_id), len(heard) - 1)
    for message in heard[max(0, at - CONVERSATION) : at + 1]:
        if assents(message.content) and (question := _question_before(agent, message)):
            yield question
        yield message


def _question_before(agent: Agent, message: Message) -> Message | None:
    """Return the agent's own question that a message answers, where that was the last thing the agent said."""
    told = [one for one in agent.services.inbox(STAKEHOLDER).messages() if one.sender == agent.id]
    before = [one for one in told if one.timestamp <= message.timestamp and one.reply_to != message.id]
    return before[-1] if before and before[-1].performative == "QUERY" else None


def _behind(agent: Agent, request: Request, handed_on: int) -> Iterator[Message]:
    """Yield the person's words to the colleague who passed a request on."""
    seats = agent.business.manifest.agents.values() if agent.business_id else ()
    message = agent.inbox.find(request.message_id)
    if handed_on < 1 or message is None or request.sender not in seats:
        return
    colleague = agent.services.agent(request.sender, caller=Caller("agent", request.sender))
    for one in colleague.requests.all():
        if message.conversation_id and message.conversation_id in one.data.get("threads", ()):
            yield from _list_spoken_messages(colleague, one, handed_on - 1)


# --- documents and rules ------------------------------------------------------


def _papers(agent: Agent, source: WordSource) -> Iterator[WordSource]:
    """Yield the inbox documents that the person's order points at; one that is only to be read does not count."""
    clauses = [one for one in source.read.clauses if one.kind in ("order", "statement") and _uses_paper(one)]
    if not clauses or not agent.business_id:
        return
    documents = sources_of(agent).documents
    for one in documents:
        name = set(fold(one.file.rpartition(".")[0]).split())
        for clause in clauses:
            is_named = one.file.casefold() in clause.text.casefold() or bool(
                {singular(word) for word in name if len(word) > 3} & clause.words
            )
            if is_named or len(documents) == 1:
                text = _text_of(one)[:_LONGEST_DOCUMENT]
                yield WordSource(one.file, text, source.at, is_document=True)
                break


def _text_of(document: DocumentText) -> str:
    """Return the content of a document: its head, its passages, and its tables with a line for each row."""
    rows = [" | ".join(row) for table in document.tables for row in (table.header, *table.rows)]
    return "\n".join([document.sender, document.title, *(one.text for one in document.passages), *rows])


def _uses_paper(clause: SaidClause) -> bool:
    """Return whether a clause wants the content of a document used, and not only read."""
    paper = _PAPER.search(clause.text)
    if paper is None:
        return False
    return bool(_USES.search(clause.text) or _POINTS.search(clause.text[: paper.start()]))


def _rules(agent: Agent, at: datetime) -> Iterator[WordSource]:
    """Yield the owner's rules that are in force; a limit gives no value."""
    if not agent.business_id:
        return
    for one in agent.business.instructions.all():
        if one.is_in_force and one.kind != "cap":
            yield WordSource(one.id, one.sentence, at)
