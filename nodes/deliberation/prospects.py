"""Choose the most promising goal: its value, times the success rate of similar goals."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.methods import method, solver
from mabos.knowledge.reasoning.probabilistic.choices import Lotteries, Prize
from mabos.mind.model import Goal
from mabos.mind.situation import is_success, list_desires, read_beliefs
from mabos.nodes.cycle import Cycle
from mabos.nodes.deliberation.counsel import Advice
from mabos.tools.runtime.services import Agent

ALIKE = 0.6
"""The least similarity of a case that predicts the outcome of a goal."""
RIVALS = 3
"""The number of goals weighed against each other, most important first."""


def most_promising(cycle: Cycle, advice: Mapping[str, Advice], goals: Sequence[Goal]) -> Goal:
    """Return the goal of highest expected utility, or the first if no case or advice distinguishes them.

    `goals` are sorted by importance; `advice` is a model's opinion of them. The ledger records the choice with the
    cases and advice behind it.
    """
    rivals = goals[:RIVALS]
    if len(rivals) < 2 or not rivals[0].priority:
        return goals[0]
    seen = {goal.id: _outcomes(cycle.agent, goal) for goal in rivals}
    if not any(seen.values()) and seen.keys().isdisjoint(advice):
        return goals[0]
    chances = {name: _chance(outcomes, advice.get(name)) for name, outcomes in seen.items()}
    lotteries = {
        goal.id: (Prize(p=chances[goal.id], value=goal.priority), Prize(p=1 - chances[goal.id], value=0.0))
        for goal in rivals
    }
    found = solver(method("expected-utility")).solve(Lotteries(lotteries=lotteries), Budget())
    cycle.note(
        weighed=[f"{goal.id}: {goal.priority:.2f} x {chances[goal.id]:.2f}" for goal in rivals],
        cases=sorted({case_id for outcomes in seen.values() for case_id in outcomes}),
    )
    chosen = next(goal for goal in rivals if goal.id == found.answer.choice)
    chance = chances[chosen.id]
    told, evidence = found.summary, tuple(seen[chosen.id])
    if advised := advice.get(chosen.id):
        told, evidence = (
            f"{told}; a model thinks it {advised.probability:g} likely: {advised.reason}",
            (*evidence, *advised.evidence),
        )
    cycle.forecast = replace(found, summary=told, confidence=chance, confidence_kind="frequency", evidence=evidence)
    return chosen


def _outcomes(agent: Agent, goal: Goal) -> dict[str, tuple[float, bool]]:
    """Return the similarity of each similar case, and whether its aim came nearer."""
    situation = read_beliefs(goal, agent.mind.index)
    similar = agent.cases.retrieve(situation, list_desires(goal), 5, include_negative=True)
    told = [one for one in similar if one.desires and one.score >= ALIKE]
    known = (one for one in told if one.case.outcome != "open" or is_success(one.case))
    return {one.case.id: (one.score, is_success(one.case)) for one in known}


def _chance(outcomes: dict[str, tuple[float, bool]], advised: Advice | None) -> float:
    """Return the share of successes, each weighted by its similarity, with two assumed outcomes added.

    Without advice one of the two is a success; so observations soon outweigh a model's opinion.
    """
    good = sum(score for score, success in outcomes.values() if success)
    expected = 2 * advised.probability if advised else 1
    return (good + expected) / (sum(score for score, _ in outcomes.values()) + 2)
