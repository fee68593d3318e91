"""Satisfiability of first-order formulas by grounding, exact for the decidable class.

Without variables that depend on others (the effectively propositional class) the terms are the constants and one
witness for each existential, and the ground formulas decide. With them two searches meet. A model over the constants
and a few more things proves satisfiability; a contradiction among the instances over terms of bounded depth proves the
opposite (Herbrand).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Literal, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels.circuit import Circuit, Node
from mabos.knowledge.reasoning.kernels.formula import Atom, Formula, JoinedFormula, Quantified, atoms, constants

MOST_INSTANCES = 60_000
"""Ground instances of one search; a search that needs more is left out."""

Term: TypeAlias = str | tuple["Term", ...]
"""A name, or a witness with what it depends on."""
Model: TypeAlias = frozenset[tuple[str, tuple[Term, ...]]]
Verdict = Literal["satisfiable", "unsatisfiable", "undecided"]


@dataclass(frozen=True, slots=True)
class Decided:
    """The satisfiability of formulas, a model, if any, and the bound of the search."""

    verdict: Verdict
    model: tuple[str, ...] = ()
    things: tuple[str, ...] = ()
    bound: str = ""


def decide(formulas: Sequence[Formula], budget: Budget, *, witnesses: int = 2) -> Decided:
    """Return whether the formulas can all be true. Raises `OutOfTime`."""
    told = [_normal(one, holds=True) for one in _with_equality(formulas)]
    names = sorted(frozenset[str]().union(*map(constants, told)))
    existentials = _Existentials()
    for one in told:
        existentials.walk(one, {})
    terms = existentials.terms(names, 0)
    at_most(_size(told, len(terms), finite=False), MOST_INSTANCES, "ground instances", argument="problem")
    found = _model(told, _Ground(Circuit(), terms, budget, existentials))
    if found is None or not existentials.functions:
        return Decided("unsatisfiable") if found is None else _describe_model(found, terms)
    for extra in range(witnesses + 1):
        things: list[Term] = [*names, *((f"#{number}",) for number in range(1, extra + 1))] or [("#1",)]
        if _size(told, len(things), finite=True) <= MOST_INSTANCES:
            found = _model(told, _Ground(Circuit(), things, budget, None))
            if found is not None:
                return _describe_model(found, things)
        deeper = existentials.terms(names, extra)
        if extra and _size(told, len(deeper), finite=False) <= MOST_INSTANCES:
            found = _model(told, _Ground(Circuit(), deeper, budget, existentials))
            if found is None:
                return Decided("unsatisfiable")
    bound = f"no model of up to {witnesses} more things, no contradiction to depth {witnesses}"
    return Decided("undecided", bound=bound)


def _model(formulas: Sequence[Formula], over: "_Ground") -> Model | None:
    """Return the atoms true in a model over the things, or None without one."""
    return over.circuit.satisfied([_ground(one, {}, over) for one in formulas], over.budget)


def _describe_model(model: Model, things: Iterable[Term]) -> Decided:
    true = sorted(
        f"{predicate}({', '.join(map(_format_term, terms))})" if terms else predicate for predicate, terms in model
    )
    return Decided("satisfiable", tuple(true), tuple(sorted(map(_format_term, things))))


def _format_term(term: Term) -> str:
    if isinstance(term, str):
        return term
    return f"{term[0]}({', '.join(map(_format_term, term[1:]))})" if len(term) > 1 else str(term[0])


def _with_equality(formulas: Sequence[Formula]) -> list[Formula]:
    """Return the formulas with the axioms of equality, where they use `=`."""
    used = {(one.predicate, len(one.terms)) for formula in formulas for one in atoms(formula)}
    if ("=", 2) not in used:
        return list(formulas)
    same = JoinedFormula("implies", (Atom("=", ("x", "y")), Atom("=", ("y", "x"))))
    chain = JoinedFormula(
        "implies", (JoinedFormula("and", (Atom("=", ("x", "y")), Atom("=", ("y", "z")))), Atom("=", ("x", "z")))
    )
    axioms = [_for_all(("x",), Atom("=", ("x", "x"))), _for_all(("x", "y"), same), _for_all(("x", "y", "z"), chain)]
    for predicate, places in sorted(used - {("=", 2)}):
        for place in range(places):
            terms = tuple(f"x{number}" for number in range(places))
            other = (*terms[:place], "y", *terms[place + 1 :])
            before = JoinedFormula("and", (Atom("=", (terms[place], "y")), Atom(predicate, terms)))
            axioms.append(_for_all((*terms, "y"), JoinedFormula("implies", (before, Atom(predicate, other)))))
    return [*formulas, *axioms]


def _for_all(variables: Sequence[str], body: Formula) -> Formula:
    for variable in reversed(variables):
        body = Quantified(True, variable, body)
    return body


def _normal(formula: Formula, *, holds: bool) -> Formula:
    """Return a formula, or its denial, of `and`, `or`, quantifiers and atoms or denied atoms alone."""
    match formula:
        case Atom():
            return formula if holds else JoinedFormula("not", (formula,))
        case Quantified(every=every, variable=variable, body=body):
            return Quantified(every is holds, variable, _normal(body, holds=holds))
        case JoinedFormula(op="not", parts=(part,)):
            return _normal(part, holds=not holds)
        case JoinedFormula(op="and" | "or", parts=parts):
            return JoinedFormula(
                "and" if (formula.op == "and") is holds else "or", tuple(_normal(one, holds=holds) for one in parts)
            )
        case JoinedFormula(op="implies", parts=(left, right)):
            return _normal(JoinedFormula("or", (JoinedFormula("not", (left,)), right)), holds=holds)
        case JoinedFormula(op="iff" | "xor", parts=(left, right)):
            alike = (formula.op == "iff") is holds
            sides = [
                JoinedFormula("and", (_normal(left, holds=side), _normal(right, holds=side is alike)))
                for side in (True, False)
            ]
            return JoinedFormula("or", tuple(sides))
    msg = f"{formula} has a box or diamond, which first-order logic does not know; ask the modal method"
    raise InvalidArgument(msg, argument="problem")


@dataclass(slots=True)
class _Existentials:
    """The witnesses put in for existentials: a term of its own for each formula, of the values it depends on."""

    names: dict[tuple[Quantified, tuple[str, ...]], str] = field(default_factory=dict)
    fixed: dict[Term, None] = field(default_factory=dict)
    functions: dict[str, int] = field(default_factory=dict)

    def walk(self, formula: Formula, bound: Mapping[str, Term | None]) -> None:
        """Note the existentials of a normal formula; a variable is bound to None where its value may be anything."""
        if isinstance(formula, JoinedFormula):
            for part in formula.parts:
                self.walk(part, bound)
        elif isinstance(formula, Quantified):
            value = None if formula.every else self._record_witness(formula, bound)
            self.walk(formula.body, {**bound, formula.variable: value})

    def _record_witness(self, formula: Quantified, bound: Mapping[str, Term | None]) -> Term | None:
        on = tuple(sorted(constants(formula) & bound.keys()))
        name = self.names.setdefault((formula, on), f"∃{len(self.names) + 1}")
        values = [bound[variable] for variable in on]
        if any(value is None for value in values):
            self.functions[name] = len(on)
            return None
        term = (name, *(value for value in values if value is not None))
        self.fixed[term] = None
        return term

    def witness(self, formula: Quantified, values: Mapping[str, Term]) -> Term:
        """Return the witness of an existential for these values of the variables."""
        on = tuple(sorted(constants(formula) & values.keys()))
        return (self.names[formula, on], *(values[variable] for variable in on))

    def terms(self, names: Sequence[str], depth: int) -> list[Term]:
        """Return the constants and witnesses, those that depend on others nested `depth` deep at most."""
        known: dict[Term, None] = dict.fromkeys([*names, *self.fixed]) or {("#1",): None}
        for _ in range(depth):
            room = sum(len(known) ** places for places in self.functions.values())
            if room > MOST_INSTANCES:
                break
            deeper = [
                (name, *values) for name, places in self.functions.items() for values in product(known, repeat=places)
            ]
            known |= dict.fromkeys(deeper)
        return list(known)


@dataclass(frozen=True, slots=True)
class _Ground:
    """What formulas are grounded over; without `existentials` what exists is among the things."""

    circuit: Circuit[tuple[str, tuple[Term, ...]]]
    things: Sequence[Term]
    budget: Budget
    existentials: _Existentials | None


def _ground(formula: Formula, values: dict[str, Term], over: _Ground) -> Node:
    """Return a normal formula as a node, its variables having these values."""
    circuit = over.circuit
    match formula:
        case Atom(predicate=predicate, terms=terms):
            return circuit.atom((predicate, tuple(values.get(term, term) for term in terms)))
        case JoinedFormula(op="not", parts=(part,)):
            return circuit.negate_node(_ground(part, values, over))
        case JoinedFormula():
            parts = [_ground(part, values, over) for part in formula.parts]
            return circuit.all(parts) if formula.op == "and" else circuit.any(parts)
    over.budget.check()
    if not formula.every and over.existentials is not None:
        witness = over.existentials.witness(formula, values)
        return _ground(formula.body, {**values, formula.variable: witness}, over)
    instances = [_ground(formula.body, {**values, formula.variable: thing}, over) for thing in over.things]
    return circuit.all(instances) if formula.every else circuit.any(instances)


def _size(formulas: Iterable[Formula], things: int, *, finite: bool) -> int:
    """Return how many ground atoms normal formulas have."""
    total = 0
    for one in formulas:
        match one:
            case Atom():
                total += 1
            case JoinedFormula(parts=parts):
                total += _size(parts, things, finite=finite)
            case Quantified():
                total += (things if one.every or finite else 1) * _size((one.body,), things, finite=finite)
    return total
