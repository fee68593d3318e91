"""Induction from rows: conjunctions that fit, a tree of rules with their values, and the class of a query."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.kernels.decision_tree import (
    FEW,
    ClassTree,
    describe_branch,
    earned_shares,
    earned_strength,
    grow_tree,
)
from mabos.knowledge.reasoning.kernels.shares import wilson
from mabos.knowledge.reasoning.kernels.version_space import version_space
from mabos.knowledge.reasoning.problem import Finite, Name, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

Value = Name | Finite | bool
"""The value of an attribute: a word or a number."""


class Rows(ReasoningProblem):
    """Rows with the same attributes, one of which is the `target`; `query` is a row to classify."""

    kind: Literal["table"] = "table"
    target: Name
    rows: Annotated[tuple[Mapping[Name, Value], ...], Field(min_length=1, max_length=20_000)]
    query: Mapping[Name, Value] | None = None

    example: ClassVar[Mapping[str, Any]] = {
        "kind": "table",
        "target": "churned",
        "rows": [
            {"plan": "basic", "support": "slow", "churned": "yes"},
            {"plan": "basic", "support": "fast", "churned": "no"},
            {"plan": "pro", "support": "slow", "churned": "yes"},
            {"plan": "pro", "support": "fast", "churned": "no"},
        ],
        "query": {"plan": "pro", "support": "slow"},
    }

    @model_validator(mode="after")
    def _rows_are_alike(self) -> Self:
        names = set(self.rows[0])
        if self.target not in names:
            raise ValueError(f"no row has the target {self.target!r}; the first has {', '.join(sorted(names)[:9])}")
        for number, row in enumerate(self.rows):
            if set(row) != names:
                msg = f"row {number} and the first differ in {sorted(set(row) ^ names)[0]!r}; every row names them all"
                raise ValueError(msg)
        if self.query is not None and not set(self.query) <= names - {self.target}:
            strange = sorted(set(self.query) - names | (set(self.query) & {self.target}))
            raise ValueError(f"the query has {strange[0]!r}, which is not an attribute to go by")
        return self

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes to use, in the order of the first row."""
        return tuple(name for name in self.rows[0] if name != self.target)


ENOUGH = 0.6
"""The confidence below which a class is not given: there is not enough evidence."""
_AFFIRMED = frozenset({"yes", "true", "1", "1.0", "positive", "+"})


@dataclass(frozen=True, slots=True)
class TableRule:
    """A rule from `conditions` to a class: how many rows it covers, and how many of them correctly.

    `laplace` is the expected share on further rows, `at_least` the lower end of its 95 % interval (Wilson).
    """

    conditions: tuple[str, ...]
    value: str
    covered: int
    right: int
    precision: float
    laplace: float
    at_least: float


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The conjunctions that cover all rows of class `of` and no others, from most specific to most general.

    A conjunction is given by the attributes it fixes. Empty boundaries mean that there is none. `votes` is how many of
    them cover the query, and their number.
    """

    of: str
    specific: tuple[Mapping[str, Value], ...]
    general: tuple[Mapping[str, Value], ...]
    votes: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class TableRules:
    """Rules, those with most coverage first, and the boundaries of the version space if all attributes are words.

    `value` is the class of the query, and `shares` the classes of the rows in the same leaf.
    """

    rules: tuple[TableRule, ...]
    boundaries: Boundaries | None = None
    value: str | None = None
    shares: Mapping[str, float] | None = None


def estimate(problem: Rows) -> float:
    """Return about how many milliseconds this takes."""
    checked = 1 if len(problem.rows) < FEW else 4
    return 0.3 + 0.004 * checked * len(problem.rows) * len(problem.attributes)


def solve(problem: Rows, budget: Budget) -> MethodResult[TableRules]:
    """Return the rules learned from the rows; on timeout, including rules that could still be split."""
    classes = [str(row[problem.target]) for row in problem.rows]
    tree = grow_tree(problem.rows, classes, problem.attributes, budget)
    rules = _rules(tree, len(tree.counts))
    boundaries, capped, late = _boundaries(problem, classes, budget)
    query = None if problem.query is None else _numbers(problem)
    shares = None if query is None else _estimate_classes(tree, query, problem, classes, budget)
    value = next(iter(shares)) if shares else None
    sure = shares[value] if shares and value is not None else None
    status: Status = "timeout" if late or tree.is_cut else "estimated" if value is not None else "computed"
    if sure is not None and sure < ENOUGH and status == "estimated":
        status = "unknown"
    return MethodResult(
        status,
        TableRules(rules, boundaries, value, shares),
        _summary(problem, tree, rules, value if status != "unknown" else None)
        + (f"; not enough evidence for the query: {value} is {sure:.0%} probable" if status == "unknown" else ""),
        claims=_claims(problem, tree, value, shares) if status != "unknown" else (),
        confidence=sure,
        confidence_kind="frequency",
        trace=_trace(rules, boundaries),
        witness={"tree": tree.plain()},
        assumptions=(
            "rows to come are like those seen",
            *(("only some of the most general conjunctions are listed",) if capped else ()),
        ),
    )


def _estimate_classes(
    tree: ClassTree, query: Mapping[str, Value], problem: Rows, classes: list[str], budget: Budget
) -> dict[str, float]:
    """Return how probable each class of the query is, as sure as held-out rows let one be, the likeliest first."""
    strength = earned_strength(problem.rows, classes, problem.attributes, budget)
    shares = earned_shares(tree, query, strength)
    return dict(sorted(shares.items(), key=lambda one: (-one[1], one[0])))


def _numbers(problem: Rows) -> Mapping[str, Value]:
    """Return the query without the words it says where rows have numbers, which no threshold can weigh."""
    first, query = problem.rows[0], problem.query or {}
    return {name: value for name, value in query.items() if not (type(first[name]) is float and type(value) is str)}


def _rules(tree: ClassTree, classes: int) -> tuple[TableRule, ...]:
    rules = []
    for path, leaf in tree.leaves():
        covered, right = sum(leaf.counts.values()), leaf.counts[leaf.value]
        said = tuple(describe_branch(split, branch) for split, branch in path)
        laplace = (right + 1) / (covered + classes)
        rules.append(TableRule(said, leaf.value, covered, right, right / covered, laplace, wilson(right, covered)[0]))
    return tuple(sorted(rules, key=lambda one: (-one.covered, one.conditions)))


def _boundaries(problem: Rows, classes: list[str], budget: Budget) -> tuple[Boundaries | None, bool, bool]:
    """Return the version space of the affirmed class, else the first row's; whether capped; whether time was up."""
    if any(type(value) is float for row in problem.rows for name, value in row.items() if name != problem.target):
        return None, False, False
    of = next((one for one in sorted(set(classes)) if one.lower() in _AFFIRMED), classes[0])
    positive = [row for row, named in zip(problem.rows, classes, strict=True) if named == of]
    negative = [row for row, named in zip(problem.rows, classes, strict=True) if named != of]
    try:
        space = version_space(positive, negative, problem.attributes, budget)
    except OutOfTime:
        return None, False, True
    if space.is_empty:
        return Boundaries(of, (), ()), False, False
    votes = space.votes(problem.query) if problem.query else None
    return Boundaries(of, (space.specific,), space.general, votes), space.capped, False


def _claims(
    problem: Rows, tree: ClassTree, value: str | None, shares: Mapping[str, float] | None
) -> tuple[AnswerClaim, ...]:
    if value is not None and shares is not None:
        return (AnswerClaim(problem.target, "is", value, tuple(shares.items())),)
    return (AnswerClaim(problem.target, "depends most on", tree.split.attribute),) if tree.split else ()


def _summary(problem: Rows, tree: ClassTree, rules: tuple[TableRule, ...], value: str | None) -> str:
    if tree.split:
        told = f"{len(rules)} rules; {problem.target} depends most on {tree.split.attribute}"
    else:
        most = f"{tree.value} in {tree.counts[tree.value]} of {len(problem.rows)} rows"
        told = f"nothing tells {problem.target} apart: {most}"
    return told if value is None else f"{problem.target} is {value}; {told}"


def _trace(rules: tuple[TableRule, ...], boundaries: Boundaries | None) -> tuple[TraceStep, ...]:
    steps = [
        TraceStep(
            f"{' and '.join(one.conditions) or 'always'}: {one.value} in {one.right} of {one.covered} rows, "
            f"at least {one.at_least:.0%} to be expected",
            "decision tree",
        )
        for one in rules
    ]
    if boundaries is not None:
        edge = [*(("most specific", one) for one in boundaries.specific)]
        edge += [("most general", one) for one in boundaries.general]
        steps += [
            TraceStep(
                f"{which}: {' and '.join(f'{name} = {value}' for name, value in one.items()) or 'anything'}",
                "version space",
            )
            for which, one in edge
        ]
    return tuple(steps)
