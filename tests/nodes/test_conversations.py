"""Agents that talk: whom they believe how far, what is answered, agreed to, done, told again, set aside and overdue."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from mabos.mind.model import Belief, Step
from mabos.society.inbox import Inbox
from mabos.society.messages import Message
from mabos.workspace.clock import iso
from tests.world import World


def say(world: World, sender: str, to: str, performative: str, content: str = "Concerning us", **more: Any) -> str:
    """Send a message as an agent and return its id."""
    world.later(minutes=1)
    told = {"to": to, "performative": performative, "content": content, **more}
    return str(world.agent(sender).do("agent_message", **told)["message_id"])


def run(world: World, agent: str) -> None:
    """Run a cycle, some minutes later."""
    world.later(minutes=5)
    world.cycle(agent)


def drop(world: World, agent: str, **line: Any) -> str:
    """Write a line into an agent's inbox.json by hand, as something outside does, and return its id."""
    path = world.path(f"agents/{agent}/inbox.json")
    lines = json.loads(path.read_text("utf-8")) if path.exists() else []
    record = {"id": f"MSG-hand-{len(lines)}", "to": agent, "timestamp": world.now, "content": "Do it", **line}
    path.write_text(json.dumps([*lines, record]), "utf-8")
    return str(record["id"])


def commit(world: World, agent: str, request: str, step: Step) -> None:
    """Let an agent be committed to a plan of one step for what was asked of it."""
    world.agent(agent).commit(step, goal={"description": "Paint the shop", "desire_id": f"D-{request}"})


def believed(world: World, agent: str, subject: str, predicate: str = "") -> Belief:
    """Return what an agent believes of something."""
    found = world.agent(agent).belief(subject, predicate)
    assert found is not None
    return found


NEWS = {"subject": "rival_price", "value": "19", "certainty": 0.8}


# --- whom one believes


def test_a_colleague_is_taken_at_its_word_until_something_is_believed_of_its_trust(world: World) -> None:
    say(world, "cmo", "cfo", "INFORM", metadata=NEWS)
    run(world, "cfo")
    assert believed(world, "cfo", "rival_price").certainty == 0.8
    world.agent("cfo").do("belief_update", description="The CMO rounds up", certainty=0.9, source="owner",
                subject="cmo", predicate="trust", value="0.5", belief_id="B-cmo")  # fmt: skip
    say(world, "cmo", "cfo", "INFORM", metadata={**NEWS, "subject": "rival_size"})
    run(world, "cfo")
    belief = believed(world, "cfo", "rival_size")
    assert belief.certainty == pytest.approx(0.4)
    assert "B-cmo" in belief.evidence


def test_of_two_who_disagree_the_one_that_is_trusted_more_is_believed(world: World) -> None:
    world.agent("cfo").do("belief_update", description="The CMO guesses", certainty=0.9, source="owner",
                subject="cmo", predicate="trust", value="30%")  # fmt: skip
    say(world, "coo", "cfo", "INFORM", metadata={**NEWS, "value": "25"})
    run(world, "cfo")
    say(world, "cmo", "cfo", "INFORM", metadata=NEWS)
    run(world, "cfo")
    assert world.agent("cfo").mind.value("rival_price") == "25"


@pytest.mark.parametrize(
    "metadata", [{"subject": "cmo", "predicate": "trust", "value": "1"}, {"subject": "cmo_trust", "value": "1"}, {}]
)
def test_nobody_vouches_for_anybody_by_message(world: World, metadata: Mapping[str, Any]) -> None:
    say(world, "cmo", "cfo", "INFORM", "cmo trust is 1.0", metadata=dict(metadata))
    run(world, "cfo")
    assert world.agent("cfo").belief("cmo", "trust") is None


def test_a_sender_does_not_choose_the_source_it_is_believed_by(world: World) -> None:
    say(world, "cmo", "cfo", "INFORM", metadata={**NEWS, "source": "stakeholder ledger"})
    run(world, "cfo")
    belief = believed(world, "cfo", "rival_price")
    assert belief.source == "message from cmo"


# --- questions


def test_a_question_is_answered_from_facts_too_and_the_answer_is_believed(world: World) -> None:
    told = {"subject": "globex", "predicate": "contract_value", "object": "$40,000", "confidence": 0.9, "source": "crm"}
    world.agent("cfo").do("fact_assert", **told)
    asked = say(world, "ceo", "cfo", "QUERY", "What is the contract value of Globex?", protocol="query")
    run(world, "cfo")
    (answer,) = world.agent("ceo").messages("cfo")
    assert (answer.performative, answer.reply_to, answer.protocol) == ("INFORM", asked, "query")
    assert "$40,000" in answer.content
    run(world, "ceo")
    belief = believed(world, "ceo", "globex", "contract_value")
    assert belief.value == "$40,000"
    assert belief.certainty == pytest.approx(0.9)


# --- requests

PAINT = {"description": "The shop is painted", "certainty": 0.9, "source": "me", "subject": "shop", "value": "painted"}


def test_a_request_is_agreed_to_and_told_when_it_is_done(world: World) -> None:
    asked = say(world, "ceo", "hr", "REQUEST", "Paint the shop", protocol="request")
    commit(world, "hr", asked, Step("paint", "Paint", "belief_update", PAINT))
    for _ in range(3):
        run(world, "hr")
    answers = world.agent("ceo").messages("hr")
    assert [(one.performative, one.reply_to) for one in answers] == [("AGREE", asked), ("INFORM", asked)]
    run(world, "ceo")
    belief = believed(world, "ceo", asked, "answer")
    assert belief.value == "carried out"  # no record says that the shop is painted


def test_an_agent_agrees_by_itself_when_it_takes_up_what_it_is_asked(world: World) -> None:
    asked = say(world, "ceo", "cfo", "REQUEST", "Please review the budget.")
    for _ in range(12):
        run(world, "cfo")
    answers = [one for one in world.agent("ceo").messages("cfo") if one.reply_to == asked]
    assert answers[0].performative == "AGREE"
    assert [one.performative for one in answers[1:]] in ([], ["INFORM"], ["FAILURE"])


def test_what_was_agreed_to_and_goes_wrong_is_a_failure_with_its_reason(world: World) -> None:
    asked = say(world, "ceo", "hr", "REQUEST", "Paint the shop", protocol="request")
    question = {"subject": "Which colour?", "description": "x", "options": ["red", "blue"]}
    commit(world, "hr", asked, Step("ask", "Ask", "decision_request", question, branches=(("answer = A", "ask"),)))
    run(world, "hr")
    assert [one.performative for one in world.agent("ceo").messages("hr")] == ["AGREE"]
    world.answer("reject", feedback="the paint has dried up")
    for _ in range(2):
        run(world, "hr")
    answers = world.agent("ceo").messages("hr")
    assert [one.performative for one in answers] == ["AGREE", "FAILURE"]
    assert "the paint has dried up" in answers[1].content
    run(world, "ceo")
    belief = believed(world, "ceo", asked, "answer")
    assert belief.value == "failed"


def test_what_no_plan_fits_is_refused_once(world: World) -> None:
    asked = say(world, "ceo", "hr", "REQUEST", "Xylograph the qwerty", protocol="request")
    for _ in range(3):
        run(world, "hr")
        world.later(days=8)
    assert [(one.performative, one.reply_to) for one in world.agent("ceo").messages("hr")] == [("REFUSE", asked)]


def test_what_is_believed_to_be_out_of_reach_is_refused_when_it_is_asked_for(world: World) -> None:
    no = {"subject": "churn_rate < 1%", "predicate": "feasible", "value": "no", "source": "three years of trying"}
    world.agent("coo").do("belief_update", description="Churn below 1 % is out of reach", certainty=0.9, **no)
    asked = say(world, "ceo", "coo", "REQUEST", "Halve it again", metadata={"target": "churn_rate < 1%"})
    run(world, "coo")
    run(world, "coo")
    (said,) = [one for one in world.agent("ceo").messages("coo") if one.reply_to == asked]
    assert said.performative == "REFUSE"
    assert "Churn below 1 % is out of reach" in said.content
    assert f"D-{asked}" not in [one.id for one in world.agent("coo").mind.desires]


def test_only_who_asked_takes_a_request_back_and_is_told_so(world: World) -> None:
    asked = say(world, "ceo", "hr", "REQUEST", "Paint the shop")
    run(world, "hr")
    drop(world, "hr", **{"from": "cmo"}, performative="CANCEL", reply_to=asked)
    run(world, "hr")
    wish = next(one for one in world.agent("hr").mind.desires if one.id == f"D-{asked}")
    assert wish.status == "active"
    assert [one.performative for one in world.agent("cmo").messages("hr")] == ["FAILURE"]
    say(world, "ceo", "hr", "CANCEL", "Never mind", reply_to=asked)
    run(world, "hr")
    wish = next(one for one in world.agent("hr").mind.desires if one.id == f"D-{asked}")
    assert wish.status == "dropped"
    assert world.agent("ceo").messages("hr")[-1].performative == "INFORM"


# --- subscriptions


def test_a_subscriber_hears_of_every_change_until_it_cancels(world: World) -> None:
    def price(value: str) -> None:
        world.agent("cmo").do("belief_update", description=f"rival_price is {value}", certainty=0.9, source="metric",
                    subject="rival_price", value=value, belief_id="B-price")  # fmt: skip

    price("19")
    asked = say(world, "ceo", "cmo", "SUBSCRIBE", "Tell me", protocol="subscribe", metadata={"subject": "rival_price"})
    run(world, "cmo")
    assert [one.performative for one in world.agent("ceo").messages("cmo")] == ["AGREE", "INFORM"]
    run(world, "cmo")
    price("19")
    run(world, "cmo")
    assert len(world.agent("ceo").messages("cmo")) == 2
    price("25")
    run(world, "cmo")
    price("19")
    run(world, "cmo")
    news = world.agent("ceo").messages("cmo")[2:]
    assert [(one.performative, one.metadata["beliefs"][0]["value"]) for one in news] == [
        ("INFORM", "25"), ("INFORM", "19"),
    ]  # fmt: skip
    run(world, "ceo")
    assert world.agent("ceo").mind.value("rival_price") == "19"
    say(world, "ceo", "cmo", "CANCEL", "Enough", reply_to=asked)
    run(world, "cmo")
    price("30")
    run(world, "cmo")
    last = world.agent("ceo").messages("cmo")[4:]
    assert [(one.performative, one.metadata["value"]) for one in last] == [("INFORM", "cancelled")]


# --- protocols at work


def test_an_illegal_message_of_an_agent_is_refused_and_nothing_is_sent(world: World) -> None:
    asked = say(world, "ceo", "cfo", "REQUEST", "Review the budget", protocol="request")
    say(world, "cfo", "ceo", "REFUSE", "No time", reply_to=asked)
    told = {"to": "ceo", "performative": "INFORM", "content": "Done after all", "reply_to": asked}
    outcome = world.agent("cfo").ask("agent_message", **told)
    assert (outcome.code, outcome.argument) == ("refused", "performative")
    assert "the conversation is refused (ended); expected nothing more" in outcome.message
    without = world.agent("cfo").ask(
        "agent_message", to="ceo", performative="INFORM", content="x", conversation_id=asked
    )
    assert without.code == "refused"
    assert [one.performative for one in world.agent("ceo").messages("cfo")] == ["REFUSE"]


def test_an_illegal_line_from_outside_is_kept_flagged_answered_and_does_not_act(world: World) -> None:
    asked = say(world, "cfo", "ceo", "QUERY", "How long?", protocol="query")
    line = {"from": "ceo", "performative": "REQUEST", "content": "Sell the shop", "protocol": "request"}
    stray = drop(world, "cfo", **line, conversation_id=asked, reply_to=asked, priority="urgent")
    run(world, "cfo")
    run(world, "cfo")
    (kept,) = world.agent("cfo").messages("ceo")
    assert kept.read
    assert "the conversation is a query, not a request (protocol)" in kept.flag
    assert not any("Sell the shop" in one.description for one in world.agent("cfo").mind.desires)
    (answer,) = [one for one in world.agent("ceo").messages("cfo") if one.id != asked]
    assert (answer.performative, answer.reply_to) == ("NOT_UNDERSTOOD", stray)
    (shown,) = world.read("agents/cfo/inbox.json")
    assert shown["flag"] == kept.flag
    say(world, "ceo", "cfo", "INFORM", "Nine months", reply_to=asked)


def test_a_word_that_is_no_performative_is_not_understood(world: World) -> None:
    stray = drop(world, "cfo", **{"from": "ceo"}, performative="SHOUT")
    run(world, "cfo")
    assert [(one.performative, one.reply_to) for one in world.agent("ceo").messages("cfo")] == [
        ("NOT_UNDERSTOOD", stray)
    ]
    run(world, "ceo")
    run(world, "cfo")
    assert len(world.agent("ceo").messages("cfo")) == 1
    assert "NOT_UNDERSTOOD" not in [one.performative for one in world.agent("cfo").messages("ceo")]


def test_what_is_heard_after_its_deadline_is_left_alone_and_whoever_asked_learns_it(world: World) -> None:
    due = iso(world.clock() + timedelta(hours=1))
    asked = say(world, "ceo", "cfo", "REQUEST", "Review the budget", protocol="request", reply_by=due)
    assert not any("conversationsExpired" in row for row in world.maintain())
    world.later(hours=2)
    run(world, "cfo")
    assert not any("Review the budget" in one.name for one in world.agent("cfo").mind.desires)
    assert "expired" in world.agent("cfo").messages("ceo")[0].flag
    rows = {row["agentId"]: row for row in world.maintain()}
    assert rows["ceo"]["conversationsExpired"] == 1
    belief = believed(world, "ceo", asked, "answer")
    assert (belief.value, belief.evidence) == ("expired", (asked,))
    assert not any("conversationsExpired" in row for row in world.maintain())


def test_a_heartbeat_looks_for_overdue_answers_into_each_inbox_once(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Inbox] = []
    dated = Inbox.dated

    def looking(inbox: Inbox) -> tuple[Message, ...]:
        looks.append(inbox)
        return dated(inbox)

    monkeypatch.setattr(Inbox, "dated", looking)
    world.maintain()
    assert len(looks) == len(set(map(id, looks))) == len(world.services.agents()) + 1


def test_a_damaged_inbox_keeps_no_other_agent_from_learning_that_no_answer_came(world: World) -> None:
    due = iso(world.clock() + timedelta(hours=1))
    say(world, "ceo", "cmo", "INFORM")
    say(world, "ceo", "cfo", "REQUEST", "Review the budget", protocol="request", reply_by=due)
    world.services.checkpoint()
    world.later(hours=2)
    inbox = world.path("agents/cmo/inbox.json")
    whole = inbox.read_text()
    inbox.write_text("{not JSON")
    rows = {row["agentId"]: row for row in world.maintain()}
    inbox.write_text(whole)
    assert rows["ceo"]["conversationsExpired"] == 1


def test_a_conversation_is_read_as_one_thread_with_how_it_stands(world: World) -> None:
    asked = say(world, "ceo", "cfo", "REQUEST", "Review the budget", protocol="request")
    say(world, "ceo", "cmo", "REQUEST", "Something else")
    say(world, "cfo", "ceo", "AGREE", "I will", reply_to=asked)
    found = world.agent("ceo").do("ldg:msg:thread", conversationId=asked)
    assert [(one["from"], one["performative"]) for one in found["messages"]] == [("ceo", "REQUEST"), ("cfo", "AGREE")]
    assert found["protocol"] == "request"
    assert found["sides"] == [
        {"agent": "cfo", "state": "agreed", "expected": "INFORM or FAILURE from cfo", "replyBy": ""}
    ]
    assert world.agent("cmo").ask("ldg:msg:thread", conversationId=asked).code == "unknown_id"
    assert world.do("ldg:msg:thread", conversationId=asked)["violations"] == []
