"""R1: related items become one long-term item that names its sources (S0 section 6).

Earlier consolidations take part: a later group absorbs them, supersedes them and names all their sources.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter

from mabos.memory.model import MemoryItem

MERGED = "consolidation"
"""The source of an item that was made of others."""
_FULL = 2_000
"""Characters from which a consolidated item takes up no more; what is new then begins another."""
_HEAD = re.compile(r"\[Consolidated from (\d{1,9}) memories\] ")

Summarise = Callable[[Sequence[MemoryItem]], str]
"""Returns a narrative of some related items, or an empty string where it has none."""


@dataclass(frozen=True, slots=True)
class Promotion:
    """A long-term item to be created, and its source items."""

    item: MemoryItem
    sources: tuple[MemoryItem, ...]

    @property
    def merged(self) -> bool:
        """Return whether it merges several items."""
        return len(self.sources) > 1


@dataclass(frozen=True, slots=True)
class Consolidation:
    """The planned promotions of a consolidation, and the long-term items created; none in a dry run."""

    promotions: tuple[Promotion, ...]
    promoted: tuple[MemoryItem, ...]
    dry_run: bool


def candidates(
    short_term: Iterable[MemoryItem], working: Iterable[MemoryItem], min_importance: float, min_access: int
) -> list[MemoryItem]:
    """Return the items worth promoting, in the order of their stores, each once."""
    chosen = [item for item in short_term if qualifies(item, min_importance, min_access)]
    chosen += [item for item in working if item.importance >= min_importance]
    return [item for item in chosen if not (item.consolidated_into or item.superseded_by)]


def qualifies(item: MemoryItem, min_importance: float, min_access: int) -> bool:
    """Return whether an item is important enough, or recalled often enough, to keep permanently."""
    return item.importance >= min_importance or item.access_count >= min_access


def jaccard(a: Collection[str], b: Collection[str]) -> float:
    """Return the shared tags or words as a share of all; two empty sets have nothing in common.

    >>> jaccard({"churn", "pricing"}, {"churn", "support"})
    0.3333333333333333
    """
    first, second = frozenset(a), frozenset(b)
    return _share(len(first & second), first, second)


def _share(common: int, first: Collection[str], second: Collection[str]) -> float:
    """Return the share of so many common tags among all tags of both."""
    return common / (len(first) + len(second) - common) if common else 0.0


def group(items: Sequence[MemoryItem], threshold: float = 0.3) -> list[list[MemoryItem]]:
    """Return `items` in groups whose tags overlap with those of the group's first item by more than `threshold`.

    Greedy and in order, as printed; the tag index only spares the comparison of items without a common tag.
    """
    by_tag: dict[str, list[int]] = {}
    tags = [frozenset(map(str.casefold, item.tags)) for item in items]
    for position, own in enumerate(tags):
        for tag in own:
            by_tag.setdefault(tag, []).append(position)
    assigned: set[int] = set()
    groups = []
    for position, own in enumerate(tags):
        if position in assigned:
            continue
        assigned.add(position)
        common: dict[int, int] = {}
        for tag in own:
            for other in by_tag[tag]:
                if other not in assigned:
                    common[other] = common.get(other, 0) + 1
        related = [other for other in sorted(common) if _share(common[other], own, tags[other]) > threshold]
        assigned.update(related)
        groups.append([items[position], *[items[other] for other in related]])
    return groups


def promote(
    items: Sequence[MemoryItem],
    *,
    threshold: float,
    summarize: bool,
    new_id: Callable[[], str],
    now: str,
    summarise: Summarise | None = None,
    merged: Sequence[MemoryItem] = (),
) -> list[Promotion]:
    """Return the long-term items for `items`: groups merged if `summarize`, otherwise each unchanged.

    An already `merged` item joins or forms a group; alone or full, it stays unchanged.
    """
    merged = [item for item in merged if len(item.content) < _FULL]
    here = {item.id for item in merged}
    groups = group([*items, *merged], threshold) if summarize else [[item] for item in items]
    groups = [members for members in groups if len(members) > 1 or members[0].id not in here]
    return [
        Promotion(merge(members, new_id(), now, summarise) if len(members) > 1 else members[0], tuple(members))
        for members in groups
    ]


def merge(members: Sequence[MemoryItem], item_id: str, now: str, summarise: Summarise | None = None) -> MemoryItem:
    """Return the item that `members` are consolidated into (S0 section 6, step 3)."""
    foremost = max(members, key=attrgetter("importance"))
    told = summarise(members).strip() if summarise is not None else ""
    heads = [_HEAD.match(member.content) if member.source == MERGED else None for member in members]
    number = sum([int(head[1]) if head else 1 for head in heads])
    said = [member.content[head.end() if head else 0 :] for member, head in zip(members, heads, strict=True)]
    text = told or " | ".join(said)
    return MemoryItem(
        id=item_id,
        content=f"[Consolidated from {number} memories] {text}",
        type=foremost.type,
        importance=foremost.importance,
        source=MERGED,
        tags=tuple(dict.fromkeys([tag for member in members for tag in member.tags])),
        created_at=now,
        accessed_at=now,
        derived_from=lineage(members),
        evidence=tuple(dict.fromkeys([shown for member in members for shown in member.evidence])),
    )


def lineage(members: Iterable[MemoryItem]) -> tuple[str, ...]:
    """Return the ids of `members` and of all their sources, each once."""
    return tuple(dict.fromkeys([source for member in members for source in (member.id, *member.derived_from)]))


def copy_of(item: MemoryItem, item_id: str) -> MemoryItem:
    """Return the long-term copy of a working item, which itself stays in working memory."""
    return replace(item, id=item_id, derived_from=lineage([item]), consolidated_into="")
