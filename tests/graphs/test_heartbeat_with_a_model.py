"""What the heartbeat asks a model stands on the ledger of whose it is, and stops where a budget does."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from mabos.backends.chat import Completion, Reply, ScriptedCall, ScriptedModel, Usage
from mabos.graphs import wiring
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso
from tests import acme
from tests.graphs.test_budgets import settings

SATURDAY = datetime(2026, 2, 28, 9, tzinfo=UTC)
"""The day before a hierarchy is built."""


def telling(asked: ScriptedCall) -> Reply:
    """Tell of a period, and find nothing in tasks and cycles."""
    said = '{"narrative": "It went on."}' if asked.tag.startswith("memory") else '{"nodes": [], "entities": []}'
    return Completion(said, usage=Usage(100, 20, 0.01))


@contextmanager
def company(root: Path, model: ScriptedModel, **limits: float) -> Iterator[Services]:
    """Open a company in which HR has done and the CFO remembered something, on the day of a hierarchy."""
    clock = SteppedClock(SATURDAY)
    with wiring.hold_services(root, settings=settings("agent", **limits), clock=clock, model=model) as services:
        acme.found(services)
        mind, now = services.agent("hr").mind, iso(clock())
        goal = Goal(
            "G-pool",
            "Know who is free for the work on the hall, on the stairs and in the yard until the end of March",
            priority=0.99,
            created=now,
            updated=now,
        )
        free = "Ada and Ben are free from Monday on, and Cleo from the middle of the month, when the hall is painted."
        step = Step("note", "Note who is free", "memory_store_item", {"content": free, "importance": 0.5})
        plan = Plan("P-pool", goal.id, "pool", steps=(step,), status="active", created=now, updated=now)
        mind.save(goal, plan, Intention("I-pool", goal.id, plan.id, started=now, updated=now))
        assert wiring.run_cycle(services, "hr").outcome == "completed"
        note = {"content": "The bank said yes", "store": "long_term", "type": "event", "importance": 0.9}
        assert call(services, "memory_store_item", note, agent_id="cfo").ok
        clock.advance(timedelta(days=1))
        yield services


def ledger(services: Services, kind: str) -> list[dict[str, Any]]:
    """Return the entries of a kind that the heartbeat left, of every agent."""
    entries = [one for agent in services.agents() for one in services.ledger.entries(agent) if one.kind == kind]
    return [dict(one.body) for one in entries if one.at[:10] == "2026-03-01"]


def test_narratives_archive_and_entities_of_a_heartbeat_are_on_the_ledger_with_what_they_cost(tmp_path: Path) -> None:
    model = ScriptedModel(telling)
    with company(tmp_path, model, model_calls=1_000) as services:
        model.calls.clear()
        wiring.run_maintenance(services)
        entries = ledger(services, "model")
        spent = services.directory.stores_of("hr").day.spent()
    phases = {"memory: hierarchy": "maintenance", "archive": "archive", "entities": "entities"}
    assert sorted(call.tag for call in model.calls) == sorted(one["tag"] for one in entries)
    assert {one["tag"]: one["phase"] for one in entries} == phases
    assert {(one["tokens"], one["usd"], one["model"]) for one in entries} == {(120, 0.01, "scripted")}
    assert spent.model_calls >= 3, "it is of the agent's day"


def test_a_day_that_is_used_up_ends_the_questions_of_a_heartbeat_and_not_its_work(tmp_path: Path) -> None:
    model = ScriptedModel(telling)
    with company(tmp_path, model, model_calls=0) as services:
        rows = wiring.run_maintenance(services)
        assert not [one for one in rows if "skipped" in one]
        told = [one.content for one in services.inbox("stakeholder").messages() if "budget" in one.id]
        assert "budget of one day is 0 model calls" in str(ledger(services, "budget"))
    assert model.calls == []
    assert any(said.startswith("hr stopped: the budget of one day is 0 model calls") for said in told)
    weekly = list((tmp_path / "agents" / "hr" / "memory" / "weekly").glob("*.md"))
    assert weekly, "what is extracted stands where nothing is told"
