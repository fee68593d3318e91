"""What the record of a run says about its owner's rules and about deadlines."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mabos.graphs.simulate import simulate
from mabos.society.simulation.scenario_files import parse_scenario

NOTICE = """
extends: saas
scenario: noticed
title: A notice in the first week
weeks: 4
events:
  - {week: 0, kind: legal_notice, weeks: 2, usd: 9000}
"""


def audit(run: Path) -> Mapping[str, Any]:
    found: Mapping[str, Any] = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["audit"]
    return found


def test_a_notice_is_seen_in_time_and_what_becomes_of_it_is_counted(tmp_path: Path) -> None:
    simulate(parse_scenario(NOTICE, source="noticed"), out=tmp_path / "agents", seed=1000, policy="bdi")
    found = audit(tmp_path / "agents")
    assert (found["notices"], found["seen"]) == (1, 1)
    assert found["settled"] + found["fined"] == 1
    simulate(parse_scenario(NOTICE, source="noticed"), out=tmp_path / "nobody", seed=1000, policy="nothing")
    found = audit(tmp_path / "nobody")
    assert (found["notices"], found["seen"], found["settled"], found["fined"]) == (1, 0, 0, 1)
    assert "Notices with a deadline: 1 came, 0 seen in time, 0 settled, 1 fined." in (
        tmp_path / "nobody" / "report.md"
    ).read_text("utf-8")
