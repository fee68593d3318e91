"""Training of the reader of operation requests, with cross-validation.

    PYTHONPATH=WHERE_LIGHTGBM_IS .venv/bin/python -m scripts.train_call_reader --data FOLDER [--more FILE] [--write]

A development tool: it needs lightgbm, which MABOS itself never imports. `--data` is a folder with the rows of the
Berkeley Function Calling Leaderboard (`bfcl_*.jsonl`, ShishirPatil/gorilla, Apache-2.0) and `--more` a file of rows in
the same form, which are no part of MABOS; `request_rows.jsonl` has requests of our own. Folds share no domain: what
operations are about is grouped by the local embedder. `--write` fits on all rows and writes `configs/requests`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mabos.backends.minilm import MiniLM
from mabos.language.calls import judging
from mabos.language.calls import sheet as sheets
from mabos.language.calls.candidates import RequestSpans, take_apart
from mabos.language.calls.features import span_features
from mabos.language.calls.schema import OperationForm, SlotSchema, form_of
from mabos.language.calls.scorer import MODEL, PARTS, trees
from mabos.language.calls.sheet import Sheet, SlotOptions
from mabos.language.operation import Operation

SETS = ("simple_python", "multiple", "live_simple", "irrelevance", "live_irrelevance")
OWN = Path(__file__).with_name("request_rows.jsonl")
KEPT_NEGATIVES = 40
INNER_FOLDS = 3
DOMAINS = 40
MOST_ALIKE = 0.7
"""Cosine of two descriptions below which operations count as different."""
RANKS = ((0, 4), (4, 25), (25, 120))
"""The ranks from which foreign operations are drawn: the most similar, the next, and distant ones."""
EVERY = {"live_irrelevance": 3}
"""Of which set only every so many rows are read: they are alike."""
WEIGHTS = {"irrelevance": 1.5, "live_irrelevance": 1.5, "foreign": 0.35, "more": 0.15, "foreign more": 0.05}
Rows = NDArray[Any]


@dataclass
class Example:
    """A request with its offered operations and, if one fits, the accepted values."""

    kind: str
    id: str
    text: str
    answer: tuple[str, dict[str, list[Any]]] | None
    reading: RequestSpans
    forms: list[OperationForm]
    sheets: dict[int, Sheet] = field(default_factory=dict)
    domain: int = -1
    source: int = -1
    """The example whose request it repeats for an operation of another request; -1 for none."""
    owner: int = -1
    """The example that this operation comes from; -1 for none."""

    @property
    def right(self) -> int:
        """The position of the right operation, or -1."""
        return next(
            (n for n, form in enumerate(self.forms) if self.answer and form.operation.name == self.answer[0]), -1
        )

    @property
    def weight(self) -> float:
        """Its weight in training."""
        return WEIGHTS.get(self.kind, 1.0)


def load(path: Path, kind: str) -> list[Example]:
    """Return the rows of a file."""
    examples = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        forms = [
            form_of(Operation(one["name"], one.get("description", ""), one.get("parameters", {})))
            for one in row["functions"]
        ]
        answer = next(iter(row["answer"][0].items())) if row["answer"] else None
        examples.append(Example(kind, row["id"], row["query"], answer, take_apart(row["query"]), forms))
    return examples


def wanted(example: Example, parameter: SlotSchema) -> list[Any]:
    """Return the accepted values of a parameter; "" among them means that it may be omitted; none if it must be."""
    options = example.answer[1].get(parameter.path[0], []) if example.answer else []
    for name in parameter.path[1:]:
        inner: list[Any] = []
        for option in options:
            if isinstance(option, dict):
                found = option.get(name, [""])
                inner += found if isinstance(found, list) else [found]
        options = inner
    return list(options)


def labels_of(example: Example, slot: SlotOptions, accepted: Any) -> Rows:
    """Return 1 for each slot option with an accepted value."""
    values = [value for value in wanted(example, slot.parameter) if value != ""]
    if slot.kind == "boolean":
        default = str(slot.parameter.default).strip().lower() == "true"
        options = wanted(example, slot.parameter)
        value = default if (not options or "" in options) else bool(options[0])
        return np.array([float(value)])
    if slot.parameter.type == "array" and slot.kind == "choice":
        chosen = {str(item).lower() for value in values if isinstance(value, list) for item in value}
        return np.array([float(str(option.value).lower() in chosen) for option in slot.options])
    return np.array([float(accepted(option.value, values)) for option in slot.options])


class Fitted:
    """Boosted trees, fitted and exported as the scorer that ships."""

    def __init__(self, rows: Rows, labels: Rows, weights: Rows, *, rounds: int, **settings: Any) -> None:
        options = {
            "objective": "binary", "num_threads": 1, "verbose": -1, "max_bin": 48, "max_depth": 8, "seed": 3,
            "deterministic": True, **settings,
        }  # fmt: skip
        lightgbm = import_module("lightgbm")
        booster = lightgbm.train(options, lightgbm.Dataset(rows, labels, weight=weights), rounds)
        self.arrays = export(booster.dump_model())
        self._trees = trees(self.arrays)

    def __call__(self, rows: Rows) -> Rows:
        """Return one probability for each row."""
        return self._trees(rows)


SETTINGS: dict[str, dict[str, Any]] = {
    "slot": {"rounds": 160, "learning_rate": 0.07, "num_leaves": 20, "min_data_in_leaf": 20, "feature_fraction": 0.15},
    "relative": {"rounds": 70, "learning_rate": 0.06, "num_leaves": 10, "min_data_in_leaf": 20},
    "choice": {"rounds": 70, "learning_rate": 0.06, "num_leaves": 8, "min_data_in_leaf": 8, "feature_fraction": 0.6},
    "boolean": {"rounds": 40, "learning_rate": 0.06, "num_leaves": 5, "min_data_in_leaf": 6, "feature_fraction": 0.6},
    "fit": {"rounds": 120, "learning_rate": 0.06, "num_leaves": 10, "min_data_in_leaf": 20, "feature_fraction": 0.5},
    "call": {
        "rounds": 250, "learning_rate": 0.03, "num_leaves": 3, "min_data_in_leaf": 25, "feature_fraction": 0.2,
        "bagging_fraction": 0.6, "bagging_freq": 1,
    },
}  # fmt: skip


def export(dump: Mapping[str, Any]) -> dict[str, Any]:
    """Return boosted trees as arrays: all nodes in one table, leaves pointing to themselves."""
    nodes: list[tuple[int, float, int, int, float]] = []
    depth = 0

    def add(node: Mapping[str, Any], level: int) -> int:
        nonlocal depth
        depth = max(depth, level)
        at = len(nodes)
        nodes.append((0, np.inf, at, at, float(node.get("leaf_value", 0.0))))
        if "leaf_value" not in node:
            left, right = add(node["left_child"], level + 1), add(node["right_child"], level + 1)
            nodes[at] = (node["split_feature"], node["threshold"], left, right, 0.0)
        return at

    roots = [add(tree["tree_structure"], 0) for tree in dump["tree_info"]]
    feature, threshold, left, right, value = zip(*nodes, strict=True)
    return {
        "feature": np.array(feature, dtype=np.uint16), "threshold": np.array(threshold, dtype=np.float32),
        "left": np.array(left, dtype=np.uint16), "right": np.array(right, dtype=np.uint16),
        "value": np.array(value, dtype=np.float32), "roots": np.array(roots, dtype=np.uint16), "depth": np.int64(depth),
    }  # fmt: skip


def prepare(examples: Sequence[Example]) -> dict[str, float]:
    """Align each request with its operation, in place; return the weights of rare words."""
    counted: Counter[str] = Counter()
    total = 0
    for example in examples:
        if example.kind in SETS or example.kind == "own":
            counted.update(set(example.reading.stem_positions))
            total += 1
        at = example.right
        if at >= 0:
            example.sheets[at] = sheets.lay_out(example.reading, example.forms[at], span_features(example.reading))
    return {
        part: round(float(np.log(total / count)) / np.log(total), 3) for part, count in counted.items() if count > 2
    }


def add_domains(examples: Sequence[Example]) -> list[Example]:
    """Group the examples by the domain of their operations, in place; return foreign pairs.

    A foreign pair is a request with an operation of another request that sounds alike but is another.
    """
    model = MiniLM()
    described = [f"{one.forms[max(0, one.right)].operation.name}: {one.forms[max(0, one.right)].operation.description}"
                 for one in examples]  # fmt: skip
    named = np.asarray(model.vectors(described))
    texts = np.asarray(model.vectors([one.text for one in examples]))
    for example, domain in zip(examples, grouped(named), strict=True):
        example.domain = domain
    answered = np.array([n for n, one in enumerate(examples) if one.right >= 0])
    chance = np.random.default_rng(5)
    found = []
    for n in answered:
        example, more = examples[n], examples[n].kind == "more"
        if more and chance.random() > FOREIGN_OF_MORE:
            continue
        sounds, alike = named[answered] @ texts[n], named[answered] @ named[n]
        order = [int(answered[k]) for k in np.argsort(-sounds) if alike[k] < MOST_ALIKE]
        for low, high in RANKS:
            owner = order[int(chance.integers(low, high))]
            form = examples[owner].forms[examples[owner].right]
            found.append(Example(
                "foreign more" if more else "foreign", f"{example.id}-foreign", example.text, None, example.reading,
                [form], source=int(n), owner=owner,
            ))  # fmt: skip
    return found


FOREIGN_OF_MORE = 0.3


def grouped(vectors: Rows) -> list[int]:
    """Return the group of each vector, by k-means."""
    centers = vectors[np.random.default_rng(0).permutation(len(vectors))[:DOMAINS]]
    group = np.zeros(len(vectors), dtype=int)
    for _ in range(20):
        group = (vectors @ centers.T).argmax(axis=1)
        sums = np.array([vectors[group == n].sum(axis=0) if (group == n).any() else centers[n] for n in range(DOMAINS)])
        centers = sums / np.linalg.norm(sums, axis=1, keepdims=True)
    return [int(n) for n in group]


@dataclass
class SlotRows:
    """Rows, labels and weights of the first scorers, and the example of each."""

    rows: dict[str, Rows]
    labels: dict[str, Rows]
    owner: dict[str, Rows]


def slot_rows(examples: Sequence[Example], accepted: Any) -> SlotRows:
    """Return the training rows of options, with a sample of the many wrong ones."""
    chance = np.random.default_rng(7)
    parts: dict[str, list[tuple[Rows, Rows, int]]] = {"slot": [], "choice": [], "boolean": []}
    for n, example in enumerate(examples):
        sheet = example.sheets.get(example.right)
        if sheet is None:
            continue
        for slot in sheet.slots:
            labels = labels_of(example, slot, accepted)
            if not len(labels):
                continue
            wrong = np.flatnonzero(labels == 0)
            most = KEPT_NEGATIVES // (2 if example.kind == "more" else 1)
            if slot.kind == "slot" and len(wrong) > most:
                wrong = chance.choice(wrong, most, replace=False)
            kept = np.concatenate([np.flatnonzero(labels == 1), wrong])
            parts[slot.kind].append((slot.rows[kept], labels[kept], n))
    found = SlotRows({}, {}, {})
    for kind, pieces in parts.items():
        found.rows[kind] = np.concatenate([rows for rows, _, _ in pieces])
        found.labels[kind] = np.concatenate([labels for _, labels, _ in pieces])
        found.owner[kind] = np.concatenate([np.full(len(labels), n) for _, labels, n in pieces])
    return found


def folds_of(indices: Sequence[int], count: int, seed: int) -> list[list[int]]:
    """Return the indices shuffled into folds."""
    order = np.random.default_rng(seed).permutation(np.asarray(indices))
    return [sorted(int(n) for n in part) for part in np.array_split(order, count)]


def folds_by_domain(examples: Sequence[Example], count: int) -> list[set[int]]:
    """Return the domains in folds of similar size."""
    sizes = Counter(example.domain for example in examples)
    folds: list[set[int]] = [set() for _ in range(count)]
    for domain, _ in sizes.most_common():
        min(folds, key=lambda fold: sum(sizes[one] for one in fold)).add(domain)
    return folds


@dataclass
class Lesson:
    """Examples with the rows of the first scorers, the word weights, and the scoring rules."""

    examples: Sequence[Example]
    rows: SlotRows
    weights: Mapping[str, float]
    rules: Any

    def __post_init__(self) -> None:
        self.weight = np.array([example.weight for example in self.examples])
        self.fits = [
            np.array([judging.fit_row(one.reading, form, self.weights) for form in one.forms], dtype=np.float32)
            for one in self.examples
        ]

    def fitted(self, part: str, rows: Rows, labels: Rows, owner: Rows, without: Sequence[int] = ()) -> Fitted:
        """Return a scorer fitted on the rows of all examples but some."""
        kept = ~np.isin(owner, list(without))
        return Fitted(rows[kept], labels[kept], self.weight[owner[kept]], **SETTINGS[part])

    def first(self, chosen: Sequence[int]) -> dict[str, Fitted]:
        """Fit the scorers of single options on the chosen examples."""
        found = {}
        for part, owner in self.rows.owner.items():
            others = set(owner.tolist()) - set(chosen)
            found[part] = self.fitted(part, self.rows.rows[part], self.rows.labels[part], owner, sorted(others))
        return found

    def right_call(self, n: int, draft: Any) -> float:
        """Return 1 if a drafted call is what the example requests."""
        example = self.examples[n]
        if example.answer is None or draft.missing:
            return 0.0
        call = {"name": draft.sheet.form.operation.name, "arguments": draft.arguments}
        return float(self.rules.right(call, [{example.answer[0]: example.answer[1]}]))

    def train(self, chosen: Sequence[int]) -> dict[str, Fitted]:
        """Fit all scorers on the chosen examples; later ones use out-of-fold scores of earlier ones."""
        answered = [n for n in chosen if self.examples[n].right >= 0]
        first = self.first(answered)
        known = set(chosen)
        everyone = list(chosen) + [
            n for n, one in enumerate(self.examples) if one.source in known and one.owner in known
        ]
        scores: dict[int, list[Rows]] = {}
        unseen: dict[int, dict[str, Any]] = {}
        for fold in folds_of(everyone, INNER_FOLDS, 1):
            inner = self.first(sorted(set(answered) - set(fold)))
            for n in fold:
                unseen[n] = inner
                if self.examples[n].right >= 0:
                    scores[n] = sheets.first_scores(self.examples[n].sheets[self.examples[n].right], inner)
        relative_rows = self.relative_set(scores)
        fit_rows = self.fit_set(everyone)
        rows, labels = [], []
        folds = folds_of(everyone, INNER_FOLDS, 2)
        for fold in folds:
            relative = self.fitted("relative", *relative_rows, without=fold)
            fit = self.fitted("fit", *fit_rows, without=fold)
            for n in fold:
                row, draft = self.judge(n, {**unseen[n], "relative": relative, "fit": fit})
                rows.append(row)
                labels.append(self.right_call(n, draft))
        owner = np.array([n for fold in folds for n in fold])
        return {
            **first, "relative": self.fitted("relative", *relative_rows), "fit": self.fitted("fit", *fit_rows),
            "call": self.fitted("call", np.array(rows, dtype=np.float32), np.array(labels), owner),
        }  # fmt: skip

    def relative_set(self, scores: Mapping[int, list[Rows]]) -> tuple[Rows, Rows, Rows]:
        """Return rows, labels and owners for the scorer of rivals."""
        rows, labels, owner = [], [], []
        for n, parts in scores.items():
            example = self.examples[n]
            sheet = example.sheets[example.right]
            for at, best, matrix in sheets.relative_rows(sheet, parts):
                rows.append(matrix)
                labels.append(labels_of(example, sheet.slots[at], self.rules.accepted)[best])
                owner.append(np.full(len(best), n))
        return np.concatenate(rows), np.concatenate(labels), np.concatenate(owner)

    def fit_set(self, chosen: Sequence[int]) -> tuple[Rows, Rows, Rows]:
        """Return rows, labels and owners for the scorer of operations, one per offered operation."""
        labels = [float(at == self.examples[n].right) for n in chosen for at in range(len(self.fits[n]))]
        owner = np.concatenate([np.full(len(self.fits[n]), n) for n in chosen])
        return np.concatenate([self.fits[n] for n in chosen]), np.array(labels), owner

    def judge(self, n: int, scorers: Mapping[str, Any]) -> tuple[list[float], Any]:
        """Return the features of the best call of an example, and the call."""
        example = self.examples[n]
        fits = scorers["fit"](self.fits[n])
        at = int(fits.argmax())
        if at not in example.sheets:
            example.sheets[at] = sheets.lay_out(example.reading, example.forms[at], span_features(example.reading))
        sheet = example.sheets[at]
        scores = sheets.final_scores(sheet, sheets.first_scores(sheet, scorers), scorers)
        draft = sheets.assemble(sheet, scores)
        runner_up = float(np.partition(fits, -2)[-2]) if len(fits) > 1 else 0.0
        return judging.call_row(draft, float(fits[at]), list(self.fits[n][at]), runner_up, self.weights), draft

    def outcome(self, n: int, scorers: Mapping[str, Any]) -> tuple[str, float, bool]:
        """Return an example's set, probability (0 if a value is missing), and whether the call is right."""
        row, draft = self.judge(n, scorers)
        probability = 0.0 if draft.missing else float(scorers["call"](judging.as_matrix(row))[0])
        return self.examples[n].kind, probability, bool(self.right_call(n, draft))


def write(scorers: Mapping[str, Fitted], weights: Mapping[str, float]) -> None:
    """Write the scorers and word weights to `configs/requests`."""
    arrays = {f"{part}_{name}": value for part in PARTS for name, value in scorers[part].arrays.items()}
    source = (
        "Fitted by scripts/train_call_reader.py on rows of the Berkeley Function Calling Leaderboard "
        "(ShishirPatil/gorilla, Apache-2.0), of Seal-Tools (fairyshine/Seal-Tools, Apache-2.0) and of our own."
    )
    np.savez_compressed(MODEL, source=np.array(source), **arrays)
    common = dict(sorted(weights.items()))
    (MODEL.parent / "word_weights.json").write_text(json.dumps(common, ensure_ascii=False, indent=0) + "\n", "utf-8")


def main() -> int:
    """Cross-validate, and with `--write` fit on all rows and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with bfcl_*.jsonl and score.py")
    parser.add_argument("--more", type=Path, help="more rows to train on")
    parser.add_argument("--folds", type=int, default=3, help="folds of cross-validation; 0 for none")
    parser.add_argument("--write", action="store_true", help="write configs/requests")
    given = parser.parse_args()
    sys.path.insert(0, str(given.data))
    rules = import_module("score")
    examples = [one for name in SETS for one in load(given.data / f"bfcl_{name}.jsonl", name)[:: EVERY.get(name, 1)]]
    examples += load(OWN, "own") + (load(given.more, "more") if given.more else [])
    count = len(examples)
    weights = prepare(examples)
    examples += add_domains(examples)
    data = Lesson(examples, slot_rows(examples, rules.accepted), weights, rules)
    if given.write:
        write(data.train(range(count)), weights)
    outcomes: list[tuple[str, float, bool]] = []
    for fold in folds_by_domain(examples[:count], given.folds) if given.folds else []:
        out = [n for n in range(count) if examples[n].domain in fold]
        scorers = data.train(sorted(set(range(count)) - set(out)))
        outcomes += [data.outcome(n, scorers) for n in out if examples[n].kind != "more"]
        report(outcomes)
    return 0


def report(outcomes: Sequence[tuple[str, float, bool]]) -> None:
    """Print the shares of right and wrong calls at thresholds for the folds so far, and the calibration."""
    for threshold in (0.0, 0.3, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8):
        cells = []
        for name in sorted({one[0] for one in outcomes}):
            rows = [one for one in outcomes if one[0] == name]
            made = [one for one in rows if one[1] > threshold]
            right = sum(one[2] for one in made)
            cells.append(f"{name} {100 * right / len(rows):.1f} / {100 * (len(made) - right) / len(rows):.1f}")
        print(f"  {threshold:.2f}  right / wrong: " + "  ".join(cells))
    for low in np.arange(0, 1, 0.1):
        band = [one[2] for one in outcomes if low <= one[1] < low + 0.1]
        if band:
            print(f"  probability {low:.1f} to {low + 0.1:.1f}: {len(band):4} calls, {100 * np.mean(band):.0f} % right")


if __name__ == "__main__":
    raise SystemExit(main())
