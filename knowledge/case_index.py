"""Search for the cases most like the present: the likeliest first, until no other case can score as high.

A side of a case (its beliefs or its desires) is a set of names, some with values. Sets of cases are bit masks, so that
all cases are counted at once. The share of common names is an upper bound of a side's similarity, and exact without
values. The candidates are then scored by `similarity.overlap`, so that the ranking equals that of a full scan.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush, heappushpop

from mabos.knowledge.case_records import SECTION, Case, content_of
from mabos.knowledge.similarity import Aggregate, Situation, overlap
from mabos.workspace.store import Store
from mabos.workspace.view import View

Scored = tuple[float, float, float, Case]
"""The score of a case, how alike its beliefs and its desires are, and the case."""


class CasePlaces:
    """A set of case positions; its bit mask is computed on first use and maintained from then on."""

    def __init__(self) -> None:
        self._all: dict[int, None] = {}
        self._bits: int | None = None

    def add(self, place: int) -> None:
        """Add a position."""
        self._all[place] = None
        if self._bits is not None:
            self._bits |= 1 << place

    def remove(self, place: int) -> None:
        """Remove a position."""
        del self._all[place]
        if self._bits is not None:
            self._bits ^= 1 << place

    @property
    def bits(self) -> int:
        """The bit mask of the positions."""
        if self._bits is None:
            octets = bytearray(max(self._all, default=0) // 8 + 1)
            for place in self._all:
                octets[place >> 3] |= 1 << (place & 7)
            self._bits = int.from_bytes(octets, "little")
        return self._bits


class CaseSide:
    """An index of one side of many cases: by name, and by number of names."""

    def __init__(self) -> None:
        self._holders: defaultdict[str, CasePlaces] = defaultdict(CasePlaces)
        self._sized: defaultdict[int, CasePlaces] = defaultdict(CasePlaces)

    def add(self, place: int, names: Situation) -> None:
        """Add the names of the case at a position."""
        self._sized[len(names)].add(place)
        for name in names:
            self._holders[name].add(place)

    def remove(self, place: int, names: Situation) -> None:
        """Remove the names of the case at a position."""
        self._sized[len(names)].remove(place)
        for name in names:
            self._holders[name].remove(place)

    def levels(self, present: Situation) -> list[tuple[float, int]]:
        """Return upper bounds of similarity to the present with their cases, most similar first, then all at 0."""
        found: dict[float, int] = {}
        others = -1
        for count, holders in _count_memberships(
            [self._holders[name].bits for name in present if name in self._holders]
        ):
            others &= ~holders
            for size, sized in self._sized.items():
                both = holders & sized.bits
                if both:
                    found[count / size] = found.get(count / size, 0) | both
        return [*sorted(found.items(), reverse=True), (0.0, others)]


def _count_memberships(sets: Iterable[int]) -> Iterator[tuple[int, int]]:
    """Yield in how many of the `sets` members are, and which are: adding up the bits of all places at once."""
    planes: list[int] = []
    everyone = 0
    for members in sets:
        everyone |= members
        carry = members
        for number, plane in enumerate(planes):
            if not carry:
                break
            planes[number], carry = plane ^ carry, plane & carry
        else:
            planes.append(carry)
    alike = [(0, everyone)]
    for number, plane in enumerate(planes):
        alike = [
            (count, those)
            for before, them in alike
            for count, those in ((before, them & ~plane), (before + (1 << number), them & plane))
            if those
        ]
    yield from alike


class CaseIndex:
    """Cases with the same outcome, each at its own position."""

    def __init__(self) -> None:
        self._cases: list[tuple[Case, int] | None] = []
        self._places: dict[str, int] = {}
        self._free: list[int] = []
        self._beliefs, self._desires = CaseSide(), CaseSide()

    def add(self, case: Case, number: int) -> None:
        """Add a case; among equals, a greater number is newer."""
        if not self._free:
            self._free.append(len(self._cases))
            self._cases.append(None)
        place = self._places[case.id] = self._free.pop()
        self._cases[place] = case, number
        self._beliefs.add(place, case.beliefs)
        self._desires.add(place, case.desires)

    def remove(self, case: Case) -> None:
        """Remove a case, if present."""
        place = self._places.pop(case.id, None)
        if place is not None:
            self._cases[place] = None
            self._free.append(place)
            self._beliefs.remove(place, case.beliefs)
            self._desires.remove(place, case.desires)

    def likeliest(
        self, beliefs: Situation, desires: Situation, aggregate: Aggregate
    ) -> Iterator[tuple[float, Iterator[tuple[Case, int]]]]:
        """Yield the best possible scores in descending order, and the cases with their numbers."""
        believed, wanted = self._beliefs.levels(beliefs), self._desires.levels(desires)
        ahead = [(-aggregate(believed[0][0], wanted[0][0]), 0, 0)]
        while ahead:
            score, row, column = heappop(ahead)
            members = believed[row][1] & wanted[column][1]
            if members > 0:
                yield -score, self._at(members)
            if column + 1 < len(wanted):
                heappush(ahead, (-aggregate(believed[row][0], wanted[column + 1][0]), row, column + 1))
            if column == 0 and row + 1 < len(believed):
                heappush(ahead, (-aggregate(believed[row + 1][0], wanted[0][0]), row + 1, 0))

    def _at(self, members: int) -> Iterator[tuple[Case, int]]:
        while members:
            last = members & -members
            members ^= last
            entry = self._cases[last.bit_length() - 1]
            if entry is not None:
                yield entry


def best(
    indexes: Iterable[CaseIndex],
    beliefs: Situation,
    desires: Situation,
    aggregate: Aggregate,
    limit: int,
    *,
    above: float = 0.0,
) -> list[Scored]:
    """Return the best `limit` cases, newer ones first among equals; only those scoring `above` a bound.

    `aggregate` must be monotonic in its arguments.
    """
    chosen: list[tuple[float, str, int, Scored]] = []
    for index in indexes if limit > 0 else ():
        for score, cases in index.likeliest(beliefs, desires, aggregate):
            if score <= above or (len(chosen) == limit and score < chosen[0][0]):
                break
            for case, number in cases:
                alike = overlap(case.beliefs, beliefs), overlap(case.desires, desires)
                exact = aggregate(*alike)
                entry = exact, case.stored_at, number, (exact, *alike, case)
                if exact > above:
                    (heappush if len(chosen) < limit else heappushpop)(chosen, entry)
    return [scored for *_, scored in sorted(chosen, reverse=True)]


class Ages:
    """Some of the cases by storage time; finding the oldest takes constant time."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._waiting: list[tuple[str, int, str, bool]] = []

    def add(self, case: Case, number: int) -> None:
        """Add a case; `number` orders those stored at the same time."""
        heappush(self._waiting, (case.stored_at, number, case.id, case.negative))

    def oldest(self, count: int) -> list[Case]:
        """Return a number of cases, oldest first, without those that were removed, restored or reclassified."""
        found: dict[str, tuple[str, int, str, bool]] = {}
        while self._waiting and len(found) < count:
            entry = heappop(self._waiting)
            at, _, case_id, negative = entry
            case = self._cases.get(case_id)
            if case is not None and (case.stored_at, case.negative) == (at, negative):
                found[case_id] = entry
        for entry in found.values():  # the others are passed over for good
            heappush(self._waiting, entry)
        return [self._cases[case_id] for case_id in found]


class CaseBase(View[Case]):
    """The typed cases of one store; callers hold `lock`."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, Case)
        self.cases: dict[str, Case] = {}
        self.succeeded, self.failed = CaseIndex(), CaseIndex()
        self._count = 0
        self._by_content: dict[bytes, str] = {}
        self._ages, self._failed_ages = Ages(self.cases), Ages(self.cases)

    def changed(self, collection: str, old: Case | None, new: Case | None) -> None:  # noqa: ARG002  # there is one
        """Keep the indexes in step."""
        if old is not None:
            (self.failed if old.negative else self.succeeded).remove(old)
            if self._by_content.get(told := content_of(old)) == old.id:
                del self._by_content[told]
            if new is None:
                self.cases.pop(old.id, None)
        if new is not None:
            self.cases[new.id] = new
            self._by_content[content_of(new)] = new.id
            self._count += 1
            (self.failed if new.negative else self.succeeded).add(new, self._count)
            if old is None or (old.stored_at, old.negative) != (new.stored_at, new.negative):
                self._ages.add(new, self._count)
                if new.negative:
                    self._failed_ages.add(new, self._count)

    def key_of(self, case_id: str) -> str:
        """Return the key of a case in the document: its id, unless a person named the field differently."""
        if case_id in self.raw[SECTION]:
            return case_id
        return next(key for key, case in self.records[SECTION].items() if case.id == case_id)

    def same(self, wanted: Case) -> Case | None:
        """Return the case of the same episode, or None."""
        case_id = self._by_content.get(content_of(wanted))
        return None if case_id is None else self.cases[case_id]

    def first_to_go(self, count: int, recent: str) -> list[Case]:
        """Return the most dispensable cases: the oldest failures from before `recent`, then the oldest of all."""
        failed = [case for case in self._failed_ages.oldest(count) if case.stored_at < recent]
        ordered = {case.id: case for case in (*failed, *self._ages.oldest(count))}
        return list(ordered.values())[:count]


def base_of(store: Store) -> CaseBase:
    """Return the one case base of `store`; it lives as long as the store."""
    return store.companion(CaseBase)
