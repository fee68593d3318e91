"""A person's actions on a page: send a message, answer a question, run a cycle, drop a file."""

import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from mabos.configs.errors import InvalidArgument, MabosError, Refused
from mabos.interfaces.chat.events import ChatEvent, ChatReply, PhaseEvent, TextEvent, ToolEvent
from mabos.interfaces.chat.routing import choose
from mabos.interfaces.chat.streaming import Turn, astream_events
from mabos.interfaces.chat.turn import go_on, take_turn
from mabos.interfaces.dashboard.activity import event_words
from mabos.interfaces.dashboard.decisions import answer
from mabos.interfaces.surfaces.door import Door
from mabos.society.business import INBOX_FOLDER
from mabos.society.intake import kind_of
from mabos.tools.people.stakeholder import home_of
from mabos.workspace.atomic import write_atomic

if TYPE_CHECKING:
    from mabos.tools.runtime.services import Services

_NEXT = {
    "perceive": "decides what matters",
    "deliberate": "plans",
    "plan": "works",
    "act": "keeps what it learned",
    "work": "keeps what it learned",
    "learn": "finishes",
}
"""The function called after each phase of a cycle."""
LIMITS = ("approval_threshold_usd", "decision_style", "risk_tolerance", "initiative")
"""The settings for all agents that the owner changes on the overview: arguments of `stakeholder_profile`."""
_READ = ".csv, .docx, .eml, .html, .md, .pdf, .tsv, .txt or .xlsx"


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """A turn ready to start: the agent that works, the reason, the turn itself, and the answered question."""

    agent_id: str
    because: str
    turn: Turn
    answered: str = ""


def resolve(door: Door, given: Mapping[str, str]) -> str:
    """Answer a question from a form, and return its id; raises `MabosError` if the answer is refused."""
    wanted = given.get("id", "")
    _call(door, "decision_resolve", answer(home_of(door.services, wanted).one(wanted), given))
    return wanted


def resolve_every(door: Door, given: Mapping[str, str]) -> int:
    """Answer several questions in the same way, each at the version shown, and return how many.

    Raises `InvalidArgument` at the first refusal; earlier ones are answered.
    """
    every = [one.rpartition(":") for one in given.get("every", "").split()]
    for number, (wanted, _, version) in enumerate(every):
        try:
            resolve(door, {**given, "id": wanted, "version": version})
        except MabosError as error:
            done = f"{number} of {len(every)} questions are answered; {wanted} is not"
            raise InvalidArgument(f"{done}: {error.message}", argument="every") from None
    return len(every)


def begin_turn(door: Door, given: Mapping[str, str]) -> BegunTurn:
    """Return the turn that a form of the chat page requests: a message, or an answer to an agent's question.

    An answer is recorded on return. Raises `MabosError` if it is refused, and for an empty message.
    """
    services = door.services
    if given.get("resolution"):
        decision_id = resolve(door, given)
        agent_id = home_of(services, decision_id).one(decision_id).from_agent
        return BegunTurn(
            agent_id, "", lambda tell, control: go_on(services, agent_id, tell, control=control), decision_id
        )
    text, because = given.get("message", ""), ""
    if not text.strip():
        raise InvalidArgument("The message is empty. Write something first.", argument="message")
    if agent_id := given.get("agent", ""):
        agent_id = services.agent(agent_id).id
    else:
        chosen = choose(services, text)
        agent_id, because, text = chosen.agent_id, chosen.because, chosen.text
    return BegunTurn(
        agent_id, because, lambda tell, control: take_turn(services, agent_id, text, tell, control=control)
    )


async def turn_events(door: Door, begun: BegunTurn) -> AsyncIterator[str]:
    """Yield a turn as server-sent events for the chat page: `status`, `line`, `draft`, and finally `done`.

    The last names the answered question, if any. An error is the last event, `wrong`. A reader that stops ends the turn
    at its next phase.
    """
    from anyio.to_thread import run_sync

    if begun.because:
        yield event("line", f"{begun.agent_id} answers: {begun.because}")
    yield event("status", f"{begun.agent_id} reads what is new")
    try:
        async with aclosing(astream_events(begun.turn)) as events:  # type: ignore[type-var]  # a generator
            async for happened in events:
                for name, text in _render_event(door.services, happened):
                    yield event(name, text)
        await run_sync(door.publish)
    except MabosError as error:
        yield event("wrong", error.message)
        return
    yield event("done", begun.answered)


def _render_event(services: "Services", happened: ChatEvent) -> Iterator[tuple[str, str]]:
    """Yield the page's events for a conversation event; approvals and the reply come from the records at the end."""
    if isinstance(happened, PhaseEvent):
        yield "status", f"{happened.agent_id} {_NEXT.get(happened.phase, happened.phase)}"
    elif isinstance(happened, ToolEvent):
        yield "line", event_words(services, happened)
    elif isinstance(happened, TextEvent):
        yield "draft", happened.text
    elif isinstance(happened, ChatReply) and not happened.text:
        yield "line", "; ".join(happened.failures) or f"{happened.agent_id} has nothing to report"


def run_once(door: Door, agent_id: str) -> str:
    """Run one cycle of an agent and return the cycle's id; raises `MabosError`, also for an unknown agent."""
    from mabos.graphs.wiring import run_cycle

    report = run_cycle(door.services, door.services.agent(agent_id).id)
    door.publish()
    return report.cycle


def drop(door: Door, business_id: str, name: str, content: bytes) -> str:
    """Put a file into a business's inbox and return its name there; existing files are never replaced.

    Raises `Refused` for an unreadable kind of file, and `InvalidArgument` for an invalid name or an empty file.
    """
    plain = PurePosixPath(name.replace("\\", "/")).name.strip()
    if not plain or not plain.isprintable() or len(plain.encode()) > 200:
        raise InvalidArgument("Choose a file with a name of at most 200 characters.", argument="file")
    if kind_of(plain) is None:
        raise Refused(f"Agents do not read {plain}. They read files that end in {_READ}.", argument="file")
    if not content:
        raise InvalidArgument(f"{plain} is empty.", argument="file")
    folder = door.services.business(business_id).directory / INBOX_FOLDER
    path, number = folder / plain, 1
    while path.exists() or path.is_symlink():
        if not path.is_symlink() and path.is_file() and path.read_bytes() == content:
            return path.name
        number += 1
        path = folder / f"{PurePosixPath(plain).stem}-{number}{PurePosixPath(plain).suffix}"
    write_atomic(path, content)
    return path.name


def set_limits(door: Door, given: Mapping[str, str]) -> int:
    """Save the owner's limits that a form changed, and return how many; other changes made meanwhile are kept.

    The form has the shown value of each limit as `was-<name>`. Raises `InvalidArgument` if one is refused.
    """
    names = [one for one in LIMITS if given.get(one, "") not in ("", given.get(f"was-{one}"))]
    changes: dict[str, str | float] = {one: given[one] for one in names}
    if re.fullmatch(r"\d+(\.\d+)?", text := given.get(LIMITS[0], "").replace(",", "")) and LIMITS[0] in changes:
        changes[LIMITS[0]] = float(text)
    if changes:
        _call(door, "stakeholder_profile", {"business_id": given.get("business", ""), **changes})
    return len(changes)


def _call(door: Door, tool: str, arguments: Mapping[str, object]) -> None:
    """Call an operation as the person; raises `InvalidArgument` where it is refused."""
    outcome = door.call(tool, arguments)
    if not outcome.ok:
        raise InvalidArgument(outcome.message, argument=outcome.argument or "")


def event(name: str, text: str) -> str:
    """Return an event in the form that the page's script reads; the text is a JSON string."""
    return f"event: {name}\ndata: {json.dumps(text, ensure_ascii=False)}\n\n"
