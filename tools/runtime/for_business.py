"""The business of a call, named or the agent's own, and the recipients its agents may write to."""

from mabos.configs.errors import InvalidArgument, Refused, UnknownId, unknown
from mabos.society.business import read_manifest
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent


def business_of(agent: Agent, business_id: str = "") -> Business:
    """Return a call's business, with the clock and ids of the call.

    An agent acts only for its own business; a person may name any. Raises `Refused` and `UnknownId`.
    """
    if agent.caller.kind == "agent" and business_id not in {"", agent.business_id}:
        message = f"{agent.id!r} works for {agent.business_id!r} and may not act for {business_id!r}; leave it out"
        raise Refused(message, argument="business_id")
    return agent.services.business(business_id or agent.business_id)


def reachable(agent: Agent, to: str, argument: str, *, reply_to: str = "") -> None:
    """Raise for `argument` unless the agent may write to `to`: `UnknownId` if there is no such agent, else `Refused`.

    Messages become beliefs or desires of their reader, so agents write within their business, and to another only if it
    lists them among its counterparties. A received message may be answered (`reply_to`).
    """
    try:
        agent.services.inbox(to)
    except (UnknownId, InvalidArgument):
        raise unknown("agent", to, [*agent.services.agents(), STAKEHOLDER], argument=argument) from None
    if not knows(agent, to) and not _has_received(agent, reply_to, to):
        home = _home(agent.services.agent(to))
        message = (
            f"{to!r} works for {home!r}, where {agent.id!r} is a stranger; a person may list it in 'counterparties' of "
            f"businesses/{home}/business.json"
        )
        raise Refused(message, argument=argument)


def knows(agent: Agent, to: str) -> bool:
    """Return whether the business of `to` lets the agent write to it; people and colleagues always may."""
    if agent.is_person or to in {STAKEHOLDER, agent.id}:
        return True
    own, home = _home(agent), _home(agent.services.agent(to))
    if home in {"", own}:
        return True
    return not {agent.id, own}.isdisjoint(read_manifest(agent.services.layout, home).counterparties)


def _has_received(agent: Agent, message_id: str, sender: str) -> bool:
    return any((one.id, one.sender) == (message_id, sender) for one in agent.inbox.messages())


def _home(agent: Agent) -> str:
    return agent.business_id or agent.services.directory.the_business()
