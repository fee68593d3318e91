import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged, InvalidArgument
from mabos.society.campaigns import Campaign, apply_action, open_campaigns
from mabos.society.content import Article, open_content
from mabos.society.messages import Message
from mabos.society.metrics import open_metrics
from mabos.society.packages import WorkPackage
from mabos.society.pricing import Price, open_pricing
from mabos.society.simulation.company import BusinessRecords, CompanySimulation
from mabos.society.simulation.scenario_files import load_scenario
from mabos.society.staff import open_staff
from mabos.society.workforce import open_pool, open_workforce
from mabos.workspace.sync import Sync

SAAS = load_scenario("saas")
ROLES = {role: role for role in ("ceo", "cfo", "coo", "cmo", "cto", "hr", "legal", "strategy", "knowledge")}
AT = "2026-01-05T09:00:00.000Z"


def documents(root: Path) -> BusinessRecords:
    home = root / "businesses" / "acme"
    home.mkdir(parents=True, exist_ok=True)
    sync = Sync("off")
    return BusinessRecords(
        open_metrics(home, sync),
        open_campaigns(home, sync),
        open_pricing(home, sync),
        open_content(home, sync),
        open_workforce(home, open_pool(root, sync), sync),
        open_staff(home, sync),
    )


def simulation(root: Path, seed: str = "1") -> tuple[CompanySimulation, BusinessRecords]:
    records = documents(root)
    return CompanySimulation(root, SAAS, seed=seed, records=records), records


def run(one: CompanySimulation, weeks: int, deliver: Callable[[Message], object] = lambda _: None) -> None:
    for _ in range(weeks):
        one.advance(one.week, deliver=deliver, roles=ROLES)


def book(records: BusinessRecords) -> None:
    records.campaigns.save(Campaign("CMP-1", "Search", "search", "smb", 700, 3, created_at=AT))
    records.workforce.packages.save(WorkPackage("WP-1", "Faster", "Less waiting.", ("Python",), 4000, created_at=AT))
    records.content.save(Article("PIECE-1", "blog_post", "Why", "content/why.md", created_at=AT))
    records.pricing.prices.save(Price("price_2", "prod_subscription", 3400, segment="smb", created_at=AT))


def test_the_books_open_with_prices_contractors_and_the_first_days_metrics(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    one.open_books()
    offer = records.pricing.offered("smb")
    assert offer is not None
    assert offer.monthly_usd == SAAS.segments["smb"].price
    assert len(records.workforce.contractors.all()) == len(SAAS.contractors)
    first = records.metrics.latest("cash")
    assert first is not None
    assert (first.value, first.at) == (420_000, "2026-01-05T00:00:00.000Z")
    for measured_before in ("churn_rate", "conversion_rate", "burn", "runway_months"):
        point = records.metrics.latest(measured_before)
        assert point is not None
        assert point.value > 0


def test_opening_the_books_twice_changes_nothing(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    one.open_books()
    records.workforce.contractors.change("CONT-001", lambda someone: replace(someone, trust_score=0.1))
    one.open_books()
    assert records.workforce.contractors.one("CONT-001").trust_score == 0.1
    assert len(records.pricing.prices.all()) == 3


def test_every_kind_of_record_moves_the_market(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    one.open_books()
    book(records)
    tick = one.advance(0, deliver=lambda _: None, roles=ROLES)
    assert tick is not None
    assert [ad.campaign_id for ad in tick.levers.advertising] == ["CMP-1"]
    assert dict(tick.levers.prices)["smb"] == 34
    assert [order.package_id for order in tick.levers.orders] == ["WP-1"]
    assert [piece.article_id for piece in tick.levers.content] == ["PIECE-1"]
    assert tick.after.ledger.advertising == 700
    assert tick.after.ledger.content == 250
    assert tick.after.ledger.contractors > 0


def test_platform_and_contractor_report_into_the_companys_own_records(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    one.open_books()
    book(records)
    mail: list[Message] = []
    run(one, 1, mail.append)
    assert records.workforce.packages.one("WP-1").status == "in_progress"
    run(one, 5, mail.append)
    campaign = records.campaigns.one("CMP-1")
    assert (campaign.status, campaign.spent_usd, campaign.weeks_run) == ("completed", 2100, 3)
    assert campaign.leads > 0
    assert records.workforce.packages.one("WP-1").status == "delivered"
    assert {message.to for message in mail if message.metadata["subject"] == "WP-1"} == {"cto", "hr"}


def test_a_paused_campaign_neither_costs_nor_loses_its_weeks(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    book(records)
    run(one, 1)
    records.campaigns.change("CMP-1", lambda campaign: apply_action(campaign, "pause", at=AT, by="cmo"))
    run(one, 2)
    assert records.campaigns.one("CMP-1").spent_usd == 700
    records.campaigns.change("CMP-1", lambda campaign: apply_action(campaign, "resume", at=AT, by="cmo"))
    run(one, 4)
    assert records.campaigns.one("CMP-1").spent_usd == 2100


def test_a_restart_goes_on_where_the_last_week_ended(tmp_path: Path) -> None:
    whole, records = simulation(tmp_path / "whole")
    whole.open_books()
    book(records)
    run(whole, 6)
    first, records = simulation(tmp_path / "parts")
    first.open_books()
    book(records)
    run(first, 3)
    second, _ = simulation(tmp_path / "parts")
    assert second.week == 3
    run(second, 3)
    assert second.world == whole.world


def test_a_week_cut_short_before_its_state_was_saved_runs_again_and_writes_the_same(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    one.open_books()
    book(records)
    run(one, 2)
    kept = tmp_path / "kept.json"
    shutil.copy(tmp_path / ".simulation" / "state.json", kept)
    mail: dict[str, Message] = {}
    run(one, 1, lambda message: mail.setdefault(message.id, message))
    after, counted, campaigns = one.world, dict(mail), records.campaigns.all()
    cash = records.metrics.series("cash")
    shutil.copy(kept, tmp_path / ".simulation" / "state.json")
    again, records = simulation(tmp_path)
    run(again, 1, lambda message: mail.setdefault(message.id, message))
    assert (again.world, mail, records.campaigns.all()) == (after, counted, campaigns)
    assert records.metrics.series("cash") == cash


def test_a_week_that_is_over_is_not_run_again_and_none_is_skipped(tmp_path: Path) -> None:
    one, _ = simulation(tmp_path)
    run(one, 2)
    assert one.advance(1, deliver=lambda _: None, roles=ROLES) is None
    with pytest.raises(InvalidArgument, match="week 5 cannot run before week 2"):
        one.advance(5, deliver=lambda _: None, roles=ROLES)


def test_another_seed_does_not_go_on_with_this_ones_state(tmp_path: Path) -> None:
    one, _ = simulation(tmp_path)
    run(one, 1)
    with pytest.raises(InvalidArgument, match="another scenario or seed"):
        simulation(tmp_path, seed="2")


def test_a_damaged_state_is_named(tmp_path: Path) -> None:
    (tmp_path / ".simulation").mkdir()
    (tmp_path / ".simulation" / "state.json").write_text("{", encoding="utf-8")
    with pytest.raises(Damaged, match=r"state\.json"):
        simulation(tmp_path)


def test_no_file_that_agents_read_holds_the_hidden_truth(tmp_path: Path) -> None:
    one, records = simulation(tmp_path)
    one.open_books()
    book(records)
    run(one, 8)
    for records_of in (records.campaigns, records.pricing.prices, records.content, records.workforce.packages):
        records_of.store.close()
    records.metrics.store.close()
    hidden = (str(one.world.expectation), str(one.world.reputation), "willingness", "elasticity", '"skill"')
    for path in (tmp_path / "businesses").rglob("*.json*"):
        text = path.read_text(encoding="utf-8")
        assert not [word for word in hidden if word in text], path
