"""What agents have spent lately: what their ledgers say, and what has begun and has no known end yet."""

from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from society.governance import Expense
from tools.agent import Agent
from workspace.clock import parse_time
from workspace.locks import file_lock


@dataclass(slots=True)
class _Account:
    seen: int = 0
    # effect key or entry id -> what was spent; a call that failed is taken out again
    spent: dict[str, Expense] = field(default_factory=dict)


class Spending:
    """Reads what an agent's ledger says it spent; remembers how far it has read."""

    def __init__(self, entries: Callable[[str, int], Iterable[Any]]) -> None:
        self._entries = entries
        self._accounts: dict[str, _Account] = {}
        self._lock = Lock()

    def of(self, agent: Agent) -> list[Expense]:
        """Return what an agent has spent and is spending, each expense once.

        A call that was cut short counts, however long ago, until it is known how it ended: its money may be gone, or
        go at any moment.
        """
        now = agent.clock()
        begun = {
            effect.id: Expense(agent.id, now, effect.category, effect.counterparty, effect.cost)
            for effect in agent.services.effects(agent.id).unsettled()
            if effect.cost
        }
        with self._lock:
            return list((begun | self._read(agent.id).spent).values())

    def _read(self, agent_id: str) -> _Account:
        account = self._accounts.setdefault(agent_id, _Account())
        for entry in self._entries(agent_id, account.seen):
            account.seen = entry.seq
            body = entry.body
            if entry.kind == "call" and body.get("cost") and body.get("ok") is not False:
                what, whom = str(body.get("category", "")), str(body.get("counterparty", ""))
                spent = Expense(agent_id, parse_time(entry.at), what, whom, float(body["cost"]))
                # Cut short after its entry and run again, a call is two entries and one expense.
                account.spent[str(body.get("key") or entry.id)] = spent
            elif entry.kind == "outcome" and not body.get("ok"):
                account.spent.pop(str(body.get("call", "")), None)
        return account


def one_at_a_time(agent: Agent, cost: float) -> AbstractContextManager[None]:
    """Return a lock under which an agent's spending is looked up and added to, in any process; free calls need none.

    Without it two parts of one amount could both be found small enough.
    """
    if not cost:
        return nullcontext()
    return file_lock(agent.services.layout.internal / "locks" / f"spending-{agent.id}.lock")
