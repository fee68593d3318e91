from datetime import UTC, datetime
from pathlib import Path

import pytest

from mabos.mind.mind import Mind, open_mind
from mabos.mind.model import Commitment
from mabos.society.commitments import commit, outcome, settle_commitments
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)


def mind_in(folder: Path) -> Mind:
    clock = frozen_clock(NOW)
    return open_mind(folder, clock=clock, ids=Ids(clock, seed="test"), sync=Sync("off"), agent_id="cto")


def given(mind: Mind, about: str = "WP-001", due: str = "2026-03-15T00:00:00.000Z") -> Commitment:
    return commit(mind, "CONT-001", "Deliver the wizard", due=due, about=about, consequences="Trust falls")


def test_a_word_stands_in_the_file_with_its_terms_and_consequences_and_is_given_once(tmp_path: Path) -> None:
    mind = mind_in(tmp_path)
    assert given(mind) == given(mind) == mind.commitment("COM-WP-001")
    text = mind.file("Commitments.md")
    for said in ("CONT-001", "Deliver the wizard", "2026-03-15", "Trust falls", "open", "WP-001"):
        assert said in text
    assert len(mind.commitments) == 1


def test_what_ends_ends_the_word_about_it_and_no_other(tmp_path: Path) -> None:
    mind = mind_in(tmp_path)
    given(mind), given(mind, "WP-002")
    assert [one.status for one in settle_commitments(mind, "WP-001", "met")] == ["met"]
    assert settle_commitments(mind, "WP-001", "breached") == ()
    assert [one.status for one in mind.commitments] == ["met", "open"]


def test_a_word_about_nothing_in_particular_is_not_ended_with_the_rest(tmp_path: Path) -> None:
    mind = mind_in(tmp_path)
    mind.save(Commitment("COM-1", "Owner", "A report"))
    assert settle_commitments(mind, "", "met") == ()
    assert mind.commitment("COM-1").status == "open"


def test_work_that_is_given_again_is_a_new_word(tmp_path: Path) -> None:
    mind = mind_in(tmp_path)
    given(mind)
    settle_commitments(mind, "WP-001", "cancelled")
    assert given(mind, due="2026-04-01T00:00:00.000Z").status == "open"


@pytest.mark.parametrize(
    ("believed", "due", "status"),
    [
        ({}, "2026-03-03", ""),
        ({}, "2026-03-02", ""),
        ({}, "2026-03-01", "breached"),
        ({}, "", ""),
        ({}, "end of Q1", ""),
        ({("COM-1", "status"): "met"}, "2026-03-01", "met"),
        ({("T-1", "status"): "Done"}, "2026-03-01", "met"),
        ({("T-1", "status"): "cancelled"}, "2026-03-09", "cancelled"),
        ({("T-1", "status"): "in_progress"}, "2026-03-01", "breached"),
    ],
)
def test_a_word_is_kept_as_believed_and_broken_when_due(
    believed: dict[tuple[str, str], str], due: str, status: str
) -> None:
    word = Commitment("COM-1", "ceo", deadline=due, about="T-1")
    assert outcome(word, lambda subject, predicate: believed.get((subject, predicate)), NOW) == status
