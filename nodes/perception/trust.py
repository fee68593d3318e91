"""How far an agent takes another at its word: what it believes of that one's trust, else whose agent that one is."""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from mabos.knowledge.values import number
from mabos.knowledge.wording import name_key
from mabos.mind.beliefs import structured
from mabos.mind.lookup import BeliefIndex, names_of
from mabos.mind.model import Belief

STRANGER = 0.7
"""What is left of the certainty of somebody of another business, of whom nothing is believed."""

TRUST = "trust"
_HEARD = "message from "


@dataclass(frozen=True, slots=True)
class Trust:
    """The share of a sender's own certainty that is taken over, and the belief that says so, if one does."""

    share: float = 1.0
    evidence: tuple[str, ...] = ()


def trust_in(sender: str, beliefs: BeliefIndex, is_stranger: Callable[[str], bool]) -> Trust:
    """Return how far `sender` is trusted.

    The belief `<sender> trust` says it where there is one: whoever may change beliefs changes it (`belief_update`, or
    Beliefs.md by hand), and `mabos why` names it beside what was believed by it. What was told in a message never
    counts: nobody vouches for himself. Else a person and a colleague are taken at their word.
    """
    held = beliefs.belief(sender, TRUST)
    share = number(held.value) if held is not None and not held.source.startswith(_HEARD) else None
    if held is not None and share is not None:
        return Trust(min(1.0, max(0.0, share)), (held.id,))
    return Trust(STRANGER) if is_stranger(sender) else Trust()


def vouches(belief: Belief, names: Callable[[], Collection[str]]) -> bool:
    """Return whether a belief would say how far one of `names` is trusted."""
    meant = [name.removesuffix(f"_{TRUST}") for name in names_of(structured(belief)) if name.endswith(f"_{TRUST}")]
    return bool(meant) and not {name_key(name) for name in names()}.isdisjoint(meant)
