"""The beliefs of a procedural agent: structures by name and arity, indexed by the first argument.

A belief may be held several times with different annotations, for example from two sources.
"""

from collections.abc import Iterable, Iterator

from mabos.mind.procedures.terms import Term

Key = tuple[str, int]
Notes = tuple[Term, ...]
"""Annotations of a belief, goal or message: structures such as `("source", ("ann",))`."""

UNNOTED: tuple[Notes, ...] = ((),)
INDEXED_FROM = 8
"""From how many beliefs of a name on they are also found by first argument; fewer are gone through as fast."""


class BeliefBase:
    """Beliefs in the order in which they were added."""

    __slots__ = ("_first", "groups")

    def __init__(self) -> None:
        self.groups: dict[Key, dict[Term, tuple[Notes, ...]]] = {}
        self._first: dict[Key, dict[Term, dict[Term, None]]] = {}

    def __iter__(self) -> Iterator[Term]:
        for group in self.groups.values():
            yield from group

    def __len__(self) -> int:
        return sum(map(len, self.groups.values()))

    def add(self, term: Term, notes: Notes = ()) -> None:
        """Add a belief; one already held with the same annotations is unchanged."""
        key = (term[0], len(term) - 1)
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = {}
        held = group.get(term)
        if held is None:
            group[term] = (notes,) if notes else UNNOTED
            if self._first and key in self._first:
                self._first[key].setdefault(term[1], {})[term] = None
        elif notes not in held:
            group[term] = (*held, notes)

    def remove(self, term: Term, notes: Notes) -> None:
        """Remove a belief with these annotations."""
        key = (term[0], len(term) - 1)
        group = self.groups[key]
        left = tuple(one for one in group[term] if one != notes)
        if left:
            group[term] = left
            return
        del group[term]
        if self._first and key in self._first:
            same = self._first[key][term[1]]
            del same[term]
            if not same:
                del self._first[key][term[1]]

    def about(self, key: Key, first: Term) -> Iterable[Term]:
        """Return the beliefs with a name that may have the ground term `first` as first argument."""
        group = self.groups.get(key)
        if group is None or len(group) < INDEXED_FROM:
            return group or ()
        index = self._first.get(key)
        if index is None:
            index = self._first[key] = {}
            for term in group:
                index.setdefault(term[1], {})[term] = None
        return index.get(first, ())
