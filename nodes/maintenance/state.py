"""The state of one heartbeat."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.nodes.state import WorkspaceName

Row = dict[str, Any]
"""A BdiCycleResult as JSON; an agent that another process runs has `skipped` with the reason."""


class MaintenanceContext(BaseModel):
    """The context of a heartbeat; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


def merge_rows(rows: dict[str, Row], more: dict[str, Row]) -> dict[str, Row]:
    """Return the rows extended by more; no more rows mean that a new heartbeat begins."""
    return {**rows, **more} if more else {}


class MaintenanceInput(TypedDict, total=False):
    """The input of a heartbeat."""

    agent_id: Annotated[str, Field(description="The agent to tend. Empty: all of them.")]


class MaintenanceState(TypedDict, total=False):
    """The state of one heartbeat."""

    workspace: str
    agent_id: str
    agents: list[str]
    expecting: dict[str, list[str]]
    rows: Annotated[dict[str, Row], merge_rows]
    results: list[Row]
    archived: dict[str, int]
    told: dict[str, int]
    received: dict[str, int]


class MaintenanceOutput(TypedDict, total=False):
    """The result of a heartbeat: one row per agent in seat order; archived tasks, notices and mails by business."""

    results: list[Row]
    archived: dict[str, int]
    told: dict[str, int]
    received: dict[str, int]


class Patient(TypedDict):
    """The input for the maintenance of one agent; `expecting` lists answers that it expects by a time."""

    workspace: str
    agent_id: str
    expecting: list[str]
