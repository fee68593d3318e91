from itertools import pairwise
from typing import Any

from mabos.workspace.journal import Entry, Header, JournalChange, JournalMark
from mabos.workspace.lineage import origin, steps
from mabos.workspace.operations import Collections, Drop, Put


def versions(*records: dict[str, Any]) -> list[Entry]:
    """Return a journal in which the file `c` had these versions one after the other, the first before it."""
    entries: list[Entry] = [Header(1, 0, {"c": "first"})]
    for number, (before, after) in enumerate(pairwise(records), 1):
        puts = [Put("c", key, value) for key, value in after.items() if before.get(key) != value]
        drops = [Drop("c", key) for key in before if key not in after]
        entries += [
            JournalChange(number, (*puts, *drops)),
            JournalMark(number, {"c": str(number)}),
            JournalMark(number, {}),
        ]
    return entries


def started(disk: dict[str, Any], *records: dict[str, Any], first: bool = True) -> tuple[dict[str, Any], bool]:
    known = {"c": records[0]} if first else None
    history = steps("c", versions(*records), lambda sha: known if sha == "first" else None, lambda name: name)
    found = origin({"c": records[-1]}, {"c": disk}, history)
    return found.base["c"], found.is_return


OLD, NEW = {"a": 1, "b": 1}, {"a": 2, "b": 1, "c": 1}


def test_an_edit_of_the_newest_text_started_from_it() -> None:
    assert started({"a": 2, "b": 9, "c": 1}, OLD, NEW) == (NEW, False)


def test_an_edit_in_an_editor_that_was_open_started_from_what_it_had_opened() -> None:
    assert started({"a": 1, "b": 9}, OLD, NEW) == (OLD, False)
    assert started({"a": 1, "b": 9}, OLD, {"a": 2, "b": 1}, {"a": 3, "b": 1}, NEW | {"d": 1}) == (OLD, False)


def test_an_older_text_and_nothing_else_is_a_return() -> None:
    assert started(OLD, OLD, NEW) == (NEW, True)


def test_of_equals_the_newest_is_taken() -> None:
    assert started({"a": 9, "b": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 1}) == ({"a": 2, "b": 1}, False)


def test_nobody_has_an_empty_file_open() -> None:
    assert started({"a": 9}, {}, {"a": 1, "b": 1}) == ({"a": 1, "b": 1}, False)


def test_what_was_before_the_first_journal_at_hand_is_not_guessed() -> None:
    assert started({"a": 1, "b": 9}, {"a": 1, "b": 1}, {"a": 2, "b": 1}, first=False) == ({"a": 2, "b": 1}, False)


def test_whoever_shows_a_record_has_seen_it_come() -> None:
    seen = {"a": 2, "b": 1, "n": 1}
    assert started({"a": 1, "b": 1, "n": 1}, {"a": 1, "b": 1}, {"a": 2, "b": 1, "m": 1}, seen) == (seen, False)


def test_what_a_person_shows_as_it_is_they_left_alone_whatever_they_opened() -> None:
    opened, newest = {"a": 1, "gone": 1}, {"a": 2, "b": 1, "c": 1, "d": 1}
    assert started({"a": 2}, opened, newest) == ({"a": 2}, False)


def test_what_a_journal_did_that_is_not_at_hand_is_one_step() -> None:
    opened, newest = {"a": 2, "b": 1, "new": 1}, {"a": 2, "b": 1, "new": 2}
    entries = versions({"a": 1, "b": 1}, {"a": 2, "b": 1})
    entries += [Header(3, 4, {"c": "third"}), JournalChange(5, (Put("c", "new", 2),)), JournalMark(5, {"c": "5"})]
    held = {"first": {"c": {"a": 1, "b": 1}}, "third": {"c": opened}}
    history = steps("c", entries, held.get, lambda name: name)
    assert origin({"c": newest}, {"c": {"a": 2, "b": 9, "new": 1}}, history).base["c"] == opened
    assert origin({"c": newest}, {"c": {"a": 1, "b": 9}}, history).base["c"] == {"a": 1, "b": 1}


def test_a_text_by_hand_is_a_version_too() -> None:
    entries: list[Entry] = [
        Header(1, 0, {"c": "first"}),
        JournalChange(1, (Put("c", "a", 2),)),
        JournalChange(2, (Put("c", "b", 5),), {"by": "hand"}, {"c": "hand"}),
        JournalMark(2, {"c": "second"}),
    ]
    texts: dict[str, Collections] = {"first": {"c": {"a": 1, "b": 1}}, "hand": {"c": {"a": 1, "b": 5}}}
    history = steps("c", entries, texts.get, lambda name: name)
    assert origin({"c": {"a": 2, "b": 5}}, {"c": {"a": 1, "b": 6}}, history).base["c"] == {"a": 1, "b": 5}
