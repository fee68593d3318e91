"""Sending of letters to customers, each once: recorded before, settled after, and never to those who opted out.

    with post_of(agent, business) as post:
        post.send(queued, source, contact)

A letter begun without a known outcome is stored in a Maildir again, which accepts it once; only a person can find out
whether a server took it, and is asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from email.utils import formataddr, parseaddr
from typing import TYPE_CHECKING
from urllib.parse import quote

from mabos.backends.mail import Letter, MaildirMail, Rejected, SmtpMail, Unanswered, mail_server
from mabos.configs.errors import InvalidArgument, MabosError, Unavailable
from mabos.society.contacts import Contact
from mabos.society.decisions import Decision, action_hash
from mabos.society.instructions import Instruction, find_ban
from mabos.society.letter_templates import Filled, LetterTemplate, fill_template
from mabos.society.mailings import Removed, Sending
from mabos.tools.gate.approval import answer_by
from mabos.workspace.clock import iso
from mabos.workspace.delivery import RetryPolicy, deliver
from mabos.workspace.locks import file_lock

if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business
    from mabos.tools.runtime.services import Agent

RETRY = RetryPolicy(0.0, attempts=5)
"""The number of attempts for a letter that a server defers: one each time the campaign continues."""

YES, NO = "sent", "not-sent"
_FOOTER = "\n-- \nYou no longer want letters from {business}? {unsubscribe}\n"


@dataclass(frozen=True, slots=True)
class Post:
    """The channel of a business's letters: a server, or its Maildir; `handed_over` are those it accepted."""

    agent: Agent
    business: Business
    server: SmtpMail | None
    handed_over: set[str] = field(default_factory=set)

    def send(self, queued: Sending, source: LetterTemplate, contact: Contact, fields: Mapping[str, str]) -> Sending:
        """Send a letter and return its outcome; raises `Unavailable` if the server accepts none at all, or is down."""
        lock = self.agent.services.layout.internal / "locks" / f"mail-{self.business.id}-{queued.id[-1]}.lock"
        with file_lock(lock):
            known = self.business.mailings.letter(queued.id) or queued
            if known.is_over:
                return known
            if (ruled := find_ban(contact, self._instructions())) is not None:
                return self._left_out(replace(known, status="refused", error=f"your instruction {ruled.id}"))
            if self.business.mailings.left(known.to):
                return self._left_out(replace(known, status="unsubscribed"))
            if known.status == "begun" and self.server is not None:
                answer = self._ask_owner(known)
                if answer != NO:
                    return self._save_letter(replace(known, status="sent", error="")) if answer == YES else known
            try:
                letter = self.letter(known, source, contact, fields)
            except InvalidArgument as lacks:
                return self._left_out(replace(known, status="lacking", error=lacks.message))
            return self._handed_over(replace(known, subject=letter.subject), letter)

    def letter(self, sending: Sending, source: LetterTemplate, contact: Contact, fields: Mapping[str, str]) -> Letter:
        """Return the letter to one recipient as sent; raises `InvalidArgument` if that is impossible."""
        business, sender = self.business, self.sender
        link = self._unsubscribe(sending)
        known = fields_of(contact) | dict(fields) | {"business": business.manifest.name, "unsubscribe": link}
        made = fill_template(source, known)
        if sending.mailing and "{{ unsubscribe" not in source.text:
            made = _with_footer(made, business.manifest.name, link)
        to = formataddr((contact.name, sending.to))
        headers = self._headers(sending, link)
        name, at = f"{business.id}-{sending.id}", self.agent.clock()
        return Letter(name, sender, to, made.subject, made.text, at, html=made.html, headers=headers)

    def _instructions(self) -> list[Instruction]:
        """Return the owner's instructions in force: they hold for a letter that was queued before, too."""
        return [one for one in self.business.instructions.all() if one.is_in_force]

    @property
    def sender(self) -> str:
        """The sender of letters, with the name of the business by default."""
        settings = self.agent.services.settings
        name, email = parseaddr(settings.mail.sender or settings.notify.sender)
        return formataddr((name or self.business.manifest.name, email))

    def _handed_over(self, known: Sending, letter: Letter) -> Sending:
        now = iso(self.agent.clock())
        ended = deliver(
            replace(known, status="begun", attempts=known.attempts + 1, error=""),
            lambda begun: replace(begun, status="sent", sent_at=now, place=self._transmit_letter(letter)),
            self._record_failure,
            save=self._save_letter,
            flush=None if self.server is None else self.agent.services.sync.flush,  # a Maildir takes a letter once
        )
        if ended.status == "sent":
            self.handed_over.add(ended.id)
        elif ended.status == "begun":
            self._ask_owner(ended)
        return ended

    def _record_failure(self, begun: Sending, error: MabosError) -> Sending:
        """Return the letter after a failed attempt; re-raises errors that do not concern this letter alone."""
        if isinstance(error, Rejected):
            if error.forever and error.reader:
                removed = Removed(begun.to, iso(self.agent.clock()), self.agent.id, "unknown_reader")
                self.business.mailings.removed.save(removed)
            is_over = error.forever or RETRY.is_over(begun.attempts)
            return replace(begun, status="refused" if is_over else "failed", error=error.message)
        if isinstance(error, Unanswered):
            return replace(begun, error=error.message)
        if isinstance(error, Unavailable):
            self._save_letter(replace(begun, status="failed", error=error.message))
        raise error

    def _transmit_letter(self, letter: Letter) -> str:
        if self.server is not None:
            return self.server.send(letter)
        folder = self.business.directory
        return MaildirMail(folder / "mail" / "sent").send(letter).removeprefix(f"{folder}/")

    def _left_out(self, sending: Sending) -> Sending:
        """Return a letter that is not sent; a campaign is over with it, a single one may be sent another time."""
        return self._save_letter(sending) if sending.mailing else sending

    def _save_letter(self, sending: Sending) -> Sending:
        self.business.mailings.letters.save(sending)
        return sending

    def _headers(self, sending: Sending, link: str) -> tuple[tuple[str, str], ...]:
        if link.startswith("mailto:"):
            return (("List-Unsubscribe", f"<{link}>"),)
        mail = self._by_mail(sending)
        # One click of the reader's program is enough (RFC 8058).
        return (("List-Unsubscribe", f"<{link}>, <{mail}>"), ("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"))

    def _unsubscribe(self, sending: Sending) -> str:
        page = self.agent.services.settings.mail.unsubscribe_url
        if not page:
            return self._by_mail(sending)
        return page.replace("{token}", quote(sending.id)).replace("{email}", quote(sending.to))

    def _by_mail(self, sending: Sending) -> str:
        return f"mailto:{parseaddr(self.sender)[1]}?subject=unsubscribe%20{sending.id}"

    def _ask_owner(self, known: Sending) -> str:
        """Return a person's answer about a letter that may have arrived; "" until it comes; the question is asked
        once.
        """
        decisions = self.agent.services.decisions(self.business.id)
        digest = self._digest(known)
        asked = decisions.of_action(digest)
        answered = next((one for one in reversed(asked) if not one.open), None)
        if answered is not None:
            return YES if answered.status == "approved" and answered.chosen_option != NO else NO
        if not asked:
            decisions.request(self._question(known, digest, {one.id for one in decisions.all()}))
        return ""

    def _question(self, known: Sending, digest: str, taken: set[str]) -> Decision:
        agent = self.agent
        return Decision(
            id=agent.ids.new("DEC", taken),
            from_agent=agent.id,
            subject=f"Did {known.to} get the letter {known.subject!r}?",
            description=f"It was handed to the mail server as {known.id} and nobody knows whether that took it"
            f"{f': {known.error}' if known.error else ''}. It must not arrive twice.",
            options=(
                {"id": YES, "label": "It was sent", "impact": "It is not sent again"},
                {"id": NO, "label": "It was not sent", "impact": "It is sent"},
            ),
            recommendation=YES,
            deadline=answer_by(agent),
            created_at=iso(agent.clock()),
            business_id=self.business.id,
            category="email",
            counterparty=known.to,
            cycle=agent.cycle,
            action_hash=digest,
        )

    def _digest(self, known: Sending) -> str:
        """Return the digest of a question about this attempt at a letter."""
        return action_hash(self.business.id, f"letter:{known.id}", {"attempts": known.attempts})

    def question_about(self, known: Sending) -> Decision | None:
        """Return the pending decision about a letter, if any."""
        asked = self.agent.services.decisions(self.business.id).of_action(self._digest(known))
        return next((one for one in asked if one.open), None)


@contextmanager
def post_of(agent: Agent, business: Business) -> Iterator[Post]:
    """Open the channel of a business's letters, with one connection for many."""
    server = mail_server(agent.services.settings.notify, agent.services.environment)
    if server is None:
        with agent.services.sync.group():  # a letter that lies in the Maildir and is not on record is laid down once
            yield Post(agent, business, None)
        return
    with server:
        yield Post(agent, business, server)


def fields_of(contact: Contact) -> dict[str, str]:
    """Return a recipient's fields for a letter."""
    names = ("email", "name", "first_name", "company", "title", "segment")
    return {**contact.fields, **{name: getattr(contact, name) for name in names}}


def _with_footer(made: Filled, business: str, link: str) -> Filled:
    text = made.text + _FOOTER.format(business=business, unsubscribe=link)
    page = f'{made.html}\n<p><small><a href="{link}">No more letters from {_escape_html(business)}</a></small></p>'
    return replace(made, text=text, html=page)


def _escape_html(text: str) -> str:
    from html import escape

    return escape(text)
