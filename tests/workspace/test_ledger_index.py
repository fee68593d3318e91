"""The index of the ledger: questions across chains, whatever became of the files in between."""

from pathlib import Path

import pytest

from mabos.workspace.ledger import Ledger, LedgerEntry
from mabos.workspace.ledger_index import LedgerIndex
from mabos.workspace.names import Layout
from mabos.workspace.sync import Sync

CALL = {"tool": "agent_message", "why": {"goal": "G-1", "intention": "I-1", "plan": "P-1"}}


def at(minute: int) -> str:
    return f"2026-02-24T14:{minute:02d}:00.000Z"


def ledger(root: Path) -> Ledger:
    return Ledger(Layout(root), Sync("off"))


def index(root: Path) -> LedgerIndex:
    return LedgerIndex(Layout(root))


def told(root: Path) -> Ledger:
    """Return a ledger of one task with two calls, and of another agent's that has not ended."""
    book = ledger(root)
    book.append("cfo", "plan", {"intention": "I-1", "plan": "P-1"}, at=at(1), cycle="C-1")
    book.append("cfo", "call", CALL, at=at(2), cycle="C-1")
    book.append("cfo", "outcome", {"call": "L-cfo-2", "ok": True}, at=at(3), cycle="C-1")
    book.append("ceo", "plan", {"intention": "I-2", "plan": "P-2"}, at=at(4), cycle="C-2")
    book.append("cfo", "learn", {"ended": {"I-1": "completed"}}, at=at(5), cycle="C-1")
    return book


def ids(entries: list[LedgerEntry]) -> list[str]:
    return [entry.id for entry in entries]


def test_a_task_knows_its_goal_its_plan_and_how_it_ended(tmp_path: Path) -> None:
    told(tmp_path)
    task = index(tmp_path).task("I-1")
    assert task is not None
    assert (task.agent, task.goal, task.plan, task.status) == ("cfo", "G-1", "P-1", "completed")
    assert (task.started, task.updated) == (at(1), at(5))
    assert [one.id for one in index(tmp_path).tasks()] == ["I-1", "I-2"]
    assert [one.id for one in index(tmp_path).tasks(statuses=["running"])] == ["I-2"]
    assert index(tmp_path).task("I-9") is None


def test_a_task_has_the_entries_of_its_calls_and_their_outcomes(tmp_path: Path) -> None:
    told(tmp_path)
    assert ids(index(tmp_path).entries(task="I-1")) == ["L-cfo-1", "L-cfo-2", "L-cfo-3"]


def test_entries_are_found_by_kind_cycle_tool_agent_and_time(tmp_path: Path) -> None:
    told(tmp_path)
    found = index(tmp_path)
    assert ids(found.entries(kinds=["plan"])) == ["L-cfo-1", "L-ceo-1"]
    assert ids(found.entries(cycle="C-2")) == ["L-ceo-1"]
    assert ids(found.entries(tool="agent_message")) == ["L-cfo-2"]
    assert ids(found.entries(agents=["cfo"], since=at(3), until=at(5))) == ["L-cfo-3"]
    assert ids(found.entries(limit=2)) == ["L-cfo-1", "L-cfo-2"]


def test_cycles_are_told_the_last_first(tmp_path: Path) -> None:
    told(tmp_path)
    assert index(tmp_path).cycles() == ["C-1", "C-2"]
    assert index(tmp_path).cycles(agents=["ceo"]) == ["C-2"]
    assert index(tmp_path).cycles(since=at(5)) == ["C-1"]


def test_entries_come_back_as_they_stand_in_their_chains(tmp_path: Path) -> None:
    book = told(tmp_path)
    assert index(tmp_path).entries(agents=["cfo"]) == list(book.entries("cfo"))


def test_what_is_appended_is_followed_and_a_torn_line_waits_for_its_end(tmp_path: Path) -> None:
    book = told(tmp_path)
    found = index(tmp_path)
    assert found.update() == 5
    assert found.update() == 0
    with Layout(tmp_path).ledger("cfo").open("ab") as file:
        file.write(b'{"agent":"cfo"')
    assert found.update() == 0
    entry = book.append("cfo", "act", {}, at=at(9))
    assert ids(found.entries(since=at(9))) == [entry.id]


def test_a_chain_that_was_replaced_is_taken_anew_and_one_that_is_gone_is_forgotten(tmp_path: Path) -> None:
    told(tmp_path)
    found = index(tmp_path)
    found.update()
    path = Layout(tmp_path).ledger("cfo")
    path.unlink()
    assert ids(found.entries()) == ["L-ceo-1"]
    assert found.task("I-1") is None
    path.write_bytes(path.parent.joinpath("ceo.jsonl").read_bytes().replace(b"ceo", b"cfo"))
    assert ids(found.entries(agents=["cfo"])) == ["L-cfo-1"]


def test_an_unreadable_line_keeps_no_other_from_being_found(tmp_path: Path) -> None:
    book = told(tmp_path)
    path = Layout(tmp_path).ledger("ceo")
    path.write_bytes(b"not an entry\n" + path.read_bytes())
    assert book.verify("ceo")
    assert ids(index(tmp_path).entries(agents=["ceo"])) == ["L-ceo-1"]


@pytest.mark.parametrize("followed_from", [0, 3, 5])
def test_following_step_by_step_gives_what_reading_at_once_gives(tmp_path: Path, followed_from: int) -> None:
    book, stepwise = ledger(tmp_path / "one"), index(tmp_path / "one")
    twin = ledger(tmp_path / "two")
    for number in range(6):
        for each in (book, twin):
            each.append("cfo", "call", CALL | {"number": number}, at=at(number))
        if number >= followed_from:
            stepwise.update()
    at_once = index(tmp_path / "two")
    assert stepwise.entries() == at_once.entries() == list(book.entries("cfo"))
    assert stepwise.tasks() == at_once.tasks()


def test_the_newest_entries_can_be_had_first_and_page_by_page(tmp_path: Path) -> None:
    told(tmp_path)
    found = index(tmp_path)
    every = found.entries()
    assert found.entries(newest_first=True) == every[::-1]
    assert found.entries(newest_first=True, limit=2, offset=1) == every[::-1][1:3]
    assert found.entries(offset=len(every)) == []
