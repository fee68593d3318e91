"""Business templates: what a kind of business measures and wants, laid over the nine roles (`configs/templates`).

template = template_named("saas")
template.role("cfo").watches           # the CFO's metrics, as far as this kind of business has them
"""

from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.yaml_file import checked, read_yaml
from mabos.mind.conditions import subjects
from mabos.society.roles import (
    ROLES,
    PlaybookData,
    Role,
    RoleNote,
    StartingBelief,
    StartingDesire,
    Text,
    Words,
    role_named,
)

TEMPLATE_FOLDER = Path(__file__).parents[1] / "configs" / "templates"

_TIERS = ("strategic", "tactical", "operational")


class TemplateGoal(BaseModel):
    """A goal that businesses of this kind usually begin with; `owner` is a role, `serves` the text of one above it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    text: Text
    owner: Text
    target: Text
    level: Literal["strategic", "tactical", "operational"] = "strategic"
    horizon_days: Annotated[int, Field(ge=1)]
    serves: str = ""


class RoleAddition(BaseModel):
    """What a role has in this kind of business beside its own file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    watches: Words = ()
    beliefs: tuple[StartingBelief, ...] = ()
    desires: tuple[StartingDesire, ...] = ()
    playbooks: tuple[PlaybookData, ...] = ()
    knowledge: tuple[RoleNote, ...] = ()


class BusinessTemplate(BaseModel):
    """A kind of business; `metrics` are the numbers it measures, `domain` the ontology it speaks."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Text
    title: Text
    description: Text
    domain: Text
    vertical: Text
    value_propositions: Annotated[Words, Field(min_length=1)]
    customer_segments: Annotated[dict[Text, Text], Field(min_length=1)]
    revenue_streams: Annotated[Words, Field(min_length=1)]
    metrics: Annotated[Words, Field(min_length=5)]
    goals: Annotated[tuple[TemplateGoal, ...], Field(min_length=1)]
    roles: dict[Text, RoleAddition] = {}

    @model_validator(mode="after")
    def _names_known_roles(self) -> Self:
        for role_id in [*self.roles, *(goal.owner for goal in self.goals)]:
            if role_id not in ROLES:
                raise ValueError(f"there is no role {role_id!r}; there are {', '.join(ROLES)}")
        tiers = {goal.text: _TIERS.index(goal.level) for goal in self.goals}
        for goal in self.goals:
            if goal.serves and tiers.get(goal.serves, len(_TIERS)) >= tiers[goal.text]:
                raise ValueError(f"goal {goal.text!r} serves {goal.serves!r}, which is no goal of a higher level")
        return self

    def role(self, role_id: str) -> Role:
        """Return the role as it is in this kind of business.

        What watches, assumes or wants a metric this business does not have is left out (a belief about a metric has no
        predicate); an instrumental desire whose purpose was left out stands for itself.
        """
        base, more, known = role_named(role_id), self.roles.get(role_id, RoleAddition()), set(self.metrics)
        desires = [wish for wish in (*base.desires, *more.desires) if self._measures(wish.target)]
        names = {desire.name for desire in desires}
        watched = dict.fromkeys((*base.watches, *more.watches))
        beliefs = (*base.beliefs, *more.beliefs)
        return base.model_copy(
            update={
                "watches": tuple(name for name in watched if name in known),
                "beliefs": tuple(belief for belief in beliefs if belief.predicate or belief.subject in known),
                "desires": tuple(_standing(desire, names) for desire in desires),
                "playbooks": (*base.playbooks, *more.playbooks),
                "knowledge": (*base.knowledge, *more.knowledge),
            }
        )

    def _measures(self, target: str) -> bool:
        metrics = [subject for subject in subjects(target) if " " not in subject]
        return all(metric in self.metrics for metric in metrics)


def _standing(desire: StartingDesire, names: set[str]) -> StartingDesire:
    deps = tuple(dep for dep in desire.deps if dep in names)
    if desire.serves in names or not desire.serves:
        return desire.model_copy(update={"deps": deps})
    return desire.model_copy(update={"deps": deps, "serves": "", "category": "terminal"})


def templates() -> tuple[str, ...]:
    """Return the names of all templates."""
    return tuple(sorted(path.stem for path in TEMPLATE_FOLDER.glob("*.yaml")))


@cache
def template_named(template_id: str) -> BusinessTemplate:
    """Return one template; raises `UnknownId` that names the nearest."""
    if template_id not in templates():
        raise unknown("template", template_id, templates(), argument="template")
    path = TEMPLATE_FOLDER / f"{template_id}.yaml"
    template = checked(BusinessTemplate, read_yaml(path), path.name)
    if template.id != template_id:
        raise InvalidArgument(f"{path.name}: id is {template.id!r}; expected {template_id!r}, the name of the file")
    return template
