"""Find records of the same thing: candidates by rare words, a score, and a verdict.

`merge` is for pairs that are the same thing without a question, `suggest` is for a person or a model to decide. Both
limits were set on one half of public sets; `python -m bench.entities` measures the other (S2, "Auto-merge").

Candidates are the few records that share most rare words, found in time linear in the records. Each record is looked up
under its rarest words and under the two ends of long ones, so that misspellings match too.

    found = matches({"a": record_of("sql-injection-risk", {}), "b": record_of("SQL injection risk", {})})
    verdict(found[0].score)
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nlargest
from typing import Literal

from mabos.knowledge.similarity import Rarity, Record, RecordProfile, record_likeness, record_profile

MERGE = 0.9
"""Score from which two records are one without a question."""
SUGGEST = 0.56
"""Score from which two records are more likely one than not."""

_TELLING = 3
"""Words that two names share at least, where no code is in both, so that they may be merged without a question."""
_KEYS = 10
"""Words of a record that it is looked up under; of its name, half as many."""
_CROWD = 100
"""Records under one key at most: what more share brings nobody together."""
_MEETS = 12
"""Records that one chooses to be compared with at most."""
_LONG = 6
"""Letters from which a word is also looked up under each of its ends."""
_END = 4

Shelves = Mapping[str, list[str]]

Verdict = Literal["merge", "suggest", "apart"]


@dataclass(frozen=True, slots=True)
class DuplicateCandidate:
    """Two records, by id, that may be the same thing; their similarity, 0 to 1, and the reason."""

    a: str
    b: str
    score: float
    reasons: tuple[str, ...]


def verdict(score: float) -> Verdict:
    """Return the verdict for two records with this score.

    >>> verdict(0.95), verdict(0.7), verdict(0.2)
    ('merge', 'suggest', 'apart')
    """
    if score >= MERGE:
        return "merge"
    return "suggest" if score >= SUGGEST else "apart"


def matches(
    records: Mapping[str, Record], others: Mapping[str, Record] | None = None, *, least: float = SUGGEST
) -> list[DuplicateCandidate]:
    """Return pairs of records of at least this similarity, highest first: within `records`, or between two sides."""
    ones = {id_: record_profile(record) for id_, record in records.items()}
    rivals = None if others is None else {id_: record_profile(record) for id_, record in others.items()}
    rarity = Rarity([*ones.values(), *(rivals or {}).values()])
    second = ones if rivals is None else rivals
    found = []
    for a, b in pairs(ones, rivals, rarity):
        like = record_likeness(ones[a], second[b], rarity)
        if like.score >= least:
            found.append(DuplicateCandidate(a, b, like.score, like.reasons))
    return sorted(found, key=lambda one: (-one.score, one.a, one.b))


def pairs(
    ones: Mapping[str, RecordProfile], others: Mapping[str, RecordProfile] | None, rarity: Rarity
) -> list[tuple[str, str]]:
    """Return each pair of ids worth comparing once, sorted: within `ones`, or between two sides.

    Of two sides the smaller one chooses, so that a few new records among many known ones cost little.
    """
    keys = _keys(ones, rarity)
    if others is None:
        return sorted({(min(pair), max(pair)) for pair in _meetings(keys, _shelves(keys))})
    opposite = _keys(others, rarity)
    if len(opposite) < len(keys):
        return sorted((one, other) for other, one in _meetings(opposite, _shelves(keys)))
    return sorted(_meetings(keys, _shelves(opposite)))


def _meetings(keys: Mapping[str, set[str]], shelves: Shelves) -> Iterator[tuple[str, str]]:
    """Yield each id with those that share most keys with it; a rare key counts more."""
    for id_, own in keys.items():
        shared: Counter[str] = Counter()
        for key in own:
            crowd = shelves.get(key, [])
            if len(crowd) <= _CROWD:
                for other in crowd:
                    shared[other] += 1 / len(crowd)  # type: ignore[assignment]  # a counter of weights
        del shared[id_]
        yield from ((id_, other) for other, _ in nlargest(_MEETS, shared.items(), key=lambda one: (one[1], one[0])))


def _shelves(keys: Mapping[str, set[str]]) -> Shelves:
    """Return the ids under each key."""
    shelves: defaultdict[str, list[str]] = defaultdict(list)
    for id_, own in keys.items():
        for key in own:
            shelves[key].append(id_)
    return shelves


def _keys(profiles: Mapping[str, RecordProfile], rarity: Rarity) -> dict[str, set[str]]:
    """Return under which keys each is looked up: rare words and the ends of long ones, marked `<` and `>`."""

    def rarest(words: frozenset[str], count: int) -> list[str]:
        return sorted(words, key=lambda word: (rarity.holders(word), word))[:count]

    found = {}
    for id_, profile in profiles.items():
        words = {*rarest(profile.words, _KEYS), *rarest(profile.name, _KEYS // 2)}
        long = [word for word in words if len(word) >= _LONG]
        found[id_] = words.union(f"<{word[:_END]}" for word in long).union(f"{word[-_END:]}>" for word in long)
    return found


def judge(records: Mapping[str, Record], found: DuplicateCandidate) -> Verdict:
    """Return the verdict; a pair whose names share few words, and no code, is only suggested."""
    one, other = record_profile(records[found.a]), record_profile(records[found.b])
    is_told = bool(one.codes & other.codes) or len(one.name & other.name) >= _TELLING
    return verdict(found.score) if is_told else "suggest"
