"""The budgets of agents for a cycle, a day and a run, and the consequences of exhausting them.

An exhausted budget causes one ledger entry and one message to the owner. A goal may have its own budget; the ledger has
the usage of its intention.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from mabos.backends.metering import BudgetExhausted, ModelBudget, Settle, Spent
from mabos.configs.settings import BudgetSettings
from mabos.workspace.currencies import money
from mabos.workspace.ledger import LedgerEntry


class GoalExhausted(BudgetExhausted):
    """An exhausted budget of one goal; the agent may continue with others."""

    code = "goal_exhausted"


@cache
def budget(scope: str, settings: BudgetSettings) -> ModelBudget:
    """Return the configured budget of a cycle, an agent's day or a run."""
    return ModelBudget(scope, **settings.model_dump())


def limits_in_words(limits: BudgetSettings) -> str:
    """Return the limits of money, tokens and actions, as `$2,000 for actions, $5 for models`; "" without any."""
    said = [
        f"{money(limits.action_usd)} for actions" if limits.action_usd is not None else "",
        f"${limits.model_usd:g} for models" if limits.model_usd is not None else "",
        f"{limits.model_tokens:,} tokens" if limits.model_tokens is not None else "",
        f"{limits.deeds:,} actions" if limits.deeds is not None else "",
    ]
    return ", ".join(filter(None, said))


def day_question(agent_id: str, day: str) -> str:
    """Return the id prefix of questions about more budget for an agent's day."""
    return f"D-budget-{agent_id}-{day}-"


@dataclass(frozen=True, slots=True, eq=False)  # told apart by identity
class GoalMeter:
    """The remaining budget of a goal's intention; usage is read from the ledger, nothing is stored here."""

    budget: ModelBudget
    spent: Callable[[], Spent]

    @classmethod
    def of(cls, limits: Mapping[str, float], spent: Callable[[], Spent]) -> "GoalMeter":
        """Return the meter of a goal with these limits: `usd`, `calls` and `tokens`."""
        calls, tokens = limits.get("calls"), limits.get("tokens")
        allowed = ModelBudget(
            "goal",
            action_usd=limits.get("usd"),
            deeds=None if calls is None else int(calls),
            model_tokens=None if tokens is None else int(tokens),
        )
        return cls(allowed, spent)

    def reserve(self, most: Spent) -> Settle:
        """Raise `GoalExhausted` unless `most` fits the budget."""
        try:
            self.budget.admit(self.spent(), most)
        except BudgetExhausted as error:
            raise GoalExhausted(error.scope, error.what, error.most, error.used) from None
        return lambda _: None


def spent_by(entries: Sequence[LedgerEntry]) -> Spent:
    """Return the spending in one agent's ledger entries: on its calls with outcomes, and on its model."""
    failed = {str(one.body.get("call")) for one in entries if one.kind == "outcome" and not one.body.get("ok")}
    # Cut short after its entry and run again, a call is two entries and one deed.
    deeds = {
        str(one.body.get("key") or one.id): one.body
        for one in entries
        if one.kind == "call" and one.body.get("ok") is not False and one.id not in failed
    }
    return Spent(
        action_usd=sum(float(one.get("cost", 0.0)) for one in deeds.values()),
        model_usd=sum(float(one.body.get("usd", 0.0)) for one in entries if one.kind == "model"),
        deeds=len(deeds),
        model_tokens=sum(int(one.body.get("tokens", 0)) for one in entries if one.kind == "model"),
    )
