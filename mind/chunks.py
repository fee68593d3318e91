"""A belief file too large for one pass is cleaned in chunks of fifty sections, and joined without loss (S0 10, S1 14).

cleaner = Cleaner(now)
process_in_chunks(text, cleaner)    # Aggregate(total_pruned=2, text=..., chunks_processed=3)
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeVar

from configs.errors import Damaged
from knowledge.wording import plain
from mind.beliefs import EVIDENCE_KEPT, claim, content
from mind.files import parse
from mind.forms import BELIEF
from mind.model import Belief
from mind.times import is_past
from workspace.markdown import split

CHUNK_SIZE = 50
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Processed:
    """A chunk after processing, and how many sections it lost."""

    text: str
    pruned: int


@dataclass(frozen=True, slots=True)
class Aggregate:
    """All chunks joined again."""

    total_pruned: int
    text: str
    chunks_processed: int


@dataclass(frozen=True, slots=True)
class Cleaned:
    """What cleaning a sequence of beliefs found: what goes, and what its twin has to take over."""

    expired: tuple[Belief, ...]
    duplicates: tuple[Belief, ...]
    changed: tuple[Belief, ...]
    chunks_processed: int


def chunked(items: Sequence[T], size: int = CHUNK_SIZE) -> Iterator[Sequence[T]]:
    """Yield `items` in order, at most `size` at a time; nothing is one empty chunk."""
    for start in range(0, max(len(items), 1), size):
        yield items[start : start + size]


def process_in_chunks(text: str, processor: Callable[[str], Processed], *, chunk_size: int = CHUNK_SIZE) -> Aggregate:
    """Return the chunks of `text` after `processor`, joined, and how many there were.

    What stands before the first section goes with the first chunk; a text without sections is one chunk.
    """
    preamble, sections = split(text)
    results = []
    for number, chunk in enumerate(chunked(sections, chunk_size)):
        body = "".join(section.text for section in chunk)
        results.append(processor(preamble + body if number == 0 else body))
    return Aggregate(sum(one.pruned for one in results), "".join(one.text for one in results), len(results))


@dataclass(slots=True)
class Cleaner:
    """Removes expired beliefs and repetitions; it remembers earlier chunks, so a twin in another chunk is found."""

    now: datetime
    _seen: set[tuple[str, str, str, str]] = field(default_factory=set)

    def __call__(self, text: str) -> Processed:
        """Return a chunk without the sections to remove; sections it cannot read stay."""
        preamble, sections = split(text)
        kept = [section for section in sections if not self._goes(section.key, section.text)]
        return Processed(preamble + "".join(section.text for section in kept), len(sections) - len(kept))

    def _goes(self, key: str, text: str) -> bool:
        try:
            belief = parse(BELIEF, key, text)
        except Damaged:
            return False
        if is_past(belief.expires, self.now):
            return True
        said = _identity(belief)
        if said in self._seen:
            return True
        self._seen.add(said)
        return False


def clean(beliefs: Sequence[Belief], now: datetime, *, chunk_size: int = CHUNK_SIZE) -> Cleaned:
    """Return which beliefs go: those that expired, and of those that say the same all but the most certain."""
    expired: list[Belief] = []
    duplicates: list[Belief] = []
    kept: dict[tuple[str, str, str, str], Belief] = {}
    chunks = 0
    for chunk in chunked(beliefs, chunk_size):
        chunks += 1
        for belief in chunk:
            if is_past(belief.expires, now):
                expired.append(belief)
                continue
            said = _identity(belief)
            twin = kept.get(said)
            if twin is None:
                kept[said] = belief
            else:
                better, worse = (belief, twin) if belief.certainty > twin.certainty else (twin, belief)
                duplicates.append(worse)
                kept[said] = _with_evidence(better, worse)
    before = {belief.id: belief for belief in beliefs}
    changed = tuple(belief for belief in kept.values() if before[belief.id] != belief)
    return Cleaned(tuple(expired), tuple(duplicates), changed, chunks)


def _identity(belief: Belief) -> tuple[str, str, str, str]:
    return (*claim(belief), content(belief), plain(belief.statement))


def _with_evidence(kept: Belief, gone: Belief) -> Belief:
    """Return `kept` with the evidence of its twin, and with its source where that differs."""
    other = (gone.source,) if gone.source not in ("", kept.source) else ()
    evidence = tuple(dict.fromkeys((*kept.evidence, *gone.evidence, *other)))[-EVIDENCE_KEPT:]
    return kept if set(evidence) <= set(kept.evidence) else replace(kept, evidence=evidence)
