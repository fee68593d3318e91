"""A simulated company: the same bytes for the same seed whatever the threads, and a run that goes on where it stood."""

import errno
import json
import re
from pathlib import Path

import pytest

from mabos.configs.errors import InvalidArgument, Unavailable
from mabos.graphs import wiring
from mabos.graphs.simulate import BUSINESS, simulate
from mabos.society.figure_words import amount
from mabos.workspace.clock import parse_time


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".mabos" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("three")
    simulate("saas", out=out, weeks=3, seed=5, threads=1)
    return out


@pytest.fixture(scope="module")
def nine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("nine")
    simulate("saas", out=out, weeks=9, seed=3)
    return out


def test_every_file_follows_from_scenario_and_seed_whatever_the_threads(three: Path, tmp_path: Path) -> None:
    simulate("saas", out=tmp_path, weeks=3, seed=5, threads=6)
    one, many = files(three), files(tmp_path)
    assert one.keys() == many.keys()
    assert [name for name in one if one[name] != many[name]] == []


def test_another_seed_is_another_run(tmp_path: Path) -> None:
    for seed in (1, 2):
        simulate("saas", out=tmp_path / str(seed), weeks=1, seed=seed, policy="nothing")
    assert (tmp_path / "1" / "kpis.csv").read_bytes() != (tmp_path / "2" / "kpis.csv").read_bytes()


def test_a_run_goes_on_where_it_stood(tmp_path: Path) -> None:
    simulate("saas", out=tmp_path, weeks=1, seed=5)
    outcome = simulate("saas", out=tmp_path, weeks=2, seed=5)
    assert outcome.weeks == 2
    with wiring.hold_services(tmp_path / "workspace") as services:
        points = services.business(BUSINESS).metrics.series("cash")
        assert len(points) == 3
        assert services.ledger.verify() == []


def test_doing_nothing_moves_no_lever(tmp_path: Path) -> None:
    simulate("saas", out=tmp_path, weeks=2, seed=5, policy="nothing")
    with wiring.hold_services(tmp_path / "workspace") as services:
        business = services.business(BUSINESS)
        assert business.campaigns.all() == ()
        assert services.ledger.agents() in ([], ["stakeholder"])


def test_what_is_scheduled_for_after_the_last_week_is_told_as_what_never_happens(tmp_path: Path) -> None:
    outcome = simulate("saas", out=tmp_path, weeks=2, seed=5, policy="nothing")
    (first, *_) = outcome.notices
    assert first == "events[0], board_reminder of week 3, never happens: the run ends with week 1"
    assert outcome.as_json()["notices"] == list(outcome.notices)
    for file in ("report.md", "report.html"):
        assert first in (tmp_path / file).read_text("utf-8")


def test_a_full_disk_is_told_as_one_and_not_as_a_wrong_argument(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "business.json")

    monkeypatch.setattr("mabos.tools.business.businesses.create_business", full)
    with pytest.raises(Unavailable, match="free disk space"):
        simulate("saas", out=tmp_path, weeks=1, policy="nothing")


def test_a_policy_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="bdi"):
        simulate("saas", out=tmp_path, weeks=1, policy="best")


def test_a_script_runs_the_company_through_the_call_path_and_under_governance(tmp_path: Path) -> None:
    outcome = simulate("saas", out=tmp_path, weeks=4, seed=5, policy="rules")
    with wiring.hold_services(tmp_path / "workspace") as services:
        business = services.business(BUSINESS)
        assert business.campaigns.all()
        entries = [entry for agent in services.ledger.agents() for entry in services.ledger.entries(agent)]
        done = {entry.body.get("tool") for entry in entries if entry.kind == "call"}
        assert {"ad_campaign_create", "content_generate", "stripe_create_price"} <= done
        prices = [one for one in business.decisions.all() if one.action and one.action["tool"] == "stripe_create_price"]
        assert prices
        assert all(one.performed_at for one in prices), "the owner allows them, and then they are done"
        assert services.ledger.verify() == []
    assert outcome.policy == "rules"


def test_a_scripted_run_goes_on_where_it_stood_and_comes_to_the_same(tmp_path: Path) -> None:
    whole = simulate("saas", out=tmp_path / "whole", weeks=3, seed=5, policy="random")
    simulate("saas", out=tmp_path / "parts", weeks=1, seed=5, policy="random")
    assert simulate("saas", out=tmp_path / "parts", weeks=3, seed=5, policy="random").score == whole.score


def test_the_owner_answers_agents_and_scripts_after_the_same_time(three: Path, tmp_path: Path) -> None:
    simulate("saas", out=tmp_path, weeks=3, seed=5, policy="rules")
    for out in (three, tmp_path):
        with wiring.hold_services(out / "workspace") as services:
            answered = [one for one in services.business(BUSINESS).decisions.all() if one.resolved_at]
        assert answered
        waited = {(parse_time(one.resolved_at).date() - parse_time(one.created_at).date()).days for one in answered}
        assert waited == {7}


SAID = {"mrr": re.compile(r"MRR is (\$[\d,]+)"), "runway_months": re.compile(r"Runway is ([\d.]+) months")}


def test_no_message_tells_a_figure_that_was_not_the_latest_when_it_was_sent(nine: Path) -> None:
    home = nine / "workspace"
    points = json.loads((home / "businesses" / BUSINESS / "metrics" / "metrics.json").read_text("utf-8"))["points"]
    told = 0
    for inbox in home.glob("agents/*/inbox.json"):
        for message in json.loads(inbox.read_text("utf-8")):
            for name, pattern in SAID.items():
                for figure in pattern.findall(message["content"]):
                    known = [one for one in points if one["name"] == name and one["at"] <= message["timestamp"]]
                    latest = max(known, key=lambda one: str(one["at"]))
                    assert figure == amount(latest["value"], latest["unit"]), message
                    told += 1
    assert told >= 3


def test_a_channel_whose_leads_cost_too_much_is_given_up_and_a_cheap_one_kept(nine: Path) -> None:
    """A lead among small businesses costs five monthly fees at events and half a fee by search: agents learn it."""
    journal = [json.loads(line) for line in (nine / "journal.jsonl").read_text(encoding="utf-8").splitlines()]
    booked = [one["subject"] for one in journal if one["kind"] == "deed" and one["tool"] == "ad_campaign_create"]
    by_events = [one for one in booked if one.startswith("Started the campaign 'events for smb")]
    by_search = [one for one in booked if one.startswith("Started the campaign 'search for smb")]
    assert len(by_events) <= 3
    assert len(by_search) >= 7
