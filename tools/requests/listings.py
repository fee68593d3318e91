"""Format results of read-only operations for a person: a list with the important values of each row."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mabos.workspace.currencies import money

SHOWN = 10
"""Rows that a reply lists; of more it states the number."""
Result = Mapping[str, Any]
_READS = re.compile(r"(get|return|fetch|look up|read|show|list|find|tell)\s+(the\s+)?", re.IGNORECASE)


def in_words(tool: str, summary: str, result: Result, asked: Result) -> str:
    """Return a result in words: its own text, or its rows or plain values under the request."""
    if text := str(result.get("text") or result.get("summary") or ""):
        return text
    if tool in _WORDINGS:
        return _WORDINGS[tool](result)
    rows = next((value for value in result.values() if isinstance(value, list)), None)
    if rows is not None:
        return _rows(_head(summary, asked), rows, _plain)
    shown = {name: value for name, value in result.items() if _is_shown(value)}
    if len(shown) == 1 and isinstance(number := next(iter(shown.values())), int | float):
        return f"{_head(summary, asked)}: {number}."
    values = [f"{name.replace('_', ' ')}: {value}" for name, value in shown.items()]
    return f"{_head(summary, asked)}: {'; '.join(values)}."


def _head(summary: str, asked: Result) -> str:
    """Return what an operation reads, with the arguments: "Number of free berths at a quay (quay north)"."""
    thing = summary[found.end() :] if (found := _READS.match(summary)) else summary
    given = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in asked.items() if _is_shown(value))
    return f"{thing[:1].upper()}{thing[1:].rstrip('.')}" + (f" ({given})" if given else "")


def extract_values(tool: str, result: Result) -> Iterator[tuple[str, str, Any]]:
    """Yield the statements of a result as record, field and value."""
    for name, value in result.items():
        if isinstance(value, list):
            rows = [one for one in value[:SHOWN] if isinstance(one, Mapping)]
            yield from ((_id(one), field, one[field]) for one in rows for field in _FIELDS if field in one)
        elif _is_shown(value):
            yield tool, name, value


def _leads(result: Result) -> str:
    """Return leads with their scores, best first, and the missing data of those without any."""
    leads = result.get("leads", [])
    if not leads:
        return "There are no leads in the contacts to score."
    return _rows(f"{len(leads)} leads scored from 0 to 100, best first", leads, _lead)


def _lead(one: Result) -> str:
    reasons = [because for part in one.get("contributions", ()) for because in part.get("because", ())]
    why = f" ({'; '.join(reasons[:3])})" if reasons else ""
    unknown = f", not known: {', '.join(one['unknown'])}" if one.get("unknown") else ""
    return f"{one.get('name') or one.get('email')}: {one.get('score', 0):g}{why}{unknown}"


def _pipeline(result: Result) -> str:
    deals = result.get("deals", [])
    head = f"{result.get('open_deals', 0)} open deals worth {money(float(result.get('open_usd') or 0))}"
    return _rows(head, deals, lambda one: f"{one.get('title')}: {one.get('stage')}, {money(float(one['value_usd']))}")


def _contractors(result: Result) -> str:
    found = result.get("contractors", [])
    return _rows(
        f"{len(found)} contractors",
        found,
        lambda one: (
            f"{one.get('name')}: {', '.join(one.get('skills', ()))}, {money(float(one['hourly_rate_usd']))} an hour"
        ),
    )


def _packages(result: Result) -> str:
    found = result.get("packages", [])
    return _rows(
        f"{len(found)} work packages",
        found,
        lambda one: f"{one.get('title')}: {one.get('status')}, {money(float(one['budget_usd']))}",
    )


_WORDINGS: Mapping[str, Callable[[Result], str]] = {
    "contractor_list": _contractors,
    "crm_pipeline": _pipeline,
    "lead_scoring": _leads,
    "work_package_list": _packages,
}
_FIELDS = ("score", "value_usd", "stage", "status", "budget_usd", "hourly_rate_usd", "value")


def _rows(head: str, rows: list[Any], line: Callable[[Any], str]) -> str:
    if not rows:
        return f"{head}: none."
    more = [f"- and {len(rows) - SHOWN} more"] if len(rows) > SHOWN else []
    return "\n".join([f"{head}:", *(f"- {line(one)}" for one in rows[:SHOWN]), *more])


def _plain(one: Any) -> str:
    if not isinstance(one, Mapping):
        return str(one)
    short = [f"{name.replace('_', ' ')} {value}" for name, value in one.items() if _is_shown(value)]
    return ", ".join(short[:6])


def _is_shown(value: Any) -> bool:
    return isinstance(value, str | int | float) and value != ""


def _id(one: Result) -> str:
    return str(next((one[name] for name in one if name == "id" or name.endswith("_id")), ""))
