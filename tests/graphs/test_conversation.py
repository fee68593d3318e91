"""A conversation of any shape is cut without parting what belongs together, and never past what a checkpoint knows."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

from mabos.graphs.conversation import (
    Rest,
    Session,
    estimated_tokens,
    list_turns,
    rest,
    shorten_text,
    tokens,
    transcript,
)
from mabos.memory.checkpoints import digest
from mabos.memory.flush import ChatTurn, TokenLimits


def human(id: str, text: str = "ask") -> HumanMessage:  # noqa: A002  # the message's own word
    return HumanMessage(text, id=id)


def calls(id: str, *names: str, text: str = "") -> list[AnyMessage]:  # noqa: A002  # the message's own word
    made = AIMessage(text, id=id, tool_calls=[{"name": "f", "args": {}, "id": f"{id}{name}"} for name in names])
    return [made, *(ToolMessage("result", id=f"r{id}{name}", tool_call_id=f"{id}{name}") for name in names)]


def ids(messages: list[AnyMessage]) -> str:
    return " ".join(str(message.id) for message in messages)


def test_the_last_request_stays_with_all_that_followed_it() -> None:
    messages: list[AnyMessage] = [human("h1"), AIMessage("a", id="a1"), human("h2"), *calls("a2", "x", "y")]
    assert ids(rest(messages, 1_000).of(messages)) == "h2 a2 ra2x ra2y"


def test_of_a_long_piece_of_work_the_request_and_the_last_calls_stay() -> None:
    messages: list[AnyMessage] = [
        human("h1"),
        AIMessage("a", id="a1"),
        human("h2"),
        *calls("a2", "x"),
        *calls("a3", "x", "y"),
    ]
    assert ids(rest(messages, 1).of(messages)) == "h2 a3 ra3x ra3y"


def test_what_is_not_there_any_more_cuts_nothing() -> None:
    messages: list[AnyMessage] = [human("h1"), human("h2")]
    assert Rest("gone").of(messages) == messages
    assert ids(Rest("h2", "gone").of(messages)) == "h2"


def test_letters_beyond_ascii_count_for_what_they_are() -> None:
    english, chinese = "price " * 100, "\u4ef7\u683c" * 100
    assert 150 <= estimated_tokens([human("h", english)]) <= 170
    assert 150 <= estimated_tokens([human("h", chinese)]) <= 170
    assert estimated_tokens([human("h", "\ud83d")]) > 0


def test_what_a_provider_counted_is_believed_for_what_it_saw_and_not_across_a_cut() -> None:
    counted = {"input_tokens": 900, "output_tokens": 100, "total_tokens": 1_000}
    messages: list[AnyMessage] = [human("h1"), AIMessage("a", id="a1", usage_metadata=counted), human("h2")]
    assert tokens(messages) == 1_000 + estimated_tokens(messages[2:])
    assert tokens(messages, after="h1") == tokens(messages)
    assert tokens(messages, after="a1") == tokens(messages, after="h2") == estimated_tokens(messages)


def test_a_transcript_names_who_said_what_with_calls_and_results() -> None:
    messages: list[AnyMessage] = [SystemMessage("be brief"), human("h1", "find it"), *calls("a1", "x", text="looking")]
    text = transcript(messages)
    assert "Human: find it" in text
    assert "Tool: result" in text
    assert "looking" in text
    assert list_turns(messages) == [
        ChatTurn("person", "find it"),
        ChatTurn("agent", "looking"),
        ChatTurn("tool", "result"),
    ]


@given(st.text(), st.integers(0, 50))
def test_a_shortened_text_keeps_its_ends(text: str, most: int) -> None:
    short = shorten_text(text, most)
    if short != text:
        begin, _, end = short.partition("\n\n[... ")
        assert text.startswith(begin)
        assert text.endswith(end.partition(" left out ...]\n\n")[2])
        assert len((begin + end.partition("]\n\n")[2]).encode("utf-8", "replace")) <= 4 * most + 8 * len(text)


TURN = st.tuples(st.sampled_from(["talk", "work"]), st.integers(0, 60), st.integers(0, 6), st.integers(1, 3))
LIMITS = TokenLimits(100, 160)


@settings(max_examples=50, deadline=None)
@given(st.lists(TURN, min_size=1, max_size=25))
def test_whatever_is_said_every_cut_has_one_checkpoint_that_knows_all_that_goes(
    turns: list[tuple[str, int, int, int]],
) -> None:
    messages: list[AnyMessage] = []
    record: dict[str, object] = {}
    known: set[str] = set()
    flushes = cuts = 0
    for number, (kind, words, rounds, width) in enumerate(turns):
        messages = [*messages, human(f"h{number}", "word " * words)]
        for step in range(rounds if kind == "work" else 1):
            session = Session.of("t", messages, record)
            while True:
                if session.is_due(LIMITS):
                    known |= {str(message.id) for message in session.messages}
                    session.record_flush(f"{flushes}.md", session.mark, LIMITS)
                    flushes += 1
                before = {str(message.id) for message in session.messages}
                if not session.cut(LIMITS):
                    break
                cuts += 1
                assert flushes == cuts, "each cut has its own checkpoint"
                left = {str(message.id) for message in session.messages}
                assert before - left, "a cut cuts something"
                assert before - left <= known, "nothing goes that no checkpoint knows"
            assert ids(session.messages[-1:]) == ids(messages[-1:]), "what is to be answered stays"
            assert f"h{number}" in ids(session.messages)
            assert paired(session.messages)
            assert session.cuts == cuts
            messages, record = session.messages, session.record()
            if kind == "work":
                messages = [*messages, *calls(f"a{number}-{step}", *"xyz"[:width], text="word " * words)]
        if kind == "talk":
            messages = [*messages, AIMessage("word " * words, id=f"a{number}")]
    assert flushes - cuts in (0, 1)


def paired(messages: list[AnyMessage]) -> bool:
    """Return whether every result follows its call, and every call has all its results."""
    open_: set[str] = set()
    for message in messages:
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in open_:
                return False
            open_.remove(message.tool_call_id)
        elif open_:
            return False
        elif isinstance(message, AIMessage):
            open_ = {str(one["id"]) for one in message.tool_calls}
    return not open_


@pytest.mark.parametrize("by", ["a summary instead of the beginning", "the middle taken out"])
def test_a_cut_by_others_begins_a_new_part(by: str) -> None:
    messages: list[AnyMessage] = [
        human("h1"),
        AIMessage("word " * 200, id="a1"),
        human("h2"),
        AIMessage("a", id="a2"),
        human("h3"),
    ]
    session = Session.of("t", messages, {})
    assert session.is_due(LIMITS)
    session.record_flush("one.md", session.mark, LIMITS)
    assert not session.is_due(LIMITS)
    assert not Session.of("t", messages, session.record()).is_due(LIMITS), "nobody has cut anything"
    long = AIMessage("word " * 200, id="a4")
    left: list[AnyMessage] = (
        [human("summary"), human("h3"), long, human("h4")] if "summary" in by else [messages[0], long, human("h4")]
    )
    assert Session.of("t", left, session.record()).is_due(LIMITS)


def test_a_checkpoint_written_before_a_process_died_is_known_again_by_thread_part_and_message() -> None:
    messages: list[AnyMessage] = [human("h1"), AIMessage("word " * 200, id="a1"), human("h2")]
    mark = Session.of("t", messages, {}).mark
    later: list[AnyMessage] = [*messages, human("h3")]
    assert Session.of("t", later, {}).knows(mark)
    assert not Session.of("t", later, {"cuts": 1}).knows(mark), "it was cut since"
    assert not Session.of("other", later, {}).knows(mark)
    assert not Session.of("t", [*messages[:2], human("h3")], {}).knows(mark), "its last message is not there"
    session = Session.of("t", later, {})
    session.record_flush("one.md", mark, LIMITS)
    assert session.start == "h2"
    assert mark.message == digest("h2")
