"""Finished tasks turned into knowledge of their business: afterwards, in batches, never blocking them (S4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mabos.configs.errors import MabosError
from mabos.knowledge.archive import by_model, by_rule
from mabos.knowledge.archive.model import Extraction, KnowledgeNode, TaskLine
from mabos.knowledge.archive.retrieval import How, Nearness, nearness
from mabos.knowledge.entities.sensitive import cleaner
from mabos.tools.history.tasks import conversation, goal_of, saved_prompt
from mabos.workspace.ledger_index import RUNNING, LedgerTask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mabos.knowledge.archive.store import Taken
    from mabos.tools.runtime.company import Business
    from mabos.tools.runtime.services import Services

_EVERY = 1_000_000


@dataclass(frozen=True, slots=True)
class Archived:
    """The result of a batch: the yield of each task by id, and the unreadable ones, with the reason."""

    taken: dict[str, Taken]
    refused: dict[str, str]


def extraction(services: Services, task: LedgerTask) -> Extraction:
    """Return the lessons of a task: by a model if there is one and settings allow, else by rule."""
    clean = cleaner(services.settings.entities.sensitive)
    lines = [TaskLine(one.role, clean(one.content)) for one in conversation(services, task)]
    goal = goal_of(services, task)
    purpose = clean(goal.description if goal else saved_prompt(services, task))
    found = by_model.extract_by_model(services.model, purpose, lines) if services.settings.archive.use_model else None
    return found or by_rule.extract_by_rule(purpose, lines)


def archive_task(services: Services, task: LedgerTask, business_id: str = "") -> Taken:
    """Archive one task, finished or not, and return the new entries."""
    return services.business(business_id).archive.take(task.id, extraction(services, task), at=task.updated)


def due(services: Services, business: Business) -> list[LedgerTask]:
    """Return the finished tasks of a business not yet archived in their final state, oldest first."""
    known = {task: record["at"] for task, record in business.archive.tasks().items()}
    team = tuple(business.manifest.agents.values())
    tasks = services.ledger_index().tasks(agents=team, limit=_EVERY)
    return [one for one in reversed(tasks) if one.status != RUNNING and known.get(one.id) != one.updated]


def archive_due(services: Services, business_id: str) -> Archived:
    """Archive the due tasks of a business; an unreadable task does not block the others."""
    found = Archived({}, {})
    if not services.settings.archive.enabled:
        return found
    for task in due(services, services.business(business_id)):
        try:
            with services.allowances.charge_agent(task.agent, phase="archive"):
                found.taken[task.id] = archive_task(services, task, business_id)
        except MabosError as error:
            found.refused[task.id] = error.message
    return found


def nearness_of(services: Services, business_id: str, nodes: Sequence[KnowledgeNode]) -> tuple[Nearness, How]:
    """Return the similarity of texts to these nodes, by vectors if the workspace has an embedder."""
    return nearness(services.embedder, services.graph(business_id).vectors("archive"), nodes)
