"""The declaration of tools: one typed function gives the name, summary, arguments model and JSON schema.

A tool is an ordinary function whose first parameter is the agent. It returns its result, or raises an error of
`configs.errors` that names the argument. `call()` does everything else: validation, identity, capability, governance,
ledger, and once-only effects.

    from typing import Any, Literal

    from mabos.tools.runtime.services import Agent
    from mabos.tools.catalogue.declaration import Count, Fraction, Money, Text, Tool

    def campaign_open(
        agent: Agent, *, name: Text, budget_usd: Money, channel: Literal["search", "social"] = "search",
        object_: str | None = None,
    ) -> dict[str, Any]:
        \"\"\"Open an advertising campaign and return it with its id.

        Args:
            name: What people call the campaign.
            budget_usd: Dollars to spend in all; approval may be needed.
            channel: Where the advertisements are shown.
            object_: Published as `object`: a trailing underscore keeps clear of Python's own names.
        \"\"\"
        campaign_id = agent.ids.new("CAMP")
        ...
        return {"campaign_id": campaign_id, "status": "active"}

    TOOLS = [
        Tool.of(campaign_open, module="Marketing", writes=True, category="marketing_spend", cost="budget_usd",
                counterparty="channel", external=True),
    ]

`module` is a row of the catalogue ("Desires", "Memory hierarchy", ...); the 21 modules of `mabos tools --by module`
follow from it. `docs/extending.md` lists the options for governance and protected values.

Ids and time must come from `agent.ids` and `agent.clock`, and writes must be keyed puts: then a call interrupted by a
crash can run again and write the same records. Otherwise (`idempotent=False`), a person decides about an interrupted
call.

An operation with `actions` takes `action` and, at the same level, the arguments of that action, which is a function
like a tool's: its arguments are validated in the same way, and one that only reads needs no approval.

Types for arguments: `Text` is a non-empty string, `Fraction` is 0 to 1, `Money` is at least 0, `Count` is at least 1,
`OwnId` is an id that the caller may choose; a closed set is a `Literal`. null for an argument with a default means that
it is missing.
"""

import inspect
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import Any, TypedDict, Unpack

from pydantic import BaseModel

from mabos.mind.model import Proficiency
from mabos.tools.catalogue.arguments import (
    Count,
    Fraction,
    Money,
    OwnId,
    Text,
    action_arguments_model,
    arguments_model,
    arguments_schema,
    field_name,
    public_name,
    validate_arguments,
)

__all__ = ["Action", "Count", "Fraction", "Money", "OwnId", "Text", "Tool"]

Arguments = Mapping[str, Any]
_SHOWN = 80  # characters of an argument in words

# The catalogue of S3 section 16 has 25 rows and says 21 modules; these four rows belong to another module.
_MERGED = {"Desires": "BDI core", "Memory hierarchy": "Memory", "Cases": "Knowledge", "Email": "Marketing"}

OWN = "Own tools"
"""The family of what users bring themselves."""
BESIDE = ("Agent bus", "Knowledge memory", "Staff and finance", OWN)
"""The families that S3's catalogue lacks, and users' own: of the same registry, not counted among the 99."""

READING = "reading"
# What a writing tool is to governance where it says nothing else: the kinds of action that the roles speak of.
_CATEGORIES = {
    **dict.fromkeys(("Memory", "Memory hierarchy"), "memory"),
    **dict.fromkeys(("Facts", "Rules", "Inference", "Cases", "Knowledge", "Ontology", "Reasoning"), "knowledge"),
    **dict.fromkeys(("BDI core", "Desires", "Planning"), "goals"),
    "Workflows": "workflow",
}


@dataclass(frozen=True)
class Action:
    """One of several actions of an operation: a function like a tool's, with its own arguments."""

    function: Callable[..., Mapping[str, Any]]
    writes: bool

    @property
    def name(self) -> str:
        """The value of `action` that selects it."""
        return self.function.__name__.removesuffix("_")

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The pydantic model of its own arguments."""
        return arguments_model(self.function)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its own arguments."""
        return arguments_schema(self.arguments)

    @property
    def summary(self) -> str:
        """The first line of the docstring."""
        return _first_line(self.function)


class ToolOptions(TypedDict, total=False):
    """The rarely used fields of a tool; `Tool.of` passes them on."""

    cost: str | Callable[[Arguments], float] | None
    commits: Callable[[Any, Arguments], float] | None
    counterparty: str | Callable[[Arguments], str]
    reversible: bool
    strategic: bool | Callable[[Arguments], bool]
    external: bool
    idempotent: bool
    exempts_people: bool
    exempts: Callable[[Arguments], bool] | None
    drafts: Callable[[Any, Arguments], bool] | None
    composes: Callable[[Any, Arguments], str] | None
    reads: tuple[str, ...]
    acts_as: str
    about: Callable[[Any, Arguments], str] | None
    skills: Mapping[str, Proficiency]
    aliases: tuple[str, ...]
    called: str
    asks: bool
    addresses: Sequence[str]
    agents: Sequence[str]


@dataclass(frozen=True)
class Tool:
    """An operation that an agent may perform; every surface offers this same object."""

    function: Callable[..., Mapping[str, Any]]
    module: str
    catalogue: str
    writes: bool
    category: str = ""
    cost: str | Callable[[Arguments], float] | None = None
    commits: Callable[[Any, Arguments], float] | None = None
    counterparty: str | Callable[[Arguments], str] = ""
    reversible: bool = True
    strategic: bool | Callable[[Arguments], bool] = False
    external: bool = False
    idempotent: bool = True
    exempts_people: bool = False
    exempts: Callable[[Arguments], bool] | None = None
    drafts: Callable[[Any, Arguments], bool] | None = None
    composes: Callable[[Any, Arguments], str] | None = None
    reads: tuple[str, ...] = ()
    acts_as: str = ""
    about: Callable[[Any, Arguments], str] | None = None
    skills: Mapping[str, Proficiency] = field(default_factory=dict)
    addresses: Sequence[str] = ()
    sealed: bool = False
    aliases: tuple[str, ...] = ()
    called: str = ""
    actions: Mapping[str, Action] = field(default_factory=dict)
    asks: bool = False
    agents: Sequence[str] = ()

    @classmethod
    def of(
        cls,
        function: Callable[..., Mapping[str, Any]],
        *,
        module: str,
        writes: bool,
        catalogue: str = "",
        category: str = "",
        sealed: bool = False,
        actions: Sequence["Action"] = (),
        **options: Unpack[ToolOptions],
    ) -> "Tool":
        """Return the tool made from `function`; the example at the top of this file shows how to write one.

        The type checker reports misspelled or mistyped options.
        """
        row = catalogue or module
        return cls(
            function=function,
            module=_MERGED.get(row, module),
            catalogue=row,
            writes=writes,
            category=(category or _CATEGORIES.get(row, row.lower())) if writes else READING,
            sealed=sealed or row == OWN,
            actions={one.name: one for one in actions},
            **options,
        )

    @property
    def is_ours(self) -> bool:
        """Return whether its answers come from records or the owner's program, not from outsiders."""
        return True

    @property
    def name(self) -> str:
        """The public name: the function's, or `called` if Python cannot spell it."""
        return self.called or self.function.__name__

    @cached_property
    def summary(self) -> str:
        """The first line of the docstring."""
        return _first_line(self.function)

    @cached_property
    def arguments(self) -> type[BaseModel]:
        """The pydantic model of the arguments, built on first use because a command seldom needs all of them."""
        if self.actions:
            return action_arguments_model(self.name, {name: one.function for name, one in self.actions.items()})
        return arguments_model(self.function)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of the arguments, with `agent_id`."""
        return arguments_schema(self.arguments)

    def validate_arguments(self, given: Arguments) -> BaseModel:
        """Return `given` as the arguments model; raises `InvalidArgument`."""
        return validate_arguments(self.name, self.arguments, self.schema, given)

    def canonical(self, values: BaseModel) -> dict[str, Any]:
        """Return the arguments that differ from their defaults, by public name; approvals are bound to these."""
        return values.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    def told(self, agent: Any, arguments: Arguments) -> str:
        """Return in words what a call would do; raises as `about` does if it is impossible as requested."""
        return self.in_words(arguments) if self.about is None else self.about(agent, arguments)

    def in_words(self, arguments: Arguments) -> str:
        """Return the summary with the arguments of a call, unchanged."""
        given = [
            f"{name} {_format_value(value)}" for name, value in arguments.items() if value not in ("", None, [], {})
        ]
        return self.summary.rstrip(".") + (f" ({', '.join(given)})" if given else "")

    def run(self, agent: Any, values: BaseModel) -> Mapping[str, Any]:
        """Return the tool's result for validated arguments. Only `call()` uses this, after the gate."""
        if self.actions:
            action = self.actions[values.action]  # type: ignore[attr-defined]  # the model of an operation with actions
            given = values.model_dump(mode="json", by_alias=True, exclude_none=True, exclude={"action"})
            own = validate_arguments(f"{self.name} {action.name}", action.arguments, action.schema, given)
            return action.function(agent, **_by_parameter(action.function, own))
        return self.function(agent, **_by_parameter(self.function, values))

    def only_reads(self, values: BaseModel) -> bool:
        """Return whether a call with these arguments changes nothing."""
        if not self.writes or (self.reads and getattr(values, "action", None) in self.reads):
            return True
        return bool(self.actions) and not self.actions[values.action].writes  # type: ignore[attr-defined]  # as in `run`

    def amount(self, arguments: Arguments) -> float:
        """Return the cost of a call in dollars; `arguments` have their public names."""
        if self.cost is None:
            return 0.0
        if callable(self.cost):
            return float(self.cost(arguments))
        return float(arguments.get(public_name(self.cost)) or 0.0)

    def other_party(self, arguments: Arguments) -> str:
        """Return the party paid or bound by a call, or ""."""
        if callable(self.counterparty):
            return self.counterparty(arguments)
        return str(arguments.get(public_name(self.counterparty)) or "") if self.counterparty else ""

    def sets_strategy(self, arguments: Arguments) -> bool:
        """Return whether a call is marked strategic: price, hiring, contract, strategic goal."""
        return self.strategic(arguments) if callable(self.strategic) else self.strategic

    @property
    def costs(self) -> str:
        """The cost of a call in words: nothing, the argument that states it, or its formula."""
        if callable(self.cost):
            return _first_line(self.cost).rstrip(".") or "computed from the arguments"
        return public_name(self.cost) if self.cost else "nothing"

    @property
    def asked_for(self) -> tuple[str, ...]:
        """Reasons to ask governance about a call: `cost`, `strategic`, `final` and `external`; empty if never."""
        reasons = {
            "cost": self.cost, "strategic": self.strategic, "final": not self.reversible, "external": self.external,
        }  # fmt: skip
        return tuple(name for name, holds in reasons.items() if holds) if self.writes else ()

    def needs_governance(self, arguments: Arguments) -> bool:
        """Return whether governance is asked: for a call that costs, is final, leaves the company or is strategic."""
        if not self.writes or (self.exempts is not None and self.exempts(arguments)):
            return False
        return self.external or not self.reversible or self.sets_strategy(arguments) or self.amount(arguments) > 0


def _first_line(function: Callable[..., Any]) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0]


def _by_parameter(function: Callable[..., Any], values: BaseModel) -> dict[str, Any]:
    return {name: getattr(values, field) for name, field in _parameters(function)}


@cache
def _parameters(function: Callable[..., Any]) -> tuple[tuple[str, str], ...]:
    """Return the parameters of a tool's function after the agent, each with the field that carries it."""
    return tuple((name, field_name(name)) for name in list(inspect.signature(function).parameters)[1:])


def _format_value(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."
