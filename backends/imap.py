"""Mail from an IMAP mailbox, each message once and read-only: nothing there is marked, moved or deleted.

    with ImapMailbox("imap.acme.com", 993, login=Login("tls", "acme", "…")) as box:
        validity = box.open("INBOX")
        for mail in box.mails(after=1_204, since=date(2026, 11, 1)):
            mail.uid, mail.content

A UID names one mail as long as the folder's UIDVALIDITY stays the same (RFC 3501).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from mabos.backends.mail import Login
from mabos.configs.errors import Unavailable

if TYPE_CHECKING:
    from datetime import date
    from imaplib import IMAP4
    from types import TracebackType

_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_THIS_MACHINE = ("127.0.0.1", "::1", "localhost")
_SIZE = re.compile(rb"RFC822\.SIZE (\d+)")


@dataclass(frozen=True, slots=True)
class FetchedMail:
    """A mail as the server has it; `content` of an oversized one is only its header."""

    uid: int
    content: bytes
    size: int
    is_whole: bool


class ImapMailbox:
    """A connection to a server; every failure is an `Unavailable` that names the server, never the password."""

    def __init__(self, host: str, port: int, *, login: Login, timeout_s: float) -> None:
        self._host, self._port, self._login, self._timeout_s = host, port, login, timeout_s
        self._server: IMAP4 | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        from contextlib import suppress

        server, self._server = self._server, None
        if server is not None:
            with suppress(OSError, server.error):
                server.logout()

    def open(self, folder: str) -> int:
        """Log in, open a folder read-only, and return its UIDVALIDITY; raises `Unavailable`."""
        server = self._connect_server()
        self._call_server(lambda: server.select(_quote_folder(folder), readonly=True), f"open the folder {folder}")
        found = server.response("UIDVALIDITY")[1]
        if not found or not isinstance(found[0], bytes):
            raise self._build_error("sends no UIDVALIDITY, so its mails cannot be told apart")
        return int(found[0])

    def mails(self, *, after: int, since: date, largest: int, limit: int) -> Iterator[FetchedMail]:
        """Yield the mails with a UID above `after`, oldest first; if that is 0, those that arrived since a day."""
        server = self._server
        assert server is not None  # noqa: S101  # opened before
        day = f"{since.day}-{_MONTHS[since.month - 1]}-{since.year}"
        criterion = f"UID {after + 1}:*" if after else f"SINCE {day}"
        found = self._call_server(lambda: server.uid("SEARCH", criterion), "search the folder")
        # `n:*` includes the last mail even where its UID is below n.
        uids = sorted(
            uid for uid in map(int, b" ".join(one for one in found if isinstance(one, bytes)).split()) if uid > after
        )
        for uid in uids[:limit]:
            mail = self._fetch_mail(server, uid, largest)
            if mail is not None:  # else it was deleted meanwhile
                yield mail

    def _fetch_mail(self, server: IMAP4, uid: int, largest: int) -> FetchedMail | None:
        told = self._call_server(lambda: server.uid("FETCH", str(uid), "(RFC822.SIZE)"), f"tell the size of mail {uid}")
        size = next((int(hit[1]) for one in told if isinstance(one, bytes) and (hit := _SIZE.search(one))), 0)
        part = "BODY.PEEK[]" if size <= largest else "BODY.PEEK[HEADER]"
        parts = self._call_server(lambda: server.uid("FETCH", str(uid), f"({part})"), f"send mail {uid}")
        content = next((one[1] for one in parts if isinstance(one, tuple)), None)
        return None if content is None else FetchedMail(uid, content, size, size <= largest)

    def _call_server(self, ask: object, what: str) -> list[bytes | tuple[bytes, bytes]]:
        from imaplib import IMAP4

        try:
            status, answer = ask()  # type: ignore[operator]  # a call of imaplib's, which has no types for its answers
        except (OSError, IMAP4.error) as wrong:
            raise self._build_error(f"did not {what}: {str(wrong) or type(wrong).__name__}") from None
        if status != "OK":
            raise self._build_error(f"did not {what}: {_text(answer)}")
        return [one for one in answer if isinstance(one, bytes | tuple)]

    def _connect_server(self) -> IMAP4:
        from imaplib import IMAP4, IMAP4_SSL
        from ssl import create_default_context

        login = self._login
        if login.user and not login.password:
            raise self._build_error("needs a login; set the variable that mail.imap_password_env names")
        if login.security == "none" and self._host not in _THIS_MACHINE:
            raise self._build_error("would get the login unencrypted; set mail.imap_security to starttls or tls")
        try:
            if login.security == "tls":
                context = create_default_context()
                server: IMAP4 = IMAP4_SSL(self._host, self._port, ssl_context=context, timeout=self._timeout_s)
            else:
                server = IMAP4(self._host, self._port, timeout=self._timeout_s)
        except (OSError, IMAP4.error) as wrong:
            raise self._build_error(f"cannot be reached: {str(wrong) or type(wrong).__name__}") from None
        self._server = server
        if login.security == "starttls":
            self._call_server(lambda: server.starttls(create_default_context()), "encrypt the connection")
        try:
            server.login(login.user, login.password)
        except (OSError, IMAP4.error):  # not what it answered: some repeat what they were given
            raise self._build_error(f"refused the login of {login.user!r}") from None
        return server

    def _build_error(self, why: str) -> Unavailable:
        return Unavailable(f"the mail server {self._host}:{self._port} {why}; see mail.imap_host")


def _quote_folder(folder: str) -> str:
    escaped = folder.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _text(answer: list[object]) -> str:
    return " ".join(one.decode(errors="replace") for one in answer if isinstance(one, bytes))[:200]
