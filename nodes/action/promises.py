"""Answer requesters: agreed, refused, already served, done, or failed; each answer is sent once.

A REQUEST is answered by the Request protocol (FIPA SC00026H), even if it names none: AGREE when a plan is adopted or
REFUSE when none fits, and later INFORM when it is done or FAILURE.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from mabos.mind.conditions import is_comparison, subjects
from mabos.mind.goals import is_decidable
from mabos.mind.intentions import OVER
from mabos.mind.model import Goal, Intention
from mabos.nodes.action.replies import MessageReply, from_colleagues, send, status
from mabos.nodes.choices import BLOCKED
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.hearing import exchange_over, takes_back
from mabos.nodes.perception.messages import UNCHECKED, requested_in
from mabos.society.messages import Message, Performative
from mabos.society.protocols import PROTOCOLS, Exchange
from mabos.tools.runtime.services import Agent

REASONS = 2
"""The number of examined plans that a refusal names."""
_PROTOCOL = PROTOCOLS["request"]


def agree(cycle: Cycle, goal_id: str) -> list[str]:
    """Tell the requesters of a goal that it is adopted; return the requests answered."""
    goal = cycle.agent.mind.goal(goal_id)
    said = f"I take it up: {goal.description} ({goal.id})."
    return [one.id for one in _requests(cycle.agent, goal) if _answer(cycle, one, "AGREE", said)]


def confirm(cycle: Cycle, served: Mapping[str, str]) -> list[str]:
    """Answer requests that existing items serve or rule out; return the ids of the answered ones."""
    mind = cycle.agent.mind
    standing: dict[str, tuple[str, str]] = {one.id: (one.name, one.status) for one in mind.desires}
    standing |= {one.id: (one.description, one.status) for one in mind.goals}
    denials = {one.id: one for one in mind.beliefs if one.id in served.values()}
    told = []
    for request in from_colleagues(cycle.agent, served):
        if against := denials.get(served[request.id]):
            no = f"What you ask for cannot be had, as I believe: {against.statement} ({against.id})."
            reply = MessageReply("REFUSE", no, f"deny:{request.id}", status(request, "refused"))
            told += [request.id] if send(cycle, request, reply) else []
            continue
        what, state = standing.get(served[request.id], (served[request.id], "known"))
        if state == "blocked":
            no = f"I have no plan yet for {what!r} ({served[request.id]}), which you asked for before."
            reply = MessageReply("REFUSE", no, f"blocked:{request.id}", status(request, "refused"))
            told += [request.id] if send(cycle, request, reply) else []
            continue
        said = f"What you ask for is served already, by {what!r} ({served[request.id]}, {state})."
        over = state in ("achieved", "fulfilled")
        performative: Performative = ("INFORM" if over else "AGREE") if request.protocol else "CONFIRM"
        reply = MessageReply(performative, said, f"confirm:{request.id}", status(request, "done") if over else {})
        told += [request.id] if send(cycle, request, reply) else []
    return told


def refuse(cycle: Cycle, goal_ids: Collection[str]) -> list[str]:
    """Refuse the requests of goals without a plan; return the ids of the answered ones."""
    told = list[str]()
    for goal in (cycle.agent.mind.goal(goal_id) for goal_id in goal_ids):
        said = (
            f"{_explain_missing_plan(goal, cycle.no_plan.get(goal.id, ()))} I look at it again in {BLOCKED.days} days."
        )
        ended = [one for one in cycle.agent.mind.intentions if one.goal_id == goal.id and one.status in OVER]
        for request in _requests(cycle.agent, goal):
            if _exchange(cycle.agent, request).state == "asked":
                told += [request.id] if _answer(cycle, request, "REFUSE", said) else []
            elif ended:
                told += [request.id] if _outcome(cycle, request, goal, ended[-1]) else []
    return told


def _explain_missing_plan(goal: Goal, why_not: Sequence[str]) -> str:
    """Return the message that a goal has no plan, with the obstacles of the plans considered."""
    named = [one.partition(":") for one in why_not[:REASONS]]
    because = "; ".join(name.replace("_", " ") + colon + rest for name, colon, rest in named)
    return f"I have no plan now for {goal.description!r} ({goal.id}): {because or 'no case and no template fits'}."


def report(cycle: Cycle, over: Iterable[Intention]) -> list[str]:
    """Report to requesters that their request is done or has failed; return the reported ones."""
    ended = {one.goal_id: one for one in over}
    told = list[str]()
    for goal in cycle.agent.mind.goals:
        if goal.request_id:
            continue  # act has answered from its records
        settled = goal.status in ("achieved", "abandoned") and goal.updated >= cycle.started
        if goal.id in ended or settled:
            told += [one.id for one in _requests(cycle.agent, goal) if _outcome(cycle, one, goal, ended.get(goal.id))]
    return told


def _outcome(cycle: Cycle, request: Message, goal: Goal, intention: Intention | None) -> bool:
    """Return whether the requester was informed of the outcome now; a goal may outlast a finished plan."""
    what = f"{goal.description!r} ({goal.id})"
    if goal.status == "achieved":
        return _answer(cycle, request, "INFORM", " ".join([f"Done: {what}.", *_measures(cycle.agent, goal)]))
    if intention is not None and intention.status == "completed":
        if is_decidable(goal):
            return False  # a measurement settles it
        return _answer(cycle, request, "INFORM", f"I have carried out the steps for {what}. {UNCHECKED}", "carried out")
    why = intention.reason if intention is not None else "the goal was given up"
    return _answer(cycle, request, "FAILURE", f"I have failed in {what}: {why or 'no reason is known'}.")


def _measures(agent: Agent, goal: Goal) -> Iterator[str]:
    """Yield the figures by which a goal is judged: current values and targets."""
    for criterion in dict.fromkeys(filter(is_comparison, (goal.target, *goal.success_criteria))):
        held = [one for name in subjects(criterion) if (one := agent.mind.index.about(name)) is not None]
        shown = ", ".join(f"{one.subject} is {one.value}" for one in held if one.value)
        if shown:
            yield f"{shown}; wanted: {criterion}."


def _requests(agent: Agent, goal: Goal) -> list[Message]:
    named = map(agent.inbox.find, (requested_in(goal.desire_id), *goal.evidence))
    return from_colleagues(agent, [one.id for one in named if one is not None and one.performative == "REQUEST"])


def _exchange(agent: Agent, request: Message) -> Exchange:
    """Return the state of a request, ignoring other messages of its conversation."""
    cancels = [one for one in agent.inbox.thread(request.thread) if takes_back(one, request)]
    return exchange_over(agent, request, cancels, _PROTOCOL)[0]


def _answer(cycle: Cycle, request: Message, performative: Performative, said: str, state: str = "done") -> bool:
    """Send an answer and return whether it was sent; one the protocol forbids now, as a second one, is not tried."""
    exchange = _exchange(cycle.agent, request)
    mine = request.reply("", performative, said, at=cycle.now())
    if exchange.fault(replace(mine, protocol="", id=f"{request.id}-{performative}")) is not None:
        return False
    about = status(request, state) if performative == "INFORM" else {}
    return send(cycle, request, MessageReply(performative, said, f"{performative.lower()}:{request.id}", about))
