"""Results of operations as short JSON for a model: ids, names, amounts and dates stay; the rest is cut and counted.

compact({"items": [...], "count": 40}, 500)     # '{"count":40,"items":[...10 of 40...,"and 30 more"]}'
"""

from collections.abc import Mapping, Sequence
from typing import Any

import orjson

CHARACTERS_A_TOKEN = 4
"""English text and JSON; an estimate that serves for budgets."""
_TEXT = 400
"""Characters of one text that a first look keeps; identifiers are always shorter."""
_NOISE = frozenset({
    "access_count", "accessed_at", "consolidated_into", "created_by", "depth", "derived_from", "digest", "fingerprint",
    "line", "path_line", "revisions", "schema", "score_parts", "seq", "supersedes", "touches", "version", "why",
})  # fmt: skip
"""Fields that tell a model nothing it could use."""
_FIRST = ("id", "name", "title", "status", "text", "summary", "count")


def tokens(text: str) -> int:
    """Return the approximate number of tokens in a text."""
    return -(-len(text) // CHARACTERS_A_TOKEN)


def compact(result: Any, budget_tokens: int) -> str:
    """Return a result as JSON in about `budget_tokens` at most; lists, then texts, are cut and mark the omission."""
    budget = budget_tokens * CHARACTERS_A_TOKEN
    if isinstance(result, str):
        return _cut_text(result, budget)
    value = _without_noise(result)
    if isinstance(value, Mapping) and _repeats_its_text(value):
        value = {name: one for name, one in value.items() if name != "text"}
    for text_limit in (_TEXT * 10, _TEXT, _TEXT // 2, 80):
        for rows in _row_limits(value):
            said = _json(_cut(value, rows, text_limit))
            if len(said) <= budget:
                return said
    said = _json(_cut(value, 1, 40))
    return said if len(said) <= budget else f"{said[: max(0, budget - 20)]}… (cut)"


def whole(result: Mapping[str, Any], budget_tokens: int) -> str:
    """Return a result as JSON with every field that fits, since no field of a user's own tool is noise."""
    said = _json(result)
    return said if tokens(said) <= budget_tokens else compact(result, budget_tokens)


def _without_noise(value: Any) -> Any:
    """Return a value without empty fields and those that say nothing, the telling ones first."""
    if isinstance(value, Mapping):
        kept = {
            str(name): _without_noise(one)
            for name, one in value.items()
            if name not in _NOISE and one not in (None, "", [], {}, ())
        }
        first = {name: kept[name] for name in _FIRST if name in kept}
        return {**first, **kept}
    if isinstance(value, list | tuple):
        return [_without_noise(one) for one in value]
    return round(value, 4) if isinstance(value, float) else value


def _repeats_its_text(value: Mapping[str, Any]) -> bool:
    """Return whether the text of a result only repeats its rows in prose."""
    return "text" in value and any(isinstance(one, list) and len(one) > 1 for one in value.values())


def _row_limits(value: Any) -> Sequence[int]:
    """Return how many rows of a list are tried, most first."""
    longest = _longest(value)
    return [longest, *(number for number in (50, 30, 20, 15, 10) if number < longest)] if longest else [1]


def _longest(value: Any) -> int:
    if isinstance(value, Mapping):
        return max(map(_longest, value.values()), default=0)
    if isinstance(value, list):
        return max(len(value), *map(_longest, value)) if value else 0
    return 0


def _cut_text(text: str, characters: int) -> str:
    """Return a text with whole lines, or words, in at most so many characters, and how much is left out."""
    if len(text) <= characters:
        return text
    kept = text[: max(0, characters - 40)]
    kept = kept.rpartition("\n")[0] or kept.rpartition(" ")[0] or kept
    return f"{kept}\n… ({len(text) - len(kept)} characters more)"


def _cut(value: Any, rows: int, characters: int) -> Any:
    if isinstance(value, Mapping):
        return {name: _cut(one, rows, characters) for name, one in value.items()}
    if isinstance(value, list):
        kept = [_cut(one, rows, characters) for one in value[:rows]]
        return [*kept, f"and {len(value) - rows} more"] if len(value) > rows else kept
    if isinstance(value, str) and len(value) > characters:
        return f"{value[:characters].rsplit(' ', 1)[0]}… ({len(value)} characters)"
    return value


def _json(value: Any) -> str:
    return orjson.dumps(value, default=str, option=orjson.OPT_NON_STR_KEYS).decode()
