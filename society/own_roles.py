"""A workspace's own roles, in `roles/<name>.yaml`: like a company's roles, but only a title is required.

    # roles/scout.yaml
    title: Market scout
    responsibilities: [Watch what rivals publish]
    skills: {research: expert}
    desires:
      - {name: Know every rival, description: Keep an entry for each rival, type: maintain, category: terminal,
         base: 0.8, importance: 0.8, urgency: 0.5, alignment: 0.8}

`found_agent` creates an agent outside any business, from an own role or one of the nine.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

import orjson

from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.extensions import extension_file, extension_files
from mabos.configs.yaml_file import validate_content
from mabos.society.business import AGENT_FILE, AgentManifest, agent_ids
from mabos.society.provisioning import AgentSeat, provision
from mabos.society.roles import STAKEHOLDER, Role, load_roles, read_role, role_named
from mabos.workspace.atomic import keep_yaml, write_atomic
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.names import Layout, name
from mabos.workspace.sync import Sync

FOLDER = "roles"


def role_here(layout: Layout, role: str) -> Role:
    """Return the role with a name: the workspace's own, one of the nine, or one of an installed package.

    Raises `UnknownId` and `InvalidArgument`.
    """
    path = layout.root / FOLDER / f"{name(role, kind='role', argument='role')}.yaml"
    if path.is_file():
        return read_role(path)
    if role in load_roles():
        return role_named(role)
    if installed := extension_file("mabos.roles", role):
        return read_role(installed)
    own = [*path.parent.glob("*.yaml"), *extension_files("mabos.roles")]
    raise unknown("role", role, {one.stem for one in own} | set(load_roles()), argument="role")


def found_agent(
    layout: Layout,
    agent_id: str,
    role: str | Mapping[str, Any],
    *,
    find_tool: Callable[[str], object],
    clock: Clock,
    ids: Ids,
    sync: Sync,
) -> AgentManifest:
    """Create an agent outside any business from a role, and return its manifest; raises if it exists.

    A role defined in code is saved as the workspace's own, under the agent's id. `find_tool` raises `UnknownId` for a
    name in the role's capabilities that is not a tool; a pattern may match none yet.
    """
    folder = layout.agent(name(agent_id, kind="agent id", argument="agent_id"))
    if agent_id in agent_ids(layout) or agent_id == STAKEHOLDER:
        raise InvalidArgument(f"an agent {agent_id!r} already exists; choose another id", argument="agent_id")
    given = None if isinstance(role, str) else validate_content(Role, {**role, "id": agent_id}, "role")
    chosen = given or role_here(layout, str(role))
    for tool in chosen.capabilities.tools:
        if not set(tool) & set("*?["):
            find_tool(tool)
    if not isinstance(role, str):
        keep_yaml(layout.root / FOLDER / f"{agent_id}.yaml", role, argument="role")
    seat = AgentSeat(agent_id, chosen.id, "", "this workspace", {})
    provision(folder, seat, chosen, clock=clock, ids=ids, sync=sync)
    manifest = AgentManifest(
        agent_id, title=chosen.title, reports_to=STAKEHOLDER, watches=chosen.watches, reads=chosen.reads,
        created=iso(clock()),
    )  # fmt: skip
    write_atomic(folder / AGENT_FILE, orjson.dumps(asdict(manifest), option=orjson.OPT_INDENT_2))
    return manifest
