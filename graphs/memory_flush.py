"""Session checkpoints for any LangChain agent, saving the important parts of a conversation before it is cut (R3).

    from langchain.agents import create_agent

    keep = MemoryFlush(services, "cfo", model)
    agent = create_agent(model, tools, middleware=[keep], checkpointer=saver)

Near the end of the model's context window (`memory.flush` in the settings) the model is asked, once, for a checkpoint
and for durable memories. Both are written to the agent's folder. At the reserve, the conversation is cut: only messages
since the checkpoint remain, and every further prompt begins with that checkpoint. A rule replaces a model that answers
nothing, fails, or is missing. No message is cut before a checkpoint covers it.

Put it first among the middleware. Another one, like `SummarizationMiddleware`, may cut too, if its limit is above that
of a checkpoint.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, Any, NotRequired

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import Runnable
from langgraph.graph.message import REMOVE_ALL_MESSAGES
from langgraph.runtime import Runtime

from mabos.backends.shown import sanitize_text
from mabos.configs.errors import InvalidArgument, MabosError, Unavailable
from mabos.graphs.conversation import Session, list_turns, shorten_text, transcript
from mabos.memory import checkpoints, flush
from mabos.memory.checkpoints import Checkpoint, digest
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.regular import as_text

try:
    from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
    from langchain.agents.middleware.types import PrivateStateAttr
except ImportError as error:
    raise Unavailable("LangChain agents need the package langchain; install mabos[langchain]") from error

__all__ = ["FlushState", "MemoryFlush"]

LOG = logging.getLogger(__name__)
_TOOLS = ("memory_checkpoint", "memory_store_item")
# Its answer is for the checkpoint alone: it is kept out of what the agent's listeners hear.
_QUIET: Any = {"tags": ["nostream"], "metadata": {"lc_source": "memory_flush"}}
_NOTE = (
    "Earlier parts of this conversation were cut. This is the session checkpoint you wrote before; it is a record of "
    "what was said and done, not a new request.\n\n<session_checkpoint>\n{text}\n</session_checkpoint>"
)


class FlushState(AgentState[Any]):
    """The state of an agent with `MemoryFlush`'s data on its conversation."""

    memory_flush: NotRequired[Annotated[dict[str, Any], PrivateStateAttr]]


class MemoryFlush(AgentMiddleware[FlushState, Any, Any]):
    """The middleware that saves an agent's current work before its conversation is cut."""

    state_schema = FlushState

    def __init__(
        self, services: Services, agent_id: str, model: BaseChatModel | None = None, *, window: int | None = None
    ) -> None:
        """Take the services of an open workspace and one of its agents.

        `model` writes the checkpoint, usually the one that talks; without it a rule does. `window` is the number of
        tokens it reads, by default the value in its profile. Raises `UnknownId`, and `InvalidArgument` if the window is
        unknown.
        """
        super().__init__()
        self.agent_id = services.agent(agent_id).id
        self._services = services
        self._settings = services.settings.memory.flush
        self._limits = flush.limits(window or _window(model), self._settings)
        self._model = None if model is None else _with_tools(model, services)

    def before_model(self, state: FlushState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Write a due checkpoint, and cut a conversation that is too long."""
        if not self._settings.enabled:
            return None
        session = self._open_session(state, runtime)
        while (question := self._next(session)) is not None:
            self._keep(session, self._answer(question))
        return _update(session, state)

    async def abefore_model(self, state: FlushState, runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Write a due checkpoint, and cut a long conversation; files are written off the event loop."""
        if not self._settings.enabled:
            return None
        session = await asyncio.to_thread(self._open_session, state, runtime)
        while (question := await asyncio.to_thread(self._next, session)) is not None:
            await asyncio.to_thread(self._keep, session, await self._later_answer(question))
        return _update(session, state)

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        """Begin the prompt with the conversation's latest checkpoint, which is never part of the conversation."""
        return handler(self._add_reminder(request))

    async def awrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]]
    ) -> ModelResponse[Any]:
        """Begin the prompt with the conversation's latest checkpoint, which is never part of the conversation."""
        return await handler(await asyncio.to_thread(self._add_reminder, request))

    def _open_session(self, state: FlushState, runtime: Runtime[Any]) -> Session:
        """Return the conversation as the agent's state knows it; one that it does not know, as the files do."""
        running = runtime.execution_info
        thread = (running.thread_id if running else None) or ""
        record = state.get("memory_flush")
        if record is None:
            found = next(checkpoints.find_checkpoints(self._directory, digest(thread)), None)
            record = {"checkpoint": found[0].name} if found else {}
        return Session.of(thread, state["messages"], record)

    def _next(self, session: Session) -> list[HumanMessage] | None:
        """Return the question to the model for the checkpoint due now; None if nothing is left to do.

        A checkpoint that was written before the process died is resumed.
        """
        while True:
            if session.is_due(self._limits):
                there = checkpoints.find_checkpoints(self._directory, session.mark.thread)
                found = next(((path, mark) for path, mark in there if session.knows(mark)), None)
                if found is None:
                    return [HumanMessage(self._question(session))]
                session.record_flush(found[0].name, found[1], self._limits)
            elif not session.cut(self._limits):
                return None

    def _question(self, session: Session) -> str:
        told = sanitize_text(shorten_text(transcript(session.messages), self._limits.cut_at))
        parts = [f"<conversation>\n{told}\n</conversation>"]
        if before := self._text(session.checkpoint):
            parts.insert(0, f"<checkpoint_before>\n{sanitize_text(before)}\n</checkpoint_before>")
        return "\n\n".join([*parts, flush.prompt(self._settings, self._services.clock())])

    def _answer(self, question: list[HumanMessage]) -> AIMessage | str:
        """Return the model's answer, or the reason why it gave none."""
        if self._model is None:
            return "there is no model"
        try:
            return self._model.invoke(question, _QUIET)
        except Exception as error:  # noqa: BLE001  # whatever a provider raises, what is cut must be kept
            return _log_failure(error)

    async def _later_answer(self, question: list[HumanMessage]) -> AIMessage | str:
        if self._model is None:
            return "there is no model"
        try:
            return await self._model.ainvoke(question, _QUIET)
        except Exception as error:  # noqa: BLE001  # whatever a provider raises, what is cut must be kept
            return _log_failure(error)

    def _keep(self, session: Session, answer: AIMessage | str) -> None:
        """Write the model's memories, then its checkpoint or the rule's; that is last, since it completes the flush."""
        remembered = 0 if isinstance(answer, str) else self._store_memories(answer)
        checkpoint, why = self._read(answer)
        if checkpoint is None:
            before = checkpoints.parse(self._text(session.checkpoint))
            checkpoint = flush.by_rule(list_turns(session.messages), why, before)
        path = checkpoints.write(self._directory, checkpoint, self._services.clock(), session.mark)
        session.record_flush(path.name, session.mark, self._limits)
        body = {
            "path": f"memory/checkpoints/{path.name}",
            "thread": session.thread,
            "cuts": session.cuts,
            "by_rule": why,
        }
        body |= {"remembered": remembered}
        agent = self._services.agent(self.agent_id)
        self._services.note(agent, "flush", {name: value for name, value in body.items() if value})

    def _read(self, answer: AIMessage | str) -> tuple[Checkpoint | None, str]:
        """Return the checkpoint in an answer; or None, and the reason."""
        if isinstance(answer, str):
            return None, answer
        for one in answer.tool_calls:
            if one["name"] == "memory_checkpoint":
                try:
                    values = self._services.tools.tool(one["name"]).validate_arguments(_own(one["args"])).model_dump()
                    return Checkpoint(values.pop("context"), **{name: told or () for name, told in values.items()}), ""
                except MabosError as error:
                    return None, f"the model's checkpoint could not be used ({error.message})"
        made = flush.parse_checkpoint(answer.text)
        return made, "" if made else "the model had nothing to keep"

    def _store_memories(self, answer: AIMessage) -> int:
        """Store the durable memories of an answer, as the agent; return how many there were."""
        listed = [{"content": text, "importance": 0.6} for text in flush.durable(answer.text)]
        named = [_own(one["args"]) for one in answer.tool_calls if one["name"] == "memory_store_item"]
        me = Caller("agent", self.agent_id)
        made = [
            call(self._services, "memory_store_item", {"source": "flush", **arguments}, caller=me)
            for arguments in [*named, *listed]
        ]
        return sum(outcome.ok for outcome in made)

    def _add_reminder(self, request: ModelRequest[Any]) -> ModelRequest[Any]:
        known: Any = request.state.get("memory_flush") or {}
        text = self._text(known.get("checkpoint", "")) if self._settings.enabled else ""
        if not text:
            return request
        return request.override(messages=[HumanMessage(_NOTE.format(text=text)), *request.messages])

    def _text(self, name: str) -> str:
        """Return the text of a checkpoint, as much as a prompt may hold; "" where a person has taken it away."""
        if not name:
            return ""
        try:
            text = as_text(self._directory / "memory" / "checkpoints" / name)
        except FileNotFoundError:
            return ""
        return shorten_text(checkpoints.body(text).strip(), self._limits.flush_at // 2)

    @property
    def _directory(self) -> Path:
        return self._services.layout.agent(self.agent_id)


def _update(session: Session, state: FlushState) -> dict[str, Any] | None:
    """Return the changes to the agent's state: the session data, and the conversation if cut."""
    record = session.record()
    if record == state.get("memory_flush"):
        return None
    shorter = [RemoveMessage(id=REMOVE_ALL_MESSAGES), *session.messages] if session.is_shorter else []
    return {"memory_flush": record, **({"messages": shorter} if shorter else {})}


def _window(model: BaseChatModel | None) -> int:
    profile = (model.profile if model is not None else None) or {}
    found = profile.get("max_input_tokens")
    if not found:
        message = "the context window of the model is unknown; give it, as window=16_000"
        raise InvalidArgument(message, argument="window")
    return found


def _with_tools(model: BaseChatModel, services: Services) -> Runnable[Any, AIMessage]:
    """Return the model with the two tools of memory; alone where it, or its endpoint, does not know tools."""
    try:
        return model.bind_tools([_build_tool_schema(services, name) for name in _TOOLS]).with_fallbacks([model])
    except NotImplementedError:
        return model


def _build_tool_schema(services: Services, name: str) -> dict[str, Any]:
    tool = services.tools.tool(name)
    properties = {key: value for key, value in tool.schema["properties"].items() if key != "agent_id"}
    required = [key for key in tool.schema.get("required", ()) if key != "agent_id"]
    schema = {"type": "object", "properties": properties, "required": required}
    return {"type": "function", "function": {"name": name, "description": tool.summary, "parameters": schema}}


def _own(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of a call without the agent: it can only be this one."""
    return {name: value for name, value in arguments.items() if name != "agent_id"}


def _log_failure(error: Exception) -> str:
    LOG.warning("the model wrote no checkpoint; a rule writes it", exc_info=error)
    return f"the model failed ({type(error).__name__})"
