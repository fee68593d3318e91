"""Which business a call is about: the one it names, or the agent's own."""

from configs.errors import Refused
from tools.agent import Agent
from tools.company import Business


def business_of(agent: Agent, business_id: str = "") -> Business:
    """Return the business a call is about, with the clock and ids of the call.

    An agent acts for its own business alone; a person may name any. Raises `Refused` and `UnknownId`.
    """
    if agent.caller.kind == "agent" and business_id not in {"", agent.business_id}:
        message = f"{agent.id!r} works for {agent.business_id!r} and may not act for {business_id!r}; leave it out"
        raise Refused(message, argument="business_id")
    return agent.services.business(business_id or agent.business_id, clock=agent.clock, ids=agent.ids)
