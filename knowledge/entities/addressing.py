"""Finding the entity that somebody names: by id, as `type:name`, or by its name alone."""

import re
from collections.abc import Sequence

from mabos.backends.graph.model import Condition, Node, View
from mabos.backends.graph.tier import GraphTier
from mabos.configs.errors import InvalidArgument, unknown
from mabos.knowledge.entities.model import ENTITY_TYPES, EntityType
from mabos.knowledge.entities.parts import is_entity
from mabos.workspace.text import terms

_SHOWN = 2000  # entities among which the nearest name is looked for
_LONGEST = 80


def slug(text: str) -> str:
    """Return the name that a label makes.

    >>> slug("SQL injection risk in user input handlers")
    'sql-injection-risk-in-user-input-handlers'
    """
    made = ""
    for word in terms(text):
        longer = f"{made}-{word}" if made else word[:_LONGEST]
        if len(longer) > _LONGEST:
            break
        made = longer
    return made


def resolved(graph: GraphTier, reference: str, view: View, now: str, *, argument: str = "entity") -> Node:
    """Return the node of the entity that `reference` names, as far as it may be seen; who stands for it, if merged.

    Of several with one name that of the smallest circle is meant, and what holds `now` before what no longer does.
    Raises `UnknownId` with the nearest name, and `InvalidArgument` where a name alone is that of several types.
    """
    anytime = View(view.principals)
    found = named(graph, reference, anytime)
    current = [node for node in found if View(at=now).holds(node)] or found
    types = sorted({node.type for node in current})
    if len(types) > 1:
        addresses = ", ".join(f"{type_.lower()}:{reference}" for type_ in types)
        raise InvalidArgument(f"{reference!r} names several entities; say which: {addresses}", argument=argument)
    if not current:
        known = [node for node in graph.find(ENTITY_TYPES, (), anytime, limit=_SHOWN) if is_entity(node)]
        raise unknown("entity", reference, {f"{node.type.lower()}:{node.name}" for node in known}, argument=argument)
    node = min(current, key=lambda one: (not one.audience, len(one.audience), one.properties["created_at"], one.uid))
    while merged_into := node.properties["merged_into"]:
        standing = graph.fetch([merged_into], anytime)
        if not standing:
            break
        node = standing[0]
    return node


def named(graph: GraphTier, reference: str, view: View) -> list[Node]:
    """Return every entity with this id, `type:name` or name that `view` shows."""
    found = [node for node in graph.fetch([reference], view) if is_entity(node)]
    if found:
        return found
    types, name = _typed(reference)
    for spelling in dict.fromkeys([name, " ".join(name.split()), slug(name)]):
        # By the name alone: few have it, and the index of names answers at once.
        named_so = graph.find((), [Condition("name", "=", spelling)], view) if spelling else []
        found = [node for node in named_so if node.type in types and is_entity(node)]
        if found:
            break
    return found


def _typed(reference: str) -> tuple[Sequence[EntityType], str]:
    type_, colon, name = reference.partition(":")
    if colon and re.fullmatch(r"\s*[A-Za-z]+\s*", type_):
        for known in ENTITY_TYPES:
            if known.lower() == type_.strip().lower():
                return [known], name.strip()
    return ENTITY_TYPES, reference.strip()
