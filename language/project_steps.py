"""Projects: a title and steps in order, from a numbered list or from prose with "first", "then" and "last"."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.letters import LETTERS
from mabos.language.order_draft import OrderDraft
from mabos.language.phrasing import as_imperative, roots
from mabos.language.request import Reading, Slot
from mabos.language.sentences import begins_with_verb
from mabos.language.wordlists import form, order_form, order_table

_NUMBERED = re.compile(r"(?:(?<=\s)|(?<=^)|(?<=[:;,(]))(?:step\s+)?(?P<number>\d{1,2})[.):]\s+|(?:^|\s)[-*•]\s+")
APPROVAL_WORDS = re.compile(order_table("project_steps.approval_words"), re.IGNORECASE)
_CONNECTOR = order_form("project_steps.connector")
_SPLIT = order_form("project_steps.split")
_CONDITION = order_form("project_steps.condition")
_TITLE: list[str] = packaged_yaml("requests/project_titles.yaml")["titles"]


def fill_project(draft: OrderDraft, read: Callable[[str], Reading]) -> None:
    """Fill title, steps and conditions of a project; each step is work, an approval, or an operation with its slots."""
    parts = draft.parts
    head, steps, conditions = steps_of(parts.core)
    title = parts.name.words if parts.name else _title(head or parts.core) or _title_of_head(head or parts.core)
    if title or steps:  # a project that nobody names is called by its first step
        title = title or steps[0][:1].upper() + steps[0][1:]
        draft.slots.append(Slot("title", title, title))
    else:
        draft.lack("title")
    if steps:
        draft.slots.append(Slot("steps", [_step(one, read) for one in steps], parts.core))
    else:
        draft.lack("steps")
    if conditions:
        draft.slots.append(Slot("conditions", conditions, " ".join(conditions)))
    if parts.deadline and not _NUMBERED.search(parts.text[: parts.deadline.start]):
        draft.put("deadline", parts.deadline.iso, parts.deadline.start, parts.deadline.end)


def steps_of(text: str) -> tuple[str, list[str], list[str]]:
    """Return the head of a project's order, its steps in order, and their conditions.

    >>> steps_of("Plan the move: 1. measure the rooms; 2. book the van. Nothing is booked before I agree.")[1:]
    (['measure the rooms', 'book the van'], ['Nothing is booked before I agree'])
    """
    text = _AS_PLAN.sub("", re.sub(r"(?i)\b(i|we)['’]d (?:like|love)\b", r"\1 want", text))
    text = _bare_numbers(_number_letters(re.sub(r"(?i)[\s.,;]+(?:always |just )?in (?:that|this) order\W*$", "", text)))
    marks = list(_NUMBERED.finditer(text))
    if len(marks) >= 2:
        head = text[: marks[0].start()]
        ends = [*(one.start() for one in marks[1:]), len(text)]
        chunks = [text[mark.end() : end].strip(" ;,\n") for mark, end in zip(marks, ends, strict=True)]
        last, *after = re.split(r"(?<=[.!?])\s+(?=[A-Z])|\s*\n\s*", chunks[-1])
        chunks[-1] = last
        return head, [_trim_step(one) for one in chunks if one.strip()], [one.strip(" .") for one in after]
    return _prose(text)


_AS_PLAN = order_form("project_steps.as_plan")
_NOT_UNTIL = re.compile(r"(?i)\b(?:and |but )?(?:not until then|not before then|only after (?:that|this)|only then)\b")
_ONCE_DONE = order_form("project_steps.once_done")
_MY_STEP = order_form("project_steps.my_step")
_THEN = re.compile(r"^(?:(?:and|then|next|so|after (?:that|this)|,)\s*)+", re.IGNORECASE)
_BEFORE = re.compile(r"\s+before (?P<it>.*(?:\d|work package).*)", re.IGNORECASE)
"""An order that an approval precedes: it has a sum, and no other step repeats it."""
_BEGIN, _ADDED, _MOVED = (order_form(f"project_steps.{name}") for name in ("begin", "added", "moved"))


_LETTER = re.compile(r"(?:(?<=\s)|(?<=^)|(?<=[:;,(]))\(?(?P<letter>[a-j])[).]\s+(?=\w)", re.IGNORECASE)


def _number_letters(text: str) -> str:
    """Return a list that is marked by letters, "a) measure; b) draw", or by "(1)", with numbers."""
    text = re.sub(r"(?:(?<=\s)|^)\((\d{1,2})\)\s+", r"\1. ", text)
    found = list(_LETTER.finditer(text))
    if len(found) < 2 or "".join(one["letter"].lower() for one in found) != "abcdefghij"[: len(found)]:
        return text
    return _LETTER.sub(lambda one: f"{ord(one['letter'].lower()) - ord('a') + 1}. ", text)


def _bare_numbers(text: str) -> str:
    """Return a list that is numbered without points, "1 measure 2 draw 3 pack", with them."""
    found = list(re.finditer(r"(?:(?<=\s)|^)(\d) (?=[a-z])", text))
    if len(found) < 3 or [int(one[1]) for one in found] != list(range(1, len(found) + 1)):
        return text
    return re.sub(r"(?:(?<=\s)|^)(\d) (?=[a-z])", r"\1. ", text)


_WE = re.compile(r"(?i)^we (?:gotta|(?:got|have|need|ought|want) to|must|should) ")


def _prose(text: str) -> tuple[str, list[str], list[str]]:
    text = _WHICH_I.sub(". I", _NOT_UNTIL.sub("then", text))
    topic = _TOPIC.match(text)
    if topic and len(topic["it"].split()) < _LONG_TOPIC and not begins_with_verb(topic["it"]):
        head, steps, conditions = _prose(text[topic.end() :])
        return f"{topic['it']} = project. {head}", steps, conditions
    begin = _BEGIN.search(text)
    colon = re.search(r":\s+", text)
    said = _SAYS_PROJECT.match(text)
    at = begin.end() if begin else colon.end() if colon else said.end() if said else 0
    head, steps, conditions = text[:at], [], []
    for part in _SPLIT.split(text[at:]):
        chunk = _ONCE_DONE.sub("", (part or "").strip())
        if approval := _MY_STEP.match(_THEN.sub("", chunk)):
            steps.append(approval[0].strip(" ,"))
            rest = _THEN.sub("", chunk)[approval.end() :]
            behind = _BEFORE.match(rest) or re.match(r",\s*(?:and |then )*(?P<it>\w.*)", rest)
            steps += [_trim_step(behind["it"])] if behind else []
            continue
        words = _trim_step(_WE.sub("", _CONNECTOR.sub("", chunk.strip(" ,;"))))
        if not words or words.lower() in ("only", "and", "so", "at", "in that order", "in this order"):
            continue
        if _CONDITION.match(chunk.strip()) and not _CONNECTOR.match(chunk.strip()):
            conditions.append(chunk.strip(" ."))
        else:
            parts = _clauses(re.sub(r"(?i)^(?:we|you|someone|somebody) (?=\w+ (?:the|a|an|our|up|out)\b)", "", words))
            steps += parts if len(parts) > 1 and all(map(_is_order, parts)) else [words]
    if not begin and len(steps) == 1:
        steps = _clauses(steps[0])
    steps = [one for one in steps if not re.fullmatch(r"(?:always )?in (?:that|this) order", one, re.IGNORECASE)]
    return head, steps, conditions


_WHICH_I = re.compile(r"(?i),? which i(?=(?: (?:want|have|need|would like) to| must| shall| will) )")
_TOPIC = re.compile(r"^(?:The |Our |My )?(?P<it>[\w'’ -]{3,40})\.\s+(?=[A-Z])")
_REST = re.compile(r"(?i)\b(?:everything else|the rest|all else|the others?|otherwise)\b")
_LONG_TOPIC = 5
"""Words from which on a first sentence is no bare topic, as "Autumn window."."""
_SAYS_PROJECT = order_form("project_steps.says_project")
"""The sentence before the steps that says that they are a project: "Treat it as a project."."""


def _trim_step(words: str) -> str:
    return re.sub(r"[\s,;.]+(?:and|then)?[\s,;.]*$", "", words.strip()).strip(" ,;.")


def _title(head: str) -> str:
    for pattern in _TITLE:
        match = re.search(pattern, head, re.IGNORECASE)
        if match:
            words = re.sub(
                r"^(?:our|the|a|an|my|this)\s+|\s+for (?:us|me)$", "", match["it"].strip(), flags=re.IGNORECASE
            )
            return words[:1].upper() + words[1:]
    return ""


def _title_of_head(head: str) -> str:
    """Return the purpose of a project without a name: "before the fete", "for the harvest supper"."""
    for pattern in (
        r"(?i)^(?:(?:right|so|ok(?:ay)?|now|well|about|re)[ ,:]+)+(?:the|our|my) (?P<it>[^,.:;]{3,40})[.:]\s",
        r"\bplan (?:for|of) (?P<it>(?!(?:the |this )?following)[a-z]+ing [^,.:;]+?)(?=[,.:;]|$)",
        r"\b(?:before|for|towards|with|about|of) (?:the|our|my|a|an) (?P<it>(?!project|order|following|list)[^,.:;]+?)"
        r"(?=[,.:;]|$| at | as )",
        r"^(?:the|our|my|a|an) (?P<it>[^,.:;]+?)(?= (?:gets|needs|is|has|wants|must|should|will)\b)",
    ):
        if match := re.search(pattern, head, re.IGNORECASE):
            return match["it"][:1].upper() + match["it"][1:].strip()
    return ""


def _is_order(words: str) -> bool:
    return begins_with_verb(words) or bool(re.match(r"[a-z]+ (?:the|an?|our|my|his|her|their|up|out)\b", words))


def _clauses(words: str) -> list[str]:
    parts = re.split(r",\s*(?:and\s+)?(?:then\s+)?|\s+and then\s+", words)
    return [_trim_step(_CONNECTOR.sub("", one)) for one in parts if one.strip()]


def add_step(given: Sequence[Mapping[str, Any]], body: str, read: Callable[[str], Reading]) -> list[dict[str, Any]]:
    """Return the steps of a project after a message adds, moves or drops one; else none.

    >>> given = [{"text": "draw the plan"}, {"text": "plant the beds"}]
    >>> read = lambda words: Reading("order", words)
    >>> [one["text"] for one in add_step(given, "I forgot one: test the soil, before the beds", read)]
    ['draw the plan', 'test the soil', 'plant the beds']
    """
    found = _ADDED.match(body)
    if found is None and (moved := _MOVED.match(body)):
        return _with_step_moved(given, moved)
    if found is None:
        left = body.partition(",")[0].partition(".")[0]
        at = _place(given, left) if form("order_taken_back").search(left.lower()) and _REST.search(body) else None
        return [dict(one) for number, one in enumerate(given) if number != at] if at is not None else []
    places = {
        name: _place(given, found[name]) for name in ("a", "a2", "a3", "b", "b2", "b3", "of", "of2") if found[name]
    }
    way = found["way"] or found["way2"] or ""
    is_before = way.lower() in ("before", "ahead of", "in front of")
    at = len(given) if found["end"] or found["end2"] else None
    for name, place in places.items():
        if at is None and place is not None:
            at = place if name[0] == "b" or (is_before and name[0] != "a") else place + 1
    if at is None:
        return []
    new = _step((found["what"] or found["what2"] or found["what3"] or found["what4"]).strip(), read)
    return [*map(dict, given[:at]), new, *map(dict, given[at:])]


def _with_step_moved(given: Sequence[Mapping[str, Any]], moved: re.Match[str]) -> list[dict[str, Any]]:
    """Return the steps with one of them before or behind another, as "floor before paint"; none where that is so."""
    at, of = _place(given, moved["what"]), _place(given, moved["of"])
    is_behind = moved["way"].lower() in ("after", "behind")
    if at is None or of is None or at == of or (at > of) == is_behind:
        return []
    rest = [dict(one) for number, one in enumerate(given) if number != at]
    place = rest.index(dict(given[of])) + is_behind
    return [*rest[:place], dict(given[at]), *rest[place:]]


def _place(given: Sequence[Mapping[str, Any]], words: str) -> int | None:
    """Return the place of the one step that words name best, by its kind or its words; None where none or several."""
    said = roots(words)
    scores = [
        len(said & roots(str(step.get("text", ""))))
        + 2 * (step.get("kind") == "approval" and bool(APPROVAL_WORDS.search(words)))
        for step in given
    ]
    best = max(scores, default=0)
    return scores.index(best) if best and scores.count(best) == 1 else None


def _step(words: str, read: Callable[[str], Reading]) -> dict[str, Any]:
    """Return one step with its kind; an operation only where one was recognised with confidence."""
    words = as_imperative(words, is_step=True)
    if APPROVAL_WORDS.search(words):
        of = re.search(r"\b(?:of|on|for|to)\s+(?P<it>(?:the|our|a|my)\s+.+)", words, re.IGNORECASE)
        return {"text": words, "kind": "approval", "operation": "", "slots": {"subject": of["it"]} if of else {}}
    reading = read(words)
    is_letter = reading.operation in LETTERS and not _TO_SOMEBODY.search(words)  # "write the catalogue"
    if reading.operation in _STEP_OPERATIONS and reading.confidence >= 0.55 and not is_letter:
        slots = {one.name: one.value for one in reading.slots}
        return {"text": words, "kind": "operation", "operation": reading.operation, "slots": slots}
    slots = {one.name: one.value for one in reading.slots if one.name in ("deadline",)}
    return {"text": words, "kind": "work", "operation": "", "slots": slots}


_TO_SOMEBODY = order_form("project_steps.to_somebody")
_STEP_OPERATIONS = frozenset(
    [
        "work_package_create",
        "ad_campaign_create",
        "email_send",
        "email_campaign",
        "content_generate",
        "crm_tag_contacts",
        "lead_scoring",
        "report_generate",
    ]
)
