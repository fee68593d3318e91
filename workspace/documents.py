"""JSON documents as stores: `facts.json` for people, `facts.journal.jsonl` next to it for writing."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

import orjson

from mabos.configs.errors import Damaged, InvalidArgument, unknown
from mabos.workspace.operations import Collections, Op
from mabos.workspace.store import Store
from mabos.workspace.sync import Sync

Root = Literal["object", "array"]

EXTRA = ""
"""The collection of a document's other top-level fields."""

_NUMBER = re.compile(r"#\d+")  # behind the key of a record whose key another one in the file has too
_DEEPEST = 252  # two less than the library of JSON writes
_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*"|[\[\]{}]')
_INDENTED = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


def json_document(
    path: Path, sections: Sequence[str], *, sync: Sync, key: str = "id", root: Root = "object", base: Path | None = None
) -> Store:
    """Return the store of the JSON file `path`: lists of records, found by their field `key`.

    As an `object` it is {"<section>": [records], "version": n} and keeps other top-level fields; as an `array` it is
    the records of the one section. A handwritten file without a journal opens too. The lock and the merge copies are in
    `base`, by default a hidden folder next to the file.
    """
    codec = JsonCodec(path.name, sections, key=key, root=root)
    return Store(path.parent, codec, journal=f"{path.stem}.journal.jsonl", sync=sync, base=base)


class JsonCodec:
    """A JSON file as collections: section -> key -> record, and `EXTRA` for other top-level fields."""

    hand_stands = False  # an acknowledged record of what was done is never undone by an editor that was open meanwhile

    def __init__(self, name: str, sections: Sequence[str], *, key: str = "id", root: Root = "object") -> None:
        if root == "array" and len(sections) != 1:
            raise InvalidArgument(f"{name}: an array may have one section, not {len(sections)}", argument="sections")
        self.files = (name,)
        self._sections = tuple(sections)
        self._key = key
        self._root = root

    def home(self, collection: str) -> str:
        """Return the one file."""
        if collection not in self._sections and collection != EXTRA:
            raise unknown("section", collection, self._sections, argument="collection")
        return self.files[0]

    def empty(self, _name: str) -> Collections:
        """Return every section, without records."""
        return {section: {} for section in self._sections}

    def decode(self, name: str, text: str) -> Collections:
        """Return the records; one without the key field is found by its content."""
        try:
            content = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise Damaged(f"{name}:{error.lineno}: not JSON ({error.msg}); correct it by hand") from error
        if not can_be_kept(content):
            said = f"nested deeper than {_DEEPEST} levels, which cannot be written again; correct it by hand"
            raise Damaged(f"{name}:{_too_deep(text)}: {said}")
        if self._root == "array":
            content = {self._sections[0]: content}
        elif not isinstance(content, dict):
            raise Damaged(f"{name}:1: expected an object with {', '.join(self._sections)}; correct it by hand")
        found = self.empty(name)
        for section in self._sections:
            records = content.pop(section, [])
            if not isinstance(records, list):
                raise Damaged(
                    f"{name}:{_line(text, section)}: {section!r} must be a list of records; correct it by hand"
                )
            for record in records:
                if not isinstance(record, dict):
                    said = f"{section!r} holds {orjson.dumps(record).decode():.60}, which is not a record"
                    raise Damaged(f"{name}:{_line(text, section)}: {said}; correct it by hand")
            found[section] = self._key_records(records)
        content.pop("version", None)
        return found | {EXTRA: content} if content else found

    def encode(self, _name: str, collections: Collections, version: int) -> str:
        """Return the indented text: the declared sections, the version, then any other fields."""
        lists = {section: list(collections.get(section, {}).values()) for section in self._sections}
        if self._root == "array":
            return orjson.dumps(lists[self._sections[0]], option=_INDENTED).decode()
        extra = dict(collections.get(EXTRA, {}).items())
        return orjson.dumps({**lists, "version": version, **extra}, option=_INDENTED).decode()

    def version(self, _name: str, text: str) -> int:
        """Return the stated version."""
        content = orjson.loads(text)
        stated = content.get("version") if isinstance(content, dict) else None
        return stated if isinstance(stated, int) and stated > 0 else 0

    def admit(self, collection: str, key: str, value: Any) -> Any:
        """Return a record with its key; raises `InvalidArgument` if it states another one."""
        self.home(collection)
        if collection == EXTRA:
            if key in {*self._sections, "version"}:
                raise InvalidArgument(f"{key!r} is not an extra field of {self.files[0]}", argument="key")
            return value
        if not isinstance(value, Mapping):
            raise InvalidArgument(f"a record of {collection!r} must be a mapping, not {value!r:.60}", argument="value")
        if self._key not in value:
            return {self._key: key, **value} if not key.startswith("#") else value
        stated = str(value[self._key])
        if key != stated and not (key.startswith(stated) and _NUMBER.fullmatch(key, len(stated))):
            message = f"the record {key!r} of {collection!r} says {self._key}={value[self._key]!r}; make them agree"
            raise InvalidArgument(message, argument=self._key)
        return value

    def settle(self, _collections: Collections, _touched: Mapping[str, set[str]]) -> Sequence[Op]:
        """Return nothing: keys are in the records."""
        return ()

    def conflict(self, _name: str, collection: str, key: str, value: Any) -> str:
        """Return a person's rejected version of a record, as one line of JSON."""
        return orjson.dumps({"section": collection, "key": key, "by_hand": value}).decode() + "\n"

    def _key_records(self, records: Iterable[dict[str, Any]]) -> dict[str, Any]:
        keyed: dict[str, Any] = {}
        for record in records:
            stated = record.get(self._key)
            natural = _by_content(record) if stated is None else str(stated)
            key, number = natural, 2
            while key in keyed:
                key, number = f"{natural}#{number}", number + 1
            keyed[key] = record
        return keyed


def _line(text: str, section: str) -> int:
    return text.count("\n", 0, max(0, text.find(f'"{section}"'))) + 1


def can_be_kept(value: Any) -> bool:
    """Return whether parsed JSON can be written again: the reader accepts deeper nesting than the writer."""
    try:
        orjson.dumps([[value]])  # a line of a journal holds a record two levels deeper than its file
    except TypeError:
        return False
    return True


def _too_deep(text: str) -> int:
    """Return the line where JSON is nested too deep."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += (found[0] in "[{") - (found[0] in "]}")
        if depth > _DEEPEST:
            return text.count("\n", 0, found.start()) + 1
    return 1


def _by_content(record: Any) -> str:
    return "#" + sha256(orjson.dumps(record, option=orjson.OPT_SORT_KEYS)).hexdigest()[:12]
