"""Archive finished tasks as knowledge of their business: find due tasks, read them in turn, report results (S4)."""

from typing import Annotated, Any

from langgraph.runtime import Runtime
from langgraph.types import Send
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.configs.errors import MabosError
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.state import WorkspaceName, context_of
from mabos.tools.history.archiving import archive_task, due
from mabos.tools.history.tasks import task_of
from mabos.tools.runtime.services import Services

Row = dict[str, Any]
"""The result of one task: `taskId`, `nodesCreated`, `edgesCreated`, `edgesDropped`, `extractedBy`, or `refused`."""


class ArchiveContext(BaseModel):
    """The context of archiving: whose tasks; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


def extend_rows(rows: list[Row], more: list[Row]) -> list[Row]:
    """Return the rows extended by more; no more rows mean that a new round begins."""
    return [*rows, *more] if more else []


class ArchiveInput(TypedDict, total=False):
    """The input of a round."""

    business_id: Annotated[str, Field(description="The business. Empty: all of them.")]
    task_ids: Annotated[list[str], Field(description="The tasks to archive. Empty: those that are over and due.")]


class ArchiveState(TypedDict, total=False):
    """The state of one round."""

    business_id: str
    task_ids: list[str]
    workspace: str
    due: list[dict[str, str]]
    rows: Annotated[list[Row], extend_rows]
    tasks: list[Row]


class ArchiveOutput(TypedDict, total=False):
    """The result of a round: one row per task, by time of completion."""

    tasks: list[Row]


class Due(TypedDict):
    """A task to archive."""

    workspace: str
    business_id: str
    task_id: str


def find(state: ArchiveState, runtime: Runtime[ArchiveContext]) -> dict[str, Any]:
    """Find the finished tasks not yet archived in their final state, or the named ones."""
    named = context_of(runtime.context, ArchiveContext).workspace
    services = OPEN.find(named or state.get("workspace", "")).services
    wanted = state.get("business_id", "")
    businesses = [services.business(wanted).id] if wanted else services.businesses()
    tasks = state.get("task_ids", [])
    found = [
        {"business_id": business, "task_id": one.id}
        for business in businesses
        for one in ([] if tasks else due(services, services.business(business)))
    ]
    found += [{"business_id": _business_of(services, one, wanted), "task_id": one} for one in tasks]
    return {"workspace": str(services.layout.root), "due": found, "rows": []}


def to_tasks(state: ArchiveState) -> list[Send] | str:
    """Send every task to archiving; if none is due, end."""
    root = state["workspace"]
    sent = [
        Send("archive", Due(workspace=root, business_id=one["business_id"], task_id=one["task_id"]))
        for one in state["due"]
    ]
    return sent or "conclude"


def archive(state: Due, runtime: Runtime[ArchiveContext]) -> dict[str, Any]:
    """Turn one task into knowledge; an unreadable one does not block the others."""
    services = OPEN.find(state["workspace"]).services
    row: dict[str, Any] = {"taskId": state["task_id"]}
    try:
        taken = archive_task(services, task_of(services.seat(), state["task_id"]), state["business_id"])
        row |= {"nodesCreated": taken.nodes, "edgesCreated": taken.edges, "edgesDropped": taken.dropped}
        row |= {"extractedBy": taken.by}
    except MabosError as error:
        row["refused"] = error.message
    runtime.stream_writer({"phase": "archive", "status": "done", "noted": row})
    return {"rows": [row]}


def conclude(state: ArchiveState) -> dict[str, Any]:
    """Sort the rows by the time the tasks ended."""
    rows = {row["taskId"]: row for row in state.get("rows", [])}
    return {"tasks": [rows[one["task_id"]] for one in state["due"]], "task_ids": []}


def _business_of(services: Services, task_id: str, wanted: str) -> str:
    """Return the business of the agent whose task it is; a person's task belongs to the one that was named."""
    task = services.ledger_index().task(task_id)
    agents = services.agents()
    return (services.agent(task.agent).business_id if task is not None and task.agent in agents else "") or wanted
