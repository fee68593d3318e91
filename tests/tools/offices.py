"""A workspace with one business and its nine agents, for tests that only call tools."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.world import World

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)


def office(
    root: Path,
    *,
    businesses: tuple[str, ...] = ("acme",),
    threshold: float = 1_000_000,
    style: str = "strategic-only",
    **how: Any,
) -> World:
    """Return a new world without cycles; its owner asks to see little, unless threshold or style say so."""
    governance = {"governance.approval_threshold_usd": threshold, "governance.decision_style": style}
    given = {"at": NOW, "settings": governance, "variables": {}, "seed": "test", "is_alone": True, **how}
    return World(root, businesses=businesses, **given)
