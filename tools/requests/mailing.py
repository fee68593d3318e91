"""Requested letters: to exactly the people meant, with the words given."""

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from email.utils import parseaddr
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import number
from mabos.language.request import Check, Claim, Request
from mabos.language.wordlists import order_form
from mabos.mind.model import Step
from mabos.society.contacts import Contact, address, tag_named
from mabos.society.instructions import HONORIFICS, Instruction, concerns, find_ban
from mabos.tools.requests.answers.sources import sources_of
from mabos.tools.requests.records import select
from mabos.tools.requests.response import Ask, Decline, Do, Response
from mabos.tools.requests.wording import format_count
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.text import one_line, shorten, slug, terms

_SIZES = re.compile(r"(?:revenue|sales|turnover|spend|spent|volume|purchases|order_value|value)(?:_|$)", re.IGNORECASE)
"""Names of the contacts' own fields that say how large a customer is."""
_BACK = 4
"""So many requests back a mail may have been spoken of."""
TAGS = "crm_tag_contacts"
_NAMED = 8
"""The number of readers that a reply names; beyond it, the reply states only their number."""


def write_letter(agent: Agent, request: Request) -> Response:
    """Return the steps for a letter; its readers are fixed by a tag first, so that an approval covers exactly them."""
    if (drafted := _drafted_before(agent, request)) is not None:
        return _send_draft(agent, request, drafted)
    meant = _resolve_recipients(agent, request)
    if isinstance(meant, Ask | Decline):
        return meant
    rules = [one for one in agent.business.instructions.all() if one.is_in_force]
    left_out = {one.id: rule for one in meant if (rule := find_ban(one, rules)) is not None}
    readers = [one for one in meant if one.id not in left_out]
    if not readers:
        names = " and ".join(one.name or one.email for one in meant[:_NAMED])
        again = f"If the rule is not to hold any more, please tell me: You may write to {names} again."
        return Decline(
            f"Your rule forbids this letter, so nobody gets it. {_describe_excluded(meant, left_out)}", again
        )
    subject = str(request.slot("subject", ""))
    text, blanks = _text(agent, request, subject)
    if not text:
        return Ask("What should the letter say?", ("text",))
    text = _with_closing(text, readers, rules)
    told = " ".join(filter(None, (_describe_readers(readers), _describe_excluded(meant, left_out))))
    letter = {"subject": subject or _subject_of(request, text), "text": text}
    claims = tuple(Claim(f"contacts/{one.id}", "email", one.email, agent.now()) for one in readers if one.id)
    is_ready = bool(request.slot("look_first") and (request.slot("text") or (request.slot("facts") and not blanks)))
    if is_ready:
        told = f"{told} Subject: {letter['subject']}. Text: {letter['text']}"
    if (request.slot("draft") and not is_ready) or blanks:
        missing = f" These blanks are open: {'; '.join(blanks)}. What do I put there?" if blanks else ""
        return _plan_draft(request, readers, letter, f"{told}{missing}", claims)
    enters = not readers[0].id and "crm_create_contact" in agent.mind.capabilities.tools
    if len(readers) == 1 and not (readers[0].id and readers[0].name):
        named = f"Dear {readers[0].name}" if readers[0].name else "Good day"
        letter["text"] = letter["text"].replace("Dear {{ name }}", named)
    return _plan_sending(request, readers, letter, told, claims, enters=enters)


def tag_contacts(agent: Agent, request: Request) -> Response:
    """Return the step that tags exactly the contacts meant, or removes the tag from them."""
    if not request.slot("tag"):
        return Ask("Which tag?", ("tag",))
    is_off = bool(request.slot("remove"))
    try:
        tag = tag_named(str(request.slot("tag")))
    except InvalidArgument as wrong:
        return Ask(f"{wrong.message}. Which tag?", ("tag",))
    if is_off and _left_name(request):  # "the tag vip off Ada": not all who have it
        request = replace(request, slots=tuple(one for one in request.slots if one.name != "recipients"))
    meant = _resolve_recipients(agent, request)
    if isinstance(meant, Ask | Decline):
        return meant
    unknown = [one.email for one in meant if not one.id]
    if unknown:
        return Ask(f"{unknown[0]} is not in your contacts. Whom do you mean?", ("recipients",))
    ids = [one.id for one in meant]
    arguments = {"tag": tag, "contacts": ids, **({"remove": True} if is_off else {})}
    step = Step("S1", f"{'take the tag off' if is_off else 'tag'} {format_count(len(ids), 'contact')}", TAGS, arguments)
    number = 0 if is_off else len(ids)
    check = Check("contacts", {"id": {"in": ids}, "tags": {"all": [tag]}}, number, number, f"tagged {tag!r}")
    told = f"The tag {tag!r} is off: {_describe_readers(meant)}" if is_off else ""
    return Do(request.sentence, (step,), (check,), told=told)


def _drafted_before(agent: Agent, request: Request) -> Request | None:
    """Return the request whose drafts a person now wants to be sent: the latest, where this one names nothing."""
    if any(request.slot(name) for name in ("recipients", "to", "list", "text", "facts", "unexplained", "draft")):
        return None
    named = agent.requests.find(request.refers_to) if request.refers_to and request.act == "order" else None
    if named is not None and named.data.get("tag"):
        return named
    own = [one for one in agent.requests.all() if one.sender == request.sender and one.id != request.id]
    return next((one for one in reversed(own) if one.data.get("tag") and one.status == "done"), None)


def _send_draft(agent: Agent, request: Request, drafted: Request) -> Response:
    """Return the steps that send a draft to its readers, as fixed at that time; blanks are filled first."""
    letter = {name: str(value) for name, value in dict(drafted.data["letter"]).items()}
    if "[what to say" in letter["text"]:
        return Ask(f"The letter {letter['subject']!r} still has a blank. What should it say?", ("text",))
    readers = [one for one in agent.business.customers.contacts.all() if drafted.data["tag"] in one.tags]
    claims = tuple(Claim(f"contacts/{one.id}", "email", one.email, agent.now()) for one in readers)
    if not readers:
        return Ask("To whom exactly shall I write?", ("recipients",))
    return _plan_sending(request, readers, letter, _describe_readers(readers), claims)


def _resolve_recipients(agent: Agent, request: Request) -> list[Contact] | Ask | Decline:
    """Return the contacts that are meant; a partly understood selector selects none."""
    if (vague := request.slot("unexplained")) and not request.slot("recipients"):
        words = ", ".join(repr(str(one)) for one in vague)
        near = [
            f"{one.name} ({one.company or one.email})"
            for one in (agent.business.customers.contacts.all() if agent.business_id else ())
            if any(set(terms(str(word))) <= set(terms(one.name)) for word in vague)
        ]
        known = f" On record: {', '.join(near[:_NAMED])}." if near else ""
        return Ask(f"Whom do you mean by {words}?{known} I write to nobody before I know.", ("recipients",))
    if not agent.business_id:
        return Decline("I work for no business, so I have no contacts to write to.")
    selector = request.slot("recipients") or _selector(request)
    if not selector:
        writer = _writer_spoken_of(agent, request)
        return [writer] if writer is not None else Ask("To whom exactly shall I write?", ("recipients",))
    ranked = _resolve_size_field(agent, selector)
    if isinstance(ranked, Ask):
        return ranked
    found = _readers(agent, ranked)
    asked = [set(terms(str(word))) for word in request.slot("unexplained", ())]
    found = [one for one in found if any(words <= set(terms(one.name)) for words in asked)] or found
    return _whom_of_several(found, selector) or _named_readers(agent, request, found)


def _whom_of_several(found: Sequence[Contact], selector: Mapping[str, Any]) -> Ask | None:
    """Return the question which contacts are meant where several have the name given, or another number fits."""
    named, said = selector.get("where", {}).get("name"), int(selector.get("exactly") or 0)
    known = ", ".join(f"{one.name or one.email} ({one.company or one.email})" for one in found[:8])
    if isinstance(named, str) and len(found) > 1 and not said:
        known = " or ".join(f"{one.name} ({', '.join(filter(None, (one.company, one.email)))})" for one in found)
        return Ask(f"{len(found)} of your contacts have this name. Whom do you mean: {known}?", ("recipients",))
    if said and found and len(found) != said:
        told = f"You say {said}, and {len(found)} of your contacts fit: {known}. Whom do you mean?"
        return Ask(told, ("recipients",))
    return None


def _plan_draft(
    request: Request, readers: Sequence[Contact], letter: Mapping[str, str], told: str, claims: tuple[Claim, ...]
) -> Do:
    tag = _tag(request)
    steps = (
        _tagging_step(tag, readers),
        Step(
            "S2",
            f"draft the letter {letter['subject']!r}",
            "email_send",
            {**letter, "list": tag, "draft": True, "key": tag, "max_recipients": len(readers)},
        ),
    )
    number = len(readers)
    check = Check(
        "drafts", {"key": tag, "status": "draft"}, number, number, f"{number} drafts of {letter['subject']!r}"
    )
    return Do(request.sentence, steps, (check,), told=told, claims=claims, data={"letter": dict(letter), "tag": tag})


def _plan_sending(
    request: Request,
    readers: Sequence[Contact],
    letter: Mapping[str, str],
    told: str,
    claims: tuple[Claim, ...],
    *,
    enters: bool = False,
) -> Do:
    number, since = len(readers), {"min": request.created_at}
    if number == 1:
        to = readers[0].email
        reader = {"email": to, "name": readers[0].name, "source": readers[0].source}
        steps = (
            *((Step("S1", f"enter {to} as a contact", "crm_create_contact", reader),) if enters else ()),
            Step(
                "S2" if enters else "S1",
                f"send {letter['subject']!r} to {to}",
                "email_send",
                {**letter, "to": to, "key": request.id},
            ),
        )
        check = Check("letters", {"to": to, "status": "sent", "at": since}, 1, 1, f"a letter to {to}")
        return Do(request.sentence, steps, (check,), told=told, claims=claims)
    tag = _tag(request)
    name = f"{request.slot('name') or letter['subject']} ({tag})"
    campaign = {**letter, "name": name, "tags": [tag], "max_recipients": number}
    several = (
        _tagging_step(tag, readers),
        Step("S2", f"send {letter['subject']!r} to {number} people", "email_campaign", campaign),
    )
    where = {"to": {"in": [one.email for one in readers]}, "mailing": {"contains": slug(tag)}, "status": "sent"}
    check = Check("letters", where, number, number, f"letters to {number} people")
    return Do(request.sentence, several, (check,), told=told, claims=claims, data={"letter": dict(letter), "tag": tag})


def _tagging_step(tag: str, readers: Sequence[Contact]) -> Step:
    return Step(
        "S1",
        f"keep the list of {format_count(len(readers), 'reader')}",
        "crm_tag_contacts",
        {"tag": tag, "contacts": [r.id for r in readers]},
    )


def _tag(request: Request) -> str:
    revision = request.data.get("revision", 1)
    compact = request.id.removeprefix("REQ-").replace("-", "")
    return slug(f"letter-r{compact}" + (f"-v{revision}" if revision != 1 else ""))


def _left_name(request: Request) -> str:
    """Return the name that no selector explains, without words about the letter ("a short mail")."""
    words = [one for one in map(str, request.slot("left_over", ())) if one.strip(".").casefold() not in HONORIFICS]
    return " ".join([one for one in words if one[:1].isupper()] or words)


def _nearest(agent: Agent, name: str) -> str:
    """Return the contact whose name is spelled most like another, with the address; "" where none is close."""
    known = {one.name: one.email for one in agent.business.customers.contacts.all() if one.name}
    close = get_close_matches(name, known, 1, 0.75)
    return f"{close[0]} ({known[close[0]]})" if close else ""


def _writer(agent: Agent, name: str) -> Contact | None:
    """Return who wrote a mail of the inbox under this name or address, as a contact not on record yet, or None."""
    found, wanted = dict[str, Contact](), name.strip("<>").casefold()
    for document in sources_of(agent).documents:
        called, email = parseaddr(document.sender)
        if email and (email.casefold() == wanted or set(terms(name)) <= set(terms(called))):
            found[email.lower()] = Contact("", email.lower(), called, source=document.file)
    return next(iter(found.values())) if len(found) == 1 else None


_TO_THE_WRITER = order_form("answers_mailing.to_the_writer")


def _writer_spoken_of(agent: Agent, request: Request) -> Contact | None:
    """Return who wrote the one mail that the sender and the agent spoke of last, where an order means "her"."""
    if not _TO_THE_WRITER.search(request.sentence):
        return None
    own = [one for one in reversed(agent.requests.all()) if one.sender == request.sender and one.id != request.id]
    files = next((one.data["documents"] for one in own[:_BACK] if one.data.get("documents")), ())
    senders = {parseaddr(one.sender)[1] for one in sources_of(agent).documents if one.file in files and one.sender}
    email = senders.pop() if len(senders) == 1 else ""
    return (agent.business.customers.by_address(email.lower()) or _writer(agent, email)) if email else None


def _named_readers(agent: Agent, request: Request, found: list[Contact]) -> list[Contact] | Ask:
    """Return the contacts found; a question if a name has none, or several, or no contact fits."""
    name, given = _left_name(request), _words(request).strip("'")
    if name and len(found) > 1:
        known = ", ".join(f"{one.name} ({one.email})" for one in found)
        return Ask(f"Whom do you mean: {known}?", ("to",))
    if found:
        return found
    near = _nearest(agent, name) if name else ""
    if not near and (writer := _writer(agent, name or given)) is not None:
        return [writer]
    if name and "@" not in given:
        asks = f"The nearest name on record is {near}. Whom do you mean?" if near else "What is the address?"
        return Ask(f"I have no e-mail address of {name}. {asks}", ("recipients" if near else "to",))
    try:
        return [Contact("", address(given), name, source="your order")]
    except InvalidArgument:
        return Ask(f"I find nobody in your contacts for {given!r}. To whom shall I write?", ("recipients",))


def _resolve_size_field(agent: Agent, selector: Mapping[str, Any]) -> Mapping[str, Any] | Ask:
    """Return a selector of the largest or smallest with the field that says how large; a question where none does.

    A field of the contacts that a person keeps, as `revenue_usd`, comes before the deals that were won.
    """
    order, limit = str(selector.get("order", "")), int(selector.get("limit") or 0)
    if order.lstrip("-") != "won_usd":
        return selector
    everybody = select(agent, {name: value for name, value in selector.items() if name not in ("order", "limit")})
    names = sorted({name for one in everybody for name in one if _SIZES.search(name)} - {"won_usd"})
    for field in (*names, "won_usd"):
        sizes = [number(str(one.get(field) or "")) or 0.0 for one in everybody]
        sizes.sort(reverse=order.startswith("-"))
        is_clear = not limit or limit >= len(sizes) or sizes[limit - 1] != sizes[limit]
        if any(sizes) and is_clear:
            return {**selector, "order": f"{'-' if order.startswith('-') else ''}{field}"}
    return Ask(
        "I have no figure that says how large your customers are: no deals that were won, and no field such as "
        "revenue_usd of the contacts. Whom exactly do you mean?",
        ("recipients",),
    )


def _readers(agent: Agent, selector: Mapping[str, Any]) -> list[Contact]:
    contacts = agent.business.customers.contacts
    found = select(agent, selector)
    return [one for record in found if (one := contacts.find(str(record["id"]))) is not None]


def _selector(request: Request) -> dict[str, Any]:
    """Return the selector of recipients that were given as an address or as the name of a list."""
    if to := request.slot("to"):
        return {"records": "contacts", "where": {"email" if "@" in str(to) else "id": to}}
    if named := request.slot("list"):
        return {"records": "contacts", "where": {} if named == "everybody" else {"tags": named}}
    if name := _left_name(request):
        return {"records": "contacts", "where": {"name": {"contains": name}}}
    return {}


def _text(agent: Agent, request: Request, subject: str) -> tuple[str, list[str]]:
    """Return the text of a letter and its open blanks: the words that were given, or a draft around the facts."""
    if given := str(request.slot("text", "") or ""):
        return given, []
    closing = f"\n\nKind regards\n{agent.business.manifest.name}\n"
    if facts := str(request.slot("facts", "") or "").strip():
        stated = facts[:1].upper() + facts[1:]
        return f"Dear {{{{ name }}}},\n\n{stated}{'' if stated.endswith(('.', '!', '?')) else '.'}{closing}", []
    if subject:
        blank = f"[what to say about {subject}]"
        return f"Dear {{{{ name }}}},\n\nWe write to you about {subject}.\n\n{blank}{closing}", [blank.strip("[]")]
    return "", []


def _with_closing(text: str, readers: Sequence[Contact], rules: Sequence[Instruction]) -> str:
    """Return a letter with the lines that the owner wants at the end of letters to these readers."""
    closings = (one for one in rules if one.kind == "closing" and one.text not in text)
    lines = [one.text for one in closings if not one.who or all(concerns(one, reader) for reader in readers)]
    return "\n".join([text.rstrip(), "", *lines, ""]) if lines else text


def _subject_of(request: Request, text: str) -> str:
    """Return the subject of a letter without one: its name, else its first words, on one line."""
    body = text.split("\n\n")[1] if text.startswith("Dear ") and "\n\n" in text else text
    return str(request.slot("name") or "") or shorten(one_line(body).rstrip("."), 60, at_word=True)


def _describe_readers(readers: Sequence[Contact]) -> str:
    known = [(one, f"{one.email}, by {one.source}") for one in readers]
    names = [(one.name or one.email) if one.id else f"{one.name} ({by})" if one.name else by for one, by in known]
    listed = ", ".join(names) if len(names) <= _NAMED else f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return f"{len(names)} {'reader' if len(names) == 1 else 'readers'}: {listed}."


def _describe_excluded(meant: Sequence[Contact], left_out: Mapping[str, Instruction]) -> str:
    named = [
        f"{one.name or one.email} ({one.company})" if one.company else one.name for one in meant if one.id in left_out
    ]
    rules = sorted({rule.id for rule in left_out.values()})
    return f"Left out by your instruction {', '.join(rules)}: {', '.join(named)}." if named else ""


def _words(request: Request) -> str:
    words = next((one.words for one in request.slots if one.name in ("recipients", "to", "list")), "")
    return repr(words) if words else "this"
