"""The parser of programs: a subset of AgentSpeak(L) as in Jason and python-agentspeak.

    price(apple, 3).                                  a belief
    cheap(X) :- price(X, P) & P < 5.                  a rule
    !start.                                           a goal
    +!start : cheap(X) <- .print("buy", X); !buy(X).  a procedure

Not supported: `if`, `while` and `for`, which nested goals can express. Raises `Damaged` with the line of the fault.
"""

from functools import lru_cache
from typing import cast

from bench.agentspeak.syntax import Act, Line, Procedure, Rule, Source
from mabos.mind.procedures.reader import Reader
from mabos.mind.procedures.syntax import Structure, Value


@lru_cache(maxsize=256)
def read(text: str) -> Source:
    """Return the program in `text`.

    >>> read("+!go : ready <- .print(1); !!go.").procedures[0].kind
    '+!'
    """
    return _ProgramReader(text).program()


class _ProgramReader(Reader):
    """Goes over the tokens of a program once."""

    def program(self) -> Source:
        """Return everything up to the end of the text."""
        beliefs, rules, goals, procedures = list[Structure](), list[Rule](), list[Structure](), list[Procedure]()
        while not self.ended():
            label = self._primary_after("@")
            if self.sees("+", "-"):
                procedures.append(self._procedure(label))
            elif self.takes("!"):
                goals.append(self.shape())
                self.expect(".")
            else:
                head = self.shape()
                if self.takes(":-"):
                    rules.append(Rule(head, self.query()))
                else:
                    beliefs.append(head)
                self.expect(".")
        return Source(tuple(beliefs), tuple(rules), tuple(goals), tuple(procedures))

    def formula(self) -> Line:
        """Return the line of a body that comes next."""
        number = self.peek().line
        token = self.took("!", "!!", "?", "+", "-", "-+")
        act = token.text if token else ""
        what = self.query() if act in ("", "?") else self.shape()
        return Line(cast("Act", act), what, number)

    def _procedure(self, label: str) -> Procedure:
        kind, head = self.trigger()
        context = self.query() if self.takes(":") else None
        body = list[Line]()
        if self.takes("<-"):
            body.append(self.formula())
            while self.takes(";"):
                body.append(self.formula())
        self.expect(".")
        is_true = isinstance(context, Value) and context.value is True
        lines = tuple(line for line in body if line.what != Value(True))
        return Procedure(kind, head, None if is_true else context, lines, label)

    def _primary_after(self, sign: str) -> str:
        return self.shape().functor if self.takes(sign) else ""
