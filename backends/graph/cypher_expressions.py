"""Expressions in questions: operators, lists, maps, cases, and the functions that do nothing but reckon."""

from abc import abstractmethod

from mabos.backends.graph.cypher_patterns import MOST_NESTED, Patterns
from mabos.backends.graph.cypher_words import refuse

FUNCTIONS = frozenset(
    """
    abs avg ceil coalesce collect count date datetime duration duration.between duration.indays duration.inmonths
    elementid endnode exp floor head id isempty keys labels last left length localdatetime localtime log log10 max min
    nodes nullif percentilecont percentiledisc properties relationships reverse right round sign size split sqrt
    startnode stdev stdevp substring sum tail time timestamp toboolean tofloat tointeger tolower tostring toupper trim
    type
    """.split()  # noqa: SIM905  # a list of sixty strings would hide what it lists
)
"""What may be called; none of them makes something large out of something small."""

_QUANTIFIERS = ("ALL", "ANY", "NONE", "SINGLE")
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=", "-", "*", "/", "%", "^", "AND", "OR", "XOR", "IN", "CONTAINS")
_ADDITIONS = 8  # each may double a text or a list
_LONGEST_RANGE = 1000
_LOOPS = 2  # in each other


class Expressions(Patterns):
    """Patterns, and the expressions in and around them."""

    def __init__(self, cypher: str, shown: str) -> None:
        super().__init__(cypher, shown)
        self._depth = self._loops = self._additions = 0

    @abstractmethod
    def subquery(self) -> None:
        """Read what stands in the braces of EXISTS, COUNT and COLLECT."""

    def expression(self) -> None:
        """Read operands and the operators between them; which binds closer is the server's to know."""
        self._depth += 1
        if self._depth > MOST_NESTED:
            refuse("it is nested too deeply", self.word.at)
        self._operand()
        while self._operator():
            self._operand()
        self._depth -= 1

    def _operator(self) -> bool:
        if self.word.is_one_of("+"):
            self._additions += 1
            if self._additions > _ADDITIONS:
                refuse(f"it may add {_ADDITIONS} times", self.word.at)
            return self.taken("+")
        if self.taken("STARTS", "ENDS"):
            self.take("WITH")
            return True
        while self.taken("IS"):
            self.taken("NOT")
            self.take("NULL")
        return self.taken(*_COMPARISONS) or (self.word.is_one_of("+") and self._operator())

    def _operand(self) -> None:
        while self.taken("NOT", "-", "+"):
            pass
        self._atom()
        while True:
            if self.taken("."):
                self.name()
            elif self.taken("["):
                self._index()
            else:
                return

    def _index(self) -> None:
        if not self.word.is_one_of(".."):
            self.expression()
        if self.taken("..") and not self.word.is_one_of("]"):
            self.expression()
        self.take("]")

    def _atom(self) -> None:
        word = self.word
        if word.kind in ("number", "text", "parameter") or word.is_one_of("TRUE", "FALSE", "NULL"):
            self.copy()
        elif word.is_one_of("("):
            self._bracket()
        elif word.is_one_of("["):
            self._list()
        elif word.is_one_of("{"):
            self.properties()
        elif word.is_one_of("CASE"):
            self._case()
        elif word.is_one_of("EXISTS", "COUNT", "COLLECT") and self.ahead(1).is_one_of("{"):
            self._subquery()
        elif word.is_one_of(*_QUANTIFIERS) and self.ahead(1).is_one_of("("):
            self._quantified()
        elif self._is_call():
            self._call()
        else:
            self._variable()

    def _variable(self) -> None:
        self.variable()
        if self.taken(":"):
            self.labels()
        elif self.word.is_one_of("{"):
            self._projection()

    def _bracket(self) -> None:
        if self._is_pattern(0):
            self.path(may_repeat=False)
            return
        self.take("(")
        self.expression()
        self.take(")")

    def _is_pattern(self, by: int) -> bool:
        """Return whether the bracket here is the first node of a pattern: a hop follows where it is closed."""
        depth = 0
        while True:
            word = self.ahead(by)
            depth += word.is_one_of("(") - word.is_one_of(")")
            by += 1
            if depth == 0 or word.kind == "end":
                return self.is_hop(by)

    def _list(self) -> None:
        self.take("[")
        named = 2 if self.is_variable() and self.ahead(1).is_one_of("=") else 0
        if self.is_variable() and self.ahead(1).is_one_of("IN"):
            self._comprehension()
        elif self.ahead(named).is_one_of("(") and self._is_pattern(named):
            self._pattern_comprehension()
        elif not self.word.is_one_of("]"):
            self._listed()
        self.take("]")

    def _listed(self) -> None:
        self.expression()
        while self.taken(","):
            self.expression()

    def _comprehension(self) -> None:
        self._loop(1)
        self.variable()
        self.take("IN")
        self.expression()
        if self.taken("WHERE"):
            self.expression()
        if self.taken("|"):
            self.expression()
        self._loop(-1)

    def _pattern_comprehension(self) -> None:
        self._loop(1)
        if self.is_variable():
            self.variable()
            self.take("=")
        self.path(may_repeat=False)
        if self.taken("WHERE"):
            self.expression()
        self.take("|")
        self.expression()
        self._loop(-1)

    def _quantified(self) -> None:
        self._loop(1)
        self.copy()
        self.take("(")
        self.variable()
        self.take("IN")
        self.expression()
        if self.taken("WHERE"):
            self.expression()
        self.take(")")
        self._loop(-1)

    def _loop(self, by: int) -> None:
        self._loops += by
        if self._loops > _LOOPS:
            refuse("a loop in a loop in a loop is too much", self.word.at)

    def _case(self) -> None:
        self.take("CASE")
        if not self.word.is_one_of("WHEN"):
            self.expression()
        self.take("WHEN")
        while True:
            self.expression()
            self.take("THEN")
            self.expression()
            if not self.taken("WHEN"):
                break
        if self.taken("ELSE"):
            self.expression()
        self.take("END")

    def _subquery(self) -> None:
        self._loop(1)
        self.copy()
        self.take("{")
        self.subquery()
        self.take("}")
        self._loop(-1)

    def properties(self) -> None:
        """Read a map."""
        self.take("{")
        if not self.word.is_one_of("}"):
            self._pair()
            while self.taken(","):
                self._pair()
        self.take("}")

    def _pair(self) -> None:
        self.name()
        self.take(":")
        self.expression()

    def _projection(self) -> None:
        self.take("{")
        while True:
            if self.taken("."):
                if not self.taken("*"):
                    self.name()
            elif self.ahead(1).is_one_of(":"):
                self._pair()
            else:
                self.variable()
            if not self.taken(","):
                break
        self.take("}")

    def _is_call(self) -> bool:
        by = 1
        while self.word.kind == "name" and self.ahead(by).is_one_of(".") and self.ahead(by + 1).kind == "name":
            by += 2
        return self.word.kind == "name" and self.ahead(by).is_one_of("(")

    def _call(self) -> None:
        at, called = self.word.at, self.copy().value
        while self.taken("."):
            called += f".{self.copy().value}"
        name = called.lower()
        self.take("(")
        if name == "range":
            self._range()
        elif name not in FUNCTIONS:
            refuse(f"the function {name} is not among those that may be called", at)
        elif not (name == "count" and self.taken("*")):
            self.taken("DISTINCT")
            if not self.word.is_one_of(")"):
                self._listed()
        self.take(")")

    def _range(self) -> None:
        at, bounds = self.word.at, list[int]()
        while True:
            sign = -1 if self.taken("-") else 1
            if not self.word.text.isdigit():
                refuse("range takes whole numbers as they are", self.word.at)
            bounds.append(sign * int(self.copy().text))
            if not self.taken(","):
                break
        if len(bounds) < 2 or abs(bounds[1] - bounds[0]) > _LONGEST_RANGE:
            refuse(f"a range has {_LONGEST_RANGE} numbers at most", at)
