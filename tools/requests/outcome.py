"""Report on an order after its steps: from the records found by its checks, and its open decisions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.language.request import Claim, Request
from mabos.mind.model import Step
from mabos.society.decisions import Decision
from mabos.society.messages import Performative
from mabos.tools.requests.acceptance import judge
from mabos.tools.requests.carrying import OVER, TAKEN_BACK_BY, Carried, ending_steps, find_carrying_records
from mabos.tools.requests.colleagues import WAIT, title
from mabos.tools.requests.comparing import answers_of, compare_figures
from mabos.tools.requests.records import section
from mabos.tools.requests.wording import join_words, quote_text
from mabos.tools.runtime.services import Agent
from mabos.tools.work.session import parent_of
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import money


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply to the sender, with its claims; repeated when its `state` changes."""

    performative: Performative
    text: str
    claims: tuple[Claim, ...] = ()
    state: str = ""


def report_success(agent: Agent, request: Request) -> Reply:
    """Return the report of an order whose checks passed: its current records."""
    lines, claims = _approvals(agent, request), list[Claim]()
    for verdict in judge(agent, request.checks):
        section = verdict.check.section
        if section == "messages" and verdict.found:
            last = verdict.found[-1]
            if last["from"] == agent.id:
                lines.append(f"I told {title(agent, str(last['to']))}: {quote_text(str(last['content']))}.")
                claims.append(Claim(str(last["id"]), "content", last["content"], str(last.get("timestamp", ""))))
                continue
            who = title(agent, str(last["from"]))
            lines.append(f"{who[:1].upper()}{who[1:]} answered: {last['content']}")
            claims.append(Claim(str(last["id"]), "content", last["content"], str(last.get("timestamp", ""))))
            continue
        if section in _TOGETHER and verdict.found:
            lines.append(_TOGETHER[section](verdict.found))
            claims += [Claim(f"{section}/{one['id']}", "to", one["to"], agent.now()) for one in verdict.found]
            continue
        for one in verdict.found[-_NAMED:]:
            claims += _claims(agent, section, one, verdict.check.where)
            if section == "campaigns" and str(one["id"]) in request.data.get("before", {}) and lines:
                continue  # its change is told
            lines.append(_describe_change(one, request) if section == "effects" else describe_record(section, one))
    lines += compare_figures(answers_of(agent, request))
    return Reply("INFORM", " ".join([*_request_note(request), *dict.fromkeys(lines)]), tuple(claims))


def _approvals(agent: Agent, request: Request) -> list[str]:
    """Return for a model which approvals of the owner let its order go on; the owner knows them."""
    given = approvals_of(agent, request) if _is_read_by_model(request) else []
    return [f"The owner approved it ({one.id})." for one in given]


def approvals_of(agent: Agent, request: Request) -> list[Decision]:
    """Return the decisions about an order that the owner approved."""
    found = find_carrying_records(agent, request) if request.goal_id else None
    return [one for one in _decisions(agent, found) if one.status in _APPROVED] if found is not None else []


_APPROVED = ("approved", "modified")


def waiting(agent: Agent, request: Request, found: Carried) -> Reply:
    """Return the open points of an order: a person's decision with its cost, or work for a person to report."""
    decisions = agent.services.decisions(agent.business_id)
    lines, claims = list[str](), list[Claim]()
    for step in found.plan.steps:
        if step.status == "done" and step.tool == "agent_message":
            lines += _passed_on(agent, step)
        elif step.status == "done" and step.tool != "crm_tag_contacts":
            lines.append(f"Done so far: {quote_text(step.description)}.")
        decision = decisions.find(step.decision_id) if step.status == "waiting" and step.decision_id else None
        if decision is not None:
            lines.append(asks_leave(decision, whose="the owner's" if _is_read_by_model(request) else "your"))
            claims += [Claim(decision.id, "cost", decision.cost, agent.now())] if decision.cost else []
        elif step.status == "waiting" and step.id == WAIT:
            lines.append(f"I wait for {step.description}.")
        elif step.status == "waiting":
            lines.append(f"Tell me when this is done: {quote_text(step.description)}.")
    return Reply("AGREE", " ".join([*_request_note(request), *lines]), tuple(claims))


def _passed_on(agent: Agent, step: Step) -> list[str]:
    """Return the message sent to a colleague, in the words on record; nothing if there is none."""
    thread, to = str(step.arguments["conversation_id"]), str(step.arguments["to"])
    sent = [one for one in agent.services.inbox(to).thread(thread) if one.sender == agent.id]
    verb = _SAID.get(step.description.partition(" ")[0], "told")
    return [f"I {verb} {title(agent, to)}: {quote_text(one.content)}." for one in sent[-1:]]


_SAID = {"ask": "asked", "give": "gave", "tell": "told"}


def _is_read_by_model(request: Request) -> bool:
    """Return whether a model reads the report on an order: for it, "you" is itself."""
    return bool(parent_of(request))


def asks_leave(decision: Decision, *, whose: str = "your") -> str:
    """Return in words that a decision waits for the owner, with its cost and its reason."""
    costs = (
        f", {money(decision.cost)} in total"
        if decision.notable_cost and money(decision.cost) not in decision.subject
        else ""
    )
    why = f" Reason: {'; '.join(decision.reasons)}." if decision.reasons else ""
    return f"This waits for {whose} approval: {decision.subject}{costs} ({decision.id}).{why}"


def report_failure(agent: Agent, request: Request, found: Carried, why: str) -> Reply:
    """Return that an order was not carried out, with the recorded reason."""
    rejected = next((one for one in _decisions(agent, found) if one.status == "rejected"), None)
    if rejected is not None:
        because = f": {rejected.feedback.rstrip(' .')}" if rejected.feedback else ""
        kept = goes_on(agent, request)
        wanted = rejected.subject if request.data.get("amended") else request.sentence
        who = "The owner" if _is_read_by_model(request) else "You"
        said = f"{who} rejected it ({rejected.id}){because}. Nothing of this was done: {wanted.rstrip('.')}."
        said = f"{said} {kept}".strip()
        return Reply("FAILURE", said, (Claim(rejected.id, "status", "rejected", rejected.resolved_at),))
    kept = goes_on(agent, request)
    return Reply("FAILURE", " ".join(filter(None, (f"This is not done: {request.sentence}", why, kept))))


def goes_on(agent: Agent, request: Request) -> str:
    """Return that a record to be replaced by a change continues as before; empty if there is none."""
    ids = {str(value) for step in ending_steps(request) for value in step.arguments.values()}
    kept = [
        (name, one)
        for name in TAKEN_BACK_BY
        for one in section(agent, name)
        if str(one["id"]) in ids and one.get("status") not in OVER
    ]
    return " ".join(f"{_short(_name(one))} goes on {_terms(name, one)}, as before ({one['id']})." for name, one in kept)


def _terms(name: str, one: Mapping[str, Any]) -> str:
    """Return the terms of a record."""
    if name == "campaigns":
        return f"at {money(float(one['weekly_budget_usd']))} a week"
    due = f", due {day(str(one['deadline']))}" if one.get("deadline") else ""
    return f"with {money(float(one['budget_usd']))}{due}"


def missing_record(agent: Agent, request: Request) -> str:
    """Return the check that has not passed, in words."""
    open_checks = [one.check.note or one.check.section for one in judge(agent, request.checks) if not one.passed]
    return f"There is no record yet of {'; '.join(open_checks)}." if open_checks else ""


def describe_record(section: str, one: Mapping[str, Any]) -> str:
    """Return one record as a sentence, with its id."""
    wording = _WORDINGS.get(section)
    return wording(one) if wording else f"{_name(one)} is on record in {section} ({one.get('id', '')})."


def _request_note(request: Request) -> list[str]:
    told = str(request.data.get("told", ""))
    return [told] if told else []


def _decisions(agent: Agent, found: Carried) -> list[Decision]:
    decisions = agent.services.decisions(agent.business_id)
    ids = {one.decision_id for one in found.plan.steps} | {found.intention.decision_id}
    return [one for key in sorted(ids - {""}) if (one := decisions.find(key)) is not None]


def _claims(agent: Agent, section: str, one: Mapping[str, Any], where: Mapping[str, Any]) -> list[Claim]:
    key = f"{section}/{one.get('id', '')}"
    fields = [name for name in where if not isinstance(where[name], Mapping)]
    return [Claim(key, name, one.get(name), agent.now()) for name in (*fields, "status") if name in one]


def _campaign(one: Mapping[str, Any]) -> str:
    weekly, weeks = float(one["weekly_budget_usd"]), int(one["weeks"])
    if one.get("status") in ("paused", *OVER):
        return f"Campaign {_short(one['name'])} at {money(weekly)} a week is {one['status']} ({one['id']})."
    return (
        f"Campaign {_short(one['name'])} is recorded on {one['channel']} for "
        f"{'everybody' if one.get('segment') == 'all' else one.get('segment')}: {money(weekly)} a week for {weeks} "
        f"{'week' if weeks == 1 else 'weeks'}, {money(weekly * weeks)} in total ({one['id']}, {_state(one)})."
    )


def _short(name: Any) -> str:
    """Return a name in quotes; a long one, which may be half a sentence, without them."""
    return f"'{name}'" if len(str(name)) < _LONG else str(name)


_LONG = 25


def _package(one: Mapping[str, Any]) -> str:
    due = f", due {day(str(one['deadline']))}" if one.get("deadline") else ""
    budget = money(float(one["budget_usd"]))
    title = _short(one["title"])
    return f"Work package {title} is on record with a budget of {budget}{due} ({one['id']}, {one['status']})."


_NAMED = 12
"""Records that the report of an order names."""


def _describe_change(one: Mapping[str, Any], request: Request) -> str:
    """Return a performed change with the value before it, where the request remembers that."""
    result, before = one.get("result", {}), request.data.get("before", {})
    old = before.get(str(result.get("campaign_id", "")))
    if old is None or float(old["weekly_budget_usd"]) == float(result["weekly_budget_usd"]):
        return _effect(one)
    new = f"{money(float(result['weekly_budget_usd']))} a week instead of {money(float(old['weekly_budget_usd']))}"
    return f"Campaign {_short(result['name'])} is on record with {new} ({result['id']}, {_state(result)})."


def _effect(one: Mapping[str, Any]) -> str:
    """Return the effect of an operation in the words of its record: its kind, name, state and amounts."""
    tool, result = str(one["tool"]), one.get("result", {})
    if tool == "ad_campaign_manage" and "name" in result:
        terms = f"{money(float(result['weekly_budget_usd']))} a week"
        return f"Campaign {_short(result['name'])} is {result['status']}: {terms} ({result['id']})."
    if tool == "work_package_assign" and result.get("assigned_to"):
        return f"Work package {_short(result['title'])} is with {result['assigned_to']} ({result['id']})."
    if tool == "work_package_update" and "title" in result:
        scored = result.get("quality_score")
        quality = f", quality {float(scored):g}" if scored is not None else ""
        budget = f"budget {money(float(result['budget_usd']))}" if "budget_usd" in result else ""
        status = str(result["status"]).replace("_", " ")
        return f"Work package {_short(result['title'])} is {status}{quality}: {budget} ({result['id']})."
    if "unit_amount" in result:
        per = f" a {result['interval']}" if result.get("interval") else ""
        return f"The price of {money(float(result['unit_amount']) / 100)}{per} is on record ({result['id']})."
    if isinstance(text := result.get("text"), str) and text.strip():
        return text.strip() if text.strip()[-1] in ".!?" else f"{text.strip()}."
    return _plain_effect(one)


def _contact(one: Mapping[str, Any]) -> str:
    tags = f", tagged {join_words(one['tags'])}" if one.get("tags") else ""
    return f"{one.get('name') or one['email']} <{one['email']}> is in your contacts{tags} ({one['id']})."


def _plain_effect(one: Mapping[str, Any]) -> str:
    tool, result = str(one["tool"]).replace("_", " "), one.get("result", {})
    short = {name: value for name, value in result.items() if isinstance(value, str | int | float) and value != ""}
    told = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in list(short.items())[:5])
    return f"On record: {tool} ({told})." if told else f"On record: {tool}."


def _letters(found: Sequence[Mapping[str, Any]]) -> str:
    """Return how many letters left and where to; a folder of this computer is no mail server."""
    to = ", ".join(str(one["to"]) for one in found[:8]) + (f" and {len(found) - 8} more" if len(found) > 8 else "")
    is_local = all(str(one.get("place", "")).startswith("mail/") for one in found)
    number = f"{len(found)} {'letter' if len(found) == 1 else 'letters'}"
    if is_local:
        return f"{number} to {to}: written to the folder mail/sent, because no mail server is configured."
    return f"{number} handed over to the mail server: {to}."


def _drafts(found: Sequence[Mapping[str, Any]]) -> str:
    subject, number = found[0].get("subject", ""), len(found)
    to = ", ".join(", ".join(one["to"]) for one in found[:12]) + (f" and {number - 12} more" if number > 12 else "")
    wait = f"{'It waits' if number == 1 else 'They wait'} for you to read; nothing goes out before you say so."
    return f"{number} {'draft' if number == 1 else 'drafts'} of {subject!r} in mail/drafts, not sent: {to}. {wait}"


_TOGETHER: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], str]] = {"letters": _letters, "drafts": _drafts}
"""Sections whose records are reported in one sentence."""


def together_in_words(section: str, found: Sequence[Mapping[str, Any]]) -> str:
    """Return records of one section in one sentence."""
    return _TOGETHER[section](found)


def _describe_completed_plan(one: Mapping[str, Any]) -> str:
    """Return that every step of a plan is done, and on whose word."""
    steps = "; ".join(f"{step['description']}, {step.get('result') or 'on record'}" for step in one["steps"])
    return f"Every step of '{one['name']}' is done: {steps}."


_WORDINGS: Mapping[str, Callable[[Mapping[str, Any]], str]] = {
    "plans": _describe_completed_plan,
    "campaigns": _campaign,
    "work_packages": _package,
    "effects": _effect,
    "contacts": _contact,
    "metrics": lambda one: f"{one['name']} is recorded: {one['value']:g} on {day(str(one['at']))}.",
    "goals": lambda one: f"Goal '{one['description']}' is on record ({one['id']}).",
    "content": lambda one: f"{one['title']!r} is on file as {one['status']}: {one['path']} ({one['id']}).",
}


def _state(one: Mapping[str, Any]) -> str:
    return "no advertising platform is connected" if one.get("status") == "recorded" else str(one.get("status", ""))


def _name(one: Mapping[str, Any]) -> str:
    return str(one.get("name") or one.get("title") or one.get("subject") or one.get("id", ""))


def day(text: str) -> str:
    """Return a date in the form 20 November 2026."""
    at = parse_time(text)
    return f"{at.day} {at:%B %Y}"
