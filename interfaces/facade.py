"""MABOS from Python: open a workspace, create a business, talk to its agents.

with open_workspace("workspace") as ws:
    ws.create_business("acme", name="Acme", template="saas")
    cfo = ws.agent("cfo")
    cfo.memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
    report = cfo.run(message="Review our runway")
"""

from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from mabos.backends.choice import answering_model, as_chat_model
from mabos.configs.errors import InvalidArgument
from mabos.configs.settings import environment
from mabos.graphs import wiring
from mabos.interfaces.chat.events import ChatEvent, ChatReply
from mabos.interfaces.chat.record import ChatLine, history
from mabos.interfaces.chat.streaming import astream_events, stream_events
from mabos.interfaces.chat.turn import take_turn
from mabos.interfaces.places import prepare, register_merges
from mabos.mind.library import plans_given
from mabos.nodes.state import CycleReport
from mabos.society.perceptors import Perceptor, as_perceptor
from mabos.society.templates import keep_template
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.functions import installed_tools
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import PERSON, Agent, Services

if TYPE_CHECKING:
    from langchain_core.language_models import BaseChatModel
    from langgraph.checkpoint.base import BaseCheckpointSaver
    from langgraph.store.base import BaseStore

    from mabos.backends.chat import ChatModel
    from mabos.knowledge.facts import Facts
    from mabos.memory.memory import Memory
    from mabos.mind.mind import Mind
    from mabos.society.perceptors import Percept


def open_workspace(
    path: str | Path | None = None,
    *,
    model: "ChatModel | BaseChatModel | str | None" = None,
    tools: Iterable[Tool] = (),
    plans: Iterable[Mapping[str, Any]] = (),
    perceptors: "Iterable[Perceptor | Callable[[str], Iterable[Percept]]] | None" = None,
    checkpointer: "BaseCheckpointSaver[Any] | None" = None,
    store: "BaseStore | None" = None,
) -> "Workspace":
    """Return the workspace at `path`, created if it is missing; without a path, the one the command line would use.

    `model` replaces the agents' model from `mabos.yaml`: any LangChain chat model, a string for `init_chat_model` like
    "anthropic:claude-sonnet-5-5", or a `ChatModel` of our own. `tools` are operations of your own for the agents, in
    addition to those of MABOS: `own_tool` makes one of a function. `plans` are like files in the workspace's folder
    `plans`, and override those of the same name. `perceptors` are your own sources of percepts, as functions or with
    further settings; the default is those of installed packages. `checkpointer` stores the checkpoints of cycles
    instead of the workspace's file; `store` is what LangGraph's `get_store()` returns in your own tools, by default a
    `MemoryStore` of the workspace. You close both.

    Use it as a context manager, or `close()` it. Opening it twice in one process opens the same stores. Raises
    `InvalidArgument` if no workspace can be there, if it is open with another model, tools or the like, or if an
    argument is invalid. Raises `Unavailable` if the file system refuses a workspace.
    """
    if path == "":
        raise InvalidArgument("the path of the workspace is empty; name a folder, or leave it out", argument="path")
    root = (environment().workspace if path is None else Path(path)).resolve()
    prepare(root)
    register_merges(root)
    chosen = None if model is None else as_chat_model(model, environment())
    own, given = Registry(extra=tools, installed=installed_tools), plans_given(plans)
    _ = own.extra and own.names  # a wrong one is refused here, and not in the first cycle
    seen = None if perceptors is None else tuple(map(as_perceptor, perceptors))
    services = wiring.hold(
        root, model=chosen, registry=own, plans=given, perceptors=seen, checkpointer=checkpointer, store=store
    )
    others = {
        "another model": chosen is not None and answering_model(services.model) is not chosen,
        "other tools": bool(own.extra) and services.tools is not own,
        "other plans": len(given) > 0 and services.plans is not given,
        "other perceptors": seen is not None and services.perceptors.all != seen,
    }
    if other := next((one for one, differs in others.items() if differs), ""):
        wiring.release(services)
        raise InvalidArgument(f"{root} is already open with {other}; close it first", argument=other.split()[1])
    return Workspace(services)


class Workspace:
    """An open workspace: its businesses and agents."""

    def __init__(self, services: Services) -> None:
        self.root = services.layout.root
        self.services = services
        self._is_open = True

    def __repr__(self) -> str:
        return f"Workspace({str(self.root)!r})"

    def __enter__(self) -> "Workspace":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def create_business(
        self, business_id: str, *, name: str, template: str | Mapping[str, Any] = "", **more: Any
    ) -> Business:
        """Return the new business, staffed with nine agents; raises `MabosError` if it was refused.

        `template` names a pack. A mapping has the content of a file in the workspace's folder `templates`, and is saved
        as one, under its `id` or that of the business. `describe` may replace it, as in `mabos business create`.
        """
        if not isinstance(template, str):
            template = keep_template(self.services.layout, {"id": business_id, **template})
        self.call("business_create", business_id=business_id, name=name, template=template, **more).required()
        return self.services.business(business_id)

    def create_agent(self, agent_id: str, *, role: str | Mapping[str, Any]) -> "AgentHandle":
        """Return a new agent outside any business.

        `role` names a file of the workspace's folder `roles`, without `.yaml`, one of the nine roles, or one of an
        installed package. A mapping has the content of such a file, and is saved as a role with the agent's name.
        Raises `UnknownId` for an unknown role or one of its tools, and `InvalidArgument` if the agent already exists.
        """
        self.services.found_agent(agent_id, role)
        return self.agent(agent_id)

    def business(self, business_id: str = "") -> Business:
        """Return a business; without an id, the only one."""
        return self.services.business(business_id)

    def agents(self) -> list[str]:
        """Return the ids of the agents."""
        return list(self.services.agents())

    def agent(self, agent_id: str) -> "AgentHandle":
        """Return an agent; raises `UnknownId` with the nearest id."""
        return AgentHandle(self.services.agent(agent_id))

    def call(self, tool: str, /, **arguments: Any) -> Outcome:
        """Call an operation as a person and return its outcome; it never raises for an invalid request."""
        return call(self.services, tool, arguments, caller=PERSON)

    def close(self) -> None:
        """Bring the files up to date and release them; closing twice is allowed."""
        if self._is_open:
            self._is_open = False
            wiring.release(self.services)


class AgentHandle:
    """A handle on an agent, for a person."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent

    def __repr__(self) -> str:
        return f"AgentHandle({self.id!r})"

    @property
    def id(self) -> str:
        """The agent's id."""
        return self._agent.id

    @property
    def services(self) -> Services:
        """The open services of the agent's workspace."""
        return self._agent.services

    @property
    def mind(self) -> "Mind":
        """Beliefs, desires, goals, intentions and plans."""
        return self._agent.mind

    @property
    def memory(self) -> "Memory":
        """The agent's memory."""
        return self._agent.memory

    @property
    def facts(self) -> "Facts":
        """Recorded facts, with their provenance."""
        return self._agent.facts

    def call(self, tool: str, /, **arguments: Any) -> Outcome:
        """Call an operation on this agent as a person, and return its outcome.

        `outcome.ok` is True if it was done, `outcome.result` is its result, `outcome.message` says why not.
        """
        return call(self._agent.services, tool, arguments, caller=PERSON, agent_id=self.id)

    def run(self, message: str = "", *, on_event: Callable[[Mapping[str, Any]], None] | None = None) -> CycleReport:
        """Run one cycle, with `message` as a request to the agent, and return its report."""
        return wiring.run_cycle(self._agent.services, self.id, message=message, on_event=on_event)

    def say(self, text: str) -> ChatReply:
        """Send the agent a message and return its reply when it is ready.

        `reply.text` is the answer, `reply.claims` the records that support it, `reply.did` the operations called,
        `reply.waits` the open approvals. Raises `InvalidArgument` for an empty text, and `Unavailable` if another
        process runs the agent.
        """
        return take_turn(self.services, self.id, text, lambda _: None)

    async def asay(self, text: str) -> ChatReply:
        """Send the agent a message and return its reply when it is ready, without blocking the event loop."""
        async for event in self.astream(text):
            reply = event
        assert isinstance(reply, ChatReply)  # noqa: S101 - a stream that raises nothing ends with it
        return reply

    def stream(self, text: str) -> Iterator[ChatEvent]:
        """Send the agent a message and yield the events: phases, operations, a model's text, approvals, the reply.

        The reply is the last event. A model's text is a draft until then. A listener that stops ends the turn at its
        next phase; the message then waits in the agent's inbox. Raises as `say` does.
        """
        return stream_events(lambda tell, control: take_turn(self.services, self.id, text, tell, control=control))

    def astream(self, text: str) -> AsyncIterator[ChatEvent]:
        """Send the agent a message and yield the events, as `stream` does, for `async for`."""
        return astream_events(lambda tell, control: take_turn(self.services, self.id, text, tell, control=control))

    def history(self, limit: int = 20, *, search: str = "") -> list[ChatLine]:
        """Return the messages between owner and agent, oldest first; `search` keeps those with all its words."""
        return history(self.services, self.id, limit=limit, search=search)
