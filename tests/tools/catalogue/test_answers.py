"""Every reading tool of the catalogue says what is there: of two companies, planted differently, two things."""

from pathlib import Path

import pytest

from mabos.tools.catalogue.declaration import BESIDE
from mabos.tools.catalogue.registry import registry
from tests.tools.catalogue.answers import ANSWERS, Answer
from tests.tools.catalogue.conftest import Furnished
from tests.tools.catalogue.house import house

READERS = [tool.name for tool in registry().all() if not tool.writes and tool.catalogue not in BESIDE]


@pytest.mark.parametrize("answer", ANSWERS, ids=lambda one: one.tool)
def test_two_companies_give_two_right_answers(answer: Answer, furnished: Furnished, tmp_path: Path) -> None:
    said = []
    for number, planted in enumerate(answer.given):
        with house(furnished.copy(tmp_path / str(number)), found=False) as home:
            for path, text in answer.files(planted).items():
                home.write(path, text)
            for agent, tool, arguments in answer.plant(planted):
                home.do(tool, agent or "", **arguments)
            said.append(answer.found(home.do(answer.tool, answer.agent or "", **furnished.filled(answer.arguments))))
    assert said == list(answer.said or answer.given)
    assert said[0] != said[1]


def test_every_reading_tool_of_the_catalogue_has_an_answer_that_is_looked_for() -> None:
    assert set(READERS) - {one.tool for one in ANSWERS} == set()
