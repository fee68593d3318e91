"""A decision as a machine: asked once, answered on the record, and never answered twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import is_invalid_resume
from langgraph.types import Command
from pydantic import ValidationError

from mabos.graphs.governance import build
from mabos.graphs.wiring import opened
from mabos.nodes.governance.state import GovernanceContext, GovernanceInput
from mabos.society.decisions import Decision
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests.tools.workspaces import laid_out


class Desk:
    """A workspace, its machine, and one thread."""

    def __init__(self, services: Services) -> None:
        self.services = services
        self.machine = build().compile(checkpointer=InMemorySaver())
        self.thread: Any = {"configurable": {"thread_id": "T"}}
        self.context = GovernanceContext(workspace=str(services.layout.root))

    def asked(self, decision_id: str, **more: Any) -> Decision:
        action = {"tool": "note_write", "arguments": {"text": "x"}}
        asked = Decision(decision_id, "cfo", "Buy it?", "It is $9,000", created_at="2026-02-24", action=action, **more)
        return self.services.decisions("acme").request(asked)

    def start(self, decision_id: str = "") -> Any:
        given: GovernanceInput = {"decision_id": decision_id} if decision_id else {}
        return self.machine.invoke(given, self.thread, context=self.context)

    def reply(self, **reply: Any) -> Any:
        return self.machine.invoke(Command(resume=reply), self.thread, context=self.context)

    def question(self) -> dict[str, Any]:
        (waiting,) = self.machine.get_state(self.thread).interrupts
        value: dict[str, Any] = waiting.value
        return value

    def waits(self) -> bool:
        return bool(self.machine.get_state(self.thread).interrupts)

    def stands(self, decision_id: str) -> Decision:
        return self.services.decisions("acme").decision(decision_id)

    def answered_elsewhere(self, decision_id: str, resolution: str, **more: Any) -> None:
        given = {"decision_id": decision_id, "resolution": resolution, **more}
        assert call(self.services, "decision_resolve", given).ok


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    with opened(laid_out(tmp_path)) as services:
        yield Desk(services)


def test_a_thread_waits_at_the_gate_and_puts_the_answer_on_record(desk: Desk) -> None:
    desk.asked("DEC-1", cost=9000.0)
    desk.start("DEC-1")
    assert (desk.question()["subject"], desk.question()["cost"]) == ("Buy it?", 9000.0)
    assert desk.stands("DEC-1").open
    answer = desk.reply(resolution="reject", feedback="Too dear")
    assert (answer["status"], answer["text"]) == ("rejected", "DEC-1: rejected")
    assert (desk.stands("DEC-1").status, desk.stands("DEC-1").feedback) == ("rejected", "Too dear")
    assert not desk.waits()


def test_the_form_of_the_answer_is_shown_and_checked(desk: Desk) -> None:
    desk.asked("DEC-1")
    desk.start("DEC-1")
    (waiting,) = desk.machine.get_state(desk.thread).interrupts
    form: Any = waiting.response_schema
    assert form["properties"]["resolution"]["enum"] == ["approve", "reject", "defer", "modify"]
    with pytest.raises(ValidationError) as refused:
        desk.reply(resolution="maybe")
    assert is_invalid_resume(refused.value)
    assert desk.reply(resolution="approve")["status"] == "approved"


def test_an_answer_that_cannot_be_recorded_is_asked_for_again_with_the_reason(desk: Desk) -> None:
    desk.asked("DEC-1")
    desk.start("DEC-1")
    desk.reply(resolution="defer")
    assert "needs 'until'" in desk.question()["problem"]
    desk.reply(resolution="defer", until="2030-01-01")
    assert (desk.question()["until"][:10], "problem" in desk.question()) == ("2030-01-01", False)
    assert desk.reply(resolution="approve")["status"] == "approved"


def test_a_stale_answer_is_refused_and_the_record_stands(desk: Desk) -> None:
    desk.asked("DEC-1")
    desk.start("DEC-1")
    desk.answered_elsewhere("DEC-1", "reject")
    answer = desk.reply(resolution="approve")
    assert answer["status"] == "rejected"
    assert "was answered before" in answer["text"]
    assert desk.stands("DEC-1").status == "rejected"
    assert not desk.waits()


def test_an_answer_to_a_question_that_has_changed_is_refused_and_asked_anew(desk: Desk) -> None:
    desk.asked("DEC-1")
    desk.start("DEC-1")
    desk.answered_elsewhere("DEC-1", "defer", until="2030-01-01")
    desk.reply(resolution="approve")
    assert desk.stands("DEC-1").status == "deferred"
    assert "has changed" in desk.question()["problem"]
    assert desk.reply(resolution="approve")["status"] == "approved"


def test_what_was_answered_elsewhere_is_not_asked_when_the_thread_runs_again(desk: Desk) -> None:
    desk.asked("DEC-1")
    desk.start("DEC-1")
    desk.answered_elsewhere("DEC-1", "approve")
    assert desk.start("DEC-1")["text"] == "DEC-1 was answered: approved"
    assert not desk.waits()


def test_the_most_pressing_decision_is_asked_where_none_is_named(desk: Desk) -> None:
    assert desk.start()["text"] == "nothing waits for a person"
    desk.asked("DEC-1")
    desk.asked("DEC-2", urgency="urgent")
    desk.start()
    assert desk.question()["decision_id"] == "DEC-2"


def test_an_action_is_not_approved_by_choosing_what_is_not_recommended(desk: Desk) -> None:
    desk.asked("DEC-1", options=({"id": "A", "label": "Approve"}, {"id": "B", "label": "Reject"}), recommendation="A")
    desk.start("DEC-1")
    desk.reply(resolution="approve", chosen_option="B")
    assert "answer 'reject'" in desk.question()["problem"]
    assert desk.stands("DEC-1").open
