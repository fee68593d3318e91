"""Between goals the agent weighs what they are worth against how such goals ended, and the ledger says so."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.interfaces.reasons.gathering import gathered
from mabos.mind.model import Belief, Goal
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso

CLOCK = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    held = wiring.hold(tmp_path / "workspace", clock=CLOCK)
    made = call(held, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
    assert made.ok, made.message
    now = iso(CLOCK())
    held.agent("hr").mind.save(
        Belief("B-shop", "The shop is bare", certainty=0.9, subject="shop", value="bare", updated=now),
        Goal("G-paint", "Paint the shop", priority=0.99, target="shop = painted", created=now, updated=now),
        Goal("G-fill", "Fill the shop", priority=0.98, target="shop = full", created=now, updated=now),
    )
    yield held
    wiring.release(held)


def ended(services: Services, goal: str, outcome: str, times: int) -> None:
    for number in range(times):
        services.agent("hr").cases.store(
            {"beliefs": {"shop": "bare"}, "desires": [goal]},
            {"plan": f"P-{number}"},
            outcome,
            case_id=f"{goal} {number}",
        )


def pursued(services: Services) -> dict[str, Any]:
    """Return what the ledger says of deliberation in one cycle."""
    report = wiring.run_cycle(services, "hr")
    entries = [one for one in services.ledger.entries("hr") if one.cycle == report.cycle]
    return next(dict(one.body) for one in entries if "goal" in one.body)


def test_the_more_important_goal_goes_first_where_nothing_tells_their_chances_apart(services: Services) -> None:
    told = pursued(services)
    assert told["goal"] == "G-paint"
    assert "weighed" not in told


def test_a_goal_that_failed_again_and_again_gives_way_to_one_that_is_worth_a_little_less(services: Services) -> None:
    ended(services, "Paint the shop", "failure", 3)
    ended(services, "Fill the shop", "success", 2)
    told = pursued(services)
    assert told["goal"] == "G-fill"
    assert told["weighed"][0] == "G-paint: 0.99 x 0.20"
    assert "Paint the shop 0" in told["cases"]


def test_what_a_goal_was_chosen_by_is_kept_and_settled_when_its_plan_is_over(services: Services) -> None:
    hr = services.agent("hr")
    goal = "Get contractors productive in days"
    now = iso(CLOCK())
    hr.mind.save(Goal("G-paint", goal, priority=0.99, target="shop = ready", created=now, updated=now))
    ended(services, goal, "success", 2)
    told = pursued(services)
    assert told["goal"] == "G-paint"
    (kept,) = hr.episodes.all()
    assert kept.method == "expected-utility"
    assert kept.confidence == pytest.approx(0.75)
    assert set(kept.evidence) == {f"{goal} 0", f"{goal} 1"}
    for _ in range(4):
        wiring.run_cycle(services, "hr")
    assert hr.episodes.find(kept.id).right is True
    records = gathered(services)
    reasoning = records.find(kept.id)
    assert reasoning.kind == "reasoning"
    assert {one.id for one in records.behind(reasoning)} == set(kept.evidence)
