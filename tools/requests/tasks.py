"""Work beyond all operations: kept as a goal with its deadline, and done when a person reports it."""

import re
from collections.abc import Mapping

from mabos.language.request import Check, Request
from mabos.language.sentences import begins_with_verb
from mabos.language.wordlists import order_form, order_table
from mabos.mind.model import Step
from mabos.tools.requests.carrying import plan_id
from mabos.tools.requests.outcome import day
from mabos.tools.requests.response import Decline, Do, Response
from mabos.tools.requests.wording import quote_text
from mabos.tools.runtime.services import Agent
from mabos.tools.work.session import parent_of

_HINDRANCES: Mapping[str, str] = order_table("tasks.hindrances")


_TRANSLATES = re.compile(r"\btranslat", re.IGNORECASE)


_NEAREST = {
    "any": "I can remind you of it on a day you name, draft a letter, or order it as a work package with a budget.",
    "look": "I can ask somebody in a letter to look, remind you of it on a day, or order it as a work package.",
    "browse": "Drop the page or price list as a file into the inbox, and I read it; or I draft a letter to them.",
}
"""The nearest thing to what cannot be done, where one is nearer than a reminder."""


def task(agent: Agent, request: Request) -> Response:
    """Return the goal for a task, with one step for a person; work that needs hands or a phone is refused."""
    text = str(request.slot("text") or request.slot("description") or request.sentence).rstrip(".")
    if hindrance := str(request.slot("impossible", "")):
        reason = _HINDRANCES.get(hindrance, f"I cannot do this: {hindrance}")
        return Decline(f"{reason}, so this will not happen by me: {text}.", _NEAREST.get(hindrance, _NEAREST["any"]))
    deadline = str(request.slot("deadline", ""))
    if not parent_of(request) and _is_own_deed(request, deadline, agent.clock().date().isoformat()):
        return Decline(
            f"I cannot do this: no operation of mine does it, so it will not happen by me: {text}.", _NEAREST["any"]
        )
    step = Step("S1", text)
    check = Check(
        "plans", {"id": plan_id(request), "status": "completed"}, note=f"somebody reported this as done: {text}"
    )
    cannot = "I cannot translate: that takes a chat model, and none answers here. " if _TRANSLATES.search(text) else ""
    kept = (
        f"{cannot}I keep this as a goal{_until(deadline)}: {quote_text(text)}. I know no operation of mine "
        "for it, and do"
    )
    told = f"{kept} nothing myself; tell me who should do it, or say it otherwise."
    return Do(text, (step,), (check,), deadline=deadline, told=told)


_BY_OTHERS = order_form("tasks.by_others")
"""Words by which somebody else is to do a thing, or by which it is only to be kept in mind."""


def _is_own_deed(request: Request, deadline: str, today: str) -> bool:
    """Return whether a person wants the agent itself to do what no operation does, now or on no day."""
    is_now = not deadline or deadline[:10] == today
    return is_now and begins_with_verb(request.sentence) and not _BY_OTHERS.search(request.sentence)


def _until(deadline: str) -> str:
    return f" with the deadline {day(deadline)}" if deadline else ""
