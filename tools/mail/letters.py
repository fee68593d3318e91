"""Shared parts of the mail tools: building the letter from arguments, selecting its recipients, and showing it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.society.contacts import Contact, address
from mabos.society.customers import ContactFilter, nobody
from mabos.society.letter_templates import Lacking, LetterTemplate, check, template_named, with_fields
from mabos.society.mailings import LETTER_COST_USD, Mailing, Sending
from mabos.tools.mail.sending import post_of
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent

_REHEARSED = 3  # letters that a dry run shows whole
LISTED = 100
"""Letters of a campaign that are shown one by one."""


def source_of(business: Business, template: str, subject: str, text: str, html: str) -> LetterTemplate:
    """Return the letter from a template and arguments; raises `InvalidArgument` if it cannot be filled in."""
    source = template_named(template, templates_of(business)) if template else LetterTemplate("", "")
    # A page of the template belongs to its own text.
    page = html or ("" if text else source.html)
    head, body = with_fields(subject or source.subject), with_fields(text or source.text)
    source = LetterTemplate(head, body, page, source.name)
    check(source)
    if any(not one.isprintable() for one in source.subject):
        raise InvalidArgument("subject must be one line of printable characters", argument="subject")
    return source


def templates_of(business: Business) -> Path:
    """Return the folder of a business's templates."""
    return business.directory / "mail" / "templates"


def readers_of(business: Business, to: str, list_: str, most: int) -> list[Contact]:
    """Return the recipients of a letter: one person, who need not be a contact, or those of a list."""
    if bool(to) == bool(list_):
        raise InvalidArgument("give 'to' for one person, or 'list' for several, and not both", argument="to")
    if list_:
        return select_readers(business, ContactFilter(list=list_), most)
    if "@" not in to:
        return [business.customers.contact(to, argument="to")]
    email = address(to, argument="to")
    return [business.customers.by_address(email) or Contact("", email)]


def select_readers(business: Business, choice: ContactFilter, most: int) -> list[Contact]:
    """Return the selected contacts; raises `InvalidArgument` for none, too many, or no selection at all."""
    if choice.is_open:
        message = "say for whom: a list (as prospects, or everybody), tags, a segment or a stage"
        raise InvalidArgument(message, argument="list")
    readers = list(business.customers.chosen(choice))
    if not readers:
        raise nobody(choice)
    if len(readers) > most:
        message = f"it has {len(readers)} readers, more than max_recipients allows ({most}); raise it, or choose fewer"
        raise InvalidArgument(message, argument="max_recipients")
    return readers


def serialize_letter(business: Business, letter: Sending, *, repeated: bool = False) -> dict[str, Any]:
    """Return a letter in the form that tools show."""
    status = "already_sent" if repeated and letter.status == "sent" else letter.status
    row = {"letter_id": letter.id, "to": letter.to, "contact_id": letter.contact_id, "status": status}
    row |= {"message_id": f"<{business.id}-{letter.id}@mabos>", "sent_at": letter.sent_at, "place": letter.place}
    return row | ({"error": letter.error} if letter.error else {})


def rehearse_campaign(
    agent: Agent, business: Business, mailing: Mailing, letters: Sequence[tuple[Sending, Contact]]
) -> dict[str, Any]:
    """Return a preview of a campaign: its recipients, those left out with the reason, and its first letters."""
    mailings, counts, shown = business.mailings, Counter[str](), list[dict[str, str]]()
    with post_of(agent, business) as post:
        for sending, reader in letters:
            if mailings.left(reader.email):
                counts["unsubscribed"] += 1
                continue
            try:
                letter = post.letter(sending, mailing.source, reader, mailing.fields)
            except Lacking as lacks:
                counts["lacking"] += 1
                shown.append({"to": reader.email, "error": lacks.message})
                continue
            counts["to_send"] += 1
            if counts["to_send"] <= _REHEARSED:
                shown.append({"to": letter.to, "from": letter.sender, "subject": letter.subject, "text": letter.text})
    cost = counts["to_send"] * LETTER_COST_USD
    return {
        "campaign_id": mailing.id,
        "name": mailing.name,
        "status": "dry_run",
        "recipients": len(letters),
        "counts": dict(counts),
        "letters": shown[:LISTED],
        "cost_usd": round(cost, 6),
    }
