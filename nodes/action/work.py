"""Run the work sessions of a cycle: act performs a model's calls, work asks it again, until the reply is sent.

Every order of a session is its own request, handled like any other: goal, plan, gate, acceptance checks.
"""

from collections.abc import Sequence
from typing import Final

from mabos.backends.chat import ToolUse
from mabos.backends.metering import BudgetExhausted
from mabos.backends.shown import sanitize_text
from mabos.configs.errors import Unavailable
from mabos.language.request import Request, RequestStatus
from mabos.nodes.action.requests import attend, carry_out, speak
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.hearing import meaning
from mabos.nodes.perception.understanding import read_by_rules
from mabos.society.messages import Message, Performative
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.outcome import Reply
from mabos.tools.runtime.services import Agent
from mabos.tools.work.loop import Desk, desk_for, in_words, looked_up, next_answer, order_from, quote_results
from mabos.tools.work.reply import CheckedReply, check_reply, has_effect, is_empty, told_of
from mabos.tools.work.session import (
    ERROR,
    PARENT,
    UPDATE,
    WorkSession,
    begin_session,
    is_work,
    orders_of,
    session_id,
    with_answer,
    with_complaint,
    with_reply,
    with_result,
    with_update,
)
from mabos.workspace.copies import replace
from mabos.workspace.text import shorten

MEND: Final = (
    "Your answer was not sent, because nothing supports parts of it. Write the whole answer again, with only what the "
    "person, the briefing and the tool results say. A word of completion needs a result that says so."
)
EMPTY: Final = "Your answer had no text, or was cut off. Write your report, shorter."
BY_RULES: Final = "Fixed rules read your message, without the chat model, which could not go on: {why}."
_WORDS: Final[dict[RequestStatus, str]] = {
    "done": "Done",
    "standing": "Done",
    "answered": "Done",
    "underway": "Waiting, do not repeat it",
    "failed": "Failed",
    "refused": "Not done",
    "withdrawn": "Withdrawn",
}


def queue_work(cycle: Cycle) -> list[str]:
    """Return the requests of a cycle that need no model; the others queue in `cycle.work`."""
    works = {one.id for one in cycle.agent.requests.all() if is_work(one)}
    cycle.work = tuple(one for one in cycle.requests if one in works)
    return [one for one in cycle.requests if one not in works]


def carry_on(cycle: Cycle) -> str:
    """Advance the first session; return the next phase, or an empty text if no session is left."""
    while cycle.work:
        request = cycle.agent.requests.one(cycle.work[0])
        following = _advance_session(cycle, request, _session(cycle.agent, request)) if request.is_open else ""
        if following:
            return following
        cycle.work = cycle.work[1:]
    return ""


def take_step(cycle: Cycle) -> None:
    """Ask the model of the first session for its next answer; a reply is checked and sent."""
    agent = cycle.agent
    request = agent.requests.one(cycle.work[0])
    session = _session(agent, request)
    desk = _desk(cycle, request)
    if not session.is_answered:
        limit = agent.services.settings.work.rounds
        if session.rounds >= limit:
            _give_up(cycle, request, session, f"the model has used its {limit} answers")
            return
        try:
            answer = next_answer(desk, session)
        except Unavailable as error:
            _give_up(cycle, request, session, _without_address(error))
            return
        session = with_answer(session, answer.turn, agent.now())
        agent.work.save(session)
        if session.open_uses:
            cycle.tell(asks_for=[one.name for one in session.open_uses])
            return
        if is_empty(answer):
            if session.complained:
                _give_up(cycle, request, session, "the model gave no answer")
            else:
                _send_back(cycle, session, EMPTY)
            return
    orders = orders_of(agent.requests.all(), request)
    reply = check_reply(desk, session, orders)
    if reply.complaint:
        _send_back(cycle, session, f"{MEND}\n{sanitize_text(reply.complaint)}")
        cycle.note(sent_back=reply.complaint)
        return
    if reply.text:
        _reply(cycle, request, session, reply)
    else:
        _give_up(cycle, request, session, "nothing supports what the model says")


def _advance_session(cycle: Cycle, request: Request, session: WorkSession) -> str:
    """Advance a session as far as possible without the model, and return the next phase."""
    agent = cycle.agent
    if session.reply:  # a process died between saving it and sending it
        _finish(cycle, request, session)
        return ""
    if session.open_uses:
        return _use(cycle, request, session, session.open_uses[0])
    if session.status == "running":
        return "work"
    news = [reply.text for one in _underway(agent, request) for reply in carry_out(cycle, [one.id])]
    if not news:
        if not _underway(agent, request):
            _settle(agent, request, session)
        return ""
    agent.work.save(with_update(session, "\n".join(news), agent.now()))
    cycle.note(news_for=request.id)
    return "work"


def _use(cycle: Cycle, request: Request, session: WorkSession, use: ToolUse) -> str:
    """Perform one tool use, save its result, and return the next phase; after a crash the effect happens once."""
    agent, desk, ref = cycle.agent, _desk(cycle, request), ""
    found = looked_up(desk, session, use)
    if found is not None:
        result, status = (f"{ERROR}{found.text}", "failed") if found.is_error else (found.text, "done")
        session = replace(session, shown=tuple(dict.fromkeys((*session.shown, *found.found))))
    else:
        order = order_from(desk, session, use)
        if isinstance(order, str):
            result, status = f"{ERROR}{order}", "failed"
        else:
            after, said = _execute_order(cycle, request, order)
            result, status, ref = f"{_WORDS.get(after.status, after.status)}: {said}", after.status, after.id
            result += quote_results(agent, after)
    session = with_result(session, use, result, agent.now())
    agent.work.save(session)
    why = {} if ref or not result.startswith(ERROR) else {"why": shorten(result.removeprefix(ERROR), 200, at_word=True)}
    cycle.note(step=use.id, tool=use.name, status=status, ref=ref, **why)
    return "act" if session.open_uses else "work"


def _execute_order(cycle: Cycle, request: Request, order: Request) -> tuple[Request, str]:
    """Carry out an order of a session; return its new state and the text to report."""
    agent = cycle.agent
    if agent.requests.find(order.id) is None:
        agent.requests.save(order)
    target = agent.requests.find(order.refers_to) if order.act == "correction" else None
    if target is not None and target.id != order.id:  # the session that changes an order follows it from now on
        changed = {one.name: one for one in (*target.slots, *order.slots)}
        words = in_words(agent, target.act, target.operation, tuple(changed.values())) or target.sentence
        agent.requests.save(replace(target, sentence=words, data={**target.data, PARENT: request.id}))
    replies = carry_out(cycle, [order.id])
    after = agent.requests.one(order.id)
    if after.status == "asking":
        after = replace(after, status="refused", reason=after.question, question="")
        agent.requests.save(after)
    elif after.operation == "improve" and (message := agent.inbox.find(request.message_id)) is not None:
        _wish(cycle, message, [after])
    said = "\n".join(one.text for one in replies) or after.replied or after.reason
    return after, said


def _send_back(cycle: Cycle, session: WorkSession, why: str) -> None:
    """Tell the model once about the errors in its reply."""
    agent = cycle.agent
    agent.work.save(with_complaint(session, why, agent.now()))


def _reply(cycle: Cycle, request: Request, session: WorkSession, reply: CheckedReply) -> None:
    """Save the reply before it is sent, so that it is sent once."""
    agent = cycle.agent
    session = replace(with_reply(session, reply.text, reply.performative, agent.now()), claims=reply.claims)
    agent.work.save(session)
    _finish(cycle, request, session)


def _finish(cycle: Cycle, request: Request, session: WorkSession) -> None:
    """Send the reply of a session, and save whether it waits for an answer or is over."""
    agent, text = cycle.agent, session.reply
    message = agent.inbox.find(request.message_id)
    if message is not None:
        reply = Reply(session.performative or "INFORM", text, session.claims)
        is_sent = speak(cycle, message, reply, f"reply:{session.id}:{len(session.turns)}")
        cycle.note(attended=[message.id] if is_sent else [])
    asks = session.performative == "QUERY"
    request = replace(request, replied=text, question=text if asks else "")
    session = replace(session, reply="", performative="", claims=())
    _settle(agent, request, session)
    cycle.work = tuple(one for one in cycle.work if one != request.id)


def _settle(agent: Agent, request: Request, session: WorkSession) -> None:
    """Save how a session and its request are, by the orders that are still under way."""
    now, waits = agent.now(), tuple(one.id for one in _underway(agent, request))
    orders = orders_of(agent.requests.all(), request)
    over: RequestStatus = "asking" if request.question else "done" if has_effect(orders) else "answered"
    agent.requests.save(replace(request, status="underway" if waits else over, updated_at=now))
    status = "waiting" if waits else "done"
    agent.work.save(replace(session, status=status, waits_for=waits, updated_at=now))


def _give_up(cycle: Cycle, request: Request, session: WorkSession, why: str) -> None:
    """Continue without the model: by rules if nothing had an effect yet, else report from the record."""
    agent = cycle.agent
    cycle.note(without_model=why)
    orders = orders_of(agent.requests.all(), request)
    if has_effect(orders) or request.replied:
        told = told_of(_fresh(orders, session) if request.replied else orders)
        text = f"{told}\nI report this without the chat model, which could not go on: {why}.".strip()
        performative: Performative = "AGREE" if any(one.status == "underway" for one in orders) else "INFORM"
        _reply(cycle, request, session, CheckedReply(text, performative))
        return
    agent.work.save(replace(session, status="failed", updated_at=agent.now()))
    cycle.work = tuple(one for one in cycle.work if one != request.id)
    _by_rules(cycle, request, why)


def _without_address(error: Unavailable) -> str:
    """Return why a model did not answer, for a person; its address and words are in the ledger."""
    return error.message if isinstance(error, BudgetExhausted) else "it did not answer"


def _fresh(orders: Sequence[Request], session: WorkSession) -> list[Request]:
    """Return the orders of which the last update tells, or all where none does."""
    updates = [one.content for one in session.turns if one.role == "user" and one.content.startswith(UPDATE)]
    return [one for one in orders if one.replied and one.replied in "".join(updates[-1:])] or list(orders)


def _by_rules(cycle: Cycle, request: Request, why: str) -> None:
    """Process a message without a model; the requests that rules read replace this one.

    A person learns that rules read the message, and why.
    """
    agent = cycle.agent
    message = agent.inbox.find(request.message_id)
    if message is None:
        return
    made = read_by_rules(cycle, message)
    if not made:
        agent.requests.save(replace(request, status="answered", reason="weighed as a wish", updated_at=agent.now()))
    _wish(cycle, message, made)
    remark = BY_RULES.format(why=why) if message.sender == STAKEHOLDER else ""
    cycle.note(attended=attend(cycle, [one.id for one in made], remark))


def _wish(cycle: Cycle, message: Message, requests: Sequence[Request]) -> None:
    """Save the desires in a message: a figure that should move, or a colleague's unmet wish."""
    mind = cycle.agent.mind
    known = {one.id for one in mind.desires}
    wishes = [one for one in meaning(cycle, message, requests).desires if one.id not in known]
    if wishes:
        mind.save(*wishes, why="asked for", cycle=cycle.id)


def _underway(agent: Agent, request: Request) -> list[Request]:
    return [one for one in orders_of(agent.requests.all(), request) if one.status == "underway"]


def _desk(cycle: Cycle, request: Request) -> Desk:
    """Return the context of a session, the same for the whole cycle; the request has the words of its message."""
    if request.id not in cycle.desks:
        agent, name = cycle.agent, request.message_id
        known = agent.inbox.find(name)
        message = known or Message(
            name, request.sender, agent.id, "REQUEST", request.sentence, request.created_at
        )  # somebody may have removed it since
        cycle.desks[request.id] = desk_for(agent, request, message)
    return cycle.desks[request.id]


def _session(agent: Agent, request: Request) -> WorkSession:
    """Return the session of a request; a new one ends the questions that its sender left open before."""
    known = agent.work.find(session_id(request))
    if known is not None:
        return known
    session, now = begin_session(request, agent.now()), agent.now()
    left = [one for one in agent.requests.all() if is_work(one) and one.status == "asking"]
    closed = [replace(one, status="answered", updated_at=now) for one in left if one.sender == request.sender]
    agent.requests.save(*closed, replace(request, status="underway", updated_at=now))
    agent.work.save(session)
    return session
