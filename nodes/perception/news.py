"""News for an agent's rules: changes since the last evaluation, and the requests that follow."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from mabos.knowledge.matching import Candidates, matches, touching
from mabos.knowledge.model import Rule
from mabos.knowledge.rules import Finder
from mabos.mind.grounds import index_facts
from mabos.mind.model import Desire
from mabos.nodes.cycle import Cycle, Errand
from mabos.tools.runtime.services import Agent


@dataclass(frozen=True, slots=True)
class RuleRequests:
    """The requests of rules: calls for act, and desires, new or changed."""

    errands: tuple[Errand, ...] = ()
    wishes: tuple[Desire, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """The last evaluation of rules: the rules, the time, the position in the facts, and the beliefs used.

    `mind` is the position of the mind and its company; while it is unchanged, so are the beliefs.
    """

    rules: tuple[Rule, ...] = ()
    changes: int = -1
    at: str = ""
    believed: frozenset[tuple[str, str, str]] = frozenset()
    mind: tuple[int, str] = (-1, "")


@dataclass(frozen=True, slots=True)
class News:
    """An evaluation of rules: the finder, the beliefs to use, and the look to remember."""

    find: Finder
    beside: Candidates
    look: Look


def news_of(cycle: Cycle, what: str, enabled: Sequence[Rule], *, always: bool = False) -> News | None:
    """Return the evaluation of `enabled` rules, or None if none of their inputs has changed.

    `always` is for rules whose last result still has an effect, even if no rules are left.
    """
    agent, rules = cycle.agent, tuple(enabled)
    if not rules and not always:
        return None
    look, now, index = last_look(cycle, what), cycle.now(), agent.facts.index()
    with index.lock:
        claims, changes = index.claims_since(look.changes, look.at or now, now), index.changes
    is_known, mind = look.rules == rules, (agent.mind.seq, agent.business_id)
    if is_known and not claims and look.mind == mind:
        return None  # an idle cycle goes through no beliefs
    beliefs = index_facts(agent.mind.beliefs, agent.business_id)
    believed = frozenset(
        one.triple for rule in rules for part in rule.conditions for one in beliefs("", part.predicate, "")
    )
    claims += sorted({(subject, predicate) for subject, predicate, _ in believed ^ look.believed})
    seen = Look(rules, changes, now, believed, mind)
    if is_known and not claims:
        cycle.marks[agent.id, what] = seen
        return None
    return News(partial(touching, claims=claims) if is_known else matches, beliefs, seen)


def last_look(cycle: Cycle, what: str) -> Look:
    """Return the look of this agent's last finished evaluation."""
    last = cycle.seen.get((cycle.agent.id, what))
    return last if isinstance(last, Look) else Look()


def is_done(agent: Agent, key: str) -> bool:
    """Return whether the errand with this key was done."""
    known = agent.services.directory.effects(agent.id).find(key)
    return known is not None and known.status == "done"
