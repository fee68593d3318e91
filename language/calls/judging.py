"""Features for two questions: does an operation fit a request, and is a drafted call right?"""

from collections.abc import Mapping

import numpy as np

from mabos.language.calls.candidates import RequestSpans
from mabos.language.calls.features import Matrix
from mabos.language.calls.schema import OperationForm
from mabos.language.calls.sheet import CallDraft
from mabos.language.calls.tokens import CLASS_OF_WORD, split_words, stem

_ASKING = frozenset(
    stem(word)
    for word in split_words(
        "find get give tell show know look want need please help calculate compute determine what which how who when "
        "where information details data me using use provide retrieve would like could can check search following "
        "current today want interested looking also identify please thanks thank hello hi hey"
    )
)


def content_stems(reading: RequestSpans) -> list[str]:
    """Return the stems of the content words, in order."""
    return list(dict.fromkeys(
        token.stem for token in reading.tokens
        if token.stem and token.kind in ("verb", "word", "capital", "code") and token.stem not in _ASKING
        and not (token.kind == "verb" and token.low in CLASS_OF_WORD and token.low in ("is", "are"))
    ))  # fmt: skip


def fit_row(reading: RequestSpans, form: OperationForm, weights: Mapping[str, float]) -> list[float]:
    """Return the features of an operation's fit to a request; `weights` are high for rare words."""
    words = content_stems(reading)
    low = [token.stem for token in reading.tokens if token.kind in ("word", "verb")]
    own = set(form.name_stems) | form.description_stems
    name = [part for part in form.name_stems if part not in _ASKING]
    total = sum(_weight(part, weights) for part in words) or 1.0
    plain = [part for part in dict.fromkeys(low) if part not in _ASKING]
    plain_total = sum(_weight(part, weights) for part in plain) or 1.0
    required = [parameter for parameter in form.parameters if parameter.required]
    numbers = sum(parameter.is_numeric for parameter in required)
    named = [_score_name(reading, parameter.name_stems) for parameter in required]
    return [
        sum(part in reading.stem_positions for part in name) / max(1, len(name)),
        _score_parts(name, reading, weights), sum(_weight(part, weights) for part in words if part in own) / total,
        sum(_weight(part, weights) for part in words if part in form.every_stem) / total,
        sum(_weight(part, weights) for part in plain if part in own) / plain_total,
        sum(_weight(part, weights) for part in plain if part in form.every_stem) / plain_total,
        sum(part in reading.stem_positions for part in form.description_stems) / max(1, len(form.description_stems)),
        max((_weight(part, weights) for part in plain if part not in form.every_stem), default=0.0),
        max((_weight(part, weights) for part in plain if part in own), default=0.0),
        len(required), len(form.parameters), numbers, len(reading.quantities), numbers - len(reading.quantities),
        sum(named) / max(1, len(named)), len(words), len(reading.tokens), form.has_opaque_object,
        sum(parameter.type == "string" and not parameter.choices for parameter in required), len(name),
        *_focus(plain, name, form, reading, weights),
    ]  # fmt: skip


def _focus(
    plain: list[str], name: list[str], form: OperationForm, reading: RequestSpans, weights: Mapping[str, float]
) -> list[float]:
    """Return the agreement between the first words, which show the request, and the operation's name."""
    own = set(form.name_stems) | form.description_stems
    first = plain[:3]
    strange = [part for part in first if part not in form.every_stem]
    absent = [part for part in name if part not in reading.stem_positions]
    return [
        sum(part in own for part in first) / max(1, len(first)),
        sum(part in form.name_stems for part in first) / max(1, len(first)),
        max((_weight(part, weights) for part in strange), default=0.0),
        max((_weight(part, weights) for part in absent), default=0.0),
        sum(_weight(part, weights) for part in absent), float(bool(name) and name[-1] in reading.stem_positions),
        float(bool(first) and first[0] in own),
    ]  # fmt: skip


def _score_name(reading: RequestSpans, name: tuple[str, ...]) -> float:
    return sum(part in reading.stem_positions for part in name) / max(1, len(name))


def _weight(part: str, weights: Mapping[str, float]) -> float:
    return weights.get(part, 1.0)


def _score_parts(parts: list[str], reading: RequestSpans, weights: Mapping[str, float]) -> float:
    total = sum(_weight(part, weights) for part in parts) or 1.0
    return sum(_weight(part, weights) for part in parts if part in reading.stem_positions) / total


def call_row(
    draft: CallDraft, fit: float, fit_features: list[float], runner_up: float, weights: Mapping[str, float]
) -> list[float]:
    """Return the features by which a drafted call is judged as a whole."""
    reading, form = draft.sheet.reading, draft.sheet.form
    chances = sorted(filled.probability for filled in draft.filled)
    required = [filled.probability for filled in draft.filled if filled.parameter.required]
    left = _find_unexplained(draft)
    numbers_left = _numbers_left(draft)
    long = max((filled.place[1] - filled.place[0] for filled in draft.filled), default=0)
    texts = [filled for filled in draft.filled if filled.parameter.type == "string" and not filled.parameter.choices]
    opaque = sum(p.type in ("opaque", "object") for p in form.parameters)
    return [
        fit, runner_up, fit - runner_up, chances[0] if chances else 1.0, chances[1] if len(chances) > 1 else 1.0,
        float(np.mean(chances)) if chances else 1.0, float(np.prod(chances)) if chances else 1.0,
        min(required, default=1.0), len(draft.missing), draft.defaulted, len(draft.filled), len(texts),
        max(draft.doubts, default=0.0), len(draft.doubts), float(np.prod([1 - doubt for doubt in draft.doubts])),
        len(left), len(left) / max(1, len(reading.tokens)), numbers_left, len(reading.quantities), len(reading.tokens),
        len(form.parameters), sum(p.required for p in form.parameters), long, opaque, form.has_opaque_object,
        len(reading.quoted), _quotes_left(draft), sum(token.kind == "sentence" for token in reading.tokens),
        *_strangers(draft, weights), *_looseness(draft), *fit_features,
    ]  # fmt: skip


def _strangers(draft: CallDraft, weights: Mapping[str, float]) -> list[float]:
    """Return the weight of the unexplained words, and whether they qualify the operation's subject."""
    tokens, form = draft.sheet.reading.tokens, draft.sheet.form
    covered, own = _find_covered(draft), set(form.name_stems) | form.description_stems
    strange = [
        at for at, token in enumerate(tokens)
        if at not in covered and token.kind in ("word", "verb", "capital", "code")
        and token.stem not in form.every_stem and token.stem not in _ASKING
    ]  # fmt: skip
    worth = [_weight(tokens[at].stem, weights) for at in strange]
    first = min(covered, default=len(tokens))
    beside = [
        _weight(tokens[at].stem, weights) for at in strange
        if at + 1 < len(tokens) and tokens[at + 1].stem in own and at + 1 not in covered
    ]  # fmt: skip
    behind = [
        _weight(tokens[at].stem, weights) for at in strange
        if at and tokens[at - 1].stem in own and at - 1 not in covered and tokens[at].kind in ("word", "capital")
    ]  # fmt: skip
    leading = [weight for at, weight in zip(strange, worth, strict=True) if at < first]
    content = [at for at, token in enumerate(tokens) if token.kind in ("word", "verb") and token.stem not in _ASKING]
    return [
        max(worth, default=0.0), sum(worth), max(beside, default=0.0), max(behind, default=0.0),
        max(leading, default=0.0), sum(leading), float(bool(content) and content[0] in strange),
        sum(at in strange for at in content[:2]), sum(at in covered for at in content) / max(1, len(content)),
    ]  # fmt: skip


def _looseness(draft: CallDraft) -> list[float]:
    """Return how many values no word of their parameter's name supports, and how the required ones are filled."""
    reading, loose = draft.sheet.reading, 0
    texts = [filled for filled in draft.filled if filled.place[0] >= 0]
    for filled in texts:
        near = {token.stem for token in reading.tokens[max(0, filled.place[0] - 4) : filled.place[1] + 3]}
        loose += near.isdisjoint(filled.parameter.own_stems)
    required = [filled for filled in draft.filled if filled.parameter.required]
    unsaid = sum(filled.place[0] < 0 for filled in required)
    return [loose, loose / max(1, len(texts)), unsaid, sum(filled.probability < 0.5 for filled in required)]


def _find_covered(draft: CallDraft) -> set[int]:
    return {at for filled in draft.filled for at in range(filled.place[0], filled.place[1] + 1) if at >= 0}


def _find_unexplained(draft: CallDraft) -> list[str]:
    """Return the words that neither the schema nor a value accounts for: the best single sign of a misreading."""
    covered = _find_covered(draft)
    known = draft.sheet.form.every_stem
    return [
        token.low for at, token in enumerate(draft.sheet.reading.tokens)
        if at not in covered and token.kind in ("word", "verb", "capital", "code", "number")
        and token.stem not in known and token.stem not in _ASKING
    ]  # fmt: skip


def _numbers_left(draft: CallDraft) -> int:
    covered = _find_covered(draft)
    return sum(quantity.first not in covered for quantity in draft.sheet.reading.quantities)


def _quotes_left(draft: CallDraft) -> int:
    covered = _find_covered(draft)
    return sum(span.first not in covered for span in draft.sheet.reading.quoted)


def as_matrix(row: list[float]) -> Matrix:
    """Return one row of features as a matrix."""
    return np.array([row], dtype=np.float32)
