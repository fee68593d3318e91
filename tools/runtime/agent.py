"""What a tool and a node get: one agent, bound to the open stores, the clock and the ids of this call or cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from mabos.society.roles import STAKEHOLDER

if TYPE_CHECKING:
    from mabos.knowledge.cases import Cases
    from mabos.knowledge.facts import Facts
    from mabos.knowledge.reasoning.history import Episodes
    from mabos.knowledge.rules import Rules
    from mabos.memory.memory import Memory
    from mabos.mind.mind import Mind
    from mabos.society.inbox import Inbox
    from mabos.tools.runtime.services import Business, Services
    from mabos.workspace.clock import Clock
    from mabos.workspace.ids import Ids


__all__ = ["PERSON", "STAKEHOLDER", "Agent", "Caller"]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who makes a call: a person may name any agent, an agent only itself."""

    kind: Literal["person", "agent"]
    agent_id: str = ""


PERSON = Caller("person")
"""A person; without an agent's name it acts, sends messages and stands in the ledger as `STAKEHOLDER`."""


@dataclass(frozen=True, slots=True)
class Agent:
    """One agent as a tool sees it; cheap, since the stores behind it are shared and stay open.

    `clock` and `ids` are those of the call: in a call with an effect key they are frozen and seeded by the key, so
    running it again writes the same records. `key` is that effect key, or ""; with `is_again` a call with this key was
    cut short before, and what it was to do may be done already.
    """

    id: str
    business_id: str
    mind: Mind
    memory: Memory
    facts: Facts
    rules: Rules
    cases: Cases
    episodes: Episodes
    inbox: Inbox
    services: Services
    clock: Clock
    ids: Ids
    caller: Caller = PERSON
    cycle: str = ""
    key: str = ""
    is_again: bool = False

    @property
    def is_person(self) -> bool:
        """Whether a person acts in no agent's name: asking for mind, memory or inbox is then refused."""
        return self.id == STAKEHOLDER

    @property
    def business(self) -> Business:
        """The business this agent works for, else the only one; raises `UnknownId` where there is none."""
        return self.services.business(self.business_id)

    def mind_of(self, agent_id: str) -> Mind:
        """Return the mind of another agent, at the clock and with the ids of this call; raises `UnknownId`."""
        return self.services.agent(agent_id, clock=self.clock, ids=self.ids).mind
