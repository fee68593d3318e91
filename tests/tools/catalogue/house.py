"""A company whose whole catalogue may be called, and whose owner asks to see little.

with house(tmp_path / "workspace") as home:
    home.do("fact_assert", "cfo", subject="acme", predicate="churn", object="5", confidence=0.9, source="x")
    assert "churn" in home.text("agents/cfo/facts.json")
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

from mabos.configs.settings import Settings, load_settings
from tests.society.webhooks.test_signatures import SECRET
from tests.world import NONE, WORDS_ALONE, Changes, World, changed

SECRETS = MappingProxyType({"STRIPE_WEBHOOK_SECRET": SECRET})
MONDAY = datetime(2026, 1, 5, 9, tzinfo=UTC)


def _choices(governance: Mapping[str, Any]) -> Changes:
    asked = {f"governance.{name}": value for name, value in {"approval_threshold_usd": 1_000_000, **governance}.items()}
    return {**WORDS_ALONE, **asked}


def settings(**governance: Any) -> Settings:
    """Return settings without embeddings and fsync; the owner asks to see little, unless `governance` says so."""
    return changed(load_settings(), {"durability": "off", **_choices(governance)})


def house(
    root: Path,
    *,
    found: bool = True,
    variables: Mapping[str, str] = SECRETS,
    governance: Mapping[str, Any] = NONE,
    **how: Any,
) -> World:
    """Open a workspace, and found the business acme in it unless it is there already, or none shall be."""
    given = _choices(governance) if found else settings(**governance)  # those of the workspace may be damaged
    template = "saas" if found else ""
    return World(root, template=template, at=MONDAY, settings=given, variables=variables, seed="test", **how)
