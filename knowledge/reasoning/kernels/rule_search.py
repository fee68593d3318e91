"""Search for rule bodies that fit the examples, from general to specific.

A body splits into parts that share only variables of the head; it covers the examples that all its parts cover. So the
parts are searched by size, each extended by one condition at a time. Bodies are combined from the covers of their
parts, with bit operations. Anything that cannot change the outcome is left out: a part that covers too few, a condition
that the others imply, a variable that equals another, and a part with the bindings of another one.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import TYPE_CHECKING

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.joins import Relations

if TYPE_CHECKING:
    from mabos.knowledge.reasoning.kernels.joins import Table

Condition = tuple[str, tuple[int, ...]]
"""A relation and the columns of its arguments: those of the head from 1 on, then the others."""
Types = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Language:
    """The vocabulary of rules: argument types of each relation and of the head, and limits."""

    relations: Mapping[str, Types]
    head: Types
    single: frozenset[str]
    max_variables: int

    def conditions(self, types: Types) -> Iterator[tuple[Condition, Types]]:
        """Yield the conditions on columns of these types and on new ones, with the resulting column types."""
        for name, wanted in self.relations.items():
            partial: list[tuple[tuple[int, ...], Types]] = [((), types)]
            for one in wanted:
                partial = [more for columns, held in partial for more in self._argument(one, columns, held)]
            yield from (((name, columns), held) for columns, held in partial)

    def _argument(
        self, wanted: str | None, columns: tuple[int, ...], held: Types
    ) -> Iterator[tuple[tuple[int, ...], Types]]:
        for place in range(1, len(held)):
            if wanted is None or held[place] in (wanted, None):
                yield (*columns, place), held
        if len(held) <= self.max_variables and not (wanted in self.single and wanted in held):
            yield (*columns, len(held)), (*held, wanted)


@dataclass(frozen=True, slots=True)
class RulePart:
    """Conditions that hang together, the types of all columns, which examples they cover, and which of the head's
    columns they name (both as bits)."""

    conditions: tuple[Condition, ...]
    types: Types
    covered: int
    named: int


@dataclass(frozen=True, slots=True)
class Body:
    """A combination of parts: conditions, and the examples covered."""

    conditions: tuple[Condition, ...]
    covered: int


@dataclass(slots=True)
class Search:
    """A search for bodies that cover at least `support` of the `wanted` examples and none of the others."""

    relations: Relations
    language: Language
    examples: "Table"
    wanted: int
    support: int
    budget: Budget
    skipped: int = 0
    """Parts with more bindings than a table may have."""
    _parts: list[RulePart] = field(default_factory=list)
    _front: list[RulePart] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)
    _covers: set[tuple[int, int, int]] = field(default_factory=set)

    @property
    def forbidden_examples(self) -> int:
        """The examples that no body may cover, as bits."""
        return ((1 << len(self.examples)) - 1) & ~self.wanted

    @property
    def is_exhausted(self) -> bool:
        """Return whether no part can be extended."""
        return not self._front and bool(self._seen)

    def bodies(self, size: int) -> Iterator[Body]:
        """Yield the bodies with exactly this many conditions; call it with sizes in turn from 1. Raises `OutOfTime`."""
        self._front = list(self._extend_front()) if self._front or size == 1 else []
        for one in self._front:
            key = (one.covered, one.named, len(one.types))
            if key not in self._covers:
                self._covers.add(key)
                self._parts.append(one)
        full = (1 << len(self.examples)) - 1
        yield from self._together(0, size, full, 0, ())

    def _extend_front(self) -> Iterator[RulePart]:
        """Yield the parts that are one condition larger than those of the front."""
        size = len(self.language.head)
        if not self._seen:
            self._seen.add(())
            root = RulePart((), (None, *self.language.head), 0, 0)
            yield from self._grow_part(root, self.examples)
            return
        every = (1 << size) - 1
        for part in self._front:
            self.budget.check()
            final = not part.covered & self.forbidden_examples and part.named == every
            if len(part.types) > size + 1 and not final:
                table = self.bindings(part.conditions)
                if table is not None:
                    yield from self._grow_part(part, table)

    def bindings(self, conditions: Sequence[Condition]) -> "Table | None":
        """Return the bindings of the columns of these conditions, starting from the examples; None if too many."""
        table: Table | None = self.examples
        for name, columns in conditions:
            table = None if table is None else self.relations.join_table(table, name, columns)
        return table

    def _grow_part(self, part: RulePart, table: "Table") -> Iterator[RulePart]:
        """Yield the part with one more condition on something it has besides the head."""
        size, width = len(self.language.head), len(part.types)
        touched = range(size + 1, width) if part.conditions else range(1, width)
        for condition, types in self.language.conditions(part.types):
            self.budget.check()
            if condition in part.conditions or not any(one in touched for one in condition[1]):
                continue
            conditions = (*part.conditions, condition)
            key = canonical(conditions, size + 1, len(types))
            if key in self._seen:
                continue
            self._seen.add(key)
            found = self.relations.join_table(table, *condition)
            if found is None:
                self.skipped += 1
            elif part.conditions and self._is_idle(table, found, width):
                continue
            elif (covered := self._covered_examples(found, conditions, types)) is not None:
                named = part.named | sum(1 << (one - 1) for one in set(condition[1]) if one <= size)
                yield RulePart(conditions, types, covered, named)

    def _is_idle(self, before: "Table", after: "Table", width: int) -> bool:
        """Return whether a condition adds nothing: no row went, or the new column equals an old one."""
        if after.shape[1] == width:
            return len(after) == len(before)
        return any(
            bool((after[:, new] == after[:, old]).all())
            for new in range(width, after.shape[1])
            for old in range(1, new)
        )

    def _covered_examples(self, table: "Table", conditions: Sequence[Condition], types: Types) -> int | None:
        """Return the examples with a binding, as bits; None if too few or if another part has the same bindings."""
        import numpy as np

        flags = np.zeros(len(self.examples), dtype=bool)
        flags[table[:, 0]] = True
        covered = int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
        if (covered & self.wanted).bit_count() < self.support:
            return None
        if len(types) > len(self.language.head) + 1:
            named = frozenset(one for _, columns in conditions for one in columns)
            key = (types, named, len(table), _fingerprint(table))
            if key in self._seen:
                return None
            self._seen.add(key)
        return covered

    def _together(
        self, start: int, left: int, covered: int, named: int, chosen: tuple[RulePart, ...]
    ) -> Iterator[Body]:
        """Yield bodies of the chosen parts and others from `start` on, with `left` conditions more."""
        every = (1 << len(self.language.head)) - 1
        for place in range(start, len(self._parts)):
            part = self._parts[place]
            size = len(part.conditions)
            if size > left:
                return
            both = covered & part.covered
            if (both & self.wanted).bit_count() < self.support:
                continue
            if chosen and both == covered and not part.named & ~named:
                continue
            if size < left:
                if both & self.forbidden_examples or (named | part.named) != every:
                    self.budget.check()
                    yield from self._together(place + 1, left - size, both, named | part.named, (*chosen, part))
            elif not both & self.forbidden_examples and (named | part.named) == every:
                body = merge_parts((*chosen, part), len(every_type(self.language)), self.language.max_variables)
                if body is not None:
                    yield Body(body, both)


def every_type(language: Language) -> Types:
    """Return the types of the head's columns after that of the example."""
    return (None, *language.head)


def merge_parts(parts: Sequence[RulePart], first: int, limit: int) -> tuple[Condition, ...] | None:
    """Return the conditions of parts with separate variables from `first` on; None if there are more than `limit`."""
    conditions: list[Condition] = []
    width = first
    for part in parts:
        moved = width - first
        conditions += [
            (name, tuple(one + moved if one >= first else one for one in columns)) for name, columns in part.conditions
        ]
        width += len(part.types) - first
    return tuple(conditions) if width - 1 <= limit else None


def canonical(conditions: Sequence[Condition], first: int, width: int) -> tuple[Condition, ...]:
    """Return the conditions in a canonical order and column numbering from `first` on.

    Columns are ordered by their positions; only those with equal positions are tried in every order.
    """
    places: dict[int, list[tuple[str, tuple[int, ...]]]] = {one: [] for one in range(first, width)}
    for name, columns in conditions:
        for one in {one for one in columns if one >= first}:
            places[one].append((name, tuple(-2 if c == one else min(c, first) for c in columns)))
    alike: dict[tuple[tuple[str, tuple[int, ...]], ...], list[int]] = {}
    for one, stands in places.items():
        alike.setdefault(tuple(sorted(stands)), []).append(one)
    best: tuple[Condition, ...] | None = None
    for orders in product(*(permutations(alike[stands]) for stands in sorted(alike))):
        renamed = dict(zip((one for order in orders for one in order), range(first, width), strict=True))
        told = tuple(sorted((name, tuple(renamed.get(one, one) for one in columns)) for name, columns in conditions))
        if best is None or told < best:
            best = told
    return best or ()


def _fingerprint(table: "Table") -> int:
    """Return a number that tables of the same rows share, whatever their order."""
    import numpy as np

    mixed = np.zeros(len(table), dtype=np.uint64)
    for column in range(table.shape[1]):
        mixed = (mixed ^ table[:, column].astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
        mixed = mixed * np.uint64(0xBF58476D1CE4E5B9)
        mixed ^= mixed >> np.uint64(32)
    return int(mixed.sum(dtype=np.uint64))
