"""Report outcomes, progress and bookings, from acceptance checks, decisions and plan steps.

A record that no outside system has confirmed is "recorded"; a done step is no proof that something runs, was sent or
has arrived.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal

from mabos.language.letters import LETTERS
from mabos.language.request import Claim, Request
from mabos.language.wordlists import order_form
from mabos.mind.model import Goal, Step
from mabos.society.decisions import Decision
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.answers.duties import describe_duty
from mabos.tools.requests.answers.periods import Period, periods_in
from mabos.tools.requests.answers.state import costs, deadline, is_in_hand, next_step, options_of, question_of, standing
from mabos.tools.requests.answers.statement import Statement, claims_of, claims_of_made, together
from mabos.tools.requests.answers.synonyms import question_forms
from mabos.tools.requests.answers.work_items import MADE, RecordWork, WorkItem, step_of
from mabos.tools.requests.outcome import describe_record, together_in_words
from mabos.tools.requests.progress import format_step
from mabos.tools.requests.records import section
from mabos.tools.requests.wording import day, format_count, join_words, quote_text, sentence
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import one_line

_FORMS = question_forms("in_outcomes")
Word = Literal["Yes", "No", "Not yet", "No longer", ""]

YES_OR_NO = _FORMS["yes_or_no"]
_ASKS_END = order_form("answers_outcomes.asks_end")
_ASKS_OUTSIDE = _FORMS["asks_outside"]
_ASKS_FINISH = re.compile(r"\b(?:finish\w*|complet\w*)\b", re.IGNORECASE)
_ASKS_STARTED = re.compile(r"\b(?:started|begun|began|start|begin)\b", re.IGNORECASE)
_ASKS_TAKEN = re.compile(r"\b(?:taken|took|takes|assigned|accepted|started|begun|began|working)\b", re.IGNORECASE)
_ASKS_STILL = re.compile(r"\bstill (?:on|running|going)\b", re.IGNORECASE)
_ASKS_COMPLETION = _FORMS["asks_completion"]
_ASKS_ORDERED, _ANY = _FORMS["asks_ordered"], re.compile("")
_NOT_COMPLETE = "It is ordered, and its completion is not on record"
_OVER = ("stopped", "cancelled", "withdrawn", "completed", "complete", "failed")
_COMPLETE = ("complete", "completed", "delivered", "sent", "published")
_CLOSED = ("refused", "withdrawn")
_STEPS_NAMED = 6
_RECORDS_NAMED = 5
_ORDERS_NAMED = 8
_SPOKEN = {
    "open": "not taken up yet",
    "asking": "waits for your answer",
    "underway": "under way",
    "done": "done, by its records",
    "failed": "not done",
    "standing": "in force",
}


@dataclass(frozen=True, slots=True)
class ItemOutcome:
    """The outcome of one piece of work: in a word, and with the records that show it."""

    word: Word
    parts: tuple[Statement, ...] = field(default=())


_DEEDS: Mapping[str, re.Pattern[str]] = {
    "letters": re.compile(
        r"\b(?:written?|writ(?:e|ing)|wrote|e-?mail(?:ed|ing|s)?|mail(?:ed|ing|s)?|sen[dt]|letters?|"
        r"contact(?:ed)?|messaged?)\b"
    ),
    "campaigns": re.compile(r"\b(?:advertis\w+|ads?|adverts?|campaigns?)\b"),
    "content": re.compile(r"\b(?:publish\w*|post(?:ed|s)?|articles?|pages?)\b"),
    "work_packages": re.compile(r"\b(?:order(?:ed)?|commission(?:ed)?|work packages?|hir(?:e|ed))\b"),
}
_THERE = re.compile(r"\b(?:is|are|was|were) there\b", re.IGNORECASE)
_ANYBODY = re.compile(r"\b(?:any\w*|some\w*|nobody|no one|nothing|ever)\b", re.IGNORECASE)


def kinds_of_deed(question: str) -> tuple[str, ...]:
    """Return the sections of records of a question whether any deed of some kinds was done at all.

    >>> kinds_of_deed("Did you write to anyone outside this week, or order anything?")
    ('letters', 'work_packages')
    """
    is_about_deeds = YES_OR_NO.search(question) and _ANYBODY.search(question) and not _THERE.search(question)
    return tuple(name for name, form in _DEEDS.items() if form.search(question.lower())) if is_about_deeds else ()


_NOUNS = {"letters": "letter", "campaigns": "campaign", "content": "publication", "work_packages": "work package"}


def deeds_of_kinds(agent: Agent, names: Sequence[str], question: str) -> Statement:
    """Return whether and which records of these sections were made in the time that a question names."""
    periods, _ = periods_in(question, agent.clock().date())
    when = f" for {join_words(one.label for one in periods)}" if periods else ""
    found = {name: _made_in(agent, name, periods) for name in names}
    if whom := {email.casefold() for _, email in _contacts_named(agent, question)}:  # "Has Pieter had a letter?"
        to_them = [one for one in found.get("letters", ()) if str(one.get("to", "")).casefold() in whom]
        found = {name: to_them if name == "letters" else several for name, several in found.items()}
    made = [(name, one) for name, several in found.items() for one in several]
    if not made:
        return Statement(f"No. No {join_words((_NOUNS[name] for name in names), 'and no')} is on record{when}")
    now = agent.now()
    numbers = join_words(format_count(len(several), _NOUNS[name]) for name, several in found.items() if several)
    parts = [
        Statement(describe_record(name, one), claims_of_made(RecordWork(name, one), now))
        for name, one in made[-_RECORDS_NAMED:]
    ]
    return together([Statement(f"Yes, {numbers}{when}"), *parts])


def _made_in(agent: Agent, name: str, periods: Sequence[Period]) -> list[dict[str, object]]:
    every = section(agent, name)
    if name in ("letters", "content"):
        every = [one for one in every if one.get("status") in ("sent", "published")]
    return [one for one in every if not periods or any(period.holds(_made_on(one)) for period in periods)]


def _made_on(record: Mapping[str, object]) -> date:
    return date.fromisoformat(str(record.get("at") or record.get("created_at") or "0001-01-01")[:10])


def outcome_of(agent: Agent, items: Sequence[WorkItem], question: str) -> Statement:
    """Return the outcome of the work that a question means, beginning with yes or no if that was asked."""
    found = [_outcome(agent, one, question) for one in items]
    is_asked = bool(YES_OR_NO.search(question))
    if len(found) == 1:
        body = together(found[0].parts)
        word = found[0].word if is_asked else ""
        return Statement(f"{word}. {body.text}" if word else body.text, body.claims)
    done = sum(one.word == "Yes" for one in found)
    lead = "Yes." if done == len(found) else f"{done} of {len(found)}." if done else "No."
    named = [_describe_outcome(item, one) for item, one in zip(items, found, strict=True)]
    body = together(named)
    return Statement(f"{lead} {body.text}" if is_asked else body.text, body.claims)


def progress_of(agent: Agent, item: WorkItem) -> Statement:
    """Return the progress of a piece of work: the steps done, the next one, and the remaining ones."""
    now, until = agent.now(), deadline(item)
    name = f"{quote_text(_short(item))}{f', by {day(until)}' if until else ''}"
    is_closed = item.request is not None and item.request.status in _CLOSED
    if is_closed or (len(item.steps) < 2 and not is_in_hand(item)):
        body = together(_outcome(agent, item, "").parts)
        return Statement(f"{name}: {body.text}", body.claims)
    if len(item.steps) < 2:
        waits = [_open(one, now) for one in item.decisions if one.open]
        claims = claims_of(item.goal, "description status deadline", now) if item.goal is not None else ()
        return together([Statement(f"{name}: {standing(item)}", claims), *(Statement("", one.claims) for one in waits)])
    done = [one for one in item.steps if one.status in ("done", "skipped")]
    claims = tuple(Claim(item.plan.id, f"steps.{one.id}.status", one.status, now) for one in item.steps if item.plan)
    share = f"{len(done)} of {format_count(len(item.steps), 'step')} {'is' if len(done) == 1 else 'are'} done"
    named = f": {join_words(quote_text(one.description) for one in done[:_STEPS_NAMED])}" if done else ""
    parts = [Statement(f"{name}: {share}{named}", claims)]
    step = next_step(item)
    if step is not None:
        parts += [Statement(f"Next: {format_step(step.description)}"), *_hindrance(item, step, now)]
        later = item.steps[item.steps.index(step) + 1 :]
        if later:
            after = join_words(quote_text(one.description) for one in later[:_STEPS_NAMED])
            more = f" and {len(later) - _STEPS_NAMED} more" if len(later) > _STEPS_NAMED else ""
            parts.append(Statement(f"After that: {after}{more}"))
    return together(parts)


def on_record(agent: Agent, items: Sequence[WorkItem]) -> Statement:
    """Return the valid records of work, newest first, and those that wait for a decision instead."""
    now = agent.now()
    made = [one for item in items for one in item.made if one.section in MADE and one.record.get("status") not in _OVER]
    current = list({(one.section, one.id): one for one in made}.values())
    parts = [
        Statement(describe_record(one.section, one.record), claims_of_made(one, now))
        for one in current[:_RECORDS_NAMED]
    ]
    if len(current) > _RECORDS_NAMED:
        parts.append(Statement(f"{format_count(len(current) - _RECORDS_NAMED, 'more record')} not named here"))
    asked = [item for item in items if item.request is not None]
    for item in [one for one in asked if _is_act(one)][:_RECORDS_NAMED]:
        duty = describe_duty(item.request, now) if item.request is not None else Statement()
        parts += [duty] if duty else _outcome(agent, item, "").parts
    if not parts:
        parts.append(Statement("Nothing is on record as booked, ordered or sent"))
    waits = [one for item in asked for one in item.decisions if one.open and one.action is not None]
    for decision in waits[:_RECORDS_NAMED]:
        text = f"Not recorded, because it waits for your decision: {quote_text(decision.subject)} ({decision.id})"
        parts.append(Statement(text, claims_of(decision, "subject cost status", now)))
    return together(parts)


def _is_act(item: WorkItem) -> bool:
    """Return whether an order without a record of its own was carried out or is kept: a question put, a reminder."""
    return item.request is not None and item.request.operation in _KEPT and item.request.status != "withdrawn"


_KEPT = ("ask_colleagues", "delegate", "remind", "report_regularly")


def orders_of(agent: Agent, items: Sequence[WorkItem]) -> Statement:
    """Return the orders of a person, newest first, each with its outcome in a word."""
    if not items:
        return Statement("No order of yours is on record")
    parts = []
    for item in items[:_ORDERS_NAMED]:
        request = item.request
        if request is not None:
            text = (
                f"{quote_text(_short(item))} ({day(request.created_at)}): {_SPOKEN.get(request.status, request.status)}"
            )
            parts.append(Statement(text, claims_of(request, "sentence status created_at", agent.now())))
    if len(items) > _ORDERS_NAMED:
        parts.append(Statement(f"{format_count(len(items) - _ORDERS_NAMED, 'older order')} not named here"))
    return together(parts)


def _outcome(agent: Agent, item: WorkItem, question: str) -> ItemOutcome:
    """Return the outcome of one piece of work, by the first of these that is on record."""
    now, request = agent.now(), item.request
    step = step_of(item, question)
    if step is not None and not item.passed:
        return _of_step(agent, item, step, now)
    made = [one for one in item.made if one.section in MADE]
    if made and (request is None or request.status != "withdrawn"):
        return _of_records(made, question, now, _letter_text(item))
    decision = max(item.decisions, key=lambda one: one.created_at, default=None)
    if decision is not None and (decision.open or decision.status == "rejected"):
        told = _open(decision, now) if decision.open else _describe_rejection(decision, now)
        return ItemOutcome("Not yet" if decision.open else "No", (told, Statement("Nothing of it is on record")))
    if request is not None:
        return _of_request(item, request, question, now)
    if item.goal is not None:
        return _of_goal(item, item.goal, question, now)
    return _of_decision(decision, now) if decision is not None else ItemOutcome("")


def _of_request(item: WorkItem, request: Request, question: str, now: str) -> ItemOutcome:
    claims = claims_of(request, "status reason question sentence", now)
    who = "you" if request.sender == STAKEHOLDER else request.sender
    if request.status in ("refused", "failed"):
        return ItemOutcome("No", (Statement(request.replied or request.reason or "It failed", claims),))
    if request.status == "asking":
        return ItemOutcome("Not yet", (Statement(f"My question is open: {question_of(request)}", claims),))
    if request.status == "withdrawn":
        word: Word = "Yes" if _ASKS_END.search(question) else "No"
        said = f": {quote_text(request.reason)}" if request.reason else ""
        return ItemOutcome(word, (Statement(f"{who} withdrew it{said}", claims),))
    if request.operation == "remind" and not re.search(r"\b(?:re)?mind|nudge", question, re.IGNORECASE):
        told = Statement("Nobody has reported to me that it is done", claims)
        return ItemOutcome("", (told, Statement(request.replied, claims)))  # to remind of something is not to do it
    if request.status == "standing":
        return ItemOutcome(
            "Yes", (Statement(f"{quote_text(_short(item))} holds since {day(request.created_at)}", claims),)
        )
    undone = ItemOutcome("Not yet", (Statement(f"{quote_text(_short(item))} is not done: {standing(item)}", claims),))
    return _of_done(item, request, question, now) if request.status == "done" or item.passed else undone


_ASKS_DRAFT = re.compile(r"(?i)\b(?:draft\w*|written|wrote|write|ready)\b(?! to\b)")


def _of_done(item: WorkItem, request: Request, question: str, now: str) -> ItemOutcome:
    """Return the evidence of a done request without a record to name: a report, an answer, a draft."""
    claims = claims_of(request, "status replied sentence", now)
    sections = {one.section for one in item.made}
    if sections == {"drafts"}:
        readers = list(dict.fromkeys(to for one in item.made for to in one.record.get("to") or ()))
        whom = f" for {join_words(readers[:_RECORDS_NAMED])}" if 0 < len(readers) <= _RECORDS_NAMED else ""
        told = Statement(f"{format_count(len(item.made), 'letter')} drafted{whom}, and nothing is sent", claims)
        return ItemOutcome("Yes" if _ASKS_DRAFT.search(question) else "Not yet", (told,))
    if sections == {"plans"}:
        return ItemOutcome("Yes", (Statement(f"It was reported as done: {quote_text(_short(item))}", claims),))
    return ItemOutcome("Yes", (Statement(request.replied, claims),))


_ASKS_READERS = _FORMS["asks_readers"]
_ASKS_TEXT = _FORMS["asks_text"]


def letter_of(agent: Agent, item: WorkItem, question: str) -> Statement:
    """Return the readers of a letter, or its text, if a question asks for that; empty for any other work."""
    text = _letter_text(item)
    if not text:
        return Statement()
    now = agent.now()
    sent = [one for one in item.made if one.section == "letters"]
    claims = tuple(claim for one in sent for claim in claims_of_made(one, now))
    if _ASKS_TEXT.search(question):
        state = "" if sent else f". {together(_outcome(agent, item, '').parts).text}"
        return Statement(f"The letter says: {quote_text(one_line(text))}{state}", claims)
    if sent and YES_OR_NO.search(question) and (named := _contacts_named(agent, question)):
        readers = {str(one.record.get("to", "")).casefold() for one in sent}
        found = join_words(f"{name}: {'yes' if email.casefold() in readers else 'no'}" for name, email in named)
        return Statement(f"Among the readers of {quote_text(_short(item))}: {found}", claims)
    if not _ASKS_READERS.search(question):
        return Statement()
    if not sent:
        outcome = together(_outcome(agent, item, "").parts)
        waiting = _readers_waiting(agent, item)
        listed = join_words(f"{one.get('name') or one['email']} <{one['email']}>" for one in waiting)
        for_whom = f"It is for {format_count(len(waiting), 'reader')}: {listed}. " if waiting else ""
        return Statement(f"Nobody has it yet. {for_whom}{outcome.text}", outcome.claims)
    told = together_in_words("letters", [one.record for one in sent])
    return Statement(f"{format_count(len({str(one.record.get('to')) for one in sent}), 'reader')}. {told}", claims)


def _readers_waiting(agent: Agent, item: WorkItem) -> list[Mapping[str, Any]]:
    """Return the contacts to whom the letter of a piece of work goes once it is approved."""
    actions = [one.action["arguments"] for one in item.decisions if one.open and one.action]
    lists, addresses = ({one.get(name) for one in actions} - {None, ""} for name in ("list", "to"))
    lists |= {tag for one in actions for tag in one.get("tags") or ()}
    every = section(agent, "contacts")
    return [one for one in every if lists & set(one.get("tags") or ()) or addresses & {one["email"], one["id"]}]


def _contacts_named(agent: Agent, question: str) -> list[tuple[str, str]]:
    """Return the name and address of the contacts that a question names, by a whole name or a word of it."""
    words = set(re.findall(r"[^\W\d_]{2,}", question))
    every = [(str(one.get("name") or one["email"]), str(one["email"])) for one in section(agent, "contacts")]
    return [(name, email) for name, email in every if words & set(name.split())]


def _letter_text(item: WorkItem) -> str:
    """Return the text of the letter that a request wrote, or an empty text."""
    letter = item.request.data.get("letter") if item.request is not None else None
    is_letter = item.request is not None and item.request.operation in LETTERS
    planned = next((one.arguments["text"] for one in item.steps if one.tool in LETTERS and "text" in one.arguments), "")
    given = (planned or item.request.slot("text") or item.request.slot("facts")) if item.request and is_letter else ""
    return str(letter.get("text", "")) if isinstance(letter, Mapping) else str(given or "")


def _of_records(made: Sequence[RecordWork], question: str, now: str, text: str = "") -> ItemOutcome:
    """Return the present state of the records: valid, over, or unconfirmed from outside."""
    parts = tuple(
        Statement(describe_record(one.section, one.record), claims_of_made(one, now)) for one in made[-_RECORDS_NAMED:]
    )
    if all(one.section == "letters" for one in made):
        claims = tuple(claim for one in made for claim in claims_of_made(one, now))
        said = f" It says: {quote_text(one_line(text))}" if text else ""
        parts = (Statement(f"{together_in_words('letters', [one.record for one in made])}{said}", claims),)
    statuses = [str(one.record.get("status", "")) for one in made]
    is_over = bool(statuses) and all(one in _OVER for one in statuses)
    if _ASKS_END.search(question):
        return ItemOutcome("Yes" if is_over else "No", parts)
    if all(one in _COMPLETE for one in statuses):
        is_here = all(str(one.record.get("place", "")).startswith("mail/") for one in made)
        return ItemOutcome("" if is_here and _ASKS_OUTSIDE.search(question) else "Yes", parts)
    if is_over:
        return ItemOutcome("No longer", parts)
    word, note = _reservation(made, question)
    return ItemOutcome(word, (*parts, Statement(note)))


def _reservation(made: Sequence[RecordWork], question: str) -> tuple[Word, str]:
    """Return the word that answers a question about valid records, and the part that they do not show."""
    is_work = all(one.section == "work_packages" for one in made)
    is_held = any(one.record.get("assigned_to") for one in made)
    is_confirmed = all(map(_is_confirmed, made))
    cases: tuple[tuple[bool, re.Pattern[str], Word, str], ...] = (
        (is_work and not is_held, _ASKS_TAKEN, "Not yet", "Nobody has it yet"),
        (is_work, _ASKS_COMPLETION, "Not yet", _NOT_COMPLETE),
        (
            is_work and not _ASKS_ORDERED.search(question),
            _ANY,
            "",
            _NOT_COMPLETE,
        ),
        (
            not is_work and not is_confirmed,
            _ASKS_STARTED,
            "Not yet",
            "It is on record here, and no outside system has confirmed that it has begun",
        ),
        (not is_confirmed, _ASKS_STILL, "", "It is not stopped, and no outside system has confirmed that it runs"),
        (not is_confirmed, _ASKS_FINISH, "Not yet", ""),
        (
            not is_confirmed,
            _ASKS_OUTSIDE,
            "No",
            "It is on record here, and no outside system has confirmed more than that",
        ),
    )
    return next(((word, note) for applies, form, word, note in cases if applies and form.search(question)), ("Yes", ""))


def _is_confirmed(made: RecordWork) -> bool:
    """Return whether something outside has reported on a record: a letter that a server took, a campaign that ran."""
    record = made.record
    if made.section == "campaigns":
        return bool(record.get("weeks_run") or record.get("spent_usd") or record.get("leads"))
    return record.get("status") in ("sent", "published", "delivered")


def _of_goal(item: WorkItem, goal: Goal, question: str, now: str) -> ItemOutcome:
    claims = claims_of(goal, "description status progress deadline", now)
    by = f", by {day(goal.deadline)}" if goal.deadline else ""
    if goal.status == "achieved":
        return ItemOutcome(
            "Yes", (Statement(f"My goal {quote_text(goal.description)} is recorded as achieved", claims),)
        )
    if goal.status == "abandoned":
        word: Word = "Yes" if _ASKS_END.search(question) else "No"
        return ItemOutcome(
            word, (Statement(f"{quote_text(goal.description)} is dropped: nothing of it is open", claims),)
        )
    text = f"My goal {quote_text(goal.description)}{by} is open: {standing(item)}"
    return ItemOutcome("Not yet", (Statement(text, claims),))


def _of_decision(decision: Decision, now: str) -> ItemOutcome:
    """Return the result of an answered decision that no request led to."""
    claims = claims_of(decision, "subject status resolved_at performed_at", now)
    told = f"You {decision.status} {quote_text(decision.subject)} on {day(decision.resolved_at)} ({decision.id})"
    if decision.performed_at:
        return ItemOutcome("Yes", (Statement(f"{told}, and it was performed on {day(decision.performed_at)}", claims),))
    return ItemOutcome("Not yet", (Statement(f"{told}. Nothing that was done since is on record", claims),))


def _of_step(agent: Agent, item: WorkItem, step: Step, now: str) -> ItemOutcome:
    """Return whether one step of a longer plan is done, and if not, the obstacle."""
    claims = (Claim(item.plan.id, f"steps.{step.id}.status", step.status, now),) if item.plan is not None else ()
    name = quote_text(step.description)
    if step.status == "done":
        told = describe_record(*found) if (found := _find_record(agent, step.result)) is not None else ""
        how = "is done" if step.tool else "was reported as done"
        return ItemOutcome("Yes", (Statement(f"{name} {how}", claims), Statement(told)))
    current = next_step(item)
    parts = [Statement(f"{name} is not done", claims)]
    if current is not None and current.id != step.id:
        parts.append(Statement(f"It comes after {quote_text(current.description)}"))
    if current is not None:
        parts += _hindrance(item, current, now)
    return ItemOutcome("No" if item.plan is not None and item.plan.status != "active" else "Not yet", tuple(parts))


def _find_record(agent: Agent, record_id: str) -> tuple[str, dict[str, object]] | None:
    for name in MADE if record_id else ():
        for record in section(agent, name):
            if record.get("id") == record_id:
                return name, record
    return None


def _hindrance(item: WorkItem, step: Step, now: str) -> Iterator[Statement]:
    """Yield the things that the next step waits for."""
    asked = [one for one in item.decisions if one.id in (step.decision_id, step.result)] or list(item.decisions[-1:])
    decision = asked[-1] if asked else None
    if decision is not None and decision.status == "rejected":
        yield _describe_rejection(decision, now)
        yield Statement("Nothing further happens until you decide otherwise")
    elif decision is not None and decision.open:
        yield _open(decision, now)
    elif not step.tool:
        yield Statement("It is done by a person: tell me when it is done")
    elif step.status == "failed":
        yield Statement(f"It failed: {one_line(step.result)}")


def _describe_rejection(decision: Decision, now: str) -> Statement:
    said = f": {quote_text(decision.feedback)}" if decision.feedback else ""
    text = (
        f"You rejected {quote_text(decision.subject)}{costs(decision)} on {day(decision.resolved_at)} "
        f"({decision.id}){said}"
    )
    return Statement(text, claims_of(decision, "subject cost status resolved_at feedback", now))


def _open(decision: Decision, now: str) -> Statement:
    text = f"It waits for your decision on {quote_text(decision.subject)}{costs(decision)} ({decision.id})"
    chosen = f". {options}" if (options := options_of(decision)) else ""
    return Statement(f"{text}{chosen}", claims_of(decision, "subject cost status options", now))


def _describe_outcome(item: WorkItem, outcome: ItemOutcome) -> Statement:
    body = together(outcome.parts)
    lead = (
        "" if outcome.word == "Yes" else f"{quote_text(_short(item))}: {outcome.word.lower()}. " if outcome.word else ""
    )
    return Statement(f"{lead}{sentence(body.text)}", body.claims)


def _short(item: WorkItem) -> str:
    return one_line(item.title)
