"""Recent spending of agents: from their ledgers, and from calls without a known outcome."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from threading import Lock

from mabos.society.expenses import Expense, Expenses, purpose
from mabos.tools.runtime.effects import Effects
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.ledger import LedgerEntry
from mabos.workspace.ledger_reader import LedgerReader
from mabos.workspace.locks import file_lock
from mabos.workspace.names import Layout


@dataclass(frozen=True, slots=True)
class _Account:
    """An agent's spending from its ledger later than `after`, as far as `reader` has come.

    The id of an expense is the effect key of its call, or that of its ledger entry.
    """

    reader: LedgerReader
    after: datetime
    expenses: Expenses = field(default_factory=Expenses)

    def follow(self) -> Expenses:
        """Return the expenses as the ledger has them now; a call that failed is taken out again."""
        for entry in self.reader.news():
            if entry.kind == "call" and entry.body.get("cost") and entry.body.get("ok") is not False:
                # Cut short after its entry and run again, a call is two entries and one expense.
                self.expenses.put(str(entry.body.get("key") or entry.id), _expense(entry))
            elif entry.kind == "outcome" and not entry.body.get("ok"):
                self.expenses.drop(str(entry.body.get("call", "")))
        return self.expenses


def _expense(entry: LedgerEntry) -> Expense:
    what, whom = str(entry.body.get("category", "")), str(entry.body.get("counterparty", ""))
    return Expense(parse_time(entry.at), what, whom, float(entry.body["cost"]))


class Spending:
    """A tracker of recent spending, which continues reading each ledger where it stopped."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._accounts: dict[str, _Account] = {}
        self._lock = Lock()

    def before(
        self, agent_id: str, now: datetime, effects: Effects, category: str, counterparty: str, *, hours: float
    ) -> float:
        """Return an agent's past and pending dollars for a category and counterparty in the last `hours`.

        An interrupted call counts, however old, until its outcome is known: its money may be spent, or still be spent.
        """
        after = now - timedelta(hours=hours)
        # Before the ledger is read: a call that ends is written there first.
        begun = [effect for effect in effects.list_unsettled() if effect.cost]
        with self._lock:
            expenses = self._account(agent_id, after, timedelta(hours=hours)).follow()
            spent = expenses.spent(category, counterparty, after)
            open_ones = [one for one in begun if one.id not in expenses]
        wanted = purpose(category, counterparty)
        return spent + sum(one.cost for one in open_ones if purpose(one.category, one.counterparty) == wanted)

    def total(self, agent_id: str, now: datetime, effects: Effects, *, hours: float) -> float:
        """Return an agent's past and pending dollars in the last `hours`."""
        after = now - timedelta(hours=hours)
        begun = [effect for effect in effects.list_unsettled() if effect.cost]
        with self._lock:
            expenses = self._account(agent_id, after, timedelta(hours=hours)).follow()
            return expenses.total(after) + sum(one.cost for one in begun if one.id not in expenses)

    def _account(self, agent_id: str, after: datetime, window: timedelta) -> _Account:
        """Return the account of an agent, which is started over for an earlier time."""
        account = self._accounts.get(agent_id)
        if account is None or after < account.after:
            since = after - window  # entries stand nearly in order of time: whoever wrote one may have been held up
            reader = LedgerReader(self._layout.ledger(agent_id), after=iso(since))
            account = self._accounts[agent_id] = _Account(reader, since)
        return account


def one_at_a_time(layout: Layout, spender: str, cost: float) -> AbstractContextManager[None]:
    """Return a lock for checking and adding spending, across processes; free calls need none.

    `spender` is the business, whose agents' sums are counted together, or an agent without one.

    Without it two parts of one amount could both pass as small enough.
    """
    if not cost:
        return nullcontext()
    return file_lock(_lock_of(layout, spender))


@lru_cache(maxsize=256)
def _lock_of(layout: Layout, spender: str) -> Path:
    return layout.internal / "locks" / f"spending-{spender}.lock"
