"""`mabos reason`: a question in words over an agent's own figures, end to end, and its exit codes."""

import json
from pathlib import Path

from tests.interfaces.command_line import answer, company, mabos


def test_a_question_is_answered_from_the_figures_of_an_agent(tmp_path: Path) -> None:
    place = company(tmp_path)
    for month, value in enumerate((100, 110, 121, 130, 141, 150, 161, 170), 6):
        year, number = (2025, month) if month <= 12 else (2026, month - 12)
        point = {"name": "visitors", "value": value, "at": f"{year}-{number:02}-20T00:00:00Z"}
        assert answer("call", "metrics_record", json.dumps(point), "--agent", "cfo", workspace=place)["ok"]
    told = answer(
        "reason", "What will visitors be next month?", "--agent", "cfo", workspace=place, now="2026-01-24T14:30:00Z"
    )
    assert (told["answered"], told["method"]) == (True, "pattern-recognition")
    ahead = told["result"]["answer"]["forecast"]
    assert ahead["low"] < 180 < ahead["high"]
    assert "visitors" in told["reading"]
    mabos("reason", "What will headcount be next month?", "--agent", "cfo", workspace=place, code=1)


def test_a_question_with_its_own_figures_needs_no_workspace(tmp_path: Path) -> None:
    question = "The seller wants at least 80 and the buyer pays at most 100. What price is fair?"
    assert "Method: negotiation" in mabos("reason", question, workspace=tmp_path / "none").stdout
    mabos("reason", "Should we raise prices?", code=1)
    mabos("reason", code=2)
    assert len(answer("reason", "--methods")) == 35
