"""Handle corrections, withdrawals and answers: messages about an earlier request."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from mabos.language.mentions import mentions
from mabos.language.request import Request, Slot
from mabos.language.sentences import plain
from mabos.language.wordlists import form, order_form, order_words
from mabos.mind.model import Step
from mabos.tools.requests.acceptance import judge_order
from mabos.tools.requests.answers.duties import describe_duty, open_duties
from mabos.tools.requests.answers.work_items import is_uncommon, meaningful, overlap
from mabos.tools.requests.carrying import OVER, TAKEN_BACK_BY, ended_checks, ending_steps, find_carrying_records
from mabos.tools.requests.duties import describe_rhythm
from mabos.tools.requests.goals import drop_goal
from mabos.tools.requests.managing import MANAGES, budget_checks, effect_checks, restoring
from mabos.tools.requests.outcome import day, goes_on
from mabos.tools.requests.records import section
from mabos.tools.requests.rereading import other_platform
from mabos.tools.requests.response import Amend, Ask, Do, Response, Say, Withdraw
from mabos.tools.requests.wording import join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.currencies import money
from mabos.workspace.text import STOPWORDS, terms

Undo = tuple[Mapping[str, Any], str]

_NAMELESS = order_words("changes.nameless")
"""Words of a withdrawal that name no order: what happens to it, and when it was given."""
_PUTS_OFF = order_form("changes.puts_off")
"""That an order which the agent has asked about is left for a while: it stays open."""
_ENDS = re.compile(r"(?i)\b(?:stop|end|kill|halt|pull|terminate|shut|close)\b(?!.*\b(?:back|undo|before|again)\b)")
"""Words that end what is on record; "undo that" and "forget it" bring back what was there before."""


def correct(agent: Agent, request: Request) -> Response:
    """Return the change of the request that a correction refers to; the reply names the old and the new value."""
    if chosen := request.slot("order"):
        given = tuple(one for one in request.slots if one.name != "order")
        request = replace(request, refers_to=str(chosen), slots=given, missing=())
    target = _target(agent, request)
    if target is None or "order" in request.missing or not request.slots:
        return _which(agent, request, target)
    if target.status == "asking" and {one.name for one in request.slots} <= set(target.missing):
        return Amend(target.id, request.slots, "")  # what it asks for, in the words of a correction
    return _change_order(agent, request, target)


def _change_order(agent: Agent, request: Request, target: Request) -> Response:
    """Return the change of an order by the values of a correction, or the question for what was not understood."""
    if _is_of_other(target, request):
        said = "I have no order with the old number of your correction, and changed nothing."
        # what waits for a decision may be what is meant
        return Ask(f"{said} What should change?", ("value",)) if target.status == "underway" else Say(said)
    is_budget = target.operation == "ad_campaign_create" and all(one.name != "channel" for one in request.slots)
    if is_budget and (platform := other_platform(target.sentence, request.sentence)):
        return Ask(f"Which campaign on {platform} do you mean? This one is not: {target.sentence}", ("value",))
    slots = _fitting(agent, target, request.slots)
    if slots is None:
        names = ", ".join(one.words or one.name.replace("_", " ") for one in request.slots)
        return Ask(f"I do not know which part of this has {names}: {target.sentence}. What should change?", ("value",))
    before, target = target, _on_record(agent, target)
    slots += tuple(
        one for one in target.slots if one not in before.slots and one.name not in {new.name for new in slots}
    )
    told = "; ".join(_change(target, one) for one in request.slots)
    if target.status == "standing":
        return Amend(target.id, slots, f"Changed: {told.rstrip('.')}.")
    return Amend(target.id, slots, f"You want {told.rstrip('.')}.", _endings(agent, target))


def _is_of_other(target: Request, request: Request) -> bool:
    """Return whether a correction names an old number that an order does not have: "34 in February, not 33"."""
    old = re.search(r"(?i)\b(?:not|instead of) [$€£]?(?P<number>\d[\d,.]*\d|\d)", request.sentence)
    held = f"{target.sentence} {[one.value for one in target.slots]}"
    return bool(old) and old["number"].replace(",", "") not in held.replace(",", "")  # type: ignore[index]


def _which(agent: Agent, request: Request, target: Request | None) -> Ask:
    """Return the question for the order that a change is for, or for the change itself."""
    names = {one.name for one in request.slots}
    fitting = [one for one in _orders(agent, request) if one.is_open and names <= {slot.name for slot in one.slots}]
    if target is None or (names and not fitting):
        return Ask("Which order do you mean? I have no open order with such a value.")
    if names:
        orders = join_words((quote_text(one.sentence.rstrip(".")) for one in fitting), "or")
        return Ask(f"Which order do you mean: {orders}? Please tell me the change with its name.", ("order",))
    return Ask(f"What should change in this: {target.sentence}", ("value",))


def _on_record(agent: Agent, target: Request) -> Request:
    """Return a done order of a campaign with its record's present budget, set by any person or agent."""
    records = [one for verdict in judge_order(agent, target) for one in verdict.found if "weekly_budget_usd" in one]
    live = [one for one in records if one["status"] not in OVER]
    if target.status != "done" or target.operation not in (MANAGES, "ad_campaign_create") or len(live) != 1:
        return target
    weekly = live[0]["weekly_budget_usd"]
    slots = [replace(one, value=weekly) if one.name == "weekly_budget_usd" else one for one in target.slots]
    return replace(target, slots=tuple(slots))


def _endings(agent: Agent, target: Request) -> tuple[Step, ...]:
    """Return the steps that end a request's records, to run once its new record is there."""
    if target.operation == MANAGES:
        return ()
    if target.status == "done":
        return undo_steps(agent, target)
    live = {one["id"] for name in TAKEN_BACK_BY for one in section(agent, name) if one.get("status") not in OVER}
    return tuple(one for one in ending_steps(target) if live & set(map(str, one.arguments.values())))


def _fitting(agent: Agent, target: Request, changed: tuple[Slot, ...]) -> tuple[Slot, ...] | None:
    """Return the new slots as the corrected request holds them, or None where one has no place in it."""
    known = {one.name for one in target.slots}
    if target.operation in agent.services.tools.names:
        known |= set(agent.services.tools.tool(target.operation).schema.get("properties", {}))
    rest = [one for one in changed if one.name not in known]
    if not rest:
        return changed
    steps = target.slot("steps")
    if target.operation == "project" and steps:
        fitted = _step_with(steps, rest)
        if fitted is not None:
            kept = tuple(one for one in changed if one.name in known)
            return (*kept, Slot("steps", fitted, " ".join(one.words for one in rest)))
        return None
    return changed if target.operation not in agent.services.tools.names and target.operation != "project" else None


def _step_with(steps: Sequence[Mapping[str, Any]], rest: Sequence[Slot]) -> list[dict[str, Any]] | None:
    """Return the steps with new values in the one step that has such slots; None where none or several have."""
    names = {one.name for one in rest}
    having = [one for one in steps if names <= set(one.get("slots", {}))]
    if len(having) != 1:
        return None
    values = {one.name: one.value for one in rest}
    return [{**one, "slots": {**one["slots"], **values}} if one is having[0] else dict(one) for one in steps]


def apply_answer(agent: Agent, request: Request) -> Response:
    """Return the request with the answer to its question in its slots, or withdrawn if the answer is no."""
    target = _target(agent, request)
    if target is None:
        return Ask("I have no open question to you. What do you mean?")
    if target.status == "underway":
        return Say(_still_waiting(agent, target), status="answered")
    if request.slot("yes") is False:
        return Withdraw(target.id, f"I leave it: {target.sentence}")
    slots = tuple(one for one in request.slots if one.name != "yes")
    is_asked = "confirm" in target.missing and not target.missing[1:]
    is_confirmed = request.slot("yes") is True or not (slots or is_asked)
    if is_asked and not slots and not is_confirmed:
        return Say(f"I did not take this as a yes, and did nothing. {target.question}", status="answered")
    return Amend(target.id, slots, "", _endings(agent, target), is_confirmed)


def _still_waiting(agent: Agent, target: Request) -> str:
    """Return the reply to a yes in words for an order that waits for a decision: the place to approve it."""
    found = find_carrying_records(agent, target)
    decisions = agent.services.decisions(agent.business_id)
    ids = {one.decision_id for one in found.plan.steps} - {""} if found else set[str]()
    waiting = [one for key in sorted(ids) if (one := decisions.find(key)) is not None and one.open]
    if not waiting and target.operation == "task":
        return (
            f"I do nothing about it by myself: {quote_text(target.sentence)}. Who should do it, or what "
            "exactly shall I do?"
        )
    if not waiting:
        return f"I go on with it: {target.sentence}"
    listed = "; ".join(f"{one.subject} ({one.id})" for one in waiting)
    how = f"Approve it in the dashboard, or by: mabos decisions approve {waiting[0].id}"
    return f"This waits for your approval, and is done as soon as you give it: {listed}. {how}"


def _ask_what_to_stop(agent: Agent, request: Request) -> Ask:
    every = join_words(describe_duty(one, agent.now()).text for one in open_duties(agent, request.sender))
    return Ask(f"Which reminder should I cancel? {every}")


def withdraw(agent: Agent, request: Request) -> Response:
    """Handle a withdrawal: an open request is cancelled, and the record of a completed one is undone."""
    targets = _match_orders(agent, request) or [one for one in [_target(agent, request)] if one is not None]
    is_named = "work" in request.data  # a model names the order by its id, and its mandate is checked
    waits = bool(targets) and targets[0].status == "asking" and _PUTS_OFF.match(request.sentence)
    is_other = targets and not is_named and not waits and "which" not in request.missing
    is_other = is_other and not _is_meant(targets[0], request)
    if (is_other or not targets) and (dropped := drop_goal(agent, request)):
        return dropped
    if is_other:
        said = f"None of your orders is about this: {request.sentence.rstrip('.')}."
        return Ask(f"{said} Which of them should I stop, or what should I not do from now on?")
    if not targets or "which" in request.missing:
        return _ask_what_to_stop(agent, request) if targets else Ask("What should I stop? I have no open order.")
    target = targets[0]
    if waits:
        return Say(f"I leave it, and do nothing about it before you say so: {quote_text(target.sentence)}.")
    return _take_back(agent, request, target)


def _take_back(agent: Agent, request: Request, target: Request) -> Response:
    """Withdraw an open request, or undo the records of one that is done."""
    is_end = bool(_ENDS.search(request.sentence)) and target.status == "done"
    endings = (undo_steps(agent, target) if is_end else ()) or restoring(agent, target) or _endings(agent, target)
    if target.status != "done" and not (target.status == "failed" and endings):
        if kept := goes_on(agent, target):
            return Withdraw(target.id, f"The change is cancelled. {kept}")
        noun = {"remind": "The reminder", "report_regularly": "The report"}.get(target.operation, "The order")
        told = f"{noun} is cancelled. Nothing of this happens: {target.sentence.rstrip('.')}."
        if target.operation == "remind" and (what := target.slot("text")) and (date := target.slot("date")):
            told = f"I cancelled the reminder for {day(str(date))}: {what}."
        return Withdraw(target.id, " ".join((told, *_stays(agent, target))))
    if not endings:
        return Say(f"This is done and I cannot take it back: {target.sentence}")
    return Do(
        request.sentence, endings, (*ended_checks(endings), *budget_checks(endings)) or effect_checks(request, endings)
    )


def _stays(agent: Agent, target: Request) -> list[str]:
    """Return of the orders that came with a cancelled one that they stay."""
    others = [one for one in agent.requests.all() if one.message_id == target.message_id and one.id != target.id]
    names = [str(one.slot("name") or one.slot("title") or "") for one in others if one.act == "order" and one.is_open]
    return [f"{name!r} stays as it is." for name in names if name]


def _is_meant(target: Request, request: Request) -> bool:
    """Return whether a withdrawal may mean an order: it shares a word with it, or names nothing itself."""
    if target.operation in ("remind", "report_regularly") and mentions(plain(request.sentence), target):
        return True
    if form("points_at_last").search(plain(request.sentence)):
        return True  # what else it says is the reason: "Scrap that, Ove does it himself"
    named = [one for one in meaningful(request.sentence) if is_uncommon(one) and one not in _NAMELESS]
    slots = " ".join(str(one.value) for one in target.slots)
    about = f"{target.sentence} {target.operation.replace('_', ' ')} {slots}"
    return not named or overlap(named, about) > 0


def undo_steps(agent: Agent, target: Request) -> tuple[Step, ...]:
    """Return the steps that undo the records of a completed request; empty if impossible."""
    steps = list[Step]()
    for verdict in judge_order(agent, target):
        undone_by = TAKEN_BACK_BY.get(verdict.check.section)
        if undone_by is None:
            continue
        tool, argument, more = undone_by
        for one in verdict.found:
            if one.get("status") not in OVER:
                number = len(steps) + 1
                name = one.get("name") or one.get("title") or one["id"]
                described = f"{more.get('action', 'cancel')} {name}"
                steps.append(Step(f"U{number}", described, tool, {argument: one["id"], **more}))
    return tuple(steps)


def _target(agent: Agent, request: Request) -> Request | None:
    """Return the request that this one refers to: the one it names, else the sender's latest order."""
    if request.refers_to and (found := agent.requests.find(request.refers_to)) is not None:
        return found
    orders = _orders(agent, request)
    said = set(terms(request.sentence)) - STOPWORDS
    shared = [(len(said & set(terms(one.sentence))), one) for one in orders]
    best = max((number for number, _ in shared), default=0)
    return next((one for number, one in shared if number == best), None)


def _orders(agent: Agent, request: Request) -> Sequence[Request]:
    own = [one for one in agent.requests.all() if one.sender == request.sender and one.id != request.id]
    orders = [one for one in reversed(own) if one.act == "order" and one.operation != "work"]
    return [one for one in orders if one.status not in ("withdrawn", "refused")]


def _match_orders(agent: Agent, request: Request) -> list[Request]:
    """Return the orders whose record or words have the name that is to be stopped."""
    name = str(request.slot("records", "")).casefold()
    return [one for one in _orders(agent, request) if name and name in one.sentence.casefold()] if name else []


def _change(target: Request, slot: Slot) -> str:
    before = target.slot(slot.name)
    if slot.name in ("text", "facts"):
        is_whole = slot.words == slot.value
        if slot.words and slot.words.casefold() not in str(slot.value).casefold():
            return f"{slot.words!r} left out"
        return f"this text: {slot.value}" if is_whole or not slot.words else f"it to say {slot.words!r}"
    if slot.name == "steps":
        return f"these steps in this order: {'; '.join(str(one.get('text', '')) for one in slot.value)}"
    label = slot.name.replace("_", " ").removesuffix(" usd")
    if isinstance(slot.value, Mapping) and slot.name != "rhythm":
        return f"other {label} ({quote_text(slot.words)})"
    if before is None or before == slot.value:
        return f"{label} {_value(slot.name, slot.value)}"
    return f"{label} {_value(slot.name, slot.value)} instead of {_value(slot.name, before)}"


def _value(name: str, value: Any) -> str:
    if name == "rhythm" and isinstance(value, Mapping):
        return describe_rhythm(value)
    if isinstance(value, list | tuple):
        return ", ".join(_value(name, one) for one in value)
    if name in ("date", "deadline", "left_out"):
        return day(str(value))
    return money(float(value)) if name.endswith("usd") and isinstance(value, int | float) else str(value)
