"""The verdict on whether a goal follows, with proofs, or else the missing facts (S0 section 22)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from mabos.knowledge.inference.backward import ProvedTriple, Prover
from mabos.knowledge.inference.gaps import Partial, ends_of, partials
from mabos.knowledge.inference.relations import Triple
from mabos.knowledge.model import Condition, Rule

Status = Literal["PROVEN", "POTENTIALLY_DERIVABLE", "CANNOT_PROVE"]
_DEPTH = 8  # rules behind rules, when looking for what is missing
_PROOFS = 20  # that are told
_TREE = 50  # levels of a proof that are told


@dataclass(frozen=True, slots=True)
class Proof:
    """A triple that follows, and the proofs of its supports."""

    answer: ProvedTriple
    supports: tuple["Proof", ...] = ()
    cut: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return the tree as nested data."""
        subject, predicate, object_ = self.answer.triple
        told: dict[str, Any] = {"subject": subject, "predicate": predicate, "object": object_}
        told["confidence"] = self.answer.confidence
        if self.answer.fact_id:
            told["fact_id"] = self.answer.fact_id
        if self.answer.rule is not None:
            told |= {"rule_id": self.answer.rule.id, "supports": [support.as_json() for support in self.supports]}
        if self.cut:
            told["deeper"] = True
        return told

    def lines(self, level: int = 0) -> Iterator[str]:
        """Yield the tree as an indented list, each derived confidence with its calculation."""
        origin = f"stated, {self.answer.fact_id}"
        if self.answer.rule is not None:
            listed = ", ".join(f"{support.answer.confidence:.4g}" for support in self.supports) or "..."
            origin = f"by {self.answer.rule.id}: min({listed}) x {self.answer.rule.confidence_factor:g}"
        yield f"{'  ' * level}- {' '.join(self.answer.triple)} ({self.answer.confidence:.4g}, {origin})"
        for support in self.supports:
            yield from support.lines(level + 1)


@dataclass(frozen=True, slots=True)
class Gap:
    """A missing fact that would help, the rules that need it, and those that could derive it."""

    condition: Condition
    wanted_by: tuple[str, ...]
    derivable_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class GoalVerdict:
    """The verdict on a goal: proofs, most certain first, or the nearest rules and their gaps."""

    goal: Condition
    status: Status
    proofs: tuple[Proof, ...] = ()
    partials: tuple[Partial, ...] = ()
    gaps: tuple[Gap, ...] = ()
    is_complete: bool = True


def verdict(goal: Condition, rules: Sequence[Rule], prover: Prover) -> GoalVerdict:
    """Return whether `goal` follows; an empty subject or object, or a variable, matches anything."""
    subject, object_ = ends_of(goal)
    answers = prover.prove(subject, goal.predicate, object_)
    if answers:
        proofs = tuple(proof(answer, prover) for answer in answers[:_PROOFS])
        return GoalVerdict(goal, "PROVEN", proofs, is_complete=not prover.is_exhausted)
    near = _rank_partials(goal, rules, prover)
    if not near:
        return GoalVerdict(goal, "CANNOT_PROVE", gaps=(Gap(goal, ()),), is_complete=not prover.is_exhausted)
    gaps = tuple(_gaps(near, rules, prover))
    return GoalVerdict(goal, "POTENTIALLY_DERIVABLE", (), near, gaps, is_complete=not prover.is_exhausted)


def proof(answer: ProvedTriple, prover: Prover) -> Proof:
    """Return the proof tree of an answer, whose supports are all proved."""
    return _grow_proof(answer, prover, {}, ())


def _grow_proof(answer: ProvedTriple, prover: Prover, known: dict[Triple, Proof], above: tuple[Triple, ...]) -> Proof:
    found = known.get(answer.triple)
    if found is None:
        path = (*above, answer.triple)
        if answer.supports and len(path) > _TREE:
            return Proof(answer, cut=True)
        supports = [prover.answer(triple) for triple in answer.supports if triple not in above]
        grown = tuple(_grow_proof(one, prover, known, path) for one in supports if one is not None)
        found = known[answer.triple] = Proof(answer, grown)
    return found


def _gaps(nearest: Sequence[Partial], rules: Sequence[Rule], prover: Prover) -> Iterator[Gap]:
    """Yield the gaps, the nearest first; a gap that a rule could derive is followed by that rule's gaps."""
    wanted: dict[Condition, dict[str, None]] = {}
    derivable: dict[Condition, tuple[str, ...]] = {}
    level = list(nearest)
    for _ in range(_DEPTH):
        following: list[Partial] = []
        for partial in level:
            for condition in partial.missing:
                is_new = condition not in wanted
                wanted.setdefault(condition, {})[partial.rule.id] = None
                if is_new:
                    further = _further(condition, rules, prover)
                    derivable[condition] = tuple(one.rule.id for one in further)
                    following += further
        if not following:
            break
        level = following
    for condition, rule_ids in wanted.items():
        yield Gap(condition, tuple(rule_ids), derivable[condition])


def _further(condition: Condition, rules: Sequence[Rule], prover: Prover) -> tuple[Partial, ...]:
    return _rank_partials(condition if condition.operator == "eq" else replace(condition, object=""), rules, prover)


def _rank_partials(goal: Condition, rules: Sequence[Rule], prover: Prover) -> tuple[Partial, ...]:
    near = partials(goal, rules, prover)
    return tuple(sorted(near, key=lambda one: (-one.support * one.rule.confidence_factor, one.rule.id)))
