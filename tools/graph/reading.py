"""Questions put to the graph of a business: by name to any keeper of it, in Cypher to its copy; as whom one asks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.backends.graph.merged import MergedGraph
from mabos.backends.graph.model import EVERYTHING, GraphView
from mabos.backends.graph.tier import Readable
from mabos.configs.errors import Unavailable
from mabos.knowledge.ontology.install import FOLDER as ONTOLOGIES
from mabos.tools.graph.answers import Asked
from mabos.tools.graph.questions import QUESTIONS, question
from mabos.tools.graph.standing import WITHOUT
from mabos.tools.runtime.graph_copy import schema_of
from mabos.tools.runtime.graphs import BusinessGraph
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Answered:
    """Rows, who gave them, what is missing, and how many there are in all; None where that is not known."""

    rows: Sequence[Mapping[str, Any]]
    by: str
    notice: str = ""
    total: int | None = None

    def page(self, limit: int, offset: int) -> dict[str, Any]:
        """Return some of the rows, and where the next ones begin."""
        shown = self.rows[offset : offset + limit]
        end = offset + len(shown)
        is_more = bool(shown) and (self.total is None or end < self.total)
        lines = [_line(row) for row in shown] or ["nothing found"]
        lines += [f"more from offset {end}"] if is_more else []
        return {
            "rows": list(shown),
            "count": len(shown),
            "total": self.total,
            "next_offset": end if is_more else None,
            "by": self.by,
            "notice": self.notice,
            "text": "\n".join([*lines, *([self.notice] if self.notice else [])]),
        }


def questions() -> Answered:
    """Return the questions there are, as an answer."""
    rows = [one.as_json() for one in QUESTIONS.values()]
    return Answered(rows, "mabos", total=len(rows))


def _view(agent: Agent, graph: BusinessGraph) -> GraphView:
    """Return as whom a question is asked: a person sees everything, an agent what it may."""
    if agent.caller.kind == "person":
        return EVERYTHING
    return GraphView(graph.directory().principals(agent.id))


def answered(
    agent: Agent, graph: BusinessGraph, name: str, parameters: Mapping[str, Any], *, is_merged: bool
) -> Answered:
    """Return what a question by name finds; with `is_merged` also in the copy, where that can be reached."""
    asked, here, view = question(name), graph.fresh(), _view(agent, graph)
    schema = schema_of(agent.services.layout.root / ONTOLOGIES)
    keepers: list[tuple[str, Readable]] = [("embedded", here)]
    notice = ""
    if is_merged and graph.copy is None:
        notice = f"not merged: {WITHOUT}"
    elif is_merged and graph.copy is not None:
        keepers.insert(0, ("merged", MergedGraph(here, graph.copy.tier)))
    for by, keeper in keepers:
        try:
            rows = asked.ask(Asked(keeper, agent.clock(), schema, view), parameters)
        except Unavailable as error:
            if by == "embedded":
                raise
            notice = f"not merged: {error.message}"
        else:
            return Answered(rows, by, notice, len(rows))
    raise Unavailable(notice)


def found(agent: Agent, graph: BusinessGraph, cypher: str, parameters: Mapping[str, Any], most: int) -> Answered:
    """Return up to `most` rows of a statement in Cypher; raises `Unavailable` where no server can answer it."""
    if graph.copy is None:
        message = f"Cypher needs a Neo4j. {WITHOUT}: ask it by name, one of {', '.join(QUESTIONS)}"
        raise Unavailable(message, argument="query")
    graph.update()
    copy = graph.copy.tier
    answer = copy.query(cypher, parameters, _view(agent, graph), limit=most)
    waiting, dead = graph.graph.sinks.waiting(copy.name)
    notice = f"{waiting:,} changes are not copied yet, {dead:,} of them were refused" if waiting else ""
    return Answered(answer.rows, copy.name, notice, None if answer.is_cut else len(answer.rows))


def _line(row: Mapping[str, Any]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in row.items() if value not in ("", None))
