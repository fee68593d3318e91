"""Tasks as defined in S4: an intention with its conversation, read from the ledger and the minds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from mabos.configs.errors import InvalidArgument, unknown
from mabos.workspace.clock import parse_time
from mabos.workspace.ledger import LedgerEntry
from mabos.workspace.ledger_index import RUNNING, LedgerTask

if TYPE_CHECKING:
    from mabos.mind.model import Goal
    from mabos.tools.runtime.services import Agent, Services

Role = Literal["user", "assistant", "tool"]
_STATUS = {RUNNING: "pending", "completed": "success"}
_STATUS_OF = {said: own for own, said in _STATUS.items()}


@dataclass(frozen=True, slots=True)
class Said:
    """A message of a task; `id` is the id of its message or ledger entry."""

    id: str
    role: Role
    content: str
    at: str
    name: str = ""


def tasks(agent: Agent, status: str = "", limit: int = 100) -> list[LedgerTask]:
    """Return the tasks visible to the caller, most recently used first; `status` is as in `as_json`."""
    statuses = [_STATUS_OF.get(status, status)] if status else []
    return agent.services.ledger_index().tasks(agents=colleagues(agent), statuses=statuses, limit=limit)


def task_of(agent: Agent, task_id: str) -> LedgerTask:
    """Return a task by id; raises `UnknownId` with the nearest visible one."""
    found = agent.services.ledger_index().task(task_id)
    if found is None or (found.agent not in colleagues(agent) and colleagues(agent)):
        raise unknown("task", task_id, [one.id for one in tasks(agent)], argument="taskId")
    return found


def colleagues(agent: Agent) -> tuple[str, ...]:
    """Return the agents whose tasks the caller may see: those of its business; empty, for all, if a person."""
    if agent.caller.kind == "person":
        return ()
    team = agent.business.manifest.agents.values() if agent.business_id else ()
    return tuple(dict.fromkeys((agent.id, *team)))


def kept_here(agent: Agent, kind: str, id_: str, maker: str, *, argument: str) -> None:
    """Raise `InvalidArgument` if the work of `maker` would become knowledge of another business."""
    services = agent.services
    home = services.agent(maker).business_id if maker in services.agents() else ""
    if agent.business_id and home not in ("", agent.business_id):
        message = f"{kind} {id_!r} is of the business {home!r}; ask in the name of one of its agents, as {maker!r}"
        raise InvalidArgument(message, argument=argument)


def as_json(services: Services, task: LedgerTask) -> dict[str, Any]:
    """Return a task in the form of `ldg:task:get`; times are milliseconds since 1970 (S4)."""
    goal = goal_of(services, task)
    return {
        "id": task.id,
        "agentId": task.agent,
        "goalId": task.goal,
        "planId": task.plan,
        "systemPrompt": goal.description if goal else saved_prompt(services, task),
        "completionStatus": _STATUS.get(task.status, task.status),
        "createdAt": milliseconds(task.started),
        "updatedAt": milliseconds(task.updated),
    }


def milliseconds(at: str) -> int:
    """Return a time as milliseconds since 1970."""
    return round(parse_time(at).timestamp() * 1000)


def goal_of(services: Services, task: LedgerTask) -> Goal | None:
    """Return the goal that a task served, if its agent still has it."""
    if task.agent not in services.agents():
        return None
    return next((goal for goal in services.agent(task.agent).mind.goals if goal.id == task.goal), None)


def saved_prompt(services: Services, task: LedgerTask) -> str:
    """Return the purpose of a saved task, or "" if none was given."""
    saved = services.ledger_index().entries(task=task.id, kinds=["task"])
    return str(saved[-1].body.get("systemPrompt", "")) if saved else ""


def conversation(services: Services, task: LedgerTask) -> list[Said]:
    """Return the messages of a task, oldest first: the request, the agent's words and actions, the outcome."""
    entries = services.ledger_index().entries(task=task.id, limit=10_000)
    outcomes = {str(one.body.get("call")): one.body for one in reversed(entries) if one.kind == "outcome"}
    said = [
        *_origin_messages(services, task),
        *(each for entry in entries for each in _entry_messages(entry, outcomes)),
    ]
    ending = [Said(f"{task.id}-end", "assistant", f"The task ended: {task.status}.", task.updated)]
    return said + (ending if task.status != RUNNING else [])


def _origin_messages(services: Services, task: LedgerTask) -> Iterator[Said]:
    """Yield the messages that a task's goal goes back to; where none did, the goal itself."""
    goal = goal_of(services, task)
    if goal is None:
        return
    origins = {goal.desire_id.removeprefix("D-"), *goal.evidence}
    found = [one for one in services.inbox(task.agent).messages() if one.id in origins]
    if not found:
        yield Said(goal.id, "user", goal.description, goal.created or task.started)
    for message in found:
        yield Said(message.id, "user", message.content, message.timestamp, message.sender)


def _entry_messages(entry: LedgerEntry, outcomes: Mapping[str, Mapping[str, Any]]) -> Iterator[Said]:
    body = entry.body
    if entry.kind == "task":
        for number, one in enumerate(body.get("messages", ())):
            yield Said(f"{entry.id}/{number}", one["role"], one["content"], entry.at)
    if entry.kind != "call":
        return
    arguments: Mapping[str, Any] = body.get("arguments") or {}
    if body.get("tool") == "agent_message":
        yield Said(entry.id, "assistant", str(arguments.get("content", "")), entry.at, entry.agent)
        return
    outcome = body if "ok" in body else outcomes.get(entry.id, {})
    yield Said(entry.id, "tool", answer_of(outcome), entry.at, str(body.get("tool", "")))


def answer_of(outcome: Mapping[str, Any]) -> str:
    """Return the answer to a call in words, from the ledger entry with its outcome."""
    if not outcome:
        return "It is not known what came of it."
    if not outcome.get("ok"):
        return f"failed: {outcome.get('error', '')}"
    result: Mapping[str, Any] = outcome.get("result") or {}
    told = str(result.get("text") or result.get("summary") or result.get("content") or "")
    return told or ", ".join(
        f"{name} {value}" for name, value in result.items() if isinstance(value, str | int | float)
    )
