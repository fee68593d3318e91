"""Drafts of letters: files in `mail/drafts` that any mail program opens, never sent."""

from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import Any

from mabos.backends.mail import Letter
from mabos.workspace.atomic import write_atomic
from mabos.workspace.regular import content

FOLDER = "mail/drafts"
_KEY = "X-MABOS-Draft"


def write_draft(directory: Path, letter: Letter, key: str) -> str:
    """Write a letter as a draft of the business in `directory` and return its relative path.

    The same letter with the same key gives the same file.
    """
    message = EmailMessage(policy=policy.default)
    message["From"], message["To"], message["Subject"] = letter.sender, letter.to, letter.subject
    message["Date"], message[_KEY], message["X-Unsent"] = format_datetime(letter.at), key, "1"
    message.set_content(letter.text)
    if letter.html:
        message.add_alternative(letter.html, subtype="html")
    path = f"{FOLDER}/{letter.id}.eml"
    (directory / FOLDER).mkdir(parents=True, exist_ok=True)
    write_atomic(directory / path, message.as_string())
    return path


def drafts(directory: Path) -> list[dict[str, Any]]:
    """Return the drafts of a business: id, key, readers, subject and text."""
    folder = directory / FOLDER
    return [_read(path) for path in sorted(folder.glob("*.eml"))] if folder.is_dir() else []


def _read(path: Path) -> dict[str, Any]:
    message = message_from_bytes(content(path), policy=policy.default)
    body = message.get_body(("plain", "html"))
    to = [one.addr_spec for one in getattr(message["to"], "addresses", ())]
    text = body.get_content() if body is not None else ""
    key, subject = str(message.get(_KEY, "")), str(message["subject"])
    return {"id": path.stem, "key": key, "to": to, "subject": subject, "text": text, "status": "draft"}
