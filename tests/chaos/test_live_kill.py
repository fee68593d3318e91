"""A live company that is killed at random moments goes on where it stood; the whole campaign is live_kill.py."""

import random
from pathlib import Path

import pytest

from chaos import live_kill
from chaos.company_kill import check
from chaos.live_kill import arrived, lives


@pytest.mark.slow
def test_a_live_company_survives_being_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live_kill, "LONGEST", 1.5)  # what is written meanwhile is read in the end, which takes longest
    kills = 3
    for number, sent in enumerate(lives(tmp_path, kills, random.Random(7))):
        check(tmp_path)
        arrived(tmp_path, sent, read=number == kills)
    assert sent
