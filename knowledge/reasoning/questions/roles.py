"""The shape of a question and the roles of its figures and names, read by trained classifiers.

`configs/reasoning_roles.npz` has the weights, from the labelled questions in `scripts/reasoning_questions.jsonl`
(`scripts/train_roles.py`). A classifier tells the shape, another what it asks, and two more give each figure and each
word its role; the roles of consecutive figures are decoded together.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from math import log
from pathlib import Path
from typing import Any

from mabos.configs.yaml_file import packaged_yaml
from mabos.knowledge.reasoning.questions.slots import FigureSlot, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing, stem, stems
from mabos.language.classifier import SentenceModel, signs, stored_model

MODEL = Path(__file__).parents[3] / "configs" / "reasoning_roles.npz"
TABLE: Mapping[str, Any] = packaged_yaml("reasoning_roles.yaml")
NONE = "-"
"""The label of a figure or word without a role."""
_CUES = {name: re.compile(rf"(?i)\b(?:{words})\b") for name, words in TABLE["cues"].items()}
_TOKEN = re.compile(r"«[npt]\d+»|[^\W\d_]+(?:['’-][^\W\d_]+)*|\d+|[^\w\s]")
_REACH = 5
_STOPS = frozenset(".;?!")


@dataclass(frozen=True, slots=True)
class RoleToken:
    """A figure, word or mark of a question, with the number of its sentence."""

    text: str
    start: int
    end: int
    figure: int
    sentence: int


@dataclass(frozen=True, slots=True)
class RoleMark:
    """A figure or name with its role, the probability of that role, and the number of its record."""

    role: str
    words: str
    at: int
    sure: float
    slot: FigureSlot | None = None
    group: int | None = None

    @property
    def value(self) -> float:
        """The value of a figure; 0 for a name."""
        return self.slot.value if self.slot else 0.0


@dataclass(frozen=True, slots=True)
class RoleReading:
    """A shape, what may be asked, and all figures and names with their roles, in the order of the text.

    `sure` is the probability of the shape, `asks` those of each thing asked, `weight` the log probability of the whole.
    """

    shape: str
    sure: float
    asks: Mapping[str, float]
    marks: tuple[RoleMark, ...]
    weight: float = 0.0

    def of(self, role: str, group: int | None = None) -> list[RoleMark]:
        """Return the marks with a role, of one record if given."""
        return [one for one in self.marks if one.role == role and group in (None, one.group)]


def role_tokens(q: Phrasing) -> list[RoleToken]:
    """Return the figures, words and marks of a question in order."""
    found, sentence = list[RoleToken](), 0
    for one in _TOKEN.finditer(q.plain):
        figure = int(one[0][2:-1]) if one[0].startswith("«") else -1
        found.append(RoleToken(one[0], *one.span(), figure, sentence))
        sentence += one[0] in _STOPS
    return found


def shape_features(q: Phrasing, figures: Sequence[FigureSlot]) -> dict[str, float]:
    """Return the features of a whole question: words, cues, and how many figures of each kind it has."""
    flat = re.sub(r"«([npt])\d+»", r" figure\1 ", q.plain)
    found = dict(signs(flat))
    for name, pattern in _CUES.items():
        if count := len(pattern.findall(q.plain)):
            found[f"cue role {name}"] = 1.0
            found[f"cue role {name} {min(count, 3)}"] = 1.0
        if pattern.search(q.question):
            found[f"cue asked {name}"] = 1.0
    found |= {f"word {stem(one)}~": 1.0 for one in re.findall(r"[^\W\d_]{3,}", flat)}
    for word in re.findall(r"[^\W\d_]{2,}", re.sub(r"«[^»]*»", "", q.question)):
        found[f"asked {stem(word)}"] = 1.0
    for kind in "npt":
        count = sum(one.kind == kind for one in figures)
        found[f"head count {kind} {min(count, 6)}"] = 1.0
        found |= {f"head atleast {kind} {least}": 1.0 for least in (1, 2, 3, 4, 6, 8) if count >= least}
    found |= {f"head span {one.span}": 1.0 for one in figures if one.span}
    found |= {f"head period {one.period}": 1.0 for one in figures if one.period}
    return found


def figure_features(
    q: Phrasing, tokens: Sequence[RoleToken], figures: Sequence[FigureSlot], at: int
) -> dict[str, float]:
    """Return the features of the figure at a place among the tokens."""
    one = figures[tokens[at].figure]
    unit = q.unit(tokens[at].text)
    number = [each for each in tokens if each.figure >= 0].index(tokens[at])
    alike = [place for place, each in enumerate(figures) if each.kind == one.kind]
    found = {
        f"kind {one.kind}": 1.0,
        f"money {unit.isupper()}": 1.0,
        f"unit {stem(unit) if unit.islower() else ''}": 1.0,
        f"span {one.span}": 1.0,
        f"period {one.period} {one.kind}": 1.0,
        f"move {one.move}": 1.0,
        f"place {min(number, 5)}": 1.0,
        f"place of kind {one.kind} {min(alike.index(tokens[at].figure), 4)} of {min(len(alike), 5)}": 1.0,
        f"last {number == len(figures) - 1}": 1.0,
        f"first sentence {tokens[at].sentence == 0}": 1.0,
        f"last sentence {tokens[at].sentence == tokens[-1].sentence}": 1.0,
        f"size {_size(one)}": 1.0,
        f"largest {one.value == max(each.value for each in figures if each.kind == one.kind)}": 1.0,
        f"smallest {one.value == min(each.value for each in figures if each.kind == one.kind)}": 1.0,
    }
    for near, name in (
        (figures[number - 1] if number else None, "before"),
        (next(iter(figures[number + 1 :]), None), "behind"),
    ):
        found[f"{name} kind {near.kind if near else ''}"] = 1.0
        if near and near.kind == one.kind:
            found[
                f"{name} is {'same' if near.value == one.value else 'less' if near.value < one.value else 'more'}"
            ] = 1.0
    return found | _context(tokens, at) | _clause_features(tokens, at)


def _size(one: FigureSlot) -> str:
    bounds = (0.05, 0.2, 0.5, 0.8, 0.95, 1) if one.kind == "p" else (1, 2, 5, 13, 60, 150, 1000, 10_000)
    return next((str(bound) for bound in bounds if one.value <= bound), "more")


def word_features(tokens: Sequence[RoleToken], at: int) -> dict[str, float]:
    """Return the features of a word at a place among the tokens."""
    text = tokens[at].text
    inside = at > 0 and tokens[at - 1].text not in _STOPS
    before = [place for place in range(at) if tokens[place].figure >= 0]
    behind = [place for place in range(at + 1, len(tokens)) if tokens[place].figure >= 0]
    same = [each for each in tokens if each.text.lower() == text.lower()]
    sentence = [each.text for each in tokens[at:] if each.sentence == tokens[at].sentence]
    is_asked = tokens[at].sentence == tokens[-1].sentence or "?" in sentence
    found = {
        f"own {stem(text)}": 1.0,
        f"form {'upper' if text[:1].isupper() and inside else 'title' if text[:1].isupper() else 'lower'}": 1.0,
        f"length {min(len(text), 4)}": 1.0,
        f"ends {text[-3:].lower()}": 1.0,
        f"repeats {min(len(same), 3)}": 1.0,
        f"is asked {is_asked}": 1.0,
        f"to figure {min(behind[0] - at, 6) if behind else 'none'}": 1.0,
        f"from figure {min(at - before[-1], 6) if before else 'none'}": 1.0,
        f"kinds {tokens[before[-1]].text[1] if before else ''}{tokens[behind[0]].text[1] if behind else ''}": 1.0,
    }
    return found | _context(tokens, at)


def _context(tokens: Sequence[RoleToken], at: int) -> dict[str, float]:
    """Return the words around a place, by distance and as a bag, and the cues among them."""
    found = dict[str, float]()
    for step in (-1, 1):
        side, words = "<" if step < 0 else ">", list[str]()
        stopped = False
        for distance in range(1, _REACH + 1):
            place = at + step * distance
            if not 0 <= place < len(tokens):
                found[f"{side}{distance} edge"] = 1.0
                break
            text = tokens[place].text
            shown = f"«{text[1]}»" if tokens[place].figure >= 0 else stem(text) if text[0].isalpha() else text
            if distance <= 3:
                found[f"{side}{distance} {shown}"] = 1.0
            if not stopped:
                found[f"{side} {shown}"] = max(found.get(f"{side} {shown}", 0), 1.0 if distance <= 2 else 0.7)
            stopped = stopped or text in _STOPS or tokens[place].figure >= 0
            if not stopped:
                words.append(text)
        near = " ".join(words[::step])
        for name, pattern in _CUES.items():
            if pattern.search(near):
                found[f"cue {side} {name}"] = 1.0
        if len(words) > 1:
            found[f"{side}pair {stem(words[0])} {stem(words[1])}"] = 1.0
    return found


def _clause_features(tokens: Sequence[RoleToken], at: int) -> dict[str, float]:
    """Return the stems and cues of the sentence of a place, before and behind it."""
    found = dict[str, float]()
    own = [
        (place, each) for place, each in enumerate(tokens) if each.sentence == tokens[at].sentence and each.figure < 0
    ]
    for side, words in (("b", [e.text for p, e in own if p < at]), ("a", [e.text for p, e in own if p > at])):
        for name, pattern in _CUES.items():
            if pattern.search(" ".join(words)):
                found[f"cue s{side} {name}"] = 0.6
        found |= {f"s{side} {stem(one)}": 0.5 for one in words if len(one) > 2}
    return found


def previous_features(label: str, kind: str) -> dict[str, float]:
    """Return the features of a figure that depend on the role of the figure before it."""
    return {f"previous {label}": 1.0, f"previous {label} {kind}": 1.0}


@cache
def load_role_models() -> Mapping[str, SentenceModel]:
    """Return the trained models by name: `shape`, and for each shape `ask`, `figure` and `word`."""
    import numpy as np

    with np.load(MODEL) as stored:
        names = stored["names"].tobytes().decode().split("\n")
        return {name: stored_model(stored, name) for name in names}


def read_shape(
    q: Phrasing, models: Mapping[str, SentenceModel] | None = None, shape: str = "", count: int = 1
) -> list[RoleReading]:
    """Return the likeliest readings of a question, of the shape if one is given, best first."""
    models = models or load_role_models()
    figures, tokens = slots(q), role_tokens(q)
    if not figures or len(figures) > _MOST_FIGURES:
        return []
    features = shape_features(q, figures)
    shapes = models["shape"].probabilities(features)
    ranked = [shape] if shape else sorted(shapes, key=lambda one: -shapes[one])[: 2 if count > 1 else 1]
    found = list[RoleReading]()
    for one in ranked:
        if shapes[one] < 0.1 and not shape:
            continue
        if f"ask {one}" not in models:
            found.append(RoleReading(one, shapes[one], {"other": 1.0}, (), log(shapes[one])))
            continue
        asks = models[f"ask {one}"].probabilities(features)
        names = [*_name_marks(q, tokens, models[f"word {one}"])]
        for weight, own in _figure_marks(q, tokens, figures, models[f"figure {one}"], count):
            marks = sorted([*own, *names], key=lambda each: each.at)
            total = weight + log(max(shapes[one], 1e-9))
            found.append(RoleReading(one, shapes[one], asks, tuple(_with_groups(marks, one, tokens)), total))
    return sorted(found, key=lambda one: -one.weight)


_MOST_FIGURES = 24


def _decode(
    model: SentenceModel, rows: Sequence[tuple[Mapping[str, float], str]], count: int = 1
) -> list[tuple[float, list[tuple[str, float]]]]:
    """Return the likeliest sequences of labels with their log probability, and the probability of each label."""
    import numpy as np

    ways: list[tuple[float, list[tuple[str, float]]]] = [(0.0, [])]
    for features, kind in rows:
        base = model.scores(features)
        after = dict[str, list[tuple[str, float, float]]]()
        found = list[tuple[float, list[tuple[str, float]]]]()
        for weight, way in ways:
            before = way[-1][0] if way else "start"
            if before not in after:
                scores = model.scores(previous_features(before, kind)) - model.bias + base
                shares = np.exp(scores - scores.max())
                shares = np.maximum(shares / shares.sum(), 1e-9)
                rows_ = zip(model.labels, shares.tolist(), np.log(shares).tolist(), strict=True)
                after[before] = sorted(rows_, key=lambda one: -one[1])[:_WIDTH]
            found += [(weight + more, [*way, (label, share)]) for label, share, more in after[before]]
        ways = sorted(found, key=lambda one: -one[0])[: max(count, _WIDTH)]
    return ways[:count]


_WIDTH = 10
"""The width of the beam: the sequences kept, and the labels tried for each figure."""


def _figure_marks(
    q: Phrasing, tokens: Sequence[RoleToken], figures: Sequence[FigureSlot], model: SentenceModel, count: int
) -> Iterator[tuple[float, list[RoleMark]]]:
    """Yield the likeliest roles of all figures with their log probability."""
    places = [at for at, one in enumerate(tokens) if one.figure >= 0]
    rows = [(figure_features(q, tokens, figures, at), tokens[at].text[1]) for at in places]
    for weight, labels in _decode(model, rows, count):
        yield (
            weight,
            [
                RoleMark(label, q.written(tokens[at].text), at, share, figures[tokens[at].figure])
                for at, (label, share) in zip(places, labels, strict=True)
            ],
        )


def _name_marks(q: Phrasing, tokens: Sequence[RoleToken], model: SentenceModel) -> Iterator[RoleMark]:
    """Yield the names: neighbouring words of the same role."""
    places = [at for at, one in enumerate(tokens) if is_word(one)]
    rows = [(word_features(tokens, at), word_link(tokens, at)) for at in places]
    labels = _decode(model, rows)[0][1]
    open_: list[tuple[int, str, float]] = []
    for at, (label, share) in [*zip(places, labels, strict=True), (len(tokens) + 1, (NONE, 1.0))]:
        if open_ and (label != open_[0][1] or at != open_[-1][0] + 1):
            words = q.written(q.plain[tokens[open_[0][0]].start : tokens[open_[-1][0]].end])
            if stems(words) or len(words) == 1 or open_[0][1] in ("action", "weight"):
                yield RoleMark(open_[0][1], words, open_[0][0], min(one for *_, one in open_))
            open_ = []
        if label != NONE:
            open_.append((at, label, share))


def is_word(token: RoleToken) -> bool:
    """Return whether a token is a word."""
    return token.figure < 0 and token.text[0].isalpha()


def word_link(tokens: Sequence[RoleToken], at: int) -> str:
    """Return whether a word follows another directly."""
    return "next" if at and is_word(tokens[at - 1]) else "apart"


def _with_groups(marks: Sequence[RoleMark], shape: str, tokens: Sequence[RoleToken]) -> Iterator[RoleMark]:
    """Yield the marks with the numbers of their records."""
    row = TABLE["shapes"][shape]
    grouped, alike = row["records"].split(), row.get("alike", "").split()
    own = [replace(one, role=alike[0]) if one.role in alike else one for one in marks if one.role in grouped]
    groups = record_numbers(own, tokens, several=row.get("several", "").split())
    for one in marks:
        yield replace(one, group=groups.get(one.at)) if one.role in grouped else one


def record_numbers(
    marks: Sequence[RoleMark], tokens: Sequence[RoleToken], several: Sequence[str] = ()
) -> dict[int, int]:
    """Return the record of each mark by its place.

    A figure belongs to the name that comes before it if that holds for all figures of its role. Where each role comes
    equally often, the nth of each belongs to record n. Otherwise a name, or a role that the record has already, begins
    the next record; names may also end records.
    """
    found, names = dict[int, int](), list[RoleMark]()
    for one in marks:
        if one.role == "name":
            known = next((at for at, name in enumerate(names) if same_name(name.words, one.words)), None)
            if known is None:
                names.append(one)
            found[one.at] = (len(names) - 1 if known is None else known) + 1
    mentions = _mentions(names, tokens) | {at: found[at] for at in found}
    figures = [one for one in marks if one.role != "name"]
    nearest = dict[int, int]()
    behind = {
        one.at: found[each.at] for one in figures for each in names if one.role == "count" and 0 < each.at - one.at < 3
    }
    for before, one in zip([None, *figures], figures, strict=False):
        own = [at for at in mentions if (before.at if before else -1) < at < one.at]
        if own and tokens[max(own)].sentence == tokens[one.at].sentence:
            nearest[one.at] = mentions[max(own)]
    nearest |= behind
    places = {role: [one.at for one in figures if one.role == role] for role in {one.role for one in figures}}
    counts = {len(own) for own in places.values()} | ({len(names)} if names else set())
    if len(counts) == 1 and len(names) != 1:
        for own in places.values():
            told = [nearest.get(at, 0) for at in own]
            in_order = told if len(set(told)) == len(told) and all(told) else range(1, len(own) + 1)
            found |= dict(zip(own, in_order, strict=True))
        return found
    is_behind = bool(names) and marks[0].role != "name" and marks[-1].role == "name"
    current, has = 0, set[str]()
    for one in marks[::-1] if is_behind else marks:
        if one.role == "name":
            current, has = found[one.at], set() if found[one.at] != current else has
            continue
        if not is_behind and one.at in nearest and nearest[one.at] != current:
            current, has = nearest[one.at], set()
        elif one.role in has and one.role not in several:
            current, has = current + 1, set()
        current = max(1, current)
        found[one.at] = current
        has.add(one.role)
    return found


def _mentions(names: Sequence[RoleMark], tokens: Sequence[RoleToken]) -> dict[int, int]:
    """Return where words that belong to one name alone come up."""
    words = [stems(one.words) or {one.words.lower()} for one in names]
    found = dict[int, int]()
    for at, token in enumerate(tokens):
        own = [number for number, each in enumerate(words, 1) if stem(token.text) in each or token.text.lower() in each]
        if len(own) == 1 and is_word(token):
            found[at] = own[0]
    return found


def same_name(a: str, b: str) -> bool:
    """Return whether two phrases name the same option: one has all words of the other, and adds no relation."""
    one, other = ({stem(word) for word in re.findall(r"\w+", text.lower())} - _ARTICLES for text in (a, b))
    return (one <= other or other <= one) and not (one ^ other) & _RELATIONS


_ARTICLES = frozenset({"the", "our", "my", "an"})
_RELATIONS = frozenset({"per", "of", "for", "a", "b", "c"})
