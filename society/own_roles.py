"""Roles that a workspace brings itself, in `roles/<name>.yaml`: as a company has them; only a title is required.

    # roles/scout.yaml
    title: Market scout
    responsibilities: [Watch what rivals publish]
    skills: {research: expert}
    desires:
      - {name: Know every rival, description: Keep an entry for each rival, type: maintain, category: terminal,
         base: 0.8, importance: 0.8, urgency: 0.5, alignment: 0.8}

`found_agent` makes an agent of such a role, or of one of the nine, that works for no business.
"""

from dataclasses import asdict

import orjson
from pydantic import Field

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.yaml_file import checked, read_yaml
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
    """A role of the workspace's own: it has none of what it leaves out, and the tools that every role has."""

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
    """Return the role of a name: the workspace's own, else one of the nine; raises `UnknownId`, `InvalidArgument`."""
    path = layout.root / FOLDER / f"{name(role, kind='role', argument='role')}.yaml"
    if not path.is_file():
        own = sorted(one.stem for one in path.parent.glob("*.yaml"))
        if role not in load_roles():
            raise unknown("role", role, [*own, *load_roles()], argument="role")
        return role_named(role)
    found = checked(OwnRole, {"id": role, **read_yaml(path)}, f"{FOLDER}/{path.name}")
    if found.id != role:
        raise InvalidArgument(f"{FOLDER}/{path.name}: id is {found.id!r}; leave it out, or write {role!r}")
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
