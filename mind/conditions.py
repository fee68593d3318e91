"""A tiny language for targets, preconditions and branches: `runway_months >= 6`, `churn_rate < 3% and cash > $5K`.

A clause is `subject op value`; clauses are joined by `and` and `or` (`and` binds tighter). Operators: `>= <= > < = ==
!=`, and the words `is`, `is not`, `contains`, `at least`, `at most`, `above`, `over`, `below`, `under`. A bare subject
asks whether it is true. An unknown value is None, never false (S3 5.1, 7.1); `cash is unknown` tests for it. Amounts in
plans are sums over known values (`reckon_amount`).
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.values import compare, number, parse_quantity
from mabos.workspace.expressions import SUMS, Expression
from mabos.workspace.text import fold

Lookup = Callable[[str], str | None]
"""Answers what is held about `subject` or `subject predicate`, or None."""

_WORDS = {
    "is not": "!=", "is": "=", "contains": "contains", "at least": ">=", "at most": "<=", "above": ">", "over": ">",
    "below": "<", "under": "<",
}  # fmt: skip
# A run of blanks is looked at from its beginning alone: from each of its blanks it would be looked at again.
_SYMBOL = re.compile(r"(?<!\s)\s*(>=|<=|!=|==|=|>|<)\s*")
_WORD = re.compile(r"(?<!\s)\s+(is not|is|contains|at least|at most|above|over|below|under)\s+", re.IGNORECASE)
_JOIN = re.compile(r"(?<!\s)\s+(and|or)\s+|[\"']", re.IGNORECASE)
_OPPOSITE = {">=": "<", "<": ">=", "<=": ">", ">": "<=", "=": "!=", "!=": "="}
_DAYS = {"hour": 1 / 24, "day": 1.0, "week": 7.0, "month": 30.4375, "quarter": 91.3125, "year": 365.25}
_LABELLED = re.compile(r"(\S+)\s+([A-Za-z_]+)")
_LOWER = re.compile(r"(?:minimi[sz]e|reduce|lower|cut)\s+(.+)|(.+?)\s+(?:lower|down|minimi[sz]ed)", re.IGNORECASE)
_HIGHER = re.compile(r"(?:maximi[sz]e|raise|increase|grow)\s+(.+)|(.+?)\s+(?:higher|up|maximi[sz]ed)", re.IGNORECASE)
_ORDERINGS = frozenset({">=", "<=", ">", "<"})
_NO = frozenset({"", "0", "false", "no", "none", "off"})
UNKNOWN = "unknown"
ALWAYS = frozenset({"otherwise", "else", "always", "true"})


@dataclass(frozen=True, slots=True)
class ConditionClause:
    """A comparison; an empty `op` asks whether `subject` is true."""

    subject: str
    op: str = ""
    value: str = ""


def holds(condition: str, lookup: Lookup) -> bool | None:
    """Return whether `condition` holds, or None if the known values do not decide it."""
    if condition.strip().casefold() in ALWAYS:
        return True
    alternatives = [_all([_clause_holds(clause, lookup) for clause in clauses]) for clauses in parse(condition)]
    if True in alternatives:
        return True
    return None if None in alternatives or not alternatives else False


def presume_holds(condition: str, lookup: Lookup) -> bool | None:
    """Return whether `condition` holds, if an unknown value counts as different from everything.

    So `compliance event != notice` holds until there is a notice.
    """
    return holds(
        condition, lambda subject: found if (found := lookup(subject)) is not None else _unheard(condition, subject)
    )


@lru_cache(maxsize=4096)
def parse(condition: str) -> tuple[tuple[ConditionClause, ...], ...]:
    """Parse `condition` into alternatives of clauses that must hold together."""
    if not condition.strip():
        return ()
    alternatives: list[list[ConditionClause]] = []
    for joint, text in _parts(condition.strip()):
        if joint != "and":
            alternatives.append([])
        alternatives[-1].append(_clause(text))
    return tuple(tuple(clauses) for clauses in alternatives)


def subjects(condition: str) -> tuple[str, ...]:
    """Return the subjects of `condition`, each once, in order."""
    return tuple(dict.fromkeys(clause.subject for clauses in parse(condition) for clause in clauses))


def is_comparison(condition: str) -> bool:
    """Return whether every clause of `condition` is a comparison, so that beliefs can decide it."""
    parsed = parse(condition)
    return bool(parsed) and all(clause.op and clause.subject for clauses in parsed for clause in clauses)


def is_numeric(condition: str) -> bool:
    """Return whether `condition` compares with a number, like the target of a figure."""
    return bool(condition) and is_comparison(condition) and bool(re.search(r"[<>=] ?[^\w\s]?\d", condition))


def waits_for_news(condition: str) -> bool:
    """Return whether `condition` holds once something is known: others make it true, not a step of a plan.

    >>> waits_for_news("cash != unknown"), waits_for_news("cash > 5")
    (True, False)
    """
    parsed = parse(condition)
    return bool(parsed) and all(one.op == "!=" and fold(one.value) == UNKNOWN for clauses in parsed for one in clauses)


def fault(condition: str) -> str:
    """Return why and where `condition` can never be decided, or an empty text; a text without `<>=` has no fault.

    >>> fault("churn_rate < 3% and cash >= ((((")
    "character 29: '((((' is not a number, amount, percentage or date"
    """
    at = 0
    for _, text in _parts(condition):
        start = condition.index(text, at)
        at = start + len(text)
        clause = _clause(text)
        wrong = clause.subject if "(" in clause.subject or ")" in clause.subject else clause.value
        where = f"character {start + text.rfind(wrong) + 1}"
        if not _SYMBOL.search(text):
            continue
        if not (clause.subject and clause.value):
            return f"character {start + 1}: {text.strip()!r} lacks one side of its comparison"
        if wrong == clause.subject:
            return f"{where}: {wrong!r} is not a name; write the comparisons without parentheses"
        if clause.op in _ORDERINGS and parse_quantity(_split_unit(clause.value)[0]) is None:
            return f"{where}: {clause.value!r} is not a number, amount, percentage or date"
    return ""


def negation(condition: str) -> str:
    """Return the condition that is true when comparisons joined by `and` are not; other text is unchanged."""
    parsed = parse(condition)
    if len(parsed) != 1 or any(clause.op not in _OPPOSITE for clause in parsed[0]):
        return condition
    return " or ".join(f"{clause.subject} {_OPPOSITE[clause.op]} {clause.value}" for clause in parsed[0])


def entails(condition: str, other: str) -> bool:
    """Return whether a single comparison with a bound implies another one, whatever its subject's value.

    >>> entails("runway_months >= 6", "runway_months >= 5"), entails("churn < 3%", "churn < 2%")
    (True, False)
    """
    one, two = parse(condition), parse(other)
    if not len(one) == len(two) == 1 or not len(one[0]) == len(two[0]) == 1:
        return False
    strong, weak = one[0][0], two[0][0]
    is_same = fold(strong.subject) == fold(weak.subject) and strong.op[:1] == weak.op[:1] and strong.op in _ORDERINGS
    if not is_same or weak.op not in _ORDERINGS:
        return False
    left, right = _align_units(strong.value, weak.value)
    bound, wanted = parse_quantity(left), parse_quantity(right)
    if bound is None or wanted is None or not bound.comparable(wanted):
        return False
    limit, needed = bound.beside(wanted), wanted.beside(bound)
    if limit == needed:
        return len(weak.op) >= len(strong.op)
    return (limit > needed) == (strong.op[0] == ">")


def direction(target: str) -> tuple[str, Literal["lower", "higher"]] | None:
    """Return the metric and its desired direction, for targets like `cac lower` and `maximize mrr`."""
    text = target.strip()
    if lower := _LOWER.fullmatch(text):
        return (lower[1] or lower[2]).strip(), "lower"
    if higher := _HIGHER.fullmatch(text):
        return (higher[1] or higher[2]).strip(), "higher"
    return None


def closeness(condition: str, lookup: Lookup) -> float | None:
    """Return how near `condition` is to holding, in [0, 1], or None if unknown.

    For a positive bound it is the ratio of value to bound, inverted for an upper bound. Joint clauses count as their
    mean, alternatives as their best.
    """
    best: float | None = None
    for clauses in parse(condition):
        shares = [_clause_closeness(clause, lookup) for clause in clauses]
        known = [share for share in shares if share is not None]
        if known and len(known) == len(shares):
            best = max(best or 0.0, sum(known) / len(known))
    return best


def _parts(condition: str) -> Iterator[tuple[str, str]]:
    """Yield the clauses of `condition` as written, each with the word before it: "" for the first, `and` or `or`."""
    marks = list(_JOIN.finditer(condition))
    quotes = sum(not one[1] for one in marks)
    joint, at, seen = "", 0, 0
    for one in marks:
        if not one[1]:
            seen += 1
        elif (quotes - seen) % 2 == 0:  # what stands within quotes joins nothing
            yield joint, condition[at : one.start()]
            joint, at = one[1].casefold(), one.end()
    yield joint, condition[at:]


def _unheard(condition: str, subject: str) -> str | None:
    """Return a value unlike any other, if `condition` asks of `subject` only that it is not something."""
    ops = {clause.op for clauses in parse(condition) for clause in clauses if clause.subject == subject}
    return "\x00" if ops == {"!="} else None


def _all(truths: list[bool | None]) -> bool | None:
    if False in truths:
        return False
    return None if None in truths else True


def _clause(text: str) -> ConditionClause:
    found = _SYMBOL.search(text)
    if found:
        op = "=" if found[1] == "==" else found[1]
    else:
        found = _WORD.search(text)
        if not found:
            return ConditionClause(text.strip())
        op = _WORDS[" ".join(found[1].casefold().split())]
    return ConditionClause(text[: found.start()].strip(), op, text[found.end() :].strip().strip("\"'"))


def _clause_holds(clause: ConditionClause, lookup: Lookup) -> bool | None:
    held = lookup(clause.subject)
    if held is None:
        return _unheld(clause)
    if not clause.op:
        return held.strip().casefold() not in _NO
    if clause.op == "contains":
        return compare("contains", held, clause.value)
    left, right = _align_units(held, clause.value)
    a, b = parse_quantity(left), parse_quantity(right)
    if a is not None and b is not None and a.comparable(b):
        return compare(clause.op, left, right)
    if clause.op not in ("=", "!="):
        return None
    return (fold(held) == fold(clause.value)) == (clause.op == "=")


def _unheld(clause: ConditionClause) -> bool | None:
    """Return the truth of a clause on an unknown subject: only a test for unknown can be decided."""
    return {"=": True, "!=": False}.get(clause.op) if fold(clause.value) == UNKNOWN else None


def _align_units(held: str, wanted: str) -> tuple[str, str]:
    """Return both texts without their unit words; two different spans of time are both put in days."""
    (left, unit), (right, other) = _split_unit(held), _split_unit(wanted)
    if unit != other and unit in _DAYS and other in _DAYS:
        return str((number(left) or 0.0) * _DAYS[unit]), str((number(right) or 0.0) * _DAYS[other])
    return left, right


def _split_unit(text: str) -> tuple[str, str]:
    labelled = _LABELLED.fullmatch(text.strip())
    if labelled is None or parse_quantity(text) is not None or parse_quantity(labelled[1]) is None:
        return text, ""
    return labelled[1], labelled[2].casefold().removesuffix("s")


def _clause_closeness(clause: ConditionClause, lookup: Lookup) -> float | None:
    truth = _clause_holds(clause, lookup)
    if truth is None:
        return None
    if truth:
        return 1.0
    held, wanted = _align_units(lookup(clause.subject) or "", clause.value)
    value, bound = number(held), number(wanted)
    if value is None or bound is None or value <= 0 or bound <= 0 or clause.op not in _ORDERINGS:
        return 0.0
    return min(0.99, value / bound if clause.op in (">", ">=") else bound / value)


def reckon_amount(expression: str, lookup: Lookup) -> float | None:
    """Return the value of an amount like `max(0, (12 - stock_weeks) * demand - ordered_supply)` from known values.

    >>> reckon_amount("0.01 * cash", {"cash": "$40,000"}.get)
    400.0

    The result is None if a name is unknown, on division by zero, and if it is not finite.
    """
    read = _read(expression)
    known = {name: value for name in read.names if (value := number(lookup(name) or "")) is not None}
    try:
        return read.value(known) if len(known) == len(read.names) else None
    except InvalidArgument:
        return None


def check_amount(expression: str) -> str:
    """Return the expression if it can be evaluated; raises `InvalidArgument` with the fault."""
    _read(expression)
    return expression


@lru_cache(maxsize=512)
def _read(expression: str) -> Expression:
    return Expression.of(expression, dialect=SUMS, argument="value")
