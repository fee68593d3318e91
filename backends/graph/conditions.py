"""Conditions on nodes, with one meaning for every tier.

A missing or null value equals only None, differs from everything else, and is neither less nor more than it. Numbers
compare with numbers and text with text; a truth value is no number. `in` is equality with one of several, `contains`
finds text inside text or an entry in a list.
"""

from collections.abc import Callable, Sequence
from typing import Any

from mabos.backends.graph.model import Node, NodeCondition

_OWN = frozenset({"uid", "type", "name"})


def value_of(node: Node, name: str) -> Any:
    """Return a property of the node, or its `uid`, `type` or `name`; None if it has none."""
    return getattr(node, name) if name in _OWN else node.properties.get(name)


def meets(node: Node, where: Sequence[NodeCondition]) -> bool:
    """Return whether the node meets every condition."""
    return all(_TESTS[one.operator](value_of(node, one.property), one.value) for one in where)


def _equal(found: Any, value: Any) -> bool:
    return isinstance(found, bool) == isinstance(value, bool) and bool(found == value)


def _among(found: Any, value: Any) -> bool:
    return isinstance(value, tuple) and any(_equal(found, one) for one in value)


def _comparable(found: Any, value: Any) -> bool:
    return any(
        isinstance(found, kind) and isinstance(value, kind) and not isinstance(found, bool) | isinstance(value, bool)
        for kind in (str, int | float)
    )


def _contains(found: Any, value: Any) -> bool:
    if isinstance(found, str):
        return isinstance(value, str) and value in found
    return isinstance(found, list | tuple) and any(_equal(one, value) for one in found)


_TESTS: dict[str, Callable[[Any, Any], bool]] = {
    "=": _equal,
    "!=": lambda found, value: not _equal(found, value),
    "<": lambda found, value: _comparable(found, value) and found < value,
    "<=": lambda found, value: _comparable(found, value) and found <= value,
    ">": lambda found, value: _comparable(found, value) and found > value,
    ">=": lambda found, value: _comparable(found, value) and found >= value,
    "in": _among,
    "contains": _contains,
}
