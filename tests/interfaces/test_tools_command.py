"""`mabos tools`: the catalogue counted by row and by module, what stands beside it apart, and all of it as JSON."""

import subprocess
from pathlib import Path

import pytest

from tests.interfaces.command_line import answer, company, mabos
from tests.interfaces.surfaces.servers import COMMAND, surroundings


@pytest.mark.parametrize(("by", "counted"), [("catalogue", "in 25 rows"), ("module", "in 21 modules")])
def test_the_catalogue_is_counted_and_what_stands_beside_it_is_apart(by: str, counted: str) -> None:
    catalogue, _, beside = mabos("tools", "--by", by).stdout.partition(f"99 operations of the catalogue {counted}")
    headings = [line for line in catalogue.splitlines() if line and not line.startswith(" ")]
    assert len(headings) == int(counted.split()[1])
    assert "Agent bus" not in catalogue
    assert "model:llm" in beside
    assert "Knowledge memory (2)" in beside


def test_words_keep_what_has_them_all_in_text_and_in_json() -> None:
    assert "1 operation of the catalogue in 1 row" in mabos("tools", "--by", "catalogue", "supersed").stdout
    (row,) = answer("tools", "abductive", "rank")
    assert (row["name"], row["category"], row["asks_for"], row["writes"]) == ("infer_abductive", "reading", [], False)
    assert row["schema"]["required"] == ["observation"]


@pytest.mark.parametrize(
    ("command", "module"),
    [("business list", "mabos.tools.business.businesses"), ("call belief_get {} --agent cfo", "mabos.tools.mind.bdi")],
)
def test_a_command_that_needs_one_tool_imports_no_whole_catalogue(command: str, module: str, tmp_path: Path) -> None:
    program = (
        "import sys; from mabos.interfaces.cli import front; "
        "front(sys.argv[1:], standalone_mode=False); print(*sys.modules)"
    )
    words = ["-w", str(company(tmp_path)), *command.split()]
    done = subprocess.run([*COMMAND[:1], "-c", program, *words], env=surroundings(), capture_output=True, check=True)
    imported = set(done.stdout.decode().splitlines()[-1].split())
    assert module in imported
    assert (
        not {"mabos.tools.workflow.bpmn", "mabos.tools.knowledge.reasoning", "mabos.tools.entities.operation"}
        & imported
    )
