"""Before a conversation is cut, what matters of it is written down, once, and the next prompt begins with it."""

import asyncio
import re
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver

from mabos.configs.errors import InvalidArgument, UnknownId
from mabos.configs.settings import load_settings
from mabos.graphs.memory_flush import MemoryFlush
from mabos.memory import checkpoints
from mabos.memory.flush import SILENT
from mabos.tools.runtime.opening import open_services
from mabos.tools.runtime.services import Services
from tests import warm
from tests.graphs.talking import Talker

ROOT = Path(__file__).resolve().parent.parent.parent
WINDOW = 16_000
QUESTION = "question {} " + "dolor sit amet " * 130


class Death(BaseException):
    """What a killed process would do to a node."""


def opened(root: Path, **settings: Any) -> Services:
    for agent in ("cfo", "cto"):
        (root / "agents" / agent).mkdir(parents=True, exist_ok=True)
        (root / "agents" / agent / "Persona.md").write_text("# Persona\n")
    chosen = load_settings()
    flush = chosen.memory.flush.model_copy(update=settings)
    memory = chosen.memory.model_copy(update={"flush": flush})
    return open_services(root, settings=chosen.model_copy(update={"memory": memory}))


@pytest.fixture
def services(tmp_path: Path) -> Iterator[Services]:
    made = opened(tmp_path)
    yield made
    made.close()


def folder(services: Services, agent: str = "cfo") -> Path:
    return services.layout.agent(agent) / "memory" / "checkpoints"


def written(services: Services) -> list[str]:
    return [path.read_text("utf-8") for path in sorted(folder(services).glob("*.md"))]


def talker(services: Services, **more: Any) -> Talker:
    return Talker(files=folder(services), **more)


def agent_of(services: Services, model: Talker, saver: Any = None, window: int = WINDOW, tools: Any = ()) -> Any:
    keep = MemoryFlush(services, "cfo", model, window=window)
    return create_agent(model, list(tools), middleware=[keep], checkpointer=saver or InMemorySaver())


def on(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def talk(agent: Any, rounds: int, thread: str = "t", first: int = 0) -> Any:
    state: Any = None
    for number in range(first, first + rounds):
        state = agent.invoke({"messages": [HumanMessage(QUESTION.format(number))]}, on(thread))
    return state


def spoken(prompt: Sequence[BaseMessage]) -> list[str]:
    """Return the conversation in a prompt, without the checkpoint before it."""
    return [str(one.content) for one in prompt if "<session_checkpoint>" not in str(one.content)]


def reminders(prompt: Sequence[BaseMessage]) -> list[str]:
    return [str(one.content) for one in prompt if "<session_checkpoint>" in str(one.content)]


def cuts(model: Talker) -> list[int]:
    """Return the places of the prompts that begin later in the conversation than the one before."""
    begins = [spoken(prompt)[0] for prompt in model.prompts]
    return [place + 1 for place, (one, next_) in enumerate(pairwise(begins)) if one != next_]


def flushes(services: Services) -> list[Mapping[str, Any]]:
    """Return what the ledger says of checkpoints before cuts."""
    return [entry.body for entry in services.ledger.entries("cfo") if entry.kind == "flush"]


def test_exactly_one_checkpoint_precedes_every_cut_and_the_next_prompt_begins_with_it(services: Services) -> None:
    model = talker(services)
    talk(agent_of(services, model), 60)
    places = cuts(model)
    assert len(places) > 5
    assert 0 < len(written(services)) - len(places) <= 1, "one for each cut, and perhaps one for the cut to come"
    assert len(model.flushes) == len(written(services))
    for number, place in enumerate(places, start=1):
        # In the step of a cut the checkpoint for the next one may be due too.
        assert model.written[place - 1] == number, "one checkpoint for each cut, and it stood before the cut"
        (reminder,) = reminders(model.prompts[place])
        assert re.search(rf"Working on part ({number - 1}|{number})\n", reminder)


def test_nothing_is_cut_that_no_checkpoint_has_seen(services: Services) -> None:
    model = talker(services)
    talk(agent_of(services, model), 40)
    seen = "".join(str(prompt[0].content) for prompt in model.flushes)
    left = "".join(spoken(model.prompts[-1]))
    for number in range(40):
        assert f"question {number} " in seen + left
    sizes = [sum(len(text) for text in spoken(prompt)) // 4 for prompt in model.prompts]
    assert max(sizes) < 8_000 + 1_100


def test_the_checkpoint_is_no_part_of_the_conversation_and_stands_in_a_prompt_once(services: Services) -> None:
    model = talker(services)
    state = talk(agent_of(services, model), 40)
    assert not reminders(state["messages"])
    assert "memory_flush" not in state
    assert {len(reminders(prompt)) for prompt in model.prompts} == {0, 1}
    for prompt in model.prompts:
        if reminders(prompt):
            assert "<session_checkpoint>" in str(prompt[0].content)


def test_the_model_is_asked_with_the_conversation_the_date_and_the_checkpoint_before(services: Services) -> None:
    model = talker(services)
    talk(agent_of(services, model), 30)
    first, second = (str(prompt[0].content) for prompt in model.flushes[:2])
    assert "question 0 " in first
    assert f"memory/{services.clock():%Y-%m-%d}.md" in first
    assert SILENT in first
    assert "<checkpoint_before>" not in first
    assert "Working on part 0" in second.partition("</checkpoint_before>")[0]


def test_what_the_model_keeps_for_good_is_remembered_logged_and_consolidated(services: Services) -> None:
    model = talker(services)
    talk(agent_of(services, model), 12)
    memory = services.agent("cfo").memory
    day = (memory.directory / "memory" / f"{services.clock():%Y-%m-%d}.md").read_text("utf-8")
    assert "The audit found 0 gaps" in day
    done = memory.consolidate()
    assert any("The audit found 0 gaps" in one.content for one in done.promoted)
    assert flushes(services)[0]["remembered"] == 1
    assert "by_rule" not in flushes(services)[0]


def silent(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    return AIMessage(SILENT)


def prose(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    return AIMessage(
        "## Current Task Context\nReviewing the runway\n\n## Next Steps\n- Ask the CEO\n\n"
        "## Durable Memories\n- Burn is 60k a month\n"
    )


def broken(prompt: Sequence[BaseMessage], number: int) -> Exception:
    return TimeoutError("the endpoint is gone")


def clumsy(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": "memory_checkpoint", "args": {"decisions": "x"}, "id": "c"}])


@pytest.mark.parametrize(
    ("keep", "why"),
    [
        (silent, "the model had nothing to keep"),
        (broken, "the model failed (TimeoutError)"),
        (clumsy, "the model's checkpoint could not be used"),
    ],
)
def test_where_the_model_keeps_nothing_a_rule_does_and_says_so(services: Services, keep: Any, why: str) -> None:
    model = talker(services, keep=keep)
    talk(agent_of(services, model), 30)
    assert len(cuts(model)) > 2
    assert 0 < len(written(services)) - len(cuts(model)) <= 1
    first = checkpoints.parse(written(services)[0])
    assert first is not None
    assert first.context.startswith(f"Made by rule, without a model's judgement: {why}")
    assert "First asked: question 0 " in first.context
    last = checkpoints.parse(written(services)[-1])
    assert last is not None
    assert "Earlier: question 0 " in last.context, "what it was all about outlives every cut"
    assert flushes(services)[0]["by_rule"].startswith(why)


def test_without_a_model_a_rule_makes_the_checkpoints(services: Services) -> None:
    model = talker(services)
    keep = MemoryFlush(services, "cfo", window=WINDOW)
    talk(create_agent(model, [], middleware=[keep], checkpointer=InMemorySaver()), 15)
    assert not model.flushes
    assert "there is no model" in written(services)[0]


def test_a_model_without_tools_writes_sections_instead(services: Services) -> None:
    model = talker(services, keep=prose)
    talk(agent_of(services, model), 15)
    made = checkpoints.parse(written(services)[0])
    assert made is not None
    assert (made.context, made.next_steps) == ("Reviewing the runway", ("Ask the CEO",))
    assert [one.content for one in services.agent("cfo").memory.recent()] == ["Burn is 60k a month"]


def test_an_endpoint_that_refuses_tools_is_asked_without(services: Services) -> None:
    class NoTools(Talker):
        def _generate(self, messages: list[BaseMessage], *rest: Any, **options: Any) -> Any:
            if options.get("tools"):
                raise ValueError("this model does not support tools")
            return super()._generate(messages, *rest, **options)

    model = NoTools(files=folder(services), keep=prose)
    talk(agent_of(services, model), 15)
    assert "Reviewing the runway" in written(services)[0]


def test_an_async_agent_does_the_same(services: Services) -> None:
    model = talker(services)
    agent = agent_of(services, model)

    async def converse() -> None:
        for number in range(30):
            await agent.ainvoke({"messages": [HumanMessage(QUESTION.format(number))]}, on("t"))

    asyncio.run(converse())
    assert len(cuts(model)) > 2
    assert 0 < len(written(services)) - len(cuts(model)) <= 1
    assert reminders(model.prompts[-1])


def test_a_conversation_goes_on_in_another_process(tmp_path: Path) -> None:
    model = Talker()
    for start in (0, 15, 30):
        services = opened(tmp_path / "workspace")
        with SqliteSaver.from_conn_string(str(tmp_path / "graph.sqlite")) as saver:
            talk(agent_of(services, model, saver), 15, first=start)
        services.close()
    assert 0 < len(written(services)) - len(cuts(model)) <= 1
    assert len(reminders(model.prompts[-1])) == 1


@pytest.mark.parametrize("resumed_by", ["going on", "a new message"])
def test_a_process_that_dies_after_the_checkpoint_does_not_write_another(services: Services, resumed_by: str) -> None:
    """The node that wrote it never ended: the agent's state knows nothing of it."""
    model = talker(services)
    left = [2]

    class Dies(MemoryFlush):
        def before_model(self, state: Any, runtime: Any) -> Any:
            update = super().before_model(state, runtime)
            if written(services) and left[0]:
                left[0] -= 1
                raise Death
            return update

    keep = Dies(services, "cfo", model, window=WINDOW)
    agent: Any = create_agent(model, [], middleware=[keep], checkpointer=InMemorySaver())
    with pytest.raises(Death):
        talk(agent, 20)
    for ends in (True, False):
        message = None if resumed_by == "going on" else {"messages": [HumanMessage("still there?")]}
        with pytest.raises(Death) if ends else nullcontext():
            agent.invoke(message, on("t"))
    assert len(written(services)) == len(model.flushes) == 1
    talk(agent, 20, first=20)
    assert 0 < len(written(services)) - len(cuts(model)) <= 1


DYING = """
import os, signal, sys
from pathlib import Path
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.sqlite import SqliteSaver
from mabos.graphs.memory_flush import MemoryFlush
from tests.graphs.talking import Talker
from mabos.tools.runtime.opening import open_services

class Dies(MemoryFlush):
    name = "MemoryFlush"  # the node that the next process goes on with

    def before_model(self, state, runtime):
        update = super().before_model(state, runtime)
        if list(Path(sys.argv[1]).rglob("checkpoints/*.md")):
            os.kill(os.getpid(), signal.SIGKILL)
        return update

services = open_services(Path(sys.argv[1]))
model = Talker()
with SqliteSaver.from_conn_string(sys.argv[2]) as saver:
    agent = create_agent(model, [], middleware=[Dies(services, "cfo", model, window=16_000)], checkpointer=saver)
    for number in range(30):
        message = HumanMessage(f"question {number} " + "dolor sit amet " * 130)
        agent.invoke({"messages": [message]}, {"configurable": {"thread_id": "t"}}, durability="sync")
"""


def test_a_killed_process_leaves_one_checkpoint_and_the_next_goes_on_with_it(tmp_path: Path) -> None:
    root, base = tmp_path / "workspace", str(tmp_path / "graph.sqlite")
    opened(root).close()
    command = [*warm.python(), "-c", DYING, str(root), base]
    killed = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr.decode()
    services = opened(root)
    assert len(written(services)) == 1
    model = talker(services)
    with SqliteSaver.from_conn_string(base) as saver:
        agent = agent_of(services, model, saver)
        agent.invoke(None, on("t"))
        assert len(written(services)) == 1
        assert not model.flushes
        assert reminders(model.prompts[-1])
        talk(agent, 15, first=30)
    assert 0 < len(written(services)) - len(cuts(model)) <= 1
    services.close()


def test_a_checkpoint_of_any_length_leaves_room_in_the_prompt(services: Services) -> None:
    def endless(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
        return AIMessage("## Current Task Context\n" + "ever more " * 50_000)

    model = talker(services, keep=endless)
    talk(agent_of(services, model), 30)
    assert len(cuts(model)) > 2
    for prompt in [*model.prompts, *model.flushes]:
        assert sum(len(str(one.content)) for one in prompt) // 4 < WINDOW


def test_threads_of_one_agent_keep_their_own_checkpoints(services: Services) -> None:
    def about(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
        thread = "crimson" if "crimson" in str(prompt[0].content) else "navy"
        return AIMessage(f"## Current Task Context\nPainting {thread}")

    model = talker(services, keep=about)
    agent = agent_of(services, model)

    async def converse(thread: str) -> None:
        for number in range(20):
            text = QUESTION.format(number).replace("dolor", thread)
            await agent.ainvoke({"messages": [HumanMessage(text)]}, on(thread))

    async def both() -> None:
        await asyncio.gather(converse("crimson"), converse("navy"))

    asyncio.run(both())
    for prompt in model.prompts:
        for reminder in reminders(prompt):
            assert ("Painting crimson" in reminder) == ("crimson" in spoken(prompt)[-1])
    assert sum("Painting crimson" in text for text in written(services)) == len(written(services)) / 2


def test_a_thread_whose_history_was_lost_begins_with_its_checkpoint(services: Services) -> None:
    model = talker(services)
    talk(agent_of(services, model), 12)
    talk(agent_of(services, model), 1)
    assert f"Working on part {len(model.flushes) - 1}\n" in reminders(model.prompts[-1])[0]
    talk(agent_of(services, model), 1, thread="another")
    assert not reminders(model.prompts[-1])


@tool
def look_up(name: str) -> str:
    """Look something up."""
    return f"{name}: " + "figure " * 400


def busy(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    """Call two tools at a time, forty times, before there is an answer."""
    if number % 41 == 40:
        return AIMessage("that is all")
    calls = [{"name": "look_up", "args": {"name": f"{number}-{one}"}, "id": f"{number}-{one}"} for one in "ab"]
    return AIMessage("", tool_calls=calls)


def test_one_request_with_many_calls_is_cut_too_and_no_call_is_parted_from_its_result(services: Services) -> None:
    model = talker(services, talk=busy)
    state = agent_of(services, model, tools=[look_up]).invoke(
        {"messages": [HumanMessage("Look everything up")]}, {**on("t"), "recursion_limit": 500}
    )
    assert state["messages"][-1].content == "that is all"
    assert len(model.flushes) > 3
    assert len(written(services)) == len(model.flushes)
    for prompt in model.prompts:
        assert "Look everything up" in spoken(prompt)
        assert unpaired(prompt) == set()
    assert max(sum(len(text) for text in spoken(prompt)) // 4 for prompt in model.prompts) < WINDOW


def unpaired(prompt: Sequence[BaseMessage]) -> set[str]:
    """Return the ids of calls without a result and of results without a call."""
    called = {str(one["id"]) for message in prompt if isinstance(message, AIMessage) for one in message.tool_calls}
    return called ^ {message.tool_call_id for message in prompt if isinstance(message, ToolMessage)}


def brief(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
    return AIMessage(f"ok {number}")


@pytest.mark.parametrize("window", [200, 1_000, 4_000, 12_000])
def test_a_tiny_window_is_shared_and_not_flushed_all_the_time(services: Services, window: int) -> None:
    model = talker(services, talk=brief)
    agent = agent_of(services, model, window=window)
    for number in range(60):
        agent.invoke({"messages": [HumanMessage(f"short {number}")]}, on("t"))
    assert len(model.flushes) < 60
    assert 0 <= len(written(services)) - len(cuts(model)) <= 1


def test_one_huge_message_is_kept_until_it_is_answered_and_checkpointed(services: Services) -> None:
    model = talker(services)
    agent = agent_of(services, model)
    huge = "HUGE " + "価格は据え置きと決めた。" * 4_000
    agent.invoke({"messages": [HumanMessage(huge)]}, on("t"))
    assert not model.flushes, "there was nothing that could have been cut"
    talk(agent, 2)
    assert len(model.flushes) == len(written(services)) == 1
    asked = str(model.flushes[0][0].content)
    assert "HUGE" in asked
    assert "characters left out" in asked
    assert len(asked.encode()) // 4 < WINDOW
    assert "HUGE" not in "".join(spoken(model.prompts[-1]))


def test_a_leap_over_both_limits_at_once_is_flushed_and_cut_in_one_step(services: Services) -> None:
    model = talker(services)
    agent = agent_of(services, model)
    talk(agent, 1)
    agent.invoke({"messages": [HumanMessage("leap " * 9_000)]}, on("t"))
    assert len(written(services)) == 1
    assert [text[:5] for text in spoken(model.prompts[-1])] == ["leap "]
    assert reminders(model.prompts[-1])


def test_what_a_provider_counted_is_believed_until_the_cut(services: Services) -> None:
    def counted(prompt: Sequence[BaseMessage], number: int) -> AIMessage:
        count = 3_000 + 500 * len(prompt)
        return AIMessage("ok", usage_metadata={"input_tokens": count, "output_tokens": 1, "total_tokens": count + 1})

    model = talker(services, talk=counted)
    agent = agent_of(services, model)
    for number in range(20):
        agent.invoke({"messages": [HumanMessage(f"short {number}")]}, on("t"))
    assert len(cuts(model)) > 1
    assert 0 <= len(written(services)) - len(cuts(model)) <= 1


def test_a_cut_by_another_middleware_is_preceded_by_a_checkpoint_too(services: Services) -> None:
    model = talker(services)
    shorten = SummarizationMiddleware(model, trigger=("tokens", 6_000), keep=("messages", 4))
    both: list[Any] = [MemoryFlush(services, "cfo", model, window=WINDOW), shorten]
    agent = create_agent(model, [], middleware=both, checkpointer=InMemorySaver())
    talk(agent, 40)
    summaries = [prompt for prompt in model.prompts if "Context Extraction" in str(prompt[0].content)]
    assert len(summaries) > 3
    assert len(written(services)) == len(summaries)


def test_switched_off_it_writes_nothing_and_cuts_nothing(tmp_path: Path) -> None:
    services = opened(tmp_path, enabled=False)
    model = talker(services)
    state = talk(agent_of(services, model), 30)
    assert len(state["messages"]) == 60
    assert not model.flushes
    assert not written(services)
    services.close()


def test_the_prompt_of_the_settings_is_asked(tmp_path: Path) -> None:
    services = opened(tmp_path, prompt="Merkzettel {date} {time} {other}, sonst {silent}")
    model = talker(services)
    talk(agent_of(services, model), 12)
    assert f"Merkzettel {services.clock():%Y-%m-%d}" in str(model.flushes[0][0].content)
    assert f"{{other}}, sonst {SILENT}" in str(model.flushes[0][0].content)
    services.close()


def test_a_checkpoint_edited_or_removed_by_a_person_is_what_the_next_prompt_says(services: Services) -> None:
    model = talker(services)
    agent = agent_of(services, model)
    talk(agent, 9)
    for path in folder(services).glob("*.md"):
        path.write_text("# Session Checkpoint\n\nStop: the audit is over {text}.\n", "utf-8")
    talk(agent, 1, first=9)
    assert "the audit is over {text}." in reminders(model.prompts[-1])[0]
    for path in folder(services).glob("*.md"):
        path.unlink()
    talk(agent, 1, first=10)
    assert not reminders(model.prompts[-1])


def test_a_checkpoint_that_cannot_be_written_keeps_the_conversation_whole(services: Services) -> None:
    model = talker(services)
    saver = InMemorySaver()
    agent = agent_of(services, model, saver)
    folder(services).parent.mkdir(parents=True)
    folder(services).write_text("no folder")
    with pytest.raises(OSError, match="checkpoints"):
        talk(agent, 30)
    state = agent.get_state(on("t")).values
    assert "question 0 " in str(state["messages"][0].content)


def test_answers_for_the_checkpoint_are_not_streamed_to_listeners(services: Services) -> None:
    model = talker(services, keep=prose)
    agent = agent_of(services, model)
    told = ""
    for number in range(15):
        message = {"messages": [HumanMessage(QUESTION.format(number))]}
        for part, _ in agent.stream(message, on("t"), stream_mode="messages"):
            told += str(part.content)
    assert model.flushes
    assert "Reviewing the runway" not in told


def test_the_window_comes_from_the_model_or_must_be_given(services: Services) -> None:
    with pytest.raises(InvalidArgument, match="window="):
        MemoryFlush(services, "cfo", Talker())
    MemoryFlush(services, "cfo", Talker(profile={"max_input_tokens": 32_000}))
    with pytest.raises(UnknownId):
        MemoryFlush(services, "nobody", Talker(), window=WINDOW)
