"""What a chat model tells of memories, and what stands where it does not."""

from datetime import date
from pathlib import Path

import pytest

from mabos.backends.chat import ChatModel, ForbiddenModel, NoModel, ScriptedModel
from mabos.backends.metering import Metered
from mabos.backends.shown import fence_text
from mabos.configs.errors import Unavailable
from mabos.memory import hierarchy
from mabos.memory.model import MemoryItem
from mabos.memory.narrative import LONGEST, of_group, of_period
from mabos.memory.summary import by_hand
from mabos.memory.trace import Hierarchy

CHURN = [MemoryItem(f"M-{n}", f"Churn note {n}", created_at="2026-02-24T10:00:00.000Z") for n in range(2)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-02-24.md").write_text(
        "- 10:00 [decision] (0.9, short_term) Hold the price #pricing M-1771927200000-aaaa\n", "utf-8"
    )
    return tmp_path


def week(folder: Path, model: ScriptedModel | None) -> str:
    hierarchy.build(folder, "week", narrate=of_period(model) if model else None)
    return (folder / "memory" / "weekly" / "2026-W09.md").read_text("utf-8")


@pytest.mark.parametrize("model", [NoModel(), ForbiddenModel(), Metered(ForbiddenModel())])
def test_without_a_model_or_where_models_are_forbidden_nothing_is_told(model: ChatModel) -> None:
    assert of_group(model) is None
    assert of_period(model) is None


def test_a_group_is_told_from_what_its_memories_say() -> None:
    model = ScriptedModel([{"narrative": "# Churn rose,\nthen fell."}])
    told = of_group(model)
    assert told is not None
    assert told(CHURN) == "Churn rose, then fell."
    (call,) = model.calls
    assert call.messages[1].content == fence_text("2026-02-24 Churn note 0\n2026-02-24 Churn note 1")
    assert call.tag == "memory: consolidation"


@pytest.mark.parametrize("reply", [Unavailable("down"), "no JSON", {"narrative": ""}, {"told": "x"}])
def test_what_cannot_be_used_is_nothing(reply: str | dict[str, str] | Exception) -> None:
    told = of_group(ScriptedModel([reply, reply]))
    assert told is not None
    assert told(CHURN) == ""


def test_a_model_is_never_handed_more_than_it_can_read() -> None:
    model = ScriptedModel([{"narrative": "Much."}])
    told = of_group(model)
    assert told is not None
    told([MemoryItem("M-1", "x" * 5 * LONGEST)])
    assert len(model.calls[0].messages[1].content) == LONGEST + len(fence_text(""))


def test_a_narrative_of_a_week_names_the_lines_it_was_told_from(folder: Path) -> None:
    model = ScriptedModel([{"narrative": "The price is held."}])
    text = week(folder, model)
    line = next(number for number, line in enumerate(text.split("\n"), 1) if line.startswith("The price is held."))
    assert text.index("## Overview") < text.index("## Narrative") < text.index("## Key Decisions")
    lineage = Hierarchy(folder)
    (below,) = lineage.sources(lineage.spot(f"weekly/2026-W09.md:{line}"))
    assert below.path == "2026-02-24.md"
    assert "Hold the price" in below.text
    assert list(by_hand(text)) == []
    assert week(folder, model) == text
    assert len(model.calls) == 1


def test_a_narrative_that_a_person_rewrote_stays(folder: Path) -> None:
    text = week(folder, ScriptedModel([{"narrative": "The price is held."}]))
    path = folder / "memory" / "weekly" / "2026-W09.md"
    path.write_text(text.replace("The price is held.", "We hold the price, for now."), "utf-8")
    with (folder / "memory" / "2026-02-24.md").open("a") as log:
        log.write("- 11:00 [fact] (0.5, short_term) Churn is 3 % M-1771930800000-bbbb\n")
    again = week(folder, ScriptedModel([{"narrative": "The price is held, churn is 3 %."}]))
    assert "We hold the price, for now." in again


def test_what_the_model_does_not_tell_stands_as_it_is_extracted(folder: Path) -> None:
    text = week(folder, ScriptedModel([Unavailable("down")]))
    assert "## Narrative" not in text
    assert "Hold the price" in text


def test_a_heartbeat_has_what_is_due_told_too(folder: Path) -> None:
    assert hierarchy.build_due(folder, date(2026, 2, 25), narrate=lambda _: "All is told.").written
    assert "All is told." in (folder / "memory" / "quarterly" / "2026-Q1.md").read_text("utf-8")
