"""Train the speech acts of `mabos.language.acts` and write `configs/requests/acts.json`.

    python scripts/train_speech_acts.py [--measure scripts/speech_acts_unseen.tsv] [--write] [--also FILE.tsv]

Without `--write` it only measures: five folds over `scripts/speech_acts.txt`, and a file of `act<TAB>sentence` lines.
"""

import argparse
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from mabos.backends.minilm import MiniLM
from mabos.language.acts import ACTS, FILE, ActModel, act_probabilities, load_models, signs
from mabos.language.request import SpeechAct

SENTENCES = Path(__file__).with_name("speech_acts.txt")
Labelled = list[tuple[SpeechAct, str]]
Matrix = np.ndarray[Any, np.dtype[np.float64]]
UNIT = 1000
"""Weights are stored as whole thousandths."""
SCALE = 4.0
"""By how much vectors of length 1 are stretched, so that their numbers weigh as much as a sign."""
cached_signs = cache(signs)


def read_blocks(path: Path) -> Labelled:
    """Return the sentences of a file whose blocks begin with "= act"."""
    found: Labelled = []
    act = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("= "):
            act = line[2:].strip()
        elif line.strip() and not line.startswith("#"):
            found.append((next(known for known in ACTS if known == act), line.strip()))
    return found


def read_table(path: Path) -> Labelled:
    """Return the sentences of a file with `act<TAB>sentence` lines."""
    rows = [line.split("\t", 1) for line in path.read_text("utf-8").splitlines() if "\t" in line]
    return [(next(known for known in ACTS if known == act), sentence) for act, sentence in rows if act in ACTS]


def vocabulary(sentences: Sequence[str], *, minimum: int = 2) -> dict[str, int]:
    """Return the features in at least `minimum` sentences, each with its row; pairs need one more."""
    counts = Counter(sign for sentence in sentences for sign in cached_signs(sentence))
    kept = sorted(sign for sign, count in counts.items() if count >= minimum + sign.startswith("pair"))
    return {sign: row for row, sign in enumerate(kept)}


def regression(inputs: Matrix, targets: Matrix, decay: Matrix, *, rounds: int = 300) -> tuple[Matrix, Matrix]:
    """Return the weights and bias of a logistic regression, with a decay per input (full-batch Adam)."""
    count, width = inputs.shape
    weights, bias = np.zeros((width, targets.shape[1])), np.zeros(targets.shape[1])
    mean = [np.zeros_like(weights), np.zeros_like(bias)]
    square = [np.zeros_like(weights), np.zeros_like(bias)]
    for turn in range(1, rounds + 1):
        scores = inputs @ weights + bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (shares / shares.sum(axis=1, keepdims=True) - targets) / count
        for position, (values, slope) in enumerate(
            ((weights, inputs.T @ error + decay[:, None] * weights), (bias, error.sum(axis=0)))
        ):
            mean[position] = 0.9 * mean[position] + 0.1 * slope
            square[position] = 0.999 * square[position] + 0.001 * slope**2
            step = mean[position] / (1 - 0.9**turn) / (np.sqrt(square[position] / (1 - 0.999**turn)) + 1e-8)
            np.subtract(values, 0.05 * step, out=values)
    return weights, bias


def fit(rows: Labelled, vectors: Matrix | None) -> ActModel:
    """Return a model trained on labelled sentences, with their vectors if given.

    Cues and structure decay less than words, most of which are rare.
    """
    known = vocabulary([sentence for _, sentence in rows])
    inputs = np.zeros((len(rows), len(known)))
    for row, (_, sentence) in enumerate(rows):
        for sign, value in cached_signs(sentence).items():
            if sign in known:
                inputs[row, known[sign]] = value
    decay = np.array([3.5e-4 if sign.startswith(("cue", "head", "size", "ends")) else 5e-4 for sign in known])
    if vectors is not None:
        inputs = np.hstack([inputs, vectors * SCALE])
        decay = np.concatenate([decay, np.full(vectors.shape[1], 7.5e-4)])
    targets = np.eye(len(ACTS))[[ACTS.index(act) for act, _ in rows]]
    weights, bias = regression(inputs, targets, decay)
    return ActModel(known, weights[: len(known)], bias, weights[len(known) :] * SCALE if vectors is not None else None)


def share_right(
    model: ActModel, rows: Labelled, vectors: Matrix | None
) -> list[tuple[SpeechAct, SpeechAct, float, str]]:
    """Return for each sentence its act, the predicted act, its probability and the words."""
    read = []
    for position, (act, sentence) in enumerate(rows):
        shares = model.probabilities(sentence, None if vectors is None else vectors[position].tolist())
        best = max(shares, key=lambda one: shares[one])
        read.append((act, best, shares[best], sentence))
    return read


def report(name: str, read: list[tuple[SpeechAct, SpeechAct, float, str]], *, errors: bool = False) -> None:
    """Print the accuracy, overall, above thresholds and by act."""
    right = sum(act == best for act, best, _, _ in read)
    line = f"{name}: {right} of {len(read)} ({right / len(read):.1%})"
    for threshold in (0.5, 0.7, 0.85):
        sure = [(act, best) for act, best, share, _ in read if share >= threshold]
        line += f"; >= {threshold}: {sum(a == b for a, b in sure)} of {len(sure)}"
    print(line)
    for act in ACTS:
        wrong = Counter(best for given, best, _, _ in read if given == act and best != act)
        print(
            f"   {act}: {sum(g == act for g, *_ in read) - sum(wrong.values())} of {sum(g == act for g, *_ in read)}",
            dict(wrong),
        )
    for act, best, share, sentence in read if errors else []:
        if act != best:
            print(f"   {act} read as {best} {share:.2f}: {sentence}")


def folds(rows: Labelled, vectors: Matrix | None, count: int = 5) -> list[tuple[SpeechAct, SpeechAct, float, str]]:
    """Return the prediction for each sentence by a model trained without its fold."""
    order = np.random.default_rng(7).permutation(len(rows))
    read = []
    for part in range(count):
        held = order[part::count]
        rest = np.setdiff1d(order, held)
        model = fit([rows[i] for i in rest], None if vectors is None else vectors[rest])
        read += share_right(model, [rows[i] for i in held], None if vectors is None else vectors[held])
    return read


def stored(model: ActModel) -> dict[str, Any]:
    """Return a model as JSON, with numbers in whole thousandths."""
    part: dict[str, Any] = {
        "signs": list(model.rows),
        "unit": UNIT,
        "bias": np.rint(model.bias * UNIT).astype(int).tolist(),
        "weights": np.rint(model.weights * UNIT).astype(int).tolist(),
    }
    if model.vectors is not None:
        part["vectors"] = np.rint(model.vectors * UNIT).astype(int).tolist()
    return part


def main() -> None:
    """Train, measure, and write the model if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--measure", type=Path, help="lines of act<TAB>sentence to measure on")
    parser.add_argument("--also", type=Path, help="further sentences to train on, lines of act<TAB>sentence")
    parser.add_argument("--errors", action="store_true", help="print the sentences that are misread")
    parser.add_argument("--folds", action="store_true", help="measure by five folds as well")
    parser.add_argument("--write", action="store_true", help="write configs/requests/acts.json")
    given = parser.parse_args()
    rows = read_blocks(SENTENCES) + (read_table(given.also) if given.also else [])
    embedder = MiniLM()
    vectors = np.array(embedder.embed([sentence for _, sentence in rows]))
    if given.folds:
        report("folds, words", folds(rows, None), errors=given.errors)
        report("folds, vectors", folds(rows, vectors), errors=given.errors)
    by_words, by_vectors = fit(rows, None), fit(rows, vectors)
    print(len(by_words.rows), "signs from", len(rows), "sentences")
    if given.measure:
        test = read_table(given.measure)
        test_vectors = np.array(embedder.embed([sentence for _, sentence in test]))
        report(f"{given.measure.name}, words", share_right(by_words, test, None), errors=given.errors)
        report(f"{given.measure.name}, vectors", share_right(by_vectors, test, test_vectors), errors=given.errors)
    if given.write:
        content = {"fingerprint": embedder.fingerprint, "words": stored(by_words), "vectors": stored(by_vectors)}
        FILE.write_bytes(orjson.dumps(content) + b"\n")
        load_models.cache_clear()
        print(FILE, FILE.stat().st_size, "bytes", act_probabilities("Start a campaign on search."))


if __name__ == "__main__":
    main()
