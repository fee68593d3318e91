"""Single approval: a person's answer in LangGraph is also the answer for governance, so nobody is asked twice.

    cmo = workspace.agent("cmo")
    tools = langchain_tools(cmo)
    agent = create_agent(model, tools, middleware=[PersonApproves(cmo, tools, by="Ana Ruiz")], checkpointer=saver)

The middleware is LangChain's `HumanInTheLoopMiddleware` with one interrupt per call. It pauses where governance asks,
and shows its question, which is recorded as a decision like any other. The first answer counts, here or in `mabos
decisions`.
"""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from langchain.agents.middleware import HumanInTheLoopMiddleware, InterruptOnConfig
from langchain_core.messages import ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.config import get_config
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.types import Command

from mabos.interfaces.facade import AgentHandle, Workspace
from mabos.interfaces.surfaces.door import Door
from mabos.interfaces.surfaces.langchain import approved_by
from mabos.society.decisions import Decision
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.stakeholder import home_of
from mabos.workspace.clock import iso

Result = ToolMessage | Command[Any]


class PersonApproves(HumanInTheLoopMiddleware):
    """Human in the loop for the tools of MABOS: it pauses where governance asks, and records the person who answered.

    `by` names the person. By default it is "person" in the run's `configurable`, else the user signed in to LangGraph's
    server, else the stakeholder. The answer is LangChain's: approve, edit or reject, by the id of the interrupt.
    """

    def __init__(self, home: Workspace | AgentHandle, tools: Sequence[BaseTool], *, by: str = "") -> None:
        review = InterruptOnConfig(allowed_decisions=["approve", "edit", "reject"], description=self._question)
        super().__init__({tool.name: review for tool in tools}, interrupt_mode="per_call")
        self._door = Door(home.services)
        self._by = by
        self._asked: dict[str, Decision] = {}

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Result]) -> Result:
        """Return the result of a call; one that governance asks about waits for the person."""
        key = _key(request)
        with approved_by("", request.tool_call, key=key):
            result = handler(request)
        asked = self._decision(result)
        if asked is None:
            return result
        answered: list[ToolCallRequest] = []

        def perform(reviewed: ToolCallRequest) -> Result:
            answered.append(reviewed)
            with approved_by(self._answer(asked, request, reviewed), reviewed.tool_call, key=key):
                return handler(reviewed)

        self._asked[str(request.tool_call["id"])] = asked
        result = super().wrap_tool_call(request, perform)
        if not answered:
            self._reject(asked, result)
        return result

    async def awrap_tool_call(
        self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Awaitable[Result]]
    ) -> Result:
        """Return the same, asynchronously."""
        key = _key(request)
        with approved_by("", request.tool_call, key=key):
            result = await handler(request)
        asked = self._decision(result)
        if asked is None:
            return result
        answered: list[ToolCallRequest] = []

        async def perform(reviewed: ToolCallRequest) -> Result:
            answered.append(reviewed)
            with approved_by(self._answer(asked, request, reviewed), reviewed.tool_call, key=key):
                return await handler(reviewed)

        self._asked[str(request.tool_call["id"])] = asked
        result = await super().awrap_tool_call(request, perform)
        if not answered:
            self._reject(asked, result)
        return result

    def _decision(self, result: Result) -> Decision | None:
        """Return the question that a result waits for, or None."""
        artifact = result.artifact if isinstance(result, ToolMessage) else None
        error = artifact.get("error", {}) if isinstance(artifact, dict) else {}
        name = error.get("decision_id", "")
        return home_of(self._door.services, name).one(name) if name else None

    def _question(self, tool_call: ToolCall, state: Any, runtime: Any) -> str:  # noqa: ARG002 - as LangChain calls it
        asked = self._asked[str(tool_call["id"])]
        return f"{asked.description} ({asked.id})"

    def _answer(self, asked: Decision, request: ToolCallRequest, reviewed: ToolCallRequest) -> str:
        """Record the answer to a question, with changed arguments where the person edited them; return who gave it."""
        person = self._person()
        before, after = request.tool_call["args"], reviewed.tool_call["args"]
        changed = {name: one for name, one in after.items() if name not in before or before[name] != one}
        answer: dict[str, Any] = {"decision_id": asked.id, "resolution": "approve", "by": person}
        if set(before) - set(after):  # no modification can leave an argument out: it is a question of its own
            now = iso(self._door.services.clock())
            home_of(self._door.services, asked.id).withdraw(asked.id, f"changed by {person}", at=now)
            return person
        if changed:
            answer |= {"resolution": "modify", "modifications": changed}
        self._door.call("decision_resolve", answer)
        return person

    def _reject(self, asked: Decision, result: Result) -> None:
        feedback = str(result.content) if isinstance(result, ToolMessage) else ""
        answer = {"decision_id": asked.id, "resolution": "reject", "by": self._person(), "feedback": feedback}
        self._door.call("decision_resolve", answer)

    def _person(self) -> str:
        given = get_config().get("configurable", {})
        return str(self._by or given.get("person") or given.get("langgraph_auth_user_id") or STAKEHOLDER)


def _key(request: ToolCallRequest) -> str:
    """Return the effect key of a call: the answer of the model that asked for it, and the call's own id."""
    messages = request.state.get("messages", ()) if isinstance(request.state, dict) else ()
    asking = next((one for one in reversed(messages) if getattr(one, "tool_calls", None)), None)
    name = getattr(asking, "id", "") or ""
    return f"langgraph:{name}:{request.tool_call['id']}" if name and request.tool_call["id"] else ""
