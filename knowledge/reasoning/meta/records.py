"""Problems about reasoning itself: whether to go on, with which method, how methods fared, whether steps hold."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.classification import NEUTRAL, Classification
from mabos.knowledge.reasoning.problem import Finite, Name, Part, Probability, Problem, Weight


class Option(Part):
    """What could be done next to be surer: how often it is right, and what it costs."""

    reliability: Probability
    cost: Weight = 0.0


class Computation(Problem):
    """Whether to act now or think on: how sure the answer is, what being right and wrong is worth, what could be done.

    `ask` is the option of asking a person.
    """

    kind: Literal["computation"] = "computation"
    confidence: Probability
    gain: Weight = 1.0
    loss: Weight = 0.0
    options: Mapping[Name, Option] = {}
    ask: Option | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "computation",
        "confidence": 0.7,
        "gain": 100,
        "loss": 50,
        "options": {"bayesian": {"reliability": 0.9, "cost": 5}, "monte-carlo": {"reliability": 0.92, "cost": 20}},
    }


class Instance(Part):
    """A problem that was solved: its features, and what each method cost on it."""

    features: Annotated[tuple[Finite, ...], Field(min_length=1)]
    costs: Annotated[Mapping[Name, Finite], Field(min_length=1)]


class Selection(Problem):
    """Which method for a problem: by its classification, or by what methods cost on problems with like features."""

    kind: Literal["selection"] = "selection"
    classification: Classification = NEUTRAL
    features: tuple[Finite, ...] = ()
    solved: Annotated[tuple[Instance, ...], Field(max_length=50_000)] = ()
    nearest: Annotated[int, Field(ge=1, le=1000)] = 5

    example: ClassVar[Mapping[str, Any]] = {"kind": "selection", "classification": {"uncertainty": "high"}}

    @model_validator(mode="after")
    def _features_are_alike(self) -> Self:
        if bool(self.features) != bool(self.solved):
            raise ValueError("features are compared with those of solved problems: give both or neither")
        for number, one in enumerate(self.solved):
            if len(one.features) != len(self.features):
                msg = f"solved problem {number} has {len(one.features)} features, this one {len(self.features)}"
                raise ValueError(msg)
            if set(one.costs) != set(self.solved[0].costs):
                msg = f"solved problem {number} and the first are not of the same methods"
                raise ValueError(msg)
        return self


class Outcome(Part):
    """One answer of a method in some circumstances, and whether it was right."""

    method: Name
    right: bool
    circumstances: str = ""


class Outcomes(Problem):
    """How methods fared, and the circumstances in which one is to be chosen."""

    kind: Literal["outcomes"] = "outcomes"
    outcomes: Annotated[tuple[Outcome, ...], Field(min_length=1)]
    circumstances: str = ""

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "outcomes",
        "outcomes": [
            {"method": "bayesian", "right": True},
            {"method": "bayesian", "right": True},
            {"method": "heuristic", "right": False},
        ],
    }


class TracedStep(Part):
    """A step to be checked: expressions that are said to be equal, or a formula that is said to follow.

    `equal` may name what earlier steps define; `defines` gives its own value a name. `formula` follows from the
    premises and steps in `uses`. A step with neither is prose and is not checked.
    """

    label: Name
    says: str = ""
    equal: tuple[str, ...] = ()
    defines: str = ""
    formula: str = ""
    uses: tuple[Name, ...] = ()


class Traced(Problem):
    """Steps of reasoning to be checked, and the premises they rest on, as formulas by name."""

    kind: Literal["trace"] = "trace"
    premises: Mapping[Name, str] = {}
    steps: Annotated[tuple[TracedStep, ...], Field(min_length=1, max_length=2_000)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "trace",
        "steps": [
            {"label": "1", "equal": ["8 * 9 * 8", "72 * 8", "576"], "defines": "a"},
            {"label": "2", "equal": ["a + 7", "584"]},
        ],
    }

    @model_validator(mode="after")
    def _rests_on_what_is_there(self) -> Self:
        known = set(self.premises)
        for step in self.steps:
            strange = [one for one in step.uses if one not in known]
            if strange:
                msg = f"step {step.label!r} uses {strange[0]!r}, which is no premise and no earlier step"
                raise ValueError(msg)
            if step.label in known:
                msg = f"{step.label!r} is the label of two steps or premises"
                raise ValueError(msg)
            known.add(step.label)
        return self


class Forecasts(Problem):
    """How sure forecasts were and whether they came true: true or false, or between, as a draw is half a victory."""

    kind: Literal["forecasts"] = "forecasts"
    forecasts: Annotated[tuple[tuple[Probability, Probability], ...], Field(min_length=1, max_length=1_000_000)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "forecasts",
        "forecasts": [[0.9, True], [0.8, True], [0.7, False], [0.3, False]],
    }
