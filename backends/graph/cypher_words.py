"""Cypher cut into words, of those that may stand in a question and nothing else; what is not known is refused.

Comments are gone, text in quotes is taken out of the statement altogether, and outside quotes and back-ticks there is
only ASCII. So nothing that looks like something else, and no escape, can mean more to the server than it does here.
"""

import re
from dataclasses import dataclass
from typing import Literal, NoReturn

from mabos.configs.errors import InvalidArgument

Kind = Literal["name", "quoted", "text", "number", "parameter", "symbol", "end"]

LONGEST = 4000
OURS = "mabos_"
"""How the parameters begin that stand for text in quotes."""

_ESCAPES = {"\\": "\\", "'": "'", '"': '"', "n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_WORD = re.compile(
    r"""
    (?P<blank>[ \t\r\n]+ | //[^\r\n]* | /\*(?:[^*]|\*(?!/))*\*/)
  | (?P<text>'(?:[^'\\]|\\[\\'"ntrbf])*' | "(?:[^"\\]|\\[\\'"ntrbf])*")
  | (?P<quoted>`[^`\\\x00-\x1f]+`(?!`))
  | (?P<parameter>\$[A-Za-z_][A-Za-z0-9_]*)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![A-Za-z0-9_$]))
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*(?!\$))
  | (?P<symbol><=|>=|<>|\.\.|[()\[\]{},:;.|=<>+\-*/%^!&])
    """,
    re.VERBOSE | re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Word:
    """One word; `value` is a text in quotes as it is meant, or a keyword in capitals."""

    kind: Kind
    text: str
    value: str
    at: int
    is_apart: bool = False

    def is_one_of(self, *wanted: str) -> bool:
        """Return whether it is a symbol or a keyword among these."""
        return self.kind in ("name", "symbol", "end") and self.value in wanted


def words_of(cypher: str) -> list[Word]:
    """Return the words of a statement, with an end behind them; raises `InvalidArgument` for anything unknown."""
    if len(cypher) > LONGEST:
        refuse(f"it has {len(cypher):,} characters and may have {LONGEST:,}")
    if re.search(r"\\u", cypher, re.IGNORECASE):
        refuse("escapes like \\u0041 are not taken; write the character, or pass it as a parameter")
    words, at, is_apart = list[Word](), 0, False
    while at < len(cypher):
        found = _WORD.match(cypher, at)
        if found is None:
            refuse(f"{cypher[at : at + 12]!r} is not understood", at)
        kind, text, was = found.lastgroup, found[0], at
        at = found.end()
        if kind == "blank":
            is_apart = True
            continue
        words.append(_word(kind, text, was, is_apart=is_apart))
        is_apart = False
    return [*words, Word("end", "", "the end", at)]


def refuse(why: str, at: int | None = None) -> NoReturn:
    """Raise the `InvalidArgument` that says why a statement is not run."""
    where = "" if at is None else f" at character {at + 1}"
    message = (
        f"this Cypher is not run: {why}{where}; a question is made of MATCH, OPTIONAL MATCH, UNWIND, WITH and RETURN"
    )
    raise InvalidArgument(message, argument="cypher")


def _word(kind: str | None, text: str, at: int, *, is_apart: bool) -> Word:
    if kind == "name":
        return Word("name", text, text.upper(), at, is_apart)
    if kind == "text":
        value = re.sub(r"\\(.)", lambda found: _ESCAPES[found[1]], text[1:-1])
        return Word("text", text, value, at, is_apart)
    if kind == "parameter" and text.lower().startswith(f"${OURS}"):
        refuse(f"parameters that begin with ${OURS} are not yours", at)
    for known in ("quoted", "parameter", "number", "symbol"):
        if kind == known:
            return Word(known, text, text, at, is_apart)
    refuse(f"{text!r} is not understood", at)
