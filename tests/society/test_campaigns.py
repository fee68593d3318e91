from pathlib import Path
from unittest.mock import patch

import pytest

from mabos.configs.errors import Damaged, InvalidArgument, UnknownId
from mabos.society.campaigns import Campaign, Campaigns, apply_action, commitment, open_campaigns
from mabos.workspace.store import Put, Store
from mabos.workspace.sync import Sync

AT = "2026-01-05T09:00:00.000Z"


def opened(directory: Path) -> Campaigns:
    return open_campaigns(directory, Sync("off"))


def campaign(**changed: object) -> Campaign:
    fields = {"id": "CMP-1", "name": "Spring", "channel": "search", "segment": "smb", "weekly_budget_usd": 500.0}
    return Campaign(**{**fields, "weeks": 6, **changed})  # type: ignore[arg-type]  # a test's shorthand


def test_a_booking_commits_its_budget_for_all_its_weeks() -> None:
    assert commitment(500, 6) == 3000
    assert campaign(weeks_run=2).committed_usd == 2000


def test_a_booked_campaign_is_there_after_reopening(tmp_path: Path) -> None:
    campaigns = opened(tmp_path)
    campaigns.save(campaign())
    campaigns.store.close()
    assert opened(tmp_path).one("CMP-1") == campaign()


def test_an_unknown_campaign_is_answered_with_the_nearest(tmp_path: Path) -> None:
    opened(tmp_path).save(campaign())
    with pytest.raises(UnknownId, match="did you mean 'CMP-1'"):
        opened(tmp_path).one("CMP-11")


def test_a_paused_campaign_resumes_and_its_history_says_who_did_it() -> None:
    paused = apply_action(campaign(), "pause", at=AT, by="cmo")
    resumed = apply_action(paused, "resume", at=AT, by="cfo")
    assert (paused.status, resumed.status) == ("paused", "running")
    recorded = apply_action(
        apply_action(campaign(status="recorded"), "pause", at=AT, by="cmo"), "resume", at=AT, by="cfo"
    )
    assert recorded.status == "recorded"  # no platform has ever run it
    assert [(change.by, change.action) for change in resumed.history] == [("cmo", "pause"), ("cfo", "resume")]


def test_doing_again_what_is_done_changes_nothing() -> None:
    paused = apply_action(campaign(), "pause", at=AT, by="cmo")
    assert apply_action(paused, "pause", at="2026-02-01T00:00:00.000Z", by="cmo") is paused


@pytest.mark.parametrize("status", ["stopped", "completed"])
def test_what_is_over_stays_over(status: str) -> None:
    with pytest.raises(InvalidArgument, match="create a new campaign"):
        apply_action(campaign(status=status), "resume", at=AT, by="cmo")


@pytest.mark.parametrize("budget", [None, 0.0])
def test_a_new_budget_must_be_given(budget: float | None) -> None:
    with pytest.raises(InvalidArgument) as wrong:
        apply_action(campaign(), "set_budget", at=AT, by="cmo", weekly_budget_usd=budget)
    assert wrong.value.argument == "weekly_budget_usd"


def test_a_report_of_the_last_week_completes_a_campaign(tmp_path: Path) -> None:
    campaigns = opened(tmp_path)
    campaigns.save(campaign())
    assert campaigns.report("CMP-1", spent_usd=2500, leads=40, weeks_run=5).status == "running"
    done = campaigns.report("CMP-1", spent_usd=3000, leads=50, weeks_run=6)
    assert (done.status, done.cost_per_lead) == ("completed", 60)
    assert campaigns.running() == ()


def test_a_field_a_person_added_by_hand_stays(tmp_path: Path) -> None:
    (tmp_path / "campaigns.json").write_text(
        '{"campaigns": [{"id": "CMP-1", "name": "Spring", "channel": "search", "segment": "smb",'
        ' "weekly_budget_usd": 500, "weeks": 6, "note": "agreed with Ann"}]}',
        encoding="utf-8",
    )
    campaigns = opened(tmp_path)
    campaigns.change("CMP-1", lambda one: apply_action(one, "pause", at=AT, by="cmo"))
    campaigns.store.close()
    text = (tmp_path / "campaigns.json").read_text(encoding="utf-8")
    assert "agreed with Ann" in text
    assert '"paused"' in text


def test_a_hand_edit_between_two_readings_is_seen(tmp_path: Path) -> None:
    campaigns = opened(tmp_path)
    campaigns.save(campaign())
    campaigns.store.checkpoint()
    assert campaigns.one("CMP-1").name == "Spring"
    path = tmp_path / "campaigns.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Spring", "Summer time"), encoding="utf-8")
    assert campaigns.one("CMP-1").name == "Summer time"


def test_a_damaged_record_is_named_with_its_field(tmp_path: Path) -> None:
    (tmp_path / "campaigns.json").write_text('{"campaigns": [{"id": "CMP-1", "name": "x"}]}', encoding="utf-8")
    with pytest.raises(Damaged, match="campaign 'CMP-1': channel"):
        opened(tmp_path).all()


def test_a_campaign_is_changed_beside_one_that_cannot_be_read(tmp_path: Path) -> None:
    with opened(tmp_path).store as store:
        store.commit([Put("campaigns", "CMP-2", {"id": "CMP-2", "name": "by hand"})])
    campaigns = opened(tmp_path)
    campaigns.save(campaign())
    assert campaigns.change("CMP-1", lambda one: apply_action(one, "pause", at=AT, by="cmo")).status == "paused"


def test_totals_that_were_told_before_take_no_lock(tmp_path: Path) -> None:
    campaigns = opened(tmp_path)
    campaigns.save(campaign())
    campaigns.report("CMP-1", spent_usd=3000, leads=50, weeks_run=6)
    with patch.object(Store, "commit", side_effect=AssertionError("a transaction was begun")):
        assert campaigns.report("CMP-1", spent_usd=3000, leads=50, weeks_run=6).status == "completed"
