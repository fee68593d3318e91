"""Answer sets on clingo: our own rules as text, a caller's names only as symbols.

A name never becomes part of a program text, so quotes or code in it are harmless. Grounding cannot be interrupted:
callers bound the sizes of their domains first (`budget.at_most`). Gebser et al., Multi-shot ASP solving with clingo,
TPLP 2019.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from mabos.knowledge.reasoning.budget import Budget, OutOfTime

if TYPE_CHECKING:
    import clingo

Term: TypeAlias = str | int | tuple["Term", ...]
"""A name, an integer, or a tuple of terms."""
Atom: TypeAlias = tuple[str, tuple[Term, ...]]
"""A predicate of our own and its arguments."""
Model: TypeAlias = frozenset[Atom]
Consequences = Literal["brave", "cautious"]


@dataclass(frozen=True, slots=True)
class AnswerSetProgram:
    """Our own rules and the facts of a problem.

    `shown` are the predicates with arities that make up a model.
    """

    rules: str
    facts: Sequence[Atom]
    shown: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Optimum:
    """The best models found, their costs by falling priority, and whether they are proved optimal."""

    models: tuple[Model, ...]
    cost: tuple[int, ...]
    proved: bool


def models(
    program: AnswerSetProgram, budget: Budget, *, limit: int = 0, options: Sequence[str] = ()
) -> Iterator[Model]:
    """Yield the answer sets of a program, at most `limit` of them (0: all). Raises `OutOfTime`."""
    control = _ground_program(program, budget, [f"--models={limit}", *options])
    with control.solve(yield_=True, async_=True) as handle:
        while True:
            handle.resume()
            _await(handle, budget)
            model = handle.model()
            if model is None:
                return
            yield _atoms(model)


def satisfiable(program: AnswerSetProgram, budget: Budget) -> Model | None:
    """Return one answer set, or None without one. Raises `OutOfTime`."""
    return next(models(program, budget, limit=1), None)


def consequences(program: AnswerSetProgram, which: Consequences, budget: Budget) -> Model | None:
    """Return the atoms that hold in some (brave) or every (cautious) answer set; None without answer sets."""
    last: Model | None = None
    for last in models(program, budget, options=[f"--enum-mode={which}"]):  # noqa: B007  # the last one stands
        pass
    return last


def subset_extremal(
    program: AnswerSetProgram, atoms: str, budget: Budget, *, largest: bool = False, limit: int = 0
) -> Iterator[Model]:
    """Yield the answer sets whose set of true `atoms` is minimal by inclusion, or with `largest` maximal.

    `atoms` has the syntax of `#heuristic`: `in(A) : arg(A)`. By domain heuristics and the exclusion of found sets
    (Gebser et al., AAAI 2013).
    """
    rules = f"{program.rules}\n#heuristic {atoms}. [1,{'true' if largest else 'false'}]\n"
    narrowed = AnswerSetProgram(rules, program.facts, program.shown)
    yield from models(narrowed, budget, limit=limit, options=["--heuristic=Domain", "--enum-mode=domRec"])


def optimal(program: AnswerSetProgram, budget: Budget, *, limit: int = 1) -> Optimum:
    """Return the answer sets of least cost (`#minimize` in the rules), at most `limit` (0: all).

    On timeout, return the best so far, `proved` False; raise `OutOfTime` if there was none. An `Optimum` without models
    means that no answer set exists.
    """
    control = _ground_program(program, budget, ["--models=0", "--opt-mode=optN" if limit != 1 else "--opt-mode=opt"])
    found: list[Model] = []
    cost: tuple[int, ...] = ()
    proved = False
    with control.solve(yield_=True, async_=True) as handle:
        while True:
            handle.resume()
            try:
                _await(handle, budget)
            except OutOfTime:
                if not found:
                    raise
                return Optimum(tuple(found[-1:]), cost, proved=False)
            model = handle.model()
            if model is None:
                return Optimum(tuple(found[-1:] if limit == 1 else found), cost, proved=True)
            if limit != 1 and model.optimality_proven:
                found = [*found, _atoms(model)] if proved else [_atoms(model)]
                cost, proved = tuple(model.cost), True
                if limit and len(found) == limit:
                    return Optimum(tuple(found), cost, proved=True)
            elif not proved:
                found, cost = [_atoms(model)], tuple(model.cost)


def _ground_program(program: AnswerSetProgram, budget: Budget, options: Sequence[str]) -> "clingo.Control":
    import clingo

    budget.check()
    control = clingo.Control(["--seed=1", "--parallel-mode=1", *options], logger=_silent, message_limit=0)
    shown = "".join(f"#show {name}/{arity}.\n" for name, arity in program.shown) or "#show.\n"
    control.add("base", [], program.rules + "\n" + shown)
    with control.backend() as backend:
        for predicate, arguments in budget.each(program.facts, every=64):
            atom = clingo.Function(predicate, [_symbol(argument) for argument in arguments])
            backend.add_rule([backend.add_atom(atom)])
    control.ground([("base", [])])
    return control


def _silent(_code: object, _message: str) -> None:
    """Say nothing of predicates without atoms, which are normal where a problem leaves a part out."""


def _await(handle: "clingo.SolveHandle", budget: Budget) -> None:
    """Wait for the next model or the end. Raises `OutOfTime`, the search then being cancelled."""
    left = budget.left
    if left is not None and not handle.wait(left):
        handle.cancel()
        budget.check()
        raise OutOfTime("no result within the time limit; allow more time, or give a smaller problem")


def _symbol(term: Term) -> "clingo.Symbol":
    import clingo

    match term:
        case str():
            return clingo.String(term)
        case int():
            return clingo.Number(term)
        case _:
            return clingo.Tuple_([_symbol(inner) for inner in term])


def _term(symbol: "clingo.Symbol") -> Term:
    import clingo

    if symbol.type is clingo.SymbolType.String:
        return symbol.string
    if symbol.type is clingo.SymbolType.Number:
        return symbol.number
    if symbol.name:  # a constant of our own rules
        return symbol.name
    return tuple(_term(inner) for inner in symbol.arguments)


def _atoms(model: "clingo.Model") -> Model:
    return frozenset((one.name, tuple(_term(inner) for inner in one.arguments)) for one in model.symbols(shown=True))


def arguments(model: Iterable[Atom], predicate: str) -> list[tuple[Term, ...]]:
    """Return the arguments of each atom of `predicate` in a model, sorted."""
    return sorted((inner for name, inner in model if name == predicate), key=repr)
