"""Update intentions that waited for a person, once the person has answered (S3 10.3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from mabos.knowledge.wording import name_key
from mabos.mind.conditions import Lookup
from mabos.mind.model import Intention, Item, Learning, Plan
from mabos.mind.plans import fold_outcome, step_of
from mabos.nodes.action.approved import asked_again
from mabos.nodes.choices import LIVE
from mabos.society.decisions import Decision
from mabos.tools.requests.projects import sent_back
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Heeded:
    """Intentions that resume, intentions that ended, approved decisions of no intention, and questions to repeat."""

    resumed: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()
    due: tuple[str, ...] = ()


def heed(agent: Agent) -> Heeded:
    """Apply the answers to this agent's questions to its mind, and return the changes.

    Approved or modified: the waiting step is open again, with exactly the allowed action. If only an answer was needed,
    the plan continues with it. Rejected: the intention is abandoned, and the reason is added to Learnings.md.
    """
    home = agent.services.decisions(agent.business_id)
    home.ask_again(agent.clock())
    decisions = {one.id: one for one in home.all()}
    if not decisions:
        return Heeded()
    waiting = [one for one in agent.mind.intentions if one.status == "awaiting_approval"]
    resumed, ended, changed = [], [], list[Item]()
    plans = {one.id: one for one in agent.mind.plans} if waiting else {}
    for intention in waiting:
        decision = _answer(decisions, intention, plans.get(intention.plan_id))
        if decision is None:
            continue
        if decision.status == "rejected":
            again = sent_back(agent, agent.mind.plan(intention.plan_id), decision)
            if again is None:
                ended.append(intention.id)
            else:
                resumed.append(intention.id)
            changed += _abandon_intention(agent, intention, decision, again)
        else:
            resumed.append(intention.id)
            plan = agent.mind.plan(intention.plan_id)
            asks = any(one.tool == ASKS and one.decision_id == decision.id for one in plan.steps)
            changed += (
                _apply_answer(agent, intention, decision)
                if asks
                else _resume_after_answer(agent, intention, decision, decisions)
            )
    if changed:
        agent.mind.save(*changed, why="a person decided", cycle=agent.cycle)
    own = [one for one in decisions.values() if one.from_agent == agent.id]
    linked = _find_linked_decisions(agent)
    approved = tuple(one.id for one in own if one.granted and one.id not in linked)
    return Heeded(tuple(resumed), tuple(ended), approved, tuple(_due(agent, own)))


def _answer(decisions: Mapping[str, Decision], intention: Intention, plan: Plan | None) -> Decision | None:
    """Return the answer that an intention has waited for; of several steps side by side each waits for its own."""
    beside = [one.decision_id for one in plan.steps if one.status == "waiting"] if plan is not None else []
    asked = [decisions.get(one) for one in (intention.decision_id, *beside)]
    return next((one for one in asked if one is not None and not one.open), None)


def _find_linked_decisions(agent: Agent) -> set[str]:
    """Return the decisions that a live intention will act on itself, also where it was resumed before a crash."""
    mind = agent.mind
    live = [one for one in mind.intentions if one.status in LIVE and one.decision_id]
    plans = {one.plan_id for one in live}
    steps = [step for plan in mind.plans if plan.id in plans for step in plan.steps]
    beside = {one.decision_id for one in steps if one.status not in ("done", "skipped")}
    return {one.decision_id for one in live} | beside


def _due(agent: Agent, own: Iterable[Decision]) -> Iterable[str]:
    """Yield the deferred decisions that wait again and that have had no reminder since."""
    for decision in own:
        if decision.asked_again:
            known = agent.services.directory.effects(agent.id).find(asked_again(decision))
            if known is None or known.status != "done":
                yield decision.id


def _resume_after_answer(
    agent: Agent, intention: Intention, decision: Decision, decisions: Mapping[str, Decision]
) -> list[Item]:
    """Return plan and intention after an answer; of steps side by side, all that were allowed are open again."""
    now = agent.now()
    plan = agent.mind.plan(intention.plan_id)
    opened = []
    for step in plan.steps:
        own = decisions.get(step.decision_id) if step.status == "waiting" else None
        if own is not None and (own.id == decision.id or own.granted):
            arguments = own.action["arguments"] if own.modifications and own.action else step.arguments
            opened.append(replace(step, status="pending", arguments=arguments))
        else:
            opened.append(step)
    active = replace(intention, status="active", reason=f"{decision.id} {decision.status}", updated=now)
    return [replace(plan, steps=tuple(opened), updated=now), active]


def _apply_answer(agent: Agent, intention: Intention, decision: Decision) -> list[Item]:
    """Return plan and intention after an answer that allows no action: the chosen option is the result of the step."""
    now = agent.now()
    plan = agent.mind.plan(intention.plan_id)
    chosen = decision.chosen_option or decision.feedback or decision.status
    for step in plan.steps:
        if step.status == "waiting" and step.decision_id == decision.id:
            plan = _with_answer(plan, step.id, chosen, agent)
    reason = f"{decision.id} was answered: {chosen}"
    return [plan, replace(intention, status="active", reason=reason, updated=now)]


def _with_answer(plan: Plan, step_id: str, chosen: str, agent: Agent) -> Plan:
    """Return the plan with the question answered; where the step itself is the decision point, with the way taken."""
    told = replace(plan, steps=tuple(replace(one, result=chosen) if one.id == step_id else one for one in plan.steps))
    lookup = with_replies(told, agent.mind.index, answered=step_id)
    return fold_outcome(told, step_id, "done", lookup, agent.now(), result=chosen)


def _abandon_intention(agent: Agent, intention: Intention, decision: Decision, again: Plan | None) -> list[Item]:
    """Return the intention and plan after a no, and the lesson; a plan that goes on with a new version is `again`."""
    now = agent.now()
    said = decision.feedback or "no reason given"
    plan = agent.mind.plan(intention.plan_id)
    waiting = next((one.id for one in plan.steps if one.decision_id == decision.id), "")
    done = f"{step_of(plan, waiting).description or waiting}" if waiting else plan.name
    learning = Learning(
        id=f"LRN-{decision.id}",
        insight=f"The stakeholder rejected: {decision.subject}. {said}",
        context=f"{plan.name}, step: {done}",
        applies_when=f"an action like {decision.category or decision.subject} is planned",
        at=now,
    )
    reason = f"{decision.id} was rejected: {said}"
    ended = replace(plan, status="abandoned", updated=now, risks=(*plan.risks, reason))
    return [
        replace(intention, status="active", decision_id="", reason=reason, updated=now)
        if again
        else replace(intention, status="abandoned", reason=reason, updated=now),
        again or ended,
        *([learning] if "learning" not in agent.services.without else ()),
    ]


ASKS = "decision_request"
"""The operation that puts a question with options before a person."""


def with_replies(plan: Plan, lookup: Lookup, *, answered: str = "") -> Lookup:
    """Return `lookup` extended by the options chosen in this plan; `answered` is a step just answered."""
    chosen: dict[str, str] = {}
    for step in plan.steps:
        if step.tool == ASKS and step.result and (step.status == "done" or step.id == answered):
            chosen["answer"] = chosen[name_key(f"{step.id} answer")] = step.result
    return (lambda name: chosen.get(name_key(name)) or lookup(name)) if chosen else lookup
