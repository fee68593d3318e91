"""The parts of an order that are recognised before its operation: lead-in, quotes, labels, amounts, times.

order_parts("Heya, can you start ads on Google?", context).core    # "start ads on Google"
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import TypeVar

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.language.interpreter import Context
from mabos.language.letter_text import letter_end
from mabos.language.selectors import ContactSelection, selector_in
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import order_form, order_table
from mabos.workspace.text import terms

_LEAD_INS: list[str] = packaged_yaml("requests/lead_ins.yaml")["lead_ins"]
_LEAD = re.compile("|".join(f"(?:{one})" for one in _LEAD_INS), re.IGNORECASE)
_TAIL = order_form("order_parts.tail")
_QUOTED = re.compile(r"[“„«\"]([^“”„«»\"]+)[”“»\"]|(?<![\w])[‘']((?:[^'’‘]|(?<=\w)['’](?=\w))+)['’](?!\w)")
_LABEL = order_form("order_parts.label")
_VERBATIM = ("text", "body", "message", "wording", "letter text", "content")
_NAMED = order_form("order_parts.named")
_DEPARTMENTS: Mapping[str, str] = order_table("order_parts.departments")
_ADDRESSED = order_form("order_parts.addressed")
_ASKED = re.compile(r"\b(?:ask|tell|check with|delegate to|hand to|pass to)\s*$", re.IGNORECASE)
_KNOWS = re.compile(r"\s+(?:knows?|has|have|should know)\b", re.IGNORECASE)
_PLAIN_WORDS = terms(
    "product people sales development accounts advertising marketing knowledge strategy compliance finance"
)
"""Departments that are words of other sentences too: they count only where somebody is addressed."""


_SEASON = order_form("order_parts.season")


@dataclass(frozen=True, slots=True)
class TextSpan:
    """Words at `start` to `end` of a text."""

    words: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class OrderParts:
    """The parts of an order; `core` begins at `start` of the text and has neither greeting nor lead-in.

    `masked` is the core in lower case, with quoted and labelled text blanked, so that their words are ignored.
    """

    text: str
    core: str
    start: int
    masked: str
    quoted: tuple[TextSpan, ...] = ()
    labels: Mapping[str, TextSpan] = field(default_factory=dict)
    amounts: tuple[SpokenAmount, ...] = ()
    times: tuple[SpokenTime, ...] = ()
    selection: ContactSelection | None = None
    colleagues: tuple[tuple[str, TextSpan], ...] = ()
    metrics: tuple[str, ...] = ()

    @property
    def deadline(self) -> SpokenTime | None:
        """The day by which something is due, else the only day given."""
        days = [one for one in self.times if one.kind == "day" and one.day and not _is_season(self.text, one)]
        wanted = [one for one in days if one.role == "by"]
        return next(iter(wanted or (days if len(days) == 1 and days[0].role != "from" else [])), None)

    @property
    def name(self) -> TextSpan | None:
        """The name in quotes, or after "called" or "named"."""
        if self.quoted:
            return self.quoted[0]
        found = _NAMED.search(self.text)
        return TextSpan(found["name"].strip(), found.start(), found.end()) if found else None


def _is_season(text: str, time: SpokenTime) -> bool:
    """Return whether a time only says when something is so ("daft in October"), and is no day to do it by."""
    return bool(_SEASON.search(f"{text[: time.start]}{time.words}".rstrip(".,;:!? ")))


def order_parts(text: str, context: Context) -> OrderParts:
    """Return the parts of an order, without deciding its operation."""
    text = text.strip()
    start, core = core_of(text)
    quoted = tuple(
        TextSpan(match[1] or match[2], match.start(), match.end())
        for match in _QUOTED.finditer(text)
        if (match[1] or match[2]).strip()
    )
    labels = _labels(text)
    quoted = tuple(one for one in quoted if not _selects(text, one, context))
    hidden = [*quoted, *(span for name, span in labels.items() if name not in ("budget", "deadline"))]
    open_text = blank_spans(text, hidden)
    times = _last_said(open_text, times_in(open_text, context.now))
    amounts = _last_said(open_text, amounts_in(open_text))
    rhythmic = [one for one in amounts if one.per and not overlaps(one, durations(times))]
    times = tuple(one for one in times if not overlaps(one, rhythmic))
    amounts = tuple(one for one in amounts if one in rhythmic or not overlaps(one, times))
    return OrderParts(
        text, core, start, blank_spans(text, hidden).lower()[start : start + len(core)], quoted, labels, amounts, times,
        _selection(open_text, start, context), colleagues_in(open_text, context),
        context.vocabulary.metrics,
    )  # fmt: skip


_TAGGED = re.compile(r"(?i)\b(?:tagged|tags?|labelled|labeled|marked)\W*(?:as|with|is|are|of|called|named)?\W*$")
_PUTS_TAG = re.compile(r"^\W*(?:\w+\W+){0,3}?(?:tag|label|mark|flag|untag|put|give|add|remove)\b", re.IGNORECASE)


def _selects(text: str, span: TextSpan, context: Context) -> bool:
    """Return whether words in quotes are a tag or a name by which contacts are selected, and no name of a new thing."""
    before, low = text[: span.start], span.words.casefold()
    if _TAGGED.search(before):
        return not _PUTS_TAG.match(before) or bool(re.search(r"\btagged\W*$", before, re.IGNORECASE))
    known = context.vocabulary
    if low in map(str.casefold, (*known.tags, *known.segments)):
        return bool(
            re.match(r"\W*(?:contacts?|people|list|group|customers?|members?|tag|crowd|lot)\b", text[span.end :])
        )
    names = [name.casefold() for name, place in known.names.items() if place.startswith("contact")]
    is_known = low in names or low in map(str.casefold, known.companies)
    return is_known and bool(
        re.search(r"\b(?:to|for|with|at|from|of|mail|e-mail|write|contact)\W*$", before, re.IGNORECASE)
    )


def _selection(text: str, start: int, context: Context) -> ContactSelection | None:
    found = selector_in(text[start:], context.vocabulary, context.now)
    return replace(found, start=found.start + start, end=found.end + start) if found else None


def durations(times: Sequence[SpokenTime]) -> list[SpokenTime]:
    """Return the durations among some times."""
    return [one for one in times if one.kind == "duration"]


_SELF_CORRECTION = order_form("order_parts.self_correction")
Said = TypeVar("Said", SpokenAmount, SpokenTime)


def _last_said(text: str, values: Sequence[Said]) -> tuple[Said, ...]:
    """Return the values without those that the same sentence takes back: "a month - no, make that six weeks"."""
    kept = list(values)
    for mark in _SELF_CORRECTION.finditer(text):
        after = next((one for one in kept if one.start >= mark.end()), None)
        before = [one for one in kept if one.end <= mark.start() and after and one.kind == after.kind]
        if before:
            kept.remove(before[-1])
    return tuple(kept)


def overlaps(one: SpokenAmount | SpokenTime, others: Sequence[SpokenAmount | SpokenTime]) -> bool:
    """Return whether a value shares words with another one: the 27 of "by 27 November" is not an amount."""
    return any(one.start < other.end and other.start < one.end for other in others)


def core_of(text: str) -> tuple[int, str]:
    """Return the start of an order after greetings and lead-ins, and the order without them and a final "please".

    >>> core_of("Heya, could you please score our leads? Ta!")
    (23, 'score our leads')
    """
    start = 0
    while match := _LEAD.match(text, start):
        if not text[match.end() :].strip(" .!?"):
            break
        start = match.end()
    end = len(text)
    while match := _TAIL.search(text[start:end]):
        if not match.start():
            break
        end = start + match.start()
    return start, text[start:end].rstrip(" ?!.,")


def blank_spans(text: str, spans: Sequence[TextSpan]) -> str:
    """Return the text with the letters of `spans` replaced by a non-word character, so that places stay."""
    for span in spans:
        text = text[: span.start] + re.sub(r"[^\s]", "_", text[span.start : span.end]) + text[span.end :]
    return text


def _labels(text: str) -> dict[str, TextSpan]:
    """Return the text after each label: "Subject: Club night. Text: We meet on ..." to the end of the text."""
    found = [match for match in _LABEL.finditer(text) if match["label"].lower() not in ("re",) or match.start() == 0]
    labels: dict[str, TextSpan] = {}
    for match, after in zip_longest(found, found[1:]):
        name = _label_name(match["label"].lower())
        end = after.start() if after else len(text)
        words = text[match.end() : end]
        if name == "text":
            words = words[: letter_end(words)]
        if name != "text" and after is None:
            stop = (
                re.search(r"[\n;]|[.!?](?:\s|$)", words)
                if name in ("subject", "title")
                else re.search(r"[\n;,]|[.!?](?:\s|$)", words)
            )
            words = words[: stop.start()] if stop else words
        if name in labels or not words.strip():
            continue
        kept = words.strip() if name == "text" else _LABEL_TAIL.sub("", words.strip()).rstrip(".,;")
        kept = _strip_quotes(kept)
        labels[name] = TextSpan(kept, match.start("label"), match.end() + len(words.rstrip()))
        if name == "text":
            break
    return labels


_LABEL_TAIL = re.compile(r"[.,;!]?\s+(?:and\s+)?(?:the|its|with|then|as|with the|and)\s*$", re.IGNORECASE)
"""The words before the next label: "The subject is 'Bonfire'. The text: ..."."""


def _label_name(label: str) -> str:
    if label in _VERBATIM or label.startswith(("it ", "the text", "the letter", "reads")):
        return "text"
    return {
        "subject line": "subject",
        "betreff": "subject",
        "re": "subject",
        "the subject is": "subject",
        "skill": "skills",
    }.get(label, "title" if label == "headline" else label)


def _strip_quotes(words: str) -> str:
    whole = re.fullmatch(r"[\"“„'‘«]([^\"“”„«»]*)[\"”'’»]\.?", words)
    return whole[1] if whole else words


def colleagues_in(text: str, context: Context) -> tuple[tuple[str, TextSpan], ...]:
    """Return the colleagues that a text names by id, title or department, in order, each with its words."""
    names: dict[str, str] = {}
    for agent, title in context.colleagues.items():
        names[agent.lower()] = agent
        names[title.lower()] = agent
    for role, departments in _DEPARTMENTS.items():
        if role in names:
            names = dict.fromkeys(departments.split(", "), names[role]) | names
    names.pop("", None)
    if not names:
        return ()
    pattern = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    found = []
    for match in re.finditer(
        rf"(?<![\w-])(?:the |our )?(?P<name>{pattern})(?:['’]s)?(?: (?:team|department|people|guys|lot|"
        rf"folks))?(?![\w-])",
        text,
        re.IGNORECASE,
    ):
        addressed = _ADDRESSED.search(text[: match.start()]) or _KNOWS.match(text, match.end())
        if match["name"].lower() == "people" and not _ASKED.search(text[: match.start()]):
            continue  # "can people have breakfast"
        is_thing = match[0].lower() in [f"the {one}" for one in _PLAIN_WORDS]  # "have the accounts ready"
        if match["name"].lower() in _PLAIN_WORDS and (is_thing or not addressed):
            continue
        found.append((names[match["name"].lower()], TextSpan(match[0], match.start(), match.end())))
    return tuple(found)
