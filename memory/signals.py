"""The signals of the default ranking: small pure functions of the evidence for a question and its candidates.

Each returns a number from 0 to 1 for every candidate (`meaning` and `context` go down to -1), or `nan` without data.
Without vectors, times or a date in the question, a signal is `nan` for all of them. The weights in
`configs/ranking.yaml` decide their sum.
"""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, timedelta
from math import nan
from typing import TYPE_CHECKING

from mabos.memory.catalogue import WordsEntry
from mabos.memory.forms import line
from mabos.memory.question import RecallQuestion
from mabos.memory.words import TextGroup, Words
from mabos.workspace.dates import NamedDate
from mabos.workspace.text import STOPWORDS, terms

if TYPE_CHECKING:
    from mabos.memory.timeline import Values

_QUESTION = re.compile(r"\?\s*(?:\[[^\]]*\]\s*)?$")  # a remark in brackets may follow
_LONGEST_HEADING = 80
_ENDS = re.compile(r"[\n.?!;]")
_CALLING = 5  # of the best matches
_LATER_DAYS = 7
_NEXT_DAY, _EACH_DAY = 0.75, 0.05
_SAME_MONTH, _OTHER_PART = 0.4, 0.2
_ABOUT_ASKING = re.compile(
    r"(?i)\b(?:ask(?:s|ed|ing)?|wonder(?:s|ed)?|inquir(?:e|es|ed|y)|request(?:s|ed)?|questions?"
    r"|want(?:s|ed)? to (?:know|hear))\b"
)


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence for ranking a group of texts, in arrays in the same order.

    `own`, `around` and `days` are scores by words, 0 without a match; `share` is the share of the question's words in a
    text. `similar` holds the similarities of question and text for all texts of the group and their neighbours, `nan`
    without a vector. `top` is the maximum, `faintest` that of the hundredth best, or of the last; their scale is known
    if `is_calibrated`.
    """

    question: RecallQuestion
    words: Words
    group: TextGroup
    own: "Values"
    around: "Values"
    days: "Values"
    share: "Values"
    similar: "Values | None" = None
    top: float = 0.0
    faintest: float = 0.0
    is_calibrated: bool = False

    @property
    def texts(self) -> Sequence[WordsEntry]:
        """The texts to rank."""
        return self.group.texts

    @property
    def candidates(self) -> list[str]:
        """The ids of the texts to rank."""
        return [entry.id for entry in self.texts]

    @property
    def silence(self) -> "Values":
        """The scores of a signal without data on any text."""
        import numpy as np

        return np.full(len(self.texts), np.nan)


Signal = Callable[[Evidence], "Values"]


def words(known: Evidence) -> "Values":
    """Score the match of the text's words and tags, relative to the best match."""
    return _beside_best(known, known.own)


def neighbours(known: Evidence) -> "Values":
    """Score the match of the text together with the memories just before and after it."""
    return _beside_best(known, known.around)


def day(known: Evidence) -> "Values":
    """Score the match of all memories of the text's day."""
    return _beside_best(known, known.days)


def meaning(known: Evidence) -> "Values":
    """Score the similarity of question and text, scaled between the hundredth best and the best."""
    spread = known.top - known.faintest
    if known.similar is None or spread <= 0:
        return known.silence
    scores: Values = ((known.similar[: len(known.texts)] - known.faintest) / spread).clip(min=-1.0)
    return scores


def context(known: Evidence) -> "Values":
    """Score the question's similarity to the memories just before and after, or else to the text itself."""
    import numpy as np

    spread = known.top - known.faintest
    if known.similar is None or spread <= 0:
        return known.silence
    near = np.append(known.similar, np.nan)[known.group.beside]
    is_there = ~np.isnan(near)
    count = is_there.sum(axis=1)
    mean = np.where(is_there, near, 0).sum(axis=1) / np.maximum(count, 1)
    scores: Values = (np.where(count, mean, known.similar[: len(known.texts)]) - known.faintest) / spread
    return scores.clip(-1.0, 1.0)


def speaker(known: Evidence) -> "Values":
    """Score 1 if a person named in the question wrote the text."""
    people = known.question.people
    return _where(known, [entry.source in people for entry in known.texts]) if people else known.silence


def statement(known: Evidence) -> "Values":
    """Score 1 if the text states something rather than asks, unless the question is about asking."""
    if _ABOUT_ASKING.search(known.question.text):
        return known.silence
    return _where(known, [not _asks(entry.text) for entry in known.texts])


def date_named(known: Evidence) -> "Values":
    """Score a text from a date in the question, from that (part of a) month, or from the week after."""
    import numpy as np

    dates = known.question.dates
    if not dates:
        return known.silence
    fits = np.array([max(_fit(named, entry.at[:10]) for named in dates) for entry in known.texts])
    return np.where(fits > 0, fits, np.nan)


def recency(known: Evidence) -> "Values":
    """Score the text's position in time; half if unknown."""
    import numpy as np

    late = known.words.lateness(known.group.numbers)
    is_known = ~np.isnan(late)
    return np.where(is_known, late, 0.5) if is_known.any() else known.silence


def importance(known: Evidence) -> "Values":
    """Score the text's stored importance."""
    import numpy as np

    return np.array([entry.importance for entry in known.texts])


SIGNALS: dict[str, Signal] = {
    "meaning": meaning,
    "context": context,
    "words": words,
    "neighbours": neighbours,
    "day": day,
    "date": date_named,
    "speaker": speaker,
    "statement": statement,
    "recency": recency,
    "importance": importance,
}
BY_VECTORS = frozenset({"meaning", "context"})


def score_mentions(known: Evidence, sums: "Values") -> "Values":
    """Score the text by the best text that mentions its heading, relative to the best of all.

    A heading shared by several candidates identifies none of them.
    """
    scores, best = known.silence, sums.argsort(kind="stable")[::-1][:_CALLING].tolist()
    names = {at: _heading(entry.text) for at, entry in enumerate(known.texts) if ": " in entry.text[:_LONGEST_HEADING]}
    often = Counter(names.values())
    for at, name in names.items():
        if name and often[name] == 1:
            caller = next((other for other in best if other != at and name in known.texts[other].stems), None)
            scores[at] = nan if caller is None else sums[caller] / sums[best[0]]
    return scores


LATER: dict[str, Callable[[Evidence, "Values"], "Values"]] = {"mentioned": score_mentions}
"""Signals that are given what all others came to."""


def _beside_best(known: Evidence, scores: "Values") -> "Values":
    import numpy as np

    top = scores.max(initial=0.0)
    return np.where(scores > 0, scores / top, np.nan) if top else known.silence


def _where(known: Evidence, holds: Sequence[bool]) -> "Values":
    """Return 1 where something holds of a text, and nothing elsewhere."""
    scores = known.silence
    scores[[at for at, one in enumerate(holds) if one]] = 1.0
    return scores


def _heading(text: str) -> str:
    """Return the words before a text's first colon, as `Entry.stems` holds them; a remark in brackets is left out."""
    before, colon, _ = text[:_LONGEST_HEADING].partition(": ")
    if not colon or _ENDS.search(before):
        return ""
    name = before.partition(" (")[0] if before.endswith(")") else before
    return "" if STOPWORDS.issuperset(terms(name)) else line(name)


def _asks(text: str) -> bool:
    return "?" in text and _QUESTION.search(text) is not None


def _fit(named: NamedDate, day_of_text: str) -> float:
    try:
        year, month, number = int(day_of_text[:4]), int(day_of_text[5:7]), int(day_of_text[8:10])
    except ValueError:  # none, or written by hand and no day
        return 0.0
    first, last = named.days
    if not named.day:
        within = _SAME_MONTH if not named.part else 1.0 if first <= number <= last else _OTHER_PART
        return within if month == named.month and named.year in (0, year) else 0.0
    try:
        later = (date(year, month, number) - date(named.year or year, named.month, named.day)).days
    except ValueError:
        return 0.0
    if later == 0:
        return 1.0
    if 0 < later <= _LATER_DAYS:
        return _NEXT_DAY - _EACH_DAY * (later - 1)
    return _SAME_MONTH if month == named.month and named.year in (0, year) else 0.0


def remembered_then(known: RecallQuestion, words: Words, limit: int) -> list[WordsEntry]:
    """Return memories from the dates in the question, as further candidates."""
    found: list[WordsEntry] = []
    for named in known.dates:
        for year in [named.year] if named.year else words.years():
            with suppress(ValueError, OverflowError):  # there is no such day that year, or none after it
                first_day, last_day = named.days
                first = date(year, named.month, first_day)
                month_later = (first.replace(day=1) + timedelta(days=31)).replace(day=1)
                part_later = first + timedelta(days=last_day - first_day + 1)
                end = first + timedelta(days=_LATER_DAYS + 1) if named.day else min(part_later, month_later)
                found += words.within(first.isoformat(), end.isoformat(), limit)
    return found[:limit]
