"""A parser and printer for formulas of first-order and modal logic, in the usual symbols or ASCII.

`∀x (Dog(x) → Barks(x))` or `forall x (Dog(x) -> Barks(x))`; `□p → ◇p` or `[]p -> <>p`. From loose to tight: `↔ <->
iff`, `→ -> implies`, `⊕ xor`, `∨ | or`, `∧ & and`, `¬ ~ ! not`. A quantifier binds like `¬`, or, where its variable
occurs again further on, up to the end of its brackets. Names with other characters go in `"..."`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.reasoning.budget import at_most

LONGEST, DEEPEST, LARGEST = 5_000, 60, 20_000
"""Characters, levels and parts of a formula."""

Op = Literal["not", "and", "or", "implies", "iff", "xor", "box", "diamond"]


@dataclass(frozen=True, slots=True)
class Atom:
    """A predicate of terms; a proposition without terms."""

    predicate: str
    terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.predicate == "=":
            return f"{self.terms[0]} = {self.terms[1]}"
        return f"{self.predicate}({', '.join(self.terms)})" if self.terms else self.predicate


@dataclass(frozen=True, slots=True)
class JoinedFormula:
    """Formulas joined by an operator; `and` of nothing is true, `or` of nothing is false."""

    op: Op
    parts: tuple["Formula", ...] = ()

    def __str__(self) -> str:
        if not self.parts:
            return "⊤" if self.op == "and" else "⊥"
        if len(self.parts) == 1:
            return f"{_SIGN[self.op]}{_bracket_part(self.parts[0])}"
        return f" {_SIGN[self.op]} ".join(_bracket_part(part) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Quantified:
    """A formula that holds for every, or some, value of a variable."""

    every: bool
    variable: str
    body: "Formula"

    def __str__(self) -> str:
        return f"{'∀' if self.every else '∃'}{self.variable} {_bracket_part(self.body)}"


Formula: TypeAlias = Atom | JoinedFormula | Quantified

_SIGN: Mapping[Op, str] = {
    "not": "¬", "and": "∧", "or": "∨", "implies": "→", "iff": "↔", "xor": "⊕", "box": "□", "diamond": "◇",
}  # fmt: skip
_LOOSE_TO_TIGHT: tuple[Op, ...] = ("iff", "implies", "xor", "or", "and")
_SPELLED: Mapping[str, str] = {
    **{sign: op for op, sign in _SIGN.items()},
    "<->": "iff", "<=>": "iff", "iff": "iff", "->": "implies", "=>": "implies", "implies": "implies", "xor": "xor",
    "|": "or", "||": "or", "or": "or", "&": "and", "&&": "and", "and": "and", "~": "not", "!": "not", "not": "not",
    "[]": "box", "<>": "diamond", "forall": "∀", "exists": "∃", "!=": "≠",
}  # fmt: skip
_NAME = r"\"[^\"]{1,200}\"|[\w’']+(?:-[\w’']+)*"
_TOKEN = re.compile(rf"\s*(?:(?P<name>{_NAME})|(?P<sign><->|<=>|->|=>|\[\]|<>|!=|&&|\|\||[∀∃→↔∧∨⊕¬□◇⊤⊥≠=&|~!(),.:]))")


def _bracket_part(formula: Formula) -> str:
    alone = isinstance(formula, Atom | Quantified) or len(formula.parts) < 2
    return str(formula) if alone else f"({formula})"


def parse(text: str, *, words: Mapping[str, Op] | None = None, argument: str = "formula") -> Formula:
    """Return the formula in a text. `words` are names of operators, as `O` is the box of duty.

    Raises `InvalidArgument` that shows the position of the error.
    """
    if len(text) > LONGEST:
        msg = f"a formula has at most {LONGEST:,} characters; {text[:40]!r}... has {len(text):,}"
        raise InvalidArgument(msg, argument=argument)
    reader = _FormulaReader(text, argument, {**_SPELLED, **(words or {})})
    formula = reader.binary(0)
    if reader.place < len(reader.tokens):
        raise reader.wrong("an operator or the end")
    at_most(_written_out(formula), LARGEST, "parts of a formula with ↔ and ⊕ written out", argument=argument)
    return formula


def constants(formula: Formula, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the names in a formula that no quantifier binds."""
    match formula:
        case Atom():
            return frozenset(formula.terms) - bound
        case Quantified():
            return constants(formula.body, bound | {formula.variable})
    return frozenset[str]().union(*(constants(part, bound) for part in formula.parts))


def atoms(formula: Formula) -> frozenset[Atom]:
    """Return the atoms of a formula."""
    match formula:
        case Atom():
            return frozenset({formula})
        case Quantified():
            return atoms(formula.body)
    return frozenset[Atom]().union(*(atoms(part) for part in formula.parts))


def _written_out(formula: Formula) -> int:
    match formula:
        case Atom():
            return 1
        case Quantified():
            return 1 + _written_out(formula.body)
    return 1 + sum(map(_written_out, formula.parts)) * (2 if formula.op in ("iff", "xor") else 1)


def is_modal(formula: Formula) -> bool:
    """Return whether it contains a box or diamond."""
    match formula:
        case Atom():
            return False
        case Quantified():
            return is_modal(formula.body)
    return formula.op in ("box", "diamond") or any(is_modal(part) for part in formula.parts)


@dataclass(slots=True)
class _FormulaReader:
    """A text on its way to a formula."""

    text: str
    argument: str
    spelled: Mapping[str, str]
    tokens: list[tuple[str, int]] = field(default_factory=list)
    place: int = 0
    depth: int = 0

    def __post_init__(self) -> None:
        at, end = 0, len(self.text.rstrip())
        while at < end:
            found = _TOKEN.match(self.text, at)
            if found is None:
                self.tokens.append((self.text[at:].strip()[0], at))
                self.place = len(self.tokens) - 1
                raise self.wrong("a sign of logic or a name")
            self.tokens.append((found["name"] or found["sign"], found.start()))
            at = found.end()

    def wrong(self, wanted: str) -> InvalidArgument:
        """Return the error that here something else was wanted."""
        at = self.tokens[self.place][1] if self.place < len(self.tokens) else len(self.text)
        found = repr(self.text[at:].strip()[:20]) if self.text[at:].strip() else "the end"
        msg = f"{self.text[:80]!r} is not a formula: expected {wanted} at character {at}, found {found}"
        return InvalidArgument(msg, argument=self.argument)

    def ahead(self, further: int = 0) -> str:
        """Return the token to come: operators by their one name."""
        at = self.place + further
        token = self.tokens[at][0] if at < len(self.tokens) else ""
        return self.spelled.get(token, token)

    def took(self, token: str) -> bool:
        """Step over a token if it comes next."""
        if self.ahead() != token:
            return False
        self.place += 1
        return True

    def must(self, token: str) -> None:
        """Step over a token that has to come next."""
        if not self.took(token):
            raise self.wrong(repr(token))

    def deeper(self) -> None:
        """Go one level down; brackets without end would exhaust the interpreter."""
        self.depth += 1
        if self.depth > DEEPEST:
            msg = f"a formula is nested at most {DEEPEST} levels deep; this one is deeper"
            raise InvalidArgument(msg, argument=self.argument)

    def binary(self, level: int) -> Formula:
        """Return a formula of operators at least as tight as `level`."""
        if level == len(_LOOSE_TO_TIGHT):
            return self.unary()
        op = _LOOSE_TO_TIGHT[level]
        parts = [self.binary(level + 1)]
        while self.took(op):
            if op == "implies":  # to the right: a → (b → c)
                self.deeper()
                parts.append(self.binary(level))
                self.depth -= 1
            else:
                parts.append(self.binary(level + 1))
        if len(parts) == 1:
            return parts[0]
        if op in ("and", "or"):
            return JoinedFormula(op, tuple(parts))
        joined = parts[0]
        for part in parts[1:]:
            joined = JoinedFormula(op, (joined, part))
        return joined

    def unary(self) -> Formula:
        """Return a formula that no binary operator splits."""
        self.deeper()
        formula = self._unary()
        self.depth -= 1
        return formula

    def _unary(self) -> Formula:
        for op in ("not", "box", "diamond"):
            if self.took(op):
                return JoinedFormula(op, (self.unary(),))
        if self.ahead() in ("∀", "∃"):
            return self._read_quantified(every=self.ahead() == "∀")
        if self.took("("):
            inner = self.binary(0)
            self.must(")")
            return inner
        if self.took("⊤") or self.took("⊥"):
            return JoinedFormula("and" if self.tokens[self.place - 1][0] == "⊤" else "or")
        return self._atom()

    def _read_quantified(self, *, every: bool) -> Formula:
        self.place += 1
        variables = [self._name("a variable")]
        while self.took(","):
            variables.append(self._name("a variable"))
        if not self.took("."):
            self.took(":")
        start = self.place
        body = self.unary()
        if any(self._goes_on(variable) for variable in variables):
            self.place = start
            body = self.binary(0)
        for variable in reversed(variables):
            body = Quantified(every, variable, body)
        return body

    def _goes_on(self, variable: str) -> bool:
        """Return whether a variable occurs again before these brackets end or it is bound again."""
        depth = 0
        for at in range(self.place, len(self.tokens)):
            word = self.tokens[at][0]
            depth += (word == "(") - (word == ")")
            if depth < 0:
                return False
            if word == variable:
                return self.spelled.get(self.tokens[at - 1][0], self.tokens[at - 1][0]) not in ("∀", "∃")
        return False

    def _atom(self) -> Formula:
        name = self._name("a name, a quantifier, `not` or `(`")
        if self.took("("):
            terms = [self._term()]
            while self.took(","):
                terms.append(self._term())
            self.must(")")
            return Atom(name, tuple(terms))
        if self.took("="):
            return Atom("=", (name, self._term()))
        if self.took("≠"):
            return JoinedFormula("not", (Atom("=", (name, self._term())),))
        return Atom(name)

    def _term(self) -> str:
        name = self._name("a name or variable")
        if self.ahead() == "(":
            msg = f"{name}(...) is a function in {self.text[:80]!r}; say it as a relation, as in `Mother(y, x)`"
            raise InvalidArgument(msg, argument=self.argument)
        return name

    def _name(self, wanted: str) -> str:
        token = self.tokens[self.place][0] if self.place < len(self.tokens) else ""
        if token in self.spelled or not re.fullmatch(_NAME, token):
            raise self.wrong(wanted)
        self.place += 1
        return token.strip('"')
