"""The parts of an order by a trained tagger: which words are its readers, its sum, its steps, its letter.

    tag("letter", "Letter to the landscapers in Kent. Turf is 4.20 dollars from 5 April. I read it first.", now)
    # to: the landscapers in Kent; facts: Turf is 4.20 dollars from 5 April; look: I read it first

A linear-chain conditional random field (Lafferty, McCallum and Pereira 2001) scores each label of each word by the
words around it and by the label before. `scripts/train_tagger.py` learns the numbers from `scripts/order_parts.jsonl`.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from mabos.language.amounts import amounts_in
from mabos.language.calls.tokens import CLASS_OF_WORD
from mabos.language.classifier import FOLDER, UNIT, likeliest, stored_rows
from mabos.language.letter_text import SEES_FIRST
from mabos.language.times import times_in
from mabos.language.wordlists import order_form, order_table, word_lists

if TYPE_CHECKING:
    import numpy as np

ROLES: Mapping[str, tuple[str, ...]] = {
    "letter": ("to", "not_to", "subject", "text", "facts", "look", "send"),
    "campaign": ("name", "channel", "to", "sum", "weeks", "start"),
    "work": ("name", "sum", "due", "whom"),
    "project": ("title", "step", "due"),
    "report": ("rhythm", "item", "until", "start"),
    "reminder": ("when", "what"),
    "colleague": ("whom", "question", "task"),
}
"""The parts that an order of each kind may have."""
LABELS = ("O", *(f"{at} {role}" for role in dict.fromkeys(sum(ROLES.values(), ())) for at in "BI"))
"""The labels of a word: outside every part, the beginning of a part, or the inside of one."""
_TOKEN = re.compile(r"[\w.+-]+@[\w.-]+\w|[$€£]?\d[\d.,:/]*\w*|\w[\w'’&-]*|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TaggedSpan:
    """Words of a text with the role that they play in an order."""

    role: str
    words: str
    start: int
    end: int


def tokens_of(text: str) -> list[re.Match[str]]:
    """Return the words and punctuation marks of a text."""
    return list(_TOKEN.finditer(text))


def labels_allowed(kind: str) -> list[int]:
    """Return the places of the labels that an order of a kind may have."""
    return [at for at, label in enumerate(LABELS) if label == "O" or label[2:] in ROLES[kind]]


def features_of(kind: str, text: str, now: datetime) -> list[list[str]]:
    """Return the features of each token of an order of a kind."""
    found = tokens_of(text)
    words = [one[0].lower().replace("’", "'") for one in found]
    values = _values(text, found, now)
    classes = [_class(one[0], word) for one, word in zip(found, words, strict=True)]
    clauses = _clauses(words)
    remarks = _remarks(text, found)
    quotes = [one.start() for one in _QUOTE.finditer(text)]
    rows = []
    for at, token in enumerate(found):
        clause, sentence = clauses[at]
        lead, behind = words[clause : clause + 3], at - clause
        near = {offset: words[at + offset] if 0 <= at + offset < len(words) else "_" for offset in range(-3, 4)}
        around = range(max(0, at - 2), min(len(words), at + 3))
        row = [f"w{offset} {word}" for offset, word in near.items()]
        row += [f"p{offset} {near[offset]} {near[offset + 1]}" for offset in (-2, -1, 0, 1)]
        row += [f"s{place - at} {_shape(found[place][0])}" for place in around]
        row += [f"v{place - at} {values[place]}" for place in around]
        row += [f"c{place - at} {classes[place]}" for place in around]
        row += [f"d {' '.join(classes[max(0, at - 1) : at + 1])} -1", f"d {' '.join(classes[at : at + 2])} 0"]
        row += [f"e {' '.join(classes[max(0, at - 1) : at + 2])}", f"leads {' '.join(classes[clause : clause + 3])}"]
        row += [f"end {words[at][-3:]}", f"quoted {bisect_left(quotes, token.start()) % 2 == 1}"]
        row += [f"bracket {text.count('(', 0, token.start()) > text.count(')', 0, token.start())}"]
        row += [f"lead {lead[0]}", f"lead2 {' '.join(lead[:2])}", f"lead3 {' '.join(lead)}", f"place {min(behind, 4)}"]
        row += [remarks[at], f"{remarks[at]} {min(behind, 2)}", f"act {remarks[at]} {lead[0]}"]
        row += [f"before {words[clause - 1] if clause else '_'}", f"sentence {min(sentence, 3)}"]
        row += [f"last {clauses[-1][1] == sentence}", f"lead {lead[0]} place {min(behind, 2)}"]
        rows.append([*row, *(f"{kind} {one}" for one in row if one[0] in "wvsce" or one.startswith("lead "))])
    return rows


_READS_FIRST = order_form("letters.seen_first")


def _remarks(text: str, tokens: Sequence[re.Match[str]]) -> list[str]:
    """Return for each token the likeliest speech act of its sentence, and whether that wants to see a letter first."""
    found = []
    sentences = [
        (one.start(), one.end(), f"act {likeliest('acts', one[0])[0]} {bool(SEES_FIRST.match(one[0]))}")
        for one in re.finditer(r"\S.*?(?:[.!?]+(?=\s|$)|\n|$)", text, re.DOTALL)
    ]
    looks = [one.span() for one in _READS_FIRST.finditer(text)]
    for token in tokens:
        act = next((name for start, end, name in sentences if start <= token.start() < end), "act")
        found.append(f"{act} {any(start <= token.start() < end for start, end in looks)}")
    return found


def _values(text: str, tokens: Sequence[re.Match[str]], now: datetime) -> list[str]:
    """Return for each token the kind of amount or time that it belongs to, or "-"."""
    spans = [(one.start, one.end, f"time {one.kind} {one.role}") for one in times_in(text, now)]
    spans += [(one.start, one.end, f"amount {one.kind} {one.per}") for one in amounts_in(text)]
    return [
        next((kind for start, end, kind in spans if start <= token.start() < end), "-") for token in tokens
    ]  # fmt: skip


def _clauses(words: Sequence[str]) -> list[tuple[int, int]]:
    """Return for each token where its clause begins, and the number of its sentence."""
    found, start, sentence = [], 0, 0
    for at in range(len(words)):
        if at and words[at - 1] in {".", ",", ";", ":", "!", "?", "(", ")", "-", "–"}:
            start = at
        if at and words[at - 1] in {".", "!", "?"} and words[at] not in {".", "!", "?"}:
            sentence += 1
        found.append((start, sentence))
    return found


_COLLEAGUES = frozenset(
    word
    for role, names in order_table("order_parts.departments").items()
    for word in (role, *names.replace(",", " ").split())
)


def _class(token: str, word: str) -> str:
    """Return the class of a word: a closed class, a colleague, or by its spelling."""
    if word in _COLLEAGUES:
        return "colleague"
    if known := CLASS_OF_WORD.get(word):
        return known
    if word in word_lists().verbs or word in word_lists().informing:
        return "verb"
    if not word[0].isalnum():
        return "$" if word[0] in "$€£" else word[0]
    ending = next((one for one in ("ing", "ed", "ly", "s") if word.endswith(one) and len(word) > 4), "")
    return "number" if word[0].isdigit() else "capital" if token[0].isupper() else f"word {ending}"


def _shape(word: str) -> str:
    kinds = re.sub(r"\d+", "0", re.sub(r"[A-ZÀ-Þ]+", "A", re.sub(r"[a-zß-ÿ]+", "a", word)))
    return kinds[:4]


_QUOTE = re.compile(r"[\"“”]|(?<!\w)'|'(?!\w)")


@dataclass(frozen=True)
class TaggerModel:
    """Trained weights: a row per feature and a column per label, and the score of each label behind each other."""

    rows: Mapping[str, int]
    weights: "np.ndarray[Any, np.dtype[np.float64]]"
    steps: "np.ndarray[Any, np.dtype[np.float64]]"

    def labels(self, features: Sequence[Sequence[str]], allowed: Sequence[int]) -> list[int]:
        """Return the best sequence of labels (Viterbi)."""
        import numpy as np

        if not features:
            return []
        usable = np.array(allowed)
        rows = [[self.rows[one] for one in row if one in self.rows] for row in features]
        scores = np.array([self.weights[row].sum(axis=0) for row in rows])[:, usable]
        steps = self.steps[np.ix_(usable, usable)] + _penalties(allowed)
        best, back = scores[0] + _penalties(allowed)[0], []
        for row in scores[1:]:
            paths = best[:, None] + steps
            back.append(paths.argmax(axis=0))
            best = paths.max(axis=0) + row
        at = int(best.argmax())
        taken = [at]
        for pointers in reversed(back):
            at = int(pointers[at])
            taken.append(at)
        return [int(usable[one]) for one in reversed(taken)]


def _penalties(allowed: Sequence[int]) -> "np.ndarray[Any, np.dtype[np.float64]]":
    """Return 0 for each pair of labels that may follow each other, and a large negative number for the others."""
    import numpy as np

    names = [LABELS[one] for one in allowed]
    return np.array([[-1e9 if b[0] == "I" and a[2:] != b[2:] else 0.0 for b in names] for a in names])


@cache
def load_tagger() -> TaggerModel:
    """Return the trained model."""
    import numpy as np

    with np.load(FOLDER / "order_parts.npz") as stored:
        return TaggerModel(stored_rows(stored, "signs"), stored["weights"] / UNIT, stored["steps"] / UNIT)


def tag(kind: str, text: str, now: datetime) -> tuple[TaggedSpan, ...]:
    """Return the parts of an order of a kind of `ROLES`, in the order of its words."""
    labels = load_tagger().labels(features_of(kind, text, now), labels_allowed(kind))
    return tuple(spans_of(text, [LABELS[one] for one in labels]))


def spans_of(text: str, labels: Sequence[str]) -> Iterator[TaggedSpan]:
    """Yield the spans that the labels of the tokens of a text mark."""
    tokens, at = tokens_of(text), 0
    while at < len(labels):
        end = at + 1
        if labels[at] != "O":
            role = labels[at][2:]
            while end < len(labels) and labels[end] == f"I {role}":
                end += 1
            start, stop = tokens[at].start(), tokens[end - 1].end()
            yield TaggedSpan(role, text[start:stop], start, stop)
        at = end
