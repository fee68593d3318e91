"""Fair turns among several commitments: in proportion to priority, and nothing starves.

Stride scheduling (Waldspurger and Weihl 1995) on nothing but turns and priorities, so that it goes on after a restart
where it left off.

    chosen = whose_turn([Contender(0.8, turns=2, id="I-1"), Contender(0.4, turns=0, id="I-2")])
    chosen.id, chosen.turns    # ("I-2", 2)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

LEAST_WEIGHT = 0.05
"""What has no priority at all still gets this share beside others."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Contender:
    """A candidate for work: its weight, and the turns it has had; a candidate not yet begun has no id."""

    priority: float
    turns: int = 0
    started: str = ""
    id: str = ""

    @property
    def weight(self) -> float:
        """Its share relative to the others."""
        return max(self.priority, LEAST_WEIGHT)


def whose_turn(contenders: Sequence[Contender], *, among: Sequence[Contender] = ()) -> Contender:
    """Return the contender of `among` that goes now, with its turn counted: turns in proportion to weight.

    The one with the fewest turns for its weight goes; among equals one already begun, then the weightier. Among
    permanent contenders none is ever behind another by more than one turn of the other's. So a new or returning one is
    counted as if it had been there, and cannot claim the time it was away.
    """
    # Of two largest one is not the contender's own.
    leads = sorted(((one.turns - 1) / one.weight, one.id) for one in contenders)[-2:]

    def had(one: Contender) -> float:
        return max(one.turns / one.weight, *(lead for lead, owner in leads if owner != one.id), 0.0)

    chosen = min(among or contenders, key=lambda one: (had(one), not one.id, -one.priority, one.started, one.id))
    return replace(chosen, turns=ceil(had(chosen) * chosen.weight - _ROUNDING) + 1)
