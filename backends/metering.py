"""What models cost: every call counted, and refused before it is made once a budget is used up."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from threading import Lock
from typing import Any

from backends.chat import ChatMessage, ChatModel, Completion, Usage, estimated
from configs.errors import Unavailable


class BudgetExhausted(Unavailable):
    """The model may not be called: what was allowed is used up."""

    code = "budget_exhausted"


@dataclass(frozen=True, slots=True)
class Budget:
    """The most that may be used; None is no limit."""

    calls: int | None = None
    tokens: int | None = None
    usd: float | None = None


@dataclass(frozen=True, slots=True)
class Spent:
    """What has been used so far."""

    calls: int = 0
    tokens: int = 0
    usd: float = 0.0


@dataclass(frozen=True, slots=True)
class MeteredCall:
    """One call as it is written down: what for, which model, and what it took."""

    tag: str
    model: str
    usage: Usage


@dataclass
class Meter:
    """Counts calls against a budget; shared by threads."""

    budget: Budget = field(default_factory=Budget)
    spent: Spent = field(default_factory=Spent)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def check(self, tokens: int) -> None:
        """Raise `BudgetExhausted` if a call that may take `tokens` is more than the budget allows."""
        spent, budget = self.spent, self.budget
        exhausted = {
            "calls": (budget.calls, budget.calls is not None and spent.calls + 1 > budget.calls),
            "tokens": (budget.tokens, budget.tokens is not None and spent.tokens + tokens > budget.tokens),
            "dollars": (budget.usd, budget.usd is not None and spent.usd >= budget.usd),
        }
        for what, (most, over) in exhausted.items():
            if over:
                message = f"the model budget of {most:g} {what} does not allow another call ({spent.calls} made so far)"
                raise BudgetExhausted(message)

    def admit(self) -> None:
        """Count a call that is about to be made."""
        with self._lock:
            self.spent = replace(self.spent, calls=self.spent.calls + 1)

    def record(self, usage: Usage) -> None:
        """Add what a call took."""
        with self._lock:
            spent = self.spent
            self.spent = replace(spent, tokens=spent.tokens + usage.tokens, usd=spent.usd + usage.usd)


@dataclass(frozen=True, slots=True)
class Price:
    """Dollars for a million tokens."""

    input_usd: float = 0.0
    output_usd: float = 0.0

    def of(self, usage: Usage) -> Usage:
        """Return `usage` with its dollars."""
        usd = (usage.input_tokens * self.input_usd + usage.output_tokens * self.output_usd) / 1_000_000
        return replace(usage, usd=usd) if usd else usage


Report = Callable[[MeteredCall], None]


@dataclass(frozen=True, slots=True)
class _Scope:
    meter: Meter
    report: Report | None


_SCOPES: ContextVar[tuple[_Scope, ...]] = ContextVar("scopes", default=())


@contextmanager
def within(budget: Budget, report: Report | None = None) -> Iterator[Meter]:
    """Limit the model calls made inside the block, in this thread, to `budget`; nested limits all hold.

    `report` hears of every call made inside: whose ledger it belongs in is known here and not where the model is made.
    """
    scope = _Scope(Meter(budget), report)
    token = _SCOPES.set((*_SCOPES.get(), scope))
    try:
        yield scope.meter
    finally:
        _SCOPES.reset(token)


class Metered:
    """A chat model whose every call is admitted, counted and reported."""

    def __init__(
        self,
        model: ChatModel,
        meter: Meter | None = None,
        *,
        price: Price = Price(),
        report: Report | None = None,
    ) -> None:
        self.model = model
        self.meter = meter or Meter()
        self._price = price
        self._report = report

    @property
    def name(self) -> str:
        """The model's own name."""
        return self.model.name

    def complete(
        self,
        messages: Sequence[ChatMessage],
        *,
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 800,
        tag: str = "",
    ) -> Completion:
        """Return the model's answer; raises `BudgetExhausted` before a call that a budget does not allow."""
        expected = estimated(sum(len(message.content) for message in messages)) + max_tokens
        scopes = _SCOPES.get()
        meters = (self.meter, *(scope.meter for scope in scopes))
        for meter in meters:
            meter.check(expected)
        for meter in meters:
            meter.admit()
        completion = self.model.complete(messages, schema=schema, max_tokens=max_tokens, tag=tag)
        usage = self._price.of(completion.usage)
        for meter in meters:
            meter.record(usage)
        # The innermost listener is told: an entry belongs to one call, not to everything around it.
        listening = next((scope.report for scope in reversed(scopes) if scope.report), self._report)
        if listening is not None:
            listening(MeteredCall(tag, self.name, usage))
        return replace(completion, usage=usage)
