"""Norms in force: which stand together, which give way, and what the facts have violated."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.formal.norms import Norm, Norms
from mabos.knowledge.reasoning.kernels import asp
from mabos.knowledge.reasoning.kernels.clauses import Closure, contradictions, derive, instances
from mabos.knowledge.reasoning.kernels.clauses import Literal as Ground
from mabos.knowledge.reasoning.kernels.theory import RULES, Theory

MOST_SETS = 64
Standing = Literal["open", "fulfilled", "violated", "overridden", "conflicting"]


@dataclass(frozen=True, slots=True)
class InForce:
    """A norm whose conditions hold, what it demands or permits, and the facts that its conditions are."""

    norm: Norm
    demand: Ground
    because: tuple[Ground, ...]

    @property
    def act(self) -> Ground:
        """The act it speaks of."""
        return self.demand.opposite if self.norm.modality == "forbidden" else self.demand


def in_force(norms: Sequence[Norm], closure: Closure, budget: Budget) -> list[InForce]:
    """Return the norms whose conditions hold, for each way they do."""
    found = [
        InForce(norm, one.head, one.body)
        for norm in norms
        for one in instances([norm.clause], closure, budget)
        if not any(absent in closure.held for absent in one.unless)
    ]
    found.sort(key=lambda one: (-one.norm.priority, one.norm.id, one.demand, one.because))
    return list({(one.norm.id, one.demand): one for one in reversed(found)}.values())[::-1]


def stand(
    found: Sequence[InForce], problem: Norms, closure: Closure, budget: Budget
) -> tuple[list[Standing], list[frozenset[int]]]:
    """Return how each norm in force stands, and the sets of duties that are as good as can be met together."""
    standings: list[Standing | None] = [
        _by_permission(one, found) or _by_facts(one, found, problem, closure, budget) for one in found
    ]
    duties = [n for n, one in enumerate(found) if standings[n] is None and one.norm.modality != "permitted"]
    ideals = _preferred({n: found[n] for n in duties}, problem, budget)
    for n in duties:
        within = sum(n in ideal for ideal in ideals)
        met: Standing = "fulfilled" if found[n].demand in closure.held else "open"
        standings[n] = met if within == len(ideals) else "conflicting" if within else "overridden"
    return [one or "open" for one in standings], ideals


def _by_permission(one: InForce, found: Sequence[InForce]) -> Standing | None:
    """Return how a norm stands to those that permit what it forbids, or forbid what it permits; None if well."""
    permits = one.norm.modality == "permitted"
    against = [
        other.norm.priority
        for other in found
        if other.demand == one.demand.opposite and (other.norm.modality == "permitted") is not permits
    ]
    highest = max(against, default=one.norm.priority - 1)
    if highest == one.norm.priority:
        return "conflicting"
    return "overridden" if highest > one.norm.priority else None


def _by_facts(
    one: InForce, found: Sequence[InForce], problem: Norms, closure: Closure, budget: Budget
) -> Standing | None:
    """Return whether a duty is violated, or was no duty since a higher one spoke against it; None if neither."""
    if one.norm.modality == "permitted" or one.demand.opposite not in closure.held:
        return None
    conduct = {other.demand.atom for other in found}
    circumstances = {fact: how for fact, how in problem.stated.items() if fact.atom not in conduct}
    for other in found:
        if other.norm.priority > one.norm.priority and other.norm.modality != "permitted":
            both = Closure()
            derive(circumstances | {one.demand: (1.0, ""), other.demand: (1.0, "")}, problem.clauses, budget, both)
            if contradictions(both):
                return "overridden"
    return "violated"


def _preferred(duties: dict[int, InForce], problem: Norms, budget: Budget) -> list[frozenset[int]]:
    """Return the largest sets of duties that can be met together given the facts, by falling priority."""
    together = Closure()
    demands = {one.demand: (1.0, "") for one in duties.values()}
    derive({**problem.stated, **demands}, problem.clauses, budget, together)
    if not contradictions(together):
        return [frozenset(duties)]
    theory = Theory(problem.stated, problem.clauses, demands, budget)
    gives: list[asp.Atom] = [("gives", (n, theory.number(one.demand))) for n, one in duties.items()]
    sets = [frozenset[int]()]
    for priority in sorted({one.norm.priority for one in duties.values()}, reverse=True):
        level: list[asp.Atom] = [("open", (n,)) for n, one in duties.items() if one.norm.priority == priority]
        grown: list[frozenset[int]] = []
        for before in sets[:MOST_SETS]:
            taken: list[asp.Atom] = [("taken", (n,)) for n in sorted(before)]
            program = asp.Program(RULES, [*theory.facts(), *gives, *level, *taken], (("in", 1),))
            models = asp.subset_extremal(program, "in(A) : open(A)", budget, largest=True, limit=MOST_SETS)
            grown += [frozenset(int(str(n)) for (n,) in asp.arguments(model, "in")) for model in models]
        sets = sorted(grown, key=sorted)
    return sets


def entailed_by(
    found: Sequence[InForce], ideals: Sequence[frozenset[int]], problem: Norms, closure: Closure, budget: Budget
) -> list[Ground]:
    """Return what else would hold, whichever of the best sets of duties were met."""
    shared: set[Ground] | None = None
    for ideal in ideals:
        demands = {found[n].demand: (1.0, "") for n in ideal}
        met = Closure()
        derive({**problem.stated, **demands}, problem.clauses, budget, met)
        new = set(met.held) - set(closure.held) - set(demands)
        shared = new if shared is None else shared & new
    return sorted(shared or ())
