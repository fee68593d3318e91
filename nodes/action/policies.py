"""What policies ask for, done through the call path, once for the same facts (S3 12.2)."""

from nodes.cycle import Cycle
from nodes.perception.rules import policy_key
from tools.call import call


def followed(cycle: Cycle) -> dict[str, str]:
    """Return the policies that were followed now, each with what came of it; what a person must decide waits."""
    told: dict[str, str] = {}
    for action in cycle.asked:
        outcome = call(
            cycle.services,
            "policy_eval",
            {"rule_id": action.rule.id, "bindings": dict(action.bindings)},
            caller=cycle.agent.caller,
            key=policy_key(action),
            cycle=cycle.id,
            because={"rule": action.rule.id, "facts": " ".join(action.facts)},
        )
        came = [deed for one in outcome.result.get("actions", ()) for deed in one["deeds"]]
        refs = [deed.get("message_id") or deed.get("decision_id") or deed.get("reason", "") for deed in came]
        told[action.rule.id] = outcome.message or "; ".join(filter(None, [told.get(action.rule.id, ""), *refs]))
    cycle.asked = ()
    return told
