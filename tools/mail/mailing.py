"""Letter campaigns: started once, sent as fast as settings allow, and continued by the heartbeat until the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from mabos.configs.errors import Unavailable
from mabos.society.contacts import Contact
from mabos.society.mailings import Mailing, Sending
from mabos.tools.mail.sending import Post, post_of
from mabos.workspace.clock import iso
from mabos.workspace.locks import file_lock

if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business
    from mabos.tools.runtime.services import Agent, Services


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a campaign: letters by status, the number remaining, and the obstacle, if any."""

    mailing: Mailing
    counts: Mapping[str, int]
    remaining: int
    sent_now: int = 0
    problem: str = ""


def go_on(agent: Agent, business: Business, mailing: Mailing) -> Progress:
    """Send the letters allowed now and return the progress; a person is asked about those that may have arrived."""
    problem = ""
    with file_lock(agent.services.layout.internal / "locks" / f"campaigns-{business.id}.lock"):
        people = {one.email: one for one in business.customers.contacts.all()}
        waiting = [one for one in business.mailings.of(mailing.id) if not one.is_over]
        room = _room(agent, business)
        with post_of(agent, business) as post:
            for one in waiting:
                if len(post.handed_over) >= room:
                    problem = f"{agent.services.settings.mail.letters_an_hour} letters an hour are the most; it goes on"
                    break
                try:
                    post.send(one, mailing.source, people.get(one.to) or Contact("", one.to), mailing.fields)
                except Unavailable as down:
                    problem = down.message
                    break
        progress = standing(business, business.mailings.mailings.one(mailing.id))
        if progress.mailing.status == "running" and not progress.remaining:
            business.mailings.end(mailing.id, "completed")
    found = standing(business, business.mailings.mailings.one(mailing.id))
    return Progress(
        found.mailing, found.counts, found.remaining, len(post.handed_over), problem if found.remaining else ""
    )


def standing(business: Business, mailing: Mailing) -> Progress:
    """Return the progress of a campaign, without sending anything."""
    letters = business.mailings.of(mailing.id)
    counts = Counter(str(one.status) for one in letters)
    remaining = sum(not one.is_over for one in letters) if mailing.status == "running" else 0
    return Progress(mailing, dict(sorted(counts.items())), remaining)


def go_on_with_all(services: Services, business: Business) -> list[Progress]:
    """Continue the running campaigns of a business and return their progress: the heartbeat sends the letters due."""
    agent = services.seat()
    running = [one for one in business.mailings.mailings.all() if one.status == "running"]
    found = [go_on(agent, business, one) for one in running]
    for one in found:
        if one.sent_now or one.problem:
            body = {"campaign": one.mailing.id, "sent": one.sent_now, "remaining": one.remaining}
            services.note(agent, "mailing", body | ({"problem": one.problem} if one.problem else {}))
    return found


def list_pending_decisions(post: Post, letters: Iterable[Sending]) -> list[str]:
    """Return the decisions about letters with unknown delivery."""
    asked = (post.question_about(one) for one in letters if one.status == "begun")
    return [one.id for one in asked if one is not None]


def _room(agent: Agent, business: Business) -> int:
    """Return how many letters may still be sent in the hour that ends now."""
    since = iso(agent.clock() - timedelta(hours=1))
    sent = sum(one.sent_at > since for one in business.mailings.letters.all() if one.mailing)
    return max(0, agent.services.settings.mail.letters_an_hour - sent)
