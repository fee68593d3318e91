"""When a person must decide, read off the five rules of the approval table and nothing else.

The tests compare the product with this reading (S3 sections 10.1 and 10.4). It therefore shares no code with the
product, and counts in whole cents, so that an edge such as 20 % of the threshold is exact.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta


@dataclass(frozen=True, slots=True)
class Payment:
    """Cents that somebody paid before."""

    agent: str
    category: str
    counterparty: str
    cents: int
    at: datetime


@dataclass(frozen=True, slots=True)
class Question:
    """One action, and all that the table looks at to answer whether a person decides on it."""

    agent: str
    category: str
    counterparty: str
    cents: int
    reversible: bool
    strategic: bool
    external: bool
    confidence: float
    autonomy: str
    threshold: int
    style: str
    risk: str
    auto_approved: tuple[str, ...]
    cash: int | None
    burn: int | None
    now: datetime
    payments: tuple[Payment, ...]


def person_decides(asked: Question) -> bool:
    """Return whether a person decides: by rule 1, or by any of 3 to 5 where rule 2 does not apply."""
    cost = summed(asked)
    if cost > asked.threshold:
        return True
    if approved_beforehand(asked, cost):
        return False
    return autonomy_asks(asked, cost) or style_asks(asked) or risk_asks(asked, cost)


def summed(asked: Question) -> int:
    """Return the cents of this action and of its like in the 24 hours before; what is free is no part of a sum."""
    if asked.cents == 0:
        return 0
    alike = [paid for paid in asked.payments if asked.now - paid.at < timedelta(hours=24) and like(paid, asked)]
    return asked.cents + sum(paid.cents for paid in alike)


def like(paid: Payment, asked: Question) -> bool:
    """Return whether one agent paid one counterparty for one kind of thing, however the names are spelled."""
    return (
        paid.agent == asked.agent
        and plain(paid.category) == plain(asked.category)
        and plain(paid.counterparty) == plain(asked.counterparty)
    )


def plain(name: str) -> str:
    """Return a name without what its spelling may vary in: case, spaces, hyphens and underscores."""
    return re.sub("[ _-]", "", name.lower())


def approved_beforehand(asked: Question, cost: int) -> bool:
    """Rule 2: an entry names the category, and the cost is under the entry's cap where it has one."""
    for entry in asked.auto_approved:
        capped = re.fullmatch("(.+)[ _-]under[ _-]([0-9]+)", entry.lower())
        if capped is None:
            if plain(asked.category) == plain(entry):
                return True
        elif plain(asked.category) in (plain(capped[1]), plain(entry)) and cost < int(capped[2]) * 100:
            return True
    return False


def autonomy_asks(asked: Question, cost: int) -> bool:
    """Rule 3: none asks, full does not, limited asks about the irreversible and over 20 % of the threshold."""
    if asked.autonomy == "limited":
        return not (asked.reversible and cost * 100 <= asked.threshold * 20)
    return asked.autonomy == "none"


def style_asks(asked: Question) -> bool:
    """Rule 4: what the owner wants to see at all."""
    if asked.style == "strategic-only":
        return asked.strategic
    if asked.style == "exception-based":
        return asked.cents != 0
    return asked.cents != 0 or not asked.reversible or asked.external


def risk_asks(asked: Question, cost: int) -> bool:
    """Rule 5: how unsure the agent, or how endangered the business, may be before the owner is asked."""
    if asked.risk == "conservative":
        return asked.confidence < 0.8
    if asked.risk == "moderate":
        return asked.confidence < 0.5 and (not asked.reversible or cost * 2 > asked.threshold)
    if asked.cents == 0 or asked.cash is None:
        return False
    return cost * 4 > asked.cash or (asked.burn is not None and asked.cash - cost < asked.burn * 3)
