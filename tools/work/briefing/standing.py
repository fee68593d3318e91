"""The rarely changing parts of a briefing: the agent's identity, the company, the rules, the colleagues."""

from collections.abc import Iterable, Mapping, Sequence

from mabos.mind.model import Persona
from mabos.society.business import Manifest
from mabos.society.governance import StakeholderProfile
from mabos.society.instructions import Instruction, describe_limit
from mabos.tools.work.briefing.parts import KEEP, BriefingPart
from mabos.workspace.currencies import money

_STYLES: Mapping[str, str] = {
    "hands-on": "The owner wants to approve everything that costs money, is published, or leaves the company.",
    "strategic-only": "The owner wants to approve what is strategic, final, or above the threshold.",
    "exception-based": "The owner wants to be asked only about exceptions.",
}
_INITIATIVE: Mapping[str, str] = {
    "propose": "What nobody asked for is only proposed when it costs money, is published or leaves the company.",
    "act": "You may act on your own initiative within these limits.",
}


def identity(persona: Persona, manifest: Manifest | None) -> BriefingPart:
    """Return the agent's identity and way of speaking."""
    company = f" of {manifest.name}" if manifest else ""
    title = persona.title or persona.agent_id
    lines = [f"You are the {title}{company} (agent id {persona.agent_id}), a software agent."]
    if persona.reports_to:
        boss = "the owner" if persona.reports_to == "stakeholder" else persona.reports_to
        lines.append(f"You report to {boss}.")
    if persona.style:
        lines.append(f"Your style: {persona.style}")
    if persona.responsibilities:
        lines.append(f"Your responsibilities: {'; '.join(persona.responsibilities)}.")
    if persona.expertise:
        lines.append(f"Your expertise: {', '.join(persona.expertise)}.")
    return BriefingPart("", tuple(lines), worth=9, floor=KEEP, supports="facts")


def company(manifest: Manifest | None) -> BriefingPart:
    """Return the company's offers, customers, and first recorded date."""
    if manifest is None:
        return BriefingPart("The company", ())
    kind = manifest.vertical or manifest.domain
    lines = [" ".join(filter(None, [f"{manifest.name}{f': {kind}.' if kind else '.'}", manifest.description]))]
    if manifest.legal_name and manifest.legal_name != manifest.name:
        lines.append(f"Legal name: {manifest.legal_name}.")
    for label, values in (
        ("It offers", manifest.value_propositions),
        ("Its customers", manifest.customer_segments),
        ("It earns money with", manifest.revenue_streams),
    ):
        if values:
            lines.append(f"{label}: {'; '.join(one.rstrip('.') for one in values)}.")
    if manifest.created:
        lines.append(f"On record here since {manifest.created[:10]}.")
    return BriefingPart("The company", tuple(lines), worth=8, floor=2, supports="facts")


def rules(
    instructions: Iterable[Instruction], profile: StakeholderProfile | None, limits: Mapping[str, str]
) -> BriefingPart:
    """Return the owner's rules and the agent's limits in plain words; `limits` are its autonomies by kind."""
    lines = [
        f"- Standing rule {one.id}: {one.sentence!r} {_rule_in_words(one)}" for one in instructions if one.is_in_force
    ]
    if profile is not None:
        lines.append(f"- Costs above {money(profile.approval_threshold_usd)} wait for the owner's approval.")
        lines.append(f"- {_STYLES.get(profile.decision_style, '')} {_INITIATIVE.get(profile.initiative, '')}".rstrip())
        if profile.auto_approve_categories:
            known = ", ".join(one.replace("_", " ") for one in profile.auto_approve_categories)
            lines.append(f"- Approved in advance: {known} dollars.")
    asked = [kind.replace("_", " ") for kind, autonomy in limits.items() if autonomy == "none"]
    if asked:
        lines.append(f"- You always ask before: {', '.join(sorted(asked))}.")
    return BriefingPart("Rules and limits", tuple(lines), worth=8, floor=KEEP, supports="facts")


def policy(text: str) -> BriefingPart:
    """Return the owner's own rules of procedure in full."""
    lines = tuple(text.splitlines())
    return BriefingPart("The owner's policy, which you follow", lines, worth=9, floor=KEEP, supports="facts")


def colleagues(seats: Sequence[tuple[str, Persona, Sequence[str]]]) -> BriefingPart:
    """Return the colleagues by role: their responsibilities, and the operations that only they may use."""
    lines = []
    for role, persona, able in seats:
        does = "; ".join(one.rstrip(".") for one in persona.responsibilities[:3])
        alone = f" Can use, unlike you: {', '.join(able)}." if able else ""
        lines.append(f"- {role}: {persona.title or role}. {does}.{alone}")
    title = "Colleagues, by the role to name them with"
    return BriefingPart(title, tuple(lines), worth=4, floor=len(lines), supports="facts")


def _rule_in_words(rule: Instruction) -> str:
    if rule.kind == "forbid":
        return f"(no letters to {rule.who})" if rule.who else "(ask first)"
    if rule.kind == "cap":
        return f"({describe_limit(rule)})"
    return "(ask first)"
