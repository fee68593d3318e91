"""Compute numeric features of a span as a possible value of a parameter, for the learned scorer.

Everything is computed with numpy over all spans at once: `PairScene` holds the shared data of all parameters,
`pair_features` adds that of one parameter.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabos.configs.yaml_file import packaged_yaml
from mabos.language.calls.candidates import KINDS, RequestSpans, Span
from mabos.language.calls.schema import MEANINGS, NONE, OperationForm, SlotSchema
from mabos.language.calls.tokens import CLASS_INDEX, CLASSES, PREPOSITIONS, stems
from mabos.language.calls.units import measure_of
from mabos.language.calls.values import WAY_INDEX, WAYS, ValueOption, unit_of
from mabos.language.calls.vocabulary import vocabulary

Matrix = NDArray[np.float32]
Numbers = NDArray[np.int64]
_PAD = 4
_SKIPPED = {"determiner", "quote", "bracket", "adverb"}
_TYPES = ("string", "integer", "number", "array")
_AFFINITY = packaged_yaml("affinities.yaml")
"""Words before a value that fit the meaning of its parameter."""


@dataclass(frozen=True)
class PairScene:
    """A request and an operation, with the data that all parameters share computed once."""

    reading: RequestSpans
    form: OperationForm

    @cached_property
    def firsts(self) -> Numbers:
        """The padded position of each span's first token."""
        return np.array([span.first for span in self.reading.spans], dtype=np.int64) + _PAD

    @cached_property
    def lasts(self) -> Numbers:
        """The padded position of each span's last token."""
        return np.array([span.last for span in self.reading.spans], dtype=np.int64) + _PAD

    @cached_property
    def form_matches(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return whether each padded token's stem is in the operation's name, and in its description."""
        return self.marks(frozenset(self.form.name_stems)), self.marks(self.form.description_stems)

    def marks(self, wanted: frozenset[str]) -> NDArray[np.float32]:
        """Return 1 for each padded token whose stem is among the given ones, else 0."""
        found = np.zeros(len(self.reading.tokens) + 2 * _PAD, dtype=np.float32)
        for part in wanted:
            for at in self.reading.stem_positions.get(part, ()):
                found[at + _PAD] = 1
        return found


def span_features(reading: RequestSpans) -> Matrix:
    """Return the features of each span without a parameter."""
    tokens, spans = reading.tokens, reading.spans
    if not spans:
        return np.zeros((0, SPAN_WIDTH), dtype=np.float32)
    edge = CLASS_INDEX["edge"]
    classes = np.full(len(tokens) + 2 * _PAD, edge)
    classes[_PAD : _PAD + len(tokens)] = [CLASS_INDEX[token.kind] for token in tokens]
    before, previous_class, previous_word = _words_before(reading, classes)
    first = np.array([span.first for span in spans]) + _PAD
    last = np.array([span.last for span in spans]) + _PAD
    hot = np.eye(len(CLASSES), dtype=np.float32)
    inside = np.vstack([np.zeros((1, len(CLASSES)), dtype=np.float32), np.cumsum(hot[classes], axis=0)])
    counts = inside[last + 1] - inside[first]
    kinds = np.eye(len(KINDS), dtype=np.float32)[[KINDS.index(span.kind) for span in spans]]
    prepositions = np.eye(len(PREPOSITIONS) + 1, dtype=np.float32)[previous_word[first]]
    simple = np.array([_simple(reading, at) for at in range(len(spans))], dtype=np.float32)
    shape = np.stack(
        [
            (last - first + 1).astype(np.float32), (first - _PAD) / max(1, len(tokens)), first == _PAD,
            last == len(tokens) + _PAD - 1, classes[before[first]] == CLASS_INDEX["capital"],
            classes[last + 1] == CLASS_INDEX["capital"], classes[last + 2], np.full(len(spans), len(tokens)),
            counts[:, CLASS_INDEX["capital"]] / (last - first + 1), classes[first - 2],
        ],
        axis=1,
    ).astype(np.float32)  # fmt: skip
    parts = [
        kinds, hot[classes[first - 1]], hot[previous_class[first]], hot[classes[last + 1]], hot[classes[first]],
        hot[classes[last]], counts, prepositions, shape, simple,
    ]  # fmt: skip
    return np.concatenate(parts, axis=1)


def _words_before(reading: RequestSpans, classes: NDArray[Any]) -> tuple[Numbers, Numbers, Numbers]:
    """Return for each padded position the last token that is no article or mark, its class, and which preposition."""
    size = len(classes)
    before = np.zeros(size, dtype=np.int64)
    word = np.full(size, len(PREPOSITIONS), dtype=np.int64)
    index = {name: at for at, name in enumerate(PREPOSITIONS)}
    last, last_word = _PAD - 1, len(PREPOSITIONS)
    for at in range(_PAD, size):
        before[at], word[at] = last, last_word
        if at - _PAD < len(reading.tokens):
            token = reading.tokens[at - _PAD]
            if token.kind not in _SKIPPED:
                last, last_word = at, index.get(token.low, len(PREPOSITIONS))
    return before, classes[before], word


_SIMPLE_WIDTH = 25


def _simple(reading: RequestSpans, at: int) -> list[float]:
    """Return the signs of one span's own text and number."""
    span = reading.spans[at]
    quantity, moment = span.quantity, span.moment
    quoted = any(q.first <= span.first and span.last <= q.last for q in reading.quoted)
    whole = any(q.first == span.first and q.last == span.last for q in reading.quoted)
    in_moment = any(m.first <= span.first and span.last <= m.last and m.day for m in reading.moments)
    in_number = any(q.first <= span.last and span.first <= q.last and not q.is_word for q in reading.quantities)
    numbers = list(reading.quantities)
    rank = next((n for n, q in enumerate(numbers) if quantity and q.first == quantity.first), -1)
    signs = vocabulary().signs(span.text.lower())
    value = quantity.value if quantity else 0.0
    return [
        *map(float, signs), quoted, whole, in_moment, in_number, len(numbers), rank, len(reading.quoted),
        bool(quantity and quantity.is_ordinal),
        bool(quantity and 1800 <= value <= 2100 and float(value).is_integer()),
        float(np.log1p(abs(value))), bool(quantity and not float(value).is_integer()),
        bool(moment and moment.day), len(span.items), span.text.isupper(), *_cuts(reading, span), *_codes(span.text),
    ]  # fmt: skip


def _cuts(reading: RequestSpans, span: Span) -> list[float]:
    """Return whether the ends of a span cut a name or an "X of Y" in two."""
    tokens, first, last = reading.tokens, span.first, span.last
    before = [token.kind for token in tokens[max(0, first - 2) : first]]
    words_before = [token.low for token in tokens[max(0, first - 8) : first]]
    after = tokens[last + 1 : last + 3]
    runs_left = bool(before) and before[-1] == "capital" and tokens[first].kind == "capital"
    runs_right = bool(after) and after[0].kind == "capital" and tokens[last].kind == "capital"
    return [
        runs_left or runs_right, tokens[first].kind == "capital" and not (runs_left or runs_right),
        len(before) == 2 and words_before[-1] == "of" and before[0] in ("capital", "word"),
        len(after) == 2 and after[0].low == "of" and after[1].kind in ("capital", "word"),
        "between" in words_before and words_before[-1:] == ["and"],
    ]  # fmt: skip


_PATH = re.compile(r"(?:[A-Za-z]:)?[\w.~-]*[/\\][\w./\\ ~-]+|\w[\w-]*\.(?!com|org|net)[a-z]{2,4}")
_ID = re.compile(r"(?=\S*\d)(?=\S*[A-Za-z])[\w-]{3,}|\d{5,}")


def _codes(words: str) -> list[bool]:
    """Return whether a text is a path, an id, or holds a digit."""
    return [bool(_PATH.fullmatch(words)), bool(_ID.fullmatch(words)), bool(re.search(r"\d", words))]


SPAN_WIDTH = len(KINDS) + 6 * len(CLASSES) + len(PREPOSITIONS) + 1 + 10 + _SIMPLE_WIDTH


@lru_cache(maxsize=2048)
def parameter_features(form: OperationForm, position: int) -> tuple[float, ...]:
    """Return the features of a parameter among those of its operation."""
    parameter = form.parameters[position]
    same = [one for one in form.parameters if one.type == parameter.type or (one.is_numeric and parameter.is_numeric)]
    required = [one for one in form.parameters if one.required]
    listed = parameter.listed
    return (
        *(float(parameter.type == kind) for kind in _TYPES),
        float(parameter.item_type in ("integer", "number")), float(parameter.required),
        float(parameter.default is not NONE), float(position), float(len(form.parameters)), float(len(required)),
        float(len(same)), float(same.index(parameter)), float(sum(one.required for one in same)),
        float(parameter.has_format), float(len(listed)), float(len(parameter.description) / 50),
        *_example_shape(listed), float(bool(unit_of(parameter))), float(len(parameter.name_stems)), *parameter.meanings,
    )  # fmt: skip


def _example_shape(listed: Sequence[str]) -> tuple[float, float, float]:
    """Return the shares of capitals and digits in the listed values, and their mean number of words."""
    if not listed:
        return -1.0, -1.0, 0.0
    size = len(listed)
    return (
        sum(text[0].isupper() for text in listed) / size,
        sum(bool(re.search(r"\d", text)) for text in listed) / size,
        sum(len(text.split()) for text in listed) / size,
    )


PARAMETER_WIDTH = 4 + 12 + 3 + 2 + len(MEANINGS)
_NEAR = 8


def pair_features(scene: PairScene, position: int, options: Sequence[ValueOption]) -> Matrix:
    """Return the features of each option of a parameter: the words around and inside its span against the schema's."""
    parameter = scene.form.parameters[position]
    chosen = np.array([option.span for option in options], dtype=np.int64)
    first, last = scene.firsts[chosen], scene.lasts[chosen]
    others = [one for at, one in enumerate(scene.form.parameters) if at != position]
    foreign = frozenset(part for one in others for part in one.own_stems) - set(parameter.name_stems)
    distant = frozenset(part for one in others for part in one.description_stems)
    own_words = parameter.description_stems - distant
    columns: list[NDArray[Any]] = []
    for wanted in (
        frozenset(parameter.name_stems),
        parameter.own_stems,
        own_words,
        parameter.description_stems,
        foreign,
    ):
        columns += _around(scene.marks(wanted), first, last)
    for marks in scene.form_matches:
        columns += _around(marks, first, last)[:5]
    nearest = _nearest(scene.marks(parameter.own_stems)), _nearest(scene.marks(foreign))
    columns += [
        np.minimum(nearest[0][first - 1], _NEAR), np.minimum(nearest[1][first - 1], _NEAR),
        (nearest[0][first - 1] < nearest[1][first - 1]).astype(float),
    ]  # fmt: skip
    own = np.array([_own(scene, parameter, option) for option in options], dtype=np.float32)
    ways = np.eye(len(WAYS), dtype=np.float32)[[WAY_INDEX[option.way] for option in options]]
    return np.concatenate([np.stack(columns, axis=1).astype(np.float32), own, ways], axis=1)


_AROUND = 9


def _around(marks: NDArray[np.float32], first: Numbers, last: Numbers) -> list[NDArray[Any]]:
    """Return marks at the tokens before, inside and after spans."""
    total = np.concatenate([[0.0], np.cumsum(marks)])
    inside = total[last + 1] - total[first]
    return [
        inside / (last - first + 1), marks[first - 1], marks[last + 1], marks[last], marks[first],
        marks[first - 2], np.maximum(marks[first - 3], marks[first - 4]), marks[last + 2],
        total[first] - total[np.maximum(first - _NEAR, 0)],
    ]  # fmt: skip


def _nearest(marks: NDArray[np.float32]) -> NDArray[Any]:
    """Return for each position how far the nearest mark before it is; far is 99."""
    positions = np.where(marks > 0, np.arange(len(marks)), -99)
    return np.arange(len(marks)) - np.maximum.accumulate(positions)


_OWN_WIDTH = 20


def _own(scene: PairScene, parameter: SlotSchema, option: ValueOption) -> list[float]:
    """Return the signs of one pair that need its text: prepositions, units, listed values, order."""
    span = scene.reading.spans[option.span]
    meanings = dict(zip(MEANINGS, parameter.meanings, strict=True))
    before = _word_before(scene.reading, span.first)
    affinity = max(
        (level for name, level in meanings.items() if level and before in _PREPOSITION_SETS[name]), default=0.0
    )
    against = any(before in _PREPOSITION_SETS[name] for name in ("place", "from", "to", "person", "date", "topic"))
    signs = vocabulary().signs(span.text.lower()) if len(span.text) < 40 else (False,) * 3
    place = signs[0] or signs[1]
    unit = span.quantity.unit if span.quantity else ""
    wanted = unit_of(parameter)
    words = span.text.split()
    people = len(words) in (2, 3) and all(word[:1].isupper() for word in words) and not place
    same = [one for one in scene.form.parameters if one.is_numeric == parameter.is_numeric and one.type != "boolean"]
    order = same.index(parameter) if parameter in same else 0
    numbers = scene.reading.quantities
    rank = next((n for n, q in enumerate(numbers) if span.quantity and q.first == span.quantity.first), 0)
    examples = {text.lower() for text in parameter.listed}
    return [
        affinity, float(against and not affinity), float(place and meanings["place"] > 0),
        float(place and not meanings["place"]), float(bool(unit) and unit == wanted),
        float(bool(unit) and bool(wanted) and unit.rstrip("s") == wanted.rstrip("s")),
        float(people and meanings["person"]), float(span.text.lower() in examples),
        float(rank - order) if span.quantity
        else float(span.first / max(1, len(scene.reading.tokens)) - order / max(1, len(same))),
        float(len(numbers) - sum(one.is_numeric for one in same)),
        float(bool(span.quantity) and bool(set(stems(unit)) & set(parameter.name_stems))),
        float(bool(span.quantity) and bool(set(stems(unit)) & parameter.description_stems)),
        *_strange_unit(scene, parameter, span),
        *_typical(meanings, span, scene.reading),
    ]  # fmt: skip


def _strange_unit(scene: PairScene, parameter: SlotSchema, span: Span) -> tuple[float, float]:
    """Return whether a number lacks the unit of its parameter: another number has it, or another parameter wants it."""
    if not span.quantity or not parameter.is_numeric or _has_unit_of(parameter, span.quantity.unit):
        return 0.0, 0.0
    unit = span.quantity.unit
    return (
        float(any(_has_unit_of(parameter, one.unit) for one in scene.reading.quantities)),
        float(any(_has_unit_of(one, unit) for one in scene.form.parameters)),
    )


def _has_unit_of(parameter: SlotSchema, unit: str) -> bool:
    """Return whether a number with this unit measures the parameter's quantity."""
    own, wanted = measure_of(unit), measure_of(unit_of(parameter))
    if own and wanted:
        return own[0] == wanted[0]
    said = set(stems(unit))
    return bool(said) and not said.isdisjoint({*parameter.name_stems, *parameter.description_stems})


def _typical(meanings: Mapping[str, float], span: Span, reading: RequestSpans) -> list[float]:
    """Return whether a span looks typical of the parameter's meaning, or against it."""
    quantity = span.quantity
    year = bool(quantity and 1500 <= quantity.value <= 2100 and span.text.isdigit())
    far = next(
        (one.low for one in reversed(reading.tokens[max(0, span.first - 7) : span.first]) if one.kind == "preposition"),
        "",
    )
    return [
        float(year and meanings["year"] > 0), float(year and not meanings["year"]),
        float(bool(quantity and quantity.is_money) and meanings["money"] > 0),
        float(bool(quantity and quantity.is_money) and not meanings["money"]),
        float(bool(quantity and quantity.is_percent) and meanings["rate"] > 0),
        max((level for name, level in meanings.items() if level and far in _PREPOSITION_SETS[name]), default=0.0),
    ]  # fmt: skip


_PREPOSITION_SETS = {name: frozenset(words.split()) for name, words in _AFFINITY.items()}


def _word_before(reading: RequestSpans, first: int) -> str:
    for at in range(first - 1, max(-1, first - 4), -1):
        if reading.tokens[at].kind not in _SKIPPED:
            return reading.tokens[at].low
    return ""


PAIR_WIDTH = 5 * _AROUND + 2 * 5 + 3 + _OWN_WIDTH + len(WAYS)
WIDTH = SPAN_WIDTH + PARAMETER_WIDTH + PAIR_WIDTH


def option_matrix(scene: PairScene, spans: Matrix, position: int, options: Sequence[ValueOption]) -> Matrix:
    """Return one row for each option of a parameter: span, parameter and pair."""
    if not options:
        return np.zeros((0, WIDTH), dtype=np.float32)
    of_parameter = np.array(parameter_features(scene.form, position), dtype=np.float32)
    chosen = [option.span for option in options]
    return np.concatenate(
        [spans[chosen], np.tile(of_parameter, (len(options), 1)), pair_features(scene, position, options)], axis=1
    )
