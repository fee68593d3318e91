"""Whether somebody waits for the chat model: then the agent's own thinking waits for the next cycle.

A round of a simulated company is the exception: it gives each agent one cycle, which has room for both.
"""

from mabos.nodes.cycle import Cycle
from mabos.tools.work.loop import works
from mabos.tools.work.session import is_work, session_id


def serves_somebody(cycle: Cycle, *, answered: bool = False) -> bool:
    """Return whether a model has to work on a message, or on with one, before the agent thinks of goals of its own.

    That is so where a person has just `answered` a question. A session that still waits keeps the agent from nothing.
    """
    agent = cycle.agent
    if answered or not works(agent.services):
        return answered and works(agent.services)
    carried = [one for one in agent.requests.all() if is_work(one) and one.is_open and one.status != "asking"]
    sessions = [agent.work.find(session_id(one)) for one in carried]
    return any(session is None or session.status == "running" for session in sessions)
