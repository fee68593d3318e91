"""What no agent does by itself: a mail that was passed on, and an order under a condition; the owner is asked."""

import re

from mabos.language.request import Request
from mabos.language.sentences import split
from mabos.society.governance import usd
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.requests.wording import quoted
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import one_line

_SHOWN = 240
_ASKS = re.compile(r"(?i)\?|\b(?:please|could you|can you|would you|will you|kindly)\b")


def forwarded(_: Agent, request: Request) -> Response:
    """Return who wrote a mail and what it asks, and the question what to do with it."""
    sender, address = str(request.slot("sender", "")), str(request.slot("address", ""))
    who = f"{sender} ({address})" if sender and address else sender or address or "somebody who is not named"
    subject, text = str(request.slot("subject", "")), str(request.slot("text", ""))
    about = f" about {quoted(subject)}" if subject else ""
    wanted = [one for one in split(text) if _ASKS.search(one)]
    says = one_line(" ".join(wanted) or text)
    says = says if len(says) <= _SHOWN else f"{says[:_SHOWN].rsplit(' ', 1)[0]} ..."
    told = f"This is a mail of {who}{about}."
    if says:
        told += f" It {'asks' if wanted else 'says'}: {quoted(says)}"
    if request.slot("note"):
        return Say(f"{told} I have read it and do nothing about it.")
    return Ask(
        f"{told} I do nothing about it before you say so. What shall I do with it: answer it, put the writer in the "
        "contacts, make a work package of it, or remind you of it?",
        ("what",),
    )


def conditional(_: Agent, request: Request) -> Response:
    """Say that no condition is watched, and ask whether to act now or to remind on a day."""
    condition, then = str(request.slot("condition", "")), str(request.slot("then", ""))
    return Ask(
        f"I do not act on a condition by myself, and nothing is done: {quoted(condition)}. "
        f"Shall I do this now: {quoted(then)}? Or on which day shall I remind you of it?",
        ("now or a day",),
    )


def capped(agent: Agent, request: Request) -> Response:
    """Say what an order comes to above the total that was allowed, and ask what to change."""
    total, weekly, weeks = (float(request.slot(name, 0)) for name in ("total", "weekly", "weeks"))
    target = agent.requests.find(request.refers_to)
    what = f" ({target.sentence})" if target is not None else ""
    return Say(
        f"The order{what} comes to {usd(weekly)} a week for {weeks:g} weeks, {usd(weekly * weeks)} altogether: more "
        f"than your {usd(total)}. It waits as it is. How much a week, or how many weeks, do you want?"
    )
