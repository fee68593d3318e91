"""The problem of what would explain observations."""

from collections.abc import Mapping
from functools import cached_property
from math import log
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.formal.clauses import (
    Atom,
    Body,
    Denied,
    Knowledge,
    Signed,
    Stated,
    clause,
    literal,
    shaped,
)
from mabos.knowledge.reasoning.kernels.clauses import Clause
from mabos.knowledge.reasoning.kernels.clauses import Literal as Ground
from mabos.knowledge.reasoning.problem import Finite, Part

BROKEN = Ground(("⊥",))
"""What follows where a constraint is broken."""


class Assumable(Part):
    """What may be assumed: how probable it is beforehand, or what assuming it costs; neither is a cost of one."""

    atom: Signed
    prior: Annotated[float, Field(gt=0, lt=1)] | None = None
    cost: Annotated[Finite, Field(ge=0)] | None = None

    @property
    def worth(self) -> float:
        """What assuming it costs: its log odds against, where it has a prior."""
        return log((1 - self.prior) / self.prior) if self.prior is not None else 1.0 if self.cost is None else self.cost


class Explain(Knowledge):
    """The smallest assumptions that explain the observations.

    With `explains` derive, the observations must follow from facts, rules and assumptions; with consistent, the rules
    say how things normally are (`{"not": ["broken", "?x"]}`) and the observations must no longer contradict them.
    Each of `constraints` is a list of conditions that never hold together. `tests` are what could be looked at next.
    """

    kind: Literal["explanation"] = "explanation"
    observations: Annotated[
        tuple[Annotated[Stated | Denied | Atom, shaped("neg", "atom")], ...], Field(min_length=1, max_length=200)
    ]
    abducibles: Annotated[
        tuple[Annotated[Assumable | Denied | Atom, shaped("neg", "atom")], ...], Field(min_length=1, max_length=500)
    ]
    constraints: Annotated[tuple[Body, ...], Field(max_length=500)] = ()
    explains: Literal["derive", "consistent"] = "derive"
    tests: Annotated[tuple[Signed, ...], Field(max_length=500)] = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "explanation",
        "rules": [
            {"id": "rain", "if": [["rained"]], "then": ["wet", "grass"], "factor": 0.9},
            {"id": "sprinkler", "if": [["sprinkler", "on"]], "then": ["wet", "grass"]},
            {"id": "road", "if": [["rained"]], "then": ["wet", "road"]},
        ],
        "observations": [["wet", "grass"]],
        "abducibles": [{"atom": ["rained"], "prior": 0.3}, {"atom": ["sprinkler", "on"], "prior": 0.1}],
    }

    @model_validator(mode="after")
    def _all_is_ground(self) -> Self:
        variable = next((one for one in (*self.observed, *self.assumable, *self.testable) if one.variables), None)
        if variable is not None:
            msg = f"{variable} has a variable; observations, assumptions and tests are about things with names"
            raise ValueError(msg)
        _ = self.integrity
        return self

    @cached_property
    def observed(self) -> dict[Ground, tuple[float, str]]:
        """The observations, each with its confidence and id."""
        return {
            literal(one.atom if isinstance(one, Stated) else one): (one.confidence, one.id)
            if isinstance(one, Stated)
            else (1.0, "")
            for one in self.observations
        }

    @cached_property
    def assumable(self) -> dict[Ground, Assumable]:
        """What may be assumed."""
        told = (one if isinstance(one, Assumable) else Assumable(atom=one) for one in self.abducibles)
        return {literal(one.atom): one for one in told}

    @cached_property
    def testable(self) -> tuple[Ground, ...]:
        """What could be looked at."""
        return tuple(map(literal, self.tests))

    @cached_property
    def integrity(self) -> tuple[Clause, ...]:
        """The constraints as rules to what must not follow."""
        return tuple(clause(f"constraint {number}", body, BROKEN) for number, body in enumerate(self.constraints, 1))
