"""The budgets for an agent's calls, and notices to the owner when one of them is exhausted."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial

from mabos.backends.metering import Allowance, BudgetExhausted, Meter, MeteredCall, Spent, within
from mabos.configs.errors import UnknownId
from mabos.society.decisions import Decision
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.runtime.budgets import GoalMeter, day_question, spent_by
from mabos.tools.runtime.directory import CompanyDirectory
from mabos.tools.runtime.mailroom import Mailroom
from mabos.workspace.clock import Clock, iso
from mabos.workspace.ledger import Ledger
from mabos.workspace.ledger_index import LedgerIndex

_MOST_ENTRIES = 100_000


@dataclass(frozen=True, slots=True)
class Allowances:
    """The budgets of a workspace: `run` for this process, a daily one per agent, and optional ones for goals."""

    run: Meter
    clock: Clock
    ledger: Ledger
    ledger_index: Callable[[], LedgerIndex]
    directory: CompanyDirectory
    mail: Mailroom

    def of(self, agent_id: str, intention_id: str = "", goal_id: str = "") -> tuple[Allowance, ...]:
        """Return the budgets for an agent's calls: this run, its day, and its goal; the stakeholder has none."""
        if agent_id == STAKEHOLDER:
            return ()
        stores = self.directory.stores_of(agent_id)
        try:
            limits = dict(stores.mind.goal(goal_id).budget) if goal_id and intention_id else {}
        except UnknownId:
            limits = {}
        binding: tuple[Allowance, ...] = (self.run, stores.day)
        return (
            (*binding, GoalMeter.of(limits, partial(self._sum_spending, agent_id, intention_id))) if limits else binding
        )

    def used(self, agent_id: str, intention_id: str) -> dict[str, float]:
        """Return an intention's usage so far: `usd`, `calls` that changed something, and model `tokens`."""
        spent = self._sum_spending(agent_id, intention_id)
        return {"usd": spent.action_usd, "calls": spent.deeds, "tokens": spent.model_tokens}

    def _sum_spending(self, agent_id: str, intention_id: str) -> Spent:
        kinds = ["call", "outcome", "model"]
        found = self.ledger_index().entries(agents=[agent_id], kinds=kinds, task=intention_id, limit=_MOST_ENTRIES)
        return spent_by(found)

    @contextmanager
    def charge_agent(self, agent_id: str, *, cycle: str = "", **said: str) -> Iterator[None]:
        """Charge model costs inside the block to an agent's run and day, and record their calls in its ledger.

        `said` is part of each entry. An exhausted budget is reported as usual; callers that do not need a model
        continue.
        """

        def record(made: MeteredCall) -> None:
            self.ledger.append(agent_id, "model", made.entry | said, at=iso(self.clock()), cycle=cycle)

        def report_exhaustion(error: BudgetExhausted) -> None:
            self.tell(agent_id, error, cycle=cycle)

        with within(*self.of(agent_id), report=record, refusal=report_exhaustion, whose=agent_id):
            yield

    def tell(self, agent_id: str, error: BudgetExhausted, *, cycle: str = "") -> None:
        """Record an exhausted budget in the ledger, and notify the owner once a day per budget.

        The owner is asked for the same amount again for the day; if approved, the agent continues.
        """
        now = iso(self.clock())
        body = {"scope": error.scope, "what": error.what, "most": error.most, "message": error.message}
        self.ledger.append(agent_id, "budget", body, at=now, cycle=cycle)
        if error.scope == "day":
            self._ask(agent_id, error, now, cycle)
        whose = "run" if error.scope == "run" else agent_id
        message_id = f"MSG-budget-{whose}-{error.scope}-{error.what}-{now[:10]}"
        if self.mail.inbox(STAKEHOLDER).find(message_id):
            return
        goes_on = "It goes on when there is a new budget, or a larger one in mabos.yaml."
        said = f"{agent_id} stopped: {error.message}. {goes_on}"
        self.mail.deliver(
            Message(message_id, agent_id, STAKEHOLDER, "INFORM", said, now, priority="high", metadata=body)
        )

    def _ask(self, agent_id: str, error: BudgetExhausted, now: str, cycle: str) -> None:
        """Ask the owner whether an agent may use as much again today; once for each time it is used up."""
        day, business_id = now[:10], self.directory.stores_of(agent_id).business_id
        decisions, number = (
            self.directory.decisions(business_id),
            1 + len(self.directory.granted_budgets(agent_id, day)),
        )
        decision_id = f"{day_question(agent_id, day)}{number}"
        if any(decision.id == decision_id for decision in decisions.all()):
            return
        subject = f"{agent_id} has used up {error.what.replace('_', ' ')} for today: allow as much again?"
        said = f"{error.message}. Approved, it goes on now; rejected or unanswered, it rests until tomorrow (UTC)."
        asked = Decision(decision_id, agent_id, subject, said, created_at=now, category="budget", cycle=cycle)
        decisions.request(asked)
