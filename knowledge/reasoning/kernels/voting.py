"""Voting rules for one winner: each returns all tied winners of a profile.

Positional: Borda 1784; Dowdall. Pairwise: Copeland 1951; Schulze 2011; Tideman 1987; Kemeny 1959. By elimination: Hare;
Coombs 1964, whose ties are broken as Freeman, Brill and Conitzer 2015 say; Bucklin, weighted as Kilgour, Gregoire and
Foley do.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TypeAlias

from mabos.knowledge.reasoning.budget import Budget, at_most
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.kernels.profile import VoteProfile

Rule: TypeAlias = Callable[[VoteProfile, Sequence[int], Budget], set[int]]
"""From a profile, an order to break ties by (the preferred first) and a budget to all who win."""
Scores: TypeAlias = Mapping[int, Fraction]
EXHAUSTIVE = 18
"""Candidates in a cycle of which all orders are weighed for Kemeny's; for more it is a search."""
MOST_KEMENY = 40
MOST_UNIVERSES = 100_000
_KEMENY = """
{above(A,B); above(B,A)} = 1 :- one(A), one(B), A < B.
:- above(A,B), above(B,C), above(C,A), A < B, A < C.
#minimize {W,A,B : above(A,B), against(A,B,W)}.
"""


def best(scores: Scores) -> set[int]:
    """Return all with the highest score."""
    most = max(scores.values())
    return {one for one, score in scores.items() if score == most}


def _borda(profile: VoteProfile) -> Scores:
    return profile.score_positions([Fraction(profile.size - place) for place in range(1, profile.size + 1)])


def _dowdall(profile: VoteProfile) -> Scores:
    return profile.score_positions([Fraction(1, place) for place in range(1, profile.size + 1)])


def _plurality(profile: VoteProfile) -> Scores:
    return profile.firsts(profile.everyone)


def _fewest_lasts(profile: VoteProfile) -> Scores:
    return {one: -share for one, share in profile.lasts(profile.everyone).items()}


def _firsts_less_lasts(profile: VoteProfile) -> Scores:
    lasts = _fewest_lasts(profile)
    return {one: share + lasts[one] for one, share in _plurality(profile).items()}


def _copeland(profile: VoteProfile) -> Scores:
    """Return how many each beats, an equal being half of one."""
    margins = _margins(profile)
    return {one: Fraction(sum(1 + (m > 0) - (m < 0) for m in held), 2) for one, held in margins.items()}


def _minimax(profile: VoteProfile) -> Scores:
    """Return the margin of each one's worst defeat, below zero, or of the narrowest win."""
    return {one: Fraction(min(held, default=0)) for one, held in _margins(profile).items()}


def _margins(profile: VoteProfile) -> dict[int, list[int]]:
    everyone = profile.everyone
    return {one: [profile.margin(one, b) for b in everyone if b != one] for one in profile.budget.each(everyone)}


SCORES: Mapping[str, Callable[[VoteProfile], Scores]] = {
    "plurality": _plurality,
    "anti-plurality": _fewest_lasts,
    "positive-negative": _firsts_less_lasts,
    "borda": _borda,
    "dowdall": _dowdall,
    "copeland": _copeland,
    "minimax": _minimax,
}
"""The rules by which the highest score wins."""


def _elect_by_score(rule: str, profile: VoteProfile, _order: Sequence[int], _budget: Budget) -> set[int]:
    return best(SCORES[rule](profile))


def _schulze(profile: VoteProfile, _order: Sequence[int], budget: Budget) -> set[int]:
    """Return who has a path to each other that is at least as strong as the way back, by winning votes."""
    everyone = profile.everyone
    strength = [
        [p if p > profile.preferring[b][a] else 0 for b, p in enumerate(profile.preferring[a])] for a in everyone
    ]
    for via in everyone:
        budget.check()
        for a in everyone:
            for b in everyone:
                strength[a][b] = max(strength[a][b], min(strength[a][via], strength[via][b]))
    return {a for a in everyone if all(strength[a][b] >= strength[b][a] for b in everyone if b != a)}


def _ranked_pairs(profile: VoteProfile, order: Sequence[int], budget: Budget) -> set[int]:
    """Return who is at the source of the majorities, the largest kept first unless they close a cycle."""
    place = {one: number for number, one in enumerate(order)}
    wins = [(a, b) for a in order for b in order if a != b and profile.margin(a, b) > 0]
    wins.sort(key=lambda pair: (-profile.margin(*pair), place[pair[0]], -place[pair[1]]))
    above: dict[int, set[int]] = {one: {one} for one in order}  # those from whom one can be reached
    for a, b in wins:
        budget.check()
        if b not in above[a]:
            reached = [one for one, held in above.items() if b in held]
            for one in reached:
                above[one] |= above[a]
    return {one for one in order if above[one] == {one}}


def _kemeny(profile: VoteProfile, _order: Sequence[int], budget: Budget) -> set[int]:
    """Return who is first in an order that contradicts the fewest preferences; such an order puts the smallest set that
    beats all others first, so only that set is looked at."""
    top = profile.smith()
    if len(top) == 1:
        return set(top)
    if len(top) > EXHAUSTIVE:
        return _kemeny_by_search(profile, top, budget)
    import numpy as np

    size = len(top)
    placed = np.arange(1 << size)  # the sets of those placed already, counted from the last
    count = sum(placed >> number & 1 for number in range(size))
    cost = np.zeros(1 << size, dtype=np.int64)
    above = [np.zeros(1, dtype=np.int64) for _ in top]  # what it costs to put one above a set
    for number, one in enumerate(top):
        for other in top:
            above[number] = np.concatenate([above[number], above[number] + profile.preferring[other][one]])
    for many in range(1, size + 1):
        budget.check()
        these = placed[count == many]
        least = np.full(len(these), np.iinfo(np.int64).max)
        for number in range(size):
            has = (these >> number & 1).astype(bool)
            rest = these[has] ^ (1 << number)
            least[has] = np.minimum(least[has], cost[rest] + above[number][rest])
        cost[these] = least
    rest = [placed[-1] ^ (1 << number) for number in range(size)]
    return {one for number, one in enumerate(top) if cost[rest[number]] + above[number][rest[number]] == cost[-1]}


def _kemeny_by_search(profile: VoteProfile, top: Sequence[int], budget: Budget) -> set[int]:
    at_most(len(top), MOST_KEMENY, "candidates in a cycle of Kemeny's rule", argument="rules")
    facts: list[asp.Atom] = [("one", (one,)) for one in top]
    facts += [("against", (a, b, profile.preferring[b][a])) for a in top for b in top if a != b]
    found = asp.optimal(asp.AnswerSetProgram(_KEMENY, facts, (("above", 2),)), budget)
    if not found.proved:
        budget.check()
    below = {b for _, b in asp.arguments(found.models[0], "above")}
    return {one for one in top if one not in below}


def _majority(firsts: Scores) -> set[int]:
    """Return who is first on more than half of the ballots that count, or the only one left."""
    total = sum(firsts.values())
    return {one for one, share in firsts.items() if 2 * share > total or len(firsts) == 1}


def _losing(profile: VoteProfile, left: Collection[int], *, coombs: bool) -> set[int]:
    """Return who would be taken out: those least often first, or with Coombs most often last."""
    if coombs:
        return best(profile.lasts(left))
    return best({one: -share for one, share in profile.firsts(left).items()})


def _eliminate_singly(coombs: bool, profile: VoteProfile, order: Sequence[int], budget: Budget) -> set[int]:
    """Take out one at a time, of equals the one that is last in `order`, until one has a majority."""
    left = set(profile.everyone)
    while not (won := _majority(profile.firsts(left))):
        budget.check()
        left.remove(max(_losing(profile, left, coombs=coombs), key=order.index))
    return won


def _eliminated_at_once(coombs: bool, profile: VoteProfile, _order: Sequence[int], budget: Budget) -> set[int]:
    """Take out all equals at once; if that is all who are left, they have won."""
    left = set(profile.everyone)
    while not (won := _majority(profile.firsts(left))):
        budget.check()
        losing = _losing(profile, left, coombs=coombs)
        if losing == left:
            return left
        left -= losing
    return won


def _eliminated_each_way(coombs: bool, profile: VoteProfile, _order: Sequence[int], budget: Budget) -> set[int]:
    """Return who wins if ties are broken in some way: parallel universes."""
    seen: set[frozenset[int]] = set()
    won: set[int] = set()
    open_to = [frozenset(profile.everyone)]
    while open_to:
        budget.check()
        left = open_to.pop()
        if left in seen:
            continue
        seen.add(left)
        at_most(len(seen), MOST_UNIVERSES, "ways to break ties", argument="rules")
        majority = _majority(profile.firsts(left))
        won |= majority
        if not majority:
            open_to += [left - {one} for one in _losing(profile, left, coombs=coombs)]
    return won


def _runoff(profile: VoteProfile, _order: Sequence[int], _budget: Budget) -> set[int]:
    """Return who wins between the two that are most often first."""
    firsts = profile.firsts(profile.everyone)
    return _majority(firsts) or between_the_best_two(profile, firsts)


def between_the_best_two(profile: VoteProfile, counted: Scores) -> set[int]:
    """Return the preferred one of the two highest scorers; with more ties, all pairs are tried."""
    leaders = best(counted)
    rest = {one: share for one, share in counted.items() if one not in leaders}
    seconds = leaders if len(leaders) > 1 or not rest else best(rest)
    pairs = [(a, b) for a in leaders for b in seconds if a != b]
    return {one for a, b in pairs for one in _compare_pair(profile, a, b)} or leaders


def _compare_pair(profile: VoteProfile, a: int, b: int) -> set[int]:
    margin = profile.margin(a, b)
    return {a, b} if margin == 0 else {a} if margin > 0 else {b}


def _bucklin(profile: VoteProfile, worth: Sequence[Fraction], *, at_least_half: bool = False) -> dict[int, Fraction]:
    """Return the scores counting down to the first place at which someone has a majority."""
    total, size = Fraction(profile.voters), profile.size
    counted: dict[int, Fraction] = {}
    for places in range(1, size + 1):
        counted = profile.score_positions([*worth[:places], *([Fraction(0)] * (size - places))])
        most = max(counted.values())
        if 2 * most > total or (at_least_half and 2 * most == total):
            break
    return counted


def _bucklin_winners(profile: VoteProfile, _order: Sequence[int], _budget: Budget) -> set[int]:
    return best(_bucklin(profile, [Fraction(1)] * profile.size))


def _bucklin_majorities(profile: VoteProfile, _order: Sequence[int], _budget: Budget) -> set[int]:
    counted = _bucklin(profile, [Fraction(1)] * profile.size)
    return {one for one, share in counted.items() if 2 * share > profile.voters} or best(counted)


def _bucklin_weighted(profile: VoteProfile, _order: Sequence[int], _budget: Budget) -> set[int]:
    size = profile.size
    worth = [Fraction(size - place, size - 1) if size > 1 else Fraction(1) for place in range(1, size + 1)]
    return best(_bucklin(profile, worth, at_least_half=True))


def _bracket(profile: VoteProfile, order: Sequence[int], _budget: Budget) -> set[int]:
    """Return who wins two rounds of matches between the four most often first: first to fourth, second to third."""
    firsts = profile.firsts(profile.everyone)
    seeds = sorted(order, key=lambda one: (-firsts[one], order.index(one)))[:4]

    def match(a: int, b: int) -> int:
        return min(_compare_pair(profile, a, b), key=order.index)

    finalists = [match(seeds[n], seeds[len(seeds) - 1 - n]) for n in range((len(seeds) + 1) // 2)]
    return {match(finalists[0], finalists[-1])}


def _find_undominated(profile: VoteProfile, _order: Sequence[int], _budget: Budget) -> set[int]:
    """Return who is not liked less than another by some and more by none."""
    p, everyone = profile.preferring, profile.everyone
    return {one for one in everyone if not any(p[other][one] and not p[one][other] for other in everyone)}


RULES: Mapping[str, Rule] = {
    **{name: partial(_elect_by_score, name) for name in SCORES},
    "schulze": _schulze,
    "ranked pairs": _ranked_pairs,
    "kemeny": _kemeny,
    **{
        f"{name}{ending}": partial(way, name == "coombs")
        for name in ("instant runoff", "coombs")
        for ending, way in (("", _eliminate_singly), (" batch", _eliminated_at_once), (" put", _eliminated_each_way))
    },
    "runoff": _runoff,
    "bucklin": _bucklin_winners,
    "simplified bucklin": _bucklin_majorities,
    "weighted bucklin": _bucklin_weighted,
    "bracket": _bracket,
    "pareto": _find_undominated,
}
"""The rules that count rankings."""
