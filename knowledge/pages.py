"""Facts as Markdown that people and file indexers read: derived, and safe to delete (S0 section 13)."""

from collections.abc import Iterable

from mabos.knowledge.model import Fact


def facts_page(agent_id: str, facts: Iterable[Fact]) -> str:
    """Return `memory/mabos-facts.md`: every fact with its fields, in the order in which they first came."""
    told = list(facts)
    derived = sum(fact.derived for fact in told)
    title = f"# MABOS Facts — {agent_id}"
    origin = f"> Auto-materialized from facts.json. {len(told)} facts, {derived} of them derived."
    return "\n\n".join([title, origin, *map(_section, told)]) + "\n"


def _section(fact: Fact) -> str:
    fields = [
        ("ID", fact.id),
        ("Confidence", f"{fact.confidence:g}"),
        ("Source", fact.source),
        ("Valid from", fact.valid_from),
        ("Valid until", fact.valid_until),
        ("Derived from", ", ".join(fact.derived_from)),
        ("Rule", fact.rule_id),
        ("Updated", fact.updated_at),
    ]
    told = "\n".join(f"- **{name}:** {value}" for name, value in fields if value)
    return f"## {' '.join(str(fact).split())}\n\n{told}"
