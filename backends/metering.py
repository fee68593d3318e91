"""Consumption by agents, reserved before use and settled after: model calls with tokens and time, operations, dollars.

A meter holds one budget. Everything inside `within(meter)` is bound to it, and nested meters all apply. A call that a
meter cannot cover in full is not made. Budgets fail closed, even if a call never reported its use.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, fields, replace
from functools import partial
from threading import Lock
from typing import Any, Protocol, Unpack

from mabos.backends.chat import (
    MAX_TOKENS,
    NOT_ASKED,
    CallOptions,
    ChatMessage,
    ChatModel,
    Completion,
    NotAsked,
    Usage,
    estimated_request,
)
from mabos.configs.errors import Unavailable
from mabos.configs.prompts import prompt_version

_MONEY = {"action_usd": "dollars for actions", "model_usd": "dollars for models"}


class BudgetExhausted(Unavailable):
    """A refused action: the `scope` allows `most` of `what`, and it is used up."""

    code = "budget_exhausted"

    def __init__(self, scope: str, what: str, most: float, used: float) -> None:
        words = _MONEY.get(what, what.replace("_", " "))
        super().__init__(f"the budget of one {scope} is {most:g} {words}, {used:g} of it used: no more than that")
        self.scope, self.what, self.most, self.used = scope, what, most, used


@dataclass(frozen=True, slots=True)
class Spent:
    """Consumption so far; `deeds` are operations that change something, `action_usd` the dollars they commit.

    The `model_*` are of chat models, `model_usd` of embedders too. `cycles` and their seconds are those of a live
    company, which an agent does not choose.
    """

    deeds: int = 0
    action_usd: float = 0.0
    model_usd: float = 0.0
    model_calls: int = 0
    model_tokens: int = 0
    model_seconds: float = 0.0
    cycles: int = 0
    cycle_seconds: float = 0.0

    def __add__(self, more: "Spent") -> "Spent":
        return Spent(
            self.deeds + more.deeds,
            self.action_usd + more.action_usd,
            self.model_usd + more.model_usd,
            self.model_calls + more.model_calls,
            self.model_tokens + more.model_tokens,
            self.model_seconds + more.model_seconds,
            self.cycles + more.cycles,
            self.cycle_seconds + more.cycle_seconds,
        )

    def __sub__(self, less: "Spent") -> "Spent":
        return Spent(*(max(0, getattr(self, kind) - getattr(less, kind)) for kind in _KINDS))


NOTHING = Spent()
_KINDS = tuple(kind.name for kind in fields(Spent))


@dataclass(frozen=True, slots=True)
class ModelBudget:
    """Maximum use of each resource; None is unlimited. `scope` names its range: a cycle, an agent's day, a run."""

    scope: str = "run"
    deeds: int | None = None
    action_usd: float | None = None
    model_usd: float | None = None
    model_calls: int | None = None
    model_tokens: int | None = None
    model_seconds: float | None = None
    cycles: int | None = None
    cycle_seconds: float | None = None

    def times(self, number: int) -> "ModelBudget":
        """Return the budget multiplied by a number."""
        limits = {kind: getattr(self, kind) for kind in _KINDS}
        return replace(self, **{kind: number * most for kind, most in limits.items() if most is not None})

    @property
    def is_unlimited(self) -> bool:
        """Return whether there is no limit at all."""
        return all(getattr(self, kind) is None for kind in _KINDS)

    def admit(self, spent: Spent, more: Spent) -> Spent:
        """Return `spent` plus `more`; raises `BudgetExhausted` if that exceeds the budget."""
        after = spent + more
        for kind in _KINDS:
            most = getattr(self, kind)
            # What is not asked for is not refused: a deed without cost may happen where no dollar is left.
            if most is not None and getattr(more, kind) and getattr(after, kind) > most:
                raise BudgetExhausted(self.scope, kind, most, getattr(spent, kind))
        return after


class PriceUnknown(Unavailable):
    """A refused call: a budget limits dollars, but the model's price is unknown."""

    code = "price_unknown"

    def __init__(self, model: str, scope: str) -> None:
        super().__init__(
            f"the budget of one {scope} limits dollars, and the price of model {model!r} is not known: set input_usd "
            "and output_usd of its profile, or models.prices in mabos.yaml (0 if it costs nothing), or lift the limit"
        )


Settle = Callable[[Spent], None]
"""Called with what was used of a reservation: the rest is given back. One that is never settled stays used."""


class Allowance(Protocol):
    """A holder of a budget: in memory, or kept in a file."""

    def reserve(self, most: Spent) -> Settle:
        """Reserve `most` before it is used; raises `BudgetExhausted`, and then reserves nothing."""


@dataclass(eq=False)
class Meter:
    """An allowance in memory, shared by threads."""

    budget: ModelBudget = field(default_factory=ModelBudget)
    spent: Spent = NOTHING
    _lock: Lock = field(default_factory=Lock, repr=False)

    def reserve(self, most: Spent) -> Settle:
        """Reserve `most` before it is used; raises `BudgetExhausted`, and then reserves nothing."""
        with self._lock:
            self.spent = self.budget.admit(self.spent, most)

        def settle(used: Spent) -> None:
            with self._lock:
                self.spent = self.spent - most + used

        return settle


@dataclass(frozen=True, slots=True)
class MeteredCall:
    """A recorded call: its purpose, the model, and its usage, or its `error`."""

    tag: str
    model: str
    usage: Usage
    error: str = ""

    @property
    def entry(self) -> dict[str, Any]:
        """The ledger entry: the version of the prompt, if any, and dollars if the model has a price."""
        told: dict[str, Any] = {"tag": self.tag, "model": self.model, "tokens": self.usage.tokens}
        told |= {"prompt": version} if (version := prompt_version(self.tag)) else {}
        told |= {"usd": round(self.usage.usd, 6)} if self.usage.usd else {}
        return told | ({"error": self.error[:_SHOWN]} if self.error else {})


@dataclass(frozen=True, slots=True)
class ModelPrice:
    """Dollars per million tokens; cached input without its own price costs as much as other input.

    A call with at least `long_from` input tokens is charged the `long_` prices throughout.
    """

    input_usd: float = 0.0
    output_usd: float = 0.0
    cached_usd: float | None = None
    cache_write_usd: float | None = None
    long_from: int | None = None
    long_input_usd: float | None = None
    long_output_usd: float | None = None

    def of(self, usage: Usage) -> Usage:
        """Return `usage` with its dollars."""
        is_long = self.long_from is not None and usage.input_tokens >= self.long_from
        most = self.long_input_usd if is_long and self.long_input_usd is not None else self.input_usd
        output = self.long_output_usd if is_long and self.long_output_usd is not None else self.output_usd
        rise = most / self.input_usd if self.input_usd else 1.0
        usd = most * max(0, usage.input_tokens - usage.cached_tokens - usage.cache_write_tokens)
        for tokens, price in ((usage.cached_tokens, self.cached_usd), (usage.cache_write_tokens, self.cache_write_usd)):
            usd += tokens * (most if price is None else price * rise)
        usd = (usd + usage.output_tokens * output) / 1_000_000
        return replace(usage, usd=usd) if usd else usage

    def at_most(self, usage: Usage) -> Usage:
        """Return `usage` with its maximum cost, as if all input had to be written to a cache."""
        writes = self.cache_write_usd is not None and self.cache_write_usd > self.input_usd
        priced = self.of(replace(usage, cache_write_tokens=usage.input_tokens if writes else 0))
        return replace(usage, usd=priced.usd)


@dataclass(frozen=True, slots=True)
class Terms:
    """A model's price, and the maximum duration of one call with all retries.

    An unknown price counts as 0, but a budget in dollars refuses the call. A model that thinks may use
    `thinking_tokens` on top of those of its answer.
    """

    price: ModelPrice = ModelPrice()
    patience_s: float = 0.0
    is_priced: bool = True
    thinking_tokens: int = 0


FREE = Terms()
_SHOWN = 300  # characters of an error in a ledger
Report = Callable[[MeteredCall], None]
Refusal = Callable[[BudgetExhausted], None]


@dataclass(frozen=True, slots=True)
class _Scope:
    allowances: tuple[Allowance, ...]
    report: Report | None
    refusal: Refusal | None
    whose: str


_SCOPES: ContextVar[tuple[_Scope, ...]] = ContextVar("scopes", default=())


@contextmanager
def within(
    *allowances: Allowance, report: Report | None = None, refusal: Refusal | None = None, whose: str = ""
) -> Iterator[None]:
    """Charge consumption inside the block, in this thread, to `allowances`; duplicates count once.

    `report` receives every model call made inside, since only this place knows the ledger. The outermost `refusal`
    receives refused requests. `whose` names the acting agent.
    """
    token = _SCOPES.set((*_SCOPES.get(), _Scope(allowances, report, refusal, whose)))
    try:
        yield
    finally:
        _SCOPES.reset(token)


def acting() -> str:
    """Return the agent that is currently charged; "" without one."""
    return next((scope.whose for scope in reversed(_SCOPES.get()) if scope.whose), "")


def listener() -> Report | None:
    """Return the callback for model calls made here: the innermost, since a call has one ledger entry."""
    return next((scope.report for scope in reversed(_SCOPES.get()) if scope.report), None)


def reserve_allowances(most: Spent, *more: Allowance) -> Settle:
    """Reserve `most` in every allowance that applies here, and in `more`; return how to settle with all of them.

    Raises `BudgetExhausted` if one of them cannot, and `Damaged` if one is unreadable; then nothing is reserved.
    """
    scopes, taken = _SCOPES.get(), list[Settle]()

    def settle(used: Spent) -> None:
        for one in taken:
            one(used)

    for allowance in dict.fromkeys((*more, *(one for scope in scopes for one in scope.allowances))):
        try:
            taken.append(allowance.reserve(most))
        except BaseException as error:
            settle(NOTHING)
            listening = next((scope.refusal for scope in scopes if scope.refusal), None)
            if listening is not None and isinstance(error, BudgetExhausted):
                listening(error)
            raise
    return settle


def money_limit(*more: Allowance) -> str | None:
    """Return the scope of an allowance that limits dollars of models here, or among `more`; None if none does."""
    allowances = (*more, *(one for scope in _SCOPES.get() for one in scope.allowances))
    budgets = [budget for one in allowances if isinstance(budget := getattr(one, "budget", None), ModelBudget)]
    return next((one.scope for one in budgets if one.model_usd is not None), None)


class Metered:
    """A chat model whose calls are reserved, counted and reported; an absent one costs nothing.

    Price and duration are requested at the first call, so that a recording is not read earlier.
    """

    def __init__(
        self,
        model: ChatModel,
        meter: Meter | None = None,
        *,
        terms: Callable[[], Terms] = Terms,
        report: Report | None = None,
    ) -> None:
        self.model = model
        self.meter = meter or Meter()
        self._terms = terms
        self._report = report

    @property
    def name(self) -> str:
        """The model's own name."""
        return self.model.name

    @property
    def terms(self) -> Terms:
        """The model's price, and the maximum duration of one call."""
        return self._terms()

    def complete(self, messages: Sequence[ChatMessage], **options: Unpack[CallOptions]) -> Completion:
        """Return the model's answer; raises `BudgetExhausted` before a call that exceeds a budget.

        Raises `PriceUnknown` before a call of unknown price if a budget limits dollars.
        """
        ask, tag = partial(self.model.complete, messages, **options), options.get("tag", "")
        if self.name in NOT_ASKED:
            return ask()
        asked, terms = estimated_request(messages, options.get("tools", ())), self._terms()
        if not terms.is_priced and (scope := money_limit(self.meter)):
            raise PriceUnknown(self.name, scope)
        priced = terms.price.at_most(Usage(asked, options.get("max_tokens", MAX_TOKENS) + terms.thinking_tokens))
        most = Spent(model_usd=priced.usd, model_calls=1, model_tokens=priced.tokens, model_seconds=terms.patience_s)
        settle = reserve_allowances(most, self.meter)
        began = time.monotonic()
        try:
            completion = ask()
        except NotAsked:
            settle(NOTHING)
            raise
        except BaseException as error:
            # It may have been answered, and paid for, all the same: only the time is known.
            settle(replace(most, model_seconds=getattr(error, "seconds", time.monotonic() - began)))
            if isinstance(error, Unavailable):
                self._tell(MeteredCall(tag, self.name, Usage(), error.message))
            raise
        usage = terms.price.of(completion.usage)
        took = time.monotonic() - began if completion.seconds is None else completion.seconds
        settle(Spent(model_usd=usage.usd, model_calls=1, model_tokens=usage.tokens, model_seconds=took))
        self._tell(MeteredCall(tag, self.name, usage))
        return replace(completion, usage=usage)

    def _tell(self, made: MeteredCall) -> None:
        if (listening := listener() or self._report) is not None:
            listening(made)


class MeteredByPhase(Metered):
    """A metered model that delegates single phases to others, each at its own price; if it is absent, so are they."""

    def __init__(self, main: Metered, phases: Mapping[str, Metered]) -> None:
        super().__init__(main.model, main.meter, terms=lambda: main.terms)
        self._main, self._phases = main, phases

    @property
    def others(self) -> tuple[Metered, ...]:
        """The models of single phases."""
        return tuple(dict.fromkeys(self._phases.values()))

    def complete(self, messages: Sequence[ChatMessage], **options: Unpack[CallOptions]) -> Completion:
        """Return the answer of the model for the phase in the tag."""
        phase = options.get("tag", "").partition(":")[0]
        chosen = self._phases.get(phase) or (self._phases.get("thinking") if phase != "work" else None)
        model = self._main if chosen is None or self.name in NOT_ASKED else chosen
        return model.complete(messages, **options)
