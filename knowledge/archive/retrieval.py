"""What the archive knows that is near to a question, and tasks like a task (S4, `mem:retrieve` and `mem:related`).

Near is the cosine of two vectors where there is an embedder, and of weighted words where there is none; both lie
between 0 and 1, and an answer says which it was.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.backends.embed import Embedder
from mabos.backends.vectors import Vectors, key_of
from mabos.configs.errors import Unavailable
from mabos.knowledge.archive.model import KnowledgeNode
from mabos.memory.stem import stem
from mabos.workspace.text import query_terms

How = Literal["meaning", "words"]
Nearness = Callable[[str, Sequence[KnowledgeNode]], dict[str, float]]
"""(text, nodes) -> how near each node is to the text, by id, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class RetrievedNodes:
    """Nodes near to a question, best first; `why` says why there are none."""

    nodes: tuple[tuple[KnowledgeNode, float], ...]
    how: How
    why: str = ""


@dataclass(frozen=True, slots=True)
class RelatedTask:
    """A task like another: how near its knowledge is, and how many nodes both taught."""

    task: str
    similarity: float
    shared: int


def nearness(embedder: Embedder, vectors: Vectors | None, nodes: Sequence[KnowledgeNode]) -> tuple[Nearness, How]:
    """Return how nearness to these nodes is measured; what has no vector yet is embedded first."""
    if vectors is not None:
        try:
            _embed(embedder, vectors, (node.content for node in nodes))
            return _by_meaning(embedder, vectors), "meaning"
        except Unavailable:
            pass  # words do then, and the answer says so
    return by_words(nodes), "words"


def retrieve(
    query: str, nodes: Sequence[KnowledgeNode], near: Nearness, how: How, *, limit: int, least: float
) -> RetrievedNodes:
    """Return the at most `limit` nodes that are at least `least` near to a question, best first."""
    measured = near(query, nodes)
    ranked = sorted(((node, measured.get(node.id, 0.0)) for node in nodes), key=lambda one: (-one[1], one[0].id))
    found = tuple((node, share) for node, share in ranked[:limit] if share >= least and share > 0)
    if found or not nodes:
        return RetrievedNodes(found, how, "" if found else "nothing of these types has been archived yet")
    best, share = ranked[0]
    why = f"{len(nodes)} nodes were compared by {how}; the nearest, {best.content[:60]!r}, is {share:.2f} near"
    return RetrievedNodes((), how, f"{why}, below the {least:g} asked for")


def related(
    task_id: str, tasks: Mapping[str, Iterable[str]], nodes: Mapping[str, KnowledgeNode], near: Nearness, limit: int
) -> list[RelatedTask]:
    """Return the tasks most like one: the mean nearness of its nodes to the nearest of theirs, then what they share."""
    own = [nodes[one] for one in tasks[task_id] if one in nodes]
    every = list(nodes.values())
    measured = [near(node.content, every) | {node.id: 1.0} for node in own]
    found = []
    for other, ids in tasks.items():
        theirs = [one for one in ids if one in nodes]
        if other == task_id or not theirs or not own:
            continue
        best = [max(shares.get(one, 0.0) for one in theirs) for shares in measured]
        shared = len({node.id for node in own}.intersection(theirs))
        found.append(RelatedTask(other, sum(best) / len(best), shared))
    return sorted(found, key=lambda one: (-one.similarity, -one.shared, one.task))[:limit]


def by_words(nodes: Sequence[KnowledgeNode]) -> Nearness:
    """Return nearness by the cosine of stemmed words, the rarer ones counting more."""
    bags = {node.id: _bag(node.content) for node in nodes}
    spread = Counter(word for bag in bags.values() for word in bag)
    weights = {word: math.log(1 + len(bags) / count) for word, count in spread.items()}

    def near(text: str, among: Sequence[KnowledgeNode]) -> dict[str, float]:
        asked = _bag(text)
        unknown = math.log(1 + len(bags))  # a word that no node has is as rare as can be
        return {node.id: _cosine(asked, bags.get(node.id) or _bag(node.content), weights, unknown) for node in among}

    return near


def _by_meaning(embedder: Embedder, vectors: Vectors) -> Nearness:
    def near(text: str, among: Sequence[KnowledgeNode]) -> dict[str, float]:
        asked = embedder.embed([text])
        if asked is None:
            return {}
        keys = {node.id: key_of(node.content) for node in among}
        found = vectors.similarities(asked[0], list(keys.values()))
        return {one: max(0.0, min(1.0, found[key])) for one, key in keys.items() if key in found}

    return near


def _embed(embedder: Embedder, vectors: Vectors, contents: Iterable[str]) -> None:
    keys = {key_of(content): content for content in contents}
    missing = vectors.missing(list(keys))
    if not missing:
        return
    made = embedder.embed([keys[key] for key in missing])
    if made is None:
        raise Unavailable("there is no embedder")
    vectors.add(dict(zip(missing, made, strict=True)))


def _bag(text: str) -> Mapping[str, int]:
    return Counter(stem(word) for word in query_terms(text))


def _cosine(a: Mapping[str, int], b: Mapping[str, int], weights: Mapping[str, float], unknown: float) -> float:
    def length(bag: Mapping[str, int]) -> float:
        return math.sqrt(sum((count * weights.get(word, unknown)) ** 2 for word, count in bag.items()))

    dot = sum(a[word] * b[word] * weights.get(word, unknown) ** 2 for word in a.keys() & b.keys())
    lengths = length(a) * length(b)
    return dot / lengths if lengths else 0.0
