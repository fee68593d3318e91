"""Doubts about a waiting order: a change that was not understood withdraws its question until it is clear.

An owner who says "not the 14th" must not find a minute later that the 14th went out by an approval of the old words.
"""

from mabos.language.mentions import by_mention, mentions
from mabos.language.request import Request
from mabos.language.sentences import plain
from mabos.language.wordlists import form, order_form
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.carrying import find_carrying_records, release
from mabos.tools.requests.projects import APPROVAL
from mabos.tools.requests.response import Ask, Response, StepReport
from mabos.tools.requests.wording import join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.tools.work.session import parent_of
from mabos.workspace.copies import replace

_UNREAD = ("", "ad_campaign_manage", "conditional", "task", "wish", "work_package_update")
"""Operations of orders that may be a change of another one, read wrongly."""
_CHANGES = order_form("doubts.changes")


_TOUCHES = order_form("doubts.touches")
"""Words by which a statement about a waiting order may change it."""


def in_doubt(agent: Agent, request: Request, response: Response) -> tuple[Request, ...]:
    """Return the orders that wait for a decision and that a message changes in an unclear way."""
    if request.sender != STAKEHOLDER or parent_of(request) or not _is_unread(request, response):
        return ()
    waiting = [one for one in agent.requests.all() if one.sender == request.sender and _decisions(agent, one)]
    waiting = [one for one in waiting if one.id != request.id and not parent_of(one)]
    flat = plain(request.sentence)
    named = [one for one in by_mention(flat, waiting) if mentions(flat, one)] if waiting else []
    if isinstance(response, StepReport):
        return tuple(named)
    if named or not _CHANGES.search(flat):
        return tuple(named)
    return tuple(waiting) if request.act in ("correction", "withdrawal", "unclear") else ()


def put_off(
    agent: Agent, request: Request, orders: tuple[Request, ...], response: Response
) -> tuple[str, list[Request]]:
    """Withdraw the questions about orders in doubt; return the reply, and the orders, which now wait for an answer."""
    asked = (
        response.question if isinstance(response, Ask) else f"What does this change: {quote_text(request.sentence)}?"
    )
    taken_back = sorted({key for one in orders for key in _decisions(agent, one)})
    names = join_words(quote_text(one.sentence.rstrip(".")) for one in orders)
    text = (
        f"{asked} Until I know, nothing of this is done: {names}. I took back the question {join_words(taken_back)}. "
        "Tell me the change, or say yes to go on with it as it was."
    )
    kept = []
    for one in orders:
        release(agent, one, f"in doubt: {request.sentence}")
        data = {**one.data, "reported": "", "revision": int(one.data.get("revision", 1)) + 1}
        data |= {"after": [], "amended": True, "readback": True}
        kept.append(
            replace(one, status="asking", goal_id="", checks=(), question=text, missing=("confirm",), data=data)
        )
    return text, kept


def _is_unread(request: Request, response: Response) -> bool:
    """Return whether a message was not understood, and may speak of another order."""
    if isinstance(response, StepReport):
        flat = plain(request.sentence)
        return not response.done and bool(form("order_revised").search(flat) or _TOUCHES.search(flat))
    if not isinstance(response, Ask):
        return False
    if request.act == "order":
        return request.operation in _UNREAD
    return request.act in ("correction", "withdrawal", "unclear", "standing", "small_talk")


def _decisions(agent: Agent, request: Request) -> list[str]:
    """Return the open decisions that an order waits for, without approvals of a project's steps."""
    found = (
        find_carrying_records(agent, request)
        if request.status == "underway" and request.operation != "project"
        else None
    )
    if found is None:
        return []
    decisions = agent.services.decisions(agent.business_id)
    ids = [one.decision_id for one in found.plan.steps if one.status == "waiting" and one.tool not in ("", APPROVAL)]
    return [key for key in ids if key and (one := decisions.find(key)) is not None and one.open]
