"""Every benchmark runs, small, and yields lines that can be told; the page has a place for each."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from math import isfinite
from pathlib import Path
from types import ModuleType

import pytest

from bench.enlarged import SIZES
from bench.kept import Run, keep, kept
from bench.measured import Line, Spent, exactly, missing, timed
from bench.page import figures, limits, places, write
from bench.printed import ENDED, LINE, shown
from bench.programs import PROGRAMS, ROOT, run

SMALL = 1_000
ELSEWHERE = {"first_report", "graph_copy", "langgraph_suites", "dashboard", "startup", "growth"}
"""Benches that cannot be small: they install a package, need a server or many programs, or have a test of their own."""


def module(name: str) -> ModuleType:
    return import_module(f"bench.{name}")


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in PROGRAMS if name not in ELSEWHERE])
def test_a_small_run_of_a_benchmark_yields_lines_with_figures(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if getattr(module(name), "timed", None) is timed:  # a median of many is for who reads the figure
        monkeypatch.setattr(module(name), "timed", lambda action, _times: timed(action, 1))
    if name == "reasoning":
        monkeypatch.setattr(module(name), "SIZES", SIZES[-2:])
    monkeypatch.setenv("PYTHONPYCACHEPREFIX", "")  # what is compiled already is not compiled again
    lines: Callable[[int], Iterable[Line]] = module(name).lines
    found = list(lines(SMALL))
    assert [line for line in found if line.spent or (name == "archive" and "not there" in line.note)]
    for line in found:
        assert line.name
        assert line.spent is None or isfinite(line.spent.median)
        assert line.spent or line.note, f"{line.name} does not say why it was not measured"
        assert Line.of(json.loads(json.dumps(line.as_json()))) == line


def test_every_program_that_yields_lines_is_in_the_table() -> None:
    files = (ROOT / "bench").glob("*.py")
    assert sorted(path.stem for path in files if "\ndef lines(" in path.read_text("utf-8")) == sorted(PROGRAMS)


def test_the_page_has_a_place_for_the_figures_of_each() -> None:
    assert places() == list(PROGRAMS)


def test_a_limit_is_kept_at_its_edge_and_missed_beyond_it() -> None:
    assert Line("a", exactly(2), most=2).verdict == "holds"
    assert Line("a", exactly(2.1), most=2).verdict == "MISSED"
    assert Line("a", exactly(1.9), least=2).is_missed
    assert Line("a", Spent(2.1, 1.9), most=2).verdict == "MISSED, the least holds"
    assert Line("a", exactly(1), most=0).is_missed


def test_a_limit_that_is_known_to_be_missed_is_told_as_missed_and_fails_a_run_only_beyond_that() -> None:
    known = Line("a", exactly(2.1), most=2, known=2.2)
    assert (known.is_missed, known.is_news, known.verdict) == (True, False, "MISSED, as known")
    worse = Line("a", exactly(2.3), most=2, known=2.2)
    assert (worse.is_news, worse.verdict) == (True, "MISSED")
    fewer = Line("a", exactly(60), least=1000, known=50)
    assert (fewer.is_news, Line("a", exactly(40), least=1000, known=50).is_news) == (False, True)
    assert not Line("a", exactly(1.9), most=2, known=2.2).is_missed


def test_what_only_a_slow_machine_misses_is_told_as_missed_and_fails_no_run() -> None:
    slow = Line("a", exactly(6), most=5, pace=1.5)
    assert (slow.is_missed, slow.is_news, slow.verdict) == (True, False, "MISSED, slow machine")
    assert "4 ms at the pace of the limits" in slow.told()
    assert Line("a", exactly(8), most=5, pace=1.5).is_news
    assert not Line("a", exactly(8), most=5, pace=1.5, known=5.5).is_news
    assert Line("a", exactly(6), most=5, unit="x", pace=1.5).is_news, "a ratio knows no machine"
    assert Line("a", exactly(4), most=5, pace=0.5).verdict == "holds"


def test_what_has_no_limit_or_was_not_measured_is_never_missed() -> None:
    assert (Line("a", exactly(9)).verdict, Line("a", exactly(9)).is_missed) == ("", False)
    absent = missing("a", "cbrkit")
    assert (absent.verdict, absent.is_missed) == ("not measured", False)


def test_the_exit_code_says_whether_a_limit_was_missed(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown([Line("a", exactly(1), most=2)], as_json=False) == 0
    assert shown([Line("a", exactly(1), most=2), Line("b", exactly(3), most=2)], as_json=True) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line.startswith("{")]
    assert [line[LINE]["name"] for line in told if LINE in line] == ["a", "b"]
    assert told[-1] == {ENDED: True}


def test_a_benchmark_that_fails_is_told_of_with_what_it_measured_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bench.programs.sys.executable", "/bin/false")
    found = run("cases")
    assert (found.lines, found.missed) == ((), 0)
    assert "1" in found.failure


def test_a_run_is_kept_and_found_again(tmp_path: Path) -> None:
    one = Run("cases", "2026-03-02T09:00+00:00", 1.5, 0.2, (Line("a", Spent(1, 0.5, 0.4), most=2, beside="b"),))
    keep(one, tmp_path)
    assert kept(tmp_path) == {"cases": one}


def test_the_page_keeps_what_a_person_wrote_and_the_figures_of_what_was_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\n<!-- limits -->\nold\n<!-- end -->\nbetween\n<!-- figures cases -->\nold cases\n<!-- end -->\n"
        "<!-- figures store -->\nold store\n<!-- end -->\nafter\n"
    )
    lines = (Line("kept | so", exactly(3), most=2, unit="x", beside="a peer"), Line("a figure", exactly(7)))
    write({"cases": Run("cases", "2026-03-02T09:00", 1, 0, lines)}, page)
    text = page.read_text()
    assert [word for word in ("before", "between", "after", "old store") if word not in text] == []
    assert "old cases" not in text
    assert "| kept \\| so | 3 x | a peer | at most 2 x | **missed** |" in text
    assert "| a figure | 7 ms |  |" in text
    write({"cases": Run("cases", "2026-03-02T09:00", 1, 0, lines)}, page)
    assert page.read_text() == text


def test_the_one_table_keeps_the_rows_of_what_was_not_run(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- limits -->\n<!-- end -->\n")
    of = {
        name: Run(name, "2026-03-02T09:00", 1, 0, (Line(f"of {name}", exactly(3), most=4),))
        for name in ("cases", "year")
    }
    write(of, page)
    both = page.read_text()
    write({"cases": of["cases"]}, page)
    assert page.read_text() == both
    write({"year": Run("year", "2026-03-02T09:00", 1, 0, (Line("of year", exactly(5), most=4),))}, page)
    assert "| of cases | 3 ms |" in page.read_text()
    assert "| of year | 5 ms |" in page.read_text()
    assert "| of year | 3 ms |" not in page.read_text()


def test_a_line_with_a_limit_stands_in_the_one_table_and_no_other() -> None:
    lines = (Line("with", exactly(1), most=2), Line("without", exactly(7)))
    found = Run("cases", "2026-03-02T09:00", 1, 0, lines, failure="out of memory")
    assert ("with" in limits({"cases": found}), "without" in limits({"cases": found})) == (True, False)
    assert ("| with " in figures(found), "| without " in figures(found)) == (False, True)
    assert "out of memory" in figures(found)


def test_the_one_command_runs_what_is_named_and_says_how_it_went(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench", "--only", "cases", "--scale", str(SMALL)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode in {0, 1}, done.stderr
    assert "== cases" in done.stdout
    assert "1 benchmarks in" in done.stdout
