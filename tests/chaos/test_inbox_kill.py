"""Inboxes that eight processes write into lose nothing and hold nothing twice; inbox_kill.py is the whole campaign."""

from pathlib import Path

from chaos.inbox_kill import CLOCK, READERS, Result, campaign, faults, inbox
from mabos.society.messages import message
from mabos.workspace.ids import Ids
from mabos.workspace.operations import Drop


def test_eight_killed_processes_lose_no_message_and_write_none_twice() -> None:
    result = campaign(1, lives=2, seed=3, least=1000)
    assert result.wrong == []
    assert result.acknowledged > 100
    assert result.renamed > 0
    assert result.read > 0


def test_the_campaign_sees_what_is_lost_doubled_or_unread(tmp_path: Path) -> None:
    boxes = {reader: inbox(tmp_path, reader) for reader in READERS}
    ids = Ids(CLOCK, seed="x")
    lines = []
    for number in range(3):
        sent = boxes["ceo"].deliver(message("w0", "ceo", "INFORM", f"w0-0-{number}", ids=ids, clock=CLOCK))
        assert sent is not None
        lines.append(f"sent ceo {sent.id} {sent.content}\n")
    boxes["ceo"].mark_read([boxes["ceo"].messages()[0].id])
    for reader in READERS[1:]:
        boxes[reader].deliver(message("w0", reader, "INFORM", "hello", ids=ids, clock=CLOCK))
    path = tmp_path / "w0-0.out"
    path.write_text("".join(lines))
    assert list(faults(tmp_path, Result())) == []
    first, second, third = boxes["ceo"].messages()
    path.write_text("".join([*lines, f"read ceo {second.id} -\n"]))
    boxes["ceo"].deliver(message("w1", "ceo", "INFORM", first.content, ids=ids, clock=CLOCK))
    boxes["ceo"].store.commit([Drop("messages", third.id)])
    told = " ".join(faults(tmp_path, Result()))
    assert "w0-0-0 is there 2 times" in told
    assert f"sent {third.id} w0-0-2 is lost" in told
    assert f"{second.id} is unread again" in told
