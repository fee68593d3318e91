"""Letters to people: sent to an SMTP server if one is configured, else stored in a local Maildir.

    MaildirMail(folder).send(Letter("N-1", "mabos@localhost", "jane@company.com", "Weekly report", "# ...", at))
    with mail_server(settings.notify, environment) as server:    # one connection for many letters
        server.send(letter)

The same letter sent again appears in a Maildir once. A server may get it twice, after a crash between its answer and
our record; both copies have one Message-ID, by which mail readers drop the second.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Self

from mabos.configs.errors import Unavailable
from mabos.workspace.atomic import write_atomic

if TYPE_CHECKING:
    from datetime import datetime
    from email.message import EmailMessage
    from pathlib import Path
    from smtplib import SMTP
    from ssl import SSLContext
    from types import TracebackType

    from mabos.configs.outward import NotifySettings
    from mabos.configs.settings import Environment

_NO_NAME = re.compile(r"[^\w.-]+")
_ADDED_BY_READERS = ("", ":", ";", "!", ",")
"""The text after the name of a letter that was read: nothing, or the beginning of flags and sizes."""
_END = "\r\n"
_OK = 250
_PERMANENT = 500


class Rejected(Unavailable):
    """A refusal of this one letter by the server: for now or `forever`, and maybe because of its `reader`."""

    def __init__(self, message: str, *, forever: bool, reader: bool) -> None:
        super().__init__(message)
        self.forever, self.reader = forever, reader


class Unanswered(Unavailable):
    """A letter that was sent without an answer: the reader may have it or not."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter: sender, recipient and content; `id` identifies it however often it is sent.

    `html` is the same text for mail readers that show HTML; `headers` are further headers, like `List-Unsubscribe`.
    """

    id: str
    sender: str
    to: str
    subject: str
    text: str
    at: datetime
    html: str = ""
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """The id in the form of a file name."""
        return _NO_NAME.sub("-", self.id)

    @property
    def message_id(self) -> str:
        """The id that duplicates share: derived from `id` alone, in ASCII as the standard requires."""
        from urllib.parse import quote

        return f"<{quote(self.name, safe='')}@mabos>"

    def as_bytes(self) -> bytes:
        """Return the letter as sent (RFC 5322), in seven bits and reproducible."""
        from email.message import EmailMessage
        from email.policy import SMTP
        from email.utils import format_datetime

        message = EmailMessage(policy=SMTP.clone(cte_type="7bit"))
        message["Date"] = format_datetime(self.at)
        message["Message-ID"] = self.message_id
        message.set_content(self.text)
        if self.html:
            self._add_html(message)
        above = (("From", self.sender), ("To", self.to), ("Subject", self.subject), *self.headers)
        return b"".join(_header(name, value) for name, value in above) + message.as_bytes()

    def _add_html(self, message: EmailMessage) -> None:
        message.add_alternative(self.html, subtype="html")
        # By default it is drawn at random, and no two copies would be alike.
        message.set_boundary(f"=_{blake2b(self.id.encode(), digest_size=16).hexdigest()}")


class MaildirMail:
    """A Maildir writer; any mail reader can open the folder, and nothing leaves the machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, letter: Letter) -> str:
        """Store the letter once, even if it was read and moved meanwhile."""
        for name in ("tmp", "new", "cur"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        fresh = self._folder / "new" / letter.name
        if not fresh.exists() and not self._was_read(letter.name):
            write_atomic(fresh, letter.as_bytes().replace(b"\r\n", b"\n"))
        return str(fresh)

    def _was_read(self, name: str) -> bool:
        # A longer name may begin with this one: that of a letter to jane@company.com with that to jane@company.co.
        behind = (one.name[len(name) : len(name) + 1] for one in (self._folder / "cur").glob(f"{name}*"))
        return any(one in _ADDED_BY_READERS for one in behind)


@dataclass(frozen=True, slots=True)
class Login:
    """A server's credentials and security: encrypted from the start (`tls`), on command (`starttls`), or never."""

    security: str = "none"
    user: str = ""
    password: str = ""

    def __repr__(self) -> str:
        return f"Login({self.security!r}, {self.user!r})"


class SmtpMail:
    """A sender through an SMTP server; as a context manager it keeps one connection for all letters."""

    def __init__(self, host: str, port: int, *, timeout_s: float, login: Login = Login()) -> None:
        self._host, self._port, self._timeout_s, self._login = host, port, timeout_s, login
        self._kept: SMTP | None = None
        self._keeps = False

    def __enter__(self) -> Self:
        """Keep the connection that the first letter opens."""
        self._keeps = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Let go of the connection."""
        self._keeps = False
        self._leave()

    def send(self, letter: Letter) -> str:
        """Send the letter and return the destination; raises `Rejected`, `Unanswered` or `Unavailable`."""
        from smtplib import SMTPException

        try:
            self._hand_over(self._connect_server(), letter)
        except (OSError, SMTPException, ValueError) as error:
            self._leave()
            raise Unavailable(self._describe_error(letter, error)) from None
        except Unavailable as error:
            if not (self._keeps and isinstance(error, Rejected)):
                self._leave()
            raise
        if not self._keeps:
            self._leave()
        return f"smtp://{self._host}:{self._port}"

    def _hand_over(self, server: SMTP, letter: Letter) -> None:
        from email.utils import parseaddr
        from smtplib import SMTPException, SMTPResponseException

        reader = parseaddr(letter.to)[1]
        if not reader.isascii():
            why = "it has no address of ASCII letters, digits and signs; give that form of it"
            raise Rejected(self._describe_error(letter, why), forever=True, reader=True)
        code, answer = server.mail(parseaddr(letter.sender)[1])
        if not _took(code):
            raise Unavailable(self._describe_error(letter, _format_reply(code, answer)))
        code, answer = server.rcpt(reader)
        if not _took(code):
            raise self._build_rejection(letter, code, answer, reader=True)
        try:
            code, answer = server.data(letter.as_bytes())
        except SMTPResponseException as refused:  # its answer to the word DATA: nothing was handed over yet
            code, answer = refused.smtp_code, _bytes(refused.smtp_error)
        except (OSError, SMTPException) as error:
            raise Unanswered(self._describe_error(letter, error)) from None
        if not _took(code):
            raise self._build_rejection(letter, code, answer, reader=False)

    def _build_rejection(self, letter: Letter, code: int, answer: bytes, *, reader: bool) -> Rejected:
        said = self._describe_error(letter, _format_reply(code, answer))
        return Rejected(said, forever=code >= _PERMANENT, reader=reader)

    def _connect_server(self) -> SMTP:
        from smtplib import SMTP, SMTP_SSL, SMTPException

        if self._kept is not None:
            try:
                if _took(self._kept.rset()[0]):
                    return self._kept
            except (OSError, SMTPException):
                pass  # it hung up meanwhile: another one is opened
            self._leave()
        login, context = self._login, _trusting() if self._login.security != "none" else None
        if login.security == "tls":
            server: SMTP = SMTP_SSL(self._host, self._port, timeout=self._timeout_s, context=context)
        else:
            server = SMTP(self._host, self._port, timeout=self._timeout_s)
        self._kept = server
        server.ehlo_or_helo_if_needed()
        if login.security == "starttls":
            server.starttls(context=context)
        if login.user:
            self._log_in(server)
        return server

    def _log_in(self, server: SMTP) -> None:
        from smtplib import SMTPAuthenticationError

        login = self._login
        if login.security == "none":
            raise ValueError("the login would be sent unencrypted; set notify.smtp_security to starttls or tls")
        if not login.password:
            raise ValueError("there is no password for the login; set the variable that notify.smtp_password_env names")
        if not (login.user + login.password).isascii():  # else the error would name a letter of it, and its place
            raise ValueError("the login may contain ASCII only; choose another password, or another notify.smtp_user")
        try:
            server.login(login.user, login.password)
        except SMTPAuthenticationError as refused:
            # Not what the server answered: some repeat what they were given.
            raise ValueError(f"it refused the login of {login.user!r} ({refused.smtp_code})") from None

    def _leave(self) -> None:
        from smtplib import SMTPException

        server, self._kept = self._kept, None
        if server is not None:
            try:
                server.quit()
            except (OSError, SMTPException):
                with suppress(OSError):  # what became of the letter is known by now, and must not be lost
                    server.close()

    def _describe_error(self, letter: Letter, error: object) -> str:
        where = f"{self._host}:{self._port}"
        return f"{where} did not take the letter to {letter.to}: {error}; see notify.smtp_host"


def in_one_line(value: str) -> str:
    """Return a header value on one line, since text from agents must not start another header."""
    return "".join(one if one.isprintable() else " " for one in value)


def _header(name: str, value: str) -> bytes:
    """Return a header as it travels; foreign letters are encoded here, since Python's own folding loses blanks."""
    from email.header import Header
    from email.utils import parseaddr

    plain = in_one_line(value)
    called, email = parseaddr(plain) if name in ("From", "To") else ("", "")
    if called and email.isascii() and not called.isascii():
        encoded = f"{Header(called, 'utf-8', header_name=name).encode(linesep=_END)} <{email}>"
    else:
        encoded = Header(plain, "us-ascii" if plain.isascii() else "utf-8", header_name=name).encode(linesep=_END)
    return f"{name}: {encoded}{_END}".encode("ascii")


def mail_server(settings: NotifySettings, environment: Environment) -> SmtpMail | None:
    """Return the configured mail server with its login; None if letters stay on this machine."""
    if not settings.smtp_host:
        return None
    login = Login(settings.smtp_security, settings.smtp_user, environment.secret(settings.smtp_password_env))
    return SmtpMail(settings.smtp_host, settings.smtp_port, timeout_s=settings.timeout_s, login=login)


def _trusting() -> SSLContext:
    """Return the checks a server must pass: the authorities this machine trusts, or those of `SSL_CERT_FILE`."""
    from ssl import create_default_context

    return create_default_context()


def _took(code: int) -> bool:
    return _OK <= code < _OK + 2


def _format_reply(code: int, answer: bytes) -> str:
    return f"{code} {answer.decode(errors='replace')}"


def _bytes(text: bytes | str) -> bytes:
    return text if isinstance(text, bytes) else text.encode()
