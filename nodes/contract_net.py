"""A call for proposals as a machine: call, collect the answers, score, award, and wait for the result.

It uses the agents' own tools under the same keys; files and inboxes alone are the truth.
"""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import interrupt
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.configs.errors import UnknownId
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.state import WorkspaceName, context_of
from mabos.society.contract_net import CallForProposals, is_due, list_pending_bidders, score_bids
from mabos.society.messages import Message
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import Outcome
from mabos.tools.gate.call import call as called
from mabos.tools.people.bidding import refusals
from mabos.tools.runtime.services import PERSON, Caller, Services
from mabos.workspace.clock import iso

Row = dict[str, Any]
"""One bid with its score: `agent_id`, `score`, `confidence`, `estimated_cost`, `estimated_duration`, `approach`."""


class ContractNetContext(BaseModel):
    """The context of the call; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""


class ContractNetInput(TypedDict, total=False):
    """A new call for bids, or the id of one to continue."""

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
    """The result of a call: open, awarded, done or failed, its holder, the bids, and the winner's reply."""

    task_id: str
    status: str
    text: str
    refused: list[str]
    ranking: list[Row]
    awarded_to: str
    result: str


_GIVEN = ("task_id", "task_description", "candidates", "evaluation_criteria", "deadline", "task_constraints")


def number(state: ContractNetState, runtime: Runtime[ContractNetContext]) -> dict[str, Any]:
    """Assign an id before asking the candidates, so that an interrupted call resumes as the same call."""
    workspace = context_of(runtime.context, ContractNetContext).workspace or state.get("workspace", "")
    services = OPEN.find(workspace).services
    named = state.get("task_id") or services.ids.new("CFP")
    fresh: dict[str, Any] = {"text": "", "ranking": [], "refused": [], "awaited": [], "awarded_to": "", "result": ""}
    return {"workspace": str(services.layout.root), "task_id": named, "status": "new"} | fresh


def call(state: ContractNetState) -> dict[str, Any]:
    """Ask the candidates, unless the call already exists."""
    services, task_id = OPEN.find(state["workspace"]).services, state["task_id"]
    try:
        return {"status": services.contract_net.task(task_id).status}
    except UnknownId:
        given = {name: value for name in _GIVEN if (value := state.get(name))}
        return _render_outcome(
            _call_as_initiator(services, state.get("initiator", ""), "contract_net_initiate", given, f"call:{task_id}")
        )


def collect(state: ContractNetState) -> dict[str, Any]:
    """Collect the candidates' answers so far."""
    services, task = _load_task(state)
    refused = refusals(services, task)
    found = {"refused": sorted(refused), "awaited": list(list_pending_bidders(task, refused)), "status": task.status}
    is_over = task.status != "open" or is_due(task, refused, iso(services.clock()))
    return found | {"status": "closed" if is_over else "open"}


def await_bids(state: ContractNetState) -> dict[str, Any]:
    """Wait for bids; resuming the thread checks again."""
    _, task = _load_task(state)
    interrupt({"task_id": task.id, "awaited": state["awaited"], "deadline": task.deadline})
    return {}


def score(state: ContractNetState) -> dict[str, Any]:
    """Rank the bids by the criteria of the call."""
    _, task = _load_task(state)
    return {"ranking": [asdict(bid) for bid in score_bids(task)]}


def award(state: ContractNetState) -> dict[str, Any]:
    """Award to the best bidder, unless the initiator already has in its own cycle; the shared key makes it once."""
    services, task = _load_task(state)
    if not task.announced_at:
        initiator = "" if task.initiator == STAKEHOLDER else task.initiator
        outcome = _call_as_initiator(
            services, initiator, "contract_net_award", {"task_id": task.id}, f"award:{task.id}"
        )
        if not outcome.ok:
            return _render_outcome(outcome)
        task = services.contract_net.task(task.id)
    nobody = "nobody made a proposal in time"
    text = f"awarded to {task.awarded_to}" if task.status == "awarded" else nobody
    return {"status": task.status, "awarded_to": task.awarded_to, "text": text}


def result(state: ContractNetState) -> dict[str, Any]:
    """Check whether the winner has reported a result."""
    services, task = _load_task(state)
    word = _word(services, task)
    if word is None:
        return {}
    return {"status": "done" if word.performative == "INFORM" else "failed", "result": word.content}


def await_result(state: ContractNetState) -> dict[str, Any]:
    """Wait for the winner's result; resuming the thread checks again."""
    interrupt({"task_id": state["task_id"], "awarded_to": state["awarded_to"]})
    return {}


def after_call(state: ContractNetState) -> Literal["collect", "__end__"]:
    """Continue if the candidates were asked."""
    return "__end__" if state["status"] == "refused" else "collect"


def after_collect(state: ContractNetState) -> Literal["await_bids", "score"]:
    """Score when no more bids can arrive."""
    return "score" if state["status"] == "closed" else "await_bids"


def after_award(state: ContractNetState) -> Literal["result", "__end__"]:
    """Wait for a result if the task was awarded."""
    return "result" if state["status"] == "awarded" else "__end__"


def after_result(state: ContractNetState) -> Literal["await_result", "__end__"]:
    """End once the winner has reported."""
    return "await_result" if state["status"] == "awarded" else "__end__"


def _word(services: Services, task: CallForProposals) -> Message | None:
    heard = services.mail.heard(task.initiator, task.id)
    words = (one for one in heard if one.sender == task.awarded_to and one.performative in ("INFORM", "FAILURE"))
    return next((one for one in words if not one.flag), None)


def _call_as_initiator(services: Services, initiator: str, tool: str, given: dict[str, Any], key: str) -> Outcome:
    """Make a call as the initiator and return the outcome: an agent, or a person if none is named."""
    caller = Caller("agent", initiator) if initiator else PERSON
    return called(services, tool, given, caller=caller, key=key)


def _render_outcome(outcome: Outcome) -> dict[str, Any]:
    return {"status": "open" if outcome.ok else "refused", "text": outcome.message}


def _load_task(state: ContractNetState) -> tuple[Services, CallForProposals]:
    services = OPEN.find(state["workspace"]).services
    return services, services.contract_net.task(state["task_id"])
