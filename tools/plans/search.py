"""Search for plan templates for a goal: by meaning if the workspace has an embedder, else by words (S3 7.2)."""

from dataclasses import dataclass
from typing import Literal

from mabos.configs.errors import MabosError
from mabos.mind.library import LIMIT, NOTHING, TemplateMatch
from mabos.society.templates import template_named
from mabos.tools.runtime.likeness import likeness
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class Found:
    """The matching templates, best first, the search method, and why it was not by meaning if that was wanted."""

    matches: tuple[TemplateMatch, ...]
    by: Literal["meaning", "words"]
    notice: str = ""


def templates_for(agent: Agent, goal_text: str, *, role: str, limit: int = LIMIT) -> Found:
    """Return the templates for the goal in `goal_text`; ties are ordered by name, so the order is deterministic."""
    library = agent.services.library
    domain, base = kind_of(agent)
    alike, notice = None, ""
    try:
        alike = likeness(agent.services, "plan-library", library.phrases, [goal_text])
    except MabosError as error:
        notice = f"found by words: {error.message}"
    found = library.search(goal_text, role, limit, domain=domain, base=base, alike=alike or NOTHING)
    return Found(tuple(found), "words" if alike is None else "meaning", notice)


def kind_of(agent: Agent) -> tuple[str, str]:
    """Return the kind of an agent's business, and the source of its roles' texts: software company or any business."""
    if not agent.business_id:
        return "", ""
    kind = agent.business.manifest.template
    try:
        return kind, template_named(kind, agent.services.layout.root).base
    except MabosError:  # a kind of its own, written by hand
        return kind, "general" if kind else ""
