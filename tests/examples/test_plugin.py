"""A package that adds to MABOS by entry points alone, as `pip install ./examples/plugin` would make it known."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.interfaces.surfaces.servers import surroundings

PLUGIN = ROOT / "examples" / "plugin"
PROGRAM = """
import sys
from mabos import open_workspace

with open_workspace(sys.argv[1]) as ws:
    ws.create_business("port", name="Port", template="harbour")
    coo, master = ws.agent("coo"), ws.create_agent("master", role="harbour_master")
    coo.run()
    print(ws.business().metrics.latest("water_level").value, ws.business().metrics.latest("water_level").source)
    print([(one.statement, one.source) for one in coo.mind.beliefs if one.subject in ("water_level", "south quay")])
    print(master.say("How many berths are free at the quay north?").text)
    print(ws.call("plan_library_search", goal_pattern="close the quay", agent_id="coo").result)

with open_workspace(sys.argv[1], model="harbour:small") as ws:
    print(ws.call("model:llm", messages=[{"role": "user", "content": "Hello"}]).as_json())
"""


def installed(site: Path, *groups: str) -> dict[str, str]:
    """Make the package known to a new process, with its entry points of these groups, and return its environment."""
    points = tomllib.loads((PLUGIN / "pyproject.toml").read_text())["project"]["entry-points"]
    info = site / "mabos_harbour-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mabos-harbour\nVersion: 0.1.0\n")
    lines = (f"[{group}]\n" + "\n".join(f"{n} = {v}" for n, v in points[group].items()) for group in groups or points)
    (info / "entry_points.txt").write_text("\n".join(lines))
    return surroundings(PYTHONPATH=f"{ROOT}:{PLUGIN}:{site}")


def run(environment: dict[str, str], *words: str) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_what_a_package_adds_is_used_as_ours_is(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    environment = installed(tmp_path / "site")
    told = run(environment, "-c", PROGRAM, str(tmp_path / "ws"))
    figure, beliefs, answer, plans, model = told.stdout.strip().splitlines()
    assert figure == "3.2 perceptor:tide"
    assert "('water_level is 3.2 m', 'perceptor:tide')" in beliefs
    assert "('south quay state is closed', 'perceptor:tide')" in beliefs
    assert "2" in answer
    assert "quay_closure" in plans
    assert "Aye, says small." in model
    listed = run(environment, "-m", "mabos", "--workspace", str(tmp_path / "ws"), "tools", "berths")
    assert "free_berths" in listed.stdout
    played = run(environment, "-m", "mabos", "simulate", "quiet_season", "--weeks", "1", "--out", str(tmp_path / "out"))
    assert "A season with half the leads" in (tmp_path / "out" / "report.md").read_text("utf-8"), played.stderr


def test_a_package_that_is_broken_is_named_and_stops_nothing(tmp_path: Path) -> None:
    environment = installed(tmp_path, "mabos.tools")
    points = tmp_path / "mabos_harbour-0.1.0.dist-info" / "entry_points.txt"
    points.write_text(
        "[mabos.tools]\nbad = harbour:MISSING\nodd = harbour:BERTHS\n[mabos.perceptors]\nbad = nowhere:x\n"
    )
    program = "import sys; from mabos import open_workspace; ws = open_workspace(sys.argv[1]); "
    program += "ws.create_agent('scout', role={'title': 'Scout'}).run(); print(len(ws.services.tools.all()) > 90)"
    done = run(environment, "-c", program, str(tmp_path / "ws"))
    assert done.stdout == "True\n"
    assert "the extension bad of mabos.tools is left out: AttributeError" in done.stderr
    assert "the extension odd of mabos.tools is left out: str is not a tool" in done.stderr
    assert "the extension bad of mabos.perceptors is left out: ModuleNotFoundError" in done.stderr
    doctor = run(environment, "-m", "mabos", "--workspace", str(tmp_path / "ws"), "doctor", "--json").stdout
    assert {"extension mabos.tools bad", "extension mabos.perceptors bad"} <= {
        one["subject"] for one in json.loads(doctor)["checks"]
    }


@pytest.mark.parametrize("group", ["mabos.roles", "mabos.tools"])
def test_a_package_is_loaded_only_for_what_it_adds(group: str, tmp_path: Path) -> None:
    environment = installed(tmp_path, group)
    program = "import sys; import mabos.interfaces.cli; print('harbour' in sys.modules)"
    assert run(environment, "-c", program).stdout == "False\n"
