"""Ranks of pages for keywords: BM25 over their fields, and the changes over time (`keywords.json`).

Pages are ranked like memories (`memory/words.py`): with the same stems, stop words and constants.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from mabos.memory.findable import Findable
from mabos.memory.stem import stem
from mabos.memory.words import Words
from mabos.society.pages.page import WebPage
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Collections, Drop, Put, Store
from mabos.workspace.sync import Sync
from mabos.workspace.text import query_terms
from mabos.workspace.view import View

WEIGHTS: Mapping[str, float] = {"title": 3.0, "headings": 2.0, "description": 1.5, "text": 1.0}
"""The weight of a field; `text` is all that a reader sees."""

KEPT = 52
"""Looks at one keyword that are remembered; older ones are dropped."""

_PLACES = 20  # of a keyword that are remembered
_SECTION = "rankings"


@dataclass(frozen=True, slots=True)
class Ranked:
    """The rank of one page for one keyword, from 1, with its score and the share of each field."""

    place: int
    page: str
    title: str
    score: float
    fields: Mapping[str, float]


@record("keywords.json", _SECTION, noun="ranking", argument="keywords")
@dataclass(frozen=True, slots=True)
class KeywordRanking:
    """One ranking for a keyword: the pages with any of its words, with their ranks; best first."""

    id: str
    keyword: str
    at: str
    corpus: str
    places: Mapping[str, int]


def rank_pages(pages: Mapping[str, WebPage], keywords: Iterable[str]) -> dict[str, list[Ranked]]:
    """Return for each keyword the pages with any of its words, best first; ties by name.

    The score is the sum over the fields of weight times BM25 of that field among the same field of all pages.
    """
    indexes = {field: Words(Findable(name, _field(page, field)) for name, page in pages.items()) for field in WEIGHTS}
    return {keyword: _places(pages, indexes, keyword) for keyword in keywords}


def _places(pages: Mapping[str, WebPage], indexes: Mapping[str, Words], keyword: str) -> list[Ranked]:
    stems = [stem(word) for word in query_terms(keyword)]
    gains: dict[str, dict[str, float]] = {}
    for field, index in indexes.items():
        words = index.telling(stems)
        entries = index.best(words, len(pages)) if words else []
        if not entries:
            continue
        own, *_ = index.scores(words, index.group(entries))
        for entry, score in zip(entries, own.tolist(), strict=True):
            gains.setdefault(entry.id, {})[field] = round(WEIGHTS[field] * score, 4)
    scores = {name: round(sum(fields.values()), 4) for name, fields in gains.items()}
    order = sorted(scores, key=lambda name: (-scores[name], name))
    return [
        Ranked(place, name, pages[name].title, scores[name], gains[name]) for place, name in enumerate(order, start=1)
    ]


def _field(page: WebPage, field: str) -> str:
    return {
        "title": page.title,
        "headings": "\n".join(one.text for one in page.headings),
        "description": "\n".join(page.descriptions),
        "text": page.text,
    }[field]


def ranking(keyword: str, at: str, corpus: str, found: Sequence[Ranked]) -> KeywordRanking:
    """Return a keyword's ranking in its stored form; two at the same time are one."""
    places = {one.page: one.place for one in found[:_PLACES]}
    return KeywordRanking(f"{keyword}@{corpus}@{at}", keyword, at, corpus, places)


class Rankings(View[KeywordRanking]):
    """The stored keyword rankings."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, KeywordRanking)

    def keywords(self) -> list[str]:
        """Return all keywords ever ranked, oldest first."""
        return list(dict.fromkeys(one.keyword for one in self.all()))

    def history(self, keyword: str, corpus: str) -> list[KeywordRanking]:
        """Return the rankings of a keyword among the same pages, oldest first."""
        found = [one for one in self.all() if (one.keyword, one.corpus) == (keyword, corpus)]
        return sorted(found, key=lambda one: one.at)

    def keep(self, looks: Iterable[KeywordRanking]) -> None:
        """Store rankings in one transaction; of each keyword the latest `KEPT` are kept."""
        looked = tuple(looks)
        self.save(*looked)

        def drop_outdated(now: Collections) -> list[Put | Drop]:
            by_keyword: dict[tuple[str, str], list[str]] = {}
            records = sorted(now.get(_SECTION, {}).items(), key=lambda one: str(one[1].get("at", "")))
            for key, look in records:
                by_keyword.setdefault((look.get("keyword", ""), look.get("corpus", "")), []).append(key)
            return [Drop(_SECTION, key) for keys in by_keyword.values() for key in keys[:-KEPT]]

        if any(len(self.history(one.keyword, one.corpus)) > KEPT for one in looked):
            self.store.commit(drop_outdated)


def open_rankings(directory: Path, sync: Sync) -> Rankings:
    """Return the keyword rankings of the business in `directory`; nothing is written until the first one."""
    return Rankings(declaration(KeywordRanking).open(directory, sync))
