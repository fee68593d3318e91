"""Levers of a business: prices, products and advertising, the role that owns each, and limits on changes.

The owner of a lever is the role that may use its operation; of several, the one whose library plans call it most, then
the most proficient, then the first seat. Others send the owner a REQUEST.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from functools import cache
from itertools import pairwise
from typing import Any, Final

from mabos.backends.chat import NOT_ASKED
from mabos.mind.conditions import closeness, is_comparison, subjects
from mabos.mind.library import load_library
from mabos.mind.model import Goal
from mabos.mind.proficiency import proficiency
from mabos.mind.templates import StepTemplate
from mabos.nodes.choices import is_resting, shows_after
from mabos.nodes.planning.merit import aims_at
from mabos.society.roles import load_roles
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.initiative import PRICE, is_asked_for
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent
from mabos.tools.work.proposals import JUDGED, ModelProposal
from mabos.tools.work.toolbox import may_use
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import money

CATEGORIES: Final = frozenset({"pricing", "product", "marketing_spend"})
"""The kinds of operation that set what the next call sets again: two roles could pull them both ways."""
LEVERS: Final = frozenset({PRICE, "ad_campaign_create", "ad_campaign_manage"})
"""The operations that move levers, beside orders of work."""
_NEARLY_A_WEEK: Final = timedelta(days=5)
NEEDED: Final = ("cash", "leads", "new_subscribers", "nps")
"""The figures without which no effect can be told."""
SMALL: Final = (0.8, 1.25)
"""The factors by which an unasked plan may move a price at once."""
LARGE: Final = (0.5, 1.25)
"""The factors if a measured figure is more than twice its limit, and the plan is to reduce it."""
FAR: Final = 0.5
"""The largest distance from its target of a figure that justifies a large move."""


def has_levers(business: Business) -> bool:
    """Return whether the weekly figures exist that measure the effects of prices and campaigns."""
    names, days = set(business.metrics.names()), [parse_time(one.at) for one in business.metrics.series("cash")[-3:]]
    if any(later - earlier < _NEARLY_A_WEEK for earlier, later in pairwise(days)):
        return False
    segments = business.segments
    return bool(segments) and names.issuperset(NEEDED) and all(f"price_{one}" in names for one in segments)


def is_lever(tool: Tool) -> bool:
    """Return whether an operation changes something that other roles may change too."""
    return tool.writes and tool.category in CATEGORIES


def owner_of(agent: Agent, tool: Tool) -> str:
    """Return the agent that owns an operation, the one role that changes its lever, or an empty text."""
    seats = agent.business.manifest.agents if agent.business_id else {}
    able = [(role, one) for role, one in seats.items() if may_use(agent.services.agent(one), tool)]
    calls = _calls(tool.name)

    def rank(seat: tuple[str, str]) -> tuple[float, float]:
        role, holder = seat
        return -calls.get(role, 0), -proficiency(agent.services.agent(holder).mind.capabilities, tool.skills)

    return min(able, key=rank)[1] if able else ""


@cache
def _calls(tool_name: str) -> Mapping[str, int]:
    """Return by role how many plans of the library call an operation."""
    library = load_library()
    templates = [library.template(name) for name in library.names]
    return Counter(
        role for one in templates if any(step.tool == tool_name for step in one.every_step) for role in one.roles
    )


def on_trial(proposals: Sequence[ModelProposal]) -> dict[tuple[str, str], str]:
    """Return the levers changed by a model's plan and not yet judged, each with the id of that plan."""
    return {
        _lever(one["tool"], one["arguments"]): proposal.plan_id
        for proposal in proposals
        if proposal.kind == "plan" and proposal.status == "taken"
        for one in proposal.undo
    }


def left_alone(agent: Agent, goal: Goal) -> frozenset[str]:
    """Return the library plans excluded for a goal because the lever is changed otherwise.

    If effects are measured, the levers' owners adjust them each week, and plans only on request. A model plan's change
    that works or is on trial is not undone either.
    """
    kept = [] if agent.services.model.name in NOT_ASKED else agent.proposals.all()
    moved = {undo["tool"] for one in kept if one.status in ("taken", "confirmed") for undo in one.undo}
    acts = bool(agent.business_id) and agent.business.profile.initiative == "act" and has_levers(agent.business)
    is_measured = acts and not is_asked_for(agent, goal)
    if not moved and not is_measured:
        return frozenset()
    library = agent.services.library
    return frozenset(
        name
        for name in library.names
        for step in library.template(name).every_step
        if step.tool in moved or (is_measured and _moves_lever(step))
    )


def _moves_lever(step: StepTemplate) -> bool:
    if step.tool == "work_package_create":
        return str(step.arguments.get("area", "product")) != "compliance"
    return step.tool in LEVERS


def undoing(agent: Agent, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the call that reverses a call's move; None if there is nothing to reverse."""
    before = agent.business.pricing.offered(_segment(arguments)) if tool == PRICE and agent.business_id else None
    if before is None:
        return None
    amount = before.unit_amount / 100
    return {"tool": tool, "arguments": {**arguments, "amount_usd": amount, "interval": before.interval}}


def fault_of_move(agent: Agent, goal: Goal, tool: str, arguments: Mapping[str, Any], figures: Collection[str]) -> str:
    """Return why an unrequested plan may not change a lever like this, or an empty text.

    A price may change within `SMALL`, or within `LARGE` if one of `figures`, the plan's reasons and expected changes,
    is urgent. Only then may it change while a library plan's effect is pending. It never changes while a model's change
    is on trial, nor to its current value.
    """
    is_pressing = calls_for_much(agent, goal, figures)
    if why := _fault_of_time(agent, tool, arguments, is_pressing=is_pressing):
        return why
    before = agent.business.pricing.offered(_segment(arguments)) if tool == PRICE and agent.business_id else None
    if before is None or not before.monthly_usd:
        return ""
    present, wanted = before.monthly_usd, _monthly(arguments)
    if abs(wanted - present) < 0.01:
        return f"the price for {_segment(arguments)} is {money(present)} already"
    lowest, highest = LARGE if is_pressing else SMALL
    if lowest * present - 0.01 <= wanted <= highest * present + 0.01:
        return ""
    return (
        f"the price for {_segment(arguments)} is {money(present)}; one move goes to {money(lowest * present)} at least "
        f"and {money(highest * present)} at most, then its effect is measured"
    )


def _fault_of_time(agent: Agent, tool: str, arguments: Mapping[str, Any], *, is_pressing: bool) -> str:
    """Return why a lever may not be moved now whatever the move, or an empty text."""
    if (
        tool == PRICE
        and agent.business_id
        and has_levers(agent.business)
        and (plan_id := _find_judged_plan(agent, arguments))
    ):
        return f"{plan_id} tried this; since then this price moves by what we believe of it from what was measured"
    if plan_id := on_trial(agent.proposals.all()).get(_lever(tool, arguments), ""):
        return f"{plan_id} moved this already, and what came of it is not measured yet"
    if not is_pressing and (plan_id := _moved_lately(agent, tool, arguments)):
        return f"{plan_id} moved this a short while ago, and what came of it does not show yet"
    return ""


def calls_for_much(agent: Agent, goal: Goal, figures: Collection[str]) -> bool:
    """Return whether a measured figure is more than twice the limit of each of the company's targets for it.

    Figures that should be high are left out, since a company is always far from its ambitions.
    """
    seats = agent.business.manifest.agents if agent.business_id else {}
    roles = [role for name, role in load_roles().items() if name in seats]
    targets = [goal.target, *(one.target for one in agent.mind.desires), *(one.target for one in agent.mind.goals)]
    targets += [one.target for role in roles for one in role.desires]
    limits = dict.fromkeys(filter(is_comparison, targets))
    for figure in figures:
        about = [one for one in limits if subjects(one) == (figure,) and aims_at(one).get(figure) == "lower"]
        near = [closeness(one, lambda name: _read_metric(agent, name) or None) for one in about]
        if near and all(one is not None and one < FAR for one in near):
            return True
    return False


def _find_judged_plan(agent: Agent, arguments: Mapping[str, Any]) -> str:
    """Return the id of a model's plan that moved a price of the company and was judged, or an empty text."""
    seats = agent.business.manifest.agents.values()
    for proposal in (one for seat in seats for one in agent.services.agent(seat).proposals.all()):
        moved = (_lever(one["tool"], one["arguments"]) for one in proposal.undo)
        if proposal.status in JUDGED and _lever(PRICE, arguments) in moved:
            return proposal.plan_id
    return ""


def _moved_lately(agent: Agent, tool: str, arguments: Mapping[str, Any]) -> str:
    """Return the id of a plan that no model made and that moves a lever now, or did so and still has to show."""
    lever, now = _lever(tool, arguments), agent.clock()
    for plan in agent.mind.plans:
        is_recent = plan.status == "completed" and is_resting(
            plan.updated, now, shows_after(plan, agent.services.library)
        )
        moves = (_lever(step.tool, step.arguments) for step in plan.steps if step.tool == tool)
        if plan.source != "model" and (plan.status == "active" or is_recent) and lever in moves:
            return plan.id
    return ""


def _read_metric(agent: Agent, name: str) -> str:
    point = agent.business.metrics.latest(name)
    return "" if point is None else f"{point.value:g}{'%' if point.unit.startswith('%') else ''}"


def _lever(tool: str, arguments: Mapping[str, Any]) -> tuple[str, str]:
    return tool, _segment(arguments) if tool == PRICE else ""


def _segment(arguments: Mapping[str, Any]) -> str:
    return str(arguments.get("segment") or "all").strip().lower()


def _monthly(arguments: Mapping[str, Any]) -> float:
    amount = float(arguments.get("amount_usd", 0.0))
    return amount / 12 if arguments.get("interval") == "year" else amount
