"""An agent's facts with its rules behind them: what was derived and kept follows every change, whoever makes it."""

from collections.abc import Callable
from typing import TypeVar

from mabos.knowledge.drafts import FactDraft
from mabos.knowledge.facts import Facts, Retraction
from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.rules import Rules
from mabos.workspace.clock import Clock
from mabos.workspace.ids import Ids
from mabos.workspace.store import Store

Result = TypeVar("Result")


class FollowedFacts(Facts):
    """Facts of which nothing on record can outlive what it was derived from; cheap to make, as `Facts` are."""

    def __init__(
        self, agent_id: str, store: Store, clock: Clock, ids: Ids, rules: Rules, *, max_derived: int = 50_000
    ) -> None:
        super().__init__(agent_id, store, clock, ids)
        self.inference = Inference(self, rules, max_derived=max_derived)

    def change(self, decide: Callable[[FactDraft], Result]) -> Result:
        """Make what someone says a transaction, and in the same one what follows of it for derived facts."""
        return self.inference.keeping(decide)

    def retract(self, fact_id: str = "", subject: str = "", predicate: str = "", object: str = "") -> Retraction:  # noqa: A002  # as in `Facts`
        """Take facts out, and what no longer follows; what follows otherwise is kept. Raises `UnknownId`."""
        return self.inference.retract(fact_id, subject, predicate, object)
