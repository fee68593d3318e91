"""Series of numbers or letters, continued by the simplest rule that fits all terms (after Hofstadter 1995)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from mabos.knowledge.reasoning.budget import Budget
from mabos.knowledge.reasoning.problem import Finite, ReasoningProblem
from mabos.knowledge.reasoning.result import AnswerClaim, MethodResult, TraceStep


class SequenceProblem(ReasoningProblem):
    """Terms of a series of numbers or letters to be continued; or a change `from` one string `to` another, and the
    string it is to be done to."""

    kind: Literal["sequence"] = "sequence"
    terms: tuple[Finite | Annotated[str, Field(pattern=r"^[a-z]$")], ...] = ()
    before: Annotated[str, Field(pattern=r"^[a-z]{0,40}$")] = ""
    after: Annotated[str, Field(pattern=r"^[a-z]{0,40}$")] = ""
    apply_to: Annotated[str, Field(pattern=r"^[a-z]{0,40}$")] = ""

    example: ClassVar[Mapping[str, Any]] = {"kind": "sequence", "terms": [2, 5, 10, 17, 26]}

    @model_validator(mode="after")
    def _is_one_of_two(self) -> Self:
        strings = bool(self.before and self.after and self.apply_to)
        if strings == bool(self.terms) or (self.terms and len(self.terms) < 3):
            raise ValueError("give at least three terms, or before, after and apply_to")
        if len({isinstance(one, str) for one in self.terms}) > 1:
            raise ValueError("terms must be all numbers or all letters")
        return self


@dataclass(frozen=True, slots=True)
class Continued:
    """The next term or the changed string, the rule it follows, and the other rules that fit, simplest first."""

    next: str
    rule: str
    others: tuple[tuple[str, str], ...]


def estimate(_problem: SequenceProblem) -> float:
    """Return about how many milliseconds this takes."""
    return 1.0


def solve(problem: SequenceProblem, budget: Budget) -> MethodResult[Continued]:
    """Return the continuation of a series, or a change applied to another string."""
    if problem.terms:
        letters = isinstance(problem.terms[0], str)
        numbers = [
            Fraction(ord(str(one)) - ord("a")) if letters else Fraction(str(one)) for one in budget.each(problem.terms)
        ]
        fitting = [(name, _term(value, letters=letters)) for name, value in _rules(numbers, budget)]
    else:
        fitting = list(_changes(problem.before, problem.after, problem.apply_to))
    found = list(dict.fromkeys((rule, told) for rule, told in fitting if told))
    if not found:
        return MethodResult("unknown", Continued("", "", ()), "no simple rule fits all of it")
    rule, told = found[0]
    others = tuple(one for one in found[1:] if one[1] != told)
    return MethodResult(
        "satisficed",
        Continued(told, rule, others),
        f"{told}: {rule}",
        claims=(AnswerClaim("series", "next", told),),
        trace=tuple(TraceStep(f"{name} gives {value}", name) for name, value in found),
        assumptions=("the simplest rule that fits is the one meant",),
    )


def _term(value: Fraction, *, letters: bool) -> str:
    if letters:
        return chr(ord("a") + int(value)) if value.denominator == 1 and 0 <= value < 26 else ""
    return str(value)


def _rules(terms: Sequence[Fraction], budget: Budget) -> Iterator[tuple[str, Fraction]]:
    """Yield the rules that fit all terms with the term that comes next, simplest first."""
    differences = [later - sooner for sooner, later in pairwise(terms)]
    if len(set(differences)) == 1:
        yield f"each is {differences[0]} more than the last", terms[-1] + differences[0]
    if 0 not in terms and len({later / sooner for sooner, later in pairwise(terms)}) == 1:
        yield f"each is {terms[1] / terms[0]} times the last", terms[-1] * terms[1] / terms[0]
    for lag in budget.each(range(2, len(terms) // 2 + 1)):
        if all(terms[place] == terms[place - lag] for place in range(lag, len(terms))):
            yield f"it repeats after {lag}", terms[-lag]
            break  # a longer one that fits as well is a multiple of it
    yield from _polynomial(terms, differences)
    yield from _recurrence(terms)
    if len(terms) >= 6:
        inner = next(iter(_rules_of_half(terms[len(terms) % 2 :: 2], budget)), None)
        other = next(iter(_rules_of_half(terms[(len(terms) + 1) % 2 :: 2], budget)), None)
        if inner and other:
            yield f"every second: {inner[0]}", inner[1]


def _rules_of_half(terms: Sequence[Fraction], budget: Budget) -> Iterator[tuple[str, Fraction]]:
    return (one for one in _rules(terms, budget) if len(terms) >= 3)


def _polynomial(terms: Sequence[Fraction], differences: Sequence[Fraction]) -> Iterator[tuple[str, Fraction]]:
    """Yield the next term where second or third differences are constant, seen at least twice."""
    rows = [list(terms), list(differences)]
    for degree in (2, 3):
        rows.append([later - sooner for sooner, later in pairwise(rows[-1])])
        if len(rows[-1]) >= 2 and len(set(rows[-1])) == 1 and rows[-1][0] != 0:
            yield f"differences of degree {degree} are {rows[-1][0]}", sum((row[-1] for row in rows), Fraction(0))
            return


def _recurrence(terms: Sequence[Fraction]) -> Iterator[tuple[str, Fraction]]:
    """Yield the next term where each is a fixed combination of the two before, or of the one before and a constant."""
    if len(terms) < 5:
        return
    for name, rows in (
        ("{} times the last and {} times the one before", [(terms[n - 1], terms[n - 2]) for n in range(2, len(terms))]),
        ("{} times the last, plus {}", [(terms[n - 1], Fraction(1)) for n in range(2, len(terms))]),
    ):
        (a, b), (c, d) = rows[0], rows[1]
        determinant = a * d - b * c
        if determinant:
            x = (terms[2] * d - b * terms[3]) / determinant
            y = (a * terms[3] - terms[2] * c) / determinant
            if all(x * p + y * q == term for (p, q), term in zip(rows, terms[2:], strict=True)):
                last = (terms[-1], terms[-2]) if "before" in name else (terms[-1], Fraction(1))
                yield name.format(x, y), x * last[0] + y * last[1]
                return


def _changes(before: str, after: str, given: str) -> Iterator[tuple[str, str]]:
    """Yield the changes that make `after` of `before`, done to `given`: by groups of equal letters, then by letters."""
    for what, split in (("group", _groups), ("letter", list)):
        old, new, mine = split(before), split(after), split(given)
        if len(old) == len(new):
            moved = [place for place, (a, b) in enumerate(zip(old, new, strict=True)) if a != b]
            if len(moved) == 1 and len(mine) > 0:
                yield from _extrapolate_move(old, new, mine, moved[0], what)
        if new == old[::-1] and old != new:
            yield f"the order of the {what}s is reversed", "".join(mine[::-1])
        if [one for one in old for _ in range(2)] == new:
            yield f"each {what} is doubled", "".join(one * 2 for one in mine)
        if len(new) == len(old) + 1 and new[:-1] == old and len(old) > 1:
            step = ord(new[-1][0]) - ord(old[-1][0])
            yield f"a {what} is added, {step:+d} after the last", given + _shift_letters(mine[-1], step)


def _extrapolate_move(
    old: list[str], new: list[str], mine: list[str], place: int, what: str
) -> Iterator[tuple[str, str]]:
    """Yield the results of moving one part in the alphabet, counted from the end or from the beginning."""
    step = ord(new[place][0]) - ord(old[place][0])
    if {chr(ord(one) + step) for one in old[place]} != set(new[place]) or len(old[place]) != len(new[place]):
        return
    spots = {"last": len(mine) - 1} if place == len(old) - 1 else {}
    spots |= {"first": 0} if place == 0 else {}
    spots |= {f"number {place + 1}": place} if not spots and place < len(mine) else {}
    for name, spot in spots.items():
        changed = _shift_letters(mine[spot], step)
        if changed:
            yield (
                f"the {name} {what} moves {step:+d} in the alphabet",
                "".join([*mine[:spot], changed, *mine[spot + 1 :]]),
            )


def _groups(text: str) -> list[str]:
    groups: list[str] = []
    for letter in text:
        if groups and groups[-1][0] == letter:
            groups[-1] += letter
        else:
            groups.append(letter)
    return groups


def _shift_letters(part: str, step: int) -> str:
    """Return letters moved in the alphabet, or nothing where that leads out of it."""
    moved = [chr(ord(one) + step) for one in part]
    return "".join(moved) if all("a" <= one <= "z" for one in moved) else ""
