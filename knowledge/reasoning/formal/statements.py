"""The notation of facts, rules and formulas in logic problems."""

from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.kernels.clauses import HornClause, SignedAtom, TermComparison, is_variable
from mabos.knowledge.reasoning.kernels.formula import Formula, parse
from mabos.knowledge.reasoning.problem import Premise, Probability, ProblemPart, ReasoningProblem
from mabos.knowledge.values import OPERATORS


def _as_text(term: object) -> object:
    """Return a number or truth value of JSON as its text."""
    if isinstance(term, bool):
        return str(term).lower()
    return f"{term:g}" if isinstance(term, float) else str(term) if isinstance(term, int) else term


Term = Annotated[str, BeforeValidator(_as_text), Field(max_length=2_000)]
Atom = Annotated[tuple[Term, ...], Field(min_length=1, max_length=12)]
"""A predicate and its arguments; variables begin with `?`."""


class Denied(ProblemPart):
    """The explicit denial of an atom, which is stronger than its absence."""

    neg: Atom


class Absent(ProblemPart):
    """The absence of an atom (negation as failure)."""

    nothing_says: Atom | Denied = Field(alias="not")


class ComparedTerms(ProblemPart):
    """A comparison of two terms."""

    compare: tuple[Term, Term, Term]


def require_shape(*keys: str) -> BeforeValidator:
    """Return a check for an atom or an object with one of the keys, with a single clear error."""

    def check(told: object) -> object:
        atom = isinstance(told, (list, tuple)) and {str, int, float, bool}.issuperset(map(type, told)) and told
        if atom or isinstance(told, ProblemPart) or (isinstance(told, dict) and any(key in told for key in keys)):
            return told
        forms = " or ".join(f"an object with {key!r}" for key in keys)
        raise ValueError(f'{str(told)[:60]} is not an atom like ["kind", "Bob"], nor {forms}')

    return BeforeValidator(check)


Signed = Annotated[Atom | Denied, require_shape("neg")]
Body = tuple[Annotated[Atom | Denied | Absent | ComparedTerms, require_shape("neg", "not", "compare")], ...]


class StatedFact(ProblemPart):
    """A fact of any arity, with its id."""

    id: str = ""
    atom: Signed
    confidence: Probability = 1.0


Fact = Annotated[Premise | StatedFact | Denied | Atom, require_shape("neg", "atom", "subject")]


class HornRule(ProblemPart):
    """A rule: `then` holds if all of `if` does, with its lowest confidence times `factor`."""

    id: str = ""
    conditions: Body = Field(alias="if", max_length=40)
    then: Signed
    factor: Probability = 1.0


def literal(signed: Atom | Denied) -> SignedAtom:
    """Return an atom or its denial as a signed atom."""
    return SignedAtom(signed.neg, holds=False) if isinstance(signed, Denied) else SignedAtom(signed)


def clause(name: str, body: Body, head: SignedAtom, factor: float = 1.0) -> HornClause:
    """Return a rule in the kernel's form. Raises `ValueError` for an unsafe rule."""
    found = HornClause(
        name,
        head,
        tuple(literal(one) for one in body if isinstance(one, tuple | Denied)),
        tuple(literal(one.nothing_says) for one in body if isinstance(one, Absent)),
        tuple(TermComparison(*one.compare) for one in body if isinstance(one, ComparedTerms)),
        factor,
    )
    if found.unsafe:
        msg = f"rule {name}: {found.unsafe} is in none of its plain conditions, so it is unbound; add one"
        raise ValueError(msg)
    strange = next((one.operator for one in found.comparisons if one.operator not in OPERATORS), None)
    if strange is not None:
        raise ValueError(f"rule {name}: no operator {strange!r}; use one of {', '.join(OPERATORS)}")
    for one in (head, *found.body, *found.unless):
        if is_variable(one.atom[0]):
            raise ValueError(f"rule {name}: the predicate {one.atom[0]} is a variable; give a name")
    return found


class Knowledge(ReasoningProblem):
    """Facts and rules, the common basis of several logic problems."""

    facts: Annotated[tuple[Fact, ...], Field(max_length=50_000)] = ()
    rules: Annotated[tuple[HornRule, ...], Field(max_length=5_000)] = ()

    @model_validator(mode="after")
    def _facts_and_rules_are_sound(self) -> Self:
        _ = self.clauses
        variable = next((str(one) for one in self.stated if one.variables or is_variable(one.atom[0])), None)
        if variable is not None:
            raise ValueError(f"the fact {variable} has a variable; only rules and questions may have one")
        return self

    @cached_property
    def stated(self) -> dict[SignedAtom, tuple[float, str]]:
        """The facts, each with its best confidence and its id."""
        found: dict[SignedAtom, tuple[float, str]] = {}
        for fact in self.facts:
            one, confidence, name = _ground_fact(fact)
            if one not in found or (-confidence, name) < (-found[one][0], found[one][1]):
                found[one] = (confidence, name)
        return found

    @cached_property
    def clauses(self) -> tuple[HornClause, ...]:
        """The rules; one without an id is called by its number."""
        return tuple(
            clause(rule.id or f"#{number}", rule.conditions, literal(rule.then), rule.factor)
            for number, rule in enumerate(self.rules, 1)
        )


def _ground_fact(fact: Fact) -> tuple[SignedAtom, float, str]:
    match fact:
        case Premise():
            return SignedAtom((fact.predicate, fact.subject, fact.object)), fact.confidence, fact.id
        case StatedFact():
            return literal(fact.atom), fact.confidence, fact.id
    return literal(fact), 1.0, ""


Text = Annotated[str, Field(min_length=1, max_length=5_000)]


class StatedFormula(ProblemPart):
    """A formula with its citation id."""

    id: str = ""
    says: Text


Premises = Annotated[tuple[Text | StatedFormula, ...], Field(max_length=500)]


def label_premises(premises: tuple[str | StatedFormula, ...]) -> list[tuple[str, str]]:
    """Return the label and the text of each premise; one without an id is called by its number."""
    said = [one if isinstance(one, StatedFormula) else StatedFormula(says=one) for one in premises]
    return [(one.id or f"#{number}", one.says) for number, one in enumerate(said, 1)]


def parse_formula(text: str, where: str, *, words: Mapping[str, Literal["box", "diamond"]] | None = None) -> Formula:
    """Return the formula in a text. Raises `ValueError`, as validators do, with the formula."""
    try:
        return parse(text, words=words)
    except InvalidArgument as error:
        raise ValueError(f"{where}: {error.message}") from None
