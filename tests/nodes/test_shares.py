"""A plan keeps to the share of a resource that falls to its desire."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Desire, Plan, Step
from mabos.nodes.planning.proposals import beyond_share
from tests.world import World

CASH = Belief("B-1", "cash is 1000", 0.9, subject="cash", value="1000")
WANTED = (
    Desire("D-a", "Advertise", base=0.9, importance=0.9, urgency=0.9, alignment=0.9, resource="cash", priority=0.9),
    Desire("D-b", "Build", base=0.3, importance=0.3, urgency=0.3, alignment=0.3, resource="cash", priority=0.3),
)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World.small(tmp_path / "workspace") as world:
        yield world


@pytest.mark.parametrize(("cost", "desire_id", "is_too_much"), [
    (200.0, "D-b", False), (260.0, "D-b", True), (260.0, "D-a", False), (760.0, "D-a", True), (9e9, "", False),
])  # fmt: skip
def test_a_plan_that_costs_more_than_its_share_is_told(cost: float, desire_id: str, is_too_much: bool) -> None:
    plan = Plan("P-1", "G-1", "spend", steps=(Step("s1", tool="x", cost=cost),))
    told = beyond_share(plan, desire_id, WANTED, BeliefIndex([CASH]))
    assert ("of cash (1,000)" in told) is is_too_much


def test_of_what_nobody_has_counted_no_share_is_too_small() -> None:
    plan = Plan("P-1", "G-1", "spend", steps=(Step("s1", tool="x", cost=9e9),))
    assert beyond_share(plan, "D-b", WANTED, BeliefIndex([])) == ""


def test_the_shares_of_a_resource_are_told_when_desires_are_weighed(world: World) -> None:
    world.agent("cfo").mind.save(*WANTED, CASH)
    told: list[str] = []
    world.cycle("cfo", on_event=lambda event: told.extend((event.get("noted") or {}).get("conflicts", ())))
    assert [one for one in told if one.startswith("resource-sharing over cash: D-a 7") and "D-b 2" in one]
