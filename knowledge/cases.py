"""Past episodes (cases), retrieved by similar beliefs and desires (S0 section 23)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.settings import KnowledgeSettings
from mabos.knowledge.case_index import CaseBase, Scored, base_of, best
from mabos.knowledge.case_records import CASES, SECTION, Case, Outcome, as_record, case_of, content_of
from mabos.knowledge.entities.sensitive import keep_value
from mabos.knowledge.similarity import linear, situation
from mabos.workspace.clock import Clock, iso
from mabos.workspace.copies import replace
from mabos.workspace.ids import Ids
from mabos.workspace.store import Drop, Op, Put, Store
from mabos.workspace.sync import Sync

RISK = 0.7
"""A negative case more similar than this is a warning before committing to its plan (S3 7.4)."""
RECENT = timedelta(days=90)
"""The time for which a failure is kept like a success."""


@dataclass(frozen=True, slots=True)
class Similar:
    """A case and its similarity to the present: in total, by beliefs and by desires, 0 to 1."""

    case: Case
    score: float
    beliefs: float
    desires: float


def open_cases(directory: Path, *, sync: Sync) -> Store:
    """Return the document `cases.json` in an agent's folder."""
    return CASES.open(directory, sync)


class Cases:
    """The case base of one agent. Cheap to create: the typed cases are cached with the open `store`."""

    def __init__(
        self,
        agent_id: str,
        store: Store,
        clock: Clock,
        ids: Ids,
        *,
        settings: KnowledgeSettings | None = None,
        clean: Callable[[Any], Any] = keep_value,
    ) -> None:
        self.agent_id = agent_id
        self._store = store
        self._clock = clock
        self._ids = ids
        self._clean = clean
        self._limit = 10_000 if settings is None else settings.case_limit
        self._similarity = (
            linear() if settings is None else linear(settings.case_belief_weight, settings.case_desire_weight)
        )

    def store(
        self,
        situation: Mapping[str, Any],
        solution: Mapping[str, Any],
        outcome: Mapping[str, Any] | str | bool,
        *,
        case_id: str = "",
    ) -> Case:
        """Store an episode and return its case; an identical episode is stored once.

        `situation` has beliefs and desires, as lists of ids or mappings to values, and a context; `outcome` is
        success, partial_failure or failure, or a mapping with that as `status`. Raises `InvalidArgument`.
        """
        made = case_of(case_id, *map(self._clean, (situation, solution, outcome)))
        wanted = replace(made, stored_at=iso(self._clock()), agent_id=self.agent_id)
        base = base_of(self._store)
        kept: list[Case] = []

        def decide() -> list[Op]:
            known = base.cases.get(case_id) if case_id else base.same(wanted)
            if known is not None and content_of(known) != content_of(wanted):
                message = f"case {case_id!r} exists and says something else; leave case_id out or choose another"
                raise InvalidArgument(message, argument="case_id")
            kept[:] = [known or replace(wanted, id=case_id or self._ids.new("C", base.cases))]
            return [] if known else [*self._prune_cases(base), Put(SECTION, kept[0].id, as_record(kept[0]))]

        base.commit(decide)
        return kept[0]

    def amend(self, case_id: str, *, outcome: Outcome | None = None, **results: Any) -> Case:
        """Add later measurements to the results of a case and return it; None removes a result.

        Raises `UnknownId`. Without `outcome` the outcome is unchanged.
        """
        base = base_of(self._store)
        amended: list[Case] = []

        def decide() -> list[Op]:
            if case_id not in base.cases:
                raise unknown("case", case_id, base.cases, argument="case_id")
            known = base.cases[case_id]
            told = {**known.results, **self._clean(results)}
            told = {name: value for name, value in told.items() if value is not None}
            amended[:] = [replace(known, results=told, outcome=outcome or known.outcome)]
            return [] if amended[0] == known else [Put(SECTION, base.key_of(case_id), as_record(amended[0]))]

        base.commit(decide)
        return amended[0]

    def __contains__(self, case_id: str) -> bool:
        base = self._base()
        with base.lock:
            return case_id in base.cases

    def case(self, case_id: str) -> Case:
        """Return a case; raises `UnknownId`."""
        base = self._base()
        with base.lock:
            if case_id not in base.cases:
                raise unknown("case", case_id, base.cases, argument="case_id")
            return base.cases[case_id]

    def all(self) -> list[Case]:
        """Return every case, oldest first."""
        base = self._base()
        with base.lock:
            return list(base.cases.values())

    def retrieve(
        self,
        beliefs: Iterable[str] | Mapping[str, Any],
        desires: Iterable[str] | Mapping[str, Any],
        max_results: int = 5,
        include_negative: bool = False,
    ) -> list[Similar]:
        """Return the cases most like the present, best first; newer cases win ties.

        S(B, D) of S0: 60 % beliefs, 40 % desires, unless the settings have other weights. Failed cases are left out
        unless `include_negative`; cases with nothing in common are always left out.
        """
        base = self._base()
        with base.lock:
            indexes = [base.succeeded, *([base.failed] if include_negative else ())]
            now = (situation(beliefs), situation(desires))
            return _similar(best(indexes, *now, self._similarity, max_results))

    def risks(
        self, beliefs: Iterable[str] | Mapping[str, Any], desires: Iterable[str] | Mapping[str, Any]
    ) -> list[Similar]:
        """Return the unsuccessful cases in a situation like the present (S3 7.4), most similar first."""
        base = self._base()
        with base.lock:
            now, every = (situation(beliefs), situation(desires)), len(base.cases)
            return _similar(best([base.failed], *now, self._similarity, every, above=RISK))

    def _prune_cases(self, base: CaseBase) -> list[Op]:
        """Make room for one more: successes and recent failures are kept as long as anything else can go."""
        excess = len(base.cases) + 1 - self._limit
        going = base.first_to_go(excess, iso(self._clock() - RECENT)) if excess > 0 else ()
        return [Drop(SECTION, base.key_of(case.id)) for case in going]

    def _base(self) -> CaseBase:
        base = base_of(self._store)
        base.follow()
        return base


def _similar(found: Iterable[Scored]) -> list[Similar]:
    return [Similar(case, score, believed, wanted) for score, believed, wanted, case in found]
