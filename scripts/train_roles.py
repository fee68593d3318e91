"""Train the classifiers of `mabos.knowledge.reasoning.questions.roles` and write `configs/reasoning_roles.npz`.

    python scripts/train_roles.py [FILE.jsonl ...] [--held-out] [--write]

A line has a question with its `shape`, what it asks (`ask`), and `marks`: [words, role, number of the record]. With
`--held-out`, each file is read by a model trained on the others.
"""

import argparse
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mabos.knowledge.reasoning.engine import Engine, ReasoningRequest, no_premises
from mabos.knowledge.reasoning.questions.forms import FilledForm, MissingFields, Reading
from mabos.knowledge.reasoning.questions.learned import BUILDERS, evidence, fill_shapes, find_candidates
from mabos.knowledge.reasoning.questions.roles import (
    MODEL,
    NONE,
    figure_features,
    is_word,
    load_role_models,
    previous_features,
    read_shape,
    role_tokens,
    shape_features,
    word_features,
    word_link,
)
from mabos.knowledge.reasoning.questions.slots import slots
from mabos.knowledge.reasoning.questions.wording import Phrasing
from mabos.language.classifier import SentenceModel
from scripts.train_classifiers import arrays_of, text_of

Features = Mapping[str, float]
Row = tuple[str, Features]


@dataclass(frozen=True)
class LabelledQuestion:
    """A question with its shape, ask, and the role of each token that has one."""

    shape: str
    ask: str
    q: Phrasing
    roles: Mapping[int, tuple[str, int | None]]
    raw: Mapping[str, Any]


def ask_of(raw: Mapping[str, Any]) -> str:
    """Return what a question asks, with the side or structure that the method depends on."""
    ask = raw.get("ask", "other")
    if ask == "other":
        return "other"
    if raw["shape"] == "fault":
        return f"{ask}:{raw.get('structure', 'series')}"
    if raw["shape"] == "cause":
        return f"{ask}:{'multiply' if raw.get('multiply') else 'add'}"
    if raw["shape"] == "deal" and ask == "accept":
        return f"{ask}:{raw.get('side', 'seller')}"
    return str(ask)


def with_labels(raw: Mapping[str, Any]) -> LabelledQuestion:
    """Return a question with the roles of its tokens; words that cannot be found have none."""
    q = Phrasing(raw["question"])
    tokens, roles, at = role_tokens(q), dict[int, tuple[str, int | None]](), 0
    places = written_places(q)
    for words, role, group in raw.get("marks", ()):
        clean = Phrasing(str(words)).text
        found = re.compile(rf"(?<!\w){re.escape(clean)}(?!\w)" if clean[:1].isalnum() else re.escape(clean))
        mark = found.search(q.text, at) or found.search(q.text)
        start = mark.start() if mark else q.text.find(clean)
        if start < 0:
            continue
        end = start + len(clean)
        own = [number for number, (a, b) in enumerate(places) if a < end and start < b]
        figures = [number for number in own if tokens[number].figure >= 0]
        for number in figures[:1] or own:
            if number not in roles:
                roles[number] = (role, group if isinstance(group, int) else None)
        at = end if start >= at else at
    return LabelledQuestion(raw["shape"], ask_of(raw), q, roles, raw)


def written_places(q: Phrasing) -> list[tuple[int, int]]:
    """Return where each token is in the text as written."""
    found, at = list[tuple[int, int]](), 0
    for one in role_tokens(q):
        words = q.figures[one.figure].words if one.figure >= 0 else one.text
        start = q.text.find(words, at)
        found.append((start, start + len(words)) if start >= 0 else (-1, -1))
        at = start + len(words) if start >= 0 else at
    return found


def read_file(path: Path) -> list[LabelledQuestion]:
    """Return the questions of a file."""
    rows = list[LabelledQuestion]()
    for line in path.read_text("utf-8").splitlines():
        try:
            rows.append(with_labels(json.loads(line)))
        except (ValueError, KeyError, TypeError) as error:
            print("bad line:", error, line[:80])
    return rows


def fit(
    rows: Sequence[Row],
    labels: Sequence[str],
    *,
    least: int = 2,
    decay: float = 1e-3,
    rounds: int = 80,
    power: float = 0.5,
) -> SentenceModel:
    """Return a logistic regression over features (full-batch Adam); rare labels weigh more."""
    counts = Counter(name for _, features in rows for name in features)
    known = {name: at for at, name in enumerate(sorted(name for name, count in counts.items() if count >= least))}
    inputs = np.zeros((len(rows), len(known)), np.float32)
    for at, (_, features) in enumerate(rows):
        for name, value in features.items():
            if name in known:
                inputs[at, known[name]] = value
    targets = np.eye(len(labels), dtype=np.float32)[[list(labels).index(label) for label, _ in rows]]
    own = (targets / targets.sum(axis=0) ** power).sum(axis=1, keepdims=True)
    own /= own.sum()
    weights, bias = np.zeros((len(known), len(labels)), np.float32), np.zeros(len(labels), np.float32)
    mean, square = [np.zeros_like(weights), np.zeros_like(bias)], [np.zeros_like(weights), np.zeros_like(bias)]
    for turn in range(1, rounds + 1):
        scores = inputs @ weights + bias
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        error = (shares / shares.sum(axis=1, keepdims=True) - targets) * own
        for at, (array, slope) in enumerate(((weights, inputs.T @ error + decay * weights), (bias, error.sum(axis=0)))):
            mean[at] = 0.9 * mean[at] + 0.1 * slope
            square[at] = 0.999 * square[at] + 0.001 * slope**2
            step = 0.05 * mean[at] / (1 - 0.9**turn) / (np.sqrt(square[at] / (1 - 0.999**turn)) + 1e-8)
            np.subtract(array, step, out=array)
    return SentenceModel(tuple(labels), known, weights.astype(np.float64), bias.astype(np.float64))


def train(every: Sequence[LabelledQuestion]) -> dict[str, SentenceModel]:
    """Return all models."""
    models = dict[str, SentenceModel]()
    shapes = sorted({one.shape for one in every})
    whole = [shape_features(one.q, slots(one.q)) for one in every]
    models["shape"] = fit([(one.shape, features) for one, features in zip(every, whole, strict=True)], shapes, least=3)
    for shape in shapes:
        if shape not in BUILDERS:
            continue
        own = [(one, features) for one, features in zip(every, whole, strict=True) if one.shape == shape]
        models[f"ask {shape}"] = fit(
            [(one.ask, features) for one, features in own], sorted({one.ask for one, _ in own}), least=2
        )
        figures, words = list[Row](), list[Row]()
        for one, _ in own:
            tokens, found = role_tokens(one.q), slots(one.q)
            before = earlier = "start"
            for at, token in enumerate(tokens):
                role = one.roles.get(at, (NONE, None))[0]
                if token.figure >= 0:
                    features = figure_features(one.q, tokens, found, at) | previous_features(before, token.text[1])
                    figures.append((role, features))
                    before = role
                elif is_word(token):
                    link = previous_features(earlier, word_link(tokens, at))
                    words.append((role, word_features(tokens, at) | link))
                    earlier = role
        for name, part in (("figure", figures), ("word", words)):
            counts = Counter(label for label, _ in part)
            kept = [(label if counts[label] > 1 else NONE, features) for label, features in part]
            models[f"{name} {shape}"] = fit(
                kept, sorted({label for label, _ in kept}), least=2 if name == "figure" else 3
            )
    return models


def write(models: Mapping[str, SentenceModel]) -> None:
    """Write the models."""
    arrays: dict[str, Any] = {"names": text_of(tuple(models))}
    for name, model in models.items():
        arrays |= arrays_of(name, model) | {f"{name}_labels": text_of(model.labels)}
    np.savez_compressed(MODEL, **arrays)
    print(MODEL, MODEL.stat().st_size, "bytes")


_ENGINE = Engine(no_premises)


def verdict(one: LabelledQuestion, reading: Reading) -> str:
    """Return whether an answer is right or wrong, a refusal names the missing field, or nothing is answered."""
    if isinstance(reading, MissingFields):
        named = all(re.search(words, reading.fields[0], re.IGNORECASE) for words in one.raw.get("accept", ()))
        return "named" if one.raw.get("missing") and named else "lacking"
    if reading is None:
        return "nothing"
    said = reading.conclude(
        _ENGINE.reason(ReasoningRequest(reading.problem, method=reading.method, seconds=5.0)).result
    ).sentence
    if not said:
        return "nothing"
    cannot = one.raw.get("missing") or one.ask == "other" or one.shape == "none"
    return "right" if not cannot and is_right(one.raw, said) else "wrong"


def is_right(raw: Mapping[str, Any], said: str) -> bool:
    """Return whether an answer has all numbers, within a hundredth, and all words that it needs."""
    found = [float(each.replace(",", "")) for each in re.findall(r"\d[\d,]*(?:\.\d+)?", said)]
    for number in raw.get("numbers", ()):
        wanted = abs(float(re.sub(r"[^\d.]", "", number)))
        if not any(abs(each - wanted) <= 0.01 * wanted + 1e-9 for each in found):
            return False
    return all(re.search(words, said, re.IGNORECASE) for words in raw.get("accept", ()))


def judge(rows: Sequence[LabelledQuestion], read: Callable[[LabelledQuestion], Reading]) -> None:
    """Print the verdicts of a reader, of all questions and by whether they can be answered."""
    counts: dict[str, Counter[str]] = {}
    for one in rows:
        cannot = "lack a figure" if one.raw.get("missing") else "ask for something else" if one.ask == "other" else ""
        counts.setdefault(cannot or "can be answered", Counter())[verdict(one, read(one))] += 1
    for kind, own in counts.items():
        print(f"   {kind}: {own.total()}", dict(own))


def authors(every: Sequence[LabelledQuestion]) -> list[str]:
    """Return the authors whose questions have the requirements of a right answer."""
    return sorted({one.raw["author"] for one in every if "accept" in one.raw})


def trust_model(every: Sequence[LabelledQuestion]) -> SentenceModel:
    """Return the probability that a form is right, learned on authors that the other models had not seen."""
    rows, verdicts = list[Row](), list[str]()
    for author in authors(every):
        models = train([one for one in every if one.raw["author"] != author])
        for one in every:
            if one.raw["author"] != author:
                continue
            candidates = find_candidates(one.q, read_shape(one.q, models, count=8))
            filled = next((each for each in candidates if isinstance(each.reading, FilledForm)), None)
            if filled is not None:
                said = verdict(one, filled.reading)
                rows.append(("right" if said == "right" else "wrong", evidence(filled, candidates, one.q)))
                verdicts.append(said)
    print("forms of files held out:", dict(Counter(verdicts)))
    return fit_scaled(rows)


def fit_scaled(rows: Sequence[Row]) -> SentenceModel:
    """Return a logistic regression over few numbers of any scale."""
    names = sorted({name for _, features in rows for name in features})
    values = np.array([[features.get(name, 0.0) for name in names] for _, features in rows])
    middle, spread = values.mean(axis=0), values.std(axis=0) + 1e-6
    scaled = {name: at for at, name in enumerate(names)}
    inputs = [
        (label, dict(zip(names, row, strict=True)))
        for (label, _), row in zip(rows, (values - middle) / spread, strict=True)
    ]
    model = fit(inputs, ("right", "wrong"), least=1, decay=1e-3, rounds=400, power=0.0)
    order = [model.rows[name] for name in names]
    weights = model.weights[order] / spread[:, None]
    return SentenceModel(model.labels, scaled, weights, model.bias - middle @ weights)


def main() -> None:
    """Train, measure, and write the models if requested."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="*", type=Path, default=[Path(__file__).with_name("reasoning_questions.jsonl")])
    parser.add_argument("--held-out", action="store_true", help="read each author with models of the others")
    parser.add_argument("--measure", type=Path, help="questions to measure the written models on")
    parser.add_argument("--write", action="store_true", help="write configs/reasoning_roles.npz")
    given = parser.parse_args()
    every = [one for path in given.files for one in read_file(path)]
    if given.measure:
        models = load_role_models()
        rows = read_file(given.measure)
        judge(rows, lambda one: fill_shapes(one.q, read_shape(one.q, models, count=8)))
    if given.held_out:
        for author in authors(every):
            own = [one for one in every if one.raw["author"] == author]
            rest = [one for one in every if one.raw["author"] != author]
            print("==", author)
            models, trust = train(rest), trust_model(rest)
            judge(own, lambda one: fill_shapes(one.q, read_shape(one.q, models, count=8), trust))  # noqa: B023
    if given.write:
        write(train(every) | {"trust": trust_model(every)})


if __name__ == "__main__":
    main()
