"""Expressions in Cypher questions: operators, lists, maps, cases, and side-effect-free functions."""

from collections.abc import Callable

from mabos.backends.graph.cypher_patterns import MOST_NESTED, PatternReader, is_hop
from mabos.backends.graph.cypher_words import StatementText, refuse

FUNCTIONS = frozenset(
    """
    abs avg ceil coalesce collect count date datetime duration duration.between duration.indays duration.inmonths
    elementid endnode exp floor head id isempty keys labels last left length localdatetime localtime log log10 max min
    nodes nullif percentilecont percentiledisc properties relationships reverse right round sign size split sqrt
    startnode stdev stdevp substring sum tail time timestamp toboolean tofloat tointeger tolower tostring toupper trim
    type
    """.split()  # noqa: SIM905  # a list of sixty strings would hide what it lists
)
"""The allowed functions; none of them makes something large out of something small."""

_QUANTIFIERS = ("ALL", "ANY", "NONE", "SINGLE")
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "-", "*", "/", "%", "^", "AND", "OR", "XOR", "IN", "CONTAINS")
_ADDITIONS = 8  # each may double a text or a list
_LONGEST_RANGE = 1000
_LOOPS = 2  # in each other


class ExpressionReader:
    """A reader of expressions in and around patterns; `subquery` reads the braces of EXISTS and COUNT."""

    def __init__(self, text: StatementText, shown: str, subquery: Callable[[], None]) -> None:
        self.patterns = PatternReader(text, shown, self)
        self._text = text
        self._read_subquery = subquery
        self._depth = self._loops = self._additions = 0

    def expression(self) -> None:
        """Read operands and the operators between them; precedence is left to the server."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            self._text.refuse("it is nested too deeply")
        self._operand()
        while self._operator():
            self._operand()
        self._depth -= 1

    def _operator(self) -> bool:
        if self._text.word.is_one_of("+"):
            self._additions += 1
            if self._additions > _ADDITIONS:
                self._text.refuse(f"it may add {_ADDITIONS} times")
            return self._text.taken("+")
        if self._text.taken("STARTS", "ENDS"):
            self._text.take("WITH")
            return True
        while self._text.taken("IS"):
            self._text.taken("NOT")
            self._text.take("NULL")
        return self._text.taken(*_COMPARISONS) or (self._text.word.is_one_of("+") and self._operator())

    def _operand(self) -> None:
        while self._text.taken("NOT", "-", "+"):
            pass
        self._atom()
        while True:
            if self._text.taken("."):
                self._text.name()
            elif self._text.taken("["):
                self._index()
            else:
                return

    def _index(self) -> None:
        if not self._text.word.is_one_of(".."):
            self.expression()
        if self._text.taken("..") and not self._text.word.is_one_of("]"):
            self.expression()
        self._text.take("]")

    def _atom(self) -> None:
        word = self._text.word
        if word.kind in ("number", "text", "parameter") or word.is_one_of("TRUE", "FALSE", "NULL"):
            self._text.copy()
        elif word.is_one_of("("):
            self._bracket()
        elif word.is_one_of("["):
            self._list()
        elif word.is_one_of("{"):
            self.properties()
        elif word.is_one_of("CASE"):
            self._case()
        elif word.is_one_of("EXISTS", "COUNT", "COLLECT") and self._text.ahead(1).is_one_of("{"):
            self._subquery()
        elif word.is_one_of(*_QUANTIFIERS) and self._text.ahead(1).is_one_of("("):
            self._read_quantifier()
        elif self._is_call():
            self._call()
        else:
            self._variable()

    def _variable(self) -> None:
        self._text.variable()
        if self._text.taken(":"):
            self.patterns.labels()
        elif self._text.word.is_one_of("{"):
            self._projection()

    def _bracket(self) -> None:
        if self._is_pattern(0):
            self.patterns.path(may_repeat=False)
            return
        self._text.take("(")
        self.expression()
        self._text.take(")")

    def _is_pattern(self, by: int) -> bool:
        """Return whether the bracket here is the first node of a pattern: a hop follows where it is closed."""
        depth = 0
        while True:
            word = self._text.ahead(by)
            depth += word.is_one_of("(") - word.is_one_of(")")
            by += 1
            if depth == 0 or word.kind == "end":
                return is_hop(self._text, by)

    def _list(self) -> None:
        self._text.take("[")
        named = 2 if self._text.is_variable() and self._text.ahead(1).is_one_of("=") else 0
        if self._text.is_variable() and self._text.ahead(1).is_one_of("IN"):
            self._comprehension()
        elif self._text.ahead(named).is_one_of("(") and self._is_pattern(named):
            self._pattern_comprehension()
        elif not self._text.word.is_one_of("]"):
            self._read_list()
        self._text.take("]")

    def _read_list(self) -> None:
        self.expression()
        while self._text.taken(","):
            self.expression()

    def _comprehension(self) -> None:
        self._loop(1)
        self._text.variable()
        self._text.take("IN")
        self.expression()
        if self._text.taken("WHERE"):
            self.expression()
        if self._text.taken("|"):
            self.expression()
        self._loop(-1)

    def _pattern_comprehension(self) -> None:
        self._loop(1)
        if self._text.is_variable():
            self._text.variable()
            self._text.take("=")
        self.patterns.path(may_repeat=False)
        if self._text.taken("WHERE"):
            self.expression()
        self._text.take("|")
        self.expression()
        self._loop(-1)

    def _read_quantifier(self) -> None:
        self._loop(1)
        self._text.copy()
        self._text.take("(")
        self._text.variable()
        self._text.take("IN")
        self.expression()
        if self._text.taken("WHERE"):
            self.expression()
        self._text.take(")")
        self._loop(-1)

    def _loop(self, by: int) -> None:
        self._loops += by
        if self._loops > _LOOPS:
            self._text.refuse("loops may be nested two deep")

    def _case(self) -> None:
        self._text.take("CASE")
        if not self._text.word.is_one_of("WHEN"):
            self.expression()
        self._text.take("WHEN")
        while True:
            self.expression()
            self._text.take("THEN")
            self.expression()
            if not self._text.taken("WHEN"):
                break
        if self._text.taken("ELSE"):
            self.expression()
        self._text.take("END")

    def _subquery(self) -> None:
        self._loop(1)
        self._text.copy()
        self._text.take("{")
        self._read_subquery()
        self._text.take("}")
        self._loop(-1)

    def properties(self) -> None:
        """Read a map."""
        self._text.take("{")
        if not self._text.word.is_one_of("}"):
            self._pair()
            while self._text.taken(","):
                self._pair()
        self._text.take("}")

    def _pair(self) -> None:
        self._text.name()
        self._text.take(":")
        self.expression()

    def _projection(self) -> None:
        self._text.take("{")
        while True:
            if self._text.taken("."):
                if not self._text.taken("*"):
                    self._text.name()
            elif self._text.ahead(1).is_one_of(":"):
                self._pair()
            else:
                self._text.variable()
            if not self._text.taken(","):
                break
        self._text.take("}")

    def _is_call(self) -> bool:
        by = 1
        while (
            self._text.word.kind == "name"
            and self._text.ahead(by).is_one_of(".")
            and self._text.ahead(by + 1).kind == "name"
        ):
            by += 2
        return self._text.word.kind == "name" and self._text.ahead(by).is_one_of("(")

    def _call(self) -> None:
        at, called = self._text.word.at, self._text.copy().value
        while self._text.taken("."):
            called += f".{self._text.copy().value}"
        name = called.lower()
        self._text.take("(")
        if name == "range":
            self._range()
        elif name not in FUNCTIONS:
            refuse(f"the function {name} may not be called", at)
        elif not (name == "count" and self._text.taken("*")):
            self._text.taken("DISTINCT")
            if not self._text.word.is_one_of(")"):
                self._read_list()
        self._text.take(")")

    def _range(self) -> None:
        at, bounds = self._text.word.at, list[int]()
        while True:
            sign = -1 if self._text.taken("-") else 1
            if not self._text.word.text.isdigit():
                self._text.refuse("range needs literal whole numbers")
            bounds.append(sign * int(self._text.copy().text))
            if not self._text.taken(","):
                break
        if len(bounds) < 2 or abs(bounds[1] - bounds[0]) > _LONGEST_RANGE:
            refuse(f"a range may have at most {_LONGEST_RANGE} numbers", at)
