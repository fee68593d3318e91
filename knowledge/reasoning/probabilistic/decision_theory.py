"""Decision theory: choose under risk or ignorance (Savage 1954; Raiffa 1968; Luce and Raiffa 1957)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mabos.knowledge.reasoning.budget import Budget, OutOfTime
from mabos.knowledge.reasoning.probabilistic.choices import DecisionNode, DecisionTable, DecisionTree
from mabos.knowledge.reasoning.probabilistic.utility import convert_rating, mean, rating, worths
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep


@dataclass(frozen=True, slots=True)
class DecisionAdvice:
    """The advised act, and the result of each rule: its act and the value of every act.

    `perfect_information` is the maximum value of knowing the state first, `sample_information` the value of the
    signals; `dominated` acts are never better than another. `margin` is the lead over the second best.
    """

    choice: str
    rules: dict[str, tuple[str, dict[str, float]]]
    dominated: tuple[str, ...]
    margin: float
    perfect_information: float | None = None
    sample_information: float | None = None
    after_signal: dict[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Policy:
    """The value of the tree, its certainty equivalent, and the act at each reachable decision, by path.

    A path names the acts and outcomes on the way, `/` between them; within a name `/` is written `~1` and `~` `~0`.
    """

    choice: str
    value: float
    certainty_equivalent: float
    acts: dict[str, str]


def estimate(problem: DecisionTable | DecisionTree) -> float:
    """Return about how many milliseconds this takes."""
    if isinstance(problem, DecisionTree):
        return 0.5
    return 0.002 * len(problem.payoffs) ** 2 * len(problem.states) * (1 + len(problem.signals))


def solve(problem: DecisionTable | DecisionTree, budget: Budget) -> MethodResult[DecisionAdvice] | MethodResult[Policy]:
    """Return the act of highest expected utility, without probabilities that of least regret, and the choice of every
    rule.

    On timeout after these, return the dominated acts found by then.
    """
    if isinstance(problem, DecisionTree):
        return _fold_back(problem, budget)
    scale, moved = worths(problem.utility, (pays for row in problem.payoffs.values() for pays in row.values()))
    table = {
        act: {state: scale[row[state]] for state in problem.states} for act, row in budget.each(problem.payoffs.items())
    }
    rules = {name: _best(values) for name, values in _rules(problem, table, budget).items()}
    by = "expected" if problem.probabilities else "least regret"
    choice, values = rules[by]
    others = [value for act, value in values.items() if act != choice]
    informed, after = _with_signals(problem, table, budget)
    dominated: list[str] = []
    late = False
    try:
        dominated.extend(act for act, row in table.items() if _is_dominated(row, table.values(), budget))
    except OutOfTime:
        late = True
    advice = DecisionAdvice(
        choice,
        rules,
        tuple(dominated),
        values[choice] - max(others) if others else 0.0,
        _perfect(problem, table),
        informed,
        after,
    )
    agreeing = sum(act == choice for act, _ in rules.values())
    return MethodResult(
        "timeout" if late else "computed",
        advice,
        f"{choice}, by {by} ({agreeing} of {len(rules)} rules agree)",
        claims=(AnswerClaim(*CLAIM, choice),),
        trace=tuple(
            TraceStep(f"{name}: {act} ({kept[act]:.6g})", name, label=name) for name, (act, kept) in rules.items()
        ),
        witness=table,
        assumptions=(
            *(() if problem.probabilities else ("nothing is known of how likely the states are",)),
            *((moved,) if moved else ()),
        ),
    )


def _rules(
    problem: DecisionTable, table: Mapping[str, Mapping[str, float]], budget: Budget
) -> dict[str, dict[str, float]]:
    """Return each rule's value for each act; more is better throughout."""
    best = {state: max(row[state] for row in table.values()) for state in budget.each(problem.states)}
    over: dict[str, Callable[[Mapping[str, float]], float]] = {
        "maximin": lambda row: min(row.values()),
        "maximax": lambda row: max(row.values()),
        "hurwicz": lambda row: problem.optimism * max(row.values()) + (1 - problem.optimism) * min(row.values()),
        "laplace": lambda row: sum(row.values()) / len(row),
        "least regret": lambda row: -max(best[state] - row[state] for state in row),
    }
    if problem.probabilities:
        over = {"expected": lambda row: _expected_value(row, problem.probabilities), **over}
    return {name: {act: rule(row) for act, row in budget.each(table.items())} for name, rule in over.items()}


def _best(values: dict[str, float]) -> tuple[str, dict[str, float]]:
    return max(values, key=lambda act: values[act]), values


def _expected_value(row: Mapping[str, float], shares: Mapping[str, float]) -> float:
    return sum(shares[state] * value for state, value in row.items())


def _is_dominated(row: Mapping[str, float], among: Iterable[Mapping[str, float]], budget: Budget) -> bool:
    """Return whether an act is at least as good as this one in every state, and better in one."""
    return any(
        all(other[state] >= row[state] for state in row) and any(other[state] > row[state] for state in row)
        for other in budget.each(among)
    )


def _perfect(problem: DecisionTable, table: Mapping[str, Mapping[str, float]]) -> float | None:
    """Return the expected value of perfect information (Raiffa 1968), in utility."""
    if not problem.probabilities:
        return None
    informed = sum(p * max(row[state] for row in table.values()) for state, p in problem.probabilities.items())
    return max(0.0, informed - max(_expected_value(row, problem.probabilities) for row in table.values()))


def _with_signals(
    problem: DecisionTable, table: Mapping[str, Mapping[str, float]], budget: Budget
) -> tuple[float | None, dict[str, str] | None]:
    """Return the value of observing the signals first, and the best act after each."""
    if not problem.signals or not problem.probabilities:
        return None, None
    total, after = 0.0, {}
    for signal, likelihood in problem.signals.items():
        joint = {state: problem.probabilities[state] * likelihood[state] for state in problem.states}
        act, values = _best({act: _expected_value(row, joint) for act, row in budget.each(table.items())})
        total += values[act]
        after[signal] = act
    return max(0.0, total - max(_expected_value(row, problem.probabilities) for row in table.values())), after


def _fold_back(problem: DecisionTree, budget: Budget) -> MethodResult[Policy]:
    """Fold the tree back from its leaves."""
    best: dict[str, str] = {}
    trace: list[TraceStep] = []

    def value(tree: DecisionNode, path: str) -> float:
        budget.check()
        if tree.payoff is not None:
            return rating(problem.utility, tree.payoff)
        values = {name: value(inner, _below(path, name)) for name, inner in tree.inner().items()}
        if tree.chance:
            total = mean(problem.utility, list(zip((one.p for one in tree.chance), values.values(), strict=True)))
            trace.append(TraceStep(f"{path or 'the start'}: chance is worth {total:.6g}", "expected", label=path))
            return total
        best[path], kept = _best(values)
        trace.append(TraceStep(f"{path or 'the start'}: {best[path]} is best", "maximum", label=path))
        return kept[best[path]]

    total, sure = convert_rating(problem.utility, value(problem.tree, ""))
    choice = best.get("", "")
    return MethodResult(
        "computed",
        Policy(choice, total, sure, dict(_follow_policy(problem.tree, "", best))),
        f"{choice or 'nothing to decide first'}; worth {total:.6g}",
        claims=(AnswerClaim(*CLAIM, choice),) if choice else (),
        trace=tuple(trace),
    )


def _follow_policy(tree: DecisionNode, path: str, best: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the decisions that are reached if every act is the best, and those acts."""
    if tree.decide:
        yield path or "/", best[path]
    for name, inner in tree.inner().items():
        if not tree.decide or name == best[path]:
            yield from _follow_policy(inner, _below(path, name), best)


def _below(path: str, name: str) -> str:
    """Return the path of a child; a slash in its name is escaped, as in RFC 6901."""
    return f"{path}/{name.replace('~', '~0').replace('/', '~1')}"
