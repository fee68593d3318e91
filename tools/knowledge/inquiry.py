"""Knowledge: one operation for the three kinds of inference, and the current effect of one rule (S3 section 16)."""

from collections.abc import Mapping
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.matching import substitute
from mabos.knowledge.model import RULES, Rule
from mabos.tools.catalogue.declaration import Text, Tool
from mabos.tools.knowledge.inference import infer_abductive, infer_backward, infer_forward
from mabos.tools.runtime.services import Agent


def knowledge_infer(
    agent: Agent,
    *,
    mode: Literal["forward", "backward", "abductive"] = "forward",
    goal: str | dict[str, Any] | None = None,
    assume: list[dict[str, Any]] | None = None,
    without: list[str] | None = None,
) -> dict[str, Any]:
    """Infer without writing anything: what follows, whether a goal does, or what would explain it.

    Args:
        mode: forward derives, backward proves `goal`, abductive explains it.
        goal: As "subject predicate object" with ?variables for anything, or an object with these.
        assume: For forward: facts to suppose, each with subject, predicate, object and confidence.
        without: For forward: ids of facts to suppose away.
    """
    if mode == "forward":
        return {"mode": mode, **infer_forward(agent, assume=assume, without=without)}
    if not goal:
        raise InvalidArgument(f"{mode} inference needs a goal, as subject predicate object", argument="goal")
    if mode == "abductive":
        return {"mode": mode, **infer_abductive(agent, observation=goal)}
    given = _triple(goal)
    proved = infer_backward(
        agent, goal_predicate=given["predicate"], goal_subject=given["subject"], goal_object=given["object"]
    )
    return {"mode": mode, **proved}


def rule_evaluate(agent: Agent, *, rule_id: Text, context: dict[str, Any] | None = None) -> dict[str, Any]:
    """Show where one rule holds now and what follows there, whatever its type; nothing is written or done.

    Args:
        rule_id: The rule; it may be switched off.
        context: Values to suppose, as {"churn_rate": 6}, {"churn_rate.percent": 6} or {"churn_rate": {"percent": 6}}.
    """
    rule = agent.rules.rule(rule_id)
    matches = [
        {
            "bindings": dict(match.bindings),
            "facts": list(dict.fromkeys(fact.id for fact in match.facts)),
            "confidence": min(fact.confidence for fact in match.facts) * rule.confidence_factor,
            "follows": _follows(rule, match.bindings),
        }
        for match in agent.rules.evaluate(rule, agent.facts, context)
    ]
    lines = [f"- {match['follows']} ({match['confidence']:.4g})" for match in matches]
    return {
        "rule_id": rule.id,
        "type": rule.type,
        "enabled": rule.enabled,
        "holds": bool(matches),
        "matches": matches,
        "count": len(matches),
        "rule": RULES.write(rule),
        "text": "\n".join(lines) or f"{rule.id} holds nowhere.",
    }


def _triple(goal: str | dict[str, Any]) -> Mapping[str, str]:
    if isinstance(goal, dict):
        found = {name: str(goal.get(name) or "") for name in ("subject", "predicate", "object")}
    else:
        words = goal.split(maxsplit=2)
        places = ("predicate",) if len(words) == 1 else ("subject", "predicate", "object")
        found = {"subject": "", "object": "", **dict(zip(places, words, strict=False))}
    if not found.get("predicate"):
        raise InvalidArgument(f"{goal!r} has no predicate; write subject predicate object", argument="goal")
    return found


def _follows(rule: Rule, bindings: Mapping[str, str]) -> str:
    if rule.conclusion is not None and rule.type == "inference":
        return substitute(str(rule.conclusion), bindings)
    return substitute(rule.violation_message or rule.action or rule.name, bindings)


TOOLS = [
    Tool.of(knowledge_infer, module="Knowledge", writes=False),
    Tool.of(rule_evaluate, module="Knowledge", writes=False),
]
