"""Fair scheduling of commitments: turns in proportion to priority, without starvation.

Stride scheduling (Waldspurger and Weihl 1995) computed from turns and priorities alone, so that it continues seamlessly
after a restart.

    chosen = whose_turn([Contender(0.8, turns=2, id="I-1"), Contender(0.4, turns=0, id="I-2")])
    chosen.id, chosen.turns    # ("I-2", 2)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

LEAST_WEIGHT = 0.05
"""The minimum share of a turn without any priority."""
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Contender:
    """A candidate for work: its weight and its past turns; a candidate not yet started has no id."""

    priority: float
    turns: int = 0
    started: str = ""
    id: str = ""

    @property
    def weight(self) -> float:
        """Its weight relative to the others."""
        return max(self.priority, LEAST_WEIGHT)


def whose_turn(contenders: Sequence[Contender], *, among: Sequence[Contender] = ()) -> Contender:
    """Return the next contender of `among`, with its turn counted: turns are in proportion to weight.

    The one with the fewest turns for its weight is next; ties go to one already started, then to the heavier. No
    permanent contender is ever behind another by more than one turn of the other's. A new or returning one starts at
    the current virtual time, so it cannot claim the time it was away.
    """
    # Of two largest one is not the contender's own.
    leads = sorted(((one.turns - 1) / one.weight, one.id) for one in contenders)[-2:]

    def had(one: Contender) -> float:
        return max(one.turns / one.weight, *(lead for lead, owner in leads if owner != one.id), 0.0)

    chosen = min(among or contenders, key=lambda one: (had(one), not one.id, -one.priority, one.started, one.id))
    return replace(chosen, turns=ceil(had(chosen) * chosen.weight - _ROUNDING) + 1)
