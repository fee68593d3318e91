"""Train the reader of requests for operations, and measure it by cross-validation.

    PYTHONPATH=WHERE_LIGHTGBM_IS .venv/bin/python -m scripts.train_call_reader --data FOLDER [--write]

A development tool: it needs lightgbm, which MABOS itself never imports. `--data` is a folder with the rows of the
Berkeley Function Calling Leaderboard (`bfcl_*.jsonl`, ShishirPatil/gorilla, Apache-2.0), which are no part of MABOS.
`request_templates.py` adds requests of our own. Folds share no operation. `--last-look` learns from four fifths of the
rows and reports on the fifth that was kept for last; `--write` fits on all rows and writes `configs/requests`.
"""

import argparse
import hashlib
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
from scripts.request_templates import made_requests

SETS = ("simple_python", "multiple", "live_simple", "irrelevance", "live_irrelevance")
KEPT_NEGATIVES = 40
INNER_FOLDS = 3
MOST_ALIKE = 0.7
"""Cosine of two descriptions below which operations count as different."""
RANKS = ((0, 4), (4, 25), (25, 120))
"""Where foreign operations are drawn: among the most alike, the next, and those far away."""
KIND_WEIGHTS = {"live_irrelevance": 0.5, "foreign": 0.25, "made": 0.1}
MADE_OF_EACH = 5
Rows = NDArray[Any]


@dataclass
class Example:
    """A request with its offered operations and, where one fits, the accepted values."""

    kind: str
    id: str
    text: str
    functions: list[dict[str, Any]]
    answer: tuple[str, dict[str, list[Any]]] | None
    reading: RequestSpans
    forms: list[OperationForm]
    cosines: list[float] = field(default_factory=list)
    sheets: dict[int, Sheet] = field(default_factory=dict)
    spans: Any = None
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


def operation(function: Mapping[str, Any]) -> Operation:
    """Return a function of the data sets as an operation."""
    return Operation(function["name"], function.get("description", ""), function.get("parameters", {}))


def load(folder: Path, names: Sequence[str] = SETS) -> list[Example]:
    """Return the rows of the leaderboard's sets."""
    examples = []
    for name in names:
        for line in (folder / f"bfcl_{name}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            answer = None
            if row["answer"]:
                ((called, values),) = row["answer"][0].items()
                answer = (called, values)
            forms = [form_of(operation(function)) for function in row["functions"]]
            examples.append(
                Example(name, row["id"], row["query"], row["functions"], answer, take_apart(row["query"]), forms)
            )
    return examples


def load_made(each: int = MADE_OF_EACH) -> list[Example]:
    """Return the requests of our own templates."""
    examples = []
    for row in made_requests(each):
        ((called, values),) = row["answer"][0].items()
        forms, answer = [form_of(operation(function)) for function in row["functions"]], (called, values)
        examples.append(
            Example("made", row["id"], row["query"], row["functions"], answer, take_apart(row["query"]), forms)
        )
    return examples


def wanted(example: Example, parameter: SlotSchema) -> list[Any]:
    """Return the accepted values of a parameter; "" among them means that it may be left out; none if it must be."""
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
    """Return 1 for each option of a slot whose value is accepted."""
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
    """Boosted trees, fitted and exported: the scorer that ships, in memory."""

    def __init__(self, rows: Rows, labels: Rows, weights: Rows | None = None, *, rounds: int, **settings: Any) -> None:
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
        "rounds": 250,
        "learning_rate": 0.03,
        "num_leaves": 3,
        "min_data_in_leaf": 25,
        "feature_fraction": 0.2,
        "bagging_fraction": 0.6,
        "bagging_freq": 1,
    },
}


def export(dump: Mapping[str, Any]) -> dict[str, Any]:
    """Return boosted trees as arrays: the nodes of all trees in one table, leaves leading to themselves."""
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
    """Lay each request over its operations, in place; return the weights of rare words."""
    counted: Counter[str] = Counter()
    for example in examples:
        counted.update(set(example.reading.stem_positions) if _is_real(example) else ())
        example.spans = span_features(example.reading)
        at = example.right
        if at >= 0:
            example.sheets[at] = sheets.lay_out(example.reading, example.forms[at], example.spans)
    total = sum(_is_real(example) for example in examples)
    return {
        part: round(float(np.log(total / count)) / np.log(total), 3) for part, count in counted.items() if count > 2
    }


def _is_real(example: Example) -> bool:
    return example.kind in SETS


def foreign_examples(examples: Sequence[Example], similarity: Rows, owners: Sequence[int]) -> list[Example]:
    """Return requests with an operation of another request that sounds alike but is another: nothing to call.

    `similarity` compares requests (rows) and operations (columns), then operations among themselves below; `owners`
    says whose operation a column is.
    """
    chance = np.random.default_rng(5)
    found = []
    for n, example in enumerate(examples):
        if example.right < 0:
            continue
        own = owners.index(n)
        alike = similarity[len(examples) + own]
        order = [int(k) for k in np.argsort(-similarity[n]) if owners[k] != n and alike[k] < MOST_ALIKE]
        for low, high in RANKS[: 1 if example.kind == "made" else None]:
            at = order[int(chance.integers(low, high))]
            form = examples[owners[at]].forms[examples[owners[at]].right]
            found.append(Example(
                "foreign", f"{example.id}-foreign", example.text, [], None, example.reading, [form],
                [float(similarity[n][at])], source=n, owner=owners[at],
            ))  # fmt: skip
    return found


def similarities(examples: Sequence[Example]) -> tuple[Rows, list[int]]:
    """Return the cosines that `foreign_examples` needs."""
    model = MiniLM()
    owners = [n for n, example in enumerate(examples) if example.right >= 0]
    texts = np.asarray(model.vectors([example.text for example in examples]))
    named = np.asarray(model.vectors([judging.described(examples[n].forms[examples[n].right]) for n in owners]))
    return np.concatenate([texts @ named.T, named @ named.T]), owners


def add_cosines(examples: Sequence[Example]) -> None:
    """Compare each request with the descriptions of its operations by the local embedder."""
    model = MiniLM()
    texts = [example.text for example in examples]
    named = [[judging.described(form) for form in example.forms] for example in examples]
    every = list(dict.fromkeys([*texts, *(text for texts_ in named for text in texts_)]))
    vectors = dict(zip(every, np.asarray(model.vectors(every)), strict=True))
    for example, described in zip(examples, named, strict=True):
        example.cosines = [float(vectors[example.text] @ vectors[text]) for text in described]


@dataclass
class SlotRows:
    """Rows and labels of the first scorers, and where each slot's lie."""

    rows: dict[str, Rows]
    labels: dict[str, Rows]
    owner: dict[str, Rows]


def slot_rows(examples: Sequence[Example], accepted: Any) -> SlotRows:
    """Return the training rows of options; of the many wrong ones a sample."""
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
            if slot.kind == "slot" and len(wrong) > KEPT_NEGATIVES:
                wrong = chance.choice(wrong, KEPT_NEGATIVES, replace=False)
            kept = np.concatenate([np.flatnonzero(labels == 1), wrong])
            parts[slot.kind].append((slot.rows[kept], labels[kept], n))
    found = SlotRows({}, {}, {})
    for kind, pieces in parts.items():
        found.rows[kind] = np.concatenate([rows for rows, _, _ in pieces])
        found.labels[kind] = np.concatenate([labels for _, labels, _ in pieces])
        found.owner[kind] = np.concatenate([np.full(len(labels), n) for _, labels, n in pieces])
    return found


def fit_first(rows: SlotRows, chosen: set[int]) -> dict[str, Any]:
    """Fit the scorers of single options on the chosen examples."""
    fitted = {}
    for kind in ("slot", "choice", "boolean"):
        mask = np.isin(rows.owner[kind], list(chosen))
        fitted[kind] = Fitted(rows.rows[kind][mask], rows.labels[kind][mask], **SETTINGS[kind])
    return fitted


def relative_set(
    examples: Sequence[Example],
    scores: Mapping[int, list[Rows]],
    chosen: Sequence[int],
    accepted: Any,
) -> tuple[Rows, Rows, Rows]:
    """Return rows, labels and owners for the scorer of rivals."""
    rows, labels, owner = [], [], []
    for n in chosen:
        example = examples[n]
        sheet = example.sheets[example.right]
        for at, best, matrix in sheets.relative_rows(sheet, scores[n]):
            rows.append(matrix)
            labels.append(labels_of(example, sheet.slots[at], accepted)[best])
            owner.append(np.full(len(best), n))
    return np.concatenate(rows), np.concatenate(labels), np.concatenate(owner)


def folds_of(indices: Sequence[int], count: int, seed: int) -> list[list[int]]:
    """Return the indices shuffled into folds."""
    order = np.random.default_rng(seed).permutation(np.asarray(indices))
    return [sorted(int(n) for n in part) for part in np.array_split(order, count)]


def folds_by_operation(examples: Sequence[Example], count: int) -> list[list[int]]:
    """Return the examples in folds that share no operation: one that is asked about was never seen."""
    names = [(example.answer[0] if example.answer else example.forms[0].operation.name) for example in examples]
    chance = np.random.default_rng(0)
    every = sorted(set(names))
    place = dict(zip(every, chance.integers(0, count, len(every)), strict=True))
    return [[n for n, name in enumerate(names) if place[name] == fold] for fold in range(count)]


def is_kept_for_last(key: str) -> bool:
    """Return whether a row is of the fifth that nobody reads while the reader is built; by a hash of its id."""
    return int(hashlib.sha256(key.encode()).hexdigest(), 16) % 5 == 0


@dataclass
class Lesson:
    """Examples with the rows of the first scorers, the weights of words, and the rules of scoring."""

    examples: Sequence[Example]
    rows: SlotRows
    weights: Mapping[str, float]
    rules: Any

    def right_call(self, n: int, draft: Any) -> float:
        """Return 1 if a drafted call is what the example asks for."""
        example = self.examples[n]
        if example.answer is None or draft.missing:
            return 0.0
        call = {"name": draft.sheet.form.operation.name, "arguments": draft.arguments}
        return float(self.rules.right(call, [{example.answer[0]: example.answer[1]}]))


def train(data: Lesson, chosen: Sequence[int]) -> dict[str, Any]:
    """Fit all scorers on the chosen examples; later ones see scores of earlier ones that did not know the example."""
    examples, rows, weights = data.examples, data.rows, data.weights
    answered = [n for n in chosen if examples[n].right >= 0]
    first = fit_first(rows, set(answered))
    scores: dict[int, list[Rows]] = {}
    unseen: dict[int, dict[str, Any]] = {}
    known = set(chosen)
    everyone = list(chosen)
    everyone += [n for n, example in enumerate(examples) if example.source in known and example.owner in known]
    for fold in folds_of(everyone, INNER_FOLDS, 1):
        inner = fit_first(rows, set(answered) - set(fold))
        for n in fold:
            unseen[n] = inner
            if examples[n].right >= 0:
                scores[n] = sheets.first_scores(examples[n].sheets[examples[n].right], inner)
    x, y, owner = relative_set(examples, scores, answered, data.rules.accepted)
    relative = Fitted(x, y, **SETTINGS["relative"])
    fit_x, fit_y, fit_owner, fit_weight = fit_set(examples, everyone, weights)
    fit = Fitted(fit_x, fit_y, fit_weight, **SETTINGS["fit"])
    call_x, call_y, call_weight = [], [], []
    for fold in folds_of(everyone, INNER_FOLDS, 2):
        kept = ~np.isin(owner, fold)
        inner_relative = Fitted(x[kept], y[kept], **SETTINGS["relative"])
        kept = ~np.isin(fit_owner, fold)
        inner_fit = Fitted(fit_x[kept], fit_y[kept], fit_weight[kept], **SETTINGS["fit"])
        for n in fold:
            scorers = {**unseen[n], "relative": inner_relative, "fit": inner_fit}
            for with_cosine in (True, False):
                row, draft = judge(examples[n], scorers, weights, with_cosine=with_cosine)
                call_x.append(row)
                call_y.append(data.right_call(n, draft))
                call_weight.append(KIND_WEIGHTS.get(examples[n].kind, 1.0))
    call = Fitted(
        np.array(call_x, dtype=np.float32), np.array(call_y, dtype=float), np.array(call_weight), **SETTINGS["call"]
    )
    return {**first, "relative": relative, "fit": fit, "call": call}


def fit_set(
    examples: Sequence[Example], chosen: Sequence[int], weights: Mapping[str, float]
) -> tuple[Rows, Rows, Rows, Rows]:
    """Return rows for the scorer of operations: each offered one, with and without the embedder."""
    rows, labels, owner, weight = [], [], [], []
    for n in chosen:
        example = examples[n]
        for at, form in enumerate(example.forms):
            for cosine in (example.cosines[at], 0.0):
                rows.append(judging.fit_row(example.reading, form, cosine, weights))
                labels.append(float(at == example.right))
                owner.append(n)
                weight.append(KIND_WEIGHTS.get(example.kind, 1.0))
    return np.array(rows, dtype=np.float32), np.array(labels), np.array(owner), np.array(weight)


def judge(
    example: Example, scorers: Mapping[str, Any], weights: Mapping[str, float], *, with_cosine: bool
) -> tuple[list[float], Any]:
    """Return the features of the best call of an example, and the call."""
    cosines = example.cosines if with_cosine else [0.0] * len(example.forms)
    features = [
        judging.fit_row(example.reading, form, cosine, weights)
        for form, cosine in zip(example.forms, cosines, strict=True)
    ]
    fits = scorers["fit"](np.array(features, dtype=np.float32))
    at = int(fits.argmax())
    if at not in example.sheets:
        example.sheets[at] = sheets.lay_out(example.reading, example.forms[at], example.spans)
    sheet = example.sheets[at]
    scores = sheets.final_scores(sheet, sheets.first_scores(sheet, scorers), scorers)
    draft = sheets.assemble(sheet, scores)
    runner_up = float(np.partition(fits, -2)[-2]) if len(fits) > 1 else 0.0
    return judging.call_row(draft, float(fits[at]), features[at], runner_up, weights), draft


def write(scorers: Mapping[str, Fitted], weights: Mapping[str, float]) -> None:
    """Write the scorers and the weights of words to `configs/requests`."""
    arrays = {f"{part}_{name}": value for part in PARTS for name, value in scorers[part].arrays.items()}
    source = (
        "Fitted by scripts/train_call_reader.py on rows of the Berkeley Function Calling Leaderboard "
        "(ShishirPatil/gorilla, Apache-2.0) and on requests of our own templates (scripts/request_templates.py)."
    )
    np.savez_compressed(MODEL, source=np.array(source), **arrays)
    common = dict(sorted(weights.items()))
    (MODEL.parent / "word_weights.json").write_text(json.dumps(common, ensure_ascii=False, indent=0) + "\n", "utf-8")


def main() -> int:
    """Cross-validate, and with `--write` fit on all rows and write the model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with bfcl_*.jsonl and score.py")
    parser.add_argument("--folds", type=int, default=5, help="folds of cross-validation; 0 for none")
    parser.add_argument("--last-look", action="store_true", help="report on the rows kept for last")
    parser.add_argument("--write", action="store_true", help="write configs/requests")
    given = parser.parse_args()
    sys.path.insert(0, str(given.data))
    rules = import_module("score")
    examples = load(given.data)
    own = list(range(len(examples)))
    examples += load_made()
    extra = list(range(len(own), len(examples)))
    add_cosines(examples)
    examples += foreign_examples(examples, *similarities(examples))
    weights = prepare(examples)
    data = Lesson(examples, slot_rows(examples, rules.accepted), weights, rules)
    folds = folds_by_operation(examples[: len(own)], given.folds) if given.folds else []
    if given.last_look:
        folds = [[n for n in own if is_kept_for_last(examples[n].id)]]
    outcomes = []
    for fold in folds:
        scorers = train(data, sorted(set(own) - set(fold)) + extra)
        outcomes += [outcome for n in fold for outcome in outcomes_of(data, n, scorers)]
    if outcomes:
        report(outcomes)
    if given.write:
        write(train(data, own + extra), weights)
    return 0


def outcomes_of(data: "Lesson", n: int, scorers: Mapping[str, Any]) -> list[tuple[str, bool, float, bool]]:
    """Return set, embedder, probability (0 where a value is missing) and whether the call is right, of one row."""
    found = []
    for with_cosine in (True, False):
        row, draft = judge(data.examples[n], scorers, data.weights, with_cosine=with_cosine)
        probability = 0.0 if draft.missing else float(scorers["call"](judging.as_matrix(row))[0])
        found.append((data.examples[n].kind, with_cosine, probability, bool(data.right_call(n, draft))))
    return found


def report(outcomes: Sequence[tuple[str, bool, float, bool]]) -> None:
    """Print shares of right and wrong calls at thresholds, and how honest the probability is."""
    for with_cosine in (True, False):
        print("with embedder" if with_cosine else "without embedder")
        for threshold in (0.0, 0.3, 0.4, 0.5, 0.6, 0.62, 0.65, 0.7, 0.8):
            cells = []
            for name in SETS:
                rows = [one for one in outcomes if one[0] == name and one[1] == with_cosine]
                made = [one for one in rows if one[2] > threshold]
                right = sum(one[3] for one in made)
                cells.append(f"{name} {100 * right / len(rows):.1f} / {100 * (len(made) - right) / len(rows):.1f}")
            print(f"  {threshold:.2f}  right / wrong: " + "  ".join(cells))
    for low in np.arange(0, 1, 0.1):
        band = [one[3] for one in outcomes if one[1] and low <= one[2] < low + 0.1]
        if band:
            print(f"  probability {low:.1f} to {low + 0.1:.1f}: {len(band):4} calls, {100 * np.mean(band):.0f} % right")


if __name__ == "__main__":
    raise SystemExit(main())
