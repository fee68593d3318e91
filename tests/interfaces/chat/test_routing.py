"""Which agent of a company answers: the one that is named, that was talked to, or whose work it is."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.configs.errors import UnknownId
from mabos.interfaces.chat.routing import choose
from mabos.interfaces.chat.turn import take_turn
from tests.world import World

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "workspace") as made:
        yield made


@pytest.mark.parametrize(
    ("text", "agent", "said"),
    [
        ("@cto how stable is the product?", "cto", "how stable is the product?"),
        ("CFO, what is our burn?", "cfo", "what is our burn?"),
        (ORDER, "cmo", ORDER),
        ("What is our runway?", "cfo", "What is our runway?"),
        ("Good morning", "ceo", "Good morning"),
    ],
)
def test_a_message_reaches_whom_it_names_or_whose_work_it_is(text: str, agent: str, said: str, world: World) -> None:
    found = choose(world.services, text)
    assert (found.agent_id, found.text) == (agent, said)
    assert found.because


def test_a_correction_reaches_the_agent_that_was_talked_to_last(world: World) -> None:
    assert choose(world.services, "No, make it 80.").agent_id == "ceo"
    take_turn(world.services, "cmo", ORDER, lambda _: None)
    assert choose(world.services, "No, make it 80.").agent_id == "cmo"
    assert choose(world.services, "What is our runway?").agent_id == "cfo"


def test_an_unknown_name_is_refused_with_those_there_are(world: World) -> None:
    with pytest.raises(UnknownId, match="no agent 'cx'; there are ceo, cfo"):
        choose(world.services, "@cx hello")
