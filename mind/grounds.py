"""Facts as grounds of beliefs: the names an agent asks about, beliefs from facts, and beliefs that lose a fact.

Facts feed beliefs, never the reverse. A fact that no agent asks for stays a fact.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from mabos.knowledge.matching import Candidates
from mabos.knowledge.model import Fact
from mabos.knowledge.wording import name_key
from mabos.mind.beliefs import TRIVIAL, single_valued, stands, structure_belief
from mabos.mind.conditions import subjects
from mabos.mind.mind import Mind
from mabos.mind.model import Belief, Revision

FACT_ID = "F-"
"""The prefix of ids of facts."""


def collect_names(mind: Mind, watches: Iterable[str]) -> frozenset[str]:
    """Return the names that an agent asks about, normalized: in conditions, in its beliefs, in `watches`.

    The conditions are those of its desires, of its open goals, and of the steps of its active plans.
    """
    found = {*mind.index.names, *map(name_key, watches)}
    for desire in mind.desires:
        if desire.status != "dropped":
            found |= _list_subjects((desire.target, *desire.deps))
    for goal in mind.goals:
        if goal.status not in ("achieved", "abandoned"):
            found |= _list_subjects((goal.target, *goal.success_criteria))
    for plan in mind.plans:
        if plan.status == "active":
            for step in plan.steps:
                found |= _list_subjects(step.preconditions) | _list_subjects(tuple(when for when, _ in step.branches))
    return frozenset(found - {""})


@lru_cache(maxsize=4096)
def _list_subjects(conditions: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name_key(name) for one in conditions for name in subjects(one))


def names(subject: str, predicate: str, own: Collection[str]) -> tuple[str, ...]:
    """Return the names by which a fact may be queried; for its `own` affairs an agent uses the predicate alone."""
    about, relation = name_key(subject), name_key(predicate)
    if relation in TRIVIAL:
        return (about,)
    return (f"{about}_{relation}", relation) if subject in own else (f"{about}_{relation}",)


def belief_of(fact: Fact, wanted: Collection[str], now: str) -> Belief:
    """Return the belief that a fact gives an agent that asks about the names `wanted`."""
    subject, predicate = fact.subject, fact.predicate
    if name_key(predicate) in TRIVIAL:
        predicate = ""
    elif names(subject, predicate, ())[0] not in wanted and single_valued(_plain(fact)):
        subject, predicate = predicate, ""
    verb = "is" if not predicate or single_valued(_plain(fact)) else ""
    said = (subject, predicate.replace("_", " "), verb, fact.object)
    return Belief(
        id=f"B-{fact.id}",
        statement=" ".join(filter(None, said)),
        certainty=fact.confidence,
        source=fact.source or "fact",
        subject=subject,
        predicate=predicate,
        value=fact.object,
        updated=fact.updated_at or now,
        expires=fact.valid_until,
        evidence=(fact.id,),
    )


def index_facts(beliefs: Iterable[Belief], company: str) -> Candidates:
    """Return beliefs in the form that rules match, next to facts: for actions, never for inference.

    A belief about a name alone, as a figure, is found under the `company` and as that name's value.
    """
    found: dict[str, list[Fact]] = {}
    for belief in beliefs:
        shaped = structure_belief(belief)
        if belief.status == "held" and shaped.subject and shaped.value:
            for subject, predicate, value in _triples(shaped, company):
                found.setdefault(predicate, []).append(Fact(belief.id, subject, predicate, value, belief.certainty))

    def candidates(subject: str, predicate: str, object_: str) -> list[Fact]:
        return [one for one in found.get(predicate, ()) if subject in ("", one.subject) and object_ in ("", one.object)]

    return candidates


def _triples(belief: Belief, company: str) -> Iterator[tuple[str, str, str]]:
    if belief.predicate:
        yield belief.subject, belief.predicate, belief.value
        return
    yield company, belief.subject, belief.value
    yield belief.subject, "is", belief.value
    if belief.value.endswith("%"):
        yield belief.subject, "percent", belief.value.removesuffix("%")


def _plain(fact: Fact) -> Belief:
    return Belief("", str(fact), subject=fact.subject, predicate=fact.predicate, value=fact.object)


def standing(candidates: Iterable[Belief]) -> Belief:
    """Return the winner among beliefs about one claim; at least one is required."""
    first, *others = candidates
    for one in others:
        first = stands(one, first).winner
    return first


def without(belief: Belief, gone: Collection[str], known: Mapping[str, Fact], now: str) -> Belief:
    """Return a belief after some of its facts have been removed.

    A belief that rested on them alone ends. One with other grounds becomes as certain as these: `known` facts, or its
    own source before the fact confirmed it.
    """
    left = tuple(one for one in belief.evidence if one not in gone)
    grounds = [one for one in left if one != belief.source]
    before, sure, status = belief.certainty, belief.certainty, belief.status
    if grounds:
        sure = min(sure, max(known[one].confidence if one in known else 1.0 for one in grounds))
    elif belief.id.startswith(f"B-{FACT_ID}") or belief.source in belief.evidence:
        sure, status = 0.0, "superseded"
    else:
        sure = _prior_certainty(belief)
    said = belief.value or belief.statement
    entry = Revision(
        now, said, said, before, sure, f"{', '.join(one for one in belief.evidence if one in gone)} is held no longer"
    )
    return replace(belief, evidence=left, certainty=sure, status=status, revisions=(*belief.revisions, entry)[-5:])


def _prior_certainty(belief: Belief) -> float:
    """Return how certain a belief was before another source merely confirmed it."""
    last = belief.revisions[-1] if belief.revisions else None
    is_confirmation = last is not None and last.before == last.after and last.source != belief.source
    return min(belief.certainty, last.certainty_before) if last is not None and is_confirmation else belief.certainty
