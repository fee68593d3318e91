"""Reports of other services: verified, recorded once, and filed (TOOLS.md, Integration)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from mabos.configs.errors import InvalidArgument, Unavailable, UnknownId
from mabos.configs.settings import Environment
from mabos.knowledge.facts import statement
from mabos.society.contacts import Contact, address
from mabos.society.deals import Deal, change_stage, in_order, stage_named
from mabos.society.messages import Message
from mabos.society.webhooks import (
    SECRETS,
    EventMeaning,
    Report,
    Source,
    WebhookEvent,
    billing,
    chat,
    customers,
    events_in,
    verify,
)
from mabos.society.webhooks.events import CHALLENGE
from mabos.society.webhooks.meaning import AgentNotice, Person, ReportedFact, Sale
from mabos.tools.catalogue.declaration import Text
from mabos.tools.knowledge.inference import inference_of
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.locks import file_lock

LARGEST = 1_000_000
"""Bytes of a report that is read."""

_CERTAIN = 0.98  # of what a service that signs reports about itself
_NO_NAME = re.compile(r"[^\w.-]+")


@dataclass(slots=True)
class Recorded:
    """The ids of the records written for a report, and the parts left out."""

    facts: list[str] = field(default_factory=list)
    metrics: list[str] = field(default_factory=list)
    contacts: list[str] = field(default_factory=list)
    deals: list[str] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def webhook_process(
    agent: Agent,
    *,
    source: Source,
    body: Text,
    headers: dict[str, str],
    url: str = "",
    method: str = "POST",
    business_id: str = "",
) -> dict[str, Any]:
    """Take in what Stripe, Slack or HubSpot report, once, if it is signed: as facts, metrics, contacts and messages.

    Args:
        source: Who reports.
        body: The body of the request, exactly as it came.
        headers: The headers of the request; the signature is one of them.
        url: The address the request was sent to, which HubSpot signs.
        method: The method of the request, likewise.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    if len(body.encode("utf-8", "surrogatepass")) > LARGEST:
        raise InvalidArgument(f"the body has more than {LARGEST:,} bytes, more than any service sends", argument="body")
    must_be_signed(agent.services.environment, Report(source, body, headers, url, method), agent.clock())
    events = events_in(source, body, agent.clock())
    if [event.kind for event in events] == [CHALLENGE]:
        return _answer(source, [], Recorded(), {"challenge": events[0].content["challenge"]})
    with file_lock(agent.services.layout.internal / "locks" / f"webhooks-{business.id}.lock"):
        recorded, again_at = Recorded(), iso(agent.clock()) if agent.is_again else ""
        rows = [_taken_in(agent, business, event, recorded) for event in business.webhooks.fresh(events, again_at)]
    return _answer(source, rows, recorded, {"received": True})


def must_be_signed(environment: Environment, report: Report, now: datetime) -> None:
    """Raise `Refused` unless a report is authentic, `Unavailable` if no secret is set to verify it."""
    variable = SECRETS[report.source]
    if not (secret := environment.secret(variable)):
        raise Unavailable(f"{variable} is not set, so the sender cannot be verified. Set it and send again")
    verify(report, secret, now)


def _taken_in(agent: Agent, business: Business, event: WebhookEvent, recorded: Recorded) -> dict[str, Any]:
    """Write the records that follow from an event and return the outcome; after a crash it is repeated the same."""
    register, now = business.webhooks, iso(agent.clock())
    register.begin(event, now)
    meaning = _meaning(business, event)
    for fact in meaning.facts:
        recorded.facts.append(_record_fact(agent, business, event, fact))
    business.metrics.record_all(meaning.points)
    recorded.metrics += [point.name for point in meaning.points]
    for person in meaning.people:
        _enter_contact(agent, business, person, recorded)
    for sale in meaning.sales:
        recorded.deals.append(_update_deal(agent, business, event, sale, recorded))
    for number, told in enumerate(meaning.told, start=1):
        recorded.messages.append(_deliver_notice(agent, business, event, told, number))
    register.remember(*meaning.records)
    register.end(event, now, meaning.why_kept)
    status = "kept" if meaning.why_kept else "done"
    return {"event_id": event.id, "kind": event.kind, "at": event.at, "status": status, "why": meaning.why_kept}


def _meaning(business: Business, event: WebhookEvent) -> EventMeaning:
    if event.source == "stripe":
        return billing.interpret_event(event, business.webhooks)
    if event.source == "hubspot":
        return customers.interpret_event(event, business.webhooks)
    return chat.interpret_event(event, frozenset(business.manifest.agents))


def _holder(agent: Agent, business: Business, role: str) -> Agent:
    """Return the agent in a role; where a company written by hand has none of that role, the first of its agents."""
    held = business.manifest.agents
    holder = held.get(role) or next(iter(held.values()), "")
    if not holder:
        raise UnknownId(f"{business.id!r} has no agents to inform; create them first", argument="business_id")
    return agent.services.agent(holder, caller=agent.caller, clock=agent.clock, ids=agent.ids)


def _record_fact(agent: Agent, business: Business, event: WebhookEvent, known: ReportedFact) -> str:
    """Let an agent believe a fact in place of its earlier belief about the same thing, and return its id."""
    holder = _holder(agent, business, known.role)
    for fact in holder.facts.query(known.subject, known.predicate):
        if fact.object != known.object and fact.source == event.source:
            inference_of(holder).retract(fact.id)
    said = statement(
        known.subject, known.predicate, known.object, confidence=_CERTAIN, source=event.source, valid_from=event.at
    )
    return inference_of(holder).state(said).id


def _enter_contact(agent: Agent, business: Business, person: Person, recorded: Recorded) -> None:
    try:
        email = address(person.email)
    except InvalidArgument as error:
        recorded.left_out.append(error.message)
        return
    contact = Contact(
        id=agent.ids.new("CON"), email=email, name=person.name, company=person.company, title=person.title,
        phone=person.phone, source=person.source, tags=person.tags, fields=dict(person.fields),
        created_at=iso(agent.clock()), created_by=agent.id,
    )  # fmt: skip
    recorded.contacts.append(business.customers.enter(contact).contact.id)


def _update_deal(agent: Agent, business: Business, event: WebhookEvent, sale: Sale, recorded: Recorded) -> str:
    """Bring a deal to its stage in another system, and return its id; an unknown stage counts as the first."""
    stages = agent.services.settings.crm.stages
    stage, reason = "", f"{event.source} {event.id}"
    if sale.stage:
        try:
            stage = stage_named(sale.stage, stages)
        except InvalidArgument:
            stage, reason = in_order(stages)[0], f"{reason}: {sale.stage}"
            recorded.left_out.append(
                f"the stage {sale.stage!r} of {sale.external_id} is not one of {', '.join(stages)}"
            )

    def revise_deal(known: Deal | None) -> Deal:
        fresh = Deal(
            agent.ids.new("DEAL"),
            sale.external_id,
            external_id=sale.external_id,
            created_at=iso(agent.clock()),
            created_by=agent.id,
        )
        deal = known or fresh
        value = deal.value_usd if sale.value_usd is None else sale.value_usd
        deal = replace(deal, title=sale.title or deal.title, value_usd=value)
        to = stage or deal.stage or in_order(stages)[0]
        return change_stage(deal, to, at=event.at, by=agent.id, reason=reason)

    return business.customers.deal(sale.external_id, revise_deal).id


def _deliver_notice(agent: Agent, business: Business, event: WebhookEvent, told: AgentNotice, number: int) -> str:
    """Put a message into an inbox, once, and return its id; its text becomes no belief of any agent."""
    holder = _holder(agent, business, told.role)
    message = Message(
        id=f"MSG-{event.source}-{_NO_NAME.sub('-', event.id)}-{number}", sender=event.source, to=holder.id,
        performative="INFORM", content=told.text, timestamp=iso(agent.clock()), priority=told.priority,
        metadata={"beliefs": [dict(one) for one in told.beliefs], "event": event.id, "kind": event.kind},
    )  # fmt: skip
    agent.services.mail.deliver(message)
    return message.id


def _answer(
    source: str, events: list[dict[str, Any]], recorded: Recorded, response: Mapping[str, Any]
) -> dict[str, Any]:
    wrote = {
        name: list(dict.fromkeys(getattr(recorded, name)))
        for name in ("facts", "metrics", "contacts", "deals", "messages")
    }
    lines = [f"{source}: {one['kind']} {one['status']}" + (f", {one['why']}" if one["why"] else "") for one in events]
    return {
        "source": source,
        "events": events,
        "recorded": wrote,
        "left_out": recorded.left_out,
        "response": dict(response),
        "text": "\n".join([*lines, *recorded.left_out]) or f"{source}: asked whether anybody is there",
    }
