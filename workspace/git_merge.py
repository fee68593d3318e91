"""The merge driver of git for files of truth: `python -m mabos.workspace.git_merge BASE OURS THEIRS PATH`.

Git merges by line, so two records at the end of one list conflict. This merges by record and field: a change on one
side is taken, additions of both to a list are kept, and the later of two times or counts wins. A fact, belief or effect
that both sides recorded takes the newer. Any other field that both changed differently is a conflict for a person.
"""

import re
import sys
from collections.abc import Iterable, Mapping
from itertools import count, pairwise
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import orjson

from mabos.workspace.markdown import MarkdownCodec
from mabos.workspace.operations import MISSING, same

DRIVER: Final = "mabos.workspace.git_merge"
_IDS = ("id", "@id", "key")
_STAMPS = ("updated_at", "updated", "ended_at", "at", "created_at", "created")
_RECORDED = ("certainty", "confidence", "begun_at")  # fields of what agents record rather than decide
_BOOKKEEPING = re.compile(r"\n|(.*_)?(at|updated|created|evaluated|timestamp|count|version|cursor|progress|uid)")
_BLOCK = re.compile(r"(?:[-*] )?\**([A-Za-z][\w ./-]{0,40}?):")
_OPEN: Final = object()
_LETTER = re.compile(r"(^|/)(reports|outbox|mail)/")
_JSON = orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE


class Sides(NamedTuple):
    """A base value and both sides' versions of it; all three are equal once the merge is settled."""

    base: Any
    ours: Any
    theirs: Any

    @property
    def is_settled(self) -> bool:
        """Return whether both sides are alike."""
        return _alike(self.ours, self.theirs)


def merge_sides(sides: Sides, name: str = "") -> Sides:
    """Return both sides with every change that does not conflict; `name` is the field that holds the value."""
    base, ours, theirs = sides
    if (value := _settled(sides, name)) is not _OPEN:
        return Sides(value, value, value)
    if isinstance(ours, list) and isinstance(theirs, list):
        lists = (base if isinstance(base, list) else [], ours, theirs)
        field = next((one for one in _IDS if all(_is_keyed(each, one) for each in lists)), "")
        merged = _merged_records(Sides(*(_by_key(each, field) for each in lists)), is_sequence=not field)
        return Sides(*(list(each.values()) for each in merged))
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return _merged_records(Sides(base if isinstance(base, dict) else {}, ours, theirs))
    return sides


def _settled(sides: Sides, name: str) -> Any:
    """Return what both sides come to where one look tells, else `_OPEN`."""
    base, ours, theirs = sides
    if _alike(ours, theirs) or _alike(base, theirs):
        return ours
    if _alike(base, ours):
        return theirs
    if MISSING in (ours, theirs) and _says_the_same(base, theirs if ours is MISSING else ours):
        return MISSING  # removed here, and there only looked at
    is_later = _BOOKKEEPING.fullmatch(name) and type(ours) is type(theirs) and isinstance(ours, str | int | float)
    return max(ours, theirs) if is_later else _OPEN


def merge_text(path: str, base: str, ours: str, theirs: str) -> Sides:
    """Return the three texts of a JSON or Markdown file, equal except for conflicts."""
    texts = (base, ours, theirs)
    if path.endswith(".md"):
        codec = MarkdownCodec([path])
        files = (codec.decode(path, text)[path] for text in texts)
        merged = merge_sides(Sides(*({key: _blocks(text.split("\n")) for key, text in one.items()} for one in files)))
        sections = ({key: "\n".join(_lines(blocks)) for key, blocks in one.items()} for one in merged)
        return Sides(*(codec.encode(path, {path: one}, 0) for one in sections))
    merged = merge_sides(Sides(*(orjson.loads(text) if text.strip() else MISSING for text in texts)))
    return Sides(*("" if one is MISSING else orjson.dumps(one, option=_JSON).decode() for one in merged))


def _merged_records(sides: Sides, *, is_sequence: bool = False) -> Sides:
    base, ours, theirs = sides
    lines = [key for key in base if is_sequence or key.startswith("\n#")]
    if any(key not in ours and key not in theirs for key in lines):  # both replaced one line of a text or list
        return sides
    newer = _newer(sides)
    found = Sides({}, {}, {})
    for key in _order(ours, theirs):
        values = merge_sides(Sides(*(each.get(key, MISSING) for each in sides)), key)
        if newer and not values.is_settled and (newer[1] or _BOOKKEEPING.fullmatch(key)):
            value = values.ours if newer[0] == "ours" else values.theirs
            values = Sides(value, value, value)
        elif not values.is_settled and _is_record(ours.get(key)) and _is_record(theirs.get(key)):
            values = Sides(MISSING, ours[key], theirs[key])  # shown whole, so that nobody mixes two answers
        for each, value in zip(found, values, strict=True):
            if value is not MISSING:
                each[key] = value
    return found


def _is_record(value: Any) -> bool:
    return isinstance(value, dict) and not value.keys().isdisjoint((*_IDS, "\n## "))


def _newer(sides: Sides) -> tuple[str, bool] | None:
    """Return the side with the later time, and whether that decides of every field; None where no time tells."""
    before, ours, theirs = (_stamp(each) for each in sides)
    if not ours or not theirs:
        return None
    is_recorded = any(name in sides.ours for name in _RECORDED) and before not in (ours, theirs)
    return ("ours" if ours >= theirs else "theirs"), is_recorded


def _stamp(record: Mapping[str, Any]) -> str:
    found = next((record[name] for name in _STAMPS if name in record), "")
    return str(found.get("", "") if isinstance(found, dict) else found)


def _says_the_same(base: Any, changed: Any) -> bool:
    if not isinstance(base, dict) or not isinstance(changed, dict):
        return False
    said = ({key: value for key, value in one.items() if not _BOOKKEEPING.fullmatch(key)} for one in (base, changed))
    return same(*said)


def _order(ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> list[str]:
    """Return all keys: ours in order, each that only they have where it stands with them, after what we added."""
    order = list(ours)
    for before, key in pairwise([None, *theirs]):
        if key is not None and key not in ours:
            at = order.index(before) + 1 if before is not None else 0
            while at < len(order) and order[at] not in theirs:
                at += 1
            order.insert(at, key)
    return order


def _alike(one: Any, other: Any) -> bool:
    return one is other if one is MISSING or other is MISSING else same(one, other)


def _is_keyed(values: Iterable[Any], field: str) -> bool:
    keys = [value.get(field) if isinstance(value, dict) else None for value in values]
    return all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys)


def _by_key(values: Iterable[Any], field: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for value in values:
        key = value[field] if field else orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
        found[_free(key, found)] = value
    return found


def _free(key: str, taken: Mapping[str, Any]) -> str:
    return next(name for number in count() if (name := f"{key}#{number}" if number else key) not in taken)


def _blocks(lines: list[str]) -> dict[str, Any]:
    """Return lines as blocks with what is indented below each; blank lines belong to the one before them."""
    found: dict[str, Any] = {}
    while lines:
        head, *rest = lines
        more = next((at for at, line in enumerate(rest) if line.strip() and _depth(line) <= _depth(head)), len(rest))
        below, lines = rest[:more], rest[more:]
        gap = next((at for at in range(len(below)) if not any(line.strip() for line in below[at:])), len(below))
        field = _BLOCK.match(head.strip())
        key = re.sub(r"\W+", "_", field[1]).lower() if field else "\n#" + head.strip()
        if head.startswith("## "):
            key = "\n## "
        found[_free(key, found)] = {"": head, **_blocks(below[:gap]), "\n": below[gap:]}
    return found


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _lines(blocks: Mapping[str, Any]) -> list[str]:
    lines: list[str] = [blocks[""]] if isinstance(blocks.get(""), str) else []
    for key, value in blocks.items():
        if isinstance(value, dict):
            lines += _lines(value)
        elif key == "\n":
            lines += value
    return lines


def main(base: str, ours: str, theirs: str, path: str) -> int:
    """Write the merge to the file `ours` and return the number of conflicts marked in it, as git expects."""
    if _LETTER.search(path) and not path.endswith(".json"):  # what was told here stays as it was told
        return 0
    files = [Path(one) for one in (base, ours, theirs)]
    texts = [file.read_text("utf-8") for file in files]
    try:
        merged = merge_text(path, *texts)
    except (orjson.JSONDecodeError, UnicodeError):
        merged = Sides(*texts)  # by line, as git would
    with TemporaryDirectory() as folder:
        places = [Path(folder, name) for name in ("ours", "base", "theirs")]
        for place, text in zip(places, (merged.ours, merged.base, merged.theirs), strict=True):
            place.write_text(text, "utf-8")
        labels = [word for name in ("ours", "base", "theirs") for word in ("-L", name)]
        done = run(["git", "merge-file", "-p", *labels, *places], capture_output=True, check=False)  # noqa: S603, S607
    files[1].write_bytes(done.stdout)
    if done.returncode == 0 and path.endswith(".json"):
        orjson.loads(done.stdout)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:5]))
