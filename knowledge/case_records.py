"""Cases as they stand in `cases.json`, in the forms of both documents, and the typed ones beside the open document."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from heapq import heappop, heappush
from typing import Any, get_args
from weakref import WeakKeyDictionary

import orjson

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.case_index import CaseIndex
from mabos.knowledge.model import OUTCOMES, Case, Outcome
from mabos.knowledge.similarity import situation as names
from mabos.memory.mirror import Mirror
from mabos.workspace.copies import replace
from mabos.workspace.indexer import Row
from mabos.workspace.store import Store

SECTION = "cases"
KIND = "cbr_case"
"""The kind under which cases stand in the index, by its name in S0 section 12."""


class Ages:
    """Some of the cases in the order in which they were stored; finding the oldest costs the same among any number."""

    def __init__(self, cases: Mapping[str, Case]) -> None:
        self._cases = cases
        self._waiting: list[tuple[str, int, str, bool]] = []

    def add(self, case: Case, number: int) -> None:
        """Take in a case; `number` says which came first of those that were stored at one moment."""
        heappush(self._waiting, (case.stored_at, number, case.id, case.negative))

    def oldest(self, count: int) -> list[Case]:
        """Return so many cases, the oldest first; one that is gone, or was stored or ended otherwise, is left out."""
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


class CaseBase(Mirror[Case]):
    """The typed cases of one store; callers hold `lock`."""

    def __init__(self) -> None:
        super().__init__()
        self.records = {SECTION: {}}
        self.cases: dict[str, Case] = {}
        self.keys: dict[str, str] = {}
        self.succeeded, self.failed = CaseIndex(), CaseIndex()
        self._count = 0
        self._by_content: dict[bytes, str] = {}
        self._ages, self._failed_ages = Ages(self.cases), Ages(self.cases)

    def convert(self, collection: str, key: str, value: Any) -> Case:  # noqa: ARG002  # there is one collection
        """Return the case in a record; raises `Damaged` where it cannot be meant."""
        case = from_record(key, value)
        self.keys[case.id] = key
        return case

    def changed(self, collection: str, old: Case | None, new: Case | None) -> None:  # noqa: ARG002  # there is one
        """Keep the indexes in step."""
        if old is not None:
            (self.failed if old.negative else self.succeeded).remove(old)
            if self._by_content.get(told := _content(old)) == old.id:
                del self._by_content[told]
            if new is None:
                self.cases.pop(old.id, None)
                self.keys.pop(old.id, None)
        if new is not None:
            self.cases[new.id] = new
            self._by_content[_content(new)] = new.id
            self._count += 1
            (self.failed if new.negative else self.succeeded).add(new, self._count)
            if old is None or (old.stored_at, old.negative) != (new.stored_at, new.negative):
                self._ages.add(new, self._count)
                if new.negative:
                    self._failed_ages.add(new, self._count)

    def same(self, wanted: Case) -> Case | None:
        """Return the case that tells the same episode, or None."""
        case_id = self._by_content.get(_content(wanted))
        return None if case_id is None else self.cases[case_id]

    def first_to_go(self, count: int, recent: str) -> list[Case]:
        """Return the cases best spared: the oldest failures from before `recent`, then the oldest of all."""
        failed = [case for case in self._failed_ages.oldest(count) if case.stored_at < recent]
        ordered = {case.id: case for case in (*failed, *self._ages.oldest(count))}
        return list(ordered.values())[:count]


_bases: WeakKeyDictionary[Store, CaseBase] = WeakKeyDictionary()


def base_of(store: Store) -> CaseBase:
    """Return the one case base beside `store`; it goes when the store does."""
    found = _bases.get(store)
    return _bases.setdefault(store, CaseBase()) if found is None else found


def rows(agent_id: str) -> Callable[[str, str, Any], Row | None]:
    """Return what an agent's cases give to the index; one that cannot be read gives nothing."""

    def row(collection: str, key: str, record: Any) -> Row | None:  # noqa: ARG001  # there is one collection
        with suppress(Damaged):
            case = from_record(key, record)
            told = " ".join(map(str, (case.context, *case.beliefs, *case.desires)))
            return Row(KIND, case.id, agent_id, told, (case.outcome,))
        return None

    return row


def from_record(key: str, record: Any) -> Case:
    """Return the case in a record; raises `Damaged` where it cannot be meant."""
    try:
        case_id = str(record.get("id") or record.get("case_id") or key)
        case = case_of(case_id, record.get("situation") or {}, record.get("solution") or {}, record["outcome"])
    except (AttributeError, KeyError, TypeError, ValueError, InvalidArgument) as error:
        raise Damaged(f"cases.json: the case {key!r} cannot be read ({error}); correct it by hand") from error
    return replace(case, stored_at=str(record.get("stored_at") or ""), agent_id=str(record.get("agent_id") or ""))


def case_of(
    case_id: str,
    situation: Mapping[str, Any],
    solution: Mapping[str, Any],
    outcome: Mapping[str, Any] | str | bool,
) -> Case:
    """Return the case that these describe; raises `InvalidArgument` that names the argument."""
    status, results = _outcome(outcome)
    return Case(
        id=case_id,
        beliefs=_side(situation, "beliefs"),
        desires=_side(situation, "desires"),
        outcome=status,
        context=str(situation.get("context") or ""),
        solution=dict(solution),
        results=results,
    )


def as_record(case: Case) -> dict[str, Any]:
    """Return `case` in the one form in which we write: id, situation, solution, outcome with `status` and `success`."""
    situation = {"beliefs": _written(case.beliefs), "desires": _written(case.desires), "context": case.context}
    return {
        "id": case.id,
        "situation": situation,
        "solution": dict(case.solution),
        "outcome": {"status": case.outcome, "success": case.success, **case.results},
        "stored_at": case.stored_at,
        "agent_id": case.agent_id,
    }


def is_same(one: Case, other: Case) -> bool:
    """Return whether two cases tell the same episode, whatever their ids and times."""
    return _content(one) == _content(other)


def _content(case: Case) -> bytes:
    told = {name: value for name, value in as_record(case).items() if name in ("situation", "solution", "outcome")}
    return orjson.dumps(told, option=orjson.OPT_SORT_KEYS)


def _outcome(outcome: Mapping[str, Any] | str | bool) -> tuple[Outcome, dict[str, Any]]:
    given = dict(outcome) if isinstance(outcome, Mapping) else {"status": outcome}
    status, success = given.pop("status", None), given.pop("success", None)
    if status is None or isinstance(status, bool):
        stated = success if status is None else status
        if not isinstance(stated, bool):
            message = f"outcome says neither status nor success; use one of {', '.join(OUTCOMES)}"
            raise InvalidArgument(message, argument="outcome")
        return ("success" if stated else "failure"), given
    for known in get_args(Outcome):
        if known == status:
            return known, given
    raise InvalidArgument(f"outcome is {status!r}; use one of {', '.join(OUTCOMES)}", argument="outcome")


def _side(situation: Mapping[str, Any], side: str) -> dict[str, Any]:
    given = situation.get(side)
    if given is None or (isinstance(given, Iterable) and not isinstance(given, str)):
        return names(given)
    raise InvalidArgument(f"situation.{side} is {given!r}; expected a list of ids or a mapping", argument="situation")


def _written(side: Mapping[str, Any]) -> list[str] | dict[str, Any]:
    return list(side) if all(value is None for value in side.values()) else dict(side)
