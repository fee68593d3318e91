"""Which records are worth comparing: the few that share most rare words, in time that grows with the records alone.

Each record is looked up under its rarest words and under the two ends of long ones, so that a misspelling is found too.
What more than `_CROWD` records share brings nobody together, and of the rest each record meets its `_MEETS` likeliest.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from heapq import nlargest

from mabos.knowledge.entities.likeness import Profile, Rarity

_KEYS = 10
"""Words of a record that it is looked up under; of its name, half as many."""
_CROWD = 100
"""Records under one key at most."""
_MEETS = 12
"""Records that one chooses to be compared with at most."""
_LONG = 6
"""Letters from which a word is also looked up under each of its ends."""
_END = 4

Shelves = Mapping[str, list[str]]


def pairs(ones: Mapping[str, Profile], others: Mapping[str, Profile] | None, rarity: Rarity) -> list[tuple[str, str]]:
    """Return each pair of ids worth comparing once, sorted: among `ones`, or one of each side.

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
    """Yield each id with those that share most with it, a key counting by how few stand under it."""
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


def _keys(profiles: Mapping[str, Profile], rarity: Rarity) -> dict[str, set[str]]:
    """Return under which keys each is looked up: rare words and the ends of long ones, marked `<` and `>`."""

    def rarest(words: frozenset[str], count: int) -> list[str]:
        return sorted(words, key=lambda word: (rarity.holders(word), word))[:count]

    found = {}
    for id_, profile in profiles.items():
        words = {*rarest(profile.words, _KEYS), *rarest(profile.name, _KEYS // 2)}
        long = [word for word in words if len(word) >= _LONG]
        found[id_] = words.union(f"<{word[:_END]}" for word in long).union(f"{word[-_END:]}>" for word in long)
    return found
