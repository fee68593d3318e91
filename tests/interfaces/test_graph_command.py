"""`mabos graph`, and what the other commands say of graphs."""

import json
from pathlib import Path

import pytest

from tests.interfaces.command_line import answer, company, mabos


def test_the_status_tells_people_what_there_is_and_scripts_the_numbers(tmp_path: Path) -> None:
    company(tmp_path)
    shown = mabos("graph", "status", workspace=tmp_path).stdout
    assert shown.startswith("embedded: ")
    assert "neo4j: no Neo4j is set up" in shown
    assert "agent" in shown
    found = answer("graph", "status", workspace=tmp_path)
    assert found["embedded"]["kinds"]["agent"] == 9
    assert found["embedded"]["nodes"] == sum(found["embedded"]["kinds"].values())
    assert found["neo4j"]["configured"] is False


def test_syncing_without_a_server_is_done_and_says_once_that_there_is_none(tmp_path: Path) -> None:
    company(tmp_path)
    fact = {"subject": "globex", "predicate": "country", "object": "Sweden", "confidence": 0.9, "source": "test"}
    answer("call", "fact_assert", json.dumps(fact), "--agent", "cfo", workspace=tmp_path)
    shown = mabos("graph", "sync", workspace=tmp_path).stdout
    assert shown.startswith("1 facts, 0 rules and ")
    assert shown.count("NEO4J_URI") == 1
    found = answer("graph", "sync", workspace=tmp_path)
    assert (found["facts"], found["pushed"], found["changed"]) == (1, False, 0)
    assert len(found["schema"]["entities"]) == 19


def test_syncing_with_a_server_that_is_not_there_fails_and_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    company(tmp_path)
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    found = answer("graph", "sync", workspace=tmp_path, code=1)
    assert "does not answer" in found["detail"]
    assert found["waiting"] == found["nodes"] + found["edges"]
    shown = mabos("graph", "status", workspace=tmp_path).stdout
    assert "does not answer" in shown
    assert "changes wait" in shown
    checks = {one["subject"]: one for one in answer("doctor", workspace=tmp_path)["checks"]}
    assert (checks["neo4j"]["state"], checks["neo4j"]["mend"]) == ("degraded", "make neo4j")
    assert checks["graph copy"]["state"] == "degraded"  # all works without it, and it is said where that is mended
    assert "changes wait until Neo4j answers" in checks["graph copy"]["says"]


def test_a_copy_that_takes_long_is_said_to_be_under_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    company(tmp_path)
    monkeypatch.setattr("mabos.interfaces.cli.graph.SLOW_S", 0.0)
    assert "still syncing" not in mabos("graph", "sync", workspace=tmp_path).stderr
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    assert "still syncing" in mabos("graph", "sync", workspace=tmp_path, code=1).stderr


def test_goals_that_were_seeded_are_in_the_graph_and_survive_its_being_made_again(tmp_path: Path) -> None:
    company(tmp_path)
    seeded = answer("call", "goal_seed_business", "{}", workspace=tmp_path)["result"]
    before = answer("graph", "status", workspace=tmp_path)["embedded"]
    assert before["kinds"]["goal"] == len(seeded["goals"]) == 6
    rebuilt = answer("rebuild", workspace=tmp_path)
    assert rebuilt["graphs"] == {"acme": before["nodes"]}
    assert "graph" in rebuilt["rebuilt"]
    assert answer("graph", "status", workspace=tmp_path)["embedded"] == before
    assert "its graph was made again" in mabos("rebuild", workspace=tmp_path).stdout


def test_the_doctor_says_that_there_is_no_copy_and_is_content(tmp_path: Path) -> None:
    company(tmp_path)
    (check,) = [one for one in answer("doctor", workspace=tmp_path)["checks"] if one["subject"] == "graph copy"]
    assert check["state"] == "absent"
    assert "NEO4J_URI" in check["says"]


def test_why_follows_a_seeded_goal_to_the_colleague_whose_goal_it_serves(tmp_path: Path) -> None:
    company(tmp_path)
    seeded = answer("call", "goal_seed_business", "{}", workspace=tmp_path)["result"]
    (leads,) = [one for one in seeded["goals"] if one["description"] == "Win forty leads this month"]
    assert (
        "of ceo: Achieve $100K of monthly recurring revenue"
        in mabos("why", leads["goal_id"], workspace=tmp_path).stdout
    )
