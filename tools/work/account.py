"""Outcomes of orders that a reply omits, one line each, from the records.

    unsaid(agent, fresh_orders(session, orders), reply)     # ["Done: Campaign 'Spring' is recorded ..."]

A line is omitted if one sentence of the reply already has it: the subject, by id or most of its words, and the outcome.
So a person sees all work done, pending, refused and never started, whatever a model writes.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from mabos.language.claims.completion import claims_in
from mabos.language.claims.sentences import reply_sentences
from mabos.language.claims.stems import stems_of
from mabos.language.request import Request
from mabos.language.wordlists import order_form
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.acceptance import judge_order
from mabos.tools.requests.carrying import find_carrying_records
from mabos.tools.requests.colleagues import WAIT
from mabos.tools.requests.outcome import asks_leave, report_success
from mabos.tools.runtime.services import Agent
from mabos.tools.work.clauses import read_text
from mabos.tools.work.mandate import NOT_YET
from mabos.tools.work.reads import is_office_read
from mabos.tools.work.session import BEFORE, ERROR, MADE, PARENT, UPDATE, WorkSession
from mabos.tools.work.spoken import spoken_by_person
from mabos.tools.work.toolbox import FIND
from mabos.workspace.copies import replace
from mabos.workspace.text import one_line, shorten

IDLE: Final = "No operation was performed for this message."
_LINE: Final = 240
_LINES: Final = 8
_ASKS_ONLY: Final = ("ask_colleagues",)
"""Operations that change nothing: their results are answers."""
_DID: Final = order_form("work_account.did")
_WAITS: Final = order_form("work_account.waits")
_DENIES: Final = order_form("work_account.denies")
_NAMES: Final = ("name", "title", "subject", "description", "content", "to", "sentence", "text")


def fresh_orders(session: WorkSession, orders: Sequence[Request]) -> list[Request]:
    """Return the orders of a session not covered by an earlier reply: those in or after its last update."""
    updates = [at for at, one in enumerate(session.turns) if one.role == "user" and one.content.startswith(UPDATE)]
    if not updates:
        return list(orders)
    last = updates[-1]
    made = {use.id for turn in session.turns[last:] for use in turn.tool_uses}
    news = session.turns[last].content
    return [one for one in orders if one.data.get("use") in made or (one.replied and one.replied in news)]


def unsaid(agent: Agent, orders: Sequence[Request], said: str) -> list[str]:
    """Return the outcomes of orders, one line each, unless a reply has them."""
    told = [one.text for one in reply_sentences(said)]
    lines = list[str]()
    for at, order in enumerate(orders):
        if order.operation in _ASKS_ONLY:
            continue
        if order.status in ("done", "standing"):
            lines += _report_omitted(agent, order, told)
        elif order.status == "underway":
            lines += _waits(agent, order, told)
        elif order.status in ("refused", "failed") and not _is_made_good(order, orders[at + 1 :]):
            lines += _not_done(order, told)
    lines = [shorten(one_line(one), _LINE, at_word=True) for one in dict.fromkeys(lines)]
    more = [f"And {len(lines) - _LINES} more on record."] if len(lines) > _LINES else []
    return [*lines[:_LINES], *more]


def unperformed(
    agent: Agent, session: WorkSession, request: Request, orders: Sequence[Request], said: str
) -> list[str]:
    """Return ordered but unstarted work: failed calls since the last update, or that there was no call at all.

    A reply that denies or asks states it itself; a later successful call may have made up for an earlier one.
    """
    if not is_ordered(agent, request):
        return []
    told = [one.text for one in reply_sentences(said)]
    last = max((at for at, one in enumerate(session.turns) if one.content.startswith(UPDATE)), default=0)
    made, lines = {one.data.get("use") for one in orders if one.status in MADE}, dict[str, str]()
    uses = {use.id: use for turn in session.turns[last:] for use in turn.tool_uses}
    for turn in session.turns[last:]:
        if any(use.id in made for use in turn.tool_uses):
            lines.clear()
        use, why = uses.get(turn.tool_use_id), turn.content.removeprefix(ERROR)
        if use is None or why == turn.content or why.startswith((NOT_YET, BEFORE)) or _only_reads(agent, use.name):
            continue
        name = use.name.replace("_", " ")
        if not _is_told(f"{name} {' '.join(map(str, use.arguments.values()))}", told, _DENIES.search, share=0.3):
            lines[name] = shorten(f"Not done: {name}. The call failed: {one_line(why).partition('. ')[0]}", _LINE)
    if lines or orders or any(one.role == "tool" and not one.content.startswith(ERROR) for one in session.turns):
        return list(lines.values())[:_LINES]
    is_open = any(one.rstrip().endswith("?") or (_DENIES.search(one) and not _did(one)) for one in told)
    return [] if is_open else [IDLE]


def is_ordered(agent: Agent, request: Request) -> bool:
    """Return whether a request's message gives an order, or agrees to a question."""
    message = agent.inbox.find(request.message_id)
    if message is None:
        return False
    if message.sender != STAKEHOLDER:
        return message.performative != "QUERY" and read_text(message.content, agent.clock()).purpose == "order"
    focus = spoken_by_person(agent, request).focus
    return len(focus) > 1 or any(one.read.purpose == "order" for one in focus)


def _only_reads(agent: Agent, name: str) -> bool:
    is_own = name in agent.services.tools.names
    return name == FIND or is_office_read(name) or (is_own and not agent.services.tools.tool(name).writes)


def waiting_decisions(agent: Agent, order: Request, *, whose: str = "your") -> Iterator[tuple[str, str]]:
    """Yield the id of each pending decision of an order, with its question in words."""
    found = find_carrying_records(agent, order) if order.status == "underway" and order.goal_id else None
    if found is None:
        return
    decisions = agent.services.decisions(agent.business_id)
    asked = {one.decision_id for one in found.plan.steps if one.status == "waiting"} | {found.intention.decision_id}
    for key in sorted(asked - {""}):
        decision = decisions.find(key)
        if decision is not None and decision.open:
            yield key, asks_leave(decision, whose=whose)


def _report_omitted(agent: Agent, order: Request, told: Sequence[str]) -> Iterator[str]:
    records = [one for verdict in judge_order(agent, order) for one in verdict.found] if order.status == "done" else []
    things = [_words(one) for one in records] or [order.sentence]
    ids = {str(one["id"]) for one in records if one.get("id")} | {order.id}
    if all(_is_told(words, told, _did) for words in things) or any(one in text for one in ids for text in told):
        return
    report = (
        report_success(agent, replace(order, data={**order.data, PARENT: ""})).text if order.status == "done" else ""
    )
    words = report or order.replied or order.sentence
    yield words if words.startswith("On record: ") else f"Done: {words}"


def _waits(agent: Agent, order: Request, told: Sequence[str]) -> Iterator[str]:
    whose = "your" if order.sender == STAKEHOLDER else "the owner's"
    for key, words in waiting_decisions(agent, order, whose=whose):
        if not any(key in text for text in told):
            yield words
    found = find_carrying_records(agent, order) if order.goal_id else None
    for step in found.plan.steps if found is not None else ():
        if step.status != "waiting" or step.decision_id or _is_told(step.description, told, _WAITS.search):
            continue
        is_answer = step.id == WAIT
        yield f"I wait for {step.description}." if is_answer else f"Waits until it is reported: {step.description}."


def _not_done(order: Request, told: Sequence[str]) -> Iterator[str]:
    words = " ".join([order.sentence, *(str(one.value) for one in order.slots if isinstance(one.value, str))])
    if _is_told(words, told, _DENIES.search, share=0.3):
        return
    why = order.replied or order.reason
    if order.sender == STAKEHOLDER:
        why = why.replace("The owner rejected it", "You rejected it")
    is_whole = why.startswith(("This is not done", "Not done")) or "Nothing of this was done" in why
    yield why if is_whole else f"Not done: {order.sentence.rstrip('.')}. {why}".strip()


def _is_made_good(order: Request, later: Sequence[Request]) -> bool:
    """Return whether a later order of the same operation does what this one could not."""
    return any(one.operation == order.operation and one.status in ("done", "standing", "underway") for one in later)


def _did(text: str) -> bool:
    return bool(_DID.search(text)) or any(True for _ in claims_in(text))


def _is_told(words: str, told: Sequence[str], says: Any, *, share: float = 0.5) -> bool:
    """Return whether a sentence has most of these words, alone or with the one before it, and says the state."""
    wanted = stems_of(words.replace("_", " "))
    for at, text in enumerate(told):
        near = stems_of(text) | (stems_of(told[at - 1]) if at else frozenset())
        if wanted and len(wanted & near) >= share * len(wanted) and says(text):
            return True
    return False


def _words(one: Mapping[str, Any]) -> str:
    """Return the words by which people know a record."""
    result = one.get("result")
    source = {**one, **result} if isinstance(result, Mapping) else one
    named = next((str(source[key]) for key in _NAMES if isinstance(source.get(key), str) and source[key]), "")
    return named or str(one.get("tool", ""))
