"""What a policy asks for, done once: a message in an inbox, or a question before a person (S3 12.2)."""

from typing import Any, get_args

from mabos.configs.errors import MabosError
from mabos.knowledge.actions import PolicyDeed
from mabos.knowledge.rules import PolicyAction
from mabos.society.decisions import Decision, Decisions
from mabos.society.messages import Message, Performative
from mabos.tools.runtime.for_business import reachable
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso

_OPTIONS = ({"id": "A", "label": "Act on it"}, {"id": "B", "label": "Leave it as it is"})


def done(agent: Agent, action: PolicyAction, deed: PolicyDeed) -> dict[str, Any]:
    """Do what a policy asks for, unless it was done for the same facts, and return what became of it."""
    try:
        if deed.kind == "message":
            return _sent(agent, action, deed)
        if deed.kind == "decision":
            return _asked(agent, action, deed)
    except MabosError as error:
        return {"performed": False, "reason": error.message}
    return {"performed": False, "reason": "it is said in words: whoever evaluates the policy acts on it"}


def _sent(agent: Agent, action: PolicyAction, deed: PolicyDeed) -> dict[str, Any]:
    message_id = f"MSG-{agent.id}-{deed.digest}"
    performative = next((known for known in get_args(Performative) if known == deed.performative), None)
    if performative is None:
        return {"performed": False, "reason": f"{deed.performative} is no performative"}
    reachable(agent, deed.to, "action")
    if any(one.id == message_id for one in agent.services.inbox(deed.to).messages()):
        return {"performed": True, "message_id": message_id, "repeated": True}
    metadata = {"rule_id": action.rule.id, "bindings": dict(action.bindings), "facts": list(action.facts)}
    sent = Message(message_id, agent.id, deed.to, performative, deed.content, iso(agent.clock()), metadata=metadata)
    agent.services.mail.deliver(sent)
    return {"performed": True, "message_id": message_id, "repeated": False}


def _asked(agent: Agent, action: PolicyAction, deed: PolicyDeed) -> dict[str, Any]:
    decision_id = f"DEC-{agent.id}-{deed.digest}"
    decisions = _desk(agent)
    if any(one.id == decision_id for one in decisions.all()):
        return {"performed": True, "decision_id": decision_id, "repeated": True}
    decisions.request(
        Decision(
            id=decision_id,
            from_agent=agent.id,
            subject=deed.content,
            description=f"The policy {action.rule.name} applies. {action.rule.description}".strip(),
            options=_OPTIONS,
            created_at=iso(agent.clock()),
            reasons=(f"policy {action.rule.id}", *action.facts),
            cycle=agent.cycle,
        )
    )
    return {"performed": True, "decision_id": decision_id, "repeated": False}


def _desk(agent: Agent) -> Decisions:
    return agent.business.decisions if agent.business_id else agent.services.decisions()
