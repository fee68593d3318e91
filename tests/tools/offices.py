"""A workspace with one business and its nine agents, and the tools that act on the business's own records."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from mabos.backends.chat import ChatModel
from mabos.configs.settings import Environment, load_settings
from mabos.society.business import create_business
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import frozen_clock

NOW = datetime(2026, 1, 5, 9, tzinfo=UTC)
MODULES = ("business.marketing", "business.integration", "business.metrics", "people.workforce")


def office(
    root: Path,
    *,
    businesses: tuple[str, ...] = ("acme",),
    threshold: float = 1_000_000,
    style: str = "strategic-only",
    model: ChatModel | None = None,
) -> Services:
    """Return the services of a new workspace; its owner asks to see little, unless threshold or style say so."""
    settings = load_settings().model_copy(update={"durability": "off"})
    governance = settings.governance.model_copy(update={"approval_threshold_usd": threshold, "decision_style": style})
    services = open_services(
        root, settings=settings, environment=Environment(), clock=frozen_clock(NOW), seed="test", model=model
    )
    for business_id in businesses:
        create_business(
            services.layout,
            business_id,
            name=business_id.title(),
            template="saas",
            governance=governance,
            clock=services.clock,
            ids=services.ids,
            sync=services.sync,
        )
    return replace(services, tools=Registry(MODULES))


def ask(services: Services, agent_id: str, tool: str, /, *, effect: str = "", **arguments: Any) -> Outcome:
    """Return what became of a call that the agent makes itself."""
    return call(services, tool, arguments, caller=Caller("agent", agent_id), agent_id=agent_id, key=effect or None)


def done(services: Services, agent_id: str, tool: str, /, *, effect: str = "", **arguments: Any) -> Mapping[str, Any]:
    """Return the result of a call that must succeed."""
    outcome = ask(services, agent_id, tool, effect=effect, **arguments)
    assert outcome.ok, outcome.message
    return outcome.result
