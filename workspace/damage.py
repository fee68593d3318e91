"""Signs of damage that no editor leaves in a text file: from a crash, a bad disk, or two unmerged versions."""

import re

from mabos.configs.errors import Damaged

_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
_CONFLICT = "<<<<<<< "
RESTORE = "restore the file, or delete it to have its last version back"


def sign_of_damage(text: str, ours: str = "", *, remedy: str = RESTORE) -> tuple[int, str] | None:
    """Return the first line with a sign of damage, counted from 1, and a description, or None.

    A sign that also occurs in `ours`, a text known to be sound, does not count. `remedy` says how to repair broken
    bytes.
    """
    known = set(_CONTROL.findall(ours))
    for number, line in enumerate(text.split("\n"), 1):
        found = next((one for one in _CONTROL.findall(line) if one not in known), "")
        if found == "\0":
            return number, f"zero bytes, as a crash leaves them; {remedy}"
        if found:
            return number, f"the character {ord(found):#04x}, which no text has; {remedy}"
        if line.startswith(_CONFLICT) and _CONFLICT not in ours:
            return number, "two versions, as git leaves them; keep one"
    return None


def readable(content: bytes, where: str, *, remedy: str, ours: str = "") -> str:
    """Return a file's text; raises `Damaged` with its location `where` and the line that shows damage.

    `ours` and `remedy` are those of `sign_of_damage`.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise Damaged(f"{where}:{line}: this is not UTF-8; save the file as UTF-8, or restore it") from None
    if (found := sign_of_damage(text, ours, remedy=remedy)) is not None:
        line, said = found
        raise Damaged(f"{where}:{line}: {said}")
    return text
