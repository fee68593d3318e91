"""CRM: contacts, deals and their stages, and lead scores (TOOLS.md, CRM)."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from mabos.configs.errors import InvalidArgument
from mabos.society.contacts import Contact, Touch, address, header_text, tag_named
from mabos.society.customers import ContactFilter, Customers, nobody
from mabos.society.deals import Deal, change_stage, days, in_order, pipeline, stage_named
from mabos.society.lead_scores import formula, rank_scores, score
from mabos.tools.catalogue.declaration import Count, Fraction, Money, OwnId, Text, Tool
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.records import as_json

Names = Annotated[list[Text], Field(max_length=1000)]


def crm_create_contact(
    agent: Agent,
    *,
    email: Text,
    name: str = "",
    company: str = "",
    title: str = "",
    phone: str = "",
    segment: str = "",
    source: str = "",
    tags: Names | None = None,
    fields: dict[str, str] | None = None,
    interaction: str = "",
    note: str = "",
    subscribed: bool | None = None,
    business_id: str = "",
) -> dict[str, Any]:
    """Enter a contact, one for each e-mail address: the same address again adds to what is known, and says so.

    Args:
        email: Their address; upper and lower case are the same.
        name: Their whole name.
        company: For whom they work.
        title: What they are there, as "Head of Finance".
        phone: Their number.
        segment: Which customers they are among, as smb, mid or ent.
        source: Where they were met, as "fair in May".
        tags: Words to find them by.
        fields: What else is known, by name; letters may use it.
        interaction: How they were in touch now, a kind of crm.points in mabos.yaml, as replied, called or met.
        note: What was said then.
        subscribed: false takes them off all mailings, true takes that back.
        business_id: The business; the agent's own if left out.
    """
    business, now = business_of(agent, business_id), iso(agent.clock())
    given = Contact(
        id=agent.ids.new("CON"), email=address(email), name=header_text(name, argument="name"),
        company=header_text(company, argument="company"), title=header_text(title, argument="title"),
        phone=header_text(phone, argument="phone"), segment=header_text(segment, argument="segment").lower(),
        source=header_text(source, argument="source"),
        tags=tuple(dict.fromkeys(tag_named(one, argument="tags") for one in tags or ())), fields=_fields(fields or {}),
        touches=_touches(agent, interaction, note), created_at=now, created_by=agent.id,
    )  # fmt: skip
    entered = business.customers.enter(given)
    if subscribed is not None:
        business.mailings.subscribe(given.email, subscribed, at=now, by=agent.id)
    return {
        "contact_id": entered.contact.id,
        **as_json(entered.contact),
        "created": entered.created,
        "changed": list(entered.changed),
        "subscribed": not business.mailings.left(given.email),
    }


def crm_tag_contacts(
    agent: Agent,
    *,
    tag: Text,
    contacts: Names | None = None,
    list_: str = "",
    segment: str = "",
    stage: str = "",
    remove: bool = False,
    business_id: str = "",
) -> dict[str, Any]:
    """Put a tag on contacts, or take it off, and return whose changed; those meant fit everything that is given.

    Args:
        tag: The word; a list of this name is then those who have it.
        contacts: Ids or addresses; everybody if nothing is given.
        list: A tag, a segment, or one of leads, prospects, customers, everybody.
        segment: Those of a segment.
        stage: Those with a deal at a stage.
        remove: Take the tag off instead.
        business_id: The business; the agent's own if left out.
    """
    customers, wanted = business_of(agent, business_id).customers, tag_named(tag)
    choice = chosen_by(agent, contacts=contacts, list_=list_, segment=segment, stage=stage)
    meant = customers.chosen(choice)
    if not meant:
        raise nobody(choice)

    def update_tags(contact: Contact) -> Contact:
        others = tuple(one for one in contact.tags if one != wanted)
        if (wanted in contact.tags) is not remove:
            return contact
        return replace(contact, tags=others if remove else (*others, wanted), updated_at=iso(agent.clock()))

    changed = customers.tag((one.id for one in meant), update_tags)
    return {
        "tag": wanted,
        "removed": remove,
        "count": len(changed),
        "contact_ids": [one.id for one in changed],
        "unchanged": len(meant) - len(changed),
    }


def crm_pipeline(
    agent: Agent,
    *,
    action: Literal["show", "create", "move"] = "show",
    deal_id: OwnId = "",
    title: str = "",
    contact: str = "",
    value_usd: Money | None = None,
    stage: str = "",
    reason: str = "",
    expected_close: str = "",
    business_id: str = "",
) -> dict[str, Any]:
    """Return the deals by stage with sums, weighted value, conversion and age; or create a deal, or move one.

    Args:
        action: Show the pipeline, create a deal, or move one to another stage (its value and date may change with it).
        deal_id: Which deal to move; for a new one an id of your own choice.
        title: What is to be sold, with create.
        contact: Id or address of who may buy, with create.
        value_usd: Dollars that winning it brings.
        stage: The stage to move to, or to begin at; with show, only this one's deals.
        reason: Why it moves, as what made them say no.
        expected_close: Until when it is expected to be decided, as 2026-06-30.
        business_id: The business; the agent's own if left out.
    """
    customers, stages = business_of(agent, business_id).customers, agent.services.settings.crm.stages
    at_stage = stage_named(stage, stages) if stage else ""
    closes = iso(parse_time(expected_close, argument="expected_close"))[:10] if expected_close else ""
    if action == "show":
        return _list_deals(agent, customers, at_stage)
    if action == "move":
        deal = _move_deal(agent, customers, deal_id, at_stage, value_usd=value_usd, reason=reason, closes=closes)
    else:
        sold, buyer = header_text(title, argument="title"), customers.contact(contact).id if contact else ""
        if not sold or not buyer:
            argument = "contact" if sold else "title"
            raise InvalidArgument(f"create needs {argument}: what to sell, and to whom", argument=argument)
        first = Deal(
            id=deal_id or agent.ids.new("DEAL"), title=sold, contact_id=buyer, value_usd=value_usd or 0.0,
            expected_close=closes, created_at=iso(agent.clock()), created_by=agent.id,
        )  # fmt: skip
        deal = _open_deal(agent, customers, first, at_stage or in_order(stages)[0], reason)
    return {"deal_id": deal.id, **as_json(deal), "chance": stages.get(deal.stage, 0.0)}


def lead_scoring(
    agent: Agent,
    *,
    contact: str = "",
    list_: str = "",
    tags: Names | None = None,
    segment: str = "",
    minimum: Fraction = 0.0,
    limit: Count = 20,
    business_id: str = "",
) -> dict[str, Any]:
    """Return what leads are worth from 0 to 100, best first, with each part explained and what is not known.

    Args:
        contact: Id or address of one person; else all that fit.
        list: A tag, a segment, or one of leads, prospects, customers, everybody.
        tags: Only those with all of these.
        segment: Only those of a segment.
        minimum: Only scores of at least this share of 100.
        limit: How many to return.
        business_id: The business; the agent's own if left out.
    """
    business, settings = business_of(agent, business_id), agent.services.settings.crm
    who = [business.customers.contact(contact).id] if contact else None
    choice = chosen_by(agent, contacts=who, list_=list_, tags=tags, segment=segment)
    now, served = agent.clock(), business.manifest.customer_segments
    scores = [score(one, served, settings, now) for one in business.customers.chosen(choice)]
    fitting = [one for one in rank_scores(scores) if one.score >= 100 * minimum]
    return {
        "leads": [as_json(one) for one in fitting[:limit]],
        "count": len(fitting),
        "scored": len(scores),
        "formula": formula(settings),
    }


def chosen_by(
    agent: Agent,
    *,
    contacts: list[str] | None = None,
    list_: str = "",
    tags: list[str] | None = None,
    segment: str = "",
    stage: str = "",
) -> ContactFilter:
    """Return the selection made by a tool's arguments, normalized."""
    return ContactFilter(
        who=tuple(contacts or ()),
        list=list_,
        tags=tuple(tag_named(one, argument="tags") for one in tags or ()),
        segment=segment.strip().lower(),
        stage=stage_named(stage, agent.services.settings.crm.stages) if stage else "",
    )


def _fields(given: Mapping[str, str]) -> dict[str, str]:
    for name in given:
        if not name.isidentifier():
            message = f"fields: {name!r:.60} is not a valid field name; use letters, digits and '_'"
            raise InvalidArgument(message, argument="fields")
    return {name: header_text(value, argument="fields") for name, value in given.items()}


def _touches(agent: Agent, interaction: str, note: str) -> tuple[Touch, ...]:
    kinds = agent.services.settings.crm.points
    if not interaction:
        return ()
    if interaction not in kinds:
        message = f"no interaction {interaction:.60}; there are {', '.join(kinds)} (crm.points in mabos.yaml)"
        raise InvalidArgument(message, argument="interaction")
    return (Touch(agent.ids.new("TOUCH"), iso(agent.clock()), interaction, note),)


def _open_deal(agent: Agent, customers: Customers, deal: Deal, stage: str, reason: str) -> Deal:
    begun = change_stage(deal, stage, at=iso(agent.clock()), by=agent.id, reason=reason)
    known = customers.deals.find(deal.id)
    if known is not None and known != begun:  # the same again is the same call, cut short and run once more
        message = f"deal {deal.id!r} exists; move it, or leave 'deal_id' out for a new one"
        raise InvalidArgument(message, argument="deal_id")
    customers.deals.save(begun)
    return begun


def _move_deal(
    agent: Agent, customers: Customers, deal_id: str, stage: str, *, value_usd: float | None, reason: str, closes: str
) -> Deal:
    if not deal_id or not (stage or closes or value_usd is not None):
        argument = "stage" if deal_id else "deal_id"
        raise InvalidArgument(f"move needs {argument}: which deal, and to which stage", argument=argument)

    def change(deal: Deal) -> Deal:
        worth = deal.value_usd if value_usd is None else value_usd
        known = replace(deal, value_usd=worth, expected_close=closes or deal.expected_close)
        return change_stage(known, stage or deal.stage, at=iso(agent.clock()), by=agent.id, reason=reason)

    return customers.deals.change(deal_id, change)


def _list_deals(agent: Agent, customers: Customers, stage: str) -> dict[str, Any]:
    now, deals = agent.clock(), customers.deals.all()
    people = {one.id: one.email for one in customers.contacts.all()}
    listed = [one for one in deals if (one.stage == stage if stage else one.is_open)]
    rows = [
        {
            "deal_id": one.id,
            "title": one.title,
            "contact": people.get(one.contact_id, one.contact_id),
            "stage": one.stage,
            "value_usd": one.value_usd,
            "age_days": days(one.created_at, now),
            "days_in_stage": days(one.since, now),
            "expected_close": one.expected_close,
            "overdue": one.is_open and bool(one.expected_close) and one.expected_close < iso(now)[:10],
        }
        for one in listed
    ]
    rows.sort(key=lambda row: -float(str(row["days_in_stage"])))
    return {**as_json(pipeline(deals, agent.services.settings.crm.stages, now)), "deals": rows}


TOOLS = [
    Tool.of(crm_create_contact, module="CRM", writes=True, category="crm", addresses=("email", "phone", "fields")),
    Tool.of(crm_tag_contacts, module="CRM", writes=True, category="crm", addresses=("contacts",)),
    Tool.of(crm_pipeline, module="CRM", writes=True, category="crm", reads=("show",), addresses=("contact",)),
    Tool.of(lead_scoring, module="CRM", writes=False, category="crm", skills={"marketing": "novice"}),
]
