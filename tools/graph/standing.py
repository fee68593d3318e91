"""Report the status of a graph's copy: reachable or not, missing parts, and equality with the original."""

from collections.abc import Mapping
from typing import Any

from mabos.backends.graph.embedded import EmbeddedGraph
from mabos.configs.errors import MabosError
from mabos.tools.runtime.graph_copy import GraphCopy

WITHOUT = "no Neo4j is set up: NEO4J_URI names one, and `make neo4j` starts one; the embedded graph answers without it"

_DEAD_SHOWN = 20


def check_drift(copy: GraphCopy) -> tuple[bool, str]:
    """Return whether the schema of a copy differs from the expected one, or why this is unknown."""
    try:
        return copy.tier.schema() != copy.wanted_schema(), ""
    except MabosError as error:
        return False, error.message


def standing(here: EmbeddedGraph, copy: GraphCopy | None) -> dict[str, Any]:
    """Return the status of a graph's copy; never raises."""
    if copy is None:
        return {"configured": False, "available": False, "detail": WITHOUT}
    status = copy.tier.status()
    waiting, dead = here.sinks.waiting(copy.tier.name)
    told: dict[str, Any] = {
        "configured": True,
        "available": status.is_available,
        "detail": status.detail,
        "mend": status.mend,
        **status.facts,
        "waiting": waiting - dead,
        "dead": [
            {"uid": one.body.uid, "kind": one.kind, "error": one.error}
            for one in here.sinks.dead(copy.tier.name)[:_DEAD_SHOWN]
        ],
    }
    if not status.is_available:
        return told
    try:
        digest = copy.tier.digest()
        is_drifted = copy.tier.schema() != copy.wanted_schema()
        vectors = copy.vectors()
    except MabosError as error:
        return told | {"available": False, "detail": error.message}
    same = {"is_equal": digest == here.digest(), "is_schema_current": not is_drifted, "vectors": vectors}
    return told | {"nodes": digest.nodes, "edges": digest.edges, "digest": digest.content} | same


def describe_copy(copy: Mapping[str, Any]) -> str:
    """Return the status of a copy in words."""
    if not copy["available"]:
        again = f"; asked again in {copy['tried_again_in_s']:g} s" if copy.get("tried_again_in_s") else ""
        lacks = f"; {copy['waiting']:,} changes wait" if copy.get("waiting") else ""
        return f"{copy['detail']}{again}{lacks}"
    parts = [copy["detail"], f"{copy['nodes']:,} nodes and {copy['edges']:,} edges"]
    parts.append("equal to the embedded graph" if copy["is_equal"] else "differs from the embedded graph")
    parts += [f"{copy['waiting']:,} changes wait"] if copy["waiting"] else []
    parts += [f"{len(copy['dead'])} changes were refused, as {copy['dead'][0]['error']}"] if copy["dead"] else []
    parts += [] if copy["is_schema_current"] else ["its schema is out of date: graph_sync_schema"]
    return "; ".join([*parts, *_describe_vectors(copy["vectors"])])


def _describe_vectors(vectors: Mapping[str, Any] | None) -> list[str]:
    if vectors and not vectors["is_current"]:
        return ["its vectors are not of this workspace's embedder: mabos graph sync"]
    return [f"{vectors['missing']:,} nodes have no vector: mabos graph sync"] if vectors and vectors["missing"] else []
