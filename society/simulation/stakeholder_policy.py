"""The owner of a simulated company as a script: its answers to pending decisions, and their times. Pure functions."""

import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from mabos.configs.errors import InvalidArgument

_UNDER = re.compile(r"approve-under-(\d+)(x-burn)?")


@dataclass(frozen=True, slots=True)
class OwnerQuestion:
    """A question to the owner: the action's cost in dollars, and the start of the wait."""

    decision_id: str
    cost: float
    created_at: datetime
    recommendation: str = ""


@dataclass(frozen=True, slots=True)
class OwnerSituation:
    """The owner's knowledge: the moment, dollars in the bank, and the net burn of a week."""

    now: datetime
    cash: float
    weekly_burn: float


@dataclass(frozen=True, slots=True)
class OwnerAnswer:
    """A resolution and the reason given, as `decision_resolve` takes them."""

    decision_id: str
    resolution: Literal["approve", "reject"]
    feedback: str
    chosen_option: str = ""


def answer(asked: OwnerQuestion, policy: str, situation: OwnerSituation, *, latency_weeks: int) -> OwnerAnswer | None:
    """Return the owner's answer, or `None` until the owner answers.

    Policies: `approve-all`, `reject-all`, `approve-under-5000` (dollars), `approve-under-3x-burn` (so many weeks of net
    burn, or a tenth of the cash for a company that burns nothing). No policy approves a cost above the bank balance.
    Raises `InvalidArgument` for any other policy.
    """
    limit, said = _limit(policy, situation)
    if situation.now - asked.created_at < timedelta(weeks=latency_weeks):
        return None
    if asked.cost > situation.cash > 0 or situation.cash <= 0 < asked.cost:
        return _reject_question(
            asked, f"${asked.cost:,.0f} is more than the ${max(0, situation.cash):,.0f} in the bank"
        )
    if asked.cost <= limit:
        return OwnerAnswer(asked.decision_id, "approve", f"within {said}", asked.recommendation)
    return _reject_question(asked, f"${asked.cost:,.0f} is above {said}")


def _reject_question(asked: OwnerQuestion, why: str) -> OwnerAnswer:
    return OwnerAnswer(asked.decision_id, "reject", why)


def _limit(policy: str, situation: OwnerSituation) -> tuple[float, str]:
    if policy == "approve-all":
        return float("inf"), "what the owner allows: everything"
    if policy == "reject-all":
        return -1.0, "what the owner allows: nothing"
    found = _UNDER.fullmatch(policy)
    if found is None:
        message = (
            f"{policy!r} is not a stakeholder policy; expected approve-all, reject-all, approve-under-5000 or "
            "approve-under-3x-burn"
        )
        raise InvalidArgument(message, argument="policy")
    number = int(found[1])
    if not found[2]:
        return float(number), f"the owner's limit of ${number:,}"
    limit = number * situation.weekly_burn if situation.weekly_burn > 0 else situation.cash / 10
    return limit, f"the owner's limit of {number} weeks of burn (${limit:,.0f})"
