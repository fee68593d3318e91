"""Parsing of forms, with their fields and a file, in both encodings that browsers use."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from email.message import Message
from urllib.parse import parse_qsl

from fastapi import Request

_NAME = re.compile(r'\bname="([^"]*)"')
_FILE = re.compile(r'\bfilename="([^"]*)"')


@dataclass(frozen=True, slots=True)
class FormPart:
    """A part of a multipart form: its field, its content, and the file name if it is a file."""

    name: str
    content: bytes
    filename: str | None


async def form(request: Request) -> Mapping[str, str]:
    """Return the fields of a form without its files; of repeated fields the last."""
    body, boundary = await request.body(), _boundary(request)
    if boundary:
        plain = (one for one in form_parts(body, boundary) if one.filename is None)
        return {one.name: one.content.decode("utf-8", "replace") for one in plain}
    return dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True))


async def upload(request: Request) -> tuple[str, bytes]:
    """Return the name and content of a form's file; both are empty without one."""
    parts = form_parts(await request.body(), _boundary(request))
    return next(((one.filename, one.content) for one in parts if one.filename), ("", b""))


def _boundary(request: Request) -> str:
    kind = Message()
    kind["Content-Type"] = request.headers.get("content-type", "")
    return str(kind.get_boundary("")) if kind.get_content_type() == "multipart/form-data" else ""


def form_parts(body: bytes, boundary: str) -> Iterator[FormPart]:
    """Yield the parts of a multipart/form-data form."""
    sections = (b"\r\n" + body).split(b"\r\n--" + boundary.encode()) if boundary else []
    for section in sections[1:]:
        head, _, content = section.partition(b"\r\n\r\n")
        said = head.decode("utf-8", "replace")
        name, file = _NAME.search(_FILE.sub("", said)), _FILE.search(said)
        if name:
            yield FormPart(name[1], content, file[1].replace("%22", '"') if file else None)
