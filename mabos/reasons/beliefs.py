"""Beliefs as reasons: those of now, and those of the time at which something was done."""

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

from mabos.reasons.record import Moment, Record, texts

if TYPE_CHECKING:
    from mind.history import History
    from mind.model import Belief
    from tools.services import Services


class Beliefs:
    """What the agents of a workspace believe, and believed. `made` names the action that an id came from."""

    def __init__(self, services: "Services", made: Mapping[str, str]) -> None:
        self._services = services
        self._made = made
        self.history = cache(self._history)

    def about(self, agent_id: str, subject: str, moment: Moment | None) -> Record | None:
        """Return the belief of an agent about a subject."""
        if agent_id not in self._services.agents():
            return None
        if moment is None:
            found = self._services.agent(agent_id).mind.index.about(subject)
        else:
            found = self.history(agent_id).about(subject, moment.at, but_by=moment.but_by)
        return self.record(agent_id, found) if found else None

    def then(self, belief: Record, moment: Moment) -> Record | None:
        """Return a belief as it stood at a moment, or None if it was not held."""
        history = self.history(belief.agent_id)
        present = next(one for one in history.beliefs if one.id == belief.id)
        found = history.then(present, moment.at, but_by=moment.but_by)
        return self.record(belief.agent_id, found) if found else None

    def record(self, agent_id: str, belief: "Belief") -> Record:
        """Return a belief as a record."""
        rests_on = (*texts(belief.evidence), *texts(belief.source), *texts(self._made.get(belief.id, "")))
        words = f"{belief.statement} (certainty {belief.certainty:.2f})"
        name = belief.subject if belief.status == "held" else ""
        return Record(belief.id, "belief", agent_id, words, belief.updated, rests_on, name=name)

    def _history(self, agent_id: str) -> "History":
        from mind.history import History

        return History(self._services.agent(agent_id).mind)
