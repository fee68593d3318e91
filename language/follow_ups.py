"""Orders that depend on the one before them: the same money, a person for it, finished steps, and repeats."""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import date, timedelta

from mabos.language.amounts import amounts_in, number_of, whole_number
from mabos.language.conversation import orders_before, slot_of, values_for
from mabos.language.frames import asks
from mabos.language.interpreter import Context
from mabos.language.mentions import find_counted, mentions
from mabos.language.phrasing import base_of, roots
from mabos.language.request import Reading, Slot
from mabos.language.revisions import in_its_month
from mabos.language.sentences import NAME, begins_with_verb, plain
from mabos.language.times import times_in
from mabos.language.wordlists import form, order_form
from mabos.workspace.dates import MONTHS

_SAME = order_form("follow_ups.same")
"""A value of the order before: "same day", "for the same weeks"."""
_HAS = {
    "day": ("deadline", "date"), "money": ("budget_usd", "weekly_budget_usd"), "weeks": ("weeks",),
    "channel": ("channel",), "name": ("name", "title"),
}  # fmt: skip
_AS_BEFORE = re.compile(r"\b(?:same|as (?:before|last time|the (?:first|other|last) one)|likewise|ditto)\b")


_ALL_SAME = "all the same but"
_REPEATED = ("weekly_budget_usd", "weeks", "channel", "budget_usd", "deadline")
"""Slots that "the same" may take over; whom a letter goes to is never taken over."""


def as_before(reading: Reading, context: Context) -> Reading:
    """Return an order with missing slots taken from the latest one of its kind, if it says that they are the same."""
    flat = plain(reading.sentence)
    if reading.act != "order" or not _AS_BEFORE.search(flat) or not (reading.missing or _ALL_SAME in flat):
        return reading
    before = next((one for one in orders_before(context) if one.operation == reading.operation), None)
    given = {slot.name for slot in reading.slots}
    wanted = [one for one in _REPEATED if one in reading.missing or (_ALL_SAME in flat and one not in given)]
    slots = [slot for name in wanted if before is not None and (slot := slot_of(before, name)) is not None]
    taken = {slot.name for slot in slots}
    return replace(
        reading, slots=(*reading.slots, *slots), missing=tuple(one for one in reading.missing if one not in taken)
    )


def with_same_values(text: str, context: Context) -> str:
    """Return an order with the values that it calls the same: those before them in its text, or of the last order.

    "Another one, 'Olsen glass hire', same day, 180 dollars" becomes "..., by 2027-03-12, 180 dollars".
    """
    if asks(plain(text)):
        return text

    def value(found: re.Match[str]) -> str:
        kind = next(name for name, words in found.groupdict().items() if words)
        lead = text[: found.start()]
        days = [one.iso for one in times_in(lead, context.now) if one.kind == "day" and one.day]
        spans = [one.words for one in times_in(lead, context.now) if one.kind == "duration"]
        sums = [one for one in amounts_in(lead) if one.kind == "money" or one.per]
        if kind == "day" and days:
            return f"by {days[-1][:10]}"
        if kind == "weeks" and spans:
            return f"for {re.sub('(?i)^for ', '', spans[-1])}"
        if kind == "money" and sums:
            return f"{sums[-1].value:g} dollars{' a week' if sums[-1].per == 'week' else ''}"
        slot = _slot_before(text, kind, context)
        return _in_words(slot) if slot is not None else found[0]

    def part(found: re.Match[str]) -> str:
        slot = _slot_before(text, "money", context)
        share = 0.5 if found["part"].lower() == "half" else 2
        return _in_words(replace(slot, value=slot.value * share)) if slot is not None else found[0]

    return _PART.sub(part, _SAME.sub(value, text))


_MEANT, _WITH_OTHER = order_form("follow_ups.meant"), order_form("follow_ups.with_other")
_NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
_KINDS = (re.compile(rf"(?i)\d[\d.,]*|\b(?:{_NUMBERS})\b(?! of\b)"), re.compile(rf"(?i)\b(?:{'|'.join(MONTHS)})\w*"))
"""Values of which a question has one that another can take the place of."""


def asked_again(text: str, context: Context) -> str:
    """Return the question before with what was meant instead: "sorry, I meant 21, not 12"; else the text."""
    said, last = _MEANT.match(text), next(iter(context.earlier), None)
    if last is None or last.act != "question":
        return text
    if other := _WITH_OTHER.match(text):
        same = re.compile(rf"(?i)\b(?:\d[\d.,]*|{_NUMBERS}) {other['unit']}s?\b")
        return same.sub(other["new"], last.sentence) if len(same.findall(last.sentence)) == 1 else text
    if said is None:
        return text
    new, old = said["new"].strip(), (said["old"] or "").strip()
    if old and re.search(rf"(?i)\b{re.escape(old)}\b", last.sentence):
        return re.sub(rf"(?i)\b{re.escape(old)}\b", new, last.sentence)
    for kind in _KINDS:
        if (value := kind.search(new)) and len(kind.findall(last.sentence)) == 1:
            return kind.sub(value[0], last.sentence)
    return f"And {new}?"


_TO_THEM = order_form("follow_ups.to_them")
_LATELY = 3


def to_those_named(text: str, context: Context) -> str:
    """Return an order of a letter with the names that its "them" stands for; the text as it is if nothing says whom.

    The names are in the sentences before it in the message, else in the answer to the question before.
    """
    found = _TO_THEM.search(text)
    if found is None:
        return text
    names = context.vocabulary.names
    people = {place: name for name, place in names.items() if place.startswith("contacts/")}
    known = [*context.vocabulary.companies, *people.values()]
    lead = text[: found.start()]
    said = [one for one in known if re.search(rf"(?i)(?<!\w){re.escape(one)}(?!\w)", lead)]
    last = next((one for one in context.earlier[:_LATELY] if one.act == "question" and one.data.get("entries")), None)
    is_other = "other" in found["whom"].lower() or "rest" in found["whom"].lower()
    if (not said or is_other) and last is not None:
        said = [people[one] for one in last.data["entries"] if one in people]
        told = " ".join(one.sentence for one in context.earlier[:_RECENT] if one.act != "question")
        said = [one for one in said if not is_other or one not in told]
    if "," in lead.rpartition(".")[2] or not said or not _fits_number(found["whom"].lower(), len(said)):
        return text
    whom = " and ".join(dict.fromkeys(said))
    return f"{lead}{found['lead'] or 'Write to '}{whom}{text[found.end() :]}"


def _fits_number(whom: str, number: int) -> bool:
    """Return whether a pronoun stands for so many: "those two" for two, "her" for one, "them" for any."""
    if whom in ("him", "her"):
        return number == 1
    counted = 2 if "both" in whom else next((int(one) for word in whom.split() if (one := number_of(word))), 0)
    return number == counted if counted else number == 1 or whom.endswith(("s", "em"))


_RECENT = 10


def _slot_before(text: str, kind: str, context: Context) -> Slot | None:
    """Return the value of a kind of the latest order whose name the text has a word of, else of the latest."""
    orders = [one for one in context.earlier[:_RECENT] if one.act == "order"]
    named = [one for one in orders if roots(text) & roots(str(one.slot("title") or one.slot("name") or ""))]
    return next((slot for one in (*named, *orders) for slot in one.slots if slot.name in _HAS[kind]), None)


def _in_words(slot: Slot) -> str:
    """Return the value of a slot as an order has it."""
    if slot.name in ("deadline", "date"):
        return f"by {str(slot.value)[:10]}"
    if slot.name in _NAMES:
        return f"called '{slot.value}'"
    if slot.name.endswith("usd"):
        return f"{slot.value:g} dollars{' a week' if slot.name.startswith('weekly') else ''}"
    return f"for {slot.value} weeks" if slot.name == "weeks" else f"on {slot.value}"


_ONE_MORE, _PART, _TOO = (order_form(f"follow_ups.{name}") for name in ("one_more", "part", "too"))
_ALSO = re.compile(r"(?i)\b(?:also|too|as well|in addition|on top(?: of that)?|plus|then|besides)\b")
_TITLED = re.compile(r"(?<!\w)[‘'“\"](?=[^’'”\"]{3,}[’'”\"])")
_AFTER_IT = order_form("follow_ups.after_it")
_NOUNS = {"work_package_create": "work package", "ad_campaign_create": "campaign"}


def one_more(text: str, context: Context) -> str:
    """Return a message that orders another thing of the last kind with its noun, and "a week after that" as a date.

    "And one more called 'Door garlands', 215 dollars, a week after that" is a second work package, and no change.
    """
    before = next((one for one in context.earlier if one.act == "order"), None)
    if before is None or before.operation not in _NOUNS or not re.search(r"\d", text) or asks(plain(text)):
        return text
    if find_counted(plain(text), orders_before(context)) is not None:
        return text  # "the second one" of two orders that were given
    noun, deadline, name = _NOUNS[before.operation], before.slot("deadline"), _TITLED.search(text)
    if _TOO.match(text):
        text = _TOO.sub(rf"\g<lead>another {noun} for \g<what>, ", text)
    elif found := _ONE_MORE.search(text):
        rest = re.sub(r"^\s*[.,]\s*(?!\d|same\b|please\b|called\b|named\b)", ": ", text[found.end() :])
        text = f"{text[: found.start()]}another {noun}{rest}"
    elif name is not None and _ALSO.search(text) and not begins_with_verb(text) and not _is_known(text, name, context):
        text = f"{text[: name.start()]}{noun} {text[name.start() :]}"
    else:
        return text
    if (after := _AFTER_IT.search(text)) and deadline:
        unit = (after["unit"] or after["one"]).lower()
        days = whole_number(after["count"] or "a") * (7 if unit == "week" else 1)
        day = date.fromisoformat(str(deadline)[:10]) + timedelta(days=days)
        return f"{text[: after.start()]}by {day.isoformat()}{text[after.end() :]}"
    if (bare := _BARE_DAY.search(text)) and (by := in_its_month("", bare[0], deadline, context.now.date())):
        text = f"{text[: bare.start()]}by {by[:10]}{text[bare.end() :]}"  # "by the 26th" is near the day of the first
    return text


_BARE_DAY = re.compile(r"(?i)\b(?:by|on|until) the \d{1,2}(?:st|nd|rd|th)\b(?! (?:of )?[A-Z])")


def _is_known(text: str, name: re.Match[str], context: Context) -> bool:
    """Return whether a name in a text is that of an earlier order, or the text says what kind of thing it is."""
    known = {str(one.slot(key)).casefold() for one in context.earlier for key in _NAMES if one.slot(key)}
    own = text[name.end() :].casefold()
    is_other = re.search(r"(?i)\b(?:campaign|work package|letter|mail|project|remind\w*|report)\b", text)
    return is_other is not None or any(own.startswith(one) for one in known)


_AFTER_ALL = order_form("follow_ups.after_all")


def revive_order(body: str, context: Context) -> Reading | None:
    """Return the order just withdrawn but wanted after all, with the values that a message changes."""
    flat = plain(body)
    newest = next((one for one in context.earlier if one.act == "order"), None)
    if newest is None or newest.status != "withdrawn" or not _AFTER_ALL.search(flat) or asks(flat):
        return None
    names = [str(newest.slot(key)) for key in _NAMES if newest.slot(key)]
    bare = flat if not names else flat.replace(names[0].casefold(), NAME)
    is_other = NAME in bare and not any(one.casefold() in body.casefold() for one in names)
    if is_other or not (NAME in bare or mentions(flat, newest) or re.search(r"\b(?:it|that|this|them|ahead)\b", flat)):
        return None
    if form("order_taken_back").search(re.sub(_AFTER_ALL, " ", flat)):
        return None
    given = {slot.name: slot for slot in values_for(newest.operation, body, context)}
    slots = tuple(given.pop(slot.name, slot) for slot in newest.slots)
    missing = tuple(name for name in newest.missing if name not in {slot.name for slot in slots} and name != "confirm")
    return Reading("order", body, newest.operation, slots, missing, newest.id, 0.9)


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
    """Return the order that gives the latest work package to a named contractor on record, or None."""
    flat = " ".join(body.split())
    package = next((one for one in orders_before(context) if one.operation == "work_package_create"), None)
    title = str(package.slot("title", "")) if package is not None else ""
    for known, at in context.vocabulary.names.items():
        if at.startswith("work_packages/") and re.search(named := rf"(?i)\b(?:the |our )?{re.escape(known)}\b", flat):
            flat, title = re.sub(named, "it", flat), known
    first = Counter(one.split()[0].lower() for one, at in context.vocabulary.names.items() if at[:12] == "contractors/")
    for name, place in context.vocabulary.names.items():
        alone = name.split()[0]  # "let Ivy do it", where there is one Ivy
        spelled = rf"(?:{re.escape(name)}|{re.escape(alone)})" if first[alone.lower()] == 1 else re.escape(name)
        form = rf"(?i)^(?:(?:please|so|and|ok),? )*{spelled} {_DOES_IT}|^{_GIVE_IT.replace('{name}', spelled)}\b"
        if place.startswith("contractors/") and title and re.search(form, flat):
            slots = (Slot("package_id", title, title), Slot("contractor_id", name, name))
            return Reading("order", body, "work_package_assign", slots, confidence=0.9)
    return None


_ENDED = order_form("follow_ups.ended")


def tells_of_steps(flat: str, context: Context) -> bool:
    """Return whether words report finished steps of an open order: "pitch measured", "the quotes are in".

    A report of a state, without the verb of a step, must have a word of a step of an open project or task.
    """
    own = [one for one in orders_before(context) if one.is_open]
    parts = [one.split() for one in re.split(r",|;| and |\.", flat) if one.strip()]
    if not own or not parts:
        return False
    if all(
        2 <= len(one) <= (9 if one[-2] in _STANDS else 6)
        and _is_past(one[-1])
        and (one[-2] in _STANDS or not base_of(one[0]))
        for one in parts
    ):
        return True
    texts = [one.sentence for one in own if one.operation == "task"]
    texts += [str(step.get("text", "")) for one in own for step in one.slot("steps", ()) if isinstance(step, Mapping)]
    known, said = roots(" ".join(texts)), roots(flat)
    is_open = re.search(r"\b(?:not|never|no|nobody|nothing|still|will|should|must|if|when|until|please)\b", flat)
    return bool(_ENDED.search(flat) and known & said and not is_open and not begins_with_verb(flat))


_STANDS = frozenset(("is", "are", "was", "were", "been"))


def _is_past(word: str) -> bool:
    return not word.endswith("ing") and bool(base_of(word))


def again_or_new(reading: Reading, context: Context) -> Reading:
    """Return an order, or a correction if the same order is still open under the same name."""
    if re.search(r"(?i)\banother\b", reading.sentence):
        return reading
    name = next((str(one.value).casefold() for one in reading.slots if one.name in _NAMES and one.words), "")
    for one in context.earlier:
        open_name = next((str(one.slot(key)).casefold() for key in _NAMES if one.slot(key)), "")
        if one.act == "order" and one.is_open and one.operation == reading.operation and name and name == open_name:
            changed = tuple(slot for slot in reading.slots if slot.words and one.slot(slot.name) != slot.value)
            if changed:
                return replace(reading, act="correction", slots=changed, missing=(), refers_to=one.id)
    return reading


_NAMES = ("name", "title", "subject")
