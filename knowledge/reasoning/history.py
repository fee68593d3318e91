"""The record of methods: their answers, confidence, and correctness. It feeds the router."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import Damaged
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.indexer import TextRow
from mabos.workspace.records import declaration, record
from mabos.workspace.store import Drop, Store
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

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


@record("reasoning.json", SECTION, noun="episode of reasoning", argument="episode_id")
@dataclass(frozen=True, slots=True)
class ReasoningEpisode:
    """One answer and, once known, whether it was right."""

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


EPISODES = declaration(ReasoningEpisode)


def open_episodes(directory: Path, *, sync: Sync) -> Store:
    """Return the document `reasoning.json` in an agent's folder."""
    return EPISODES.open(directory, sync)


def rows(agent_id: str) -> Callable[[str, str, Any], TextRow | None]:
    """Return a function from an agent's reasoning to index rows; an unreadable episode gives none."""

    def row(collection: str, key: str, record: Any) -> TextRow | None:  # noqa: ARG001  # there is one collection
        with suppress(Damaged):
            one = EPISODES.read(key, record)
            return TextRow(KIND, one.id, agent_id, one.summary, (one.method, one.kind))
        return None

    return row


class EpisodeView(View[ReasoningEpisode]):
    """The episodes of one document; a companion of its store."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, ReasoningEpisode)


class Episodes:
    """The reasoning of one agent. Cheap to create: the records are in the open `store`."""

    def __init__(self, store: Store, clock: Clock, ids: Ids) -> None:
        self._view = store.companion(EpisodeView)
        self._clock = clock
        self._ids = ids

    def all(self) -> tuple[ReasoningEpisode, ...]:
        """Return every episode, oldest first."""
        return self._view.all()

    def find(self, episode_id: str) -> ReasoningEpisode:
        """Return an episode. Raises `UnknownId`."""
        return self._view.one(episode_id)

    def list_unsettled(self, ids: Iterable[str]) -> list[str]:
        """Return those of `ids` whose answers have not yet been confirmed or refuted."""
        return [one for one in ids if (found := self._view.find(one)) is not None and found.right is None]

    def keep(self, result: "MethodResult[Any]", *, kind: str, domain: str) -> ReasoningEpisode:
        """Store a method's answer, and return the episode."""
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
        view = self._view
        view.store.commit(lambda now: [*_leaving(view.parsed(now)), *view.puts(now, [episode])])
        return episode

    def settle(self, episode_id: str, *, right: bool) -> ReasoningEpisode:
        """Record whether an answer turned out right, and return the episode. Raises `UnknownId`."""
        at = iso(self._clock())
        return self._view.change(episode_id, lambda one: replace(one, right=right, settled_at=at))

    def reliability(self, method: "ReasoningMethod") -> float | None:
        """Return the share of right answers of a method, shrunk towards one half; None below `ENOUGH`."""
        known = [one.right for one in self.all() if one.method == method.name and one.right is not None]
        return (sum(known) + PRIOR / 2) / (len(known) + PRIOR) if len(known) >= ENOUGH else None

    def forecasts(self, method: str = "") -> tuple[tuple[float, bool], ...]:
        """Return the confidence and correctness of each settled answer, of one method or of all."""
        return tuple(
            (one.confidence, one.right)
            for one in self.all()
            if one.confidence is not None and one.right is not None and method in ("", one.method)
        )


def _leaving(episodes: Mapping[str, ReasoningEpisode]) -> list[Drop]:
    """Return the removal of one episode where there is no room for another."""
    if len(episodes) < LIMIT:
        return []
    settled = next((key for key, one in episodes.items() if one.right is not None), None)
    return [Drop(SECTION, settled or next(iter(episodes)))]
