"""Numeric digests of nodes and edges: every tier sums them, so that tiers can be compared.

The two halves of a digest are below 2**32, so that a server can sum billions of rows without overflow.
"""

from collections.abc import Mapping
from hashlib import blake2b
from struct import Struct
from typing import Any

import orjson

from mabos.backends.graph.model import Digest, Edge, Node

_NOTHING = blake2b(digest_size=8)  # copied for each: making one anew takes longer than all the rest
_HALVES = Struct(">II").unpack
_SUM = 2**64


def fingerprint(part: Node | Edge, properties: str = "") -> tuple[int, int]:
    """Return two numbers below 2**32 that identify the content of a node or edge, its revision left out.

    A caller with `encode_properties` properties passes that text.
    """
    last: tuple[object, ...]
    if isinstance(part, Node):
        last = (part.name, part.text, sorted(part.audience))
    else:
        last = (part.start, part.end, float(part.weight))
    content = (
        part.uid,
        part.type,
        properties or encode_properties(part.properties),
        part.valid_from,
        part.valid_to,
        *last,
    )
    digest = _NOTHING.copy()
    digest.update(orjson.dumps(content))
    high, low = _HALVES(digest.digest())
    return high, low


def digest_of(nodes: int, edges: int, high: int, low: int) -> Digest:
    """Return the digest of this many nodes and edges, given the sums of both halves over all of them."""
    return Digest(nodes, edges, f"{high % _SUM:016x}{low % _SUM:016x}")


def encode_properties(properties: Mapping[str, Any]) -> str:
    """Return properties as canonical JSON: equal properties are equal text."""
    return orjson.dumps(dict(properties), option=orjson.OPT_SORT_KEYS).decode() if properties else "{}"


def properties_of(text: str) -> dict[str, Any]:
    """Parse the text that `encode_properties` made."""
    return {} if text == "{}" else dict(orjson.loads(text))
