"""Orders spread over a message: units of its text, the operation each names, and the values they give together.

    frames(("Could you raise a work package?", "Call it 'Gate'. 90 dollars, by 9 March."), context)[0].reading

A frame is a head that names an operation by its noun, and the units near it that give its arguments. The values decide:
a unit belongs to a frame if it fills an argument, and a frame counts only if its head asks for something.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from mabos.language.interpreter import Context
from mabos.language.order_parts import OrderParts, order_parts
from mabos.language.orders import UNSURE, operations_of, read_as
from mabos.language.request import Reading
from mabos.language.sentences import begins_with_verb, opening, plain
from mabos.language.wordlists import form, order_form, word_lists

FRAMES = ("ad_campaign_create", "work_package_create", "email_send")
"""Operations with enough typed arguments to be read from a whole message."""

_HEADS = {
    "work_package_create": re.compile(
        r"\b(?:work ?packages?|packages? of work|work orders?)\b|\b(?:put|puts|putting) (?:\S+ ){0,3}?(?:jobs?|work) "
        r"out\b|\bput out (?:\S+ ){0,2}?jobs?\b|\bjobs? (?:put out|given out|to give out|to put out|for a \w+)\b|"
        r"\b(?:hire|commission|contract|engage|find|get|have|need|want)\b (?:us |me |in )?(?:somebody|someone|anybody|"
        r"an? [a-z]+er|an? [a-z]+(?:ist|ian)|an? plumber|an? mason) (?:in |over |round )?(?:to|who|for)\b"
    ),
    "ad_campaign_create": re.compile(
        r"(?<!mail )(?<!letter )\bcampaigns?\b|\b(?:ads?|adverts?|advertisements?|advertise|advertising|publicity)\b"
    ),
}
_ORDERS = re.compile(r"(?:please |and |also |then )*(?:order|commission)\b")
_ON_CHANNEL = order_form("frames.on_channel")
_LETTER_LABEL = re.compile(r"(?:^|[\s(])(?:subject(?: line)?|text|body|wording)\s*:", re.IGNORECASE)
_LETTER_BEGINS = order_form("frames.letter_begins")
_TAKES_BACK = order_form("frames.takes_back")
_GENERAL = order_form("frames.general")
_ANOTHER = re.compile(r"(?:(?:and|also|plus|then|please),? )*(?:(?:put out|order|book|create) )?(?:another|one more) ")
_SHARED = re.compile(r"^(?:and |but |so |please )?(?:both|each|all|the pair|the two|they|either|everything)\b")
_FOR_ALL = re.compile(r",\s*(?=(?:both|each|all (?:of them|two|three|four)|either)\b)", re.IGNORECASE)
_NEXT = re.compile(r"\s*(?:;|,?\s+(?:and|then|plus|and then|as well as)\s|,(?=\s))\s*", re.IGNORECASE)
_OPENS = order_form("frames.opens")
_BEFORE_WH = ("by", "until", "till", "since", "from", "on", "at", "in", "for", "to", "with", "under")
_ASKS_ALONE = order_form("frames.asks_alone")
"""A sentence that asks without a question mark: no order begins with "are the"."""
_POLITE_START = ("can", "could", "would", "will", "shall", "may", "might")


@dataclass(slots=True)
class MessageUnit:
    """A sentence, or a part of one with its own name; `sentence` is its position in the message."""

    text: str
    sentence: int
    parts: OrderParts
    head: str = ""

    @property
    def has_name(self) -> bool:
        """Return whether it gives a name in quotes."""
        return bool(self.parts.quoted)

    @property
    def has_values(self) -> bool:
        """Return whether it gives an amount, a time, a name or a label."""
        return bool(self.parts.amounts or self.parts.times or self.parts.quoted or self.parts.labels)


@dataclass(slots=True)
class OrderFrame:
    """Units that form one order: its reading and its sentences."""

    reading: Reading
    units: list[MessageUnit] = field(default_factory=list)

    @property
    def sentences(self) -> frozenset[int]:
        """The positions of its sentences."""
        return frozenset(unit.sentence for unit in self.units)


def frames(sentences: Sequence[str], context: Context) -> tuple[OrderFrame, ...]:
    """Return the orders of a message that their values identify, each with its reading; empty without any."""
    for at in range(1, len(sentences)):
        if _LETTER_BEGINS.match(sentences[at]) and (letter := _letter(sentences[at:], context)):
            before = frames(sentences[:at], context)
            if {place for one in before for place in one.sentences} == set(range(at)):  # all else is orders as well
                for unit in letter.units:
                    unit.sentence += at
                return (*before, letter)
    if letter := _letter(sentences, context):
        return (letter,)
    units = [unit for at, sentence in enumerate(sentences) for unit in _units(sentence, at, context)]
    _inherit(units)
    groups, shared = _group_units(units)
    made: list[OrderFrame] = []
    for group in groups:
        frame = _build_frame(group, shared, units, len(groups), context)
        if frame is not None:
            made.append(frame)
    return tuple(made)


# --- letters ------------------------------------------------------------------


def _letter(sentences: Sequence[str], context: Context) -> OrderFrame | None:
    """Return a whole message as one letter where it labels subject or text."""
    text = " ".join(sentences)
    label = _LETTER_LABEL.search(text)
    if not label or _TAKES_BACK.search(plain(text[: label.start()])):
        return None
    reading = read_as("email_send", text, context)
    given = {slot.name for slot in reading.slots}
    if not {"text", "subject"} & given or asks(plain(text[: label.start()])):
        return None
    return OrderFrame(reading, [MessageUnit(one, at, order_parts(one, context)) for at, one in enumerate(sentences)])


# --- units --------------------------------------------------------------------


def _units(sentence: str, at: int, context: Context) -> list[MessageUnit]:
    """Return a sentence as units that have at most one name in quotes each, where each name has values of its own."""
    parts = order_parts(sentence, context)
    names = list(parts.quoted)
    starts = [0]
    values = [(one.start, one.end) for one in parts.amounts] + [(one.start, one.end) for one in parts.times]
    for before, name in pairwise(names):
        own = [end for start, end in values if before.end <= start and end <= name.start]
        if not own:
            continue
        marks = list(_NEXT.finditer(sentence, max(own) - 1, name.start))
        starts.append(marks[0].end() if marks else name.start)
    texts = [sentence[start:end].strip(" ,;") for start, end in zip(starts, [*starts[1:], len(sentence)], strict=True)]
    if len(texts) == 1:
        return [_unit(sentence, at, parts, context)]
    texts = [*texts[:-1], *_FOR_ALL.split(texts[-1])]
    return [_unit(text, at, order_parts(text, context), context) for text in texts if text]


def _unit(text: str, at: int, parts: OrderParts, context: Context) -> MessageUnit:
    unit = MessageUnit(text, at, parts)
    for name, pattern in _HEADS.items():
        if pattern.search(parts.masked) or pattern.search(plain(text)):
            unit.head = name
            break
    if not unit.head and parts.quoted and _ON_CHANNEL.search(parts.masked):
        unit.head = "ad_campaign_create"
    if not unit.head and parts.quoted and _ORDERS.match(parts.masked):
        has_price = any(one.kind == "money" and not one.per for one in parts.amounts)
        unit.head = "work_package_create" if has_price else ""
    if unit.head and _rules_out(unit, context):
        unit.head = ""
    return unit


def _rules_out(unit: MessageUnit, context: Context) -> bool:
    """Return whether a unit that names an operation asks for something else, or for nothing."""
    flat = plain(unit.text)
    if form("order_ended").search(flat) or asks(flat) or tells_past(flat) or _GENERAL.search(flat):
        return True
    refers = not unit.has_name and re.search(r"\b(?:the|that|this|my|our) (?:work package|campaign|job|order)\b", flat)
    if refers and any(one.is_open and one.operation == unit.head for one in context.earlier):
        return True
    name, score = operations_of(unit.text, context)[0]
    others = ("remind", "report_regularly", "project", "delegate", "ask_colleagues", "content_generate", "lead_scoring")
    return name in others and score >= 0.85


def tells_past(flat: str) -> bool:
    """Return whether a sentence reports the past and asks for nothing."""
    return (
        bool(form("order_past").search(flat)) and not form("order_wished").search(flat) and not begins_with_verb(flat)
    )


def asks(flat: str) -> bool:
    """Return whether a sentence asks for information."""
    words = opening(flat)
    if not words:
        return False
    lists = word_lists()
    if re.match(r"(?:do you (?:mind|think you could)|is it possible|are you able|would it be)\b", " ".join(words)):
        return False
    if words[0] in lists.wh and (_OPENS.match(" ".join(words)) or (words[1:2] and words[1] in lists.auxiliaries)):
        return not re.match(r"why do not|why not|how about|what about", " ".join(words))
    if (words[0] in _BEFORE_WH and words[1:2] and words[1] in lists.wh) or _ASKS_ALONE.match(" ".join(words)):
        return True  # "by when do they need it"
    if words[0] in lists.wh and flat.rstrip().endswith("?"):
        return not re.match(r"why do not|why not|how about|what about", " ".join(words))
    ends = flat.rstrip().endswith("?")
    is_asking_leave = words[1:2] in (["i"], ["we"], ["they"], ["he"], ["she"], ["anyone"], ["anybody"], ["people"])
    return ends and words[0] in lists.auxiliaries and (words[0] not in _POLITE_START or is_asking_leave)


def _inherit(units: Sequence[MessageUnit]) -> None:
    """Give units with a name and values the operation of the order around them: "another one, 'Gate', 90 dollars"."""
    heads = [unit.head for unit in units if unit.head]
    kinds = set(heads)
    if len(kinds) != 1 or sum(1 for unit in units if unit.has_name) < 2:
        return
    for unit in units:
        if not unit.head and unit.has_name and (unit.parts.amounts or unit.parts.times):
            unit.head = heads[0]


# --- groups -------------------------------------------------------------------


def _group_units(units: Sequence[MessageUnit]) -> tuple[list[list[MessageUnit]], list[MessageUnit]]:
    """Return the units that begin an order, each with those after it, and the units shared by all orders."""
    named = [unit for unit in units if unit.head and unit.has_name]
    several = len(named) > 1
    groups: list[list[MessageUnit]] = []
    shared: list[MessageUnit] = []
    for at, unit in enumerate(units):
        flat = plain(unit.text)
        if (several and unit.head and not unit.has_name and (at == 0 or not groups)) or (
            several and groups and not unit.has_name and _SHARED.search(flat)
        ):
            shared.append(unit)
        elif unit.head and _begins(unit, groups, several=several):
            groups.append([unit])
        elif groups:
            groups[-1].append(unit)
    return groups, shared


def _begins(unit: MessageUnit, groups: Sequence[Sequence[MessageUnit]], *, several: bool) -> bool:
    if not groups:
        return True
    first = groups[-1][0]
    if unit.head != first.head:
        return True
    is_further = _ANOTHER.match(plain(unit.text)) is not None and unit.has_values
    return is_further or (several and unit.has_name and any(one.has_name for one in groups[-1]))


def _build_frame(
    group: list[MessageUnit], shared: Sequence[MessageUnit], units: Sequence[MessageUnit], count: int, context: Context
) -> OrderFrame | None:
    """Return the frame of a group: its head, and the units that fill an argument or say how it is meant."""
    head, rest = group[0], group[1:]
    leads = [one for one in shared if one.sentence <= head.sentence]
    ends = [one for one in shared if one.sentence > head.sentence]
    own = [*leads, head]
    read = _reader(head.head, context)
    reading = read(own)
    for unit in rest:
        if not unit.has_values and not _says_more(unit):
            continue
        longer = read([*own, unit])
        if _is_better(longer, reading):
            own, reading = [*own, unit], longer
    if ends and _is_better(longer := read([*own, *ends]), reading):
        own, reading = [*own, *ends], longer
    if count == 1:
        own, reading = _with_context(own, reading, units, read)
    if not _counts(reading, head):
        return None
    if any(_is_other_amount(unit, reading) for unit in rest if unit not in own):
        reading, own = replace(reading, confidence=UNSURE), [*own, *rest]
    return OrderFrame(reading, own)


def _is_other_amount(unit: MessageUnit, reading: Reading) -> bool:
    """Return whether a sentence behind an order gives money that the order has no place for."""
    taken = [slot.value for slot in reading.slots]
    return not tells_past(plain(unit.text)) and any(
        one.kind == "money" and one.value not in taken for one in unit.parts.amounts
    )


def _reader(operation: str, context: Context) -> Callable[[Sequence[MessageUnit]], Reading]:
    def read(units: Sequence[MessageUnit]) -> Reading:
        return read_as(operation, _text(units), context)

    return read


def _text(units: Sequence[MessageUnit]) -> str:
    return " ".join(unit.text if unit.text.rstrip()[-1:] in ".!?" else f"{unit.text.rstrip()}." for unit in units)


def _says_more(unit: MessageUnit) -> bool:
    """Return whether a unit without values gives a channel, a group or a trade."""
    return bool(
        re.search(
            r"\b(?:everybody|everyone|anybody|anyone|public|audience|search|social|facebook|instagram|google|events|"
            r"fairs?|somebody|someone|skills?)\b",
            unit.parts.masked,
        )
    )


def _with_context(
    own: list[MessageUnit],
    reading: Reading,
    units: Sequence[MessageUnit],
    read: Callable[[Sequence[MessageUnit]], Reading],
) -> tuple[list[MessageUnit], Reading]:
    """Return the units with earlier ones that give missing values: "We should be on social. Start one there"."""
    first = own[0].sentence
    before = [unit for unit in units if unit.sentence < first]
    for unit in reversed(before):
        wants = [name for name in reading.missing if name != "weekly_budget_usd"]
        if not wants and _has_title(reading):
            break
        longer = read([unit, *own])
        if _is_better(longer, reading):
            own, reading = [unit, *own], longer
    return own, reading


def _has_title(reading: Reading) -> bool:
    return any(slot.name in ("title", "name") and slot.words for slot in reading.slots)


def _explicit_slots(reading: Reading) -> set[str]:
    return {slot.name for slot in reading.slots if slot.words and slot.name not in ("amount", "per", "currency")}


def _is_better(longer: Reading, reading: Reading) -> bool:
    """Return whether a reading of more text has more arguments and changes none that was given."""
    before = {slot.name: slot.value for slot in reading.slots if slot.words}
    after = {slot.name: slot.value for slot in longer.slots if slot.words}
    kept = all(
        after.get(name) == value for name, value in before.items() if name not in ("amount", "until", "duration")
    )
    more = _explicit_slots(longer) > _explicit_slots(reading) or len(longer.missing) < len(reading.missing)
    return kept and more


def _counts(reading: Reading, head: MessageUnit) -> bool:
    """Return whether the values of a frame say that it is this operation: at least two were given in words."""
    given = _explicit_slots(reading) - {"required_skills", "segment"}
    if len(given) >= 2:
        return True
    return bool(given) and head.has_name
