"""Businesses: their manifest, their documents, and the nine agents that run them (S3 sections 9.1, 10.1 and 17).

    manifest = create_business(layout, "acme", name="Acme", template="saas", governance=settings.governance,
                               clock=clock, ids=ids, sync=sync)
    manifest.agents["cfo"]                 # 'cfo'; in a second business called beta it is 'beta-cfo'
    manifests(layout)                      # every complete business, oldest first

`business.json` is written last: without it a business does not exist yet, and creating it again finishes it.
"""

import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar
from unicodedata import category

import orjson

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.settings import GovernanceSettings
from mabos.mind.forms import MIND_FILES
from mabos.society.governance import PROFILE_FILE, first_profile, read_profile, write_profile
from mabos.society.provisioning import AgentSeat, provision
from mabos.society.roles import ROLES, Role, role_named, tools_of
from mabos.society.templates import BusinessTemplate, template_named
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.locks import file_lock
from mabos.workspace.names import Layout
from mabos.workspace.names import name as checked_name
from mabos.workspace.records import declaration, read_file, record
from mabos.workspace.sync import Sync

Record = TypeVar("Record")

MANIFEST_FILE = "business.json"
AGENT_FILE = "agent.json"
INBOX_FOLDER = "inbox"
ABOUT_FILE = "about-the-business.md"
"""The owner's own words in the inbox, where questions find them with their place."""
LONGEST_NAME = 120
EMPTY_DOCUMENTS = ("decision-queue.json", "work-packages.json", "handoff-log.json")


@record(MANIFEST_FILE, noun="business")
@dataclass(frozen=True, slots=True)
class Manifest:
    """The content of `business.json`: the business, and the agent of each role.

    `currency` is the currency code of its amounts. `counterparties` are the other businesses, or their single agents,
    that may write to its agents; a person lists them.
    """

    id: str
    name: str
    template: str = ""
    agents: Mapping[str, str] = field(default_factory=dict)
    created: str = ""
    legal_name: str = ""
    domain: str = ""
    vertical: str = ""
    description: str = ""
    value_propositions: tuple[str, ...] = ()
    customer_segments: tuple[str, ...] = ()
    revenue_streams: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    goals: tuple[Mapping[str, Any], ...] = ()
    counterparties: tuple[str, ...] = ()
    products: tuple[str, ...] = ()
    people: tuple[Mapping[str, str], ...] = ()
    currency: str = ""

    def agent(self, role: str) -> str:
        """Return the id of the agent in a role; raises `UnknownId`."""
        if role not in self.agents:
            raise unknown("role", role, self.agents, argument="role")
        return self.agents[role]

    def role_of(self, agent_id: str) -> str:
        """Return the role an agent holds here, or an empty text."""
        return next((role for role, holder in self.agents.items() if holder == agent_id), "")


@record(AGENT_FILE, noun="agent")
@dataclass(frozen=True, slots=True)
class AgentManifest:
    """The content of `agent.json`: the agent's business, role, percepts and settings (S3 17)."""

    id: str
    business_id: str = ""
    role: str = ""
    title: str = ""
    reports_to: str = ""
    watches: tuple[str, ...] = ()
    reads: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    bdi: Mapping[str, Any] = field(default_factory=dict)
    created: str = ""


def create_business(
    layout: Layout,
    business_id: str,
    *,
    name: str,
    template: str,
    governance: GovernanceSettings,
    clock: Clock,
    ids: Ids,
    sync: Sync,
    pack: BusinessTemplate | None = None,
    **told: str | tuple[str, ...],
) -> Manifest:
    """Create a business with nine agents and return its manifest; an unfinished one is completed.

    Agents of the first business are named by role, those of later ones `{business_id}-{role}`. `told` is the
    information beyond the template: `legal_name`, `description`, `value_propositions`, `customer_segments`,
    `revenue_streams`. A `pack` made for this business replaces its template. Raises `InvalidArgument` for an invalid
    name or an existing business, `UnknownId` for an unknown template; then nothing is written.
    """
    directory, kind = layout.business(business_id), pack or template_named(template, layout.root)
    called = business_title(name)
    roles = {role_id: kind.role(role_id) for role_id in ROLES}
    with file_lock(layout.internal / "locks" / "businesses.lock"):
        check_free(layout, business_id)
        manifest = _manifest(business_id, called, kind, agents=_seats(layout, business_id), now=iso(clock()), told=told)
        _documents(layout, directory, governance)
        for role_id, agent_id in manifest.agents.items():
            seat = AgentSeat(agent_id, role_id, business_id, manifest.name, manifest.agents)
            write_json(layout.agent(agent_id) / AGENT_FILE, asdict(_claim(seat, roles[role_id], manifest.created)))
            provision(layout.agent(agent_id), seat, roles[role_id], clock=clock, ids=ids, sync=sync)
        write_json(directory / MANIFEST_FILE, asdict(manifest))
    return manifest


def check_free(layout: Layout, business_id: str) -> None:
    """Raise `InvalidArgument` if there is a business with this id."""
    if (layout.business(business_id) / MANIFEST_FILE).exists():
        message = f"business {business_id!r} exists; choose another id (taken: {', '.join(manifests(layout))})"
        raise InvalidArgument(message, argument="business_id")


def business_title(name: str) -> str:
    """Return the display name of a business on one line, as headings, tables and reports need it."""
    called = name.strip()
    if not called:
        raise InvalidArgument("a business needs a name; give one", argument="name")
    if len(called) > LONGEST_NAME or any(category(one) in ("Cc", "Zl", "Zp") for one in called):
        message = f"a business's name is one line of at most {LONGEST_NAME} characters; {called[:40]!r}... is not"
        raise InvalidArgument(message, argument="name")
    return called


def manifests(layout: Layout) -> dict[str, Manifest]:
    """Return every complete business by id, oldest first."""
    found = [read_manifest(layout, path.parent.name) for path in _files(layout.businesses, MANIFEST_FILE)]
    return {manifest.id: manifest for manifest in sorted(found, key=lambda one: (one.created, one.id))}


def read_manifest(layout: Layout, business_id: str) -> Manifest:
    """Return the manifest of a business; raises `UnknownId`, or `Damaged` that names the file and the field."""
    path = layout.business(business_id) / MANIFEST_FILE
    if not path.exists():
        known = [found.parent.name for found in _files(layout.businesses, MANIFEST_FILE)]
        raise unknown("business", business_id, known, argument="business_id")
    return _read(path, Manifest)


def read_agent(layout: Layout, agent_id: str) -> AgentManifest:
    """Return the manifest of an agent; without a file, that of the role in its name.

    Raises `UnknownId`, or `Damaged` that names the file and the field.
    """
    folder = layout.agent(agent_id)
    with suppress(FileNotFoundError):
        return _read(folder / AGENT_FILE, AgentManifest)
    if not any((folder / name).exists() for name in MIND_FILES):
        raise unknown("agent", agent_id, agent_ids(layout), argument="agent_id")
    if agent_id not in ROLES:
        return AgentManifest(agent_id)
    role = role_named(agent_id)
    return AgentManifest(
        agent_id, role=agent_id, title=role.title, reports_to=role.reports_to, watches=role.watches, reads=role.reads
    )


def agent_ids(layout: Layout) -> list[str]:
    """Return the ids of all agents, in seat order, oldest business first; agents outside businesses come last."""
    seated = [agent_id for manifest in manifests(layout).values() for agent_id in manifest.agents.values()]
    others = [path.parent.name for path in _files(layout.agents, AGENT_FILE)]
    return list(dict.fromkeys([*seated, *others]))


def write_json(path: Path, content: Any) -> None:
    """Write `content` as an indented JSON file in one step."""
    write_atomic(path, orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def _manifest(
    business_id: str, name: str, kind: BusinessTemplate, *, agents: Mapping[str, str], now: str, told: Mapping[str, Any]
) -> Manifest:
    plain = Manifest(
        id=business_id, name=name, template=kind.id, agents=agents, created=now, legal_name=name, domain=kind.domain,
        vertical=kind.vertical, description=kind.description, value_propositions=kind.value_propositions,
        customer_segments=tuple(kind.customer_segments), revenue_streams=kind.revenue_streams, metrics=kind.measures,
        products=kind.products, people=tuple(person.model_dump() for person in kind.people),
        goals=tuple(goal.model_dump() for goal in kind.goals), currency=kind.currency,
    )  # fmt: skip
    given = {key: value for key, value in told.items() if value}
    return declaration(Manifest).read(business_id, {**asdict(plain), **given})


def _seats(layout: Layout, business_id: str) -> dict[str, str]:
    """Return role -> agent id: the role itself, unless another business's agent has that name."""
    free = all(_owner(layout.agent(role)) in ("", business_id) for role in ROLES)
    return {role: role if free else checked_name(f"{business_id}-{role}", kind="agent id") for role in ROLES}


def _owner(folder: Path) -> str:
    """Return the business whose agent lives in `folder`, or an empty text without an agent."""
    path = folder / AGENT_FILE
    return _read(path, AgentManifest).business_id if path.exists() else ""


def _documents(layout: Layout, directory: Path, governance: GovernanceSettings) -> None:
    default = first_profile(governance)
    for folder in (layout.root, directory):
        if not (folder / PROFILE_FILE).exists():
            write_profile(folder, {}, read_profile(default, layout.root))
    for document in EMPTY_DOCUMENTS:
        if not (directory / document).exists():
            write_json(directory / document, [])
    (directory / INBOX_FOLDER).mkdir(parents=True, exist_ok=True)


def _claim(seat: AgentSeat, role: Role, created: str) -> AgentManifest:
    """Return the agent's manifest; once it is written, its folder belongs to this business."""
    return AgentManifest(
        id=seat.agent_id, business_id=seat.business_id, role=seat.role_id, title=role.title,
        reports_to=seat.holder(role.reports_to), watches=role.watches, reads=role.reads, tools=tools_of(role),
        bdi={"commitment_strategy": role.commitment_strategy, "autonomy": role.autonomy, "files": list(MIND_FILES)},
        created=created,
    )  # fmt: skip


def _files(folder: Path, file: str) -> list[Path]:
    names = sorted(os.listdir(folder)) if folder.is_dir() else []  # noqa: PTH208  # names alone, asked in every cycle
    return [folder / name / file for name in names if os.path.exists(f"{folder}/{name}/{file}")]  # noqa: PTH110


def _read(path: Path, kind: type[Record]) -> Record:
    """Return the record in a file; an unchanged file is not read again, since every cycle asks for one."""
    found = path.stat()
    return _read_once(path, kind, (found.st_ino, found.st_size, found.st_mtime_ns))  # type: ignore[arg-type, no-any-return]  # as its caller says


@lru_cache(maxsize=256)
def _read_once(path: Path, kind: type[Any], _stands: tuple[int, int, int]) -> Any:
    return read_file(path, kind)
