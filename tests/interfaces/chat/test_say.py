"""Talking to an agent from Python: one turn, its events, its reply and the records behind it."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Timer
from typing import Any

import pytest

from mabos import AgentHandle, ApprovalEvent, ChatReply, PhaseEvent, TextEvent, ToolEvent
from mabos.backends.chat import ScriptedCall, ToolUse
from mabos.configs.errors import InvalidArgument
from mabos.interfaces.chat.events import approval_of
from mabos.knowledge.reasoning.questions.answers import reply_to
from mabos.knowledge.reasoning.questions.examples import QUESTIONS
from tests.nodes.work.working import Working, campaign
from tests.world import World

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
DEAR = "Start a search campaign named 'Spring' for everybody: 900 dollars a week for 8 weeks."
REPORT = "The campaign 'Spring' is recorded on search: $90 a week for 3 weeks, $270 in total."


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with World(tmp_path / "workspace") as made:
        yield made


def handle(world: World, agent_id: str = "cmo") -> AgentHandle:
    world.agent(agent_id).want_nothing()
    return AgentHandle(world.services.agent(agent_id))


def test_an_order_is_done_and_the_reply_names_its_record(world: World) -> None:
    reply = handle(world).say(ORDER)
    (made,) = world.business.campaigns.all()
    assert reply.ok
    assert made.id in reply.text
    assert {f"campaigns/{made.id}"} == {str(one["record"]) for one in reply.claims}
    assert [(one.tool, one.status, one.ref) for one in reply.did] == [("ad_campaign_create", "done", made.id)]
    assert reply.waits == ()
    (message,) = [one for one in world.agent("cmo").messages("stakeholder") if one.content == ORDER]
    assert reply.message_id == message.id
    (answer,) = [one for one in world.services.inbox("stakeholder").messages() if one.id in reply.reply_ids]
    assert (answer.reply_to, answer.content) == (message.id, reply.text)


def test_an_order_that_a_colleague_passed_on_is_no_proposal_of_its_own(world: World) -> None:
    handle(world, "cfo").say(DEAR)
    reply = handle(world).say("Good morning")
    assert [(one.tool, one.is_own) for one in reply.waits] == [("ad_campaign_create", False)]
    assert not any(one.is_own for one in reply.did)


def test_a_problem_is_solved_and_its_statements_bind_nobody(world: World) -> None:
    agent = handle(world, "cfo")
    for question in QUESTIONS.values():
        solved = reply_to(question)
        assert solved is not None
        assert agent.say(question).text.startswith(solved.answer)
    assert (world.business.instructions.all(), world.agent("cfo").mind.goals) == ((), ())


ASKED = {
    "What is our cash?": "310000",
    "What does the lease say about notice?": "six months before",
    "What is the total of fees?": "Rowan,800",
    "Remind me on Friday to call the bank.": "call the bank",
    "From now on never spend more than 500 dollars on one campaign.": "500 dollars",
    "What did I ask you?": "call the bank",
}
"""What is said, and what the records behind the reply hold."""


def test_every_source_of_a_reply_opens_and_a_reply_leads_to_its_sources(world: World) -> None:
    inbox = world.root / "businesses" / "acme" / "inbox"
    (inbox / "metrics.csv").write_text("month,cash,burn\n2025-12,352000,60000\n2026-01,310000,61000\n", "utf-8")
    (inbox / "lease.md").write_text("# Lease\n\nNotice is due six months before the end.\n", "utf-8")
    (inbox / "fees.csv").write_text("customer,fee\nBell,1200\nRowan,800\n", "utf-8")
    cfo = handle(world, "cfo")
    for text, held in ASKED.items():
        reply = cfo.say(text)
        opened = [world.why(str(one["record"])).as_json() for one in reply.claims]
        assert any(held in str(one) for one in opened), text
        assert held in str(world.why(reply.reply_ids[0]).as_json()), text
        assert world.why(reply.message_id).because == (), "no reply is a reason for the message that it answers"


def test_a_turn_is_streamed_in_the_order_in_which_it_happens(world: World) -> None:
    events = list(handle(world).stream(ORDER))
    assert isinstance(events[-1], ChatReply)
    assert [type(one) for one in events].count(ChatReply) == 1
    phases = [one.phase for one in events if isinstance(one, PhaseEvent)]
    assert (phases[0], phases[-1]) == ("perceive", "learn")
    call = next(number for number, one in enumerate(events) if isinstance(one, ToolEvent))
    act = next(number for number, one in enumerate(events) if isinstance(one, PhaseEvent) and one.phase == "act")
    assert call < act, "a call is told before its phase is over"
    assert all(json.loads(json.dumps(one.as_json()))["kind"] == one.kind for one in events)


def test_what_needs_approval_is_an_event_that_an_answer_of_its_version_settles(world: World) -> None:
    cmo = handle(world)
    (asked,) = [one for one in cmo.stream(DEAR) if isinstance(one, ApprovalEvent)]
    assert (asked.tool, asked.arguments["weekly_budget_usd"], asked.cost_usd) == ("ad_campaign_create", 900, 7200)
    assert world.business.campaigns.all() == ()
    world.answer("approve", asked.decision_id, version=asked.version)
    report = cmo.run()
    (made,) = world.business.campaigns.all()
    assert made.id in report.reply


def test_a_letter_that_waits_shows_all_its_readers_and_its_whole_text(world: World) -> None:
    for name in ("ada", "bo"):
        world.do("crm_create_contact", email=f"{name}@example.com", name=name.title(), tags=["wholesale"])
    world.do("stakeholder_profile", decision_style="hands-on")
    text = "From the first of May we deliver on Tuesdays.\n\nYours, Acme"
    world.agent("cmo").ask("email_send", list="wholesale", subject="New days", text=text)
    (decision,) = world.questions()
    letter = approval_of(world.services, decision).letter
    assert letter is not None
    assert (letter.recipients, letter.subject) == (("ada@example.com", "bo@example.com"), "New days")
    assert letter.text.startswith(text)


def test_the_text_of_a_model_is_streamed_as_a_draft_and_only_the_checked_reply_is_the_answer(tmp_path: Path) -> None:
    false = f"{REPORT} It has brought 400 customers."
    with World(tmp_path / "workspace", model=Working(campaign(), false, REPORT)) as world:
        events = list(handle(world).stream(ORDER))
    drafts = "".join(one.text for one in events if isinstance(one, TextEvent))
    assert "400 customers" in drafts
    assert events[-1].as_json()["text"] == REPORT
    assert [one.tool for one in events if isinstance(one, ToolEvent)] == ["ad_campaign_create"]


def test_whoever_stops_listening_ends_the_turn_and_the_message_is_answered_later(tmp_path: Path) -> None:
    gate = Event()

    def slow(_: ScriptedCall) -> ToolUse:
        gate.wait(30)
        return campaign()

    with World(tmp_path / "workspace", model=Working(slow, REPORT)) as world:
        cmo = handle(world)
        stream = cmo.stream(ORDER)
        assert isinstance(next(stream), PhaseEvent)
        Timer(0.2, gate.set).start()  # the model answers when nobody listens any more
        stream.close()  # type: ignore[attr-defined]  # a generator
        (said,) = world.agent("cmo").messages("stakeholder")
        assert (said.read, world.services.inbox("stakeholder").messages()) == (False, ())
        assert cmo.run().reply == REPORT
        assert [one.reply_to for one in world.services.inbox("stakeholder").messages()] == [said.id]


def test_async_callers_get_the_same_events_while_their_loop_goes_on(world: World) -> None:
    cmo, beats = handle(world), list[int]()

    async def beat() -> None:
        while True:
            beats.append(1)
            await asyncio.sleep(0.001)

    async def talk() -> tuple[list[Any], ChatReply]:
        beating = asyncio.create_task(beat())
        kinds = [event.kind async for event in cmo.astream(ORDER)]
        reply = await cmo.asay("What exactly is booked now?")
        beating.cancel()
        return kinds, reply

    kinds, reply = asyncio.run(talk())
    assert (kinds[-1], kinds.count("tool")) == ("reply", 1)
    assert "Spring" in reply.text
    assert len(beats) > 3


def test_an_empty_text_is_refused_before_anything_happens(world: World) -> None:
    with pytest.raises(InvalidArgument, match="the message is empty"):
        handle(world).say("  ")
    with pytest.raises(InvalidArgument, match="the message is empty"):
        list(handle(world).stream(""))
    assert world.agent("cmo").messages("stakeholder") == []


def test_the_conversation_is_on_record_and_found_by_its_words(world: World) -> None:
    cmo = handle(world)
    cmo.say(ORDER)
    cmo.say("What is our runway?")
    lines = cmo.history()
    assert [one.is_mine for one in lines] == [True, False, True, False]
    assert [one.text for one in cmo.history(search="spring search")] == [lines[0].text, lines[1].text]
    world.restart()
    assert [one.id for one in handle(world).history()] == [one.id for one in lines]


def test_the_report_of_a_cycle_and_its_state_have_the_reply(world: World) -> None:
    told: list[dict[str, object]] = []
    report = handle(world).run(ORDER, on_event=lambda event: told.append(dict(event)))
    assert (told[-1]["status"], told[-1]["reply"]) == ("replied", report.reply)
    assert report.as_json()["claims"]
