"""An office whose marketing agent wants nothing by itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.nodes.work.working import Working
from tests.world import WORDS_ALONE, Member, World

Office = Callable[[Working], Member]


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    """Return a function that opens a company with a model and gives its marketing agent."""
    worlds = list[World]()

    def opened(model: Working) -> Member:
        worlds.append(World(tmp_path / "workspace", model=model, settings=WORDS_ALONE))
        return worlds[-1].quiet("cmo")

    yield opened
    for world in worlds:
        world.close()
