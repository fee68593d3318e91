"""Patterns in Cypher questions: parsed, counted, and rewritten so that every node is limited to visible ones."""

from typing import Protocol

from mabos.backends.graph.cypher import pascal, relation
from mabos.backends.graph.cypher_words import StatementText, refuse
from mabos.backends.graph.model import DEEPEST

MOST_NESTED = 30
"""Brackets in brackets, of expressions and of labels."""


class WithinPatterns(Protocol):
    """A reader of the inner parts of a pattern."""

    def expression(self) -> None:
        """Read an expression."""

    def properties(self) -> None:
        """Read a map."""


def is_hop(text: StatementText, by: int = 0) -> bool:
    """Return whether a hop starts here; no expression starts like one."""
    by += text.ahead(by).is_one_of("<")
    return text.ahead(by).is_one_of("-") and text.ahead(by + 1).is_one_of("-", "[")


class PatternReader:
    """A reader of a statement's patterns; `shown` is the label expression of all visible nodes."""

    def __init__(self, text: StatementText, shown: str, within: WithinPatterns) -> None:
        self._text = text
        self._shown = shown
        self._within = within

    def is_shortest(self) -> bool:
        """Return whether a shortest-path pattern starts here."""
        by = 2 if self._text.ahead(1).is_one_of("=") else 0
        return self._text.ahead(by).is_one_of("SHORTESTPATH")

    def named_path(self) -> None:
        """Read a path, which may have a name."""
        if self._text.is_variable() and self._text.ahead(1).is_one_of("="):
            self._text.variable()
            self._text.take("=")
        if self._text.word.is_one_of("SHORTESTPATH"):
            self._text.skip()
            if not self._text.skip().is_one_of("("):
                self._text.refuse("a pattern in brackets is expected")
            self._text.write(" SHORTEST 1 ")
            self.path()
            if not self._text.skip().is_one_of(")"):
                self._text.refuse("the bracket of shortestPath is not closed")
        else:
            self.path()

    def path(self, *, may_repeat: bool = True) -> int:
        """Read nodes and the hops between them; return the maximum number of hops."""
        hops = 0
        self.node()
        while is_hop(self._text):
            hops += self.hop(may_repeat=may_repeat)
            if hops > DEEPEST:
                self._text.refuse(f"a path may have at most {DEEPEST} hops")
            self.node()
        return hops

    def node(self) -> None:
        """Read a node, and write it limited to visible ones."""
        self._text.take("(")
        if self._text.is_variable():
            self._text.variable()
        if self._text.word.is_one_of(":"):
            self._text.skip()
            self._text.write(":(")
            self.labels()
            self._text.write(f")&{self._shown}")
        else:
            self._text.write(f":{self._shown}")
        if self._text.word.is_one_of("{"):
            self._text.write(" ")
            self._within.properties()
        if self._text.taken("WHERE"):
            self._within.expression()
        self._text.take(")")

    def labels(self, depth: int = 0) -> None:
        """Read a label expression with limited nesting; `:A:B` is written `A&B`."""
        self._label(depth)
        while self._text.word.is_one_of("|", "&", ":"):
            joined = self._text.skip()
            if joined.is_one_of("|") and self._text.word.is_one_of(":"):
                self._text.skip()
            self._text.write("|" if joined.is_one_of("|") else "&")
            self._label(depth)

    def _label(self, depth: int) -> None:
        if depth > MOST_NESTED:
            self._text.refuse("it is nested too deeply")
        if self._text.taken("!"):
            self._label(depth + 1)
        elif self._text.taken("("):
            self.labels(depth + 1)
            self._text.take(")")
        else:
            self._text.name(pascal)

    def hop(self, *, may_repeat: bool) -> int:
        """Read a hop; one of variable length becomes a repeated pattern whose inner nodes are limited too."""
        mark = self._text.mark()
        least = most = 1
        is_repeated = False
        self._text.taken("<")
        self._text.take("-")
        if self._text.taken("["):
            if self._text.is_variable():
                self._text.variable()
            self._types()
            if self._text.word.is_one_of("*"):
                if not may_repeat:
                    self._text.refuse("a path of variable length is allowed only in MATCH or EXISTS { MATCH ... }")
                is_repeated = True
                least, most = self._lengths()
            if self._text.word.is_one_of("{"):
                self._text.write(" ")
                self._within.properties()
            if self._text.taken("WHERE"):
                self._within.expression()
            self._text.take("]")
        self._text.take("-")
        self._text.taken(">")
        if is_repeated:
            node = f"(:{self._shown})"
            self._text.wrap(mark, f" ({node}", f"{node}){{{least},{most}}} ")
        return most

    def _types(self) -> None:
        if self._text.taken(":"):
            self._text.name(relation)
            while self._text.taken("|"):
                if self._text.word.is_one_of(":"):
                    self._text.skip()
                self._text.name(relation)

    def _lengths(self) -> tuple[int, int]:
        star = self._text.skip()
        least = most = self._length()
        if self._text.word.is_one_of(".."):
            self._text.skip()
            most = self._length()
        if most is None or most > DEEPEST or (least or 0) > most:
            refuse(f"a path may have at most {DEEPEST} hops, as in *1..{DEEPEST}", star.at)
        return 1 if least is None else least, most

    def _length(self) -> int | None:
        if self._text.word.kind != "number":
            return None
        word = self._text.skip()
        if not word.text.isdigit():
            refuse("a path length must be a whole number", word.at)
        return int(word.text)
