"""Requests that an agent does not act on alone: a forwarded mail, a condition, a mere wish; it asks the owner."""

import re

from mabos.language.request import Claim, Request
from mabos.language.sentences import split
from mabos.language.wordlists import order_form
from mabos.tools.requests.duties import figure, format_value
from mabos.tools.requests.response import Ask, Response, Say
from mabos.tools.requests.wording import day, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import money
from mabos.workspace.text import one_line

_SHOWN = 240
_ASKS = re.compile(r"(?i)\?|\b(?:please|could you|can you|would you|will you|kindly)\b")


_NEWS = re.compile(r"(?i)\b(?:news|note|noted|nothing|for your information|fyi|no need|leave|ignore|skip|forget)\b")


def _note_unclear_answer(request: Request, name: str) -> str:
    """Return that an answer to the question before says nothing that can be done, or "" where there was none."""
    given = str(request.slot(name, ""))
    return f"I do not know what to do from {quote_text(given)}. " if given else ""


def answer_forwarded_mail(_: Agent, request: Request) -> Response:
    """Return the sender and the requests of a mail, and ask for instructions."""
    sender, address = str(request.slot("sender", "")), str(request.slot("address", ""))
    who = f"{sender} ({address})" if sender and address else sender or address or "somebody who is not named"
    subject, text = str(request.slot("subject", "")), str(request.slot("text", ""))
    about = f" about {quote_text(subject)}" if subject else ""
    wanted = [one for one in split(text) if _ASKS.search(one)]
    says = one_line(" ".join(wanted) or text)
    says = says if len(says) <= _SHOWN else f"{says[:_SHOWN].rsplit(' ', 1)[0]} ..."
    told = f"This is a mail of {who}{about}."
    if says:
        told += f" It {'asks' if wanted else 'says'}: {quote_text(says)}"
    if request.slot("note") or _NEWS.search(str(request.slot("what", ""))):
        return Say(f"{told} I have read it and do nothing about it.")
    return Ask(
        f"{_note_unclear_answer(request, 'what')}{told} I do nothing about it before you say so. "
        "What shall I do with it: answer it, put the writer in the "
        "contacts, make a work package of it, or remind you of it?",
        ("what",),
    )


_COMPARED = order_form("conditions.compared")


def _today(agent: Agent, condition: str) -> tuple[str, tuple[Claim, ...]]:
    """Return whether a condition on a figure holds by its latest value on record, with the claim of that value."""
    found = _COMPARED.match(condition)
    point = figure(agent, found["figure"]) if found else None
    if found is None or point is None:
        return "", ()
    bound, way = float(found["bound"].strip("$€£.,").replace(",", "")), found["way"].lower()
    is_above = way in ("over", "above", "more than", "higher than", "at least")
    holds = point.value > bound if is_above else point.value < bound
    holds = holds or (point.value == bound and way.startswith("at "))
    told = f"On record, {point.name.replace('_', ' ')} is {format_value(point)} ({day(point.at)}), so it"
    return f"{told} {'holds' if holds else 'does not hold'} today. ", (Claim(point.id, "value", point.value, point.at),)


def conditional(agent: Agent, request: Request) -> Response:
    """Report that no condition is watched, and whether it holds today; ask whether to act now or remind on a day."""
    condition, then = str(request.slot("condition", "")), str(request.slot("then", ""))
    today, claims = _today(agent, condition)
    return Ask(
        f"{_note_unclear_answer(request, 'now or a day')}I do not act on a condition by myself, and nothing is done: "
        f"{quote_text(condition)}. {today}Shall I do this now: {quote_text(then)}? "
        "Or on which day shall I remind you of it?",
        ("now or a day",),
        claims,
    )


def report_exceeded_cap(agent: Agent, request: Request) -> Response:
    """Report that an order costs more than the allowed total, and ask for a change."""
    total, weekly, weeks = (float(request.slot(name, 0)) for name in ("total", "weekly", "weeks"))
    target = agent.requests.find(request.refers_to)
    what = f" ({target.sentence})" if target is not None else ""
    return Say(
        f"The order{what} comes to {money(weekly)} a week for {weeks:g} weeks, {money(weekly * weeks)} altogether: "
        f"more than your {money(total)}. It waits as it is. How much a week, or how many weeks, do you want?"
    )


def answer_wish(_: Agent, request: Request) -> Response:
    """Report that a stated need led to no action, and ask for instructions."""
    words = quote_text(str(request.slot("text", request.sentence)))
    if _NEWS.search(str(request.slot("what", ""))):
        return Say(f"I note it, and do nothing about it: {words}.")
    return Ask(
        f"{_note_unclear_answer(request, 'what')}I have done nothing about this: {words}. "
        "Is it news for me to note, or shall I do something? Then say what: "
        "for example, set a price or a budget to an amount, make a work package of it, or remind you on a day.",
        ("what",),
    )
