"""The one gate: whether a call may run now, must wait for a person, or has exactly this approval."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta

from mabos.configs.errors import Refused
from mabos.society.decisions import Decision, Decisions, action_hash
from mabos.society.governance import (
    ApprovalVerdict,
    Autonomy,
    FinancialPosition,
    ProposedAction,
    check,
    kind,
    minds_cash,
)
from mabos.tools.gate.composing import Uncomposed, is_uncomposed
from mabos.tools.gate.initiative import granted_price, initiative
from mabos.tools.gate.instructions import check_instructions
from mabos.tools.gate.tool_call import ToolCall
from mabos.tools.gate.unspoken import unspoken
from mabos.tools.runtime.effects import Effect
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.currencies import money

YES, NO = "done", "not-done"
_LEAST_COST = 0.5
"""Dollars from which a question names what the call costs; less is shown as nothing."""


class AwaitingApproval(Refused):
    """A pending approval: the decision exists and nothing was executed."""

    code = "awaiting_approval"

    def __init__(self, message: str, decision: Decision) -> None:
        super().__init__(message)
        self.decision = decision


@dataclass(frozen=True, slots=True)
class Permit:
    """Permission to run: its effect key, and the decision behind it, if a person gave it.

    `figure` is the measured figure behind an agent's own initiative.
    """

    key: str = ""
    decision_id: str = ""
    figure: str = ""


def permit(call: ToolCall, key: str) -> Permit:
    """Return permission to run `call`.

    Raises `AwaitingApproval` if a person must decide, `Uncomposed` if the text to decide on is not yet written, and
    `Refused` if the same call was recently rejected. An approval is claimed here for one effect key before the effect
    begins: no other call can use it, and the same key can resume with it after a crash.
    """
    tool, caller = call.tool, call.agent.caller
    ruled = check_instructions(call) if tool.writes else None
    is_exempt = tool.exempts_people and caller.kind == "person"
    unsaid = unspoken(call) if tool.writes else None
    own = initiative(call) if tool.writes else None
    is_free = is_exempt or call.is_draft or not tool.needs_governance(call.arguments)
    if ruled is None and unsaid is None and is_free and (own is None or own.verdict is None):
        return Permit(key)
    decisions = call.agent.services.decisions(call.agent.business_id)
    # An answer to the same call without its text allows no text that nobody has seen.
    known = () if is_uncomposed(call) else decisions.of_action(call.digest)[::-1]
    for decision in known:
        claimed = key or f"decision:{decision.id}"
        if decision.granted:
            decisions.mark_performed(decision.id, iso(call.agent.clock()), claimed)
            return Permit(claimed, decision.id)
        if decision.performed_at and decision.performed_key == claimed and not _has_ended(call.agent, claimed):
            return Permit(claimed, decision.id)
    for decision in known:
        # Also where the table would now allow it: the answer, when it comes, must not perform it a second time.
        if decision.open:
            raise _waiting(decision)
        if decision.status == "rejected" and _recent(call.agent, decision):
            said = f": {decision.feedback}" if decision.feedback else ""
            raise Refused(f"a person rejected this exact call in {decision.id} on {decision.resolved_at}{said}")
    verdict = ruled or unsaid or (own and own.verdict) or judge_call(call)
    if not verdict.requires_approval:
        return Permit(key, figure=own.figure if own else "")
    if is_uncomposed(call):
        raise Uncomposed
    raise _waiting(decisions.request(_question(call, verdict)))


def judge_call(call: ToolCall) -> ApprovalVerdict:
    """Return the verdict of the approval table on a call, or the owner's answer on all prices in a range."""
    tool, agent = call.tool, call.agent
    if granted := granted_price(call):
        return ApprovalVerdict(False, (granted,), "grant")
    action = ProposedAction(
        agent_id=agent.id,
        category=tool.category,
        cost=call.cost,
        reversible=tool.reversible,
        strategic=tool.sets_strategy(call.arguments),
        external=call.external,
        confidence=call.confidence,
        counterparty=call.counterparty,
    )
    verdict = check_governance(agent, action, autonomy="none" if tool.asks else None)
    is_own_text = tool.composes is not None and bool(call.arguments["body"]) and agent.caller.kind == "agent"
    if is_own_text and verdict.rule == "none" and "governance" not in agent.services.without:
        return ApprovalVerdict(True, (f"{agent.id} wrote this text; you read it before it is published",), "style")
    return verdict


def check_governance(
    agent: Agent, action: ProposedAction, business_id: str = "", *, autonomy: Autonomy | None = None
) -> ApprovalVerdict:
    """Return the verdict on `action` with the agent's autonomy, its recent spending, and the company's money.

    `autonomy` replaces the agent's own.
    """
    services, home = agent.services, business_id or agent.business_id
    if "governance" in services.without:
        return ApprovalVerdict(False, ("this simulation is played without governance",), "none")
    settings = services.settings.governance
    spent, window = 0.0, settings.spending_window_hours
    if action.cost:
        spent = services.spending.before(
            agent.id,
            agent.clock(),
            services.directory.effects(agent.id),
            action.category,
            action.counterparty,
            hours=window,
        )
    profile = services.directory.profile(home)
    cash, burn = services.directory.money(home) if minds_cash(profile) else (None, None)
    return check(
        action,
        profile,
        autonomy or autonomy_of(agent, action.category),
        FinancialPosition(spent, cash, burn),
        limited_share=settings.limited_share_of_threshold,
    )


def autonomy_of(agent: Agent, category: str) -> Autonomy:
    """Return the autonomy of an agent for a kind of action; a person without an agent has full autonomy."""
    if agent.is_person:
        return "full"
    persona = agent.mind.persona
    levels: dict[str, Autonomy] = {kind(name): level for name, level in persona.autonomy_for.items()}
    return levels.get(kind(category), persona.autonomy)


def settle_effect(call: ToolCall, effect: Effect) -> Effect | None:
    """Return the effect as a person settled it: done, or None if it was not done and may run.

    An unrepeatable call was interrupted, and only a person can find out whether it took effect. Raises
    `AwaitingApproval` until a person has answered.
    """
    agent = call.agent
    decisions = agent.services.decisions(agent.business_id)
    digest = action_hash(agent.id, f"settle:{effect.id}", call.canonical)
    answered = next((one for one in reversed(decisions.of_action(digest)) if not one.open), None)
    if answered is None:
        raise _waiting(decisions.request(_was_it_done(call, effect, digest)))
    if answered.status == "approved" and answered.chosen_option != NO:
        result = {"settled": True, "decision_id": answered.id, "tool": effect.tool}
        services = agent.services
        services.directory.effects(agent.id).done(effect, result, iso(agent.clock()))
        return services.directory.effects(agent.id).find(effect.id)
    return None


def _question(call: ToolCall, verdict: ApprovalVerdict) -> Decision:
    agent, tool = call.agent, call.tool
    costs = f" ({money(call.cost)})" if call.cost >= _LEAST_COST else ""
    subject = f"{call.told()}{costs}"
    reasons = (f"{one[:1].upper()}{one[1:]}" for one in verdict.reasons)
    said = (f"{agent.id} asks: {subject}", *_wanted_for(call), *reasons, f"It would perform {tool.name}")
    return Decision(
        id=_new_id(agent),
        from_agent=agent.id,
        subject=subject,
        description=" ".join(f"{part.rstrip('.')}." for part in said),
        options=(
            {"id": "A", "label": "Approve", "impact": "It is performed exactly as this question says, once"},
            {"id": "B", "label": "Reject", "impact": "It is not performed"},
        ),
        recommendation="" if verdict.rule == "grounding" else "A",
        deadline=answer_by(agent),
        created_at=iso(agent.clock()),
        business_id=agent.business_id,
        reasons=verdict.reasons,
        cost=call.cost,
        category=tool.category,
        counterparty=call.counterparty,
        cycle=agent.cycle,
        action={"tool": tool.name, "arguments": dict(call.canonical)},
        action_hash=call.digest,
        asked_hash=call.asked_as,
    )


def _wanted_for(call: ToolCall) -> Iterator[str]:
    """Yield the titles of the goal, plan and step that the call serves, where they say more than the call itself."""
    if call.agent.is_person:
        return
    mind, because, told = call.agent.mind, call.because, call.told()
    for goal in mind.goals:
        if goal.id == because.get("goal") and (goal.description != told or goal.target):
            yield f"Goal: {goal.description}" + (f" ({goal.target})" if goal.target else "")
    for plan in mind.plans:
        steps = [plan.name, *(step.description for step in plan.steps if step.id == because.get("step"))]
        known = {told, *(one.description for one in mind.goals if one.id == because.get("goal"))}
        if plan.id == because.get("plan") and not known.issuperset(steps):
            yield f"Plan: {': '.join(dict.fromkeys(steps))}"


def _was_it_done(call: ToolCall, effect: Effect, digest: str) -> Decision:
    agent = call.agent
    return Decision(
        id=_new_id(agent),
        from_agent=agent.id,
        subject=f"Was {effect.tool} done?",
        description=f"{effect.tool} began at {effect.begun_at} and was cut short; it must not happen twice. "
        f"It was to: {call.tool.in_words(call.canonical)}.",
        options=(
            {"id": YES, "label": "It was done", "impact": "It is not repeated"},
            {"id": NO, "label": "It was not done", "impact": "It is performed again"},
        ),
        recommendation=YES,
        deadline=answer_by(agent),
        created_at=iso(agent.clock()),
        business_id=agent.business_id,
        urgency="high",
        cycle=agent.cycle,
        action_hash=digest,
    )


def _new_id(agent: Agent) -> str:
    decisions: Decisions = agent.services.decisions(agent.business_id)
    return agent.ids.new("DEC", {decision.id for decision in decisions.all()})


def answer_by(agent: Agent) -> str:
    """Return the deadline for a person to answer a question asked now (ISO 8601)."""
    return iso(agent.clock() + timedelta(days=agent.services.settings.governance.decision_deadline_days))


def _recent(agent: Agent, decision: Decision) -> bool:
    days = agent.services.settings.governance.decision_deadline_days
    return parse_time(decision.resolved_at) > agent.clock() - timedelta(days=days)


def _has_ended(agent: Agent, key: str) -> bool:
    effects = agent.services.directory.effects(agent.id)
    effect = effects.find(key)
    return effects.is_full if effect is None else effect.status == "done"


def _waiting(decision: Decision) -> AwaitingApproval:
    why = f": {'; '.join(decision.reasons)}" if decision.reasons else ""
    message = f"a person must decide{why}. It waits as {decision.id}; nothing was done. Approve it, then call again"
    return AwaitingApproval(message, decision)
