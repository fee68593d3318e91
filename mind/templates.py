"""What a plan template says: for what, when, with which values, and the tasks that it is made of (S3 7.1 and 7.2)."""

from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from mabos.mind.conditions import checked, direction
from mabos.mind.plans import END


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class TemplateParameter(_Data):
    """A named value of a template: its default, and the belief it is read from; without a default it must be known.

    `value` is a sum over what is known, as `0.01 * cash`, in the place of a single belief.
    """

    default: Any = None
    source: Annotated[str, Field(alias="from", pattern=r"^(belief:.+)?$")] = ""
    value: Annotated[str, AfterValidator(lambda one: checked(one) if one else one)] = ""
    scale: float | None = None
    min: float | None = None
    max: float | None = None

    @property
    def is_figure(self) -> bool:
        """Whether it is a text taken from a belief: a figure to tell, no number to reckon with and no colleague."""
        reckoned = self.scale is not None or isinstance(self.default, int | float)
        return bool(self.source) and not reckoned and not self.source.endswith(".agent_id")

    @property
    def subject(self) -> str:
        """What the value is believed of, or an empty text."""
        return self.source.removeprefix("belief:")


class TemplateBranch(_Data):
    """Where a plan goes on, under which condition."""

    when: str
    go: str


class StepTemplate(_Data):
    """One step: a call, or a compound task for which there are methods.

    `{name}` in a text stands for a parameter, and keeps its type where it is the whole text; `{= 0.01 * cash}` for what
    a sum comes to. A step with `each` is there once for every combination of what its names stand for: things listed,
    or what `*` is in the names of beliefs (`subscribers_*`). One whose `when` does not hold as the plan is made is left
    out.
    """

    id: str
    description: str
    tool: str = ""
    task: str = ""
    arguments: dict[str, Any] = {}
    each: dict[Annotated[str, Field(pattern=r"^[a-z]+$")], str | tuple[str, ...]] = {}
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


class TemplateMethod(_Data):
    """One way to do a compound task; the first that can be used is taken."""

    name: str
    preconditions: tuple[str, ...] = ()
    steps: Steps

    @model_validator(mode="after")
    def _branches_lead_somewhere(self) -> Self:
        check_branches(self.steps)
        return self


def _way(result: str) -> str:
    if direction(result) is None:
        raise ValueError(f"{result!r} names no figure and its direction, as 'churn_rate lower' does")
    return result


class Template(_Data):
    """A plan for a kind of goal, for some roles and kinds of business, or for all.

    `results` say which measured figures it moves and in which direction, as `churn_rate lower`: it serves no goal whose
    target asks for others. `goals` and `metrics` are words by which it is found.

    `tasks` are the methods of its compound tasks, the preferred one first. A goal rests `rest_days` after its plan has
    ended, and what the plan was for is judged `shows_after_days` after that. A `routine` reckons with what is under way
    itself: it may order again while the last order is open, and is planned from what is known now, never from memory.
    A `targeted` one serves no goal by its words alone: what it does is too wide for that.
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
    parameters: dict[str, TemplateParameter] = {}
    preconditions: tuple[str, ...] = ()
    steps: Steps
    tasks: dict[str, Annotated[tuple[TemplateMethod, ...], Field(min_length=1)]] = {}
    risks: tuple[str, ...] = ()
    rest_days: Annotated[float, Field(gt=0)] = 10
    shows_after_days: Annotated[float, Field(gt=0)] = 10
    routine: bool = False
    targeted: bool = False

    @property
    def every_step(self) -> tuple[StepTemplate, ...]:
        """Every step that may be part of the plan, those of all methods too."""
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
    """Raise `ValueError` where two steps share an id, or a branch leads nowhere."""
    ids = [step.id for step in steps]
    if len(set(ids)) != len(ids):
        raise ValueError("two steps have the same id")
    for step in steps:
        for branch in step.branches:
            if branch.go not in (*ids, END):
                raise ValueError(f"step {step.id!r} branches to {branch.go!r}, which is no step here")
