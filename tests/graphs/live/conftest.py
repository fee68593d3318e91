"""A workspace whose clock stands at noon until a test moves it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.graphs.wiring import hold_services
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock
from tests.world import NOON, write_company


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(NOON)


@pytest.fixture
def services(tmp_path: Path, clock: SteppedClock) -> Iterator[Services]:
    with hold_services(write_company(tmp_path), clock=clock) as found:
        yield found
