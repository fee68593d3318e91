"""Beliefs from an agent's facts: new watched facts, and removed ones."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from datetime import datetime
from heapq import nlargest

from mabos.knowledge.fact_index import Claim, FactIndex
from mabos.knowledge.model import Fact
from mabos.knowledge.validity import holds_at
from mabos.mind.beliefs import claim, content, single_valued, structure_belief
from mabos.mind.grounds import FACT_ID, belief_of, collect_names, names, standing, without
from mabos.mind.model import Belief
from mabos.mind.times import moment
from mabos.nodes.cycle import Cycle
from mabos.society.business import read_agent
from mabos.workspace.clock import iso

_COMPANY = "company"  # whom a brief speaks of where it names nobody
_MOST = 20  # values of one claim that may have many, as the customers of a company


@dataclass(frozen=True, slots=True)
class FactNews:
    """New beliefs, and held ones that change because their facts are gone."""

    news: tuple[Belief, ...] = ()
    ungrounded: tuple[Belief, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """An agent's last look at its facts: position, time, and the names it asked for.

    `places` maps every name by which facts may be asked for to their subjects and predicates.
    """

    mind: int = -1
    changes: int = -1
    asked: frozenset[str] = frozenset()
    at: str = ""
    places: dict[str, dict[Claim, None]] = field(default_factory=dict)


def perceive_facts(cycle: Cycle) -> FactNews:
    """Return the belief changes from facts that changed, or that are newly watched.

    The cost depends on the changes and the size of the mind, not on the number of facts.
    """
    index, mind = cycle.agent.facts.index(), cycle.agent.mind
    last = cycle.seen.get((cycle.agent.id, "facts"))
    look = last if isinstance(last, _Look) else _Look()
    now = cycle.agent.clock()
    with index.lock:
        claims = index.claims_since(look.changes, look.at or iso(now), iso(now))
        if look.mind == mind.seq and not claims:
            return FactNews()
        return _compute_news(cycle, index, look, claims, now)


def _compute_news(cycle: Cycle, index: FactIndex, look: _Look, claims: list[Claim], now: datetime) -> FactNews:
    mind, own = cycle.agent.mind, (cycle.agent.business_id, cycle.agent.id, _COMPANY)
    wanted = collect_names(mind, read_agent(cycle.services.layout, cycle.agent.id).watches)
    for changed in claims:
        for name in names(*changed, own):
            look.places.setdefault(name, {})[changed] = None
    concerned = {one for name in wanted - look.asked for one in look.places.get(name, ())}
    concerned |= {one for one in claims if not wanted.isdisjoint(names(*one, own))}
    facts = {one: index.candidates(*one) for one in sorted(concerned)}
    cycle.marks[cycle.agent.id, "facts"] = _Look(mind.seq, index.changes, wanted, iso(now), look.places)
    ungrounded = _find_ungrounded_beliefs(mind.beliefs, index, now) if claims or look.mind < 0 else ()
    gone = {one.id: one for one in ungrounded}
    held = _by_claim(gone.get(one.id, one) for one in mind.beliefs) if facts else {}
    news = [one for ones in facts.values() for one in _news(ones, wanted, held, now)]
    return FactNews(tuple(news), ungrounded)


def _by_claim(beliefs: Iterable[Belief]) -> dict[Claim, list[Belief]]:
    found: dict[Claim, list[Belief]] = {}
    for belief in beliefs:
        found.setdefault(claim(structure_belief(belief)), []).append(belief)
    return found


def _news(
    facts: Iterable[Fact], wanted: Collection[str], held: dict[Claim, list[Belief]], now: datetime
) -> list[Belief]:
    """Return the beliefs from facts of one subject and predicate, if they are newer than the current ones."""
    told = sorted(
        (one for one in facts if _holds(one, now)), key=lambda one: (one.valid_from or one.updated_at, one.id)
    )
    beliefs = [belief_of(one, wanted, iso(now)) for one in told]
    if beliefs and single_valued(beliefs[0]):
        beliefs = [standing(beliefs)]
    beliefs = nlargest(_MOST, beliefs, key=lambda one: one.updated)
    return [one for one in beliefs if _is_news(one, held.get(claim(one), ()))]


def _is_news(belief: Belief, held: Iterable[Belief]) -> bool:
    said, at = content(belief), moment(belief.updated)
    for one in held:
        then = moment(one.updated)
        is_older = at is not None and then is not None and at < then
        rests_on_it = belief.evidence[0] in one.evidence
        if rests_on_it and content(one) == said and not (at is not None and then is not None and at > then):
            return False
        if is_older and one.status == "held" and not rests_on_it and single_valued(belief):
            return False
    return True


def _find_ungrounded_beliefs(beliefs: Iterable[Belief], index: FactIndex, now: datetime) -> tuple[Belief, ...]:
    found = []
    for belief in beliefs:
        facts = [one for one in belief.evidence if one.startswith(FACT_ID)] if belief.status != "superseded" else []
        gone = {one for one in facts if one not in index.facts or not _holds(index.facts[one], now)}
        if gone:
            found.append(without(belief, gone, index.facts, iso(now)))
    return tuple(found)


def _holds(fact: Fact, now: datetime) -> bool:
    return bool(fact.confidence) and holds_at(fact, now)
