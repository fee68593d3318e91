"""Orders read by their tagged parts, for messages in which the rules find no whole order.

    reread("Letter to the landscapers in Kent. Turf is 4.20 dollars. I read it first.", readings, context)

The classifier says which kind of work a message wants, the tagger which of its words are readers, sum, steps or text.
These are put into a plain order in the person's own words, which the rules read. A message with an amount, a day or a
name in quotes that is in no part of it stays as it was read.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from mabos.language.acts import is_remark
from mabos.language.amounts import amounts_in
from mabos.language.audience import audience
from mabos.language.interpreter import Context
from mabos.language.letters import LETTERS
from mabos.language.order_parts import colleagues_in, order_parts
from mabos.language.orders import UNSURE, is_about_record, is_whole, likeliest_kind, order, read_as
from mabos.language.request import Reading, Slot
from mabos.language.tagger import ROLES, TaggedSpan, tag
from mabos.language.times import times_in

LEAST = 0.6
"""The probability of a kind of work from which its parts are looked for."""
FROM_NEWS = 0.7
"""The probability that it needs where every sentence reads as news or as a question; nothing may be missing then."""
CERTAIN = 0.85
"""The probability from which an order of money is not read back."""
_FREE = ("letter", "project", "colleague", "reminder", "report")
"""Kinds of work that spend nothing, or wait for the person anyway."""
KIND_OF = {
    "email_send": "letter", "email_campaign": "letter", "ad_campaign_create": "campaign", "work_package_create": "work",
    "project": "project", "report_regularly": "report", "remind": "reminder", "ask_colleagues": "colleague",
    "tell_colleagues": "colleague", "delegate": "colleague",
}  # fmt: skip
_OF_EARLIER = ("correction", "withdrawal", "answer", "standing")
_BARRED = re.compile(r"(?i)\b(?:not|except|never|but|without)\s+(?:to\s+|for\s+)?$")
_QUOTED = re.compile(r"[“\"][^“”\"]{2,}[”\"]|(?<!\w)['‘][^'’‘]{2,}['’](?!\w)")


def without_remarks(readings: Sequence[Reading], context: Context) -> tuple[Reading, ...]:
    """Return readings where a remark next to an order is news, and nothing to be asked about."""
    if not any(one.act == "order" and not _is_unread(one) for one in readings):
        return tuple(readings)
    return tuple(
        replace(one, act="report", operation="", slots=(), missing=())
        if one.act == "unclear" and is_remark(one.sentence, context.embedder)
        else one
        for one in readings
    )


def reread(text: str, readings: Sequence[Reading], context: Context) -> tuple[Reading, ...]:
    """Return the order that the tagged parts of a message make, or its readings if they are better or as good."""
    readings = tuple(_asking_all(one, text, context) for one in readings)
    is_about_earlier = any(one.refers_to or one.act in _OF_EARLIER for one in readings)
    if not context.is_person or is_about_earlier or is_about_record(text, context):
        return readings
    wanted = [one for one in readings if one.act not in ("report", "small_talk", "unclear")]
    if _is_settled(text, wanted):
        return readings
    kind, share = likeliest_kind(text, context)
    if kind not in ROLES or share < _least_share(kind, wanted, readings):
        return readings
    spans = tag(kind, text, context.now)
    found = None if _has_unplaced(text, spans, context) else _READERS[kind](Parts(text, spans, context))
    usual = next((one for one in readings if one.act == "order" and KIND_OF.get(one.operation) == kind), None)
    if found is None or len(found.missing) > _most_missing(usual, readings):
        return readings
    is_sure = kind in _FREE or (share >= CERTAIN and not found.missing)
    return (replace(found, sentence=text, confidence=0.8 if is_sure else UNSURE),)


def _asking_all(reading: Reading, text: str, context: Context) -> Reading:
    """Return the reading of questions for colleagues in doubt if its text names a colleague who is asked nothing."""
    if reading.operation != "ask_colleagues":
        return reading
    asked = {one["to"] for slot in reading.slots if slot.name == "questions" for one in slot.value}
    named = {agent for agent, _ in colleagues_in(text, context)}
    return replace(reading, confidence=min(reading.confidence, UNSURE)) if named - asked else reading


def _most_missing(usual: Reading | None, readings: Sequence[Reading]) -> int:
    """Return how much an order may lack to be better than the usual reading of it, or than news or a question."""
    if usual is not None:
        return max(0, len(usual.missing) - 1)
    return len(ROLES["letter"]) if any(one.act == "order" for one in readings) else 0


def _is_settled(text: str, wanted: Sequence[Reading]) -> bool:
    """Return whether readings stand in any case: of several things that are wanted none is lost."""
    return len(wanted) > 1 or (bool(wanted) and wanted[0].act == "question" and "?" in text)


def _least_share(kind: str, wanted: Sequence[Reading], readings: Sequence[Reading]) -> float:
    """Return the probability that a kind needs to be read instead; above 1 if it cannot."""
    if not wanted:
        return LEAST if any(one.act == "unclear" for one in readings) else FROM_NEWS
    if wanted[0].act == "question":
        return FROM_NEWS
    if _is_unread(wanted[0]):
        return LEAST
    return CERTAIN if KIND_OF.get(wanted[0].operation, kind) != kind else 2.0


def _is_unread(reading: Reading) -> bool:
    """Return whether a reading leaves the person without an order: a goal for nobody, a question back, nothing."""
    if reading.act == "order":
        steps = next((one.value for one in reading.slots if one.name == "steps"), ())
        is_short = reading.operation == "project" and len(steps) < 2
        if any(one.name == "impossible" for one in reading.slots):
            return False
        least = LEAST if reading.operation in LETTERS else UNSURE
        return reading.operation == "task" or bool(reading.missing) or reading.confidence <= least or is_short
    return reading.act == "unclear"


def _has_unplaced(text: str, spans: Sequence[TaggedSpan], context: Context) -> bool:
    """Return whether an amount, a time or a name in quotes lies outside of every part."""
    amounts = [one for one in amounts_in(text) if one.kind != "count" or re.search(r"\d", text[one.start : one.end])]
    given = [(one.start, one.end) for one in amounts]
    given += [(one.start, one.end) for one in times_in(text, context.now)]
    given += [one.span() for one in _QUOTED.finditer(text)]
    return any(not any(one.start <= start and end <= one.end + 1 for one in spans) for start, end in given)


class Parts:
    """The tagged parts of one order, by role."""

    def __init__(self, text: str, spans: Sequence[TaggedSpan], context: Context) -> None:
        self.text, self.context = text, context
        self.spans = [
            replace(one, role="not_to") if one.role == "to" and _BARRED.search(text[: one.start]) else one
            for one in spans
        ]

    def every(self, role: str) -> list[str]:
        """Return the words of all parts of a role."""
        return [one.words.strip(" ,;()") for one in self.spans if one.role == role]

    def is_single(self, *roles: str) -> bool:
        """Return whether no role of some has two parts, as it has in two orders."""
        return all(len(self.every(role)) < 2 for role in roles)

    def words(self, *roles: str) -> str:
        """Return the text from the first to the last part of some roles, or ""."""
        found = [one for one in self.spans if one.role in roles]
        return self.text[found[0].start : found[-1].end] if found else ""

    def first(self, role: str) -> str:
        """Return the words of the first part of a role, or ""."""
        return next(iter(self.every(role)), "")


def _letter(parts: Parts) -> Reading | None:
    text, facts, subject, looks = parts.first("text"), parts.every("facts"), parts.first("subject"), parts.every("look")
    told = "".join("r" if one.role == "to" else "f" for one in parts.spans if one.role in ("to", "facts", "text"))
    is_several = "rf" in told[told.find("f") :] or not parts.is_single("subject", "text")
    if not (text or facts or subject) or is_several or parts.every("send"):
        return None
    slots, missing = [], []
    meant, unknown = audience(parts.every("to"), parts.every("not_to"), parts.context.vocabulary)
    if meant is None or unknown:
        missing.append("recipients")
    if unknown:
        slots.append(Slot("unexplained", list(unknown), parts.words("to", "not_to")))
    elif meant is not None:
        slots.append(Slot("recipients", meant, parts.words("to", "not_to")))
    if looks:
        slots.append(Slot("draft", True, parts.words("look")))
        if not any(re.match(r"(?i)draft", one) for one in looks):
            slots.append(Slot("look_first", True, parts.words("look")))
    if subject:
        slots.append(Slot("subject", subject.rstrip("."), subject))
    if text:
        slots.append(Slot("text", parts.words("text"), parts.words("text")))
    elif facts:
        slots.append(Slot("facts", " ".join(map(_sentence, facts)), parts.words("facts")))
    else:
        missing.append("text")
    return Reading("order", parts.text, "email_send", tuple(slots), tuple(missing))


def _sentence(words: str) -> str:
    """Return words as a sentence of their own."""
    words = re.sub(r"(?i)^(?:that|and|about)\s+", "", words.strip(" ,;"))
    return f"{words[:1].upper()}{words[1:].rstrip('.!?')}."


def _campaign(parts: Parts) -> Reading | None:
    if not parts.first("sum") or not parts.is_single("name", "channel", "sum", "weeks", "start"):
        return None
    said = ["Start a campaign"]
    said.append(f" '{_bare(parts.first('name'))}'" if parts.first("name") else "")
    said.append(f" on {parts.first('channel')}" if parts.first("channel") else "")
    said.append(f" for {parts.first('to')}" if parts.first("to") else "")
    said.append(f", {' '.join(parts.every('sum'))}")
    said.append(f", {_with_preposition('for', parts.first('weeks'))}" if parts.first("weeks") else "")
    said.append(f", {_with_preposition('from', parts.first('start'))}" if parts.first("start") else "")
    return read_as("ad_campaign_create", "".join(said), parts.context)


def _work(parts: Parts) -> Reading | None:
    if not parts.first("name") or not parts.first("sum") or not parts.is_single("name", "sum", "due", "whom"):
        return None
    name = _bare(parts.first("name")) + (f" ({_bare(parts.first('whom'))})" if parts.first("whom") else "")
    said = f"Create the work package '{name}', {parts.first('sum')}"
    said += f", {_with_preposition('by', parts.first('due'))}" if parts.first("due") else ""
    return read_as("work_package_create", said, parts.context)


def _bare(words: str) -> str:
    return words.strip(" '\"‘’“”.,")


_TIMED = re.compile(
    r"(?i)(?:by|until|till|til|on|in|from|for|before|due|within|not later|no later|at the latest|tomorrow|today|next)\b"
)


def _with_preposition(preposition: str, words: str) -> str:
    return words if _TIMED.match(words) else f"{preposition} {words}"


def _project(parts: Parts) -> Reading | None:
    steps = parts.every("step")
    if len(steps) < 2:
        return None
    title = _bare(parts.first("title")) or _bare(steps[-1])
    due = f", {_with_preposition('by', parts.first('due'))}" if parts.first("due") else ""
    return order(f"Make a project '{title}'{due}. {'; '.join(_bare(one) for one in steps)}.", parts.context)


def _report(parts: Parts) -> Reading | None:
    items, rhythm = parts.every("item"), parts.first("rhythm")
    if (
        not items
        or not rhythm
        or not parts.is_single("rhythm")
        or not is_whole(order_parts(parts.text, parts.context), "report")
    ):
        return None
    said = f"Report to me {rhythm}: {', '.join(items[:-1])}{' and ' if items[1:] else ''}{items[-1]}"
    said += f", {_with_preposition('from', parts.first('start'))}" if parts.first("start") else ""
    found = order(said, parts.context)
    return found if found.operation == "report_regularly" else None


def _reminder(parts: Parts) -> Reading | None:
    if not parts.first("when") or not parts.first("what") or not parts.is_single("when", "what"):
        return None
    found = order(f"Remind me {_with_preposition('on', parts.first('when'))}: {parts.first('what')}", parts.context)
    return found if found.operation == "remind" else None


def _colleague(parts: Parts) -> Reading | None:
    """Return the questions, else the work or news, each for the colleague who is named nearest to it."""
    people = [
        (one, agents[0][0])
        for one in parts.spans
        if one.role == "whom" and (agents := colleagues_in(f"ask {one.words}", parts.context))
    ]
    if not people or len(people) != len(parts.every("whom")):
        return None
    told = [one for one in parts.spans if one.role in ("question", "task")]
    questions = [one for one in told if one.role == "question" or _WANTED.match(one.words)]
    tasks = [one for one in told if one not in questions]
    if questions and not tasks:
        in_order = [agent for _, agent in people]
        if len(questions) != len(people):
            in_order = [_nearest(one, people, parts.text) for one in questions]
        asked = [
            {"to": agent, "question": one.words.strip(" ,.?")} for agent, one in zip(in_order, questions, strict=True)
        ]
        if {one["to"] for one in asked} != {agent for _, agent in people}:
            return None
        slots: tuple[Slot, ...] = (Slot("questions", asked, parts.text),)
        return Reading("order", parts.text, "ask_colleagues", slots)
    if len(tasks) == 1 and not questions and len(people) == 1:
        return order(f"Tell {parts.first('whom')}: {tasks[0].words}", parts.context)
    return None


def _nearest(span: TaggedSpan, people: Sequence[tuple[TaggedSpan, str]], text: str) -> str:
    """Return the agent named nearest to a question; one in the same sentence is nearer than any other."""

    def distance(one: TaggedSpan) -> tuple[bool, int]:
        first, second = sorted((one, span), key=lambda part: part.start)
        between = text[first.end : second.start]
        return bool(re.search(r"[.!?;]\s", between)), len(between)

    return min(people, key=lambda one: distance(one[0]))[1]


_WANTED = re.compile(r"(?i)(?:the|our|how|what|when|where|which|who|whether|if)\b")
"""The beginning of something that a colleague may know: no work begins so."""

_READERS: Mapping[str, Any] = {
    "letter": _letter, "campaign": _campaign, "work": _work, "project": _project, "report": _report,
    "reminder": _reminder, "colleague": _colleague,
}  # fmt: skip
