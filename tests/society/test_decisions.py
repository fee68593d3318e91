import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged, InvalidArgument, Refused, UnknownId
from mabos.society.decisions import Decision, DecisionAnswer, Decisions, action_hash, decision_queue, open_decisions
from mabos.workspace.clock import parse_time
from mabos.workspace.store import Put
from mabos.workspace.sync import Sync

NOW = "2026-02-24T09:00:00.000Z"
SIGN = {"tool": "work_package_create", "arguments": {"budget_usd": 12000.0}}


def queue(root: Path) -> Decisions:
    sync = Sync("off")
    return open_decisions(root / "acme", sync, business_id="acme", mirror=decision_queue(root, sync))


def question(**fields: Any) -> Decision:
    asked = Decision(
        "DEC-1", "cfo", "Approve $12,000", created_at=NOW, recommendation="A",
        options=({"id": "A", "label": "Approve"}, {"id": "B", "label": "Reject"}),
        action=SIGN, action_hash=action_hash("cfo", SIGN["tool"], SIGN["arguments"]),  # type: ignore[arg-type]
    )  # fmt: skip
    return replace(asked, **fields)


def answer(resolution: Any, **fields: Any) -> DecisionAnswer:
    return DecisionAnswer(resolution, NOW, **fields)


def test_a_question_waits_and_is_mirrored_at_the_root(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    assert [one.id for one in decisions.pending()] == ["DEC-1"]
    decisions.store.close()
    assert decisions.mirror is not None
    decisions.mirror.close()
    (own,) = json.loads((tmp_path / "acme" / "decision-queue.json").read_text())
    (mirrored,) = json.loads((tmp_path / "decision-queue.json").read_text())
    assert own == mirrored
    assert (own["business_id"], own["status"], own["from_agent"]) == ("acme", "pending", "cfo")


def test_the_same_action_is_asked_about_once(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    first = decisions.request(question())
    assert decisions.request(question(id="DEC-2")) == first
    assert len(decisions.all()) == 1


def test_an_approval_takes_the_recommended_option_and_frees_the_action_once(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    found = decisions.resolve("DEC-1", answer("approve", feedback="Go"), version=1)
    assert (found.status, found.chosen_option, found.version, found.feedback) == ("approved", "A", 2, "Go")
    assert [(one.id, one.from_agent) for one in decisions.all() if one.granted] == [("DEC-1", "cfo")]
    decisions.mark_performed("DEC-1", NOW, "key-1")
    assert not decisions.one("DEC-1").granted
    with pytest.raises(Refused, match="performed"):
        decisions.mark_performed("DEC-1", NOW)


def test_an_approval_that_stands_twice_in_the_file_frees_the_action_once(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    decisions.resolve("DEC-1", answer("approve"))
    decisions.store.close()
    path = tmp_path / "acme" / "decision-queue.json"
    path.write_text(json.dumps(json.loads(path.read_text()) * 2))
    again = queue(tmp_path)
    again.mark_performed(again.all()[1].id, NOW, "key-1")
    with pytest.raises(Refused, match="performed"):
        again.mark_performed("DEC-1", NOW)


def test_a_second_answer_is_refused(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    decisions.resolve("DEC-1", answer("reject"))
    with pytest.raises(Refused, match="already answered: rejected"):
        decisions.resolve("DEC-1", answer("approve"))


def test_of_two_processes_only_one_answers(tmp_path: Path) -> None:
    one, other = queue(tmp_path), queue(tmp_path)
    one.request(question())
    assert other.pending()
    one.resolve("DEC-1", answer("approve"))
    with pytest.raises(Refused, match="already answered"):
        other.resolve("DEC-1", answer("reject"))


def test_an_answer_to_an_older_version_is_refused(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    decisions.resolve("DEC-1", answer("defer", until="2026-03-01"))
    with pytest.raises(Refused, match="you answered version 1, it is at 2"):
        decisions.resolve("DEC-1", answer("approve"), version=1)
    assert decisions.pending()[0].until == "2026-03-01"
    assert decisions.resolve("DEC-1", answer("approve"), version=2).status == "approved"


def test_a_question_that_was_put_off_waits_again_from_its_date_and_looking_writes_nothing(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    off = decisions.resolve("DEC-1", answer("defer", until="2026-03-01"))
    assert off.as_of(parse_time("2026-02-28T23:00:00Z")) is off
    assert off.as_of(parse_time("2026-03-01T00:00:00Z")).status == "pending"
    assert decisions.one("DEC-1") == off


def test_a_modification_binds_the_approval_to_the_changed_action(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    before = decisions.request(question())
    found = decisions.resolve("DEC-1", answer("modify", modifications={"budget_usd": 8000.0}))
    assert found.action == {"tool": "work_package_create", "arguments": {"budget_usd": 8000.0}}
    assert found.action_hash == action_hash("cfo", "work_package_create", {"budget_usd": 8000.0})
    assert found.action_hash != before.action_hash
    assert found.granted


@pytest.mark.parametrize(
    ("given", "argument"),
    [
        (answer("defer"), "until"),
        (answer("defer", until="soon"), "until"),
        (answer("modify"), "modifications"),
        (answer("approve", chosen_option="Z"), "chosen_option"),
    ],
)
def test_an_incomplete_answer_names_what_is_missing_and_changes_nothing(
    tmp_path: Path, given: DecisionAnswer, argument: str
) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    with pytest.raises((InvalidArgument, UnknownId)) as caught:
        decisions.resolve("DEC-1", given)
    assert caught.value.argument == argument
    assert decisions.one("DEC-1").version == 1


def test_an_unknown_decision_is_answered_with_the_nearest(tmp_path: Path) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    with pytest.raises(UnknownId, match="did you mean 'DEC-1'"):
        decisions.resolve("DEC-2", answer("approve"))


def test_the_mirror_is_repaired_after_a_crash_between_the_two_writes(tmp_path: Path) -> None:
    open_decisions(tmp_path / "acme", Sync("off"), business_id="acme").request(question())
    decisions = queue(tmp_path)
    decisions.reflect()
    assert decisions.mirror is not None
    assert "DEC-1" in decisions.mirror.read()["decisions"]


def test_a_hand_written_queue_opens_and_keeps_its_own_fields(tmp_path: Path) -> None:
    (tmp_path / "acme").mkdir()
    path = tmp_path / "acme" / "decision-queue.json"
    path.write_text(json.dumps([{"id": "DEC-9", "from_agent": "ceo", "subject": "x", "status": "pending", "pin": 1}]))
    decisions = queue(tmp_path)
    decisions.resolve("DEC-9", answer("approve"))
    decisions.store.close()
    assert json.loads(path.read_text())[0]["pin"] == 1


def test_the_hash_does_not_depend_on_the_order_of_arguments() -> None:
    assert action_hash("a", "t", {"x": 1, "y": 2}) == action_hash("a", "t", {"y": 2, "x": 1})
    assert action_hash("a", "t", {"x": 1}) != action_hash("b", "t", {"x": 1})


def test_an_answer_given_while_the_questions_are_read_is_seen_at_the_next_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    decisions = queue(tmp_path)
    decisions.request(question())
    answers = [answer("approve")]

    def late(_collection: str, _old: Decision | None, new: Decision | None) -> None:
        if answers and new is not None:  # as another thread of the same process does
            answers.clear()
            decisions.store.commit([Put("decisions", "DEC-1", {**new.as_json(), "status": "approved"})])

    monkeypatch.setattr(decisions, "changed", late)
    decisions.all()
    assert [one.status for one in decisions.all()] == ["approved"]


@pytest.mark.parametrize("field", ['"options": 5', '"options": ["A"]', '"reasons": "why"', '"action": [1]',
                                   '"modifications": "x"'])  # fmt: skip
def test_a_question_with_a_field_of_another_kind_by_hand_is_damage(tmp_path: Path, field: str) -> None:
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "decision-queue.json").write_text(f'[{{"id": "DEC-1", {field}}}]')
    with pytest.raises(Damaged, match="decision 'DEC-1': "):
        queue(tmp_path).all()
