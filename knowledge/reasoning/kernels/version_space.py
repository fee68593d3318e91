"""Version spaces: all conjunctions that fit the examples, between the most specific and the most general.

Mitchell, Generalization as Search, 1982. A conjunction fixes some attributes and leaves the rest open. The most
specific one fixes the values that all positive examples share. The most general ones are the minimal sets of its values
that exclude every negative example, which are hitting sets.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mabos.knowledge.reasoning.budget import Budget

MOST_GENERAL = 500
"""Most general conjunctions that are kept."""
COUNTED = 14
"""Fixed attributes up to which the conjunctions between the boundaries are counted."""

Value = str | float | bool
Conjunction = Mapping[str, Value]
"""The attributes that are fixed, and to what."""


@dataclass(frozen=True, slots=True)
class VersionSpace:
    """The boundaries: `specific` fixes as much as possible, each of `general` as little; none if nothing fits.

    `capped` means that there are more general ones than listed.
    """

    specific: Conjunction
    general: tuple[Conjunction, ...]
    capped: bool = False

    @property
    def is_empty(self) -> bool:
        """Return whether no conjunction covers all positive examples and no negative one."""
        return not self.general

    def votes(self, row: Mapping[str, Value]) -> tuple[int, int] | None:
        """Return how many conjunctions cover the row, and their number; None if they are not counted."""
        fixed = list(self.specific)
        if self.is_empty or self.capped or len(fixed) > COUNTED or not set(fixed) <= set(row):
            return None
        met = sum(1 << place for place, name in enumerate(fixed) if row[name] == self.specific[name])
        masks = [sum(1 << fixed.index(name) for name in one) for one in self.general]
        within = [one for one in range(1 << len(fixed)) if any(one & mask == mask for mask in masks)]
        return sum(one & met == one for one in within), len(within)


def version_space(
    positive: Sequence[Mapping[str, Value]],
    negative: Sequence[Mapping[str, Value]],
    attributes: Sequence[str],
    budget: Budget,
) -> VersionSpace:
    """Return the version space of at least one positive example and any number of negative ones."""
    specific = {name: positive[0][name] for name in attributes}
    for row in positive[1:]:
        budget.check()
        specific = {name: value for name, value in specific.items() if row[name] == value}
    order = list(specific)
    apart = {sum(1 << order.index(name) for name in order if row[name] != specific[name]) for row in negative}
    hitting, capped = _hitting(sorted(apart, key=lambda one: (one.bit_count(), one)), budget)
    hitting.sort(key=lambda one: (one.bit_count(), [place for place in range(len(order)) if one >> place & 1]))
    general = tuple({name: specific[name] for place, name in enumerate(order) if one >> place & 1} for one in hitting)
    return VersionSpace(specific, general, capped)


def _hitting(groups: Sequence[int], budget: Budget) -> tuple[list[int], bool]:
    """Return the least sets with something of each group, and whether there were too many to keep (Berge 1989)."""
    found, capped = [0], False
    for group in groups:
        budget.check()
        kept = [one for one in found if one & group]
        bits = [1 << place for place in range(group.bit_length()) if group >> place & 1]
        for one in sorted({old | bit for old in found if not old & group for bit in bits}, key=int.bit_count):
            if not any(other & one == other for other in kept):
                kept.append(one)
        capped = capped or len(kept) > MOST_GENERAL
        found = kept[:MOST_GENERAL]
    return found, capped
