"""A model that works from a script, and an office for it: what tests of work sessions stand on."""

from collections.abc import Callable
from typing import Any

from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel, ToolUse
from mabos.configs.errors import Unavailable
from mabos.language.request import Request
from mabos.tools.work.session import WorkSession
from tests.world import Member

Scripted = Reply | Callable[[ScriptedCall], Reply]


class Working(ScriptedModel):
    """A model that answers calls of work sessions in order; whatever else is asked finds nobody there."""

    def __init__(self, *script: Scripted) -> None:
        self.script = list(script)
        super().__init__(self._reply)

    @property
    def works(self) -> list[ScriptedCall]:
        """The calls of work sessions so far."""
        return [one for one in self.calls if one.tag == "work"]

    def said(self, number: int = -1) -> str:
        """Return everything that a call was shown after the briefing."""
        return "\n".join(one.content for one in self.works[number].messages[2:])

    def _reply(self, call: ScriptedCall) -> Reply:
        if call.tag != "work" or not self.script:
            return Unavailable("nobody is there")
        reply = self.script.pop(0)
        return reply(call) if callable(reply) else reply


def use(name: str, /, call: str = "call-1", **arguments: Any) -> ToolUse:
    """Return one use of a tool."""
    return ToolUse(call, name, arguments)


def campaign(name: str = "Spring", weekly: float = 90, weeks: int = 3, call: str = "call-1") -> ToolUse:
    """Return the order of a search campaign for everybody."""
    return use(
        "ad_campaign_create", call, name=name, channel="search", segment="all", weekly_budget_usd=weekly, weeks=weeks
    )


def told(member: Member) -> list[str]:
    """Return what an agent has said to the owner."""
    return [one.content for one in member.world.agent(member.id).services.inbox("stakeholder").messages()
            if one.sender == member.id]  # fmt: skip


def session(member: Member) -> WorkSession:
    """Return the only work session of an agent."""
    (found,) = member.handle.work.all()
    return found


def orders(member: Member) -> list[Request]:
    """Return what sessions of an agent ordered."""
    return [one for one in member.handle.requests.all() if one.data.get("work")]


def performed(member: Member, tool: str) -> int:
    """Return how often an operation had its effect, by the records of effects."""
    effects = member.services.directory.effects(member.id).all()
    return sum(one.tool == tool and one.status == "done" for one in effects)
