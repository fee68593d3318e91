"""Serialisation of a value on one line of Markdown, such that it reads back exactly.

Characters that Markdown or a field line cannot hold are written as character references (`&#10;`). Lists are `a; b`,
pairs `name: value; name: value`, shares `0.85` or `85%`, JSON stays JSON.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite
from typing import Any, get_args

from mabos.mind.model import Revision
from mabos.workspace.text import shorten

_REFERENCE = re.compile(r"&#(\d{1,7});")
_MARKER = re.compile(r"\[(?=[A-Za-z][\w./ -]*:)")
_SPACES = re.compile(r"^\s+|\s+$|(?<=\s)\s|[^\S ]")
_PARTS = re.compile(r"(?:&#\d{1,7};|[^;])+")
_SEMICOLON = re.compile(r"&#\d{1,7};|;")
_NUMERAL = re.compile(r"\d+(\.\d+)?")
_PERCENT = re.compile(r"(-?[\d.]+)\s*%")
_REVISION = re.compile(
    r"(?P<at>\S*): (?P<before>.*) -> (?P<after>.*) \((?P<low>[\d.e+-]+) -> (?P<high>[\d.e+-]+)(?:, (?P<source>.*))?\)"
)
_MOST = 999_999_999
_GRADES = {"none": 0.0, "very low": 0.1, "low": 0.2, "medium": 0.5, "moderate": 0.5, "high": 0.8, "very high": 0.9}
_SYNONYMS = {
    "in_progress": ("active", "begun"), "ongoing": ("active",), "open": ("open", "active", "pending"),
    "todo": ("pending",), "done": ("done", "achieved", "completed", "met", "fulfilled"),
    "complete": ("completed", "achieved", "met", "done"),
    "completed": ("completed", "achieved", "met", "fulfilled", "done"),
    "achieved": ("achieved", "fulfilled", "completed"), "paused": ("suspended", "blocked"),
    "on_hold": ("suspended", "blocked"), "cancelled": ("cancelled", "abandoned", "dropped"),
    "canceled": ("cancelled", "abandoned", "dropped"), "dropped": ("dropped", "abandoned"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spelling:
    """A reader and writer for one kind of value.

    `read` raises `ValueError` with the expected form; `write` keeps the form of the previous text. A `block` value is
    written as nested bullets. A value for which `holds` is True reads back exactly.
    """

    read: Callable[[str], Any]
    write: Callable[[Any, str], str]
    holds: Callable[[Any], bool]
    block: bool = False


def escape_line(text: str, also: str = "") -> str:
    """Return `text` on one line so that `unescape_line` restores it; characters in `also` are escaped too."""
    text = _REFERENCE.sub(lambda found: f"&#38;#{found[1]};", text)
    text = _SPACES.sub(lambda found: "".join(f"&#{ord(char)};" for char in found[0]), text)
    text = _MARKER.sub("&#91;", text)
    if ";" in also:
        text = _SEMICOLON.sub(_encode_reference, text)
    return text.replace(":", "&#58;") if ":" in also else text


def unescape_line(text: str) -> str:
    """Return the original text of `escape_line`, or of a person's line."""
    return _REFERENCE.sub(_character, text.strip()) if "&#" in text else text.strip()


def items_of(text: str) -> tuple[str, ...]:
    """Return the items of an inline list: `a; b`, or `a, b` without a semicolon."""
    parts = _PARTS.findall(text)
    if len(parts) == 1 and not text.rstrip().endswith(";"):
        parts = text.split(", ")
    return tuple(unescape_line(part) for part in parts if part.strip())


def inline(items: Sequence[str]) -> str:
    """Return the raw items of nested bullets as an inline list."""
    return "".join(_SEMICOLON.sub(_encode_reference, item) + ";" for item in items)


def written_items(items: Sequence[str]) -> str:
    """Return an inline list that `items_of` can read back."""
    text = "; ".join(escape_line(item, also=";") for item in items)
    return text.replace(",", "&#44;") if len(items) == 1 else text


def split_items(written: str) -> list[str]:
    """Return an inline list as the raw items of nested bullets."""
    return [part.strip().replace("&#44;", ",") for part in _PARTS.findall(written) if part.strip()]


def number_text(value: float) -> str:
    """Return a number in its shortest exact form, without `.0`."""
    return repr(value).removesuffix(".0")


def choice(literal: Any, *, fallback: str = "") -> Spelling:
    """Return the spelling of a closed set; an unknown word is an error, or becomes `fallback` if given."""
    allowed: tuple[str, ...] = get_args(literal)

    def read(text: str) -> str:
        word = unescape_line(text).casefold().replace("-", "_").replace(" ", "_")
        for name in allowed:
            if name.replace("-", "_") == word:
                return name
        for name in _SYNONYMS.get(word, ()):
            if name in allowed:
                return name
        if fallback:
            return fallback
        raise ValueError(f"expected one of {', '.join(allowed)}")

    return Spelling(read, lambda value, _like: str(value), allowed.__contains__)


def choices(literal: Any, *, fallback: str = "") -> Spelling:
    """Return the spelling of pairs with values from a closed set; an unknown word is an error that names the pair.

    An unknown level must not count as the most permissive one, so a `fallback` is the strictest.
    """
    one = choice(literal, fallback=fallback)

    def read(text: str) -> dict[str, Any]:
        found = {}
        for name, value in _read_pairs(text).items():
            try:
                found[name] = one.read(value)
            except ValueError as error:
                raise ValueError(f"{shorten(name, 60)!r} is {shorten(value, 60)!r}; {error}") from None
        return found

    return Spelling(read, _write_pairs, lambda value: all(map(one.holds, value.values())))


def amounts(literal: Any) -> Spelling:
    """Return the spelling of pairs of a known name and a number of at least 0: `usd: 500; calls: 20`."""
    allowed: tuple[str, ...] = get_args(literal)

    def read(text: str) -> dict[str, float]:
        found = {name: _float(value) for name, value in _read_pairs(text).items()}
        if not fits(found):
            raise ValueError(f"expected {', '.join(allowed)}, each with a number from 0")
        return found

    def fits(value: Any) -> bool:
        return all(name in allowed and type(one) is float and 0 <= one < inf for name, one in value.items())

    def write(value: Mapping[str, float], _like: str) -> str:
        return "; ".join(f"{name}: {number_text(one)}" for name, one in value.items())

    return Spelling(read, write, fits)


def _encode_reference(found: re.Match[str]) -> str:
    return found[0] if len(found[0]) > 1 else f"&#{ord(found[0])};"


def _character(found: re.Match[str]) -> str:
    code = int(found[1])
    return found[0] if 0xD800 <= code < 0xE000 or code >= 0x110000 else chr(code)  # half a character is none


def _read_share(text: str) -> float:
    word = unescape_line(text).casefold()
    if word in _GRADES:
        return _GRADES[word]
    percent = _PERCENT.fullmatch(word)
    value = _float(percent[1]) / 100 if percent else _float(word)
    if not 0 <= value <= 1:
        raise ValueError("expected a number from 0 to 1")
    return value


def _write_share(value: float, like: str) -> str:
    if "%" in like:
        percent = number_text(round(value * 100, 10))
        if _float(percent) / 100 == value:
            return f"{percent}%"
    return number_text(value)


def _read_progress(text: str) -> float:
    """Return a share written as 0.35, 35% or 35; a bare number above 1 is a percentage (S3 5.1)."""
    word = unescape_line(text)
    value = _float(word) if _NUMERAL.fullmatch(word) else 0.0
    return _read_percentage(word) / 100 if value > 1 else _read_share(text)


def _write_progress(value: float, like: str) -> str:
    word = unescape_line(like)
    is_percentage = _NUMERAL.fullmatch(word) is not None and _float(word) > 1
    percent = number_text(round(value * 100, 10))
    if is_percentage and _float(percent) > 1 and _float(percent) / 100 == value:
        return percent
    return _write_share(value, like)


def _read_percentage(text: str) -> float:
    value = _float(unescape_line(text).removesuffix("%").strip())
    if not 0 <= value <= 100:
        raise ValueError("expected a percentage from 0 to 100")
    return value


def _read_pairs(text: str) -> dict[str, str]:
    pairs = (part.partition(":") for part in _PARTS.findall(text) if part.strip())
    return {unescape_line(name): unescape_line(value) for name, _, value in pairs}


def _write_pairs(value: Mapping[str, Any], _like: str) -> str:
    return "; ".join(
        f"{escape_line(name, also=':;')}: {escape_line(str(one), also=';')}" for name, one in value.items()
    )


def _read_branches(text: str) -> tuple[tuple[str, str], ...]:
    pairs = (part.rpartition("->") for part in _PARTS.findall(text) if "->" in part)
    return tuple((unescape_line(condition), unescape_line(step)) for condition, _, step in pairs)


def _write_branches(value: Sequence[tuple[str, str]], _like: str) -> str:
    return "; ".join(f"{_arrowless(condition)} -> {_arrowless(step)}" for condition, step in value)


def _read_revisions(text: str) -> tuple[Revision, ...]:
    found = (_REVISION.fullmatch(part.strip()) for part in _PARTS.findall(text))
    return tuple(
        Revision(
            unescape_line(one["at"]),
            unescape_line(one["before"]),
            unescape_line(one["after"]),
            float(one["low"]),
            float(one["high"]),
            unescape_line(one["source"] or ""),
        )
        for one in found
        if one is not None
    )


def _write_revisions(value: Sequence[Revision], _like: str) -> str:
    return "; ".join(
        f"{escape_line(one.at, also=';').replace(' ', '&#32;')}: {_arrowless(one.before)} -> {_arrowless(one.after)}"
        f" ({number_text(one.certainty_before)} -> {number_text(one.certainty_after)}"
        + (f", {_arrowless(one.source)})" if one.source else ")")
        for one in value
    )


def _arrowless(text: str) -> str:
    return escape_line(text, also=";").replace("->", "-&#62;")


def _read_json(text: str) -> dict[str, Any]:
    try:
        value = json.loads(unescape_line(text) or "{}")
        if not isinstance(value, dict):
            raise ValueError("no object")
        json.dumps(value, ensure_ascii=False, allow_nan=False).encode()
    except json.JSONDecodeError:
        raise ValueError("expected a JSON object") from None
    except RecursionError:
        raise ValueError("expected a JSON object with less nesting") from None
    except ValueError:  # NaN, half a character, thousands of digits: what could not be written again
        raise ValueError("expected a JSON object of plain text and numbers") from None
    return value


def _float(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("expected a number") from None


def _read_whole(text: str) -> int:
    try:
        value = int(unescape_line(text))
    except ValueError:
        value = -1
    if not _is_whole(value):
        raise ValueError(f"expected a whole number from 0 to {_MOST}")
    return value


def _read_number(text: str) -> float:
    value = _float(unescape_line(text))
    if not isfinite(value):
        raise ValueError("expected a number")
    return value


def _is_whole(value: Any) -> bool:
    return type(value) is int and 0 <= value <= _MOST


def _is_share(value: Any) -> bool:
    return type(value) is float and 0 <= value <= 1


def _are_words(value: Any) -> bool:
    return type(value) is tuple and all(type(one) is str and one.strip() for one in value)


def _are_branches(value: Any) -> bool:
    return type(value) is tuple and all(map(_are_words, value))


def _are_revisions(value: Any) -> bool:
    return all(_is_share(one.certainty_before) and _is_share(one.certainty_after) for one in value)


def _is_json(value: Any) -> bool:
    if type(value) is dict:
        return all(type(name) is str and _is_json(one) for name, one in value.items())
    if type(value) is list:
        return all(map(_is_json, value))
    return value is None or type(value) in (str, int, bool) or (type(value) is float and isfinite(value))


TEXT = Spelling(unescape_line, lambda value, _like: escape_line(value), lambda value: type(value) is str)
SHARE = Spelling(_read_share, _write_share, _is_share)
PROGRESS = Spelling(_read_progress, _write_progress, _is_share)
PERCENTAGE = Spelling(
    _read_percentage,
    lambda value, like: number_text(value) + ("%" if like.rstrip().endswith("%") else ""),
    lambda value: type(value) is float and 0 <= value <= 100,
)
NUMBER = Spelling(
    _read_number, lambda value, _like: number_text(value), lambda value: type(value) is float and isfinite(value)
)
WHOLE = Spelling(_read_whole, lambda value, _like: str(value), _is_whole)
WORDS = Spelling(items_of, lambda value, _like: written_items(value), _are_words)
BULLETS = Spelling(items_of, lambda value, _like: written_items(value), _are_words, block=True)
BRANCHES = Spelling(_read_branches, _write_branches, _are_branches)
REVISIONS = Spelling(_read_revisions, _write_revisions, _are_revisions, block=True)
JSON = Spelling(
    _read_json,
    lambda value, _like: escape_line(json.dumps(value, ensure_ascii=False, separators=(", ", ": "))),
    lambda value: type(value) is dict and _is_json(value),
)
