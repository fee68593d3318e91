"""The steps of the machine `reason`: choose the methods, run each, and report the result.

The methods are in `knowledge.reasoning`.
"""

from typing import Annotated, Any

from langgraph.runtime import Runtime
from langgraph.types import Send
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.engine import ReasoningRequest, own, rank_methods
from mabos.knowledge.reasoning.fusion import fuse_results
from mabos.knowledge.reasoning.methods import method
from mabos.knowledge.reasoning.result import plain, result_of
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.state import WorkspaceName, context_of
from mabos.tools.gate.call import call
from mabos.tools.knowledge.reasoning import classification_of, engine_of, list_rejections, ranking
from mabos.tools.runtime.services import PERSON, Agent, Services


class ReasonContext(BaseModel):
    """The context of a request: whose knowledge to use; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""
    agent_id: str = Field(default="cfo", description="The agent that reasons; its facts, beliefs and cases have ids.")


def merge_results(results: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the results extended by more; no more results mean that a new request begins."""
    return {**results, **more} if more else {}


class ReasonInput(TypedDict, total=False):
    """The question and its options."""

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
    results: Annotated[dict[str, Any], merge_results]
    fusion: dict[str, Any]
    text: str


class ReasonOutput(TypedDict, total=False):
    """The answer: the ranking of the methods, the result of each, and their fusion."""

    ranking: list[dict[str, Any]]
    rejected: list[dict[str, str]]
    results: dict[str, Any]
    fusion: dict[str, Any]
    text: str


class MethodRun(TypedDict):
    """The input of one method."""

    method: str
    problem: dict[str, Any]
    problem_classification: dict[str, str]


def choose(state: ReasonState, runtime: Runtime[ReasonContext]) -> dict[str, Any]:
    """Rank the methods that can answer the problem, and choose."""
    agent = _agent(runtime)
    problem = state.get("problem", {})
    request = ReasoningRequest(
        problem,
        methods=tuple(state.get("methods", ())),
        several=state.get("multi_method", False),
        classification=classification_of(state.get("problem_classification")),
    )
    if problem or request.methods:
        chosen, routing = engine_of(agent).choose(request)
        text = ""
    else:
        chosen, routing = (), rank_methods(request.classification)
        text = "no problem was given; name a method, and the kinds of problem it takes are shown, each with an example"
    return {
        "chosen": [one.name for one in chosen],
        "ranking": ranking(routing) if routing else [],
        "rejected": list_rejections(routing) if routing else [],
        "results": {},
        "fusion": {},
        "text": text,
    }


def to_methods(state: ReasonState) -> list[Send]:
    """Send each chosen method to its run, with the shared problem or its own."""
    classification = state.get("problem_classification", {})
    return [
        Send(
            "solve",
            MethodRun(
                method=name,
                problem=dict(own(state.get("problem", {}), method(name))),
                problem_classification=classification,
            ),
        )
        for name in state["chosen"]
    ]


def solve(state: MethodRun, runtime: Runtime[ReasonContext]) -> dict[str, Any]:
    """Run one method through the one call path, so that the ledger has it and its outcome can be settled later."""
    agent = _agent(runtime)
    arguments = {name: value for name, value in state.items() if value}
    outcome = call(agent.services, "reason", arguments, caller=PERSON, agent_id=agent.id).as_json()
    runtime.stream_writer(
        {"phase": "solve", "method": state["method"], "status": "done" if outcome["ok"] else "failed"}
    )
    return {"results": {state["method"]: outcome["result"]["result"] if outcome["ok"] else outcome["error"]}}


def conclude(state: ReasonState, runtime: Runtime[ReasonContext]) -> dict[str, Any]:
    """Report the results: the only one, or the fusion of several."""
    agent = _agent(runtime)
    told = {name: one for name, one in state["results"].items() if "status" in one}
    lines = [
        f"{name}: {told[name]['status']}: {told[name]['summary']}" if name in told else f"{name}: {one['message']}"
        for name, one in sorted(state["results"].items())
    ]
    if len(told) < 2:
        return {"text": "\n".join(lines)}
    reliability = {name: agent.episodes.reliability(method(name)) for name in told}
    return {
        "text": "\n".join(lines),
        "fusion": plain(fuse_results([result_of(one) for one in told.values()], reliability)),
    }


def _agent(runtime: Runtime[ReasonContext]) -> Agent:
    context = context_of(runtime.context, ReasonContext)
    services: Services = OPEN.find(context.workspace).services
    if not context.agent_id:
        raise InvalidArgument("no agent given; set context.agent_id", argument="agent_id")
    return services.agent(context.agent_id)
