"""What plans came to, told to the business, so that every agent's planning finds it."""

from collections.abc import Iterable

from configs.errors import MabosError
from mind.model import Intention
from nodes.learning.episodes import goal_and_plan
from tools.agent import Agent
from tools.entity_learning import applied, profiled
from tools.entity_questions import memory_of


def share(agent: Agent, over: Iterable[Intention]) -> str:
    """Tell the entity memory what plans of templates came to; return why that could not be done, or nothing.

    An agent without a business has nobody to share with.
    """
    ended = [(one, *goal_and_plan(agent, one)) for one in over] if agent.business_id else []
    tasks = [(one, goal, plan) for one, goal, plan in ended if plan is not None and plan.template]
    if not tasks:
        return ""
    try:
        memory = memory_of(agent)
        profiled(memory, agent, [applied(memory, agent, one, goal, plan) for one, goal, plan in tasks])
    except MabosError as error:  # what others would have learnt keeps nobody from learning
        return error.message
    return ""
