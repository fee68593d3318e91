"""Handle a person's answers outside any plan: perform approved actions, and repeat deferred questions."""

from mabos.nodes.cycle import Cycle
from mabos.society.decisions import Decision
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Agent


def perform_approved(cycle: Cycle, decision_ids: list[str]) -> list[str]:
    """Return the decisions whose action was just performed; the call path uses each approval once."""
    performed = []
    for decision in _of(cycle.agent, decision_ids):
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
            performed.append(decision.id)
        else:
            cycle.note(not_performed=f"{decision.id}: {outcome.message}")
    return performed


def ask_again(agent: Agent, decision_ids: list[str]) -> list[str]:
    """Return the decisions to remind the person of now, once per deferral."""
    asked = []
    for decision in _of(agent, decision_ids):
        if not decision.asked_again:
            continue
        said = f"{decision.subject}: you put {decision.id} off until {decision.until[:10]}; it waits for you again."
        arguments = {
            "to": STAKEHOLDER,
            "performative": "QUERY",
            "content": said,
            "conversation_id": decision.id,
            "priority": "high",
        }
        key, why = asked_again(decision), {"decision": decision.id}
        caller = agent.caller
        if call(agent.services, "agent_message", arguments, caller=caller, key=key, cycle=agent.cycle, because=why).ok:
            asked.append(decision.id)
    return asked


def asked_again(decision: Decision) -> str:
    """Return the effect key of the reminder for a decision's current deferral."""
    return f"again:{decision.id}:{decision.version}"


def _of(agent: Agent, decision_ids: list[str]) -> list[Decision]:
    decisions = {one.id: one for one in agent.services.decisions(agent.business_id).all()}
    return [decisions[decision_id] for decision_id in decision_ids]
