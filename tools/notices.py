"""Telling people something on a channel, once: the outbox says what was sent, and what must be tried again."""

import re
from dataclasses import replace

from backends.mail import Letter, MaildirMail, SmtpMail
from configs.errors import MabosError, file_refused
from configs.settings import EscalationContact
from society.outbox import Notice
from tools.company import Business
from tools.services import Services
from workspace.atomic import write_atomic
from workspace.clock import iso

EMAIL, FILE = "email", "file"
_NO_NAME = re.compile(r"[^\w.-]+")


def notify(
    services: Services, business: Business, channel: str, to: EscalationContact, text: str, *, subject: str, key: str
) -> Notice:
    """Return the record of telling somebody something under a key: what was sent is not sent again.

    `email` goes to the server that settings name, else into the Maildir of the business; every other channel is a
    folder of its outbox, from which a person or a bridge takes the file. A channel that refuses raises nothing: the
    record says why, and the next call with the key tries again.
    """
    notice_id, outbox = f"{key}:{channel}:{to.email or to.name}", business.outbox
    known = outbox.find(notice_id)
    if known is not None and known.status == "sent":
        return known
    begun = known or Notice(notice_id, channel, to.email or to.name, subject, iso(services.clock()))
    begun = replace(begun, status="begun", attempts=begun.attempts + 1, error="")
    outbox.save(begun)
    services.sync.flush()  # what is sent is on record before anybody hears of it
    try:
        ended = replace(begun, status="sent", place=_sent(services, business, begun, to, text))
    except MabosError as error:
        ended = replace(begun, status="failed", error=error.message)
    except OSError as error:
        ended = replace(begun, status="failed", error=file_refused(error).message)
    outbox.save(ended)
    told = {"notice": ended.id, "channel": channel, "to": ended.to, "subject": subject, "status": ended.status}
    services.note(services.seat(), "notice", told | ({"error": ended.error} if ended.error else {}))
    return ended


def _sent(services: Services, business: Business, notice: Notice, to: EscalationContact, text: str) -> str:
    """Hand a notice over and return where it went, within the business's folder where it stays on this machine."""
    folder, settings = business.directory / "outbox", services.settings.notify
    if notice.channel != EMAIL:
        path = folder / _name(notice.channel) / f"{_name(notice.id)}.md"
        write_atomic(path, f"To: {notice.to}\nSubject: {notice.subject}\n\n{text}")
        return str(path.relative_to(business.directory))
    letter = Letter(
        f"{business.id}-{notice.id}", settings.sender, to.email or to.name, notice.subject, text, services.clock()
    )
    if settings.smtp_host and to.email:
        server = SmtpMail(settings.smtp_host, settings.smtp_port, timeout_s=settings.timeout_s)
        return server.send(letter)
    return MaildirMail(folder / EMAIL).send(letter).removeprefix(f"{business.directory}/")


def _name(text: str) -> str:
    return _NO_NAME.sub("-", text).strip(".-") or "notice"
