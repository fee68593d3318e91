"""Collect the records that may answer a question: series, statements and documents, each value with its source.

Documents of the inbox are read again for each question, so that no answer comes from an outdated file.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import cached_property
from pathlib import PurePath

from mabos.configs.errors import Unavailable
from mabos.language.wordlists import order_form
from mabos.society.business import INBOX_FOLDER
from mabos.society.documents import READABLE, DocumentText, Passage, TextTable, read_text
from mabos.society.documents.prose import as_csv, is_series
from mabos.society.figures import OWNER
from mabos.society.findings import DocumentStatement
from mabos.society.german_terms import in_english
from mabos.society.intake import content
from mabos.society.metrics_file import read_metrics
from mabos.society.templates import BusinessTemplate
from mabos.tools.business.figure_watch import name_by_pack, pack_of
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.answers.wording import unit_of
from mabos.tools.requests.records import section
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import SIGNS
from mabos.workspace.dates import dates_in
from mabos.workspace.text import slug

MOST_DOCUMENTS = 200
"""Documents that are read for one question, the newest first."""

_FIELD = re.compile(r"(?P<key>[^\W\d_][^:|.?!]{0,48}?)\s*:\s+(?P<value>\S.*)")
_SOFTWARE = (
    r"(?:assistants?|software|programs?|machines?|computers?|agents?|bots?|ai|language models?|llm|systems?|readers?)"
)
_TO_SOFTWARE = re.compile(
    rf"\b(?:to|for|note to|dear|attention)\b.{{0,30}}\b{_SOFTWARE}\b|"
    rf"\b{_SOFTWARE}\b.{{0,40}}\b(?:reads?|reading|process\w*|must)\b|"
    rf"\b(?:your|the|this|any|automated) {_SOFTWARE}(?: (?:should|must|shall|has to|is to|will|needs to|can)\b|\s?:)|"
    rf"{question_forms('in_sources')['to_software'].pattern}|"
    r"\b(?:ignore|disregard|forget)\b.{0,30}\b(?:previous|prior|above|all|other|earlier)\b.{0,20}"
    r"\b(?:instructions?|rules?|orders?)\b|\bsystem prompt\b|\byou are an? (?:ai|assistant|agent)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Value:
    """The value of a series on a day, according to one source."""

    value: float
    source: str
    record: str = ""


@dataclass(frozen=True, slots=True)
class Point:
    """The values of a series on one day; several if sources disagree."""

    day: date
    values: tuple[Value, ...]

    @property
    def value(self) -> float:
        """The value of the first source."""
        return self.values[0].value

    @property
    def is_disputed(self) -> bool:
        """Return whether sources disagree."""
        return len({one.value for one in self.values}) > 1


@dataclass(frozen=True, slots=True)
class Series:
    """A figure of the business over time, oldest first."""

    name: str
    points: tuple[Point, ...]
    unit: str = ""


@dataclass(frozen=True, slots=True)
class StatedValue:
    """A statement of a source: a name, its value in words, and its date; `owner` is its subject."""

    name: str
    value: str
    source: str
    record: str
    as_of: str = ""
    owner: str = ""
    is_assumption: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """Records that may answer a question, and unreadable documents."""

    series: Mapping[str, Series] = field(default_factory=dict)
    statements: tuple[StatedValue, ...] = ()
    documents: tuple[DocumentText, ...] = ()
    unreadable: tuple[DocumentText, ...] = ()
    set_aside: tuple[tuple[str, str], ...] = ()
    """File and text of passages that speak to the software that reads them; nothing is answered from one."""


def sources_of(agent: Agent) -> Sources:
    """Return the current records for an agent."""
    currency = _currency(agent)
    found = tuple(replace(one, currency=currency) if currency else one for one in _documents(agent))
    read = [(one, _orders_in_cells(one)) for one in found]
    documents = tuple(_without_orders(one, cells) for one, cells in read if not one.problem or one.passages)
    pack = pack_of(agent) if agent.business_id else None
    observed = [one for document in documents for one in _observations(document, agent, pack)]
    series = _series(agent, observed, {one.file for one in documents}, currency)
    statements = (
        *_document_values(documents),
        *_record_values(agent),
        *_facts(agent, {one.file for one in documents}),
        *_assumed_values(agent),
    )
    unreadable = tuple(one for one in found if one.problem and not one.passages)
    aside = [(one.file, text.text) for one in found for text in one.passages if is_to_software(text.text)]
    aside += [(one.file, cell) for one, cells in read for cell in cells]
    return Sources(series, statements, documents, unreadable, tuple(aside))


class Library:
    """The sources of one question, read once, and only on the first use."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    @cached_property
    def sources(self) -> Sources:
        """The records for the agent, as of their first use."""
        return sources_of(self._agent)


def is_to_software(text: str) -> bool:
    """Return whether a passage addresses the software that reads it, so that it answers nothing."""
    return _TO_SOFTWARE.search(text) is not None


def _currency(agent: Agent) -> str:
    """Return the currency in which a business records its money, or "" where it records none."""
    metrics = agent.business.metrics if agent.business_id else None
    latest = [metrics.latest(name) for name in metrics.names()] if metrics is not None else []
    units = [one.unit[:3] for one in latest if one is not None and one.unit[:3] in SIGNS]
    return max(units, key=units.count) if units else ""


def _documents(agent: Agent) -> Iterator[DocumentText]:
    """Yield the documents of the inbox, by name."""
    if not agent.business_id:
        return
    folder = agent.business.directory / INBOX_FOLDER
    try:
        files = [one for one in folder.iterdir() if one.suffix.casefold() in READABLE and one.name[0] != "."]
        files = sorted(files, key=lambda one: one.lstat().st_mtime_ns)[-MOST_DOCUMENTS:]
    except OSError:
        return
    for path in sorted(files):
        shown = path.relative_to(agent.services.layout.root).as_posix()
        try:
            yield read_text(shown, content(path), parse_time(agent.now()).date())
        except OSError as wrong:
            yield DocumentText(shown, problem=wrong.strerror or "cannot be read")


def _without_orders(document: DocumentText, cells: Collection[str]) -> DocumentText:
    """Return a document without its orders to the software that reads it, in passages and in these cells."""
    if cells:
        tables = tuple(
            replace(table, rows=tuple(tuple("" if one in cells else one for one in row) for row in table.rows))
            for table in document.tables
        )
        document = replace(document, tables=tables)
    kept = tuple(one for one in document.passages if not is_to_software(one.text))
    if len(kept) == len(document.passages):
        return document
    return replace(document, passages=kept, problem="", notes=())


def _orders_in_cells(document: DocumentText) -> list[str]:
    """Return the cells with a sentence to the software that reads them: "oil for the machine" is none."""
    cells = (cell for table in document.tables for row in table.rows for cell in row if len(cell) > 2 * _LONG_CELL)
    return [one for one in cells if len(one.split()) > _LONG_CELL and is_to_software(one)]


_LONG_CELL = 8


def _observations(document: DocumentText, agent: Agent, pack: BusinessTemplate | None) -> Iterator[DocumentStatement]:
    """Yield the dated figures of a document's tables, up to the present month; all of a table about the future."""
    month = agent.now()[:7]
    for table in filter(is_series, document.tables):
        read = read_metrics(as_csv(table), document.name)
        read = name_by_pack(pack, read) if pack else read
        dated = [one for one in read.observations if one.at and not one.predicate]
        yield from [one for one in dated if one.at[:7] <= month] or dated


def _series(
    agent: Agent, observed: Iterable[DocumentStatement], present: set[str], currency: str
) -> Mapping[str, Series]:
    """Return the series by name: present values in documents, and values recorded without them."""
    values: dict[str, dict[date, list[Value]]] = {}
    units: dict[str, str] = {}

    def add(name: str, unit: str, day: date, value: Value) -> None:
        units[name] = units.get(name) or unit
        on_day = values.setdefault(name, {}).setdefault(day, [])
        if (value.value, value.source) not in {(one.value, one.source) for one in on_day}:
            on_day.append(value)

    for one in observed:
        try:
            amount = float(one.value.rstrip("%"))
        except ValueError:
            continue
        day = parse_time(one.at).date()
        file = PurePath(one.source.rpartition(":")[0]).name
        add(one.subject, one.unit, day, Value(amount, file, one.source))
    if agent.business_id:
        metrics = agent.business.metrics
        first = {name: min(days) for name, days in values.items()}
        for name in metrics.names():
            for point in metrics.series(name):
                is_before = parse_time(point.at).date() < first.get(name, date.min)
                if file_of(point.source) not in present or is_before:  # the file had earlier days in it then
                    source = file_of(point.source) or point.source or "the metrics"
                    if source == OWNER:  # who corrects a figure is right about it
                        values.get(name, {}).pop(parse_time(point.at).date(), None)
                    add(name, point.unit, parse_time(point.at).date(), Value(point.value, source, f"metric {point.id}"))
    return {
        name: Series(
            name,
            tuple(Point(day, tuple(found)) for day, found in sorted(days.items())),
            unit_of(name, units[name], currency) if currency else units[name],
        )
        for name, days in values.items()
    }


def file_of(source: str) -> str:
    """Return the file name in a source such as `inbox/books.csv:7`, or ""."""
    found = re.search(r"([^/:]+\.\w{2,8})(?::\d+)?$", source) if f"{INBOX_FOLDER}/" in source else None
    return found[1] if found else ""


def _document_values(documents: Iterable[DocumentText]) -> Iterator[StatedValue]:
    """Yield the `key: value` lines and two-column tables of documents."""
    for document in documents:
        at = document.dated
        for passage in document.passages:
            found = _FIELD.fullmatch(passage.text)
            if found and len(found["key"].split()) <= 6 and not re.match(r"\d{1,2} \w+$", found["key"]):
                record = f"{document.name}, {passage.place}"
                name = in_english(found["key"])
                yield StatedValue(name, found["value"], document.file, record, at, passage.heading)
        for table in document.tables:
            if len(table.header) == 2 and not _is_dated(table):
                for number, row in enumerate(table.rows):
                    if len(row) == 2 and all(row):
                        record = f"{document.name}, {table.place(number)}"
                        yield StatedValue(in_english(row[0]), row[1], document.file, record, at)


def _is_dated(table: TextTable) -> bool:
    return in_english(table.header[0]).casefold() in ("month", "date", "week", "day", "period", "quarter", "year")


def _facts(agent: Agent, present: set[str]) -> Iterator[StatedValue]:
    """Yield the facts that hold now, without those that a document of the inbox says."""
    company = {"company", agent.business_id, agent.id}
    for fact in agent.facts.query(valid_at=agent.clock(), min_confidence=0.05):
        if file_of(fact.source) not in present:
            owner = "" if fact.subject in company else fact.subject
            at = fact.valid_from or fact.updated_at or fact.created_at
            source = "" if fact.source == "inference" else fact.source
            yield StatedValue(fact.predicate, fact.object, source or "my facts", f"fact {fact.id}", at, owner)


KEPT: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "contacts": ("your contacts", ("email", "phone", "company", "title", "segment")),
    "contractors": ("the contractors", ("hourly_rate_usd", "skills", "availability")),
    "work_packages": ("the work packages", ("budget_usd", "deadline", "status")),
}
"""Records that people ask about by their names: where they are kept, and the fields that answer."""


def _record_values(agent: Agent) -> Iterator[StatedValue]:
    """Yield the fields of contacts, contractors and work packages, each owned by the record's name."""
    if not agent.business_id:
        return
    for kind, (place, fields) in KEPT.items():
        for one in section(agent, kind):
            owner = str(one.get("name") or one.get("title") or "")
            own = tuple(name for name in _own_fields(one) if name not in fields) if kind == "contacts" else ()
            for name in (*fields, *own) if owner else ():
                value = one.get(name)
                text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
                if text:
                    at = str(one.get("updated_at") or one.get("created_at") or "")
                    yield StatedValue(name, text, place, f"{kind}/{one['id']}", at, owner)


def _own_fields(contact: Mapping[str, object]) -> tuple[str, ...]:
    fields = contact.get("fields")
    return tuple(map(str, fields)) if isinstance(fields, Mapping) else ()


def believed_of(agent: Agent) -> Iterator[StatedValue]:
    """Yield the agent's beliefs about things with a name and a value, except its role's assumptions."""
    for belief in agent.mind.beliefs:
        if belief.status == "held" and belief.subject and belief.value and belief.source not in ("role", "template"):
            name = " ".join(filter(None, (belief.subject, belief.predicate)))
            source = belief.source or "my beliefs"
            yield StatedValue(name, belief.value, source, f"belief {belief.id}", belief.updated)


def _assumed_values(agent: Agent) -> Iterator[StatedValue]:
    """Yield the role's assumptions, which were never measured."""
    for belief in agent.mind.beliefs:
        if belief.source in ("role", "template") and belief.status == "held":
            name = " ".join(filter(None, (belief.subject, belief.predicate)))
            record = f"belief {belief.id}"
            yield StatedValue(name, belief.statement, "role", record, belief.updated, is_assumption=True)


_END = order_form("answers_sources.end")
"""The end of a sentence, and none behind a title as in "Dr. Weber"."""


def passages_of(document: DocumentText) -> Iterator[Passage]:
    """Yield the sentences of a document, each with the place of its paragraph and the heading above.

    A title with a day in it is one too: "Timetable from 13 December".
    """
    is_said = bool(document.passages) and document.title in document.passages[0].text
    if document.passages and not is_said and any(one.day for one in dates_in(document.title)):
        yield Passage(document.title, "title", "")
    for passage in document.passages:
        for sentence in sentences_of(passage.text):
            yield Passage(sentence, passage.place, passage.heading)


def sentences_of(text: str) -> list[str]:
    """Return the sentences of a text.

    >>> sentences_of("Dr. Weber came. He left at 9.")
    ['Dr. Weber came.', 'He left at 9.']
    """
    return [part for one in _END.split(text) if (part := one.strip())]


EMBEDDED = 120
"""Sentences of documents that are compared with a text by meaning, the first of them."""


def cosines(agent: Agent, text: str, others: Sequence[str]) -> list[float]:
    """Return the cosine similarity of some texts to one; empty without an embedder."""
    try:
        vectors = agent.services.embedder.embed([text, *others]) if others else None
    except Unavailable:
        return []
    if not vectors:
        return []
    first, *rest = vectors
    return [sum(a * b for a, b in zip(first, one, strict=True)) for one in rest]


def nearness(agent: Agent, text: str, documents: Sequence[DocumentText]) -> dict[str, float]:
    """Return the similarity of sentences of documents to a text; empty without an embedder."""
    texts = [passage.text for document in documents for passage in passages_of(document)][:EMBEDDED]
    return dict(zip(texts, cosines(agent, text, texts), strict=False))


_PLAN = re.compile(r"\b(?:targets?|plan|goals?|budget|aims?|objectives?|forecast)\b", re.IGNORECASE)


def is_plan(document: DocumentText) -> bool:
    """Return whether a document states wishes rather than facts, by its title or name."""
    return _PLAN.search(f"{document.title} {document.file}".replace("-", " ").replace("_", " ")) is not None


def key(text: str) -> str:
    """Return a name as a key, equal for its different spellings."""
    return slug(text, "_")
