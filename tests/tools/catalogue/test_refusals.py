"""Every tool of the catalogue fails with a message that names the argument and helps, and then nothing is written."""

from collections.abc import Iterator

import pytest

from mabos.tools.catalogue.declaration import BESIDE
from mabos.tools.catalogue.registry import registry
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.house import house
from tests.tools.catalogue.refusals import REFUSALS, Refusal
from tests.world import World


@pytest.fixture(scope="module")
def home(furnished: Furnished, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    with house(furnished.copy(tmp_path_factory.mktemp("refusals") / "workspace"), found=False) as opened:
        yield opened


@pytest.mark.parametrize("refusal", REFUSALS, ids=lambda one: one.tool)
def test_what_cannot_be_done_names_its_argument_and_leaves_every_file_alone(
    refusal: Refusal, home: World, furnished: Furnished
) -> None:
    before = home.files()
    outcome = home.call(refusal.tool, furnished.filled(refusal.arguments), refusal.agent or "")
    assert (outcome.ok, outcome.argument) == (False, refusal.argument), outcome.message
    assert refusal.words in outcome.message
    assert outcome.code in {"invalid_argument", "unknown_id", "refused", "conflict"}
    assert home.files() == before


def test_every_tool_of_the_catalogue_has_a_refusal() -> None:
    wanted = {tool.name for tool in registry().all() if tool.catalogue not in BESIDE}
    assert wanted - {one.tool for one in REFUSALS} == set()


def test_an_agent_that_names_another_is_refused_by_every_tool_and_nothing_is_written(home: World) -> None:
    before = home.files()
    for tool in registry().all():
        for argument in filter(None, ("agent_id", tool.acts_as)):
            outcome = home.agent("cfo").call(tool.name, {argument: "ceo"})
            assert (outcome.code, outcome.argument) == ("refused", argument), tool.name
    assert home.files() == before
