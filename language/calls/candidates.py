"""The spans of a request that may be a value: words, quotations, numbers, days, lists.

Rules only propose here; the learned scorer chooses. A span knows its tokens, its kind and the number or day that it
names; `values` turns it into the value that a parameter wants.
"""

import ast
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from typing import Any

from mabos.language.calls.quantities import (
    MomentMention,
    NumberMention,
    implied_numbers,
    joined_measures,
    moments_of,
    numbers_of,
)
from mabos.language.calls.tokens import RequestToken, split_words, tokenize
from mabos.language.wordlists import order_form

KINDS = (
    "words", "quoted", "number", "moment", "list", "numbers", "code", "rest", "name", "formula", "literal", "small",
)  # fmt: skip
KIND_INDEX = {name: index for index, name in enumerate(KINDS)}
_QUOTED = order_form("claims_candidates.quoted")
_BRACKETS = re.compile(r"\[([^\[\]]{1,600})\]|\(([-+\d.,\s°]{3,200})\)")
_OPERATOR = re.compile(r"[-+*/^=<>]+|\*\*")
_OPERAND = order_form("claims_candidates.operand")
_LONGEST, _MOST = 8, 420
_NO_START = {"preposition", "conjunction", "auxiliary", "pronoun", "comma", "sentence", "bracket", "determiner"}
_NO_END = {
    "preposition", "conjunction", "auxiliary", "pronoun", "comma", "sentence", "bracket", "determiner", "question",
}  # fmt: skip
_REST_CUES = set(
    split_words(": saying says that message titled named called text for about content note query command")
)
_ARTICLES = {"the", "a", "an", "my", "our", "some"}


@dataclass(frozen=True, slots=True)
class Span:
    """Tokens `first` to `last` of a request, and the characters of their value."""

    first: int
    last: int
    text: str
    kind: str
    start: int
    end: int
    quantity: NumberMention | None = None
    moment: MomentMention | None = None
    items: tuple["Span", ...] = ()
    literal: Any = None
    """The list or object that the words are in JSON."""


@dataclass(frozen=True)
class RequestSpans:
    """The tokens of a request, and every span that may be a value."""

    text: str
    tokens: tuple[RequestToken, ...]
    spans: tuple[Span, ...]
    quantities: tuple[NumberMention, ...]
    moments: tuple[MomentMention, ...]
    quoted: tuple[Span, ...]
    stem_positions: dict[str, tuple[int, ...]] = field(default_factory=dict)


def take_apart(text: str, now: datetime | None = None) -> RequestSpans:
    """Return the request with all its candidate spans."""
    tokens = tokenize(text)[:400]
    moments = moments_of(tokens, now)
    quantities = numbers_of(tokens)
    quoted = _quotations(text, tokens)
    spans = [*quoted, *_numbers(text, tokens, quantities), *_moments(text, tokens, moments)]
    spans += _numbers(text, tokens, [*joined_measures(tokens, quantities), *implied_numbers(tokens)])
    spans += _lists(text, tokens, quantities, quoted) + _ranges(text, tokens, quantities) + _literals(text, tokens)
    spans += _rest(text, tokens) + _names(text, tokens) + _formulas(text, tokens)
    taken = {(span.first, span.last) for span in spans if span.kind in ("quoted", "formula", "name")}
    spans += [span for span in _word_spans(text, tokens) if (span.first, span.last) not in taken]
    positions: dict[str, list[int]] = {}
    for at, token in enumerate(tokens):
        positions.setdefault(token.stem, []).append(at)
    return RequestSpans(
        text, tuple(tokens), tuple(spans[:_MOST]), tuple(quantities), tuple(moments), tuple(quoted),
        {stem: tuple(found) for stem, found in positions.items() if stem},
    )  # fmt: skip


def span_at(text: str, tokens: Sequence[RequestToken], first: int, last: int, kind: str = "words") -> Span:
    """Return the span of tokens `first` to `last`."""
    start, end = tokens[first].start, tokens[last].end
    return Span(first, last, text[start:end], kind, start, end)


def _find_token_range(tokens: Sequence[RequestToken], start: int, end: int) -> tuple[int, int] | None:
    inside = [at for at, token in enumerate(tokens) if token.start >= start and token.end <= end]
    return (inside[0], inside[-1]) if inside else None


def _quotations(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    found = []
    for match in _QUOTED.finditer(text):
        group = next(number for number in range(1, 6) if match[number] is not None)
        start, end = match.span(group)
        covered = _find_token_range(tokens, start, end)
        if covered and match[group].strip():
            found.append(Span(*covered, match[group].strip(), "quoted", start, end))
    return found


def _numbers(text: str, tokens: Sequence[RequestToken], quantities: Sequence[NumberMention]) -> list[Span]:
    found = []
    for quantity in quantities:
        start, end = tokens[quantity.first].start, tokens[quantity.last].end
        found.append(Span(quantity.first, quantity.last, text[start:end], "number", start, end, quantity))
    return found


def _moments(text: str, tokens: Sequence[RequestToken], moments: Sequence[MomentMention]) -> list[Span]:
    found = []
    for at, moment in enumerate(moments):
        start, end = tokens[moment.first].start, tokens[moment.last].end
        found.append(Span(moment.first, moment.last, text[start:end], "moment", start, end, moment=moment))
        follows = moments[at + 1] if at + 1 < len(moments) else None
        if follows and follows.first - moment.last <= 2 and (moment.day is None) != (follows.day is None):
            day, clock = moment.day or follows.day, moment.time or follows.time
            both = MomentMention(moment.first, follows.last, day, clock, moment.has_year and follows.has_year)
            end = tokens[follows.last].end
            found.append(Span(moment.first, follows.last, text[start:end], "moment", start, end, moment=both))
    return found


def _lists(
    text: str, tokens: Sequence[RequestToken], quantities: Sequence[NumberMention], quoted: Sequence[Span]
) -> list[Span]:
    """Return lists in brackets, of quotations, of numbers and of words."""
    found = [span for match in _BRACKETS.finditer(text) for span in _read_brackets(tokens, match)]
    found += _runs(text, tokens, list(quoted), "list")
    found += _runs(text, tokens, _numbers(text, tokens, quantities), "numbers")
    found += _spoken_lists(text, tokens)
    return found


def _read_brackets(tokens: Sequence[RequestToken], match: re.Match[str]) -> list[Span]:
    start, end = match.span(1 if match[1] is not None else 2)
    covered = _find_token_range(tokens, start, end)
    if not covered:
        return []
    inner = list(tokens[covered[0] : covered[1] + 1])
    numbers = numbers_of(inner)
    words = [token for token in inner if not token.is_mark]
    if numbers and len(numbers) == len(words):
        items = tuple(
            Span(covered[0], covered[1], words[at].text, "number", start, end, number)
            for at, number in enumerate(numbers)
        )
        return [Span(*covered, match[0], "numbers", start, end, items=items)]
    parts = [part.strip().strip("'\"“”‘’") for part in (match[1] or "").split(",")]
    items = tuple(Span(*covered, part, "words", start, end) for part in parts if part)
    return [Span(*covered, match[0], "list", start, end, items=items)] if items else []


def _runs(text: str, tokens: Sequence[RequestToken], parts: Sequence[Span], kind: str) -> list[Span]:
    """Return runs of parts with only commas, quotation marks and "and" between them."""
    found = []
    run: list[Span] = []
    for part in [*parts, None]:
        between = tokens[run[-1].last + 1 : part.first] if run and part else ()
        joins = part is not None and all(
            (token.kind in ("comma", "quote")) or token.low in ("and", "or", "&") for token in between
        )
        if run and not joins:
            if len(run) > 1:
                start, end = run[0].start, run[-1].end
                found.append(Span(run[0].first, run[-1].last, text[start:end], kind, start, end, items=tuple(run)))
            run = []
        if part is not None:
            run.append(part)
    return found


_BETWEEN = {"to", "and", "-", "–", "until", "till", "through", "="}


def _ranges(text: str, tokens: Sequence[RequestToken], quantities: Sequence[NumberMention]) -> list[Span]:
    """Return pairs of numbers that bound a range: "from 2015 to 2021", "between x = -1 and x = 2"."""
    found = []
    for one, other in pairwise(_numbers(text, tokens, quantities)):
        between = tokens[one.last + 1 : other.first]
        words = [token.low for token in between]
        if words == ["and"]:
            continue  # a run of numbers, or a part of one
        if (
            1 <= len(words) <= 3
            and words[0] in _BETWEEN - {"="}
            and all(word in _BETWEEN or (len(word) == 1 and word.isalpha()) for word in words)
        ):
            place = text[one.start : other.end]
            found.append(Span(one.first, other.last, place, "numbers", one.start, other.end, items=(one, other)))
    return found


def _literals(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    """Return the lists and objects that a request writes out in brackets, the outermost only."""
    found: list[Span] = []
    end = 0
    for at in [match.start() for match in re.finditer(r"[\[{]", text)][:_MOST_BRACKETS]:
        if at < end:
            continue  # inside the last one
        close = _closing(text, at)
        covered = _find_token_range(tokens, at, close) if close > at else None
        value = _literal(text[at:close]) if covered else None
        if covered and isinstance(value, list | dict) and value:
            found.append(Span(*covered, text[at:close], "literal", at, close, literal=value))
            end = close
    return found


def _literal(written: str) -> Any:
    """Return the list or object that JSON or Python would read, or None."""
    for read in (json.loads, ast.literal_eval):
        try:
            return json.loads(json.dumps(read(written), allow_nan=False))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
    return None


def _closing(text: str, at: int) -> int:
    """Return the position after the bracket that closes the one at a position, or the position itself."""
    depth = 0
    for end in range(at, min(len(text), at + _LONGEST_LITERAL)):
        depth += (text[end] in "[{") - (text[end] in "]}")
        if not depth:
            return end + 1
    return at


_LONGEST_LITERAL, _MOST_BRACKETS = 2000, 40


def _spoken_lists(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    """Return lists of words: every beginning and end near the separators of "A, B and C"."""
    separators = [at for at, token in enumerate(tokens) if token.text == "," or token.low in ("and", "or", "&")]
    found: dict[tuple[int, int], Span] = {}
    groups: list[list[int]] = []
    for at in separators:
        if groups and at - groups[-1][-1] <= 5 and not any(t.kind == "sentence" for t in tokens[groups[-1][-1] : at]):
            groups[-1].append(at)
        else:
            groups.append([at])
    for group in groups:
        for low, high in {(0, len(group)), *((n, len(group)) for n in range(1, min(len(group), 3)))} | {
            (0, n) for n in range(max(1, len(group) - 2), len(group))
        }:
            for span in _list_ends(text, tokens, group[low:high]):
                found.setdefault((span.first, span.last), span)
    return list(found.values())[:80]


def _list_ends(text: str, tokens: Sequence[RequestToken], separators: Sequence[int]) -> list[Span]:
    if not separators:
        return []
    found = []
    for first in range(separators[0] - 1, max(-1, separators[0] - 5), -1):
        if tokens[first].kind in ("sentence", "comma", "bracket"):
            break
        if tokens[first].kind in _NO_START and tokens[first].low not in _ARTICLES:
            continue
        for last in range(separators[-1] + 1, min(len(tokens), separators[-1] + 5)):
            if tokens[last].kind in ("sentence", "comma"):
                break
            if tokens[last].kind in _NO_END:
                continue
            items = _items(text, tokens, first, last)
            if len(items) > 1:
                start, end = tokens[first].start, tokens[last].end
                found.append(Span(first, last, text[start:end], "list", start, end, items=items))
    return found


def _items(text: str, tokens: Sequence[RequestToken], first: int, last: int) -> tuple[Span, ...]:
    items: list[Span] = []
    begin: int | None = None
    for at in range(first, last + 2):
        cut = at > last or tokens[at].text == "," or tokens[at].low in ("and", "or", "&") or tokens[at].kind == "quote"
        if cut:
            if begin is not None:
                items.append(span_at(text, tokens, begin, at - 1))
            begin = None
        elif begin is None and tokens[at].low not in _ARTICLES:
            begin = at
    return tuple(items)


def _rest(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    """Return the rest of the sentence, and of the request, after a cue."""
    found: dict[tuple[int, int], Span] = {}
    for at, token in enumerate(tokens[:-1]):
        if token.low not in _REST_CUES or tokens[at + 1].kind == "quote":
            continue
        ends = [n for n in range(at + 1, len(tokens)) if tokens[n].kind == "sentence"]
        last = (ends[0] if ends else len(tokens)) - 1
        for end in {last, len(tokens) - 1 - (tokens[-1].kind == "sentence")}:
            if end - at > 1 and tokens[at + 1].kind != "sentence":
                found.setdefault((at + 1, end), span_at(text, tokens, at + 1, end, "rest"))
    return list(found.values())[:16]


def _names(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    """Return the longest runs of capitals and numbers, with "of", "the" and commas between them."""
    found = []
    at = 0
    while at < len(tokens):
        if tokens[at].kind != "capital" or (at == 0 and len(tokens) > 1 and tokens[1].kind != "capital"):
            at += 1
            continue
        first = at - 1 if at and tokens[at - 1].kind == "number" and tokens[at - 1].low.isdigit() else at
        last = at
        while (step := _name_goes_on(tokens, last)) > last:
            last = step
        if last > first:
            found.append(span_at(text, tokens, first, last, "name"))
        at = last + 1
    return found


def _name_goes_on(tokens: Sequence[RequestToken], last: int) -> int:
    """Return the next token that belongs to the same name, or `last`."""
    for ahead in (1, 2, 3):
        at = last + ahead
        if at >= len(tokens):
            return last
        if tokens[at].kind == "capital":
            return at
        if not (tokens[at].low in ("of", "the", ",", "&", "and") and tokens[at].low != ("and" if ahead > 1 else "")):
            return last
        if tokens[at].low == "and" or (ahead > 1 and tokens[at].low != "the"):
            return last
    return last


def _formulas(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    """Return the longest runs of numbers, variables and operators."""
    found = []
    at = 0
    while at < len(tokens):
        last, operators = at - 1, 0
        while last + 1 < len(tokens):
            word = tokens[last + 1].text
            is_operator = bool(_OPERATOR.fullmatch(word))
            if not is_operator and not _OPERAND.fullmatch(word):
                break
            operators += is_operator or bool(re.search(r"[\^*]|\w[-+/]\w", word))
            last += 1
        if (
            last >= at
            and operators
            and any(character.isalpha() for character in text[tokens[at].start : tokens[last].end])
        ):
            span = span_at(text, tokens, at, last, "formula")
            found.append(span)
            left, equals, right = span.text.partition("=")
            if equals and right.strip() and len(left.strip()) < 6:
                found.append(replace(span, text=right.strip()))
        at = max(last, at) + 1
    return found


def _word_spans(text: str, tokens: Sequence[RequestToken]) -> list[Span]:
    """Return the runs of up to eight tokens that begin and end like a noun phrase, shortest first."""
    longest = _LONGEST if len(tokens) <= 60 else 5 if len(tokens) <= 120 else 3
    found = []
    for length in range(1, longest + 1):
        for first in range(len(tokens) - length + 1):
            last = first + length - 1
            if _may_be_value(tokens, first, last):
                kind = "code" if length == 1 and tokens[first].kind == "code" else "words"
                found.append(span_at(text, tokens, first, last, kind))
            elif length == 1 and tokens[first].kind == "preposition":  # a value where the schema lists it: "below"
                found.append(span_at(text, tokens, first, last, "small"))
    return found


def _may_be_value(tokens: Sequence[RequestToken], first: int, last: int) -> bool:
    head, tail = tokens[first], tokens[last]
    if head.kind in _NO_START and not (head.text[0].isupper() and head.start > 0 and last > first):
        return False
    if tail.kind in _NO_END and not (tail.text[0].isupper() and tail.kind != "pronoun" and last > first):
        return False
    if head.kind == "quote" or tail.kind == "quote":
        return False
    for at in range(first + 1, last):
        token = tokens[at]
        if token.kind in ("sentence", "bracket", "quote"):
            return False
        if token.kind == "comma" and not (
            tokens[at - 1].kind in ("capital", "number", "code")
            and tokens[at + 1].kind in ("capital", "number", "code")
        ):
            return False
    return True
