"""R3: the prompt before a conversation is cut, and the rule-made checkpoint when no model answers (S1 section 10).

This module knows no model or message type: the owner of a conversation counts its tokens and asks its own model.
`graphs/memory_flush.py` does it for LangChain's agents.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from mabos.configs.settings import FlushSettings
from mabos.memory.checkpoints import Checkpoint, bullets, parse, sections

SILENT = "NO_REPLY"
"""The answer of a model that has nothing to keep."""

_ENTRIES, _ENTRY_CHARACTERS, _CONTEXT_CHARACTERS = 8, 240, 4000
_BY_RULE = "Made by rule, without a model's judgement"
_SENTENCE = re.compile(r"(?<=[.!?。！？؟])\s+|(?<=[。！？؟])|\n+")
_ASKS = re.compile(r"[?？؟]\W*$")
_DECIDES = re.compile(
    r"(?i)\b(decid\w+|decision|agreed?|we chose|chosen|let's|let us|going with|settled on|approved)\b"
)
_PLANS = re.compile(r"\b(next|to-?do|need to|have to|must|remains?|remaining|will|plan to|follow up)\b", re.I)
_FINDS = re.compile(r"\d|\b(found|shows?|turns? out|because|caused?|means|measured|confirmed)\b", re.I)


@dataclass(frozen=True, slots=True)
class ChatTurn:
    """A turn of a conversation as text."""

    by: Literal["person", "agent", "tool"]
    text: str


@dataclass(frozen=True, slots=True)
class TokenLimits:
    """Token limits of a conversation: it is checkpointed from `flush_at` on, and cut from `cut_at` on."""

    flush_at: int
    cut_at: int


def limits(window: int, settings: FlushSettings) -> TokenLimits:
    """Return the limits of a context window of this many tokens.

    The reserve is at most half of a window and the soft margin a quarter, as the defaults are of a 16k window. Smaller
    windows would otherwise be full before the first turn.
    """
    reserve = min(settings.reserve_tokens, window // 2)
    soft = min(settings.soft_tokens, window // 4)
    return TokenLimits(max(1, window - reserve - soft), max(1, window - reserve))


def is_due(tokens: int, flush_at: int, *, cuts: int, last_flush: int | None) -> bool:
    """Return whether a checkpoint is due: near the limit, and none since the last cut.

    `cuts` is how often the conversation has been cut. `last_flush` is that number at the last checkpoint, None before
    the first.
    """
    return tokens >= flush_at and (last_flush is None or cuts > last_flush)


def prompt(settings: FlushSettings, at: datetime) -> str:
    """Return the prompt before a cut, with date and time filled in."""
    moment = at.astimezone(UTC)
    filled = {"{date}": f"{moment:%Y-%m-%d}", "{time}": f"{moment:%H%M}", "{silent}": SILENT}
    text = settings.prompt.strip()
    for name, value in filled.items():
        text = text.replace(name, value)
    return text


def is_silent(answer: str) -> bool:
    """Return whether an answer states that there is nothing to keep.

    >>> is_silent(" `NO_REPLY`. "), is_silent("NO_REPLY would be wrong: we decided")
    (True, False)
    """
    return answer.strip(" \n\t`'\"*.") == SILENT


def parse_checkpoint(answer: str) -> Checkpoint | None:
    """Return the checkpoint in a model's answer: by its sections, else as the context; None if it is silent."""
    text = answer.strip()
    if not text or is_silent(text):
        return None
    return parse(text) or Checkpoint(text[:_CONTEXT_CHARACTERS])


def durable(answer: str) -> tuple[str, ...]:
    """Return the durable memories listed in a model's answer."""
    return bullets(sections(answer).get("durable memories", ""))


def by_rule(said: Sequence[ChatTurn], why: str, before: Checkpoint | None = None) -> Checkpoint:
    """Return a checkpoint made of the conversation's own sentences if no model made one; it states why.

    New entries come first; those of the previous checkpoint `before` follow while there is room.
    """
    lists: dict[str, list[str]] = {"decisions": [], "findings": [], "next_steps": [], "open_questions": []}
    for one in reversed(said):
        for sentence in _sentences(one.text):
            kind = _kind(one.by, sentence)
            if kind and sentence not in lists[kind]:
                lists[kind].append(sentence)
    held = {name: _first([*new, *(getattr(before, name) if before else ())]) for name, new in lists.items()}
    return Checkpoint(_context(said, why, before), **held)


def _kind(by: str, sentence: str) -> str:
    """Return which list a sentence belongs to, or "": a tool's output only ever holds findings."""
    if by != "tool":
        if _ASKS.search(sentence):
            return "open_questions"
        if _DECIDES.search(sentence):
            return "decisions"
        if _PLANS.search(sentence):
            return "next_steps" if by == "agent" else ""
    return "findings" if by != "person" and _FINDS.search(sentence) else ""


def _context(said: Sequence[ChatTurn], why: str, before: Checkpoint | None) -> str:
    """Return the situation: the first and last requests, and the answer to the last."""
    asked = [one.text for one in said if one.by == "person" and one.text.strip()]
    answered = [one.text for one in said if one.by == "agent" and one.text.strip()]
    told = {
        "Earlier": [_task(before)] if before else [],
        "First asked": asked[:1],
        "Last asked": asked[-1:] if len(asked) > 1 else [],
        "Last said": answered[-1:],
    }
    lines = [f"{name}: {_line(texts[0], 2 * _ENTRY_CHARACTERS)}" for name, texts in told.items() if texts]
    return "\n".join([f"{_BY_RULE}: {why}.", *lines])


def _task(checkpoint: Checkpoint) -> str:
    """Return the subject of the conversation; for a checkpoint made by rule, the very first request."""
    if not checkpoint.context.startswith(_BY_RULE):
        return checkpoint.context
    told = dict(line.partition(": ")[::2] for line in checkpoint.context.splitlines())
    return told.get("Earlier") or told.get("First asked") or ""


def _sentences(text: str) -> Iterable[str]:
    parts = (" ".join(part.split()) for part in _SENTENCE.split(text))
    return [_line(part.lstrip("-*•# "), _ENTRY_CHARACTERS) for part in parts if len(part) > 3]


def _first(sentences: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(sentences))[:_ENTRIES]


def _line(text: str, limit: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 4].rstrip() + " ..."
