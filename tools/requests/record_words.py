"""Parse sentences about records: those meant, those left out, and the action on them.

text = "Pause all but 'Open days', please."
found = named(text, {"CMP-1": "Open days"})
mentions(text, found).spared                                        # ("CMP-1",)
changed_amount("Raise it by a quarter", 80.0)                       # 100.0
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.language.amounts import amounts_in
from mabos.language.wordlists import order_form, order_table
from mabos.workspace.text import STOPWORDS, terms

Doing = Literal["pause", "resume", "stop", "set_budget"]
_QUOTED = re.compile(r"(?<!\w)['‘\"“](?P<in>[^'’\"”]+(?:['’]\w[^'’\"”]*)*)['’\"”](?!\w)")
_RECORD = r"(?:the |our |for |with |on )*(?:campaign |ads? |advertising |adverts? |work package |package )*§\d+§"
_SEVERAL = rf"{_RECORD}(?: (?:campaign|ads?|one))?(?:(?:,? (?:and|or|nor) |, ){_RECORD})*"
_SPARING = (
    r"(?:except(?:ing)?(?: for)?|but (?:not|never)|but(?! (?:do|don)\b)|other than|apart from|aside from|excluding|"
    r"bar|save(?: for)?|without|with the exception of|not|do not touch|don't touch|(?:but )?(?:leave|keep|spare|let))"
)
_EXCEPTION = re.compile(rf"\b{_SPARING} {_SEVERAL}")
EXCEPTS = order_form("record_words.excepts")
_EVERY = re.compile(r"\b(?:all|every(?:thing|one)?|each|the rest|the others?|the remaining)\b")
_NEVER = order_form("record_words.never")
_CONDITION = order_form("record_words.condition")
_OPENING = (
    r"(?:^|[,.;:!?–-]\s*|\b(?:and|then|please|just|also|now|so|oh|sake|you|let's|lets|to|we|we'll|should|must|ok|"
    r"okay|yes|no|right|well)\s+)"
)
_DOINGS: Mapping[Doing, Sequence[str]] = order_table("record_words.doings")
_UP = r"raise|increase|up|bump|boost|lift|add|double|triple|push up"
_DOWN = r"cut|lower|reduce|trim|drop|decrease|shave|slash|halve|take|bring"
_SET = r"set|put|change|adjust|move|make"
_BUDGET = re.compile(rf"{_OPENING}(?:{_UP}|{_DOWN}|{_SET})\b")
_PASSIVE = r"(?:is to be|are to be|to be|be|should be|must be|get|have|want|need)\s+(?:\S+ ){0,5}?"
_SHARES = {"half": 0.5, "a half": 0.5, "a third": 1 / 3, "a quarter": 0.25, "a fifth": 0.2, "a tenth": 0.1}
_SHARE = re.compile(r"\b(?P<how>by|in|to) (?P<share>half|a half|a third|a quarter|a fifth|a tenth)\b")


@dataclass(frozen=True, slots=True)
class Mentions:
    """The records of a sentence: those that are meant, those left out, and whether all others are meant."""

    masked: str
    meant: tuple[str, ...]
    spared: tuple[str, ...]
    is_every: bool

    @property
    def is_unclear(self) -> bool:
        """Return whether words exclude something that is not a name on record."""
        rest = re.sub(r"§\d+§", "", self.masked)
        return bool(EXCEPTS.search(rest)) and self.is_every and not self.spared


def find_named_records(text: str, titles: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return the records whose whole name is in a text, with the position; a quotation is one name."""
    quoted = [one.span("in") for one in _QUOTED.finditer(text)]
    found = dict[str, tuple[int, int]]()
    for key, name in sorted(titles.items(), key=lambda one: -len(one[1])):
        for match in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) if len(name) > 3 else ():
            start, end = match.span()
            around = next((one for one in quoted if one[0] <= start and end <= one[1]), None)
            is_part = around is not None and text[slice(*around)].strip(" .,!?").casefold() != name.casefold()
            is_taken = any(start < last and first < end for first, last in found.values())
            if not is_part and not is_taken:
                found[key] = (start, end)
                break
    return found


def find_alluded_record(text: str, titles: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return the one record that a word before "ads" or "campaign" identifies: "the lunch ads"."""
    for match in re.finditer(r"\b(?P<word>[\w'’-]+) (?:ads?|adverts?|advertising|campaign)\b", text, re.IGNORECASE):
        word = match["word"].casefold()
        close = [key for key, name in titles.items() if word in terms(name.casefold())]
        if len(close) == 1 and word not in STOPWORDS:
            return {close[0]: match.span("word")}
    return {}


def mentions(text: str, found: Mapping[str, tuple[int, int]]) -> Mentions:
    """Return the records that a text means, and those that it leaves out."""
    keys, masked = list(found), text
    for number, key in sorted(enumerate(keys), key=lambda one: -found[one[1]][0]):
        start, end = found[key]
        start -= text[start - 1 : start] in ("'", "‘", '"', "“")
        end += text[end : end + 1] in ("'", "’", '"', "”")
        masked = f"{masked[:start]}§{number}§{masked[end:]}"
    masked = masked.replace("’", "'").lower()
    without = [int(one) for match in _EXCEPTION.finditer(masked) for one in re.findall(r"§(\d+)§", match[0])]
    spared = tuple(keys[one] for one in dict.fromkeys(without))
    rest = re.sub(r"\ball (?:\S+ )?(?:day|week|month|told|in all)\b", "", masked)
    return Mentions(masked, tuple(one for one in keys if one not in spared), spared, bool(_EVERY.search(rest)))


def doing_of(masked: str, *, is_loose: bool = False) -> Doing | None:
    """Return the action that a sentence requests for its records, or None; `is_loose` accepts a verb anywhere."""
    for doing, (active, passive) in _DOINGS.items():
        before = r"\b" if is_loose else _OPENING
        if re.search(rf"{before}(?:{active})\b|\b{_PASSIVE}(?:{passive})\b", masked):
            return doing
    return "set_budget" if _BUDGET.search(masked) or re.search(r"§\d+§ (?:down|up) to \d", masked) else None


_WHY = re.compile(r"(?:^|[,;.:–-])\s*(?:(?:because|as|since|and) )?(?:we|they|i)\b[^,;.§]*(?=[,;.]|$)", re.IGNORECASE)
"""A clause that names no record and says what its speaker does or does not: the reason of an order."""


def is_negated(masked: str) -> bool:
    """Return whether the verb of a sentence is negated: "don't pause ...", "never stop ..."."""
    verbs = "|".join(active for active, _ in _DOINGS.values())
    masked = _WHY.sub(" ", masked)
    return bool(re.search(rf"{_NEVER.pattern}(?:{verbs}|touch|change|{_UP}|{_DOWN}|{_SET})\b", masked))


def is_conditional(masked: str) -> bool:
    """Return whether a sentence states a condition, or a hypothetical action."""
    return bool(_CONDITION.search(masked))


def is_relative(text: str) -> bool:
    """Return whether a change is given as a difference: "by 40 dollars", "add 25", "halve"."""
    low = text.lower()
    if re.search(r"\b(?:halve|double|triple|(?:half|double|twice) (?:of )?(?:the|its|that))\b", low) or _SHARE.search(
        low
    ):
        return True
    if re.search(rf"{_OPENING}(?:add|take|shave)\b.*\d", low) or re.search(
        r"\d[^,.;]*\b(?:more|less|extra|on top)\b", low
    ):
        return True
    return any(one.kind == "percent" or _is_by(low, one.start) for one in amounts_in(low))


def changed_amount(text: str, before: float) -> float | None:
    """Return the new amount in a sentence, computed from the one on record if it gives a difference."""
    low = re.sub(r"§\d+§", "it", text.lower())
    low = re.sub(r"\b(?:from|instead of) [$€£]?\d[\d.,]*(?: dollars)?", "", low)
    amounts = [one for one in amounts_in(low) if one.kind in ("percent", "money") or one.per in ("", "week")]
    if not is_relative(text):
        wanted = {one.value for one in amounts if one.kind != "percent" and one.per in ("", "week")}
        return next(iter(wanted)) if len(wanted) == 1 else None
    sign = -1 if re.search(rf"\b(?:{_DOWN}|less|off|down)\b", low) else 1
    for words, factor in (("halve", 0.5), ("double", 2.0), ("triple", 3.0)):
        if re.search(rf"\b{words}\b", low):
            return round(before * factor, 2)
    if share := _SHARE.search(low):
        part = _SHARES[share["share"]]
        return round(before * (part if share["how"] == "to" else 1 + sign * part), 2)
    given = [one for one in amounts if one.per in ("", "week") and one.meaning in ("exactly", "about")]
    values = {(one.kind == "percent", one.value) for one in given}
    if len(values) != 1:
        return None
    is_percent, value = next(iter(values))
    return round(before * (1 + sign * value / 100) if is_percent else before + sign * value, 2)


def _is_by(text: str, start: int) -> bool:
    return bool(re.search(r"\bby (?:another |a further |about |around )?$", text[:start]))


def beside(masked: str, keys: Iterable[str]) -> dict[str, float] | None:
    """Return the amount next to each record, "A down to 80, B up to 120"; None unless each has one."""
    parts = re.split(r"§\d+§", masked)[1:]
    order = [int(one) for one in re.findall(r"§(\d+)§", masked)]
    known = list(keys)
    if len(order) != len(known) or len(order) < 2:
        return None
    amounts = dict[str, float]()
    for number, part in zip(order, parts, strict=True):
        given = amounts_in(part)
        if len(given) != 1 or given[0].kind == "percent" or given[0].per not in ("", "week") or is_relative(part):
            return None
        amounts[known[number]] = given[0].value
    return amounts


def moved_between(masked: str, keys: Iterable[str]) -> tuple[str, str, float] | None:
    """Return the source and the target of an amount: "take 40 off A and put it on B"."""
    known = list(keys)
    match = re.search(
        r"\b(?:take|move|shift|transfer|switch)\b(?P<what>.*?)\b(?:off|from|out of) (?:the |our )?§(?P<off>\d+)§"
        r".*?\b(?:on|onto|to|into) (?:the |our )?§(?P<to>\d+)§",
        masked,
    )
    given = amounts_in(match["what"]) if match else ()
    if match is None or len(given) != 1 or given[0].kind == "percent" or given[0].per not in ("", "week"):
        return None
    return known[int(match["off"])], known[int(match["to"])], given[0].value


_TICKS = order_form("record_words.ticks")
_MARK = re.compile(r"(?P<mark>\d+(?:\.\d+)?)\s*(?:out of|/|of)\s*(?P<of>5|10|100)\b")


def is_finished(masked: str) -> bool:
    """Return whether a sentence reports the work of a record as finished."""
    return bool(re.search(r"§\d+§ (?:is|has been|was) (?:now |all )?(?:done|finished|completed?|ready|over)\b", masked))


def is_ticked_off(masked: str) -> bool:
    """Return whether a sentence reports work as finished and to be closed."""
    return bool(_TICKS.search(masked)) and not is_negated(masked)


def mark_of(masked: str) -> float | None:
    """Return the rating in a sentence, from 0 to 1, or None.

    >>> mark_of("tick it off, 8 out of 10"), mark_of("tick it off")
    (0.8, None)
    """
    found = _MARK.search(masked)
    return round(float(found["mark"]) / float(found["of"]), 3) if found else None


_OF_DATE = re.compile(r"(?i)\b(?:deadline|due date|date|budget)s? (?:of|for|on) (?:the|our) (?:\w+ )??(?P<word>\w+)")


def _one_ending(text: str, titles: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return the one record whose name ends in the thing whose date or budget a text speaks of, as "the racks"."""
    match = _OF_DATE.search(text)
    word = match["word"].casefold() if match else ""
    keys = [key for key, name in titles.items() if word and terms(name.casefold())[-1:] == [word]]
    return {keys[0]: match.span("word")} if match and len(keys) == 1 else {}


def work_alluded(text: str, titles: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """Return the one record with most of its words in a text: "Bea has finished the roof of barn two"."""
    said = set(terms(text.casefold())) - STOPWORDS
    if part := _one_ending(text, titles):
        return part
    close = {}
    for key, name in titles.items():
        own = set(terms(name.casefold())) - STOPWORDS
        if own and len(own & said) * 2 > len(own):
            close[key] = own & said
    if len(close) != 1 or not _TICKS.search(text.lower()):
        return {}
    ((key, shared),) = close.items()
    first = min(re.search(rf"(?i)\b{re.escape(word)}\b", text).start() for word in shared)  # type: ignore[union-attr]
    return {key: (first, first + 1)}


_PART = (
    r"(?:(?P<share>(?:a |one )?(?:half|third|quarter|fifth|tenth)|two thirds|three quarters)|"
    r"(?P<percent>\d+(?:\.\d+)?) ?(?:%|per ?cent)|(?P<rest>the (?:rest|remainder|other \w+)))"
)
_GOES = re.compile(
    rf"{_PART}(?: of (?:it|that|them|this))?[^§.;]{{0,24}}?\b(?:to|for|on|into) (?:the |our )?§(?P<to>\d+)§"
)
_FRACTIONS = {"half": 0.5, "third": 1 / 3, "quarter": 0.25, "fifth": 0.2, "tenth": 0.1,
              "two thirds": 2 / 3, "three quarters": 0.75}  # fmt: skip


def shared_out(masked: str, keys: Iterable[str], total: float) -> dict[str, float] | None:
    """Return each record's share of a total: "half to A, a third to B, the rest to C"; None unless it is used up."""
    known = list(keys)
    amounts, rest = dict[str, float](), ""
    for one in _GOES.finditer(masked):
        key = known[int(one["to"])]
        if one["rest"]:
            rest = key
        elif one["percent"]:
            amounts[key] = round(total * float(one["percent"]) / 100, 2)
        else:
            amounts[key] = round(total * _FRACTIONS[re.sub(r"^(?:a|one) ", "", one["share"])], 2)
    if rest and rest not in amounts:
        amounts[rest] = round(total - sum(amounts.values()), 2)
    is_whole = abs(sum(amounts.values()) - total) < 0.01 * max(1, len(amounts))
    return amounts if len(amounts) > 1 and set(amounts) == set(known) and is_whole else None
