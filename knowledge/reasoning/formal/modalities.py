"""The problem of what follows in a logic of necessity, knowledge, belief or duty."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.formal.formulas import Premises, Text, read, told
from mabos.knowledge.reasoning.kernels.formula import Formula, parse
from mabos.knowledge.reasoning.kernels.kripke import Logic, boxed
from mabos.knowledge.reasoning.problem import Problem

DUTY: Mapping[str, Literal["box", "diamond"]] = {"O": "box", "P": "diamond"}
"""Standard deontic logic: it ought to be, it may be."""


class ModalArgument(Problem):
    """Whether a goal is true at every world where the premises are, in all frames of a logic.

    `[]p` or `□p` is true where p is at every world seen from there, `<>p` or `◇p` where it is at some.
    """

    kind: Literal["modal"] = "modal"
    logic: Logic = "K"
    premises: Premises = ()
    goal: Text
    worlds: Annotated[int, Field(ge=1, le=8)] = 4

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "modal",
        "logic": "S4",
        "premises": ["[]p"],
        "goal": "[][]p",
    }

    @model_validator(mode="after")
    def _all_is_propositional(self) -> Self:
        for label, text in [*told(self.premises), ("goal", self.goal)]:
            propositional(read(text, label), label)
        return self

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The premises, read."""
        return tuple(parse(text) for _, text in told(self.premises))


def propositional(formula: Formula, label: str) -> None:
    """Raise `ValueError`, as validators do, for terms and quantifiers."""
    try:
        boxed(formula)
    except InvalidArgument as error:
        msg = f"{label}: {error.message}"
        raise ValueError(msg) from None
