"""A mind as it stood after a cycle, from the history of its journal."""

import re
from pathlib import Path

from tests.interfaces.command_line import answer, company, mabos


def statements(shown: dict[str, list[dict[str, str]]]) -> set[str]:
    return {belief["statement"] for belief in shown["beliefs"]}


def believe(workspace: Path, what: str) -> None:
    mabos(
        "call",
        "belief_update",
        f'{{"agent_id": "cfo", "description": "{what}", "certainty": 0.9, "source": "me"}}',
        workspace=workspace,
    )


def test_a_mind_is_shown_as_it_stood_after_a_cycle(tmp_path: Path) -> None:
    company(tmp_path)
    believe(tmp_path, "The sky is blue")
    cycle = answer("run", "cfo", "--message", "Have the roof repaired by 20 March", workspace=tmp_path)["cycle"]
    then = answer("mind", "cfo", workspace=tmp_path)
    believe(tmp_path, "The sky is grey")
    answer("run", "cfo", "--message", "Raise prices now", workspace=tmp_path)
    shown = answer("mind", "cfo", "--at", cycle, workspace=tmp_path)
    assert shown == then | {"cycle": cycle}
    assert "The sky is grey" not in statements(shown)
    assert "The sky is grey" in statements(answer("mind", "cfo", workspace=tmp_path))


def test_a_hand_edit_taken_in_before_the_cycle_belongs_to_what_stood_then(tmp_path: Path) -> None:
    company(tmp_path)
    beliefs = tmp_path / "agents" / "cfo" / "Beliefs.md"
    beliefs.write_text(beliefs.read_text("utf-8") + "\n## Snow in May\n\n- **Certainty:** 0.9\n", "utf-8")
    cycle = answer("run", "cfo", "--message", "Have the roof repaired by 20 March", workspace=tmp_path)["cycle"]
    beliefs.write_text(
        re.sub(r"## Snow in May.*?(?=\n## |\Z)", "", beliefs.read_text("utf-8"), flags=re.DOTALL), "utf-8"
    )
    assert "Snow in May" not in statements(answer("mind", "cfo", workspace=tmp_path))
    assert "Snow in May" in statements(answer("mind", "cfo", "--at", cycle, workspace=tmp_path))


def test_a_cycle_ends_with_the_id_by_which_it_is_found(tmp_path: Path) -> None:
    company(tmp_path)
    said = mabos("run", "cfo", "--message", "Have the roof repaired by 20 March", workspace=tmp_path).stdout
    mabos("mind", "cfo", "--at", said.splitlines()[-1].rpartition("(")[2].rstrip(")"), workspace=tmp_path)


def test_looking_back_changes_nothing(tmp_path: Path) -> None:
    company(tmp_path)
    cycle = answer("run", "cfo", "--message", "Have the roof repaired by 20 March", workspace=tmp_path)["cycle"]
    files = sorted((tmp_path / "agents" / "cfo").glob("*.md"))
    before = [file.read_bytes() for file in files]
    mabos("mind", "cfo", "--at", cycle, workspace=tmp_path)
    assert [file.read_bytes() for file in files] == before


def test_a_cycle_nothing_is_known_of_is_refused_and_the_nearest_named(tmp_path: Path) -> None:
    company(tmp_path)
    cycle = answer("run", "cfo", "--message", "Have the roof repaired by 20 March", workspace=tmp_path)["cycle"]
    error = answer("mind", "cfo", "--at", cycle + "x", workspace=tmp_path, code=1)["error"]
    assert error["argument"] == "cycle"
    assert cycle in error["message"]
