import json
from pathlib import Path

import pytest
import yaml
from jsonschema import ValidationError, validate

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.society.simulation.scenario_files import load_scenario, parse_scenario, scenario_names
from scripts.scenario_schema import PLACE, schema, text

SHIPPED = Path(__file__).resolve().parents[3] / "configs" / "scenarios" / "saas.yaml"


def written(tmp_path: Path, old: str, new: str) -> Path:
    text = SHIPPED.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return path


def test_the_shipped_scenarios_load_by_name() -> None:
    assert {"saas", "saas-runway-squeeze"} <= set(scenario_names())
    for name in scenario_names():
        assert load_scenario(name).scenario == name


def test_a_path_loads_like_a_name(tmp_path: Path) -> None:
    path = written(tmp_path, "weeks: 13", "weeks: 4")
    assert load_scenario(path).weeks == 4
    assert load_scenario(str(path)).digest() != load_scenario("saas").digest()


def test_comments_and_layout_do_not_change_the_digest() -> None:
    text = SHIPPED.read_text(encoding="utf-8")
    assert parse_scenario(f"# mine\n{text}", source="x").digest() == load_scenario("saas").digest()


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownId, match="did you mean 'saas'"):
        load_scenario("sass")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cash: 420000", "cash: -1", "start.cash"),
        ("cash: 420000", "cahs: 420000", "start.cahs"),
        ("elasticity: 4.0", "elasticity: none", "segments.smb.elasticity"),
        ("kind: outage", "kind: flood", "events.3.kind"),
        ("date: 2026-01-05", "date: 2026-01-06", "Tuesday"),
        ("policy: approve-under-3x-burn", "policy: ask-my-mother", "stakeholder.policy"),
        ("search: {cost_per_lead: 15", "radio: {cost_per_lead: 15", "segments.smb.channels.radio"),
    ],
)
def test_what_is_wrong_is_said_with_file_and_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = written(tmp_path, old, new)
    with pytest.raises(InvalidArgument) as wrong:
        load_scenario(path)
    assert said in str(wrong.value)
    assert str(path) in str(wrong.value)


def test_an_event_for_an_unknown_segment_is_refused() -> None:
    text = SHIPPED.read_text(encoding="utf-8").replace("kind: outage,", "kind: churn_shock, segment: huge,")
    with pytest.raises(InvalidArgument, match=r"events\[3\].segment is 'huge'; expected all or one of smb, mid, ent"):
        parse_scenario(text, source="x.yaml")


@pytest.mark.parametrize("text", ["a: [", "just words", ""])
def test_a_file_that_is_no_scenario_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match=r"x\.yaml"):
        parse_scenario(text, source="x.yaml")


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r"absent\.yaml"):
        load_scenario(tmp_path / "absent.yaml")


def test_the_truth_differs_between_seeds_and_not_within_one() -> None:
    saas = load_scenario("saas")
    assert saas.truth("1") == saas.truth("1")
    assert saas.truth("1") != saas.truth("2")
    centre = saas.segments["smb"].willingness_to_pay
    for seed in map(str, range(30)):
        assert abs(saas.truth(seed).segment("smb").willingness_to_pay / centre - 1) <= saas.spread


def test_a_scenario_may_be_built_on_another(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("extends: saas\nscenario: mine\nweeks: 5\nsegments: {smb: {price: 33}}\n", encoding="utf-8")
    mine, saas = load_scenario(path), load_scenario("saas")
    assert (mine.scenario, mine.weeks, mine.segments["smb"].price) == ("mine", 5, 33)
    assert mine.segments["smb"].churn == saas.segments["smb"].churn
    assert mine.segments["mid"] == saas.segments["mid"]
    path.write_text("extends: sass\nscenario: mine\n", encoding="utf-8")
    with pytest.raises(UnknownId, match="did you mean 'saas'"):
        load_scenario(path)


def test_a_kind_of_business_needs_its_part_and_has_no_use_for_another(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    for written_as, said in (
        ("extends: saas\npreset: ecommerce\n", "preset ecommerce needs the part goods"),
        ("extends: consulting\npreset: saas\n", "preset saas has no use for the part practice"),
        ("extends: ecommerce\nsegments: {casual: {orders: 0}}\n", r"segments\.casual\.orders must be above 0"),
    ):
        path.write_text(written_as, encoding="utf-8")
        with pytest.raises(InvalidArgument, match=said):
            load_scenario(path)


def test_the_schema_for_editors_is_that_of_the_model_and_accepts_what_ships() -> None:
    assert PLACE.read_text(encoding="utf-8") == text(), "write it anew: python -m scripts.scenario_schema"
    for name in ("saas", "ecommerce", "consulting"):
        content = yaml.safe_load((SHIPPED.parent / f"{name}.yaml").read_text(encoding="utf-8"))
        validate(json.loads(json.dumps(content, default=str)), schema())
    with pytest.raises(ValidationError):
        validate({"scenario": "mine"}, schema())


@pytest.mark.parametrize("cash", [".inf", ".nan"])
def test_a_sum_without_end_is_refused_with_its_key(cash: str) -> None:
    with pytest.raises(InvalidArgument, match=r"start.cash"):
        parse_scenario(f"extends: saas\nscenario: rich\nstart: {{cash: {cash}}}\n", source="rich.yaml")
