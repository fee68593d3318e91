"""Every writing tool of the catalogue changes the file it is there for, and a call that fails changes none."""

from pathlib import Path

import pytest

from mabos.tools.catalogue.declaration import BESIDE
from mabos.tools.catalogue.registry import registry
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.effects import EFFECTS, Effect
from tests.tools.catalogue.house import house

WRITERS = [tool.name for tool in registry().all() if tool.writes and tool.catalogue not in BESIDE]


def text(path: Path) -> str:
    return path.read_text("utf-8", errors="replace") if path.is_file() else ""


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda one: one.tool)
def test_a_call_stands_in_its_file_afterwards(effect: Effect, furnished: Furnished, tmp_path: Path) -> None:
    root = furnished.copy(tmp_path / "workspace")
    if effect.first:
        with house(root, found=False) as home:
            for agent, tool, arguments in effect.first:
                home.do(tool, agent or "", **furnished.filled(arguments))
    before = text(root / effect.file)
    with house(root, found=False) as home:
        home.later(days=effect.days)
        home.do(effect.tool, effect.agent or "", **furnished.filled(effect.arguments))
    after = text(root / effect.file)
    if effect.gains:
        assert effect.gains not in before
        assert effect.gains in after
    else:
        assert effect.loses in before
        assert effect.loses not in after


def test_every_writing_tool_of_the_catalogue_has_an_effect_that_is_looked_for() -> None:
    assert set(WRITERS) - {one.tool for one in EFFECTS} == set()
    assert all(one.gains or one.loses for one in EFFECTS)
