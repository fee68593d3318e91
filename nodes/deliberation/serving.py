"""Check whether a message waits for the chat model; then the agent's own deliberation waits for the next cycle.

A round of a simulated company is the exception: each agent has one cycle for both.
"""

from collections.abc import Sequence

from mabos.nodes.cycle import Cycle
from mabos.tools.work.loop import works
from mabos.tools.work.session import is_work, session_id


def serves_somebody(cycle: Cycle, message_ids: Sequence[str], *, answered: bool = False) -> bool:
    """Return whether a message must be worked on before the agent deliberates about its own goals.

    That includes a session whose question a person has just `answered`. A session that still waits blocks nothing.
    """
    agent = cycle.agent
    if answered or not works(agent.services):
        return answered and works(agent.services)
    still = [one for one in agent.requests.all() if one.is_open and one.status != "asking"]
    if any(one.message_id in message_ids for one in still):
        return True
    carried = [one for one in still if is_work(one)]
    sessions = [agent.work.find(session_id(one)) for one in carried]
    return any(session is None or session.status == "running" for session in sessions)
