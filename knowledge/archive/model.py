"""Knowledge nodes and edges of S4: five types of nodes, six of edges."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Final, Literal, get_args

from mabos.workspace.records import Document, declaration, record
from mabos.workspace.text import one_line

NodeType = Literal["concept", "fact", "procedure", "question", "answer"]
EdgeType = Literal["related_to", "followed_by", "contradicts", "derived_from", "part_of", "answered_by"]
Extractor = Literal["rule", "llm"]
NODE_TYPES: tuple[str, ...] = get_args(NodeType)
EDGE_TYPES: tuple[str, ...] = get_args(EdgeType)
ARCHIVE: Final = Document("archive.json", ("nodes", "edges", "tasks"))


@dataclass(frozen=True, slots=True)
class TaskLine:
    """A message of a task: `role` is user, assistant or tool."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of knowledge as it was extracted; `line` is the number of its message in the task, if it has one."""

    type: NodeType
    content: str
    confidence: float = 0.8
    line: int = field(default=-1, compare=False)

    @property
    def id(self) -> str:
        """Return an id derived from type and content, so that every task with this knowledge shares one node."""
        return "KN-" + _digest(self.type, one_line(self.content.lower()))


@dataclass(frozen=True, slots=True)
class Bond:
    """An edge between two pieces, given by their contents or ids."""

    type: str
    start: str
    end: str
    weight: float = 1.0
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Extraction:
    """The knowledge extracted from one task."""

    pieces: Sequence[Piece]
    bonds: Sequence[Bond]
    by: Extractor


@dataclass(frozen=True, slots=True)
class TaskSource:
    """A task that taught a piece of knowledge, the time, and the number of the message; -1 if it is not known."""

    task: str
    at: str
    line: int = -1

    @property
    def message(self) -> str:
        """Return a key of the message in its task; "" if it is not known."""
        return f"{self.task}/{self.line}" if self.line >= 0 else ""


@record(ARCHIVE, "nodes", noun="node")
@dataclass(frozen=True, slots=True)
class KnowledgeNode:
    """A piece of knowledge in the archive, with every task that taught it; `by` is the method of extraction."""

    id: str
    type: NodeType
    content: str
    confidence: float
    by: Extractor
    sources: tuple[TaskSource, ...]


NODES = declaration(KnowledgeNode)


@record(ARCHIVE, "edges", noun="edge")
@dataclass(frozen=True, slots=True)
class KnowledgeEdge:
    """A relation between two nodes, with the tasks that contain it."""

    id: str
    type: EdgeType
    start: str
    end: str
    weight: float
    by: Extractor
    reason: str
    tasks: tuple[str, ...]


EDGES = declaration(KnowledgeEdge)


def edge_id(kind: str, start: str, end: str) -> str:
    """Return the id of an edge, derived from its kind and its two nodes."""
    return "KE-" + _digest(kind, start, end)


def _digest(*parts: str) -> str:
    return blake2b("\x1f".join(parts).encode(), digest_size=8).hexdigest()
