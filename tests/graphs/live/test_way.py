"""What is urgent goes before: others step aside for it, for a moment at most, and get everything back."""

import time
from pathlib import Path
from threading import Thread

import pytest

from mabos.graphs.live import Actor
from mabos.graphs.live import way as ways
from mabos.graphs.live.actors import ALONE, next_up, taken_until
from mabos.graphs.live.way import Way

LONG = 30.0  # seconds; nothing here waits so long unless it fails


@pytest.fixture
def way(monkeypatch: pytest.MonkeyPatch) -> Way:
    """A way whose patience does not end within a test."""
    monkeypatch.setattr(ways, "PATIENCE", LONG)
    return Way()


def asking(way: Way) -> Thread:
    """Return a thread in which an ordinary cycle is between two phases."""
    control = way.control("ceo", is_urgent=False)
    thread = Thread(target=lambda: control.drain_requested, daemon=True)
    thread.start()
    return thread


def test_others_wait_between_phases_until_the_urgent_cycle_perceives(way: Way) -> None:
    way.take("cfo")
    other = asking(way)
    urgent = way.control("cfo", is_urgent=True)
    other.join(0.05)
    assert other.is_alive()
    assert not urgent.drain_requested, "which LangGraph asks before the first phase"
    other.join(LONG)
    assert not other.is_alive()


def test_two_urgent_letters_are_both_waited_for(way: Way) -> None:
    way.take("cfo")
    way.take("cto")
    other = asking(way)
    way.leave("cfo")
    other.join(0.05)
    assert other.is_alive()
    way.leave("cto")
    other.join(LONG)
    assert not other.is_alive()


def test_a_cycle_that_is_to_end_waits_for_nobody(way: Way) -> None:
    control = way.control("cfo", is_urgent=False)
    way.take("cfo")
    control.request_drain("urgent")
    began = time.monotonic()
    assert control.drain_requested
    assert time.monotonic() - began < LONG


def test_what_is_not_perceived_in_time_is_waited_for_no_longer() -> None:
    way = Way()
    way.take("cfo")
    began = time.monotonic()
    way.step_aside()
    assert time.monotonic() - began >= ways.PATIENCE * 0.9
    began = time.monotonic()
    for _ in range(1000):
        way.step_aside()
    assert time.monotonic() - began < 1000 * ways.PATIENCE, "nor by the next phases"


def test_nobody_begins_an_ordinary_turn_beside_one_that_thinks_unless_it_takes_long() -> None:
    thinks, wants = Actor("a", Path("a")), Actor("b", Path("b"), due=0.0)
    thinks.begin(100.0)
    actors = [thinks, wants]
    assert taken_until(actors) == 100.0 + ALONE
    thinks.thinks_since = -float("inf")  # it waits for the disk
    assert taken_until(actors) < 100.0
    thinks.end("idle", 100.0, float("inf"))
    thinks.want(100.0, urgent=True)
    thinks.begin(100.0)
    assert taken_until(actors) < 100.0, "an urgent turn is beside the others"
    assert next_up(actors, 100.0) is wants
