"""Reminders in unusual words, in pairs, or counted back from a deadline.

"On the 27th tell me about the display." "Remind me on Thursday to fetch it, and a week later to take it back."
"The contract has to be signed by 20 November. Nudge me two days before."
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from mabos.language.amounts import whole_number
from mabos.language.catalogue import wordings
from mabos.language.frames import asks
from mabos.language.interpreter import Context
from mabos.language.orders import operations_of
from mabos.language.request import Reading, Slot
from mabos.language.sentences import plain
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import form, order_form, word_lists

REMIND = "remind"
_WORD = (
    r"(?:(?:tell|remind|nudge|ping|poke|alert|prompt) (?:me|us)(?: again)?|(?:give|send|drop) (?:me|us) (?:a|another) "
    r"(?:word|shout|reminder|nudge|line|note|ping|poke)|say (?:something|a word) to (?:me|us)|come back to (?:me|us)|"
    r"get back to (?:me|us)|(?:i|we)(?:'d| would)? (?:want|like|need) (?:to hear(?: from you)?|a word(?: from you)?|"
    r"a reminder|a nudge)|let me hear(?: from you)?|i am to be told)"
)
_LATER = (
    r"(?:(?P<count>a|an|one|two|three|four|five|six|ten|\d+) (?P<unit>day|week)s? (?:later|after that|after(?:wards)?)|"
    r"the (?P<one>day|week) after(?: that)?)"
)
_CUES = re.compile(rf"\b{_WORD}\b|\bplease\b|\bagain\b|^\W*(?:bring|raise|mention)\b", re.IGNORECASE)
_THEN = re.compile(
    r"(?i)(?:,|;|\band\b|\bthen\b|\bplus\b|\bagain\b)[\s,]*(?:(?:and|then|again|also|once more|one|another)\s+)*"
    rf"(?P<later>{_LATER})\b"
)
_AGAIN = re.compile(r"(?i)(?:,|;|\band\b|\bplus\b|[.!]\s)\s*(?:(?:and|then|again|also|once more|another one)[\s,]+)*$")
_ABOUT = re.compile(r"(?i)^[\s,]*(?:again[\s,]+)?(?P<how>about|of|to|for|on account of|that|regarding|concerning)\b\s*")
_ON_THE = re.compile(r"\b(on the \d{1,2}(?:st|nd|rd|th)) of (?=(?:the|our|my) (?!month))", re.IGNORECASE)
"""A day of the month before what is to be reminded of, "on the 20th of the deposit"."""
_BEGINS_WITH_DAY = re.compile(r"(?:(?:and|also|please|so|then)\b[\s,]*)*(?:on|in|at|next|tomorrow|by)\b", re.IGNORECASE)
_DAY_FIRST = re.compile(r"\bon the \d{1,2}(?:st|nd|rd|th) about\b", re.IGNORECASE)
_ALSO = order_form("reminders.also")
_BEFORE = order_form("reminders.before")
_WORK = re.compile(r"\b(?:has to|have to|must|needs? to|is to|are to|should|ought to|is due|are due|falls due)\b", re.I)
_CHANGES = order_form("reminders.changes")
_NOT_BEFORE = order_form("reminders.not_before")
"""A sentence that only says that a reminder comes on its day, as each does."""


def reminders(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return the reminders of a message that no reader of single orders gets right, and its other sentences."""
    spelled = [_ON_THE.sub(r"\1 about ", one.translate({0x2019: "'", 0x2018: "'"})) for one in sentences]
    if (found := _before_deadline(spelled, context)) or (found := _also(spelled, context)):
        return found
    for at, sentence in enumerate(spelled):
        follow = spelled[at + 1] if at + 1 < len(spelled) and _follows(spelled[at + 1], context) else ""
        made = _read_dated(f"{sentence} {follow}".strip(), context)
        if made:
            after = at + (2 if follow else 1)
            rest = (*sentences[:at], *(one for one in sentences[after:] if not _NOT_BEFORE.match(one)))
            return made, rest
    return (), tuple(sentences)


def _read_dated(text: str, context: Context) -> tuple[Reading, ...]:
    """Return the reminders of a sentence with days of its own, where it is one in other words, or has several."""
    cue = re.search(rf"\b{_WORD}\b", text, re.IGNORECASE) or re.search(
        r"\b(?:bring|raise|mention)\b(?=.*\b(?:again|with me|to me)\b)", text, re.IGNORECASE
    )
    days = [one for one in times_in(text, context.now) if one.kind == "day" and one.day and one.role in ("on", "")]
    days = [one for one in days if one.day and one.day > context.now.date()]
    if cue is None or not days or _CHANGES.search(text) or not _is_head(text[: cue.start()], days):
        return ()
    parts = _parts(text, days)
    usual = any(one.search(text.lower()) for one in wordings()[REMIND].cues)
    if usual and len(parts) == 1 and not _BEGINS_WITH_DAY.match(text) and not _DAY_FIRST.search(text):
        return ()  # the reader of orders has it
    said = [_subject(_CUES.sub(" ", words)) for _, words in parts]
    if re.match(r"(?i)bring|raise", cue[0]):
        said = [(re.sub(r"(?i)^up | up$", "", about), how) for about, how in said]
    made, before = list[Reading](), next((about for about, _ in said if about), "")
    if not before:
        return ()
    for (day, _), (words, how) in zip(parts, said, strict=True):
        points = words != before and re.search(r"\b(?:it|them|that|this)\b", words)
        about = f"{words} ({before})" if points else words
        if (
            not usual
            and not made
            and how not in ("about", "of", "regarding", "concerning")
            and "bring" not in cue[0].lower()
        ):
            return ()
        made.append(_reading(text, day, about or before))
    return tuple(made)


def _is_head(lead: str, days: Sequence[SpokenTime]) -> bool:
    """Return whether words before a cue are only a day or an opening: "on the 27th tell me"."""
    bare = lead
    for one in days:
        bare = bare.replace(one.words, " ")
    return bool(
        re.fullmatch(r"(?i)[\s,.]*(?:(?:and|also|please|so|then|but|only|just|could you|can you|on|the)[\s,]*)*", bare)
    )


def _parts(text: str, days: Sequence[SpokenTime]) -> list[tuple[date, str]]:
    """Return the days of a text with the words that belong to each, in order."""
    marks = [(one.start, one.end, one.day) for one in days if one.day]
    first = marks[0][2]
    for then in _THEN.finditer(text):
        unit = (then["unit"] or then["one"]).lower()
        count = 1 if then["one"] else whole_number(then["count"])
        before = [day for start, _, day in marks if start < then.start()]
        base = before[-1] if before else first
        marks.append((then.start(), then.end(), base + timedelta(days=count * (7 if unit == "week" else 1))))
    marks.sort()
    cuts = [marks[0]] + [one for one in marks[1:] if _THEN.match(text, one[0]) or _AGAIN.search(text[: one[0]])]
    parts = []
    for at, (start, end, day) in enumerate(cuts):
        begin = 0 if at == 0 else start
        until = cuts[at + 1][0] if at + 1 < len(cuts) else len(text)
        words = f"{text[begin:start]} {text[end:until]}"
        parts.append((day, re.sub(r"(?i)[\s,;.]*(?:\b(?:and|then|again|plus|also)\b[\s,]*)*$", "", words)))
    return parts


def _subject(words: str) -> tuple[str, str]:
    """Return the subject of a reminder, and the word that leads to it."""
    bare = re.sub(r"(?i)^[\s,.]*(?:(?:and|also|please|so|then|but|only|just|on|could you|can you)[\s,]+)*", "", words)
    bare = re.sub(
        r"(?i)[,\s]*\b(?:not before|not earlier|no sooner|not sooner|and not before|please)\b[\s.!]*$", "", bare
    )
    lead = _ABOUT.match(bare)
    about = bare[lead.end() :] if lead else bare
    return re.sub(r"\s+", " ", about).strip(" ,.;!"), lead["how"].lower() if lead else ""


def _follows(sentence: str, context: Context) -> bool:
    """Return whether a sentence adds a day to the reminder before it: "And on Wednesday about the hay."."""
    return bool(_ALSO.match(sentence)) and _second(sentence, context) is not None


def _second(sentence: str, context: Context) -> tuple[date, str] | None:
    """Return the day and the subject of "Also on the 16th, about the fitting", or None."""
    lead = _ALSO.match(sentence)
    rest = sentence[lead.end() :] if lead else sentence
    days = [one for one in times_in(rest, context.now) if one.kind == "day" and one.day and one.role in ("on", "")]
    if lead is None or not days or rest[: days[0].start].strip(" ,") or days[0].day is None:
        return None
    if (about := _subject(rest[days[0].end :])) and about[1]:
        return days[0].day, about[0]
    return None


def _also(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]] | None:
    """Return the further reminder that a message adds to the last order, where that was a reminder; else None."""
    latest = next((one for one in context.earlier if one.act == "order"), None)
    if latest is None or latest.operation != REMIND or not sentences or _CHANGES.search(sentences[0]):
        return None
    found = _second(sentences[0], context)
    if found is None:
        return None
    return (_reading(sentences[0], *found),), tuple(sentences[1:])


def _before_deadline(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]] | None:
    """Return the reminder that counts back from a deadline, and the goal where the deadline is of work; else None."""
    for at, sentence in enumerate(sentences):
        cue = re.search(rf"\b(?:{_WORD})", sentence, re.IGNORECASE)
        ahead = _BEFORE.search(sentence)
        bare = sentence.rstrip("? ") if _POLITE.match(sentence) else sentence
        if cue is None or ahead is None or ahead.start() < cue.start() or _CHANGES.search(bare):
            continue
        lead = sentence[: cue.start()].strip(" ,;:-")
        clause = re.sub(r"(?i)[\s,;]*\b(?:so|and|please|therefore|could you|can you)\W*$", "", lead)
        is_before = not clause and at > 0
        clause = clause or (sentences[at - 1] if is_before else "")
        days = [one for one in times_in(clause, context.now) if one.kind == "day" and one.day]
        if len(days) != 1 or days[0].day is None:
            continue
        unit = 7 if ahead["unit"].lower() == "week" else 1
        day = days[0].day - timedelta(days=whole_number(ahead["count"]) * unit)
        if day < context.now.date():
            continue
        about = work = clause.strip(" .!")
        if aim := re.match(r"(?i)[\s,]*(?:to|so (?:that )?i(?: can)?) (?P<it>\w[^.!?]*)", sentence[ahead.end() :]):
            about = f"{aim['it'].strip()} ({about})"
        made = [_reading(" ".join(sentences[at - 1 : at + 1]) if is_before else sentence, day, about)]
        if _WORK.search(plain(clause)) or days[0].role == "by":
            slots = (Slot("text", work, work), Slot("deadline", days[0].iso, days[0].words))
            made.insert(0, Reading("order", clause, "task", slots, confidence=0.85))
        used = {at - 1, at} if is_before else {at}
        rest = tuple(one for number, one in enumerate(sentences) if number not in used and not _NOT_BEFORE.match(one))
        return tuple(made), rest
    return None


def _reading(sentence: str, day: date, about: str) -> Reading:
    slots = (Slot("date", day.isoformat(), ""), Slot("text", about, about))
    return Reading("order", sentence, REMIND, slots, confidence=0.88)


_POLITE = re.compile(r"(?i)\W*(?:(?:and|also|so|then|please) )*(?:can|could|would|will) you\b")
_IS_ABOUT = order_form("reminders.is_about")
_COUNTED_DAYS = re.compile(r"(?i)^(?:the|an?|one|two|three|\d+) (?:day|week)s? (?:before|after)$")


def _day_in(text: str, context: Context) -> str:
    """Return the words of the only day of a text, or ""."""
    days = [one for one in times_in(text, context.now) if one.kind == "day" and one.day]
    return re.sub(r"(?i)^(?:on|by|from|until) ", "", days[0].words) if len(days) == 1 else ""


_ABOUT_IT = order_form("reminders.about_it")


def reminded_of(
    sentences: Sequence[str], context: Context, read_order: Callable[[str, Context], Reading]
) -> Reading | None:
    """Return a reminder whose subject is in another sentence: "I keep forgetting the rent. Nudge me on the 4th"."""
    if len(sentences) != 2:
        return None
    for at, sentence in enumerate(sentences):
        other = sentences[1 - at]
        if operations_of(sentence, context)[0][0] != "remind" or operations_of(other, context)[0][0] == "remind":
            continue
        reading = read_order(sentence, context)
        words = next((str(slot.value) for slot in reading.slots if slot.name == "text"), "")
        if "date" in reading.missing and _COUNTED_DAYS.match(words) and at == 1:
            reading = read_order(f"{sentence.rstrip('.! ')} {_day_in(other, context)}.", context)
            words = ""
        says_what = _IS_ABOUT.match(other.strip())
        if "date" in reading.missing or not _ABOUT_IT.match(words) or other.rstrip().endswith("?"):
            continue
        if at == 0 and not says_what:
            continue
        text = (other.strip()[says_what.end() :] if says_what else other.strip()).rstrip(".!")
        slots = [slot for slot in reading.slots if slot.name != "text"]
        return replace(
            reading, sentence=" ".join(sentences), slots=(*slots, Slot("text", text, text)), missing=(), confidence=0.85
        )
    return None


def ended_reminders(sentences: Sequence[str], context: Context) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """Return the end of each open reminder that a sentence names, by subject or day or as "both", and the others.

    If it names one that is not open, the person is asked.
    """
    ends = [_read_end(one, context, before) for before, one in zip(("", *sentences), sentences, strict=False)]
    found = tuple(reading for one in ends for reading in one)
    return found, tuple(one for one, end in zip(sentences, ends, strict=True) if not end)


def _read_end(body: str, context: Context, before: str) -> tuple[Reading, ...]:
    flat = plain(body)
    every = [one for one in context.earlier if one.operation == REMIND and one.is_open]
    is_end = form("order_taken_back").search(flat) and re.search(r"\b(?:remind|nudge)", flat)
    if not every or not is_end or asks(flat):
        return ()
    days = {one.iso[:10] for one in times_in(body, context.now) if one.kind == "day" and one.day}
    pointed = re.search(r"\b(?:it|that|this)\b", flat)  # its subject is in the sentence before
    said = set(re.findall(r"[a-z]{3,}", f"{flat} {plain(before)}" if pointed else flat)) - word_lists().empty
    chosen = [one for one in every if str(one.slot("date", ""))[:10] in days]
    chosen = chosen or [one for one in every if said & set(re.findall(r"[a-z]{3,}", plain(str(one.slot("text", "")))))]
    if not chosen and (_ALL.search(flat) or (len(every) == 1 and not days and not _SUBJECT.search(flat))):
        chosen = every
    if not chosen:
        return (Reading("withdrawal", body, REMIND, missing=("which",), confidence=0.9),)
    return tuple(Reading("withdrawal", body, REMIND, refers_to=one.id, confidence=0.9) for one in chosen)


_ALL = re.compile(r"\b(?:both|all|every|any|each|reminders)\b")
_SUBJECT = re.compile(r"\bremind(?:er|ing)?(?: me)? (?:of|about|for|to) (?!it\b|that\b|this\b)[\w ]+")
