"""Duties that need records: days counted from one ("two days before the hearing"), and reports of lists."""

import re
from datetime import date, timedelta

from mabos.language.amounts import number_of
from mabos.language.request import Request, Slot
from mabos.language.wordlists import order_form
from mabos.tools.requests.answers.knowledge_answers import answer_from_records
from mabos.tools.requests.answers.sources import Library
from mabos.tools.requests.duties import remind, report_regularly
from mabos.tools.requests.response import Response, Say
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.dates import dates_in

_COUNTED = order_form("dated.counted")
_LEAD = re.compile(r"\b(?:remind|tell|nudge|ping|alert) (?:me|us) (?:of|about|to) (?P<it>\S.*)$", re.IGNORECASE)
_ASKS = re.compile(r"(?i)(?:who|what|which|how|when|where)\b")
_DAYS = {"day": 1, "week": 7}  # months differ in length


def remind_of_record(agent: Agent, request: Request) -> Response:
    """Record a reminder, or send it; its day may count from a recorded one, which is then stated."""
    has_day = request.slot("date") or request.slot("rhythm") or request.data.get("date")
    counted = None if has_day else _day_on_record(agent, request)
    if counted is None or counted[0] < agent.clock().date():
        return remind(agent, request)
    day, how, about = counted
    slots = [one for one in request.slots if one.name != "text"]
    dated = (*slots, Slot("text", about, about), Slot("date", day.isoformat(), how))
    taken = remind(agent, replace(request, slots=dated))
    if not isinstance(taken, Say):
        return taken
    data = {**taken.data, "date": day.isoformat(), "about": about}
    return replace(taken, text=f"{taken.text} That is {how}", data=data)


def report_of_records(agent: Agent, request: Request) -> Response:
    """Record a regular report, or make it; what is no figure is answered as in a talk: "who is past due"."""

    def answer(question: str) -> Say | None:
        counted = f"How many {question}" if " are " in question and not _ASKS.match(question) else question
        return answer_from_records(agent, replace(request, sentence=counted), (), Library(agent), is_sure=True)

    return report_regularly(agent, request, answer)


def _day_on_record(agent: Agent, request: Request) -> tuple[date, str, str] | None:
    """Return the day that a reminder counts from a record, how it is counted, and what of; None where none is sure.

    The record must answer "When is the hearing?" whole, and with one day.
    """
    found = _COUNTED.search(request.sentence)
    if found is None or not agent.business_id:
        return None
    what = found["what"].strip()
    ends = "" if re.search(r"\b(?:is|are|ends?|expires?|starts?|begins?|opens?|closes|runs out)\b", what) else "is "
    asked = replace(request, sentence=f"When {ends}{what}?")
    answer = answer_from_records(agent, asked, (), Library(agent), is_sure=True)
    named = dates_in(" ".join(str(one.value) for one in answer.claims)) if answer else ()
    days = {day for one in named if one.year and (day := one.in_year(one.year))}
    unit = (found["unit"] or "").lower()
    if len(days) != 1 or (unit and unit not in _DAYS):
        return None
    day = days.pop()
    if unit:
        count = 1 if found["count"].lower() == "the" else int(number_of(found["count"]) or 1)
        shift = timedelta(days=count * _DAYS[unit])
        day = day + shift if found["way"].lower() == "after" else day - shift
    counted = found[0][: found.end("what") - found.start()]
    own = _LEAD.search(request.sentence[: found.start()])  # "Remind me of the taxi the day before the hearing"
    about = found["about"] or (own["it"].strip() if own else "") or what
    return day, f"{counted}. {answer.text if answer else ''}".strip(), about
