"""Two runs side by side as a page."""

from dataclasses import replace
from pathlib import Path

from mabos.society.simulation.difference import comparison_page, difference, read_run
from mabos.society.simulation.kpis import Kpi
from mabos.society.simulation.report import write_report
from mabos.society.simulation.report_input import ReportedDecision, ReportedNews, ReportInput
from tests.society.simulation.test_report import REPORT, Page


def page(tmp_path: Path, ours: ReportInput, theirs: ReportInput) -> str:
    for name, report in (("ours", ours), ("theirs", theirs)):
        write_report(report, tmp_path / name)
    one, other = read_run(tmp_path / "ours"), read_run(tmp_path / "theirs")
    return comparison_page(one, other, difference(one, other), ("ours", "theirs"))


def test_both_courses_lie_in_one_chart_and_only_ones_deeds_are_told(tmp_path: Path) -> None:
    price = ReportedDecision("L-1", 1, "cfo", "Raised <the> price", "stripe_create_price")
    other = replace(
        REPORT,
        policy="rules",
        score=500_000.0,
        kpis=(Kpi("cash", (420_000.0, 430_000.0, 450_000.0)),),
        decisions=(*REPORT.decisions, price),
        news=(ReportedNews(2, "A rival has launched.", is_event=True),),
    )
    text = page(tmp_path, REPORT, other)
    found = Page(text)
    assert found.open == []
    assert [link for link in found.links if not link.startswith("#")] == []
    assert "ours from $420k to $400k; theirs from $420k to $450k" in text
    assert "(+$42,266)" in text
    assert "Raised &lt;the&gt; price" in text
    assert "Week 2: A rival has launched." in text
    assert "Prices: 1" in text
    assert "Questions to the owner" not in text, "a colour that no dot has"


def test_the_same_run_twice_is_said_to_be_the_same(tmp_path: Path) -> None:
    text = page(tmp_path, REPORT, REPORT)
    assert "The runs are the same: every figure and every deed of every week." in text
    assert text.count("Nothing.") == 2


def test_a_run_in_which_nobody_did_anything_can_be_shown(tmp_path: Path) -> None:
    assert "Nobody did anything." in page(tmp_path, REPORT, replace(REPORT, decisions=(), policy="nothing"))
