"""What flows through one round of archiving."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.nodes.state import WorkspaceName

Row = dict[str, Any]
"""What one task gave: `taskId`, `nodesCreated`, `edgesCreated`, `edgesDropped`, `extractedBy`, or `refused`."""


class ArchiveContext(BaseModel):
    """Whose tasks are archived; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


def added(rows: list[Row], more: list[Row]) -> list[Row]:
    """Return the rows with more of them; nothing more means a new round begins."""
    return [*rows, *more] if more else []


class ArchiveInput(TypedDict, total=False):
    """What starts a round."""

    business_id: Annotated[str, Field(description="The business. Empty: all of them.")]
    task_ids: Annotated[list[str], Field(description="The tasks to archive. Empty: those that are over and due.")]


class ArchiveState(TypedDict, total=False):
    """The state of one round."""

    business_id: str
    task_ids: list[str]
    workspace: str
    due: list[dict[str, str]]
    rows: Annotated[list[Row], added]
    tasks: list[Row]


class ArchiveOutput(TypedDict, total=False):
    """What a round answers: one row a task, in the order in which they ended."""

    tasks: list[Row]


class Due(TypedDict):
    """One task that is handed to its archiving."""

    workspace: str
    business_id: str
    task_id: str
