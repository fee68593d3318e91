"""A tool call at the gate: its caller, tool, arguments and reason."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from pydantic import BaseModel

from mabos.society.decisions import action_hash
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True)  # without slots: what most calls do not need is worked out when it is asked for
class ToolCall:
    """A call with valid arguments; `key` is its effect key or "", `confidence` (0 to 1) the agent's confidence.

    `because` has the ids it follows from: goal, intention, plan, step; `notices` list the redactions. `asked_as` is the
    digest of the call before its text was written.
    """

    tool: Tool
    agent: Agent
    values: BaseModel
    key: str = ""
    confidence: float = 1.0
    because: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    asked_as: str = ""

    @cached_property
    def arguments(self) -> Mapping[str, Any]:
        """All arguments, with defaults, by published name."""
        return self.values.model_dump(mode="json", by_alias=True)

    @cached_property
    def canonical(self) -> Mapping[str, Any]:
        """The arguments that differ from their defaults."""
        return self.tool.canonical(self.values)

    @cached_property
    def digest(self) -> str:
        """The hash that binds a decision, and an effect key, to exactly this call."""
        return action_hash(self.agent.id, self.tool.name, self.canonical)

    @cached_property
    def cost(self) -> float:
        """Its cost in dollars."""
        if self.is_draft:
            return 0.0
        most = self.tool.amount(self.arguments)
        return min(most, self.tool.commits(self.agent, self.arguments)) if self.tool.commits and most else most

    @cached_property
    def is_draft(self) -> bool:
        """Return whether it only writes a local draft, which costs nothing and leaves nothing."""
        return self.tool.drafts is not None and self.tool.drafts(self.agent, self.arguments)

    @property
    def external(self) -> bool:
        """Return whether it leaves the company."""
        return self.tool.external and not self.is_draft

    @cached_property
    def counterparty(self) -> str:
        """The party paid or bound by it, or ""."""
        return self.tool.other_party(self.arguments)

    def told(self) -> str:
        """Describe the effect of the call in words; raises if it cannot be done as asked."""
        return self.tool.told(self.agent, self.arguments)
