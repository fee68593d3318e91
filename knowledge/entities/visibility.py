"""Resolve the audience of an entity: everyone, one agent, one person's agents, or a team (S2, privacy and access
control).

Users and teams are in `business.json`, and names are compared exactly:

    "users": {"kim": ["ceo", "cfo"]}, "teams": {"finance": ["cfo", "user:kim"]}
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.entities.model import Visibility
from mabos.workspace.regular import content


@dataclass(frozen=True, slots=True)
class Directory:
    """The agents of each user and the members of each team; a member is an agent, or `user:{name}`."""

    users: Mapping[str, Sequence[str]] = field(default_factory=dict)
    teams: Mapping[str, Sequence[str]] = field(default_factory=dict)

    @classmethod
    def of(cls, manifest: Mapping[str, Any]) -> "Directory":
        """Return the users and teams of a `business.json`; raises `Damaged` for another form."""
        return cls(_groups(manifest, "users"), _groups(manifest, "teams"))

    @classmethod
    def read(cls, path: Path) -> "Directory":
        """Return the users and teams in the file `business.json`; raises `Damaged` that names the file."""
        raw = content(path)
        try:
            return cls.of(orjson.loads(raw))
        except orjson.JSONDecodeError as error:
            raise Damaged(f"{path}:{error.lineno}: not JSON ({error.msg}); correct it by hand") from error
        except Damaged as error:
            raise Damaged(f"{path}: {error.message}", argument=error.argument) from error

    def principals(self, agent_id: str) -> frozenset[str]:
        """Return the identities under which an agent may see things: itself, its users, their teams and its own."""
        users = {f"user:{user}" for user, agents in self.users.items() if agent_id in agents}
        members = {agent_id} | users
        teams = {f"team:{team}" for team, there in self.teams.items() if not members.isdisjoint(there)}
        return frozenset({f"agent:{agent_id}"} | users | teams)

    def audience(
        self,
        level: Visibility,
        creator: str,
        *,
        teams: Sequence[str] = (),
        agents: Sequence[str] = (),
        users: Sequence[str] = (),
    ) -> tuple[str, ...]:
        """Return the audience of a record made by `creator`, sorted; empty is everyone.

        `teams` (those of the creator by default), `agents` and `users` matter only for a team. Raises `InvalidArgument`
        if the audience is empty, or a name is unknown in `business.json`.
        """
        if level == "public":
            return ()
        if level == "agent-private":
            return (f"agent:{creator}",)
        mine = self.principals(creator)
        if level == "user-private":
            return _someone([one for one in mine if one.startswith("user:")], "users", creator)
        for name, known in ((team, self.teams) for team in teams):
            _check_known(name, known, "teams")
        for name, known in ((user, self.users) for user in users):
            _check_known(name, known, "users")
        named = [f"team:{team}" for team in teams]
        named += [f"agent:{agent}" for agent in agents] + [f"user:{user}" for user in users]
        circle = named or [one for one in mine if one.startswith("team:")]
        return _someone([*circle, f"agent:{creator}"] if circle else [], "teams", creator)


NOBODY = Directory()
"""No users and no teams: what agents without a business have."""


def _someone(principals: Sequence[str], group: str, creator: str) -> tuple[str, ...]:
    if not principals:
        message = f"agent {creator!r} is in none of the {group} of business.json; list it there, or name who may see it"
        raise InvalidArgument(message, argument="visibility")
    return tuple(sorted(principals))


def _check_known(name: str, known: Mapping[str, Any], group: str) -> None:
    if name not in known:
        found = ", ".join(sorted(known)) or "none"
        raise InvalidArgument(f"no {name!r} among the {group} of business.json; found {found}", argument=group)


def _groups(manifest: Mapping[str, Any], name: str) -> dict[str, tuple[str, ...]]:
    found = manifest.get(name, {})
    if not isinstance(found, dict) or not all(
        isinstance(members, list) and all(isinstance(one, str) for one in members) for members in found.values()
    ):
        message = f"{name!r} must be lists of names by name, as {{'finance': ['cfo', 'user:kim']}}"
        raise Damaged(message, argument=name)
    return {group: tuple(members) for group, members in found.items()}
