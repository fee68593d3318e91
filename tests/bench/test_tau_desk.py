"""The desk on which tau2-bench is played, with a domain of our own: a library that lends books."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel

from bench.tau_desk import AGENT, Desk, Talk
from mabos import open_workspace
from mabos.backends.chat import Reply, ScriptedCall, ScriptedModel, ToolUse
from mabos.configs.errors import InvalidArgument
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.functions import own_tool

POLICY = """# Lending desk

Every reader may extend a loan once, by at most 21 days.

- Ask before you extend a loan, and name the loan and the days.
"""
YES = "Yes, please go ahead."


class Extension(BaseModel):
    """By how long a loan is extended, and why."""

    days: int
    reason: Literal["not finished", "ill"]


@dataclass
class Library:
    """The loans, and what was called."""

    loans: dict[str, dict[str, Any]] = field(
        default_factory=lambda: {"L-7001": {"book": "Walden", "reader": "ana", "due_in_days": 4, "extended": 0}}
    )
    calls: list[str] = field(default_factory=list)

    def find_loans(self, reader: str) -> list[str]:
        """Find the loans of a reader.

        Args:
            reader: The reader's short name, as ana.
        """
        self.calls.append("find_loans")
        return [name for name, loan in self.loans.items() if loan["reader"] == reader]

    def get_loan(self, loan: str) -> dict[str, Any]:
        """Return one loan."""
        self.calls.append("get_loan")
        return self.loans[loan]

    def extend_loan(self, loan: str, extensions: list[Extension]) -> dict[str, Any]:
        """Extend a loan.

        Args:
            loan: The loan, as L-7001.
            extensions: One entry, with days and reason.
        """
        self.calls.append("extend_loan")
        if self.loans[loan]["extended"]:
            raise ValueError(f"{loan} was extended before")
        self.loans[loan]["extended"] = extensions[0].days
        self.loans[loan]["due_in_days"] += extensions[0].days
        return self.loans[loan]

    @property
    def tools(self) -> list[Tool]:
        """Return them as a user's own tools."""
        return [
            own_tool(self.find_loans, writes=False),
            own_tool(self.get_loan, writes=False),
            own_tool(self.extend_loan, writes=True, reversible=False),
        ]


EXTEND = ToolUse("", "extend_loan", {"loan": "L-7001", "extensions": [{"days": 14, "reason": "ill"}]})
QUESTION = "I would extend the loan L-7001 by 14 days, because you are ill. Shall I go ahead?"


class Mind:
    """A model that answers from a list, and keeps what it was asked."""

    def __init__(self, *replies: Reply) -> None:
        self.calls: list[ScriptedCall] = []
        self._replies = iter(replies)
        self.model = ScriptedModel(self._answer)

    def results(self) -> str:
        """Return the results of tools that the last call was shown."""
        return "\n".join(one.content for one in self.calls[-1].messages if one.role == "tool")

    def _answer(self, call: ScriptedCall) -> Reply:
        if call.tag != "work":
            return ""
        self.calls.append(call)
        return next(self._replies)


@pytest.fixture
def library() -> Library:
    return Library()


@pytest.fixture
def talk_with(library: Library, tmp_path: Path) -> Iterator[Any]:
    """Yield a function that opens the desk for a mind; the desk closes after the test."""
    opened = []

    def start(mind: Mind) -> Talk:
        desk = Desk(tmp_path / "desk", library.tools, POLICY).opened(mind.model)
        opened.append(desk)
        return desk.__enter__()

    yield start
    for one in opened:
        one.__exit__(None, None, None)


def test_a_loan_is_extended_once_after_the_reader_agreed(library: Library, talk_with: Any) -> None:
    mind = Mind(
        ToolUse("", "find_loans", {"reader": "ana"}),
        ToolUse("", "get_loan", {"loan": "L-7001"}),
        QUESTION,
        EXTEND,
        "The loan L-7001 was extended.",
    )
    talk = talk_with(mind)
    asked = talk.say("I am ana, I am ill and cannot finish Walden. Can I have it 14 days longer?")
    assert library.calls == ["find_loans", "get_loan"]
    assert asked == QUESTION
    said = talk.say(YES)
    assert library.loans["L-7001"] == {"book": "Walden", "reader": "ana", "due_in_days": 18, "extended": 14}
    assert talk.effects() == ["extend_loan"]
    assert not talk.waiting()
    assert said == "The loan L-7001 was extended."


def test_what_a_reader_may_not_have_is_refused_by_the_tool_and_told(library: Library, talk_with: Any) -> None:
    library.loans["L-7001"]["extended"] = 7
    mind = Mind(QUESTION, EXTEND, "That loan was extended before, so it stays as it is.")
    talk = talk_with(mind)
    talk.say("I am ana and ill: 14 days more for L-7001, please.")
    talk.say(YES)
    assert "was extended before" in mind.results()
    assert library.loans["L-7001"]["due_in_days"] == 4
    assert talk.effects() == []


def test_the_owner_is_asked_where_the_reader_said_no_such_number(library: Library, talk_with: Any) -> None:
    mind = Mind(EXTEND, "I have put the extension before the owner.")
    talk = talk_with(mind)
    talk.say("I am ana. Can I keep L-7001 a little longer?")
    (decision,) = talk.waiting()
    assert any("14" in reason for reason in decision.reasons)
    assert library.loans["L-7001"]["extended"] == 0


def test_the_model_reads_the_policy_and_the_tools(talk_with: Any) -> None:
    mind = Mind("You may bring it back within 21 days.")
    talk_with(mind).say("How long may I keep a book?")
    assert "at most 21 days" in mind.calls[0].messages[0].content
    shown = {one.name: one for one in mind.calls[0].tools}
    assert {"find_loans", "get_loan", "extend_loan"} <= set(shown)
    entries = shown["extend_loan"].parameters["properties"]["extensions"]["items"]["properties"]
    assert shown["find_loans"].parameters["properties"]["reader"]["description"].startswith("The reader's short name")
    assert entries == {"days": {"type": "integer"}, "reason": {"enum": ["not finished", "ill"], "type": "string"}}
    assert "agent_id" not in shown["extend_loan"].parameters["properties"]


def test_what_a_tool_returned_is_known_in_the_next_turn(talk_with: Any) -> None:
    mind = Mind(ToolUse("", "get_loan", {"loan": "L-7001"}), "It is due in 4 days.", "It is due in 4 days, I said.")
    talk = talk_with(mind)
    talk.say("When is L-7001 due?")
    talk.say("Sorry, when?")
    assert re.search(r'get_loan\(\{"loan": "L-7001"\}\): .*"due_in_days":4', mind.calls[-1].messages[1].content)
    assert talk.turns[-1] == ("agent", "It is due in 4 days, I said.")


def test_a_workspace_is_opened_with_tools_of_ones_own(library: Library, tmp_path: Path) -> None:
    with open_workspace(tmp_path / "own", tools=library.tools) as ws:
        assert ws.call("get_loan", loan="L-7001").result["book"] == "Walden"
        assert ws.call("find_loans", reader="ana").result == {"result": ["L-7001"]}
        assert ws.call("find_loans", reader=3).code == "invalid_argument"
        with pytest.raises(InvalidArgument, match="other tools"):
            open_workspace(tmp_path / "own", tools=library.tools)


def test_a_tool_needs_arguments_with_names() -> None:
    def anything(*words: str) -> str:
        return " ".join(words)

    with pytest.raises(InvalidArgument, match="by name"):
        own_tool(anything, writes=False)


def test_the_agent_is_the_one_of_the_desk(talk_with: Any) -> None:
    assert talk_with(Mind("Good morning.")).services.agents() == [AGENT]
