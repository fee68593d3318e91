"""Confirmation of an order before acting: an uncertain reading has no effect until it is confirmed."""

from collections.abc import Mapping, Sequence

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.request import Request, Slot
from mabos.tools.requests.response import Ask
from mabos.tools.requests.wording import day, join_words, quote_text
from mabos.tools.runtime.services import Services
from mabos.workspace.currencies import money

ACT = 0.5
"""The probability of a right reading from which an order with effects is carried out without asking."""


_DOES: Mapping[str, str] = packaged_yaml("requests/asking.yaml")["does"]
"""The effect of an operation, in the owner's words."""
_LABELS: Mapping[str, str] = {"recipients": "to", "facts": "saying", "campaign_id": "campaign", "package_id": "package"}
_UNSAID = ("left_over", "unexplained", "required_skills", "look_first", "draft", "direction")


def confirmation(services: Services, request: Request) -> Ask | None:
    """Return the question that shows how an order was understood, or None if none is needed."""
    if request.act != "order" or request.confidence >= ACT or request.operation in ("", "task") or request.missing:
        return None
    name = request.operation
    if name in services.tools.names and not services.tools.tool(name).writes:
        return None
    title = request.slot("title")
    told = [one for one in request.slots if one.name != "description" or one.value != title]
    slots = "; ".join(filter(None, map(_describe_slot, told)))
    what = _DOES.get(name, name.replace("_", " "))
    return Ask(f"I understand that you want me to {what}{f' ({slots})' if slots else ''}. Shall I?", ("confirm",))


def describe_draft(request: Request) -> str:
    """Return the values of an order that waits for more, and the question that is open about it."""
    known = "; ".join(filter(None, map(_describe_slot, request.slots)))
    return f"So far you have said: {known or 'no value'}. My question is open: {request.question}"


def _describe_slot(slot: Slot) -> str:
    """Return a value as its owner would say it, with its name; "" where it says nothing to a person."""
    label = _LABELS.get(slot.name, slot.name.replace("_", " ").removesuffix(" usd").removesuffix(" id"))
    value = slot.value
    if slot.name in _UNSAID or value in (None, "", [], {}):
        return ""
    if isinstance(value, Mapping):
        return f"{label}: {slot.words}" if slot.words else ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        plain = all(isinstance(one, str) for one in value)
        return f"{label}: {join_words(value) if plain else slot.words}" if plain or slot.words else ""
    if slot.name.endswith("usd") and isinstance(value, int | float):
        return f"{label}: {money(float(value))}"
    if slot.name in ("date", "deadline"):
        return f"{label}: {day(str(value))}"
    return f"{label}: {quote_text(value) if slot.name in ('text', 'facts') else value}"
