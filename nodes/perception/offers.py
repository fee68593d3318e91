"""Work offered to an agent: work packages, and calls for proposals (S3 9.3 and 11.4)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Literal

from mabos.configs.errors import Refused, UnknownId
from mabos.knowledge.case_records import Case
from mabos.knowledge.values import number
from mabos.language.request import Request
from mabos.memory.consolidation import jaccard
from mabos.mind.desires import WON
from mabos.mind.goals import is_decidable
from mabos.mind.intentions import OVER
from mabos.mind.model import Commitment, Desire, Goal
from mabos.nodes.choices import lately, shows_after
from mabos.nodes.cycle import Errand
from mabos.nodes.perception.messages import UNCHECKED, requested_in, title, wish
from mabos.nodes.perception.news import RuleRequests, is_done
from mabos.society.commitments import settle_commitments
from mabos.society.contract_net import Bid, CallForProposals, is_due
from mabos.society.messages import Message, Performative
from mabos.society.protocols import protocol_named
from mabos.society.workforce import Handoff
from mabos.tools.gate.identity import check_capability
from mabos.tools.people.ability import Ability, ability
from mabos.tools.people.bidding import PROTOCOL, refusals
from mabos.tools.people.handoffs import handoff_of, missing_files, unfit
from mabos.tools.plans.case_steps import recorded_steps
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, terms


def handed_over(agent: Agent, messages: Sequence[Message]) -> tuple[Errand, ...]:
    """Return the messages for act about work packages: acceptances, refusals and deliveries."""
    return (*_answers(agent, messages), *_deliveries(agent))


def _answers(agent: Agent, messages: Sequence[Message]) -> Iterator[Errand]:
    for message in messages:
        handoff_id = str(message.metadata.get("handoff_id", ""))
        offer = _handoff(agent, handoff_id) if message.performative == "PROPOSE" and handoff_id else None
        if offer is not None and (offer.status, offer.recipient) == ("offered", agent.id):
            why_not = unfit(agent, offer)
            arguments = {
                "from": offer.sender,
                "to": offer.recipient,
                "package_id": offer.work_package_id,
                "handoff_type": offer.handoff_type,
                "answer": "refuse" if why_not else "accept",
                "reason": why_not,
            }
            yield Errand(offer.id, "handoff", arguments, f"answer:{offer.id}", {"message": message.id})


def _deliveries(agent: Agent) -> Iterator[Errand]:
    """Yield the delivery of every package whose work is over and that is still said to be worked on.

    It is over when its desire is fulfilled, or its plan is through where nothing else can decide it: a review does.
    Nothing is delivered while a file that the package names is not there.
    """
    mind = agent.mind
    through = {one.goal_id for one in mind.plans if one.status == "completed"}
    carried_out = {one.desire_id for one in mind.goals if one.id in through and not is_decidable(one)}
    done = (one.id for one in mind.desires if one.status == "fulfilled" or one.id in carried_out)
    for desire_id, handoff_id in ((one, handoff_of(requested_in(one))) for one in done):
        offer = _handoff(agent, handoff_id) if handoff_id else None
        package = None if offer is None else agent.business.workforce.packages.find(offer.work_package_id)
        is_own = package is not None and (package.status, package.assigned_to) == ("in_progress", agent.id)
        if package is not None and is_own and not missing_files(agent.business, package):
            arguments = {"package_id": package.id, "status": "delivered"}
            why = {"desire": desire_id}
            yield Errand(handoff_id, "work_package_update", arguments, f"delivered:{handoff_id}", why)


def _handoff(agent: Agent, handoff_id: str) -> Handoff | None:
    return agent.business.workforce.handoffs.find(handoff_id) if agent.business_id else None


ALIKE = 0.5
"""The share of the words of a task and of a case's aim that both have, from which the case counts."""
NEW_WORK_HOURS = 8.0
"""The time that an agent allows for one call of an operation it has never made."""
UNPLANNED_HOURS = 480.0
"""The time that an agent allows for work without a known operation or plan."""
_UNPLANNED = 0.5
"""The remaining confidence of an agent in its skill without a plan."""
_SHOWN = 3
_DELIVERED = ("delivered", "complete")


def tender(agent: Agent, task: CallForProposals) -> Bid | str:
    """Return the agent's bid for a task, or why it makes none.

    Its confidence starts from the agent's ability, its maximum if skills are listed, and moves with the results of
    similar work. The price is the cost of similar work, else of the plan. The time is the duration of similar work,
    plus as much again for each current commitment of the agent.
    """
    capabilities, busy_with = agent.mind.capabilities, lately(agent.mind.plans, agent.clock(), agent.services.library)
    found = ability(agent, task.task_description, task.task_constraints, without=busy_with)
    able, load = found.level, sum(one.status not in OVER for one in agent.mind.intentions)
    if why_not := _unfit(agent, found, load):
        return why_not
    alike = _alike(agent, task)
    good = [case for _, case in alike if case.success]
    weight = sum(share for share, case in alike if case.outcome != "open")
    chance = (sum(share for share, case in alike if case.success) + 2 * able) / (weight + 2)
    sureness = _UNPLANNED if found.means == "skill" and not good else 1.0
    return Bid(
        agent_id=agent.id,
        approach=_approach(found, good),
        estimated_cost=round(_mean(good, "cost") or found.cost, 2),
        estimated_duration=round(max(1.0, _mean(good, "duration_days") * 24 or _hours(agent, found)) * (1 + load), 2),
        confidence=round((min(chance, able) if capabilities.skills else chance) * sureness, 4),
        rationale=_rationale(able, load, alike),
    )


def _unfit(agent: Agent, found: Ability, load: int) -> str:
    """Return why an agent cannot take a task on, or an empty text."""
    try:
        check_capability(agent, agent.services.tools.tool("contract_net_propose"))
    except Refused as refused:
        return refused.message
    if not found.means:
        return f"I cannot do this: {found.why_not}."
    most = agent.services.settings.cycle.max_active_goals
    return f"I have {load} open commitments, and more than {most} I cannot keep." if load >= most else ""


def _alike(agent: Agent, task: CallForProposals) -> list[tuple[float, Case]]:
    """Return the cases whose aim is worded like the task, and how alike they are, the most alike first."""
    wanted = _words(task.task_description)
    found = ((jaccard(wanted, _words(case.context)), case) for case in agent.cases.all())
    return sorted(((share, case) for share, case in found if share >= ALIKE), key=lambda one: (-one[0], one[1].id))


def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - STOPWORDS


def _mean(cases: Sequence[Case], figure: str) -> float:
    known = [value for case in cases if (value := number(str(case.results.get(figure, "")))) is not None]
    return sum(known) / len(known) if known else 0.0


def _hours(agent: Agent, found: Ability) -> float:
    """Return the time an agent allows for new work: until its plan's results show, if it has a plan."""
    if found.plan is not None:
        return shows_after(found.plan, agent.services.library) / timedelta(hours=1)
    return NEW_WORK_HOURS if found.reading is not None else UNPLANNED_HOURS


def _approach(found: Ability, good: Sequence[Case]) -> str:
    """Return how the agent would go about it: as it did before, else by the operation or plan, else without either."""
    if good:
        steps = [str(one.get("description") or one.get("tool")) for one in recorded_steps(good[0])]
        return f"{good[0].context}, as in {good[0].id}: {'; '.join(steps) or good[0].solution.get('name', 'done')}."
    if found.reading is not None:
        said = "; ".join(f"{one.name.replace('_', ' ')} {one.value}" for one in found.reading.slots)
        return (
            f"By {found.reading.operation.replace('_', ' ')}{f': {said}' if said else ''}. Done when it is on record."
        )
    if found.plan is not None:
        planned = "; ".join(step.description for step in found.plan.steps)
        shown = f" Done when a measurement says so: {found.target}." if found.target else ""
        return f"{found.plan.name.capitalize()}: {planned}.{shown}"
    return "I have no plan for it yet and make one when it is mine."


def _rationale(able: float, load: int, alike: Sequence[tuple[float, Case]]) -> str:
    ended = sum(case.success for _, case in alike)
    named = ", ".join(case.id for _, case in alike[:_SHOWN])
    past = f"{ended} of {len(alike)} alike cases ended well ({named})" if alike else "no alike case"
    return f"Proficiency {able:g}, {load} open commitments, {past}."


def asked_by_calls(agent: Agent, messages: Sequence[Message]) -> RuleRequests:
    """Return act's tasks about calls for proposals, and the desires for tasks that were won.

    A task that names an operation becomes a recorded order with its own acceptance check.
    """
    heard = [(one, task) for one in messages if (task := _task(agent, one)) is not None]
    bids = (_answer(agent, one, task) for one, task in heard if one.performative == "CFP")
    wishes = (_accept_award(agent, one, task) for one, task in heard if one.performative == "ACCEPT")
    errands = (*(one for one in bids if one), *_awards(agent), *_results(agent))
    return RuleRequests(errands, tuple(one for one in wishes if one))


def _task(agent: Agent, message: Message) -> CallForProposals | None:
    """Return the task a message is about, if it belongs to a call and breaks no rule of it."""
    watched = protocol_named(message.protocol) if message.protocol else None
    if watched is None or watched.name != PROTOCOL:
        return None
    found = agent.inbox.find(message.id)
    try:
        return None if found is None or found.flag else agent.services.contract_net.task(message.thread)
    except UnknownId:
        return None


def _answer(agent: Agent, call: Message, task: CallForProposals) -> Errand | None:
    """Return the bid or the refusal with which a call is answered, unless that was done."""
    own, why = agent.id, {"message": call.id}
    said = agent.services.mail.heard(task.initiator, task.id)
    if task.status != "open" or own not in task.candidates or any(one.sender == own for one in said):
        return None
    written = (one for one in task.proposals if one.agent_id == own)  # before a kill: it is said as it was written
    bid = next(written, None) or tender(agent, task)
    if isinstance(bid, str):
        refusal = {"to": task.initiator, "performative": "REFUSE", "content": bid, "reply_to": call.id}
        return Errand(task.id, "agent_message", refusal, f"refuse:{task.id}", why)
    terms = {
        "task_id": task.id,
        "approach": bid.approach,
        "estimated_cost": bid.estimated_cost,
        "estimated_duration": bid.estimated_duration,
        "confidence": bid.confidence,
        "rationale": bid.rationale,
    }
    return Errand(task.id, "contract_net_propose", terms, f"bid:{task.id}", why)


def _awards(agent: Agent) -> Iterator[Errand]:
    """Yield the award of every call of the agent's own that can get no further bid, or whose award was cut short."""
    services, now = agent.services, agent.now()
    for task in services.contract_net.list_unannounced_tasks(agent.id):
        if task.status != "open" or is_due(task, refusals(services, task), now):
            heard = agent.inbox.thread(task.id)
            why = {"message": heard[-1].id} if heard else {}
            yield Errand(task.id, "contract_net_award", {"task_id": task.id}, f"award:{task.id}", why)


def _accept_award(agent: Agent, award: Message, task: CallForProposals) -> Desire | None:
    """Take up a task that was won: return the desire to do it, or None if an order on record covers it."""
    if task.awarded_to != agent.id or agent.requests.find(_order_id(task.id)) is not None:
        return None
    found = ability(agent, task.task_description, task.task_constraints)
    if found.reading is None:
        return _wish(agent, award, task, target=found.target)
    now = agent.now()
    # Its message is no message, so that act says nothing: the protocol allows one word, which `_results` says.
    order = Request(
        id=_order_id(task.id),
        message_id=task.id,
        sender=task.initiator,
        act="order",
        sentence=task.task_description,
        operation=found.reading.operation,
        slots=found.reading.slots,
        created_at=now,
        updated_at=now,
    )
    agent.requests.save(order)
    return None


def _order_id(task_id: str) -> str:
    return f"REQ-{task_id}"


def _wish(agent: Agent, award: Message, task: CallForProposals, *, target: str = "") -> Desire | None:
    """Return the desire to do the won task, due when the bid has promised it; None if it exists already."""
    mind, desire_id = agent.mind, f"D-{task.id}"
    if any(one.id == desire_id for one in mind.desires):
        return None
    due = next((one.deadline for one in mind.commitments if one.about == task.id), "")
    said = replace(award, content=task.task_description, reply_by=due)
    made = wish(said, agent.now(), superior=mind.persona.reports_to, target=target)
    return replace(made, id=desire_id, name=title(task.task_description), reason=f"{WON}{award.id}")


@dataclass(frozen=True, slots=True)
class TaskEnd:
    """The end of a won task: its one report, the belief for its caller, and the reason."""

    performative: Performative
    content: str
    state: Literal["done", "carried out", "failed"]
    because: Mapping[str, str]


def _results(agent: Agent) -> Iterator[Errand]:
    """Yield the message, sent once, that a won task is done or was given up; the promise ends with it."""
    mind = agent.mind
    for promise in mind.commitments:
        won = _award_of(agent, promise.about)
        end = _end_of(agent, promise) if won and not is_done(agent, f"result:{promise.about}") else None
        if won is None or end is None:
            continue
        settle_commitments(mind, promise.about, "breached" if end.state == "failed" else "met")
        metadata = {"subject": promise.about, "predicate": "status", "value": end.state}
        arguments = {
            "to": won.sender,
            "performative": end.performative,
            "content": end.content,
            "reply_to": won.id,
            "metadata": {**metadata, "certainty": 1.0, "statement": end.content},
        }
        yield Errand(promise.about, "agent_message", arguments, f"result:{promise.about}", end.because)


def _end_of(agent: Agent, promise: Commitment) -> TaskEnd | None:
    """Return how the task of a promise ended, by its order or its desire; None while it is under way."""
    order = agent.requests.find(_order_id(promise.about))
    if order is not None:
        why = {"request": order.id}
        if order.status == "done":
            return TaskEnd("INFORM", f"Done: {promise.terms}. {order.replied}".strip(), "done", why)
        told = order.reason or order.replied or order.question
        is_over = order.status in ("refused", "failed", "withdrawn", "asking")
        return TaskEnd("FAILURE", f"I gave it up: {promise.terms}. {told}".strip(), "failed", why) if is_over else None
    desire = next((one for one in agent.mind.desires if one.id == f"D-{promise.about}"), None)
    if desire is None:
        return None
    why = {"desire": desire.id}
    if desire.status == "fulfilled":
        return TaskEnd("INFORM", f"Done: {promise.terms}.", "done", why)
    if desire.status == "dropped":
        return TaskEnd("FAILURE", f"I gave it up: {promise.terms}. {desire.reason}".strip(), "failed", why)
    goal = next((one for one in agent.mind.goals if one.desire_id == desire.id), None)
    return _find_task_end(agent, promise, desire, goal) if goal is not None else None


def _find_task_end(agent: Agent, promise: Commitment, desire: Desire, goal: Goal) -> TaskEnd | None:
    """Return the end of a task for which no plan fits, or whose plan is through while nothing can decide its goal."""
    mind, why = agent.mind, {"desire": desire.id}
    if goal.status in ("blocked", "abandoned"):
        reason = _no_plan(agent, desire) if goal.status == "blocked" else "its goal was given up"
        over = replace(goal, status="abandoned", updated=agent.now())
        mind.save(replace(desire, status="dropped", reason=reason), over, why=reason, cycle=agent.cycle)
        return TaskEnd("FAILURE", f"I gave it up: {promise.terms}. {reason}.", "failed", why)
    through = next((one for one in mind.plans if one.goal_id == goal.id and one.status == "completed"), None)
    if through is None or is_decidable(goal):
        return None  # a measurement settles it
    made = [step.result for step in through.steps if step.status == "done" and step.result]
    packages = [one for one in agent.business.workforce.packages.all() if one.id in made] if agent.business_id else []
    if any(one.status not in _DELIVERED for one in packages):
        return None  # who does the work says when it is delivered
    if packages:
        said = ", ".join(f"{one.title!r} is {one.status} ({one.id})" for one in packages)
        return TaskEnd("INFORM", f"Done: {promise.terms}. {said}.", "done", why)
    listed = f": {', '.join(made)}" if made else ""
    said = f"I have carried out the steps for {promise.terms!r}{listed}. {UNCHECKED}"
    return TaskEnd("INFORM", said, "carried out", why)


def _no_plan(agent: Agent, desire: Desire) -> str:
    """Return why there is no plan for a task that was won: the one that fits may be under way for something else."""
    fitting = ability(agent, desire.description).plan
    busy = [one for one in agent.mind.plans if fitting and one.template and one.template == fitting.template]
    if busy:
        return f"the plan that fits is under way already, for {busy[-1].goal_id} ({busy[-1].name}, {busy[-1].id})"
    return "none of my plans fits it now"


def _award_of(agent: Agent, task_id: str) -> Message | None:
    """Return the message by which the agent won a task."""
    heard = agent.inbox.thread(task_id) if task_id else ()
    return next((one for one in heard if one.performative == "ACCEPT" and one.protocol == PROTOCOL), None)
