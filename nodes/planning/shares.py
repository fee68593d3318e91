"""What falls to a desire of a resource that it shares with others, and plans that would take more (S3 6.3)."""

from mabos.knowledge.values import number
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Desire, Plan
from mabos.mind.plans import remaining_cost
from mabos.mind.rivalry import resolve_conflicts


def beyond_share(plan: Plan, desire_id: str, desires: tuple[Desire, ...], lookup: BeliefIndex) -> str:
    """Return in words that a plan costs more than its desire's share of what is known to be there; else nothing."""
    cost = remaining_cost(plan)
    if not cost or not desire_id:
        return ""
    for found in resolve_conflicts(desires, lookup):
        share, there = found.shares.get(desire_id), number(lookup(found.over) or "")
        if share is not None and there is not None and cost > share * there:
            others = ", ".join(one for one in found.order if one != desire_id)
            return f"costs {cost:,.0f}, more than {share:.0%} of {found.over} ({there:,.0f}), shared with {others}"
    return ""
