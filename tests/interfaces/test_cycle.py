"""The commands that run the machines: a cycle, a heartbeat, a simulation."""

import json
import signal
import subprocess
from pathlib import Path

import pytest

from mabos import open_workspace
from tests import warm
from tests.interfaces.command_line import answer, company, mabos
from tests.interfaces.surfaces.servers import surroundings

PHASES = ["perceive", "deliberate", "plan", "act", "learn"]


def test_a_cycle_shows_its_phases_as_they_happen(tmp_path: Path) -> None:
    company(tmp_path)
    lines = mabos("run", "cfo", "--message", "Review our runway", workspace=tmp_path).stdout.splitlines()
    seen = list(dict.fromkeys(word for line in lines if (word := line.split()[0]) in PHASES))
    assert seen[0] == "perceive"
    assert seen[-1] == "learn"
    assert seen == [phase for phase in PHASES if phase in seen]


def test_a_cycle_at_the_very_same_moment_keeps_nothing_twice_and_says_so(tmp_path: Path) -> None:
    company(tmp_path)
    for agent in ("ceo", "cfo"):
        reports = [answer("run", agent, workspace=tmp_path) for _ in range(4)]
        idle = [report for report in reports if report["outcome"] == "idle"]
        assert idle
        assert all("memories" not in report["counts"] for report in idle)


def test_a_question_is_answered_to_whoever_asks_and_the_answer_is_shown(tmp_path: Path) -> None:
    company(tmp_path)
    point = {"name": "runway_months", "value": 5, "unit": "months", "source": "books"}
    answer("call", "metrics_record", json.dumps(point), "--agent", "cfo", workspace=tmp_path)
    said = mabos("run", "cfo", "--message", "Please tell me our runway", workspace=tmp_path).stdout
    assert "cfo says to you (INFORM):" in said
    assert "5" in said.partition("(INFORM):")[2]


def test_what_cannot_be_done_is_told_to_whoever_asks(tmp_path: Path) -> None:
    company(tmp_path)
    said = mabos("run", "hr", "--message", "Please xylograph the qwerty", workspace=tmp_path).stdout
    assert "hr says to you" in said
    assert "done" not in said.partition("hr says to you")[2].casefold().split()


def test_a_cycle_as_json_has_nothing_else_on_standard_output(tmp_path: Path) -> None:
    company(tmp_path)
    result = mabos("run", "cfo", "--json", workspace=tmp_path)
    report = json.loads(result.stdout)
    assert report["agent_id"] == "cfo"
    assert report["outcome"]
    assert "perceive" in result.stderr


@pytest.mark.parametrize("pause", ["30x", "0m", "often"])
def test_a_time_between_heartbeats_that_is_none_is_wrong_usage(tmp_path: Path, pause: str) -> None:
    company(tmp_path)
    result = mabos("heartbeat", "--every", pause, workspace=tmp_path, code=2)
    assert f"'{pause}' is not a time between rounds" in result.stderr
    result = mabos("live", "--every", pause, workspace=tmp_path, code=2)
    assert f"'{pause}' is not a time between heartbeats" in result.stderr
    result = mabos("live", "--for", pause, workspace=tmp_path, code=2)
    assert f"'{pause}' is not how long to run" in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_heartbeat_that_is_told_to_end_ends_well(number: signal.Signals, tmp_path: Path) -> None:
    words = ["--workspace", str(company(tmp_path)), "heartbeat", "--every", "30m", "--agent", "cfo"]
    beating = subprocess.Popen(
        [*warm.mabos(), *words], env=surroundings(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert beating.stdout is not None
    assert beating.stdout.readline().startswith("Agent")
    beating.send_signal(number)
    _, said = beating.communicate(timeout=60)
    assert (beating.returncode, said) == (0, "")


def test_a_report_names_the_decisions_it_waits_for_and_counts_what_was_done(tmp_path: Path) -> None:
    company(tmp_path)
    order = "Start a search campaign named 'Spring': 900 dollars a week for 8 weeks, for everybody."
    report = answer("run", "cmo", "--message", order, workspace=tmp_path)
    (asked,) = [one for one in answer("decisions", workspace=tmp_path)["decisions"] if one["cost"] == 7200]
    assert asked["id"] in report["reply"]
    assert {"record": asked["id"], "field": "cost", "value": 7200.0}.items() <= report["claims"][0].items()


def test_python_does_what_the_design_promises(tmp_path: Path) -> None:
    with open_workspace(tmp_path / "workspace") as ws:
        ws.create_business("acme", name="Acme", template="saas")
        cfo = ws.agent("cfo")
        cfo.memory.store("Runway is nine months", type="fact", importance=0.8, tags=["runway"], store="long_term")
        stored = cfo.memory.store_many([{"content": "Churn rose in May", "type": "observation", "importance": 0.4}])
        assert len(stored) == 1
        hits = cfo.memory.recall("how long will the money last, the runway?", limit=10, recursive_depth=1)
        assert any(hit.item and hit.item.content == "Runway is nine months" for hit in hits)
        assert all(hit.score >= 0 and hit.depth >= 0 for hit in hits)
        done = cfo.call(
            "fact_assert", subject="acme", predicate="runway_months", object="9", confidence=0.9, source="x"
        )
        assert done.ok
        report = cfo.run(message="Review our runway")
        assert (report.agent_id, report.ok) == ("cfo", True)
    assert (tmp_path / "workspace" / "agents" / "cfo" / "facts.json").is_file()


def test_a_workspace_opened_twice_is_one_workspace(tmp_path: Path) -> None:
    with open_workspace(tmp_path) as first, open_workspace(tmp_path) as second:
        assert first.services is second.services
    with open_workspace(tmp_path) as third:
        assert third.services is not first.services


def test_what_an_operation_refuses_python_may_read_or_have_raised(tmp_path: Path) -> None:
    from mabos.configs.errors import MabosError, UnknownId

    with open_workspace(tmp_path) as ws:
        ws.create_business("acme", name="Acme", template="saas")
        with pytest.raises(MabosError, match="acme"):
            ws.create_business("acme", name="Acme", template="saas")
        with pytest.raises(UnknownId, match="did you mean 'strategy'"):
            ws.agent("strateg")
        refused = ws.agent("cfo").call("bpmn_add_node", workflow_id="none", type="sendTask", tool="email_send")
        assert refused.argument == "workflow_id"
        refused = ws.agent("cfo").call("goal_evaluate", goal_id="G-none")
        assert not refused.ok
        assert refused.argument == "goal_id"


def test_a_company_that_does_nothing_is_simulated_too(tmp_path: Path) -> None:
    options = ("--weeks", "2", "--policy", "nothing", "--out", str(tmp_path / "out"))
    result = mabos("simulate", "saas", *options, "--json")
    assert json.loads(result.stdout)["weeks"] == 2
    assert {path.name for path in (tmp_path / "out").glob("report.*")} == {"report.md", "report.html"}


def test_a_scenario_in_the_folder_of_the_workspace_is_simulated_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "lean.yaml").write_text("extends: saas\nscenario: lean\ntitle: Lean\nweeks: 1\n")
    out = ("--policy", "nothing", "--out", str(tmp_path / "out"))
    found = answer("simulate", "lean", *out, workspace=tmp_path)
    assert (found["weeks"], found["scenario"]) == (1, "lean")
    assert "lean" not in mabos("simulate", "lean", *out, workspace=tmp_path / "other", code=1).stdout


def test_an_unknown_scenario_names_those_there_are(tmp_path: Path) -> None:
    result = mabos("simulate", "sas", "--out", str(tmp_path / "out"), code=1)
    assert "saas" in result.stderr


def test_policies_are_compared_over_seeds_in_one_table(tmp_path: Path) -> None:
    options = ("--policy", "rules", "--policy", "nothing", "--seeds", "1,3-4", "--weeks", "1", "--out", str(tmp_path))
    found = answer("simulate", "saas", *options)
    assert [(run["policy"], run["seed"]) for run in found["runs"]] == [
        (policy, seed) for policy in ("rules", "nothing") for seed in ("1", "3", "4")
    ]
    assert "rules" in (tmp_path / "batch.md").read_text()
    refused = mabos("simulate", "saas", "--seeds", "4-3", "--out", str(tmp_path), code=1)
    assert "expected numbers and ranges such as 1,2,10-19" in refused.stderr


def test_a_run_is_replayed_under_another_owner_and_compared(tmp_path: Path) -> None:
    first = tmp_path / "first"
    mabos("simulate", "saas", "--weeks", "2", "--seed", "3", "--policy", "rules", "--out", str(first))
    assert "are the same" in mabos("replay", str(first)).stdout
    options = ("--set", "decision_style=hands-on", "--set", "policy=reject-all", "--out", str(tmp_path / "strict"))
    shown = mabos("replay", str(first), *options).stdout
    assert "Answered otherwise" in shown
    assert "owner decision_style" in shown
    assert "strategic-only" in shown
    assert "hands-on" in shown
    assert (tmp_path / "strict" / "compare.html").exists()
    page = tmp_path / "pages" / "both.html"
    mabos("compare", str(first), str(tmp_path / "strict"), "--html", str(page))
    assert "What the owner answered otherwise" in page.read_text(encoding="utf-8")
    assert answer("compare", str(first), str(tmp_path / "strict"))["same"] is False
    assert "no finished run" in mabos("compare", str(first), str(tmp_path), code=1).stderr
