"""Read a request as a call of one of the offered operations, from their JSON Schemas alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import numpy as np

from mabos.language.calls import judging, scorer, sheet
from mabos.language.calls.candidates import take_apart
from mabos.language.calls.features import span_features
from mabos.language.calls.schema import form_of
from mabos.language.calls.vocabulary import word_weights
from mabos.language.operation import Operation

ACT: Final = 0.7
"""Probability above which a call may be acted on without asking."""
READ_BACK: Final = 0.3
"""Probability above which a call is worth showing to the person for a yes or a no."""
CLEAR: Final = 0.7
"""Probability of an operation above which a person is asked for what it still lacks."""
_CERTAIN = 0.5
_ALTERNATIVES = 3


@dataclass(frozen=True)
class CallReading:
    """A request as a call: `operation` is "" if none is offered.

    `words` holds the words of the request that each argument came from, "" for a value that is not in them. `missing`
    are required arguments without a value. `probability` is that the whole call is right, with all its arguments.
    """

    operation: str
    arguments: Mapping[str, Any]
    words: Mapping[str, str]
    missing: tuple[str, ...]
    probability: float
    alternatives: tuple[tuple[str, float], ...] = ()
    chances: Mapping[str, float] = field(default_factory=dict)
    """For each argument, the probability of its value."""
    fit: float = 0.0
    """The probability that the operation is the one asked for, whatever its arguments."""
    required: tuple[str, ...] = ()

    @property
    def lacking(self) -> tuple[str, ...]:
        """The required arguments that are missing or guessed, and so must be asked for."""
        return (*self.missing, *(name for name in self.required if not self._is_certain(name)))

    @property
    def certain(self) -> dict[str, Any]:
        """The arguments without guesses."""
        return {name: value for name, value in self.arguments.items() if self._is_certain(name)}

    @property
    def is_incomplete(self) -> bool:
        """Return whether the operation and some value are clear, but another required value is missing."""
        is_clear = self.fit >= CLEAR and any(self._is_certain(name) for name in self.chances)
        return is_clear and bool(self.lacking)

    def _is_certain(self, name: str) -> bool:
        is_said = bool(self.words.get(name)) or name not in self.required or name not in self.chances
        return is_said and self.chances.get(name, 1.0) >= _CERTAIN


NOTHING = CallReading("", {}, {}, (), 0.0)


def read_call(text: str, operations: Sequence[Operation], *, now: datetime | None = None) -> CallReading:
    """Return the most probable call for a request; compare its `probability` with `ACT` and `READ_BACK`.

    `now` gives words like "tomorrow" a date; without it they stay words.
    """
    if not operations or not text.strip():
        return NOTHING
    scorers = scorer.load_scorers()
    reading = take_apart(text, now)
    forms = [form_of(operation) for operation in operations]
    weights = word_weights()
    features = [judging.fit_row(reading, form, weights) for form in forms]
    fits = scorers["fit"](np.array(features, dtype=np.float32))
    order = [int(at) for at in np.argsort(-fits, kind="stable")]
    best = order[0]
    laid = sheet.lay_out(reading, forms[best], span_features(reading))
    draft = sheet.assemble(laid, sheet.final_scores(laid, sheet.first_scores(laid, scorers), scorers))
    runner_up = float(fits[order[1]]) if len(order) > 1 else 0.0
    row = judging.call_row(draft, float(fits[best]), features[best], runner_up, weights)
    probability = float(scorers["call"](judging.as_matrix(row))[0])
    return CallReading(
        operation=operations[best].name,
        arguments=draft.arguments,
        words={filled.parameter.name: filled.words for filled in draft.filled},
        missing=tuple(parameter.name for parameter in draft.missing),
        probability=probability,
        alternatives=tuple((operations[at].name, float(fits[at])) for at in order[1 : 1 + _ALTERNATIVES]),
        chances={filled.parameter.name: filled.probability for filled in draft.filled},
        fit=float(fits[best]),
        required=tuple(one.name for one in forms[best].parameters if one.required),
    )
