"""Memories as nodes of the graph, tied to what they were made of and what shows them (S0 section 12)."""

from contextlib import suppress
from typing import Any

from mabos.backends.graph.model import Node, Part
from mabos.backends.graph.records import owned, record_uid, said, tie
from mabos.configs.errors import Damaged
from mabos.memory.model import STORES, from_record

_NAME = 80  # characters of a content that stand as the name of a node


def memory_part(agent_id: str, collection: str, key: str, record: Any) -> Part | None:
    """Return what a record of `memory-store.json` gives to the graph; one that cannot be read gives nothing."""
    if collection not in STORES:
        return None
    with suppress(Damaged):
        item = from_record(key, record)
        told = said(
            id=item.id,
            store=collection,
            kind=item.type,
            importance=item.importance,
            source=item.source,
            tags=list(item.tags),
            created_at=item.created_at,
        )
        node = Node(record_uid(agent_id, item.id), "memory_item", item.content[:_NAME], item.content, told)
        rests = [
            tie("derived_from", node.uid, record_uid(agent_id, one)) for one in (*item.derived_from, *item.evidence)
        ]
        newer = [tie("superseded_by", node.uid, record_uid(agent_id, one)) for one in [item.superseded_by] if one]
        return owned(agent_id, node, [*rests, *newer])
    return None
