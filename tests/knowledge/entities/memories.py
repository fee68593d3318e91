"""Entity memories for tests: one business in a folder, a clock that stands still, and as many agents as asked for."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from mabos.backends.embed import Embedder
from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.backends.vectors import FlatVectors
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.ranking import SessionQuality
from mabos.knowledge.entities.store import EntityStore
from mabos.knowledge.entities.visibility import Directory
from mabos.workspace.clock import SteppedClock
from mabos.workspace.sync import Sync

START = datetime(2026, 1, 21, 12, tzinfo=UTC)
DIRECTORY = Directory(
    {"kim": ["ceo", "cfo"], "kimberly": ["cto"]}, {"finance": ["cfo", "user:kim"], "product": ["cto"]}
)


class Business:
    """The entity memory of the business acme, below `root`; another one on the same root is another process's."""

    def __init__(self, root: Path, clock: SteppedClock | None = None, embedder: Embedder | None = None) -> None:
        self.root = root
        self.clock = clock or SteppedClock(START)
        self.path = root / "businesses" / "acme" / "graph.jsonl"
        derived = root / ".mabos" / "graph"
        self.graph = EmbeddedGraph(derived / "acme.sqlite", clock=self.clock)
        vectors = FlatVectors(derived / "vectors", embedder.fingerprint, embedder.dimensions) if embedder else None
        self.store = EntityStore(
            self.path,
            self.graph,
            business="acme",
            derived=derived,
            clock=self.clock,
            sync=Sync("off"),
            embedder=embedder,
            vectors=vectors,
        )

    def as_(self, agent_id: str = "", quality: SessionQuality = lambda _: None) -> EntityMemory:
        """Return the memory as an agent has it, or without one as a person has."""
        return EntityMemory(self.store, agent_id, directory=DIRECTORY, session_quality=quality)

    def later(self, days: float) -> None:
        """Let days pass."""
        self.clock.advance(timedelta(days=days))

    def lines(self) -> list[str]:
        """Return the lines of the truth."""
        return self.path.read_text("utf-8").splitlines() if self.path.exists() else []


class Words:
    """An embedder that ships with the tests: a text is the topics that its words belong to."""

    fingerprint = "topics-1"

    def __init__(self, topics: Mapping[str, Sequence[str]]) -> None:
        self._topics = {word: number for number, words in enumerate(topics.values()) for word in words}
        self.dimensions = len(topics) + 1
        self.is_down = False

    def embed(self, texts: Sequence[str]) -> list[list[float]] | None:
        """Return one vector of length 1 for each text."""
        return None if self.is_down else [self._vector(text) for text in texts]

    def _vector(self, text: str) -> list[float]:
        vector = [0.0] * self.dimensions
        for word in text.lower().replace("-", " ").split():
            vector[self._topics.get(word.strip("?.,"), self.dimensions - 1)] += 1.0
        length = sum(value * value for value in vector) ** 0.5 or 1.0
        return [value / length for value in vector]
