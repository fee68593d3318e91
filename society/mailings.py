"""Letters to customers: each sent once under its key, with recipients and opt-outs (the folder `mail/`).

A letter is `queued`, then `begun` before it is sent, then in a final state. A begun letter without a final state may
have arrived.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from pathlib import Path
from typing import Literal

from mabos.society.letter_templates import LetterTemplate
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Collections, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

LETTER_COST_USD = 0.001
"""The cost of a letter; governance considers it for as many as a call may send."""

Status = Literal["queued", "begun", "sent", "failed", "refused", "unsubscribed", "lacking", "cancelled"]
ENDED: frozenset[Status] = frozenset({"sent", "refused", "unsubscribed", "lacking", "cancelled"})


@record("mail/letters.json", "letters", noun="letter")
@dataclass(frozen=True, slots=True)
class Sending:
    """One letter to one recipient; `id` derives from its key and the recipient, `mailing` is its campaign."""

    id: str
    to: str
    at: str
    contact_id: str = ""
    mailing: str = ""
    status: Status = "queued"
    subject: str = ""
    attempts: int = 0
    sent_at: str = ""
    place: str = ""
    error: str = ""

    @property
    def is_over(self) -> bool:
        """Return whether it is finished; a failed letter is retried."""
        return self.status in ENDED


@record("mail/mailings.json", "mailings", noun="campaign", argument="name")
@dataclass(frozen=True, slots=True)
class Mailing:
    """A campaign: the letter as of its start, and its recipients; `letters` are sent until it is over or stopped."""

    id: str
    name: str
    subject: str
    text: str
    html: str = ""
    template: str = ""
    fields: Mapping[str, str] = field(default_factory=dict)
    audience: Mapping[str, object] = field(default_factory=dict)
    status: Literal["running", "completed", "stopped"] = "running"
    letters: int = 0
    created_at: str = ""
    created_by: str = ""

    @property
    def source(self) -> LetterTemplate:
        """The letter before it is filled in."""
        return LetterTemplate(self.subject, self.text, self.html, self.template)


@record("mail/unsubscribed.json", "removed", noun="address", argument="email")
@dataclass(frozen=True, slots=True)
class Removed:
    """An address that gets no letters, and why: its owner opted out, or no server knows it."""

    id: str
    at: str = ""
    by: str = ""
    reason: Literal["unsubscribed", "unknown_reader", "back"] = "unsubscribed"


class Mailings:
    """The letters of one business to its customers."""

    def __init__(self, letters: View[Sending], mailings: View[Mailing], removed: View[Removed]) -> None:
        self.letters = letters
        self.mailings = mailings
        self.removed = removed
        self._gone: tuple[int, dict[str, str]] | None = None

    def stores(self) -> tuple[Store, ...]:
        """Return the documents that hold them."""
        return self.letters.store, self.mailings.store, self.removed.store

    def letter(self, letter_id: str) -> Sending | None:
        """Return the record of a letter."""
        return self.letters.find(letter_id)

    def left(self, email: str) -> str:
        """Return why an address gets no letters, or ""."""
        self.removed.store.refresh()
        seq = self.removed.store.seq
        if self._gone is None or self._gone[0] != seq:
            # A person may have written an address as it came; of two records of one address the later counts.
            self._gone = seq, {one.id.strip().lower(): one.reason for one in self.removed.all()}
        reason = self._gone[1].get(email, "")
        return "" if reason == "back" else reason

    def subscribe(self, email: str, wanted: bool, *, at: str, by: str) -> None:
        """Unsubscribe an address from all letters, or subscribe it again; repeating has no effect."""
        if wanted == bool(self.left(email)):
            self.removed.save(Removed(email, at, by, "back" if wanted else "unsubscribed"))

    def of(self, mailing_id: str) -> tuple[Sending, ...]:
        """Return the letters of a campaign in queue order."""
        return tuple(one for one in self.letters.all() if one.mailing == mailing_id)

    def begin(self, mailing: Mailing, letters: tuple[Sending, ...]) -> Mailing:
        """Return the current campaign, one per name, with its letters queued; a second call changes nothing.

        The letters are queued first, so a recorded campaign has all of them.
        """

        def queue_letters(now: Collections) -> list[Put]:
            # Asked under the lock: another process may have queued them too, and sent some of them since.
            there = now.get(self.letters.collection, {})
            return self.letters.puts(now, [one for one in letters if one.id not in there])

        self.letters.store.commit(queue_letters)
        found: list[Mailing] = []

        def decide(now: Collections) -> list[Put]:
            known = self.mailings.parsed(now).get(mailing.id)
            found[:] = [known or mailing]
            return self.mailings.puts(now, found)

        self.mailings.store.commit(decide)
        return found[0]

    def end(self, mailing_id: str, status: Literal["completed", "stopped"]) -> Mailing:
        """Return the campaign after its end; for a stopped one, letters not yet begun are cancelled."""
        if status == "stopped":

            def cancel_letters(now: Collections) -> list[Put]:
                # Asked under the lock: what was begun a moment ago may have arrived, and is no longer to be cancelled.
                every = self.letters.matching(now, "mailing", mailing_id).values()
                waiting = [one for one in every if one.mailing == mailing_id and one.status in ("queued", "failed")]
                return self.letters.puts(now, [replace(one, status="cancelled") for one in waiting])

            self.letters.store.commit(cancel_letters)
        return self.mailings.change(
            mailing_id, lambda one: replace(one, status=status) if one.status == "running" else one
        )


def letter_id(key: str, email: str) -> str:
    """Return the permanent id of the letter to a recipient under a key; nothing can be read from it.

    >>> letter_id("spring", "jane@company.com") == letter_id("spring", "jane@company.com")
    True
    """
    return f"LTR-{blake2b(json.dumps([key, email]).encode(), digest_size=12).hexdigest()}"


def open_mailings(directory: Path, sync: Sync) -> Mailings:
    """Return the letters of the business in `directory`; nothing is written until the first."""
    return Mailings(
        View(declaration(Sending).open(directory, sync), Sending),
        View(declaration(Mailing).open(directory, sync), Mailing),
        View(declaration(Removed).open(directory, sync), Removed),
    )
