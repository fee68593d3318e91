"""Work sessions: the turns of a model and its tools on one request, recorded after every step.

A session is saved after each answer of the model and before the requested calls, so after a crash it continues with
exactly the calls that have no result yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from mabos.backends.chat import ChatMessage, ToolUse
from mabos.backends.shown import fence_text
from mabos.language.request import Claim, Request
from mabos.society.messages import Performative
from mabos.workspace.copies import replace
from mabos.workspace.records import Document, record

WORK = "work"
"""The operation of a request that a session carries."""
PARENT = "work"
"""The key in the data of a request that names the request for which a session ordered it."""
GROUNDS = "grounds"
"""The key in the data of an order that says from which words, or which document, each value comes."""

UPDATE = "Update on record, for your order above. Go on with what was asked, or report."
"""The prefix of a turn that reports the later outcome of an order to the model."""
ERROR = "Error: "
"""The prefix of the result of an impossible tool use."""
BEFORE = "You made this call before, so it was not made again."
"""The first words of the result of a repeated order."""
MADE = ("done", "underway", "standing", "answered")
"""The states of an order that is not given a second time."""
_ECHO = 20
"""Characters from which a text that a tool repeats is a question and no value of a record."""

SessionStatus = Literal["running", "waiting", "done", "failed"]


@record(
    Document("work.json", ("sessions",)),
    "sessions",
    noun="work session",
    optional=("waits_for", "reply", "performative", "claims", "complained", "shown"),
)
@dataclass(frozen=True, slots=True)
class WorkSession:
    """A request that a model works on (`agents/<id>/work.json`).

    `turns` has the answers, tool results and updates; the briefing is rebuilt for each call. `rounds` counts the
    answers since the last update. `waits_for` names the orders that wait for somebody. `reply` is the text being sent,
    with its `performative` and `claims`. `complained` means that the model was once told of unsupported claims. `shown`
    names the operations that the model found by itself.
    """

    id: str
    request_id: str
    turns: tuple[ChatMessage, ...] = ()
    status: SessionStatus = "running"
    rounds: int = 0
    waits_for: tuple[str, ...] = ()
    reply: str = ""
    performative: Performative | Literal[""] = ""
    claims: tuple[Claim, ...] = ()
    complained: bool = False
    shown: tuple[str, ...] = ()
    created_at: str = ""
    updated_at: str = ""

    @property
    def open_uses(self) -> tuple[ToolUse, ...]:
        """Return the tool uses of the last answer that have no result yet, in order."""
        answer = next((one for one in reversed(self.turns) if one.role == "assistant"), None)
        answered = {one.tool_use_id for one in self.turns[self._last_answer :] if one.role == "tool"}
        return tuple(one for one in answer.tool_uses if one.id not in answered) if answer is not None else ()

    @property
    def is_answered(self) -> bool:
        """Return whether the last turn is an answer without tool uses: the reply."""
        return bool(self.turns) and self.turns[-1].role == "assistant" and not self.turns[-1].tool_uses

    @property
    def results(self) -> tuple[str, ...]:
        """Return the results of its tools and the updates, without echoes of the model's own words."""
        uses = {one.id: one for turn in self.turns for one in turn.tool_uses}
        told = [_without_echo(one.content, uses[one.tool_use_id]) for one in self.turns if one.tool_use_id in uses]
        return (*told, *(one.content for one in self.turns if one.role == "user" and one.content.startswith(UPDATE)))

    def number_of(self, use_id: str) -> int:
        """Return the position of a tool use among all of the session, from 1, which identifies its order."""
        return [one.id for turn in self.turns for one in turn.tool_uses].index(use_id) + 1

    @property
    def _last_answer(self) -> int:
        return max((at for at, one in enumerate(self.turns) if one.role == "assistant"), default=0)


def session_id(request: Request) -> str:
    """Return the id of a request's session."""
    return f"WORK-{request.id.removeprefix('REQ-')}"


def begin_session(request: Request, now: str) -> WorkSession:
    """Return the session of a request, still empty."""
    return WorkSession(session_id(request), request.id, created_at=now, updated_at=now)


def with_answer(session: WorkSession, answer: ChatMessage, now: str) -> WorkSession:
    """Return the session after a model's answer; each tool use gets its own id in the session."""
    taken = {one.id for turn in session.turns for one in turn.tool_uses}
    uses = list[ToolUse]()
    for use in answer.tool_uses:  # some servers count anew in each answer, or give no ids
        name = use.id if use.id and use.id not in taken else f"use-{len(taken) + 1}"
        taken.add(name)
        uses.append(replace(use, id=name))
    turn = replace(answer, tool_uses=tuple(uses))
    return replace(session, turns=(*session.turns, turn), rounds=session.rounds + 1, updated_at=now)


def with_result(session: WorkSession, use: ToolUse, result: str, now: str) -> WorkSession:
    """Return the session with the result of a tool use."""
    turn = ChatMessage("tool", result, tool_use_id=use.id)
    return replace(session, turns=(*session.turns, turn), updated_at=now)


def with_update(session: WorkSession, news: str, now: str) -> WorkSession:
    """Return the session with the outcomes of its orders, which starts new rounds."""
    turns = (*session.turns, ChatMessage("user", f"{UPDATE}\n{fence_text(news)}"))
    return replace(session, turns=turns, rounds=0, complained=False, status="running", updated_at=now)


def with_complaint(session: WorkSession, complaint: str, now: str) -> WorkSession:
    """Return the session with the errors of its reply, which the model receives once."""
    return replace(session, turns=(*session.turns, ChatMessage("user", complaint)), complained=True, updated_at=now)


def with_reply(session: WorkSession, text: str, performative: Performative, now: str) -> WorkSession:
    """Return the session with the reply to send, which replaces the model's own last words."""
    turns = session.turns[:-1] if session.is_answered else session.turns
    reply = ChatMessage("assistant", text)
    return replace(session, turns=(*turns, reply), reply=text, performative=performative, updated_at=now)


def _without_echo(result: str, use: ToolUse) -> str:
    """Return a result without the words of the call itself: an error quotes values, a look-up its question."""
    is_error = result.startswith(ERROR)
    said = {str(one) for one in use.arguments.values() if isinstance(one, str | int | float)}
    for one in sorted(said, key=len, reverse=True):
        if len(one) >= _ECHO or (is_error and len(one) > 1):
            result = result.replace(one, "…")
    return result


def is_work(request: Request) -> bool:
    """Return whether a request has a session."""
    return request.operation == WORK


def parent_of(request: Request) -> str:
    """Return the id of the request whose session ordered this one, or an empty text."""
    return str(request.data.get(PARENT, ""))


def orders_of(requests: tuple[Request, ...], request: Request) -> tuple[Request, ...]:
    """Return a session's orders for a request, in order."""
    return tuple(one for one in requests if parent_of(one) == request.id)


def order_id(request: Request, session: WorkSession, use: ToolUse) -> str:
    """Return the id of the order from a tool use, stable across crashes."""
    return f"{request.id}-W{session.number_of(use.id)}"


def order_data(request: Request, use: ToolUse) -> Mapping[str, Any]:
    """Return an order's data about its session."""
    return {PARENT: request.id, "use": use.id}
