"""Work that others offer an agent: packages handed to it, and calls for proposals (S3 9.3 and 11.4)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mabos.configs.errors import Refused, UnknownId
from mabos.knowledge.case_records import Case
from mabos.knowledge.values import number
from mabos.memory.consolidation import jaccard
from mabos.mind.intentions import OVER
from mabos.mind.model import Desire
from mabos.mind.proficiency import COMPETENT, proficiency
from mabos.nodes.cycle import Errand
from mabos.nodes.perception.messages import requested_in, title, wish
from mabos.nodes.perception.news import RuleRequests, is_done
from mabos.society.commitments import settled
from mabos.society.contract_net import Bid, CallForProposals, is_due
from mabos.society.messages import Message
from mabos.society.protocols import protocol_named
from mabos.society.workforce import Handoff
from mabos.tools.gate.identity import allowed
from mabos.tools.people.bidding import PROTOCOL, refusals
from mabos.tools.people.handoffs import handoff_of, unfit
from mabos.tools.plans.case_steps import recorded_steps
from mabos.tools.plans.search import templates_for
from mabos.tools.plans.sources import role_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, terms


def handed_over(agent: Agent, messages: Sequence[Message]) -> tuple[Errand, ...]:
    """Return what act is to say about work packages: yes or no to what is offered, and what is delivered."""
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
    """Yield the delivery of every package whose desire is fulfilled and that is still said to be worked on."""
    done = (one.id for one in agent.mind.desires if one.status == "fulfilled")
    for desire_id, handoff_id in ((one, handoff_of(requested_in(one))) for one in done):
        offer = _handoff(agent, handoff_id) if handoff_id else None
        package = None if offer is None else agent.business.workforce.packages.find(offer.work_package_id)
        if package is not None and (package.status, package.assigned_to) == ("in_progress", agent.id):
            arguments = {"package_id": package.id, "status": "delivered"}
            why = {"desire": desire_id}
            yield Errand(handoff_id, "work_package_update", arguments, f"delivered:{handoff_id}", why)


def _handoff(agent: Agent, handoff_id: str) -> Handoff | None:
    return agent.business.workforce.handoffs.find(handoff_id) if agent.business_id else None


ALIKE = 0.5
"""The share of the words of a task and of a case's aim that both have, from which the case counts."""
NEW_WORK_HOURS = 8.0
"""What an agent allows for work of a kind it has never finished."""
_SHOWN = 3


def tender(agent: Agent, task: CallForProposals) -> Bid | str:
    """Return the agent's bid for a task, or why it makes none.

    Its confidence begins at its proficiency, which no bid exceeds where skills are listed, and moves with how alike
    work ended. Money is what alike work cost, nothing where there was none; time is what that took, and as much again
    for each commitment that the agent is busy with.
    """
    capabilities, wanted = agent.mind.capabilities, (task.task_description, *task.task_constraints)
    able, load = proficiency(capabilities, wanted), sum(one.status not in OVER for one in agent.mind.intentions)
    if why_not := _unfit(agent, able, load):
        return why_not
    alike = _alike(agent, task)
    good = [case for _, case in alike if case.success]
    weight = sum(share for share, case in alike if case.outcome != "open")
    chance = (sum(share for share, case in alike if case.success) + 2 * able) / (weight + 2)
    return Bid(
        agent_id=agent.id,
        approach=_approach(agent, task, good),
        estimated_cost=round(_mean(good, "cost"), 2),
        estimated_duration=round(max(1.0, _mean(good, "duration_days") * 24 or NEW_WORK_HOURS) * (1 + load), 2),
        confidence=round(min(chance, able) if capabilities.skills else chance, 4),
        rationale=_rationale(able, load, alike),
    )


def _unfit(agent: Agent, able: float, load: int) -> str:
    """Return why an agent cannot take a task on, or an empty text."""
    try:
        allowed(agent, agent.services.tools.tool("contract_net_propose"))
    except Refused as refused:
        return refused.message
    if able < COMPETENT:
        return "I am not competent in this, as my Capabilities.md says."
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


def _approach(agent: Agent, task: CallForProposals, good: Sequence[Case]) -> str:
    """Return how the agent would go about it: as it did before, else by the template that fits, else without either."""
    if good:
        steps = [str(one.get("description") or one.get("tool")) for one in recorded_steps(good[0])]
        return f"{good[0].context}, as in {good[0].id}: {'; '.join(steps) or good[0].solution.get('name', 'done')}."
    found = templates_for(agent, task.task_description, role=role_of(agent), limit=1).matches
    if found:
        template = found[0].template
        return f"{template.summary} {'; '.join(step.description for step in template.steps)}."
    return "I have no plan for it yet and make one when it is mine."


def _rationale(able: float, load: int, alike: Sequence[tuple[float, Case]]) -> str:
    ended = sum(case.success for _, case in alike)
    named = ", ".join(case.id for _, case in alike[:_SHOWN])
    past = f"{ended} of {len(alike)} alike cases ended well ({named})" if alike else "no alike case"
    return f"Proficiency {able:g}, {load} open commitments, {past}."


def asked_by_calls(agent: Agent, messages: Sequence[Message]) -> RuleRequests:
    """Return what act is to do about calls for proposals, and the desires for the tasks that were won."""
    heard = [(one, task) for one in messages if (task := _task(agent, one)) is not None]
    bids = (_answer(agent, one, task) for one, task in heard if one.performative == "CFP")
    wishes = (_wish(agent, one, task) for one, task in heard if one.performative == "ACCEPT")
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
    for task in services.contract_net.unfinished(agent.id):
        if task.status != "open" or is_due(task, refusals(services, task), now):
            heard = agent.inbox.thread(task.id)
            why = {"message": heard[-1].id} if heard else {}
            yield Errand(task.id, "contract_net_award", {"task_id": task.id}, f"award:{task.id}", why)


def _wish(agent: Agent, award: Message, task: CallForProposals) -> Desire | None:
    """Return the desire to do what was won, due when the bid has promised it; None where it stands already."""
    mind, desire_id = agent.mind, f"D-{task.id}"
    if task.awarded_to != agent.id or any(one.id == desire_id for one in mind.desires):
        return None
    due = next((one.deadline for one in mind.commitments if one.about == task.id), "")
    said = replace(award, content=task.task_description, reply_by=due)
    made = wish(said, agent.now(), superior=mind.persona.reports_to)
    return replace(made, id=desire_id, name=title(task.task_description), reason=f"won by bid: {award.id}")


def _results(agent: Agent) -> Iterator[Errand]:
    """Yield the word, said once, that what was won is done or was given up; the promise ends with it."""
    mind = agent.mind
    if not mind.commitments:
        return
    ended = {one.id: one for one in mind.desires if one.status in ("fulfilled", "dropped")}
    for promise in mind.commitments:
        desire = ended.get(f"D-{promise.about}")
        won = _award_of(agent, promise.about) if desire and not is_done(agent, f"result:{promise.about}") else None
        if desire is None or won is None:
            continue
        is_kept = desire.status == "fulfilled"
        settled(mind, promise.about, "met" if is_kept else "breached")
        told = f"Done: {promise.terms}." if is_kept else f"I gave it up: {promise.terms}. {desire.reason}".strip()
        status = {"subject": promise.about, "predicate": "status", "value": "done" if is_kept else "failed"}
        arguments = {
            "to": won.sender,
            "performative": "INFORM" if is_kept else "FAILURE",
            "content": told,
            "reply_to": won.id,
            "metadata": {**status, "certainty": 1.0, "statement": told},
        }
        yield Errand(promise.about, "agent_message", arguments, f"result:{promise.about}", {"desire": desire.id})


def _award_of(agent: Agent, task_id: str) -> Message | None:
    """Return the message by which the agent won a task."""
    heard = agent.inbox.thread(task_id)
    return next((one for one in heard if one.performative == "ACCEPT" and one.protocol == PROTOCOL), None)
