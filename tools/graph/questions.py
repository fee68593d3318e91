"""Questions to a graph that have a name: asked of any keeper of a graph, and answered alike by all of them.

question("goals_behind").ask(Asked(graph, now, schema), {"level": "strategic"})
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.backends.graph.model import DEEPEST, Scalar
from mabos.configs.errors import InvalidArgument, unknown
from mabos.tools.graph import answers
from mabos.tools.graph.answers import Asked, Row


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a question may be given; the kind of its usual value is the kind it has. None must be given."""

    name: str
    says: str
    usual: Scalar = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question; what is asked is what its function says of itself."""

    answer: Callable[..., list[Row]]
    parameters: tuple[Parameter, ...] = ()

    @property
    def name(self) -> str:
        """What it is asked by."""
        return self.answer.__name__

    @property
    def says(self) -> str:
        """What it means to people."""
        return (self.answer.__doc__ or "").partition("\n")[0]

    def ask(self, asked: Asked, given: Mapping[str, Any]) -> list[Row]:
        """Return the rows of the answer; raises `InvalidArgument` for parameters that it does not have."""
        names = [one.name for one in self.parameters]
        if strangers := [name for name in given if name not in names]:
            known = ", ".join(names) or "none"
            raise InvalidArgument(
                f"{self.name} has no parameter {strangers[0]!r}; it has {known}", argument="parameters"
            )
        return self.answer(asked, **{one.name: _checked(self.name, one, given) for one in self.parameters})

    def as_json(self) -> Row:
        """Return it as people and models read it."""
        told = {one.name: f"{one.says} [{_usually(one)}]" for one in self.parameters}
        return {"name": self.name, "says": self.says, "parameters": told}


def question(name: str) -> Question:
    """Return the question with this name; raises `UnknownId` that names the nearest."""
    if name not in QUESTIONS:
        raise unknown("question", name, QUESTIONS, argument="query")
    return QUESTIONS[name]


def _usually(parameter: Parameter) -> str:
    return "must be given" if parameter.usual is None else f"usually {parameter.usual!r}"


def _checked(name: str, parameter: Parameter, given: Mapping[str, Any]) -> Any:
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
