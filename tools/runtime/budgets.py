"""Whose budgets a call is bound to, and what follows when one is used up: an entry, and a word to the owner, once.

A goal may have a budget of its own; what its intention has used of it is on the ledger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from mabos.backends.daily import DailyMeter
from mabos.backends.metering import Allowance, Budget, BudgetExhausted, MeteredCall, Settle, Spent, within
from mabos.configs.errors import UnknownId
from mabos.configs.settings import BudgetSettings
from mabos.society.decisions import GRANTED, Decision
from mabos.society.messages import Message
from mabos.tools.runtime.agent import STAKEHOLDER
from mabos.workspace.clock import iso
from mabos.workspace.ledger import Entry

if TYPE_CHECKING:
    from mabos.tools.runtime.agent import Agent
    from mabos.tools.runtime.services import Services

_MOST_ENTRIES = 100_000


class GoalExhausted(BudgetExhausted):
    """What was allowed for one goal is used up; the agent may go on with others."""

    code = "goal_exhausted"


@cache
def budget(scope: str, settings: BudgetSettings) -> Budget:
    """Return the budget of a cycle, an agent's day or a run as it is set."""
    return Budget(scope, **settings.model_dump())


def day_of(services: Services, agent_id: str) -> DailyMeter:
    """Return what an agent may still use today, of every process."""
    path = services.layout.internal / "budgets" / f"{agent_id}.json"

    def today() -> str:
        return iso(services.clock())[:10]

    def granted() -> int:
        return len(_granted(services, agent_id, today()))

    return DailyMeter(path, budget("day", services.settings.budgets.agent), today, granted)


def allowances(agent: Agent, intention_id: str, goal_id: str) -> tuple[Allowance, ...]:
    """Return what binds the calls of an agent: this run, its day, and its goal; a person in no agent's name is free."""
    if agent.is_person:
        return ()
    held: tuple[Allowance, ...] = (agent.services.meter, agent.services.stores_of(agent.id).day)
    try:
        limits = dict(agent.mind.goal(goal_id).budget) if goal_id and intention_id else {}
    except UnknownId:
        limits = {}
    return (*held, _GoalMeter(agent, intention_id, _budget_of_goal(limits))) if limits else held


def used(agent: Agent, intention_id: str) -> dict[str, float]:
    """Return what an intention has used so far: `usd`, `calls` that changed something, and `tokens` of models."""
    spent = _spent(agent, intention_id)
    return {"usd": spent.usd, "calls": spent.deeds, "tokens": spent.model_tokens}


@contextmanager
def charged(agent: Agent, **said: str) -> Iterator[None]:
    """Bind what models cost inside the block to an agent's run and day, and put their calls on its ledger.

    `said` stands in each entry. A budget that is used up is told of, as everywhere; what can do without a model does.
    """
    services = agent.services

    def record(made: MeteredCall) -> None:
        services.note(agent, "model", made.entry | said)

    def exhausted(error: BudgetExhausted) -> None:
        tell(services, agent.id, error, cycle=agent.cycle)

    with within(*allowances(agent, "", ""), report=record, refusal=exhausted, whose=agent.id):
        yield


def tell(services: Services, agent_id: str, error: BudgetExhausted, *, cycle: str = "") -> None:
    """Put an exhausted budget on the ledger, and tell the owner once a day for each budget.

    Of a day's budget he is asked whether the agent may have the same again: approved, it has, and goes on.
    """
    now = iso(services.clock())
    body = {"scope": error.scope, "what": error.what, "most": error.most, "message": error.message}
    services.ledger.append(agent_id, "budget", body, at=now, cycle=cycle)
    if error.scope == "day":
        _ask(services, agent_id, error, now, cycle)
    whose = "run" if error.scope == "run" else agent_id
    message_id = f"MSG-budget-{whose}-{error.scope}-{error.what}-{now[:10]}"
    if services.inbox(STAKEHOLDER).find(message_id):
        return
    said = f"{agent_id} stopped: {error.message}. It goes on when there is a new budget, or a larger one in mabos.yaml."
    services.deliver(Message(message_id, agent_id, STAKEHOLDER, "INFORM", said, now, priority="high", metadata=body))


def _ask(services: Services, agent_id: str, error: BudgetExhausted, now: str, cycle: str) -> None:
    """Put before the owner whether an agent may use as much again today; once for each time it is used up."""
    day, business_id = now[:10], services.stores_of(agent_id).business_id
    home, number = services.decisions(business_id), 1 + len(_granted(services, agent_id, day))
    decision_id = f"{_question(agent_id, day)}{number}"
    if any(one.id == decision_id for one in home.all()):
        return
    subject = f"{agent_id} has used up {error.what.replace('_', ' ')} for today: allow as much again?"
    said = f"{error.message}. Approved, it goes on now; rejected or unanswered, it rests until tomorrow (UTC)."
    asked = Decision(decision_id, agent_id, subject, said, created_at=now, category="budget", cycle=cycle)
    home.request(asked)


def _granted(services: Services, agent_id: str, day: str) -> list[Decision]:
    """Return the owner's approvals of a further budget for an agent's day."""
    asked, business_id = _question(agent_id, day), services.stores_of(agent_id).business_id
    return [one for one in services.decisions(business_id).all() if one.id.startswith(asked) and one.status in GRANTED]


def _question(agent_id: str, day: str) -> str:
    return f"D-budget-{agent_id}-{day}-"


@dataclass(frozen=True, slots=True, eq=False)  # told apart by identity: an agent is no key
class _GoalMeter:
    """What a goal's intention may still use. Nothing is kept here: calls that have ended are on the ledger."""

    agent: Agent
    intention_id: str
    budget: Budget

    def reserve(self, most: Spent) -> Settle:
        """See that `most` fits; raises `GoalExhausted`."""
        try:
            self.budget.admit(_spent(self.agent, self.intention_id), most)
        except BudgetExhausted as error:
            raise GoalExhausted(error.scope, error.what, error.most, error.used) from None
        return lambda _: None


def _budget_of_goal(limits: Mapping[str, float]) -> Budget:
    calls, tokens = limits.get("calls"), limits.get("tokens")
    return Budget(
        "goal",
        usd=limits.get("usd"),
        deeds=None if calls is None else int(calls),
        model_tokens=None if tokens is None else int(tokens),
    )


def _spent(agent: Agent, intention_id: str) -> Spent:
    index = agent.services.ledger_index()
    kinds = ["call", "outcome", "model"]
    return spent_by(index.entries(agents=[agent.id], kinds=kinds, task=intention_id, limit=_MOST_ENTRIES))


def spent_by(entries: Sequence[Entry]) -> Spent:
    """Return what the entries of one agent's ledger say it spent: its calls, their outcomes, and its model."""
    failed = {str(one.body.get("call")) for one in entries if one.kind == "outcome" and not one.body.get("ok")}
    # Cut short after its entry and run again, a call is two entries and one deed.
    deeds = {
        str(one.body.get("key") or one.id): one.body
        for one in entries
        if one.kind == "call" and one.body.get("ok") is not False and one.id not in failed
    }
    return Spent(
        usd=sum(float(one.get("cost", 0.0)) for one in deeds.values()),
        deeds=len(deeds),
        model_tokens=sum(int(one.body.get("tokens", 0)) for one in entries if one.kind == "model"),
    )
