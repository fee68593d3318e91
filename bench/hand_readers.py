"""The handwritten record readers, one for each type, from before records were declared.

`bench.records` compares them with the declarations; nothing else uses them.
"""

from collections.abc import Mapping
from dataclasses import fields
from math import isfinite, nan
from typing import Any

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.knowledge.model import Fact, FactStatement
from mabos.memory.model import MemoryItem
from mabos.society.decisions import Decision
from mabos.society.messages import Message
from mabos.workspace.clock import iso, parse_time


def fact(key: str, record: Mapping[str, Any]) -> Fact:
    """Return the fact in a record."""
    try:
        said = record.get("stated")
        return Fact(
            id=str(record.get("fact_id") or key),
            subject=_term(record, "subject"),
            predicate=_term(record, "predicate"),
            object=_term(record, "object"),
            confidence=_share(record.get("confidence", 1.0)),
            source=str(record.get("source") or ""),
            valid_from=_time(record, "valid_from"),
            valid_until=_time(record, "valid_until"),
            derived_from=_ids(record.get("derived_from") or ()),
            rule_id=str(record.get("rule_id") or ""),
            created_at=str(record.get("created_at") or ""),
            updated_at=str(record.get("updated_at") or record.get("created_at") or ""),
            stated=None if said is None else _statement(said),
            recorded_until=str(record.get("recorded_until") or ""),
        )
    except KeyError as error:
        raise Damaged(f"facts.json: the fact {key!r} has no {error}; correct it by hand") from error
    except (AttributeError, TypeError, ValueError, InvalidArgument) as error:
        raise Damaged(f"facts.json: the fact {key!r} cannot be read ({error}); correct it by hand") from error


def _term(record: Mapping[str, Any], name: str) -> str:
    term = record[name]
    if not isinstance(term, str | int | float):
        raise ValueError(f"{name} is {term!r:.60}, not a text")
    return str(term)


def _share(value: Any) -> float:
    share = float(value)
    if not 0 <= share <= 1:
        raise ValueError(f"confidence is {value!r}; expected a number from 0 to 1")
    return share


def _time(record: Mapping[str, Any], name: str) -> str:
    text = str(record.get(name) or "")
    if text:
        parse_time(text)
    return text


def _ids(given: Any) -> tuple[str, ...]:
    if isinstance(given, str) or not all(isinstance(one, str) for one in given):
        raise ValueError(f"derived_from is {given!r:.60}; expected a list of ids")
    return tuple(given)


def _statement(said: Mapping[str, Any]) -> FactStatement:
    times = _time(said, "valid_from"), _time(said, "valid_until")
    return FactStatement(_share(said["confidence"]), str(said.get("source") or ""), *times)


def memory_item(key: str, record: Mapping[str, Any]) -> MemoryItem:
    """Return the item in a record."""
    created = _moment(str(record.get("created_at") or record.get("timestamp") or ""))
    return MemoryItem(
        id=key,
        content=str(record.get("content", "")),
        type=str(record.get("type") or "observation"),
        importance=_number(key, record, "importance", 0.5),
        source=str(record.get("source") or "manual"),
        tags=_texts(key, record, "tags"),
        created_at=created,
        accessed_at=_moment(str(record.get("accessed_at") or "")) or created,
        access_count=int(_number(key, record, "access_count", 0)),
        derived_from=_texts(key, record, "derived_from"),
        evidence=_texts(key, record, "evidence"),
        consolidated_into=str(record.get("consolidated_into") or ""),
        supersedes=_texts(key, record, "supersedes"),
        superseded_by=str(record.get("superseded_by") or ""),
    )


def _number(key: str, record: Mapping[str, Any], field: str, default: float) -> float:
    value = record.get(field, default)
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = nan
    if not isfinite(number):
        raise Damaged(f"memory-store.json: memory item {key!r} has {field} {value!r}; write a number there")
    return number


def _texts(key: str, record: Mapping[str, Any], field: str) -> tuple[str, ...]:
    value = record.get(field)
    if not value:
        return ()
    if isinstance(value, list) and {*map(type, value)} == {str}:
        return tuple(value)
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list | tuple) or not all(isinstance(one, str | int | float) for one in found):
        raise Damaged(f"memory-store.json: memory item {key!r} has {field} {value!r}; write a list of texts there")
    return tuple(map(str, found))


def _moment(text: str) -> str:
    if not text or (len(text) == len("2026-02-24T14:30:00.000Z") and text.endswith("Z")):
        return text
    try:
        return iso(parse_time(text))
    except InvalidArgument:
        return text


_NAMES = {{"sender": "from"}.get(one.name, one.name): one.name for one in fields(Message)}
_DEFAULTS = {"timestamp": "", "content": "", "performative": "INFORM"}
_PLAIN = frozenset({str, bool, dict})
_TEXTS = tuple(name for name in _NAMES.values() if name not in ("read", "metadata"))


def message(_key: str, record: Mapping[str, Any]) -> Message:
    """Return the message in a record."""
    given = {_NAMES[key]: value for key, value in record.items() if key in _NAMES and value is not None}
    is_plain = _PLAIN.issuperset(map(type, given.values())) and type(given.get("content", "")) is str
    if not is_plain:
        given |= {name: str(given[name]) for name in _TEXTS if name in given}
        if not isinstance(given.get("metadata", {}), Mapping):
            del given["metadata"]
    try:
        return Message(**(_DEFAULTS | given))
    except TypeError:
        raise Damaged(f"a message needs id, from and to; this one has {', '.join(record) or 'nothing'}") from None


_KINDS: Mapping[str, type] = {"options": list, "reasons": list, "action": dict, "modifications": dict}


def decision(_key: str, record: Mapping[str, Any]) -> Decision:
    """Return the decision in a record."""
    known = {one.name for one in fields(Decision)}
    given = {name: value for name, value in record.items() if name in known and value is not None}
    for name, kind in _KINDS.items():
        if not isinstance(given.get(name, kind()), kind):
            raise Damaged(f"decision {str(record.get('id', ''))!r}: {name} is {given[name]!r:.40}; correct it by hand")
    given |= {name: tuple(given[name]) for name in ("options", "reasons") if name in given}
    if not all(isinstance(option, dict) for option in given.get("options", ())):
        raise Damaged(f"decision {str(record.get('id', ''))!r}: an option is not an object; correct it by hand")
    try:
        return Decision(**{"from_agent": "", "subject": "", **given})
    except TypeError:
        raise Damaged(f"a decision needs an id; this one has {', '.join(record) or 'nothing'}") from None
