"""A message split into clauses, with the kind, order, amounts and days of each part.

said = read_text("Order posters for 40 dollars, but do not start the ad yet.", now)
[one.kind for one in said.clauses]      # ["order", "ban"]
said.purpose                            # "order"
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Final, Literal

from mabos.language.amounts import SpokenAmount, amounts_in
from mabos.language.selectors import singular
from mabos.language.sentences import begins_with_verb, opening, plain, split, without_greeting
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import order_form, word_lists
from mabos.workspace.copies import replace
from mabos.workspace.text import STOPWORDS, terms

ClauseKind = Literal["order", "ban", "question", "statement"]
AmountKind = Literal["money", "percent", "duration", "count"]
TIME_UNITS: Final = {
    "day": "day", "week": "week", "wk": "week", "month": "month", "year": "year", "hour": "hour", "night": "night",
    "minute": "minute", "quarter": "quarter", "fortnight": "fortnight",
}  # fmt: skip

_QUOTED: Final = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|‘[^’\n]{1,400}’|(?<!\w)'(?:[^'\n]|'(?=\w)){1,400}'(?!\w)"
)
_BOUNDARY: Final = order_form("work_clauses.boundary")
_BAN: Final = order_form("work_clauses.ban")
_NO_BAN: Final = order_form("work_clauses.no_ban")
_TO_YOU: Final = re.compile(
    r"\b(?:can|could|would|will) (?:you|someone|somebody) (?:please |just |also |kindly |now |then )*(?P<verb>\w+)"
)
_LEAVE: Final = re.compile(r"\b(?:can|could|may|might) (?:i|we) (?:please |just |also )*(?P<verb>\w+)")
_ASKS: Final = re.compile(
    r"(?:do|does|did|have|has|had|is|are|was|were|am) (?:i|you|we|they|he|she|it|that|this|there|the|our|my|any\w*)\b"
)
_WISH: Final = order_form("work_clauses.wish")
_INFORMING: Final = frozenset(
    terms("""
    show explain describe list summarise summarize compare say look read check find see count figure estimate
    calculate analyse analyze review know advise guess afford expect think consider
""")
)
_TOLD: Final = frozenset(
    terms("""
    tell give let
""")
)
_LEAVES: Final = frozenset(
    terms("""
    have get keep take book order extend change cancel move swap return exchange add upgrade make push switch
    rent
""")
)
_LONGEST_NAME: Final = 60
"""Characters of a text in quotes that is a name, in which numbers are no amounts."""
_LEAD: Final = 5
"""Words before a colon that may only lead to an order, as "Two things:"."""
FILLER: Final = frozenset(
    terms("""
    make set go use take say let want need like would budget please raise lower reduce increase change keep
    give put spend max maximum only rather actually week month day yes okay right sorry total cost price
    amount limit
""")
)
"""Words of a part of a sentence that name no thing of their own."""
_MONTH: Final = re.compile(r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*")
_RESPECTIVELY: Final = re.compile(r"\brespectively\b|\bin (?:that|this) order\b", re.IGNORECASE)
_LISTED_EDGE: Final = re.compile(r"^(?:dollars|euros|pounds)\b|\b(?:with|at|for|of|get|gets)$", re.IGNORECASE)
_TAKEN_BACK: Final = re.compile(
    r"\b(?:instead of|rather than|not|no longer|and not)\s+(?:the |for |at |a )?$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class SpokenQuantity:
    """An amount at `start` to `end` of a text; `unit` is that of a duration, or the noun after a count.

    `owner` has the words of its part of the text, `block` the number of its order.
    """

    value: float
    kind: AmountKind
    unit: str
    per: str
    words: str
    start: int
    end: int
    block: int = 0
    owner: frozenset[str] = frozenset()
    part: str = ""


@dataclass(frozen=True, slots=True)
class SaidClause:
    """A clause: its words, its function, and the number of its order."""

    text: str
    kind: ClauseKind
    start: int
    end: int
    block: int
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text with its clauses, the amounts outside prohibitions, and its days."""

    text: str
    clauses: tuple[SaidClause, ...]
    mentions: tuple[SpokenQuantity, ...]
    times: tuple[SpokenTime, ...]
    parts: tuple[SaidClause, ...] = ()

    @property
    def purpose(self) -> ClauseKind:
        """The purpose of the text: an order if it has one, else a prohibition, a question, or a statement."""
        kinds = {one.kind for one in self.clauses}
        return next((one for one in _RANK if one in kinds), "statement")

    def block_words(self, block: int) -> frozenset[str]:
        """Return the words of one order with its remarks."""
        return frozenset(word for one in self.clauses if one.block == block for word in one.words)

    @property
    def blocks(self) -> tuple[int, ...]:
        """The numbers of the orders in the text, in order, without prohibitions."""
        return tuple(dict.fromkeys(one.block for one in self.clauses if one.kind != "ban"))

    def part_at(self, start: int) -> SaidClause | None:
        """Return the part at a position of the text, with the words of its subject."""
        return next((one for one in self.parts if one.start <= start < one.end), None)


_RANK: Final[tuple[ClauseKind, ...]] = ("order", "ban", "question")


def words_of(text: str) -> frozenset[str]:
    """Return the distinguishing words of a text: in the singular, with single letters and ids."""
    found = {singular(one) for one in terms(text) if one not in STOPWORDS}
    found |= set(re.findall(r"(?<![\w'])[B-HJ-Z](?![\w'])", text))
    found |= {one.strip(".,;:!?()'\"").casefold() for one in text.split() if re.search(r"[\w][_@#./-][\w]|#\w", one)}
    return frozenset(one for one in found if one and not one.isdigit())


@lru_cache(maxsize=512)
def read_text(text: str, now: datetime) -> ReadText:
    """Return a text as clauses with its amounts and days."""
    times = times_in(text, now)
    quoted = [one.span() for one in _QUOTED.finditer(text)]
    names = [(low, high) for low, high in quoted if high - low < _LONGEST_NAME]
    amounts = [one for one in _amounts(text, times) if not any(low < one.start < high for low, high in names)]
    hidden = [*quoted, *((one.start, one.end) for one in amounts)]
    parts = [span for sentence in _sentences(text) for span in _parts(text, sentence, hidden)]
    clauses = tuple(_clauses(text, parts))
    mentions = tuple(_assign_owners(text, parts, clauses, amounts, times))
    spans = [*((one.start, one.end) for one in amounts), *((one.start, one.end) for one in times)]
    return ReadText(text, clauses, mentions, times, _owners(text, parts, clauses, spans))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    at = 0
    for sentence in split(text):
        start = text.find(sentence, at)
        if start < 0:
            continue
        at = start + len(sentence)
        yield start, at


def _parts(text: str, sentence: tuple[int, int], hidden: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a sentence between commas and conjunctions; none inside a name or an amount."""
    start, end = sentence
    for found in _BOUNDARY.finditer(text, start, end):
        if any(low < found.end() and found.start() < high for low, high in hidden) or found.start() <= start:
            continue
        yield start, found.start()
        start = found.end()
    if start < end:
        yield start, end


def _clauses(text: str, parts: list[tuple[int, int]]) -> Iterator[SaidClause]:
    """Yield the clauses: a part with a verb of its own begins one, and the following parts belong to it."""
    groups = list[list[tuple[int, int]]]()
    ends = {end for _, end in _sentences(text)}
    for start, end in parts:
        begins = not groups or groups[-1][-1][1] in ends or _has_own_verb(text[start:end])
        groups.append([(start, end)]) if begins else groups[-1].append((start, end))
    block, before = 0, ""
    for group in groups:
        start, end = group[0][0], group[-1][1]
        said = text[start:end]
        last = next((one for one in sorted(ends) if one >= end), end)
        kind = kind_of(said, is_asked=text[:last].rstrip("\"') ").endswith("?"))
        if before and (kind in ("order", "ban", "question") or before in ("ban", "question")):
            block += 1
        before = kind
        yield SaidClause(said, kind, start, end, block, words_of(said))


def _has_own_verb(part: str) -> bool:
    words = opening(plain(part))
    flat = " ".join(words)
    is_label = words[:1] == ["name"] or re.match(r"\s*(?:\w+ ){0,3}\w+: ?[$€£]?\d", part)
    if is_label:  # "first name Ada", "total seats: 3"
        return False
    return bool(_BAN.match(flat) or _TO_YOU.match(flat) or _LEAVE.match(flat)) or begins_with_verb(part)


def kind_of(clause: str, *, is_asked: bool = False) -> ClauseKind:
    """Return the function of one clause.

    >>> kind_of("Do not start the ad yet."), kind_of("Could you start the ad?", is_asked=True)
    ('ban', 'order')
    >>> kind_of("Should we start ads?", is_asked=True), kind_of("Tell me what it costs.")
    ('question', 'question')
    """
    head, colon, rest = clause.partition(": ")
    if colon and len(head.split()) < _LEAD and not is_asked and (kind := kind_of(rest)) in ("order", "ban"):
        return kind
    flat = plain(without_greeting(clause) or clause)
    words = opening(flat)
    text = " ".join(words)
    if _BAN.search(text) and not _NO_BAN.search(text):
        return "ban"
    if (asked := _asked_of_you(clause, flat, words)) is not None:
        return "question" if asked else "order"
    is_open = bool(words) and words[0] in word_lists().wh and words[0] not in ("when", "whenever")
    return "question" if is_asked or is_open else "statement"


def _asked_of_you(clause: str, flat: str, words: list[str]) -> bool | None:
    """Return whether a clause with a wish only asks for information; None if it has no wish."""
    text = " ".join(words)
    if (asked := _TO_YOU.search(text)) is not None:
        return _only_informs(text[asked.start("verb") :].split())
    leave = _LEAVE.search(text)
    if leave is not None and leave["verb"] in _LEAVES:
        return False
    if _ASKS.match(text) and not _WISH.search(flat):
        return None
    if begins_with_verb(clause) or (words and words[0] in _INFORMING):
        return _only_informs(words)
    if _WISH.search(flat) and not re.match(r"(?:what|how|why|which|who|should)\b", text):
        return bool(re.search(r"\b(?:to|please|you) (?:know|see|tell me|show|explain)\b", text))
    return None


def _only_informs(words: list[str]) -> bool:
    """Return whether a verb and its object only ask for information."""
    if not words:
        return False
    return words[0] in _INFORMING or (words[0] in _TOLD and words[1:2] in (["me"], ["us"]))


def _amounts(text: str, times: tuple[SpokenTime, ...]) -> Iterator[SpokenQuantity]:
    """Yield the amounts of a text; counts of a unit of time are durations, and numbers of a date are none."""
    days = [one for one in times if one.kind == "day"]
    for one in amounts_in(text):
        unit = TIME_UNITS.get(singular(one.unit), "") if one.kind == "count" else ""
        is_date = bool(_MONTH.fullmatch(one.unit)) or (
            not unit and any(day.start <= one.start < day.end for day in days)
        )
        if one.kind == "count" and is_date:
            continue
        yield _mention(one, unit)
    seen = [one.start for one in amounts_in(text)]
    for time in times:
        if time.kind == "duration" and time.count and not any(time.start <= at < time.end for at in seen):
            yield SpokenQuantity(time.count, "duration", time.unit, "", time.words, time.start, time.end)


def _mention(one: SpokenAmount, unit: str) -> SpokenQuantity:
    kind: AmountKind = "duration" if unit else one.kind if one.kind in ("money", "percent") else "count"  # type: ignore[assignment]  # a closed set
    return SpokenQuantity(one.value, kind, unit or one.unit, one.per, one.words, one.start, one.end)


def _assign_owners(
    text: str,
    parts: list[tuple[int, int]],
    clauses: tuple[SaidClause, ...],
    amounts: list[SpokenQuantity],
    times: tuple[SpokenTime, ...],
) -> Iterator[SpokenQuantity]:
    """Yield the amounts with the thing they belong to: the words of their part, or of the last part that has any."""
    spans = [*((one.start, one.end) for one in amounts), *((one.start, one.end) for one in times)]
    owners = _owners(text, parts, clauses, spans)
    shared_out = _respectively(text, amounts)
    for one in amounts:
        home = next((part for part in clauses if part.start <= one.start < part.end), None)
        if home is None or home.kind == "ban" or _TAKEN_BACK.search(text[: one.start]):
            continue
        owner = next((part for part in owners if part.start <= one.start < part.end), None)
        if named := shared_out.get(one.start):
            yield replace(one, block=home.block, owner=words_of(named), part=f"{named}: {one.words}")
            continue
        words, said = (owner.words, owner.text) if owner is not None else (frozenset[str](), home.text)
        yield SpokenQuantity(
            one.value, one.kind, one.unit, one.per, one.words, one.start, one.end, home.block, words, said
        )


def _respectively(text: str, amounts: list[SpokenQuantity]) -> dict[int, str]:
    """Return whose each amount is, by its place, where a sentence shares them out in the order of names."""
    found = dict[int, str]()
    for start, end in _sentences(text):
        if not _RESPECTIVELY.search(text, start, end):
            continue
        inside = [one for one in amounts if start <= one.start < end]
        runs = [[one for one in inside if (one.kind == "duration") is is_time] for is_time in (False, True)]
        for run in runs:
            before = _split_list(text[start : inside[0].start])[-len(run) :] if run else []
            after = _split_list(_RESPECTIVELY.split(text[inside[-1].end : end])[0])[: len(run)] if run else []
            names = before if len(before) == len(run) > 1 else after
            if len(names) == len(run) > 1:
                found |= {one.start: name for one, name in zip(run, names, strict=True)}
    return found


def _split_list(text: str) -> list[str]:
    """Return the things that a text lists with commas and conjunctions."""
    pieces = re.split(r",\s*(?:and\s+)?|\s+(?:and|&)\s+", _LISTED_EDGE.sub("", text.strip(" ,")))
    return [one.strip(" ,.") for one in pieces if words_of(one)]


def _owners(
    text: str, parts: list[tuple[int, int]], clauses: tuple[SaidClause, ...], spans: list[tuple[int, int]]
) -> tuple[SaidClause, ...]:
    """Return the parts with the words of the thing that each is about, its own or those of the part before."""
    found = list[SaidClause]()
    for clause in clauses:
        words, said = frozenset[str](), ""
        for start, end in parts:
            if not clause.start <= start < clause.end:
                continue
            own = words_of(_without(text, start, end, spans)) - FILLER
            words, said = (own, text[start:end]) if own or not said else (words, f"{said} … {text[start:end]}")
            found.append(SaidClause(said, clause.kind, start, end, clause.block, words))
    return tuple(found)


def _without(text: str, start: int, end: int, spans: list[tuple[int, int]]) -> str:
    """Return a part of a text without the amounts and days in it."""
    kept, at = list[str](), start
    for low, high in sorted(spans):
        if low < end and high > start:
            kept.append(text[at : max(at, low)])
            at = max(at, min(high, end))
    return " ".join([*kept, text[at:end]])
