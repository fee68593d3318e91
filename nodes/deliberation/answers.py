"""What becomes of intentions that waited for a person, once the person has answered (S3 10.3)."""

from dataclasses import dataclass, replace

from mind.model import Intention, Item, Learning
from mind.plans import step_of
from nodes.cycle import Cycle
from society.decisions import Decision


@dataclass(frozen=True, slots=True)
class Heeded:
    """Intentions that go on, intentions that ended, and approved decisions that belong to no intention."""

    resumed: tuple[str, ...] = ()
    ended: tuple[str, ...] = ()
    approved: tuple[str, ...] = ()


def heed(cycle: Cycle) -> Heeded:
    """Return what the answers to this agent's questions change, after writing it into the mind.

    Approved or modified: the waiting step is open again, with exactly the action that was allowed. Rejected: the
    intention is abandoned, and why stands in Learnings.md.
    """
    decisions = {one.id: one for one in cycle.services.decisions(cycle.agent.business_id).all()}
    if not decisions:
        return Heeded()
    waiting = [one for one in cycle.agent.mind.intentions if one.status == "awaiting_approval"]
    resumed, ended, changed = [], [], list[Item]()
    for intention in waiting:
        decision = decisions.get(intention.decision_id)
        if decision is None or decision.open:
            continue
        if decision.status == "rejected":
            ended.append(intention.id)
            changed += _abandoned(cycle, intention, decision)
        else:
            resumed.append(intention.id)
            changed += _resumed(cycle, intention, decision)
    if changed:
        cycle.agent.mind.save(*changed, why="a person decided", cycle=cycle.id)
    linked = {intention.decision_id for intention in waiting}
    approved = tuple(
        one.id
        for one in decisions.values()
        if one.from_agent == cycle.agent.id and one.granted and one.id not in linked
    )
    return Heeded(tuple(resumed), tuple(ended), approved)


def _resumed(cycle: Cycle, intention: Intention, decision: Decision) -> list[Item]:
    now = cycle.now()
    plan = cycle.agent.mind.plan(intention.plan_id)
    opened = []
    for step in plan.steps:
        if step.status == "waiting" and step.decision_id == decision.id:
            arguments = decision.action["arguments"] if decision.modifications and decision.action else step.arguments
            opened.append(replace(step, status="pending", arguments=arguments))
        else:
            opened.append(step)
    active = replace(intention, status="active", reason=f"{decision.id} {decision.status}", updated=now)
    return [replace(plan, steps=tuple(opened), updated=now), active]


def _abandoned(cycle: Cycle, intention: Intention, decision: Decision) -> list[Item]:
    now = cycle.now()
    said = decision.feedback or "no reason given"
    plan = cycle.agent.mind.plan(intention.plan_id)
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
    return [
        replace(intention, status="abandoned", reason=reason, updated=now),
        replace(plan, status="abandoned", updated=now, risks=(*plan.risks, reason)),
        learning,
    ]
