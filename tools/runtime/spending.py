"""What agents have spent lately: what their ledgers say, and what has begun and has no known end yet."""

from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from threading import Lock

from mabos.society.expenses import Expense, Expenses, purpose
from mabos.tools.runtime.agent import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.ledger import Entry
from mabos.workspace.ledger_reader import LedgerReader
from mabos.workspace.locks import file_lock
from mabos.workspace.names import Layout


@dataclass(frozen=True, slots=True)
class _Account:
    """What an agent's ledger says it spent later than `after`, as far as `reader` has come.

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


def _expense(entry: Entry) -> Expense:
    what, whom = str(entry.body.get("category", "")), str(entry.body.get("counterparty", ""))
    return Expense(parse_time(entry.at), what, whom, float(entry.body["cost"]))


class Spending:
    """Knows what agents spent lately; goes on reading a ledger where it left it."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._lock = Lock()

    def before(self, agent: Agent, category: str, counterparty: str, *, hours: float) -> float:
        """Return the dollars an agent spent, and is spending, on a category and counterparty in the last `hours`.

        A call that was cut short counts, however long ago, until it is known how it ended: its money may be gone, or
        go at any moment.
        """
        now = agent.clock()
        after = now - timedelta(hours=hours)
        # Before the ledger is read: a call that ends is written there first.
        begun = [one for one in agent.services.effects(agent.id).unsettled() if one.cost]
        with self._lock:
            expenses = self._account(agent, after, timedelta(hours=hours)).follow()
            spent = expenses.spent(category, counterparty, after)
            open_ones = [one for one in begun if one.id not in expenses]
        wanted = purpose(category, counterparty)
        return spent + sum(one.cost for one in open_ones if purpose(one.category, one.counterparty) == wanted)

    def _account(self, agent: Agent, after: datetime, window: timedelta) -> _Account:
        """Return the account of an agent, which is begun anew for a time that lies before it."""
        account = self._accounts.get(agent.id)
        if account is None or after < account.after:
            since = after - window  # entries stand nearly in order of time: whoever wrote one may have been held up
            reader = LedgerReader(agent.services.layout.ledger(agent.id), after=iso(since))
            account = self._accounts[agent.id] = _Account(reader, since)
        return account


def one_at_a_time(agent: Agent, cost: float) -> AbstractContextManager[None]:
    """Return a lock under which an agent's spending is looked up and added to, in any process; free calls need none.

    Without it two parts of one amount could both be found small enough.
    """
    if not cost:
        return nullcontext()
    return file_lock(_lock_of(agent.services.layout, agent.id))


@lru_cache(maxsize=256)
def _lock_of(layout: Layout, agent_id: str) -> Path:
    return layout.internal / "locks" / f"spending-{agent_id}.lock"
