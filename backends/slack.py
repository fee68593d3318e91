"""Messages to a Slack channel through its incoming webhook, whose address is a secret and is never shown.

    SlackWebhook(environment.secret("MABOS_SLACK_WEBHOOK"), variable="MABOS_SLACK_WEBHOOK", timeout_s=10).send(
        message("Acme: a question", "# Sign with Salesforce?", to="Jane Smith"))

A webhook has no idempotency keys: after a crash, a message that was sent but not recorded appears twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import orjson

from mabos.backends.one_address import is_private, opener
from mabos.configs.errors import Unavailable
from mabos.workspace.text import one_line, shorten

_HEADER, _SECTION, _BLOCKS = 150, 2900, 48  # Slack takes 150 and 3,000 characters, and 50 blocks
_DAY_S = 86_400.0
_BOLD = re.compile(r"\*\*(.+?)\*\*")
# Nothing else becomes a link: to Slack `<!channel|...>` calls everybody, whoever wrote the text.
_LINK = re.compile(r"\[([^\]]+)\]\(((?:https?://|mailto:)[^)\s|]+)\)")
_HEADING = re.compile(r"^#+\s+(.*)$")
_BULLET = re.compile(r"^(\s*)[-*]\s+")


class Busy(Unavailable):
    """A rate limit: Slack accepts no messages for `retry_after_s` seconds."""

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class SlackWebhook:
    """A channel's incoming webhook; `variable` is the variable with its address, for error messages."""

    def __init__(self, url: str, *, variable: str, timeout_s: float) -> None:
        self._url, self._variable, self._timeout_s = url, variable, timeout_s

    def send(self, said: dict[str, Any]) -> str:
        """Post a message and return the channel; raises `Unavailable`, or `Busy` if Slack names a waiting time."""
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import Request

        self._check()
        request = Request(self._url, orjson.dumps(said), {"Content-Type": "application/json; charset=utf-8"})  # noqa: S310  # its scheme was checked
        try:
            with opener().open(request, timeout=self._timeout_s):
                return "slack"
        except HTTPError as refused:
            with refused:
                raise self._build_refusal(refused.code, _first_line(refused), refused.headers) from None
        except URLError as error:
            raise self._build_error(str(error.reason)) from None
        except (OSError, HTTPException) as error:
            raise self._build_error(str(error) or type(error).__name__) from None

    def _check(self) -> None:
        try:
            address = urlsplit(self._url)
            usable = is_private(self._url) and bool(address.hostname) and (address.port is None or address.port > 0)
        except ValueError:
            usable = False
        if not usable or not self._url.isascii() or any(one.isspace() for one in self._url):
            raise Unavailable(f"{self._variable} is not a webhook URL; it must start with https://")

    def _build_refusal(self, code: int, said: str, headers: Any) -> Unavailable:
        message = f"Slack's webhook ({self._variable}) answered {code}{f' {said}' if said else ''}"
        wait = str(headers.get("Retry-After", ""))
        if code == 429:  # too many requests
            return Busy(message, min(float(wait), _DAY_S) if wait.isdecimal() else 60.0)
        return Unavailable(message)

    def _build_error(self, why: str) -> Unavailable:
        return Unavailable(f"Slack's webhook ({self._variable}) cannot be reached: {why.replace(self._url, '…')}")


def message(subject: str, text: str, *, to: str = "") -> dict[str, Any]:
    """Return the JSON of a message: `text` for notifications, and blocks in Slack's own markup of our Markdown.

    >>> said = message("Acme", "# Figures\\n\\n- **Cash**: 1 < 2", to="Jane")
    >>> said["text"], said["blocks"][1]["text"]["text"]
    ('Acme', '*Figures*\\n\\n• *Cash*: 1 &lt; 2')
    """
    blocks: list[dict[str, Any]] = [
        {"type": "header", "text": {"type": "plain_text", "text": shorten(one_line(subject), _HEADER) or "…"}}
    ]
    sections = list(_pack_pieces(_pieces(text)))
    blocks += [{"type": "section", "text": {"type": "mrkdwn", "text": one}} for one in sections[:_BLOCKS]]
    for_whom = f"For {_escape_text(to)}" if to else ""
    more = "The rest stands in the business's folder" if len(sections) > _BLOCKS else ""
    if for_whom or more:
        said = ". ".join(part for part in (for_whom, more) if part)
        blocks.append({"type": "context", "elements": [{"type": "mrkdwn", "text": said}]})
    return {"text": _escape_text(subject), "blocks": blocks}


def _pieces(text: str) -> Iterator[str]:
    """Yield the lines in Slack's markup; the rows of a table, which it does not know, as they are, set in one width."""
    for is_table, lines in groupby(text.strip().splitlines(), key=lambda line: line.startswith("|")):
        if is_table:
            yield from (f"```\n{part}\n```" for part in _pack_pieces(map(_escape_text, lines), _SECTION - 8))
        else:
            yield from map(_render_line, lines)


def _pack_pieces(pieces: Iterable[str], size: int = _SECTION) -> Iterator[str]:
    """Yield the pieces joined by line ends, as many together as fit."""
    held = ""
    for piece in pieces:
        for part in [piece[at : at + size] for at in range(0, len(piece), size)] or [""]:
            if held and len(held) + len(part) + 1 > size:
                yield held
                held = part
            else:
                held = f"{held}\n{part}" if held else part
    if held.strip():
        yield held


def _render_line(line: str) -> str:
    escaped = _LINK.sub(r"<\2|\1>", _BOLD.sub(r"*\1*", _escape_text(line)))
    heading = _HEADING.match(escaped)
    return f"*{heading[1].replace('*', '')}*" if heading else _BULLET.sub(r"\1• ", escaped)


def _escape_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _first_line(answer: Any) -> str:
    """Return the beginning of an answer, as far as one piece holds it; the status already identifies it."""
    from http.client import HTTPException

    try:
        said: bytes = answer.read1(200)
    except (OSError, HTTPException):
        return ""
    return said.decode(errors="replace").strip().partition("\n")[0]
