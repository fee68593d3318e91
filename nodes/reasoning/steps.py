"""The steps of a request to reason as nodes; the methods are in `knowledge.reasoning`."""

from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import Send

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.engine import ReasoningRequest, classified, own
from mabos.knowledge.reasoning.fusion import fused
from mabos.knowledge.reasoning.methods import method
from mabos.knowledge.reasoning.result import plain, result_of
from mabos.nodes.open_workspaces import OPEN
from mabos.nodes.reasoning.state import ReasonContext, ReasonState, Run
from mabos.tools.gate.call import call
from mabos.tools.knowledge.reasoning import classification_of, engine_of, ranking, rejected
from mabos.tools.runtime.services import PERSON, Agent, Services


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
        chosen, routing = (), classified(request.classification)
        text = "no problem was given; name a method, and the kinds of problem it takes are shown, each with an example"
    return {
        "chosen": [one.name for one in chosen],
        "ranking": ranking(routing) if routing else [],
        "rejected": rejected(routing) if routing else [],
        "results": {},
        "fusion": {},
        "text": text,
    }


def to_methods(state: ReasonState) -> list[Send]:
    """Send each chosen method to its run, with the problem or with its own."""
    classification = state.get("problem_classification", {})
    return [
        Send(
            "solve",
            Run(
                method=name,
                problem=dict(own(state.get("problem", {}), method(name))),
                problem_classification=classification,
            ),
        )
        for name in state["chosen"]
    ]


def solve(state: Run, runtime: Runtime[ReasonContext]) -> dict[str, Any]:
    """Run one method through the one call path, so that it is on the ledger and its outcome can be told later."""
    agent = _agent(runtime)
    arguments = {name: value for name, value in state.items() if value}
    outcome = call(agent.services, "reason", arguments, caller=PERSON, agent_id=agent.id).as_json()
    runtime.stream_writer(
        {"phase": "solve", "method": state["method"], "status": "done" if outcome["ok"] else "failed"}
    )
    return {"results": {state["method"]: outcome["result"]["result"] if outcome["ok"] else outcome["error"]}}


def conclude(state: ReasonState, runtime: Runtime[ReasonContext]) -> dict[str, Any]:
    """Say what the results come to: the one there is, or where several agree."""
    agent = _agent(runtime)
    told = {name: one for name, one in state["results"].items() if "status" in one}
    lines = [
        f"{name}: {told[name]['status']}: {told[name]['summary']}" if name in told else f"{name}: {one['message']}"
        for name, one in sorted(state["results"].items())
    ]
    if len(told) < 2:
        return {"text": "\n".join(lines)}
    reliability = {name: agent.episodes.reliability(method(name)) for name in told}
    return {"text": "\n".join(lines), "fusion": plain(fused([result_of(one) for one in told.values()], reliability))}


def _agent(runtime: Runtime[ReasonContext]) -> Agent:
    context = runtime.context or ReasonContext()
    services: Services = OPEN.find(context.workspace).services
    if not context.agent_id:
        raise InvalidArgument("say which agent reasons: context.agent_id", argument="agent_id")
    return services.agent(context.agent_id)
