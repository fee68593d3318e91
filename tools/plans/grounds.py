"""The grounds of a plan: known facts, usable tools, demands of rules, and steps that fulfil a condition."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from mabos.configs.errors import Refused, UnknownId
from mabos.knowledge.model import Rule
from mabos.mind.binding import applicable, known_values, step_of
from mabos.mind.conditions import Lookup, negation, parse
from mabos.mind.fitting import Offer
from mabos.mind.model import Step
from mabos.mind.plans import effects
from mabos.mind.ways import Hindrance
from mabos.tools.gate.identity import check_capability
from mabos.tools.runtime.services import Agent, Caller

_SIGNS = {"eq": "=", "ne": "!=", "gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


def build_lookup(agent: Agent) -> Lookup:
    """Return a lookup for conditions: the agent's beliefs, else its business's role holders, else its facts.

    Agents have beliefs about colleagues, but none about their own identity.
    """
    index = agent.mind.index
    seats = agent.business.manifest.agents if agent.business_id else {}
    roles = {f"{role}.agent_id": holder for role, holder in seats.items()}

    @cache
    def find_fact(name: str) -> str | None:
        subject, _, predicate = name.rpartition(" ")
        found = agent.facts.query(subject=subject, predicate=predicate) if subject else ()
        surest = max(found or agent.facts.query(predicate=name), key=lambda fact: fact.confidence, default=None)
        return surest.object if surest else None

    def lookup(name: str) -> str | None:
        held = index(name)
        return held if held is not None else roles.get(name) or find_fact(name)

    return lookup


def hindrance(agent: Agent) -> Hindrance:
    """Return a function that explains why this agent cannot use a tool: it does not exist, or is not permitted.

    The agent itself carries out a plan, for any requester.
    """
    own = replace(agent, caller=Caller("agent", agent.id))

    @cache
    def why_not(name: str) -> str:
        if lacking := absence(agent)(name):
            return lacking
        try:
            check_capability(own, agent.services.tools.tool(name))
        except Refused:
            return f"not among the capabilities of {agent.id}"
        return ""

    return why_not


def absence(agent: Agent) -> Hindrance:
    """Return a function that explains why no agent can use a tool: it does not exist."""

    def why_not(name: str) -> str:
        try:
            agent.services.tools.tool(name)
        except UnknownId:
            return "not there yet"
        return ""

    return why_not


def asked_by_rules(agent: Agent) -> tuple[tuple[str, str], ...]:
    """Return the conditions that keep the agent's constraints unbroken, with the id of each."""
    return tuple(_derive_requirements(agent.rules.select("constraint", enabled=True)))


def _derive_requirements(rules: list[Rule]) -> Iterator[tuple[str, str]]:
    """Yield the negation of each constraint that forbids one thing of a named subject: others are ambiguous."""
    for rule in rules:
        if len(rule.conditions) != 1:
            continue
        one = rule.conditions[0]
        if "?" in (one.subject[:1], one.object[:1]) or not one.object or one.operator not in _SIGNS:
            continue
        yield rule.id, negation(f"{one.subject} {one.predicate} {_SIGNS[one.operator]} {one.object}".strip())


def offers(agent: Agent, lookup: Lookup) -> Offer:
    """Return a function that finds a template step that fulfils a condition and that this agent can perform."""
    why_not = hindrance(agent)

    def offer(condition: str) -> Step | None:
        wanted = _parse_effect(condition)
        library = agent.services.library
        for name in library.names if wanted else ():
            template = library.template(name)
            if not applicable(template, lookup):
                continue
            values = known_values(template, lookup)
            for one in template.every_step:
                step = step_of(one, values)
                if step.tool and not why_not(step.tool) and wanted in effects(step):
                    return step
        return None

    return offer


def _parse_effect(condition: str) -> tuple[str, str, str] | None:
    """Return the effect that makes a condition true, where it asks that something is something."""
    clauses = [clause for alternative in parse(condition) for clause in alternative]
    if len(clauses) != 1 or clauses[0].op != "=":
        return None
    subject, _, predicate = clauses[0].subject.rpartition(" ")
    return (subject, predicate, clauses[0].value) if subject else None
