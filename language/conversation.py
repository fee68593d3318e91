"""Sentences that are clear only in a conversation: corrections, withdrawals, answers, "the same, but ...".

A correction is resolved against the slots of an earlier order: the value of the same kind is replaced, and only the
changed slots are returned. What matches no slot is left to a question.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta

from mabos.language.amounts import amounts_in, whole_number
from mabos.language.catalogue import is_read_by_schema, wordings
from mabos.language.errands import ERRANDS, figures_in
from mabos.language.interpreter import Context
from mabos.language.letters import LETTERS
from mabos.language.mentions import by_mention, find_counted, mentions, takes_back_nothing
from mabos.language.order_draft import OrderDraft
from mabos.language.order_parts import order_parts, overlaps
from mabos.language.order_slots import fill
from mabos.language.orders import operations_of, order, project_of
from mabos.language.request import Reading, Request, Slot, SpeechAct
from mabos.language.selectors import chosen_namesake
from mabos.language.sentences import NAME, plain
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import order_form, order_table, word_lists
from mabos.workspace.dates import WEEKDAYS

UNRESOLVED = 0.3
"""The most confidence of a sentence that refers to something which is not found."""

_OLD = tuple(map(re.compile, order_table("conversation.old")))
_YES = order_form("conversation.yes")
_NO = order_form("conversation.no")
_WITHOUT = order_form("conversation.without")
"""An answer to "Shall I carry it out without that part?"."""
_OUT = order_form("conversation.out")
_ADDED = order_form("conversation.added")
_SAME = order_form("conversation.same")
_REST_SAME = re.compile(r"(?:(?:and|the|all|everything|with)[ ,]*)*(?:rest|others?|else|remainder)\b.*\bsame\b")
"""Words for the part that a correction leaves unchanged."""
_ROLE = re.compile(r"(?i)^(?:on|at|by|from|until|till|in|before|after|for)\s+(?:the\s+)?|^the\s+")


def adjust_acts(shares: Mapping[SpeechAct, float], flat: str, context: Context) -> dict[SpeechAct, float]:
    """Return the probabilities of the acts in this conversation; answers are likely only after a question."""
    odds: dict[SpeechAct, float] = {}
    if find_pending(context):
        asks_on = flat.endswith("?") and context.earlier[0].act == "question"  # "And South?"
        odds["answer"] = 0.5 if asks_on else 6.0 if len(flat.split()) <= 10 else 2.0
    else:
        is_fragment = not context.earlier and NAME not in flat  # "July. Burials, cremations."
        odds["answer"] = 0.1 if is_fragment else 0.3 if context.earlier else 1.0
        open_orders = [request for request in orders_before(context) if request.is_open]
        odds["correction"] = (8.0 if _edits_a_list(flat, open_orders) else 1.5) if open_orders else 0.7
    return normalize_shares({act: share * odds.get(act, 1.0) for act, share in shares.items()})


def adds_to_list(flat: str, context: Context) -> bool:
    """Return whether an imperative adds to a list that an open order has."""
    open_orders = [request for request in orders_before(context) if request.is_open]
    listed = {word for one in open_orders for figure in one.slot("figures", ()) for word in _terms(str(figure))}
    is_less = bool(_DROPS.match(flat)) and bool(listed & _terms(flat))
    return (bool(_ADDS.match(flat)) or is_less) and _edits_a_list(flat, open_orders)


_ADDS = order_form("conversation.adds")


_DROPS = order_form("conversation.drops")


def _edits_a_list(flat: str, orders: Sequence[Request]) -> bool:
    """Return whether a sentence adds to a list that an open order has, or takes from it: its figures or recipients."""
    cues = word_lists().cues
    listing = any(order.slot("figures") or order.slot("recipients") for order in orders)
    return listing and any(cues[f"correction.{name}"].search(flat) for name in ("add_to_it", "leave_out"))


def normalize_shares(weights: Mapping[SpeechAct, float]) -> dict[SpeechAct, float]:
    """Return weights as shares of their sum."""
    total = sum(weights.values()) or 1.0
    return {act: weight / total for act, weight in weights.items()}


def find_pending(context: Context) -> Request | None:
    """Return the newest request that waits for an answer of its sender."""
    return next((request for request in context.earlier if request.status == "asking"), None)


def values_for(operation: str, text: str, context: Context) -> tuple[Slot, ...]:
    """Return the slots of an operation that a text gives in words, without assumed ones."""
    draft = OrderDraft(order_parts(text, context), context)
    if operation in ("remind", "task", "report_regularly", "improve", "goal_create"):
        return tuple(_times(text, operation, context))
    if operation in ERRANDS:
        return ()
    if operation in wordings():
        fill(draft, operation, context)
    unnamed = () if draft.parts.name or "title" in draft.parts.labels else ("title", "name")
    return tuple(slot for slot in draft.slots if slot.words and slot.name not in ("unexplained", "facts", *unnamed))


def _times(text: str, operation: str, context: Context) -> Iterable[Slot]:
    """Yield the day or the rhythm that a text gives, under the name that the operation has for it."""
    name = "date" if operation == "remind" else "deadline"
    for time in times_in(text, context.now):
        if time.kind == "rhythm":
            yield Slot("rhythm", dict(time.every), time.words)
        elif time.kind == "day" and operation != "report_regularly" and (time.day or time.clock):
            today = f"{context.now.date().isoformat()}T{time.clock}:00"
            yield Slot(name, time.iso or today, time.words)
        elif (
            time.kind == "day"
            and time.day
            and operation == "report_regularly"
            and not re.search(r"from now|today", time.words)
        ):
            yield Slot("rhythm", {"every": "week", "weekday": time.day.strftime("%A")}, time.words)


# --- corrections --------------------------------------------------------------


def correction(text: str, context: Context, share: float) -> Reading:
    """Read a correction: the earlier order with the corrected value, and the slots that change."""
    old, new = old_and_new(with_articles(text))
    orders = orders_before(context)
    for target in by_mention(plain(text), orders):
        slots = _apply_correction(target, old, new, text, context)
        if slots:
            return Reading("correction", text, target.operation, slots, refers_to=target.id, confidence=share)
    if not orders:
        return Reading("correction", text, confidence=min(share, UNRESOLVED))
    target = by_mention(plain(text), orders)[0]
    return Reading(
        "correction", text, target.operation, (), ("value",), refers_to=target.id, confidence=min(share, UNRESOLVED)
    )


def with_articles(text: str) -> str:
    """Return a text with an article before each bare day of the month: "25th not 24th"."""
    return re.sub(r"(?i)(?<!the )(?<!\w)(\d{1,2}(?:st|nd|rd|th))\b(?! (?:of )?[A-Z])", r"the \1", text)


_MADE = re.compile(r"(?i)\bmake (?:it|that|this)\b")


def old_and_new(text: str) -> tuple[str, str]:
    """Return the words of the wrong value, and the text without them."""
    for pattern in _OLD:
        found = pattern.search(text)
        if found and text.replace(found[0], "").strip(" ,.;!?") and not _MADE.search(found["old"]):
            lead = found.groupdict().get("lead") or ""
            return found["old"].strip(), f"{text[: found.start()]}{lead} {text[found.end() :]}".strip()
    return "", text


def _apply_correction(target: Request, old: str, new: str, text: str, context: Context) -> tuple[Slot, ...]:
    """Return the slots of a request that a correction changes, each with its new value."""
    if target.operation == "report_regularly":
        slots = _duty(target, text, new, context)
    elif found := _OUT.search(text):
        slots = _left_out(target, next(part for part in found.groups() if part), context)
    else:
        slots = ()
    if slots or (target.operation in LETTERS and _OUT.search(text)):
        return slots  # whom nobody could leave out is no reader instead
    if target.operation in LETTERS and old and (reworded := _by_old_value(target, old, new)):
        return reworded
    given = values_for(target.operation, new, context)
    if target.operation in LETTERS:
        given = tuple(slot for slot in given if slot.name != "text" or _WHOLE_TEXT.search(text))
    known = {slot.name: slot for slot in target.slots}
    given = tuple(_in_month_of(known[slot.name], slot, context) if slot.name in known else slot for slot in given)
    if not any(slot.name.endswith("usd") for slot in given):
        names = {slot.name for slot in given}
        given += tuple(slot for slot in _by_kind(target, new, context) if slot.name not in names)
    kept = [slot for slot in given if slot.name not in known or known[slot.name].value != slot.value]
    if changed := by_more(target, text):
        kept = [changed, *(slot for slot in kept if slot.name[-3:] != changed.name[-3:])]
    if kept := [slot for slot in kept if slot.name in known or slot.name in target.missing] or kept:
        return tuple(kept)
    return _by_old_value(target, old, new)


def _in_month_of(before: Slot, after: Slot, context: Context) -> Slot:
    """Return a day that names no month ("the 12th") in the month of the day that it replaces."""
    day = re.fullmatch(r"(?i)\W*(?:(?:on|by|at|from|until) )?(?:the )?(\d{1,2})(?:st|nd|rd|th)\W*", after.words)
    old = re.fullmatch(r"(\d{4}-\d\d)-\d\d(T.*)?", str(before.value))
    if not day or not old:
        return after
    value = f"{old[1]}-{int(day[1]):02}"
    return replace(after, value=value) if value >= context.now.date().isoformat() and int(day[1]) <= 28 else after


def _by_old_value(target: Request, old: str, new: str) -> tuple[Slot, ...]:
    """Replace the slot whose value or words are the old ones by the new number or words."""
    if not old:
        return ()
    before, after = [one.value for one in amounts_in(old)], amounts_in(new)
    for slot in target.slots:
        if before and after and slot.value in before:
            return (replace(slot, value=type(slot.value)(after[0].value), words=after[0].words),)
        wrong = re.sub(r"(?i)^(?:on|at|in|for|to|the)\s+", "", old.strip(" '\""))
        is_text = slot.name in ("facts", "text") and target.operation != "task"
        if isinstance(slot.value, str) and is_text and _has_words(slot.value, wrong):
            right = _replacement(wrong, new)
            value = re.sub(rf"(?i)(?<!\w){re.escape(wrong)}(?!\w)", right.replace("\\", r"\\"), slot.value)
            return (replace(slot, value=value, words=right),) if right else ()
        if isinstance(slot.value, str) and old.strip(" '\"").lower() == slot.value.lower():
            words = re.sub(r"(?i)^\W*(?:(?:no|sorry|oh|i meant|meant|it's|it is|but|call it)\W+)*", "", new).strip(
                " .,!'\""
            )
            return (replace(slot, value=words, words=words),) if words else ()
    return ()


def _sums(target: Request) -> list[Slot]:
    return [slot for slot in target.slots if isinstance(slot.value, int | float) and slot.name.endswith("usd")]


_MORE, _BY = order_form("conversation.more"), order_form("conversation.by")
_WEEKS = tuple(map(re.compile, order_table("conversation.weeks")))


def by_more(target: Request, text: str) -> Slot | None:
    """Return the budget or the weeks of an order, increased or reduced by a text: "make it 40 dollars more"."""
    money, weeks = _sums(target), next((one for one in target.slots if one.name == "weeks"), None)
    found = next((match for form in _WEEKS if (match := form.search(text))), None)
    if weeks is not None and found is not None:
        count = 1 if found["count"][0] in "aA" else whole_number(found["count"].partition(" ")[0])
        count *= (-1 if found.groupdict().get("less") else 1) * (2 if "fortnight" in found[0].lower() else 1)
        return replace(weeks, value=weeks.value + count, words=found[0]) if weeks.value + count > 0 else None
    for one in amounts_in(text) if len(money) == 1 else ():
        behind, before = _MORE.match(text[one.end :]), _BY.search(text[: one.start])
        if one.kind == "percent" or times_like(one.unit) or not (behind or before):
            continue
        is_less = bool((behind and behind["less"]) or (before and before["cut"]))
        value = money[0].value + (-one.value if is_less else one.value)
        return replace(money[0], value=value, words=one.words) if value > 0 else None
    return None


_WHOLE_TEXT = re.compile(r"(?i)\b(?:text|wording|message|body|letter)(?: should (?:be|read|say))?(?: now)?\s*:")
_DIGIT_OR_DAY = re.compile(r"(?i)\d|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b")


def _replacement(wrong: str, new: str) -> str:
    """Return the words that replace wrong ones in a text, without lead-in words."""
    if _DIGIT_OR_DAY.search(wrong):
        return ""  # days, times and amounts are replaced by their kind
    sentence = next((one for one in re.split(r"(?<=[.!?])\s+", new) if "\x00" in one), new).replace("\x00", " ")
    right = re.sub(
        r"(?i)^\W*(?:(?:no|sorry|oh|please|i meant|meant|it's|it is|it should (?:be|say|read)|but|"
        r"one thing in the \w+ is (?:off|"
        r"wrong)|on|at|in|for|to|the)\W+)*", "", sentence,
    )  # fmt: skip
    right = re.sub(
        r"(?i)\s+(?:in (?:the|that) (?:letter|text|e-?mail|mail|draft|note)|please|of course)\W*$", "", right
    )
    return right.strip(" .,!'\"")


def _has_words(text: str, words: str) -> bool:
    return bool(words) and bool(re.search(rf"(?i)(?<!\w){re.escape(words)}(?!\w)", text))


_QUOTED = re.compile(r"(?<!\w)['\"“‘](?P<it>(?:[^'\"”’]|(?<=\w)['’](?=\w))+)['\"”’](?!\w)")
"""A name in quotation marks; the apostrophes of "Lena's" and "aren't" are none."""


def _by_kind(target: Request, new: str, context: Context) -> tuple[Slot, ...]:
    """Replace the only number or the name of a request by a bare number or a quoted name."""
    quoted = _QUOTED.search(new)
    names = [slot for slot in target.slots if slot.name in ("name", "title", "subject")]
    if quoted and names:
        return (replace(names[0], value=quoted["it"], words=quoted[0]),)
    days = [one for one in times_in(new, context.now) if one.kind == "day"]
    amounts, money = [one for one in amounts_in(new) if not overlaps(one, days)], _sums(target)
    if len(amounts) == 1 and len(money) == 1 and amounts[0].kind != "percent" and not times_like(amounts[0].unit):
        return (replace(money[0], value=amounts[0].value, words=amounts[0].words),)
    return ()


def times_like(unit: str) -> bool:
    """Return whether the word after a number is a unit of time."""
    return unit.rstrip("s") in ("day", "week", "month", "year", "hour", "minute", "am", "pm", "o'clock")


_SERIES = re.compile(r"\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b")


def _duty(target: Request, text: str, new: str, context: Context) -> tuple[Slot, ...]:
    """Return the changed figures or rhythm of a regular report; `new` is the text without the old value."""
    figures = [str(one) for one in target.slot("figures", [])]
    bare, rest = (_LASTS.sub("", one).strip() for one in (text, new))
    if found := _OUT.search(bare):
        words = next(part for part in found.groups() if part)
        kept = [one for one in figures if not (_terms(one) & _terms(words))]
        return (Slot("figures", kept, words.strip()),) if 0 < len(kept) < len(figures) else ()
    if found := _ADDED.search(bare):
        words = re.sub(r"(?i)\b(?:too|as well|also|the (?:report|mail|line))\b", "", found["it"])
        more = [name for name in context.vocabulary.metrics if _has_words(bare, name) and "_" in name]
        more = more or _SERIES.findall(bare)  # the name of a series that no file has had yet
        more = more or figures_in(f"with {words.strip(' ,')}")
        more = [re.sub(r"(?i)\s+(?:used )?in$", "", one) for one in more if one.lower() not in map(str.lower, figures)]
        if more:
            return (Slot("figures", [*figures, *more], words.strip(" ,")),)
    given = values_for("report_regularly", rest, context)
    return tuple(slot for slot in given if slot.value != target.slot(slot.name))


_LASTS = re.compile(r"(?i)\b(?:from (?:now|today|next \w+) on|from (?:now|next \w+)|in future|please|pls)\b,?")

_BREAK = order_form("conversation.break")
_GOES_ON = re.compile(r"\b(?:again|usual|carry on|before|normal|resume|afterwards|as always|go on)\b")
_LASTING = re.compile(r"\b(?:from now on|for good|any ?more|any longer|altogether|ever again|all of them|no longer)\b")


def is_duty_break(text: str, target: Request, context: Context) -> tuple[Slot, ...]:
    """Return the days on which a regular report is skipped once, or nothing."""
    flat = plain(text)
    rhythm = target.slot("rhythm", {})
    if not _BREAK.search(flat) or _LASTING.search(flat):
        return ()
    clauses = [one for one in re.split(r"(?<=[.!?;:])\s|,|\band\b|\bthen\b|\bafter that\b", text) if one.strip()]
    breaks = [one for one in clauses if _BREAK.search(plain(one))]
    days = [time for one in breaks for time in times_in(one, context.now) if time.kind == "day" and time.day]
    if not days:
        others = [one for one in clauses if one not in breaks and not _GOES_ON.search(plain(one))]
        found = [time for one in others for time in times_in(one, context.now) if time.kind == "day" and time.day]
        dated = [time for time in found if re.search(r"\d", time.words)] or found
        days = dated if len(dated) == 1 else []
    weekday = str(rhythm.get("weekday", "")) if isinstance(rhythm, Mapping) else ""
    left = {_day_of_week(time, weekday) or time.day: time.words for time in days if time.day}
    left = {day: words for day, words in left.items() if not weekday or day.strftime("%A") == weekday}
    if not left:
        return ()
    return (Slot("left_out", sorted(day.isoformat() for day in left), next(iter(left.values()))),)


def _day_of_week(time: SpokenTime, weekday: str) -> date | None:
    """Return the day of the report in a week that is named as a whole: "next week"."""
    if time.day is None or weekday not in WEEKDAYS or not time.words.lower().endswith("week"):
        return None
    return time.day + timedelta(days=WEEKDAYS.index(weekday) - time.day.weekday())


def _terms(words: str) -> set[str]:
    return set(re.findall(r"[a-z]{3,}", words.lower())) - {"the", "our", "and", "number", "numbers"}


def _left_out(target: Request, words: str, context: Context) -> tuple[Slot, ...]:
    """Return the recipients without those that are to be left out, where the records know their name."""
    recipients = target.slot("recipients")
    if not isinstance(recipients, Mapping):
        return ()
    name = re.sub(r"(?i)^(?:the|our|to|for)\s+", "", words.strip())
    people = tuple(one for one, place in context.vocabulary.names.items() if place.startswith("contact"))
    for field, known in (("company", context.vocabulary.companies), ("name", people)):
        close = [one for one in known if re.search(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", one)]
        exact = [one for one in close if one.lower() == name.lower()] or close
        value = exact[0] if len(exact) == 1 else None  # of two namesakes nobody is left out unasked
        if value is not None and not isinstance(recipients.get("where", {}).get(field), str):
            where = {**recipients.get("where", {}), field: {"not": value}}
            return (Slot("recipients", {**recipients, "where": where}, words.strip()),)
    return ()


# --- withdrawals --------------------------------------------------------------


def withdrawal(text: str, context: Context, share: float) -> Reading:
    """Read a withdrawal: of the order that it names, else of the newest open one, else of the newest."""
    flat = plain(text)
    orders = orders_before(context)
    named = _record_named(text, context)
    slots = (Slot("records", named, named),) if named else ()
    if not orders:
        return Reading("withdrawal", text, slots=slots, confidence=share if named else min(share, UNRESOLVED))
    target = by_mention(flat, orders)[0]
    if takes_back_nothing(flat, target):
        return Reading("unclear", text, confidence=UNRESOLVED)
    about = "" if find_counted(flat, orders) else _object(flat)
    if about and not named and mentions(flat, target) == 0:
        return Reading("withdrawal", text, slots=(Slot("records", about, about),), confidence=min(share, UNRESOLVED))
    name = next((str(value) for key in ("name", "title") if (value := target.slot(key))), "")
    if not slots and name and _terms(name) & _terms(flat):
        slots = (Slot("records", name, name),)
    return Reading("withdrawal", text, target.operation, slots, refers_to=target.id, confidence=share)


def _record_named(text: str, context: Context) -> str:
    """Return the name of a campaign or work package of the records that a text has, or ""."""
    for name, place in sorted(context.vocabulary.names.items(), key=lambda pair: -len(pair[0])):
        if place.split("/")[0] in ("campaigns", "work_packages") and re.search(
            rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text
        ):
            return name
    return ""


def _object(flat: str) -> str:
    """Return the words for the thing that is to be stopped, or "" where it is only "it" or "that"."""
    found = re.search(
        r"\b(?:cancel|stop|forget|scrap|drop|bin|kill|end|withdraw|skip|delete|remove|call off)(?: about)?\s+"
        r"(?P<it>(?:the|my|that|this|our|your) [\w '-]+?)(?=$|[,.;:!?]| (?:i|we|please|because|as|now|again|off|"
        r"after)\b)",
        flat,
    )
    words = found["it"] if found else ""
    return (
        ""
        if re.fullmatch(r"(?:the|that|this|my) (?:whole )?(?:thing|lot|order|one|request|last|it|idea)", words)
        else words
    )


# --- answers ------------------------------------------------------------------


def answer(text: str, context: Context, share: float) -> Reading:
    """Read an answer to the newest request with a question: the slots it asked for, and yes or no."""
    target = find_pending(context)
    if target is None:
        return Reading("answer", text, confidence=min(share, UNRESOLVED))
    flat = plain(text)
    is_without = "confirm" in target.missing and _WITHOUT.search(flat) is not None
    is_yes = is_without or bool(_YES.match(flat))
    is_no = not is_without and bool(_NO.match(flat))
    rest = re.sub(
        r"(?i)^\W*(?:yes|no|sure|ok(?:ay)?|yep|yeah|nope|nah|right|please|exactly|of course)\b[\s,.!:;-]*", "", text
    ).strip()
    slots = list(_read_answer(target, rest, context)) if rest else []
    if is_no and not slots:
        slots = [Slot("yes", False, text)]
    elif is_yes:
        slots.append(Slot("yes", True, text))
    left = tuple(name for name in target.missing if name not in {slot.name for slot in slots} and name != "confirm")
    if not slots:
        return Reading("answer", text, target.operation, (), left, target.id, min(share, UNRESOLVED))
    return Reading("answer", text, target.operation, tuple(slots), left, target.id, share)


def choice_of_namesake(body: str, context: Context) -> Reading | None:
    """Return the answer to the question which of several people with one name is meant, or None."""
    if (target := find_pending(context)) is None or "recipients" not in target.missing:
        return None
    names = target.slot("unexplained") or [target.slot("recipients", {}).get("where", {}).get("name", "")]
    chosen = chosen_namesake(names, body, context.vocabulary)
    left = tuple(name for name in target.missing if name != "recipients")
    slots = (Slot("recipients", chosen, body),)
    return Reading("answer", body, target.operation, slots, left, target.id, 0.85) if chosen else None


def wanted_slots(target: Request) -> list[str]:
    """Return the names of the slots that an open question asks for."""
    return [name for name in target.missing if name not in ("confirm", "value")]


def _read_answer(target: Request, text: str, context: Context) -> Iterable[Slot]:
    """Yield the slots that an answer gives: those that were asked for, by their kind, else others of the operation."""
    wanted = wanted_slots(target)
    found: dict[str, Slot] = {}
    for form in (text, f"for {text}", f"on {text}", f"to {text}", f"by {text}"):
        for slot in values_for(target.operation, form, context):
            if slot.name in wanted or (form == text and not wanted):
                found.setdefault(slot.name, slot)
    for name in wanted:
        if name in found:
            continue
        if value := _of_schema(target.operation, name, text, context) or _of_kind(name, text, context):
            found[name] = value
    return found.values()


def _of_schema(operation: str, name: str, text: str, context: Context) -> Slot | None:
    """Return the number or the declared value that an operation known by its schema alone asked for."""
    known = [one for one in context.operations if one.name == operation and is_read_by_schema(operation)]
    spec = known[0].parameters.get("properties", {}).get(name, {}) if known else {}
    amounts, words = amounts_in(text), re.findall(r"[\w-]+", text.lower())
    named = [choice for choice in spec.get("enum", ()) if str(choice).lower() in words]
    if len(named) == 1:
        return Slot(name, named[0], text)
    if spec.get("type") in ("integer", "number") and len(amounts) == 1:
        value = amounts[0].value
        return Slot(name, int(value) if float(value).is_integer() else value, text)
    return None


def _of_kind(name: str, text: str, context: Context) -> Slot | None:
    """Return the value of one requested slot, read by the kind that its name gives."""
    amounts = amounts_in(text)
    if name.endswith(("usd", "amount", "budget", "price", "weeks", "hours", "limit", "target", "count", "days")):
        return Slot(name, amounts[0].value, text) if len(amounts) == 1 else None
    if name in ("date", "deadline"):
        return next((replace(slot, name=name) for slot in _times(text, "remind", context) if slot.name == "date"), None)
    if name == "figures":
        figures = figures_in(f"with {text}")
        return Slot("figures", figures, text) if figures else None
    if name == "steps":
        steps = next((one for one in project_of(text, context).slots if one.name == name), None)
        return steps if steps is not None and len(steps.value) > 1 else None
    if name in ("recipients", "channel", "segment", "operation", "to", "rhythm"):
        return None
    words = re.sub(r"(?i)^(?:call it|it(?:'s| is)|the \w+ is|let(?:'s| us) say|about)\s+", "", text).strip(" .!'\"“”‘’")
    return Slot(name, words, text) if words else None


# --- repetitions --------------------------------------------------------------


def is_repetition(text: str, context: Context) -> bool:
    """Return whether a text repeats an earlier order ("the same on search, but for two weeks")."""
    if not _SAME.search(text) or not orders_before(context) or _REST_SAME.match(plain(text)):
        return False
    operation, score = operations_of(text, context)[0]
    return operation != "ask_colleagues" or score <= 0.85


def orders_before(context: Context) -> list[Request]:
    """Return the earlier orders that were neither withdrawn nor refused, newest first."""
    return [one for one in context.earlier if one.act == "order" and one.status not in ("withdrawn", "refused")]


def repetition(text: str, context: Context, share: float) -> Reading | None:
    """Read "the same, but ..." as a new order with the slots of an earlier one, or return None."""
    if not is_repetition(text, context):
        return None
    orders = orders_before(context)
    target = by_mention(plain(text), orders)[0]
    given = {slot.name: slot for slot in values_for(target.operation, text, context)}
    given.pop("draft", None)
    is_unnamed = target.operation in LETTERS and not {"recipients", "to", "list"} & set(given)
    slots = [given.pop(slot.name, slot) for slot in target.slots]
    slots += [slot for slot in given.values() if slot.name in target.missing]
    if target.operation == "remind" and (aim := _FOR_WHAT.search(text)):
        what = re.split(r"(?i)\s+(?:but|only|on|by|at|next|in)\b", aim["it"])[0]
        slots = [Slot("text", what, what) if one.name == "text" else one for one in slots]
    title, new = target.slot("title"), next((one for one in slots if one.name == "title"), None)
    if new is not None and new.value == title and (aim := _FOR_WHAT.search(text)):
        new = Slot("title", aim["it"], aim["it"])  # "another 300 dollars for the gate" is no second hay shed
        slots = [new if one.name == "title" else one for one in slots]
    slots = [replace(one, value=new.value) if new and one.name == "description" and one.value == title else one
             for one in slots]  # fmt: skip
    if target.operation in ("email_send", "email_campaign"):
        slots = _other_letter(target, slots, text, context)
    missing = tuple(name for name in target.missing if name not in {slot.name for slot in slots})
    readers = slot_of(target, "recipients")
    if is_unnamed and (readers is None or readers in slots) and (to := _TO_NAME.search(text) or _TO_THEM.search(text)):
        slots = [slot for slot in slots if slot.name not in ("recipients", "to", "left_over")]
        # whom no record knows: not those of the earlier one
        slots += [Slot("left_over", [to["it"]], to["it"])] if to.re is _TO_NAME else []
        return Reading("order", text, target.operation, tuple(slots), ("recipients",), target.id, max(share, 0.85))
    has_changed = any(slot not in target.slots for slot in slots)
    return Reading(
        "order", text, target.operation, tuple(slots), missing, target.id, max(share, 0.85) if has_changed else share
    )


_FOR_WHAT = re.compile(r"(?i)\bfor (?:the|our|my) (?P<it>(?!same\b)\w[\w' -]{2,40})")
_TO_THEM = re.compile(r"(?i)\bto (?:him|her)\b")
_TO_NAME = re.compile(r"\b(?:to|for)\s+(?P<it>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)*)")


def slot_of(target: Request, name: str) -> Slot | None:
    """Return the slot of an order with this name, or None."""
    return next((slot for slot in target.slots if slot.name == name), None)


def _other_letter(target: Request, slots: list[Slot], text: str, context: Context) -> list[Slot]:
    """Return the slots of a letter to others, with place and day of the earlier one replaced."""
    original = order(target.sentence, context)
    swaps = [(one.words, other.words) for one, other in _days(target.sentence, text, context)]
    place = re.search(r"\b(?:for|to|in|at|from)\s+(?:the\s+)?(?P<it>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)*)", text)
    before = re.search(r"\b(?:in|from|of|at)\s+(?P<it>[A-ZÀ-Þ][\w'’-]+(?:\s[A-ZÀ-Þ][\w'’-]+)*)", target.sentence)
    sentence = target.sentence
    if place and before:
        swaps.append((before["it"], place["it"]))
    for one, other in swaps:
        sentence = re.sub(rf"(?<!\w){re.escape(one)}(?!\w)", lambda _, other=other: other, sentence)  # type: ignore[misc]
    again = {slot.name: slot for slot in order(sentence, context).slots}
    first = {slot.name: slot for slot in original.slots}
    return [
        again[slot.name] if slot.name in again and slot.name in first and slot.value == first[slot.name].value else slot
        for slot in slots
    ]


def _days(before: str, after: str, context: Context) -> Iterable[tuple[Slot, Slot]]:
    """Yield the first day of an earlier text with the day that a later one puts in its place."""
    old = [time for time in times_in(before, context.now) if time.kind == "day" and time.day]
    new = [time for time in times_in(after, context.now) if time.kind == "day" and time.day]
    for one, other in zip(old, new, strict=False):
        year = re.search(r"\b(?:19|20)\d\d\b", one.words)
        before_words, after_words = (re.sub(_ROLE, "", time.words).strip(" .,") for time in (one, other))
        after_words += f" {year[0]}" if year and year[0] not in after_words else ""
        yield Slot("day", one.iso, before_words), Slot("day", other.iso, after_words)
