"""The state of one cycle: at most 16 KB of JSON, with ids and short lines, because contents are in files.

`BdiInput` is the form that a person or caller fills in, `BdiState` the state passed between the five phases,
`BdiOutput` the result of a cycle. `Context` is not stored with a checkpoint, so the state holds the parts of it that
later phases need.
"""

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, Field, TypeAdapter
from typing_extensions import TypedDict

from mabos.nodes.conversation import ChatLine, recent

WorkspaceName = Annotated[
    str, Field(description="Folder of the workspace. Empty: $MABOS_WORKSPACE, or ./workspace of the server.")
]
"""The place of work of a machine, as its context names it."""

OurContext = TypeVar("OurContext", bound=BaseModel)
ROUND = "round"
"""The trigger of a cycle within a round of the company, where agents learn in parallel."""

MENDED_AT_ONCE = 5
"""The number of repairs of a plan in one cycle: one for each way."""


class MessagesSchema:
    """The schema of messages for chat pages, as in LangChain, whose classes are imported only on demand."""

    def __get_pydantic_json_schema__(self, _: Any, handler: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        """Return the JSON schema of LangChain's messages."""
        from langchain_core.messages import AnyMessage

        return handler(TypeAdapter(list[AnyMessage]).core_schema)


Conversation = Annotated[
    list[ChatLine],
    Field(description="What person and agent said; a new human message is heard and answered."),
    MessagesSchema(),
    recent,  # last: there LangGraph looks for what joins two values
]
"""The newest messages of an agent's thread, for chat pages; see `conversation.py`."""

IDS_KEPT = 40
"""At most this many ids of one kind travel in the state; the rest stand in the ledger."""


class Context(BaseModel):
    """The context and limits of a run; plain JSON, so that Studio can show it as a form."""

    workspace: WorkspaceName = ""
    agent_id: str = Field(
        default="", description="The agent that thinks, for example cfo. The input may name it instead."
    )
    max_messages: int | None = Field(
        default=None,
        ge=1,
        le=400,
        description="Messages read in one cycle; the others wait. Empty: the workspace's setting.",
    )
    max_steps: int | None = Field(
        default=None, ge=0, le=500, description="Plan steps performed in one cycle. Empty: the workspace's setting."
    )
    cycle: str = Field(
        default="", description="The id of the cycle, where a launcher needs to know it. Empty: a new one."
    )
    stepwise: bool = Field(
        default=True, description="Make every plan step a step of the machine, with a state of its own."
    )
    streams: bool = Field(
        default=False, description="Stream calls and a chat model's text as custom events while they happen."
    )


def context_of(given: object, kind: type[OurContext]) -> OurContext:
    """Return our context of a run; another graph's context may hold ours as `mabos`."""
    held = getattr(given, "mabos", given)
    return held if isinstance(held, kind) else kind()


class BdiInput(TypedDict, total=False):
    """The input of a cycle; all fields are optional if the context names the agent."""

    agent_id: Annotated[str, Field(description="The agent that thinks, for example cfo.")]
    message: Annotated[str, Field(description="Something a person tells the agent; it arrives as a REQUEST.")]
    messages: Conversation
    trigger: Annotated[str, Field(description="Why now: manual, message, heartbeat, decision or round.")]


class StepResult(TypedDict):
    """The result of one plan step; `ref` is the id of its record, or of the decision it waits for."""

    step: str
    tool: str
    status: str
    ref: str


class MindSnapshot(TypedDict, total=False):
    """The mind in words: new beliefs, desires by priority, goal and plan in focus, each step and its result."""

    beliefs: list[str]
    desires: list[str]
    goal: str
    plan: str
    steps: list[str]


class BdiState(TypedDict, total=False):
    """The state of one cycle; `perceive` writes every key, so that nothing leaks into the next cycle.

    `mind` explains the ids in words; phases never read it. `messages` is for chat pages, `reply` and `claims` are the
    agent's answer to the owner in this cycle. `reply_to` are the questions to answer, `served` the requests that a goal
    or desire already serves, with its id, `unplanned` the goals without a plan, `modified` the intentions whose plan
    must be reconsidered.
    """

    agent_id: str
    workspace: str
    message: str
    messages: Conversation
    trigger: str
    cycle: str
    mind: MindSnapshot
    message_ids: list[str]
    reply_to: list[str]
    served: dict[str, str]
    unplanned: list[str]
    belief_ids: list[str]
    memory_ids: list[str]
    goal_id: str
    intention_id: str
    plan_id: str
    steps_left: int
    replans_left: int
    results: list[StepResult]
    decision_ids: list[str]
    modified: list[str]
    finished_ids: list[str]
    failures: list[str]
    counts: dict[str, int]
    outcome: str
    reply: str
    claims: list[dict[str, Any]]
    next: str


class BdiOutput(TypedDict, total=False):
    """The result of a cycle."""

    agent_id: str
    cycle: str
    outcome: str
    goal_id: str
    intention_id: str
    plan_id: str
    results: list[StepResult]
    decision_ids: list[str]
    failures: list[str]
    counts: dict[str, int]
    messages: Conversation
    reply: str
    claims: list[dict[str, Any]]


Update = dict[str, Any]
"""The changes of the state by a phase."""


def fresh_state(*, agent_id: str, workspace: str, cycle: str, trigger: str = "manual", steps: int = 0) -> BdiState:
    """Return the initial state of a cycle: every key, so that none survives from the last one."""
    return BdiState(
        agent_id=agent_id,
        workspace=workspace,
        message="",
        trigger=trigger,
        cycle=cycle,
        mind={},
        message_ids=[],
        reply_to=[],
        served={},
        unplanned=[],
        belief_ids=[],
        memory_ids=[],
        goal_id="",
        intention_id="",
        plan_id="",
        steps_left=steps,
        replans_left=MENDED_AT_ONCE,
        results=[],
        decision_ids=[],
        modified=[],
        finished_ids=[],
        failures=[],
        counts={},
        outcome="",
        reply="",
        claims=[],
        next="",
    )


@dataclass(frozen=True, slots=True)
class CycleReport:
    """The outcome of one cycle: `idle`, `acted`, `waiting`, `completed` or `failed`, and the ids that explain it.

    `reply` is the agent's message to the owner, `claims` the records that support it.
    """

    agent_id: str
    cycle: str
    outcome: str
    goal_id: str = ""
    intention_id: str = ""
    plan_id: str = ""
    results: tuple[Mapping[str, str], ...] = ()
    decision_ids: tuple[str, ...] = ()
    failures: tuple[str, ...] = ()
    counts: Mapping[str, int] | None = None
    reply: str = ""
    claims: tuple[Mapping[str, Any], ...] = ()

    @property
    def ok(self) -> bool:
        """Return whether the cycle finished; one in which a plan failed still counts."""
        return self.outcome != "failed"

    def as_json(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {**asdict(self), "ok": self.ok, "counts": dict(self.counts or {})}

    @classmethod
    def of(cls, output: BdiOutput) -> "CycleReport":
        """Return the report of a cycle's output."""
        return cls(
            agent_id=output.get("agent_id", ""),
            cycle=output.get("cycle", ""),
            outcome=output.get("outcome", ""),
            goal_id=output.get("goal_id", ""),
            intention_id=output.get("intention_id", ""),
            plan_id=output.get("plan_id", ""),
            results=tuple(dict(result) for result in output.get("results", ())),  # type: ignore[arg-type]  # a TypedDict of texts
            decision_ids=tuple(output.get("decision_ids", ())),
            failures=tuple(output.get("failures", ())),
            counts=dict(output.get("counts", {})),
            reply=output.get("reply", ""),
            claims=tuple(output.get("claims", ())),
        )
