"""Two runs side by side, read from the files they left."""

from dataclasses import replace
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged, UnknownId
from mabos.society.simulation.difference import RunDeed, difference, find_finished_run, read_run
from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.report import write_report
from mabos.society.simulation.report_input import ReportedDecision, ReportedNews, ReportInput

REPORT = ReportInput(
    title="A month",
    business="Acme",
    weeks=2,
    first_day="2026-01-05",
    last_day="2026-01-18",
    scenario="saas",
    scenario_hash="aa",
    policy="bdi",
    seed="1",
    score=1000.0,
    kpis=(Kpi("cash", (900.0, 800.0, 700.0)),),
    decisions=(
        ReportedDecision("L-1", 1, "cmo", "Published 'A'"),
        ReportedDecision("L-2", 2, "cto", "Ordered 'B'", approval="approved"),
    ),
    news=(ReportedNews(1, "A rival ships."),),
)


def test_a_run_is_the_same_as_itself(tmp_path: Path) -> None:
    write_report(REPORT, tmp_path / "a")
    found = difference(read_run(tmp_path / "a"), read_run(tmp_path / "a"))
    assert found.is_same
    assert (found.terms, found.only_ours, found.only_theirs) == ({}, (), ())


def test_terms_figures_and_deeds_that_differ_are_named(tmp_path: Path) -> None:
    other = replace(
        REPORT,
        scenario_hash="bb",
        score=1500.0,
        kpis=(Kpi("cash", (900.0, 800.0, 1200.0)),),
        decisions=(REPORT.decisions[0], ReportedDecision("L-9", 2, "cto", "Ordered 'B'", approval="rejected")),
    )
    write_report(REPORT, tmp_path / "a")
    write_report(other, tmp_path / "b")
    found = difference(read_run(tmp_path / "a"), read_run(tmp_path / "b"))
    assert found.terms == {"scenario_hash": ("aa", "bb")}
    assert found.scores == (1000.0, 1500.0)
    assert [(line.label, line.ours, line.theirs, line.change) for line in found.lines] == [
        ("Cash", "$700", "$1,200", "+$500")
    ]
    ordered = RunDeed(2, "cto", "Ordered 'B'", "approved")
    assert found.otherwise == ((ordered, replace(ordered, approval="rejected")),)
    assert found.only_ours == found.only_theirs == ()
    assert found.parted == 2


def test_the_same_deed_done_once_more_is_a_difference(tmp_path: Path) -> None:
    write_report(REPORT, tmp_path / "a")
    write_report(replace(REPORT, decisions=(*REPORT.decisions, REPORT.decisions[0])), tmp_path / "b")
    found = difference(read_run(tmp_path / "a"), read_run(tmp_path / "b"))
    assert found.only_theirs == (RunDeed(1, "cmo", "Published 'A'"),)
    assert found.parted == 1


def test_a_folder_without_a_run_and_files_that_are_none_are_told_apart(tmp_path: Path) -> None:
    with pytest.raises(UnknownId, match=r"manifest\.json is missing"):
        read_run(tmp_path)
    write_report(REPORT, tmp_path)
    (tmp_path / "journal.jsonl").write_text("{")
    with pytest.raises(Damaged, match="run it again"):
        read_run(tmp_path)


def test_what_another_owner_answered_otherwise_is_told_once_beside_each_other(tmp_path: Path) -> None:
    done = ReportedDecision("L-1", 2, "strategy", "Raised the price", "stripe_create_price")
    refused = replace(done, subject="Wanted, and not done: raised the price", week=3, approval="rejected")
    for name, decision in (("free", done), ("strict", refused)):
        write_report(replace(REPORT, decisions=(decision,)), tmp_path / name)
    found = difference(read_run(tmp_path / "free"), read_run(tmp_path / "strict"))
    ((one, other),) = found.otherwise
    assert (one.approval, one.week, other.approval, other.week) == ("", 2, "rejected", 3)
    assert found.only_ours == found.only_theirs == ()
    assert not found.is_same


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("manifest.json", "[]"),
        ("manifest.json", "{}"),
        ("manifest.json", '{"score": "much"}'),
        ("manifest.json", "[" * 100_000),
        ("kpis.csv", "week,cash\n0,much\n"),
        ("journal.jsonl", "[1]\n"),
    ],
)
def test_a_run_whose_files_hold_something_else_is_damage_and_is_played_again(
    tmp_path: Path, name: str, text: str
) -> None:
    write_report(REPORT, tmp_path / "a")
    (tmp_path / "a" / name).write_text(text)
    with pytest.raises(Damaged, match="it does not contain a run"):
        read_run(tmp_path / "a")
    assert find_finished_run(tmp_path / "a", {"seed": "1"}) is None
