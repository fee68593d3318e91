"""A tokenizer for Cypher that accepts only words allowed in a question and refuses all others.

Comments are removed, quoted text is moved into parameters, and everything outside quotes and backticks is ASCII. So no
look-alike and no escape can mean more to the server than it does here.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, NoReturn

from mabos.configs.errors import InvalidArgument

Kind = Literal["name", "quoted", "text", "number", "parameter", "symbol", "end"]

LONGEST = 4000
OURS = "mabos_"
"""The prefix of parameters that replace quoted text."""

_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,63}")
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


RESERVED = frozenset(
    """
    ALL ALLSHORTESTPATHS AND ANY AS ASC ASCENDING BY CALL CASE CONTAINS CREATE CSV DELETE DESC DESCENDING DETACH
    DISTINCT DROP ELSE END ENDS EXISTS EXPLAIN FALSE FILTER FINISH FOR FOREACH GRANT HEADERS IN INSERT IS LET LIMIT LOAD
    MATCH MERGE NODETACH NONE NOT NULL OFFSET OPTIONAL OR ORDER PERIODIC PROFILE REDUCE REMOVE REPEATABLE RETURN SET
    SHORTEST SHORTESTPATH SHOW SINGLE SKIP STARTS TERMINATE THEN TRUE UNION UNIQUE UNWIND USE USING WHEN WHERE WITH XOR
    YIELD
    """.split()  # noqa: SIM905  # a list of ninety strings would hide what it lists
)
"""Words that name no variable here, so that a clause can never be taken for one."""


@dataclass(frozen=True, slots=True)
class CypherWord:
    """A token; `value` is a quoted text with its escapes resolved, or a keyword in upper case."""

    kind: Kind
    text: str
    value: str
    at: int
    is_apart: bool = False

    @property
    def said(self) -> str:
        """The token as shown in an error."""
        return self.text or self.value

    def is_one_of(self, *wanted: str) -> bool:
        """Return whether it is one of these symbols or keywords."""
        return self.kind in ("name", "symbol", "end") and self.value in wanted


class StatementText:
    """A statement that is rewritten while it is read from left to right; `texts` are its quoted texts."""

    def __init__(self, cypher: str) -> None:
        self.texts: dict[str, str] = {}
        self._words = words_of(cypher)
        self._at = 0
        self._written: list[str] = []

    def written(self) -> str:
        """Return the rewritten statement."""
        return "".join(self._written).strip()

    @property
    def word(self) -> CypherWord:
        """The next token."""
        return self._words[self._at]

    def ahead(self, by: int) -> CypherWord:
        """Return a token further ahead."""
        return self._words[min(self._at + by, len(self._words) - 1)]

    def skip(self) -> CypherWord:
        """Skip a token without writing it."""
        word = self.word
        self._at = min(self._at + 1, len(self._words) - 1)
        return word

    def write(self, text: str) -> None:
        """Write text of our own."""
        self._written.append(text)

    def copy(self) -> CypherWord:
        """Copy a token to the output; quoted text becomes a parameter."""
        word = self.skip()
        text = word.text
        if word.kind == "text":
            name = f"{OURS}{len(self.texts)}"
            self.texts[name] = word.value
            text = f"${name}"
        before = self._written[-1][-1:] if self._written else " "
        is_joined = (before.isalnum() or before == "_") and text[:1] in "$`"  # `IN'x'` is two words still
        self._written.append(f" {text}" if word.is_apart or is_joined else text)
        return word

    def take(self, *wanted: str) -> CypherWord:
        """Read and write a required keyword or symbol."""
        if not self.word.is_one_of(*wanted):
            self.refuse(f"{' or '.join(wanted)} is expected, not {self.word.said!r}")
        return self.copy()

    def taken(self, *wanted: str) -> bool:
        """Read and write a keyword or symbol if it is next."""
        if self.word.is_one_of(*wanted):
            self.copy()
            return True
        return False

    def is_variable(self) -> bool:
        """Return whether the next word is a variable."""
        return self.word.kind == "quoted" or (self.word.kind == "name" and self.word.value not in RESERVED)

    def variable(self) -> None:
        """Read a variable."""
        if not self.is_variable():
            self.refuse(f"a name is expected, not {self.word.said!r}")
        self.copy()

    def name(self, spelt: Callable[[str], str] | None = None) -> None:
        """Read the name of a label, type or property, which may be any word; a plain one is written as `spelt`."""
        if self.word.kind not in ("name", "quoted"):
            self.refuse(f"a name is expected, not {self.word.said!r}")
        if spelt is None or not _PLAIN.fullmatch(self.word.text):
            self.copy()
        else:
            word = self.skip()
            self.write(f"{' ' * word.is_apart}{spelt(word.text)}")

    def refuse(self, why: str) -> NoReturn:
        """Raise the `InvalidArgument` that says why the statement is refused, at the next token."""
        refuse(why, self.word.at)

    def mark(self) -> int:
        """Return a mark of the current output position."""
        return len(self._written)

    def wrap(self, mark: int, before: str, after: str) -> None:
        """Wrap the output since a mark in text of our own."""
        self._written[mark:] = [f"{before}{''.join(self._written[mark:])}{after}"]


def words_of(cypher: str) -> list[CypherWord]:
    """Return the tokens of a statement and an end token; raises `InvalidArgument` for an unknown one."""
    if len(cypher) > LONGEST:
        refuse(f"it has {len(cypher):,} characters and may have {LONGEST:,}")
    if re.search(r"\\u", cypher, re.IGNORECASE):
        refuse("escapes like \\u0041 are not supported; write the character, or pass it as a parameter")
    words, at, is_apart = list[CypherWord](), 0, False
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
    return [*words, CypherWord("end", "", "the end", at)]


def refuse(why: str, at: int | None = None) -> NoReturn:
    """Raise the `InvalidArgument` that says why a statement is refused."""
    where = "" if at is None else f" at character {at + 1}"
    message = (
        f"this Cypher is not run: {why}{where}; a question is made of MATCH, OPTIONAL MATCH, UNWIND, WITH and RETURN"
    )
    raise InvalidArgument(message, argument="cypher")


def _word(kind: str | None, text: str, at: int, *, is_apart: bool) -> CypherWord:
    if kind == "name":
        return CypherWord("name", text, text.upper(), at, is_apart)
    if kind == "text":
        value = re.sub(r"\\(.)", lambda found: _ESCAPES[found[1]], text[1:-1])
        return CypherWord("text", text, value, at, is_apart)
    if kind == "parameter" and text.lower().startswith(f"${OURS}"):
        refuse(f"parameters that begin with ${OURS} are not yours", at)
    for known in ("quoted", "parameter", "number", "symbol"):
        if kind == known:
            return CypherWord(known, text, text, at, is_apart)
    refuse(f"{text!r} is not understood", at)
