"""The problem of what is obligatory, permitted or forbidden, and what has been violated."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.formal.clauses import Body, Knowledge, Signed, clause, literal
from mabos.knowledge.reasoning.formal.formulas import Premises, Text, read, told
from mabos.knowledge.reasoning.formal.modalities import DUTY, propositional
from mabos.knowledge.reasoning.kernels.clauses import Clause
from mabos.knowledge.reasoning.problem import Name, Part

Modality = Literal["obligatory", "permitted", "forbidden"]


class Norm(Part):
    """That an act is obligatory, permitted or forbidden where the conditions hold. Norms of a higher priority win."""

    id: Name
    modality: Modality
    act: Signed
    conditions: Body = Field(alias="if", default=(), max_length=40)
    priority: Annotated[int, Field(ge=-1_000, le=1_000)] = 0

    @property
    def clause(self) -> Clause:
        """The norm as a rule to what it demands or, if it permits, allows. Raises `ValueError` where it is unsafe."""
        act = literal(self.act)
        return clause(self.id, self.conditions, act.opposite if self.modality == "forbidden" else act)


class Asked(Part):
    """Whether an act is obligatory, permitted or forbidden."""

    modality: Modality
    act: Signed


class Norms(Knowledge):
    """Norms, the facts and strict rules they apply to, and an act that is asked about.

    Or, for standard deontic logic, `formulas` with `O p` (p ought to be) and `P p` (p may be) and a formula as `goal`.
    """

    kind: Literal["norms"] = "norms"
    norms: Annotated[tuple[Norm, ...], Field(max_length=500)] = ()
    goal: Asked | Text | None = None
    formulas: Premises = ()

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "norms",
        "norms": [
            {"id": "help", "modality": "obligatory", "act": ["go"]},
            {"id": "warn", "modality": "obligatory", "act": ["tell"], "if": [["go"]]},
            {"id": "no-warning", "modality": "forbidden", "act": ["tell"], "if": [{"neg": ["go"]}]},
        ],
        "facts": [{"id": "F-1", "atom": {"neg": ["go"]}}],
        "goal": {"modality": "forbidden", "act": ["tell"]},
    }

    @model_validator(mode="after")
    def _one_form_is_used(self) -> Self:
        in_formulas = bool(self.formulas) or isinstance(self.goal, str)
        if in_formulas and (self.norms or self.facts or self.rules or not isinstance(self.goal, str)):
            msg = "give norms with facts and rules, or formulas with a formula as goal, not both"
            raise ValueError(msg)
        if not in_formulas and not self.norms:
            msg = "there are no norms"
            raise ValueError(msg)
        for label, text in [*told(self.formulas), *([("goal", self.goal)] if isinstance(self.goal, str) else [])]:
            propositional(read(text, label, words=DUTY), label)
        return self

    @model_validator(mode="after")
    def _norms_are_sound(self) -> Self:
        names = [norm.id for norm in self.norms]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            msg = f"two norms are called {twice!r}"
            raise ValueError(msg)
        for norm in self.norms:
            _ = norm.clause
        if isinstance(self.goal, Asked) and literal(self.goal.act).variables:
            msg = f"the act asked about, {literal(self.goal.act)}, has a variable"
            raise ValueError(msg)
        return self
