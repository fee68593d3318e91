"""What docs/scaling.md says of one machine comes from a program, which runs and fills its places alone."""

import shutil
from multiprocessing import get_context
from pathlib import Path

import pytest

from bench import limit, limit_page
from bench.limit import Company, Found, Pace


def some(load: float = 0.1) -> Found:
    """Return what a machine of two processors might come to."""
    fast, slow = Pace([0.001] * 4, [0.002] * 4), Pace([0.004] * 4, [0.005] * 4)
    one = Company({"idle": fast, "request": slow, "message": fast}, 500)
    places = {"file": [0.003, 0.004, 0.005], "postgres": [0.005, 0.006, 0.007]}
    return Found("2026-02-24", load, 2, "Linux", one, (one, one), places)


def test_the_page_has_a_place_for_every_table() -> None:
    assert limit_page.places() == list(limit_page.tables(some()))


def test_writing_fills_the_places_and_leaves_every_other_word(tmp_path: Path) -> None:
    page = tmp_path / "scaling.md"
    shutil.copyfile(limit_page.PAGE, page)
    limit_page.write(some(), page)
    first = page.read_text("utf-8")
    assert "| cycles that find nothing to do | 1,000 (1,000 to 1,000) | 500 | 1,000 |" in first
    assert "| MB of memory, the embedding model among it | | 500 | 1,000 |" in first
    assert "| Postgres | 6.0 ms | 5.0 to 7.0 ms |" in first
    assert "Postgres takes 2.0 ms more, 1.50 times as long." in first
    limit_page.write(some(), page)
    assert page.read_text("utf-8") == first
    kept = [line for line in limit_page.PAGE.read_text("utf-8").splitlines() if line.startswith(("#", "<!--"))]
    assert [line for line in first.splitlines() if line.startswith(("#", "<!--"))] == kept


def test_figures_of_a_busy_machine_say_so() -> None:
    assert "others were at work" in limit_page.machine(some(load=3))
    assert "others were at work" not in limit_page.machine(some())


@pytest.mark.slow
def test_two_companies_at_once_are_paced_each_by_itself(tmp_path: Path) -> None:
    found = limit.companies(tmp_path, 2, rounds=2)
    assert len(found) == 2
    for one in found:
        assert set(one.paces) == set(limit.AT_A_TIME)
        assert all(pace.a_second > 0 and pace.a_second_by_the_clock > 0 for pace in one.paces.values())


@pytest.mark.slow
def test_a_company_that_fails_does_not_leave_the_others_waiting(tmp_path: Path) -> None:
    (tmp_path / "company-1").mkdir()  # where the second company would be made
    with pytest.raises(EOFError):
        limit.companies(tmp_path, 2, rounds=1)
    assert not get_context("spawn").active_children()


@pytest.mark.slow
def test_a_cycle_is_timed_with_its_checkpoint_in_either_place(tmp_path: Path, postgres: str) -> None:
    taken = limit.compared(tmp_path, postgres, rounds=2)
    assert {place: len(seconds) for place, seconds in taken.items()} == {"file": 2, "postgres": 2}
