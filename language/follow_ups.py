"""Orders that depend on the one before them: the same money, the person to do it, finished steps, and repeats."""

import re
from collections import Counter
from dataclasses import replace
from datetime import date, timedelta

from mabos.language.amounts import whole_number
from mabos.language.conversation import orders_before, slot_of
from mabos.language.interpreter import Context
from mabos.language.phrasing import base_of
from mabos.language.request import Reading, Slot
from mabos.language.sentences import plain

_AS_BEFORE = re.compile(r"\b(?:same|as (?:before|last time|the (?:first|other|last) one)|likewise|ditto)\b")


_REPEATED = ("weekly_budget_usd", "weeks", "channel", "budget_usd", "deadline")
"""Slots that "the same" may take over; whom a letter goes to is never taken over."""


def as_before(reading: Reading, context: Context) -> Reading:
    """Return an order with missing slots taken from the latest one of its kind, if it says that they are the same."""
    if reading.act != "order" or not reading.missing or not _AS_BEFORE.search(plain(reading.sentence)):
        return reading
    before = next((one for one in orders_before(context) if one.operation == reading.operation), None)
    wanted = [name for name in reading.missing if name in _REPEATED]
    slots = [slot for name in wanted if before is not None and (slot := slot_of(before, name)) is not None]
    taken = {slot.name for slot in slots}
    return replace(
        reading, slots=(*reading.slots, *slots), missing=tuple(one for one in reading.missing if one not in taken)
    )


_ONE_MORE = re.compile(
    r"(?i)^(?P<lead>(?:(?:and|also|then|now|ok|please|we need|i need|i want)\b,? )*)"
    r"(?:(?:another|one more|an additional|a (?:second|third|further)|the (?:second|next))(?: one)?|the same again)"
    r"(?P<rest>(?: please)?[,:]? ?(?:called|named|for|is|[‘'\"“]).*)",
    re.DOTALL,
)
_AFTER_IT = re.compile(
    r"(?i)(?:by |due |on )?(?:(?P<count>a|one|two|three|four|\d) (?P<unit>day|week)s? "
    r"(?:after (?:that|it)|later|afterwards)|the (?P<one>day|week) after(?: that)?)\b"
)
_NOUNS = {"work_package_create": "work package", "ad_campaign_create": "campaign"}


def one_more(text: str, context: Context) -> str:
    """Return a message that orders one more thing of the last kind with its noun, and "a week after that" as a date.

    "And one more called 'Door garlands', 215 dollars, a week after that" is a second work package, and no change.
    """
    found, before = _ONE_MORE.match(text), next((one for one in context.earlier if one.act == "order"), None)
    if found is None or before is None or before.operation not in _NOUNS or not re.search(r"\d", found["rest"]):
        return text
    rest, deadline = found["rest"], before.slot("deadline")
    if (after := _AFTER_IT.search(rest)) and deadline:
        unit = (after["unit"] or after["one"]).lower()
        days = whole_number(after["count"] or "a") * (7 if unit == "week" else 1)
        day = date.fromisoformat(str(deadline)[:10]) + timedelta(days=days)
        rest = f"{rest[: after.start()]}by {day.isoformat()}{rest[after.end() :]}"
    return f"{found['lead']}another {_NOUNS[before.operation]}{rest}"


_DOES_IT = (
    r"(?:(?:should|can|could|will|is to|shall|may|must|might|would) (?:do|take|have|get|handle|be doing|take on) "
    r"(?:it|that|this|the (?:job|work|package))|(?:gets?|does|takes|has) (?:it|that|this|the (?:job|work)))\b"
)
_GIVE_IT = (
    r"(?:(?:please|so|and|ok),? )*(?:(?:let|have) {name} (?:do|take|have|handle) (?:it|that|this|the (?:job|work))|"
    r"(?:give|assign|hand|pass) (?:it|that|this|the (?:job|work)) to {name}|(?:it|that|this) (?:is|goes|"
    r"should go) (?:for|to) {name})"
)


def given_to(body: str, context: Context) -> Reading | None:
    """Return the order to give the latest work package to a contractor on record who is named, or None."""
    flat = " ".join(body.split())
    package = next((one for one in orders_before(context) if one.operation == "work_package_create"), None)
    first = Counter(one.split()[0].lower() for one, at in context.vocabulary.names.items() if at[:12] == "contractors/")
    for name, place in context.vocabulary.names.items():
        alone = name.split()[0]  # "let Ivy do it", where there is one Ivy
        spelled = rf"(?:{re.escape(name)}|{re.escape(alone)})" if first[alone.lower()] == 1 else re.escape(name)
        form = rf"(?i)^(?:(?:please|so|and|ok),? )*{spelled} {_DOES_IT}|^{_GIVE_IT.replace('{name}', spelled)}\b"
        if place.startswith("contractors/") and package is not None and re.search(form, flat):
            title = str(package.slot("title", ""))
            slots = (Slot("package_id", title, title), Slot("contractor_id", name, name))
            return Reading("order", body, "work_package_assign", slots, confidence=0.9)
    return None


def tells_of_steps(flat: str, context: Context) -> bool:
    """Return whether words only name finished steps of an open order: "pitch measured, sketch drawn"."""
    if not any(request.is_open for request in orders_before(context)):
        return False
    parts = [one.split() for one in re.split(r",|;| and |\.", flat) if one.strip()]
    return bool(parts) and all(2 <= len(one) <= 6 and _is_past(one[-1]) and not base_of(one[0]) for one in parts)


def _is_past(word: str) -> bool:
    return not word.endswith("ing") and bool(base_of(word))


def again_or_new(reading: Reading, context: Context) -> Reading:
    """Return an order, or the correction that it is where the same order is still open under the same name."""
    name = next((str(one.value).casefold() for one in reading.slots if one.name in _NAMES and one.words), "")
    for one in context.earlier:
        open_name = next((str(one.slot(key)).casefold() for key in _NAMES if one.slot(key)), "")
        if one.act == "order" and one.is_open and one.operation == reading.operation and name and name == open_name:
            changed = tuple(slot for slot in reading.slots if slot.words and one.slot(slot.name) != slot.value)
            if changed:
                return replace(reading, act="correction", slots=changed, missing=(), refers_to=one.id)
    return reading


_NAMES = ("name", "title", "subject")
