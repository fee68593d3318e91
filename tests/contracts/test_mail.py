"""What everything that takes letters promises: the letter as it was written, once in the box of its reader."""

import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage, Message
from email.policy import default
from mailbox import Maildir
from pathlib import Path

import pytest

from mabos.backends.mail import Letter, MaildirMail, SmtpMail
from mabos.configs.errors import Unavailable

LETTER = Letter(
    "report-2026-03-01", "mabos@localhost", "jane@company.com", "Acme, week 9 – figures",
    "# Acme\n\nCash is down to 310,000 €.\n", datetime(2026, 3, 2, 9, tzinfo=UTC),
)  # fmt: skip


class Server:
    """An SMTP server of a few lines, which keeps what it was given and may refuse."""

    def __init__(self, refuses: bool = False) -> None:
        self.taken: list[bytes] = []
        self._refuses = refuses
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with connection, connection.makefile("rwb", buffering=0) as lines:
                self._talk(lines)

    def _talk(self, lines: socket.SocketIO) -> None:
        lines.write(b"220 here\r\n")
        for line in iter(lines.readline, b""):
            word = line.split()[0].upper()
            if word == b"DATA":
                lines.write(b"354 go on\r\n")
                self.taken.append(b"".join(iter(lines.readline, b".\r\n")))
            elif word == b"RCPT" and self._refuses:
                lines.write(b"550 no such mailbox\r\n")
                continue
            elif word == b"QUIT":
                lines.write(b"221 bye\r\n")
                return
            lines.write(b"250 ok\r\n")


Box = tuple[MaildirMail | SmtpMail, Callable[[], list[EmailMessage]]]


@pytest.fixture(params=["maildir", "smtp"])
def box(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Box]:
    """Somebody who takes letters, and what their reader finds."""
    if request.param == "maildir":
        folder = tmp_path / "mail"
        yield MaildirMail(folder), lambda: [_parsed(one.as_bytes()) for one in Maildir(folder, create=False)]
        return
    server = Server()
    yield SmtpMail("127.0.0.1", server.port, timeout_s=5), lambda: list(map(_parsed, _distinct(server.taken)))
    server.close()


def _parsed(text: bytes) -> EmailMessage:
    found: Message = message_from_bytes(text, policy=default)
    assert isinstance(found, EmailMessage)
    return found


def _distinct(texts: list[bytes]) -> list[bytes]:
    """Return what a reader shows: letters with one Message-ID are one."""
    return list({_parsed(one)["Message-ID"]: one for one in texts}.values())


def test_a_letter_arrives_as_it_was_written(box: Box) -> None:
    mail, read = box
    assert mail.send(LETTER)
    (found,) = read()
    assert (found["From"], found["To"], found["Subject"]) == (LETTER.sender, LETTER.to, LETTER.subject)
    assert found.get_content().replace("\r\n", "\n") == LETTER.text


def test_the_same_letter_is_read_once_and_another_beside_it(box: Box) -> None:
    mail, read = box
    for letter in (LETTER, LETTER, replace(LETTER, id="report-2026-03-08")):
        mail.send(letter)
    assert len(read()) == 2


def test_a_subject_cannot_begin_another_header(box: Box) -> None:
    mail, read = box
    mail.send(replace(LETTER, subject="Hello\r\nBcc: everyone@company.com"))
    (found,) = read()
    assert found["Bcc"] is None


def test_a_letter_that_was_read_is_not_laid_down_again(tmp_path: Path) -> None:
    mail = MaildirMail(tmp_path)
    laid = Path(mail.send(LETTER))
    laid.rename(tmp_path / "cur" / f"{laid.name}:2,S")
    mail.send(LETTER)
    assert list((tmp_path / "new").iterdir()) == []


def test_a_server_that_refuses_or_is_not_there_is_named() -> None:
    server = Server(refuses=True)
    with pytest.raises(Unavailable, match=rf"127\.0\.0\.1:{server.port} did not take the letter to jane@company\.com"):
        SmtpMail("127.0.0.1", server.port, timeout_s=5).send(LETTER)
    server.close()
    with pytest.raises(Unavailable, match=r"notify\.smtp_host"):
        SmtpMail("127.0.0.1", 1, timeout_s=5).send(LETTER)
