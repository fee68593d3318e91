"""Ranking of tools for some words: by their terms, by people's example sentences, and by meaning.

    rank(services, "start ads on google", entries)      # ["ad_campaign_create", "ad_campaign_manage", ...]

Words are weighted as in BM25. With an embedder, the nearest of a tool's texts counts as well.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from mabos.configs.errors import MabosError
from mabos.language.catalogue import wordings
from mabos.memory.stem import stem
from mabos.tools.runtime.likeness import likeness
from mabos.tools.runtime.services import Services
from mabos.workspace.ids import without_ids
from mabos.workspace.text import STOPWORDS, terms

_K1, _B = 1.2, 0.5
_NAME, _EXAMPLE, _SUMMARY, _ARGUMENT = 3, 1, 2, 1
"""The weight of a term of each part."""
_CUE = 0.5
"""The bonus of a catalogue pattern that identifies the request by itself."""
_VERB_AND_NOUN = 0.35
_SHARED = 0.15
_TELLING = 4
"""Words of a text that can be expected in a tool's own words."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A searchable tool; `prior` is added to its score, tools of one `family` share scores."""

    name: str
    summary: str
    arguments: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    prior: float = 0.0
    family: str = ""


def rank(
    services: Services, text: str, entries: tuple[Entry, ...], bonus: Mapping[str, float] = MappingProxyType({})
) -> list[str]:
    """Return the names of the entries, best first; a `bonus` by name is added to the scores.

    A family shares part of its best score, since people describe stopping a campaign in words about starting it. Ids
    are ignored.
    """
    text = without_ids(text)
    by_words = _by_words(text, entries)
    by_meaning = _by_meaning(services, text, entries)
    by_pattern = {one.name: _by_pattern(one.name, text.lower()) for one in entries}
    own = {
        one.name: by_words.get(one.name, 0.0) + by_pattern[one.name] + by_meaning.get(one.name, 0.0) for one in entries
    }
    best = dict[str, float]()
    for one in entries:
        best[one.family] = max(best.get(one.family, 0.0), own[one.name])
    scores = {
        one.name: (1 - _SHARED) * own[one.name]
        + _SHARED * (best[one.family] if one.family else own[one.name])
        + one.prior
        + bonus.get(one.name, 0.0)
        for one in entries
    }
    return sorted(scores, key=lambda name: (-scores[name], name))


def _by_words(text: str, entries: tuple[Entry, ...]) -> Mapping[str, float]:
    """Return the BM25 score of each entry as a share of the maximum for the few rarest words of a text."""
    counts, lengths, frequency = _index_entries(entries)
    average = sum(lengths.values()) / max(1, len(lengths))
    query = {stem(word) for word in terms(text) if word not in STOPWORDS}
    rarity = {
        word: math.log(1 + (len(entries) - frequency.get(word, 0) + 0.5) / (frequency.get(word, 0) + 0.5))
        for word in query
    }
    most = sum(sorted(rarity.values())[-_TELLING:]) * (_K1 + 1)
    scores = {}
    for name, own in counts.items():
        size = _K1 * (1 - _B + _B * lengths[name] / average)
        score = sum(rarity[word] * own[word] * (_K1 + 1) / (own[word] + size) for word in sorted(query & own.keys()))
        scores[name] = min(1.0, score / most) if most else 0.0
    return scores


@lru_cache(maxsize=16)
def _index_entries(
    entries: tuple[Entry, ...],
) -> tuple[Mapping[str, Counter[str]], Mapping[str, int], Mapping[str, int]]:
    counts = {one.name: _terms_of(one) for one in entries}
    lengths = {name: sum(own.values()) for name, own in counts.items()}
    return counts, lengths, Counter(word for own in counts.values() for word in own)


def _terms_of(entry: Entry) -> Counter[str]:
    found = Counter[str]()
    parts = [(entry.name.replace("_", " "), _NAME), (entry.summary, _SUMMARY)]
    parts += [(one.replace("_", " "), _ARGUMENT) for one in entry.arguments]
    parts += [(one, _EXAMPLE) for one in entry.examples]
    for text, weight in parts:
        for word in terms(text):
            if word not in STOPWORDS:
                found[stem(word)] += weight
    return found


def _by_pattern(name: str, text: str) -> float:
    """Return the score of a text by the catalogue's patterns of requests for an operation."""
    wording = wordings().get("email_send" if name == "write_letter" else name)
    if wording is None or any(one.search(text) for one in wording.unless):
        return 0.0
    if any(one.search(text) for one in wording.cues):
        return _CUE
    patterns = [one for one in (wording.verbs, wording.nouns) if one is not None]
    return _VERB_AND_NOUN if len(patterns) == 2 and all(one.search(text) for one in patterns) else 0.0


def _by_meaning(services: Services, text: str, entries: tuple[Entry, ...]) -> Mapping[str, float]:
    """Return the cosine of each entry's nearest text to a text; nothing where there is no embedder."""
    texts = {one.name: (one.summary, *one.examples) for one in entries}
    try:
        return likeness(services, "tools", texts, _sentences(text)) or {}
    except MabosError:
        return {}


def _sentences(text: str) -> list[str]:
    """Return a text as a whole and its sentences: an order may be among others."""
    parts = [one.strip() for one in re.split(r"(?<=[.!?])\s+|\n+|;\s+", text) if len(one.split()) > 2]
    return list(dict.fromkeys([text, *parts]))[:12]
