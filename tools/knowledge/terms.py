"""Comparison of figure, predicate and target names with the terms of the business's ontologies.

A name is never refused: it is accepted with a warning that shows the nearest term.
"""

from collections.abc import Iterable

from mabos.configs.errors import MabosError
from mabos.knowledge.ontology.vocabulary import FOLDER, load
from mabos.mind.conditions import parse
from mabos.society.quantities import known_names
from mabos.tools.runtime.services import Agent


def misspelling(agent: Agent, name: str, more: Iterable[str] = ()) -> str:
    """Return a warning if a word of a name is almost a term or a figure of the business; else "".

    `more` are further names in use.
    """
    metrics = agent.business.metrics.names() if agent.business_id else ()
    if name in metrics:
        return ""
    try:
        meant = load(agent.services.layout.root / FOLDER).correct_spelling(name, (*metrics, *known_names(), *more))
    except MabosError:  # a damaged ontology keeps nothing out; `mabos verify` tells of it
        return ""
    return f"no term is called {name!r}; the nearest is {meant!r}" if meant else ""


def target_misspelling(agent: Agent, target: str) -> str:
    """Return a warning if a target's figure is almost a known term; else ""."""
    known = {belief.subject for belief in agent.mind.beliefs}
    subjects = dict.fromkeys(clause.subject for clauses in parse(target) for clause in clauses)
    return "; ".join(filter(None, (misspelling(agent, one, known) for one in subjects if one not in known)))


def with_warning(warning: str) -> dict[str, str]:
    """Return the warning as a field of a result; nothing without one."""
    return {"warning": warning} if warning else {}
