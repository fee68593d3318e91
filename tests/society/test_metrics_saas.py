"""The figures of a subscription business: textbook answers from recorded points, or what is missing for them."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mabos.society.metrics import MetricPoint, Metrics, open_metrics
from mabos.society.metrics_saas import TABLE, DerivedFigure, derive_figures
from mabos.workspace.sync import Sync

JANUARY, FEBRUARY = "2026-01-31T00:00:00.000Z", "2026-02-28T00:00:00.000Z"


def recorded(root: Path, *points: tuple[str, float, str] | tuple[str, float, str, str]) -> Metrics:
    metrics = open_metrics(root, Sync("off"))
    metrics.record_all(MetricPoint(*point) for point in points)
    return metrics


def figures(metrics: Metrics) -> dict[str, DerivedFigure]:
    return {one.name: one for one in derive_figures(metrics)}


def value(metrics: Metrics, name: str) -> float | None:
    return figures(metrics)[name].value


BOOKS = (
    ("mrr", 80_000.0, "2025-02-28T00:00:00.000Z"), ("mrr", 100_000.0, JANUARY), ("mrr", 110_000.0, FEBRUARY),
    ("new_mrr", 12_000.0, FEBRUARY), ("expansion_mrr", 4_000.0, FEBRUARY), ("contraction_mrr", 1_000.0, FEBRUARY),
    ("churned_mrr", 5_000.0, FEBRUARY), ("churned_mrr", 9_000.0, JANUARY), ("subscribers", 500.0, JANUARY),
    ("subscribers", 550.0, FEBRUARY), ("churned_subscribers", 10.0, FEBRUARY), ("new_subscribers", 60.0, FEBRUARY),
    ("sales_marketing_spend", 30_000.0, FEBRUARY), ("gross_margin", 80.0, FEBRUARY, "%"),
    ("cash", 600_000.0, FEBRUARY), ("burn", 60_000.0, FEBRUARY, "USD/month"), ("revenue", 120_000.0, FEBRUARY),
)  # fmt: skip


def test_every_figure_has_the_textbook_answer(tmp_path: Path) -> None:
    found = {name: one.value for name, one in figures(recorded(tmp_path, *BOOKS)).items()}
    assert found == {
        "mrr": 110_000,
        "arr": 1_320_000,
        "net_new_mrr": 10_000,
        "logo_churn": 2.0,  # 10 of 500
        "revenue_churn": 6.0,  # 6,000 of 100,000
        "nrr": 98.0,
        "grr": 94.0,
        "arpa": 200.0,
        "cac": 500.0,
        "ltv": 8_000.0,  # 200 x 0.8 / 0.02
        "ltv_to_cac": 16.0,
        "cac_payback_months": 3.12,  # 500 / 160
        "burn_multiple": 0.5,  # 60,000 of 120,000
        "runway_months": 10.0,
        "rule_of_40": -12.5,  # 37.5 - 50
    }


def test_a_figure_names_its_formula_and_the_numbers_it_rests_on(tmp_path: Path) -> None:
    found = figures(recorded(tmp_path, *BOOKS))["net_new_mrr"]
    assert found.formula == "MRR - MRR a month before"
    assert found.inputs == {"mrr": 110_000, "mrr a month before": 100_000}
    assert found.text == "Net new MRR: $10,000 (MRR - MRR a month before)"


def test_without_a_recorded_number_every_figure_says_what_it_needs(tmp_path: Path) -> None:
    found = figures(recorded(tmp_path))
    assert all(one.value is None and one.needs and not one.note for one in found.values())
    assert found["arr"].text == "ARR: cannot be computed: needs mrr or subscribers and price"
    assert found["runway_months"].needs == ("cash", "burn")
    assert "new_subscribers" in found["cac"].needs[0]


@pytest.mark.parametrize(
    ("taken", "name", "needed"),
    [
        ("subscribers", "arpa", "subscribers or price"),
        ("gross_margin", "ltv", "ltv or gross_margin"),
        ("gross_margin", "cac_payback_months", "gross_margin"),
        ("burn", "burn_multiple", "burn"),
        ("cash", "runway_months", "cash"),
        ("new_subscribers", "cac", "cac or new_subscribers"),
        ("churned_subscribers", "logo_churn", "churned_subscribers or churn_rate"),
    ],
)
def test_a_figure_without_one_of_its_numbers_names_it(tmp_path: Path, taken: str, name: str, needed: str) -> None:
    found = figures(recorded(tmp_path, *(point for point in BOOKS if point[0] != taken)))[name]
    assert (found.value, found.needs) == (None, (needed,))


def test_a_month_before_is_neither_a_week_nor_a_quarter(tmp_path: Path) -> None:
    for day in ("2026-02-14", "2025-11-28"):
        metrics = recorded(tmp_path / day, ("mrr", 9.0, f"{day}T00:00:00.000Z"), ("mrr", 10.0, FEBRUARY))
        assert value(metrics, "net_new_mrr") is None
    weekly = [("mrr", float(week), f"2026-02-{week:02}T00:00:00.000Z") for week in range(1, 29)]
    assert value(recorded(tmp_path / "weekly", ("mrr", 0.0, JANUARY), *weekly), "net_new_mrr") == 28


def test_flows_of_weeks_are_summed_over_four_of_them(tmp_path: Path) -> None:
    weeks = [f"2026-02-{day:02}T00:00:00.000Z" for day in (1, 8, 15, 22)]
    points = [("ad_spend", 1_000.0, at) for at in ("2026-01-25T00:00:00.000Z", *weeks)]
    won = [("new_subscribers", 5.0, at) for at in ("2026-01-25T00:00:00.000Z", *weeks)]
    assert value(recorded(tmp_path, *points, *won), "cac") == 200
    assert figures(open_metrics(tmp_path, Sync("off")))["cac"].inputs == {"ad_spend": 4_000, "new_subscribers": 20}


def test_what_somebody_measured_stands_and_is_no_figure_of_ours(tmp_path: Path) -> None:
    metrics = recorded(tmp_path, *BOOKS, ("cac", 700.0, FEBRUARY), ("churn_rate", 3.0, FEBRUARY, "%"))
    found = figures(metrics)
    assert (found["cac"].value, found["cac"].is_recorded, found["cac"].how) == (700, True, "as recorded")
    assert (found["logo_churn"].value, found["logo_churn"].is_recorded) == (2.0, False)
    assert figures(recorded(tmp_path / "other", ("churn_rate", 0.03, FEBRUARY)))["logo_churn"].value == 3


def test_without_two_points_of_mrr_its_moves_tell_what_was_added(tmp_path: Path) -> None:
    books = [point for point in BOOKS if point[0] != "mrr"]
    assert value(recorded(tmp_path, *books), "net_new_mrr") == 10_000


@pytest.mark.parametrize(
    ("points", "name", "why"),
    [
        ([("burn", -5.0, FEBRUARY), *BOOKS[1:3]], "burn_multiple", "burn is zero"),
        ([("mrr", 9.0, JANUARY), ("mrr", 8.0, FEBRUARY), ("burn", 5.0, FEBRUARY)], "burn_multiple", "no recurring"),
        ([("ad_spend", 5.0, FEBRUARY), ("new_subscribers", 0.0, FEBRUARY)], "cac", "nobody new came"),
        (
            [("price", 9.0, FEBRUARY), ("gross_margin", 0.8, FEBRUARY), ("churn_rate", 0.0, FEBRUARY)],
            "ltv",
            "nobody leaves",
        ),
        ([("mrr", 0.0, JANUARY), ("mrr", 9.0, FEBRUARY), ("new_mrr", 9.0, FEBRUARY)], "nrr", "there was no MRR"),
        ([("ltv", 5.0, FEBRUARY), ("cac", 0.0, FEBRUARY)], "ltv_to_cac", "CAC is 0"),
    ],
)
def test_a_figure_that_means_nothing_says_why(
    tmp_path: Path, points: list[tuple[str, float, str]], name: str, why: str
) -> None:
    found = figures(recorded(tmp_path, *points))[name]
    assert found.value is None
    assert why in found.text


NAMES = sorted({point[0] for point in BOOKS} | {"price", "ltv", "cac", "churn_rate", "ad_spend"})


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(NAMES),
            st.floats(-1e300, 1e300),
            st.sampled_from([JANUARY, FEBRUARY, "2025-02-28T00:00:00.000Z"]),
        ),
        max_size=25,
    )
)
def test_whatever_is_recorded_every_figure_has_a_value_or_a_reason(
    tmp_path_factory: pytest.TempPathFactory, points: list[tuple[str, float, str]]
) -> None:
    rows = derive_figures(recorded(tmp_path_factory.mktemp("books"), *points))
    assert [one.name for one in rows] == [line.name for line in TABLE]
    for one in rows:
        assert (one.value is None) == bool(one.needs or one.note)
        assert one.text.startswith(one.label)
