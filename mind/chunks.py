"""Beliefs too many for one pass are cleaned in chunks of fifty, and nothing else is lost (S0 10, S1 14).

clean(beliefs, now)    # Cleaned(expired=(...), duplicates=(...), changed=(...), chunks_processed=3)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeVar

from mabos.knowledge.wording import plain
from mabos.mind.beliefs import EVIDENCE_KEPT, claim, content
from mabos.mind.model import Belief
from mabos.mind.times import is_past

CHUNK_SIZE = 50
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CleanedBeliefs:
    """What cleaning a sequence of beliefs found: what goes, and what its twin has to take over."""

    expired: tuple[Belief, ...]
    duplicates: tuple[Belief, ...]
    changed: tuple[Belief, ...]
    chunks_processed: int


def chunked(items: Sequence[T], size: int = CHUNK_SIZE) -> Iterator[Sequence[T]]:
    """Yield `items` in order, at most `size` at a time; nothing is one empty chunk."""
    for start in range(0, max(len(items), 1), size):
        yield items[start : start + size]


def clean(beliefs: Sequence[Belief], now: datetime, *, chunk_size: int = CHUNK_SIZE) -> CleanedBeliefs:
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
    return CleanedBeliefs(tuple(expired), tuple(duplicates), changed, chunks)


def _identity(belief: Belief) -> tuple[str, str, str, str]:
    return (*claim(belief), content(belief), plain(belief.statement))


def _with_evidence(kept: Belief, gone: Belief) -> Belief:
    """Return `kept` with the evidence of its twin, and with its source where that differs."""
    other = (gone.source,) if gone.source not in ("", kept.source) else ()
    evidence = tuple(dict.fromkeys((*kept.evidence, *gone.evidence, *other)))[-EVIDENCE_KEPT:]
    return kept if set(evidence) <= set(kept.evidence) else replace(kept, evidence=evidence)
