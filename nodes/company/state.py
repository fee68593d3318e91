"""The state of one round of a company: the turns of its agents, and the progress of the round."""

from typing import Annotated

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.nodes.state import BdiState, WorkspaceName


class CompanyContext(BaseModel):
    """The context of a round; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


def merge_turns(turns: dict[str, BdiState], more: dict[str, BdiState]) -> dict[str, BdiState]:
    """Return the turns extended by more; no more turns mean that a new round begins."""
    return {**turns, **more} if more else {}


class CompanyInput(TypedDict, total=False):
    """The input of a round."""

    business_id: Annotated[str, Field(description="The business whose agents meet. Empty: the only one.")]


class CompanyState(TypedDict, total=False):
    """The state of one round; `turns` holds the cycle of each agent, `agents` their seat order."""

    workspace: str
    business_id: str
    week: int
    attempt: int
    agents: list[str]
    turns: Annotated[dict[str, BdiState], merge_turns]
    answered: list[str]
    next: str
    outcome: str


class CompanyOutput(TypedDict, total=False):
    """The result of a round."""

    business_id: str
    week: int
    turns: dict[str, BdiState]
    answered: list[str]
    outcome: str


class Seat(TypedDict):
    """The input of one agent's thinking."""

    workspace: str
    agent_id: str
    cycle: str


class SeatTurn(TypedDict):
    """The input of one agent's learning."""

    workspace: str
    turn: BdiState
