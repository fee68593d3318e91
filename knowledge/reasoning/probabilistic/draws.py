"""Problems of information and of chance: what to ask next, tables of two variables, and models to draw from."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.problem import SCALE, Finite, Name, Part, Probability, Problem, Weight, summing_to_one
from mabos.workspace.expressions import Expression

MOST_DRAWS = 5_000_000


class Question(Part):
    """What could be asked: its cost, and how likely each answer is under each hypothesis."""

    answers: Annotated[Mapping[Name, Mapping[Name, Probability]], Field(min_length=2)]
    cost: Weight = 1.0


class Questions(Problem):
    """Hypotheses, what is thought of them, and questions of which one is to be asked next."""

    kind: Literal["questions"] = "questions"
    prior: Annotated[Mapping[Name, Probability], Field(min_length=2)]
    questions: Annotated[Mapping[Name, Question], Field(min_length=1)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "questions",
        "prior": {"pricing": 0.5, "quality": 0.25, "support": 0.25},
        "questions": {
            "ask churned customers": {
                "answers": {
                    "price": {"pricing": 0.9, "quality": 0.1, "support": 0.1},
                    "other": {"pricing": 0.1, "quality": 0.9, "support": 0.9},
                }
            }
        },
    }

    @field_validator("prior")
    @classmethod
    def _prior_sums_to_one(cls, prior: Mapping[str, float]) -> Mapping[str, float]:
        return summing_to_one(prior, "the prior")

    @model_validator(mode="after")
    def _answers_are_distributions(self) -> Self:
        for name, question in self.questions.items():
            for hypothesis in self.prior:
                lacking = [answer for answer, row in question.answers.items() if hypothesis not in row]
                if lacking:
                    msg = f"question {name!r}, answer {lacking[0]!r} says nothing of {hypothesis!r}"
                    raise ValueError(msg)
                total = sum(row[hypothesis] for row in question.answers.values())
                if abs(total - 1) > SCALE:
                    msg = f"the answers to {name!r} under {hypothesis!r} sum to {total:g}, not to 1"
                    raise ValueError(msg)
        return self


class Joint(Problem):
    """Counts or weights of two variables together: a table, rows by columns."""

    kind: Literal["joint"] = "joint"
    table: Annotated[Mapping[Name, Annotated[Mapping[Name, Weight], Field(min_length=1)]], Field(min_length=1)]

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "joint",
        "table": {"weak": {"yes": 6, "no": 2}, "strong": {"yes": 3, "no": 3}},
    }

    @model_validator(mode="after")
    def _has_weight(self) -> Self:
        columns = {frozenset(row) for row in self.table.values()}
        if len(columns) > 1:
            raise ValueError("every row names the same columns")
        if sum(sum(row.values()) for row in self.table.values()) <= 0:
            raise ValueError("the table has no weight at all")
        return self


class Draw(Part):
    """A quantity and how it varies.

    normal (mean, sd), lognormal (mean and sd of its logarithm), uniform (low, high), triangular and pert (low, mode,
    high), exponential (mean), beta (a, b), discrete (values with weights), constant (mean).
    """

    distribution: Literal[
        "normal", "lognormal", "uniform", "triangular", "pert", "exponential", "beta", "discrete", "constant"
    ]
    mean: Finite | None = None
    sd: Weight | None = None
    low: Finite | None = None
    mode: Finite | None = None
    high: Finite | None = None
    a: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    b: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    values: tuple[tuple[Finite, Weight], ...] = ()

    @model_validator(mode="after")
    def _has_its_parameters(self) -> Self:
        lacking = [
            name for name in PARAMETERS[self.distribution] if not getattr(self, name) and getattr(self, name) != 0
        ]
        if lacking:
            msg = f"{self.distribution} needs {', '.join(PARAMETERS[self.distribution])}; {lacking[0]} is missing"
            raise ValueError(msg)
        if self.low is not None and self.high is not None:
            between = [self.low, *([self.mode] if self.mode is not None else []), self.high]
            if between != sorted(between) or self.low == self.high:
                msg = f"{self.distribution} has low < high, and mode between; got {between}"
                raise ValueError(msg)
        if self.distribution == "exponential" and (self.mean or 0) <= 0:
            raise ValueError("exponential has a mean above 0")
        if self.distribution == "discrete" and sum(weight for _, weight in self.values) <= 0:
            raise ValueError("discrete has values of which one has a weight above 0")
        return self


PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "normal": ("mean", "sd"),
    "lognormal": ("mean", "sd"),
    "uniform": ("low", "high"),
    "triangular": ("low", "mode", "high"),
    "pert": ("low", "mode", "high"),
    "exponential": ("mean",),
    "beta": ("a", "b"),
    "discrete": ("values",),
    "constant": ("mean",),
}


class Simulation(Problem):
    """Quantities that vary, an expression over them, and the event whose probability is asked for.

    Draws go on until the mean has this `standard_error`, at most `samples`. With `sensitivity` the shares of the
    variance are told that each quantity has alone (first) and with all others (total), after Sobol.
    """

    kind: Literal["simulation"] = "simulation"
    quantities: Annotated[Mapping[Name, Draw], Field(min_length=1, max_length=200)]
    target: str
    event: str = ""
    samples: Annotated[int, Field(ge=100, le=MOST_DRAWS)] = 100_000
    standard_error: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    sensitivity: bool = False

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "simulation",
        "quantities": {
            "units": {"distribution": "triangular", "low": 800, "mode": 1000, "high": 1500},
            "margin": {"distribution": "normal", "mean": 12, "sd": 2},
        },
        "target": "units * margin - 9000",
        "event": "units * margin < 9000",
    }

    @model_validator(mode="after")
    def _expressions_read(self) -> Self:
        try:
            for text in filter(None, (self.target, self.event)):
                Expression.of(text, known=frozenset(self.quantities))
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        return self
