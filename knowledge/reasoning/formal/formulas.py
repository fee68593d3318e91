"""The problem of what follows from formulas of first-order logic."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.kernels.formula import Formula, atoms, is_modal, parse
from mabos.knowledge.reasoning.problem import Part, Problem

Text = Annotated[str, Field(min_length=1, max_length=5_000)]


class Said(Part):
    """A formula with the id under which a result cites it."""

    id: str = ""
    says: Text


Premises = Annotated[tuple[Text | Said, ...], Field(max_length=500)]


def told(premises: tuple[str | Said, ...]) -> list[tuple[str, str]]:
    """Return the label and the text of each premise; one without an id is called by its number."""
    said = [one if isinstance(one, Said) else Said(says=one) for one in premises]
    return [(one.id or f"#{number}", one.says) for number, one in enumerate(said, 1)]


def read(text: str, where: str, *, words: Mapping[str, Literal["box", "diamond"]] | None = None) -> Formula:
    """Return the formula a text says. Raises `ValueError`, as validators do, naming the formula."""
    try:
        return parse(text, words=words)
    except InvalidArgument as error:
        msg = f"{where}: {error.message}"
        raise ValueError(msg) from None


class FirstOrder(Problem):
    """Whether a goal holds in all models of the premises; names that no quantifier binds are constants.

    `witnesses` is how many unnamed things, and how deep a nesting of what exists for what, is looked at where the
    formulas are beyond the class that is decided exactly.
    """

    kind: Literal["fol"] = "fol"
    premises: Premises = ()
    goal: Text
    witnesses: Annotated[int, Field(ge=0, le=4)] = 2

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "fol",
        "premises": ["∀x (Man(x) → Mortal(x))", {"id": "B-1", "says": "Man(socrates)"}],
        "goal": "Mortal(socrates)",
    }

    @model_validator(mode="after")
    def _all_is_first_order(self) -> Self:
        places: dict[str, int] = {}
        for label, text in [*told(self.premises), ("goal", self.goal)]:
            formula = read(text, label)
            if is_modal(formula):
                msg = f"{label}: {text[:60]!r} has a box or diamond; that is a problem of kind modal"
                raise ValueError(msg)
            for atom in atoms(formula):
                before = places.setdefault(atom.predicate, len(atom.terms))
                if before != len(atom.terms):
                    msg = f"{label}: {atom.predicate!r} has {len(atom.terms)} places here and {before} before"
                    raise ValueError(msg)
        return self

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The premises, read."""
        return tuple(parse(text) for _, text in told(self.premises))
