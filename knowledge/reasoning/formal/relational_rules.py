"""Induction from relations: the fewest and shortest rules that cover all positive and no negative examples.

Muggleton 1991; the general-to-specific search is a complete version of Quinlan's FOIL (1990), and the bodies are chosen
as a minimum cover by answer sets, as in Popper (Cropper and Morel 2021).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most
from mabos.knowledge.reasoning.formal.recursive_rules import program
from mabos.knowledge.reasoning.formal.relations import (
    Constant,
    LearnedRules,
    Lesson,
    Relational,
    language,
    lesson,
    relations,
)
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.kernels.rule_search import Body, Search
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, Status, TraceStep

MOST_FACTS = 200_000
MOST_EXAMPLES = 20_000
WIDEST = 5
"""Arguments of a relation."""
CLOSE = 400
"""Bodies among which the least cover is looked for exactly."""
SHARES = (1, 3, 12)
"""A body covers at least the positive examples divided by these, one after the other, at last a single one."""


@dataclass(frozen=True, slots=True)
class _RuleCover:
    """The bodies chosen, the positive examples they leave out as bits, and why they may not be the best."""

    bodies: tuple[Body, ...]
    missing: int
    caveats: tuple[str, ...] = ()
    late: bool = False


def estimate(problem: Relational) -> float:
    """Return about how many milliseconds this takes."""
    facts = sum(map(len, problem.background.values()))
    examples = len(problem.positive) + len(problem.negative)
    arguments = sum(len(rows[0]) for rows in problem.background.values() if rows)
    ways = min(1e6, (arguments + 1.0) ** min(3, problem.max_body) * (50.0 if problem.recursion else 1.0))
    return 2.0 + 0.002 * (facts + examples) + 0.05 * ways * problem.arity * (1 + examples / 1000)


def solve(problem: Relational, budget: Budget) -> MethodResult[LearnedRules]:
    """Return the rules learned from the examples. On timeout, return the best so far and the examples they miss."""
    at_most(sum(map(len, problem.background.values())), MOST_FACTS, "facts", argument="background")
    at_most(len(problem.positive) + len(problem.negative), MOST_EXAMPLES, "examples", argument="positive")
    widest = max(map(len, (problem.positive[0], *(rows[0] for rows in problem.background.values() if rows))))
    at_most(widest, WIDEST, "arguments of a relation", argument="background")
    if problem.recursion:
        learned, caveats, late = program(problem, budget)
        return _result(problem, learned, caveats, late=late)
    found = _search_cover(problem, budget)
    lessons = tuple(
        lesson(problem, one.conditions, sum(one.covered >> place & 1 for place in range(len(problem.positive))))
        for one in found.bodies
    )
    missing = tuple(one for place, one in enumerate(problem.positive) if found.missing >> place & 1)
    return _result(problem, LearnedRules(lessons, missing), found.caveats, late=found.late)


def _search_cover(problem: Relational, budget: Budget) -> _RuleCover:
    """Return the best cover by bodies that cover many, then by bodies that cover fewer."""
    count = len(problem.positive)
    wanted = (1 << count) - 1
    known, examples = relations(problem)
    best = _RuleCover((), wanted)
    for support in dict.fromkeys((*(-(-count // share) for share in SHARES), 1)):
        if support < count and problem.max_clauses == 1:
            break  # one rule has them all or there is none
        search = Search(known, language(problem), examples, wanted, support, budget)
        found = _stage(problem, search, best)
        best = min(best, found, key=lambda one: (one.missing.bit_count(), _cost(one.bodies)))
        if found.late or not best.missing:
            return _RuleCover(best.bodies, best.missing, _caveats(search, support), found.late)
    return best


def _caveats(search: Search, support: int) -> tuple[str, ...]:
    """Return the parts left out of the search."""
    few = f"rules that cover fewer than {support} positive examples were not looked for"
    wide = f"{search.skipped} sets of conditions with too many bindings were left out"
    return (*((few,) if support > 1 else ()), *((wide,) if search.skipped else ()))


def _stage(problem: Relational, search: Search, best: _RuleCover) -> _RuleCover:
    """Return the best cover by the bodies of one search; larger bodies are looked at while they could better it."""
    pool: list[Body] = []
    try:
        for size in range(1, problem.max_body + 1):
            cost = _cost(best.bodies)
            if not best.missing and (len(best.bodies) == 1 or size + 1 + 2 >= cost):
                break  # one rule of this size and another would cost as much
            grown = False
            for body in search.bodies(size):
                mine = body.covered & search.wanted
                if not any(mine & ~(one.covered & search.wanted) == 0 for one in pool):
                    pool.append(body)
                    grown = True
            if grown:
                found = _minimize_cover(pool, search, problem.max_clauses)
                best = min(best, found, key=lambda one: (one.missing.bit_count(), _cost(one.bodies)))
    except OutOfTime:
        found = _greedy(pool, search.wanted, problem.max_clauses)
        best = min(best, found, key=lambda one: (one.missing.bit_count(), _cost(one.bodies)))
        return _RuleCover(best.bodies, best.missing, late=True)
    return best


def _cost(bodies: Sequence[Body]) -> int:
    """Return the literals of rules with these bodies."""
    return sum(len(one.conditions) + 1 for one in bodies)


def _greedy(pool: Sequence[Body], wanted: int, limit: int) -> _RuleCover:
    """Return a cover that takes the body that covers most of the rest, again and again; none that others make idle."""
    chosen: list[Body] = []
    left = wanted
    while left and len(chosen) < limit:
        most = max(pool, key=lambda one: ((one.covered & left).bit_count(), -len(one.conditions)), default=None)
        if most is None or not most.covered & left:
            break
        chosen.append(most)
        left &= ~most.covered
    for one in sorted(chosen, key=lambda one: -len(one.conditions)):
        rest = [other for other in chosen if other is not one]
        if not one.covered & wanted & ~_union(rest):
            chosen = rest
    return _RuleCover(tuple(chosen), left)


def _union(bodies: Sequence[Body]) -> int:
    covered = 0
    for one in bodies:
        covered |= one.covered
    return covered


_COVER = """
{use(B)} :- body(B,_).
:- need(E), not use(B) : covers(B,E).
#minimize { C,B : use(B), body(B,C) }.
"""


def _minimize_cover(pool: Sequence[Body], search: Search, limit: int) -> _RuleCover:
    """Return the least cover of the examples; a quick one where not all can be covered or the pool is large."""
    quick = _greedy(pool, search.wanted, limit)
    if search.wanted & ~_union(pool):
        return quick
    near = sorted(pool, key=lambda one: -(one.covered & search.wanted).bit_count())[:CLOSE]
    near += [one for one in quick.bodies if one not in near]
    groups = {
        tuple(place for place, one in enumerate(near) if one.covered >> bit & 1)
        for bit in range(search.wanted.bit_length())
    }
    least = [one for one in groups if not any(set(other) < set(one) for other in groups)]
    facts: list[asp.Atom] = [("body", (place, len(one.conditions) + 1)) for place, one in enumerate(near)]
    facts += [("need", (number,)) for number in range(len(least))]
    facts += [("covers", (place, number)) for number, group in enumerate(sorted(least)) for place in group]
    rules = f"{_COVER}:- #count {{ B : use(B) }} > {limit}.\n"
    found = asp.optimal(asp.AnswerSetProgram(rules, facts, (("use", 1),)), search.budget)
    if not found.models:
        return replace(quick, caveats=("only the bodies that cover most were put together",))
    return _RuleCover(tuple(near[int(str(place))] for (place,) in asp.arguments(found.models[0], "use")), 0)


def _result(
    problem: Relational, learned: LearnedRules, caveats: tuple[str, ...], *, late: bool
) -> MethodResult[LearnedRules]:
    missing: tuple[tuple[Constant, ...], ...] = learned.uncovered
    status: Status = "timeout" if late else "computed" if not missing else "unknown" if caveats else "infeasible"
    count = len(problem.positive)
    told = f"{len(learned.rules)} rules cover {count - len(missing)} of {count} positive examples, and no negative one"
    return MethodResult(
        status,
        learned,
        told,
        claims=(AnswerClaim(problem.head, "is defined by", learned.text),) if learned.rules else (),
        confidence=None,
        trace=tuple(_step(one) for one in learned.rules),
        witness={"uncovered": [list(one) for one in missing[:100]]},
        assumptions=("what the background does not say is false", *caveats),
    )


def _step(one: Lesson) -> TraceStep:
    return TraceStep(f"{one.text} covers {one.covers} positive examples", "search from general to special")
