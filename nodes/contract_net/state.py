"""What flows through the thread of one call for proposals; the files and inboxes alone are the truth."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.nodes.state import WorkspaceName

Row = dict[str, Any]
"""One bid with its score: `agent_id`, `score`, `confidence`, `estimated_cost`, `estimated_duration`, `approach`."""


class ContractNetContext(BaseModel):
    """Where the call is made; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


class ContractNetInput(TypedDict, total=False):
    """What is called for, or which call is gone on with."""

    task_id: Annotated[str, Field(description="An id of your own, or that of a call that stands. Empty: a new one.")]
    task_description: Annotated[str, Field(description="What needs to be done. Empty with a call that stands.")]
    initiator: Annotated[str, Field(description="The agent that calls and awards. Empty: the stakeholder.")]
    candidates: Annotated[list[str], Field(description="The agents asked. Empty: all colleagues.")]
    evaluation_criteria: Annotated[
        dict[str, float], Field(description="Weights of cost, duration, confidence and approach. Empty: the usual.")
    ]
    deadline: Annotated[str, Field(description="When proposals are due, ISO 8601. Empty: when all have answered.")]
    task_constraints: Annotated[list[str], Field(description="What every proposal must respect.")]


class ContractNetState(ContractNetInput, total=False):
    """The state of one call's thread."""

    workspace: str
    status: str
    text: str
    awaited: list[str]
    refused: list[str]
    ranking: list[Row]
    awarded_to: str
    result: str


class ContractNetOutput(TypedDict, total=False):
    """What came of a call: open, awarded, done or failed, who has it, how the bids stood, and the winner's word."""

    task_id: str
    status: str
    text: str
    refused: list[str]
    ranking: list[Row]
    awarded_to: str
    result: str
