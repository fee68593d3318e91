from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.society.messages import Message
from mabos.society.metrics import open_metrics
from mabos.society.simulation.levers import NOTHING, Advertising, Levers
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.simulation.sensors import MarketReadings, publish, readings
from mabos.society.simulation.state import MarketEvent
from mabos.society.simulation.world import step
from mabos.workspace.sync import Sync
from tests.society.simulation.policies import played, sensible

SAAS = load_scenario("saas")
AT = datetime(2026, 1, 12, tzinfo=UTC)
NAMES = (
    "cash mrr arr subscribers subscribers_smb subscribers_mid subscribers_ent churn_rate new_subscribers leads"
    " conversion_rate cac ltv price ad_spend payroll burn runway_months quality support_backlog nps"
)
EVERYBODY = {role: role for role in ("ceo", "cfo", "coo", "cmo", "cto", "hr", "legal", "strategy", "knowledge")}


def seen(*events: MarketEvent, weeks: int = 5, seed: str = "1") -> MarketReadings:
    world, _ = played(SAAS, sensible, seed, weeks)
    return readings(world, events, SAAS.truth(seed), seed=seed, at="2026-01-12T00:00:00.000Z")


def value(found: MarketReadings, name: str) -> float:
    return next(point.value for point in found.points if point.name == name)


def test_every_metric_of_the_contract_is_measured_once_with_its_unit() -> None:
    found = seen()
    names = [point.name for point in found.points]
    assert set(NAMES.split()) <= set(names)
    assert len(set(names)) == len(names)
    assert all(point.source == "market" for point in found.points)


def test_the_numbers_agree_with_each_other() -> None:
    found = seen()
    assert value(found, "arr") == pytest.approx(12 * value(found, "mrr"), rel=1e-6)
    assert value(found, "subscribers") == sum(value(found, f"subscribers_{name}") for name in SAAS.segments)
    assert value(found, "price") == pytest.approx(value(found, "mrr") / value(found, "subscribers"), rel=1e-4)
    assert value(found, "runway_months") == pytest.approx(
        value(found, "cash") / (value(found, "burn") * 52 / 12), rel=1e-3
    )


def test_quality_is_surveyed_and_not_read_off() -> None:
    errors = {
        round(value(seen(weeks=weeks), "quality") - played(SAAS, sensible, "1", weeks)[0].quality, 3)
        for weeks in range(1, 6)
    }
    assert len(errors) > 2
    assert all(abs(error) < 0.1 for error in errors)


def test_nothing_of_the_hidden_truth_is_shown() -> None:
    shown = {point.name for point in seen().points}
    assert not {"expectation", "reputation", "elasticity", "willingness_to_pay", "audience"} & shown


@pytest.mark.parametrize(
    ("event", "roles"),
    [
        (MarketEvent(3, "complaint", "customers_smb", "price", 2, "too dear"), {"cmo", "coo"}),
        (MarketEvent(3, "complaint", "customers_smb", "quality", 2, "too old"), {"cto", "coo"}),
        (MarketEvent(3, "rival_launch", "rival", "launch", 0.04, "a rival"), {"ceo", "strategy", "cto"}),
        (MarketEvent(3, "delivery", "WP-1", "0.71", 9000, "done"), {"cto", "hr"}),
        (MarketEvent(3, "board_reminder", "board", "runway_months >= 6", 0, "runway"), {"ceo", "cfo"}),
        (MarketEvent(3, "legal_notice", "compliance", "notice", 40000, "act"), {"legal", "ceo"}),
    ],
)
def test_news_reaches_those_whose_business_it_is(event: MarketEvent, roles: set[str]) -> None:
    mail = seen(event).mail
    assert {letter.role for letter in mail} == roles
    assert {(letter.subject, letter.value, letter.content) for letter in mail} == {
        (event.subject, event.value, event.text)
    }


def test_every_event_of_a_long_run_finds_a_reader() -> None:
    for name in ("saas", "saas-runway-squeeze"):
        scenario = load_scenario(name)
        _, events = played(scenario, sensible, "2")
        assert len({event.kind for event in events}) >= 5
        for event in events:
            assert readings(scenario.opening("2"), [event], scenario.truth("2"), seed="2", at="2026-01-12").mail


def test_mail_is_an_inform_with_the_triple_of_a_belief_and_is_delivered_once(tmp_path: Path) -> None:
    found = seen(MarketEvent(3, "delivery", "WP-1", "0.71", 9000, "Work package WP-1 was delivered."))
    metrics = open_metrics(tmp_path, Sync("off"))
    box: dict[str, Message] = {}
    for _ in range(2):
        publish(found, metrics, lambda message: box.setdefault(message.id, message), roles=EVERYBODY, at=AT)
    assert len(box) == 2
    for message in box.values():
        assert (message.sender, message.performative) == ("market", "INFORM")
        assert message.metadata == {"subject": "WP-1", "predicate": "delivered_quality", "value": "0.71"}
    assert len(metrics.series("cash")) == 1


def test_mail_for_a_role_nobody_holds_is_not_sent(tmp_path: Path) -> None:
    box: list[Message] = []
    found = seen(MarketEvent(3, "delivery", "WP-1", "0.71", 9000, "done"))
    publish(found, open_metrics(tmp_path, Sync("off")), box.append, roles={"cto": "acme-cto"}, at=AT)
    assert [message.to for message in box] == ["acme-cto"]


def test_what_cannot_be_computed_is_not_reported_as_zero() -> None:
    advertised = Levers(advertising=(Advertising("a", "search", "smb", 500, 4),))
    for levers in (NOTHING, advertised):
        world, _ = step(SAAS.opening("1"), SAAS.truth("1"), levers, "1")
        shown = [point.name for point in readings(world, (), SAAS.truth("1"), seed="1", at="2026-01-12").points]
        assert ("cac" in shown) == (levers is advertised)
