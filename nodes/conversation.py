"""The conversation of a person and an agent in the state of a cycle: the newest messages, as JSON.

    recent([], [{"role": "user", "content": "What is our runway?"}])   # [{"type": "human", "content": ..., "id": ...}]

This is a view for Studio and other chat pages. The inboxes are the record: they hold every message in full.
"""

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from mabos.workspace.text import shorten

HUMAN: Final = "human"
AI: Final = "ai"
_TYPES: Final[Mapping[str, str]] = {"user": HUMAN, "assistant": AI}
_LONGEST, _TOTAL = 3_000, 6_000
"""Characters of one message, and of all; the state of a cycle stays small."""

ChatLine = dict[str, Any]
"""One message as JSON: its type, its content, its id, and once an agent has heard it the id of its record."""


def recent(before: Sequence[Any], news: Sequence[Any] | Any) -> list[ChatLine]:
    """Return the newest messages after adding more; one with a known id replaces the old one."""
    lines = {str(one["id"]): one for one in before}
    for one in news if isinstance(news, list | tuple) else [news]:
        line = _line(one, len(lines))
        lines[line["id"]] = line
    kept, room = list[ChatLine](), _TOTAL
    for line in reversed(lines.values()):
        room -= len(line["content"])
        if kept and room < 0:
            break
        kept.append(line)
    return kept[::-1]


def unheard(messages: Sequence[ChatLine]) -> ChatLine | None:
    """Return a person's last message if no agent has read it yet."""
    last = messages[-1] if messages else None
    return last if last is not None and last["type"] == HUMAN and "message_id" not in last else None


def said_by_person(text: str, message_id: str, line: ChatLine | None) -> ChatLine:
    """Return a person's message, with the id of its record; `line` is its conversation line, if any."""
    return {**(line or {"type": HUMAN, "content": text, "id": message_id}), "message_id": message_id}


def said_by_agent(text: str, cycle_id: str) -> ChatLine:
    """Return an agent's message in a cycle."""
    return {"type": AI, "content": text, "id": f"reply-{cycle_id}"}


def _line(one: Any, position: int) -> ChatLine:
    """Return a message of LangChain, or its JSON, as the state holds it."""
    given = one if isinstance(one, Mapping) else {"type": one.type, "content": one.content, "id": one.id}
    content = given.get("content", "")
    if isinstance(content, list):
        content = "\n".join(str(part.get("text", "")) if isinstance(part, Mapping) else str(part) for part in content)
    kind = str(given.get("type") or given.get("role") or HUMAN)
    name = str(given.get("id") or sha256(f"{position}:{content}".encode()).hexdigest()[:16])
    heard = {"message_id": given["message_id"]} if "message_id" in given else {}
    is_unheard = _TYPES.get(kind, kind) == HUMAN and not heard  # an agent hears it whole
    text = str(content) if is_unheard else shorten(str(content), _LONGEST)
    return {"type": _TYPES.get(kind, kind), "content": text, "id": name, **heard}
