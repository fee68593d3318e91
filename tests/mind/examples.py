"""Small factories, and the documents' own examples as a person would have written them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from mabos.mind.conditions import Lookup
from mabos.mind.files import parse
from mabos.mind.forms import BELIEF
from mabos.mind.mind import Mind, open_mind
from mabos.mind.model import Belief
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.markdown import split
from mabos.workspace.sync import Sync

NOW = datetime(2026, 2, 24, 12, tzinfo=UTC)
GOLDEN = Path(__file__).parent / "golden"

S0_DEMAND = """\
# Beliefs

## Market demand is growing
certainty: 0.85

## Market demand is declining
certainty: 0.78
"""
S1_SESSIONS = """\
# Beliefs

## Session Storage
Redis is our primary session store
- **Certainty:** 0.9
- **Added:** 2026-01-15

## Session Storage
Sessions are stored in PostgreSQL after the migration
- **Certainty:** 0.85
- **Added:** 2026-02-20
"""
S1_STORES = """
## Session Store
Redis is our primary session store.
Certainty: 0.9

## Session Store
Sessions are stored in PostgreSQL after migration.
Certainty: 0.85
"""
S1_STYLES = """
## API Style
We might use REST.
Certainty: 0.3

## API Style
GraphQL could be better.
Certainty: 0.2
"""
S1_TOKENS = """\
## Auth Token TTL
Auth tokens have a 12-hour fixed TTL
**Certainty**: 0.8 [updated: 2026-02-20]

## Auth Token TTL
Auth tokens use sliding window refresh with configurable TTL
**Certainty**: 0.8 [updated: 2026-03-06]
"""


def known(values: Mapping[str, str]) -> Lookup:
    """Return what an agent that knows only these values is asked by."""
    return values.get


def read_beliefs(text: str) -> list[Belief]:
    """Return the beliefs of a file."""
    return [parse(BELIEF, section.key, section.text) for section in split(text)[1]]


def believe(statement: str = "It rains", certainty: float = 0.8, **more: object) -> Belief:
    """Return a belief with an id of its own."""
    return Belief(str(more.pop("id", statement)), statement, certainty, **more)  # type: ignore[arg-type]  # a factory


def a_mind(directory: Path, at: datetime = NOW) -> tuple[Mind, SteppedClock]:
    """Return a mind in `directory` and the clock it goes by."""
    clock = SteppedClock(at)
    return open_mind(directory, clock=clock, ids=Ids(clock, "test"), sync=Sync("off")), clock
