"""Train a classifier of `mabos.language.classifier` and write `configs/requests/NAME.npz`.

    python scripts/train_classifiers.py acts|topics|kinds [--measure FILE.tsv] [--write] [--also FILE.tsv]

Without `--write` it only measures: five folds over its sentences, and a file of `label<TAB>sentence` lines. The
sentences are in `scripts/speech_acts.txt`, `question_topics.txt` and `order_kinds.txt`; those in `*_unseen.tsv` are of
other voices and are never trained on.
"""

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from mabos.backends.minilm import MiniLM
from mabos.language.acts import ACTS
from mabos.language.classifier import FOLDER, UNIT, SentenceModel, load_models, signs

SENTENCES = {
    "acts": "speech_acts.txt", "topics": "question_topics.txt", "kinds": "order_kinds.txt",
    "clauses": "order_clauses.txt",
}  # fmt: skip
ACT_OF_KIND = {
    "undo": "withdrawal", "change": "correction", "rule": "standing", "answer": "answer", "news": "report",
    **dict.fromkeys(("campaign_change", "decide", "price", "task", "contact"), ""),
}  # fmt: skip
"""The acts of messages by the kind of work that they want; "" where they may be of several, and an order otherwise."""
PARTS = Path(__file__).with_name("order_parts.jsonl")
Labelled = list[tuple[str, str]]
Matrix = np.ndarray[Any, Any]
SCALE = 4.0
"""By how much vectors of length 1 are stretched, so that their numbers weigh as much as a sign."""
cached_signs = cache(signs)


def read_blocks(path: Path) -> Labelled:
    """Return the sentences of a file whose blocks begin with "= label"."""
    found: Labelled = []
    label = ""
    for line in path.read_text("utf-8").splitlines():
        if line.startswith("= "):
            label = line[2:].strip()
        elif line.strip() and not line.startswith("#"):
            found.append((label, line.strip()))
    return found


def sentences_for(name: str) -> Labelled:
    """Return the sentences to train a classifier on; speech acts also learn from questions and kinds of work."""
    read = {one: read_blocks(Path(__file__).with_name(file)) for one, file in SENTENCES.items()}
    read["kinds"] += [(one["kind"], one["text"]) for one in read_lines(PARTS)]
    if name != "acts":
        return read[name]
    asked = [("question", sentence) for _, sentence in read["topics"]]
    ordered = [(ACT_OF_KIND.get(kind, "order"), sentence) for kind, sentence in read["kinds"]]
    return [*read["acts"], *asked, *((act, sentence) for act, sentence in ordered if act)]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file with one a line."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def read_table(path: Path) -> Labelled:
    """Return the sentences of a file with `label<TAB>sentence` lines."""
    return [(row[0], row[1]) for line in path.read_text("utf-8").splitlines() if len(row := line.split("\t", 1)) == 2]


def vocabulary(sentences: Sequence[str], *, minimum: int = 2) -> dict[str, int]:
    """Return the features in at least `minimum` sentences, each with its row; pairs and letters need one more."""
    counts = Counter(sign for sentence in sentences for sign in cached_signs(sentence))
    kept = sorted(sign for sign, count in counts.items() if count >= minimum + sign.startswith(("pair", "part")))
    return {sign: row for row, sign in enumerate(kept)}


def regression(inputs: Matrix, targets: Matrix, decay: Matrix, *, rounds: int = 300) -> tuple[Matrix, Matrix]:
    """Return the weights and bias of a logistic regression, with a decay per input (full-batch Adam).

    Every label weighs the same, however many sentences it has.
    """
    width = inputs.shape[1]
    shares_of_rows = (targets / targets.sum(axis=0) / targets.shape[1]).sum(axis=1, keepdims=True)
    weights = np.zeros((width, targets.shape[1]), np.float32)
    bias = np.zeros(targets.shape[1], np.float32)
    mean = [np.zeros_like(weights), np.zeros_like(bias)]
    square = [np.zeros_like(weights), np.zeros_like(bias)]
    for turn in range(1, rounds + 1):
        scores = inputs @ weights + bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (shares / shares.sum(axis=1, keepdims=True) - targets) * shares_of_rows
        for position, (values, slope) in enumerate(
            ((weights, inputs.T @ error + decay[:, None] * weights), (bias, error.sum(axis=0)))
        ):
            mean[position] = 0.9 * mean[position] + 0.1 * slope
            square[position] = 0.999 * square[position] + 0.001 * slope**2
            step = mean[position] / (1 - 0.9**turn) / (np.sqrt(square[position] / (1 - 0.999**turn)) + 1e-8)
            np.subtract(values, 0.05 * step, out=values)
    return weights, bias


def fit(rows: Labelled, vectors: Matrix | None, labels: tuple[str, ...]) -> SentenceModel:
    """Return a model trained on labelled sentences, with their vectors if given.

    Cues and structure decay less than words, most of which are rare.
    """
    known = vocabulary([sentence for _, sentence in rows])
    inputs = np.zeros((len(rows), len(known)), np.float32)
    for row, (_, sentence) in enumerate(rows):
        for sign, value in cached_signs(sentence).items():
            if sign in known:
                inputs[row, known[sign]] = value
    decay = np.array([3.5e-4 if sign.startswith(("cue", "head", "size", "ends")) else 5e-4 for sign in known])
    if vectors is not None:
        inputs = np.hstack([inputs, vectors * SCALE])
        decay = np.concatenate([decay, np.full(vectors.shape[1], 7.5e-4)])
    targets = np.eye(len(labels), dtype=np.float32)[[labels.index(label) for label, _ in rows]]
    weights, bias = regression(inputs, targets, decay.astype(np.float32))
    rest = weights[len(known) :] * SCALE if vectors is not None else None
    return SentenceModel(labels, known, weights[: len(known)], bias, rest)


def share_right(model: SentenceModel, rows: Labelled, vectors: Matrix | None) -> list[tuple[str, str, float, str]]:
    """Return for each sentence its label, the predicted one, its probability and the words."""
    read = []
    for position, (label, sentence) in enumerate(rows):
        shares = model.probabilities(
            cached_signs(sentence), None if vectors is None else [float(one) for one in vectors[position]]
        )
        best = max(shares, key=lambda one: shares[one])
        read.append((label, best, shares[best], sentence))
    return read


def report(name: str, read: list[tuple[str, str, float, str]], *, errors: bool = False) -> None:
    """Print the accuracy, overall, above thresholds and by label."""
    right = sum(label == best for label, best, _, _ in read)
    line = f"{name}: {right} of {len(read)} ({right / len(read):.1%})"
    for threshold in (0.5, 0.7, 0.85):
        sure = [(label, best) for label, best, share, _ in read if share >= threshold]
        line += f"; >= {threshold}: {sum(a == b for a, b in sure)} of {len(sure)}"
    print(line)
    for label in dict.fromkeys(label for label, *_ in read):
        wrong = Counter(best for given, best, _, _ in read if given == label and best != label)
        count = sum(given == label for given, *_ in read)
        print(f"   {label}: {count - sum(wrong.values())} of {count}", dict(wrong))
    for label, best, share, sentence in read if errors else []:
        if label != best:
            print(f"   {label} read as {best} {share:.2f}: {sentence}")


def folds(rows: Labelled, vectors: Matrix | None, labels: tuple[str, ...], count: int = 5) -> list[Any]:
    """Return the prediction for each sentence by a model trained without its fold."""
    order = np.random.default_rng(7).permutation(len(rows))
    read = []
    for part in range(count):
        held = order[part::count]
        rest = np.setdiff1d(order, held)
        model = fit([rows[i] for i in rest], None if vectors is None else vectors[rest], labels)
        read += share_right(model, [rows[i] for i in held], None if vectors is None else vectors[held])
    return read


def text_of(lines: Sequence[str]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Return lines as bytes."""
    return np.frombuffer("\n".join(lines).encode(), np.uint8)


def in_thousandths(values: Matrix) -> Matrix:
    """Return numbers in whole thousandths."""
    clipped: Matrix = np.clip(np.rint(values * UNIT), -32768, 32767).astype(np.int16)
    return clipped


def arrays_of(part: str, model: SentenceModel) -> dict[str, np.ndarray[Any, Any]]:
    """Return a model as arrays, with numbers in whole thousandths."""
    found = {
        "signs": text_of(tuple(model.rows)),
        "weights": in_thousandths(model.weights),
        "bias": in_thousandths(model.bias),
    }
    if model.vectors is not None:
        found["embedded"] = in_thousandths(model.vectors)
    return {f"{part}_{name}": np.asarray(values) for name, values in found.items()}


def main() -> None:
    """Train, measure, and write the model if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=SENTENCES)
    parser.add_argument("--measure", type=Path, help="lines of label<TAB>sentence to measure on")
    parser.add_argument("--also", type=Path, help="further sentences to train on, lines of label<TAB>sentence")
    parser.add_argument("--errors", action="store_true", help="print the sentences that are misread")
    parser.add_argument("--folds", action="store_true", help="measure by five folds as well")
    parser.add_argument("--write", action="store_true", help="write configs/requests/NAME.npz")
    given = parser.parse_args()
    rows = sentences_for(given.name) + (read_table(given.also) if given.also else [])
    labels = ACTS if given.name == "acts" else tuple(dict.fromkeys(label for label, _ in rows))
    embedder = MiniLM()
    vectors = np.array(embedder.embed([sentence for _, sentence in rows]), np.float32)
    if given.folds:
        report("folds, words", folds(rows, None, labels), errors=given.errors)
        report("folds, vectors", folds(rows, vectors, labels), errors=given.errors)
    by_words, by_vectors = fit(rows, None, labels), fit(rows, vectors, labels)
    print(len(by_words.rows), "signs from", len(rows), "sentences")
    if given.measure:
        test = read_table(given.measure)
        test_vectors = np.array(embedder.embed([sentence for _, sentence in test]), np.float32)
        report(f"{given.measure.name}, words", share_right(by_words, test, None), errors=given.errors)
        report(f"{given.measure.name}, vectors", share_right(by_vectors, test, test_vectors), errors=given.errors)
    if given.write:
        path = FOLDER / f"{given.name}.npz"
        names = {"labels": text_of(labels), "fingerprint": text_of([embedder.fingerprint])}
        arrays: dict[str, Any] = {**names, **arrays_of("words", by_words), **arrays_of("vectors", by_vectors)}
        np.savez_compressed(path, **arrays)
        load_models.cache_clear()
        print(path, path.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
