"""Benchmark of extraction by rules: concepts, mentions and triples of sentences, on WebNLG and Re-DocRED."""

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime

from bench.entity_sets import Measured, agreement, rows
from mabos.knowledge.entities.mentions import mentions
from mabos.knowledge.entities.outside import read_session
from mabos.knowledge.entities.triples import Triple, triples
from mabos.knowledge.ontology.wording import key


def told_triples() -> list[tuple[str, list[Triple]]]:
    """Return the texts of WebNLG with their triples."""
    return [
        (row["text"], [Triple(_plain(s), r, _plain(o)) for s, r, o in row["triples"]])
        for row in rows("webnlg/sentences_300")
    ]


def webnlg(*, is_strict: bool) -> Measured:
    """Return the measures of the triples found.

    Strictly, both ends and the words of the relation are the same; loosely, each end shares half of its words and the
    relation may be any, since ours are words of the text and theirs names of DBpedia.
    """
    right = found = wanted = 0
    for text, gold in told_triples():
        ours = triples(text)
        found, wanted = found + len(ours), wanted + len(gold)
        right += _matched(ours, gold, is_strict=is_strict)
    return agreement(right, found, wanted)


def webnlg_concepts(read: Callable[[str], Iterable[str]]) -> Measured:
    """Return how many of the things in a text are found, each sharing half of its words."""
    right = found = wanted = 0
    for text, gold in told_triples():
        ours, about = list(read(text)), {one.subject for one in gold}
        right += sum(any(_is_near(one, subject) for one in ours) for subject in about)
        found, wanted = found + len(ours), wanted + len(about)
    return agreement(right, found, wanted)


def redocred_mentions() -> Measured:
    """Return how many mentions are found exactly, by sentence."""
    right = found = wanted = 0
    for row in rows("redocred/documents_60"):
        for number, words in enumerate(row["sents"]):
            gold = {_tight(one["name"]) for group in row["vertexSet"] for one in group if one["sent_id"] == number}
            ours = {_tight(one.text) for one in mentions(_joined(words))}
            right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    return agreement(right, found, wanted)


def redocred_relations() -> Measured:
    """Return how many pairs of related entities are found, ignoring type and direction of the relation."""
    right = found = wanted = 0
    for row in rows("redocred/documents_60"):
        entity = {_tight(one["name"]): number for number, group in enumerate(row["vertexSet"]) for one in group}
        gold = {frozenset((label["h"], label["t"])) for label in row["labels"]}
        ours = {
            frozenset((entity.get(_tight(one.subject), -1), entity.get(_tight(one.object), -2)))
            for one in triples("\n".join(map(_joined, row["sents"])))
        }
        right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    return agreement(right, found, wanted)


def dialogue_names() -> Measured:
    """Return how many names in the relations of DialogRE's conversations are found, without speakers and amounts."""
    right = found = wanted = 0
    for row in rows("dialogre/dialogues"):
        told = read_session("\n".join(row["turns"]), datetime(2026, 1, 1, tzinfo=UTC))
        ours = {key(one.label) for one in told.names if not one.label.startswith("Speaker")}
        gold = {key(name) for name in row["names"] if name[:1].isupper() and not name.startswith("Speaker")}
        right, found, wanted = right + len(gold & ours), found + len(ours), wanted + len(gold)
    return agreement(right, found, wanted)


def _matched(ours: Sequence[Triple], gold: Iterable[Triple], *, is_strict: bool) -> int:
    left, count = list(ours), 0
    for wanted in gold:
        hit = next((one for one in left if _is_same(one, wanted, is_strict=is_strict)), None)
        if hit is not None:
            left.remove(hit)
            count += 1
    return count


def _is_same(one: Triple, wanted: Triple, *, is_strict: bool) -> bool:
    if is_strict:
        return (key(one.subject), key(one.relation), key(one.object)) == (
            key(wanted.subject), key(wanted.relation), key(wanted.object)
        )  # fmt: skip
    return _is_near(one.subject, wanted.subject) and _is_near(one.object, wanted.object)


def _is_near(one: str, other: str) -> bool:
    mine, theirs = set(key(one).split()), set(key(other).split())
    return len(mine & theirs) * 2 >= max(1, len(mine | theirs))


def _plain(name: str) -> str:
    return re.sub(r"\s*\([^)]*\)$", "", name.strip('"').replace("_", " "))


def _joined(words: Sequence[str]) -> str:
    """Return the words of a sentence as they are written: a comma stands close."""
    return re.sub(r" ([,.;:)'!?])", r"\1", " ".join(words).replace("( ", "("))


def _tight(name: str) -> str:
    return re.sub(r"[^\w]", "", name.casefold())
