from pathlib import Path

import pytest

from tests.tools.offices import office


def test_a_recorded_metric_is_on_the_dashboard_with_what_follows_from_it(tmp_path: Path) -> None:
    world = office(tmp_path)
    for name, value, unit in (("mrr", 26_000.0, "USD/month"), ("cash", 300_000.0, "USD"), ("burn", 7000.0, "USD/week")):
        world.agent("cfo").do("metrics_record", name=name, value=value, unit=unit)
    shown = world.agent("cfo").do("metrics_dashboard")
    assert [row["name"] for row in shown["metrics"]] == ["burn", "cash", "mrr", "runway_months"]
    assert shown["derived"] == {"arr": 312_000, "runway_months": round(300_000 / (7000 * 52 / 12), 2)}
    assert "MRR: $26,000" in shown["text"]


def test_a_monthly_burn_is_not_taken_for_a_weekly_one(tmp_path: Path) -> None:
    world = office(tmp_path)
    world.agent("cfo").do("metrics_record", name="cash", value=300_000.0)
    world.agent("cfo").do("metrics_record", name="burn", value=30_000.0, unit="USD/month")
    assert world.agent("cfo").do("metrics_dashboard")["derived"]["runway_months"] == 10


@pytest.mark.parametrize(
    ("unit", "label"), [("USD/week", "Net burn a week"), ("USD/month", "Net burn a month"), ("", "Net burn")]
)
def test_a_figure_is_called_by_the_period_of_its_unit(tmp_path: Path, unit: str, label: str) -> None:
    cfo = office(tmp_path).agent("cfo")
    cfo.do("metrics_record", name="burn", value=30_000.0, unit=unit)
    assert f"{label}: $30,000" in cfo.do("metrics_dashboard")["text"]
    assert f"| {label} | $30,000" in cfo.do("report_generate", title="March")["text"]


def test_a_dashboard_shows_change_and_series_and_says_what_is_missing(tmp_path: Path) -> None:
    world = office(tmp_path)
    for day, value in (("05", 400.0), ("12", 410.0), ("19", 430.0)):
        world.agent("cfo").do("metrics_record", name="subscribers", value=value, at=f"2026-01-{day}")
    shown = world.agent("cfo").do("metrics_dashboard", names=["subscribers", "nps"], points=2)
    (row,) = shown["metrics"]
    assert (row["value"], row["change"], row["series"], shown["missing"]) == (430, 20, [410, 430], ["nps"])


def test_a_value_recorded_again_says_what_it_was(tmp_path: Path) -> None:
    world = office(tmp_path)
    assert world.agent("cfo").do("metrics_record", name="nps", value=20.0)["previous"] is None
    assert world.agent("cfo").do("metrics_record", name="nps", value=25.0)["previous"] == 20
    assert world.agent("cfo").do("metrics_record", name="nps", value=25.0)["source"] == "cfo"


def test_a_bad_metric_is_refused_and_named(tmp_path: Path) -> None:
    world = office(tmp_path)
    outcome = world.agent("cfo").ask("metrics_record", name="Net Promoter!", value=1.0)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "name")
    assert world.agent("cfo").ask("metrics_record", name="nps", value=1.0, at="soon").argument == "at"
    assert world.services.business("acme").metrics.names() == ()


def test_a_report_is_written_under_the_business(tmp_path: Path) -> None:
    world = office(tmp_path)
    for day, value in (("05", 26_000.0), ("12", 27_000.0)):
        world.agent("cfo").do("metrics_record", name="mrr", value=value, at=f"2026-01-{day}")
    made = world.agent("cfo").do("report_generate", title="January")
    assert made["paths"] == ["reports/report-2026-01-05.md", "reports/report-2026-01-05.html"]
    for path in made["paths"]:
        text = (world.services.business("acme").directory / path).read_text(encoding="utf-8")
        assert "January" in text
        assert "$27,000" in text
    assert "Score" not in made["text"]


def test_each_figure_that_follows_has_its_formula_or_what_it_needs(tmp_path: Path) -> None:
    world = office(tmp_path)
    for at, value in (("2025-12-05", 10_000.0), ("2026-01-05", 12_000.0)):
        world.agent("cfo").do("metrics_record", name="mrr", value=value, at=at)
    shown = world.agent("cfo").do("metrics_dashboard")
    rows = {row["name"]: row for row in shown["formulas"]}
    assert rows["net_new_mrr"]["value"] == shown["derived"]["net_new_mrr"] == 2_000
    assert rows["net_new_mrr"]["inputs"] == {"mrr": 12_000, "mrr a month before": 10_000}
    assert (rows["runway_months"]["value"], rows["runway_months"]["needs"]) == (None, ["cash", "burn"])
    assert "Runway: cannot be computed: needs cash, burn" in shown["text"]
    assert "mrr" not in shown["derived"], "what is recorded does not follow"


def test_two_companies_have_two_dashboards(tmp_path: Path) -> None:
    found = []
    for name, value in (("one", 10_000.0), ("other", 20_000.0)):
        world = office(tmp_path / name)
        world.agent("cfo").do("metrics_record", name="mrr", value=value)
        found.append(world.agent("cfo").do("metrics_dashboard")["derived"]["arr"])
    assert found == [120_000, 240_000]


def test_a_report_draws_every_series_and_holds_no_program(tmp_path: Path) -> None:
    world = office(tmp_path)
    for day, value in (("05", 120.0), ("12", 180.0), ("19", 150.0)):
        for name in ("mrr", "site_traffic"):
            world.agent("cfo").do("metrics_record", name=name, value=value, at=f"2026-01-{day}")
    world.agent("cfo").do("metrics_record", name="x_script", value=1.0)
    made = world.agent("cfo").do("report_generate", title="<script>alert(1)</script>")
    page = (world.services.business("acme").directory / made["paths"][1]).read_text(encoding="utf-8")
    assert page.count('<svg class="chart"') == 2
    assert "Site traffic from 120 to 150" in page
    assert "2026-01-12" in page
    assert "<script" not in page
    assert "| Site traffic | 120 | 150 | +30 | +25% | ▁█▅ |" in made["text"]
    assert "| Runway | not known | needs cash, burn |" in made["text"]
    assert "week 0" not in made["text"], "a company that is no simulation has no weeks"
    assert "Nobody acted" not in page


def test_a_report_again_on_the_same_day_is_the_same_file(tmp_path: Path) -> None:
    world = office(tmp_path)
    first = world.agent("cfo").do("report_generate", format="markdown")
    assert world.agent("cfo").do("report_generate", format="markdown") == first
    assert [path.name for path in (world.services.business("acme").directory / "reports").iterdir()] == [
        "report-2026-01-05.md"
    ]
