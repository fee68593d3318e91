"""The owner of a simulated company, who answers decisions as the scenario's policy says, through the call path."""

from mabos.society.decisions import Decision
from mabos.society.simulation.company import CompanySimulation
from mabos.society.simulation.stakeholder_policy import OwnerQuestion, OwnerSituation, answer
from mabos.tools.gate.call import call
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import PERSON, Services
from mabos.workspace.clock import parse_time


def answer_decisions(services: Services, business: Business, simulation: CompanySimulation) -> list[str]:
    """Return the ids of the decisions that the owner has just answered; the others still wait."""
    pending = business.decisions.pending()
    if not pending:
        return []
    world = simulation.world
    situation = OwnerSituation(services.clock(), world.cash, world.ledger.costs - world.ledger.revenue)
    terms = simulation.scenario.stakeholder
    answered = []
    for decision in pending:
        found = answer(_asked(decision), terms.policy, situation, latency_weeks=terms.latency_weeks)
        if found is None:
            continue
        arguments = {
            "decision_id": decision.id,
            "resolution": found.resolution,
            "feedback": found.feedback,
            "business_id": business.id,
        }
        if found.chosen_option and decision.options:
            arguments["chosen_option"] = found.chosen_option
        outcome = call(services, "decision_resolve", arguments, caller=PERSON, agent_id=decision.from_agent)
        if outcome.ok:
            answered.append(decision.id)
    return answered


def _asked(decision: Decision) -> OwnerQuestion:
    """Return a question as the owner counts its weeks: from the day it was asked, at whatever hour of the round."""
    day = parse_time(decision.created_at).replace(hour=0, minute=0, second=0, microsecond=0)
    return OwnerQuestion(decision.id, decision.cost, day, decision.recommendation)
