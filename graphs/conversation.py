"""A conversation of LangChain messages: its length, the parts that must stay together, and its text.

`Session` tracks a conversation towards the end of a context window: checkpointed, cut, and so on.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage, get_buffer_string
from langchain_core.messages.utils import count_tokens_approximately

from mabos.memory import flush
from mabos.memory.checkpoints import CheckpointMark, digest
from mabos.memory.flush import ChatTurn, TokenLimits

_SPEAKERS = {"human": "person", "ai": "agent", "tool": "tool"}


@dataclass(frozen=True, slots=True)
class Rest:
    """The part of a conversation that survives a cut: everything from the message `start` on.

    `request` is the person's message still being worked on, if it precedes `start`; it is kept too.
    """

    start: str
    request: str = ""

    def of(self, messages: Sequence[AnyMessage]) -> list[AnyMessage]:
        """Return the messages to keep; all of them if `start` is missing."""
        places = {message.id: place for place, message in enumerate(messages)}
        begin = places.get(self.start, 0)
        request = places.get(self.request, begin) if self.request else begin
        return [*messages[request : request + 1], *messages[begin:]] if request < begin else list(messages[begin:])


def rest(messages: Sequence[AnyMessage], room: int) -> Rest:
    """Return the part to keep when `messages` are cut: the last request and everything after it.

    If that takes more than `room` tokens, keep the request and only the last calls with all their results. A call is
    never parted from its results.
    """
    asked = max((place for place, one in enumerate(messages) if isinstance(one, HumanMessage)), default=-1)
    if asked >= 0 and estimated_tokens(messages[asked:]) <= room:
        return Rest(messages[asked].id or "")
    start = len(messages) - 1
    while start > 0 and isinstance(messages[start], ToolMessage):
        start -= 1
    return Rest(messages[start].id or "", messages[asked].id or "" if 0 <= asked < start else "")


def tokens(messages: Sequence[AnyMessage], after: str = "") -> int:
    """Estimate how many tokens a model reads for `messages`, its system prompt and its tools.

    The last answer after the message `after` reports its usage, with system prompt and tools; the rest is estimated. An
    answer from before the last cut is ignored.
    """
    count = estimated_tokens(messages)
    for place in range(len(messages) - 1, -1, -1):
        message = messages[place]
        if after and message.id == after:
            break
        if isinstance(message, AIMessage) and message.usage_metadata:
            return max(count, message.usage_metadata["total_tokens"] + estimated_tokens(messages[place + 1 :]))
    return count


def estimated_tokens(messages: Sequence[AnyMessage]) -> int:
    """Estimate the tokens in `messages`: a quarter of their UTF-8 bytes, and a few for each message.

    Bytes fit both: a token is about four letters of English, or nearly every character of Chinese.
    """
    beyond_ascii = sum(len(text.encode("utf-8", "replace")) - len(text) for text in map(_text, messages))
    return count_tokens_approximately(messages) + beyond_ascii // 4


def transcript(messages: Sequence[AnyMessage]) -> str:
    """Return a conversation as text: each speaker's words, and calls with their results."""
    return get_buffer_string(messages)


def shorten_text(text: str, most: int) -> str:
    """Return `text` in at most about `most` tokens; a longer one loses its middle."""
    size = len(text.encode("utf-8", "replace"))
    if size <= 4 * most:
        return text
    letters = len(text) * 4 * most // size
    begin, end = letters // 4, letters - letters // 4
    return f"{text[:begin]}\n\n[... {len(text) - begin - end} characters left out ...]\n\n{text[-end:]}"


def list_turns(messages: Sequence[AnyMessage]) -> list[ChatTurn]:
    """Return each speaker's turn; system messages are left out."""
    return [ChatTurn(by, _text(one)) for one in messages if (by := _SPEAKERS.get(one.type))]  # type: ignore[arg-type]  # the three values of the table


def _text(message: AnyMessage) -> str:
    return str(message.text)


@dataclass(slots=True)
class Session:
    """A conversation of an agent. `checkpoint` is the file of its latest checkpoint, "" without one.

    `last_flush` is its number of cuts at that checkpoint, and `first` its first message then. `start` and `request` say
    which part to keep. `cut_after` was its last message at the last cut.
    """

    thread: str
    messages: list[AnyMessage]
    checkpoint: str = ""
    cuts: int = 0
    last_flush: int | None = None
    first: str = ""
    start: str = ""
    request: str = ""
    cut_after: str = ""
    is_shorter: bool = False

    @classmethod
    def of(cls, thread: str, messages: Sequence[AnyMessage], record: Mapping[str, Any]) -> "Session":
        """Return the session in a `record`; if others have cut it since, it counts as cut."""
        session = cls(thread, list(messages), **record)
        known = {message.id for message in messages}
        if session.last_flush == session.cuts and (session.first != session._beginning or session.start not in known):
            session.cuts += 1
        return session

    def record(self) -> dict[str, Any]:
        """Return the data that an agent's state keeps."""
        names = ("checkpoint", "cuts", "last_flush", "first", "start", "request", "cut_after")
        return {name: getattr(self, name) for name in names}

    @property
    def mark(self) -> CheckpointMark:
        """The mark of a checkpoint written now, which identifies its coverage."""
        part = json.dumps([self.thread, self._beginning, self.cuts])
        return CheckpointMark.of(self.thread, part, self.messages[-1].id or "")

    def is_due(self, limits: TokenLimits) -> bool:
        """Return whether a checkpoint should be written now: near the limit, once, and if anything could be cut."""
        length = tokens(self.messages, self.cut_after)
        due = flush.is_due(length, limits.flush_at, cuts=self.cuts, last_flush=self.last_flush)
        return due and len(self._rest(self.messages, limits).of(self.messages)) < len(self.messages)

    def knows(self, mark: CheckpointMark) -> bool:
        """Return whether a checkpoint with this mark covers the present part and can be continued."""
        return mark.part == self.mark.part and any(digest(one.id or "") == mark.message for one in self.messages)

    def record_flush(self, checkpoint: str, mark: CheckpointMark, limits: TokenLimits) -> None:
        """Record a checkpoint; the messages it covers may be cut from now on."""
        seen = [digest(message.id or "") for message in self.messages].index(mark.message)
        left = self._rest(self.messages[: seen + 1], limits)
        self.checkpoint, self.last_flush, self.first = checkpoint, self.cuts, self._beginning
        self.start, self.request = left.start, left.request

    def cut(self, limits: TokenLimits) -> bool:
        """Cut the messages covered by the latest checkpoint if the limit is reached; return whether it did."""
        if self.last_flush != self.cuts or tokens(self.messages, self.cut_after) < limits.cut_at:
            return False
        self.cut_after = self.messages[-1].id or ""
        self.messages = Rest(self.start, self.request).of(self.messages)
        self.cuts += 1
        self.is_shorter = True
        return True

    @property
    def _beginning(self) -> str:
        return (self.messages[0].id or "") if self.messages else ""

    @staticmethod
    def _rest(messages: Sequence[AnyMessage], limits: TokenLimits) -> Rest:
        return rest(messages, limits.flush_at // 2)
