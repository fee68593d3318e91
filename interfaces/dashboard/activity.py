"""Agents' actions from the ledger: one line per call, in words."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mabos.interfaces.dashboard.wording import plain
from mabos.interfaces.views.words import cut, format_value
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.stakeholder import all_decisions
from mabos.tools.requests.answers.happenings import DEEDS, failures_of

if TYPE_CHECKING:
    from mabos.interfaces.chat.events import ToolEvent
    from mabos.tools.runtime.services import Services
    from mabos.workspace.ledger import LedgerEntry

_LONGEST = 160
_PREVIEW = ("name", "title", "subject", "description", "content", "query", "text", "value", "weekly_budget_usd")
"""Arguments that say best what a call is about, in this order."""


class ActivityLine(NamedTuple):
    """A call or a failed cycle, by its ledger entry; `say` renders it in words, which few lines need."""

    entry: "LedgerEntry"
    status: Literal["done", "waiting", "failed"]
    say: Callable[[], str]


def activity_lines(services: "Services", entries: Iterable["LedgerEntry"]) -> list[ActivityLine]:
    """Return the done, waiting and failed actions in ledger entries, without messages to the owner."""
    entries = list(entries)
    outcomes = {str(one.body.get("call")): one.body for one in entries if one.kind == "outcome"}
    asks = any(one.kind == "awaiting" for one in entries)
    subjects = {one.id: one.subject for one in all_decisions(services)} if asks else {}
    lines = (_line(services, one, outcomes.get(one.id, {}), subjects) for one in entries)
    return [one for one in lines if one is not None]


def call_words(services: "Services", tool: str, arguments: Mapping[str, Any], *, is_done: bool = False) -> str:
    """Return a call in words: its tool's action, and the arguments that identify its subject."""
    if tool == "agent_message":
        return cut(f"Wrote to {arguments.get('to', '')}: {arguments.get('content', '')}", _LONGEST)
    summary = services.tools.tool(tool).summary.rstrip(".") if tool in services.tools.names else tool
    if is_done and tool in DEEDS:
        verb, noun = DEEDS[tool]
        summary = f"{verb.capitalize()} a {noun}"
    summary = summary.partition(";")[0]
    given = ", ".join(islice(subjects_of(arguments), 3))
    return cut(f"{summary}: {given}" if given else summary, _LONGEST)


def subjects_of(arguments: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments that identify the subject of a call."""
    for name in _PREVIEW:
        if (value := arguments.get(name)) not in (None, "", [], {}):
            yield format_value(value)


def event_words(services: "Services", event: "ToolEvent") -> str:
    """Return a call just made as one line, for the page shown while an agent works."""
    words = call_words(services, event.tool, event.arguments, is_done=event.status == "done")
    if event.status == "failed":
        words = f"{words}. Failed: {event.message}"
    elif event.status == "waiting":
        words = f"{event.did}. Waits for your answer"
    return f"On its own: {words}" if event.is_own else words


def group_lines(lines: Iterable[ActivityLine]) -> list[tuple[ActivityLine, int]]:
    """Return lines with counts of repetitions, ignoring ids and numbers; newest first, as given."""
    found: dict[tuple[str, str, str], tuple[ActivityLine, int]] = {}
    for one in lines:
        key = one.entry.agent, one.status, re.sub(r"\d+", "", plain(one.say()))
        first, times = found.get(key, (one, 0))
        found[key] = (first, times + 1)
    return list(found.values())


def _line(
    services: "Services", entry: "LedgerEntry", outcome: Mapping[str, Any], subjects: Mapping[str, str]
) -> ActivityLine | None:
    body = entry.body
    if entry.kind == "call":
        return _call_line(services, entry, outcome)
    if entry.kind == "awaiting":
        asked = subjects.get(str(body.get("decision", ""))) or call_words(services, str(body.get("tool", "")), {})
        return ActivityLine(entry, "waiting", lambda: cut(f"Asked for your approval: {asked}", _LONGEST))
    failures = list(failures_of(entry))
    return ActivityLine(entry, "failed", lambda: cut("; ".join(failures), _LONGEST)) if failures else None


def _call_line(services: "Services", entry: "LedgerEntry", outcome: Mapping[str, Any]) -> ActivityLine | None:
    body, arguments = entry.body, entry.body.get("arguments", {})
    tool = str(body.get("tool", ""))
    if tool == "agent_message" and arguments.get("to") == STAKEHOLDER:
        return None
    came = {**body, **outcome} if outcome else body
    if came.get("ok") is False:
        failed = format_value(came.get("error", ""))
        return ActivityLine(entry, "failed", lambda: f"{call_words(services, tool, arguments)}. Failed: {failed}")
    if tool == "decision_request":
        return ActivityLine(entry, "waiting", lambda: cut(f"Asked you: {arguments.get('subject', '')}", _LONGEST))

    def say() -> str:
        result = "" if tool == "agent_message" else _result_words(came)
        return result or call_words(services, tool, arguments, is_done=True)

    return ActivityLine(entry, "done", say)


def _result_words(came: Mapping[str, Any]) -> str:
    """Return a call's report of its result, if it is one sentence; empty for several lines."""
    result = came.get("result")
    text = str(result.get("text", "")).strip() if isinstance(result, Mapping) else ""
    return text if 0 < len(text) <= _LONGEST and "\n" not in text else ""
