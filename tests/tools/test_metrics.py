from pathlib import Path

from tests.tools.offices import ask, done, office


def test_a_recorded_metric_is_on_the_dashboard_with_what_follows_from_it(tmp_path: Path) -> None:
    services = office(tmp_path)
    for name, value, unit in (("mrr", 26_000.0, "USD/month"), ("cash", 300_000.0, "USD"), ("burn", 7000.0, "USD/week")):
        done(services, "cfo", "metrics_record", name=name, value=value, unit=unit)
    shown = done(services, "cfo", "metrics_dashboard")
    assert [row["name"] for row in shown["metrics"]] == ["burn", "cash", "mrr", "runway_months"]
    assert shown["derived"] == {"arr": 312_000, "runway_months": round(300_000 / (7000 * 52 / 12), 2)}
    assert "MRR: $26,000" in shown["text"]


def test_a_monthly_burn_is_not_taken_for_a_weekly_one(tmp_path: Path) -> None:
    services = office(tmp_path)
    done(services, "cfo", "metrics_record", name="cash", value=300_000.0)
    done(services, "cfo", "metrics_record", name="burn", value=30_000.0, unit="USD/month")
    assert done(services, "cfo", "metrics_dashboard")["derived"]["runway_months"] == 10


def test_a_dashboard_shows_change_and_series_and_says_what_is_missing(tmp_path: Path) -> None:
    services = office(tmp_path)
    for day, value in (("05", 400.0), ("12", 410.0), ("19", 430.0)):
        done(services, "cfo", "metrics_record", name="subscribers", value=value, at=f"2026-01-{day}")
    shown = done(services, "cfo", "metrics_dashboard", names=["subscribers", "nps"], points=2)
    (row,) = shown["metrics"]
    assert (row["value"], row["change"], row["series"], shown["missing"]) == (430, 20, [410, 430], ["nps"])


def test_a_value_recorded_again_says_what_it_was(tmp_path: Path) -> None:
    services = office(tmp_path)
    assert done(services, "cfo", "metrics_record", name="nps", value=20.0)["previous"] is None
    assert done(services, "cfo", "metrics_record", name="nps", value=25.0)["previous"] == 20
    assert done(services, "cfo", "metrics_record", name="nps", value=25.0)["source"] == "cfo"


def test_a_bad_metric_is_refused_and_named(tmp_path: Path) -> None:
    services = office(tmp_path)
    outcome = ask(services, "cfo", "metrics_record", name="Net Promoter!", value=1.0)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "name")
    assert ask(services, "cfo", "metrics_record", name="nps", value=1.0, at="soon").argument == "at"
    assert services.business("acme").metrics.names() == ()


def test_a_report_is_written_under_the_business(tmp_path: Path) -> None:
    services = office(tmp_path)
    for day, value in (("05", 26_000.0), ("12", 27_000.0)):
        done(services, "cfo", "metrics_record", name="mrr", value=value, at=f"2026-01-{day}")
    made = done(services, "cfo", "report_generate", title="January")
    assert made["paths"] == ["reports/report-2026-01-05.md", "reports/report-2026-01-05.html"]
    for path in made["paths"]:
        text = (services.business("acme").directory / path).read_text(encoding="utf-8")
        assert "January" in text
        assert "$27,000" in text
    assert "Score" not in made["text"]
