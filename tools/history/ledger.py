"""The ledger operations on the agent bus: tasks, and their messages, tool calls and model calls (S4)."""

from typing import Any, Literal

from mabos.configs.errors import InvalidArgument
from mabos.configs.section import FrozenData
from mabos.tools.catalogue.declaration import Count, OwnId, Text, Tool
from mabos.tools.history.tasks import as_json, colleagues, conversation, milliseconds, task_of, tasks
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.ledger import LedgerEntry

Status = Literal["pending", "success", "failed", "expired", "stalled", "abandoned"]


class SavedMessage(FrozenData):
    """A message of a task that was run elsewhere."""

    role: Literal["user", "assistant", "tool"]
    content: Text


class SavedTask(FrozenData):
    """A task that was run elsewhere, for the ledger."""

    id: OwnId = ""
    systemPrompt: Text  # noqa: N815  # as S4 prints it
    completionStatus: Literal["pending", "success", "failed"] = "pending"  # noqa: N815
    messages: tuple[SavedMessage, ...] = ()


def task_get(agent: Agent, *, taskId: Text) -> dict[str, Any]:  # noqa: N803  # as S4 prints it
    """Look up one task: an intention, what it was for, and how it ended.

    Args:
        taskId: The id of the intention, or of a task that was saved.
    """
    return {"task": as_json(agent.services, task_of(agent, taskId))}


def task_list(agent: Agent, *, status: Status | None = None, limit: Count = 20) -> dict[str, Any]:
    """List tasks of all agents, the last touched first.

    Args:
        status: Only those that are pending, or ended like this.
        limit: The most tasks.
    """
    return {"tasks": [as_json(agent.services, one) for one in tasks(agent, status or "", limit)]}


def task_save(agent: Agent, *, task: SavedTask) -> dict[str, Any]:
    """Write into the ledger a task that was run elsewhere, with its messages; saving it again adds to it.

    Args:
        task: `systemPrompt`, `completionStatus`, and the `messages`; an `id` is made if left out.
    """
    task_id = task.id or agent.ids.new("TASK")
    there = agent.services.ledger_index().task(task_id)
    if there is not None and (there.agent != agent.id or there.plan):
        message = (
            f"{task_id!r} is a task of {there.agent}, who alone says how it goes; leave the id out, or choose another"
        )
        raise InvalidArgument(message, argument="task")
    body: dict[str, Any] = {
        "intention": task_id,
        "systemPrompt": task.systemPrompt,
        "messages": [one.model_dump() for one in task.messages],
    }
    if task.completionStatus != "pending":
        body["ended"] = {task_id: "completed" if task.completionStatus == "success" else task.completionStatus}
    entry = agent.services.note(agent, "task", body)
    return {"success": True, "taskId": task_id, "entry": entry.id}


def message_list(agent: Agent, *, taskId: Text) -> dict[str, Any]:  # noqa: N803
    """List what was said in a task, oldest first: what was asked, what the agent said and did, how it ended.

    Args:
        taskId: The id of the task.
    """
    task = task_of(agent, taskId)
    said = conversation(agent.services, task)
    return {
        "messages": [
            {
                "id": one.id,
                "taskId": task.id,
                "role": one.role,
                "content": one.content,
                "timestamp": milliseconds(one.at),
                "name": one.name,
            }
            for one in said
        ]
    }


def call_list(agent: Agent, *, taskId: str = "", tool: str = "", limit: Count = 100) -> dict[str, Any]:  # noqa: N803
    """List calls of tools, oldest first, with the ids that `why` explains.

    Args:
        taskId: Only those of this task.
        tool: Only calls of this tool.
        limit: The most calls.
    """
    if taskId:
        task_of(agent, taskId)
    found = agent.services.ledger_index().entries(
        agents=colleagues(agent), kinds=["call"], task=taskId, tool=tool, limit=limit
    )
    return {"calls": [_call(one) for one in found]}


def model_list(agent: Agent, *, since: str = "", limit: Count = 100) -> dict[str, Any]:
    """List calls of the chat model, oldest first: which model, for what, and how many tokens.

    Args:
        since: Only those from this time on, ISO 8601.
        limit: The most calls.
    """
    start = iso(parse_time(since, argument="since")) if since else ""
    found = agent.services.ledger_index().entries(agents=colleagues(agent), kinds=["model"], since=start, limit=limit)
    return {"calls": [_entry(one) | dict(one.body) for one in found]}


def _call(entry: LedgerEntry) -> dict[str, Any]:
    names = ("tool", "arguments", "ok", "error", "cost", "decision", "why")
    return _entry(entry) | {name: entry.body[name] for name in names if name in entry.body}


def _entry(entry: LedgerEntry) -> dict[str, Any]:
    return {"id": entry.id, "agentId": entry.agent, "timestamp": milliseconds(entry.at), "cycle": entry.cycle}


def _ability(function: Any, called: str, *, writes: bool = False) -> Tool:
    category = "knowledge" if writes else ""
    return Tool.of(function, module="Agent bus", writes=writes, called=called, category=category)


TOOLS = [
    _ability(task_get, "ldg:task:get"),
    _ability(task_list, "ldg:task:list"),
    _ability(task_save, "ldg:task:save", writes=True),
    _ability(message_list, "ldg:msg:list"),
    _ability(call_list, "ldg:call:list"),
    _ability(model_list, "ldg:model:list"),
]
