"""Letters under several processes: what one of them has begun, another neither queues again nor cancels."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged
from mabos.society.mailings import Mailing, Mailings, Sending, open_mailings
from mabos.workspace.records import declaration
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

NOW = "2026-03-02T09:00:00.000Z"
SPRING = Mailing("spring", "spring", "Hello", "Dear you")
LETTER = Sending("LTR-1", "jane@company.com", NOW, mailing="spring")


def mailings(root: Path) -> Mailings:
    return open_mailings(root, Sync("off"))


def test_an_address_written_twice_by_hand_gets_no_letters_if_the_later_line_says_so(tmp_path: Path) -> None:
    rows = [{"id": "jane@x.com", "at": NOW, "by": "person", "reason": why} for why in ("back", "unsubscribed")]
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "unsubscribed.json").write_text(json.dumps({"removed": rows}))
    assert mailings(tmp_path).left("jane@x.com") == "unsubscribed"


def test_a_letter_without_a_status_is_damage_and_never_queued_again(tmp_path: Path) -> None:
    written = declaration(Sending).write(replace(LETTER, sent_at=NOW))
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "letters.json").write_text(json.dumps({"letters": [{**written, "status": None}]}))
    with pytest.raises(Damaged, match="status"):
        mailings(tmp_path).letters.all()


def between(monkeypatch: pytest.MonkeyPatch, ours: Mailings, act: Any) -> None:
    """Let another process act right before what we write is decided."""
    commit = ours.letters.store.commit

    def late(change: Any, **more: Any) -> int:
        act()
        return commit(change, **more)

    monkeypatch.setattr(ours.letters.store, "commit", late)


def test_letters_that_another_process_has_sent_meanwhile_are_not_queued_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, others = mailings(tmp_path), mailings(tmp_path)
    between(monkeypatch, ours, lambda: others.letters.save(replace(LETTER, status="sent", sent_at=NOW)))
    ours.begin(SPRING, (LETTER,))
    assert [one.status for one in mailings(tmp_path).of("spring")] == ["sent"]


def test_a_letter_that_was_begun_while_its_campaign_is_stopped_is_not_called_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, others = mailings(tmp_path), mailings(tmp_path)
    ours.begin(SPRING, (LETTER, replace(LETTER, id="LTR-2")))
    between(monkeypatch, ours, lambda: others.letters.save(replace(LETTER, status="begun", attempts=1)))
    assert ours.end("spring", "stopped").status == "stopped"
    assert [one.status for one in mailings(tmp_path).of("spring")] == ["begun", "cancelled"]


def test_a_decided_write_keeps_what_a_person_added(tmp_path: Path) -> None:
    ours = mailings(tmp_path)
    ours.begin(SPRING, (LETTER,))
    assert isinstance(ours.letters, View)
    assert ours.begin(SPRING, (replace(LETTER, subject="other"),)) == SPRING
    assert [one.subject for one in ours.of("spring")] == [""]
