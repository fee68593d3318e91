"""Look-ups for a model: answers from records, records themselves, and inbox documents; nothing is changed.

They are declared as functions whose signature and docstring give the JSON Schema, like the orders of the office.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from mabos.configs.errors import InvalidArgument, unknown
from mabos.language.request import Request
from mabos.society.documents import DocumentText
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.arguments import Text
from mabos.tools.requests.answers.dispatch import answer_question
from mabos.tools.requests.answers.sources import Sources, sources_of
from mabos.tools.requests.records import section, select
from mabos.tools.runtime.services import Agent
from mabos.tools.work.compact import compact
from mabos.tools.work.declared import OfficeTool

Section = Literal[
    "contacts", "deals", "campaigns", "work_packages", "contractors", "letters", "mailings", "content", "products",
    "prices", "metrics", "drafts", "decisions", "messages", "facts", "effects", "requests", "goals", "desires",
    "intentions", "plans", "commitments", "beliefs",
]  # fmt: skip

LEFT_OUT: Final = "(What it tells software to do is left out: nobody here gave that order.)"


def is_office_read(name: str) -> bool:
    """Return whether a tool only looks something up here."""
    return name in READS


def read(agent: Agent, name: str, arguments: Mapping[str, Any], budget_tokens: int) -> str:
    """Return the result of a look-up, in about `budget_tokens` at most; raises `MabosError` with the fix."""
    return compact(READS[name](agent, arguments), budget_tokens)


def look_up(agent: Agent, *, question: Text) -> str:
    """Answer a question about the business or my own work from what is on record, with the sources.

    Covers figures with their trend, target and cause, facts, documents of the inbox, and my goals, orders and reasons.

    Args:
        question: One question in a full sentence, as: How did new patients develop since July?
    """
    request = Request("", "", STAKEHOLDER, "question", question)
    return answer_question(agent, request).text


def records(
    agent: Agent,
    *,
    section_: Section,
    where: dict[str, Any] | None = None,
    order: str = "",
    limit: Annotated[int, Field(ge=1, le=200)] = 20,
    fields: list[str] | None = None,
) -> dict[str, Any]:
    """Return records as they are: contacts, deals, campaigns, metrics, facts, decisions, requests and others.

    Args:
        section: Which records.
        where: A condition for each field: a value, or an object with min, max, in, all, contains or not; as
            {"tags": {"all": ["wholesale", "north"]}, "won_usd": {"min": 1000}}.
        order: A field; with - in front the largest come first.
        limit: The most records.
        fields: Only these fields, besides the id.
    """
    every = section(agent, section_)
    known = sorted({name for one in every for name in one})
    asked = (*(where or {}), order.lstrip("-"), *(fields or ()))
    if every and (wrong := [name for name in asked if name and name not in known]):
        message = f"records: {section_} have no field {wrong[0]!r}; they have {', '.join(known)}"
        raise InvalidArgument(message, argument="where")
    found = select(agent, {"records": section_, "where": where or {}, "order": order})
    if not found:
        return {"count": 0, "of": len(every), "fields": known}
    kept = ("id", *fields) if fields else tuple(known)
    if section_ == "metrics":
        found, kept = _with_other_values(agent, found), (*kept, "other_sources_say")
    rows = [{name: one[name] for name in kept if name in one} for one in found[:limit]]
    return {"count": len(found), section_: rows}


def _with_other_values(agent: Agent, points: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return points of figures, each with the values that other sources give for the same day."""
    every, series = list[dict[str, Any]](), sources_of(agent).series
    for one in points:
        disputed = [p for p in series[one["name"]].points if p.is_disputed] if one["name"] in series else []
        values = [value for p in disputed if p.day.isoformat() == str(one["at"])[:10] for value in p.values]
        said = [f"{value.value:g} ({value.source})" for value in values if value.value != one["value"]]
        every.append({**one, "other_sources_say": said} if said else dict(one))
    return every


def read_document(agent: Agent, *, name: Text) -> str:
    """Return the whole text and tables of a document of the inbox.

    Args:
        name: The file's name, as lease.pdf.
    """
    sources = sources_of(agent)
    document = document_named(sources, name)
    is_cut = any(file == document.file for file, _ in sources.set_aside)
    return document_text(document) + (f"\n{LEFT_OUT}" if is_cut else "")


def document_named(sources: Sources, name: str) -> DocumentText:
    """Return the inbox document with this file name; raises `UnknownId` with the nearest."""
    every = (*sources.documents, *sources.unreadable)
    wanted = name.strip().rpartition("/")[2].casefold()
    for one in every:
        if one.file.casefold() == wanted:
            return one
    raise unknown("document", name, [one.file for one in every], argument="name")


def document_text(document: DocumentText) -> str:
    """Return a document with its name; callers mark it as data, like every tool result."""
    if document.problem and not document.passages:
        return f"{document.file}: {document.problem}"
    return "\n".join([document.file, *document_lines(document)])


def document_lines(document: DocumentText) -> list[str]:
    """Return the content of a document: its header, its passages, and its tables with one line per row."""
    lines = [f"{label}: {value}" for label, value in _head(document) if value]
    lines += [one.text for one in document.passages]
    for table in document.tables:
        lines += [f"Table {table.name}:"] if table.name else []
        lines += [" | ".join(row) for row in (table.header, *table.rows)]
    return lines


def _head(document: DocumentText) -> Sequence[tuple[str, str]]:
    return (("From", document.sender), ("Subject", document.title), ("Date", document.dated))


READS: Mapping[str, OfficeTool[Any]] = {
    one.name: one for one in (OfficeTool(look_up), OfficeTool(records), OfficeTool(read_document))
}
"""The ways to look something up, by name."""
