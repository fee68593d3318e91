"""What an agent bids for a task: from what it is good at, what it has on its hands, and how alike work ended."""

from collections.abc import Sequence

from mabos.configs.errors import Refused
from mabos.knowledge.case_records import Case
from mabos.knowledge.values import number
from mabos.memory.consolidation import jaccard
from mabos.mind.intentions import OVER
from mabos.mind.proficiency import COMPETENT, proficiency
from mabos.society.contract_net import Bid, CallForProposals
from mabos.tools.gate.identity import allowed
from mabos.tools.plans.case_steps import recorded_steps
from mabos.tools.plans.search import templates_for
from mabos.tools.plans.sources import role_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, terms

ALIKE = 0.5
"""The share of the words of a task and of a case's aim that both have, from which the case counts."""
NEW_WORK_HOURS = 8.0
"""What an agent allows for work of a kind it has never finished."""
_SHOWN = 3


def tender(agent: Agent, task: CallForProposals) -> Bid | str:
    """Return the agent's bid for a task, or why it makes none.

    Its confidence begins at its proficiency, which no bid exceeds where skills are listed, and moves with how alike
    work ended. Money is what alike work cost, nothing where there was none; time is what that took, and as much again
    for each commitment that the agent is busy with.
    """
    capabilities, wanted = agent.mind.capabilities, (task.task_description, *task.task_constraints)
    able, load = proficiency(capabilities, wanted), sum(one.status not in OVER for one in agent.mind.intentions)
    if why_not := _unfit(agent, able, load):
        return why_not
    alike = _alike(agent, task)
    good = [case for _, case in alike if case.success]
    weight = sum(share for share, _ in alike)
    chance = (sum(share for share, case in alike if case.success) + 2 * able) / (weight + 2)
    return Bid(
        agent_id=agent.id,
        approach=_approach(agent, task, good),
        estimated_cost=round(_mean(good, "cost"), 2),
        estimated_duration=round(max(1.0, _mean(good, "duration_days") * 24 or NEW_WORK_HOURS) * (1 + load), 2),
        confidence=round(min(chance, able) if capabilities.skills else chance, 4),
        rationale=_rationale(able, load, alike),
    )


def _unfit(agent: Agent, able: float, load: int) -> str:
    """Return why an agent cannot take a task on, or an empty text."""
    try:
        allowed(agent, agent.services.tools.tool("contract_net_propose"))
    except Refused as refused:
        return refused.message
    if able < COMPETENT:
        return "I am not competent in this, as my Capabilities.md says."
    most = agent.services.settings.cycle.max_active_goals
    return f"I have {load} open commitments, and more than {most} I cannot keep." if load >= most else ""


def _alike(agent: Agent, task: CallForProposals) -> list[tuple[float, Case]]:
    """Return the cases whose aim is worded like the task, and how alike they are, the most alike first."""
    wanted = _words(task.task_description)
    found = ((jaccard(wanted, _words(case.context)), case) for case in agent.cases.all())
    return sorted(((share, case) for share, case in found if share >= ALIKE), key=lambda one: (-one[0], one[1].id))


def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - STOPWORDS


def _mean(cases: Sequence[Case], figure: str) -> float:
    known = [value for case in cases if (value := number(str(case.results.get(figure, "")))) is not None]
    return sum(known) / len(known) if known else 0.0


def _approach(agent: Agent, task: CallForProposals, good: Sequence[Case]) -> str:
    """Return how the agent would go about it: as it did before, else by the template that fits, else without either."""
    if good:
        steps = [str(one.get("description") or one.get("tool")) for one in recorded_steps(good[0])]
        return f"{good[0].context}, as in {good[0].id}: {'; '.join(steps) or good[0].solution.get('name', 'done')}."
    found = templates_for(agent, task.task_description, role=role_of(agent), limit=1).matches
    if found:
        template = found[0].template
        return f"{template.summary} {'; '.join(step.description for step in template.steps)}."
    return "I have no plan for it yet and make one when it is mine."


def _rationale(able: float, load: int, alike: Sequence[tuple[float, Case]]) -> str:
    ended = sum(case.success for _, case in alike)
    named = ", ".join(case.id for _, case in alike[:_SHOWN])
    past = f"{ended} of {len(alike)} alike cases ended well ({named})" if alike else "no alike case"
    return f"Proficiency {able:g}, {load} open commitments, {past}."
