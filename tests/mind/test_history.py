"""What was held when, from the journal of a mind alone."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from mabos.mind.history import History
from mabos.mind.mind import Mind, open_mind
from mabos.mind.model import Belief, Intention, Plan
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

DAY = datetime(2026, 1, 5, tzinfo=UTC)
QUALITY = Belief("B-quality", "quality is 0.5", 0.9, subject="quality", value="0.5")


def day(number: int) -> str:
    return iso(DAY + timedelta(days=number))


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(DAY)


@pytest.fixture
def mind(tmp_path: Path, clock: SteppedClock) -> Iterator[Mind]:
    opened = open_mind(tmp_path, clock=clock, ids=Ids(clock), sync=Sync("off"), agent_id="cto")
    yield opened
    opened.close()


def go_to(clock: SteppedClock, number: int) -> None:
    clock.advance(DAY + timedelta(days=number) - clock())


def value(mind: Mind, at: int, but_by: str = "") -> str | None:
    found = History(mind).about("quality", day(at), but_by=but_by)
    return found.value if found else None


def test_a_belief_is_told_as_it_stood_at_any_day(mind: Mind, clock: SteppedClock) -> None:
    for number, now in ((1, "0.5"), (3, "0.6"), (5, "0.7")):
        go_to(clock, number)
        mind.save(replace(QUALITY, value=now, statement=f"quality is {now}", updated=day(number)))
    assert [value(mind, at) for at in range(7)] == [None, "0.5", "0.5", "0.6", "0.6", "0.7", "0.7"]


def test_snapshots_written_in_between_take_nothing_away(mind: Mind, clock: SteppedClock) -> None:
    for number, now in ((1, "0.5"), (3, "0.6")):
        go_to(clock, number)
        mind.save(replace(QUALITY, value=now, updated=day(number)))
        mind.close()
    assert [value(mind, at) for at in (2, 4)] == ["0.5", "0.6"]


def test_what_was_archived_was_held_until_then_and_is_gone_since(mind: Mind, clock: SteppedClock) -> None:
    mind.save(replace(QUALITY, updated=day(0)))
    go_to(clock, 4)
    mind.archive(QUALITY, "outlived")
    assert [value(mind, at) for at in (3, 4)] == ["0.5", None]
    assert [one.id for one in History(mind).gone(Belief)] == ["B-quality"]


def test_an_archived_intention_is_told_as_it_last_stood(mind: Mind) -> None:
    intention = Intention("I-1", "G-1", "P-1", "cautious", status="completed", reason="every step is done")
    mind.save(intention)
    mind.archive(intention)
    assert mind.intentions == ()
    (gone,) = History(mind).gone(Intention)
    assert (gone.plan_id, gone.status, gone.reason) == ("P-1", "completed", "every step is done")


def test_what_a_plan_brought_about_itself_was_not_its_reason(mind: Mind, clock: SteppedClock) -> None:
    mind.save(replace(QUALITY, updated=day(0)))
    go_to(clock, 1)
    mind.save(Plan("P-1", "G-1", "repair"))
    go_to(clock, 3)
    mind.save(replace(QUALITY, value="0.9", evidence=("P-1",), updated=day(3)))
    assert value(mind, 4) == "0.9"
    assert value(mind, 4, but_by="P-1") == "0.5"


def test_what_a_plan_has_outdated_is_told_as_it_stood_when_the_plan_was_made(mind: Mind, clock: SteppedClock) -> None:
    mind.save(replace(QUALITY, updated=day(0)))
    go_to(clock, 1)
    mind.save(Plan("P-1", "G-1", "repair"))
    go_to(clock, 3)
    done = Belief("B-done", "quality repair done", 0.9, subject="quality", value="0.9", evidence=("P-1",))
    mind.save(replace(QUALITY, status="superseded", updated=day(3)), replace(done, updated=day(3)))
    assert value(mind, 4, but_by="P-1") == "0.5"


def test_a_hand_edit_counts_from_when_it_was_taken_in(mind: Mind, clock: SteppedClock, tmp_path: Path) -> None:
    mind.save(replace(QUALITY, updated=day(0)))
    mind.checkpoint()
    go_to(clock, 3)
    mind.save(Plan("P-1", "G-1", "repair"))
    beliefs = tmp_path / "Beliefs.md"
    beliefs.write_text(beliefs.read_text("utf-8").replace("0.5", "0.4"), "utf-8")
    mind.refresh()
    assert [value(mind, at) for at in (2, 3)] == ["0.5", "0.4"]
