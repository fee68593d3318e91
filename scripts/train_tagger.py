"""Train the tagger of the parts of orders and write `configs/requests/order_parts.npz`.

    python scripts/train_tagger.py [--train FILE.jsonl ...] [--measure FILE.jsonl] [--write]

It needs `pip install python-crfsuite`, and learns from `scripts/order_parts.jsonl`: an order a line, with its kind and
its marked parts. `--measure` scores another file of the same form.
"""

import argparse
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile

import numpy as np

from mabos.language.classifier import FOLDER, UNIT
from mabos.language.tagger import LABELS, TaggerModel, features_of, labels_allowed, spans_of, tokens_of
from scripts.train_classifiers import in_thousandths, read_lines, text_of

NOW = datetime(2026, 11, 9, 9, tzinfo=UTC)
LEAST_COUNT = 2


@dataclass(frozen=True)
class Example:
    """One order: its kind, its text, the features of its tokens and their labels."""

    kind: str
    text: str
    features: list[list[str]]
    labels: list[int]


def read_orders(path: Path) -> list[Example]:
    """Return the orders of a file; a mark that is not in its text is an error."""
    found = []
    for one in read_lines(path):
        kind, text, marks = one["kind"], one["text"], one["marks"]
        labels = ["O"] * len(tokens := tokens_of(text))
        at = 0
        for words, role in marks:
            start = text.index(words, at)
            at = start + len(words.rstrip(" .,;:!?"))
            inside = [place for place, token in enumerate(tokens) if start <= token.start() < at]
            for number, place in enumerate(inside):
                labels[place] = f"{'I' if number else 'B'} {role}"
        found.append(Example(kind, text, features_of(kind, text, NOW), [LABELS.index(label) for label in labels]))
    return found


def train(examples: Sequence[Example]) -> TaggerModel:
    """Return the weights of a linear-chain conditional random field (Lafferty and others 2001), by CRFsuite."""
    import pycrfsuite  # type: ignore[import-not-found]  # needed here alone: pip install python-crfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.0, "c2": 0.3, "max_iterations": 120, "feature.minfreq": LEAST_COUNT})
    for one in examples:
        trainer.append(one.features, [str(label) for label in one.labels])
    with NamedTemporaryFile(suffix=".crf") as file:
        trainer.train(file.name)
        tagger = pycrfsuite.Tagger()
        with tagger.open(file.name):
            learned = tagger.info()
    rows = {sign: row for row, sign in enumerate(sorted({sign for sign, _ in learned.state_features}))}
    weights, steps = np.zeros((len(rows), len(LABELS))), np.zeros((len(LABELS), len(LABELS)))
    for (sign, label), weight in learned.state_features.items():
        weights[rows[sign], int(label)] = weight
    for (first, second), weight in learned.transitions.items():
        steps[int(first), int(second)] = weight
    return TaggerModel(rows, weights, steps)


def _as_said(text: str, spans: set[tuple[str, int, int]]) -> dict[str, str]:
    """Return the words of each role, however they are divided; a wish to look first counts, not its words."""
    said: dict[str, str] = {}
    for role, start, end in sorted(spans, key=lambda span: span[1]):
        words = re.sub(r"(?i)^(?:(?:not|and|that|to|by|on|for|from|until)\s)+", "", text[start:end])
        plain = " ".join(re.findall(r"[^\W_]+", words))
        said[role] = "yes" if role == "look" else f"{said.get(role, '')} {plain}"
    return said


def measure(model: TaggerModel, examples: Sequence[Example], *, errors: bool = False) -> None:
    """Print by kind how many orders are read whole, and precision and recall of each role."""
    whole: dict[str, list[bool]] = defaultdict(list)
    hits, told, given = Counter[str](), Counter[str](), Counter[str]()
    for one in examples:
        read_as = model.labels(one.features, labels_allowed(one.kind))
        right = {(span.role, span.start, span.end) for span in spans_of(one.text, [LABELS[at] for at in one.labels])}
        found = {(span.role, span.start, span.end) for span in spans_of(one.text, [LABELS[at] for at in read_as])}
        whole[one.kind].append(_as_said(one.text, right) == _as_said(one.text, found))
        for role, *_ in right:
            given[f"{one.kind} {role}"] += 1
        for role, *_ in found:
            told[f"{one.kind} {role}"] += 1
        for role, *_ in right & found:
            hits[f"{one.kind} {role}"] += 1
        if errors and not whole[one.kind][-1]:
            print(
                one.text, "\n   missed", [(r, one.text[a:b]) for r, a, b in sorted(right - found, key=lambda s: s[1])]
            )
            print("   said  ", [(r, one.text[a:b]) for r, a, b in sorted(found - right, key=lambda s: s[1])])
    for kind, read_whole in whole.items():
        print(f"{kind}: {sum(read_whole)} of {len(read_whole)} whole")
        for role in sorted(one for one in given if one.startswith(kind + " ")):
            print(f"   {role.split()[1]}: {hits[role]} of {given[role]}, {told[role]} said")
    print(f"F1 {2 * hits.total() / (told.total() + given.total()):.3f}")


def main() -> None:
    """Train, measure, and write the model if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--train", type=Path, nargs="+", default=[Path(__file__).with_name("order_parts.jsonl")])
    parser.add_argument("--measure", type=Path)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    model = train([one for path in given.train for one in read_orders(path)])
    print(len(model.rows), "features")
    if given.measure:
        measure(model, read_orders(given.measure), errors=given.errors)
    if given.write:
        used = np.abs(model.weights).max(axis=1) * UNIT >= 1
        signs = [sign for sign, row in model.rows.items() if used[row]]
        np.savez_compressed(
            FOLDER / "order_parts.npz",
            signs=text_of(signs),
            weights=in_thousandths(model.weights[used]),
            steps=in_thousandths(model.steps),
        )


if __name__ == "__main__":
    main()
