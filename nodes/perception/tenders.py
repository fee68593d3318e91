"""What a contract net asks of an agent: to bid or refuse, to award, to do what it won, and to say how that ended."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mabos.configs.errors import UnknownId
from mabos.mind.model import Desire
from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.perception.messages import title, wish
from mabos.nodes.perception.news import Asked, is_done
from mabos.society.commitments import settled
from mabos.society.contract_net import CallForProposals, is_due
from mabos.society.messages import Message
from mabos.society.protocols import protocol_named
from mabos.tools.people.bidding import PROTOCOL, refusals
from mabos.tools.people.tenders import tender


def asked_by_calls(cycle: Cycle, messages: Sequence[Message]) -> Asked:
    """Return what act is to do about calls for proposals, and the desires for the tasks that were won."""
    heard = [(one, task) for one in messages if (task := _task(cycle, one)) is not None]
    bids = (_answer(cycle, one, task) for one, task in heard if one.performative == "CFP")
    wishes = (_wish(cycle, one, task) for one, task in heard if one.performative == "ACCEPT")
    errands = (*(one for one in bids if one), *_awards(cycle), *_results(cycle))
    return Asked(errands, tuple(one for one in wishes if one))


def _task(cycle: Cycle, message: Message) -> CallForProposals | None:
    """Return the task a message is about, if it belongs to a call and breaks no rule of it."""
    watched = protocol_named(message.protocol) if message.protocol else None
    if watched is None or watched.name != PROTOCOL:
        return None
    found = cycle.agent.inbox.find(message.id)
    try:
        return None if found is None or found.flag else cycle.services.contract_net.task(message.thread)
    except UnknownId:
        return None


def _answer(cycle: Cycle, call: Message, task: CallForProposals) -> Errand | None:
    """Return the bid or the refusal with which a call is answered, unless that was done."""
    own, why = cycle.agent.id, {"message": call.id}
    said = cycle.services.mail.heard(task.initiator, task.id)
    if task.status != "open" or own not in task.candidates or any(one.sender == own for one in said):
        return None
    written = (one for one in task.proposals if one.agent_id == own)  # before a kill: it is said as it was written
    bid = next(written, None) or tender(cycle.agent, task)
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


def _awards(cycle: Cycle) -> Iterator[Errand]:
    """Yield the award of every call of the agent's own that can get no further bid, or whose award was cut short."""
    services, now = cycle.services, cycle.now()
    for task in services.contract_net.unfinished(cycle.agent.id):
        if task.status != "open" or is_due(task, refusals(services, task), now):
            heard = cycle.agent.inbox.thread(task.id)
            why = {"message": heard[-1].id} if heard else {}
            yield Errand(task.id, "contract_net_award", {"task_id": task.id}, f"award:{task.id}", why)


def _wish(cycle: Cycle, award: Message, task: CallForProposals) -> Desire | None:
    """Return the desire to do what was won, due when the bid has promised it; None where it stands already."""
    mind, desire_id = cycle.agent.mind, f"D-{task.id}"
    if task.awarded_to != cycle.agent.id or any(one.id == desire_id for one in mind.desires):
        return None
    due = next((one.deadline for one in mind.commitments if one.about == task.id), "")
    said = replace(award, content=task.task_description, reply_by=due)
    made = wish(said, cycle.now(), superior=mind.persona.reports_to)
    return replace(made, id=desire_id, name=title(task.task_description), reason=f"won by bid: {award.id}")


def _results(cycle: Cycle) -> Iterator[Errand]:
    """Yield the word, said once, that what was won is done or was given up; the promise ends with it."""
    mind = cycle.agent.mind
    if not mind.commitments:
        return
    ended = {one.id: one for one in mind.desires if one.status in ("fulfilled", "dropped")}
    for promise in mind.commitments:
        desire = ended.get(f"D-{promise.about}")
        won = _award_of(cycle, promise.about) if desire and not is_done(cycle, f"result:{promise.about}") else None
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


def _award_of(cycle: Cycle, task_id: str) -> Message | None:
    """Return the message by which the agent won a task."""
    heard = cycle.agent.inbox.thread(task_id)
    return next((one for one in heard if one.performative == "ACCEPT" and one.protocol == PROTOCOL), None)
