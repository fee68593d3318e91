"""Between goals the agent weighs what they are worth against how such goals ended, and the ledger says so."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.interfaces.reasons.gathering import gather_records
from mabos.mind.model import Belief, Goal, Revision
from tests.world import Member, World


@pytest.fixture
def hr(tmp_path: Path) -> Iterator[Member]:
    with World(tmp_path / "workspace") as world:
        hr, now = world.agent("hr"), world.now
        hr.mind.save(
            Belief("B-shop", "The shop is bare", certainty=0.9, subject="shop", value="bare", updated=now),
            Goal("G-paint", "Paint the shop", priority=0.99, target="shop = painted", created=now, updated=now),
            Goal("G-fill", "Fill the shop", priority=0.98, target="shop = full", created=now, updated=now),
        )
        yield hr


def ended(hr: Member, goal: str, outcome: str, times: int, *, subject: str = "shop", value: str = "bare") -> None:
    for number in range(times):
        situation = {"beliefs": {subject: value}, "desires": [goal]}
        hr.handle.cases.store(situation, {"plan": f"P-{number}"}, outcome, case_id=f"{goal} {number}")


def pursued(hr: Member) -> Mapping[str, Any]:
    """Return what the ledger says of deliberation in one cycle."""
    return next(one for one in hr.entries("deliberate", hr.cycle().cycle) if "goal" in one)


def test_the_more_important_goal_goes_first_where_nothing_tells_their_chances_apart(hr: Member) -> None:
    told = pursued(hr)
    assert told["goal"] == "G-paint"
    assert "weighed" not in told


def test_a_goal_that_failed_again_and_again_gives_way_to_one_that_is_worth_a_little_less(hr: Member) -> None:
    ended(hr, "Paint the shop", "failure", 3)
    ended(hr, "Fill the shop", "success", 2)
    told = pursued(hr)
    assert told["goal"] == "G-fill"
    assert told["weighed"][0] == "G-paint: 0.99 x 0.20"
    assert "Paint the shop 0" in told["cases"]


def test_what_a_goal_was_chosen_by_is_kept_and_settled_when_its_plan_is_over(hr: Member) -> None:
    goal, target = "Get contractors productive in days", "published_help_article >= 3"
    now = hr.world.now
    hr.mind.save(Goal("G-paint", goal, priority=0.99, target=target, created=now, updated=now))
    hr.mind.save(Belief("B-pages", "", 0.9, subject="published_help_article", value="0", updated=now))
    ended(hr, goal, "success", 2, subject="published_help_article", value="0")
    told = pursued(hr)
    assert told["goal"] == "G-paint"
    (kept,) = hr.handle.episodes.all()
    assert kept.method == "expected-utility"
    assert kept.confidence == pytest.approx(0.75)
    assert set(kept.evidence) == {f"{goal} 0", f"{goal} 1"}
    assert hr.handle.episodes.find(kept.id).right is None
    hr.world.later(days=1)
    before, at = (Revision(hr.world.now, "0", "3", 0.9, 0.95, "the editor"),), hr.world.now
    written = Belief("B-pages", "", 0.95, subject="published_help_article", value="3", updated=at, revisions=before)
    hr.mind.save(written)
    for _ in range(4):
        hr.cycle()
    assert hr.handle.episodes.find(kept.id).right is True
    records = gather_records(hr.services)
    reasoning = records.find(kept.id)
    assert reasoning.kind == "reasoning"
    assert {one.id for one in records.behind(reasoning)} == set(kept.evidence)
