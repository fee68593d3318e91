"""The catalogue as LangChain tools, for a `ToolNode`, `create_agent` or any tool-calling model.

    with open_workspace("my-company") as ws:
        tools = langchain_tools(ws.agent("cfo"), names=["memory_*", "fact_query"])
        agent = create_agent(model, tools, store=MemoryStore(ws.services))

Tools of an agent are called by that agent: it may name only itself, and its capabilities and governance apply. Tools of
a workspace are called by a person, who may name any agent. Failures are returned as messages with the status "error";
nothing is raised. A message's `artifact` is the whole answer as JSON.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from langchain_core.messages import ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import StructuredTool
from pydantic import BaseModel, PrivateAttr

from mabos.configs.errors import InvalidArgument
from mabos.interfaces.facade import AgentHandle, Workspace
from mabos.interfaces.surfaces.door import CONVERSATION, Door, plain_name, text_of
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.call import Outcome
from mabos.tools.people.stakeholder import home_of


def langchain_tools(home: Workspace | AgentHandle, names: Sequence[str] = ()) -> list[StructuredTool]:
    """Return the tools of a workspace or agent; `names` selects by name, pattern (`memory_*`) or group.

    Raises `UnknownId` for a name that matches none, and `Refused` if the agent may use none of the matches.
    """
    if CONVERSATION in names:
        raise InvalidArgument(f"{CONVERSATION} is a tool of MCP; `agent_node` is a conversation here", argument="names")
    door = Door.of(home.services, home.id if isinstance(home, AgentHandle) else "", groups=names)
    return [_build_operation(door, tool) for tool in door.tools]


@dataclass(frozen=True, slots=True)
class ReviewedCall:
    """A tool call that a person may have approved; `key` limits it to one effect, even after a crash."""

    name: str
    arguments: Mapping[str, Any]
    person: str = ""
    key: str = ""


REVIEWED: Final[ContextVar[ReviewedCall | None]] = ContextVar("reviewed", default=None)
"""The call that is being made under a review, in this context alone."""


@contextmanager
def approved_by(person: str, call: Mapping[str, Any], *, key: str = "") -> Iterator[None]:
    """Use a person's approval of one call, its `name` and `args`, as the answer to governance.

    For graphs that ask by themselves with `interrupt()`: the person is not asked again, and the record names the
    person. Any other call inside the block is subject to approval as usual.
    """
    token = REVIEWED.set(ReviewedCall(call["name"], call["args"], person, key))
    try:
        yield
    finally:
        REVIEWED.reset(token)


class Operation(StructuredTool):
    """A tool of the catalogue whose arguments arrive complete, whatever names a model uses."""

    _declared: Tool | None = PrivateAttr(default=None)

    def get_input_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        """Return the model of the arguments, without `agent_id`."""
        inherited: Any = super().get_input_schema(config)
        return self._declared.arguments if self._declared else inherited

    def run(self, tool_input: str | dict[str, Any], *args: Any, **more: Any) -> Any:
        """Return the answer as a message, or as text without a tool call."""
        return _mark_error(super().run({"given": tool_input}, *args, **more))

    async def arun(self, tool_input: str | dict[str, Any], *args: Any, **more: Any) -> Any:
        """Return the same from a worker thread."""
        return _mark_error(await super().arun({"given": tool_input}, *args, **more))


def _build_operation(door: Door, tool: Tool) -> Operation:
    def perform(given: Any) -> tuple[str, dict[str, Any]]:
        outcome = _perform_call(door, tool, given)
        return text_of(outcome), outcome.as_json()

    operation = Operation(
        name=plain_name(tool),
        description=tool.summary,
        args_schema=dict(tool.schema),
        func=perform,
        response_format="content_and_artifact",
        metadata={"module": tool.module, "writes": tool.writes},
    )
    operation._declared = tool
    return operation


def _perform_call(door: Door, tool: Tool, given: Any) -> Outcome:
    """Return the outcome of a call; governance's question about an approved call gets the person's answer."""
    review = REVIEWED.get()
    if review is None or review.name != plain_name(tool) or dict(review.arguments) != given:
        return door.call(tool.name, given)
    outcome = door.call(tool.name, given, key=review.key)
    if not outcome.decision_id or not review.person:
        return outcome
    if home_of(door.services, outcome.decision_id).one(outcome.decision_id).action is None:
        return outcome  # it asks whether a call that was cut short had its effect: nobody has answered that
    answer = {"decision_id": outcome.decision_id, "resolution": "approve", "by": review.person}
    answered = Door(door.services).call("decision_resolve", answer)
    return door.call(tool.name, given, key=review.key) if answered.ok else answered


def _mark_error(answer: Any) -> Any:
    """Mark a message that reports a failure as an error."""
    if isinstance(answer, ToolMessage) and isinstance(answer.artifact, Mapping) and not answer.artifact["ok"]:
        answer.status = "error"
    return answer
