"""Rules: create, list and toggle them, and evaluate constraints and policies over the facts (S0 section 21)."""

from functools import partial
from typing import Any, get_args

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.knowledge.matching import match_with_bindings
from mabos.knowledge.model import RULES, Rule, RuleType, Severity
from mabos.knowledge.rules import PolicyAction, PolicyDeed, deeds
from mabos.mind.grounds import index_facts
from mabos.society.decisions import Decision, Decisions
from mabos.society.messages import Message, Performative
from mabos.tools.catalogue.declaration import Fraction, OwnId, Text, Tool
from mabos.tools.knowledge.inference import inference_of
from mabos.tools.runtime.for_business import reachable
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso


def rule_create(
    agent: Agent,
    *,
    name: Text,
    description: str,
    type_: RuleType,
    conditions: list[dict[str, Any]],
    rule_id: OwnId = "",
    conclusion: dict[str, Any] | None = None,
    confidence_factor: Fraction = 0.9,
    violation_message: str = "",
    severity: Severity = "warning",
    action: str = "",
    escalate: bool = False,
) -> dict[str, Any]:
    """Make a rule: an inference, a constraint that must not come true, or a policy that asks for an action.

    Args:
        name: What people call it.
        description: What it is for.
        type: What follows where the conditions hold.
        conditions: Each with predicate, and subject, object and operator (eq, ne, gt, gte, lt, lte, contains);
            `?x` is a variable, the same value wherever it occurs.
        rule_id: An id of your own; made if left out.
        conclusion: Of an inference: subject, predicate and object of the new fact.
        confidence_factor: What a derived fact's confidence is multiplied with, above 0.
        violation_message: Of a constraint: what to say; variables are filled in.
        severity: Of a constraint: how bad it is.
        action: Of a policy: what to do; variables are filled in.
        escalate: Of a policy: whether a person must hear of it.
    """
    definition = {
        "name": name,
        "description": description,
        "type": type_,
        "conditions": conditions,
        "conclusion": conclusion,
        "confidence_factor": confidence_factor,
        "violation_message": violation_message,
        "severity": severity,
        "action": action,
        "escalate": escalate,
    }
    rule = agent.rules.create(definition, rule_id)
    return {
        "rule_id": rule.id,
        "rule": RULES.write(rule),
        "text": f"Rule {rule.id} ({rule.type}): {_describe_rule(rule)}",
    }


def rule_list(agent: Agent, *, type_: RuleType | None = None) -> dict[str, Any]:
    """List the rules, with their conditions and whether they are enabled.

    Args:
        type: Only this kind.
    """
    rules = agent.rules.select(type_ or "")
    lines = [
        f"- {rule.id} [{rule.type}] {_describe_rule(rule)}{'' if rule.enabled else ' (disabled)'}" for rule in rules
    ]
    told = "\n".join(lines) or "No rules."
    return {"rules": [RULES.write(rule) for rule in rules], "count": len(rules), "text": told}


def rule_toggle(agent: Agent, *, rule_id: Text, enabled: bool) -> dict[str, Any]:
    """Switch a rule on or off; what only it derived goes from the record when it is switched off.

    Args:
        rule_id: The rule.
        enabled: Whether it is evaluated from now on.
    """
    rule = agent.rules.toggle(rule_id, enabled)
    if rule.type == "inference":
        inference_of(agent).maintain()
    return {"rule_id": rule.id, "enabled": rule.enabled, "text": f"{rule.id} is {'on' if enabled else 'off'}."}


def constraint_check(agent: Agent, *, rule_id: str = "", context: dict[str, Any] | None = None) -> dict[str, Any]:
    """Evaluate the constraints over the facts that hold now, and report what violates them, the worst first.

    Args:
        rule_id: Only this constraint.
        context: Values to suppose for this check, as {"cash_runway": {"months": 2}} or {"cash_runway.months": 2}.
    """
    rules = _select_rules(agent, "constraint", rule_id)
    ids = {rule.id for rule in rules}
    violations = [
        {
            "rule_id": found.rule.id,
            "name": found.rule.name,
            "severity": found.severity,
            "message": found.message,
            "bindings": dict(found.bindings),
            "facts": list(found.facts),
        }
        for found in agent.rules.constraints(agent.facts, context)
        if found.rule.id in ids
    ]
    lines = [f"- [{one['severity']}] {one['rule_id']}: {one['message']}" for one in violations]
    return {
        "valid": not violations,
        "violations": violations,
        "checked": len(rules),
        "text": "\n".join(lines) or f"{len(rules)} constraints hold.",
    }


def policy_eval(
    agent: Agent,
    *,
    rule_id: str = "",
    context: dict[str, Any] | None = None,
    perform: bool = True,
    bindings: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Evaluate the policies over facts and beliefs that hold now, and do what they ask for, once for the same ones.

    An action is a message (`REQUEST cmo "Start a campaign"`), a question to a person (`DECIDE "Raise the price?"`, or
    any with escalate), or words for whoever called. In a context that is supposed, nothing is done.

    Args:
        rule_id: Only this policy.
        context: Values to suppose, as {"churn_rate": 6}, {"churn_rate.percent": 6} or {"churn_rate": {"percent": 6}}.
        perform: Whether to do it, or only to tell.
        bindings: Only where variables have these values, as {"?product": "starter"}.
    """
    rules = _select_rules(agent, "policy", rule_id)
    ids = {rule.id for rule in rules}
    given = bindings or {}
    actions = [
        {
            "rule_id": found.rule.id,
            "name": found.rule.name,
            "action": found.action,
            "escalate": found.escalate,
            "bindings": dict(found.bindings),
            "facts": list(found.facts),
            "deeds": [
                {"kind": deed.kind, "to": deed.to, "content": deed.content}
                | (perform_deed(agent, found, deed) if perform and not context else {"performed": False})
                for deed in deeds(found)
            ],
        }
        for found in agent.rules.policies(
            agent.facts,
            context,
            beside=index_facts(agent.mind.beliefs, agent.business_id),
            find=partial(match_with_bindings, given=given),
        )
        if found.rule.id in ids
    ]
    fired = {action["rule_id"] for action in actions}
    lines = [f"- {one['rule_id']}: {one['action']}{' (escalate)' if one['escalate'] else ''}" for one in actions]
    return {
        "triggered": bool(actions),
        "actions": actions,
        "policies": [{"rule_id": rule.id, "name": rule.name, "triggered": rule.id in fired} for rule in rules],
        "evaluated": len(rules),
        "text": "\n".join(lines) or "No policy applies.",
    }


def _select_rules(agent: Agent, kind: RuleType, rule_id: str) -> list[Rule]:
    if not rule_id:
        return agent.rules.select(kind, enabled=True)
    rule = agent.rules.rule(rule_id)
    if rule.type != kind:
        raise InvalidArgument(f"rule {rule_id!r} is of type {rule.type}, not {kind}", argument="rule_id")
    return [rule] if rule.enabled else []


def _describe_rule(rule: Rule) -> str:
    follows = {"inference": str(rule.conclusion), "constraint": rule.violation_message, "policy": rule.action}
    return f"{rule.name}: if {' and '.join(map(str, rule.conditions))} then {follows[rule.type] or rule.name}"


TOOLS = [
    Tool.of(rule_create, module="Rules", writes=True),
    Tool.of(rule_list, module="Rules", writes=False),
    Tool.of(rule_toggle, module="Rules", writes=True),
    Tool.of(constraint_check, module="Rules", writes=False),
    Tool.of(policy_eval, module="Rules", writes=True, category="communication"),
]


_OPTIONS = ({"id": "A", "label": "Act on it"}, {"id": "B", "label": "Leave it as it is"})


def perform_deed(agent: Agent, action: PolicyAction, deed: PolicyDeed) -> dict[str, Any]:
    """Carry out a policy's action, unless it was already done for the same facts, and return the outcome."""
    try:
        if deed.kind == "message":
            return _send_message(agent, action, deed)
        if deed.kind == "decision":
            return _request_decision(agent, action, deed)
    except MabosError as error:
        return {"performed": False, "reason": error.message}
    return {"performed": False, "reason": "it is said in words: whoever evaluates the policy acts on it"}


def _send_message(agent: Agent, action: PolicyAction, deed: PolicyDeed) -> dict[str, Any]:
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


def _request_decision(agent: Agent, action: PolicyAction, deed: PolicyDeed) -> dict[str, Any]:
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
