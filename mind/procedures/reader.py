"""Reads procedures from text: a subset of AgentSpeak(L) as Jason and python-agentspeak write it.

    price(apple, 3).                                  a belief
    cheap(X) :- price(X, P) & P < 5.                  a rule
    !start.                                           a goal
    +!start : cheap(X) <- .print("buy", X); !buy(X).  a procedure

Left out: `if`, `while` and `for`, which nested goals say as well. Raises `Damaged` with the line of the fault.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

from mabos.configs.errors import Damaged
from mabos.mind.procedures.syntax import (
    Act,
    Expression,
    Kind,
    Line,
    Name,
    Procedure,
    Rule,
    Series,
    Shape,
    Source,
    Sum,
    Value,
)

_TOKEN = re.compile(
    r"(?P<space>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<number>\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"
    r'|(?P<text>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<name>\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)"
    r"|(?P<sign>:-|<-|-\+|!!|\*\*|==|\\==|<=|>=|[-+!?:;.,&|()\[\]<>=*/@])",
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


@lru_cache(maxsize=256)
def read(text: str) -> Source:
    """Return the program that `text` says.

    >>> read("+!go : ready <- .print(1); !!go.").procedures[0].kind
    '+!'
    """
    return _Reader(text).program()


@lru_cache(maxsize=1024)
def read_trigger(text: str) -> tuple[Kind, Shape]:
    """Return the event that `text` alone says, as `+!close(Month)`."""
    reader = _Reader(text)
    found = reader.trigger()
    reader.end()
    return found


@lru_cache(maxsize=1024)
def read_query(text: str) -> Expression:
    """Return what `text` asks, as a context does: `price(X, P) & P < 5`."""
    reader = _Reader(text)
    found = reader.query()
    reader.end()
    return found


class _Reader:
    """Goes over the tokens of a text once, looking one ahead."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0

    def program(self) -> Source:
        """Return everything up to the end of the text."""
        beliefs, rules, goals, procedures = list[Shape](), list[Rule](), list[Shape](), list[Procedure]()
        while not self._ended():
            label = self._primary_after("@")
            if self._sees("+", "-"):
                procedures.append(self._procedure(label))
            elif self._takes("!"):
                goals.append(self._shape())
                self._expect(".")
            else:
                head = self._shape()
                if self._takes(":-"):
                    rules.append(Rule(head, self.query()))
                else:
                    beliefs.append(head)
                self._expect(".")
        return Source(tuple(beliefs), tuple(rules), tuple(goals), tuple(procedures))

    def trigger(self) -> tuple[Kind, Shape]:
        """Return the event that comes next."""
        sign = self._next("+", "-").text
        if self._takes("!"):
            return cast("Kind", sign + "!"), self._shape()
        if sign == "+" and self._takes("?"):
            return "+?", self._shape()
        return cast("Kind", sign), self._shape()

    def formula(self) -> Line:
        """Return the line of a body that comes next."""
        token = self._peek()
        act = token.text if token.kind == "sign" and token.text in ("!", "!!", "?", "+", "-", "-+") else ""
        if act:
            self._at += 1
        what = self.query() if act in ("", "?") else self._shape()
        return Line(cast("Act", act), what, token.line)

    def end(self) -> None:
        """Make sure that nothing is left, but for a full stop."""
        self._takes(".")
        if not self._ended():
            raise self._fault("nothing more")

    def _procedure(self, label: str) -> Procedure:
        kind, head = self.trigger()
        context = self.query() if self._takes(":") else None
        body = list[Line]()
        if self._takes("<-"):
            body.append(self.formula())
            while self._takes(";"):
                body.append(self.formula())
        self._expect(".")
        is_true = isinstance(context, Value) and context.value is True
        lines = tuple(line for line in body if line.what != Value(True))
        return Procedure(kind, head, None if is_true else context, lines, label)

    def query(self) -> Expression:
        """Return the context that comes next."""
        left = self._conjunction()
        while (token := self._took("|")) is not None:
            left = Sum("|", left, self._conjunction(), token.line)
        return left

    def _conjunction(self) -> Expression:
        left = self._negation()
        while (token := self._took("&")) is not None:
            left = Sum("&", left, self._negation(), token.line)
        return left

    def _negation(self) -> Expression:
        token = self._took("not")
        if token is not None:
            inner = self._negation()
            return Sum("not", inner, inner, token.line)
        return self._comparison()

    def _comparison(self) -> Expression:
        left = self._sum()
        token = self._took(*_COMPARISONS)
        return left if token is None else Sum(token.text, left, self._sum(), token.line)

    def _sum(self) -> Expression:
        left = self._product()
        while (token := self._took("+", "-")) is not None:
            left = Sum(token.text, left, self._product(), token.line)
        return left

    def _product(self) -> Expression:
        left = self._power()
        while (token := self._took("*", "/", "div", "mod")) is not None:
            left = Sum(token.text, left, self._power(), token.line)
        return left

    def _power(self) -> Expression:
        token = self._took("-")
        if token is not None:
            inner = self._power()
            if isinstance(inner, Value) and not isinstance(inner.value, str):
                return Value(-inner.value)
            return Sum("-", Value(0), inner, token.line)
        base = self._primary()
        token = self._took("**")
        return base if token is None else Sum("**", base, self._power(), token.line)

    def _primary(self) -> Expression:
        token = self._peek()
        if self._takes("("):
            inner = self.query()
            self._expect(")")
            return inner
        if self._takes("["):
            return self._series()
        if token.kind in ("number", "text"):
            self._at += 1
            return Value(_number(token.text) if token.kind == "number" else _unquoted(token.text))
        if token.kind == "name" and token.text in ("true", "false"):
            self._at += 1
            return Value(token.text == "true")
        if token.kind == "name" and (token.text[0].isupper() or token.text[0] == "_"):
            self._at += 1
            return Name(token.text)
        return self._shape()

    def _shape(self) -> Shape:
        token = self._peek()
        if token.kind != "name" or token.text[0].isupper() or token.text[0] == "_" or token.text in _WORD_SIGNS:
            raise self._fault("a name in small letters")
        self._at += 1
        parts = self._listed(")") if self._takes("(") else ()
        notes = self._listed("]") if self._takes("[") else ()
        return Shape(token.text, parts, notes, token.line)

    def _series(self) -> Series:
        if self._takes("]"):
            return Series(())
        parts = [self._sum()]
        while self._takes(","):
            parts.append(self._sum())
        rest = self._primary() if self._takes("|") else None
        self._expect("]")
        return Series(tuple(parts), rest)

    def _listed(self, closing: str) -> tuple[Expression, ...]:
        parts = [self.query()]
        while self._takes(","):
            parts.append(self.query())
        self._expect(closing)
        return tuple(parts)

    def _primary_after(self, sign: str) -> str:
        return self._shape().functor if self._takes(sign) else ""

    def _peek(self) -> _Token:
        return self._tokens[self._at]

    def _ended(self) -> bool:
        return self._peek().kind == "end"

    def _sees(self, *signs: str) -> bool:
        token = self._peek()
        return token.text in signs and (token.kind == "sign" or token.text in _WORD_SIGNS)

    def _took(self, *signs: str) -> _Token | None:
        if not self._sees(*signs):
            return None
        self._at += 1
        return self._tokens[self._at - 1]

    def _takes(self, *signs: str) -> bool:
        return self._took(*signs) is not None

    def _next(self, *signs: str) -> _Token:
        token = self._took(*signs)
        if token is None:
            raise self._fault(" or ".join(map(repr, signs)))
        return token

    def _expect(self, sign: str) -> None:
        self._next(sign)

    def _fault(self, wanted: str) -> Damaged:
        token = self._peek()
        found = "the end" if token.kind == "end" else repr(token.text)
        return Damaged(f"line {token.line}: expected {wanted}, found {found}")


def _tokens(text: str) -> Iterator[_Token]:
    at, line = 0, 1
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            raise Damaged(f"line {line}: {text[at]!r} says nothing here")
        if found.lastgroup != "space":
            yield _Token(str(found.lastgroup), found[0], line)
        line += found[0].count("\n")
        at = found.end()
    yield _Token("end", "", line)


def _number(text: str) -> float:
    is_whole = text.isdecimal() and len(text) <= _MOST_DIGITS
    return int(text) if is_whole else float(text)


def _unquoted(text: str) -> str:
    return re.sub(r"\\(.)", lambda found: _ESCAPED.get(found[1], found[1]), text[1:-1])
