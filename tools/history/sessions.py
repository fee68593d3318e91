"""Sessions as defined in S2: one cycle of an agent as typed thoughts, from ledger, mind and decisions.

A received message is an observation (O), the chosen goal a hypothesis (H), a plan with its outcome a plan (P). The
result of a call is evidence (E), a lesson a conclusion (C), and the owner's decision a decision (D). Nothing is stored
for this: everything is in the ledger, and a session reads the same at any time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage, ChatModel
from mabos.backends.structured import complete_structured
from mabos.configs.errors import InvalidArgument, unknown
from mabos.configs.prompts import prompt
from mabos.knowledge.entities.extraction import Propose
from mabos.knowledge.entities.outside import SessionReading, read_session
from mabos.knowledge.entities.thoughts import Outcome, SessionThought
from mabos.knowledge.entities.turns import turns
from mabos.tools.history.archiving import archive_task
from mabos.tools.history.ledger import SavedTask, task_save
from mabos.tools.history.tasks import answer_of, colleagues, conversation, kept_here, task_of
from mabos.workspace.clock import parse_time
from mabos.workspace.ledger import LedgerEntry

if TYPE_CHECKING:
    from mabos.society.decisions import Decision
    from mabos.tools.runtime.services import Agent, Services

_WORTH_READING = 240
"""Characters of thoughts below which rules find what there is."""
_OUTCOMES: Mapping[str, Outcome] = {"completed": "success", "failed": "failure", "abandoned": "failure"}


class _Proposal(BaseModel):
    type: str
    label: str
    thought: int
    properties: Annotated[dict[str, str | float | list[str]], Field(max_length=6)] = {}


class _Proposals(BaseModel):
    """The possible answers of a model; each proposal is checked separately."""

    entities: list[_Proposal]


def session(agent: Agent, session_id: str) -> list[SessionThought]:
    """Return the thoughts of a session, numbered from 1; raises `UnknownId` for one that the caller may not see,
    and `InvalidArgument` for one of another business."""
    index = agent.services.ledger_index()
    entries = index.entries(agents=colleagues(agent), cycle=session_id)
    if not entries:
        known = index.cycles(agents=colleagues(agent))
        raise unknown("session", session_id, known, argument="session_id")
    kept_here(agent, "session", session_id, entries[0].agent, argument="session_id")
    there = agent.services.agents()
    told = [entry for entry in entries if entry.kind in _TOLD and entry.agent in there]
    thoughts = [
        *(one for entry in told for one in _TOLD[entry.kind](agent.services, entry)),
        *(_decision_thought(one) for one in _decisions(agent.services, entries[0]) if one.cycle == session_id),
    ]
    return [_number_thought(number, one) for number, one in enumerate(thoughts, 1)]


def read_outside(agent: Agent, session_id: str, text: str, *, is_public: bool = True) -> SessionReading | None:
    """Return an outside session's statements: of `text`, else of the saved task with that id; None for a cycle.

    A public one is saved as a task, once, so that the archive has it too. Days are counted from the first saving.
    """
    index, task = agent.services.ledger_index(), agent.services.ledger_index().task(session_id)
    is_cycle = bool(index.entries(cycle=session_id, limit=1))
    if text.strip() and (is_cycle or (task is not None and task.plan)):
        message = f"{session_id!r} is the work of {task.agent if task else 'an agent'}; choose another id for the text"
        raise InvalidArgument(message, argument="session_id")
    if not text.strip() and (is_cycle or task is None or task.plan):
        return None
    saved = []
    if task is not None:
        task = task_of(agent, session_id)
        kept_here(agent, "task", session_id, task.agent, argument="session_id")
        saved = [one.content for one in conversation(agent.services, task) if one.id != f"{task.id}-end"]
    if text.strip() and is_public:
        spoken = turns(text)
        fresh = [
            {"role": "user" if one.speaker == spoken[0].speaker else "assistant", "content": str(one)}
            for one in spoken
            if str(one) not in saved
        ]
        if fresh:
            about = {"id": session_id, "systemPrompt": f"Session {session_id}", "completionStatus": "success"}
            task_save(agent, task=SavedTask.model_validate(about | {"messages": fresh}))
            if agent.services.settings.archive.enabled:
                archive_task(agent.services, task_of(agent, session_id), agent.business_id)
    at = parse_time(task.started) if task else agent.clock()
    return read_session(text if text.strip() else "\n\n".join(saved), at)


def session_quality(services: Services, session_id: str) -> float | None:
    """Return the quality of a session as a source: whether it finished, and how directly (S2, query ranking).

    Returns None if no cycle has that id. A cycle that planned once is direct; each further plan lowers it.
    """
    entries = services.ledger_index().entries(kinds=["perceive", "plan", "learn"], cycle=session_id)
    if not entries:
        return None
    kinds = [entry.kind for entry in entries]
    complete = 1.0 if "learn" in kinds else 0.5
    return (complete + 1 / max(1, kinds.count("plan"))) / 2


def proposing(model: ChatModel) -> Propose | None:
    """Return the function that asks a chat model for entities in a session's thoughts; None without a model."""
    if model.name in NOT_ASKED:
        return None

    def propose(thoughts: str) -> object:
        if len(thoughts) < _WORTH_READING:
            return {"entities": []}
        asked = [ChatMessage("system", prompt("entities")), ChatMessage("user", thoughts)]
        answer = complete_structured(model, asked, _Proposals, max_tokens=1_500, tag="entities")
        return None if answer is None else answer.model_dump()

    return propose


def _number_thought(number: int, one: SessionThought) -> SessionThought:
    return replace(one, number=number)


def _message_thoughts(services: Services, entry: LedgerEntry) -> Iterator[SessionThought]:
    read = set(entry.body.get("messages", ()))
    for message in services.inbox(entry.agent).messages() if read else ():
        if message.id in read:
            yield SessionThought(0, "O", f"{message.performative} from {message.sender}: {message.content}")


def _goal_thoughts(services: Services, entry: LedgerEntry) -> Iterator[SessionThought]:
    for goal in services.agent(entry.agent).mind.goals:
        if goal.id == entry.body.get("goal"):
            yield SessionThought(0, "H", f"What matters most now: {goal.description}")


def _plan_thoughts(services: Services, entry: LedgerEntry) -> Iterator[SessionThought]:
    mind = services.agent(entry.agent).mind
    plan = next((one for one in mind.plans if one.id == entry.body.get("plan")), None)
    if plan is None or not plan.steps:
        return
    goal = next((one.description for one in mind.goals if one.id == plan.goal_id), plan.name)
    task = services.ledger_index().task(str(entry.body.get("intention", "")))
    steps = "; ".join(step.description or step.tool for step in plan.steps)
    text, ended = f"For {goal.replace(',', '').rstrip('.')}: {steps}", _OUTCOMES.get(task.status if task else "", "")
    yield SessionThought(0, "P", text, ended, counted_by=f"pattern:{plan.template}" if plan.template else "")


def _call_thoughts(_services: Services, entry: LedgerEntry) -> Iterator[SessionThought]:
    if "ok" in entry.body:
        yield SessionThought(0, "E", f"{entry.body.get('tool', 'a call')}: {answer_of(entry.body)}")


def _learning_thoughts(services: Services, entry: LedgerEntry) -> Iterator[SessionThought]:
    ended = entry.body.get("ended", {})
    for learning in services.agent(entry.agent).mind.learnings:
        if learning.id.removeprefix("LRN-") in ended:
            yield SessionThought(0, "C", learning.insight)


_TOLD: Mapping[str, Callable[[Services, LedgerEntry], Iterator[SessionThought]]] = {
    "perceive": _message_thoughts,
    "deliberate": _goal_thoughts,
    "plan": _plan_thoughts,
    "call": _call_thoughts,
    "learn": _learning_thoughts,
}


def _decisions(services: Services, entry: LedgerEntry) -> Iterator[Decision]:
    """Yield the owner's decisions on an agent's questions."""
    business_id = services.agent(entry.agent).business_id if entry.agent in services.agents() else ""
    yield from (
        one for one in services.decisions(business_id).all() if one.resolution in ("approve", "reject", "modify")
    )


def _decision_thought(decision: Decision) -> SessionThought:
    chosen = decision.chosen_option or {"approve": "yes", "reject": "no"}.get(decision.resolution, "yes, changed")
    options = tuple(str(one.get("label") or one.get("id") or "") for one in decision.options)
    return SessionThought(
        0,
        "D",
        f"{decision.subject}: {chosen}",
        question=decision.subject,
        options=tuple(one for one in options if one),
        rationale=decision.feedback or "; ".join(decision.reasons),
        decided_by=decision.resolved_by,
    )
