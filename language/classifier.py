"""Trained classifiers of sentences: a logistic regression over cues, words, structure and groups of letters.

    classify("topics", "Does anything await my word?")    # {"waiting": 0.93, "why": 0.01, ...}

The numbers are in `configs/requests/NAME.npz`, written by `scripts/train_classifiers.py`. There are two sets: `words`
needs nothing, `vectors` adds the vector of an embedder of the same fingerprint.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mabos.backends.embed import Embedder
from mabos.language.sentences import opening, plain
from mabos.language.wordlists import word_lists

if TYPE_CHECKING:
    import numpy as np

FOLDER = Path(__file__).parents[1] / "configs" / "requests"
UNIT = 1000
"""Weights are stored as whole thousandths."""
LETTERS = 4
"""The length of a group of letters."""
Name = Literal["acts", "topics", "kinds", "clauses"]


def signs(sentence: str) -> dict[str, float]:
    """Return the features of a sentence: its cues, beginning, end, length, words, pairs of words and letter groups."""
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
    for word in re.findall(r"[a-z']+", flat):
        framed = f"^{word}$"
        found.update({f"part {framed[at : at + LETTERS]}": 1.0 for at in range(len(framed) - LETTERS + 1)})
    return found


@dataclass(frozen=True)
class SentenceModel:
    """Trained weights: a row per feature, a column per label; `vectors` has the rows for an embedder's numbers."""

    labels: tuple[str, ...]
    rows: Mapping[str, int]
    weights: "np.ndarray[Any, np.dtype[np.float64]]"
    bias: "np.ndarray[Any, np.dtype[np.float64]]"
    vectors: "np.ndarray[Any, np.dtype[np.float64]] | None" = None

    def scores(self, features: Mapping[str, float]) -> "np.ndarray[Any, np.dtype[np.float64]]":
        """Return the score of each label."""
        found = self.bias.copy()
        for name, value in features.items():
            row = self.rows.get(name)
            if row is not None:
                found += value * self.weights[row]
        return found

    def probabilities(self, features: Mapping[str, float], vector: Sequence[float] | None = None) -> dict[str, float]:
        """Return the probability of each label."""
        import numpy as np  # most commands read no sentence

        scores = self.scores(features)
        if vector is not None and self.vectors is not None:
            scores += np.asarray(vector) @ self.vectors
        shares = np.exp(scores - scores.max())
        return {label: float(share) for label, share in zip(self.labels, shares / shares.sum(), strict=True)}


def stored_rows(stored: Mapping[str, Any], name: str) -> dict[str, int]:
    """Return the row of each feature of a stored list."""
    return {sign: row for row, sign in enumerate(stored[name].tobytes().decode().split("\n"))}


def stored_model(stored: Mapping[str, Any], part: str, labels: tuple[str, ...] = ()) -> SentenceModel:
    """Return a model of a file by its name there; without `labels`, the file has them."""
    labels = labels or tuple(stored[f"{part}_labels"].tobytes().decode().split("\n"))
    rows = stored_rows(stored, f"{part}_signs")
    return SentenceModel(labels, rows, stored[f"{part}_weights"] / UNIT, stored[f"{part}_bias"] / UNIT)


@cache
def load_models(name: Name) -> tuple[SentenceModel, SentenceModel, str]:
    """Return the model without vectors, the model with them, and the fingerprint of its embedder."""
    import numpy as np

    with np.load(FOLDER / f"{name}.npz") as stored:
        labels = tuple(stored["labels"].tobytes().decode().split("\n"))

        def model(part: str) -> SentenceModel:
            found = stored_model(stored, part, labels)
            return replace(found, vectors=stored["vectors_embedded"] / UNIT) if part == "vectors" else found

        return model("words"), model("vectors"), stored["fingerprint"].tobytes().decode()


def classify(name: Name, sentence: str, embedder: Embedder | None = None) -> dict[str, float]:
    """Return the probability of each label of a sentence, with the vectors of `embedder` if they are known."""
    by_words, by_vectors, fingerprint = load_models(name)
    features = _signs(sentence)
    if embedder is not None and embedder.fingerprint == fingerprint:
        vectors = embedder.embed([sentence])
        if vectors:
            return by_vectors.probabilities(features, vectors[0])
    return by_words.probabilities(features)


def likeliest(name: Name, sentence: str, embedder: Embedder | None = None) -> tuple[str, float]:
    """Return the likeliest label of a sentence, and its probability."""
    shares = classify(name, sentence, embedder)
    best = max(shares, key=lambda one: shares[one])
    return best, shares[best]


@lru_cache(maxsize=512)
def _signs(sentence: str) -> Mapping[str, float]:
    return signs(sentence)
