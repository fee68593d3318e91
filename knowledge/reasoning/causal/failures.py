"""Problems of failure: fault trees, and incidents of things that depend on each other."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.knowledge.reasoning.kernels.graphs import Graph, graph
from mabos.knowledge.reasoning.problem import Finite, Name, Names, Part, Probability, Problem


class Gate(Part):
    """What happens if all, any, or at least so many of its inputs happen."""

    when: Literal["all", "any", "at least"] = "any"
    of: Annotated[Names, Field(min_length=1)]
    least: Annotated[int, Field(ge=1)] = 1

    @model_validator(mode="after")
    def _can_be_met(self) -> Self:
        if self.least > len(self.of):
            msg = f"at least {self.least} of {len(self.of)} inputs can never happen"
            raise ValueError(msg)
        return self


class Event(Part):
    """Something that happens by itself with a probability; `id` is what a result cites, `happened` what is known."""

    probability: Probability
    id: str = ""
    happened: bool | None = None


class FaultTree(Problem):
    """A failure, the gates that lead to it, and basic events that are independent of each other.

    An event may be given as its probability alone.
    """

    kind: Literal["fault_tree"] = "fault_tree"
    top: Name
    gates: Annotated[Mapping[Name, Gate], Field(min_length=1)]
    events: Annotated[Mapping[Name, Event], Field(min_length=1)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "fault_tree",
        "top": "no water",
        "gates": {
            "no water": {"when": "all", "of": ["train one", "train two"]},
            "train one": {"of": ["valve one", "pump one"]},
            "train two": {"of": ["valve two", "pump two"]},
        },
        "events": {"valve one": 0.5, "valve two": 0.5, "pump one": 0.7, "pump two": 0.7},
    }

    @field_validator("events", mode="before")
    @classmethod
    def _numbers_are_probabilities(cls, events: Any) -> Any:
        if not isinstance(events, dict):
            return events
        return {name: {"probability": one} if isinstance(one, int | float) else one for name, one in events.items()}

    @model_validator(mode="after")
    def _is_a_tree(self) -> Self:
        if self.top not in self.gates:
            msg = f"the top {self.top!r} is no gate"
            raise ValueError(msg)
        twice = sorted(self.gates.keys() & self.events.keys())
        if twice:
            msg = f"{twice[0]!r} is both a gate and an event"
            raise ValueError(msg)
        for name, gate in self.gates.items():
            for one in gate.of:
                if one not in self.gates and one not in self.events:
                    msg = f"{name!r} needs {one!r}, which is neither a gate nor an event"
                    raise ValueError(msg)
        self.graph()
        return self

    def graph(self) -> Graph:
        """Return what leads to what. Raises `ValueError` for a cycle."""
        return graph((), [(one, name) for name, gate in self.gates.items() for one in gate.of])


class Readings(Part):
    """A metric in quiet times and now, oldest first; which way it is bad. No reading is null."""

    baseline: Annotated[tuple[Finite | None, ...], Field(max_length=10_000)] = ()
    present: Annotated[tuple[Finite | None, ...], Field(max_length=10_000)] = ()
    bad: Literal["high", "low", "either"] = "either"


class Component(Part):
    """A service, a step of a plan, a precondition, a belief: what it depends on, and what is known of it.

    `failed` is whether it did, where that is known; `prior` how probable it is that it fails by itself; for a belief
    give its `certainty` instead, which may be `{"ref": "B-7", "as": "confidence"}`. `id` is what a result cites.
    """

    depends_on: Names = ()
    metrics: Mapping[Name, Readings] = {}
    failed: bool | None = None
    prior: Probability = 0.05
    certainty: Probability | None = None
    id: str = ""

    @property
    def fails(self) -> float:
        """How probable it is that it fails by itself."""
        return self.prior if self.certainty is None else 1 - self.certainty


class Incident(Problem):
    """Something failed: things that depend on each other, with metrics or with what is known to have failed or worked.

    With `metric` the cause of that metric's change at the symptom is sought among the metrics of the same name below
    it. Without, what is known to have failed and to have worked is weighed: a failure passes on to what depends on it
    with probability `passes`.
    """

    kind: Literal["incident"] = "incident"
    symptom: Name
    metric: Name | None = None
    components: Annotated[Mapping[Name, Component], Field(min_length=1)]
    passes: Probability = 0.95

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "incident",
        "symptom": "send invoice",
        "components": {
            "send invoice": {"failed": True, "depends_on": ["write invoice", "address is right", "mail works"]},
            "write invoice": {"failed": False, "id": "STEP-1"},
            "address is right": {"certainty": 0.6, "id": "B-7"},
            "mail works": {"certainty": 0.9, "id": "B-9"},
            "send reminder": {"failed": False, "depends_on": ["mail works"], "id": "STEP-3"},
        },
    }

    @model_validator(mode="after")
    def _is_an_incident(self) -> Self:
        if self.symptom not in self.components:
            msg = f"the symptom {self.symptom!r} is no component"
            raise ValueError(msg)
        for name, one in self.components.items():
            strange = [other for other in one.depends_on if other not in self.components]
            if strange:
                msg = f"{name!r} depends on {strange[0]!r}, which is no component"
                raise ValueError(msg)
        if self.metric is None:
            if self.components[self.symptom].failed is False:
                msg = f"the symptom {self.symptom!r} is said to have worked; there is nothing to explain"
                raise ValueError(msg)
        elif self.metric not in self.components[self.symptom].metrics:
            msg = f"the symptom {self.symptom!r} has no metric {self.metric!r}"
            raise ValueError(msg)
        self.graph()
        return self

    def graph(self) -> Graph:
        """Return which failures pass on to which components. Raises `ValueError` for a cycle."""
        arrows = [(other, name) for name, one in self.components.items() for other in one.depends_on]
        return graph(self.components, arrows)
