"""Beliefs and facts as reasons: current ones, and those at the time of an action."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from mabos.interfaces.reasons.record import ReasonTime, Record, texts

if TYPE_CHECKING:
    from mabos.knowledge.model import Fact
    from mabos.mind.history import History
    from mabos.mind.model import Belief
    from mabos.tools.runtime.services import Services


def fact_record(agent_id: str, fact: "Fact") -> Record:
    """Return a fact, or a former version of one, as a record."""
    rests = tuple(texts([fact.derived_from, fact.rule_id, fact.source]))
    until = f", held until {fact.recorded_until[:16]}" if fact.recorded_until else ""
    words = f"{fact} (confidence {fact.confidence:.2f}{until})"
    return Record(fact.id, "fact", agent_id, words, fact.created_at, rests)


def belief_record(agent_id: str, belief: "Belief") -> Record:
    """Return a belief as a record."""
    rests_on = (*texts(belief.evidence), *texts(belief.source))
    words = f"{belief.statement} (certainty {belief.certainty:.2f})"
    name = belief.subject if belief.status == "held" else ""
    return Record(belief.id, "belief", agent_id, words, belief.updated, rests_on, name=name)


class Beliefs:
    """The beliefs of a workspace's agents, present and past.

    `linked` returns a record with the actions behind it. Histories are cached until `forget`.
    """

    def __init__(self, services: "Services", linked: Callable[[Record], Record]) -> None:
        self._services = services
        self._linked = linked
        self._histories: dict[str, History] = {}
        self._known: dict[str, dict[str, dict[str, Fact]]] = {}

    def forget(self, agent_id: str) -> None:
        """Drop an agent's cached history; it is read again at the next request."""
        self._histories.pop(agent_id, None)
        self._known.pop(agent_id, None)

    def history(self, agent_id: str) -> "History":
        """Return the history of an agent's beliefs."""
        from mabos.mind.history import History

        if agent_id not in self._histories:
            self._histories[agent_id] = History(self._services.agent(agent_id).mind)
        return self._histories[agent_id]

    def about(self, agent_id: str, subject: str, moment: ReasonTime | None) -> Record | None:
        """Return the belief of an agent about a subject."""
        if agent_id not in self._services.agents():
            return None
        if moment is None:
            found = self._services.agent(agent_id).mind.index.about(subject)
        else:
            found = self.history(agent_id).about(subject, moment.at, but_by=moment.but_by)
        return self._record(agent_id, found) if found else None

    def then(self, belief: Record, moment: ReasonTime) -> Record | None:
        """Return a belief or fact as of a time, or None if it was not held."""
        if belief.kind == "fact":
            return self._find_version(belief, moment.at)
        history = self.history(belief.agent_id)
        present = next(one for one in history.beliefs if one.id == belief.id)
        found = history.then(present, moment.at, but_by=moment.but_by)
        return self._record(belief.agent_id, found) if found else None

    def _find_version(self, fact: Record, at: str) -> Record | None:
        version = self._known_at(fact.agent_id, at).get(fact.id)
        if version is None:  # one that was only restated since has no version of its own
            return fact if fact.at <= at else None
        return self._linked(fact_record(fact.agent_id, version))

    def _record(self, agent_id: str, belief: "Belief") -> Record:
        return self._linked(belief_record(agent_id, belief))

    def _known_at(self, agent_id: str, at: str) -> "dict[str, Fact]":
        known = self._known.setdefault(agent_id, {})
        if at not in known:
            known[at] = {fact.id: fact for fact in self._services.agent(agent_id).facts.query(known_at=at)}
        return known[at]
