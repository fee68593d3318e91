"""Link new entities to each other and to known ones: by reference, by mention, by shared words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log

from mabos.knowledge.entities.model import RelationType
from mabos.knowledge.entities.thoughts import EntityDraft
from mabos.memory.stem import stem
from mabos.workspace.text import STOPWORDS, terms

_SHARED = 0.3
"""Share of the weight of all words, counted by rarity, from which two texts are about related things."""
_FEWEST = 2
"""Words in common at least."""
_CROWD = 50
"""Entities that share a word, beyond which the word tells nothing."""
_MOST = 5
"""Links by shared words for one entity, the strongest."""
_CUES: tuple[tuple[RelationType, frozenset[str]], ...] = (
    ("DEPENDS_ON", frozenset({"depends", "depend", "requires", "require", "needs", "relies", "presupposes"})),
    ("CONTRADICTS", frozenset({"contradicts", "contradict", "conflicts", "refutes", "disproves"})),
    ("SUPERSEDES", frozenset({"supersedes", "supersede", "replaces", "replace"})),
    ("BUILDS_ON", frozenset({"builds", "extends", "refines", "generalises", "generalizes"})),
)


@dataclass(frozen=True, slots=True)
class KnownEntity:
    """An existing entity, by address, with its label and text."""

    address: str
    label: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class EntityLink:
    """A relation between two entities, by address, its reason, and the verb that a text gives it."""

    type: RelationType
    start: str
    end: str
    reason: str
    predicate: str = ""


def links(
    drafts: Sequence[EntityDraft], known: Iterable[KnownEntity] = (), stated: Iterable[EntityLink] = ()
) -> list[EntityLink]:
    """Return the links of drafts to each other and to known entities, one per pair, by the strongest reason.

    `stated` are those that a text states in so many words.
    """
    addresses = {draft.address for draft in drafts}
    everything = [*map(as_known, drafts), *(one for one in known if one.address not in addresses)]
    found: dict[tuple[str, str], EntityLink] = {}
    for link in (*stated, *_references(drafts), *_mentions(drafts, everything), *_link_by_words(drafts, everything)):
        if link.start != link.end and (link.end, link.start) not in found:
            found.setdefault((link.start, link.end), link)
    return list(found.values())


def _references(drafts: Sequence[EntityDraft]) -> Iterable[EntityLink]:
    """Yield a link to each draft whose thought another draft names by number."""
    by_thought: defaultdict[int, list[EntityDraft]] = defaultdict(list)
    for draft in drafts:
        by_thought[draft.thought].append(draft)
    for draft in drafts:
        for number in draft.mentioned:
            for other in by_thought.get(number, ()):
                yield EntityLink("BUILDS_ON", draft.address, other.address, f"refers to S{number}")


def _mentions(drafts: Sequence[EntityDraft], everything: Sequence[KnownEntity]) -> Iterable[EntityLink]:
    """Yield a link to each entity named in a draft's text; a verb right before the name gives its type."""
    phrases: dict[tuple[str, ...], str] = {}
    lengths: defaultdict[str, set[int]] = defaultdict(set)
    for one in everything:
        for called in (one.address.partition(":")[2], one.label):
            words = tuple(map(stem, terms(called)))
            if words and (len(words) > 1 or len(words[0]) > 3) and not all(word in STOPWORDS for word in words):
                phrases.setdefault(words, one.address)
                lengths[words[0]].add(len(words))
    for draft in drafts:
        spoken = terms(_join_texts(draft))
        stems = tuple(map(stem, spoken))
        for place, word in enumerate(stems):
            for length in sorted(lengths.get(word, ()), reverse=True):
                address = phrases.get(stems[place : place + length])
                if address is not None and address != draft.address:
                    yield EntityLink(_cued(spoken[max(0, place - 4) : place]), draft.address, address, "mentions it")


def _cued(before: Sequence[str]) -> RelationType:
    return next((type_ for type_, cues in _CUES if not cues.isdisjoint(before)), "RELATES_TO")


def _link_by_words(drafts: Sequence[EntityDraft], everything: Sequence[KnownEntity]) -> Iterable[EntityLink]:
    """Yield links to the entities that share most words with a draft, rare words counting more."""
    words = {one.address: _content(f"{one.label} {one.text}") for one in everything}
    holders: defaultdict[str, list[str]] = defaultdict(list)
    for address, own in words.items():
        for word in own:
            holders[word].append(address)
    weight: Mapping[str, float] = {word: log(1 + len(words) / len(held)) for word, held in holders.items()}
    whole = {address: sum(map(weight.__getitem__, own)) for address, own in words.items()}
    for draft in drafts:
        common: defaultdict[str, list[str]] = defaultdict(list)
        for word in words[draft.address]:
            if len(holders[word]) <= _CROWD:
                for other in holders[word]:
                    common[other].append(word)
        common.pop(draft.address, None)
        scored = []
        for other, both in common.items():
            shared = sum(map(weight.__getitem__, both))
            share = shared / (whole[draft.address] + whole[other] - shared)
            if share >= _SHARED and len(both) >= _FEWEST:
                scored.append((-share, other, ", ".join(sorted(both)[:3])))
        for _, other, told in sorted(scored)[:_MOST]:
            yield EntityLink("RELATES_TO", draft.address, other, f"shares words: {told}")


def as_known(draft: EntityDraft) -> KnownEntity:
    """Return a draft in the form of a known entity."""
    return KnownEntity(draft.address, draft.label, _join_texts(draft))


def _join_texts(draft: EntityDraft) -> str:
    """Return the texts of a draft, each once: the label is often the beginning of the lesson."""
    told = [value for value in draft.properties.values() if isinstance(value, str)]
    told += [step for key in ("actions", "options") for step in draft.properties.get(key, ())]
    return " ".join(dict.fromkeys((draft.label, *told, *draft.observations)))


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(word) for word in terms(text) if word not in STOPWORDS)
