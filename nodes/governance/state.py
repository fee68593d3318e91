"""What flows through the thread of one decision; the record in `decision-queue.json` alone is the truth."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field
from typing_extensions import TypedDict

from mabos.nodes.state import WorkspaceName
from mabos.society.decisions import Resolution


class GovernanceContext(BaseModel):
    """Where the decision waits; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


class Reply(BaseModel):
    """What a person answers: the form that is shown where a decision waits."""

    model_config = ConfigDict(extra="forbid", title="Your answer")

    resolution: Resolution = Field(
        description="approve: exactly what is asked for, once; reject; defer: ask again later; modify: other arguments."
    )
    chosen_option: str = Field(default="", description="The id of the option chosen. Empty: the recommended one.")
    feedback: str = Field(default="", description="What the agent should know, as why it was rejected.")
    until: str = Field(default="", description="With defer: the date to ask again, as 2026-03-01.")
    modifications: dict[str, Any] = Field(
        default_factory=dict, description="With modify: the arguments to change, with their new values."
    )


class GovernanceInput(TypedDict, total=False):
    """Which decision is asked about."""

    decision_id: Annotated[str, Field(description="The decision. Empty: the most pressing one that waits.")]


class GovernanceState(TypedDict, total=False):
    """The state of one decision's thread; `question` is empty where there is nothing to ask."""

    decision_id: str
    workspace: str
    question: dict[str, Any]
    reply: dict[str, Any]
    problem: str
    status: str
    text: str


class GovernanceOutput(TypedDict, total=False):
    """How the decision stands."""

    decision_id: str
    status: str
    text: str
