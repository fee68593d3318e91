"""Find archive nodes relevant to a question, and similar tasks (S4, `mem:retrieve` and `mem:related`).

Relevance ranges from 0 to 1 and combines three signals, each of which may suffice: the share of the question's words in
a node and its message, with the question before it (BM25's weights and lengths), the cosine of their vectors if there
is an embedder, and, with a small weight, the share of its words in the whole task. The cosine of unrelated texts counts
as nothing; that of an answering text counts as much as the words. An answer says which was used. The best node decides
whether a question is answered at all, on a scale stretched for each way; others are as relevant as they come near to
it. The constants were chosen on two conversations of LoCoMo; `python -m bench.archive` measures them on the others.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from mabos.backends.embed import Embedder
from mabos.backends.vectors import ReadableTexts, Vectors, VectorText, key_of
from mabos.configs.errors import Unavailable
from mabos.knowledge.archive.model import KnowledgeNode
from mabos.memory.stem import stem
from mabos.workspace.dates import MONTHS, WEEKDAYS
from mabos.workspace.numbers import clamp
from mabos.workspace.text import fold, query_terms

How = Literal["meaning", "words"]
_UNRELATED, _ANSWERS = 0.15, 0.75
"""Cosines of texts that have nothing to do with each other, and of a question and what answers it."""
_WORDS, _MEANING, _TASK = 0.9, 0.9, 0.6
"""The relevance that each signal gives alone: the words, the meaning, or the words of the whole task."""
_MESSAGE, _TASK_BY_WORDS = 0.8, 0.5
"""The part of a node's words that its whole message decides, and the power of its task's words without meaning."""
_FURTHER = 0.975
"""The factor of each further node of one task: what several tasks say comes before many nodes of one."""
_STRETCH: dict[How, float] = {"words": 8.0, "meaning": 1.3}
_CLOSE = 0.15
"""The rate at which relevance falls from the best node to others: half as near is 10 % less relevant."""
_UNKNOWN, _UNKNOWN_NAME = 0.7, 6.0
"""The weight of a word without a text, and of a name: a question about an unknown person is not about these texts."""
_NAME = re.compile(rf"(?<=\s)(?!(?:{'|'.join((*MONTHS, *WEEKDAYS))})\b)[A-Z][\w]+")
_NAMES_ALONE = re.compile(r"[^:]{1,60}: (?:[A-Z][\w.'-]* ?){1,4}")  # as mails are signed
_BEGINNING = 5
"""Letters by which a word that no text has is taken for one that begins alike: analyse, analysis."""
Nearness = Callable[[str, Sequence[KnowledgeNode]], dict[str, float]]
"""(text, nodes) -> how relevant each node is to the text, by id, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class RetrievedNodes:
    """Nodes near to a question, best first; `why` explains an empty result."""

    nodes: tuple[tuple[KnowledgeNode, float], ...]
    how: How
    why: str = ""


@dataclass(frozen=True, slots=True)
class RelatedTask:
    """A similar task, with the similarity of its knowledge and the number of shared nodes."""

    task: str
    similarity: float
    shared: int


def nearness(embedder: Embedder, vectors: Vectors | None, nodes: Sequence[KnowledgeNode]) -> tuple[Nearness, How]:
    """Return a similarity function over these nodes; nodes without a vector are embedded first."""
    if vectors is not None:
        try:
            _embed(embedder, vectors, (node.content for node in nodes))
            return _by_meaning(embedder, vectors, nodes), "meaning"
        except Unavailable:
            pass  # words do then, and the answer says so
    return by_words(nodes), "words"


def describe(vectors: Vectors, nodes: Sequence[KnowledgeNode]) -> None:
    """Let other programs read the texts behind the vectors of the archive's nodes, if the store can show them."""
    texts = {key_of(node.content): VectorText(node.content, _metadata(node)) for node in nodes}
    vectors.describe(ReadableTexts(texts.keys(), frozenset(), lambda keys: {key: texts[key] for key in keys}))


def retrieve(
    query: str, nodes: Sequence[KnowledgeNode], near: Nearness, how: How, *, limit: int, least: float
) -> RetrievedNodes:
    """Return at most `limit` nodes of at least the given relevance, best first.

    A node that repeats another, as an answer that is one of the sentences found, is left out.
    """
    measured = near(query, nodes)
    asked = set(_bag(query)) if query.rstrip().endswith("?") else set()
    scored = [(node, measured.get(node.id, 0.0)) for node in nodes]
    ranked = sorted(scored, key=lambda one: (-one[1], one[0].id))
    found: dict[str, tuple[KnowledgeNode, float]] = {}
    for node, share in _spread(ranked, asked):
        if len(found) >= limit or share < least or share <= 0:
            continue
        said = fold(node.content)
        if not any(said in one or one in said for one in found):
            found[said] = node, share
    if found or not nodes:
        why = "" if found else "nothing of these types has been archived yet"
        return RetrievedNodes(tuple(found.values()), how, why)
    best, share = max(scored, key=lambda one: one[1])
    why = f"{len(nodes)} nodes were compared by {how}; the nearest, {best.content[:60]!r}, is {share:.2f} near"
    return RetrievedNodes((), how, f"{why}, below the {least:g} asked for")


def _spread(ranked: Iterable[tuple[KnowledgeNode, float]], asked: set[str]) -> list[tuple[KnowledgeNode, float]]:
    """Return nodes with those that answer no question or repeat a message last, and further ones of a task later."""
    first, later = [], []
    messages: set[str] = set()
    tasks: Counter[str] = Counter()
    for node, share in ranked:
        places = {one.message for one in node.sources if one.message}
        task = node.sources[-1].task
        if _is_echo(node, asked) or (places and places <= messages):
            later.append((node, share))
        else:
            messages |= places
            first.append((share * _FURTHER ** tasks[task], node, share))
            tasks[task] += 1
    first.sort(key=lambda one: -one[0])
    return [*((node, share) for _, node, share in first), *later]


def _is_echo(node: KnowledgeNode, asked: set[str]) -> bool:
    """Return whether a node asks back, is a bare name, or repeats what a question names: it answers nothing."""
    is_named = node.type == "concept" and asked.issuperset(_bag(node.content))
    return bool(asked) and (node.type == "question" or is_named or _NAMES_ALONE.fullmatch(node.content) is not None)


def contexts(found: Iterable[KnowledgeNode], nodes: Iterable[KnowledgeNode]) -> dict[str, list[str]]:
    """Return for each node found the questions before its message, and what else the message says."""
    said: dict[str, list[KnowledgeNode]] = {}
    for node in nodes:
        for source in node.sources:
            if source.message and node.type != "answer":
                said.setdefault(source.message, []).append(node)
    around = {}
    for one in found:
        last = one.sources[-1]
        asked = [near for near in said.get(replace(last, line=last.line - 1).message, ()) if near.type == "question"]
        same = said.get(last.message, []) if one.type != "answer" else []
        around[one.id] = [near.content for near in (*asked, *same) if near.id != one.id]
    return around


def rank_related_tasks(
    task_id: str, tasks: Mapping[str, Iterable[str]], nodes: Mapping[str, KnowledgeNode], near: Nearness, limit: int
) -> list[RelatedTask]:
    """Return the most similar tasks, by mean similarity of each node to their nearest node, then by shared nodes."""
    own = [nodes[one] for one in tasks[task_id] if one in nodes]
    every = list(nodes.values())
    measured = [near(node.content, every) | {node.id: 1.0} for node in own]
    found = []
    for other, ids in tasks.items():
        theirs = [one for one in ids if one in nodes]
        if other == task_id or not theirs or not own:
            continue
        # The best for a node is itself, which is as sure as can be: so this is the plain share again.
        best = [max(shares.get(one, 0.0) for one in theirs) ** (1 / _CLOSE) for shares in measured]
        shared = len({node.id for node in own}.intersection(theirs))
        found.append(RelatedTask(other, sum(best) / len(best), shared))
    return sorted(found, key=lambda one: (-one.similarity, -one.shared, one.task))[:limit]


def by_words(nodes: Sequence[KnowledgeNode]) -> Nearness:
    """Return the relevance by words alone."""
    shares = _shares(_Nodes(nodes))

    def near(text: str, among: Sequence[KnowledgeNode]) -> dict[str, float]:
        own, whole, equal = shares(text)
        ids = (node.id for node in among if own.get(node.id))
        nears = {id_: 1 - (1 - own[id_]) * (1 - whole[id_]) ** _TASK_BY_WORDS for id_ in ids}
        return _scale(nears, "words") | dict.fromkeys(equal, 1.0)

    return near


def _by_meaning(embedder: Embedder, vectors: Vectors, nodes: Sequence[KnowledgeNode]) -> Nearness:
    shares = _shares(_Nodes(nodes))

    def near(text: str, among: Sequence[KnowledgeNode]) -> dict[str, float]:
        asked = embedder.embed([text])
        if asked is None:
            return {}
        keys = {node.id: key_of(node.content) for node in among}
        cosines = vectors.similarities(asked[0], list(keys.values()))
        own, whole, equal = shares(text)

        def relevance(node: KnowledgeNode) -> float:
            meant = clamp((cosines.get(keys[node.id], 0.0) - _UNRELATED) / (_ANSWERS - _UNRELATED)) * _MEANING
            return 1 - (1 - _WORDS * own.get(node.id, 0.0)) * (1 - meant) * (1 - whole.get(node.id, 0.0))

        return _scale({node.id: relevance(node) for node in among}, "meaning") | dict.fromkeys(equal, 1.0)

    return near


def _scale(nears: Mapping[str, float], how: How) -> dict[str, float]:
    """Return relevance from how near each node comes: the best decides, the others follow it closely."""
    best = max(nears.values(), default=0.0)
    sure = 1 - (1 - best) ** _STRETCH[how]
    return {id_: sure * (share / best) ** _CLOSE if share else 0.0 for id_, share in nears.items()}


class _Nodes:
    """Nodes that are the same as others where each is the same object, so that what is made of them can be kept."""

    def __init__(self, nodes: Sequence[KnowledgeNode]) -> None:
        self.nodes = nodes

    def __hash__(self) -> int:
        return hash(tuple(map(id, self.nodes)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Nodes) and list(map(id, self.nodes)) == list(map(id, other.nodes))


@lru_cache(maxsize=4)
def _shares(among: _Nodes) -> Callable[[str], tuple[dict[str, float], dict[str, float], set[str]]]:
    """Return what tells which share of a text each node has, with its message and the question before it, which its
    tasks have, and which nodes equal it.
    """
    nodes = among.nodes
    bags = {node.id: _bag(node.content) for node in nodes}
    tasks: dict[str, Counter[str]] = {}
    messages: dict[str, Counter[str]] = {}
    equals: dict[str, set[str]] = {}
    for node in nodes:
        equals.setdefault(fold(node.content), set()).add(node.id)
        for source in node.sources:
            tasks.setdefault(source.task, Counter()).update(bags[node.id])
            if source.message and node.type != "answer":  # its sentences are nodes themselves
                messages.setdefault(source.message, Counter()).update(bags[node.id])
    for node in nodes:
        for source in node.sources:
            reply = replace(source, line=source.line + 1).message if node.type == "question" and source.message else ""
            if reply in messages:
                messages[reply].update(bags[node.id])
    own, around, whole = WordShares(bags), WordShares(messages), WordShares(tasks)

    def shares(text: str) -> tuple[dict[str, float], dict[str, float], set[str]]:
        said, near, told = own.of(text), around.of(text), whole.of(text)
        found = {}
        for node in nodes:
            share = said.get(node.id, 0.0)
            if best := max((near.get(one.message, 0.0) for one in node.sources), default=0.0):
                share += _MESSAGE * (best - share)
            found[node.id] = share
        tells = {node.id: max((told.get(one.task, 0.0) for one in node.sources), default=0.0) for node in nodes}
        return found, {id_: _TASK * share for id_, share in tells.items()}, equals.get(fold(text), set())

    return shares


class WordShares:
    """A function that gives the share, 0 to 1, of a question's words in each text, with more weight for rare words and
    short texts (BM25).
    """

    def __init__(self, bags: Mapping[str, Mapping[str, int]]) -> None:
        lengths = {id_: sum(bag.values()) for id_, bag in bags.items()}
        mean = sum(lengths.values()) / len(bags) if bags else 1.0
        self._count = len(bags)
        self._holders: dict[str, list[tuple[str, float]]] = {}
        for id_, bag in bags.items():
            damped = 1.2 * (0.25 + 0.75 * lengths[id_] / mean) if mean else 1.2
            for word, count in bag.items():
                self._holders.setdefault(word, []).append((id_, min(1.0, 2.2 * count / (count + damped))))
        self._begun = {
            word[:_BEGINNING]: word for word in sorted(self._holders, reverse=True) if len(word) >= _BEGINNING
        }

    def of(self, text: str) -> dict[str, float]:
        """Return the non-zero shares by id; an unknown word counts as a similar one, else less; a name counts more."""
        shares: dict[str, float] = {}
        total = 0.0
        names = {stem(name.lower()) for name in _NAME.findall(text)}
        for word in _bag(text):
            like = "" if word in names else self._begun.get(word[:_BEGINNING], "")
            known = word if word in self._holders else like
            holders = self._holders.get(known, [])
            weight = math.log(1 + (self._count - len(holders) + 0.5) / (len(holders) + 0.5))
            total += weight * (1 if holders else _UNKNOWN_NAME if word in names else _UNKNOWN)
            for id_, part in holders:
                shares[id_] = shares.get(id_, 0.0) + weight * part
        return {id_: share / total for id_, share in shares.items()} if total else {}


def _embed(embedder: Embedder, vectors: Vectors, contents: Iterable[str]) -> None:
    keys = {key_of(content): content for content in contents}
    missing = vectors.missing(list(keys))
    if not missing:
        return
    made = embedder.embed([keys[key] for key in missing])
    if made is None:
        raise Unavailable("there is no embedder")
    vectors.add(dict(zip(missing, made, strict=True)))


def _metadata(node: KnowledgeNode) -> dict[str, str | float]:
    last = node.sources[-1]
    return {"kind": "archive", "type": node.type, "id": node.id, "extracted_by": node.by, "task": last.task}


@lru_cache(maxsize=1 << 16)
def _bag(text: str) -> Mapping[str, int]:
    return Counter(stem(word) for word in query_terms(text))
