"""A writing tool that is killed in the middle and called again has its effect once; the campaign is tools_kill.py."""

import random
import shutil
from pathlib import Path

import pytest

from chaos.children import ChildFailed, child
from chaos.furnished import CASES, prepared
from chaos.tools_kill import Undisturbed, faults, killed, moments, undisturbed
from tests.tools.catalogue.conftest import Furnished, furnished

__all__ = ["furnished"]  # the fixture

NOT_KEYED_PUTS = ["decision_resolve", "bpmn_add_node", "bpmn_remove_node", "bpmn_connect", "workflow_delete"]
"""What changes a record or a file as it stands, so that doing it a second time must be noticed."""


def wrong(company: Furnished, tool: str, place: Path, *, before_end: int) -> list[str]:
    """Return what is wrong after a call was killed that many steps before its end and made again."""
    effect = CASES[tool]
    expected = undisturbed(company, effect, place / "undisturbed")
    root = prepared(company, effect, place / "trial")
    ended = killed(company, effect, root, "killed", expected.steps - before_end)
    assert ended.was_killed
    return list(faults(company, effect, root, expected))


@pytest.mark.parametrize("tool", NOT_KEYED_PUTS)
def test_a_call_that_was_killed_after_its_work_is_not_done_again(
    tool: str, furnished: Furnished, tmp_path: Path
) -> None:
    assert wrong(furnished, tool, tmp_path, before_end=1) == []


@pytest.mark.parametrize("tool", ["handoff", "webhook_process"])
def test_a_call_that_was_killed_before_its_work_is_done_once(tool: str, furnished: Furnished, tmp_path: Path) -> None:
    assert wrong(furnished, tool, tmp_path, before_end=12) == []


def test_the_campaign_sees_what_is_missing_doubled_or_damaged(furnished: Furnished, tmp_path: Path) -> None:
    effect = CASES["fact_assert"]
    expected = undisturbed(furnished, effect, tmp_path / "undisturbed")
    root = prepared(furnished, effect, tmp_path / "trial")
    assert list(faults(furnished, effect, root, expected)) == []
    path = root / "businesses" / "acme" / "campaigns.json"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    told = " ".join(faults(furnished, effect, root, Undisturbed(1, 1.0, {})))
    assert "damaged: businesses/acme/campaigns.json" in told
    shutil.rmtree(root)


def test_a_child_that_raises_is_told_with_its_traceback() -> None:
    with pytest.raises(ChildFailed, match="ZeroDivisionError"):
        child(lambda: 1 // 0)


def test_every_step_is_tried_where_no_number_is_given() -> None:
    found = moments(5, 1.0, 0, random.Random(1))
    assert [at for _, at in found] == [1, 2, 3, 4, 5, 0]
