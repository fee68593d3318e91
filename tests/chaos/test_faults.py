"""Small versions of the fault campaigns: a full disk, locked folders, damage, a clock that goes back, bad servers.

The campaigns themselves are the programs beside this file; `make chaos` runs them whole.
"""

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from chaos import clock_back, disk_full, read_only, services_down, two_processes
from chaos.__main__ import CAMPAIGNS, PAGE, rows, table, written
from chaos.children import child
from chaos.damages import DAMAGES, may_be_meant
from chaos.furnished import CASES, differences, prepared, state
from chaos.mounts import again_inside, alone, can_mount
from chaos.steps import Steps
from chaos.tally import Row
from chaos.tools_kill import performed, undisturbed
from tests.conftest import ROOT
from tests.tools.catalogue.conftest import Furnished, furnished

__all__ = ["furnished"]  # the fixture

PATIENCE = 300.0  # seconds; only a test that fails waits so long


@pytest.mark.parametrize("tool", ["fact_assert", "workflow_create"])
def test_a_call_that_finds_the_disk_full_is_refused_in_one_sentence_and_done_when_there_is_room(
    tool: str, furnished: Furnished, tmp_path: Path
) -> None:
    effect = CASES[tool]
    expected = undisturbed(furnished, effect, tmp_path / "undisturbed")
    root = prepared(furnished, effect, tmp_path / "trial")
    answer = child(lambda: performed(root, furnished, effect, "full", 1)).said["answer"]
    assert list(disk_full.refusals(answer)) == []
    assert child(lambda: performed(root, furnished, effect)).said["answer"]["ok"]
    assert differences(child(lambda: state(root)).said, expected.state) == []


def test_what_is_no_refusal_of_a_full_disk_is_seen() -> None:
    assert list(disk_full.refusals({"error": {"code": "internal", "message": "KeyError"}}))
    assert list(disk_full.refusals({"error": {"code": "unavailable", "message": "something went wrong"}}))


@pytest.mark.parametrize("module", [disk_full, read_only])
def test_a_campaign_that_mounts_something_holds_where_it_may(
    module: object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if not can_mount(tmp_path):
        pytest.skip("this machine lets nobody mount anything of its own")
    assert alone()[0] == "unshare"
    name = str(getattr(module, "__name__", ""))
    few = ["--runs", "0"] if module is disk_full else ["--places", "", "agents/cfo", "ledger/cfo.jsonl"]
    words = ["agent_message", "--points", "1", *few]
    assert again_inside(name, words) == 0, capfd.readouterr().out


@pytest.mark.slow
def test_a_company_whose_clock_goes_back_loses_nothing_and_says_nothing_twice(tmp_path: Path) -> None:
    company, found = clock_back.trial(tmp_path / "workspace", 7, 25)
    assert found == []
    assert company.jumps_back > 0
    assert company.said


@pytest.mark.slow
def test_a_company_works_beside_a_server_that_talks_nonsense(furnished: Furnished, tmp_path: Path) -> None:
    server, found = services_down.trial(furnished, tmp_path / "trial", "model", "garbage")
    assert found == []
    assert server.port


def test_of_two_live_companies_one_is_refused(furnished: Furnished, tmp_path: Path) -> None:
    root = furnished.copy(tmp_path / "trial")
    one = partial(two_processes.lives, refused=tmp_path / "refused")  # the first goes on until the second has come
    said, failed = two_processes.together(root, (one, one), 1, PATIENCE)
    assert failed == []
    assert sum(one["refused"] for one in said) == 1


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=list(DAMAGES))
def test_a_damage_changes_a_file_and_says_which_a_person_may_have_meant(
    damage: Callable[[bytes, random.Random], bytes],
) -> None:
    whole = b'{\n  "facts": [\n    {"id": "F-1", "object": "x"}\n  ]\n}\n'
    assert any(damage(whole, random.Random(seed)) != whole for seed in range(5))
    assert may_be_meant("facts.json", whole)
    assert not may_be_meant("facts.json", whole[:20])
    assert not may_be_meant("Beliefs.md", b"# Beliefs\n\0")
    assert not may_be_meant("Beliefs.md", b"")


def test_a_process_can_be_killed_at_each_of_its_steps(tmp_path: Path) -> None:
    def work(at: int) -> int:
        with Steps("killed", at) as steps:
            (tmp_path / "one").write_text("1")
            (tmp_path / "one").rename(tmp_path / "two")
        return steps.taken

    assert child(lambda: work(0)).said == 2
    assert [child(partial(work, at)).was_killed for at in (1, 2, 3)] == [True, True, False]


def test_the_table_of_the_page_is_what_the_campaigns_print() -> None:
    page = PAGE.read_text("utf-8")
    line = str(Row("something", 1_000, 7, ["a promise"]))
    assert line == "| something | 1,000 | 7 | 1 |"
    assert rows(f"wrong: a promise\n{line}\n") == [line]
    fresh = written(page, [line])
    assert table([line]) in fresh
    assert written(fresh, [line]) == fresh
    assert all((ROOT / "chaos" / f"{name}.py").is_file() for name in CAMPAIGNS)
