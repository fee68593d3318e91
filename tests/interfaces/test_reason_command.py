"""`mabos reason`: a question in words over an agent's own figures, end to end, and its exit codes."""

import json
from pathlib import Path

from tests.interfaces.command_line import company, mabos

QUESTION = "What will visitors be next month?"


def test_a_question_is_answered_from_the_figures_of_an_agent(tmp_path: Path) -> None:
    place = str(company(tmp_path))
    for month, value in enumerate((100, 110, 121, 130, 141, 150, 161, 170), 1):
        point = {"name": "visitors", "value": value, "at": f"2026-{month:02}-28T00:00:00Z"}
        assert mabos("-w", place, "call", "metrics_record", json.dumps(point), "--agent", "cfo").returncode == 0
    done = mabos("-w", place, "reason", QUESTION, "--agent", "cfo", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["answered"], told["method"]) == (0, True, "pattern-recognition")
    ahead = told["result"]["answer"]["forecast"]
    assert ahead["low"] < 180 < ahead["high"]
    assert "visitors" in told["reading"]
    refused = mabos("-w", place, "reason", "What will headcount be next month?", "--agent", "cfo")
    assert refused.returncode == 1


def test_a_question_with_its_own_figures_needs_no_workspace(tmp_path: Path) -> None:
    done = mabos(
        "-w",
        str(tmp_path / "none"),
        "reason",
        "The seller wants at least 80 and the buyer pays at most 100. What price is fair?",
    )
    assert (done.returncode, "Method: negotiation" in done.stdout) == (0, True)
    assert mabos("reason", "Should we raise prices?").returncode == 1
    assert len(json.loads(mabos("reason", "--methods", "--json").stdout)) == 35
