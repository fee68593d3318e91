"""Mail to customers: one letter or a campaign (TOOLS.md, Email)."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Literal

import orjson
from pydantic import Field

from mabos.configs.errors import InvalidArgument, Refused, Unavailable, unknown
from mabos.society.contacts import Contact
from mabos.society.drafts import write_draft
from mabos.society.letter_templates import Lacking, LetterTemplate, keep
from mabos.society.mailings import LETTER_COST_USD, Mailing, Sending, letter_id
from mabos.tools.business.crm import Names, chosen_by
from mabos.tools.catalogue.declaration import Arguments, Text, Tool
from mabos.tools.gate.approval import AwaitingApproval
from mabos.tools.mail.letters import (
    LISTED,
    readers_of,
    rehearse_campaign,
    select_readers,
    serialize_letter,
    source_of,
    templates_of,
)
from mabos.tools.mail.mailing import Progress, go_on, list_pending_decisions, standing
from mabos.tools.mail.sending import Post, post_of
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.records import as_json

Most = Annotated[int, Field(ge=1, le=100_000)]


def email_send(
    agent: Agent,
    *,
    to: str = "",
    list_: str = "",
    template: str = "",
    subject: str = "",
    text: str = "",
    html: str = "",
    fields: dict[str, str] | None = None,
    key: str = "",
    save_as: str = "",
    draft: bool = False,
    max_recipients: Most = 100,
    business_id: str = "",
) -> dict[str, Any]:
    """Send a letter to one person or a list and return what became of each; the same letter reaches nobody twice.

    Args:
        to: An address, or the id of a contact.
        list: Instead of one person: a tag, a segment, or one of leads, prospects, customers, everybody.
        template: A template of mail/templates, or one of enterprise_launch, follow_up, newsletter, welcome, win_back.
        subject: What it is about, over the template's; may use {{ fields }} of its reader.
        text: The letter, over the template's.
        html: The same as a page; made of the text if left out.
        fields: What else the letter may use, by name, the same for every reader.
        key: Names this letter: under another key the same words are sent again.
        save_as: Keep subject, text and html as a template of this name; without a reader that is all.
        draft: Lay the letters into mail/drafts, one file for each reader, and send nothing.
        max_recipients: The most readers a list may have, and what may be spent.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    source = source_of(business, template, subject, text, html)
    saved = keep(source, save_as, templates_of(business)) if save_as else ""
    if not to and not list_ and saved:
        kept = saved.removesuffix(".md")
        return {"sent": 0, "letters": [], "counts": {}, "template": kept, "subject": source.subject}
    readers, given = readers_of(business, to, list_, max_recipients), fields or {}
    named = key or orjson.dumps([template, subject, text, html, list_, sorted(given.items())]).decode()
    now = iso(agent.clock())
    letters = [Sending(letter_id(named, one.email), one.email, now, one.id) for one in readers]
    if draft:
        with post_of(agent, business) as post:
            return _laid_down(post, source, readers, given, named)
    with post_of(agent, business) as post:
        ended = _all_sent(post, letters, source, dict(zip((one.id for one in letters), readers, strict=True)), given)
        if to:
            _one_arrived(post, ended[0])
        waiting = list_pending_decisions(post, ended)
    rows = [serialize_letter(business, one, repeated=one.id not in post.handed_over) for one in ended]
    counts = Counter(row["status"] for row in rows)
    name = saved.removesuffix(".md") or template
    ends = {"letters": rows, "counts": dict(sorted(counts.items())), "decision_ids": waiting}
    return {"sent": counts["sent"], **ends, "template": name, "subject": source.subject}


def email_campaign(
    agent: Agent,
    *,
    name: Text,
    action: Literal["send", "status", "stop"] = "send",
    template: str = "",
    subject: str = "",
    text: str = "",
    html: str = "",
    fields: dict[str, str] | None = None,
    list_: str = "",
    tags: Names | None = None,
    segment: str = "",
    stage: str = "",
    dry_run: bool = False,
    max_recipients: Most = 1000,
    business_id: str = "",
) -> dict[str, Any]:
    """Send a letter to everybody of a segment, once each, and return how far it is; again, it goes on where it stopped.

    Args:
        name: What people call the campaign; there is one of a name.
        action: Send it or go on with it, return how it stands, or stop it.
        template: As with email_send; the letter is kept as it is when the campaign begins.
        subject: What it is about, over the template's; may use {{ fields }} of its reader.
        text: The letter, over the template's.
        html: The same as a page; made of the text if left out.
        fields: What else the letter may use, by name, the same for every reader.
        list: A tag, a segment, or one of leads, prospects, customers, everybody.
        tags: Only those with all of these.
        segment: Only those of a segment.
        stage: Only those with a deal at a stage.
        dry_run: Return for whom it would be, with the first letters, and send nothing.
        max_recipients: The most readers it may have, and what may be spent.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    known = business.mailings.mailings.find(_campaign_id(name))
    if action != "send":
        return _campaign(agent, business, _looked_after(business, name, known, action))
    source = source_of(business, template, subject, text, html)
    choice = chosen_by(agent, list_=list_, tags=tags, segment=segment, stage=stage)
    wanted = Mailing(
        id=_campaign_id(name),
        name=name.strip(),
        subject=source.subject,
        text=source.text,
        html=source.html,
        template=source.name,
        fields=fields or {},
        audience={key: value for key, value in as_json(choice).items() if value},
        created_at=iso(agent.clock()),
        created_by=agent.id,
    )
    if known is not None and not dry_run:
        _same(known, wanted)
        return _campaign(agent, business, go_on(agent, business, known))
    return _new_campaign(agent, business, wanted, select_readers(business, choice, max_recipients), dry_run=dry_run)


def _looked_after(business: Business, name: str, known: Mailing | None, action: str) -> Progress:
    if known is None:
        raise unknown("campaign", name, [one.id for one in business.mailings.mailings.all()], argument="name")
    return standing(business, business.mailings.end(known.id, "stopped") if action == "stop" else known)


def _new_campaign(
    agent: Agent, business: Business, wanted: Mailing, readers: Sequence[Contact], *, dry_run: bool
) -> dict[str, Any]:
    letters = tuple(
        Sending(letter_id(f"campaign:{wanted.id}", one.email), one.email, wanted.created_at, one.id, wanted.id)
        for one in readers
    )
    if dry_run:
        return rehearse_campaign(agent, business, wanted, list(zip(letters, readers, strict=True)))
    begun = business.mailings.begin(replace(wanted, letters=len(letters)), letters)
    return _campaign(agent, business, go_on(agent, business, begun))


def _all_sent(
    post: Post,
    letters: Sequence[Sending],
    source: LetterTemplate,
    readers: Mapping[str, Contact],
    fields: Mapping[str, str],
) -> list[Sending]:
    ended: list[Sending] = []
    for one in letters:
        try:
            ended.append(post.send(one, source, readers[one.id], fields))
        except Unavailable as down:
            if len(letters) == 1:
                raise
            message = f"{len(ended)} of {len(letters)} letters are done, then {down.message}; the same call goes on"
            raise Unavailable(message) from None
    return ended


def _one_arrived(post: Post, letter: Sending) -> None:
    """Raise the failure of the only letter of a call, if it was not sent."""
    if letter.status == "unsubscribed":
        raise Refused(f"{letter.to} receives no letters: {post.business.mailings.left(letter.to)}", argument="to")
    if letter.status == "lacking":
        raise Lacking(letter.error, argument="fields")
    if letter.status in ("refused", "failed"):
        raise Unavailable(letter.error)
    question = post.question_about(letter) if letter.status == "begun" else None
    if question is not None:
        message = (
            f"a person must say whether {letter.to} has this letter; it waits as {question.id}, and is not repeated"
        )
        raise AwaitingApproval(message, question)


def _campaign_id(name: str) -> str:
    return " ".join(name.lower().split())


def _same(known: Mailing, wanted: Mailing) -> None:
    """Raise `InvalidArgument` unless the call means the campaign that is there."""
    kept = bool(wanted.template) and wanted.template == known.template  # edited meanwhile, it is as it was
    parts = ("fields", "audience") if kept else ("subject", "text", "html", "fields", "audience")
    other = next((part for part in parts if as_json(known)[part] != as_json(wanted)[part]), "")
    if other:
        message = f"campaign {known.name!r} began with another {other}; it stays as it is: choose another name"
        raise InvalidArgument(message, argument="name")
    if known.status == "stopped":
        raise InvalidArgument(f"campaign {known.name!r} was stopped; choose another name", argument="name")


def _campaign(agent: Agent, business: Business, progress: Progress) -> dict[str, Any]:
    with post_of(agent, business) as post:
        letters = business.mailings.of(progress.mailing.id)
        waiting = list_pending_decisions(post, letters)
    mailing = progress.mailing
    return {
        "campaign_id": mailing.id,
        "name": mailing.name,
        "status": mailing.status,
        "recipients": len(letters),
        "counts": dict(progress.counts),
        "sent_now": progress.sent_now,
        "remaining": progress.remaining,
        "problem": progress.problem,
        "decision_ids": waiting,
        "not_sent": [serialize_letter(business, one) for one in letters if one.status != "sent"][:LISTED],
        "cost_usd": round(progress.counts.get("sent", 0) * LETTER_COST_USD, 6),
    }


def _describe_letter(agent: Agent, arguments: Arguments) -> str:
    business = business_of(agent, arguments["business_id"])
    given = (arguments[one] for one in ("template", "subject", "text", "html"))
    source = source_of(business, *given)
    if not arguments["to"] and not arguments["list"] and arguments["save_as"]:
        return f"Keep the letter {source.subject!r} as the template {arguments['save_as']!r}"
    readers = readers_of(business, arguments["to"], arguments["list"], arguments["max_recipients"])
    is_own_tag = arguments["list"] == arguments["key"]  # it only fixes the readers, and is no name for a person
    group = "" if is_own_tag else f" of {arguments['list']!r}"
    whom = f"{readers[0].email}" if len(readers) == 1 else f"the {len(readers)} people{group}"
    return f"{'Draft' if arguments['draft'] else 'Send'} the letter {source.subject!r} to {whom}"


def _describe_campaign(agent: Agent, arguments: Arguments) -> str:
    business, name = business_of(agent, arguments["business_id"]), arguments["name"].strip()
    if arguments["action"] != "send":
        return f"{arguments['action'].capitalize()} the campaign {name!r}"
    source = source_of(business, *(arguments[one] for one in ("template", "subject", "text", "html")))
    if business.mailings.mailings.find(_campaign_id(name)) is not None:
        return f"Go on with the campaign {name!r}"
    given = {one: arguments[one] for one in ("tags", "segment", "stage")}
    choice = chosen_by(agent, list_=arguments["list"], **given)
    readers = select_readers(business, choice, arguments["max_recipients"])
    named = next((short for one in given["tags"] or () if (short := name.removesuffix(f" ({one})")) != name), name)
    return f"Send the campaign {named!r}, the letter {source.subject!r}, to {len(readers)} people"


def _laid_down(
    post: Post, source: LetterTemplate, readers: Sequence[Contact], fields: Mapping[str, str], key: str
) -> dict[str, Any]:
    """Write one draft for each reader, as a file that every mail program opens; nothing is sent."""
    rows, now = list[dict[str, str]](), iso(post.agent.clock())
    for reader in readers:
        sending = Sending(letter_id(key, reader.email), reader.email, now, reader.id)
        letter = post.letter(sending, source, reader, fields)
        path = write_draft(post.business.directory, letter, key)
        rows.append({"letter_id": sending.id, "to": reader.email, "status": "draft", "place": path})
    return {"sent": 0, "drafts": len(rows), "letters": rows, "subject": source.subject, "decision_ids": []}


def _letters_cost(arguments: Arguments) -> float:
    if arguments.get("draft"):
        return 0.0
    most = 1 if arguments.get("to") else int(arguments.get("max_recipients") or 1)
    return LETTER_COST_USD * most


def _stays_here(arguments: Arguments) -> bool:
    return bool(arguments.get("dry_run")) or arguments.get("action", "send") != "send"


def _only_keeps(arguments: Arguments) -> bool:
    if arguments.get("draft"):
        return True
    return bool(arguments.get("save_as")) and not arguments.get("to") and not arguments.get("list")


TOOLS = [
    Tool.of(
        email_send, module="Email", writes=True, category="email", cost=_letters_cost,
        counterparty=lambda arguments: str(arguments.get("to") or arguments.get("list") or ""), reversible=False,
        external=True, exempts=_only_keeps, about=_describe_letter,
        addresses=("to", "list", "subject", "text", "html", "fields", "key"),
    ),
    Tool.of(
        email_campaign, module="Email", writes=True, category="email", cost=_letters_cost, counterparty="name",
        reversible=False, external=True, exempts=_stays_here, reads=("status",), about=_describe_campaign,
        addresses=("subject", "text", "html", "fields"), skills={"marketing": "competent"},
    ),
]  # fmt: skip
