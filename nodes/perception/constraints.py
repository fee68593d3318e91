"""Apply constraints: a violation becomes a desire to end it, and is reported if severe (S3 12.2)."""

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b

from mabos.knowledge.model import Rule, Severity
from mabos.knowledge.rules import RuleViolation
from mabos.mind.model import Desire
from mabos.nodes.cycle import Cycle, Errand
from mabos.nodes.perception.messages import title
from mabos.nodes.perception.news import RuleRequests, is_done, news_of
from mabos.nodes.state import IDS_KEPT
from mabos.society.roles import STAKEHOLDER

BROKEN = "D-broken-"
"""The prefix of ids of desires to end a violation."""

WEIGHTS: dict[Severity, float] = {"info": 0.3, "warning": 0.5, "error": 0.75, "critical": 0.95}
"""The weight of a violation in the priority of the desire to end it: our choice, S3 only names the severities."""

ALARMING = frozenset({"error", "critical"})
"""The severities that are told to whom the agent reports."""


def asked_by_constraints(cycle: Cycle, enabled: Sequence[Rule]) -> RuleRequests:
    """Return the desires to end new violations of constraints, and those to drop because they hold again.

    Severe violations are reported to the agent's superior, once per occurrence.
    """
    agent = cycle.agent
    known = {one.id: one for one in agent.mind.desires if one.id.startswith(BROKEN)}
    raised = [one for one in known.values() if one.status != "dropped"]
    rules = [one for one in enabled if one.type == "constraint"]
    news = news_of(cycle, "constraints", rules, always=bool(raised))
    if news is None:
        return RuleRequests()
    wishes: dict[str, Desire] = {}
    alerts = list[Errand]()
    for found in agent.rules.constraints(agent.facts, beside=news.beside, find=news.find):
        wish = wish_to_end(found, cycle.now())
        standing = known.get(wish.id)
        if standing is None or standing.status == "dropped":
            if len(wishes) == IDS_KEPT:  # the rest in the next cycle
                break
            wishes[wish.id] = wish
        if found.severity in ALARMING:
            since = wish.created if wish.id in wishes else known[wish.id].created
            alerts.append(_alert(found, wish.id, since, agent.mind.persona.reports_to or STAKEHOLDER))
    if len(wishes) < IDS_KEPT:
        cycle.marks[agent.id, "constraints"] = news.look
    if raised:
        broken = {wish_to_end(one, "").id for one in agent.rules.constraints(agent.facts, beside=news.beside)}
        wishes |= {one.id: _over(one) for one in raised if one.id not in broken}
    return RuleRequests(tuple(one for one in alerts if not is_done(cycle.agent, one.key)), tuple(wishes.values()))


def wish_to_end(found: RuleViolation, now: str) -> Desire:
    """Return the desire that a violation end; its id is the same while the same thing breaks the same rule."""
    told = "\x1f".join(f"{name}={value}" for name, value in sorted(found.bindings.items()))
    digest = blake2b(told.encode(), digest_size=4).hexdigest()
    weight = WEIGHTS[found.severity]
    return Desire(
        id=f"{BROKEN}{found.rule.id}-{digest}",
        name=title(found.message),
        description=found.message,
        base=weight,
        importance=weight,
        urgency=weight,
        alignment=0.8,
        created=now,
        reason=f"constraint {found.rule.id} is broken: {', '.join(found.facts)}",
    )


def _over(desire: Desire) -> Desire:
    return replace(desire, status="dropped", reason="the constraint holds again")


def _alert(found: RuleViolation, desire_id: str, since: str, to: str) -> Errand:
    return Errand(
        found.rule.id,
        "agent_message",
        {
            "to": to,
            "performative": "INFORM",
            "content": f"{found.severity}: {found.message}",
            "priority": "urgent" if found.severity == "critical" else "high",
        },
        key=f"constraint:{desire_id}:{since}",
        because={"rule": found.rule.id, "facts": " ".join(found.facts)},
    )
