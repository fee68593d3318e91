"""What rules ask for, done through the call path, once for the same facts (S3 12.2)."""

from mabos.nodes.cycle import Cycle
from mabos.tools.gate.call import call


def run_errands(cycle: Cycle) -> dict[str, str]:
    """Return the rules that were followed now, each with what came of it; what a person must decide waits."""
    told: dict[str, str] = {}
    for errand in cycle.errands:
        outcome = call(
            cycle.services,
            errand.tool,
            errand.arguments,
            caller=cycle.agent.caller,
            key=errand.key,
            cycle=cycle.id,
            because=errand.because,
        )
        came = [deed for one in outcome.result.get("actions", ()) for deed in one["deeds"]]
        refs = [deed.get("message_id") or deed.get("decision_id") or deed.get("reason", "") for deed in came]
        sent = str(outcome.result.get("message_id", ""))
        said = outcome.message or "; ".join(filter(None, [told.get(errand.rule_id, ""), sent, *refs]))
        told[errand.rule_id] = said
    cycle.errands = ()
    return told
