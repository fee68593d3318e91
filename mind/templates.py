"""Plan templates: their purpose, conditions, values and tasks (S3 7.1 and 7.2)."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from mabos.configs.section import FrozenData
from mabos.mind.conditions import check_amount, direction
from mabos.mind.plans import END


class TemplateParameter(FrozenData):
    """A named value of a template: its default, and the belief it is read from; without a default it is required.

    `value` is a formula over known values, like `0.01 * cash`, instead of a single belief.
    """

    default: Any = None
    source: Annotated[str, Field(alias="from", pattern=r"^(belief:.+)?$")] = ""
    value: Annotated[str, AfterValidator(lambda one: check_amount(one) if one else one)] = ""
    scale: float | None = None
    min: float | None = None
    max: float | None = None

    @property
    def is_figure(self) -> bool:
        """Return whether it is a text taken from a belief: a figure for reports, not for arithmetic or colleagues."""
        reckoned = self.scale is not None or isinstance(self.default, int | float)
        return bool(self.source) and not reckoned and not self.source.endswith(".agent_id")

    @property
    def subject(self) -> str:
        """The subject of the value's belief, or an empty text."""
        return self.source.removeprefix("belief:")


class TemplateBranch(FrozenData):
    """A condition, and the step to continue with."""

    when: str
    go: str


class StepTemplate(FrozenData):
    """A step: a call, or a compound task with methods.

    `{name}` in a text is a parameter, and keeps its type if it is the whole text; `{= 0.01 * cash}` is the result of a
    sum. A step with `each` occurs once for every combination of its values: listed things, or the matches of `*` in the
    names of beliefs (`subscribers_*`). A step is left out if its `when` is false when the plan is made.
    """

    id: str
    description: str
    tool: str = ""
    task: str = ""
    arguments: dict[str, Any] = Field(default_factory=dict)
    each: dict[Annotated[str, Field(pattern=r"^[a-z]+$")], str | tuple[str, ...]] = Field(default_factory=dict)
    when: str = ""
    preconditions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    ordering: Literal["sequence", "parallel", "choice"] = "sequence"
    branches: tuple[TemplateBranch, ...] = ()
    cost: float | str = 0.0

    @model_validator(mode="after")
    def _calls_or_is_broken_down(self) -> Self:
        if self.task and (self.tool or self.arguments or self.effects or self.cost):
            raise ValueError(f"step {self.id!r} is a task; tool, arguments, effects and cost belong to its methods")
        return self


Steps = Annotated[tuple[StepTemplate, ...], Field(min_length=1)]


class TemplateMethod(FrozenData):
    """A method for a compound task; the first usable one is chosen."""

    name: str
    preconditions: tuple[str, ...] = ()
    steps: Steps

    @model_validator(mode="after")
    def _branches_lead_somewhere(self) -> Self:
        check_branches(self.steps)
        return self


def _way(result: str) -> str:
    if direction(result) is None:
        raise ValueError(f"{result!r} must name a figure and its direction, as in 'churn_rate lower'")
    return result


class Template(FrozenData):
    """A plan for a kind of goal, for some roles and kinds of business, or for all of them.

    `results` name the measured figures it moves and the direction, like `churn_rate lower`: it serves no goal with
    other targets. `goals` and `metrics` are search words.

    `tasks` are the methods of its compound tasks, the preferred one first. A goal rests `rest_days` after its plan has
    ended, and the plan's result is judged `shows_after_days` after that. A `routine` accounts for work in progress: it
    may order again while the last order is open, and is planned from current knowledge, never from memory. A `targeted`
    plan is too far-reaching to match a goal by words alone.
    """

    name: str
    category: str
    summary: str
    roles: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    goals: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    results: tuple[Annotated[str, AfterValidator(_way)], ...] = ()
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    parameters: dict[str, TemplateParameter] = Field(default_factory=dict)
    preconditions: tuple[str, ...] = ()
    steps: Steps
    tasks: dict[str, Annotated[tuple[TemplateMethod, ...], Field(min_length=1)]] = Field(default_factory=dict)
    risks: tuple[str, ...] = ()
    rest_days: Annotated[float, Field(gt=0)] = 10
    shows_after_days: Annotated[float, Field(gt=0)] = 10
    routine: bool = False
    targeted: bool = False

    @property
    def every_step(self) -> tuple[StepTemplate, ...]:
        """Every step that may be part of the plan, including those of all methods."""
        return (*self.steps, *(step for ways in self.tasks.values() for way in ways for step in way.steps))

    @model_validator(mode="after")
    def _holds_together(self) -> Self:
        check_branches(self.steps)
        for step in self.every_step:
            if step.task and step.task not in self.tasks:
                raise ValueError(f"step {step.id!r} is the task {step.task!r}, which has no methods here")
        self._check_depth(self.steps, ())
        return self

    def _check_depth(self, steps: tuple[StepTemplate, ...], above: tuple[str, ...]) -> None:
        for step in steps:
            if step.task in above:
                raise ValueError(f"the task {step.task!r} is part of its own method")
            for way in self.tasks.get(step.task, ()):
                self._check_depth(way.steps, (*above, step.task))


def check_branches(steps: tuple[StepTemplate, ...]) -> None:
    """Raise `ValueError` if two steps share an id, or a branch leads nowhere."""
    ids = [step.id for step in steps]
    if len(set(ids)) != len(ids):
        raise ValueError("two steps have the same id")
    for step in steps:
        for branch in step.branches:
            if branch.go not in (*ids, END):
                raise ValueError(f"step {step.id!r} branches to {branch.go!r}, which is not a step here")
