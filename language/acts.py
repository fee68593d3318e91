"""The speech act of one sentence, as probabilities: a logistic regression over cues, words and structure.

The numbers are in `configs/requests/acts.json`, written by `scripts/train_speech_acts.py`. There are two sets: `words`
needs nothing, `vectors` adds the vector of an embedder of the same fingerprint.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from mabos.backends.embed import Embedder
from mabos.language.request import SpeechAct
from mabos.language.sentences import opening, plain
from mabos.language.wordlists import word_lists

FILE = Path(__file__).parents[1] / "configs" / "requests" / "acts.json"
ACTS: tuple[SpeechAct, ...] = (
    "order", "question", "standing", "correction", "withdrawal", "report", "answer", "small_talk",
)  # fmt: skip


def signs(sentence: str) -> dict[str, float]:
    """Return the features of a sentence: its cues, beginning, end, length, words and pairs of words."""
    flat, lists = plain(sentence), word_lists()
    found = {f"cue {name}": 1.0 for name, pattern in lists.cues.items() if pattern.search(flat)}
    words = opening(flat)
    first, second = [*words, "", ""][:2]
    heads = {
        "verb": first in lists.verbs,
        "informing": first in lists.informing,
        "wh": first in lists.wh,
        "auxiliary": first in lists.auxiliaries,
        "you verb": first in lists.auxiliaries and second == "you" and (words + [""] * 3)[2] in lists.verbs,
        "you informing": first in lists.auxiliaries and second == "you" and (words + [""] * 3)[2] in lists.informing,
        "negated verb": first == "do" and second == "not",
        "i we": first in {"i", "we"},
        "it that": first in {"it", "that", "this", "they", "he", "she", "there"},
        "the": first in {"the", "our", "my", "a", "an"},
        "number": first[:1] in {"0", "$"},
    }
    found.update({f"head {name}": 1.0 for name, given in heads.items() if given})
    everything = [word for word in flat.replace("?", " ? ").split() if word]
    tokens = [word.strip(".,;:!()") or word for word in everything]
    size = next(
        name for most, name in ((2, "2"), (4, "4"), (8, "8"), (16, "16"), (10**9, "long")) if len(tokens) <= most
    )
    found[f"size {size}"] = 1.0
    found["ends !" if flat.endswith("!") else "ends ?" if flat.endswith("?") else "ends other"] = 1.0
    found.update({f"word {word}": 1.0 for word in tokens})
    found.update({f"pair {one} {two}": 1.0 for one, two in pairwise(tokens)})
    found.update({f"start {' '.join(tokens[:count])}": 1.0 for count in (1, 2)})
    return found


@dataclass(frozen=True)
class ActModel:
    """Trained weights: a row per feature, a column per act; `vectors` has the rows for an embedder's numbers."""

    rows: Mapping[str, int]
    weights: "np.ndarray[Any, np.dtype[np.float64]]"
    bias: "np.ndarray[Any, np.dtype[np.float64]]"
    vectors: "np.ndarray[Any, np.dtype[np.float64]] | None" = None

    def probabilities(self, sentence: str, vector: Sequence[float] | None = None) -> dict[SpeechAct, float]:
        """Return the probability of each act."""
        scores = self.bias.copy()
        for name, value in signs(sentence).items():
            row = self.rows.get(name)
            if row is not None:
                scores += value * self.weights[row]
        if vector is not None and self.vectors is not None:
            scores += np.asarray(vector) @ self.vectors
        shares = np.exp(scores - scores.max())
        return {act: float(share) for act, share in zip(ACTS, shares / shares.sum(), strict=True)}


@cache
def load_models() -> tuple[ActModel, ActModel, str]:
    """Return the model without vectors, the model with them, and the fingerprint of its embedder."""
    raw = orjson.loads(FILE.read_bytes())

    def model(name: str) -> ActModel:
        part = raw[name]
        rows = {sign: position for position, sign in enumerate(part["signs"])}
        vectors = np.array(part["vectors"], dtype=float) / part["unit"] if part.get("vectors") else None
        return ActModel(rows, np.array(part["weights"]) / part["unit"], np.array(part["bias"]) / part["unit"], vectors)

    return model("words"), model("vectors"), str(raw["fingerprint"])


def act_probabilities(sentence: str, embedder: Embedder | None = None) -> dict[SpeechAct, float]:
    """Return the probability of each act of a sentence, with the vectors of `embedder` if they are known."""
    by_words, by_vectors, fingerprint = load_models()
    if embedder is not None and embedder.fingerprint == fingerprint:
        vectors = embedder.embed([sentence])
        if vectors:
            return by_vectors.probabilities(sentence, vectors[0])
    return by_words.probabilities(sentence)
