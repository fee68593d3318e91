"""Import of outside mail and files into a business's inbox, once: their content is data and binds no agent.

The order makes a crash harmless: first the file, under a name derived from the mail; then a message to the chief under
a derived id; then the record. Repeating after a crash gives the same result.
"""

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from email import message_from_bytes, policy
from email.utils import parseaddr, parsedate_to_datetime
from hashlib import blake2b
from pathlib import Path

from mabos.backends.imap import FetchedMail, ImapMailbox
from mabos.backends.mail import Login
from mabos.configs.errors import Unavailable
from mabos.configs.outward import MailSettings
from mabos.society.business import INBOX_FOLDER
from mabos.society.intake import LARGEST, kind_of
from mabos.society.mailbox import Mailbox, MailboxPlace, ReceivedMail, WatchedFile, open_mailbox
from mabos.society.messages import Message
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Services
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.delivery import RetryPolicy
from mabos.workspace.locks import file_lock
from mabos.workspace.text import one_line, shorten, slug

_MOST_AT_A_TIME = 200
_SOURCE = "mail"
_LONGEST = 120


def receive(services: Services) -> dict[str, int]:
    """Return how many mails and files arrived, by business; a failing server is noted and retried later."""
    settings = services.settings.mail
    if not settings.imap_host and not settings.watch_folder:
        return {}
    business = _business(services, settings)
    lock = services.layout.internal / "locks" / f"mailbox-{business.id}.lock"
    mailbox = open_mailbox(business.directory, services.sync)
    came = 0
    with file_lock(lock), closing(mailbox.store):
        if settings.imap_host:
            came += _look(services, business, mailbox, settings)
        if settings.watch_folder:
            came += sum(
                1 for _ in _copy_watched_files(services, business, mailbox, Path(settings.watch_folder).expanduser())
            )
    return {business.id: came} if came else {}


def _business(services: Services, settings: MailSettings) -> Business:
    """Return the business whose inbox it is: the one that settings name, else the only one."""
    every = services.businesses()
    if not settings.business and len(every) != 1:
        raise Unavailable(f"mail.business names none of the {len(every)} businesses here; set it in mabos.yaml")
    return services.business(settings.business or every[0])


def _look(services: Services, business: Business, mailbox: Mailbox, settings: MailSettings) -> int:
    """Take in the mails that are new, and return how many; a failure is on record with the time of the next try."""
    key = f"{settings.imap_user}@{settings.imap_host}/{settings.imap_folder}"
    place = mailbox.places.find(key) or MailboxPlace(key)
    now = services.clock()
    if place.next_at and now < parse_time(place.next_at):
        return 0
    password = services.environment.secret(settings.imap_password_env)
    login = Login(settings.imap_security, settings.imap_user, password)
    timeout_s, came = services.settings.notify.timeout_s, 0
    try:
        with ImapMailbox(settings.imap_host, settings.imap_port, login=login, timeout_s=timeout_s) as server:
            validity = server.open(settings.imap_folder)
            if validity != place.uid_validity:
                place = replace(place, uid_validity=validity, last_uid=0)
            since = (now - timedelta(days=settings.imap_days)).date()
            for mail in server.mails(after=place.last_uid, since=since, largest=LARGEST, limit=_MOST_AT_A_TIME):
                place = replace(place, last_uid=mail.uid, looked_at=iso(now), failures=0, error="", next_at="")
                came += _take_in(services, business, mailbox, place, mail)
    except Unavailable as wrong:
        failures = place.failures + 1
        pause = RetryPolicy(services.settings.notify.retry_minutes * 60, longest=12 * 3600).pause(failures)
        next_at = iso(now + timedelta(seconds=pause))
        mailbox.places.save(replace(place, failures=failures, error=wrong.message, next_at=next_at))
        services.note(services.seat(), "mailbox", {"mailbox": key, "error": wrong.message, "next_at": next_at})
        return came
    mailbox.places.save(replace(place, looked_at=iso(now), failures=0, error="", next_at=""))
    return came


def _take_in(services: Services, business: Business, mailbox: Mailbox, place: MailboxPlace, mail: FetchedMail) -> bool:
    """Lay a mail into the inbox, tell the chief, and record it; return whether it is new here."""
    received = _parse_mail(mail, iso(services.clock()))
    if mailbox.mails.find(received.id) is not None:  # under another UID, as the server counts anew
        mailbox.places.save(place)
        return False
    write_atomic(business.directory / INBOX_FOLDER / received.file, _content(mail))
    _tell(services, business, received)
    services.sync.flush()

    mailbox.store.commit(lambda now: [*mailbox.mails.puts(now, [received]), *mailbox.places.puts(now, [place])])
    return True


def _parse_mail(mail: FetchedMail, now: str) -> ReceivedMail:
    """Return the record of a mail; its file is named by day, sender and subject, and never twice the same."""
    head = message_from_bytes(mail.content, policy=policy.default)
    message_id = one_line(str(head.get("Message-ID", "")))
    digest = blake2b(message_id.encode() or mail.content, digest_size=5).hexdigest()
    name, address = parseaddr(str(head.get("From", "")))
    sender, subject = one_line(name or address) or "somebody", one_line(str(head.get("Subject", ""))) or "no subject"
    try:
        day = f"{parsedate_to_datetime(str(head.get('Date', ''))):%Y-%m-%d}"
    except ValueError:
        day = now[:10]
    words = slug(f"{shorten(sender, 30, mark='')} {shorten(subject, 50, mark='')}") or "mail"
    return ReceivedMail(digest, mail.uid, f"{day}-{words}-{digest}.eml", sender, shorten(subject, _LONGEST), now)


def _content(mail: FetchedMail) -> bytes:
    """Return a mail as its file holds it; one that is too large has its head, and a line that says so."""
    if mail.is_whole:
        return mail.content
    head = re.sub(rb"(?im)^(?:content-|mime-version).*(?:\r?\n[ \t].*)*\r?\n", b"", mail.content).rstrip()
    said = f"\r\n\r\nThis mail has {mail.size:,} bytes, which are not fetched; read it in your mailbox.\r\n"
    return head + said.encode()


def _tell(services: Services, business: Business, mail: ReceivedMail) -> None:
    """Tell the chief that a mail came, and from whom: it informs, and asks for nothing."""
    seats = business.manifest.agents
    chief = seats.get("ceo") or next(iter(seats.values()), "")
    if chief:
        said = f"Mail from {shorten(mail.sender, _LONGEST)}: {mail.subject}. It is in {INBOX_FOLDER}/{mail.file}."
        services.mail.deliver(
            Message(
                id=f"MSG-{_SOURCE}-{mail.id}",
                sender=_SOURCE,
                to=chief,
                performative="INFORM",
                content=said,
                timestamp=mail.at,
                metadata={"beliefs": [], "file": mail.file},
            )
        )


def _copy_watched_files(
    services: Services, business: Business, mailbox: Mailbox, folder: Path
) -> Iterator[WatchedFile]:
    """Copy the files of a watched folder that are new or changed into the inbox, and yield their records."""
    try:
        with os.scandir(folder) as entries:
            found = sorted((one.name, one.stat(follow_symlinks=False)) for one in entries if _is_document(one))
    except OSError as wrong:
        reason = f"mail.watch_folder: {folder}: {os.strerror(wrong.errno or errno.ENOENT)}"
        services.note(services.seat(), "mailbox", {"mailbox": str(folder), "error": reason})
        return
    for name, status in found:
        stamp = f"{status.st_mtime_ns} {status.st_size}"
        known = mailbox.files.find(name)
        if (known is not None and known.stamp == stamp) or status.st_size > LARGEST:
            continue
        target = business.directory / INBOX_FOLDER / (known.file if known else name)
        content = (folder / name).read_bytes()
        if known is None and target.exists() and target.read_bytes() != content:  # somebody's own file of that name
            target = target.with_stem(f"{target.stem}-{blake2b(content, digest_size=3).hexdigest()}")
        write_atomic(target, content)
        record = WatchedFile(name, stamp, target.name, iso(services.clock()))
        mailbox.files.save(record)
        yield record


def _is_document(entry: "os.DirEntry[str]") -> bool:
    return stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode) and kind_of(entry.name) is not None
