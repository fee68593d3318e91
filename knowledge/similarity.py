"""Measure the similarity of spellings, terms, records or situations; each measure is from 0 to 1, or a distance.

- Spellings: `distance` counts edits, `nearness` compares two spellings of one word.
- Terms of an ontology: `term_likenesses`. An equal label or synonym is a duplicate, and so is a long term one or two
  letters away from another. A short one is only worth a warning, since MRR and ARR, or Cart and Cost, are different
  things (S0 section 24 and S3 section 8.4 print a plain "distance < 3", which refuses their own terms).
- Records, which are text by field with the name first: `record_likeness`. Fields may be swapped or run together, so all
  words are compared as one bag (soft Jaccard and containment, weighted by inverse document frequency; Cohen, Ravikumar
  and Fienberg 2003), and the names once more by themselves. Numbers and opposites must agree.
- Situations of cases, S(B, D) of S0 section 23: `overlap` with the aggregate `linear`.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import log
from typing import Any, Literal

from mabos.knowledge.ontology.model import Concept
from mabos.knowledge.ontology.wording import key
from mabos.knowledge.values import parse_quantity
from mabos.knowledge.wording import polarity

Grade = Literal["reject", "warn"]
Record = Mapping[str, str]
"""Text by field, the name first."""
Situation = Mapping[str, Any]
"""Names of beliefs or desires; each with its value, or None where only the name is known."""
Aggregate = Callable[[float, float], float]

NEAR = 3
"""Terms fewer edits apart than this are near each other."""
LONG = 8
"""Letters from which nearness may mean sameness."""
ALIKE = 0.85
"""Share of letters in common from which a near, long term counts as the same."""
MOST_WORDS = 2_000
"""Words of a record that are looked at."""
_MOST_SPELLINGS = 40
"""Words of one record without their like in the other, the rarest, for which another spelling is looked for."""
_HOPELESS = 0.15
"""Share of the lighter record's weight below which nobody looks for other spellings."""
_CONTAINED = 0.4
"""The weight of containment beside Jaccard: one record often says less than the other."""
_CONFLICT = 0.4
"""The remaining factor of similarity if numbers or statements exclude each other."""
_CODE = 0.4
"""The part of the difference that a common model number makes up for."""
_NAME = 0.4
"""The part of the difference that full containment of a name makes up for, counted from half contained."""
_INITIAL = 0.6
"""The similarity of an initial to a name; two other spellings of one word are more similar."""
_TOLD_APART = 0.85
"""The most where each name has a word that the other record lacks: `rollout-eu` and `rollout-us` may share all else."""

_COMPOUND = re.compile(r"[0-9]+(?:\.[0-9]+)+|[^\W_]+(?:[-/.][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_WHOLE = re.compile(r"([0-9]+)\.0+")


def letters(text: str) -> int:
    """Return which letters occur, as bits: one edit changes at most two of them."""
    bits = 0
    for letter in text:
        bits |= 1 << (ord(letter) % 63)
    return bits


def distance(one: str, other: str, limit: int) -> int:
    """Return the Levenshtein distance; `limit` + 1 means anything beyond `limit`."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    row = list(range(len(other) + 1))
    for number, letter in enumerate(one, start=1):
        above, row = row, [number]
        for place, wanted in enumerate(other, start=1):
            row.append(min(above[place] + 1, row[-1] + 1, above[place - 1] + (letter != wanted)))
        if min(row) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


@lru_cache(maxsize=200_000)
def nearness(one: str, other: str) -> float:
    """Return 0.6 to 1 for two spellings of one word, else 0: initials, beginnings, a letter or two; never numbers.

    >>> nearness("m", "mary"), nearness("heterogenous", "heterogeneous") > 0.9, nearness("3.2", "3.3")
    (0.6, True, 0.0)
    """
    if one == other:
        return 1.0
    short, long = sorted((one, other), key=lambda word: (len(word), word))
    if not short.isalpha() or not long.isalpha():
        return 0.85 if len(short) > 3 and _extends(short, long) else 0.0
    if len(short) < 4:
        return _INITIAL if len(short) == 1 and long[0] == short else 0.0
    near = 0.9 if long.startswith(short) and len(short) > 0.6 * len(long) else _spelled_alike(short, long)
    return near if near and polarity(short) == polarity(long) else 0.0


def _spelled_alike(short: str, long: str) -> float:
    """Return the share of letters in common, where at most a quarter differs."""
    most = len(long) // 4
    if len(long) - len(short) > most or (letters(short) ^ letters(long)).bit_count() > 2 * most:
        return 0.0
    apart = distance(short, long, most)
    return 1 - apart / len(long) if apart <= most else 0.0


def _extends(code: str, longer: str) -> bool:
    """Return whether a code is another with something before or behind it: `dscw150` and `dscw150n`."""
    mixed = not any(_is_number(word) or word.isalpha() for word in (code, longer))
    return mixed and (longer.startswith(code) or longer.endswith(code))


@dataclass(frozen=True, slots=True)
class TermLikeness:
    """A term and the existing concept it is like."""

    term: str
    concept: Concept
    existing: str
    distance: int
    grade: Grade

    def __str__(self) -> str:
        said = f"{self.term!r}"
        if key(self.term) == key(self.existing):
            which = "the label" if self.existing == self.concept.label else "a synonym"
            return f"{said} is {which} of {self.concept.id} ({self.concept.label}); use that concept"
        return f"{said} is {self.distance} letters from {self.existing!r} ({self.concept.id}); make sure it is meant"


def term_likenesses(names: Sequence[str], concepts: Iterable[Concept]) -> list[TermLikeness]:
    """Return the matches of the `names` of a term with those of `concepts`, the worst first."""
    found = [
        like
        for concept in concepts
        for existing in concept.names
        for name in names
        if (like := _likeness(name, concept, existing)) is not None
    ]
    return sorted(found, key=lambda one: (one.grade != "reject", one.distance, one.concept.id, one.term))


def _likeness(name: str, concept: Concept, existing: str) -> TermLikeness | None:
    one, other = name.casefold(), existing.casefold()
    if key(name) == key(existing):
        return TermLikeness(name, concept, existing, distance(one, other, NEAR), "reject")
    if abs(len(one) - len(other)) >= NEAR or (letters(one) ^ letters(other)).bit_count() > 2 * (NEAR - 1):
        return None
    apart = distance(one, other, NEAR - 1)
    return TermLikeness(name, concept, existing, apart, grade_of(one, other, apart)) if apart < NEAR else None


def grade_of(one: str, other: str, apart: int) -> Grade:
    """Return the grade of two different terms, `apart` edits from each other; too similar ones are rejected."""
    longest = max(len(one), len(other))
    return "reject" if apart < NEAR and longest >= LONG and 1 - apart / longest >= ALIKE else "warn"


@dataclass(frozen=True, slots=True)
class RecordProfile:
    """A record prepared for comparison: its words and those of its name, and the values that must not differ.

    `years` and `codes` (words of letters and digits, such as model numbers) are those of all fields, `numbers` those of
    the name that are not years, `poles` the direction of the name on the axes it mentions.
    """

    words: frozenset[str]
    name: frozenset[str]
    years: frozenset[str]
    numbers: frozenset[str]
    codes: frozenset[str]
    poles: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RecordLikeness:
    """The similarity of two records, 0 to 1, and its reasons."""

    score: float
    reasons: tuple[str, ...]


class Rarity:
    """The weight of each word: the fewer records have it, the more."""

    def __init__(self, profiles: Iterable[RecordProfile]) -> None:
        self._holders: Counter[str] = Counter()
        count = 0
        for profile in profiles:
            self._holders.update(profile.words)
            count += 1
        self._weights = {word: log(1 + count / (held + 0.5)) for word, held in self._holders.items()}
        self._unknown = log(1 + 2 * count)

    def of(self, word: str) -> float:
        """Return the weight of a word; one that no record has weighs most."""
        return self._weights.get(word, self._unknown)

    def holders(self, word: str) -> int:
        """Return how many records have the word."""
        return self._holders[word]


def record_of(name: str, properties: Mapping[str, object], observations: Iterable[str] = ()) -> Record:
    """Return an entity as a record: its name, the texts of its properties, and its observations."""
    told = {key: _text(value) for key, value in properties.items()}
    return {"name": name, **{key: text for key, text in told.items() if text}, "observations": " ".join(observations)}


def record_profile(record: Record) -> RecordProfile:
    """Return a record in its form for comparison."""
    title = next(iter(record.values()), "")[: 8 * MOST_WORDS]
    told: list[str] = []
    for text in record.values():
        if len(told) < MOST_WORDS:
            told += words_of(text)
    words, name = frozenset(told[:MOST_WORDS]), frozenset(words_of(title))
    years = frozenset(filter(_YEAR.fullmatch, words))
    numbers = frozenset(filter(_is_number, name)) - years
    codes = frozenset(word for word in words if len(word) > 3 and not word.isalpha() and not _is_number(word))
    return RecordProfile(words, name, years, numbers, codes, polarity(title))


def words_of(text: str) -> list[str]:
    """Return the words of a text in one spelling: `TOB-155` is one word, `object-oriented` two, `1996.0` is 1996.

    >>> words_of("Canon TOB-155, object-oriented, 1996.0")
    ['canon', 'tob155', 'object', 'oriented', '1996']
    """
    found: list[str] = []
    for compound in _COMPOUND.findall(text[: 16 * MOST_WORDS].casefold()):
        if compound.isalnum():
            found.append(compound)
            continue
        if _is_number(compound):
            found.append(_WHOLE.sub(r"\1", compound))
            continue
        parts = _PART.findall(compound)
        joined = "".join(parts)
        found += [joined] if joined.isalnum() and not joined.isalpha() and not joined.isdigit() else parts
    return found


def record_likeness(one: RecordProfile, other: RecordProfile, rarity: Rarity) -> RecordLikeness:
    """Return the similarity of two records; if they exclude each other, it stays below the merge limit.

    The constants were set on one half of six public sets, see `python -m bench.entities`.
    """
    jaccard, contained = _overlap(one.words, other.words, rarity)
    score = (1 - _CONTAINED) * jaccard + _CONTAINED * contained
    reasons = [f"{jaccard:.0%} of the words, by weight"]
    conflict = _explain_exclusion(one, other)
    if conflict:
        score *= _CONFLICT
        reasons.append(conflict)
    shared = one.codes & other.codes
    if shared:
        score += _CODE * (1 - score)
        reasons.append(f"both say {max(sorted(shared), key=len)}")
    named = _overlap(one.name, other.name, rarity)[1]
    score += _NAME * (named - 0.5) * (1 - score)
    if named > 0.5:
        reasons.append(f"{named:.0%} of the shorter name is in the other")
    mine, theirs = _lacking(one.name, other.words), _lacking(other.name, one.words)
    if score > _TOLD_APART and mine and theirs:
        score = _TOLD_APART
        reasons.append(f"each name has a word of its own: {mine}, {theirs}")
    return RecordLikeness(min(1.0, max(0.0, score)), tuple(reasons))


def _explain_exclusion(one: RecordProfile, other: RecordProfile) -> str:
    """Return why two records cannot be the same thing, or nothing."""
    for what, mine, theirs in (
        ("years", one.years, other.years),
        ("numbers of the names", one.numbers, other.numbers),
        ("codes of the names", one.codes & one.name, other.codes & other.name),
    ):
        if mine and theirs and mine.isdisjoint(theirs):
            return f"the {what} differ: {min(mine)}, {min(theirs)}"
    for axis, sign in one.poles.items():
        if other.poles.get(axis, sign) == -sign:
            return f"the names say the opposite ({axis})"
    return ""


def _lacking(name: frozenset[str], words: frozenset[str]) -> str:
    """Return a word of a name that is not among the words in any spelling, or ""."""
    for word in sorted(name - words):
        if not any(rival[0] == word[0] and nearness(word, rival) > _INITIAL for rival in words):
            return word
    return ""


def _overlap(one: frozenset[str], other: frozenset[str], rarity: Rarity) -> tuple[float, float]:
    """Return the share of all weight that is common to both, and of the lighter one's."""
    mine, theirs = sum(map(rarity.of, one)), sum(map(rarity.of, other))
    if not mine or not theirs:
        return 0.0, 0.0
    common = sum(map(rarity.of, one & other))
    if common >= _HOPELESS * min(mine, theirs):
        common += _score_respellings(one - other, other - one, rarity)
    return common / (mine + theirs - common), min(1.0, common / min(mine, theirs))


def _score_respellings(one: frozenset[str], other: frozenset[str], rarity: Rarity) -> float:
    """Return the weight of words found in both in another spelling with the same beginning, each used once."""
    left: defaultdict[str, list[str]] = defaultdict(list)
    for word in _rarest(other, rarity):
        left[word[0]].append(word)
    found = 0.0
    for word in _rarest(one, rarity):
        rivals = left.get(word[0], [])
        near, best = max(((nearness(word, rival), rival) for rival in rivals), default=(0.0, ""))
        if near:
            rivals.remove(best)
            found += near * (rarity.of(word) + rarity.of(best)) / 2
    return found


def _rarest(words: frozenset[str], rarity: Rarity) -> list[str]:
    return sorted(words, key=lambda word: (-rarity.of(word), word))[:_MOST_SPELLINGS]


def _is_number(word: str) -> bool:
    return word[:1].isdecimal() and word.replace(".", "").isdecimal()


def _text(value: object) -> str:
    if isinstance(value, str):
        return value
    return " ".join(one for one in value if isinstance(one, str)) if isinstance(value, list | tuple) else ""


def situation(given: Iterable[str] | Mapping[str, Any] | None) -> dict[str, Any]:
    """Return names, or names with values, in the one form that `overlap` compares."""
    if given is None:
        return {}
    return dict(given) if isinstance(given, Mapping) else dict.fromkeys(map(str, given))


def overlap(past: Situation, present: Situation) -> float:
    """Return the share of the past's names that the present has too; a name with two values counts by their likeness.

    >>> overlap({"churn": None, "mrr": None}, {"churn": None})
    0.5
    """
    if not past:
        return 0.0
    return sum([value_likeness(past[name], present[name]) for name in past if name in present]) / len(past)


def value_likeness(a: Any, b: Any) -> float:
    """Return 0 to 1: quantities by their relative difference, other values by being equal; one unknown value fits.

    >>> value_likeness("40%", 0.5)
    0.8
    """
    if a is None or b is None:
        return 1.0
    first, second = parse_quantity(str(a)), parse_quantity(str(b))
    if first is None or second is None or "date" in (first.unit, second.unit) or not first.comparable(second):
        return 1.0 if str(a).strip().casefold() == str(b).strip().casefold() else 0.0
    largest = max(abs(first.amount), abs(second.amount))
    if not largest:
        return 1.0
    return max(0.0, float(1 - abs(first.amount - second.amount) / largest))


def linear(belief_weight: float = 0.6, desire_weight: float = 0.4) -> Aggregate:
    """Return the aggregation of S0: 60 % beliefs, 40 % desires."""
    return lambda beliefs, desires: belief_weight * beliefs + desire_weight * desires
