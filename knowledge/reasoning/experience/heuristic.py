"""Fast and frugal choice: recognition, take the best, tallying, equal weights (Gigerenzer and Goldstein 1996)."""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.probabilistic.choices import CriteriaChoice
from mabos.knowledge.reasoning.result import CLAIM, AnswerClaim, MethodResult, TraceStep


@dataclass(frozen=True, slots=True)
class Frugal:
    """The choice, the rule and cue that decided it, the cues examined, and each rule's choice.

    A rule with tied best options names them all.
    """

    choice: str
    rule: str
    decided_by: str
    inspected: tuple[str, ...]
    rules: dict[str, tuple[str, ...]]


def estimate(problem: CriteriaChoice) -> float:
    """Return about how many milliseconds this takes."""
    return 0.002 * len(problem.options) * len(problem.criteria)


def solve(problem: CriteriaChoice, budget: Budget) -> MethodResult[Frugal]:
    """Return the option of the first rule that discriminates; ties go to the first. No rule weighs cues."""
    cues = _by_validity(problem)
    best, inspected = _take_the_best(problem, cues, budget)
    rules = {
        "recognition": _select_recognised(problem),
        "take the best": best,
        "tallying": _tallying(problem, budget),
        "equal weights": _equal_weights(problem, budget),
    }
    rule = next((name for name, chosen in rules.items() if len(chosen) == 1), "take the best")
    choice = rules[rule][0]
    decided = inspected[-1] if rule == "take the best" and len(best) == 1 and inspected else rule
    return MethodResult(
        "satisficed",
        Frugal(choice, rule, decided, inspected if rule == "take the best" else (), rules),
        f"{choice}, by {rule}" + (f" on {decided}" if decided != rule else ""),
        claims=(AnswerClaim(*CLAIM, choice),),
        trace=tuple(
            TraceStep(f"{name} leaves {', '.join(chosen) or 'nothing'}", name) for name, chosen in rules.items()
        ),
        assumptions=("cues point the right way as often as their validity says",),
    )


def _by_validity(problem: CriteriaChoice) -> list[str]:
    """Return the cues, the most valid first; the weight replaces a missing validity."""
    total = sum(one.weight for one in problem.criteria.values()) or 1.0

    def validity(name: str) -> float:
        one = problem.criteria[name]
        return one.validity if one.validity is not None else one.weight / total

    return sorted(problem.criteria, key=lambda name: (-validity(name), name))


def _select_recognised(problem: CriteriaChoice) -> tuple[str, ...]:
    """Return the options that are recognised, where that tells any apart."""
    return problem.recognised if 0 < len(problem.recognised) < len(problem.options) else ()


def _take_the_best(
    problem: CriteriaChoice, cues: Iterable[str], budget: Budget
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the options that no cue has put behind, and the cues looked at until one was left."""
    left = list(problem.options)
    inspected: list[str] = []
    for cue in budget.each(cues):
        if len(left) == 1:
            break
        known = {name: _worth(problem, cue, name) for name in budget.each(left) if cue in problem.options[name]}
        inspected.append(cue)
        if known:
            best = max(known.values())
            left = [name for name in left if known.get(name, best) == best]
    return tuple(left), tuple(inspected)


def _worth(problem: CriteriaChoice, cue: str, option: str) -> float:
    value = problem.options[option][cue]
    return value if problem.criteria[cue].more_is_better else -value


def _cue_values(problem: CriteriaChoice, cue: str, budget: Budget) -> dict[str, float]:
    """Return the value of a cue for each option that has one."""
    options = budget.each(problem.options.items())
    return {name: _worth(problem, cue, name) for name, values in options if cue in values}


def _best(scores: dict[str, float]) -> tuple[str, ...]:
    top = max(scores.values())
    return tuple(name for name, score in scores.items() if score == top)


def _tallying(problem: CriteriaChoice, budget: Budget) -> tuple[str, ...]:
    """Return the options that most cues favour: those above the median of the known values."""
    tally = dict.fromkeys(problem.options, 0.0)
    for cue in problem.criteria:
        known = _cue_values(problem, cue, budget)
        if not known:
            continue
        middle, low, high = median(known.values()), min(known.values()), max(known.values())
        for name, worth in known.items():
            tally[name] += worth > middle or (worth == middle == high and low < worth)
    return _best(tally)


def _equal_weights(problem: CriteriaChoice, budget: Budget) -> tuple[str, ...]:
    """Return the options of the highest sum of values, each scaled from the worst to the best (Dawes 1979)."""
    scores = dict.fromkeys(problem.options, 0.0)
    for cue in problem.criteria:
        known = _cue_values(problem, cue, budget)
        low, high = min(known.values(), default=0.0), max(known.values(), default=0.0)
        if low < high:
            for name, worth in known.items():
                scores[name] += (worth - low) / (high - low)
    return _best({name: round(score, 12) for name, score in scores.items()})
