from pathlib import Path

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.society.metrics import (
    LONGEST_RUNWAY_MONTHS,
    MetricPoint,
    Metrics,
    arr,
    burn,
    cac,
    churn_rate,
    conversion_rate,
    ltv,
    monthly_churn,
    mrr,
    open_metrics,
    runway_months,
)
from mabos.workspace.sync import Sync


def opened(directory: Path) -> Metrics:
    return open_metrics(directory, Sync("off"))


def test_a_recorded_value_is_the_latest_and_part_of_its_series(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    metrics.record("mrr", 100, "2026-01-12", unit="USD/month", source="stripe")
    metrics.record("mrr", 90, "2026-01-05")
    assert metrics.latest("mrr") == MetricPoint("mrr", 100.0, "2026-01-12T00:00:00.000Z", "USD/month", "stripe")
    assert [point.value for point in metrics.series("mrr")] == [90, 100]
    assert metrics.series("mrr", since="2026-01-06")[0].value == 100
    assert metrics.names() == ("mrr",)


def test_runway_follows_from_cash_and_burn_where_nobody_measures_it(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    metrics.record("cash", 120_000, "2026-02-01", "USD")
    assert metrics.latest("runway_months") is None
    metrics.record("burn", 20_000, "2026-02-02", "USD/month")
    metrics.record("burn", 6_000, "2026-02-09", "USD/week")
    assert [point.value for point in metrics.series("runway_months")] == [6.0, 4.62]
    metrics.record("cash", 240_000, "2026-02-09", "USD")
    assert [point.value for point in metrics.series("runway_months")] == [6.0, 9.23]


def test_a_measured_runway_is_never_worked_out_again(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    metrics.record("runway_months", 8, "2026-02-01", "months", "the bank")
    metrics.record("cash", 120_000, "2026-02-02", "USD")
    metrics.record("burn", 20_000, "2026-02-02", "USD")
    assert [point.source for point in metrics.series("runway_months")] == ["the bank"]


def test_reading_what_was_never_recorded_is_empty_and_creates_no_file(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    assert (metrics.latest("mrr"), metrics.series("mrr"), metrics.names()) == (None, (), ())
    assert list(tmp_path.iterdir()) == []


def test_the_same_name_and_moment_again_is_a_correction(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    metrics.record("cash", 10, "2026-01-05")
    before = metrics.store.seq
    metrics.record("cash", 10, "2026-01-05T00:00:00Z")
    assert metrics.store.seq == before
    metrics.record("cash", 12, "2026-01-05")
    assert [point.value for point in metrics.series("cash")] == [12]


def test_points_survive_closing_and_are_readable(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    metrics.record_all(
        [MetricPoint("cash", 5.0, "2026-01-05T00:00:00.000Z"), MetricPoint("nps", 7.0, "2026-01-05T00:00:00.000Z")]
    )
    metrics.store.close()
    assert '"value": 5.0' in (tmp_path / "metrics" / "metrics.json").read_text(encoding="utf-8")
    assert opened(tmp_path).names() == ("cash", "nps")


def test_a_document_written_by_hand_opens(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    (tmp_path / "metrics" / "metrics.json").write_text(
        '{"points": [{"name": "cash", "value": 5, "at": "2026-01-05"}]}', encoding="utf-8"
    )
    found = opened(tmp_path).latest("cash")
    assert found is not None
    assert found.value == 5


@pytest.mark.parametrize(
    ("name", "value", "at", "argument"),
    [
        ("MRR!", 1.0, "2026-01-05", "name"),
        ("mrr", float("nan"), "2026-01-05", "value"),
        ("mrr", 1.0, "yesterday", "at"),
    ],
)
def test_a_bad_point_is_refused_and_names_the_argument(
    tmp_path: Path, name: str, value: float, at: str, argument: str
) -> None:
    with pytest.raises(InvalidArgument) as wrong:
        opened(tmp_path).record(name, value, at)
    assert wrong.value.argument == argument
    assert list(tmp_path.iterdir()) == []


def test_the_formulas_give_the_textbook_answers() -> None:
    assert mrr([(100, 29.0), (10, 1188 / 12)]) == 3890
    assert arr(3890) == 46_680
    assert churn_rate(5, 100) == 5
    assert conversion_rate(20, 80) == 25
    assert cac(5000, 25) == 200
    assert ltv(100, 0.8, 4) == 2000
    assert burn(9000, 4000) == 5000
    assert runway_months(300_000, 30_000) == 10


def test_formulas_without_a_base_do_not_divide_by_zero() -> None:
    assert (churn_rate(0, 0), conversion_rate(0, 0)) == (0, 0)
    assert (cac(500, 0), ltv(100, 0.8, 0)) == (None, None)
    assert runway_months(-5, 100) == 0
    assert runway_months(100, -100) == LONGEST_RUNWAY_MONTHS


@given(st.floats(0, 100))
def test_a_weekly_churn_compounds_to_between_itself_and_all(weekly: float) -> None:
    assert weekly - 1e-9 <= monthly_churn(weekly) <= 100


@given(st.floats(0, 1e9), st.floats(-1e6, 1e6))
def test_runway_is_between_nothing_and_five_years(cash: float, monthly: float) -> None:
    assert 0 <= runway_months(cash, monthly) <= LONGEST_RUNWAY_MONTHS


written = st.tuples(st.sampled_from(["cash", "burn", "leads"]), st.integers(1, 28), st.integers(0, 9), st.booleans())


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(points=st.lists(written, max_size=20))
def test_what_was_read_bit_by_bit_is_what_is_read_at_once(
    points: list[tuple[str, int, int, bool]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    directory = tmp_path_factory.mktemp("business")
    metrics, other = opened(directory), opened(directory)
    for name, day, value, is_by_other in points:
        (other if is_by_other else metrics).record(name, value, f"2026-01-{day:02d}")
        metrics.names()
    anew = opened(directory)
    assert metrics.names() == anew.names()
    assert [metrics.series(name) for name in anew.names()] == [anew.series(name) for name in anew.names()]


def test_a_point_that_a_person_takes_out_is_gone(tmp_path: Path) -> None:
    metrics = opened(tmp_path)
    metrics.record("cash", 10, "2026-01-05")
    metrics.record("cash", 9, "2026-01-12")
    metrics.store.checkpoint()
    assert metrics.latest("cash") == metrics.series("cash")[-1]
    path = tmp_path / "metrics" / "metrics.json"
    document = orjson.loads(path.read_bytes())
    document["points"] = document["points"][:1]
    path.write_bytes(orjson.dumps(document))
    assert [point.value for point in metrics.series("cash")] == [10]


def test_a_point_that_a_person_wrote_under_a_key_of_their_own_is_read_and_corrected(tmp_path: Path) -> None:
    path = tmp_path / "metrics" / "metrics.json"
    path.parent.mkdir()
    by_hand = {"id": "mine", "name": "cash", "value": 10, "at": "2026-01-05T00:00:00.000Z"}
    path.write_bytes(orjson.dumps({"points": [by_hand]}))
    metrics = opened(tmp_path)
    assert metrics.names() == ("cash",)
    metrics.record("cash", 9, "2026-01-12")
    metrics.record("cash", 8, "2026-01-12")
    assert [point.value for point in metrics.series("cash")] == [10, 8]
