"""Where a page of rules fails and agents who deliberate do not; and what their deeds rest on."""

import json
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs.simulate import simulate


def deeds(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines()
    return [one for one in map(json.loads, lines) if one["kind"] == "deed"]


@pytest.mark.slow
@pytest.mark.parametrize(("scenario", "seed"), [("consulting", "1006"), ("consulting-late-payers", "1010")])
def test_where_rules_end_in_bankruptcy_agents_do_not(scenario: str, seed: str, tmp_path: Path) -> None:
    """These are all the bankruptcies of either side over the report seeds of both scenarios: clients pay late or never.

    Rules book the same hands and campaigns all the same. The agents' budgets follow the cash there is, and they ask
    more for their work while it is asked for.
    """
    rules, agents = (simulate(scenario, out=tmp_path / policy, seed=seed, policy=policy) for policy in ("rules", "bdi"))
    assert rules.is_bankrupt
    assert not agents.is_bankrupt
    assert agents.kpis["cash"] > 0


@pytest.mark.slow
def test_a_channel_whose_leads_cost_too_much_is_given_up_and_a_cheap_one_kept(tmp_path: Path) -> None:
    """Of small businesses a lead costs five monthly fees at events, and half of one by search; nobody is told so."""
    simulate("saas", out=tmp_path, weeks=9, seed=3, policy="bdi")
    booked = [one["subject"] for one in deeds(tmp_path) if one["tool"] == "ad_campaign_create"]
    by_events = [one for one in booked if one.startswith("Started the campaign 'events for smb")]
    by_search = [one for one in booked if one.startswith("Started the campaign 'search for smb")]
    assert len(by_events) <= 3
    assert len(by_search) >= 7
