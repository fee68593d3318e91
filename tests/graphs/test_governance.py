"""A decision as a machine: asked once, answered on the record, and never answered twice."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command

from mabos.graphs.governance import build
from mabos.nodes.governance import GovernanceContext, GovernanceInput
from mabos.society.decisions import Decision
from tests.world import World


class GovernanceThread:
    """A workspace, its machine, and one thread."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.machine = build().compile(checkpointer=InMemorySaver())
        self.thread: Any = {"configurable": {"thread_id": "T"}}
        self.context = GovernanceContext(workspace=str(world.root))

    def asked(self, decision_id: str, **more: Any) -> Decision:
        action = {"tool": "note_write", "arguments": {"text": "x"}}
        asked = Decision(decision_id, "cfo", "Buy it?", "It is $9,000", created_at="2026-02-24", action=action, **more)
        return self.world.services.decisions("acme").request(asked)

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
        return self.world.services.decisions("acme").one(decision_id)


@pytest.fixture
def thread(tmp_path: Path) -> Iterator[GovernanceThread]:
    with World.small(tmp_path) as world:
        yield GovernanceThread(world)


def test_a_thread_waits_at_the_gate_and_puts_the_answer_on_record(thread: GovernanceThread) -> None:
    thread.asked("DEC-1", cost=9000.0)
    thread.start("DEC-1")
    assert (thread.question()["subject"], thread.question()["cost"]) == ("Buy it?", 9000.0)
    assert thread.stands("DEC-1").open
    answer = thread.reply(resolution="reject", feedback="Too dear")
    assert (answer["status"], answer["text"]) == ("rejected", "DEC-1: rejected")
    assert (thread.stands("DEC-1").status, thread.stands("DEC-1").feedback) == ("rejected", "Too dear")
    assert not thread.waits()


def test_the_form_of_the_answer_is_shown_and_an_answer_that_does_not_fit_is_asked_again(
    thread: GovernanceThread,
) -> None:
    thread.asked("DEC-1")
    thread.start("DEC-1")
    (waiting,) = thread.machine.get_state(thread.thread).interrupts
    form: Any = waiting.response_schema
    assert form["properties"]["resolution"]["enum"] == ["approve", "reject", "defer", "modify"]
    thread.reply(resolution="maybe")
    assert "resolution" in thread.question()["problem"]
    assert thread.question()["version"] == 1
    assert thread.reply(resolution="approve")["status"] == "approved"


def test_an_answer_that_cannot_be_recorded_is_asked_for_again_with_the_reason(thread: GovernanceThread) -> None:
    thread.asked("DEC-1")
    thread.start("DEC-1")
    thread.reply(resolution="defer")
    assert "needs 'until'" in thread.question()["problem"]
    thread.reply(resolution="defer", until="2030-01-01")
    assert (thread.question()["until"][:10], "problem" in thread.question()) == ("2030-01-01", False)
    assert thread.reply(resolution="approve")["status"] == "approved"


def test_a_stale_answer_is_refused_and_the_record_stands(thread: GovernanceThread) -> None:
    thread.asked("DEC-1")
    thread.start("DEC-1")
    thread.world.answer("reject", "DEC-1")
    answer = thread.reply(resolution="approve")
    assert answer["status"] == "rejected"
    assert "is already answered" in answer["text"]
    assert thread.stands("DEC-1").status == "rejected"
    assert not thread.waits()


def test_an_answer_to_a_question_that_has_changed_is_refused_and_asked_anew(thread: GovernanceThread) -> None:
    thread.asked("DEC-1")
    thread.start("DEC-1")
    thread.world.answer("defer", "DEC-1", until="2030-01-01")
    thread.reply(resolution="approve")
    assert thread.stands("DEC-1").status == "deferred"
    assert "has changed" in thread.question()["problem"]
    assert thread.reply(resolution="approve")["status"] == "approved"


def test_what_was_answered_elsewhere_is_not_asked_when_the_thread_runs_again(thread: GovernanceThread) -> None:
    thread.asked("DEC-1")
    thread.start("DEC-1")
    thread.world.answer("approve", "DEC-1")
    assert thread.start("DEC-1")["text"] == "DEC-1 was answered: approved"
    assert not thread.waits()


def test_the_most_pressing_decision_is_asked_where_none_is_named(thread: GovernanceThread) -> None:
    assert thread.start()["text"] == "nothing waits for a person"
    thread.asked("DEC-1")
    thread.asked("DEC-2", urgency="urgent")
    thread.start()
    assert thread.question()["decision_id"] == "DEC-2"


def test_an_action_is_not_approved_by_choosing_what_is_not_recommended(thread: GovernanceThread) -> None:
    thread.asked("DEC-1", options=({"id": "A", "label": "Approve"}, {"id": "B", "label": "Reject"}), recommendation="A")
    thread.start("DEC-1")
    thread.reply(resolution="approve", chosen_option="B")
    assert "answer 'reject'" in thread.question()["problem"]
    assert thread.stands("DEC-1").open
