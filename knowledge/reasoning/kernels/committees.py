"""Approval rules for choosing a committee, exactly, in fractions (Lackner and Skowron 2023, Multi-Winner Voting).

A voter with j members approved of is worth 1 + 1/2 + ... + 1/j with PAV (Thiele 1895), 1 with Chamberlin and Courant's
rule, j with approval voting. Rules that fill one seat after another break ties by the order of the candidates.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import accumulate, combinations
from math import comb, lcm
from typing import TypeAlias

from mabos.knowledge.reasoning.budget import Budget, OutOfTime, at_most

Members: TypeAlias = tuple[int, ...]
MOST_COMMITTEES = 200
"""Equally good committees that are listed."""
MOST_WEIGHED = 200_000
"""Sets of members that a rule without a better way looks at."""


@dataclass(frozen=True, slots=True)
class Electorate:
    """Voters by their approvals, with their numbers; `size` candidates, `seats` to fill."""

    approvals: tuple[tuple[frozenset[int], int], ...]
    size: int
    seats: int

    @property
    def voters(self) -> int:
        """Return the number of voters."""
        return sum(count for _, count in self.approvals)

    def single(self) -> "Electorate":
        """Return the electorate with one entry per voter."""
        return Electorate(
            tuple((held, 1) for held, count in self.approvals for _ in range(count)), self.size, self.seats
        )


@dataclass(slots=True)
class CommitteeSelection:
    """The winning committees of a rule, their score, how they were found, and whether time sufficed for all."""

    committees: list[Members]
    score: Fraction | None = None
    steps: list[str] = field(default_factory=list)
    loads: list[Fraction] = field(default_factory=list)
    """What each voter carries or has left, voter by voter."""
    is_whole: bool = True


def worth(rule: str, seats: int) -> list[Fraction]:
    """Return a voter's gain from the first, second, ... approved member."""
    if rule == "pav":
        return [Fraction(1, place) for place in range(1, seats + 1)]
    return [Fraction(1)] + [Fraction(int(rule != "cc"))] * (seats - 1)


def scores(votes: Electorate, budget: Budget) -> list[int]:
    """Return the number of approvals for each."""
    totals = [0] * votes.size
    for held, count in budget.each(votes.approvals):
        for one in held:
            totals[one] += count
    return totals


def thiele(votes: Electorate, rule: str, budget: Budget) -> CommitteeSelection:
    """Return the committees whose voters are worth most together: branch and bound, the gains of those left being an
    upper bound since a gain never grows. Where the time is up, the best by then."""
    weights = [Fraction(count, len(held) or 1 if rule == "sav" else 1) for held, count in votes.approvals]
    gains = worth(rule, votes.seats)
    scale = lcm(*(one.denominator for one in gains)) * lcm(*(one.denominator for one in weights))
    search = _CommitteeSearch(votes, [[int(w * gain * scale) for gain in gains] for w in budget.each(weights)], budget)
    selection = CommitteeSelection([])
    try:
        search.go(budget)
    except OutOfTime:
        selection.is_whole = False
        if not search.found:
            raise
    selection.committees = sorted(search.found)
    selection.score = Fraction(search.best, scale)
    return selection


def _fans(votes: Electorate, budget: Budget) -> list[list[int]]:
    """Return for each candidate the voters who approve."""
    fans: list[list[int]] = [[] for _ in range(votes.size)]
    for voter, (held, _) in enumerate(budget.each(votes.approvals)):
        for one in held:
            fans[one].append(voter)
    return fans


class _CommitteeSearch:
    """The best committees by now. Candidates are taken in the order of their support."""

    def __init__(self, votes: Electorate, gains: Sequence[Sequence[int]], budget: Budget) -> None:
        self.gains = gains
        self.seats = votes.seats
        self.fans = _fans(votes, budget)
        self.held = [0] * len(votes.approvals)
        self.best, self.found = -1, list[Members]()

    def gain(self, one: int) -> int:
        """Return the gain from a candidate."""
        return sum(self.gains[voter][self.held[voter]] for voter in self.fans[one])

    def go(self, budget: Budget) -> None:
        """Look through all committees that may be best. Raises `OutOfTime`."""
        self._extend([], list(range(len(self.fans))), 0, budget)

    def _extend(self, chosen: list[int], left: list[int], score: int, budget: Budget) -> None:
        budget.check()
        open_seats = self.seats - len(chosen)
        if not open_seats:
            if score > self.best:
                self.best, self.found = score, []
            if len(self.found) < MOST_COMMITTEES:
                self.found.append(tuple(sorted(chosen)))
            return
        ranked = sorted(((self.gain(one), one) for one in budget.each(left)), key=lambda pair: (-pair[0], pair[1]))
        for number, (gain, one) in enumerate(ranked[: len(ranked) - open_seats + 1]):
            bound = score + sum(other for other, _ in ranked[number : number + open_seats])
            if bound < self.best or (bound == self.best and len(self.found) >= MOST_COMMITTEES):
                return
            for voter in self.fans[one]:
                self.held[voter] += 1
            self._extend([*chosen, one], [other for _, other in ranked[number + 1 :]], score + gain, budget)
            for voter in self.fans[one]:
                self.held[voter] -= 1


def pav_score(votes: Electorate, members: Iterable[int]) -> Fraction:
    """Return the PAV score of a committee."""
    inside = set(members)
    harmonic = list(accumulate((Fraction(1, n) for n in range(1, votes.size + 1)), initial=Fraction(0)))
    return sum((count * harmonic[len(inside & held)] for held, count in votes.approvals), Fraction(0))


def sequential_pav(votes: Electorate, names: Sequence[str], budget: Budget) -> CommitteeSelection:
    """Fill one seat after another with the candidate who adds most to the PAV score."""
    chosen: list[int] = []
    steps = []
    for _ in range(votes.seats):
        budget.check()
        gains = _adds(votes, [one for one in range(votes.size) if one not in chosen], chosen, budget)
        first = max(gains, key=lambda one: (gains[one], -one))
        steps.append(_tied(names, gains, first, f"{names[first]} adds {gains[first]}"))
        chosen.append(first)
    return CommitteeSelection([tuple(sorted(chosen))], pav_score(votes, chosen), steps)


def reverse_sequential_pav(votes: Electorate, names: Sequence[str], budget: Budget) -> CommitteeSelection:
    """Remove one after another the candidate who adds least to the PAV score, the last among equals."""
    left = list(range(votes.size))
    steps = []
    while len(left) > votes.seats:
        budget.check()
        losses = _adds(votes, left, left, budget)
        last = min(losses, key=lambda one: (losses[one], -one))
        steps.append(_tied(names, losses, last, f"without {names[last]} it is {losses[last]} less"))
        left.remove(last)
    return CommitteeSelection([tuple(left)], pav_score(votes, left), steps)


def _adds(votes: Electorate, candidates: Iterable[int], members: Iterable[int], budget: Budget) -> dict[int, Fraction]:
    """Return the addition of each candidate to the PAV score of the other members."""
    inside = set(members)
    by_share: dict[int, dict[int, int]] = {one: {} for one in candidates}
    for held, count in budget.each(votes.approvals):
        joined = len(held & inside)
        for one in held:
            if one in by_share:
                share = joined + (one not in inside)
                by_share[one][share] = by_share[one].get(share, 0) + count
    return {
        one: sum((Fraction(count, share) for share, count in shares.items()), Fraction(0))
        for one, shares in by_share.items()
    }


def _tied(names: Sequence[str], values: Mapping[int, Fraction], taken: int, says: str) -> str:
    equal = [names[one] for one, value in values.items() if value == values[taken] and one != taken]
    return f"{says} (as much as {', '.join(equal)})" if equal else says


def sequential_phragmen(
    votes: Electorate, names: Sequence[str], budget: Budget, loads: Sequence[Fraction] = (), chosen: Sequence[int] = ()
) -> CommitteeSelection:
    """Fill one seat after another so that the heaviest load of a voter stays least; each member is a load of one that
    its supporters carry together, all to the same height. The electorate has single voters."""
    carried, seated = list(loads) or [Fraction(0)] * len(votes.approvals), list(chosen)
    fans = _fans(votes, budget)
    steps = []
    while len(seated) < votes.seats:
        budget.check()
        heights = {
            one: (1 + sum((carried[voter] for voter in fans[one]), Fraction(0))) / len(fans[one])
            for one in budget.each(range(votes.size))
            if one not in seated and fans[one]
        }
        if not heights:  # nobody approves of who is left
            seated += [one for one in range(votes.size) if one not in seated][: votes.seats - len(seated)]
            steps.append("nobody approves of those left; the first of them fill the seats")
            break
        first = min(heights, key=lambda one: (heights[one], one))
        steps.append(_tied(names, heights, first, f"{names[first]} at a load of {heights[first]}"))
        seated.append(first)
        for voter in fans[first]:
            carried[voter] = heights[first]
    return CommitteeSelection([tuple(sorted(seated))], max(carried), steps, carried)


def equal_shares(votes: Electorate, names: Sequence[str], budget: Budget) -> CommitteeSelection:
    """Give each voter the same money, and let supporters buy a member for one, the cheapest to each of them first; fill
    open seats by Phragmen's rule (Peters and Skowron 2020). The electorate has single voters.
    """
    money = [Fraction(votes.seats, len(votes.approvals))] * len(votes.approvals)
    fans = _fans(votes, budget)
    chosen: list[int] = []
    steps = []
    while len(chosen) < votes.seats:
        budget.check()
        prices = {
            one: price
            for one in budget.each(range(votes.size))
            if one not in chosen and (price := _price(money, fans[one]))
        }
        if not prices:
            break
        first = min(prices, key=lambda one: (prices[one], one))
        steps.append(_tied(names, prices, first, f"{names[first]} for at most {prices[first]} each"))
        chosen.append(first)
        for voter in fans[first]:
            money[voter] -= min(money[voter], prices[first])
    if len(chosen) == votes.seats:
        return CommitteeSelection([tuple(sorted(chosen))], None, steps, money)
    filled = sequential_phragmen(votes, names, budget, [-one for one in money], chosen)
    return CommitteeSelection(filled.committees, None, [*steps, *filled.steps], filled.loads)


def _price(money: Sequence[Fraction], fans: Sequence[int]) -> Fraction | None:
    """Return the highest payment if supporters pay alike as far as they can; None if they cannot."""
    purses = sorted(money[voter] for voter in fans)
    if sum(purses) < 1:
        return None
    open_price = Fraction(1)
    for number, purse in enumerate(purses):
        share = open_price / (len(purses) - number)
        if purse >= share:
            return share
        open_price -= purse
    return None


def minimax_phragmen(votes: Electorate, budget: Budget) -> CommitteeSelection:
    """Return the committees whose load can be spread with the lowest maximum.

    The maximum is the largest |S| / |voters who approve of someone in S| over the sets S of members (Hall 1935).
    """
    at_most(comb(votes.size, votes.seats) * 2**votes.seats, 20 * MOST_WEIGHED, "sets of members", argument="rules")
    reach: dict[Members, int] = {}
    found: list[tuple[Fraction, Members]] = []
    for members in combinations(range(votes.size), votes.seats):
        worst = Fraction(0)
        parts = (part for count in range(1, votes.seats + 1) for part in combinations(members, count))
        for some in budget.each(parts):
            if some not in reach:
                reach[some] = sum(count for held, count in votes.approvals if not held.isdisjoint(some))
            if not reach[some]:
                break
            worst = max(worst, Fraction(len(some), reach[some]))
        else:
            found.append((worst, members))
    if not found:  # whoever sits there has no voter
        return CommitteeSelection([tuple(range(votes.seats))], None, ["no committee has only members with voters"])
    least = min(found)[0]
    return CommitteeSelection([members for load, members in found if load == least][:MOST_COMMITTEES], least)


def greedy_monroe(votes: Electorate, names: Sequence[str], budget: Budget) -> CommitteeSelection:
    """Fill one seat after another with the candidate who satisfies most of an equal share of the voters, then served.

    The electorate has single voters; its score is the number of voters with a representative they approve of.
    """
    total, seats = len(votes.approvals), votes.seats
    shares = [total // seats + int(place < total % seats) for place in range(seats)]
    waiting = list(range(total))
    chosen: list[int] = []
    steps, score = [], 0
    for share in shares:
        budget.check()
        served = {
            one: [voter for voter in waiting if one in votes.approvals[voter][0]][:share]
            for one in budget.each(range(votes.size))
            if one not in chosen
        }
        counts = {one: Fraction(len(held)) for one, held in served.items()}
        first = max(counts, key=lambda one: (counts[one], -one))
        mine = served[first]
        others = sorted(set(waiting) - set(mine))
        mine = [*mine, *others[len(others) - (share - len(mine)) :]] if len(mine) < share else mine
        steps.append(_tied(names, counts, first, f"{names[first]} for {share} voters, {counts[first]} of them content"))
        score += int(counts[first])
        chosen.append(first)
        waiting = sorted(set(waiting) - set(mine))
    return CommitteeSelection([tuple(sorted(chosen))], Fraction(score), steps)
