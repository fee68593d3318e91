"""Values that a schema names itself: enumerations, lists of their items, and yes or no."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from mabos.language.calls.candidates import RequestSpans
from mabos.language.calls.features import Matrix
from mabos.language.calls.schema import MEANINGS, NONE, OperationForm, SlotSchema
from mabos.language.calls.tokens import split_words, stem, stems
from mabos.language.calls.values import abbreviates
from mabos.language.calls.vocabulary import vocabulary

_NEGATIONS = frozenset(
    split_words("not no without don't doesn't never exclude excluding except avoid skip disable off")
)
_CUES = frozenset(
    stem(word) for word in ["include", "including", "with", "also", "want", "show", "enable", "only", "need", "need"]
)
CHOICE_WIDTH, BOOLEAN_WIDTH = 25, 22
NEGATED = 8
"""Column of a switch that says whether its words follow a negation."""


@lru_cache(maxsize=8192)
def _near_value(description: str, value: str) -> frozenset[str]:
    """Return the stems that a description uses near a value: "'desc' for descending order"."""
    at = description.lower().find(value.lower())
    if at < 0 or len(value) < 2:
        return frozenset()
    after = re.split(r"[.;,]|\bor\b", description[at + len(value) : at + len(value) + 60])
    return frozenset(part for part in stems(after[0]) if len(part) > 3)


def choice_matrix(reading: RequestSpans, form: OperationForm, position: int) -> tuple[Matrix, list[tuple[int, int]]]:
    """Return a row of features for each declared value of a parameter, and the tokens that name it (-1 for none)."""
    parameter = form.parameters[position]
    found = [_evidence(reading, str(choice)) for choice in parameter.choices]
    best = max((row[0] for row, _ in found), default=0.0)
    named = sum(row[0] >= 0.99 for row, _ in found)
    elsewhere = {part for at, one in enumerate(form.parameters) if at != position for part in one.own_stems} | set(
        form.name_stems
    )
    rows = []
    for at, (choice, (row, place)) in enumerate(zip(parameter.choices, found, strict=True)):
        parts = stems(str(choice))
        near = _near_value(parameter.description, str(choice))
        hits = sum(part in reading.stem_positions for part in near)
        default = parameter.default is not NONE and str(parameter.default).lower() == str(choice).lower()
        rows.append([
            *row, row[0] - best, named, at, len(parameter.choices), default, parameter.default is not NONE,
            parameter.required, hits, hits / max(1, len(near)), _distance(reading, parameter, place[0]),
            sum(part in elsewhere for part in parts) / max(1, len(parts)), parameter.type == "array", len(parts),
            str(choice).isdigit() or len(str(choice)) < 3, parameter.meanings[list(MEANINGS).index("unit")],
        ])  # fmt: skip
    matrix = np.array(rows, dtype=np.float32).reshape(len(rows), CHOICE_WIDTH)
    return matrix, [place for _, place in found]


def _evidence(reading: RequestSpans, choice: str) -> tuple[list[float], tuple[int, int]]:
    """Return how far the words of a request name a declared value, and where."""
    low = choice.lower()
    locale = bool(re.fullmatch(r"[a-z]{2}[-_][A-Za-z]{2}", choice))  # "es-ES": said as the name of its language
    parts = () if locale else stems(choice)
    where = _phrase(reading, parts)
    hit = sum(part in reading.stem_positions for part in parts)
    prefix = _prefix(reading, low) if where[0] < 0 else -1
    codes = vocabulary().codes
    coded = _find_code(reading, choice[:2] if locale else choice, codes) if where[0] < 0 else (-1, -1)
    short = next((at for at, token in enumerate(reading.tokens) if abbreviates(choice, token.text)), -1)
    coded = (short, short) if where[0] < 0 and coded[0] < 0 else coded
    exact = bool(re.search(rf"(?<!\w){re.escape(low)}(?!\w)", reading.text.lower())) if low else False
    initials = (
        where[0] < 0 and len(choice) > 1 and choice.isupper() and any(token.text == choice for token in reading.tokens)
    )
    if where[0] < 0:
        where = coded if coded[0] >= 0 else (prefix, prefix)
    share = hit / max(1, len(parts))
    score = 1.0 if exact else 0.99 if where[0] >= 0 and prefix < 0 else 0.7 if prefix >= 0 else 0.6 * share
    position = where[0] / max(1, len(reading.tokens)) if where[0] >= 0 else -1.0
    return [
        score,
        share,
        exact,
        prefix >= 0,
        bool(parts) and parts[-1] in reading.stem_positions,
        coded[0] >= 0,
        initials,
        position,
        hit,
        len(reading.tokens),
    ], where


def _phrase(reading: RequestSpans, parts: Sequence[str]) -> tuple[int, int]:
    """Return the positions of consecutive stems, or -1."""
    if not parts:
        return -1, -1
    for at in reading.stem_positions.get(parts[0], ()):
        found = [token.stem for token in reading.tokens[at : at + len(parts)]]
        if tuple(found) == tuple(parts):
            return at, at + len(parts) - 1
    joined = "".join(parts)
    for at, token in enumerate(reading.tokens):
        if len(joined) > 3 and "".join(stems(token.text)) == joined:
            return at, at
    return -1, -1


def _prefix(reading: RequestSpans, low: str) -> int:
    """Return the token that a declared value begins or that begins it, by four letters or more, or -1."""
    for at, token in enumerate(reading.tokens):
        shared = min(len(token.low), len(low))
        if shared >= 4 and token.low[:shared] == low[:shared]:
            return at
        if len(token.stem) >= 4 and low.startswith(token.stem):
            return at
        if min(len(token.stem), len(low)) >= 5 and token.stem[:5] == low[:5]:
            return at
    return -1


def _find_code(reading: RequestSpans, choice: str, codes: Any) -> tuple[int, int]:
    """Return the position of a name whose code the declared value is, or the reverse."""
    for kind in codes:
        for at, token in enumerate(reading.tokens):
            if codes[kind].get(token.low, "").lower() == choice.lower() and len(choice) < 4:
                return at, at
            if at + 1 < len(reading.tokens):
                both = f"{token.low} {reading.tokens[at + 1].low}"
                if codes[kind].get(both, "").lower() == choice.lower() and len(choice) < 4:
                    return at, at + 1
    return -1, -1


def _distance(reading: RequestSpans, parameter: SlotSchema, at: int) -> float:
    """Return how far a token is from the nearest word of the parameter's name; 20 where it is not named."""
    places = [place for part in parameter.name_stems for place in reading.stem_positions.get(part, ())]
    return float(min((abs(place - at) for place in places), default=20)) if at >= 0 else 20.0


def boolean_row(reading: RequestSpans, form: OperationForm, position: int) -> list[float]:
    """Return the features that suggest that a boolean is true."""
    parameter = form.parameters[position]
    name = [part for part in parameter.name_stems if len(part) > 2]
    hits = [part in reading.stem_positions for part in name]
    content = parameter.description_stems - form.description_stems - set(form.name_stems)
    described = sum(part in reading.stem_positions for part in content)
    own = [part for part in name if part not in form.name_stems and part not in form.description_stems]
    own_hits = sum(part in reading.stem_positions for part in own)
    places = [place for part in name for place in reading.stem_positions.get(part, ())]
    low = [token.low for token in reading.tokens]
    negated = any(word in _NEGATIONS for place in places for word in low[max(0, place - 3) : place])
    cued = any(token.stem in _CUES for place in places for token in reading.tokens[max(0, place - 3) : place])
    default = str(parameter.default).strip().lower()
    description = parameter.description.lower()
    quoted = sum(reading.text.lower().count(text.lower()) > 0 for text in parameter.listed)
    return [
        sum(hits), sum(hits) / max(1, len(name)), len(name), described, described / max(1, len(content)), own_hits,
        own_hits / max(1, len(own)), len(own), negated, cued, parameter.required, default == "true", default == "false",
        parameter.default is NONE, "whether" in description, "include" in description or "includ" in name,
        len(form.parameters), sum(one.type == "boolean" for one in form.parameters), len(low), quoted,
        any(word in _NEGATIONS for word in low), parameter.name_stems[-1] in reading.stem_positions if name else 0.0,
    ]  # fmt: skip
