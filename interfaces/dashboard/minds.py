"""An agent's mind now, or after any of its cycles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import UnknownId
from mabos.interfaces.dashboard.activity import activity_lines
from mabos.interfaces.dashboard.view import PageRequest
from mabos.interfaces.past import mind_at
from mabos.interfaces.standing import Committed, MindOverview, standing
from mabos.mind.maintenance import Thresholds
from mabos.mind.mind import Mind
from mabos.mind.model import Learning
from mabos.workspace.clock import iso

SHOWN = 8
"""Beliefs, desires and the like that are shown unless all are asked for."""
_EVERY = 1_000_000
_WORKING = ("active", "awaiting_approval", "suspended", "stalled")


@dataclass(frozen=True, slots=True)
class Slider:
    """The cycles of an agent, and the selected one; beyond the last one is the present."""

    cycles: Sequence[str]
    at: int

    @property
    def cycle(self) -> str:
        """The selected cycle; "" is the present."""
        return self.cycles[self.at] if self.at < len(self.cycles) else ""


@dataclass(frozen=True, slots=True)
class ShownMind:
    """The content of a mind at a time, newest lessons first."""

    found: MindOverview
    learnings: tuple[Learning, ...]
    working: tuple[Committed, ...]
    over: int


def minds(asked: PageRequest) -> Mapping[str, Any]:
    """Return one agent's mind, now or after the requested cycle."""
    services, known = asked.services, asked.services.agents()
    if not known:
        return {"agents": ()}
    agent = services.agent(asked.text("agent", known[0]))
    slider = _slider(asked, agent.id)
    limits = Thresholds.of(services.settings).limits
    with mind_at(agent.mind, services.ledger, slider.cycle, asked.now) as (then, at):
        held = _describe_mind(then, standing(then, at, limits))
        persona, commitments = then.persona, then.commitments
    return {
        "agents": known,
        "agent": agent.id,
        "slider": slider,
        "at": iso(at),
        "persona": persona,
        "held": held,
        "commitments": commitments,
        "most": _EVERY if asked.text("whole") else SHOWN,
        "whole": asked.text("whole"),
        **_ran(asked, agent.id),
    }


def _ran(asked: PageRequest, agent_id: str) -> Mapping[str, Any]:
    """Return the actions of the cycle just run from the page, and its outcome."""
    cycle = asked.text("ran")
    entries = asked.services.ledger_index().entries(agents=[agent_id], cycle=cycle) if cycle else []
    ended = (str(one.body.get("outcome", "")) for one in reversed(entries) if one.kind == "learn")
    return {"ran": cycle, "deeds": activity_lines(asked.services, entries), "outcome": next(ended, "")}


def _slider(asked: PageRequest, agent_id: str) -> Slider:
    """Return the cycles, oldest first, and the one that is named by its id or its number."""
    cycles = asked.services.ledger_index().cycles(agents=[agent_id], limit=_EVERY)[::-1]
    named = asked.text("cycle")
    if named and named not in cycles:
        raise UnknownId(f"{agent_id} has no cycle {named!r} on record")
    at = cycles.index(named) if named else asked.number("at", len(cycles))
    return Slider(cycles, min(at, len(cycles)))


def _describe_mind(mind: Mind, found: MindOverview) -> ShownMind:
    working = tuple(one for one in found.intentions if one.intention.status in _WORKING)
    return ShownMind(found, tuple(reversed(mind.learnings)), working, len(found.intentions) - len(working))
