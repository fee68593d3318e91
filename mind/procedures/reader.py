"""A parser for triggers and contexts in AgentSpeak(L) syntax.

    +overdue(Customer, Days)[source(S)]     an event
    price(X, P) & P < 5 | not closed(X)     a context

Raises `Damaged` with the line of the fault.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from mabos.configs.errors import Damaged
from mabos.mind.procedures.syntax import Expression, Kind, Name, Series, Structure, Sum, Value

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)|(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r'|(?P<text>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<name>\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|(?P<sign>:-|<-|-\+|!!|\*\*|==|\\==|<=|>=|[-+!?:;.,&|()\[\]<>=*/@])",
    re.DOTALL,
)
_COMPARISONS = ("<=", ">=", "==", "\\==", "<", ">", "=")
_WORD_SIGNS = frozenset({"not", "div", "mod"})
_MOST_DIGITS = 300  # of a whole number
_ESCAPED = {"n": "\n", "t": "\t"}


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    line: int


@lru_cache(maxsize=1024)
def read_trigger(text: str) -> tuple[Kind, Structure]:
    """Parse `text` as a single event, like `+!close(Month)`."""
    reader = Reader(text)
    found = reader.trigger()
    reader.end()
    return found


@lru_cache(maxsize=1024)
def read_query(text: str) -> Expression:
    """Parse `text` as a query in the syntax of a context: `price(X, P) & P < 5`."""
    reader = Reader(text)
    found = reader.query()
    reader.end()
    return found


class Reader:
    """A recursive-descent parser with one token of lookahead."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

    def trigger(self) -> tuple[Kind, Structure]:
        """Parse the next event."""
        sign = self._next("+", "-").text
        if self.takes("!"):
            return cast("Kind", sign + "!"), self.shape()
        if sign == "+" and self.takes("?"):
            return "+?", self.shape()
        return cast("Kind", sign), self.shape()

    def end(self) -> None:
        """Require the end of the text, allowing a full stop."""
        self.takes(".")
        if not self.ended():
            raise self._fault("nothing more")

    def query(self) -> Expression:
        """Parse the next context."""
        left = self._conjunction()
        while (token := self.took("|")) is not None:
            left = Sum("|", left, self._conjunction(), token.line)
        return left

    def _conjunction(self) -> Expression:
        left = self._negation()
        while (token := self.took("&")) is not None:
            left = Sum("&", left, self._negation(), token.line)
        return left

    def _negation(self) -> Expression:
        token = self.took("not")
        if token is not None:
            inner = self._negation()
            return Sum("not", inner, inner, token.line)
        return self._comparison()

    def _comparison(self) -> Expression:
        left = self._sum()
        token = self.took(*_COMPARISONS)
        return left if token is None else Sum(token.text, left, self._sum(), token.line)

    def _sum(self) -> Expression:
        left = self._product()
        while (token := self.took("+", "-")) is not None:
            left = Sum(token.text, left, self._product(), token.line)
        return left

    def _product(self) -> Expression:
        left = self._power()
        while (token := self.took("*", "/", "div", "mod")) is not None:
            left = Sum(token.text, left, self._power(), token.line)
        return left

    def _power(self) -> Expression:
        token = self.took("-")
        if token is not None:
            inner = self._power()
            if isinstance(inner, Value) and not isinstance(inner.value, str):
                return Value(-inner.value)
            return Sum("-", Value(0), inner, token.line)
        base = self._primary()
        token = self.took("**")
        return base if token is None else Sum("**", base, self._power(), token.line)

    def _primary(self) -> Expression:
        token = self.peek()
        if self.takes("("):
            inner = self.query()
            self.expect(")")
            return inner
        if self.takes("["):
            return self._series()
        if token.kind in ("number", "text"):
            self._at += 1
            return Value(_number(token.text) if token.kind == "number" else _unquote_text(token.text))
        if token.kind == "name" and token.text in ("true", "false"):
            self._at += 1
            return Value(token.text == "true")
        if token.kind == "name" and (token.text[0].isupper() or token.text[0] == "_"):
            self._at += 1
            return Name(token.text)
        return self.shape()

    def shape(self) -> Structure:
        """Parse the next structure."""
        token = self.peek()
        if token.kind != "name" or token.text[0].isupper() or token.text[0] == "_" or token.text in _WORD_SIGNS:
            raise self._fault("a lower-case name")
        self._at += 1
        parts = self._read_list(")") if self.takes("(") else ()
        notes = self._read_list("]") if self.takes("[") else ()
        return Structure(token.text, parts, notes, token.line)

    def _series(self) -> Series:
        if self.takes("]"):
            return Series(())
        parts = [self._sum()]
        while self.takes(","):
            parts.append(self._sum())
        rest = self._primary() if self.takes("|") else None
        self.expect("]")
        return Series(tuple(parts), rest)

    def _read_list(self, closing: str) -> tuple[Expression, ...]:
        parts = [self.query()]
        while self.takes(","):
            parts.append(self.query())
        self.expect(closing)
        return tuple(parts)

    def peek(self) -> _Token:
        """Return the next token without consuming it."""
        return self._tokens[self._at]

    def ended(self) -> bool:
        """Return whether no tokens are left."""
        return self.peek().kind == "end"

    def sees(self, *signs: str) -> bool:
        """Return whether the next token is one of these."""
        token = self.peek()
        return token.text in signs and (token.kind == "sign" or token.text in _WORD_SIGNS)

    def took(self, *signs: str) -> _Token | None:
        """Return the next token and consume it if it is one of these."""
        if not self.sees(*signs):
            return None
        self._at += 1
        return self._tokens[self._at - 1]

    def takes(self, *signs: str) -> bool:
        """Consume the next token if it is one of these; return whether it was."""
        return self.took(*signs) is not None

    def _next(self, *signs: str) -> _Token:
        token = self.took(*signs)
        if token is None:
            raise self._fault(" or ".join(map(repr, signs)))
        return token

    def expect(self, sign: str) -> None:
        """Consume an expected token; raises for any other."""
        self._next(sign)

    def _fault(self, wanted: str) -> Damaged:
        token = self.peek()
        found = "the end" if token.kind == "end" else repr(token.text)
        return Damaged(f"line {token.line}: expected {wanted}, found {found}")


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Damaged(f"line {line}: {text[at]!r} is not expected here")
        if found.lastgroup != "space":
            yield _Token(str(found.lastgroup), found[0], line)
        line += found[0].count("\n")
        at = found.end()
    yield _Token("end", "", line)


def _number(text: str) -> float:
    is_whole = text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if is_whole else float(text)


def _unquote_text(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text[1:-1])
