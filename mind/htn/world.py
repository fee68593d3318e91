"""The state during planning: facts found through indexes, values over a lookup, and an undo log."""

from collections.abc import Container, Iterable, Mapping, Sequence
from copy import copy
from typing import Any

from mabos.knowledge.wording import name_key
from mabos.mind.htn.model import ANY, Domain, Fact, State

_ADDED, _REMOVED, _VALUE = 0, 1, 2
_NONE: dict[int, dict[Any, Any]] = {}
Mark = int


class World:
    """A state that can be changed and reset to any earlier mark."""

    def __init__(self, state: State, domain: Domain) -> None:
        self.facts: set[Fact] = {tuple(fact) for fact in state.facts}
        self.changing: Container[str] | None = None
        """The names of the facts that may change; None where that is not known."""
        self.signature = 0
        """Changes with the state and comes back with it; equal states have equal ones."""
        self._known = state.lookup
        self._values: dict[str, tuple[str, int]] = {}  # each with what it adds to the signature
        self._log: list[tuple[int, Any, Any, int]] = []
        self._marked = 0
        self._logged: dict[str, int] = {}  # where in the log a value was last noted
        self._index: dict[str, dict[int, dict[Any, Any]]] = {}  # each bucket holds facts, in a dict where they change
        self._by_name: dict[str, dict[Fact, None]] = {}
        for fact in self.facts:
            self.signature ^= hash(fact)
        self.members = _members({**domain.objects, **state.objects}, domain.supertypes)

    def value(self, name: str) -> str | None:
        """Return the value of `name`, or None; so the world is a lookup for conditions."""
        changed = self._values.get(name_key(name))
        if changed is not None:
            return changed[0]
        return self._known(name) if self._known else None

    def things(self, kind: str) -> Sequence[Any]:
        """Return the objects of a type, in order of declaration."""
        return tuple(self.members.get(kind, ()))

    def copy(self) -> "World":
        """Return a copy of the current state."""
        other = copy(self)
        other.facts, other._values = set(self.facts), dict(self._values)
        other._log, other._marked, other._logged = [], 0, {}
        other._index, other._by_name = {}, {}
        return other

    def mark(self) -> Mark:
        """Return a mark of the current state, to return to."""
        self._marked = len(self._log)
        return self._marked

    def back_to(self, mark: Mark) -> None:
        """Undo every change since `mark`."""
        log, values = self._log, self._values
        self._marked = mark
        while len(log) > mark:
            kind, what, before, self.signature = log.pop()
            if kind == _VALUE:
                self._logged.pop(what, None)
                if before is None:
                    del values[what]
                else:
                    values[what] = before
            elif kind == _ADDED:
                self._drop(what)
            else:
                self._put(what)

    def change(self, removed: Iterable[Fact], added: Iterable[Fact]) -> None:
        """Remove facts, then add others."""
        facts, log = self.facts, self._log
        for fact in removed:
            if fact in facts:
                log.append((_REMOVED, fact, None, self.signature))
                self.signature ^= hash(fact)
                self._drop(fact)
        for fact in added:
            if fact not in facts:
                log.append((_ADDED, fact, None, self.signature))
                self.signature ^= hash(fact)
                self._put(fact)

    def assign(self, key: str, value: str) -> None:
        """Set the value of the name whose `name_key` is `key`.

        The old value is logged once between two marks, since only marks can be returned to.
        """
        values, signature, own = self._values, self.signature, hash((key, value))
        before = values.get(key)
        if self._logged.get(key, -1) < self._marked:
            self._logged[key] = len(self._log)
            self._log.append((_VALUE, key, before, signature))
        self.signature = signature ^ own if before is None else signature ^ own ^ before[1]
        values[key] = value, own

    def matching(self, name: str, wanted: Sequence[tuple[int, Any]]) -> tuple[Fact, ...]:
        """Return the facts named `name` with the wanted terms at positions (from 1), through the smallest index."""
        if not wanted:
            return tuple(self._find_facts(name))
        found = [self.index(name, place).get(term) for place, term in wanted]
        smallest = min((bucket or {} for bucket in found), key=len)
        if len(wanted) == 1:
            return tuple(smallest)
        return tuple(fact for fact in smallest if all(fact[place] == term for place, term in wanted))

    def index(self, name: str, place: int) -> dict[Any, Any]:
        """Return the facts named `name` indexed by their term at a position; the index follows changes."""
        index = self._index.setdefault(name, {}).get(place)
        if index is None:
            index = self._index[name][place] = {}
            for fact in self._find_facts(name):
                if len(fact) > place:
                    index.setdefault(fact[place], {})[fact] = None
            if self._never_changes(name):  # in less space
                index = self._index[name][place] = {term: tuple(facts) for term, facts in index.items()}
        return index

    def is_even(self, name: str, width: int) -> bool:
        """Return whether all facts named `name` have `width` terms, counting the name, and never change."""
        return self._never_changes(name) and all(len(fact) == width for fact in self._find_facts(name))

    def _never_changes(self, name: str) -> bool:
        return self.changing is not None and name not in self.changing

    def _find_facts(self, name: str) -> dict[Fact, None]:
        found = self._by_name.get(name)
        if found is None:
            # Sorted by their text, so that the same problem gives the same plan in every process.
            found = self._by_name[name] = dict.fromkeys(sorted((f for f in self.facts if f[0] == name), key=repr))
        return found

    def _put(self, fact: Fact) -> None:
        self.facts.add(fact)
        named = self._by_name.get(fact[0])
        if named is not None:
            named[fact] = None
            for place, index in self._index.get(fact[0], _NONE).items():
                if len(fact) > place:
                    index.setdefault(fact[place], {})[fact] = None

    def _drop(self, fact: Fact) -> None:
        self.facts.discard(fact)
        named = self._by_name.get(fact[0])
        if named is not None:
            del named[fact]
            for place, index in self._index.get(fact[0], _NONE).items():
                if len(fact) > place:
                    del index[fact[place]][fact]


def _members(objects: Mapping[Any, str], supertypes: Mapping[str, tuple[str, ...]]) -> dict[str, dict[Any, None]]:
    """Return the objects of each type, those of its subtypes among them."""
    members: dict[str, dict[Any, None]] = {ANY: {}}
    for thing, kind in objects.items():
        for one in (*ancestry(kind, supertypes), ANY):
            members.setdefault(one, {})[thing] = None
    return members


def ancestry(kind: str, supertypes: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return a type and the types above it, without `object`."""
    found: dict[str, None] = {}
    todo = [kind]
    while todo:
        one = todo.pop()
        if one and one != ANY and one not in found:
            found[one] = None
            todo += supertypes.get(one, ())
    return tuple(found)
