"""Letters to people: handed to an SMTP server where one is configured, else laid into a Maildir on this machine.

    MaildirMail(folder).send(Letter("N-1", "mabos@localhost", "jane@company.com", "Weekly report", "# ...", at))

The same letter sent again lies in a Maildir once. A server may get it twice, after a crash between its answer and our
record; both copies have one Message-ID, by which readers of mail drop the second.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from configs.errors import Unavailable
from workspace.atomic import write_atomic

if TYPE_CHECKING:
    from datetime import datetime
    from pathlib import Path

_NO_NAME = re.compile(r"[^\w.-]+")
_LINE_ENDS = re.compile(r"[\r\n]+")


@dataclass(frozen=True, slots=True)
class Letter:
    """One letter: who to whom about what; `id` makes it the same letter however often it is sent."""

    id: str
    sender: str
    to: str
    subject: str
    text: str
    at: datetime

    @property
    def name(self) -> str:
        """The id as the name of a file."""
        return _NO_NAME.sub("-", self.id)

    def as_bytes(self) -> bytes:
        """Return the letter as it travels (RFC 5322)."""
        from email.message import EmailMessage
        from email.policy import SMTP
        from email.utils import format_datetime

        message = EmailMessage(policy=SMTP)
        # A header ends at a line end: what agents write must not begin another one.
        for header, value in (("From", self.sender), ("To", self.to), ("Subject", self.subject)):
            message[header] = _LINE_ENDS.sub(" ", value)
        message["Date"] = format_datetime(self.at)
        message["Message-ID"] = f"<{self.name}@mabos>"
        message.set_content(self.text)
        return message.as_bytes()


class MaildirMail:
    """Lays letters into a Maildir, which any reader of mail opens; nothing leaves the machine."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, letter: Letter) -> str:
        """Lay the letter down, once: also where it was read and moved meanwhile."""
        for name in ("tmp", "new", "cur"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        fresh = self._folder / "new" / letter.name
        if not fresh.exists() and not any((self._folder / "cur").glob(f"{letter.name}*")):
            write_atomic(fresh, letter.as_bytes().replace(b"\r\n", b"\n"))
        return str(fresh)


class SmtpMail:
    """Hands letters to an SMTP server."""

    def __init__(self, host: str, port: int, *, timeout_s: float) -> None:
        self._host, self._port, self._timeout_s = host, port, timeout_s

    def send(self, letter: Letter) -> str:
        """Hand the letter over; whatever the server says against it is raised as `Unavailable`."""
        from smtplib import SMTP, SMTPException

        try:
            with SMTP(self._host, self._port, timeout=self._timeout_s) as server:
                server.sendmail(letter.sender, [letter.to], letter.as_bytes())
        except (OSError, SMTPException) as error:
            where = f"{self._host}:{self._port}"
            raise Unavailable(
                f"{where} did not take the letter to {letter.to}: {error}; see notify.smtp_host"
            ) from None
        return f"smtp://{self._host}:{self._port}"
