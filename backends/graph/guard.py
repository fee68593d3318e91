"""Cypher from agents: only a provable question about their own graph is rewritten and run; all else is refused.

The statement is read by a grammar of allowed syntax, so that an unforeseen clause, function or notation is refused, not
overlooked. The server receives a new statement, written from the parsed one. Every node in a pattern is limited to the
label of visible nodes, including those on a path of many hops. A node that no pattern names cannot be reached. So a
question sees nothing of other businesses in the same database, and nothing hidden from its asker.

    check_statement("MATCH (g:goal)-[:supports*1..3]->(v) RETURN v.name", "`mabos:acme`").text
    # MATCH (g:(goal)&`mabos:acme`) ((:`mabos:acme`)-[:supports]->(:`mabos:acme`)){1,3} (v:`mabos:acme`) RETURN v.name
"""

from collections.abc import Mapping
from dataclasses import dataclass

from mabos.backends.graph.cypher_expressions import ExpressionReader
from mabos.backends.graph.cypher_words import StatementText, refuse


@dataclass(frozen=True, slots=True)
class Checked:
    """A statement that may run, and the parameters that replace its texts."""

    text: str
    parameters: Mapping[str, str]


def check_statement(cypher: str, shown: str) -> Checked:
    """Return a statement that only reads, and only nodes with the label or label expression `shown`.

    Raises `InvalidArgument` that says where and why that is not certain.
    """
    text = StatementText(cypher)
    _QuestionReader(text, shown).query()
    return Checked(text.written(), text.texts)


class _QuestionReader:
    """Reads the clauses of a question."""

    def __init__(self, text: StatementText, shown: str) -> None:
        self._text = text
        self._expressions = ExpressionReader(text, shown, self.subquery)
        self._paths = self._expressions.patterns

    def query(self) -> None:
        """Read a whole statement."""
        self.part()
        while self._text.taken("UNION"):
            self._text.taken("ALL")
            self.part()
        if self._text.word.is_one_of(";"):
            self._text.skip()
        if not self._text.word.is_one_of("the end"):
            self._text.refuse(f"{self._text.word.text!r} is not expected")

    def part(self, *, must_return: bool = True) -> None:
        """Read clauses up to RETURN; in a subquery without, up to its end."""
        while True:
            if self._text.taken("RETURN"):
                self._items()
                return
            if self._text.taken("WITH"):
                self._items()
                self._where()
            elif self._text.taken("UNWIND"):
                self._expressions.expression()
                self._text.take("AS")
                self._text.variable()
            elif self._text.word.is_one_of("MATCH", "OPTIONAL"):
                is_optional = self._text.taken("OPTIONAL")
                self._text.take("MATCH")
                self.patterns(is_optional=is_optional)
                self._where()
            elif not must_return and self._text.word.is_one_of("}"):
                return
            else:
                refuse(f"{self._text.word.said!r} is not a supported clause", self._text.word.at)

    def subquery(self) -> None:
        """Read the braces of EXISTS, COUNT and COLLECT."""
        if self._text.word.is_one_of("(") or self._text.word.kind == "quoted" or self._text.is_variable():
            self._text.write(" MATCH ")
            self.patterns(is_optional=False)
            self._where()
        else:
            self.part(must_return=False)

    def patterns(self, *, is_optional: bool) -> None:
        """Read patterns; one that looks for the shortest path becomes a MATCH of its own."""
        is_first, was_shortest = True, False
        while True:
            is_shortest = self._paths.is_shortest()
            if not is_first and (is_shortest or was_shortest):
                if is_optional:
                    self._text.refuse("shortestPath must be alone in its OPTIONAL MATCH")
                self._text.write(" MATCH ")
            elif not is_first:
                self._text.write(", ")
            self._paths.named_path()
            is_first, was_shortest = False, is_shortest
            if not self._text.word.is_one_of(","):
                return
            self._text.skip()

    def _where(self) -> None:
        if self._text.taken("WHERE"):
            self._expressions.expression()

    def _items(self) -> None:
        self._text.taken("DISTINCT")
        if not self._text.taken("*"):
            self._item()
        while self._text.taken(","):
            self._item()
        if self._text.taken("ORDER"):
            self._text.take("BY")
            self._order()
            while self._text.taken(","):
                self._order()
        for word in ("SKIP", "LIMIT"):
            if self._text.taken(word):
                self._expressions.expression()

    def _item(self) -> None:
        self._expressions.expression()
        if self._text.taken("AS"):
            self._text.variable()

    def _order(self) -> None:
        self._expressions.expression()
        self._text.taken("ASC", "ASCENDING", "DESC", "DESCENDING")
