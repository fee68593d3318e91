"""Problems of whole systems: loops of causes with signs, and stocks with what flows in and out."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.experience.problems import identifier
from mabos.knowledge.reasoning.kernels.graphs import graph
from mabos.knowledge.reasoning.problem import Finite, Name, Names, Part, Problem
from mabos.workspace.expressions import Expression

MOST_STEPS = 200_000


class Link(Part):
    """One variable acts on another: the same way (+) or the opposite way (-), at once or late, how strongly."""

    cause: Name
    effect: Name
    sign: Literal["+", "-"]
    delay: bool = False
    strength: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None


class Loops(Problem):
    """A causal loop diagram. With `push` it is asked what raising that variable does to the others."""

    kind: Literal["loops"] = "loops"
    links: Annotated[tuple[Link, ...], Field(min_length=1, max_length=5_000)]
    push: Name | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "loops",
        "links": [
            {"cause": "chickens", "effect": "eggs", "sign": "+"},
            {"cause": "eggs", "effect": "chickens", "sign": "+"},
            {"cause": "chickens", "effect": "road crossings", "sign": "+"},
            {"cause": "road crossings", "effect": "chickens", "sign": "-"},
        ],
        "push": "eggs",
    }

    @model_validator(mode="after")
    def _is_a_diagram(self) -> Self:
        pairs = [(one.cause, one.effect) for one in self.links]
        if len(set(pairs)) < len(pairs):
            twice = next(pair for pair in pairs if pairs.count(pair) > 1)
            msg = (
                f"there are two links from {twice[0]!r} to {twice[1]!r}; one sign holds, or a variable is between them"
            )
            raise ValueError(msg)
        if self.push is not None and self.push not in self.variables:
            msg = f"{self.push!r} is in no link"
            raise ValueError(msg)
        return self

    @property
    def variables(self) -> tuple[str, ...]:
        """All variables, in the order in which links name them."""
        return tuple(dict.fromkeys(name for one in self.links for name in (one.cause, one.effect)))


class Stock(Part):
    """What accumulates: how much there is at the start, and the flows that fill and drain it."""

    start: Finite
    inflows: Names = ()
    outflows: Names = ()


class StockFlow(Problem):
    """Stocks, flows and what they depend on, run over time.

    Flows and auxiliaries are arithmetic on the names of stocks, constants and each other (blanks and hyphens as
    underscores), and on `time`. `watch` is the stock asked about (left out: the first).
    """

    kind: Literal["stock_flow"] = "stock_flow"
    stocks: Annotated[Mapping[Name, Stock], Field(min_length=1, max_length=100)]
    flows: Annotated[Mapping[Name, str], Field(max_length=500)] = {}
    auxiliaries: Annotated[Mapping[Name, str], Field(max_length=500)] = {}
    constants: Annotated[Mapping[Name, Finite], Field(max_length=500)] = {}
    start: Finite = 0.0
    stop: Finite
    step: Annotated[float, Field(gt=0, allow_inf_nan=False)]
    scheme: Literal["euler", "rk4"] = "rk4"
    watch: Name | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "stock_flow",
        "stocks": {"temperature": {"start": 180, "outflows": ["heat loss"]}},
        "flows": {"heat loss": "(temperature - room) / characteristic_time"},
        "constants": {"room": 70, "characteristic time": 10},
        "stop": 30,
        "step": 0.125,
    }

    @field_validator("flows", "auxiliaries", mode="before")
    @classmethod
    def _numbers_are_arithmetic(cls, told: Any) -> Any:
        if not isinstance(told, dict):
            return told
        return {name: str(one) if isinstance(one, int | float) else one for name, one in told.items()}

    @model_validator(mode="after")
    def _is_a_model(self) -> Self:
        spelled = [identifier(name) for name in (*self.stocks, *self.flows, *self.auxiliaries, *self.constants)]
        if len({*spelled, "time"}) <= len(spelled):
            raise ValueError("two names read the same in an expression, or one is 'time'; every name is there once")
        for name, stock in self.stocks.items():
            strange = [one for one in (*stock.inflows, *stock.outflows) if one not in self.flows]
            if strange:
                msg = f"{strange[0]!r}, which fills or drains {name!r}, is no flow"
                raise ValueError(msg)
        if self.stop <= self.start or self.step > self.stop - self.start:
            raise ValueError("stop is after start, and a step is no longer than what is between")
        if (self.stop - self.start) / self.step > MOST_STEPS:
            msg = f"at most {MOST_STEPS:,} steps are run; make the step longer"
            raise ValueError(msg)
        if self.watch is not None and self.watch not in self.stocks:
            msg = f"{self.watch!r} is no stock; there are {', '.join(sorted(self.stocks)[:9])}"
            raise ValueError(msg)
        try:
            self.parsed()
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        return self

    @property
    def watched(self) -> str:
        """The stock asked about."""
        return self.watch or next(iter(self.stocks))

    def parsed(self) -> dict[str, Expression]:
        """Return flows and auxiliaries by their identifiers, each after those it reads. Raises `ValueError` for a
        cycle, `InvalidArgument` for what is no arithmetic."""
        known = frozenset(
            identifier(name) for name in (*self.stocks, *self.flows, *self.auxiliaries, *self.constants)
        ) | {"time"}
        told = {
            identifier(name): Expression.of(text, known=known)
            for name, text in {**self.auxiliaries, **self.flows}.items()
        }
        arrows = [(read, name) for name, one in told.items() for read in sorted(one.names) if read in told]
        return {name: told[name] for name in graph(told, arrows).nodes}
