"""Writers of one memory that are killed at random moments lose nothing; the whole campaign is memory_kill.py."""

import pytest

from chaos.memory_kill import campaign
from mabos.memory import daily


def test_nothing_acknowledged_is_lost_when_two_writers_are_killed() -> None:
    result = campaign(8, seed=3)
    assert (result.lost, result.unreadable) == ([], [])
    assert result.acknowledged["long"] > 0


def test_the_campaign_sees_what_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daily, "append", lambda *_: None)
    assert campaign(2, seed=3).lost
