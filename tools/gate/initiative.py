"""Actions on an agent's own initiative: proposed to the owner, unless agents may act on measured figures."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from mabos.configs.errors import Refused
from mabos.language.request import Request
from mabos.mind.conditions import holds, is_comparison, subjects
from mabos.mind.desires import WON
from mabos.mind.model import Desire, Goal
from mabos.society.decisions import is_in_range, price_ranges, weekly_budget
from mabos.society.governance import ApprovalVerdict
from mabos.society.instructions import freeze_in_force
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.tool_call import ToolCall
from mabos.tools.runtime.services import Agent, Caller
from mabos.workspace.currencies import money

BOOKS: Final = "books"
"""The source of beliefs that count records of the business."""
EFFECTS: Final = "measured effects"
"""The source of beliefs about what a lever brings."""
PRICE: Final = "stripe_create_price"
HANDED_ON: Final = 5
"""The number of colleagues who may have passed an order on."""
FOLLOWED: Final = 5
"""The number of goals, each created for another goal, that are traced back."""
_ANSWERED = frozenset({"decision", "message", "workflow", "run"})
"""Reasons that are a person's answer, a reply, or a process that somebody started."""
_BEGUN = frozenset({"goal", "rule"})
"""Reasons that are the agent's own."""
_OWN_DESIRE = re.compile(r"D-(?!MSG-)(?:.+-\d{3}|MODEL-.+)")
"""The ids of desires that a role starts with, or that a model proposed."""
_BY_RULE = ("policy ", "constraint ")
_MESSAGE = "D-MSG-"


UNFOUNDED: Final = "nobody asked for "
"""The prefix of the reason for holding back a step that no figure calls for."""


class Unfounded(Refused):
    """An unrequested action without a figure behind it: not done, not proposed, and not counted as a failure."""

    code = "unfounded"


@dataclass(frozen=True, slots=True)
class Initiative:
    """An unrequested call: the figure behind it, and the verdict if a person must decide."""

    figure: str = ""
    verdict: ApprovalVerdict | None = None


def initiative(call: ToolCall) -> Initiative | None:
    """Return the case for an unrequested call that costs, publishes or leaves the company.

    Returns None if the call follows from a person's order or answer, or does none of these. Raises `Unfounded` if the
    owner wants proposals and no measured figure justifies one.
    """
    agent = call.agent
    if _BEGUN.isdisjoint(call.because) or agent.caller.kind == "person" or not agent.business_id:
        return None
    if not (call.tool.external or call.cost > 0) or "governance" in agent.services.without:
        return None
    goal = next((one for one in agent.mind.goals if one.id == call.because.get("goal")), None)
    if _is_asked_for(agent, call.because, goal):
        return None
    figure = missed_figure(agent, goal) or _measured_effect(agent, call.because)
    colleague = _asking_colleague(agent, goal)
    why = _objection(call, figure, colleague)
    asked = f"{colleague} asked for this, not the owner" if colleague else "nobody asked for this"
    return Initiative(figure, ApprovalVerdict(True, (f"{asked}, and {why}",), "initiative") if why else None)


def _objection(call: ToolCall, figure: str, colleague: str) -> str:
    """Return why the owner decides on a step that an agent begins by itself, or an empty text.

    A colleague's request is proposed even if no figure calls for it: the colleague waits for an answer.
    """
    agent = call.agent
    profile = agent.services.directory.profile(agent.business_id)
    if profile.initiative == "propose" and not figure and not colleague:
        # A question for every wish of a role would bury those that matter.
        message = f"{UNFOUNDED}{call.tool.name}, and no measured figure misses its target; record the figures first"
        raise Unfounded(message)
    if call.cost > 0 and (freeze := freeze_in_force(agent.business.instructions.all(), agent.clock())):
        return f"{freeze.created_by} announced a freeze on {freeze.created_at[:10]}: {freeze.sentence!r} ({freeze.id})"
    if profile.initiative == "propose":
        return f"the owner wants such steps proposed{f' ({figure})' if figure else ''}"
    if not figure:
        return "no measured figure misses its target"
    granted = weekly_budget(agent.business.decisions.all(), agent.clock())
    limit, days = (granted.cost, 7) if granted else (profile.approval_threshold_usd, 1)
    total = call.cost + (_spending(agent, days) if call.cost else 0.0)
    if total <= limit:
        return ""
    when = f"a week, is above the {money(limit)} of {granted.id}" if granted else f"a day, is above {money(limit)}"
    return f"{money(call.cost)}, {money(total)} with what all agents spent in {when}"


def _measured_effect(agent: Agent, because: Mapping[str, str]) -> str:
    """Return the measured effect of the lever that an agent moves; an empty text if it moves none."""
    held = next((one for one in agent.mind.beliefs if one.id == because.get("belief")), None)
    return held.statement if held is not None and held.source == EFFECTS else ""


def granted_price(call: ToolCall) -> str:
    """Return how the owner granted a price that a call sets by measured effects; an empty text if not."""
    given, agent = call.arguments, call.agent
    if call.tool.name != PRICE or not agent.business_id or not _measured_effect(agent, call.because):
        return ""
    name, ranges = price_ranges(agent.business.decisions.all(), agent.clock())
    segment = str(given.get("segment", ""))
    if given.get("interval") != "month" or not is_in_range(ranges, segment, float(given.get("amount_usd", 0))):
        return ""
    low, high = ranges[segment]
    return f"{name} grants {money(low)} to {money(high)} for {segment}"


def missed_figure(agent: Agent, goal: Goal | None) -> str:
    """Return the measured figure that misses the target of a goal, in words; an empty text if none does."""
    if goal is None or not is_comparison(goal.target):
        return ""
    measured: dict[str, str] = {}
    told: list[str] = []
    for name in subjects(goal.target):
        point, held = agent.business.metrics.latest(name), agent.mind.index.about(name)
        if point is not None:
            measured[name] = f"{point.value:g}{'%' if point.unit.startswith('%') else ''}"
            told.append(f"{name} is {measured[name]} as of {point.at[:10]}")
        elif held is not None and held.source == BOOKS:
            measured[name] = held.value
            told.append(f"{name} is {held.value} on record")
    return f"{', '.join(told)}; wanted: {goal.target}" if holds(goal.target, measured.get) is False else ""


def is_asked_for(agent: Agent, goal: Goal) -> bool:
    """Return whether a goal traces back to a person who is calling now, or who ordered, answered or wrote it."""
    return agent.caller.kind == "person" or _is_asked_for(agent, {}, goal)


def _is_asked_for(agent: Agent, because: Mapping[str, str], goal: Goal | None, *, followed: int = FOLLOWED) -> bool:
    """Return whether a call leads back to a person's order, answer, or own goal."""
    if not _ANSWERED.isdisjoint(because):
        return True
    if goal is None or followed < 1:
        return False
    if goal.request_id:
        request = agent.requests.find(goal.request_id)
        return request is not None and is_from_person(agent, request)
    if goal.desire_id:
        desire = next((one for one in agent.mind.desires if one.id == goal.desire_id), None)
        return desire is not None and _is_wished_by_person(agent, desire)
    why = _own_reason(agent, goal)
    if why is None:
        return True  # a person wrote the goal, or the playbook that it is for
    served = next((one for one in agent.mind.goals if one.id == why.get("goal")), None)
    return _is_asked_for(agent, why, served, followed=followed - 1)


def _is_wished_by_person(agent: Agent, desire: Desire) -> bool:
    """Return whether a desire follows from a person's message, or a person wrote it down."""
    if message_id := _message_of(desire):
        message = agent.inbox.find(message_id)
        return message is not None and message.sender == STAKEHOLDER
    return not _OWN_DESIRE.fullmatch(desire.id) and not desire.reason.startswith(_BY_RULE)


def _own_reason(agent: Agent, goal: Goal) -> Mapping[str, str] | None:
    """Return why the agent itself created a goal, as its ledger has it; None where no call of the agent made it."""
    calls: dict[str, Mapping[str, str]] = {}
    for entry in agent.services.ledger.entries(agent.id):
        body = entry.body
        if entry.kind == "call" and body.get("tool") == "goal_create" and body.get("by") == "agent":
            calls[entry.id] = body.get("why", {})
        why = calls.get(body.get("call", entry.id))
        if why is not None and (body.get("result") or {}).get("goal_id") == goal.id:
            return why
    return None


def _message_of(desire: Desire) -> str:
    """Return the id of the request or the award that a desire follows from, or an empty text."""
    if desire.reason.startswith(WON):
        return desire.reason.removeprefix(WON)
    return desire.id.removeprefix("D-") if desire.id.startswith(_MESSAGE) else ""


def _asking_colleague(agent: Agent, goal: Goal | None) -> str:
    """Return the agent whose request or award a goal follows from, or an empty text."""
    if goal is None:
        return ""
    if goal.request_id:
        request = agent.requests.find(goal.request_id)
        return request.sender if request is not None else ""
    desire = next((one for one in agent.mind.desires if one.id == goal.desire_id), None)
    if desire is None:
        return ""
    message_id = _message_of(desire)
    message = agent.inbox.find(message_id) if message_id else None
    return message.sender if message is not None else ""


def is_from_person(agent: Agent, request: Request, *, handed_on: int = HANDED_ON) -> bool:
    """Return whether a request comes from a person, directly or through colleagues."""
    if request.sender == STAKEHOLDER:
        return True
    if handed_on < 1 or request.sender not in agent.business.manifest.agents.values():
        return False
    message = agent.inbox.find(request.message_id)
    if message is None:
        return False
    colleague = agent.services.agent(request.sender, caller=Caller("agent", request.sender))
    behind = (one for one in colleague.requests.all() if message.conversation_id in one.data.get("threads", ()))
    return any(is_from_person(colleague, one, handed_on=handed_on - 1) for one in behind)


def _spending(agent: Agent, days: int) -> float:
    """Return the dollars that all agents of the business spent in the last days, a day being governance's window."""
    services, hours = agent.services, days * agent.services.settings.governance.spending_window_hours
    seats = dict.fromkeys(agent.business.manifest.agents.values())
    directory = services.directory
    return sum(services.spending.total(one, agent.clock(), directory.effects(one), hours=hours) for one in seats)
