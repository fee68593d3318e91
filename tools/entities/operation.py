"""The entity memory of a business as one operation with S2's twelve actions, and a few that they need.

An entity is named by its id, or as `pattern:orchestrator-worker`. The queries are in `questions.py`.
"""

from collections.abc import Sequence
from typing import Any

from mabos.configs.errors import UnknownId
from mabos.knowledge.entities.answers import CreatedEntity, SessionKnowledge, entity_json
from mabos.knowledge.entities.memory import EntityMemory
from mabos.knowledge.entities.model import Entity, EntityType, RelationType, Visibility
from mabos.knowledge.entities.outside import SessionReading
from mabos.tools.catalogue.declaration import Action, Text, Tool
from mabos.tools.entities.questions import READING, memory_of, stats
from mabos.tools.history.sessions import proposing, read_outside, session
from mabos.tools.runtime.services import Agent


def knowledge(agent: Agent) -> dict[str, Any]:
    """Keep and ask what the business knows: insights, concepts, patterns, decisions, agents, and how they relate."""
    return stats(agent)


def create_entity(
    agent: Agent,
    *,
    type_: EntityType,
    name: str = "",
    label: str = "",
    properties: dict[str, Any] | None = None,
    observations: list[Text] | None = None,
    source_session: str = "",
    visibility: Visibility | None = None,
    teams: list[str] | None = None,
    agents: list[str] | None = None,
    users: list[str] | None = None,
    valid_from: str = "",
    valid_to: str = "",
) -> dict[str, Any]:
    """Create an entity with its observations; one of this type and name is stated anew.

    Args:
        type: Insight, Concept, Pattern, Decision or Agent; for a relation its type, as BUILDS_ON.
        name: The name, unique for its type; made of the label if left out.
        label: The title.
        properties: What its type says of itself, as key_learning and confidence of an Insight.
        observations: Atomic statements about it.
        source_session: The session that taught it: the id of a cycle.
        visibility: public, agent-private, user-private or team-private; as it is, or public, if left out.
        teams: Teams that may see what is team-private.
        agents: Agents that may see what is team-private.
        users: Users whose agents may see what is team-private.
        valid_from: From when on it holds, ISO 8601.
        valid_to: Until when it holds.
    """
    made = memory_of(agent).create_entity(
        type_,
        name,
        label,
        properties=properties,
        observations=observations or (),
        source_session=source_session or agent.cycle,
        visibility=visibility or "",
        teams=teams or (),
        agents=agents or (),
        users=users or (),
        valid_from=valid_from,
        valid_to=valid_to,
    )
    return made.as_json()


def add_observation(
    agent: Agent, *, entity: Text, content: Text, source_session: str = "", valid_from: str = "", valid_to: str = ""
) -> dict[str, Any]:
    """Add a statement to an entity; the very same one is not doubled.

    Args:
        entity: The entity, by id or as type:name.
        content: The statement.
    """
    seen = source_session or agent.cycle
    return (
        memory_of(agent)
        .add_observation(entity, content, source_session=seen, valid_from=valid_from, valid_to=valid_to)
        .as_json()
    )


def create_relation(
    agent: Agent,
    *,
    from_: Text,
    to: Text,
    type_: RelationType,
    properties: dict[str, Any] | None = None,
    valid_from: str = "",
    valid_to: str = "",
) -> dict[str, Any]:
    """Relate two entities; contradictions are settled within the same subject and relation.

    Args:
        from: Where the relation begins: an entity by id or as type:name.
        to: Where it ends; EXTRACTED_FROM may lead to session:ID, APPLIED_IN to task:ID.
    """
    made = memory_of(agent).create_relation(
        from_, to, type_, properties=properties, valid_from=valid_from, valid_to=valid_to
    )
    return made.as_json()


def extract_from_session(
    agent: Agent,
    *,
    session_id: Text,
    text: str = "",
    entity_types: list[EntityType] | None = None,
    auto_link: bool = True,
    visibility: Visibility = "public",
) -> dict[str, Any]:
    """Make entities of a session: a cycle, or a transcript, mails or notes from outside; again, it adds nothing.

    Args:
        session_id: The id of the cycle, or a new one for a session from outside; a saved task counts as one.
        text: The session from outside: a transcript, a thread of mails, or notes in Markdown. It is saved as a task.
        entity_types: Only entities of these types.
        auto_link: Whether what is extracted is related to what it mentions.
    """
    reading = read_outside(agent, session_id, text, is_public=visibility == "public")
    found = extracted_from(
        agent, session_id, entity_types or (), auto_link=auto_link, visibility=visibility, reading=reading
    )
    return found.as_json()


def extracted_from(
    agent: Agent,
    session_id: str,
    entity_types: Sequence[EntityType] = (),
    *,
    auto_link: bool = True,
    visibility: Visibility = "public",
    reading: SessionReading | None = None,
) -> SessionKnowledge:
    """Return the entities that a session left in the entity memory, by rules and by the model if there is one."""
    propose = proposing(agent.services.model)
    return memory_of(agent).extract_from_session(
        session_id,
        # What only a model can make something of is left out where there is none.
        [one for one in reading.thoughts if propose or one.kind != "O"] if reading else session(agent, session_id),
        entity_types=entity_types,
        auto_link=auto_link,
        propose=propose,
        visibility=visibility,
        reading=reading,
    )


def invalidate_fact(
    agent: Agent, *, target: Text, at: str = "", superseded_by: str = "", reason: str = ""
) -> dict[str, Any]:
    """Say that an entity, observation or relation no longer holds, and what replaces it; it stays on record.

    Args:
        target: Its id, or type:name of an entity; for undo_merge the id of the merge.
        at: The date as of which to look, or on which it ended.
        superseded_by: What replaces it.
        reason: Why.
    """
    memory = memory_of(agent)
    rivals = _contradicting(memory, target) if superseded_by else {}
    done = memory.invalidate_fact(target, at=at, superseded_by=superseded_by, reason=reason).as_json()
    if superseded_by not in rivals:
        return done
    return done | {"decision": _decision(memory, rivals[superseded_by], target, reason, agent.id).as_json()}


def _contradicting(memory: EntityMemory, target: str) -> dict[str, Entity]:
    """Return the entities that contradict one, by id and by address; nothing where `target` is no entity."""
    try:
        walk = memory.query_graph(target, relation_types=["CONTRADICTS"])
    except UnknownId:
        return {}
    found = [hit.entity for hit in walk.hits if hit.entity is not None]
    return {key: one for one in found for key in (one.id, one.address)}


def _decision(memory: EntityMemory, chosen: Entity, other: str, reason: str, by: str) -> CreatedEntity:
    """Keep the settling of a contradiction as a decision, with the reason."""
    told = {"options": [chosen.address, other], "chosen": chosen.address, "decided_by": by}
    about = {**told, "question": f"{chosen.address} or {other}?", "rationale": reason or "it superseded the other"}
    return memory.create_entity("Decision", label=f"{chosen.label or chosen.name} holds", properties=about)


def merge_entities(agent: Agent, *, entity: Text, duplicates: list[Text], reason: str = "") -> dict[str, Any]:
    """Let one entity stand for others of its type; undo_merge takes it back whole.

    Args:
        duplicates: The entities that become part of `entity`.
    """
    return memory_of(agent).merge_entities(entity, duplicates, reason=reason).as_json()


def undo_merge(agent: Agent, *, target: Text, reason: str = "") -> dict[str, Any]:
    """Split merged entities again."""
    return {"entities": [entity_json(one) for one in memory_of(agent).undo_merge(target, reason=reason)]}


def set_visibility(
    agent: Agent,
    *,
    entity: Text,
    visibility: Visibility,
    teams: list[str] | None = None,
    agents: list[str] | None = None,
    users: list[str] | None = None,
) -> dict[str, Any]:
    """Say who may see an entity; only who made it, or a person, may."""
    seen = memory_of(agent).set_visibility(
        entity, visibility, teams=teams or (), agents=agents or (), users=users or ()
    )
    return entity_json(seen)


def forget(agent: Agent, *, target: Text, reason: str = "") -> dict[str, Any]:
    """Remove an entity with all that hangs on it, an observation or a relation, for good."""
    return {"forgotten": target, "kind": memory_of(agent).forget(target, reason=reason)}


def archive(agent: Agent, *, entity: Text, reason: str = "") -> dict[str, Any]:
    """Move an entity into the archive, from which it can be restored."""
    return entity_json(memory_of(agent).archive(entity, reason=reason))


def restore(agent: Agent, *, entity: Text) -> dict[str, Any]:
    """Bring an entity back from the archive."""
    return entity_json(memory_of(agent).restore(entity))


_WRITING = (
    create_entity, add_observation, create_relation, extract_from_session, invalidate_fact, merge_entities, undo_merge,
    set_visibility, forget, archive, restore,
)  # fmt: skip
TOOLS = [
    Tool.of(
        knowledge,
        module="Knowledge memory",
        writes=True,
        category="knowledge",
        actions=[*(Action(one, writes=True) for one in _WRITING), *(Action(one, writes=False) for one in READING)],
    )
]
