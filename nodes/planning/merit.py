"""Compare two plans for a goal: a plan of the library and a plan of a model."""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, Literal

from mabos.mind.conditions import direction, is_comparison, parse
from mabos.mind.model import Goal, Plan
from mabos.tools.runtime.services import Agent
from mabos.tools.work.proposals import success_rate

Way = Literal["higher", "lower"]
UNFOUNDED: Final = 0.3
"""The probability of success of a plan without evidence."""
SUREST: Final = 0.95
STATED, UNKNOWN = 2.0, 1.0
"""The weights, in measured plans, of a model's stated probability, and of complete ignorance."""
MEASURED, UNMEASURED = 0.5, 0.25
"""The fit of a plan that is expected to move another measured figure than the goal's, or none."""
IN_VAIN: Final = 3
"""The number of failed tries that count."""


def aims_at(target: str) -> Mapping[str, Way]:
    """Return the figures in a target with their desired directions.

    >>> aims_at("churn_rate < 5%")
    {'churn_rate': 'lower'}
    """
    if (found := direction(target)) is not None:
        return {found[0]: found[1]}
    if not is_comparison(target):
        return {}
    clauses = [clause for alternative in parse(target) for clause in alternative if clause.op[:1] in ("<", ">")]
    return {one.subject: "lower" if one.op[0] == "<" else "higher" for one in clauses}


def merit_of_model(agent: Agent, goal: Goal, probability: float, expects: Mapping[str, Way], *, founded: bool) -> float:
    """Return the merit of a model's plan: its chance of success times its fit, from 0 to 1.

    The chance is the probability that the model states, at most 0.95, or 0.3 without evidence. It counts as two plans,
    together with one of even chance and the agent's earlier model plans that were measured or failed, so that trust is
    earned. The fit is 1 if a predicted effect matches the goal's target, 0.5 if it moves another measured figure, else
    0.25. Any measured effect fits a goal without a figure in its target.
    """
    stated = min(SUREST, probability) if founded else UNFOUNDED
    prior = (STATED * stated + UNKNOWN * 0.5) / (STATED + UNKNOWN)
    chance = success_rate(agent.proposals.all(), prior, STATED + UNKNOWN)
    wanted = aims_at(goal.target)
    if any(expects.get(figure) == way for figure, way in wanted.items()):
        return chance
    measured = agent.business_id and any(agent.business.metrics.latest(figure) is not None for figure in expects)
    if measured:
        return chance * (MEASURED if wanted else 1.0)
    return chance * UNMEASURED


def merit_of_library(agent: Agent, goal: Goal, plan: Plan, pressing: Collection[str] = ()) -> float:
    """Return the merit of a library plan: its confidence, halved for each attempt after which the figures fell back.

    The confidence already includes cases and observed effects. An attempt is a completed plan of the same template for
    the goal. It failed if a figure of the target has moved the wrong way since; at most three are counted. A library
    plan is chosen for its promise, so its fit is 1. It is halved if figures are `pressing`, more than twice their
    limit, and the plan does not promise to bring one of them down.
    """
    tried = [
        one
        for one in agent.mind.plans
        if one.goal_id == goal.id and one.template == plan.template and one.status == "completed" and one.id != plan.id
    ]
    vain = sum(_went_back(agent, one.updated, aims_at(goal.target)) for one in tried[-IN_VAIN:]) if plan.template else 0
    library = agent.services.library
    results = library.template(plan.template).results if plan.template in library.names else ()
    promised = {found[0] for one in results if (found := direction(one)) is not None and found[1] == "lower"}
    is_beside = bool(pressing) and promised.isdisjoint(pressing)
    return plan.confidence * 0.5 ** (vain + is_beside)


def is_better(model: float, library: float) -> bool:
    """Return whether a model's plan precedes the library's: only if its merit is higher."""
    return model > library


def _went_back(agent: Agent, since: str, wanted: Mapping[str, Way]) -> bool:
    """Return whether a figure has gone the other way since a moment, by more than two percent of itself."""
    return any(measure_direction(agent, figure, since) == opposite(way) for figure, way in wanted.items())


def opposite(way: Way) -> Way:
    """Return the opposite direction."""
    return "lower" if way == "higher" else "higher"


def measure_direction(agent: Agent, figure: str, since: str) -> Way | Literal["", "unknown"]:
    """Return the direction of a measured figure since a time; empty for a change within two percent."""
    points: Sequence[float] = [one.value for one in agent.business.metrics.series(figure, since=since)]
    before = [one.value for one in agent.business.metrics.series(figure, until=since)]
    if not points or not before:
        return "unknown"
    change = points[-1] - before[-1]
    if abs(change) <= 0.02 * abs(before[-1]):
        return ""
    return "higher" if change > 0 else "lower"
