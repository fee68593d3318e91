"""Applying an agent's rules: inferences from its facts are recorded, and applicable policies are followed.

Both check only changes; a policy is followed once for the same facts and beliefs.
"""

from collections.abc import Sequence
from itertools import islice

from mabos.knowledge.inference.forward import Inference
from mabos.knowledge.model import Rule
from mabos.knowledge.rules import PolicyAction, deeds, digest_of
from mabos.mind.model import Desire
from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.perception.messages import title
from mabos.nodes.perception.news import Look, RuleRequests, is_done, last_look, news_of
from mabos.nodes.state import IDS_KEPT
from mabos.tools.runtime.services import Agent


def infer_facts(cycle: Cycle, enabled: Sequence[Rule]) -> dict[str, str]:
    """Apply the inference rules; return the new or changed facts by id, each with the rule behind it."""
    rules = tuple(one for one in enabled if one.type == "inference")
    facts, most = cycle.agent.facts, cycle.services.settings.knowledge.inference_max_facts
    index = facts.index()
    if not rules and not index.inferred:
        return {}
    look, now = last_look(cycle, "inference"), cycle.now()
    with index.lock:
        claims = index.claims_since(look.changes, look.at or now, now)
    if look.rules == rules and not claims:
        return {}
    found = Inference(facts, cycle.agent.rules, max_derived=most).follow()
    cycle.marks[cycle.agent.id, "inference"] = Look(rules, facts.index().changes, now)
    if found.reason:
        cycle.note(inference=found.reason)
    return {fact.id: fact.rule_id for fact in islice((*found.new, *found.updated), IDS_KEPT)}


def asked_by_policies(cycle: Cycle, enabled: Sequence[Rule]) -> RuleRequests:
    """Return the requests of policies that now apply; if there are many, the rest wait for the next cycle."""
    agent, now = cycle.agent, cycle.now()
    news = news_of(cycle, "policies", [one for one in enabled if one.type == "policy"])
    if news is None:
        return RuleRequests()
    found = agent.rules.policies(agent.facts, beside=news.beside, find=news.find)
    due = list(islice((one for one in found if not _is_followed(cycle.agent, one)), IDS_KEPT))
    if len(due) < IDS_KEPT:
        cycle.marks[agent.id, "policies"] = news.look
    wishes = [(action, wish_of(action, now)) for action in due]
    told = tuple(wish for _, wish in wishes if wish is not None)
    return RuleRequests(tuple(_errand(action) for action, wish in wishes if wish is None), told)


def _errand(action: PolicyAction) -> Errand:
    return Errand(
        action.rule.id,
        "policy_eval",
        {"rule_id": action.rule.id, "bindings": dict(action.bindings)},
        key=policy_key(action),
        because={"rule": action.rule.id, "facts": " ".join(action.facts)},
    )


def policy_key(action: PolicyAction) -> str:
    """Return the effect key that makes a policy apply once."""
    return f"policy:{digest_of(action)}"


def wish_of(action: PolicyAction, now: str) -> Desire | None:
    """Return the desire of a policy whose action is in words; None if it sends or asks something."""
    first, *others = deeds(action)
    if first.kind != "note" or others:
        return None
    return Desire(
        id=f"D-{action.rule.id}-{first.digest}",
        name=title(first.content),
        description=first.content,
        base=0.7,
        importance=0.7,
        urgency=0.6,
        alignment=0.8,
        created=now,
        reason=f"policy {action.rule.id} applies: {', '.join(action.facts)}",
    )


def _is_followed(agent: Agent, action: PolicyAction) -> bool:
    wish = wish_of(action, agent.now())
    if wish is not None:
        return any(one.id == wish.id for one in agent.mind.desires)
    return is_done(agent, policy_key(action))
