"""A session's thoughts become entities of the memory, each once, with the relations between them (S2, extraction)."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.knowledge.entities.answers import entity_json, relation_json
from mabos.knowledge.entities.extraction import Propose, extract
from mabos.knowledge.entities.linking import Known, Link
from mabos.knowledge.entities.model import ENTITY_TYPES, Entity, EntityType, Relation
from mabos.knowledge.entities.properties import words
from mabos.knowledge.entities.thoughts import Skipped, Thought

if TYPE_CHECKING:
    from mabos.knowledge.entities.memory import EntityMemory


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a session left behind: entities that are new, those it confirmed, relations that are new, and the rest."""

    created: tuple[Entity, ...]
    confirmed: tuple[Entity, ...]
    linked: tuple[Relation, ...]
    skipped: tuple[Skipped, ...]
    notices: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return S2's three counts, and what they count."""
        return {
            "created": len(self.created),
            "linked": len(self.linked),
            "skipped": len(self.skipped),
            "entities": [entity_json(one) for one in self.created],
            "confirmed": [entity_json(one) for one in self.confirmed],
            "relations": [relation_json(one) for one in self.linked],
            "reasons": [f"S{one.thought}: {one.reason}" for one in self.skipped],
            "notices": list(self.notices),
        }


def extracted(
    memory: "EntityMemory",
    session: str,
    thoughts: Iterable[Thought],
    *,
    entity_types: Sequence[EntityType] = (),
    auto_link: bool = True,
    propose: Propose | None = None,
    visibility: str = "",
) -> Extracted:
    """Write what a session's thoughts leave behind, and return it; asked again for a session, it adds nothing."""
    held = memory.figures().entities
    known = [Known(one.address, one.label, words(one.properties)) for one in held]
    found = extract(
        thoughts, session, entity_types=entity_types or ENTITY_TYPES, auto_link=auto_link, known=known, propose=propose
    )
    created, confirmed, notices, at = dict[str, Entity](), dict[str, Entity](), list[str](), dict[str, str]()
    for draft in (*found.created, *found.confirmed):
        is_known = draft in found.confirmed
        made = memory.create_entity(
            draft.type,
            draft.name,
            # What is known keeps what was said of it: a session that says it again is evidence, not a correction.
            "" if is_known else draft.label,
            properties={} if is_known else draft.properties,
            observations=draft.observations,
            source_session=session,
            visibility="" if is_known else visibility,
        )
        is_alone = made.is_new and made.entity.name == draft.name
        (created if is_alone else confirmed)[made.entity.id] = made.entity
        notices += made.notices
        at[draft.address] = made.entity.id
    linked = [one for link in found.linked if (one := _linked(memory, link, at)) is not None]
    return Extracted(tuple(created.values()), tuple(confirmed.values()), tuple(linked), found.skipped, tuple(notices))


def _linked(memory: "EntityMemory", link: Link, at: dict[str, str]) -> Relation | None:
    """Return the relation of a link if it is new."""
    # That a thought speaks of replacing something is no reason to end that: a person or an agent decides it.
    type_ = "RELATES_TO" if link.type == "SUPERSEDES" else link.type
    reason = f"{link.reason}; speaks of replacing it" if link.type == "SUPERSEDES" else link.reason
    with suppress(InvalidArgument, UnknownId):  # both became one, or one of them ended or was hidden meanwhile
        made = memory.create_relation(
            at.get(link.start, link.start), at.get(link.end, link.end), type_, properties={"reason": reason}
        )
        return made.relation if made.is_new else None
    return None
