"""The ledger, entry by entry, newest first: of one agent, cycle, task or tool, or of all."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from mabos.interfaces.dashboard.view import PAGE, PageRequest
from mabos.interfaces.views.words import cut, format_value
from mabos.workspace.ledger import LedgerEntry

_LONGEST = 160
_KINDS = ("call", "outcome", "awaiting", "perceive", "deliberate", "plan", "act", "work", "learn")


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """An entry: a summary in one line, and its full content."""

    entry: LedgerEntry
    words: str
    whole: str


def ledger(asked: PageRequest) -> Mapping[str, Any]:
    """Return a page of entries that match the filters, newest first; `from` is the number to skip."""
    names = {name: asked.text(name) for name in ("agent", "kind", "cycle", "task", "tool")}
    first = asked.number("from")
    index = asked.services.ledger_index()
    found = index.entries(
        agents=[names["agent"]] if names["agent"] else (), kinds=[names["kind"]] if names["kind"] else (),
        cycle=names["cycle"], task=names["task"], tool=names["tool"], limit=PAGE + 1, offset=first, newest_first=True,
    )  # fmt: skip
    return {
        "agents": asked.services.ledger.agents(), "kinds": _KINDS, "names": names,
        "rows": [_row(one) for one in found[:PAGE]], "first": first,
        "before": {**names, "from": max(0, first - PAGE) or ""}, "after": {**names, "from": first + PAGE},
        "is_more": len(found) > PAGE, "found": sum(bool(value) for value in names.values()),
    }  # fmt: skip


def _row(entry: LedgerEntry) -> LedgerRow:
    whole = json.dumps(entry.body, ensure_ascii=False, indent=2)
    return LedgerRow(entry, cut(_words(entry), _LONGEST), whole)


def _words(entry: LedgerEntry) -> str:
    body = entry.body
    if isinstance(body.get("arguments"), Mapping):
        return f"{body.get('tool', '')}({_render_pairs(body['arguments'].items())})"
    if entry.kind == "outcome":
        return (
            f"{body.get('call', '')} "
            f"{'was done' if body.get('ok') else 'failed: ' + format_value(body.get('error', ''))}"
        )
    return _render_pairs(
        (name, value) for name, value in body.items() if isinstance(value, str | int | float) and value
    )


def _render_pairs(pairs: Iterable[tuple[str, Any]]) -> str:
    return ", ".join(f"{name}: {format_value(value)}" for name, value in pairs)
