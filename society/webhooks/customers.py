"""Interpretation of HubSpot events: contacts by address, deals by their id there.

An event names one property of one object. A contact's properties are stored until its address is known, and with it
they become a contact.
"""

from collections.abc import Mapping
from dataclasses import replace

from mabos.society.webhooks.events import WebhookEvent
from mabos.society.webhooks.meaning import AgentNotice, EventMeaning, Person, Sale
from mabos.society.webhooks.register import Register
from mabos.workspace.numbers import number_or

_OWN = {"firstname", "lastname", "email", "company", "phone", "jobtitle"}


def interpret_event(event: WebhookEvent, register: Register) -> EventMeaning:
    """Return the meaning of a HubSpot event for the company; the last value set for a property is used."""
    kind, _, what = event.kind.partition(".")
    if kind not in ("contact", "deal") or what not in ("propertyChange", "creation"):
        return EventMeaning(why_kept=f"nothing here follows from {event.kind}")
    object_id, name = str(event.content.get("objectId")), str(event.content.get("propertyName") or "")[:80]
    known = register.section("objects").get(f"{kind}-{object_id}", {})
    properties = dict(known.get("properties", {}))
    if name and str(properties.get(name, {}).get("at", "")) > event.at:
        return EventMeaning(why_kept=f"{name} of {kind} {object_id} was set again since")
    if name:
        properties[name] = {"value": str(event.content.get("propertyValue") or "")[:500], "at": event.at}
    fields = {key: str(one["value"]) for key, one in properties.items()}
    meaning = _contact(object_id, fields, name) if kind == "contact" else _deal(object_id, fields, name)
    record = {"id": f"{kind}-{object_id}", "properties": properties}
    return replace(meaning, records=(("objects", record),))


def _contact(object_id: str, fields: Mapping[str, str], name: str) -> EventMeaning:
    """Return the contact with the property an event has set; the address brings all that was set before it."""
    email = fields.get("email", "")
    if not email:
        return EventMeaning()
    new = fields if name == "email" else {key: value for key, value in fields.items() if key == name}
    is_named = name in ("email", "firstname", "lastname")
    called = " ".join(filter(None, (fields.get("firstname"), fields.get("lastname")))) if is_named else ""
    return EventMeaning(
        people=(
            Person(
                email=email,
                name=called,
                company=new.get("company", ""),
                title=new.get("jobtitle", ""),
                phone=new.get("phone", ""),
                source=f"hubspot:{object_id}",
                fields={key: value for key, value in new.items() if key not in _OWN and value},
            ),
        )
    )


def _deal(object_id: str, fields: Mapping[str, str], name: str) -> EventMeaning:
    """Return the deal with only the property that an event has set: changes made here meanwhile stay."""
    value = fields.get(name, "")
    sale = Sale(
        f"hubspot-{object_id}",
        title=value if name == "dealname" else "",
        value_usd=_amount(value) if name == "amount" else None,
        stage=value if name == "dealstage" else "",
    )
    if name != "dealstage":
        return EventMeaning(sales=(sale,))
    called = fields.get("dealname") or object_id
    belief = {"subject": f"deal {called}", "predicate": "stage", "value": value}
    told = AgentNotice("cmo", f"HubSpot: the deal {called} came to {value}.", "normal", (belief,))
    return EventMeaning(sales=(sale,), told=(told,))


def _amount(text: str) -> float | None:
    value = number_or(text, -1.0)
    return value if 0 <= value < 1e15 else None
