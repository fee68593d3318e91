"""Work that is handed to an agent: its answer to an offer, and its word that what it took over is done (S3 11.4)."""

from collections.abc import Iterator, Sequence

from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.perception.messages import requested_in
from mabos.society.messages import Message
from mabos.society.workforce import Handoff
from mabos.tools.people.handoffs import handoff_of, unfit


def handed_over(cycle: Cycle, messages: Sequence[Message]) -> tuple[Errand, ...]:
    """Return what act is to say about work packages: yes or no to what is offered, and what is delivered."""
    return (*_answers(cycle, messages), *_deliveries(cycle))


def _answers(cycle: Cycle, messages: Sequence[Message]) -> Iterator[Errand]:
    agent = cycle.agent
    for message in messages:
        handoff_id = str(message.metadata.get("handoff_id", ""))
        offer = _handoff(cycle, handoff_id) if message.performative == "PROPOSE" and handoff_id else None
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


def _deliveries(cycle: Cycle) -> Iterator[Errand]:
    """Yield the delivery of every package whose desire is fulfilled and that is still said to be worked on."""
    agent = cycle.agent
    done = (one.id for one in agent.mind.desires if one.status == "fulfilled")
    for desire_id, handoff_id in ((one, handoff_of(requested_in(one))) for one in done):
        offer = _handoff(cycle, handoff_id) if handoff_id else None
        package = None if offer is None else agent.business.workforce.packages.find(offer.work_package_id)
        if package is not None and (package.status, package.assigned_to) == ("in_progress", agent.id):
            arguments = {"package_id": package.id, "status": "delivered"}
            why = {"desire": desire_id}
            yield Errand(handoff_id, "work_package_update", arguments, f"delivered:{handoff_id}", why)


def _handoff(cycle: Cycle, handoff_id: str) -> Handoff | None:
    return cycle.agent.business.workforce.handoffs.find(handoff_id) if cycle.agent.business_id else None
