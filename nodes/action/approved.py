"""Actions that a person approved and that no plan waits for: performed exactly as they were allowed, once."""

from nodes.cycle import Cycle
from tools.call import call


def perform_approved(cycle: Cycle, decision_ids: list[str]) -> list[str]:
    """Return the decisions whose action was performed now; the call path claims each approval for one effect."""
    decisions = {one.id: one for one in cycle.services.decisions(cycle.agent.business_id).all()}
    performed = []
    for decision_id in decision_ids:
        decision = decisions[decision_id]
        if decision.action is None or not decision.granted:
            continue
        outcome = call(
            cycle.services,
            decision.action["tool"],
            decision.action["arguments"],
            caller=cycle.agent.caller,
            key=f"decision:{decision.id}",
            cycle=cycle.id,
            because={"decision": decision.id},
        )
        if outcome.ok:
            performed.append(decision_id)
        else:
            cycle.note(not_performed=f"{decision_id}: {outcome.message}")
    return performed
