"""A turn as a stream: a thread runs it and its events are yielded one by one, for `for` and `async for`.

A listener that stops ends the turn at its next phase. Completed work stays done, and the message remains in the agent's
inbox.
"""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from queue import SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING

from mabos.interfaces.chat.events import ChatEvent, ChatReply
from mabos.interfaces.chat.turn import Tell

if TYPE_CHECKING:
    from langgraph.runtime import RunControl

Turn = Callable[[Tell, "RunControl"], ChatReply]
"""A turn that is told to whom to tell its events, and by what it may be ended."""


def stream_events(turn: Turn) -> Iterator[ChatEvent]:
    """Yield the events of a turn as they happen, the reply last; raises the turn's exceptions."""
    from langgraph.runtime import RunControl

    events: SimpleQueue[ChatEvent | BaseException | None] = SimpleQueue()
    control = RunControl()
    thread = _start_turn(turn, events.put, control)
    try:
        while (event := events.get()) is not None:
            if isinstance(event, BaseException):
                raise event
            yield event
    finally:
        control.request_drain("nobody listens any more")
        thread.join()


async def astream_events(turn: Turn) -> AsyncIterator[ChatEvent]:
    """Yield the events of a turn as they happen, the reply last; raises the turn's exceptions."""
    from asyncio import Queue, get_running_loop, to_thread

    from langgraph.runtime import RunControl

    events: Queue[ChatEvent | BaseException | None] = Queue()
    loop, control = get_running_loop(), RunControl()

    def put(event: ChatEvent | BaseException | None) -> None:
        with suppress(RuntimeError):  # the loop may be closed: nobody listens any more
            loop.call_soon_threadsafe(events.put_nowait, event)

    thread = _start_turn(turn, put, control)
    try:
        while (event := await events.get()) is not None:
            if isinstance(event, BaseException):
                raise event
            yield event
    finally:
        control.request_drain("nobody listens any more")
        await to_thread(thread.join)


def _start_turn(turn: Turn, put: Callable[[ChatEvent | BaseException | None], None], control: "RunControl") -> Thread:
    """Return the thread that runs a turn: it puts every event, then the turn's exception, if any, then None."""

    def work() -> None:
        try:
            turn(put, control)
        except BaseException as error:  # noqa: BLE001 - raised where the events are read
            put(error)
        put(None)

    thread = Thread(target=copy_context().run, args=(work,), name="mabos-turn")
    thread.start()
    return thread
