"""Facts, rules and logs as hands leave them: told as damage, or read as they are meant, never a traceback."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.knowledge.entities.lines import decode_line
from mabos.knowledge.entities.log import merged_by_union
from mabos.knowledge.facts import Facts, open_facts, statement
from mabos.knowledge.rule_records import next_id
from mabos.knowledge.rules import Rules, open_rules
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

NOW = SteppedClock(datetime(2026, 2, 24, 12, tzinfo=UTC))
FACT = {"id": "F-1", "subject": "acme", "predicate": "cash", "object": "5"}
RULE = {"id": "R-1", "type": "policy", "conditions": [{"predicate": "cash"}], "action": "look"}


def facts(directory: Path) -> Facts:
    return Facts("cfo", open_facts(directory, sync=Sync("off")), NOW, Ids(NOW, "test"))


def rules(directory: Path) -> Rules:
    return Rules("cfo", open_rules(directory, sync=Sync("off")), NOW, Ids(NOW, "test"))


def by_hand(directory: Path, name: str, content: Any) -> None:
    (directory / name).write_text(json.dumps(content), "utf-8")


def test_a_fact_that_holds_until_the_last_day_of_all_is_kept_and_found_again(tmp_path: Path) -> None:
    forever = statement("acme", "is", "ours", valid_until="9999-12-31")
    facts(tmp_path).change(lambda draft: draft.state(forever))
    assert [str(one) for one in facts(tmp_path).query(valid_at="2500-01-01")] == ["acme is ours"]


@pytest.mark.parametrize("note", ["mine", {"a": 1}, [1]])
def test_what_else_a_person_keeps_in_a_file_is_neither_fact_nor_rule(tmp_path: Path, note: Any) -> None:
    by_hand(tmp_path, "facts.json", {"facts": [FACT], "note": note})
    by_hand(tmp_path, "rules.json", {"rules": [RULE], "note": note})
    assert [one.id for one in facts(tmp_path).query()] == ["F-1"]
    assert [one.id for one in rules(tmp_path).select()] == ["R-1"]


def test_an_id_of_thousands_of_digits_is_no_number_to_count_on_from() -> None:
    assert next_id(["R-" + "9" * 5_000, "R-007"]) == "R-008"


@pytest.mark.parametrize("at", ["2026-13-45T99:99:99.999Z", "abcdefghijklmnopqrs.abcZ"])
def test_a_time_of_the_usual_length_that_there_is_not_is_told(at: str) -> None:
    line = {"type": "entity", "id": "e", "name": "n", "entityType": "Concept", "created_at": at}
    with pytest.raises(ValueError, match="is not a time"):
        decode_line(json.dumps(line).encode())


def test_a_list_for_git_that_is_not_utf8_keeps_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / ".gitattributes"
    path.write_bytes(b"# f\xfcr uns")
    for _ in range(2):
        merged_by_union(tmp_path, ["graph.jsonl"])
    assert path.read_bytes() == b"# f\xfcr uns\ngraph.jsonl merge=union\n"
