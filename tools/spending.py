"""What agents have spent lately, read from the ledger: splitting a cost changes nothing in the approval table."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock
from typing import Any

from workspace.clock import iso


@dataclass(slots=True)
class _Account:
    seen: int = 0
    # entry id -> (at, category, counterparty, dollars); a call that failed is taken out again
    spent: dict[str, tuple[str, str, str, float]] = field(default_factory=dict)


class Spending:
    """Sums what an agent's ledger says it spent; remembers how far it has read."""

    def __init__(self, entries: Callable[[str, int], Iterable[Any]]) -> None:
        self._entries = entries
        self._accounts: dict[str, _Account] = {}
        self._lock = Lock()

    def within(self, agent_id: str, category: str, counterparty: str, now: datetime, hours: float) -> float:
        """Return the dollars an agent spent in `category` on `counterparty` within the last `hours`."""
        since = iso(now - timedelta(hours=hours))
        with self._lock:
            account = self._read(agent_id)
            return sum(
                dollars
                for at, what, whom, dollars in account.spent.values()
                if at > since and what == category and whom == counterparty
            )

    def _read(self, agent_id: str) -> _Account:
        account = self._accounts.setdefault(agent_id, _Account())
        for entry in self._entries(agent_id, account.seen):
            account.seen = entry.seq
            body = entry.body
            if entry.kind == "call" and body.get("cost") and body.get("ok") is not False:
                spent = (
                    entry.at,
                    str(body.get("category", "")),
                    str(body.get("counterparty", "")),
                    float(body["cost"]),
                )
                # Cut short after its entry and run again, a call is two entries and one expense.
                account.spent[str(body.get("key") or entry.id)] = spent
            elif entry.kind == "outcome" and not body.get("ok"):
                account.spent.pop(str(body.get("call", "")), None)
        return account
