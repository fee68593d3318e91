"""Ways of damaging a file, from bytes to bytes, and the changes that a person may have intended."""

import json
import random
from collections.abc import Callable, Mapping
from fnmatch import fnmatch
from xml.etree import ElementTree

import yaml

Damage = Callable[[bytes, random.Random], bytes]

_SECTOR = 512
_CONTROL = "".join(chr(code) for code in range(32) if chr(code) not in "\n\r\t\f")
DAILY = "agents/*/memory/[0-9]*.md"
"""Logs of what agents remember, which may be the output of a terminal."""


def torn(content: bytes, luck: random.Random) -> bytes:
    """Return the content without the end of its last line, like an interrupted write."""
    begun = content.rstrip(b"\n").rfind(b"\n") + 1
    return content[: luck.randrange(begun + 1, max(begun + 2, len(content) - 1))]


def half_a_line_more(content: bytes, luck: random.Random) -> bytes:
    """Return the content with the first part of its last line repeated, like an interrupted append."""
    last = content.rstrip(b"\n").rpartition(b"\n")[2]
    return content + last[: luck.randrange(1, max(2, len(last)))]


def truncated(content: bytes, luck: random.Random) -> bytes:
    """Return the first part of the content."""
    return content[: luck.randrange(1, max(2, len(content)))]


def emptied(_content: bytes, _luck: random.Random) -> bytes:
    """Return nothing at all, like a crash between a file's name and its content."""
    return b""


def flipped(content: bytes, luck: random.Random) -> bytes:
    """Return the content with one bit flipped."""
    changed = bytearray(content)
    changed[luck.randrange(len(changed))] ^= 1 << luck.randrange(8)
    return bytes(changed)


def zeroed(content: bytes, luck: random.Random) -> bytes:
    """Return the content with zeros from some point on, like a power cut that lost blocks."""
    begun = luck.randrange(len(content))
    length = min(len(content) - begun, luck.choice([8, _SECTOR, len(content)]))
    return content[:begun] + bytes(length) + content[begun + length :]


def noise(content: bytes, luck: random.Random) -> bytes:
    """Return the content with random bytes in the middle."""
    begun = luck.randrange(len(content))
    return content[:begun] + luck.randbytes(min(_SECTOR, len(content) - begun)) + content[begun + _SECTOR :]


def unmerged(content: bytes, luck: random.Random) -> bytes:
    """Return the content with a line in two versions, like an unresolved git merge."""
    lines = content.split(b"\n")
    at = luck.randrange(len(lines))
    lines[at : at + 1] = [b"<<<<<<< HEAD", lines[at], b"=======", lines[at] + b" too", b">>>>>>> theirs"]
    return b"\n".join(lines)


def mistyped(content: bytes, luck: random.Random) -> bytes:
    """Return the content without one of its structural characters."""
    signs = [at for at, one in enumerate(content) if one in b'{}[]",:<>#*']
    at = luck.choice(signs) if signs else 0
    return content[:at] + content[at + 1 :]


DAMAGES: Mapping[str, Damage] = {
    one.__name__.replace("_", " "): one
    for one in (torn, half_a_line_more, truncated, emptied, flipped, zeroed, noise, unmerged, mistyped)
}


def may_be_meant(name: str, content: bytes) -> bool:
    """Return whether a person may have written this file with an editor, indistinguishable from an edit."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return False
    if not text.strip():
        return name.endswith((".yaml", ".rules", ".csv"))  # settings of which none is set, and no rules
    strange = "\0" if fnmatch(name, DAILY) else _CONTROL
    if any(one in strange for one in text) or "<<<<<<< " in text:
        return False
    return _reads(name.rpartition(".")[2], text)


def _reads(form: str, text: str) -> bool:
    try:
        if form in ("json", "jsonld"):
            json.loads(text)
        elif form == "jsonl":
            _ = [json.loads(line) for line in text.splitlines()]
        elif form == "yaml":
            yaml.safe_load(text)
        elif form == "bpmn":
            ElementTree.fromstring(text)  # noqa: S314 - a file of the campaign's own
    except (ValueError, yaml.YAMLError, ElementTree.ParseError):
        return False
    return True
