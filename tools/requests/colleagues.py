"""Colleagues: questions passed on and their answers collected, and orders given to those who can carry them out."""

from collections.abc import Sequence
from typing import Any

from mabos.configs.errors import MabosError
from mabos.language.request import Check, Request
from mabos.mind.model import Step
from mabos.society.commitments import commit
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.identity import check_capability
from mabos.tools.requests.response import Ask, Decline, Do, Response
from mabos.tools.requests.wording import day
from mabos.tools.runtime.services import Agent, Caller
from mabos.workspace.currencies import money

ANSWERS = ("INFORM", "REFUSE", "FAILURE", "NOT_UNDERSTOOD")
WAIT = "W"
"""The id of the step that waits for what others say."""


WHOM = "Whom shall I ask?"


def ask_colleagues(agent: Agent, request: Request) -> Response:
    """Return the questions to colleagues as steps; the request is done when each has answered."""
    questions = [one for one in request.slot("questions", ()) if len(str(one.get("question", "")).split()) > 1]
    unknown = [str(one.get("to", "")) for one in questions if _seat(agent, str(one.get("to", ""))) is None]
    if not questions or unknown:
        named = f"{WHOM[:-1]}: I know no {', '.join(unknown)}?" if any(unknown) else WHOM
        return Ask(named, ("questions",))
    steps, checks = list[Step](), list[Check]()
    for number, one in enumerate(questions, start=1):
        to, said = str(_seat(agent, str(one["to"]))), str(one["question"])
        thread = _thread(request, number)
        arguments = {"to": to, "performative": "QUERY", "content": said, "conversation_id": thread}
        steps.append(Step(f"S{number}", f"ask {title(agent, to)}: {said}", "agent_message", arguments))
        where = {"from": to, "to": agent.id, "conversation_id": thread, "performative": {"in": list(ANSWERS)}}
        checks.append(Check("messages", where, note=f"the answer of {title(agent, to)}"))
    names = _join_words(dict.fromkeys(title(agent, str(_seat(agent, str(one["to"])))) for one in questions))
    steps.append(Step(WAIT, f"the {'answer' if len(questions) == 1 else 'answers'} of {names}"))
    return Do(request.sentence, tuple(steps), tuple(checks))


def tell_colleagues(agent: Agent, request: Request) -> Response:
    """Return the news passed on to colleagues in its original words; nothing is asked of them."""
    named = [str(one) for one in request.slot("to", ())]
    seats = [_seat(agent, one) for one in named]
    if not named or None in seats:
        return Ask("Whom shall I tell this?", ("to",))
    steps, checks = list[Step](), list[Check]()
    for number, to in enumerate(map(str, seats), start=1):
        thread, text = _thread(request, number), str(request.slot("text", request.sentence))
        arguments = {"to": to, "performative": "INFORM", "content": text, "conversation_id": thread}
        steps.append(Step(f"S{number}", f"tell {title(agent, to)}: {text}", "agent_message", arguments))
        where = {"from": agent.id, "to": to, "conversation_id": thread, "performative": "INFORM"}
        checks.append(Check("messages", where, note=f"the message to {title(agent, to)}"))
    return Do(request.sentence, tuple(steps), tuple(checks))


def delegate(agent: Agent, request: Request) -> Response:
    """Return the order passed on to a colleague, who reports when its own acceptance check has passed."""
    to = _seat(agent, str(request.slot("to", "")))
    if to is None:
        return Ask("To whom shall I give this?", ("to",))
    return handed_to(agent, request, to, str(request.slot("text", request.sentence)))


def handed_to(agent: Agent, request: Request, to: str, text: str) -> Do:
    """Return an order given to a colleague as a commitment, done when the colleague reports it, on its records."""
    thread, deadline = _thread(request, 1), str(request.slot("deadline", ""))
    commit(agent.mind, to, text, due=deadline, about=request.id, owed_by=to)
    arguments: dict[str, Any] = {"to": to, "performative": "REQUEST", "content": text, "conversation_id": thread}
    steps = (
        Step("S1", f"give this to {title(agent, to)}: {text}", "agent_message", arguments),
        Step(WAIT, f"the report of {title(agent, to)}"),
    )
    where = {"from": to, "to": agent.id, "conversation_id": thread, "performative": "INFORM"}
    check = Check("messages", where, note=f"the report of {title(agent, to)} that it is done")
    return Do(text, steps, (check,), deadline=deadline, data={"threads": [thread]})


def capable(agent: Agent, tool: Tool) -> str:
    """Return the colleague who may use a tool, the first by seat, or ""."""
    seats = agent.business.manifest.agents.values() if agent.business_id else ()
    for other in seats:
        if other == agent.id:
            continue
        try:
            check_capability(agent.services.agent(other, caller=Caller("agent", other)), tool)
        except MabosError:
            continue
        return other
    return ""


def refusal(agent: Agent, request: Request) -> str:
    """Return in a colleague's words why an order passed on was not done, or ""."""
    threads = request.data.get("threads", ())
    for thread in threads:
        for one in agent.inbox.thread(thread):
            if one.performative in ("REFUSE", "FAILURE", "NOT_UNDERSTOOD"):
                return f"{title(agent, one.sender)} answered: {one.content}"
    return ""


def title(agent: Agent, agent_id: str) -> str:
    """Return the title of an agent: its role in capitals, as the CFO, else its id."""
    role = agent.business.manifest.role_of(agent_id) if agent.business_id else ""
    name = role or agent_id
    if name == "hr":
        return "HR"
    return f"the {name.upper()}" if len(name) <= 3 else name.replace("_", " ").capitalize()


def cannot(agent: Agent, tool: Tool, request: Request, why: str) -> Response:
    """Return the order given to a capable colleague; refused if there is none."""
    other = capable(agent, tool)
    is_passed_on = request.sender in (agent.business.manifest.agents.values() if agent.business_id else ())
    if not other or is_passed_on:
        return Decline(why, f"{title(agent, other)} can do it." if other else "None of my colleagues can do it either.")
    return handed_to(agent, request, other, _in_plain_words(request))


def _in_plain_words(request: Request) -> str:
    """Return an order in words that every colleague reads alike: a package by title, budget and day; else as said."""
    name, budget, due = request.slot("title", ""), request.slot("budget_usd", None), str(request.slot("deadline", ""))
    if request.operation != "work_package_create" or not name or not isinstance(budget, int | float):
        return request.sentence
    by = f", by {day(due)}" if due else ""
    shown = str(name).replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
    return f"Create a work package '{shown}', {money(budget)}{by}."


def _seat(agent: Agent, named: str) -> str | None:
    """Return the agent of a role or with an id, or None."""
    seats = agent.business.manifest.agents if agent.business_id else {}
    found = seats.get(named.casefold(), named)
    return found if found in agent.services.agents() and found != agent.id else None


def _thread(request: Request, number: int) -> str:
    revision = request.data.get("revision", 1)
    return f"{request.id}-{number}" + (f"-r{revision}" if revision != 1 else "")


def _join_words(names: Sequence[str] | dict[str, None]) -> str:
    known = list(names)
    return known[0] if len(known) == 1 else f"{', '.join(known[:-1])} and {known[-1]}"
