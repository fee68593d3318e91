"""Notices to people on a channel, sent once: the outbox records sent ones, and retries with their times."""

import re
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from hashlib import blake2b

from mabos.backends.mail import Letter, MaildirMail, in_one_line, mail_server
from mabos.backends.slack import Busy, SlackWebhook, message
from mabos.configs.errors import MabosError
from mabos.configs.settings import EscalationContact
from mabos.society.outbox import Notice
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Services
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.delivery import RetryPolicy, deliver

EMAIL, SLACK, FILE = "email", "slack", "file"
_NO_NAME = re.compile(r"[^\w.-]+")
_LONGEST = 200
"""Bytes of the name of a file, before its ending: file systems allow 255 for both and for what is written beside it."""


def notify(
    services: Services, business: Business, channel: str, to: EscalationContact, text: str, *, subject: str, key: str
) -> Notice:
    """Notify a person under a key and return the record; a sent notice is not sent again.

    `email` goes to the configured server, else to the business's Maildir. `slack` goes to the webhook in the
    environment, if there is one. Every other channel is a folder of the outbox, from which a person or a bridge takes
    the file. A refusal raises no error: the record has the reason and the end of the pause, and the next call with the
    key after that retries.
    """
    notice_id, outbox = f"{key}:{channel}:{to.email or to.name}", business.outbox
    known = outbox.find(notice_id)
    if known is not None and (known.status == "sent" or (known.next_at and services.clock() < _next(known))):
        return known
    begun = known or Notice(notice_id, channel, to.email or to.name, subject, iso(services.clock()))
    begun = replace(begun, status="begun", attempts=begun.attempts + 1, error="", next_at="")
    ended = deliver(
        begun,
        lambda notice: replace(notice, status="sent", place=_deliver_notice(services, business, notice, to, text)),
        partial(_record_failure, services),
        save=outbox.save,
        flush=services.sync.flush,
    )
    told = {"notice": ended.id, "channel": channel, "to": ended.to, "subject": subject, "status": ended.status}
    services.note(services.seat(), "notice", told | ({"error": ended.error} if ended.error else {}))
    return ended


def _next(notice: Notice) -> datetime:
    return parse_time(notice.next_at)


def _record_failure(services: Services, notice: Notice, error: MabosError) -> Notice:
    """Return the record of a failed attempt; each wait is twice the one before, and never shorter than was asked."""
    settings = services.settings.notify
    retry = RetryPolicy(settings.retry_minutes * 60, longest=settings.retry_hours_most * 3600)
    wait = retry.pause(notice.attempts)
    if isinstance(error, Busy):
        wait = max(wait, error.retry_after_s)
    next_at = iso(services.clock() + timedelta(seconds=wait))
    return replace(notice, status="failed", error=error.message, next_at=next_at)


def _deliver_notice(services: Services, business: Business, notice: Notice, to: EscalationContact, text: str) -> str:
    """Hand a notice over and return where it went, within the business's folder where it stays on this machine."""
    folder, settings, secret = business.directory / "outbox", services.settings.notify, services.environment.secret
    webhook = secret(settings.slack_webhook_env)
    if notice.channel == SLACK and webhook:
        channel = SlackWebhook(webhook, variable=settings.slack_webhook_env, timeout_s=settings.timeout_s)
        return channel.send(message(notice.subject, text, to=to.name))
    if notice.channel != EMAIL:
        path = folder / _name(notice.channel) / f"{_name(notice.id)}.md"
        write_atomic(path, f"To: {in_one_line(notice.to)}\nSubject: {in_one_line(notice.subject)}\n\n{text}")
        return str(path.relative_to(business.directory))
    letter = Letter(
        f"{business.id}-{notice.id}", settings.sender, to.email or to.name, notice.subject, text, services.clock()
    )
    server = mail_server(settings, services.environment)
    if server is not None and to.email:
        return server.send(letter)
    return MaildirMail(folder / EMAIL).send(letter).removeprefix(f"{business.directory}/")


def _name(text: str) -> str:
    """Return a text as the name of a file; one too long for file systems ends in a digest, so that it stays its own."""
    name = _NO_NAME.sub("-", text).strip(".-") or "notice"
    if len(name.encode()) <= _LONGEST:
        return name
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    return f"{name.encode()[: _LONGEST - len(digest) - 1].decode(errors='ignore')}-{digest}"
