"""Read a whole message as changes to an open order, or as answers to an open question, by its values.

A value that the order has already is the old one, another of the same kind the new one. A number without a unit takes
the kind of the old value next to it, else the only kind it can have. Two new values of one kind are left to a question.
"""

import re
from calendar import monthrange
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from mabos.language.acts import act_probabilities
from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.language.conversation import (
    UNRESOLVED,
    by_more,
    correction,
    find_pending,
    is_duty_break,
    is_repetition,
    old_and_new,
    orders_before,
    values_for,
    wanted_slots,
    with_articles,
)
from mabos.language.interpreter import Context
from mabos.language.letters import LETTERS
from mabos.language.mentions import by_mention, find_counted, mentions
from mabos.language.order_parts import overlaps
from mabos.language.orders import operations_of
from mabos.language.phrasing import roots
from mabos.language.request import Reading, Request, Slot
from mabos.language.sentences import begins_with_verb, opening, plain, split
from mabos.language.times import times_in
from mabos.language.wordlists import form, order_form, order_table, word_lists
from mabos.workspace.dates import MONTHS, WEEKDAYS

SHARE = 0.85
"""The probability of a change that names the old value, or says that one was wrong."""
_WEEKDAYS = "|".join(map(str.lower, WEEKDAYS))
_MONTHS = "|".join(map(str.lower, MONTHS))
_DAYS = {"day": 1.0, "week": 7.0, "fortnight": 14.0}
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w")
_OWN = order_form("revisions.own")
_OF_DAYS = frozenset({"date", "deadline"})
"""Slots for days, which no bare number fills."""
_SHORT_ANSWER = 4
_YEAR, _TIMES, _DAYS_OF_MONTH = 52, 10, 31
_TYPED = ("usd", "weeks", "date", "deadline", "channel", "rhythm", "hours", "limit", "target", "amount")


def revision(body: str, context: Context) -> Reading | None:
    """Return the correction of an open order that a message as a whole makes, or None."""
    flat = plain(body)
    once = flat.replace("from now on", "") if is_duty_open(context) else flat
    duties = [one for one in _changeable(context) if one.operation == "report_regularly"]
    is_break = any(is_duty_break(body, one, context) for one in duties)
    if _asks(flat) or _OWN.search(once) or (_is_dropped(flat, orders_before(context)) and not is_break):
        return None
    body = with_articles(body)
    named = correction(body, context, SHARE).refers_to
    is_other_work = bool(_NEW_DEED.search(body))
    orders = [one for one in _changeable(context) if one.is_open or not is_other_work]
    counted = find_counted(flat, orders)
    orders.sort(key=lambda one: one.id != named)
    orders = [counted] if counted is not None else orders
    found = [(target, *_changes(target, body, context)) for target in orders]
    if found and found[0][1] is None:
        return None  # it is for somebody else
    told = [one for one in found if one[1] and (one[2] or counted)]
    for target, slots, names_old in told or found:
        if not slots or not (told or target is orders[0] or _tells_terms(flat, target, slots)):
            continue
        if not told and _is_new_order(body, target, context):
            return None
        return _change_of(target, slots, body, context, names_old=names_old or counted is not None)
    return None


def _changes(target: Request, body: str, context: Context) -> tuple[tuple[Slot, ...] | None, bool]:
    """Return the slots of an order that a message changes, None if it is for somebody else, and if it names an old."""
    if target.operation == "report_regularly" and (slots := is_duty_break(body, target, context)):
        return slots, True
    if (to := _ADDRESS.search(body)) and to[0].casefold() not in str(target.slots).casefold():
        return None, False
    if (
        target.operation == "remind"
        and _OTHER_SUBJECT.match(body)
        and not (roots(body) & roots(str(target.slot("text", ""))))
    ):
        return (), False
    if target.operation in LETTERS:
        return _new_text(target, body) or revise_letter(target, body), True
    return _revise_slots(target, body, context)


def is_duty_open(context: Context) -> bool:
    """Return whether a regular report or a reminder is open, so that a change of it applies "from now on"."""
    return any(one.operation in ("report_regularly", "remind") and one.is_open for one in context.earlier)


def _change_of(
    target: Request, slots: tuple[Slot, ...], body: str, context: Context, *, names_old: bool
) -> Reading | None:
    """Return the correction by new values, or a question; None where nothing says that they are for this order."""
    flat = plain(body)
    is_left_out = any(one.name == "left_out" for one in slots)
    is_told = bool(form("order_revised").search(flat)) or _is_only(flat, slots) or is_left_out
    is_likely = act_probabilities(body)["correction"] > UNRESOLVED and not is_repetition(body, context)
    is_told = is_told or is_likely
    if target.status == "done":
        is_told = (is_told and bool(_BUT.search(flat)) and len(flat.split()) <= _FEW_WORDS) or _is_only(flat, slots)
    if names_old or is_told or _tells_terms(flat, target, slots):
        missing = ("order",) if not names_old and _has_rivals(target, slots, flat, context) else ()
        refers_to = "" if missing else target.id
        return Reading("correction", body, target.operation, slots, missing, refers_to, SHARE)
    if target.status == "underway" and _INTERRUPTS.match(flat):  # nobody approves the order before this is clear
        return Reading("correction", body, target.operation, (), ("value",), target.id, UNRESOLVED)
    return None


def _changeable(context: Context) -> list[Request]:
    """Return the orders that a message may change: the open ones, and those of the newest message that have ended."""
    newest = next((one for one in context.earlier if one.act == "order"), None)
    is_recent = newest is not None and newest in context.earlier[:_RECENT]
    return [
        one
        for one in orders_before(context)
        if one.is_open
        or (newest and is_recent and one.status in ("failed", "done") and one.message_id == newest.message_id)
    ]


def _has_rivals(target: Request, slots: Sequence[Slot], flat: str, context: Context) -> bool:
    """Return whether new values fit another open order as well, of the same message or since spoken of."""
    last = context.earlier[0]
    is_next = target.id in (last.id, last.refers_to)
    return any(
        (one.is_open or (target.status == one.status == "done" and one.message_id == target.message_id))
        and one.id != target.id
        and (one.message_id == target.message_id or not is_next)
        and all(one.slot(slot.name) not in (None, slot.value) for slot in slots)
        and mentions(flat, one) >= mentions(flat, target)
        for one in orders_before(context)
    )


def _tells_terms(flat: str, target: Request, slots: Sequence[Slot]) -> bool:
    """Return whether a message only tells new terms of an order: "they have come down to 0 dollars"."""
    for words in (*(one.words for one in slots), str(target.slot("title") or target.slot("name") or "")):
        flat = flat.replace(plain(words).strip(" .,;"), " ") if words else flat
    own = set(re.findall(r"[a-z]{3,}", plain(target.sentence)))
    flat = " ".join(one for one in re.findall(r"[a-z0-9']+", form("order_terms").sub(" ", flat)) if one not in own)
    return not re.search(r"\w", _AROUND.sub(" ", flat))


_NEW_DEED = re.compile(r"(?i)(?:^|[.!] )(?:please |then |so |just )*(?:have|get|order|book|buy) (?:the|our|my|an?) ")
"""Work of its own, which changes no order that has ended: "It isn't on this year. Have the old one repaired"."""
_FEW_WORDS, _RECENT = 12, 4
_INTERRUPTS, _OTHER_SUBJECT = order_form("revisions.interrupts"), order_form("revisions.other_subject")
_AROUND, _BUT = order_form("revisions.around"), order_form("revisions.but")


def _is_only(flat: str, slots: Sequence[Slot]) -> bool:
    """Return whether a message is nothing but new values: "Oh right. On search then."."""
    for one in slots:
        flat = flat.replace(plain(one.words), " ") if one.words else flat
    return all(one.words for one in slots) and not re.search(r"\w", _AROUND.sub(" ", flat))


def taken_back(body: str, context: Context) -> Reading | None:
    """Return the withdrawal of an open order that a message names, whatever reason it gives; else None."""
    flat = plain(body)
    orders = [one for one in orders_before(context) if one.is_open]
    if (others := _all_but(flat, orders)) is not None:
        return Reading("withdrawal", body, others.operation, (), refers_to=others.id, confidence=SHARE)
    is_ended = bool(form("order_taken_back").search(flat)) or _is_dropped(flat, orders)
    if not orders or not is_ended or _asks(flat) or _OWN.search(flat):
        return None
    target = by_mention(flat, orders)[0]
    if target.operation in LETTERS and _READER_OUT.search(flat):
        return None  # a reader is left out, and the letter goes on
    if not mentions(flat, target) and find_counted(flat, orders) is None:
        return None
    return Reading(
        "withdrawal", body, target.operation, _name_record(target, flat), refers_to=target.id, confidence=SHARE
    )


_READER_OUT, _DROPS = order_form("revisions.reader_out"), order_form("revisions.drops")
_ONLY = order_form("revisions.only")


def _all_but(flat: str, orders: Sequence[Request]) -> Request | None:
    """Return the one order of the latest message that "only the gate" leaves out; None where it says no such thing."""
    found = _ONLY.match(flat)
    if found is None or not orders:
        return None
    together = [one for one in orders if one.message_id == orders[0].message_id]
    named = [one for one in together if _named_in(found["what"].replace('"name"', ""), one)]
    return next(one for one in together if one not in named) if len(together) == 2 and len(named) == 1 else None


def _is_dropped(flat: str, orders: Sequence[Request]) -> bool:
    """Return whether a message begins by dropping something that open orders name: "Drop the school one"."""
    found = _DROPS.match(flat)
    if found is None or re.search(r"\d", found["what"]) or form("order_revised").search(flat[found.end() :]):
        return False
    return any(_named_in(found["what"], one) for one in orders)


def _named_in(flat: str, order: Request) -> bool:
    names = " ".join(str(order.slot(key, "")) for key in ("name", "title", "subject", "text"))
    said = set(re.findall(r"[a-z]{4,}", flat)) - word_lists().empty
    return '"name"' in flat or bool(said & set(re.findall(r"[a-z]{4,}", names.lower())))


def _name_record(target: Request, flat: str) -> tuple[Slot, ...]:
    """Return the name of the record that is withdrawn, where the message has words of it."""
    name = next((str(value) for key in ("name", "title") if (value := target.slot(key))), "")
    own = set(re.findall(r"[a-z]{4,}", name.lower())) & set(re.findall(r"[a-z]{4,}", flat))
    return (Slot("records", name, name),) if name and own else ()


def consent(body: str, context: Context) -> Reading | None:
    """Return the yes that a message gives to an open order without an open question of ours."""
    flat = plain(body)
    if (
        find_pending(context) is not None
        or _asks(flat)
        or form("order_taken_back").search(flat)
        or re.search(r"\b(?:not|never|but|instead)\b", flat)
    ):
        return None
    orders = [one for one in orders_before(context) if one.status == "underway"]
    parts = (flat, *(one.strip() for one in re.split(r"[.,;!]\s", flat)))
    if not orders or not any(form("order_consent").match(one) for one in parts):
        return None
    target = by_mention(flat, orders)[0]
    is_bare = len(flat.split()) <= 4
    if not is_bare and not mentions(flat, target):
        return None
    given = [one.value for one in amounts_in(body)]
    known = [slot.value for slot in target.slots]
    if any(value not in known for value in given):
        return None
    return Reading("answer", body, target.operation, (Slot("yes", True, body),), refers_to=target.id, confidence=SHARE)


_LETTER_KINDS = (
    re.compile(
        rf"(?i)\b(?:(?:{_WEEKDAYS}),? )?(?:the )?"
        rf"(?:\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})|(?:{_MONTHS}) \d{{1,2}}(?:st|nd|rd|th)?)"
        rf"\b(?:,? \d{{4}})?|\b(?:{_WEEKDAYS})\b"
    ),
    re.compile(r"(?i)\b\d{1,2}(?:[:.]\d\d)? ?(?:am|pm|a\.m\.|p\.m\.)|\b\d{1,2}[:.]\d\d\b|\b(?:noon|midday|midnight)\b"),
    re.compile(r"(?i)[$€£]\s?\d[\d.,]*(?<=\d)|\b\d[\d.,]* ?(?:dollars|bucks|pounds|euros)\b"),
)
"""Days, times of day and amounts as a letter writes them."""


def revise_letter(target: Request, body: str) -> tuple[Slot, ...]:
    """Return the text of a letter with its days, times or amounts replaced by those of a message.

    What the message repeats of the letter is the old value; where it repeats nothing, the letter must have only one of
    that kind.
    """
    slot = next((one for one in target.slots if one.name in ("text", "facts") and isinstance(one.value, str)), None)
    if slot is None:
        return ()
    is_sign = bool(form("order_revised").search(plain(body)))
    if day := _other_day(str(slot.value), body, is_sign=is_sign):
        return (replace(slot, value=str(slot.value).replace(*day), words=day[1]),)
    text, words = str(slot.value), []
    for kind in _LETTER_KINDS:
        own = [one[0] for one in kind.finditer(text)]
        given = [one[0] for one in kind.finditer(body)]
        known = [one.casefold() for one in own]
        old = [one for one in own if one.casefold() in map(str.casefold, given)]
        new = list(dict.fromkeys(one for one in given if one.casefold() not in known))
        old = old or (own if len(own) == 1 and is_sign else [])
        if len(new) != 1 or len(set(old)) != 1:
            if new:
                return ()
            continue
        text = text.replace(old[0], new[0])
        words.append(new[0])
    if not words and (other := _other_number(text, body)):
        text, words = other
    return (replace(slot, value=text, words=", ".join(words)),) if words else ()


_NUMBER = re.compile(r"\d+(?:[.:]\d+)?")


def _other_number(text: str, body: str) -> tuple[str, list[str]] | None:
    """Return a text in which the one number that a message calls wrong is the new one: "make it 10, not 9"."""
    old, new = old_and_new(body)
    wrong, right = _NUMBER.findall(old), _NUMBER.findall(new)
    if len(wrong) != 1 or len(right) != 1 or wrong == right:
        return None
    places = list(re.finditer(rf"(?<![\w.,:]){re.escape(wrong[0])}(?!\w|[.,:]\d)", text))
    dates = [one.span() for one in _LETTER_KINDS[0].finditer(text)]
    if len(places) != 1 or any(start <= places[0].start() < end for start, end in dates):
        return None
    return f"{text[: places[0].start()]}{right[0]}{text[places[0].end() :]}", right


_REPLACED, _ADDED_TEXT = order_form("revisions.replaced"), order_form("revisions.added_text")


def _new_text(target: Request, body: str) -> tuple[Slot, ...]:
    """Return the text or subject that a message gives a letter, "The text should be: ...", or adds to its text."""
    own = next((one for one in target.slots if one.name in ("text", "facts") and isinstance(one.value, str)), None)
    if target.is_open and own and (more := _ADDED_TEXT.match(body)):
        added = more["added"].strip(" '\"“”‘’.?!")
        before = str(own.value).rstrip()
        joined = f"{before}{'' if before[-1:] in '.!?' else '.'} {added[:1].upper()}{added[1:]}."
        return (replace(own, value=joined, words=added),)
    if own and (gone := _TAKEN_OUT.match(body)) and (rest := _without_clause(str(own.value), gone["what"])):
        return (replace(own, value=rest, words=gone["what"]),)
    found = _REPLACED.search(body)
    if found is None:
        return ()
    new = (found["new"] or found["words"]).strip().strip("'\"“”‘’")
    is_subject = (found["what"] or found["of"]).lower().startswith(("subject", "title", "headline"))
    name = "subject" if is_subject else own.name if own else "text"
    return (Slot(name, new, new),) if new else ()


_TAKEN_OUT = order_form("revisions.taken_out")
_CLAUSE = re.compile(r"(?<=[.!?])\s+|;\s+|,? (?:and|but) (?=(?:there|we|the|our|it|you|i|they)\b)", re.IGNORECASE)


def _without_clause(text: str, what: str) -> str:
    """Return a text without its one sentence or clause that has these words; "" where none or several have, or all."""
    starts = [0, *(one.end() for one in _CLAUSE.finditer(text))]
    ends = [*(one.start() for one in _CLAUSE.finditer(text)), len(text)]
    said = roots(what)
    hits = [at for at, (start, end) in enumerate(zip(starts, ends, strict=True)) if said <= roots(text[start:end])]
    if not said or len(hits) != 1 or len(starts) == 1:
        return ""
    at = hits[0]
    kept = text[starts[1] :] if at == 0 else f"{text[: ends[at - 1]].rstrip(' ,;')}{text[ends[at] :]}"
    return kept if kept.rstrip()[-1:] in ".!?" else f"{kept.rstrip(' ,;')}."


_BARE_DAY = re.compile(r"(?i)\bthe (?P<number>\d{1,2})(?:st|nd|rd|th)\b(?! (?:of )?[A-Z])")
_DAY_OF_MONTH = re.compile(rf"(?i)\b(?P<number>\d{{1,2}})(?=(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})\b)")


def _other_day(text: str, body: str, *, is_sign: bool) -> tuple[str, str] | None:
    """Return a date of a letter, and the same with the number that a message gives: "not the 14th, the 15th".

    A date with a weekday is not changed by its number alone: the weekday would be wrong.
    """
    numbers = list(dict.fromkeys(one["number"] for one in _BARE_DAY.finditer(body)))
    dates = [one for one in _LETTER_KINDS[0].finditer(text) if _DAY_OF_MONTH.search(one[0])]
    by_number = {_DAY_OF_MONTH.search(one[0])["number"]: one[0] for one in dates}  # type: ignore[index]  # has one
    old = [one for one in numbers if one in by_number]
    new = [one for one in numbers if one not in by_number]
    old = old or (list(by_number) if len(by_number) == 1 and is_sign else [])
    if len(old) != 1 or len(new) != 1 or re.search(rf"(?i)\b(?:{_WEEKDAYS})\b", by_number[old[0]]):
        return None
    before = by_number[old[0]]
    return before, re.sub(rf"\b{old[0]}(?=\D|$)(?:st|nd|rd|th)?", new[0], before, count=1)


def full_answer(body: str, context: Context) -> Reading | None:
    """Return the answer that a message gives to an open question by a value of the requested kind, or None."""
    target = find_pending(context)
    if target is None:
        return None
    if target.act == "correction" and "order" in target.missing:
        return _for_order(body, target, context)
    flat = plain(body)
    wanted = [name for name in wanted_slots(target) if name.endswith(_TYPED)]
    is_break = target.operation == "report_regularly" and is_duty_break(body, target, context)
    if is_break or not wanted or _OWN.search(flat):
        return None
    slots: dict[str, Slot] = {}
    for text in (body, *split(body)):
        is_rate = any(one.per for one in amounts_in(text))
        spelled = text if is_rate else re.sub(r"(?i)\b(?:a|one) (?=(?:fortnight|week)\b)", "for one ", text)
        is_question = text.rstrip().endswith("?") and len(text.split()) > _SHORT_ANSWER  # "May we give them credit?"
        for spoken in (text, spelled) if is_question else (text, f"for {text}", f"on {text}", f"by {text}", spelled):
            for slot in values_for(target.operation, spoken, context):
                if slot.name in wanted:
                    slots.setdefault(slot.name, slot)
    rest = [name for name in wanted if name not in slots and name not in _OF_DAYS]
    if rest and (number := _only_number(body, context)) and len(rest) == 1:
        slots[rest[0]] = Slot(rest[0], number.value, number.words, number.meaning)
    if not slots or _several(body, slots.values(), context):
        return None
    if named := _CALLED.search(body):
        key = "title" if target.operation == "work_package_create" else "name"
        slots[key] = Slot(key, named["name"], named["name"])
    if any(_asks(plain(one)) and any(char.isdigit() for char in one) for one in split(body)):
        return None
    left = tuple(name for name in target.missing if name not in slots and name != "confirm")
    return Reading("answer", body, target.operation, tuple(slots.values()), left, target.id, SHARE)


_CALLED = re.compile(r"(?i)\b(?:call (?:it|that|this)|called|named|name it) ['\"‘“](?P<name>[^'\"’”]+)['\"’”]")


def _for_order(body: str, target: Request, context: Context) -> Reading | None:
    """Return the answer that names the order which a change is for, with new values where it gives some."""
    names, flat = {slot.name for slot in target.slots}, plain(body)
    fitting = [one for one in orders_before(context) if one.is_open and names <= {slot.name for slot in one.slots}]
    ranked = by_mention(flat, fitting)
    scores = [mentions(flat, one) for one in ranked[:2]]
    if find_counted(flat, fitting) is None and (not ranked or not scores[0] or scores[0] == scores[-1]):
        return None
    slots, _ = _revise_slots(ranked[0], body, context)
    slots = (*slots, Slot("order", ranked[0].id, body))
    return Reading("answer", body, target.operation, slots, (), target.id, SHARE)


def _asks(flat: str) -> bool:
    """Return whether a text ends in a question that is no polite demand."""
    words = opening(flat.rpartition(". ")[2])
    if not flat.rstrip().endswith("?") or not words:
        return False
    lists = word_lists()
    polite = words[0] in ("can", "could", "would", "will", "shall", "may") or "would you" in flat[-14:]
    return (words[0] in lists.wh or words[0] in lists.auxiliaries) and not polite


def _is_new_order(body: str, target: Request, context: Context) -> bool:
    """Return whether a sentence orders something with a name or an operation of its own."""
    for sentence in split(body):
        name, score = operations_of(sentence, context)[0]
        changes = name in ("task", "ad_campaign_manage", "work_package_update", "stripe_create_price")
        if not changes and score >= 0.8 and (begins_with_verb(sentence) or name != target.operation):
            return True
    return False


def _revise_slots(target: Request, body: str, context: Context) -> tuple[tuple[Slot, ...], bool]:
    """Return the slots of an order that a text changes, and whether it names an old value of one."""
    if moved := _move_day(target, body) or by_more(target, body):
        return (moved,), True
    times = times_in(body, context.now)
    amounts = [one for one in amounts_in(body) if one.kind != "percent" and (one.per or not overlaps(one, times))]
    slots: list[Slot] = []
    old: set[str] = set()
    known = {slot.name for slot in target.slots}
    for name in ("date", "deadline"):
        given = [(one.iso, one.words) for one in times if one.kind == "day" and one.day]
        _take(
            slots,
            old,
            target,
            name,
            [(in_its_month(value, words, target.slot(name), context.now.date()), words) for value, words in given],
        )
    until = [one for one in times if one.kind == "day" and one.day and one.role == "by"]
    if target.operation == "work_package_create" and "deadline" not in known and len(until) == 1:
        known.add("deadline")  # "by 27 November" is the first day that the order gets
        slots.append(Slot("deadline", until[0].iso, until[0].words))
    weeks = [one for one in times if one.kind == "duration" and one.unit in _DAYS]
    _take(slots, old, target, "weeks", [(one.count * _DAYS[one.unit] / 7, one.words) for one in weeks])
    money_slot = _money_slot(target)
    money = [one for one in amounts if one.kind == "money" or one.per in ("day", "week", "month")]
    bare = [one for one in amounts if one not in money and one.unit not in _DAYS]
    if money_slot:
        before = target.slot(money_slot)
        bare_money = [one for one in bare if money_slot in old or one.value == before or _is_money(body, one)]
        if any(one.value == before for one in bare):
            bare_money = bare
        is_weeks = "weeks" in {slot.name for slot in target.slots} and any(one.value <= _YEAR for one in bare)
        is_alone = len(bare) == 1 and (not slots or (not bare[0].unit and bare[0].value > _DAYS_OF_MONTH))
        if not money and not old and is_alone and not is_weeks:
            bare_money = bare
        bare_money = [one for one in bare_money if _is_near(one.value, before)]
        _take(slots, old, target, money_slot, [(one.value, one.words) for one in (*money, *bare_money)])
        bare = [one for one in bare if one not in bare_money]
    if "weeks" in known and any(one.value == target.slot("weeks") for one in bare):
        old.add("weeks")  # "five takes us past the fair. Four."
    if "weeks" in old and not any(one.name == "weeks" for one in slots):
        _take(slots, old, target, "weeks", [(one.value, one.words) for one in bare])
    wrong = [one.value for one in amounts_in(old_and_new(body)[0])]
    old |= {slot.name for slot in slots if target.slot(slot.name) in wrong}
    names = {slot.name for slot in slots}
    others = [slot for slot in values_for(target.operation, body, context) if slot.name in ("channel", "recipients")]
    slots += [slot for slot in others if slot.value != target.slot(slot.name) and _is_placed(slot, body)]
    return tuple(one for one in slots if one.name in known), bool(old & names)


def _is_placed(slot: Slot, body: str) -> bool:
    """Return whether a channel is named as one, "on search", or alone: "past the fair" names none."""
    named = rf"(?i){order_table('revisions.placed')}{re.escape(slot.words)}\b"
    return slot.name != "channel" or bool(re.search(named, body))


_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_BY_SPAN = r"(?P<count>an?|one|two|three|four|five|six|\d+) (?P<unit>day|week|fortnight)s?"
_LATER = re.compile(
    rf"(?i)\b{_BY_SPAN} (?P<way>later|earlier|sooner)\b(?! than)|"
    rf"\b(?:put|push|move|bring|shift) (?:it|that|this)(?: \w+)? (?P<to>back|forward|off|out|up)(?: by)? "
    rf"{_BY_SPAN.replace('count', 'count2').replace('unit', 'unit2')}\b"
)


def _move_day(target: Request, body: str) -> Slot | None:
    """Return the day of an order moved by a span, "no, a week later"; None where nothing says so."""
    found = _LATER.search(body)
    slot = next((one for one in target.slots if one.name in ("date", "deadline")), None)
    if found is None or slot is None or not re.match(r"\d{4}-\d\d-\d\d", str(slot.value)):
        return None
    count, unit = found["count"] or found["count2"], (found["unit"] or found["unit2"]).lower()
    days = (_COUNT.get(count.lower()) or int(count)) * int(_DAYS[unit])
    is_earlier = (found["way"] or "").lower() in ("earlier", "sooner") or (found["to"] or "").lower() in (
        "forward",
        "up",
    )
    before = str(slot.value)
    after = date.fromisoformat(before[:10]) + timedelta(days=-days if is_earlier else days)
    return Slot(slot.name, after.isoformat() + before[10:], found[0])


_BARE_WEEKDAY = re.compile(rf"(?i)\W*(?:(?:on|by|before|until|to|till) )?({'|'.join(WEEKDAYS)})\W*")
_SOON = 7


def in_its_month(value: str, words: str, before: object, today: date) -> str:
    """Return a day given only by number or weekday, near the day it replaces, and not before today.

    A number is in the month of that day or in the one after; a weekday is the nearest one, where that day is not soon.
    """
    if isinstance(before, str) and re.match(r"\d{4}-\d\d-\d\d", before) and (named := _BARE_WEEKDAY.fullmatch(words)):
        old = date.fromisoformat(before[:10])
        near = [day for away in range(-3, 4) if (day := old + timedelta(days=away)).strftime("%A") == named[1].title()]
        return near[0].isoformat() + before[10:] if (near[0] - today).days > _SOON else value
    number = re.fullmatch(r"(?i)\W*(?:(?:on|by|before|until|to|till) )?(?:the )?(\d{1,2})(?:st|nd|rd|th)\W*", words)
    if number is None or not isinstance(before, str) or not re.match(r"\d{4}-\d\d-\d\d", before):
        return value
    old, wanted = date.fromisoformat(before[:10]), int(number[1])
    if old.day == wanted:
        return before
    months = ((old.year + (old.month + more - 1) // 12, (old.month + more - 1) % 12 + 1) for more in range(3))
    days = (date(year, month, wanted) for year, month in months if wanted <= monthrange(year, month)[1])
    return next((one.isoformat() + before[10:] for one in days if one >= today), value)


def _take(slots: list[Slot], old: set[str], target: Request, name: str, given: Sequence[tuple[object, str]]) -> None:
    """Add the one new value of a slot; note that the old one was named; several new ones are none."""
    before = target.slot(name)
    if before is None:
        return
    if any(_same(value, before) for value, _ in given):
        old.add(name)
    fresh = {str(value): (value, words) for value, words in given if not _same(value, before)}
    if len(fresh) == 1:
        value, words = next(iter(fresh.values()))
        if isinstance(before, int | float) and isinstance(value, int | float):
            value = type(before)(value) if value == int(value) else value
        slots.append(Slot(name, value, words))


def _is_near(value: float, before: object) -> bool:
    """Return whether a bare number may take the place of an amount: "two to spare" is no price instead of 340."""
    return not isinstance(before, int | float) or before / _TIMES <= value <= before * _TIMES


def _same(value: object, before: object) -> bool:
    if isinstance(value, str) and isinstance(before, str):
        return value[:10] == before[:10]
    return value == before


def _money_slot(target: Request) -> str:
    return next((slot.name for slot in target.slots if slot.name.endswith("usd")), "")


def _is_money(body: str, amount: SpokenAmount) -> bool:
    """Return whether the words around a bare number speak of money."""
    return bool(form("order_money").search(plain(body[max(0, amount.start - 40) : amount.end + 40])))


def _only_number(body: str, context: Context) -> SpokenAmount | None:
    times = times_in(body, context.now)
    found = [one for one in amounts_in(body) if one.kind == "count" and not overlaps(one, times)]
    return found[0] if len(found) == 1 and found[0].unit not in _DAYS else None


def _several(body: str, slots: Iterable[Slot], context: Context) -> bool:
    """Return whether a text gives two different values of a kind that was asked for."""
    names = {slot.name for slot in slots}
    if any(name.endswith("usd") for name in names):
        return len({one.value for one in amounts_in(body) if one.kind == "money"}) > 1
    if names & _OF_DAYS:
        return len({one.iso for one in times_in(body, context.now) if one.kind == "day" and one.day}) > 1
    return False
