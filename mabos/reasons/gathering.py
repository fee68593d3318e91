"""Every record of a workspace that can be a reason."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from mabos.reasons.record import Record, Records, texts

if TYPE_CHECKING:
    from society.metrics import Metrics
    from tools.agent import Agent
    from tools.services import Services
    from workspace.ledger import Entry

_EVERY = 1_000_000
_MADE = ("fact", "belief", "memory", "message")
"""What operations make and what does not say itself which one made it."""


def gathered(services: "Services") -> Records:
    """Return every decision, ledger entry, message, point of a series, and record of a mind, by id."""
    made = _what_made(services)
    return Records(
        replace(one, rests_on=(*one.rests_on, made[one.id])) if one.id in made and one.kind in _MADE else one
        for one in _every(services)
    )


def _every(services: "Services") -> Iterator[Record]:
    for agent_id in services.agents():
        agent = services.agent(agent_id)
        yield from _mind(agent)
        yield from _experience(agent)
    for agent_id in services.ledger.agents():
        yield from (_entry(entry) for entry in services.ledger.entries(agent_id))
    for business_id in services.businesses():
        business = services.business(business_id)
        yield from _points(business.metrics)
    yield from _decisions(services)


def _mind(agent: "Agent") -> Iterator[Record]:
    mind = agent.mind
    about = {belief.subject: belief.id for belief in mind.beliefs if belief.subject}

    def record(item: Any, kind: str, words: str, at: str, *rests_on: Any) -> Record:
        return Record(item.id, kind, agent.id, words, at, tuple(texts(rests_on)))

    def measured_by(condition: str) -> list[str]:
        return [about[word] for word in condition.replace("(", " ").split() if word in about]

    for belief in mind.beliefs:
        words = f"{belief.statement} (certainty {belief.certainty:.2f})"
        found = record(belief, "belief", words, belief.updated, belief.evidence, belief.source)
        yield replace(found, name=belief.subject if belief.status == "held" else "")
    for desire in mind.desires:
        because = (desire.serves, desire.reason, desire.deps, measured_by(desire.target))
        yield record(desire, "desire", _aimed(desire.name, desire.target), desire.created, *because)
    for goal in mind.goals:
        because_ = (goal.desire_id, goal.parent_goal_id, goal.evidence, measured_by(goal.target))
        yield record(goal, "goal", _aimed(goal.description, goal.target), goal.created, *because_)
    for intention in mind.intentions:
        words = f"{intention.description or 'to carry out ' + intention.plan_id}: {intention.status}"
        rests = (intention.goal_id, intention.plan_id, intention.decision_id, intention.evidence, intention.reason)
        yield record(intention, "intention", words, intention.started, *rests)
    for plan in mind.plans:
        yield record(plan, "plan", f"{plan.name} ({plan.source}, {plan.status})", plan.created, plan.goal_id)
    for learning in mind.learnings:
        yield record(learning, "lesson", learning.insight, learning.at, learning.context)


def _aimed(words: str, target: str) -> str:
    return f"{words} ({target})" if target and target not in words else words


def _experience(agent: "Agent") -> Iterator[Record]:
    for message in agent.inbox.messages():
        words = f"{message.performative} from {message.sender}: {message.content}"
        yield Record(message.id, "message", agent.id, words, message.timestamp, tuple(texts([message.reply_to])))
    for item in agent.memory.recent(_EVERY):
        rests = tuple(texts([item.evidence, item.derived_from, item.source]))
        yield Record(item.id, "memory", agent.id, item.content, item.created_at, rests)
    for case in agent.cases.all():
        words = f"{case.context or case.id}: {case.outcome}"
        rests = tuple(texts([case.beliefs, case.desires, case.solution]))
        yield Record(case.id, "case", agent.id, words, case.stored_at, rests)
    for fact in agent.facts.query():
        rests = tuple(texts([fact.derived_from, fact.rule_id, fact.source]))
        yield Record(fact.id, "fact", agent.id, f"{fact} (confidence {fact.confidence:.2f})", fact.created_at, rests)


def _entry(entry: "Entry") -> Record:
    kind = "action" if entry.kind == "call" else f"entry '{entry.kind}'"
    named = {name: value for name, value in entry.body.items() if name not in ("arguments", "result")}
    return Record(entry.id, kind, entry.agent, _told(entry), entry.at, tuple(texts(named)))


def _told(entry: "Entry") -> str:
    body = entry.body
    if "arguments" in body:
        arguments = ", ".join(f"{name}={value}" for name, value in (body.get("arguments") or {}).items())
        return f"{body['tool']}({arguments})"
    return ", ".join(
        f"{name}: {value if isinstance(value, str | int | float) else '…'}" for name, value in body.items()
    )


def _points(metrics: "Metrics") -> Iterator[Record]:
    for name in metrics.names():
        for point in metrics.series(name):
            words = f"{point.name} was {point.value:g} {point.unit}".rstrip()
            yield Record(point.id, "figure", "", words, point.at, tuple(texts([point.source])))


def _decisions(services: "Services") -> Iterator[Record]:
    asked = _what_asked(services)
    for business_id in services.businesses():
        for one in services.business(business_id).decisions.all():
            answer = f": {one.status} {one.resolved_at[:16]}".rstrip()
            rests = tuple(texts([asked.get(one.id, ()), one.description]))
            yield Record(one.id, "decision", one.from_agent, f"{one.subject}{answer}", one.created_at, rests)


def _what_asked(services: "Services") -> dict[str, list[str]]:
    """Return what each decision was asked for: the intention, plan and step its ledger entry names."""
    found: dict[str, list[str]] = {}
    entries: Iterable[Entry] = (one for agent in services.ledger.agents() for one in services.ledger.entries(agent))
    for entry in entries:
        if entry.kind == "awaiting" and entry.body.get("decision"):
            found.setdefault(str(entry.body["decision"]), []).extend(texts(entry.body.get("why", {})))
    return found


def _what_made(services: "Services") -> dict[str, str]:
    """Return the action that each id in the result of an action came from; the first one counts."""
    found: dict[str, str] = {}
    for agent_id in services.ledger.agents():
        for entry in services.ledger.entries(agent_id):
            if entry.kind in ("call", "outcome") and entry.body.get("ok"):
                for text in texts(entry.body.get("result", {})):
                    found.setdefault(text, str(entry.body.get("call", entry.id)))
    return found
