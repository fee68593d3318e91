"""Bayesian: updating of beliefs on observations (Bayes 1763; Pearl 1988; Lauritzen and Spiegelhalter 1988)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, frexp, inf, ldexp

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.kernels.factors import CliqueTree, Factor, apply_evidence, most_probable
from mabos.knowledge.reasoning.probabilistic.networks import (
    BayesianNetwork,
    FactorGraph,
    Hypotheses,
    first_marginals,
    marginal_claims,
)
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


@dataclass(frozen=True, slots=True)
class Posterior:
    """The posterior probability of each hypothesis; `odds` are the Bayes factors of each against the rest."""

    posterior: dict[str, float]
    evidence_probability: float
    odds: dict[str, float]


@dataclass(frozen=True, slots=True)
class Marginals:
    """The shares of each variable's states, how probable the evidence was (its weight, for tables that are no
    distributions), and the states that are most probable together."""

    marginals: dict[str, dict[str, float]]
    evidence_probability: float
    log_evidence: float
    most_probable: dict[str, str]


def estimate(problem: Hypotheses | BayesianNetwork | FactorGraph) -> float:
    """Return about how many milliseconds this takes; a network's true cost depends on its cliques."""
    match problem:
        case Hypotheses():
            return 0.05 * len(problem.prior) * len(problem.observations)
        case BayesianNetwork():
            return 2.0 + 0.3 * len(problem.nodes)
    return 2.0 + 0.3 * len(problem.variables)


def solve(
    problem: Hypotheses | BayesianNetwork | FactorGraph, budget: Budget
) -> MethodResult[Posterior] | MethodResult[Marginals]:
    """Return the posterior of hypotheses, or the marginals of a network. Impossible evidence is `inconsistent`."""
    match problem:
        case Hypotheses():
            return _update_beliefs(problem, budget)
        case BayesianNetwork():
            states = {name: node.states for name, node in problem.nodes.items()}
        case FactorGraph():
            states = dict(problem.variables)
    return _marginals(problem, states, budget)


def _update_beliefs(problem: Hypotheses, budget: Budget) -> MethodResult[Posterior]:
    prior = problem.prior
    scaled, power = _weigh_hypotheses(problem, budget)
    total = sum(scaled.values())
    if total == 0:
        return MethodResult("inconsistent", Posterior({}, 0.0, {}), "no hypothesis allows what was seen")
    posterior = {name: share / total for name, share in scaled.items()}
    odds = {name: _bayes_factor(prior[name], posterior[name]) for name in prior}
    best = max(posterior, key=lambda name: posterior[name])
    trace = tuple(
        TraceStep(
            f"{name}: {prior[name]:.6g} before, times the likelihoods is {ldexp(scaled[name], power):.6g}",
            "Bayes",
            label=name,
        )
        for name in prior
    )
    return MethodResult(
        "computed",
        Posterior(posterior, ldexp(total, power), odds),
        f"{best}: {posterior[best]:.4g} (before: {prior[best]:.4g})",
        claims=(AnswerClaim("hypothesis", "is", best, tuple(posterior.items())),),
        confidence=posterior[best],
        confidence_kind="posterior",
        trace=(*trace, TraceStep(f"divided by their sum {ldexp(total, power):.6g}", "Bayes", tuple(prior))),
        assumptions=("observations are independent given the hypothesis",) if len(problem.observations) > 1 else (),
    )


def _weigh_hypotheses(problem: Hypotheses, budget: Budget) -> tuple[dict[str, float], int]:
    """Return the prior times all likelihoods, as shares of a power of two: hundreds of observations do not underflow.

    All shares are 0 where no hypothesis allows the observations.
    """
    shares, power = dict(problem.prior), 0
    for one in budget.each(problem.observations):
        shares = {name: share * one[name] for name, share in shares.items()}
        _, more = frexp(max(shares.values()))
        shares = {name: ldexp(share, -more) for name, share in shares.items()}
        power += more
    return shares, power


def _bayes_factor(before: float, after: float) -> float:
    """Return how many times the odds of a hypothesis against the rest have grown."""
    if before in (0.0, 1.0):
        return 1.0
    return inf if after >= 1.0 else (after / (1 - after)) / (before / (1 - before))


def _marginals(
    problem: BayesianNetwork | FactorGraph, states: Mapping[str, tuple[str, ...]], budget: Budget
) -> MethodResult[Marginals]:
    place = {name: index for index, name in enumerate(states)}
    observed = {place[name]: states[name].index(state) for name, state in problem.evidence.items()}
    factors = apply_evidence(factors_of(problem, states, budget), observed)
    sizes = {place[name]: len(known) for name, known in states.items() if name not in problem.evidence}
    tree = CliqueTree(factors, sizes, budget)
    if not tree.propagate() or tree.log_weight == -inf:  # with all observed nothing is passed on
        impossible = "the evidence is impossible in this network"
        return MethodResult("inconsistent", Marginals({}, 0.0, -inf, {}), impossible)
    marginals = {
        name: dict(zip(states[name], tree.marginal(place[name]).tolist(), strict=True))
        for name in budget.each(dict.fromkeys(problem.asked))
    }
    best, _ = most_probable(factors, sizes, budget)
    together = {name: states[name][best[place[name]]] for name in states if name not in problem.evidence}
    claims = marginal_claims(marginals)
    first = claims[0] if claims else None
    sure = max(share for _, share in first.distribution) if first else None
    width = max((len(one.scope) for one in tree.cliques), default=0)
    return MethodResult(
        "computed",
        Marginals(marginals, exp(min(tree.log_weight, 700.0)), tree.log_weight, together),
        first_marginals(claims, ".4g")
        or f"nothing is left to ask; what was seen has the weight {exp(min(tree.log_weight, 700.0)):.4g}",
        claims=claims,
        confidence=sure if len(claims) == 1 else None,
        confidence_kind="posterior",
        trace=(
            TraceStep(f"{len(problem.evidence)} variables are observed", "evidence", tuple(problem.evidence)),
            TraceStep(f"{len(tree.cliques)} cliques of at most {width} variables pass messages", "clique tree"),
        ),
    )


def factors_of(
    problem: BayesianNetwork | FactorGraph, states: Mapping[str, tuple[str, ...]], budget: Budget
) -> list[Factor]:
    """Return the tables of a problem over the positions of its variables in `states`."""
    import numpy as np

    place = {name: index for index, name in enumerate(states)}
    if isinstance(problem, BayesianNetwork):
        scopes: list[tuple[tuple[str, ...], object]] = [
            ((*node.parents, name), node.table) for name, node in problem.nodes.items()
        ]
    else:
        scopes = [(one.over, one.values) for one in problem.tables]
    return [
        Factor(tuple(place[one] for one in names), np.reshape(np.array(table), [len(states[one]) for one in names]))
        for names, table in budget.each(scopes)
    ]
