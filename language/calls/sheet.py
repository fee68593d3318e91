"""A request matched to one operation: every option of every slot with its features, and the call made of the best."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabos.language.calls.candidates import KIND_INDEX, RequestSpans
from mabos.language.calls.choices import BOOLEAN_WIDTH, CHOICE_WIDTH, NEGATED, boolean_row, choice_matrix
from mabos.language.calls.features import WIDTH, Matrix, PairScene, option_matrix
from mabos.language.calls.schema import NONE, OperationForm, SlotSchema
from mabos.language.calls.scorer import Scorer
from mabos.language.calls.values import WAY_INDEX, ValueOption, options_of

RIVALS = 10
"""Best options of a slot that are compared with each other."""
_SURE_ENOUGH, _ENOUGH_TO_FILL, _NEGATED_MOST = 0.5, 0.03, 0.25


@dataclass(frozen=True)
class SlotOptions:
    """A parameter with its options and the tokens of each (-1 for none)."""

    parameter: SlotSchema
    kind: str
    options: tuple[ValueOption, ...]
    places: tuple[tuple[int, int], ...]
    rows: Matrix


@dataclass(frozen=True)
class Sheet:
    """A request and an operation, with all slots that can be filled from words."""

    reading: RequestSpans
    form: OperationForm
    slots: tuple[SlotOptions, ...]


@dataclass(frozen=True)
class FilledSlot:
    """A value for a parameter, with its probability and its tokens."""

    parameter: SlotSchema
    value: Any
    probability: float
    place: tuple[int, int]
    words: str


@dataclass(frozen=True)
class CallDraft:
    """The most probable call of one operation, before it is judged as a whole."""

    sheet: Sheet
    filled: tuple[FilledSlot, ...]
    missing: tuple[SlotSchema, ...]
    defaulted: int
    doubts: tuple[float, ...]
    """For each optional slot that stays empty, the probability of its best option."""
    arguments: Mapping[str, Any] = field(default_factory=dict)


def lay_out(reading: RequestSpans, form: OperationForm, spans: Matrix) -> Sheet:
    """Return the sheet of a request and an operation; `spans` are the features of the request's spans."""
    scene = PairScene(reading, form)
    slots = []
    for position, parameter in enumerate(form.parameters):
        if parameter.type == "boolean":
            rows = np.array([boolean_row(reading, form, position)], dtype=np.float32).reshape(1, BOOLEAN_WIDTH)
            slots.append(
                SlotOptions(
                    parameter, "boolean", (ValueOption(-1, True, "code"),), (_words_of(reading, parameter),), rows
                )
            )
        elif parameter.choices:
            rows, places = choice_matrix(reading, form, position)
            options = tuple(ValueOption(-1, choice, "code") for choice in parameter.choices)
            slots.append(SlotOptions(parameter, "choice", options, tuple(places), rows))
        else:
            options = _sensible(reading, parameter, options_of(parameter, reading.spans))
            rows = option_matrix(scene, spans, position, options)
            spots = tuple((reading.spans[o.span].first, reading.spans[o.span].last) for o in options)
            slots.append(SlotOptions(parameter, "slot", options, spots, rows))
    return Sheet(reading, form, tuple(slots))


def _sensible(reading: RequestSpans, parameter: SlotSchema, options: Sequence[ValueOption]) -> tuple[ValueOption, ...]:
    """Return the options in the form that the parameter states, without parts of longer known names."""
    spans = reading.spans
    known = [spans[option.span] for option in options if option.way in ("code", "state")]
    kept = []
    for option in options:
        span = spans[option.span]
        if option.way in ("code", "state") and any(
            one.first <= span.first and span.last <= one.last and one.last - one.first > span.last - span.first
            for one in known
        ):
            continue
        kept.append(option)
    return _of_the_form(reading, parameter, kept)


def _of_the_form(
    reading: RequestSpans, parameter: SlotSchema, options: Sequence[ValueOption]
) -> tuple[ValueOption, ...]:
    """Return the options in the form that a parameter states, if there are any: days, mail addresses, years."""
    if parameter.is_year and (years := [one for one in options if _is_year(one.value)]):
        return tuple(years)
    spans = reading.spans
    if parameter.is_numeric or parameter.type == "array":
        written = [one for one in options if spans[one.span].kind in ("formula", "literal")]
        return tuple(written if written and parameter.item_type != "string" else options)
    if parameter.is_day and (days := [one for one in options if one.way == "moment"]):
        whole = [one for one in days if (moment := spans[one.span].moment) and moment.day]
        return tuple(whole or days)
    if parameter.is_mail and (addresses := [one for one in options if "@" in str(one.value)]):
        return tuple(one for one in addresses if " " not in str(one.value))
    return tuple(one for one in options if parameter.is_timely or one.way != "moment")


def _is_year(value: Any) -> bool:
    return bool(re.fullmatch(r"1\d{3}|20\d\d", str(value)))


def _words_of(reading: RequestSpans, parameter: SlotSchema) -> tuple[int, int]:
    places = [at for part in parameter.name_stems if len(part) > 2 for at in reading.stem_positions.get(part, ())]
    return (min(places), min(places)) if places else (-1, -1)


def first_scores(sheet: Sheet, scorers: Mapping[str, Scorer]) -> list[NDArray[np.float64]]:
    """Return a probability for each option of each slot, scored independently, in one pass over all spans."""
    found: list[NDArray[np.float64]] = [np.zeros(0)] * len(sheet.slots)
    widths = {"slot": WIDTH, "choice": CHOICE_WIDTH, "boolean": BOOLEAN_WIDTH}
    for kind, width in widths.items():
        at = [n for n, slot in enumerate(sheet.slots) if slot.kind == kind]
        if not at:
            continue
        stacked = np.concatenate([sheet.slots[n].rows.reshape(-1, width) for n in at])
        scores = scorers[kind](stacked)
        cuts = np.cumsum([len(sheet.slots[n].rows) for n in at])[:-1]
        for n, part in zip(at, np.split(scores, cuts), strict=True):
            found[n] = part
    return found


RELATIVE_WIDTH = 22


def relative_rows(sheet: Sheet, scores: Sequence[NDArray[np.float64]]) -> list[tuple[int, list[int], Matrix]]:
    """Return for each slot of spans its best options, and their features relative to their rivals."""
    named = _named_choices(sheet, scores)
    best = [
        _best(slot, part, named) if slot.kind == "slot" else [] for slot, part in zip(sheet.slots, scores, strict=True)
    ]
    found = []
    for n in range(len(sheet.slots)):
        if best[n]:
            rows = [_relative(sheet, scores, best, n, rank) for rank in range(len(best[n]))]
            found.append((n, best[n], np.array(rows, dtype=np.float32).reshape(-1, RELATIVE_WIDTH)))
    return found


def _best(slot: SlotOptions, scores: NDArray[np.float64], named: Sequence[tuple[int, int]]) -> list[int]:
    order = np.argsort(-scores, kind="stable")[: 2 * RIVALS]
    free = [int(at) for at in order if not any(_overlap(slot.places[int(at)], place) for place in named)]
    return free[:RIVALS]


def _named_choices(sheet: Sheet, scores: Sequence[NDArray[np.float64]]) -> list[tuple[int, int]]:
    """Return the tokens that name a value of an enumeration: they are no part of another slot's value."""
    return [
        slot.places[int(scores[n].argmax())]
        for n, slot in enumerate(sheet.slots)
        if slot.kind == "choice" and len(scores[n]) and scores[n].max() > _SURE_ENOUGH
    ]


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] >= 0 and other[0] >= 0 and one[0] <= other[1] and other[0] <= one[1]


def _logit(probability: float) -> float:
    clipped = min(max(probability, 1e-4), 1 - 1e-4)
    return float(np.log(clipped / (1 - clipped)))


def _relative(
    sheet: Sheet, scores: Sequence[NDArray[np.float64]], best: Sequence[list[int]], n: int, rank: int
) -> list[float]:
    slot, at = sheet.slots[n], best[n][rank]
    place, option, own = slot.places[at], slot.options[at], float(scores[n][at])
    rivals = [k for k in best[n] if k != at]
    same_words = [float(scores[n][k]) for k in rivals if _overlap(place, slot.places[k])]
    apart = [float(scores[n][k]) for k in rivals if not _overlap(place, slot.places[k])]
    longer = [
        float(scores[n][k]) for k in rivals
        if slot.places[k][0] <= place[0] and place[1] <= slot.places[k][1] and slot.places[k] != place
    ]  # fmt: skip
    wanted_by_others = [
        float(scores[m][k]) for m in range(len(best)) if m != n for k in best[m][:5]
        if _overlap(place, sheet.slots[m].places[k])
    ]  # fmt: skip
    chosen_by_choice = any(
        len(scores[m]) and scores[m].max() > 0.5 and _overlap(place, other.places[int(scores[m].argmax())])
        for m, other in enumerate(sheet.slots) if other.kind == "choice"
    )  # fmt: skip
    span = sheet.reading.spans[option.span]
    parameter = slot.parameter
    total = float(sum(scores[n][k] for k in best[n]))
    return [
        _logit(own), rank, _logit(own) - _logit(float(scores[n][best[n][0]])), max(same_words, default=0.0),
        max(apart, default=0.0), own / max(total, 1e-6), total, max(wanted_by_others, default=0.0),
        own - max(wanted_by_others, default=0.0), chosen_by_choice, max(longer, default=0.0), KIND_INDEX[span.kind],
        WAY_INDEX[option.way], place[1] - place[0] + 1, parameter.required, parameter.is_numeric,
        parameter.type == "array", len(sheet.form.parameters), len(sheet.reading.tokens), len(slot.options),
        parameter.default is not NONE, len(sheet.reading.quantities),
    ]  # fmt: skip


def final_scores(
    sheet: Sheet, scores: Sequence[NDArray[np.float64]], scorers: Mapping[str, Scorer]
) -> list[NDArray[np.float64]]:
    """Return the probabilities after the best options of each slot are compared with their rivals."""
    found = [part.copy() for part in scores]
    compared = relative_rows(sheet, scores)
    if not compared:
        return found
    stacked = scorers["relative"](np.concatenate([rows for _, _, rows in compared]))
    at = 0
    for n, chosen, rows in compared:
        found[n][:] = 0
        found[n][chosen] = stacked[at : at + len(rows)]
        at += len(rows)
    return found


def assemble(sheet: Sheet, scores: Sequence[NDArray[np.float64]]) -> CallDraft:
    """Return the most probable call; no words are used twice."""
    taken: dict[int, FilledSlot] = {}
    for n, slot in enumerate(sheet.slots):
        if slot.kind != "slot" and (chosen := _fill_declared(sheet, slot, scores[n])):
            taken[n] = chosen
    used = tuple(filled.place for n, filled in taken.items() if sheet.slots[n].kind == "choice")
    beam: list[tuple[float, dict[int, int], tuple[tuple[int, int], ...]]] = [(0.0, {}, used)]
    for n, slot in enumerate(sheet.slots):
        if slot.kind != "slot" or not len(scores[n]):
            continue
        enough = _ENOUGH_TO_FILL if slot.parameter.required else _SURE_ENOUGH
        best = [int(k) for k in np.argsort(-scores[n], kind="stable")[:RIVALS] if scores[n][k] >= enough]
        empty = _LEFT_OPEN if slot.parameter.required else float(np.log(max(1 - scores[n].max(), _LEAST)))
        grown = [(total + empty, chosen_, places) for total, chosen_, places in beam]
        grown += [
            (total + float(np.log(scores[n][k])), {**chosen_, n: k}, (*places, slot.places[k]))
            for total, chosen_, places in beam for k in best
            if not any(_overlap(slot.places[k], place) for place in places)
        ]  # fmt: skip
        beam = sorted(grown, key=lambda one: -one[0])[:_BEAM]
    for n, k in beam[0][1].items():
        slot = sheet.slots[n]
        words = sheet.reading.spans[slot.options[k].span].text
        taken[n] = FilledSlot(slot.parameter, slot.options[k].value, float(scores[n][k]), slot.places[k], words)
    return _draft(sheet, scores, taken)


_BEAM, _LEFT_OPEN, _LEAST = 16, -6.0, 1e-3
"""Assignments that are kept, and the logarithm of the chance that a required value is not in the words."""


def _fill_declared(sheet: Sheet, slot: SlotOptions, scores: NDArray[np.float64]) -> FilledSlot | None:
    """Return the value of an enumeration, of a list of its items, or of a switch, if it is to be given."""
    parameter = slot.parameter
    if not len(scores):
        return None
    if slot.kind == "boolean":
        return _switch(sheet, slot, float(scores[0]))
    at = int(scores.argmax())
    if parameter.type == "array":
        chosen = [n for n in range(len(scores)) if scores[n] > _SURE_ENOUGH] or ([at] if parameter.required else [])
        if not chosen:
            return None
        lowest = float(min(max(scores[n], 1 - scores[n]) for n in range(len(scores))))
        return FilledSlot(
            parameter, [slot.options[n].value for n in chosen], lowest, slot.places[at], _words(sheet, slot, at)
        )
    if scores[at] > _SURE_ENOUGH or (parameter.required and parameter.default is NONE):
        return FilledSlot(
            parameter, slot.options[at].value, float(scores[at]), slot.places[at], _words(sheet, slot, at)
        )
    return None


def _switch(sheet: Sheet, slot: SlotOptions, probability: float) -> FilledSlot | None:
    parameter = slot.parameter
    if slot.rows[0][NEGATED]:  # "don't return the full text"
        probability = min(probability, _NEGATED_MOST)
    value = probability > _SURE_ENOUGH
    default = str(parameter.default).strip().lower() == "true" if parameter.default is not NONE else False
    if not parameter.required and value == default:
        return None
    return FilledSlot(parameter, value, max(probability, 1 - probability), slot.places[0], _words(sheet, slot, 0))


def _words(sheet: Sheet, slot: SlotOptions, at: int) -> str:
    first, last = slot.places[at]
    if first < 0:
        return ""
    return sheet.reading.text[sheet.reading.tokens[first].start : sheet.reading.tokens[last].end]


def _draft(sheet: Sheet, scores: Sequence[NDArray[np.float64]], taken: Mapping[int, FilledSlot]) -> CallDraft:
    missing, doubts, defaulted = [], [], 0
    arguments: dict[str, Any] = {}
    for n, slot in enumerate(sheet.slots):
        parameter = slot.parameter
        if n in taken:
            _put(arguments, parameter.path, taken[n].value)
        elif parameter.required and _usable(parameter):
            defaulted += 1
            _put(arguments, parameter.path, parameter.default)
        elif parameter.required:
            missing.append(parameter)
        elif len(scores[n]):
            doubts.append(float(scores[n].max()))
    return CallDraft(sheet, tuple(taken[n] for n in sorted(taken)), tuple(missing), defaulted, tuple(doubts), arguments)


def _usable(parameter: SlotSchema) -> bool:
    """Return whether the default has the type of the parameter, so that it can replace a missing value."""
    default = parameter.default
    if default is NONE or default is None:
        return False
    kinds: dict[str, type | tuple[type, ...]] = {
        "string": str,
        "integer": int,
        "number": (int, float),
        "boolean": bool,
        "array": list,
    }
    if not isinstance(default, kinds.get(parameter.type, ())):
        return False
    return not parameter.choices or parameter.type == "array" or default in parameter.choices


def _put(arguments: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for name in path[:-1]:
        arguments = arguments.setdefault(name, {})
    arguments[path[-1]] = value
