"""The nine roles of a company, read from `configs/roles`: persona, capabilities, beliefs, desires, playbooks and more.

A role file is data that a person may edit; `load_roles` validates it and reports faulty keys (S3 4.2 and 9.1).
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.section import FrozenData
from mabos.configs.yaml_file import read_yaml, validate_content
from mabos.mind.binding import fill_placeholders

ROLES = ("ceo", "cfo", "coo", "cmo", "cto", "hr", "legal", "strategy", "knowledge")
ROLE_FOLDER = Path(__file__).parents[1] / "configs" / "roles"
SHARED_FILE = ROLE_FOLDER.parent / "capabilities.yaml"
TEXTS_FILE = ROLE_FOLDER / "general" / "roles.yaml"
"""The nine roles for any business; the files beside it describe them for a software company."""
STAKEHOLDER = "stakeholder"

Share = Annotated[float, Field(ge=0, le=1)]
Level = Literal["none", "limited", "full"]
Text = Annotated[str, Field(min_length=1)]
Words = tuple[Text, ...]
DocumentKind = Literal["brief", "metrics"]


class StartingBelief(FrozenData):
    """An assumption of the role before any observation."""

    statement: Text
    certainty: Share
    category: Literal["environment", "self", "agent", "case"] = "environment"
    subject: Text
    predicate: str = ""
    value: Text


class StartingDesire(FrozenData):
    """A desire of the role; `target` is the condition that fulfils it, `serves` another desire's name."""

    name: Text
    description: Text
    type: Literal["achieve", "maintain", "avoid", "optimize"]
    category: Literal["terminal", "instrumental"]
    base: Share
    importance: Share
    urgency: Share
    alignment: Share
    serves: str = ""
    deps: Words = ()
    target: str = ""
    resource: str = ""
    deadline_days: Annotated[int, Field(ge=1)] | None = None


class StartingCommitment(FrozenData):
    """An obligation to an outside party, due a number of days after the business is created.

    `about` names the event that fulfils it: for `owner_report`, a periodic report delivered to the owner.
    """

    counterparty: Text
    terms: Text
    due_days: Annotated[int, Field(ge=1)]
    consequences: Text
    about: Literal["", "owner_report"] = ""


class PlaybookData(FrozenData):
    """A standard operating procedure."""

    name: Text
    trigger: Text
    steps: Annotated[Words, Field(min_length=2)]
    success: Text


class RoleNote(FrozenData):
    """A piece of reference knowledge."""

    heading: Text
    text: Text


class RoleCapabilities(FrozenData):
    """The tools a role may use in addition to everyone's, and its skills."""

    tools: Words = ()
    skills: dict[Text, Literal["novice", "competent", "expert"]] = Field(default_factory=dict)


class Role(FrozenData):
    """The initial data of a new agent with this role; the nine roles have all of it, an own role at least a title."""

    id: Text
    title: Text
    department: str = ""
    reports_to: Text = STAKEHOLDER
    manages: Words = ()
    colleagues: dict[Text, Text] = Field(default_factory=dict)
    autonomy: Level = "limited"
    autonomy_for: dict[Text, Level] = Field(default_factory=dict)
    style: str = ""
    responsibilities: Words = ()
    expertise: Words = ()
    commitment_strategy: Literal["single-minded", "open-minded", "cautious"] = "open-minded"
    capabilities: RoleCapabilities = RoleCapabilities()
    watches: Words = ()
    reads: tuple[DocumentKind, ...] = ("brief", "metrics")
    beliefs: tuple[StartingBelief, ...] = ()
    desires: tuple[StartingDesire, ...] = ()
    commitments: tuple[StartingCommitment, ...] = ()
    playbooks: tuple[PlaybookData, ...] = ()
    knowledge: tuple[RoleNote, ...] = ()

    @model_validator(mode="after")
    def _desires_refer_to_each_other(self) -> Self:
        names = {desire.name for desire in self.desires}
        for desire in self.desires:
            missing = ({desire.serves} - {""} | set(desire.deps)) - names
            if missing:
                raise ValueError(f"desire {desire.name!r} names {sorted(missing)[0]!r}, which is not a desire here")
            if desire.category == "instrumental" and not desire.serves:
                raise ValueError(f"desire {desire.name!r} is instrumental; say which desire it serves")
        return self


class RoleTexts(FrozenData):
    """The texts of a role for any business, replacing those in its own file about a software company."""

    colleagues: dict[Text, Text]
    style: Text
    responsibilities: Annotated[Words, Field(min_length=3)]
    expertise: Annotated[Words, Field(min_length=2)]
    watches: Words = ()
    beliefs: tuple[StartingBelief, ...] = ()
    desires: tuple[StartingDesire, ...] = ()
    commitments: tuple[StartingCommitment, ...] = ()
    playbooks: tuple[PlaybookData, ...] = ()
    knowledge: tuple[RoleNote, ...] = ()


class GeneralTexts(FrozenData):
    """The texts of all roles, and default words for `{customers}` and the like if a pack has none."""

    vocabulary: dict[Text, Text]
    roles: dict[Text, RoleTexts]


class Shared(FrozenData):
    """The common data of all roles: everyone's tools, and the kinds of action with an autonomy setting."""

    everyone: Annotated[Words, Field(min_length=1)]
    action_kinds: dict[Text, Text]


@cache
def load_shared() -> Shared:
    """Return the data for every role in `configs/capabilities.yaml`."""
    return validate_content(Shared, read_yaml(SHARED_FILE), SHARED_FILE.name)


@cache
def load_roles() -> dict[str, Role]:
    """Return the nine roles by id, in seat order; raises `InvalidArgument` or `Damaged` with the faulty file."""
    roles = {role_id: read_role(ROLE_FOLDER / f"{role_id}.yaml") for role_id in ROLES}
    for role in roles.values():
        for other in {role.reports_to, *role.manages, *role.colleagues} - {STAKEHOLDER}:
            if other not in roles:
                raise InvalidArgument(f"{role.id}.yaml names the role {other!r}; there are {', '.join(ROLES)}")
    return roles


def read_role(path: Path) -> Role:
    """Return the role in the file at `path`, whose name is its id."""
    role = validate_content(Role, {"id": path.stem, **read_yaml(path)}, f"{path.parent.name}/{path.name}")
    if role.id != path.stem:
        raise InvalidArgument(f"{path.name}: id is {role.id!r}; expected {path.stem!r}, the name of the file")
    return role


def role_named(role_id: str) -> Role:
    """Return one role; raises `UnknownId`."""
    roles = load_roles()
    if role_id not in roles:
        raise unknown("role", role_id, roles, argument="role")
    return roles[role_id]


def tools_of(role: Role) -> tuple[str, ...]:
    """Return the names of all tools the role may use, sorted."""
    return tuple(sorted({*load_shared().everyone, *role.capabilities.tools}))


@cache
def load_general() -> GeneralTexts:
    """Return the texts of the nine roles for any business."""
    return validate_content(GeneralTexts, read_yaml(TEXTS_FILE), TEXTS_FILE.name)


def role_texts(role: Role, vocabulary: Mapping[str, str]) -> Role:
    """Return a role with the texts for any business, in the words of this one; permissions are unchanged."""
    general = load_general()
    own = general.roles[role.id]
    others = {name: one.responsibilities[0] for name, one in general.roles.items() if name != role.id}
    texts = {**own.model_dump(), "colleagues": {**others, **own.colleagues}}
    read = RoleTexts.model_validate(fill_placeholders(texts, {**general.vocabulary, **vocabulary}))
    return role.model_copy(update={name: getattr(read, name) for name in RoleTexts.model_fields})
