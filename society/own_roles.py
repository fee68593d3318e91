"""Roles that a workspace brings itself, in `roles/<name>.yaml`: like a company's roles; only a title is required.

    # roles/scout.yaml
    title: Market scout
    responsibilities: [Watch what rivals publish]
    skills: {research: expert}
    desires:
      - {name: Know every rival, description: Keep an entry for each rival, type: maintain, category: terminal,
         base: 0.8, importance: 0.8, urgency: 0.5, alignment: 0.8}

`found_agent` makes an agent of an own role, or of one of the nine, that works for no business.
"""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson
import yaml
from pydantic import Field
from pydantic_core import to_jsonable_python

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.extensions import extension_file, extension_files
from mabos.configs.yaml_file import read_yaml, validate_content
from mabos.society.business import AGENT_FILE, AgentManifest, agent_ids
from mabos.society.provisioning import AgentSeat, provision
from mabos.society.roles import (
    STAKEHOLDER,
    DocumentKind,
    Level,
    PlaybookData,
    Role,
    RoleCapabilities,
    RoleNote,
    StartingBelief,
    StartingCommitment,
    StartingDesire,
    Text,
    Words,
    load_roles,
    role_named,
)
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.names import Layout, name
from mabos.workspace.sync import Sync

FOLDER = "roles"


class OwnRole(Role):
    """A role of the workspace's own: omitted fields are empty, and it has the tools that every role has."""

    department: str = ""
    reports_to: str = STAKEHOLDER
    colleagues: dict[Text, Text] = Field(default_factory=dict)
    autonomy: Level = "limited"
    autonomy_for: dict[Text, Level] = Field(default_factory=dict)
    style: str = ""
    responsibilities: Words = ()
    expertise: Words = ()
    capabilities: RoleCapabilities = Field(
        default_factory=lambda: RoleCapabilities.model_construct(tools=(), skills={})
    )
    watches: Words = ()
    reads: tuple[DocumentKind, ...] = ("brief", "metrics")
    beliefs: tuple[StartingBelief, ...] = ()
    desires: tuple[StartingDesire, ...] = ()
    commitments: tuple[StartingCommitment, ...] = ()
    playbooks: tuple[PlaybookData, ...] = ()
    knowledge: tuple[RoleNote, ...] = ()


def role_here(layout: Layout, role: str) -> Role:
    """Return the role of a name: the workspace's own, one of the nine, or one of an installed package.

    Raises `UnknownId` and `InvalidArgument`.
    """
    path = layout.root / FOLDER / f"{name(role, kind='role', argument='role')}.yaml"
    if not path.is_file():
        if role in load_roles():
            return role_named(role)
        installed = extension_file("mabos.roles", role)
        if installed is None:
            own = [*path.parent.glob("*.yaml"), *extension_files("mabos.roles")]
            raise unknown("role", role, {one.stem for one in own} | set(load_roles()), argument="role")
        path = installed
    shown = f"{FOLDER}/{path.name}" if path.is_relative_to(layout.root) else str(path)
    return _checked_role(role, read_yaml(path), shown)


def keep_role(layout: Layout, role: str, content: Mapping[str, Any]) -> None:
    """Write a role that code gives as the workspace's own; raises where it is not complete, or another is there."""
    path = layout.root / FOLDER / f"{name(role, kind='role', argument='role')}.yaml"
    plain = to_jsonable_python(dict(content))
    _checked_role(role, plain, "role")
    if path.is_file() and read_yaml(path) != plain:
        raise InvalidArgument(
            f"{FOLDER}/{path.name} is there and says something else; change it there", argument="role"
        )
    path.parent.mkdir(exist_ok=True)
    write_atomic(path, yaml.safe_dump(plain, sort_keys=False, allow_unicode=True).encode())


def _checked_role(role: str, content: Mapping[str, Any], shown: str) -> OwnRole:
    found = validate_content(OwnRole, {"id": role, **content}, shown)
    if found.id != role:
        raise InvalidArgument(f"{shown}: id is {found.id!r}; leave it out, or write {role!r}")
    return found


def found_agent(layout: Layout, agent_id: str, role: str, *, clock: Clock, ids: Ids, sync: Sync) -> AgentManifest:
    """Make an agent of a role that works for no business, and return its manifest; raises where one is there."""
    folder = layout.agent(name(agent_id, kind="agent id", argument="agent_id"))
    if agent_id in agent_ids(layout) or agent_id == STAKEHOLDER:
        raise InvalidArgument(f"there is an agent {agent_id!r} already; choose another id", argument="agent_id")
    chosen = role_here(layout, role)
    seat = AgentSeat(agent_id, chosen.id, "", "this workspace", {})
    provision(folder, seat, chosen, clock=clock, ids=ids, sync=sync)
    manifest = AgentManifest(
        agent_id, title=chosen.title, reports_to=STAKEHOLDER, watches=chosen.watches, reads=chosen.reads,
        created=iso(clock()),
    )  # fmt: skip
    write_atomic(folder / AGENT_FILE, orjson.dumps(asdict(manifest), option=orjson.OPT_INDENT_2))
    return manifest
