"""The contract net as tools: call for proposals, bid, award (S3 section 9.3)."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from math import inf
from typing import Any

from mabos.configs.errors import InvalidArgument, Refused
from mabos.society import contract_net
from mabos.society.commitments import commit
from mabos.society.contract_net import DEFAULT_CRITERIA, Bid, CallForProposals, criteria
from mabos.society.messages import Message, Performative
from mabos.society.protocols import admit
from mabos.tools.catalogue.declaration import Fraction, Money, OwnId, Text, Tool
from mabos.tools.people.ability import ability
from mabos.tools.runtime.for_business import knows, reachable
from mabos.tools.runtime.services import Agent, Services
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.currencies import money
from mabos.workspace.records import as_json

MODULE = "Communication"
PROTOCOL = "contract-net"
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*(h|hours?|d|days?|w|weeks?)?\s*", re.IGNORECASE)
_HOURS = {"": 1, "h": 1, "d": 24, "w": 168}
_LONGEST_DAYS = 36_500


def contract_net_initiate(
    agent: Agent,
    *,
    task_description: Text,
    initiator: str = "",  # noqa: ARG001  # the agent acts as it before this is called
    task_id: OwnId = "",
    candidates: list[str] | None = None,
    evaluation_criteria: dict[str, Any] | list[str] | None = None,
    deadline: str = "",
    task_constraints: list[str] | None = None,
) -> dict[str, Any]:
    """Call for proposals: every candidate gets the task in its inbox and may bid.

    Args:
        task_description: What needs to be done.
        initiator: Who calls and will award; the calling agent if left out.
        task_id: An id of your own; made if left out.
        candidates: The agents asked; all colleagues if left out.
        evaluation_criteria: Weights of cost, duration, confidence and approach, or just the names that count.
        deadline: When proposals are due, ISO 8601.
        task_constraints: What every proposal must respect.
    """
    asked = _candidates(agent, candidates)
    task = agent.services.contract_net.start(
        CallForProposals(
            id=task_id or agent.ids.new("CFP"),
            task_description=task_description,
            initiator=agent.id,
            candidates=asked,
            evaluation_criteria=_criteria(evaluation_criteria),
            deadline=iso(parse_time(deadline, argument="deadline")) if deadline else "",
            task_constraints=tuple(task_constraints or ()),
            created_at=iso(agent.clock()),
        )
    )
    for candidate in task.candidates:
        said = _build_message(
            task, agent.id, candidate, "CFP", f"Call for proposals: {_describe_task(task)}", at=task.created_at
        )
        agent.services.mail.deliver(replace(said, reply_by=task.deadline))
    return {"task_id": task.id, "cfp_id": task.id, **as_json(task)}


def _candidates(agent: Agent, named: list[str] | None) -> tuple[str, ...]:
    if named is None:
        colleagues = agent.business.manifest.agents.values() if agent.business_id else agent.services.agents()
        asked = [one for one in colleagues if one != agent.id and knows(agent, one)]
    else:
        asked = list(dict.fromkeys(named))
        for candidate in asked:
            reachable(agent, candidate, "candidates")
    if not asked:
        raise InvalidArgument("no agent can be asked; name 'candidates'", argument="candidates")
    return tuple(asked)


def _criteria(given: Mapping[str, Any] | Sequence[str] | None) -> dict[str, float]:
    if given is None:
        return dict(DEFAULT_CRITERIA)
    return criteria(given if isinstance(given, Mapping) else dict.fromkeys(given, 1.0))


def contract_net_propose(
    agent: Agent,
    *,
    task_id: Text,
    approach: Text,
    estimated_cost: Money,
    estimated_duration: float | str,
    confidence: Fraction,
    rationale: str = "",
) -> dict[str, Any]:
    """Bid for a task, once and by its deadline.

    An agent bids only for what an operation it may use, a plan of its role or a skill that it lists can do, and is no
    surer than that allows.

    Args:
        task_id: The task that was offered.
        approach: How the agent would do it.
        estimated_cost: Dollars.
        estimated_duration: Hours, or a text like 3 days.
        confidence: The probability of success, 0 to 1.
        rationale: Why this agent.
    """
    net, now = agent.services.contract_net, iso(agent.clock())
    task = net.task(task_id)
    confidence = _as_able(agent, task, confidence)
    bid = Bid(agent.id, approach, estimated_cost, hours(estimated_duration), confidence, rationale)
    terms = f"{approach} For {money(estimated_cost)}, {bid.estimated_duration:g} hours, confidence {confidence:.2f}."
    said = _build_message(task, agent.id, task.initiator, "PROPOSE", terms, at=now)
    contract_net.add_bid(task, bid, now)
    _admissible(agent.services, said)  # what cannot be said is not written either
    task = net.change(task_id, lambda task: contract_net.add_bid(task, bid, now))
    agent.services.mail.deliver(said)
    return {"task_id": task.id, "agent_id": agent.id, "submitted_at": now, "proposals": len(task.proposals)}


def _as_able(agent: Agent, task: CallForProposals, confidence: float) -> float:
    """Return the confidence that an agent's ability allows; raises `Refused` where it can do nothing about the task.

    A person bids as they see fit, and so does an agent that lists no skills.
    """
    if agent.caller.kind == "person" or not agent.mind.capabilities.skills:
        return confidence
    able = ability(agent, task.task_description, task.task_constraints)
    if not able.means:
        message = f"{agent.id!r} cannot do {task.task_description!r}: {able.why_not}; decline it"
        raise Refused(message, argument="task_id")
    return min(confidence, able.level)


def hours(duration: float | str) -> float:
    """Return a duration in hours: a number is hours, a text may name hours, days or weeks."""
    if isinstance(duration, str):
        found = _DURATION.fullmatch(duration)
        counted = float(found[1]) * _HOURS[(found[2] or "")[:1].lower()] if found is not None else inf
    else:
        counted = duration
    if not 0 <= counted < inf:  # a number without end has no place in any ranking, nor in a file
        message = f"'estimated_duration' must be hours, or a text like '3 days', got {duration!r:.60}"
        raise InvalidArgument(message, argument="estimated_duration")
    return counted


def contract_net_award(
    agent: Agent,
    *,
    task_id: Text,
    initiator: str = "",  # noqa: ARG001  # the agent acts as it before this is called
) -> dict[str, Any]:
    """Award a task to the best bid and tell every bidder; ties go to the more confident.

    Where nobody has bid and nobody can any more, the call has failed. What was cut short is told to the end.

    Args:
        task_id: The task.
        initiator: Who called for proposals; the calling agent if left out.
    """
    services, now = agent.services, iso(agent.clock())

    def award(task: CallForProposals) -> CallForProposals:
        own = task.status != "open" and task.initiator == agent.id
        if own and (not task.announced_at or (agent.key and task.awarded_at == now)):
            return task
        return contract_net.award_task(task, agent.id, now, refusals(services, task))

    task = services.contract_net.change(task_id, award)
    if task.status == "awarded":
        _take_their_word(agent, task, task.proposals[0])
        for bid in task.proposals:
            services.mail.deliver(_verdict(task, bid))
    task = services.contract_net.change(task_id, lambda task: replace(task, announced_at=task.announced_at or now))
    ranking = [{"agent_id": bid.agent_id, "score": bid.score, "confidence": bid.confidence} for bid in task.proposals]
    return {
        "task_id": task.id,
        "awarded_to": task.awarded_to,
        "winner": task.awarded_to,
        "score": task.proposals[0].score if task.proposals else 0.0,
        "status": task.status,
        "ranking": ranking,
    }


def refusals(services: Services, task: CallForProposals) -> frozenset[str]:
    """Return the candidates who have declined to bid."""
    heard = services.mail.heard(task.initiator, task.id)
    return frozenset(one.sender for one in heard if one.performative == "REFUSE" and not one.flag)


def _verdict(task: CallForProposals, bid: Bid) -> Message:
    won = bid.agent_id == task.awarded_to
    said = f"You are to do it: {_describe_task(task)}" if won else f"{task.awarded_to} will do: {task.task_description}"
    performative: Performative = "ACCEPT" if won else "REJECT"
    told = f"{said} (score {bid.score:.3f})"
    return _build_message(task, task.initiator, bid.agent_id, performative, told, at=task.awarded_at)


def _describe_task(task: CallForProposals) -> str:
    """Return the task in words, with the constraints on every proposal."""
    return " ".join((task.task_description, *(f"[{one}]" for one in task.task_constraints)))


def _admissible(services: Services, message: Message) -> None:
    """Raise `Refused` where a message may not be said now, unless it was said already."""
    said = services.mail.heard(message.to, message.thread)
    if all(one.id != message.id for one in said):
        admit(message, said, services.mail.heard(message.sender, message.thread))


def _take_their_word(agent: Agent, task: CallForProposals, winner: Bid) -> None:
    """Write the winner's promise into its Commitments.md: the task, in the time that its bid states."""
    days = winner.estimated_duration / 24
    due = iso(parse_time(task.awarded_at) + timedelta(days=days)) if days < _LONGEST_DAYS else ""
    broken = "The task goes to somebody else, and trust falls"
    commit(
        agent.mind_of(winner.agent_id),
        task.initiator,
        task.task_description,
        due=due,
        about=task.id,
        consequences=broken,
    )


def _build_message(
    task: CallForProposals, sender: str, to: str, performative: Performative, content: str, *, at: str
) -> Message:
    """Return a message of a call; its id follows from its content, so that it is read once, however often it is
    sent.
    """
    party = to if sender == task.initiator else sender
    return Message(
        f"MSG-{task.id}-{performative}-{party}", sender, to, performative, content, at,
        conversation_id=task.id, protocol=PROTOCOL, metadata={"task_id": task.id},
    )  # fmt: skip


TOOLS: list[Tool] = [
    Tool.of(contract_net_initiate, module=MODULE, writes=True, category="communication", acts_as="initiator"),
    Tool.of(contract_net_propose, module=MODULE, writes=True, category="communication"),
    Tool.of(contract_net_award, module=MODULE, writes=True, category="communication", acts_as="initiator"),
]
