"""Answers short enough for a model: the text's content is not sent twice, and long lists are cut and counted.

    text, answer = Brief().answer(call(services, "memory_recall", {"query": "runway"}))

`Brief(details=True)` leaves an answer whole, as `mabos call` prints it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from mabos.interfaces.surfaces.door import as_text, text_of
from mabos.tools.gate.call import Outcome

LIMIT = 16 * 1024
"""Characters of a text, and of a structure; some 4,000 tokens."""
_DETAILS = ("accessed_at", "access_count")
"""Fields on which no decision of a model rests; the parts of a score, a `why` of numbers alone, are left out too."""


@dataclass(frozen=True, slots=True)
class Brief:
    """Length limits for answers."""

    limit: int = LIMIT
    details: bool = False

    def answer(self, outcome: Outcome) -> tuple[str, dict[str, Any]]:
        """Return an answer as text and as structure; `left_out` counts the entries cut from each list."""
        answer = outcome.as_json()
        if self.details or not outcome.ok:
            return text_of(outcome), answer
        has_text = bool(outcome.result.get("text"))
        result = {name: _short(value) for name, value in outcome.result.items() if name != "text" or not has_text}
        if left_out := _cut(result, self.limit):
            result["left_out"] = left_out
        text = text_of(outcome) if has_text else as_text(result)
        if len(text) > self.limit:
            more = len(text) - self.limit
            text = f"{text[: self.limit]}\n[{more:,} more characters; ask for less, or start the server with --details]"
        return text, {**answer, "result": result}


def _short(value: Any) -> Any:
    """Return a value of JSON without the details and empty fields of its records."""
    if isinstance(value, dict):
        kept = {name: _short(one) for name, one in value.items() if name not in _DETAILS and not _is_score(name, one)}
        return {name: one for name, one in kept.items() if one not in (None, "", [], {})}
    return [_short(one) for one in value] if isinstance(value, list | tuple) else value


def _is_score(name: str, value: Any) -> bool:
    return name == "why" and isinstance(value, dict) and all(isinstance(one, int | float) for one in value.values())


def _cut(result: dict[str, Any], limit: int) -> dict[str, int]:
    """Shorten the largest lists of a result until it fits, and return how many of each were left out."""
    left_out: dict[str, int] = {}
    while (size := len(as_text(result))) > limit:
        lists = [(len(as_text(items)), path, items) for path, items in _lists(result) if len(items) > 1]
        if not lists:
            break
        largest, path, items = max(lists, key=lambda one: one[0])
        kept = max(1, int(len(items) * max(0, largest - (size - limit)) / largest * 0.9))
        left_out[path] = left_out.get(path, 0) + len(items) - kept
        del items[kept:]
    return left_out


def _lists(value: Any, path: str = "") -> Iterator[tuple[str, list[Any]]]:
    if isinstance(value, list):
        yield path, value
    named = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, one in named:
        yield from _lists(one, f"{path}.{name}" if path else str(name))
