"""Process the recorded requests: answer, ask back, carry out, and report the facts."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from mabos.language.request import Claim, Request, RequestStatus
from mabos.mind.beliefs import revise_beliefs
from mabos.mind.model import Intention, Plan, Step
from mabos.mind.plans import next_step, waiting
from mabos.nodes.action.replies import MessageReply, send
from mabos.nodes.action.steps import perform
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.messages import parse_inform
from mabos.nodes.perception.subscriptions import serialize_beliefs
from mabos.society import commitments
from mabos.society.messages import Message, Performative
from mabos.society.roles import STAKEHOLDER
from mabos.tools.business.figure_watch import watch_asked
from mabos.tools.requests import outcome
from mabos.tools.requests.carrying import abandon, find_carrying_records, release, settle, take_up
from mabos.tools.requests.colleagues import refusal
from mabos.tools.requests.coverage import approved_first, ask_about_unexplained
from mabos.tools.requests.doubts import in_doubt, put_off
from mabos.tools.requests.handlers import handler_of
from mabos.tools.requests.outcome import Reply
from mabos.tools.requests.progress import progress
from mabos.tools.requests.readback import confirmation
from mabos.tools.requests.reports import mark_done
from mabos.tools.requests.rereading import by_records
from mabos.tools.requests.response import AbandonGoal, Amend, Ask, Decline, Do, Response, Say, StepReport, Withdraw
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.records import as_json

ROUNDS: Final = 3
"""The number of times a cycle looks at its requests: a correction opens the one it corrects."""
_MEASURED: Final = 0.95
STEPS: Final = 40
"""The number of steps of one request that a cycle performs."""


@dataclass(slots=True)
class Conversation:
    """The replies of this cycle, by the message they answer: the request's own, or the one that resumed it."""

    replies: dict[str, list[Reply]]
    because: dict[str, str] = field(default_factory=dict)

    def say(self, request: Request, reply: Reply) -> None:
        """Add a reply to the message of a request."""
        if reply.text:
            self.replies.setdefault(self.because.get(request.id, request.message_id), []).append(reply)


def attend(cycle: Cycle, request_ids: Iterable[str], remark: str = "") -> list[str]:
    """Handle the messages of requests as far as possible, and return the ids of those answered.

    Each reply ends with the remark.
    """
    said = _attended_to(cycle, request_ids)
    last = [Reply("INFORM", remark)] if remark else []
    return [
        message_id
        for message_id, replies in said.replies.items()
        if _send_replies(cycle, message_id, [*replies, *last])
    ]


def carry_out(cycle: Cycle, request_ids: Iterable[str]) -> list[Reply]:
    """Carry out requests as far as currently possible, and return the unsent replies."""
    said = _attended_to(cycle, request_ids)
    return [reply for replies in said.replies.values() for reply in replies]


def _attended_to(cycle: Cycle, request_ids: Iterable[str]) -> Conversation:
    said = Conversation({})
    ids = list(request_ids)
    for _ in range(ROUNDS):
        if not ids:
            break
        ids = [other for request_id in ids for other in _serve_request(cycle, request_id, said)]
    return said


def _serve_request(cycle: Cycle, request_id: str, said: Conversation) -> list[str]:
    """Advance a request as far as possible now; return the requests that it reopens."""
    agent = cycle.agent
    request = agent.requests.one(request_id)
    if request.status == "underway":
        _advance(cycle, request, said)
        return []
    if request.status not in ("open", "standing"):
        return []
    request, said_at_once = by_records(agent, request)
    response = (
        said_at_once
        or ask_about_unexplained(agent, request)
        or confirmation(agent.services, request)
        or _dispatch_request(agent, request)
    )
    if doubted := in_doubt(agent, request, response):
        text, kept = put_off(agent, request, doubted, response)
        for one in kept:
            _save(agent, one)
        which = response.missing if isinstance(response, Ask) and "order" in response.missing else ()
        asked = replace(request, missing=which, question=text if which else "")
        _answer(agent, asked, Reply("QUERY", text), said, status="asking" if which else "answered")
        return []
    if isinstance(response, Amend):
        return _amend_request(cycle, request, response, said)
    if isinstance(response, Withdraw):
        target = agent.requests.one(response.request_id)
        release(agent, target, f"withdrawn by {request.sender}")
        _save(agent, replace(target, status="withdrawn", reason=request.sentence))
        _answer(agent, request, Reply("INFORM", response.told), said)
    elif isinstance(response, AbandonGoal):
        abandon(agent, response.goal_id, f"no longer wanted by {request.sender}")
        _answer(agent, request, Reply("INFORM", response.told), said)
    elif isinstance(response, Do):
        underway = take_up(agent, request, approved_first(agent, request, response))
        _save(agent, underway)
        _advance(cycle, underway, said)
    elif isinstance(response, Ask):
        reply = Reply("QUERY", response.question, response.claims)
        data = {**request.data, "readback": True} if "confirm" in response.missing else request.data
        asking = replace(request, status="asking", question=response.question, missing=response.missing, data=data)
        _answer(agent, asking, reply, said, status="asking")
    elif isinstance(response, Decline):
        reply = Reply("REFUSE", " ".join(filter(None, (response.reason, response.nearest))), response.claims)
        _answer(agent, replace(request, reason=response.reason), reply, said, status="refused")
    elif isinstance(response, StepReport):
        return _record_report(cycle, request, response, said)
    else:
        _say(agent, request, response, said)
    return []


def _dispatch_request(agent: Agent, request: Request) -> Response:
    handler = handler_of(agent.services, request)
    if handler is not None:
        return handler(agent, request)
    return Ask(f"I do not understand what you want me to do: {request.sentence!r}. What should I do, and with what?")


def _record_report(cycle: Cycle, request: Request, response: StepReport, said: Conversation) -> list[str]:
    """Write down the steps that were reported, and believe the rest; the replies answer the report."""
    agent, message = cycle.agent, cycle.agent.inbox.find(request.message_id)
    for target_id, step_ids in response.done.items():
        mark_done(agent, agent.requests.one(target_id), step_ids, request)
        said.because[target_id] = request.message_id
    if response.statements and message is not None:
        listed = [{"statement": one} for one in response.statements]
        incoming = parse_inform(replace(message, metadata={**message.metadata, "beliefs": listed}), agent.now())
        believed = revise_beliefs(agent.mind.beliefs, incoming, agent.now(), agent.services.settings.beliefs)
        agent.mind.save(*believed.saved, why=f"reported by {request.sender}", cycle=cycle.id)
    _answer(agent, request, Reply("INFORM", response.told), said)
    return list(response.done)


def _say(agent: Agent, request: Request, response: Say, said: Conversation) -> None:
    if request.act == "question" and request.sender == STAKEHOLDER and agent.business_id:
        watch_asked(agent, request.sentence, response.claims)
    changed = replace(request, data={**request.data, **response.data})
    wanted_by = str(response.data.get("wanted_by", request.wanted_by))
    _answer(
        agent,
        replace(changed, wanted_by=wanted_by),
        Reply("INFORM", response.text, response.claims),
        said,
        status=response.status,
    )


def _amend_request(cycle: Cycle, request: Request, response: Amend, said: Conversation) -> list[str]:
    """Replace slots of an earlier request, reopen it, and withdraw its pending questions."""
    agent = cycle.agent
    target = agent.requests.one(response.request_id)
    told = response.told
    if target.status == "underway":
        asked = release(agent, target, f"changed by {request.sender}: {request.sentence}")
        told += f" I took back the question about the old values ({', '.join(asked)})." if asked and told else ""
    changed = {one.name: one for one in response.slots}
    kept = tuple(changed.pop(one.name, one) for one in target.slots)
    names = {one.name for one in response.slots}
    opened = replace(
        target,
        slots=(*kept, *changed.values()),
        missing=tuple(one for one in target.missing if one not in names and one != "confirm"),
        status="standing" if target.status == "standing" else "open",
        goal_id="",
        question="",
        checks=(),
        confidence=1.0 if response.confirmed else target.confidence,
        data={
            **target.data,
            "reported": "",
            "revision": int(target.data.get("revision", 1)) + (1 if target.goal_id else 0),
            "after": [_undoing(one) for one in response.after],
            "amended": True,
        },
    )
    _save(agent, opened)
    _answer(agent, request, Reply("INFORM", told), said)
    return [target.id]


def _undoing(step: Step) -> dict[str, Any]:
    return {"id": step.id, "description": step.description, "tool": step.tool, "arguments": dict(step.arguments)}


def _advance(cycle: Cycle, request: Request, said: Conversation) -> None:
    """Perform the steps that are possible now, and report the changes since the last report."""
    agent = cycle.agent
    found = find_carrying_records(agent, request)
    if found is None:
        _answer(agent, request, Reply("FAILURE", f"Its goal is gone: {request.sentence}"), said, status="failed")
        return
    if settle(agent, request):
        _answer(agent, request, outcome.report_success(agent, request), said, status="done")
        return
    intention, plan, why = _perform_steps(cycle, found.intention, found.plan)
    if refused := refusal(agent, request):
        intention, why = replace(intention, status="failed", reason=refused, updated=agent.now()), refused
    if settle(agent, request):
        _answer(agent, request, outcome.report_success(agent, request), said, status="done")
        return
    found = replace(found, plan=plan, intention=intention)
    if intention.status in ("active", "awaiting_approval", "suspended"):
        _answer(agent, request, progress(agent, request, found), said, status="underway")
        return
    why = why or outcome.missing_record(agent, request)
    _abandon_goal(agent, found.intention, request)
    commitments.settle_commitments(agent.mind, request.id, "cancelled")
    _answer(agent, request, outcome.report_failure(agent, request, found, why), said, status="failed")


def _perform_steps(cycle: Cycle, intention: Intention, plan: Plan) -> tuple[Intention, Plan, str]:
    """Perform steps until one waits or fails; each is on record before the next one begins."""
    agent, why = cycle.agent, ""
    for _ in range(STEPS):
        following = next_step(plan, agent.mind.index)
        step = following.step
        if intention.status != "active" or step is None or following.readiness != "ready":
            break
        if not step.tool:
            plan = waiting(plan, step.id, "", agent.now())
            agent.mind.save(plan, intention, why=f"waits for a report: {step.description}", cycle=cycle.id)
            plan = agent.mind.plan(plan.id)
            continue  # an approval at its side can be asked for now
        did = perform(agent, intention, plan, step)
        plan, intention = did.plan, did.intention
        cycle.note(step=did.result["step"], tool=did.result["tool"], status=did.status, ref=did.result["ref"])
        if did.status == "failed":
            why = f"{step.description}: {did.message}"
            intention = replace(intention, status="failed", reason=why, updated=agent.now())
            plan = replace(plan, status="failed")
        agent.mind.save(plan, intention, why=did.message or "a step of a request", cycle=cycle.id)
        plan = agent.mind.plan(plan.id)  # the next save is compared with the last look, and would lose against this one
    following = next_step(plan, agent.mind.index)
    if intention.status == "active" and following.step is not None and following.readiness == "waiting":
        reason = f"waits for a report: {following.step.description}"
        asked = following.step.decision_id
        intention = replace(
            intention, status="awaiting_approval", reason=reason, decision_id=asked, updated=agent.now()
        )
        agent.mind.save(plan, intention, why=reason, cycle=cycle.id)
    if plan.status == "completed" and intention.status == "active":
        intention = replace(intention, status="failed", reason="every step ran and the checks did not pass")
    return intention, plan, why


def _abandon_goal(agent: Agent, intention: Intention, request: Request) -> None:
    """Give up the goal of a request that failed; it is achieved by its checks alone."""
    goal = agent.mind.goal(request.goal_id)
    now = agent.now()
    over = replace(intention, updated=now)
    agent.mind.save(replace(goal, status="abandoned", updated=now), over, why=intention.reason, cycle=agent.cycle)


def _answer(
    agent: Agent, request: Request, reply: Reply, said: Conversation, *, status: RequestStatus = "answered"
) -> None:
    """Save a request with its status, and report the news about it."""
    told = str(request.data.get("told", ""))
    news = reply.text.removeprefix(told).strip()  # what is told once is no part of what may be repeated
    state = reply.state or news
    if state != request.data.get("reported", request.replied) or status != request.status:
        said.say(request, reply)
    data = {**{name: value for name, value in request.data.items() if name != "told"}, "reported": state}
    _save(agent, replace(request, status=status, replied=news, data=data))


def _save(agent: Agent, request: Request) -> None:
    if request == agent.requests.find(request.id):
        return  # it waits as it did: nothing is written in an idle cycle
    agent.requests.save(replace(request, updated_at=agent.now()))


def _serialize_claims(agent: Agent, claims: list[Claim]) -> list[dict[str, Any]]:
    """Return the facts, beliefs and figures of an answer that a colleague may believe."""
    facts = {one.id: one for one in agent.facts.query()} if claims else {}
    held = {one.id: one for one in agent.mind.beliefs}
    told: dict[str, dict[str, Any]] = {}
    for claim in claims:
        name = claim.record.rpartition("/")[2].rpartition(" ")[2]
        if fact := facts.get(name):
            values = {"subject": fact.subject, "predicate": fact.predicate, "value": fact.object}
            told[name] = {**values, "certainty": fact.confidence, "expires": fact.valid_until}
        elif belief := held.get(name):
            told[name] = serialize_beliefs((belief,))[0]
        elif claim.record.startswith("metric"):
            told[name] = {"subject": claim.field, "value": str(claim.value), "certainty": _MEASURED}
    return list(told.values())


def _send_replies(cycle: Cycle, message_id: str, replies: list[Reply]) -> bool:
    """Return whether the replies to one message were sent, as one message; the same words are sent once."""
    message = cycle.agent.inbox.find(message_id)
    if message is None:
        return False
    order: tuple[Performative, ...] = ("FAILURE", "REFUSE", "QUERY", "AGREE")
    spoken = {reply.performative for reply in replies}
    performative: Performative = next((one for one in order if one in spoken), "INFORM")
    text = "\n".join(reply.text for reply in replies)
    claims: list[Claim] = [claim for reply in replies for claim in reply.claims]
    return speak(cycle, message, Reply(performative, text, tuple(claims)), f"reply:{message_id}:{cycle.id}")


def speak(cycle: Cycle, message: Message, reply: Reply, key: str) -> bool:
    """Return whether a reply was sent; it is sent once per key, with its claims."""
    claims = list(reply.claims)
    metadata: dict[str, Any] = {"claims": [as_json(one) for one in claims]} if claims else {}
    metadata["beliefs"] = _serialize_claims(cycle.agent, claims) if message.sender != STAKEHOLDER else []
    is_unfit = message.protocol and reply.performative == "QUERY"  # a protocol has no question back
    performative: Performative = "NOT_UNDERSTOOD" if is_unfit else reply.performative
    return send(cycle, message, MessageReply(performative, reply.text, key, metadata))
