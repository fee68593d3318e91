"""Find plan templates for a goal: by meaning if the workspace has an embedder, else by words (S3 7.2)."""

from dataclasses import dataclass
from typing import Literal

from mabos.backends.choice import vectors
from mabos.backends.vectors import Vectors, key_of
from mabos.configs.errors import MabosError
from mabos.mind.library import LIMIT, NOTHING, Library, TemplateMatch
from mabos.society.templates import template_named
from mabos.tools.runtime.services import Agent, Services


@dataclass(frozen=True, slots=True)
class Found:
    """The matching templates, best first, the method of the search, and why not by meaning if that was wanted."""

    matches: tuple[TemplateMatch, ...]
    by: Literal["meaning", "words"]
    notice: str = ""


def templates_for(agent: Agent, goal_text: str, *, role: str, limit: int = LIMIT) -> Found:
    """Return the templates for the goal in `goal_text`; ties are ordered by name, so the order is always the same.

    Template texts are embedded once for a workspace and kept with its derived data.
    """
    library = agent.services.library
    domain, base = kind_of(agent)
    alike, notice = None, ""
    try:
        alike = _alike(agent.services, library, goal_text)
    except MabosError as error:
        notice = f"found by words: {error.message}"
    found = library.search(goal_text, role, limit, domain=domain, base=base, alike=alike or NOTHING)
    return Found(tuple(found), "words" if alike is None else "meaning", notice)


def kind_of(agent: Agent) -> tuple[str, str]:
    """Return the kind of an agent's business, and whose texts its roles have: software's, or those of any business."""
    if not agent.business_id:
        return "", ""
    kind = agent.business.manifest.template
    try:
        return kind, template_named(kind, agent.services.layout.root).base
    except MabosError:  # a kind of its own, written by hand
        return kind, "general" if kind else ""


def _alike(services: Services, library: Library, goal_text: str) -> dict[str, float] | None:
    """Return the similarity of the goal to the purpose of each template, or None without an embedder."""
    kept = vectors(services.embedder, services.layout.internal / "vectors" / "plan-library")
    if kept is None or not goal_text.strip():
        return None
    try:
        phrases = library.phrases
        keys = {key_of(said): said for every in phrases.values() for said in every}
        asked = _embed_goal(services, kept, keys, goal_text)
        if asked is None:
            return None
        likeness = kept.similarities(asked, list(keys))
    finally:
        kept.close()
    return {name: max(likeness.get(key_of(said), 0.0) for said in every) for name, every in phrases.items()}


def _embed_goal(services: Services, kept: Vectors, keys: dict[bytes, str], goal_text: str) -> list[float] | None:
    """Return the vector of the goal; template texts without a vector are embedded with it."""
    missing = kept.missing(list(keys))
    found = services.embedder.embed([goal_text, *(keys[key] for key in missing)])
    if found is None:
        return None
    kept.add(dict(zip(missing, found[1:], strict=True)))
    return found[0]
