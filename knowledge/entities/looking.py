"""From where one agent looks at a memory, and how what it finds is shown: with observations, neighbours and a score."""

from collections.abc import Iterable, Sequence

from mabos.backends.graph.model import Node, Step, View
from mabos.knowledge.entities.addressing import resolved
from mabos.knowledge.entities.agreement import RULES, Rules
from mabos.knowledge.entities.answers import Neighbour, Profile
from mabos.knowledge.entities.model import RELATION_TYPES, Observation
from mabos.knowledge.entities.parts import OBSERVES, entity_of, is_entity, observation_of, relation_of
from mabos.knowledge.entities.ranking import (
    SessionQuality,
    Weights,
    access_frequency,
    days_between,
    importance,
    recency,
    source_quality,
)
from mabos.knowledge.entities.store import EntityStore
from mabos.knowledge.entities.visibility import NOBODY, Directory
from mabos.workspace.clock import Clock, iso, parse_time

_RELATED = 10  # neighbours shown beside a result
WALKED = tuple(type_ for type_ in RELATION_TYPES if type_ not in ("EXTRACTED_FROM", "APPLIED_IN"))
"""What is walked where nobody names relations: two things of one session are not related by that."""


class Looking:
    """One agent at a memory; without `agent_id` it is a person, who sees everything.

    `call` names the call with an effect key in which it writes, whose `clock` stands still.
    """

    def __init__(
        self,
        store: EntityStore,
        agent_id: str = "",
        *,
        directory: Directory = NOBODY,
        session_quality: SessionQuality = lambda _: None,
        weights: Weights | None = None,
        rules: Rules = RULES,
        clock: Clock | None = None,
        call: str = "",
    ) -> None:
        self._store = store
        self._graph = store.graph
        self._agent = agent_id
        self._directory = directory
        self._quality = session_quality
        self._weights = weights or Weights()
        self._rules = rules
        self._clock = clock or store.clock
        self._call = call
        self._principals = directory.principals(agent_id) if agent_id else None

    def importance(self, node: Node, degree: int) -> float:
        """Return how much an entity matters (S2, entity lifecycle)."""
        accesses, _ = self._store.accesses.of(node.uid)
        days = days_between(node.properties["created_at"], self._clock())
        return importance(accesses, days, degree, self._store.highest_degree)

    def _score(self, node: Node, similarity: float) -> float:
        accesses, _ = self._store.accesses.of(node.uid)
        return self._weights.score(
            similarity,
            recency(days_between(node.properties["created_at"], self._clock())),
            access_frequency(accesses),
            source_quality(node.properties["sessions"], self._quality),
        )

    def _profiles(self, nodes: Sequence[Node], view: View) -> list[Profile]:
        uids = [node.uid for node in nodes]
        seen, beside = self._around(uids, view)
        profiles = []
        for node in nodes:
            observed = observations(seen.get(node.uid, ()))
            steps = beside.get(node.uid, [])
            sessions = [*node.properties["sessions"], *(one.source_session for one in observed)]
            profiles.append(
                Profile(
                    entity_of(node),
                    observed,
                    tuple(map(neighbour, steps[:_RELATED])),
                    tuple(dict.fromkeys(filter(None, sessions))),
                    *self._store.accesses.of(node.uid),
                    self.importance(node, len(steps)),
                )
            )
        return profiles

    def _around(self, uids: Sequence[str], view: View) -> tuple[dict[str, list[Step]], dict[str, list[Step]]]:
        seen: dict[str, list[Step]] = {}
        beside: dict[str, list[Step]] = {}
        if uids:
            for step in self._graph.expand(uids, "in", [OBSERVES], view):
                seen.setdefault(step.origin, []).append(step)
            for step in self._graph.expand(uids, "both", WALKED, view):
                if is_entity(step.node):
                    beside.setdefault(step.origin, []).append(step)
        return seen, beside

    def _node(self, reference: str, *, argument: str = "entity") -> Node:
        now = iso(self._clock())
        return resolved(self._graph, reference, View(self._principals), now, argument=argument)

    def _view(self, at: str) -> View:
        if at == "any":
            return View(self._principals)
        return View(self._principals, moment(at, "at") or iso(self._clock()))


def moment(text: str, argument: str) -> str:
    """Return a time in the form in which times are kept; "" for none. Raises `InvalidArgument`."""
    return iso(parse_time(text, argument=argument)) if text else ""


def observations(steps: Iterable[Step]) -> tuple[Observation, ...]:
    """Return the observations that steps lead to, each once, oldest first."""
    found = {step.node.uid: observation_of(step.node, step.origin) for step in steps}
    return tuple(sorted(found.values(), key=lambda one: (one.added_at, one.id)))


def neighbour(step: Step) -> Neighbour:
    """Return what stands at the other end of a step."""
    label = str(step.node.properties.get("label", step.node.name))
    return Neighbour(relation_of(step.edge), step.node.uid, step.node.type, step.node.name, label)
