"""Who wants to be told when something changes: subscriptions, read from the inbox and from what was told so far."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from mabos.mind.model import Belief
from mabos.nodes.cycle import Cycle
from mabos.nodes.perception.hearing import exchange_over, takes_back
from mabos.nodes.perception.knowing import known
from mabos.society.messages import Message
from mabos.society.protocols import PROTOCOLS
from mabos.society.protocols.tables import ASKED, NEW

_PROTOCOL = PROTOCOLS["subscribe"]


@dataclass(frozen=True, slots=True)
class Subscription:
    """One subscription as it stands: whether it was agreed to, how often news went out, and what holds now."""

    message: Message
    state: str
    told: int
    beliefs: tuple[Belief, ...]
    is_news: bool

    @property
    def is_new(self) -> bool:
        """Whether it is not answered yet."""
        return self.state == ASKED


def due(cycle: Cycle) -> list[str]:
    """Return the ids of the running subscriptions whose subject has changed since it was last told.

    Costs nothing without subscriptions, and little where neither mind nor facts nor inbox have changed.
    """
    agent = cycle.agent
    wanted = [one for one in agent.inbox.subscriptions() if one.read and not one.flag]
    if not wanted:
        return []
    if not cycle.has_changed("subscriptions", (agent.mind.seq, agent.facts.version, agent.inbox.store.seq)):
        return []
    running = (running_subscription(cycle, one) for one in wanted)
    return [one.message.id for one in running if one is not None and (one.is_news or one.is_new)]


def running_subscription(cycle: Cycle, message: Message) -> Subscription | None:
    """Return how a subscription stands, or None where it was refused, cancelled or never came about."""
    there = cycle.agent.inbox.thread(message.thread)
    cancels = [one for one in there if takes_back(one, message) and not one.flag]
    exchange, answers = exchange_over(cycle, message, cancels, _PROTOCOL)
    if exchange.cancels or exchange.is_over or exchange.state == NEW:
        return None
    news = [one for one in answers if one.performative == "INFORM" and one.reply_to == message.id]
    beliefs = known(cycle.agent, message)
    last = news[-1].metadata.get("beliefs", []) if news else []
    return Subscription(message, exchange.state, len(news), beliefs, _said(spelled(beliefs)) != _said(last))


def spelled(beliefs: Sequence[Belief]) -> list[dict[str, Any]]:
    """Return beliefs as the metadata of an INFORM spells them out."""
    return [
        {
            name: value
            for name in ("subject", "predicate", "value", "statement", "certainty", "category")
            if (value := getattr(belief, name))
        }
        for belief in beliefs
    ]


def _said(records: Any) -> set[tuple[Any, ...]]:
    """Return what records say, apart from how surely."""
    told = [one for one in records if isinstance(one, dict)] if isinstance(records, list) else []
    return {tuple(str(one.get(name, "")) for name in ("subject", "predicate", "value", "statement")) for one in told}
