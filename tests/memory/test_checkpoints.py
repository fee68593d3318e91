"""R3: checkpoints have their format, all survive, and the latest is the latest."""

from pathlib import Path

import pytest

from mabos.configs.errors import InvalidArgument
from mabos.memory.checkpoints import Checkpoint
from tests.memory.factory import Remembering


@pytest.fixture
def mind(tmp_path: Path) -> Remembering:
    return Remembering(tmp_path)


def test_a_checkpoint_has_every_section_of_its_format(mind: Remembering) -> None:
    checkpoint = Checkpoint("Reviewing the runway", ["Hold the price"], ["Burn is 80k"], ["Ask the CEO"], [])
    path = mind.memory.checkpoint(checkpoint)
    assert path == mind.directory / "memory/checkpoints/2026-02-24-1430.md"
    assert path.read_text() == (
        "# Session Checkpoint — 2026-02-24 14:30 UTC\n\n## Current Task Context\n\nReviewing the runway\n\n"
        "## Active Decisions\n\n- Hold the price\n\n## Key Findings\n\n- Burn is 80k\n\n"
        "## Next Steps\n\n- Ask the CEO\n\n## Open Questions\n\n- None\n"
    )


def test_a_dozen_in_one_minute_all_survive_and_sort_in_order(mind: Remembering) -> None:
    paths = [mind.memory.checkpoint(Checkpoint(f"task {n}")) for n in range(12)]
    assert sorted(paths) == paths
    assert len(set(paths)) == 12
    assert mind.memory.latest_checkpoint() == paths[-1]
    mind.wait(minutes=1)
    later = mind.memory.checkpoint(Checkpoint("next minute"))
    assert mind.memory.latest_checkpoint() == later
    assert mind.memory.status()["latest_checkpoint"] == "memory/checkpoints/2026-02-24-1431.md"


def test_the_very_same_checkpoint_is_not_written_again(mind: Remembering) -> None:
    assert mind.memory.checkpoint(Checkpoint("task")) == mind.memory.checkpoint(Checkpoint("task"))


def test_there_is_none_at_first(mind: Remembering) -> None:
    assert mind.memory.latest_checkpoint() is None
    assert mind.memory.status()["latest_checkpoint"] == ""


def test_a_checkpoint_without_context_is_refused(mind: Remembering) -> None:
    with pytest.raises(InvalidArgument, match="context is empty"):
        mind.memory.checkpoint(Checkpoint("  "))
