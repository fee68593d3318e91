"""Mails as passages: the sender's text, the quoted text, and the attached files, read by their own readers.

All of it is outside text: `is_from_outside` marks its tables, and nothing in a mail is an order.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage, MIMEPart
from email.utils import parsedate_to_datetime
from typing import Any

from mabos.language.wordlists import order_form
from mabos.society.decoding import decode_text
from mabos.society.documents.prose import of_html, of_text
from mabos.society.documents.sheets import needs
from mabos.society.documents.text import DocumentText, Passage, TextTable
from mabos.workspace.clock import iso
from mabos.workspace.text import one_line

ReadFile = Callable[[str, bytes], DocumentText]
"""Reads an attached file by its name."""

_MOST_ATTACHED = 20
_DEEPEST = 3
_FIRST_YEAR = 1970
"""Outlook writes 1601 where it knows no day."""

_REPLY_HEAD = re.compile(
    r"^\s*(?:-{2,}\s*(?:Original Message|Forwarded message|(?:Urspr[üu]ngliche|Weitergeleitete) Nachricht)\s*-{2,}"
    r"|On\b.{4,100}\bwrote:|Am\b.{4,100}\bschrieb\b.{0,80}:)\s*$",
    re.IGNORECASE | re.MULTILINE,
)
_QUOTED = "Quoted from an earlier mail"
_COURTESY = order_form("documents_mail.courtesy")
"""A passage that only greets: it answers nothing, and says nothing to keep."""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """An attachment of a mail."""

    name: str
    content: bytes


def read_mail(name: str, content: bytes, read: ReadFile, depth: int = 0) -> DocumentText:
    """Return the text of a mail: its plain part, else its HTML part, and the text of its attachments."""
    try:
        mail = message_from_bytes(content, policy=policy.default)
        assert isinstance(mail, EmailMessage)  # noqa: S101  # by the policy
        body = mail.get_body(("plain", "html"))
        files = [] if depth >= _DEEPEST else list(_files(mail))
    except RecursionError:
        return DocumentText(name, problem="has too many mails inside of each other")
    text = _decode_part(body) if body is not None else ""
    is_html = body is not None and body.get_content_subtype() == "html"
    found = of_html(name, text) if is_html else _own_and_quoted(name, text)
    found = replace(found, passages=tuple(one for one in found.passages if not _COURTESY.fullmatch(one.text)))
    return replace(
        _with_files(found, files, lambda inner, data: _read_inside(inner, data, read, depth)),
        title=one_line(str(mail.get("Subject", ""))),
        sender=one_line(str(mail.get("From", ""))),
        dated=_moment(mail),
    )


def _read_inside(name: str, content: bytes, read: ReadFile, depth: int) -> DocumentText:
    if name.casefold().endswith(".eml"):
        return read_mail(name, content, read, depth + 1)
    return read(name, content)


def _moment(mail: EmailMessage) -> str:
    try:
        date = mail.get("Date")
        return iso(parsedate_to_datetime(str(date))) if date else ""
    except ValueError:
        return ""


def _decode_part(part: "MIMEPart[Any, Any]") -> str:
    with suppress(LookupError):  # a character set that Python does not know
        if part.get_content_charset():
            return str(part.get_content())
    payload = part.get_payload(decode=True)
    return decode_text(payload) if isinstance(payload, bytes) else ""


def _files(mail: EmailMessage) -> Iterator[AttachedFile]:
    for part in mail.iter_attachments():
        if part.get_content_type() == "message/rfc822":
            inner = part.get_payload()
            passed_on = inner[0] if isinstance(inner, list) and inner else None
            if isinstance(passed_on, EmailMessage):
                name = one_line(part.get_filename() or str(passed_on.get("Subject", "")) or "mail")
                yield AttachedFile(f"{name.removesuffix('.eml')}.eml", passed_on.as_bytes())
            continue
        data = part.get_payload(decode=True)
        yield AttachedFile(part.get_filename() or "without a name", data if isinstance(data, bytes) else b"")


def _own_and_quoted(name: str, text: str) -> DocumentText:
    """Return a mail's text, with quoted text under its own heading."""
    head = _REPLY_HEAD.search(text)
    if head is None or not text[: head.start()].strip():  # one that only passes something on
        return of_text(name, text)
    own, rest = of_text(name, text[: head.start()]), text[head.end() :]
    before, heading = text[: head.end()].count("\n"), f"{_QUOTED}: {one_line(head[0])}"
    quoted = of_text(name, re.sub(r"^[> ]+", "", rest, flags=re.MULTILINE))
    passages = (replace(one, place=_shift_lines(one.place, before), heading=heading) for one in quoted.passages)
    return replace(own, passages=(*own.passages, *passages))


def _shift_lines(place: str, lines: int) -> str:
    return re.sub(r"\d+", lambda found: str(int(found[0]) + lines), place)


def _with_files(mail: DocumentText, files: Iterable[AttachedFile], read: ReadFile) -> DocumentText:
    """Return a mail with the passages and tables of the files attached, each with the file it is from."""
    passages, tables, notes = list(mail.passages), list(mail.tables), list(mail.notes)
    attached = list(files)
    if attached:
        names = ", ".join(one.name for one in attached)
        passages.append(Passage(f"Attached to this mail: {names}.", "attachments"))
    for one in attached[:_MOST_ATTACHED]:
        inner = read(one.name, one.content)
        notes += [f"{one.name} {note}" for note in (inner.problem, *inner.notes) if note]
        passages += [replace(kept, place=f"{one.name}, {kept.place}") for kept in inner.passages]
        tables += [_prefix_file(table, one.name) for table in inner.tables]
    outside = (replace(table, is_from_outside=True) for table in tables)
    return replace(mail, passages=tuple(passages), tables=tuple(outside), notes=tuple(notes))


def _prefix_file(table: TextTable, file: str) -> TextTable:
    places = tuple(f"{file}, {table.place(at)}" for at in range(len(table.rows)))
    return replace(table, places=places)


def read_outlook(name: str, content: bytes, read: ReadFile) -> DocumentText:
    """Return the text of a mail saved by Outlook, with the text of its attachments."""
    try:
        from oxmsg import Message
    except ModuleNotFoundError:
        return DocumentText(name, problem=needs("python-oxmsg"))
    import io

    mail = Message.load(io.BytesIO(content))
    text = mail.body or ""
    found = _own_and_quoted(name, text) if text.strip() else of_html(name, mail.html_body or "")
    files = [AttachedFile(one.file_name or "without a name", one.file_bytes or b"") for one in mail.attachments]
    sent = mail.sent_date
    return replace(
        _with_files(found, files, read),
        title=one_line(mail.subject or ""),
        sender=one_line(mail.sender or ""),
        dated=iso(sent) if isinstance(sent, datetime) and sent.tzinfo and sent.year > _FIRST_YEAR else "",
    )
