"""What flows through one request to reason."""

from typing import Annotated, Any

from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.nodes.state import WorkspaceName


class ReasonContext(BaseModel):
    """Whose knowledge is used; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""
    agent_id: str = Field(default="cfo", description="The agent that reasons; its facts, beliefs and cases have ids.")


def added(results: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the results with more of them; nothing more means a new request begins."""
    return {**results, **more} if more else {}


class ReasonInput(TypedDict, total=False):
    """What is asked."""

    problem: Annotated[dict[str, Any], Field(description="The problem with its kind, or one for each method by name.")]
    methods: Annotated[list[str], Field(description="The methods to run. Empty: the router chooses.")]
    multi_method: Annotated[bool, Field(description="Run several methods and fuse what they say.")]
    problem_classification: Annotated[dict[str, str], Field(description="uncertainty, complexity, domain, and so on.")]


class ReasonState(TypedDict, total=False):
    """The state of one request."""

    problem: dict[str, Any]
    methods: list[str]
    multi_method: bool
    problem_classification: dict[str, str]
    chosen: list[str]
    ranking: list[dict[str, Any]]
    rejected: list[dict[str, str]]
    results: Annotated[dict[str, Any], added]
    fusion: dict[str, Any]
    text: str


class ReasonOutput(TypedDict, total=False):
    """What is answered: how methods were ranked, what each says, and what they come to together."""

    ranking: list[dict[str, Any]]
    rejected: list[dict[str, str]]
    results: dict[str, Any]
    fusion: dict[str, Any]
    text: str


class Run(TypedDict):
    """What is handed to the run of one method."""

    method: str
    problem: dict[str, Any]
    problem_classification: dict[str, str]
