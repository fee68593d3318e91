"""A developer's afternoon: an own tool, role and model answer in a graph that was there before."""

import re
from pathlib import Path
from typing import Any

import pytest

from examples import own_parts
from examples.own_graph import OwnModel, main
from mabos import open_workspace
from mabos.configs.errors import InvalidArgument, Unavailable, UnknownId
from mabos.graphs.bdi import build
from tests.conftest import ROOT
from tests.interfaces.command_line import answer, mabos


@pytest.mark.parametrize("model", [OwnModel(), None])
def test_an_agent_answers_in_a_graph_of_ones_own(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], model: OwnModel | None
) -> None:
    main(str(tmp_path), model)
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "{'greet': {'answer': 'Guten Tag, Ana.'}}"
    assert {"perceive", "learn", "units_on_shelf"} <= set(told)
    assert "12" in told[-1]


def test_an_agent_of_an_own_role_works_for_no_business_and_is_made_once(tmp_path: Path) -> None:
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "scout.yaml").write_text("title: Market scout\nautonomy: full\n", encoding="utf-8")
    with open_workspace(tmp_path) as workspace:
        scout = workspace.create_agent("scout", role="scout")
        assert (scout.mind.persona.title, scout.mind.persona.autonomy) == ("Market scout", "full")
        assert scout.say("Remember: our rival Globex raised its price to 40 dollars").ok
        assert "Globex" in scout.memory.recall("Globex")[0].content
        assert workspace.agents() == ["scout"]
        with pytest.raises(InvalidArgument, match="an agent 'scout' already exists"):
            workspace.create_agent("scout", role="scout")
        with pytest.raises(UnknownId, match="did you mean 'scout'"):
            workspace.create_agent("other", role="scoot")
        (tmp_path / "roles" / "odd.yaml").write_text("titel: Odd\n", encoding="utf-8")
        with pytest.raises(InvalidArgument, match=r"roles/odd\.yaml"):
            workspace.create_agent("odd", role="odd")


def test_the_scout_of_the_page_is_made_on_the_command_line_and_works(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "extending.md").read_text("utf-8")
    (tmp_path / "roles").mkdir()
    (tmp_path / "roles" / "scout.yaml").write_text(
        page.partition("# roles/scout.yaml\n")[2].partition("```")[0], "utf-8"
    )
    assert mabos("agent", "create", "scout", "--role", "scout", workspace=tmp_path).exit_code == 0
    assert answer("run", "scout", "--message", "Remember: Globex asks 40 dollars", workspace=tmp_path)["outcome"]
    with open_workspace(tmp_path) as workspace:
        assert workspace.agent("scout").mind.persona.style == "Brief; names its sources."
        assert "Globex" in workspace.agent("scout").memory.recall("Globex")[0].content


def test_a_subgraph_without_a_workspace_names_the_folder_and_makes_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked: Any = {"agent_id": "scout", "message": "What is new?"}
    with pytest.raises(Unavailable, match=re.escape(str(tmp_path / "workspace"))):
        build().compile().invoke(asked)
    assert list(tmp_path.iterdir()) == []
    with open_workspace(tmp_path / "mine"), pytest.raises(UnknownId, match=re.escape(str(tmp_path / "mine"))):
        build().compile().invoke(asked)


def test_each_part_of_ones_own_is_used_from_an_argument_or_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own_parts.main(str(tmp_path))
    told = dict(line.split(": ", 1) for line in capsys.readouterr().out.splitlines())
    assert "12" in told.pop("role, tool, store")
    assert told == {
        "plan": "refill_shelf",
        "template, perceptor": "140 from perceptor:market",
        "checkpointer": "True",
        "scenario": "lean",
    }
