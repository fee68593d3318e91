"""Checks of a session's final reply: only supported claims, and the outcomes of its orders.

Completed work is reported only from the records found by the acceptance checks of its orders.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from mabos.backends.chat import Completion
from mabos.language.claims import Deed, Evidence, check_claims, complaint, supported_text
from mabos.language.claims.verbs import WORDS, any_form
from mabos.language.request import Claim, Request
from mabos.society.messages import Performative
from mabos.tools.requests.acceptance import judge_order
from mabos.tools.requests.outcome import approvals_of, describe_record, report_success
from mabos.tools.requests.wording import sentences
from mabos.tools.runtime.services import Agent
from mabos.tools.work.account import fresh_orders, is_ordered, unperformed, unsaid, waiting_decisions
from mabos.tools.work.briefing.results import EARLIER_RESULTS
from mabos.tools.work.loop import Desk
from mabos.tools.work.session import ERROR, WorkSession, is_work, parent_of
from mabos.tools.work.spoken import spoken_by_person

EARLIER: Final = 12
"""The number of the sender's earlier orders that may be reported as done, newest first."""
_QUESTION: Final = re.compile(r"\?[^?.!]*[.!]?\s*\Z")
"""A question at the end, also before one last sentence."""
_STATE: Final = re.compile(r'"\w*(?:status|state)":"([^"]{1,40})"')
"""The state of a record in JSON."""


@dataclass(frozen=True, slots=True)
class CheckedReply:
    """A reply as it may be sent; `complaint` has the errors that the model must fix first. Empty text: nothing is
    left.
    """

    text: str
    performative: Performative
    claims: tuple[Claim, ...] = ()
    complaint: str = ""


def is_empty(answer: Completion) -> bool:
    """Return whether an answer is empty or was cut off."""
    return answer.cut_short or not any(one.isalpha() for one in answer.text)


def check_reply(desk: Desk, session: WorkSession, orders: Sequence[Request]) -> CheckedReply:
    """Return a session's last answer in sendable form; the first time, unsupported claims cause a complaint."""
    agent = desk.agent
    text = session.turns[-1].content.strip()
    evidence = evidence_of(desk, session, orders)
    found = check_claims(text, evidence)
    if found and not session.complained:
        return CheckedReply(text, "INFORM", complaint=complaint(found))
    said = supported_text(text, evidence) if found else text
    said = said or told_of(orders)
    if not said:
        return CheckedReply("", "INFORM")
    is_question = bool(_QUESTION.search(said))
    news = fresh_orders(session, orders)
    waiting = [one for one in orders if one.status == "underway" and one not in news]
    idle = unperformed(agent, session, desk.request, orders, said)
    said = "\n".join([said, *unsaid(agent, (*news, *waiting), said), *idle])
    claims = tuple(claim for one in orders if one.status == "done" for claim in report_success(agent, one).claims)
    return CheckedReply(said, _performative(orders, is_question=is_question), claims)


def evidence_of(desk: Desk, session: WorkSession, orders: Sequence[Request]) -> Evidence:
    """Return the support for a reply: the person's words, tool results, the briefing, and recorded actions."""
    agent = desk.agent
    spoken = spoken_by_person(agent, desk.request).texts
    earlier = [
        one
        for one in agent.requests.all()
        if one.sender == desk.request.sender and parent_of(one) != desk.request.id and not is_work(one)
    ][-EARLIER:]
    is_order = is_ordered(agent, desk.request)
    deeds = [Deed(deed.kind, deed.words, is_order) for one in earlier for deed in deeds_of(agent, one)]
    deeds += [deed for one in orders for deed in deeds_of(agent, one)]
    found = [one for one in session.results if not one.startswith(ERROR)]
    has_failed = len(found) < len(session.results)
    shown = [one.text for one in desk.briefing.parts if one.supports == "all" and not has_failed]
    deeds += [Deed("looked", text) for text in (*found, *shown)]
    deeds += _states(desk, session)
    texts = (*desk.briefing.evidence, *spoken, *session.results)
    ahead = tuple(dict.fromkeys(_ahead(agent, orders)))
    return Evidence(tuple(dict.fromkeys(texts)), tuple(deeds), agent.clock(), ahead, desk.briefing.standing)


def _states(desk: Desk, session: WorkSession) -> Iterator[Deed]:
    """Yield the states in records of a user's own tools: an order with the status "delivered" is delivered.

    Only fields of a state count: free text in a record may have any author.
    """
    own = {one.name for one in desk.agent.services.tools.extra}
    uses = {use.id: use.name for turn in session.turns for use in turn.tool_uses}
    texts = [one.content for one in session.turns if uses.get(one.tool_use_id) in own]
    texts += [line for part in desk.briefing.parts if part.title == EARLIER_RESULTS for line in part.lines]
    for text in texts:
        for value in _STATE.findall(text):
            yield from (Deed(match[0].lower(), text) for match in any_form().finditer(value))


def told_of(orders: Sequence[Request]) -> str:
    """Return the records of a session's orders, in the wording of the path without a model."""
    return sentences(dict.fromkeys(one.replied or one.reason for one in orders if one.replied or one.reason))


def has_effect(orders: Sequence[Request]) -> bool:
    """Return whether an order did something, or submitted something to a person or agent."""
    return any(one.status not in ("refused", "asking", "open") for one in orders)


def deeds_of(agent: Agent, order: Request) -> Iterator[Deed]:
    """Yield the recorded actions of an order."""
    words = " ".join([order.sentence, order.replied, *(str(one.value) for one in order.slots)])
    if order.status in ("refused", "asking", "open", "withdrawn"):
        return
    for kind in _verbs("by_act", order.act) if order.status != "failed" else ():
        yield Deed(kind, words)
    if order.status in ("done", "standing", "underway"):
        for kind in _verbs("by_operation", order.operation):
            yield Deed(kind, words)
    for _, decision in waiting_decisions(agent, order):
        yield Deed("asked", f"{words} {decision}")
    for given in approvals_of(agent, order):
        yield Deed("approved", f"{words} {given.subject} {given.id}")
    if order.status == "done":
        for verdict in judge_order(agent, order):
            for one in verdict.found:
                said = f"{describe_record(verdict.check.section, one)} {' '.join(_flat(one))}"
                for kind in _kinds(verdict.check.section, one):
                    yield Deed(kind, said)


def _kinds(section: str, one: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the verbs of completion that a record supports."""
    if section == "effects":
        result = one.get("result", {})
        verbs = [_participle(word) for word in str(one.get("tool", "")).split("_")]
        return (*verbs, "recorded", *_verbs("by_status", str(result.get("status", ""))))
    if section == "letters" and str(one.get("place", "")).startswith("mail/"):
        return ("written", "recorded")  # a folder of this computer is no mail server
    known = _verbs("by_status", str(one.get("status", "")))
    return tuple(dict.fromkeys((*_verbs("by_section", section, "recorded"), *known)))


def _verbs(table: str, name: str, default: str = "") -> tuple[str, ...]:
    return tuple(WORDS[table].get(name, default).split())


def _participle(word: str) -> str:
    return f"{word}d" if word.endswith("e") else f"{word}ed"


def _flat(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for one in value.values():
            yield from _flat(one)
    elif isinstance(value, list | tuple):
        for one in value:
            yield from _flat(one)
    elif value not in (None, ""):
        yield str(value)


def _ahead(agent: Agent, orders: Sequence[Request]) -> Iterator[str]:
    """Yield the records of the future: duties, orders under way, commitments, goals and open decisions."""
    for one in (*agent.requests.all(), *orders):
        if one.status in ("standing", "underway", "open") and not is_work(one):
            days = [one.wanted_by[:10], *(str(slot.value) for slot in one.slots)]
            yield " ".join([one.operation, one.sentence, one.replied, *days])
    for goal in agent.mind.goals:
        if goal.status in ("active", "pending", "blocked"):
            yield f"{goal.description} {goal.deadline[:10]}"
    for commitment in agent.mind.commitments:
        if commitment.status == "open":
            yield f"{commitment.terms} {commitment.deadline[:10]}"
    for decision in agent.services.decisions(agent.business_id).all():
        if decision.open:
            yield f"{decision.subject} {decision.id}"


def _performative(orders: Sequence[Request], *, is_question: bool) -> Performative:
    statuses = {one.status for one in orders}
    if is_question and not statuses & {"done", "standing", "underway"}:
        return "QUERY"
    if "underway" in statuses:
        return "AGREE"
    if "failed" in statuses and not statuses & {"done", "standing", "answered"}:
        return "FAILURE"
    return "QUERY" if is_question else "INFORM"
