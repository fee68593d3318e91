"""Patterns in questions: read, counted, and written with every node held to what may be seen."""

from mabos.backends.graph.cypher_words import OURS, Word, refuse, words_of
from mabos.backends.graph.model import DEEPEST

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

MOST_NESTED = 30
"""Brackets in brackets, of expressions and of labels."""


class Patterns:
    """A statement that is read from left to right and written as it is read."""

    def __init__(self, cypher: str, shown: str) -> None:
        self.texts: dict[str, str] = {}
        self._words = words_of(cypher)
        self._at = 0
        self._written: list[str] = []
        self._shown = shown

    def written(self) -> str:
        """Return what was written."""
        return "".join(self._written).strip()

    @property
    def word(self) -> Word:
        """The word to be read next."""
        return self._words[self._at]

    def ahead(self, by: int) -> Word:
        """Return a word further on."""
        return self._words[min(self._at + by, len(self._words) - 1)]

    def skip(self) -> Word:
        """Read a word without writing it."""
        word = self.word
        self._at = min(self._at + 1, len(self._words) - 1)
        return word

    def write(self, text: str) -> None:
        """Write something of our own."""
        self._written.append(text)

    def copy(self) -> Word:
        """Read a word and write it, text in quotes as a parameter."""
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

    def take(self, *wanted: str) -> Word:
        """Read and write a keyword or symbol that must stand here."""
        if not self.word.is_one_of(*wanted):
            refuse(f"{' or '.join(wanted)} is expected, not {self.word.text or self.word.value!r}", self.word.at)
        return self.copy()

    def taken(self, *wanted: str) -> bool:
        """Read and write a keyword or symbol if it stands here."""
        if self.word.is_one_of(*wanted):
            self.copy()
            return True
        return False

    def is_variable(self) -> bool:
        """Return whether a variable stands here."""
        return self.word.kind == "quoted" or (self.word.kind == "name" and self.word.value not in RESERVED)

    def variable(self) -> None:
        """Read a variable."""
        if not self.is_variable():
            refuse(f"a name is expected, not {self.word.text or self.word.value!r}", self.word.at)
        self.copy()

    def name(self) -> None:
        """Read the name of a label, a type or a property, which may be any word."""
        if self.word.kind not in ("name", "quoted"):
            refuse(f"a name is expected, not {self.word.text or self.word.value!r}", self.word.at)
        self.copy()

    # Patterns. An expression is read by the class that knows them.

    def expression(self) -> None:
        """Read an expression."""
        raise NotImplementedError

    def properties(self) -> None:
        """Read a map."""
        raise NotImplementedError

    def is_shortest(self) -> bool:
        """Return whether a pattern begins here that looks for a shortest path."""
        by = 2 if self.ahead(1).is_one_of("=") else 0
        return self.ahead(by).is_one_of("SHORTESTPATH")

    def named_path(self) -> None:
        """Read a path, perhaps with a name."""
        if self.is_variable() and self.ahead(1).is_one_of("="):
            self.variable()
            self.take("=")
        if self.word.is_one_of("SHORTESTPATH"):
            self.skip()
            if not self.skip().is_one_of("("):
                refuse("a pattern in brackets is expected", self.word.at)
            self.write(" SHORTEST 1 ")
            self.path()
            if not self.skip().is_one_of(")"):
                refuse("the bracket of shortestPath is not closed", self.word.at)
        else:
            self.path()

    def path(self, *, may_repeat: bool = True) -> int:
        """Read nodes and the hops between them, of which there may be a few; returns how many at most."""
        hops = 0
        self.node()
        while self.is_hop():
            hops += self.hop(may_repeat=may_repeat)
            if hops > DEEPEST:
                refuse(f"a path may have {DEEPEST} hops at most", self.word.at)
            self.node()
        return hops

    def is_hop(self, by: int = 0) -> bool:
        """Return whether a hop stands here, as no expression does."""
        by += self.ahead(by).is_one_of("<")
        return self.ahead(by).is_one_of("-") and self.ahead(by + 1).is_one_of("-", "[")

    def node(self) -> None:
        """Read a node, and write it held to what may be seen."""
        self.take("(")
        if self.is_variable():
            self.variable()
        if self.word.is_one_of(":"):
            self.skip()
            self.write(":(")
            self.labels()
            self.write(f")&{self._shown}")
        else:
            self.write(f":{self._shown}")
        if self.word.is_one_of("{"):
            self.write(" ")
            self.properties()
        if self.taken("WHERE"):
            self.expression()
        self.take(")")

    def labels(self, depth: int = 0) -> None:
        """Read a label expression, so many brackets deep; `:A:B` is written `A&B`."""
        self._label(depth)
        while self.word.is_one_of("|", "&", ":"):
            joined = self.skip()
            if joined.is_one_of("|") and self.word.is_one_of(":"):
                self.skip()
            self.write("|" if joined.is_one_of("|") else "&")
            self._label(depth)

    def _label(self, depth: int) -> None:
        if depth > MOST_NESTED:
            refuse("it is nested too deeply", self.word.at)
        if self.taken("!"):
            self._label(depth + 1)
        elif self.taken("("):
            self.labels(depth + 1)
            self.take(")")
        else:
            self.name()

    def hop(self, *, may_repeat: bool) -> int:
        """Read a hop; one of variable length becomes a repeated pattern, with its own nodes held too."""
        start = len(self._written)
        least = most = 1
        is_repeated = False
        self.taken("<")
        self.take("-")
        if self.taken("["):
            if self.is_variable():
                self.variable()
            self._types()
            if self.word.is_one_of("*"):
                if not may_repeat:
                    refuse("a path of variable length stands in MATCH or in EXISTS { MATCH ... }", self.word.at)
                is_repeated = True
                least, most = self._lengths()
            if self.word.is_one_of("{"):
                self.write(" ")
                self.properties()
            if self.taken("WHERE"):
                self.expression()
            self.take("]")
        self.take("-")
        self.taken(">")
        if is_repeated:
            node = f"(:{self._shown})"
            hop = "".join(self._written[start:])
            self._written[start:] = [f" ({node}{hop}{node}){{{least},{most}}} "]
        return most

    def _types(self) -> None:
        if self.taken(":"):
            self.name()
            while self.taken("|"):
                if self.word.is_one_of(":"):
                    self.skip()
                self.name()

    def _lengths(self) -> tuple[int, int]:
        star = self.skip()
        least = most = self._length()
        if self.word.is_one_of(".."):
            self.skip()
            most = self._length()
        if most is None or most > DEEPEST or (least or 0) > most:
            refuse(f"the length of a path ends at {DEEPEST} at most, as in *1..{DEEPEST}", star.at)
        return 1 if least is None else least, most

    def _length(self) -> int | None:
        if self.word.kind != "number":
            return None
        word = self.skip()
        if not word.text.isdigit():
            refuse("a length is a whole number", word.at)
        return int(word.text)
