"""The reader of questions of known shapes: trained classifiers give figures and names their roles, builders fill forms.

Several ways to read a question are tried. The form of the likeliest one is answered if it is probably right, by a
classifier that learned how often such forms were right on authors that the others had not seen.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import log

from mabos.knowledge.reasoning.questions.chances import build_bayes, build_risk
from mabos.knowledge.reasoning.questions.forms import FilledForm, Holdings, MissingFields, Reading
from mabos.knowledge.reasoning.questions.roles import (
    NONE,
    TABLE,
    RoleMark,
    RoleReading,
    load_role_models,
    read_shape,
    role_tokens,
    shape_features,
)
from mabos.knowledge.reasoning.questions.shape_roles import MissingRole, Roles
from mabos.knowledge.reasoning.questions.shape_sums import build_break_even, build_cause, build_compare
from mabos.knowledge.reasoning.questions.shapes import (
    build_deal,
    build_forecast,
    build_unusual,
    build_vote,
)
from mabos.knowledge.reasoning.questions.slots import FigureSlot, slots
from mabos.knowledge.reasoning.questions.wording import Phrasing
from mabos.language.classifier import SentenceModel

METHODS: Mapping[str, str] = {
    "bayes": "bayesian", "vote": "social-choice", "deal": "negotiation",
    "forecast": "pattern-recognition", "unusual": "pattern-recognition", "risk": "expected-utility",
}  # fmt: skip
"""The methods by shape; the others are calculations of the method `interventional`."""
BUILDERS: Mapping[str, Callable[[Roles], Reading]] = {
    "bayes": build_bayes, "vote": build_vote, "compare": build_compare,
    "cause": build_cause, "forecast": build_forecast, "unusual": build_unusual, "deal": build_deal,
    "breakeven": build_break_even, "risk": build_risk,
}  # fmt: skip
_SURE: Mapping[str, float] = TABLE["sure"]


@lru_cache(maxsize=256)
def shape_shares(text: str) -> Mapping[str, float]:
    """Return the probability of each shape of a question; empty without figures."""
    q = Phrasing(text)
    figures = slots(q)
    return load_role_models()["shape"].probabilities(shape_features(q, figures)) if figures else {}


@dataclass(frozen=True, slots=True)
class RoleCandidate:
    """A form or the missing fields by one reading, with its weight."""

    weight: float
    reading: FilledForm | MissingFields
    roles: RoleReading
    share: float = 1.0


@lru_cache(maxsize=256)
def _readings_of(text: str) -> tuple[RoleReading, ...]:
    return tuple(read_shape(Phrasing(text), count=_WAYS))


_NAMES = frozenset(TABLE["names"].split())
_WAYS = 8
"""The number of assignments of roles that are tried."""


def read_roles(q: Phrasing, _held: Holdings) -> Reading:
    """Read a question of a known shape by the trained classifiers."""
    return fill_shapes(q, _readings_of(q.text))


def fill_shapes(q: Phrasing, readings: Sequence[RoleReading], trust: SentenceModel | None = None) -> Reading:
    """Return the form of the likeliest reading if it is probably right; else what is missing, or None."""
    if not readings or q.has(_TWISTS):
        return None
    candidates = find_candidates(q, readings)
    filled = next((one for one in candidates if isinstance(one.reading, FilledForm)), None)
    trust = trust or load_role_models()["trust"]
    if filled and trust.probabilities(evidence(filled, candidates, q))["right"] >= _SURE["trust"]:
        q.grasp_all((0, len(q.plain)))
        return filled.reading
    top = candidates[0] if candidates else None
    return top.reading if top and isinstance(top.reading, MissingFields) and top.weight > _SURE["lacking"] else None


def find_candidates(q: Phrasing, readings: Sequence[RoleReading]) -> list[RoleCandidate]:
    """Return what the readings come to, the likeliest first."""
    own = slots(q)
    return sorted((one for each in readings for one in _fill(q, each, own, _SURE)), key=lambda one: -one.weight)


def evidence(best: RoleCandidate, candidates: Sequence[RoleCandidate], q: Phrasing) -> dict[str, float]:
    """Return what speaks for and against a form being right."""
    marks, roles = best.roles.marks, best.roles
    figures = [one.sure for one in marks if one.slot and one.role != NONE]
    spare = [one.sure for one in marks if one.slot and one.role == NONE]
    names = [one.sure for one in marks if not one.slot]
    rivals = [one for one in candidates if one.reading is not best.reading]
    other_forms = [
        one.weight
        for one in rivals
        if isinstance(one.reading, FilledForm)
        and isinstance(best.reading, FilledForm)
        and one.reading.problem != best.reading.problem
    ]
    other_shapes = [one.weight for one in rivals if one.roles.shape != roles.shape]
    lacks = [one.weight for one in rivals if isinstance(one.reading, MissingFields)]
    return {
        "shape sure": log(roles.sure),
        "other": roles.asks.get("other", 0.0),
        "ask": log(max(best.share, 1e-6)),
        "weakest figure": min(figures, default=0.0),
        "mean figure": sum(figures) / max(1, len(figures)),
        "weakest spare": min(spare, default=1.0),
        "spare": float(len(spare)),
        "weakest name": min(names, default=1.0),
        "weight": max(-8.0, best.weight),
        "behind": max(-4.0, best.weight - candidates[0].weight),
        "next form": min(4.0, best.weight - max(other_forms, default=-99.0)),
        "next shape": min(4.0, best.weight - max(other_shapes, default=-99.0)),
        "lacks": max(-4.0, min(4.0, best.weight - max(lacks, default=-99.0))),
        "figures": float(min(8, len(figures))),
        "restricts": float(min(3, len(q.matches(_RESTRICTS)))),
        "unused": float(min(3, len(_unused_clauses(q, marks)))),
        "words": min(6.0, len(q.plain.split()) / 10),
        f"shape {roles.shape}": 1.0,
    }


def _unused_clauses(q: Phrasing, marks: Sequence[RoleMark]) -> list[str]:
    """Return the clauses of a question, apart from its setting and its asking, in which nothing has a role."""
    tokens = role_tokens(q)
    taken = [tokens[one.at].start for one in marks if one.role != NONE]
    fresh = Phrasing(q.text)
    fresh.use_question()
    fresh.use(*((a, b) for a, b in q.clauses() if any(a <= at < b for at in taken)))
    return fresh.unused()


_RESTRICTS: str = TABLE["restricts"]
_TWISTS: str = TABLE["twists"]


def _fill(
    q: Phrasing, found: RoleReading, own: Sequence[FigureSlot], sure: Mapping[str, float]
) -> Iterator[RoleCandidate]:
    """Yield what the asked things of a reading come to."""
    if found.shape not in BUILDERS or found.sure < sure["shape"] or found.asks.get("other", 0) > sure["other"]:
        return
    figures = iter(own)
    marks = tuple(replace(one, slot=next(figures)) if one.slot else one for one in found.marks)
    if any(one.role == NONE and one.slot and one.sure < sure["none"] for one in marks):
        return
    if any(one.slot is None and one.role not in _NAMES for one in marks):
        return  # a figure that cannot be read
    for ask, share in found.asks.items():
        if ask == "other" or share < sure["ask"]:
            continue
        roles = Roles(q, replace(found, marks=marks), *ask.partition(":")[::2])
        weight = found.weight + log(share)
        try:
            reading = BUILDERS[found.shape](roles)
        except MissingRole as lacking:
            reading = MissingFields(METHODS.get(found.shape, "interventional"), (str(lacking),), roles.echo())
        except (LookupError, ArithmeticError, ValueError):
            continue
        unused = [one for one in marks if one.slot and one.role not in (NONE, *roles.used)]
        if reading is not None and (not unused or isinstance(reading, MissingFields)):
            yield RoleCandidate(weight, reading, replace(found, marks=marks), share)
