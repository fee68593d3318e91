"""A turn on behalf of a server's client: the recipient of the message, and the events of the turn."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from dataclasses import replace
from typing import Any

from anyio.to_thread import run_sync

from mabos.configs.errors import InvalidArgument, Refused
from mabos.interfaces.chat.events import ChatEvent, ChatReply
from mabos.interfaces.chat.routing import Addressee, choose
from mabos.interfaces.chat.streaming import astream_events
from mabos.interfaces.chat.turn import take_turn
from mabos.interfaces.surfaces.door import Door

_ARGUMENTS = ("message", "agent_id", "business_id")


def addressee(door: Door, arguments: Mapping[str, Any], agent_id: str = "") -> Addressee:
    """Return the recipient and the message; raises `Refused` for an agent's door, and `InvalidArgument`."""
    if door.caller.kind != "person":
        raise Refused("only a person may talk with agents here; agents use agent_message", argument="agent_id")
    if not door.talks:
        raise Refused("this server offers no conversation; add ask_agent to its --tools", argument="message")
    wrong = next((one for one in arguments if one not in _ARGUMENTS or not isinstance(arguments[one], str)), None)
    if wrong is not None:
        known = ", ".join(_ARGUMENTS)
        raise InvalidArgument(f"{wrong!r} is not a text argument; use {known}", argument=wrong)
    named, text = arguments.get("agent_id") or agent_id, arguments.get("message", "")
    if not text.strip():
        raise InvalidArgument("the message is empty; give a message", argument="message")
    if named:
        return Addressee(door.services.agent(named).id, "", text)
    return choose(door.services, text, arguments.get("business_id", ""))


async def turn(door: Door, to: Addressee) -> AsyncIterator[ChatEvent]:
    """Yield the events of a turn, the reply last; if the reader stops, the turn ends at its next phase."""
    events = astream_events(lambda tell, control: take_turn(door.services, to.agent_id, to.text, tell, control=control))
    async with aclosing(events):  # type: ignore[type-var]  # a generator
        async for event in events:
            yield replace(event, chosen_because=to.because) if isinstance(event, ChatReply) else event
    await run_sync(door.publish)
