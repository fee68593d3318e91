"""Business packs: products, metrics and desires of a kind of business, laid over the nine roles (`configs/templates`).

template = template_named("saas")
template.role("cfo").watches           # the CFO's metrics, as far as this kind of business has them

A pack is one YAML file. A person copies it into the workspace's `templates/` folder and changes it there.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.extensions import extension_file, extension_files
from mabos.configs.section import FrozenData
from mabos.configs.yaml_file import read_yaml, validate_content
from mabos.mind.binding import fill_placeholders
from mabos.mind.conditions import is_numeric, subjects
from mabos.society.figures import TREND, BusinessFigure, alarm, wish
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
    role_texts,
)
from mabos.workspace.atomic import keep_yaml
from mabos.workspace.names import Layout, name

TEMPLATE_FOLDER = Path(__file__).parents[1] / "configs" / "templates"

MARKET_FOLDER = TEMPLATE_FOLDER.parent / "scenarios" / "templates"
"""Packs of simulated companies: they measure what the market of a scenario reports."""
OWN_FOLDER = "templates"
"""The folder of a workspace that holds packs of its own."""

_TIERS = ("strategic", "tactical", "operational")


class TemplateGoal(FrozenData):
    """A typical initial goal of such a business; `owner` is a role, `serves` the text of a parent goal."""

    text: Text
    owner: Text
    target: Text
    level: Literal["strategic", "tactical", "operational"] = "strategic"
    horizon_days: Annotated[int, Field(ge=1)]
    serves: str = ""


class RoleAddition(FrozenData):
    """Additions to a role in this kind of business."""

    responsibilities: Words = ()
    expertise: Words = ()
    watches: Words = ()
    beliefs: tuple[StartingBelief, ...] = ()
    desires: tuple[StartingDesire, ...] = ()
    playbooks: tuple[PlaybookData, ...] = ()
    knowledge: tuple[RoleNote, ...] = ()


class BusinessPerson(FrozenData):
    """A person who works in or for the business, and their duties."""

    name: Text
    duty: str = ""


class FirstQuestion(FrozenData):
    """A role's first question to the owner, unless all its `figures` or interview keys are known."""

    role: Text
    text: Text
    figures: Words = ()


class BusinessTemplate(FrozenData):
    """A pack: a line of business, its figures, people, rules, duties and words. `domain` is its ontology.

    `base` selects the texts of the nine roles: for any business, or for a software company. In a business described by
    its owner, roles have no targets of their own, since nobody set them. `metrics` are measured numbers other than the
    `figures`. `rules` and `duties` are sentences of the owner. `vocabulary` fills in `{customers}` and the like in the
    texts of roles. `words` identify descriptions of this line.
    """

    id: Text
    title: Text
    description: Text
    domain: Text
    vertical: str = ""
    currency: str = ""
    base: Literal["software", "general"] = "software"
    is_described: bool = False
    products: Words = ()
    value_propositions: Words = ()
    customer_segments: dict[Text, str] = Field(default_factory=dict)
    revenue_streams: Words = ()
    figures: tuple[BusinessFigure, ...] = ()
    metrics: Words = ()
    people: tuple[BusinessPerson, ...] = ()
    rules: Words = ()
    duties: Words = ()
    vocabulary: dict[Text, Text] = Field(default_factory=dict)
    words: Words = ()
    questions: tuple[FirstQuestion, ...] = ()
    goals: tuple[TemplateGoal, ...] = ()
    roles: dict[Text, RoleAddition] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_known_roles(self) -> Self:
        asking = [question.role for question in self.questions]
        watching = [figure.owner for figure in self.figures if figure.owner]
        for role_id in [*self.roles, *(goal.owner for goal in self.goals), *asking, *watching]:
            if role_id not in ROLES:
                raise ValueError(f"there is no role {role_id!r}; there are {', '.join(ROLES)}")
        tiers = {goal.text: _TIERS.index(goal.level) for goal in self.goals}
        for goal in self.goals:
            if goal.serves and tiers.get(goal.serves, len(_TIERS)) >= tiers[goal.text]:
                raise ValueError(f"goal {goal.text!r} serves {goal.serves!r}, which is not a goal of a higher level")
        return self

    @property
    def measures(self) -> tuple[str, ...]:
        """Return the names of all numbers that this kind of business measures."""
        return tuple(dict.fromkeys((*(figure.name for figure in self.figures), *self.metrics)))

    def figures_of(self, role_id: str) -> tuple[BusinessFigure, ...]:
        """Return the figures that a role owns; the chief owns those without a named owner."""
        return tuple(figure for figure in self.figures if (figure.owner or "ceo") == role_id)

    def role(self, role_id: str) -> Role:
        """Return the role for this kind of business.

        Watches, beliefs and desires about a metric this business does not have are left out (a belief about a metric
        has no predicate). An instrumental desire without its purpose becomes independent.
        """
        base, more, known = role_named(role_id), self.roles.get(role_id, RoleAddition()), set(self.measures)
        if self.base == "general":
            base = role_texts(base, self.vocabulary)
        if self.is_described:
            wishes = (one.model_copy(update={"target": ""}) if is_numeric(one.target) else one for one in base.desires)
            base = base.model_copy(update={"desires": tuple(wishes)})
        own = self.figures_of(role_id)
        aimed = [figure for figure in own if figure.target]
        desires = [one for one in (*base.desires, *more.desires, *map(wish, aimed)) if self._measures(one.target)]
        names = {desire.name for desire in desires}
        watched = [*base.watches, *more.watches, *(figure.name for figure in own)]
        courses = [f"{TREND}{figure.name}" for figure in own]
        beliefs = (*base.beliefs, *more.beliefs)
        return base.model_copy(
            update={
                "responsibilities": (
                    *base.responsibilities,
                    *fill_placeholders(more.responsibilities, self.vocabulary),
                ),
                "expertise": (*base.expertise, *more.expertise),
                "watches": (*dict.fromkeys(name for name in watched if name in known), *courses),
                "beliefs": tuple(belief for belief in beliefs if belief.predicate or belief.subject in known),
                "desires": tuple(_standing(desire, names) for desire in desires),
                "playbooks": (*base.playbooks, *more.playbooks, *map(alarm, aimed)),
                "knowledge": (*base.knowledge, *more.knowledge),
            }
        )

    def _measures(self, target: str) -> bool:
        metrics = [subject for subject in subjects(target) if " " not in subject]
        return all(metric in self.measures for metric in metrics)


def _standing(desire: StartingDesire, names: set[str]) -> StartingDesire:
    deps = tuple(dep for dep in desire.deps if dep in names)
    if desire.serves in names or not desire.serves:
        return desire.model_copy(update={"deps": deps})
    return desire.model_copy(update={"deps": deps, "serves": "", "category": "terminal"})


def templates(root: Path | None = None) -> tuple[str, ...]:
    """Return the names of all packs: shipped ones, those of the workspace at `root`, and those of packages."""
    own = (*(root / OWN_FOLDER).glob("*.yaml"), *extension_files("mabos.templates")) if root is not None else ()
    return tuple(sorted({path.stem for path in (*TEMPLATE_FOLDER.glob("*.yaml"), *own)}))


def is_own(template_id: str, root: Path | None) -> bool:
    """Return whether a pack belongs to the workspace at `root`, and so was written by its owner."""
    return root is not None and (root / OWN_FOLDER / f"{template_id}.yaml").exists()


def market_template(template_id: str) -> str:
    """Return the pack of a simulated company of a kind: the one for market reports, if it exists.

    >>> market_template("ecommerce"), market_template("saas")
    ('ecommerce-market', 'saas')
    """
    return f"{template_id}-market" if (MARKET_FOLDER / f"{template_id}-market.yaml").exists() else template_id


def template_named(template_id: str, root: Path | None = None) -> BusinessTemplate:
    """Return one pack; the workspace's own comes first. Raises `UnknownId` with the nearest."""
    own = root / OWN_FOLDER / f"{template_id}.yaml" if root is not None else None
    if own is not None and template_id in templates(root) and own.exists():
        return read_template(own)
    installed = extension_file("mabos.templates", template_id) if root is not None else None
    if installed is not None and template_id not in templates():
        return read_template(installed)
    if not (MARKET_FOLDER / f"{template_id}.yaml").exists() and template_id not in templates():
        raise unknown("template", template_id, templates(root), argument="template")
    return _load_shipped(template_id)


@cache
def _load_shipped(template_id: str) -> BusinessTemplate:
    listed = template_id in templates()
    return read_template((TEMPLATE_FOLDER if listed else MARKET_FOLDER) / f"{template_id}.yaml")


def read_template(path: Path) -> BusinessTemplate:
    """Return the pack in a file, named by its id; raises `InvalidArgument` or `Damaged` with the faulty key."""
    template = validate_content(BusinessTemplate, read_yaml(path), path.name)
    if template.id != path.stem:
        raise InvalidArgument(f"{path.name}: id is {template.id!r}; expected {path.stem!r}, the name of the file")
    return template


def keep_template(layout: Layout, content: Mapping[str, Any]) -> str:
    """Write a pack defined in code as the workspace's own, and return its id.

    Raises `InvalidArgument` if it is incomplete, or a file of this name has other content.
    """
    pack = validate_content(BusinessTemplate, content, "template")
    path = layout.root / OWN_FOLDER / f"{name(pack.id, kind='template', argument='template')}.yaml"
    keep_yaml(path, content, argument="template")
    return pack.id
