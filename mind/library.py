"""The plan library: templates from `configs/plans`, found by what they are for, and bound to a goal (S3 7.2).

match = load_library().search("reduce churn", role="coo")[0]
plan = bind(match.template, goal, mind.lookup, ids=ids, now=now)
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from configs.errors import InvalidArgument, unknown
from configs.yaml_file import checked, read_yaml
from knowledge.values import number
from mind.conditions import Lookup, holds
from mind.model import Goal, Plan, Step
from workspace.clock import iso
from workspace.ids import Ids
from workspace.text import STOPWORDS, terms

PLAN_FOLDER = Path(__file__).parents[1] / "configs" / "plans"
LIMIT = 5
FITS = 0.2
"""The score from which a template is taken to be for a goal at all."""
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")
_WEIGHTS = {"goals": 1.0, "metrics": 0.4, "summary": 0.3, "name": 0.5}
_ROLE_BONUS, _FOREIGN_ROLE = 0.25, 0.5
_IDLE = frozenset(terms("achieve maintain keep make get ensure improve plan goal target company business month months"))


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Parameter(_Data):
    """A named value of a template: its default, and the belief it is read from; without a default it must be known."""

    default: Any = None
    source: Annotated[str, Field(alias="from", pattern=r"^(belief:.+)?$")] = ""
    scale: float | None = None
    min: float | None = None
    max: float | None = None

    @property
    def subject(self) -> str:
        """What the value is believed of, or an empty text."""
        return self.source.removeprefix("belief:")


class Branch(_Data):
    """Where a plan goes on, under which condition."""

    when: str
    go: str


class StepTemplate(_Data):
    """One step; `{name}` in a text stands for a parameter, and keeps its type where it is the whole text."""

    id: str
    description: str
    tool: str = ""
    arguments: dict[str, Any] = {}
    preconditions: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    ordering: Literal["sequence", "parallel", "choice"] = "sequence"
    branches: tuple[Branch, ...] = ()
    cost: float | str = 0.0


class Template(_Data):
    """A plan for a kind of goal."""

    name: str
    category: str
    summary: str
    roles: tuple[str, ...] = ()
    goals: tuple[str, ...]
    metrics: tuple[str, ...] = ()
    confidence: Annotated[float, Field(ge=0, le=1)] = 0.5
    parameters: dict[str, Parameter] = {}
    preconditions: tuple[str, ...] = ()
    steps: Annotated[tuple[StepTemplate, ...], Field(min_length=1)]
    risks: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _branches_lead_somewhere(self) -> Self:
        ids = [step.id for step in self.steps]
        if len(set(ids)) != len(ids):
            raise ValueError("two steps have the same id")
        for step in self.steps:
            for branch in step.branches:
                if branch.go not in (*ids, "end"):
                    raise ValueError(f"step {step.id!r} branches to {branch.go!r}, which is no step here")
        return self


@dataclass(frozen=True, slots=True)
class Match:
    """A template and how well it fits, in [0, 1]."""

    template: Template
    score: float


class Library:
    """The templates by name; searching is by words, so it is the same on every machine."""

    def __init__(self, templates: Sequence[Template]) -> None:
        self._templates = {template.name: template for template in templates}
        self._words = {template.name: _weighted_words(template) for template in templates}

    def __len__(self) -> int:
        return len(self._templates)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all templates, sorted."""
        return tuple(sorted(self._templates))

    def template(self, name: str) -> Template:
        """Return one template; raises `UnknownId`."""
        if name not in self._templates:
            raise unknown("plan template", name, self._templates, argument="name")
        return self._templates[name]

    def search(self, goal_text: str, role: str = "", limit: int = LIMIT) -> list[Match]:
        """Return the templates that share words with `goal_text`, best first, equals by name.

        The score is the share of the goal's words that a template is for, a little higher for its own role and half
        for another's.
        """
        wanted = _stems(goal_text)
        found = []
        for name, template in self._templates.items():
            score = _overlap(wanted, self._words[name])
            if score > 0:
                found.append(Match(template, round(_for_role(score, template, role), 4)))
        return sorted(found, key=lambda match: (-match.score, match.template.name))[:limit]


def choose(library: Library, goal: Goal, role: str, lookup: Lookup, *, tried: Container[str] = ()) -> Match | None:
    """Return the best template for `goal` that can start and whose name is not in `tried`, or None."""
    found = library.search(f"{goal.description} {goal.target}", role)
    fitting = (match for match in found if match.score >= FITS and match.template.name not in tried)
    return next((match for match in fitting if applicable(match.template, lookup)), None)


@cache
def load_library(folder: Path = PLAN_FOLDER) -> Library:
    """Return the library in `folder`; raises `Damaged` or `InvalidArgument` with the file at fault."""
    return Library([checked(Template, read_yaml(path), path.name) for path in sorted(folder.glob("*.yaml"))])


def applicable(template: Template, lookup: Lookup) -> bool:
    """Return whether `template` lacks no value that it must know, and no precondition is known to fail."""
    if missing(template, lookup):
        return False
    values = _values(template, lookup)
    return all(holds(_filled(condition, values), lookup) is not False for condition in template.preconditions)


def missing(template: Template, lookup: Lookup) -> tuple[str, ...]:
    """Return what must be known before `template` can start and is not: nothing is done on a value nobody has."""
    return tuple(
        parameter.subject
        for parameter in template.parameters.values()
        if parameter.default is None and (not parameter.source or lookup(parameter.subject) is None)
    )


def bind(template: Template, goal: Goal, lookup: Lookup, *, ids: Ids, now: datetime) -> Plan:
    """Return the plan that `template` makes for `goal`, every parameter filled in.

    Raises `InvalidArgument` where a value that it must know is not known.
    """
    if lacking := missing(template, lookup):
        message = f"plan {template.name!r} needs a known {', '.join(lacking)}; learn it first"
        raise InvalidArgument(message, argument="goal_id")
    known = {"goal": goal.description, "goal_id": goal.id, "target": goal.target, "deadline": goal.deadline[:10]}
    values = known | {"today": iso(now)[:10]} | _values(template, lookup)
    return Plan(
        id=ids.new("P"),
        goal_id=goal.id,
        name=template.name.removeprefix("saas_").replace("_", " "),
        source="library",
        confidence=template.confidence,
        steps=bound_steps(template, values),
        status="draft",
        risks=tuple(str(_filled(risk, values)) for risk in template.risks),
        template=template.name,
        created=iso(now),
        updated=iso(now),
    )


def bound_steps(template: Template, values: Mapping[str, Any]) -> tuple[Step, ...]:
    """Return the steps of `template` with `values` for its placeholders."""
    return tuple(
        Step(
            id=step.id,
            description=str(_filled(step.description, values)),
            tool=step.tool,
            arguments=_filled(step.arguments, values),
            preconditions=tuple(str(_filled(one, values)) for one in step.preconditions),
            effects=tuple(str(_filled(one, values)) for one in step.effects),
            ordering=step.ordering,
            branches=tuple((str(_filled(branch.when, values)), branch.go) for branch in step.branches),
            cost=float(_filled(step.cost, values)),
        )
        for step in template.steps
    )


def parameters(template: Template, lookup: Lookup) -> dict[str, Any]:
    """Return the value of every parameter: from its belief where there is one, else its default."""
    return _values(template, lookup)


def _values(template: Template, lookup: Lookup) -> dict[str, Any]:
    return {name: _value(parameter, lookup) for name, parameter in template.parameters.items()}


def _value(parameter: Parameter, lookup: Lookup) -> Any:
    default = parameter.default
    held = lookup(parameter.subject) if parameter.source else None
    measured = isinstance(default, int | float) or parameter.scale is not None
    if held is None or not measured:
        return default if held is None else held
    amount = number(held)
    if amount is None:
        return default
    amount *= 1.0 if parameter.scale is None else parameter.scale
    amount = max(amount, parameter.min) if parameter.min is not None else amount
    amount = min(amount, parameter.max) if parameter.max is not None else amount
    # A template that speaks in whole dollars gets whole dollars.
    return round(amount) if isinstance(default, int) else round(amount, 4)


def _filled(value: Any, values: Mapping[str, Any]) -> Any:
    if isinstance(value, str):
        whole = _PLACEHOLDER.fullmatch(value)
        if whole and whole[1] in values:
            return values[whole[1]]
        return _PLACEHOLDER.sub(lambda found: str(values.get(found[1], found[0])), value)
    if isinstance(value, Mapping):
        return {key: _filled(one, values) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(one, values) for one in value]
    return value


def _weighted_words(template: Template) -> list[tuple[frozenset[str], float]]:
    """Return the sets of words that a goal is matched with: each goal phrase alone, then the rest."""
    groups = [(_stems(phrase), _WEIGHTS["goals"]) for phrase in template.goals]
    groups.append((_stems(" ".join(template.metrics)), _WEIGHTS["metrics"]))
    groups.append((_stems(template.summary), _WEIGHTS["summary"]))
    groups.append((_stems(template.name), _WEIGHTS["name"]))
    return groups


def _overlap(wanted: frozenset[str], groups: Sequence[tuple[frozenset[str], float]]) -> float:
    """Return the best match of a phrase, topped up by what the other words add, in [0, 1]."""
    if not wanted:
        return 0.0
    best = max((_dice(wanted, words) * weight for words, weight in groups if weight >= 1), default=0.0)
    covered = sum(max((weight for words, weight in groups if word in words), default=0.0) for word in wanted)
    return 0.6 * best + 0.4 * covered / len(wanted)


def _dice(one: frozenset[str], other: frozenset[str]) -> float:
    return 2 * len(one & other) / (len(one) + len(other)) if one and other else 0.0


def _for_role(score: float, template: Template, role: str) -> float:
    if not role or not template.roles:
        return score * (1 - _ROLE_BONUS)
    if role in template.roles:
        return min(1.0, score * (1 - _ROLE_BONUS) + _ROLE_BONUS * min(1.0, 2 * score))
    return score * _FOREIGN_ROLE


def _stems(text: str) -> frozenset[str]:
    return frozenset(_stem(word) for word in terms(text) if word not in STOPWORDS | _IDLE and not word.isdigit())


def _stem(word: str) -> str:
    """Return a word without its commonest endings: enough for `churning customers` to meet `churn customer`."""
    for ending in ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ers", "er", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word.removesuffix(ending) + ("y" if ending == "ies" else "")
    return word
