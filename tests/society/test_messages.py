import json
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.configs.errors import Damaged
from mabos.society.inbox import Inbox, open_inbox
from mabos.society.messages import MESSAGES, Message, message
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

CLOCK = frozen_clock(datetime(2026, 2, 24, 9, tzinfo=UTC))
IDS = Ids(CLOCK, seed="test")


def inbox(directory: Path) -> Inbox:
    return open_inbox(directory, Sync("off"))


def note(content: str = "Runway is nine months", **more: str) -> Message:
    return message("ceo", "cfo", "INFORM", content, ids=IDS, clock=CLOCK, **more)


def test_a_message_is_written_with_the_documents_field_names(tmp_path: Path) -> None:
    sent = note(priority="urgent")
    box = inbox(tmp_path)
    box.deliver(sent)
    box.store.close()
    (record,) = json.loads((tmp_path / "inbox.json").read_text())
    assert record == {
        "id": sent.id, "from": "ceo", "to": "cfo", "performative": "INFORM", "content": "Runway is nine months",
        "timestamp": "2026-02-24T09:00:00.000Z", "priority": "urgent", "read": False,
    }  # fmt: skip


def test_delivering_twice_puts_it_there_once(tmp_path: Path) -> None:
    box, sent = inbox(tmp_path), note()
    assert box.deliver(sent)
    assert not box.deliver(sent)
    assert box.unread() == (sent,)


def test_two_messages_that_happen_to_share_an_id_both_arrive(tmp_path: Path) -> None:
    box = inbox(tmp_path)
    one = note("first")
    other = MESSAGES.read(one.id, {**one.as_json(), "content": "second", "from": "cto"})
    assert box.deliver(one)
    assert box.deliver(other)
    assert not box.deliver(other)
    assert [found.content for found in box.unread()] == ["first", "second"]


def test_reading_marks_only_what_was_read_and_keeps_foreign_fields(tmp_path: Path) -> None:
    (tmp_path / "inbox.json").write_text(
        json.dumps([{"id": "MSG-1", "from": "owner", "to": "cfo", "content": "hello", "mood": "good"}])
    )
    box = inbox(tmp_path)
    later = note()
    box.deliver(later)
    box.mark_read(["MSG-1", "MSG-unknown"])
    assert [found.id for found in box.unread()] == [later.id]
    box.store.close()
    assert json.loads((tmp_path / "inbox.json").read_text())[0]["mood"] == "good"


def test_a_message_is_never_written_again_when_it_is_read_or_set_aside(tmp_path: Path) -> None:
    box, text = inbox(tmp_path), "x" * 5_000
    sent = box.deliver(note(text))
    assert sent is not None
    journal = tmp_path / "inbox.journal.jsonl"
    before = journal.read_bytes()
    box.flag({sent.id: "it breaks its protocol"})
    box.mark_read([sent.id])
    after = journal.read_bytes()
    assert after.startswith(before)
    assert len(after) - len(before) < 500
    assert after.count(text.encode()) == 1
    (found,) = inbox(tmp_path).messages()
    assert (found.read, found.flag, found.content) == (True, "it breaks its protocol", text)


def test_a_person_may_mark_a_message_as_unread_by_hand(tmp_path: Path) -> None:
    box, sent = inbox(tmp_path), note()
    box.deliver(sent)
    box.mark_read([sent.id])
    box.store.close()
    path = tmp_path / "inbox.json"
    path.write_text(path.read_text().replace('"read": true', '"read": false'))
    assert [found.id for found in box.unread()] == [sent.id]


def test_a_message_that_is_taken_out_by_hand_is_gone(tmp_path: Path) -> None:
    box = inbox(tmp_path)
    box.deliver(note("first"))
    box.deliver(note("second"))
    box.store.close()
    path = tmp_path / "inbox.json"
    path.write_text(json.dumps([one for one in json.loads(path.read_text()) if one["content"] != "first"]))
    assert [found.content for found in box.messages()] == ["second"]


def test_an_id_that_the_other_side_of_a_conversation_has_is_not_given_twice(tmp_path: Path) -> None:
    asked, box = note(), inbox(tmp_path)
    told = asked.reply(asked.id, "CONFIRM", "Thanks", at=asked.timestamp)
    placed = box.deliver(told, heard=[asked])
    assert placed is not None
    assert placed.id == f"{asked.id}-2"
    assert box.deliver(told, heard=[asked]) is None
    assert box.find(placed.id) == placed


def test_what_two_processes_say_is_found_by_thread_and_each_look_sees_the_news(tmp_path: Path) -> None:
    box, other = inbox(tmp_path), inbox(tmp_path)
    for number in range(3):
        box.deliver(note(f"a {number}", conversation_id="C-1"))
        other.deliver(note(f"b {number}", conversation_id="C-2"))
        assert [one.content for one in box.thread("C-2")] == [f"b {n}" for n in range(number + 1)]
    assert [one.content for one in other.thread("C-1")] == ["a 0", "a 1", "a 2"]
    other.mark_read(one.id for one in other.thread("C-1"))
    assert [one.content for one in box.unread()] == ["b 0", "b 1", "b 2"]


def test_a_line_by_hand_with_a_number_for_a_text_is_read(tmp_path: Path) -> None:
    (tmp_path / "inbox.json").write_text(json.dumps([{"id": 7, "from": "owner", "to": "cfo", "reply_by": 2026}]))
    (found,) = inbox(tmp_path).messages()
    assert (found.id, found.reply_by) == ("7", "2026")


def test_a_reply_stays_in_the_conversation() -> None:
    asked = message("ceo", "cfo", "QUERY", "How long will the money last?", ids=IDS, clock=CLOCK)
    told = asked.reply("MSG-2", "INFORM", "Nine months", at="2026-02-24T10:00:00Z")
    assert (told.sender, told.to, told.reply_to, told.conversation_id) == ("cfo", "ceo", asked.id, asked.id)
    assert told.reply("MSG-3", "CONFIRM", "Thanks", at="").conversation_id == asked.id


def test_a_record_without_sender_is_damaged() -> None:
    with pytest.raises(Damaged, match="message 'MSG-1': from is missing"):
        MESSAGES.read("MSG-1", {"id": "MSG-1", "content": "hello"})


WRITER = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from mabos.society.inbox import open_inbox
from mabos.society.messages import message
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync
clock = frozen_clock(datetime(2026, 2, 24, tzinfo=UTC))
box, ids = open_inbox(Path(sys.argv[1]), Sync("off")), Ids(clock, seed=sys.argv[2])
for number in range(50):
    box.deliver(message(sys.argv[2], "cfo", "INFORM", f"{sys.argv[2]} {number}", ids=ids, clock=clock))
"""


def test_four_processes_writing_one_inbox_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(tmp_path), f"agent{number}"], cwd=Path.cwd())
        for number in range(4)
    ]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    contents = {found.content for found in inbox(tmp_path).unread()}
    assert contents == {f"agent{agent} {number}" for agent in range(4) for number in range(50)}


@pytest.mark.parametrize("field", ['"content": 5', '"content": {"a": 1}', '"priority": 3', '"metadata": [1]'])
def test_a_message_with_a_field_of_another_kind_by_hand_is_read_as_text(tmp_path: Path, field: str) -> None:
    (tmp_path / "inbox.json").write_text(f'[{{"id": "M-1", "from": "ceo", "to": "cfo", {field}}}]')
    (found,) = inbox(tmp_path).messages()
    assert isinstance(found.content, str)
    assert isinstance(found.priority, str)
    assert isinstance(found.metadata, dict)


def test_a_message_that_subscribes_no_more_after_an_edit_is_no_subscription(tmp_path: Path) -> None:
    box = inbox(tmp_path)
    box.deliver(message("ceo", "cfo", "SUBSCRIBE", "mrr", ids=IDS, clock=CLOCK, reply_by="2026-03-01"))
    assert (len(box.subscriptions()), len(box.dated())) == (1, 1)
    box.store.checkpoint()
    text = (tmp_path / "inbox.json").read_text()
    (tmp_path / "inbox.json").write_text(text.replace("SUBSCRIBE", "INFORM").replace("2026-03-01", ""))
    assert (box.subscriptions(), box.dated()) == ((), ())
