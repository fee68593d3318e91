"""Judge a model's plans: refused, failed, or measured against their expectations; harmful moves are reverted."""

from collections.abc import Iterator, Sequence
from datetime import timedelta

from mabos.mind.model import Plan
from mabos.mind.times import moment
from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.planning.merit import measure_direction
from mabos.society.decisions import action_hash
from mabos.tools.plans.risks import LEAVE
from mabos.tools.requests.acceptance import judge
from mabos.tools.runtime.services import Agent
from mabos.tools.work.proposals import ModelProposal, ProposalStatus
from mabos.workspace.copies import replace

SOONEST = timedelta(days=10)
"""The least duration of a plan before it is judged, so that more than one week is measured."""


def judge_plans(cycle: Cycle) -> dict[str, str]:
    """Return the verdict on each of a model's plans that can now be judged; each is recorded once."""
    agent, found = cycle.agent, dict[str, str]()
    learns = "learning" not in agent.services.without
    taken = [one for one in agent.proposals.all() if learns and one.kind == "plan" and one.status == "taken"]
    plans = {one.id: one for one in agent.mind.plans} if taken else {}
    for proposal in taken:
        plan = plans.get(proposal.plan_id)
        verdict = _verdict(agent, proposal, plan) if plan is not None else None
        if verdict is not None:
            status, why = verdict
            agent.proposals.save(replace(proposal, status=status, reason=why, updated_at=cycle.now()))
            found[proposal.plan_id] = f"{status}: {why}"
    return found


def set_back(cycle: Cycle) -> tuple[Errand, ...]:
    """Return the calls that revert a model's moves if the figures went against its forecast.

    They pass the gate like any other call; each is asked once, and the owner's answer is final.
    """
    agent, errands = cycle.agent, list[Errand]()
    for proposal in agent.proposals.all():
        if proposal.status != "contradicted" or not proposal.undo:
            continue
        due = list(_due(agent, proposal))
        errands += due
        if not due:
            agent.proposals.save(replace(proposal, undo=()))
    return tuple(errands)


def _due(agent: Agent, proposal: ModelProposal) -> Iterator[Errand]:
    """Yield the calls of a proposal that have not been made or requested since it was judged."""
    decisions = agent.services.decisions(agent.business_id)
    effects = agent.services.directory.effects(agent.id)
    for number, undo in enumerate(proposal.undo, 1):
        tool, key = agent.services.tools.tool(undo["tool"]), f"set-back:{proposal.id}:{number}"
        digest = action_hash(agent.id, tool.name, tool.canonical(tool.validate_arguments(undo["arguments"])))
        is_asked = any(one.created_at >= proposal.updated_at for one in decisions.of_action(digest))
        if effects.find(key) is None and not is_asked:
            because = {"goal": proposal.about, "plan": proposal.plan_id}
            yield Errand(proposal.plan_id, tool.name, undo["arguments"], key, because)


def _verdict(agent: Agent, proposal: ModelProposal, plan: Plan) -> tuple[ProposalStatus, str] | None:
    """Return the verdict on a plan and why; None while it is open."""
    if plan.status in ("failed", "abandoned"):
        return _classify_failure(agent, plan)
    ended = moment(plan.updated)
    age = agent.clock() - ended if plan.status == "completed" and ended is not None else timedelta()
    if plan.status != "completed" or age < (SOONEST if proposal.expects else timedelta()):
        return None
    checked = judge(agent, proposal.checks)
    is_accepted = all(one.passed for one in checked)
    pairs = [one.rpartition(" ")[::2] for one in proposal.expects]
    went = [measure_direction(agent, figure, plan.updated) for figure, _ in pairs]
    came = [way == expected for way, (_, expected) in zip(went, pairs, strict=True)]
    against = [way in ("higher", "lower") and not as_said for way, as_said in zip(went, came, strict=True)]
    if checked and not pairs:
        came, against = [is_accepted], [False]
    told = [f"{figure} went {way or 'nowhere'}" for (figure, _), way in zip(pairs, went, strict=True)]
    told += [f"{len(one.found)} where it expected {one.check.note}" for one in checked]
    is_due = age >= timedelta(days=proposal.days)
    status = _judge_expectations(came, against, is_due=is_due)
    if status == "confirmed" and not is_accepted:
        status = "missed" if is_due else None
    return None if status is None else (status, ", ".join(told) or "it expected no figure")


def _judge_expectations(came: Sequence[bool], against: Sequence[bool], *, is_due: bool) -> ProposalStatus | None:
    """Return a plan's verdict: as soon as all figures went as expected, else when they were due; None until then."""
    if any(came) and (all(came) or (is_due and not any(against))):
        return "confirmed"
    if not is_due:
        return None
    return "contradicted" if any(against) and not any(came) else "missed"


def _classify_failure(agent: Agent, plan: Plan) -> tuple[ProposalStatus, str]:
    """Return whether a person refused a plan, or how it failed."""
    decisions = {one.id: one for one in agent.services.decisions(agent.business_id).all()}
    asked = [decisions[step.decision_id] for step in plan.steps if step.decision_id in decisions]
    rejected = next((one for one in asked if one.status == "rejected" or one.chosen_option == LEAVE), None)
    if rejected is not None:
        said = f": {rejected.feedback}" if rejected.feedback else ""
        return "refused", f"the owner said no in {rejected.id}{said}"
    failed = next((step for step in plan.steps if step.status == "failed"), None)
    return "failed", f"{failed.description}: {failed.result}" if failed is not None else f"it was {plan.status}"
