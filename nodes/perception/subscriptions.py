"""Subscriptions to changes, tracked from the inbox and the notifications sent so far."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from mabos.knowledge.model import Fact
from mabos.mind.beliefs import claim, content
from mabos.mind.grounds import belief_of, names
from mabos.mind.model import Belief
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.hearing import exchange_over, takes_back
from mabos.nodes.perception.messages import answer
from mabos.society.messages import Message
from mabos.society.protocols import PROTOCOLS
from mabos.society.protocols.tables import ASKED, NEW
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.text import STOPWORDS, terms

_PROTOCOL = PROTOCOLS["subscribe"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """The state of a subscription: whether accepted, the number of updates sent, and the current beliefs."""

    message: Message
    state: str
    told: int
    beliefs: tuple[Belief, ...]
    is_news: bool

    @property
    def is_new(self) -> bool:
        """Return whether it is still unanswered."""
        return self.state == ASKED


def due(cycle: Cycle) -> list[str]:
    """Return the ids of the active subscriptions whose subject has changed since the last update.

    Costs nothing without subscriptions, and little if mind, facts and inbox are unchanged.
    """
    agent = cycle.agent
    wanted = [one for one in agent.inbox.subscriptions() if one.read and not one.flag]
    if not wanted:
        return []
    if not cycle.has_changed("subscriptions", (agent.mind.seq, agent.facts.version, agent.inbox.store.seq)):
        return []
    running = (running_subscription(cycle.agent, one) for one in wanted)
    return [one.message.id for one in running if one is not None and (one.is_news or one.is_new)]


def running_subscription(agent: Agent, message: Message) -> Subscription | None:
    """Return the state of a subscription, or None if it was refused, cancelled or never existed."""
    there = agent.inbox.thread(message.thread)
    cancels = [one for one in there if takes_back(one, message) and not one.flag]
    exchange, answers = exchange_over(agent, message, cancels, _PROTOCOL)
    if exchange.cancels or exchange.is_over or exchange.state == NEW:
        return None
    news = [one for one in answers if one.performative == "INFORM" and one.reply_to == message.id]
    beliefs = find_answers(agent, message)
    last = news[-1].metadata.get("beliefs", []) if news else []
    return Subscription(
        message,
        exchange.state,
        len(news),
        beliefs,
        _normalize_records(serialize_beliefs(beliefs)) != _normalize_records(last),
    )


def serialize_beliefs(beliefs: Sequence[Belief]) -> list[dict[str, Any]]:
    """Return beliefs in the form of an INFORM's metadata."""
    return [
        {
            name: value
            for name in ("subject", "predicate", "value", "statement", "certainty", "category")
            if (value := getattr(belief, name))
        }
        for belief in beliefs
    ]


def _normalize_records(records: Any) -> set[tuple[Any, ...]]:
    """Return the content of records, ignoring certainty."""
    told = [one for one in records if isinstance(one, dict)] if isinstance(records, list) else []
    return {tuple(str(one.get(name, "")) for name in ("subject", "predicate", "value", "statement")) for one in told}


_WORDS, _LONGEST = 40, 3  # how much of a question is looked up among the facts, and the most words of one name


def find_answers(agent: Agent, question: Message, *, limit: int = 5) -> tuple[Belief, ...]:
    """Return the answers to a question, beliefs before facts; a believed fact appears once."""
    held = answer(question, agent.mind.beliefs, limit=limit)
    said = {(claim(one), content(one)) for one in held}
    facts = (_as_belief(fact, agent) for fact in _facts(agent, question))
    fresh = (one for one in facts if (claim(one), content(one)) not in said)
    return (*held, *islice(fresh, limit - len(held)))


def _facts(agent: Agent, question: Message) -> Iterator[Fact]:
    """Yield the facts about a question: by subject and predicate of its metadata, else by its words."""
    facts = agent.facts.lookup()
    subject, predicate = (str(question.metadata.get(name, "")) for name in ("subject", "predicate"))
    if subject or predicate:
        yield from sorted(facts(subject, predicate, ""), key=_surest)
        return
    told = set[str]()
    for name in _names(question.content):
        for fact in sorted([*facts(name, "", ""), *facts("", name, "")], key=_surest):
            if fact.id not in told:
                told.add(fact.id)
                yield fact


def _names(text: str) -> Iterator[str]:
    """Yield the possible names in a text, longest first: its words, and neighbours joined as names are written."""
    words = terms(text)[:_WORDS]
    for length in range(_LONGEST, 0, -1):
        for start in range(len(words) - length + 1):
            part = words[start : start + length]
            if not STOPWORDS.issuperset(part):
                yield from dict.fromkeys(joint.join(part) for joint in "_ -")


def _surest(fact: Fact) -> tuple[float, str]:
    return -fact.confidence, fact.id


def _as_belief(fact: Fact, agent: Agent) -> Belief:
    return belief_of(fact, names(fact.subject, fact.predicate, ()), iso(agent.clock()))
