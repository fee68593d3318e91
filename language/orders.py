"""Orders: the operation that a sentence asks for, and its arguments, each with its words.

operations_of("Score our leads", context)       # (("lead_scoring", 0.95), ...)
order("Start ads on Google for 500 dollars a week", context).missing    # ("weeks",)

A value that a person gave ends in a slot. Words that no slot explains lower the confidence, numbers and names most. A
slot whose `words` are empty was assumed, and a reply has to say so; `left_over` has the words with a number or a name
that nothing explains.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from mabos.language.catalogue import COMPOSITES, Wording, is_read_by_schema, wordings
from mabos.language.classifier import likeliest
from mabos.language.errands import ERRANDS, REASON, errand_scores, impossible_of
from mabos.language.interpreter import Context
from mabos.language.order_draft import OrderDraft
from mabos.language.order_parts import OrderParts, order_parts
from mabos.language.order_slots import fill
from mabos.language.project_steps import add_step
from mabos.language.request import Reading, Slot
from mabos.language.wordlists import order_form, order_words
from mabos.workspace.text import STOPWORDS

LEAST = 0.5
"""An operation below this score is not what was asked for: the order is a task."""
UNSURE = 0.45
"""The confidence of an order whose operation is clear while one of its amounts has no place: it is read back."""
_LOWEST = 0.4
"""An operation that leaves so much of an order unexplained is not what was asked for either."""
_POLITE = order_words("orders.polite")


def operations_of(sentence: str, context: Context) -> tuple[tuple[str, float], ...]:
    """Return the operations a sentence may ask for, with scores, 0 to 1, best first; `task` is always one."""
    return _rank_operations(order_parts(sentence, context), context)


def order(text: str, context: Context) -> Reading:
    """Read a text as an order; below the minimum score its operation is `task`."""
    return _read(text, context)


def _read(text: str, context: Context, *, is_step: bool = False) -> Reading:
    """Read an order, or a step of a project, which is no project itself."""
    parts = order_parts(text, context)
    ranked = [one for one in _rank_operations(parts, context) if not (is_step and one[0] == "project")]
    name, score = ranked[0]
    if name == "task" and (call := _read_as_call(parts, context)):
        return call
    if name in ("task", "improve") and not is_step and (work := _paid_work(parts, name, context)):
        return work
    is_unread = name == "task" and not is_step and not impossible_of(parts)[0] and not is_about_record(text, context)
    kind, share = likeliest_kind(parts.text, context) if is_unread else ("", 0.0)
    if wanted := _by_kind(kind, share, parts, context):
        return wanted
    if kind in _ERRANDS and is_whole(parts, kind):
        name, score = _ERRANDS[kind], LEAST
    draft = OrderDraft(parts, context)
    if name in ERRANDS:
        ERRANDS[name](draft, lambda step: _read(step, context, is_step=True))
    else:
        fill(draft, name, context)
    second = next((value for other, value in ranked[1:] if other != "task"), 0.0)
    left = find_unexplained(draft, name)
    confidence = _confidence(score, second, left) - (0.0 if name in COMPOSITES else 0.25 * _unused_values(draft))
    confidence = round(max(0.05, confidence), 2)
    if confidence < _LOWEST and name not in COMPOSITES:
        draft, name, confidence = OrderDraft(parts, context), "task", LEAST
        ERRANDS[name](draft, lambda step: _read(step, context, is_step=True))
    if name not in COMPOSITES and any(word[0].isdigit() or word[0].isupper() for word in left):
        draft.assume("left_over", list(left))
    return Reading(
        "order", parts.text, name, tuple(draft.slots), tuple(dict.fromkeys(draft.missing)), confidence=confidence
    )


def is_about_record(text: str, context: Context) -> bool:
    """Return whether a text names something on record that is no contact: it orders nothing new."""
    low, known = text.casefold(), context.vocabulary.names.items()
    return any(not place.startswith("contact") and len(name) > 3 and name.casefold() in low for name, place in known)


_OPERATIONS = {
    "letter": "email_send", "campaign": "ad_campaign_create", "work": "work_package_create",
    "document": "content_generate",
}  # fmt: skip
_ERRANDS = {"reminder": "remind", "report": "report_regularly", "project": "project"}
"""The operations of the kinds of work that a message may want."""
_SURE, _CERTAIN = 0.6, 0.85
"""The probabilities from which a kind counts, and from which an order of it is not read back."""


def likeliest_kind(text: str, context: Context) -> tuple[str, float]:
    """Return the kind of work that a text wants, and its probability; "" where its classifier is unsure."""
    best, share = likeliest("kinds", text, context.embedder)
    return (best, share) if share >= _SURE else ("", 0.0)


def _by_kind(kind: str, share: float, parts: OrderParts, context: Context) -> Reading | None:
    """Return an order whose words name no operation, read as the one of its kind of work; None where it has none."""
    name = _OPERATIONS.get(kind, "")
    if kind == "body":
        slots = (Slot("text", parts.core, parts.core), Slot("impossible", "body", parts.core))
        return Reading("order", parts.text, "task", slots, confidence=0.85)
    if not name or (context.operations and not any(one.name == name for one in context.operations)):
        return None
    money = [one for one in parts.amounts if one.kind == "money"]
    if kind == "work" and (not money or any(_PAST.search(_clause_of(parts.text, one.start)) for one in money)):
        return None
    reading = read_as(name, parts.text, context)
    is_sure = share >= _CERTAIN and reading.confidence > UNSURE and not reading.missing
    return replace(reading, confidence=LEAST + 0.1 if is_sure else UNSURE)


_PAST = re.compile(
    r"(?i)\b(?:last|previous) (?:time|year|month|week|spring|summer|autumn|fall|winter)\b|\bago\b|\bused to\b"
)


def _clause_of(text: str, at: int) -> str:
    """Return the clause of a text around a place."""
    start = max((one.end() for one in re.finditer(r"[,.;:!?]\s", text[:at])), default=0)
    return re.split(r"[,.;:!?](?:\s|$)", text[start:], maxsplit=1)[0]


def is_whole(parts: OrderParts, kind: str) -> bool:
    """Return whether an order has the rhythm of a report, or the day of a reminder; a project needs none.

    A rhythm inside a reason does not count: "why we have fewer guests every Tuesday".
    """
    if kind == "report":
        given = [one for one in parts.times if one.kind == "rhythm" and not REASON.search(parts.text[: one.start])]
        is_told = bool(re.search(r"\b(?:me|us)\b", parts.masked))
        return bool(given) and is_told
    return kind == "project" or any(one.day for one in parts.times)


_PAYS = order_form("orders.pays")
_MADE = re.compile(r"^(?:have|get) .*?(?:ed|built|made|done|sewn|cut|hung|laid|swept|dug|painted|set up)\b")


def _paid_work(parts: OrderParts, name: str, context: Context) -> Reading | None:
    """Read an order of something for a sum of money that no operation does as a package of work, to be read back."""
    money = [one for one in parts.amounts if one.kind == "money" and not one.per]
    is_known = not context.operations or any(one.name == "work_package_create" for one in context.operations)
    is_wanted = is_known and len(money) == 1 and _PAYS.match(parts.masked) and not impossible_of(parts)[0]
    is_wanted = is_wanted and not _EACH_ONE.search(parts.masked)
    if not is_wanted or (name == "improve" and not _MADE.match(parts.core.lower())):
        return None
    reading = read_as("work_package_create", parts.text, context)
    slots = [
        replace(one, value=_PRICED.sub("", str(one.value))) if one.name in _WORDED else one for one in reading.slots
    ]
    is_whole = any(one.name == "title" for one in slots) and len(parts.times) <= 1
    return replace(reading, slots=tuple(slots), confidence=UNSURE) if is_whole else None


_EACH_ONE = re.compile(r"\b(?:each|apiece|more|less|(?:a|per) (?:head|piece|person|hour|day|night|kilo|\w+ly))\b")
_WORDED = ("title", "description")
_PRICED = order_form("orders.priced")


_ORDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_STEP = re.compile(rf"(?i)(?<![\w-])step (?P<number>{'|'.join(_ORDINALS)})\b[,:.]?\s+(?=\w)")


def project_of(text: str, context: Context) -> Reading:
    """Read a text as a project, regardless of other words in it."""
    text = _STEP.sub(lambda step: f"{_ORDINALS.index(step['number'].lower()) + 1}. ", text)
    parts = order_parts(text, context)
    draft = OrderDraft(parts, context)
    ERRANDS["project"](draft, lambda step: _read(step, context, is_step=True))
    return Reading("order", parts.text, "project", tuple(draft.slots), tuple(draft.missing), confidence=0.9)


def with_step(body: str, context: Context) -> Reading | None:
    """Return the correction that adds a step to the newest open project, or None."""
    target = next((one for one in context.earlier if one.operation == "project" and one.is_open), None)
    given = target.slot("steps", ()) if target else ()
    steps = add_step(given, body, lambda step: _read(step, context, is_step=True))
    newest = next((one for one in context.earlier if one.act == "order"), None)
    if target is None or not steps or (steps[:-1] == list(given) and target is not newest):
        return None
    slot = Slot("steps", steps, body.strip())
    return Reading("correction", body, "project", (slot,), refers_to=target.id, confidence=0.9)


def read_as(name: str, text: str, context: Context) -> Reading:
    """Read a text as an order of one catalogue operation, regardless of other words in it.

    The confidence is high if every amount is used, and low if one is left or two could be meant.
    """
    parts = order_parts(text, context)
    draft = OrderDraft(parts, context)
    fill(draft, name, context)
    return Reading(
        "order", parts.text, name, tuple(draft.slots), tuple(dict.fromkeys(draft.missing)),
        confidence=0.9 if _explains_amounts(draft) else UNSURE,
    )  # fmt: skip


def _explains_amounts(draft: OrderDraft) -> bool:
    """Return whether each amount of money, and each number without a unit, is in a slot."""
    free = [one for one in draft.parts.amounts if not draft.is_covered(one.start, one.end)]
    taken = [slot.value for slot in draft.slots]
    return not any(one.kind == "money" and one.value not in taken for one in free)


def _read_as_call(parts: OrderParts, context: Context) -> Reading | None:
    """Read an order as a call of an operation that is known by its schema alone, or return None where none fits."""
    known = [one for one in context.operations if is_read_by_schema(one.name)]
    if not known:
        return None
    from mabos.language.calls import ACT, READ_BACK, read_call  # loads learned numbers, which most orders do not need

    call = read_call(parts.text, known, now=context.now)
    missing: tuple[str, ...] = ()
    if call.is_incomplete:
        slots, missing, confidence = call.certain, call.lacking, call.fit
    elif call.probability >= (ACT if impossible_of(parts)[0] else READ_BACK):
        slots, confidence = dict(call.arguments), call.probability
    else:
        return None
    return Reading(
        "order", parts.text, call.operation,
        tuple(Slot(name, value, call.words.get(name, "")) for name, value in slots.items()), missing,
        confidence=round(confidence if confidence >= ACT else min(confidence, UNSURE), 2),
    )  # fmt: skip


def find_unexplained(draft: OrderDraft, name: str) -> tuple[str, ...]:
    """Return the content words of an order that neither its operation nor a slot explains."""
    parts, wording = draft.parts, wordings().get(name)
    if name in COMPOSITES and name != "improve":
        return ()
    text = draft.uncovered()
    if wording:
        text = _without_wording(text, wording)
    found = []
    for match in re.finditer(r"[^\W_][\w'’.&-]*", text[parts.start :]):
        word = match[0].strip(".'’")
        if word.lower() not in STOPWORDS and word.lower() not in _POLITE and len(word) > 1:
            found.append(word)
    return tuple(found)


def _unused_values(draft: OrderDraft) -> int:
    """Return how many amounts, days and quoted names of an order are in no slot."""
    given = [(one.start, one.end) for one in draft.parts.amounts]
    given += [(one.start, one.end) for one in draft.parts.times if one.kind != "rhythm"]
    given += [(one.start, one.end) for one in draft.parts.quoted]
    return sum(1 for start, end in given if not draft.is_covered(start, end))


def _without_wording(text: str, wording: Wording) -> str:
    patterns: list[re.Pattern[str]] = [one for one in (wording.verbs, wording.nouns) if one]
    patterns += [pattern for values in wording.synonyms.values() for pattern in values.values()]
    for pattern in patterns:
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return text


def _confidence(score: float, second: float, words: Sequence[str]) -> float:
    hard = sum(1 for word in words if word[0].isdigit() or word[0].isupper())
    value = score - 0.12 * hard - 0.05 * (len(words) - hard)
    if score - second < 0.1:
        value -= 0.15
    return round(min(0.97, max(0.05, value)), 2)


def _rank_operations(parts: OrderParts, context: Context) -> tuple[tuple[str, float], ...]:
    known = {one.name for one in context.operations}
    scores = {
        name: score
        for name, wording in wordings().items()
        if name not in COMPOSITES
        and (not known or name in known)
        and (score := _score(parts, wording, context.vocabulary.names)) > 0
    }
    scores |= errand_scores(parts, max(scores.values(), default=0.0))
    scores["task"] = max(scores.get("task", 0.0), LEAST)
    return tuple(sorted(scores.items(), key=lambda one: (-one[1], one[0] == "task", one[0])))


def _score(parts: OrderParts, wording: Wording, names: Mapping[str, str]) -> float:
    """Return how well the verbs, nouns and values of an operation fit an order, 0 to 1."""
    text = parts.masked
    if _BANS.search(text) and any(kind in ("money/week", "letter") for kind in wording.kinds.values()):
        return 0.0  # "never write to ..." is no letter
    if any(one.search(text) for one in wording.unless) or (wording.needs == "person" and not _has_person(parts)):
        return 0.0
    first = re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0]
    nouns = list(wording.nouns.finditer(text)) if wording.nouns else []
    head = wording.verbs.match(text) if wording.verbs else None
    opening = head or (_WISH.match(text) if nouns else None)
    evidence, names_record = _evidence(parts, wording), _names_record(parts, wording, names)
    verb = 1.0 if head else 0.9 if opening else 0.4 if wording.verbs and wording.verbs.search(first) else 0.0
    if wording.nouns and _begins_with(wording.nouns, text):
        verb = max(verb, 0.8)
    elif (nouns and evidence >= 0.07) or (names_record and evidence > 0):
        verb = max(verb, 0.7)
    noun = 1.0 if nouns and nouns[0].start() < len(first) else 0.6 if nouns else 0.0
    begin = opening.end() if opening else 0
    if "money/week" in wording.kinds.values() and (evidence >= 0.12 or _is_advertised(parts, wording)):
        verb, noun = max(verb, 0.8), max(noun, 0.9)
    if names_record or (head and _addresses(parts, wording, begin)):
        noun = max(noun, 1.0)
    elif nouns and nouns[0].start() - begin > 60:
        noun -= 0.35
    score = 0.4 * verb + 0.42 * noun
    if any(one.search(text) for one in wording.cues):
        score = max(score, 0.78) + 0.04
    if nouns:
        score += 0.05 * (max(len(match[0].split()) for match in nouns) - 1)
    return round(min(0.97, score + evidence), 3)


_BANS = order_form("orders.bans")
_DETERMINED = re.compile(r"(?:(?:an?|the|one|another|new|some|more|second|third|further|and|now|please|pls)\s+)*")


def _begins_with(nouns: re.Pattern[str], text: str) -> bool:
    """Return whether an order begins with its object, without a verb: "a letter to ...", "reminder: ..."."""
    lead = _DETERMINED.match(text)
    return nouns.match(text, lead.end() if lead else 0) is not None


_WISH = re.compile(r"(?:need|want|like|love|wish|new)\b")
_TO_PEOPLE = order_form("orders.to_people")


def _is_advertised(parts: OrderParts, wording: Wording) -> bool:
    """Return whether an order gives a channel and an amount a week, and so needs no word for a campaign."""
    channels = wording.synonyms.get("channel", {}).values()
    on_channel = any(re.search(rf"\b(?:on|via|through) {one.pattern}", parts.masked, re.IGNORECASE) for one in channels)
    return on_channel and any(one.per in ("week", "day") for one in parts.amounts)


def _has_person(parts: OrderParts) -> bool:
    """Return whether an order names a person: by an address, in quotes, or with two capitals behind its verb."""
    behind_verb = parts.core.partition(" ")[2]
    return bool(parts.quoted or "@" in parts.core or re.search(r"[A-ZÀ-Þ][\w'’-]+ [A-ZÀ-Þ][\w'’-]+", behind_verb))


def _names_record(parts: OrderParts, wording: Wording, names: Mapping[str, str]) -> bool:
    """Return whether an order names a record that an argument of the operation takes."""
    sections = [kind.partition(":")[2] for kind in wording.kinds.values() if kind.startswith("record:")]
    low = parts.text.lower()
    return any(name.lower() in low and place.startswith(tuple(sections)) for name, place in names.items() if sections)


def _addresses(parts: OrderParts, wording: Wording, begin: int) -> bool:
    """Return whether the verb of a letter is followed by its readers: "tell the members", "let Ms Vane know"."""
    if wording.operation != "email_send":
        return False
    if "text" in parts.labels or "subject" in parts.labels:
        return True
    return bool(
        parts.selection and _TO_PEOPLE.match(parts.masked) and 0 <= parts.selection.start - parts.start - begin < 12
    )


_GIVES_LETTER = re.compile(r"\bsubject\b.*\b(?:text|body)\b")


def _evidence(parts: OrderParts, wording: Wording) -> float:
    """Return up to 0.12 for values in the order that the operation's arguments take."""
    found = 0.0
    if "money/week" in wording.kinds.values() and any(one.per == "week" for one in parts.amounts):
        found += 0.06
    if "weeks" in wording.kinds.values() and any(one.kind == "duration" for one in parts.times):
        found += 0.03
    if "selector" in wording.kinds.values() and parts.selection:
        found += 0.05
    if "letter" in wording.kinds.values() and _GIVES_LETTER.search(parts.masked):
        found += 0.06
    if wording.operation == "metrics_record" and any(_spell_metric(one) in parts.masked for one in parts.metrics):
        found += 0.12
    if any(pattern.search(parts.masked) for values in wording.synonyms.values() for pattern in values.values()):
        found += 0.04
    return min(0.12, found)


def _spell_metric(metric: str) -> str:
    return metric.lower().removesuffix("_rate").removesuffix("_usd").replace("_", " ")
