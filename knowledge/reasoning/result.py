"""The result of a method: a typed answer, its confidence and kind of confidence, and the reasons."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any, Generic, Literal, TypeVar

Status = Literal[
    "proved",  # the goal holds in every model of the premises
    "disproved",  # its negation does
    "computed",  # an exact figure
    "estimated",  # a figure with an error
    "satisficed",  # good enough, not best
    "unknown",  # the premises do not decide it
    "inconsistent",  # the premises contradict each other
    "infeasible",  # nothing meets the constraints
    "needs_structure",  # prose alone: what is missing is said
    "timeout",  # the time was up; the answer is what there was by then
]
ConfidenceKind = Literal[
    "proof",  # 1: it follows, or it was searched through
    "posterior",  # the probability of the answer, given what was thought before and what was seen
    "frequency",  # the share of what was seen, or drawn, for which it held; rough where little was seen
    "bound",  # the most a p-value leaves to an effect, or the least to none, where both were as likely before
    "score",  # it orders answers and is no probability
]
Soundness = Literal[1, 2, 3, 4]
"""1 proof, exhaustive search or exact arithmetic; 2 exact up to rounding; 3 statistical; 4 heuristic."""
Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class TraceStep:
    """A step of a trace: its statement, its rule or operation, and its premises (ids) or steps (labels)."""

    says: str
    by: str = ""
    uses: tuple[str, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class AnswerClaim:
    """The core of a result, comparable with other methods' results.

    Two claims are about the same thing if `subject` and `predicate` are equal. `value` is a word, a number or a truth
    value, with a `distribution` over such values (as text) if the method has one.
    """

    subject: str
    predicate: str
    value: str | float | bool
    distribution: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class MethodResult(Generic[Answer]):
    """The answer of a method to one problem. Its solver sets `method` and, if 0, the soundness.

    `confidence` is None if it is meaningless; `confidence_kind` is its interpretation. `evidence` are the ids of the
    premises behind the answer. `witness` can be checked: a proof, a countermodel, a table.
    """

    status: Status
    answer: Answer
    summary: str
    claims: tuple[AnswerClaim, ...] = ()
    confidence: float | None = None
    confidence_kind: ConfidenceKind | None = None
    evidence: tuple[str, ...] = ()
    trace: tuple[TraceStep, ...] = ()
    witness: object = None
    assumptions: tuple[str, ...] = ()
    method: str = ""
    soundness: Soundness | Literal[0] = 0
    seed: int | None = None
    cost_ms: float = field(default=0.0, compare=False)

    def citing(self, ids: tuple[str, ...]) -> "MethodResult[Answer]":
        """Return this result with the premises `ids` added to its evidence."""
        return replace(self, evidence=tuple(dict.fromkeys((*self.evidence, *ids))))

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON: exact fractions as text like `1/3`, sets sorted, infinities as text."""
        return {"method": self.method, **plain(self)}


def result_of(told: Mapping[str, Any]) -> MethodResult[Any]:
    """Return the result from the data of `as_json`; its answer and witness remain plain data."""
    return MethodResult(
        **{
            **{one.name: told[one.name] for one in fields(MethodResult) if one.name in told},
            "claims": tuple(
                AnswerClaim(**{**one, "distribution": tuple((name, share) for name, share in one["distribution"])})
                for one in told.get("claims", ())
            ),
            "evidence": tuple(told.get("evidence", ())),
            "trace": tuple(TraceStep(**{**one, "uses": tuple(one["uses"])}) for one in told.get("trace", ())),
            "assumptions": tuple(told.get("assumptions", ())),
        }
    )


def plain(value: object) -> Any:  # noqa: PLR0911  # one return for each form of a JSON value
    """Return `value` in JSON types only."""
    match value:
        case bool() | None | str() | int():
            return value
        case float():
            return value if isfinite(value) else str(value)
        case Fraction():
            return int(value) if value.denominator == 1 else str(value)
        case dict():
            return {str(key): plain(inner) for key, inner in value.items()}
        case set() | frozenset():
            return sorted((plain(inner) for inner in value), key=str)
        case list() | tuple():
            return [plain(inner) for inner in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {one.name: plain(getattr(value, one.name)) for one in fields(value)}
    raise TypeError(f"a result holds a {type(value).__name__}, which has no JSON representation")


CLAIM = ("decision", "choose")
"""The claim of every method that answers a choice."""
