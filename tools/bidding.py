"""The contract net as tools: call for proposals, bid, award (S3 section 9.3)."""

import re
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from configs.errors import InvalidArgument, Refused
from mind.proficiency import COMPETENT, proficiency
from society import contract_net
from society.commitments import commit
from society.contract_net import DEFAULT_CRITERIA, Bid, Task, criteria
from society.messages import Performative, message
from tools.agent import Agent
from tools.declaration import Fraction, Money, OwnId, Text, Tool
from tools.for_business import knows, reachable
from workspace.clock import iso, parse_time

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
        Task(
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
        _tell(agent, task, candidate, "CFP", f"Call for proposals: {task.task_description}", reply_by=task.deadline)
    return {"task_id": task.id, "cfp_id": task.id, **task.as_json()}


def _candidates(agent: Agent, named: list[str] | None) -> tuple[str, ...]:
    if named is None:
        colleagues = agent.business.manifest.agents.values() if agent.business_id else agent.services.agents()
        asked = [one for one in colleagues if one != agent.id and knows(agent, one)]
    else:
        asked = list(dict.fromkeys(named))
        for candidate in asked:
            reachable(agent, candidate, "candidates")
    if not asked:
        raise InvalidArgument("there is nobody to ask; name 'candidates'", argument="candidates")
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
    """Bid for a task; a new bid replaces the agent's earlier one.

    An agent bids only for what its Capabilities.md shows it competent in, and is no surer than that allows.

    Args:
        task_id: The task that was offered.
        approach: How the agent would do it.
        estimated_cost: Dollars.
        estimated_duration: Hours, or a text like 3 days.
        confidence: The probability of success, 0 to 1.
        rationale: Why this agent.
    """
    confidence = _as_able(agent, agent.services.contract_net.task(task_id), confidence)
    bid = Bid(agent.id, approach, estimated_cost, hours(estimated_duration), confidence, rationale)
    now = iso(agent.clock())
    task = agent.services.contract_net.change(task_id, lambda task: contract_net.proposed(task, bid, now))
    said = f"{approach} For ${estimated_cost:,.2f}, {bid.estimated_duration:g} hours, confidence {confidence:.2f}."
    _tell(agent, task, task.initiator, "PROPOSE", said)
    return {"task_id": task.id, "agent_id": agent.id, "submitted_at": now, "proposals": len(task.proposals)}


def _as_able(agent: Agent, task: Task, confidence: float) -> float:
    """Return the confidence that an agent's proficiency allows; raises `Refused` where it is not competent.

    A person bids as they see fit, and so does an agent that lists no skills.
    """
    if agent.caller.kind == "person" or not (capabilities := agent.mind.capabilities).skills:
        return confidence
    able = proficiency(capabilities, (task.task_description, *task.task_constraints))
    if able < COMPETENT:
        message = f"{agent.id!r} is not competent in {task.task_description!r}, as its Capabilities.md says; decline it"
        raise Refused(message, argument="task_id")
    return min(confidence, able)


def hours(duration: float | str) -> float:
    """Return a duration in hours: a number is hours, a text may name hours, days or weeks."""
    found = _DURATION.fullmatch(str(duration))
    if found is None:
        message = f"'estimated_duration' must be hours, or a text like '3 days', got {duration!r}"
        raise InvalidArgument(message, argument="estimated_duration")
    return float(found[1]) * _HOURS[(found[2] or "")[:1].lower()]


def contract_net_award(
    agent: Agent,
    *,
    task_id: Text,
    initiator: str = "",  # noqa: ARG001  # the agent acts as it before this is called
) -> dict[str, Any]:
    """Award a task to the best bid and tell every bidder; ties go to the more confident.

    Args:
        task_id: The task.
        initiator: Who called for proposals; the calling agent if left out.
    """
    now = iso(agent.clock())

    def award(task: Task) -> Task:
        # The same call, run again after it was cut short, goes on to tell the bidders.
        again = agent.key and task.awarded_at == now and task.initiator == agent.id
        return task if again else contract_net.awarded(task, agent.id, now)

    task = agent.services.contract_net.change(task_id, award)
    winner = task.proposals[0]
    _take_their_word(agent, task, winner)
    for bid in task.proposals:
        won = bid.agent_id == winner.agent_id
        said = (
            f"You are to do it: {task.task_description}"
            if won
            else f"{winner.agent_id} will do: {task.task_description}"
        )
        _tell(agent, task, bid.agent_id, "ACCEPT" if won else "REJECT", f"{said} (score {bid.score:.3f})")
    ranking = [{"agent_id": bid.agent_id, "score": bid.score, "confidence": bid.confidence} for bid in task.proposals]
    return {
        "task_id": task.id,
        "awarded_to": winner.agent_id,
        "winner": winner.agent_id,
        "score": winner.score,
        "status": task.status,
        "ranking": ranking,
    }


def _take_their_word(agent: Agent, task: Task, winner: Bid) -> None:
    """Write what the winner has promised into its Commitments.md: the task, in the time that its bid states."""
    days = winner.estimated_duration / 24
    due = iso(parse_time(task.awarded_at) + timedelta(days=days)) if days < _LONGEST_DAYS else ""
    mind = agent.services.agent(winner.agent_id, clock=agent.clock, ids=agent.ids).mind
    broken = "The task goes to somebody else, and trust falls"
    commit(mind, task.initiator, task.task_description, due=due, about=task.id, consequences=broken)


def _tell(agent: Agent, task: Task, to: str, performative: Performative, content: str, *, reply_by: str = "") -> None:
    agent.services.deliver(
        message(
            agent.id,
            to,
            performative,
            content,
            ids=agent.ids,
            clock=agent.clock,
            conversation_id=task.id,
            protocol=PROTOCOL,
            reply_by=reply_by,
            metadata={"task_id": task.id},
        )
    )


TOOLS = [
    Tool.of(contract_net_initiate, module=MODULE, writes=True, category="communication", acts_as="initiator"),
    Tool.of(contract_net_propose, module=MODULE, writes=True, category="communication"),
    Tool.of(contract_net_award, module=MODULE, writes=True, category="communication", acts_as="initiator"),
]
