"""What plans came to, told to the business, so that every agent's planning finds it."""

from collections.abc import Iterable

from mabos.configs.errors import MabosError
from mabos.mind.model import Intention
from mabos.nodes.learning.effects import UNTOLD
from mabos.nodes.learning.episodes import goal_and_plan
from mabos.tools.entities.learning import applied, measured, profiled
from mabos.tools.entities.questions import memory_of
from mabos.tools.runtime.services import Agent


def share(agent: Agent, over: Iterable[Intention]) -> str:
    """Tell the entity memory what plans of templates came to; return why that could not be done, or nothing.

    What was measured since of the goals of earlier plans is told with it. An agent without a business has nobody to
    share with.
    """
    if not agent.business_id:
        return ""
    ended = [(one, *goal_and_plan(agent, one)) for one in over]
    tasks = [(one, goal, plan) for one, goal, plan in ended if plan is not None and plan.template]
    since = [case for case in agent.cases.all() if case.results.get(UNTOLD)]
    if not tasks and not since:
        return ""
    try:
        memory = memory_of(agent)
        for case in since:
            measured(memory, case)
            agent.cases.amend(case.id, **{UNTOLD: None})
        if tasks:
            profiled(memory, agent, [applied(memory, agent, one, goal, plan) for one, goal, plan in tasks])
    except MabosError as error:  # what others would have learnt keeps nobody from learning
        return error.message
    return ""
