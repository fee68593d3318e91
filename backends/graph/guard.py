"""Cypher from agents: what is provably a question about their own graph is rewritten and run, everything else refused.

The statement is read by a grammar of what is allowed, so that a clause, a function or a notation that nobody thought of
is refused and not overlooked. What is sent is written anew from what was read: every node in a pattern is held to the
label of those who may be seen, those on the way of a path of many hops too. A node that no pattern names cannot be
reached, so a question sees nothing of another business in the same database, and nothing that its asker may not see.

    checked("MATCH (g:goal)-[:supports*1..3]->(v) RETURN v.name", "`mabos:acme`").text
    # MATCH (g:(goal)&`mabos:acme`) ((:`mabos:acme`)-[:supports]->(:`mabos:acme`)){1,3} (v:`mabos:acme`) RETURN v.name
"""

from collections.abc import Mapping
from dataclasses import dataclass

from mabos.backends.graph.cypher_expressions import Expressions
from mabos.backends.graph.cypher_words import refuse


@dataclass(frozen=True, slots=True)
class Checked:
    """A statement that may be run, and the parameters that stand for its texts."""

    text: str
    parameters: Mapping[str, str]


def checked(cypher: str, shown: str) -> Checked:
    """Return a statement that only reads, and only nodes with the label or label expression `shown`.

    Raises `InvalidArgument` that says where and why it is not understood to be one.
    """
    reading = _Questions(cypher, shown)
    reading.query()
    return Checked(reading.written(), reading.texts)


class _Questions(Expressions):
    """The clauses of a question."""

    def query(self) -> None:
        """Read a whole statement."""
        self.part()
        while self.taken("UNION"):
            self.taken("ALL")
            self.part()
        if self.word.is_one_of(";"):
            self.skip()
        if not self.word.is_one_of("the end"):
            refuse(f"{self.word.text!r} is not expected", self.word.at)

    def part(self, *, must_return: bool = True) -> None:
        """Read clauses up to RETURN; in a subquery without, up to its end."""
        while True:
            if self.taken("RETURN"):
                self._items()
                return
            if self.taken("WITH"):
                self._items()
                self._where()
            elif self.taken("UNWIND"):
                self.expression()
                self.take("AS")
                self.variable()
            elif self.word.is_one_of("MATCH", "OPTIONAL"):
                is_optional = self.taken("OPTIONAL")
                self.take("MATCH")
                self.patterns(is_optional=is_optional)
                self._where()
            elif not must_return and self.word.is_one_of("}"):
                return
            else:
                refuse(f"{self.word.text or self.word.value!r} is not among its clauses", self.word.at)

    def subquery(self) -> None:
        """Read what stands in the braces of EXISTS, COUNT and COLLECT."""
        if self.word.is_one_of("(") or self.word.kind == "quoted" or self.is_variable():
            self.write(" MATCH ")
            self.patterns(is_optional=False)
            self._where()
        else:
            self.part(must_return=False)

    def patterns(self, *, is_optional: bool) -> None:
        """Read patterns; one that looks for the shortest path becomes a MATCH of its own."""
        is_first, was_shortest = True, False
        while True:
            is_shortest = self.is_shortest()
            if not is_first and (is_shortest or was_shortest):
                if is_optional:
                    refuse("shortestPath stands alone in its OPTIONAL MATCH", self.word.at)
                self.write(" MATCH ")
            elif not is_first:
                self.write(", ")
            self.named_path()
            is_first, was_shortest = False, is_shortest
            if not self.word.is_one_of(","):
                return
            self.skip()

    def _where(self) -> None:
        if self.taken("WHERE"):
            self.expression()

    def _items(self) -> None:
        self.taken("DISTINCT")
        if not self.taken("*"):
            self._item()
        while self.taken(","):
            self._item()
        if self.taken("ORDER"):
            self.take("BY")
            self._order()
            while self.taken(","):
                self._order()
        for word in ("SKIP", "LIMIT"):
            if self.taken(word):
                self.expression()

    def _item(self) -> None:
        self.expression()
        if self.taken("AS"):
            self.variable()

    def _order(self) -> None:
        self.expression()
        self.taken("ASC", "ASCENDING", "DESC", "DESCENDING")
