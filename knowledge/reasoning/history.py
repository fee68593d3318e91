"""How methods fared: what each answered how surely, and whether it turned out right. It feeds the router."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import unknown
from mabos.workspace.clock import Clock, iso
from mabos.workspace.documents import json_document
from mabos.workspace.ids import Ids
from mabos.workspace.indexer import TextRow
from mabos.workspace.store import Drop, Op, Put, Store
from mabos.workspace.sync import Sync

if TYPE_CHECKING:  # every command opens the documents, few reason
    from mabos.knowledge.reasoning.methods import ReasoningMethod
    from mabos.knowledge.reasoning.result import MethodResult

SECTION = "episodes"
KIND = "reasoning_result"
LIMIT = 5_000
"""Episodes that are kept; the oldest that are settled leave first."""
ENOUGH = 10
"""Outcomes below which nothing is said of a method."""
PRIOR = 4.0
"""Outcomes, half of them right, that are taken for granted beside those that were seen (a Beta(2, 2) prior)."""


@dataclass(frozen=True, slots=True)
class ReasoningEpisode:
    """One answer and, once that is known, whether it was right."""

    id: str
    method: str
    kind: str
    domain: str
    status: str
    summary: str
    confidence: float | None = None
    evidence: tuple[str, ...] = ()
    at: str = ""
    right: bool | None = None
    settled_at: str = ""


def open_episodes(directory: Path, *, sync: Sync) -> Store:
    """Return the document `reasoning.json` in an agent's folder."""
    return json_document(directory / "reasoning.json", [SECTION], sync=sync)


def rows(agent_id: str) -> Callable[[str, str, Any], TextRow | None]:
    """Return what an agent's reasoning gives to the index; an episode that cannot be read gives nothing."""

    def row(collection: str, key: str, record: Any) -> TextRow | None:  # noqa: ARG001  # there is one collection
        with suppress(TypeError):
            one = _episode(record)
            return TextRow(KIND, one.id, agent_id, one.summary, (one.method, one.kind))
        return None

    return row


class Episodes:
    """What one agent reasoned. Cheap to make: the records lie in the open `store`."""

    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self._store = store
        self._clock = clock
        self._ids = ids

    def all(self) -> tuple[ReasoningEpisode, ...]:
        """Return every episode, oldest first."""
        return tuple(_episode(one) for one in self._records().values())

    def find(self, episode_id: str) -> ReasoningEpisode:
        """Return an episode. Raises `UnknownId`."""
        record = self._records().get(episode_id)
        if record is None:
            raise unknown("episode of reasoning", episode_id, self._records(), argument="episode_id")
        return _episode(record)

    def unsettled(self, ids: Iterable[str]) -> list[str]:
        """Return those of `ids` that are answers of which it is not yet known whether they were right."""
        records = self._records()
        return [one for one in ids if one in records and records[one].get("right") is None]

    def keep(self, result: "MethodResult[Any]", *, kind: str, domain: str) -> ReasoningEpisode:
        """Keep what a method answered, and return the episode."""
        episode = ReasoningEpisode(
            self._ids.new("EP"),
            result.method,
            kind,
            domain,
            result.status,
            result.summary,
            result.confidence,
            result.evidence,
            iso(self._clock()),
        )
        self._store.commit(lambda held: [*_leaving(held.get(SECTION, {})), _put(episode)])
        return episode

    def settle(self, episode_id: str, *, right: bool) -> ReasoningEpisode:
        """Say whether an answer turned out right, and return the episode. Raises `UnknownId`."""
        settled = replace(self.find(episode_id), right=right, settled_at=iso(self._clock()))
        self._store.commit([_put(settled)])
        return settled

    def reliability(self, method: "ReasoningMethod") -> float | None:
        """Return the share of a method's answers that were right, drawn towards a half; None below `ENOUGH`."""
        records = self._records().values()
        known = [one["right"] for one in records if one["method"] == method.name and one.get("right") is not None]
        return (sum(known) + PRIOR / 2) / (len(known) + PRIOR) if len(known) >= ENOUGH else None

    def forecasts(self, method: str = "") -> tuple[tuple[float, bool], ...]:
        """Return how sure each settled answer was and whether it was right, of one method or of all."""
        return tuple(
            (one.confidence, one.right)
            for one in self.all()
            if one.confidence is not None and one.right is not None and method in ("", one.method)
        )

    def _records(self) -> Mapping[str, Any]:
        return self._store.read().get(SECTION, {})


def _leaving(records: Mapping[str, Any]) -> list[Op]:
    """Return the removal of one episode where there is no room for another."""
    if len(records) < LIMIT:
        return []
    settled = next((key for key, record in records.items() if record.get("right") is not None), None)
    return [Drop(SECTION, settled or next(iter(records)))]


def _put(episode: ReasoningEpisode) -> Put:
    return Put(SECTION, episode.id, {**asdict(episode), "evidence": list(episode.evidence)})


def _episode(record: Mapping[str, Any]) -> ReasoningEpisode:
    return ReasoningEpisode(**{**record, "evidence": tuple(record.get("evidence", ()))})
