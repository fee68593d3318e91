"""The catalogue as tools of LangChain, for a `ToolNode`, `create_agent` or any model that calls tools.

    with open_workspace("my-company") as ws:
        tools = langchain_tools(ws.agent("cfo"), names=["memory_*", "fact_query"])
        agent = create_agent(model, tools, store=MemoryStore(ws.services))

Tools of an agent are called by that agent: it may name only itself, and its capabilities and governance hold. Tools of
a workspace are called by a person, who may name any agent. What cannot be done comes back as a message with the status
"error"; nothing is raised. A message's `artifact` is the whole answer as JSON.
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
    """Return the tools of a workspace or an agent; `names` keeps those that are named, as in `memory_*`, or grouped.

    Raises `UnknownId` for a name that fits none, and `Refused` where the agent may use none that it fits.
    """
    if CONVERSATION in names:
        raise InvalidArgument(f"{CONVERSATION} is a tool of MCP; `agent_node` is a conversation here", argument="names")
    door = Door.of(home.services, home.id if isinstance(home, AgentHandle) else "", groups=names)
    return [_build_operation(door, tool) for tool in door.tools]


@dataclass(frozen=True, slots=True)
class ReviewedCall:
    """A call of a tool that a person may have approved; `key` lets it have its effect once, also after a crash."""

    name: str
    arguments: Mapping[str, Any]
    person: str = ""
    key: str = ""


REVIEWED: Final[ContextVar[ReviewedCall | None]] = ContextVar("reviewed", default=None)
"""The call that is being made under a review, in this context alone."""


@contextmanager
def approved_by(person: str, call: Mapping[str, Any], *, key: str = "") -> Iterator[None]:
    """Use a person's approval of one call, its `name` and `args`, as the answer to governance.

    For graphs that ask by themselves, with `interrupt()`: the person is not asked again, and the record names the
    person. Any other call inside is asked about as always.
    """
    token = REVIEWED.set(ReviewedCall(call["name"], call["args"], person, key))
    try:
        yield
    finally:
        REVIEWED.reset(token)


class Operation(StructuredTool):
    """A tool of the catalogue; its arguments reach it whole, whatever a model calls them."""

    _declared: Tool | None = PrivateAttr(default=None)

    def get_input_schema(self, config: RunnableConfig | None = None) -> type[BaseModel]:
        """Return the model of the arguments, without `agent_id`."""
        inherited: Any = super().get_input_schema(config)
        return self._declared.arguments if self._declared else inherited

    def run(self, tool_input: str | dict[str, Any], *args: Any, **more: Any) -> Any:
        """Return the answer as a message, or as text where there was no tool call."""
        return _mark_error(super().run({"given": tool_input}, *args, **more))

    async def arun(self, tool_input: str | dict[str, Any], *args: Any, **more: Any) -> Any:
        """Return the same, having worked in a thread."""
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
