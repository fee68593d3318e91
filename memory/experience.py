"""Validation of memories before anything is written."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.memory.model import MEMORY_TYPES, STORES, StoreName
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.numbers import share

_FIELDS = ("content", "type", "importance", "source", "tags", "store", "evidence", "created_at", "supersedes")
_SYNONYMS = {"tier": "store", "timestamp": "created_at"}


@dataclass(frozen=True, slots=True)
class NewItem:
    """A memory to store, and its target store."""

    content: str
    type: str
    importance: float
    source: str
    tags: tuple[str, ...]
    store: StoreName
    evidence: tuple[str, ...]
    created_at: str
    supersedes: tuple[str, ...]


def experience(fields: Mapping[str, Any], now: str, clean: Callable[[str], str] = str) -> NewItem:
    """Return `fields` (those of `Memory.store`, and S1's `tier` and `timestamp`) as an experience.

    `clean` removes from its texts whatever must not be stored. Raises `InvalidArgument` with the field.
    """
    if not isinstance(fields, Mapping):
        message = f"{fields!r:.60} is not a memory; expected a mapping of {', '.join(_FIELDS)}"
        raise InvalidArgument(message, argument="items")
    given = {_SYNONYMS.get(name, name): value for name, value in fields.items()}
    for name in given:
        if name not in _FIELDS:
            raise InvalidArgument(f"no field {name!r} of a memory; use {', '.join(_FIELDS)}", argument=name)
    created = str(given.get("created_at") or "")
    return NewItem(
        content=clean(_content(given.get("content"))),
        type=check_choice(given.get("type") or "observation", MEMORY_TYPES, "type"),
        importance=share(given.get("importance", 0.5), "importance"),
        source=clean(_whole(str(given.get("source") or "manual"), "source")),
        tags=tuple(map(clean, _texts(given.get("tags") or (), "tags"))),
        store=_store(given.get("store") or "short_term"),
        evidence=_texts(given.get("evidence") or (), "evidence"),
        created_at=iso(parse_time(created, argument="created_at")) if created else now,
        supersedes=_texts(given.get("supersedes") or (), "supersedes"),
    )


def check_choice(value: Any, known: Sequence[str], argument: str) -> str:
    """Return `value` if it is one of `known`; raises `InvalidArgument`."""
    if value not in known:
        raise InvalidArgument(f"{argument} is {value!r}; use one of {', '.join(known)}", argument=argument)
    return str(value)


def _content(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InvalidArgument("content is empty; give the text to remember", argument="content")
    return _whole(value.strip(), "content")


def _whole(text: str, argument: str) -> str:
    """Return `text`; raises `InvalidArgument` where it holds half a character, as a model's JSON may: no file could."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        half = text[error.start]
        message = f"{argument} holds half a character ({half!r}), which no file can; leave it out"
        raise InvalidArgument(message, argument=argument) from None
    return text


def _texts(value: Any, argument: str) -> tuple[str, ...]:
    if not value:
        return ()
    is_list = isinstance(value, Iterable) and not isinstance(value, str)
    if not is_list or not all(isinstance(one, str) for one in value):
        raise InvalidArgument(f"{argument} is {value!r}; expected a list of texts", argument=argument)
    return tuple(dict.fromkeys(_whole(one.strip(), argument) for one in value if one.strip()))


def _store(value: Any) -> StoreName:
    name = check_choice(value, STORES, "store")
    return next(store for store in STORES if store == name)
