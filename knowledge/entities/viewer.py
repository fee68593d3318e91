"""The caller of a memory, an agent or a person, and the entities that a reference names.

An entity is named by its id, as `type:name`, or by its name alone.
"""

import re
from collections.abc import Sequence
from typing import TypeVar

from mabos.backends.graph.model import GraphView, Node, NodeCondition
from mabos.configs.errors import InvalidArgument, Refused, unknown
from mabos.knowledge.entities.fold import MemoryState
from mabos.knowledge.entities.lines import Line
from mabos.knowledge.entities.model import ENTITY_TYPES, Entity, EntityType, Observation
from mabos.knowledge.entities.parts import OBSERVES, entity_of, is_entity, observation_of
from mabos.knowledge.entities.store import EntityStore
from mabos.knowledge.entities.visibility import NOBODY, Directory
from mabos.workspace.clock import Clock, iso, parse_time
from mabos.workspace.text import one_line, terms

Signed = TypeVar("Signed", bound=Line)

_SUGGESTED = 2000
"""Entities among which the nearest name is looked for."""
_LONGEST_SLUG = 80


class Viewer:
    """An agent as the caller of a memory; without `agent_id` it is a person, who sees everything.

    `call` names the call, with an effect key and a frozen `clock`, in which it writes.
    """

    def __init__(
        self,
        store: EntityStore,
        agent_id: str = "",
        *,
        directory: Directory = NOBODY,
        clock: Clock | None = None,
        call: str = "",
    ) -> None:
        self.store = store
        self.graph = store.graph
        self.agent_id = agent_id
        self.directory = directory
        self.clock = clock or store.clock
        self.principals = directory.principals(agent_id) if agent_id else None
        self.always = GraphView(self.principals)
        """Its view, of any time."""
        self._call = call

    def now(self) -> str:
        """Return the time in the stored form."""
        return iso(self.clock())

    def view(self, at: str = "") -> GraphView:
        """Return the caller's view now, as of a date, or with `any` of any time; raises `InvalidArgument`."""
        return self.always if at == "any" else GraphView(self.principals, moment(at, "at") or self.now())

    def named(self, reference: str, view: GraphView | None = None) -> list[Node]:
        """Return every visible entity with this id, `type:name` or name, or those that `view` shows."""
        view = view or self.always
        found = [node for node in self.graph.fetch([reference], view) if is_entity(node)]
        if found:
            return found
        types, name = _split_reference(reference)
        for spelling in dict.fromkeys([name, one_line(name), entity_slug(name)]):
            # By the name alone: few have it, and the index of names answers at once.
            named_so = self.graph.find((), [NodeCondition("name", "=", spelling)], view) if spelling else []
            found = [node for node in named_so if node.type in types and is_entity(node)]
            if found:
                break
        return found

    def node(self, reference: str, *, argument: str = "entity") -> Node:
        """Return the visible entity that `reference` names; if merged, the entity that replaces it.

        Of several with one name, the one with the smallest circle wins, and current ones come before ended ones. Raises
        `UnknownId` with the nearest name, and `InvalidArgument` if a bare name fits several types.
        """
        found = self.named(reference)
        present = GraphView(at=self.now())
        current = [node for node in found if present.holds(node)] or found
        types = sorted({node.type for node in current})
        if len(types) > 1:
            addresses = ", ".join(f"{type_.lower()}:{reference}" for type_ in types)
            raise InvalidArgument(f"{reference!r} names several entities; say which: {addresses}", argument=argument)
        if not current:
            others = self.graph.find(ENTITY_TYPES, (), self.always, limit=_SUGGESTED)
            known = {f"{node.type.lower()}:{node.name}" for node in others if is_entity(node)}
            raise unknown("entity", reference, known, argument=argument)
        node = min(
            current, key=lambda one: (not one.audience, len(one.audience), one.properties["created_at"], one.uid)
        )
        while merged_into := node.properties["merged_into"]:
            standing = self.graph.fetch([merged_into], self.always)
            if not standing:
                break
            node = standing[0]
        return node

    def current(self, reference: str, *, argument: str = "entity") -> Node:
        """Return a visible and valid entity; raises as `node`, and `InvalidArgument` if it has ended."""
        node = self.node(reference, argument=argument)
        if node.valid_to and node.valid_to <= self.now():
            by = node.properties["superseded_by"]
            message = f"{reference!r} has not held since {node.valid_to}" + (f"; {by} replaces it" if by else "")
            raise InvalidArgument(message, argument=argument)
        return node

    def read(self, id_: str) -> Entity:
        """Return an entity from the graph after a write."""
        return entity_of(self.graph.fetch([id_])[0])

    def read_observation(self, id_: str) -> Observation:
        """Return an observation from the graph after a write."""
        steps = self.graph.expand([id_], "out", [OBSERVES])
        return observation_of(self.graph.fetch([id_])[0], steps[-1].node.uid if steps else "")

    def check_maker(self, maker: str, target: str) -> None:
        """Raise `Refused` unless the caller is the creator or a person."""
        if self.agent_id and maker != self.agent_id:
            by = f"agent {maker!r}" if maker else "a person"
            raise Refused(f"{target!r} was made by {by}; only {by} or a person may do this", argument="target")

    def own_node(self, entity: str, state: MemoryState) -> Node:
        """Return an unmerged entity that the caller may change; raises `Refused` and `InvalidArgument`."""
        node = self.node(entity)
        self.check_maker(node.properties["created_by"], entity)
        if state.is_merged(node.uid):
            raise InvalidArgument(f"{entity!r} is merged with others; undo the merge first", argument="entity")
        return node

    def sign(self, line: Signed) -> Signed:
        """Return a line with the time, the agent and the call that write it."""
        line.at, line.by, line.call = self.now(), self.agent_id, self._call
        return line


def moment(text: str, argument: str) -> str:
    """Return a time in the stored form; "" for none. Raises `InvalidArgument`."""
    return iso(parse_time(text, argument=argument)) if text else ""


def entity_slug(text: str) -> str:
    """Return the name derived from a label.

    >>> entity_slug("SQL injection risk in user input handlers")
    'sql-injection-risk-in-user-input-handlers'
    """
    made = ""
    for word in terms(text):
        longer = f"{made}-{word}" if made else word[:_LONGEST_SLUG]
        if len(longer) > _LONGEST_SLUG:
            break
        made = longer
    return made


def _split_reference(reference: str) -> tuple[Sequence[EntityType], str]:
    type_, colon, name = reference.partition(":")
    if colon and re.fullmatch(r"\s*[A-Za-z]+\s*", type_):
        for known in ENTITY_TYPES:
            if known.lower() == type_.strip().lower():
                return [known], name.strip()
    return ENTITY_TYPES, reference.strip()
