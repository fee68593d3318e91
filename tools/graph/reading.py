"""Questions to the graph of a business: by name to any backend, in Cypher to its copy, with the caller's rights."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.backends.graph.merged import MergedGraph
from mabos.backends.graph.model import DEEPEST, EVERYTHING, GraphView, Scalar
from mabos.backends.graph.tier import Readable
from mabos.configs.errors import InvalidArgument, Unavailable, unknown
from mabos.knowledge.ontology.vocabulary import FOLDER as ONTOLOGIES
from mabos.tools.graph import answers
from mabos.tools.graph.answers import Asked, Row
from mabos.tools.graph.standing import WITHOUT
from mabos.tools.runtime.graph_copy import schema_of
from mabos.tools.runtime.graphs import BusinessGraph
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Parameter:
    """An optional parameter of a question; its default gives its type."""

    name: str
    says: str
    usual: Scalar = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A named question; the docstring of its function describes it."""

    answer: Callable[..., list[Row]]
    parameters: tuple[Parameter, ...] = ()

    @property
    def name(self) -> str:
        """The name of the question."""
        return self.answer.__name__

    @property
    def says(self) -> str:
        """The description of the question."""
        return (self.answer.__doc__ or "").partition("\n")[0]

    def ask(self, asked: Asked, given: Mapping[str, Any]) -> list[Row]:
        """Return the rows of the answer; raises `InvalidArgument` for unknown parameters."""
        names = [one.name for one in self.parameters]
        if strangers := [name for name in given if name not in names]:
            known = ", ".join(names) or "none"
            raise InvalidArgument(
                f"{self.name} has no parameter {strangers[0]!r}; it has {known}", argument="parameters"
            )
        return self.answer(asked, **{one.name: _check_parameter(self.name, one, given) for one in self.parameters})

    def as_json(self) -> Row:
        """Return the question in the form shown to people and models."""
        told = {one.name: f"{one.says} [{_usually(one)}]" for one in self.parameters}
        return {"name": self.name, "says": self.says, "parameters": told}


def question(name: str) -> Question:
    """Return the question with this name; raises `UnknownId` with the nearest name."""
    if name not in QUESTIONS:
        raise unknown("question", name, QUESTIONS, argument="query")
    return QUESTIONS[name]


def _usually(parameter: Parameter) -> str:
    return "must be given" if parameter.usual is None else f"usually {parameter.usual!r}"


def _check_parameter(name: str, parameter: Parameter, given: Mapping[str, Any]) -> Any:
    value = given.get(parameter.name, parameter.usual)
    kind = type(parameter.usual) if parameter.usual is not None else str
    number = kind in (int, float) and isinstance(value, int | float) and not isinstance(value, bool)
    if not number and not isinstance(value, kind):
        wanted = {"str": "a text", "int": "a number", "float": "a number"}[kind.__name__]
        raise InvalidArgument(f"{name} needs {wanted} as {parameter.name!r}, not {value!r:.60}", argument="parameters")
    return kind(value)


_AGENT = Parameter("agent", "only of this agent, by id or name")
_QUESTIONS = (
    Question(
        answers.belief_to_plan,
        (Parameter("belief", "uid, id, or a part of its subject"), Parameter("min_certainty", "leave out less", 0.0)),
    ),
    Question(answers.goals_behind, (Parameter("level", "strategic, tactical or operational", "strategic"), _AGENT)),
    Question(answers.accounts_at_risk, (Parameter("min_churn", "a higher probability than this", 0.7),)),
    Question(
        answers.typed_relations,
        (
            Parameter("relation", "only this one, as buys_product"),
            Parameter("subject_class", "the class that has it, as Customer; else the ontologies say"),
            Parameter("object_class", "the class that it leads to, as Product; else the ontologies say"),
        ),
    ),
    Question(answers.conflict_impact, (Parameter("belief", "uid, id, or a part of its subject"),)),
    Question(answers.decision_outcomes, (Parameter("decision", "uid, id, or a part of its subject"),)),
    Question(answers.goal_tree, (_AGENT,)),
    Question(answers.ownership, (_AGENT, Parameter("kind", "only nodes of this type, as goal"))),
    Question(answers.holdings, (_AGENT,)),
    Question(
        answers.connection,
        (
            Parameter("start", "uid, id or name", None),
            Parameter("end", "uid, id or name", None),
            Parameter("depth", "the most hops", DEEPEST),
        ),
    ),
    Question(
        answers.surroundings,
        (
            Parameter("node", "uid, id or name", None),
            Parameter("depth", "the most hops", 2),
            Parameter("relation", "only over edges of this type"),
            Parameter("kind", "only nodes of this type"),
        ),
    ),
)
QUESTIONS: Mapping[str, Question] = {one.name: one for one in _QUESTIONS}
"""Every question by its name."""


@dataclass(frozen=True, slots=True)
class Answered:
    """Rows with their source, the missing parts, and the total number of rows, or None if unknown."""

    rows: Sequence[Mapping[str, Any]]
    by: str
    notice: str = ""
    total: int | None = None

    def page(self, limit: int, offset: int) -> dict[str, Any]:
        """Return some of the rows, and the offset of the next ones."""
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
    """Return all questions, as an answer."""
    rows = [one.as_json() for one in QUESTIONS.values()]
    return Answered(rows, "mabos", total=len(rows))


def _view(agent: Agent, graph: BusinessGraph) -> GraphView:
    """Return as whom a question is asked: a person sees everything, an agent what it may."""
    if agent.caller.kind == "person":
        return EVERYTHING
    return GraphView(graph.directory().principals(agent.id))


def answer_question(
    agent: Agent, graph: BusinessGraph, name: str, parameters: Mapping[str, Any], *, is_merged: bool
) -> Answered:
    """Return the answer to a named question; with `is_merged`, also from the copy if it is reachable."""
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


def run_cypher(agent: Agent, graph: BusinessGraph, cypher: str, parameters: Mapping[str, Any], most: int) -> Answered:
    """Return up to `most` rows of a Cypher statement; raises `Unavailable` if no server can answer it."""
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
