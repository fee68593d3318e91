"""Report the agent's work, and open questions to a person: from requests, goals, plans and decisions."""

from collections.abc import Iterator, Sequence

from mabos.language.request import Claim, Request
from mabos.mind.model import Step
from mabos.mind.times import due
from mabos.society.decisions import Decision
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.stakeholder import is_overdue
from mabos.tools.requests.answers.duties import describe_duty, duties, open_duties
from mabos.tools.requests.answers.statement import Statement, claims_of, claims_of_made, together
from mabos.tools.requests.answers.work_items import WorkItem, work_items
from mabos.tools.requests.carrying import OVER
from mabos.tools.requests.colleagues import WAIT
from mabos.tools.requests.outcome import describe_record
from mabos.tools.requests.wording import day, format_count, join_words, quote_text, sentence
from mabos.tools.runtime.services import Agent
from mabos.workspace.currencies import money
from mabos.workspace.text import one_line, shorten

SHOWN = 5
"""At most this many pieces of work are named in one reply."""
_FEWEST = 2  # options of a choice
_OPEN_GOALS = ("active", "pending", "blocked")
_ENDED_STEPS = ("done", "skipped")


def first_due(agent: Agent, request: Request) -> Statement:
    """Return the item due first: a reminder, or open work, people's requests before the agent's own goals."""
    items = [one for one in work_items(agent) if is_in_hand(one) and deadline(one)]
    first = min(items, key=lambda one: (not is_asked_for(one), deadline(one)), default=None)
    duty = next(iter(open_duties(agent, request.sender)), None)
    if duty and (first is None or not is_asked_for(first) or duty.wanted_by < deadline(first)):
        reminder = describe_duty(duty, agent.now())
        return Statement(f"{reminder.text}. It is due first", reminder.claims)
    if first is None:
        return Statement()
    named = _in_hand(agent, request, first, agent.now())
    return Statement(f"{named.text[:1].upper()}{named.text[1:]}. It is due first", named.claims)


def work_in_hand(agent: Agent, request: Request, *, is_asked: bool = False) -> Statement:
    """Return the agent's current work, most important first: people's requests, then its own goals.

    `is_asked` leaves out its own.
    """
    items = [one for one in work_items(agent) if is_in_hand(one) and (is_asked_for(one) or not is_asked)]
    items.sort(key=lambda one: (not is_asked_for(one), *_urgency(one)))
    now = agent.now()
    parts = [_in_hand(agent, request, one, now) for one in items[:SHOWN]]
    later = [*_describe_commitments(agent, now), *duties(agent, request.sender)][:SHOWN]
    placed = _orders_on_record(agent, now)
    if not parts:
        return together([*([] if placed else [Statement("I have no open work at the moment.")]), placed, *later])
    if len(items) > SHOWN:
        rest = len(items) - SHOWN
        parts.append(Statement(f"{format_count(rest, 'more goal')} {'is' if rest == 1 else 'are'} open"))
    asked = [one for one in items if is_asked_for(one)]
    own = "Of my own goals:" if placed else "Nothing that you asked for is open. Of my own goals:"
    lead = "I am working on this:" if asked else own
    body = together([*parts, *later])
    whole = Statement(f"{lead} {body.text}", body.claims)
    return together([whole, placed] if asked else [placed, whole])


def _orders_on_record(agent: Agent, now: str) -> Statement:
    """Return what people's orders have put on record and what is not over yet: work packages and campaigns."""
    made = [
        one
        for item in work_items(agent)
        if item.request is not None and not is_in_hand(item)
        for one in item.made
        if one.section in ("work_packages", "campaigns") and one.record.get("status") not in OVER
    ]
    parts = [
        Statement(describe_record(one.section, one.record), claims_of_made(one, now))
        for one in {one.id: one for one in made}.values()
    ]
    if len(parts) > SHOWN:
        parts = [*parts[:SHOWN], Statement(f"{format_count(len(parts) - SHOWN, 'more order')} not named here")]
    told = together(parts)
    return Statement(f"Ordered, and not over: {told.text}", told.claims) if parts else Statement()


def waiting(agent: Agent, request: Request, about: Sequence[WorkItem] = ()) -> Statement:
    """Return the items that wait for the person who asks: decisions, questions, and steps to report.

    With `about`, only the open decisions of that work, if it has any. The agent's own proposals come after people's
    requests.
    """
    now, is_owner = agent.now(), request.sender == STAKEHOLDER
    asked, proposed, others = _open_decisions(agent) if is_owner else ([], [], [])
    wanted = {one.id for item in about for one in item.decisions if one.open}
    if chosen := [one for one in (*asked, *proposed) if one.id in wanted]:
        return _enumerate_statements([_decision_that_waits(one, now) for one in chosen], Statement())
    parts = [_decision_that_waits(one, now) for one in asked]
    parts += [*_questions_back(agent, request, now), *_manual_steps(agent, request, now)]
    if is_owner and agent.business_id and agent.id == agent.business.manifest.agents.get("ceo"):
        parts += [one for name in _colleagues(agent) for one in _questions_back(name, request, now, f"{name.id}'s")]
    rest = [_elsewhere(agent, others)]
    if parts:
        rest.insert(0, _proposals(agent, proposed, now))
    else:
        parts = [_decision_that_waits(one, now) for one in proposed]
    return _enumerate_statements(parts, together(rest))


def _enumerate_statements(parts: Sequence[Statement], rest: Statement) -> Statement:
    claims = tuple(claim for one in (*parts, rest) for claim in one.claims)
    if len(parts) > 1:
        lines = [f"{number}. {sentence(one.text)}" for number, one in enumerate(parts, start=1)]
        return Statement("\n".join([f"{len(parts)} things wait for you:", *lines, *filter(None, [rest.text])]), claims)
    text = f"One thing waits for you: {sentence(parts[0].text)}" if parts else "Nothing of mine waits for you."
    return Statement(f"{text} {rest.text}".strip(), claims)


def _proposals(agent: Agent, proposed: Sequence[Decision], now: str) -> Statement:
    """Return in one sentence the agent's proposals for goals of its own."""
    if not proposed:
        return Statement()
    goals = {one.id: item.title for item in work_items(agent) for one in item.decisions if item.goal is not None}
    named = join_words(f"{quote_text(goals.get(one.id, one.subject))} ({one.id})" for one in proposed[:SHOWN])
    more = f" and {len(proposed) - SHOWN} more" if len(proposed) > SHOWN else ""
    lead = "A proposal of my own waits too, for" if len(proposed) == 1 else "Proposals of my own wait too, for"
    claims = tuple(claim for one in proposed for claim in claims_of(one, "subject status", now))
    return Statement(f"{lead} {named}{more}", claims)


def is_asked_for(item: WorkItem) -> bool:
    """Return whether a person or colleague asked for it; a goal that serves a desire of the agent is its own."""
    if item.request is not None or item.goal is None or item.goal.description.startswith("Alarm for "):
        return item.request is not None
    return not item.goal.desire_id or item.goal.desire_id.startswith("D-MSG-")


def is_in_hand(item: WorkItem) -> bool:
    """Return whether work on it remains."""
    if item.request is not None:
        return item.request.status in ("open", "asking", "underway")
    return item.goal is not None and item.goal.status in _OPEN_GOALS


def next_step(item: WorkItem) -> Step | None:
    """Return the next step: the first that is neither done nor skipped."""
    return next((one for one in item.steps if one.status not in _ENDED_STEPS), None)


def standing(item: WorkItem) -> str:
    """Return the status of a piece of work in words: its obstacle, or its next step."""
    waits = next((one for one in item.decisions if one.open), None)
    step = next_step(item)
    if item.request is not None and item.request.status == "asking":
        return f"it waits for your answer to my question: {question_of(item.request)}"
    if waits is not None:
        subject = f" on {quote_text(waits.subject)}" if is_asked_for(item) else ""
        return f"it waits for your decision{subject} ({waits.id})"
    if item.goal is not None and item.goal.status == "blocked":
        reason = item.intention.reason if item.intention is not None else "I have no plan for it that can go on now"
        return f"it is blocked: {reason}"
    return _coming(item, step)


def _coming(item: WorkItem, step: Step | None) -> str:
    """Return the next step, and its actor."""
    if step is None:
        return (
            "all planned steps are done, and no record shows it as reached" if item.steps else "no step is planned yet"
        )
    if step.id == WAIT:
        return f"it waits for {one_line(step.description)}"
    if not step.tool:
        return f"next is {quote_text(step.description)}, which you report when it is done"
    return f"next: {one_line(step.description)}"


def question_of(request: Request) -> str:
    """Return the agent's question to the sender, without words repeated from the request."""
    return request.question.rpartition(request.sentence)[2].lstrip("'\". ") or request.question


def costs(decision: Decision) -> str:
    """Return the cost of a decision after a comma; "" if there is none or its subject states it."""
    is_told = money(decision.cost) in ("$0", *decision.subject.split()) or money(decision.cost) in decision.subject
    return "" if is_told else f", {money(decision.cost)}"


def advice(decision: Decision) -> str:
    """Return the option that the agent advises, in words; without advice, all options with their impact."""
    chosen = next((one for one in decision.options if str(one.get("id")) == decision.recommendation), None)
    if chosen is None:
        able = [one for one in decision.options if one.get("impact")] if decision.action is None else []
        told = (f"{quote_text(str(one.get('label', '')))} ({one_line(str(one['impact']))})" for one in able)
        return f"The options: {join_words(told, 'or')}" if able else ""
    impact = one_line(str(chosen.get("impact", ""))) if decision.action is None else ""
    return f"I recommend {quote_text(str(chosen.get('label', '')))}{f' ({impact})' if impact else ''}"


def options_of(decision: Decision) -> str:
    """Return the options of a decision, each with its impact; "" if it is a call to be approved."""
    if decision.action is not None or len(decision.options) < _FEWEST:
        return ""
    impacts = (f" ({one_line(str(one['impact']))})" if one.get("impact") else "" for one in decision.options)
    labels = (quote_text(str(one.get("label", ""))) for one in decision.options)
    return (
        f"The options: {join_words((f'{label}{impact}' for label, impact in zip(labels, impacts, strict=True)), 'or')}"
    )


def _urgency(item: WorkItem) -> tuple[bool, float, str]:
    is_begun = item.intention is not None and item.intention.status in ("active", "awaiting_approval")
    return not is_begun, -(item.goal.priority if item.goal is not None else 1.0), deadline(item) or "9999"


def deadline(item: WorkItem) -> str:
    """Return its deadline (ISO 8601), or ""."""
    if item.goal is not None and item.goal.deadline:
        return item.goal.deadline
    return str(item.request.slot("deadline") or item.request.wanted_by) if item.request is not None else ""


def _in_hand(agent: Agent, request: Request, item: WorkItem, now: str) -> Statement:
    title = shorten(one_line(item.title), 120, mark=" …", at_word=True)
    whose = "" if is_asked_for(item) else "my own goal "
    if item.request is not None and item.request.sender != request.sender:
        whose = f"for {_person_label(item.request.sender)}, "
    until = deadline(item)
    by = f", by {day(until)}" if until else ""
    late = until and (at := due(until)) is not None and at <= agent.clock()
    text = f"{whose}{quote_text(title)}{by}{' (overdue)' if late else ''}: {standing(item)}"
    claims: tuple[Claim, ...] = ()
    if item.request is not None:
        claims += claims_of(item.request, "sentence status", now)
    if item.goal is not None:
        claims += claims_of(item.goal, "description status deadline", now)
    return Statement(
        text, claims + tuple(c for one in item.decisions if one.open for c in claims_of(one, "subject status", now))
    )


def _describe_commitments(agent: Agent, now: str) -> Iterator[Statement]:
    """Yield the open commitments that came of work; those that a role starts with are standing duties."""
    given = [one for one in agent.mind.commitments if one.status == "open" and one.about and not one.owed_by]
    for one in sorted(given, key=lambda known: known.deadline or "9999")[:SHOWN]:
        by = f" by {day(one.deadline)}" if one.deadline else ""
        promised = f"I promised {_person_label(one.counterparty)}{by}: {one_line(one.terms)}"
        yield Statement(promised, claims_of(one, "counterparty terms deadline", now))


def _person_label(name: str) -> str:
    return "you" if name == STAKEHOLDER else name


def _open_decisions(agent: Agent) -> tuple[list[Decision], list[Decision], list[Decision]]:
    """Return the decisions that wait, most pressing first: the agent's, its own proposals, and those of others."""
    now = agent.clock()
    every = [one.as_of(now) for one in agent.services.decisions(agent.business_id).all()]
    found = [one for one in every if one.open]
    rank = {"urgent": 0, "high": 1, "normal": 2, "low": 3}
    found.sort(key=lambda one: (rank.get(one.urgency, 2), one.deadline or "9999", one.created_at))
    own = {one.id for item in work_items(agent) if item.goal and not is_asked_for(item) for one in item.decisions}
    mine = [one for one in found if one.from_agent == agent.id]
    others = [one for one in found if one.from_agent != agent.id]
    return [one for one in mine if one.id not in own], [one for one in mine if one.id in own], others


def _decision_that_waits(decision: Decision, now: str) -> Statement:
    since = f", since {day(decision.created_at)}" if decision.created_at else ""
    late = " (overdue)" if is_overdue(decision, now) else ""
    put_off = f", put off until {day(decision.until)}" if decision.status == "deferred" and decision.until else ""
    why = "; ".join(decision.reasons) or one_line(decision.description)
    text = (
        f"your decision on {quote_text(decision.subject)}{costs(decision)} ({decision.id}){since}{put_off}{late}. "
        f"{sentence(why)} {sentence(advice(decision))}"
    )
    fields = "subject cost status created_at description recommendation reasons"
    return Statement(text.strip(), claims_of(decision, fields, now))


def _colleagues(agent: Agent) -> list[Agent]:
    return [agent.services.agent(one) for one in agent.business.manifest.agents.values() if one != agent.id]


def _questions_back(agent: Agent, request: Request, now: str, whose: str = "my") -> Iterator[Statement]:
    for one in agent.requests.all():
        if one.status == "asking" and one.sender == request.sender and one.id != request.id:
            text = f"your answer to {whose} question about {quote_text(one.sentence)}: {question_of(one)}"
            yield Statement(text, claims_of(one, "question status", now))


def _manual_steps(agent: Agent, request: Request, now: str) -> Iterator[Statement]:
    """Yield the steps that only a person can do, and that come next in a plan that is followed."""
    for item in work_items(agent, request.sender):
        step = next_step(item)
        if item.request is None or item.request.status != "underway" or step is None or step.tool or step.id == WAIT:
            continue
        if item.plan is not None and item.plan.status == "active" and not any(one.open for one in item.decisions):
            text = f"your report that {quote_text(step.description)} is done, a step of {quote_text(item.title)}"
            yield Statement(text, (Claim(item.plan.id, f"steps.{step.id}.status", step.status, now),))


def _elsewhere(agent: Agent, others: Sequence[Decision]) -> Statement:
    """Return the decisions that other agents put before the owner, most pressing first."""
    if not others:
        return Statement()
    told = [f"{quote_text(one.subject)}{costs(one)} ({one.from_agent}, {one.id})" for one in others[:SHOWN]]
    told += [f"{len(others) - SHOWN} more"] if len(others) > SHOWN else []
    verb = "waits" if len(others) == 1 else "wait"
    text = f"{format_count(len(others), 'decision')} of other agents {verb} for you too: {join_words(told)}"
    return Statement(text, tuple(c for one in others[:SHOWN] for c in claims_of(one, "subject status", agent.now())))
