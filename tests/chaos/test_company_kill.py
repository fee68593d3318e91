"""A company run that is killed at random moments goes on where it stood; the whole campaign is company_kill.py."""

import random
from pathlib import Path

import pytest

from chaos.company_kill import check, killed_runs


@pytest.mark.slow
def test_a_company_run_survives_being_killed(tmp_path: Path) -> None:
    through = 0
    for out, finished in killed_runs(tmp_path, 3, random.Random(7)):
        check(out)
        through += finished
    assert through >= 1
