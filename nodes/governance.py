"""A decision as a machine: the question, the gate where a person answers, and the recorded answer.

The record in `decision-queue.json` alone is the truth.
"""

from typing import Annotated, Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from typing_extensions import TypedDict

from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.state import WorkspaceName, context_of
from mabos.society.decisions import Decision, Resolution
from mabos.tools.gate.call import call
from mabos.tools.people.stakeholder import all_decisions, home_of
from mabos.tools.runtime.services import PERSON, Services


class GovernanceContext(BaseModel):
    """The context of the decision; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


class Reply(BaseModel):
    """A person's answer: the form at a pending decision."""

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
    """The decision to answer."""

    decision_id: Annotated[str, Field(description="The decision. Empty: the most pressing one that waits.")]


class GovernanceState(TypedDict, total=False):
    """The state of one decision's thread; `question` is empty if there is nothing to ask."""

    decision_id: str
    workspace: str
    question: dict[str, Any]
    reply: dict[str, Any]
    problem: str
    status: str
    text: str


class GovernanceOutput(TypedDict, total=False):
    """The status of the decision."""

    decision_id: str
    status: str
    text: str


_ASKED = (
    "from_agent", "subject", "description", "options", "recommendation", "deadline", "urgency", "reasons", "cost",
    "action", "business_id", "until", "version",
)  # fmt: skip


def request(state: GovernanceState, runtime: Runtime[GovernanceContext]) -> dict[str, Any]:
    """Read the record and return the question; a decision answered meanwhile is reported instead."""
    workspace = context_of(runtime.context, GovernanceContext).workspace or state.get("workspace", "")
    services = OPEN.find(workspace).services
    found = _decision(services, state.get("decision_id", ""))
    if found is None:
        return _build_update(workspace, state.get("decision_id", ""), "nothing waits for a person")
    if not found.open:
        return _build_update(workspace, found.id, f"{found.id} was answered: {found.status}", found.status)
    record = found.as_json()
    question = {"decision_id": found.id, **{name: record[name] for name in _ASKED if name in record}}
    if state.get("problem"):
        question["problem"] = state["problem"]
    return _build_update(workspace, found.id, "", found.status) | {"question": question}


def gate(state: GovernanceState) -> dict[str, Any]:
    """Wait for a person; an answer that does not fit the form is requested again, with its error."""
    # The form alone: where LangGraph checks the answer itself, a wrong one ends the run and nobody is asked any more.
    given = interrupt(state["question"], response_schema=Reply.model_json_schema())
    try:
        return {"reply": Reply.model_validate(given).model_dump(), "problem": ""}
    except ValidationError as wrong:
        problem = wrong.errors(include_url=False)[0]
        where = ".".join(map(str, problem["loc"])) or "the answer"
        return {"reply": {}, "problem": f"{where}: {problem['msg']}, got {problem['input']!r:.80}"}


def record(state: GovernanceState) -> dict[str, Any]:
    """Record the answer if the record is still at the version that was read; else report why not."""
    services, decision_id = OPEN.find(state["workspace"]).services, state["decision_id"]
    given = {name: value for name, value in state["reply"].items() if value}
    given |= {"decision_id": decision_id, "version": state["question"]["version"]}
    outcome = call(services, "decision_resolve", given, caller=PERSON)
    decision = home_of(services, decision_id).one(decision_id)
    said = "" if outcome.ok else outcome.message
    text = said or f"{decision.id}: {decision.status}"
    return {"problem": said, "status": decision.status, "text": text, "question": {}, "reply": {}}


def route_question(state: GovernanceState) -> Literal["gate", "__end__"]:
    """Wait at the gate if there is a question."""
    return "gate" if state["question"] else "__end__"


def route_answer(state: GovernanceState) -> Literal["record", "request"]:
    """Record a valid answer; ask again for an invalid one."""
    return "record" if state["reply"] else "request"


def route_result(state: GovernanceState) -> Literal["request", "__end__"]:
    """End with the answer; ask again if it could not be recorded, or was deferred."""
    return "request" if state["status"] in ("pending", "deferred") else "__end__"


def _decision(services: Services, decision_id: str) -> Decision | None:
    """Return the decision, or the most pressing one that waits where none is named; raises `UnknownId`."""
    if decision_id:
        return home_of(services, decision_id).one(decision_id)
    return next((one for one in all_decisions(services) if one.open), None)


def _build_update(workspace: str, decision_id: str, text: str, status: str = "") -> dict[str, Any]:
    told = {"workspace": workspace, "decision_id": decision_id, "status": status, "text": text}
    return told | {"question": {}, "problem": ""}
