"""Argumentation: find the arguments that survive mutual attacks (Dung 1995; Baroni et al. 2018)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.problem import Name, ProblemPart, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep


class Attack(ProblemPart):
    """An attack of one argument on another."""

    by: Name
    on: Name


class Arguments(ReasoningProblem):
    """Arguments and their attacks (Dung 1995). `prefer` lists pairs: an attack on a preferred argument fails."""

    kind: Literal["arguments"] = "arguments"
    arguments: Annotated[tuple[Name, ...], Field(min_length=1)]
    attacks: tuple[Attack, ...] = ()
    prefer: tuple[tuple[Name, Name], ...] = ()
    query: Name | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "arguments",
        "arguments": ["quaker", "republican", "votes"],
        "attacks": [{"by": "quaker", "on": "republican"}, {"by": "republican", "on": "quaker"}],
        "query": "quaker",
    }

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        known = set(self.arguments)
        if len(known) != len(self.arguments):
            raise ValueError("an argument is named twice")
        pairs = [(attack.by, attack.on) for attack in self.attacks] + list(self.prefer)
        named = {name for pair in pairs for name in pair} | ({self.query} if self.query else set())
        if strange := sorted(named - known):
            raise ValueError(f"{strange[0]!r} is not among the arguments")
        return self


LARGEST = 2_000
"""Arguments of one framework."""
MOST_SHOWN = 64
"""Extensions of one kind that are listed."""
_COMPLETE = """
{in(A)} :- arg(A).
defeated(A) :- in(B), att(B,A).
:- in(A), in(B), att(A,B).
:- in(A), att(B,A), not defeated(B).
:- arg(A), not in(A), defeated(B) : att(B,A).
"""
_STABLE = """
{in(A)} :- arg(A).
defeated(A) :- in(B), att(B,A).
:- in(A), defeated(A).
:- arg(A), not in(A), not defeated(A).
"""
Standing = Literal["in", "out", "undecided"]


@dataclass(frozen=True, slots=True)
class Extensions:
    """The accepted arguments: `grounded` labels for all, the preferred and stable extensions (at most 64 each), and of
    the query whether some (credulously) or every (sceptically) preferred extension has it."""

    grounded: dict[str, Standing]
    preferred: tuple[tuple[str, ...], ...]
    stable: tuple[tuple[str, ...], ...]
    credulous: bool | None = None
    sceptical: bool | None = None


def estimate(problem: Arguments) -> float:
    """Return about how many milliseconds this takes."""
    return 8.0 + 0.05 * len(problem.arguments) + 0.05 * len(problem.attacks)


def solve(problem: Arguments, budget: Budget) -> MethodResult[Extensions]:
    """Return the accepted arguments. An unbroken tie is `unknown`, not a guess."""
    at_most(len(problem.arguments), LARGEST, "arguments", argument="arguments")
    attacks = _effective(problem)
    labels, trace = _label_grounded(problem.arguments, attacks, budget)
    assumptions: list[str] = []
    status: Status = "computed"
    try:
        preferred = _list_extensions(problem, attacks, budget, stable=False)
        stable = _list_extensions(problem, attacks, budget, stable=True)
        credulous, sceptical = _decide_acceptance(problem, attacks, labels, preferred, budget)
    except OutOfTime:
        status, preferred, stable = "timeout", (), ()
        credulous = sceptical = {"in": True, "out": False}.get(labels.get(problem.query or "", "undecided"))
        assumptions.append("only certain arguments were considered")
    if len(preferred) >= MOST_SHOWN:
        assumptions.append(f"only the first {MOST_SHOWN} extensions are listed")
    query = problem.query
    if query is not None and (status == "computed" or sceptical is not None):
        status = "proved" if sceptical else "disproved" if credulous is False else "unknown"
    return MethodResult(
        status,
        Extensions(labels, preferred, stable, credulous, sceptical),
        _summary(query, labels, preferred),
        claims=(AnswerClaim(query, "stands", labels[query]),) if query else (),
        confidence=1.0 if status in ("proved", "disproved") else None,
        confidence_kind="proof",
        trace=trace,
        witness={"attacks": sorted(attacks)},
        assumptions=tuple(assumptions),
    )


def _decide_acceptance(
    problem: Arguments,
    attacks: frozenset[tuple[str, str]],
    labels: Mapping[str, Standing],
    preferred: tuple[tuple[str, ...], ...],
    budget: Budget,
) -> tuple[bool | None, bool | None]:
    """Return whether some and whether every preferred extension has the query; None where that was not decided."""
    query = problem.query
    if query is None:
        return None, None
    if len(preferred) < MOST_SHOWN:
        return any(query in one for one in preferred), all(query in one for one in preferred)
    brave = asp.consequences(_program(problem, attacks, _COMPLETE), "brave", budget) or frozenset()
    credulous = ("in", (query,)) in brave  # what is in a complete extension is in a preferred one
    if labels[query] == "in":
        return True, True
    return credulous, False if any(query not in one for one in preferred) else None


def _effective(problem: Arguments) -> frozenset[tuple[str, str]]:
    """Return the attacks that succeed: those on an argument preferred to the attacker do not."""
    preferred = set(problem.prefer)
    return frozenset((one.by, one.on) for one in problem.attacks if (one.on, one.by) not in preferred)


def _label_grounded(
    arguments: tuple[str, ...], attacks: frozenset[tuple[str, str]], budget: Budget
) -> tuple[dict[str, Standing], tuple[TraceStep, ...]]:
    """Return the labels of the grounded extension and why each was given, by the fixed point of defence."""
    attackers: dict[str, list[str]] = {name: [] for name in arguments}
    for by, on in sorted(attacks):
        attackers[on].append(by)
    labels: dict[str, Standing] = dict.fromkeys(arguments, "undecided")
    trace: list[TraceStep] = []
    moved = True
    while moved:
        moved = False
        budget.check()
        for name in arguments:
            if labels[name] != "undecided":
                continue
            against = attackers[name]
            if all(labels[by] == "out" for by in against):
                labels[name], why = "in", "no attacker stands" if against else "nothing attacks it"
            elif standing := next((by for by in against if labels[by] == "in"), None):
                labels[name], why, against = "out", f"{standing} attacks it and stands", [standing]
            else:
                continue
            trace.append(TraceStep(f"{name} is {labels[name]}: {why}", "grounded", tuple(against), name))
            moved = True
    return labels, tuple(trace)


def _list_extensions(
    problem: Arguments, attacks: frozenset[tuple[str, str]], budget: Budget, *, stable: bool
) -> tuple[tuple[str, ...], ...]:
    """Return the stable, or else the preferred, extensions, sorted; at most `MOST_SHOWN`."""
    program = _program(problem, attacks, _STABLE if stable else _COMPLETE)
    found = (
        asp.models(program, budget, limit=MOST_SHOWN)
        if stable
        else asp.subset_extremal(program, "in(A) : arg(A)", budget, largest=True, limit=MOST_SHOWN)
    )
    return tuple(sorted(tuple(str(name) for (name,) in asp.arguments(model, "in")) for model in found))


def _program(problem: Arguments, attacks: frozenset[tuple[str, str]], rules: str) -> asp.AnswerSetProgram:
    facts = [("arg", (name,)) for name in problem.arguments] + [("att", pair) for pair in sorted(attacks)]
    return asp.AnswerSetProgram(rules, facts, (("in", 1),))


def _summary(query: str | None, labels: dict[str, Standing], preferred: tuple[tuple[str, ...], ...]) -> str:
    standing = sorted(name for name, label in labels.items() if label == "in")
    told = f"accepted beyond doubt: {', '.join(standing) or 'none'}; {len(preferred)} preferred extension(s)"
    return told if query is None else f"{query} is {labels[query]}; {told}"
