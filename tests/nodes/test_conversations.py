"""Agents that talk: whom they believe how far, what is answered, agreed to, done, told again, set aside and overdue."""

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from mabos.graphs import wiring
from mabos.mind.model import Belief, Goal, Intention, Plan, Step
from mabos.society.inbox import Inbox
from mabos.society.messages import Message
from mabos.tools.gate.call import Outcome, call
from mabos.tools.runtime.agent import PERSON, Caller
from mabos.tools.runtime.services import Services
from mabos.workspace.clock import SteppedClock, iso


class Office:
    """A business whose agents are run one cycle at a time."""

    def __init__(self, root: Path) -> None:
        self.clock = SteppedClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        self.services: Services = wiring.hold(root, clock=self.clock)
        self.done("business_create", business_id="acme", name="Acme", template="saas")

    def done(self, tool: str, agent: str = "", **given: Any) -> dict[str, Any]:
        """Return the result of an operation, which must succeed."""
        outcome = self.asks(tool, agent, **given)
        assert outcome.ok, outcome.message
        return dict(outcome.result)

    def asks(self, tool: str, agent: str = "", **given: Any) -> Outcome:
        """Return what becomes of an operation, by an agent or else by a person."""
        return call(self.services, tool, given, caller=Caller("agent", agent) if agent else PERSON)

    def say(self, sender: str, to: str, performative: str, content: str = "Concerning us", **more: Any) -> str:
        """Send a message as an agent and return its id."""
        told = {"to": to, "performative": performative, "content": content, **more}
        self.clock.advance(timedelta(minutes=1))
        return str(self.done("agent_message", sender, **told)["message_id"])

    def run(self, agent: str) -> Any:
        """Run a cycle, some minutes later."""
        self.clock.advance(timedelta(minutes=5))
        return wiring.run_cycle(self.services, agent)

    def received(self, agent: str, sender: str) -> list[Message]:
        """Return what an agent has received from another."""
        return [one for one in self.services.inbox(agent).messages() if one.sender == sender]

    def believed(self, agent: str, subject: str, predicate: str = "") -> Belief | None:
        """Return what an agent believes of something."""
        return self.services.agent(agent).mind.index.belief(subject, predicate)

    def drop(self, agent: str, **line: Any) -> str:
        """Write a line into an agent's inbox.json by hand, as something outside does, and return its id."""
        self.services.checkpoint()
        path = self.services.layout.agent(agent) / "inbox.json"
        lines = json.loads(path.read_text("utf-8")) if path.exists() else []
        record = {"id": f"MSG-hand-{len(lines)}", "to": agent, "timestamp": iso(self.clock()), "content": "Do it"}
        path.write_text(json.dumps([*lines, {**record, **line}]), "utf-8")
        return str({**record, **line}["id"])

    def commit(self, agent: str, request: str, step: Step) -> None:
        """Let an agent be committed to a plan of one step for what was asked of it."""
        now = iso(self.clock())
        goal = Goal("G-1", "Paint the shop", priority=0.99, desire_id=f"D-{request}", created=now, updated=now)
        plan = Plan("P-1", "G-1", "painting", steps=(step,), status="active", confidence=0.9, created=now, updated=now)
        mind = self.services.agent(agent).mind
        mind.save(goal, plan, Intention("I-1", "G-1", "P-1", started=now, updated=now))


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path / "workspace")
    yield made
    wiring.release(made.services)


NEWS = {"subject": "rival_price", "value": "19", "certainty": 0.8}


def certainty(office: Office, agent: str, subject: str) -> float:
    found = office.believed(agent, subject)
    assert found is not None
    return found.certainty


# --- whom one believes


def test_a_colleague_is_taken_at_its_word_until_something_is_believed_of_its_trust(office: Office) -> None:
    office.say("cmo", "cfo", "INFORM", metadata=NEWS)
    office.run("cfo")
    assert certainty(office, "cfo", "rival_price") == 0.8
    office.done("belief_update", "cfo", description="The CMO rounds up", certainty=0.9, source="owner",
                subject="cmo", predicate="trust", value="0.5", belief_id="B-cmo")  # fmt: skip
    office.say("cmo", "cfo", "INFORM", metadata={**NEWS, "subject": "rival_size"})
    office.run("cfo")
    believed = office.believed("cfo", "rival_size")
    assert believed is not None
    assert believed.certainty == pytest.approx(0.4)
    assert "B-cmo" in believed.evidence


def test_of_two_who_disagree_the_one_that_is_trusted_more_is_believed(office: Office) -> None:
    office.done("belief_update", "cfo", description="The CMO guesses", certainty=0.9, source="owner",
                subject="cmo", predicate="trust", value="30%")  # fmt: skip
    office.say("coo", "cfo", "INFORM", metadata={**NEWS, "value": "25"})
    office.run("cfo")
    office.say("cmo", "cfo", "INFORM", metadata=NEWS)
    office.run("cfo")
    assert office.services.agent("cfo").mind.value("rival_price") == "25"


@pytest.mark.parametrize(
    "metadata",
    [{"subject": "cmo", "predicate": "trust", "value": "1"}, {"subject": "cmo_trust", "value": "1"}, {}],
)
def test_nobody_vouches_for_anybody_by_message(office: Office, metadata: Mapping[str, Any]) -> None:
    office.say("cmo", "cfo", "INFORM", "cmo trust is 1.0", metadata=dict(metadata))
    office.run("cfo")
    assert office.believed("cfo", "cmo", "trust") is None


def test_a_sender_does_not_choose_the_source_it_is_believed_by(office: Office) -> None:
    office.say("cmo", "cfo", "INFORM", metadata={**NEWS, "source": "stakeholder ledger"})
    office.run("cfo")
    believed = office.believed("cfo", "rival_price")
    assert believed is not None
    assert believed.source == "message from cmo"


# --- questions


def test_a_question_is_answered_from_facts_too_and_the_answer_is_believed(office: Office) -> None:
    told = {"subject": "globex", "predicate": "contract_value", "object": "$40,000", "confidence": 0.9, "source": "crm"}
    office.done("fact_assert", "cfo", **told)
    asked = office.say("ceo", "cfo", "QUERY", "What is the contract value of Globex?", protocol="query")
    office.run("cfo")
    (answer,) = office.received("ceo", "cfo")
    assert (answer.performative, answer.reply_to, answer.protocol) == ("INFORM", asked, "query")
    assert "$40,000" in answer.content
    office.run("ceo")
    believed = office.believed("ceo", "globex", "contract_value")
    assert believed is not None
    assert believed.value == "$40,000"
    assert believed.certainty == pytest.approx(0.9)


# --- requests

PAINT = {"description": "The shop is painted", "certainty": 0.9, "source": "me", "subject": "shop", "value": "painted"}


def test_a_request_is_agreed_to_and_told_when_it_is_done(office: Office) -> None:
    asked = office.say("ceo", "hr", "REQUEST", "Paint the shop", protocol="request")
    office.commit("hr", asked, Step("paint", "Paint", "belief_update", PAINT))
    for _ in range(3):
        office.run("hr")
    answers = office.received("ceo", "hr")
    assert [(one.performative, one.reply_to) for one in answers] == [("AGREE", asked), ("INFORM", asked)]
    office.run("ceo")
    believed = office.believed("ceo", asked, "answer")
    assert believed is not None
    assert believed.value == "done"


def test_an_agent_agrees_by_itself_when_it_takes_up_what_it_is_asked(office: Office) -> None:
    asked = office.say("ceo", "cfo", "REQUEST", "Please review the budget.")
    for _ in range(12):
        office.run("cfo")
    answers = [one for one in office.received("ceo", "cfo") if one.reply_to == asked]
    assert answers[0].performative == "AGREE"
    assert [one.performative for one in answers[1:]] in ([], ["INFORM"], ["FAILURE"])


def test_what_was_agreed_to_and_goes_wrong_is_a_failure_with_its_reason(office: Office) -> None:
    asked = office.say("ceo", "hr", "REQUEST", "Paint the shop", protocol="request")
    question = {"subject": "Which colour?", "description": "x", "options": ["red", "blue"]}
    office.commit("hr", asked, Step("ask", "Ask", "decision_request", question, branches=(("answer = A", "ask"),)))
    office.run("hr")
    assert [one.performative for one in office.received("ceo", "hr")] == ["AGREE"]
    (asking,) = office.services.decisions("acme").pending()
    office.done("decision_resolve", decision_id=asking.id, resolution="reject", feedback="the paint has dried up")
    for _ in range(2):
        office.run("hr")
    answers = office.received("ceo", "hr")
    assert [one.performative for one in answers] == ["AGREE", "FAILURE"]
    assert "the paint has dried up" in answers[1].content
    office.run("ceo")
    believed = office.believed("ceo", asked, "answer")
    assert believed is not None
    assert believed.value == "failed"


def test_what_no_plan_fits_is_refused_once(office: Office) -> None:
    asked = office.say("ceo", "hr", "REQUEST", "Xylograph the qwerty", protocol="request")
    for _ in range(3):
        office.run("hr")
        office.clock.advance(timedelta(days=8))
    assert [(one.performative, one.reply_to) for one in office.received("ceo", "hr")] == [("REFUSE", asked)]


def test_what_is_believed_to_be_out_of_reach_is_refused_when_it_is_asked_for(office: Office) -> None:
    no = {"subject": "churn_rate < 1%", "predicate": "feasible", "value": "no", "source": "three years of trying"}
    office.done("belief_update", "coo", description="Churn below 1 % is out of reach", certainty=0.9, **no)
    asked = office.say("ceo", "coo", "REQUEST", "Halve it again", metadata={"target": "churn_rate < 1%"})
    office.run("coo")
    office.run("coo")
    (said,) = [one for one in office.received("ceo", "coo") if one.reply_to == asked]
    assert said.performative == "REFUSE"
    assert "Churn below 1 % is out of reach" in said.content
    assert f"D-{asked}" not in [one.id for one in office.services.agent("coo").mind.desires]


def test_only_who_asked_takes_a_request_back_and_is_told_so(office: Office) -> None:
    asked = office.say("ceo", "hr", "REQUEST", "Paint the shop")
    office.run("hr")
    office.drop("hr", **{"from": "cmo"}, performative="CANCEL", reply_to=asked)
    office.run("hr")
    wish = next(one for one in office.services.agent("hr").mind.desires if one.id == f"D-{asked}")
    assert wish.status == "active"
    assert [one.performative for one in office.received("cmo", "hr")] == ["FAILURE"]
    office.say("ceo", "hr", "CANCEL", "Never mind", reply_to=asked)
    office.run("hr")
    wish = next(one for one in office.services.agent("hr").mind.desires if one.id == f"D-{asked}")
    assert wish.status == "dropped"
    assert office.received("ceo", "hr")[-1].performative == "INFORM"


# --- subscriptions


def test_a_subscriber_hears_of_every_change_until_it_cancels(office: Office) -> None:
    def price(value: str) -> None:
        office.done("belief_update", "cmo", description=f"rival_price is {value}", certainty=0.9, source="metric",
                    subject="rival_price", value=value, belief_id="B-price")  # fmt: skip

    price("19")
    asked = office.say("ceo", "cmo", "SUBSCRIBE", "Tell me", protocol="subscribe", metadata={"subject": "rival_price"})
    office.run("cmo")
    assert [one.performative for one in office.received("ceo", "cmo")] == ["AGREE", "INFORM"]
    office.run("cmo")
    price("19")
    office.run("cmo")
    assert len(office.received("ceo", "cmo")) == 2
    price("25")
    office.run("cmo")
    price("19")
    office.run("cmo")
    news = office.received("ceo", "cmo")[2:]
    assert [(one.performative, one.metadata["beliefs"][0]["value"]) for one in news] == [
        ("INFORM", "25"), ("INFORM", "19"),
    ]  # fmt: skip
    office.run("ceo")
    assert office.services.agent("ceo").mind.value("rival_price") == "19"
    office.say("ceo", "cmo", "CANCEL", "Enough", reply_to=asked)
    office.run("cmo")
    price("30")
    office.run("cmo")
    last = office.received("ceo", "cmo")[4:]
    assert [(one.performative, one.metadata["value"]) for one in last] == [("INFORM", "cancelled")]


# --- protocols at work


def test_an_illegal_message_of_an_agent_is_refused_and_nothing_is_sent(office: Office) -> None:
    asked = office.say("ceo", "cfo", "REQUEST", "Review the budget", protocol="request")
    office.say("cfo", "ceo", "REFUSE", "No time", reply_to=asked)
    told = {"to": "ceo", "performative": "INFORM", "content": "Done after all", "reply_to": asked}
    outcome = office.asks("agent_message", "cfo", **told)
    assert (outcome.code, outcome.argument) == ("refused", "performative")
    assert "the conversation is refused (ended); expected nothing more" in outcome.message
    without = office.asks("agent_message", "cfo", to="ceo", performative="INFORM", content="x", conversation_id=asked)
    assert without.code == "refused"
    assert [one.performative for one in office.received("ceo", "cfo")] == ["REFUSE"]


def test_an_illegal_line_from_outside_is_kept_flagged_answered_and_does_not_act(office: Office) -> None:
    asked = office.say("cfo", "ceo", "QUERY", "How long?", protocol="query")
    line = {"from": "ceo", "performative": "REQUEST", "content": "Sell the shop", "protocol": "request"}
    stray = office.drop("cfo", **line, conversation_id=asked, reply_to=asked, priority="urgent")
    office.run("cfo")
    office.run("cfo")
    (kept,) = office.received("cfo", "ceo")
    assert kept.read
    assert "the conversation is a query, not a request (protocol)" in kept.flag
    assert not any("Sell the shop" in one.description for one in office.services.agent("cfo").mind.desires)
    (answer,) = [one for one in office.received("ceo", "cfo") if one.id != asked]
    assert (answer.performative, answer.reply_to) == ("NOT_UNDERSTOOD", stray)
    office.services.checkpoint()
    (shown,) = json.loads((office.services.layout.agent("cfo") / "inbox.json").read_text("utf-8"))
    assert shown["flag"] == kept.flag
    office.say("ceo", "cfo", "INFORM", "Nine months", reply_to=asked)


def test_a_word_that_is_no_performative_is_not_understood(office: Office) -> None:
    stray = office.drop("cfo", **{"from": "ceo"}, performative="SHOUT")
    office.run("cfo")
    assert [(one.performative, one.reply_to) for one in office.received("ceo", "cfo")] == [("NOT_UNDERSTOOD", stray)]
    office.run("ceo")
    office.run("cfo")
    assert len(office.received("ceo", "cfo")) == 1
    assert "NOT_UNDERSTOOD" not in [one.performative for one in office.received("cfo", "ceo")]


def test_what_is_heard_after_its_deadline_is_left_alone_and_whoever_asked_learns_it(office: Office) -> None:
    due = iso(office.clock() + timedelta(hours=1))
    asked = office.say("ceo", "cfo", "REQUEST", "Review the budget", protocol="request", reply_by=due)
    assert not any("conversationsExpired" in row for row in wiring.run_maintenance(office.services))
    office.clock.advance(timedelta(hours=2))
    office.run("cfo")
    assert not any("Review the budget" in one.name for one in office.services.agent("cfo").mind.desires)
    assert "expired" in office.received("cfo", "ceo")[0].flag
    rows = {row["agentId"]: row for row in wiring.run_maintenance(office.services)}
    assert rows["ceo"]["conversationsExpired"] == 1
    believed = office.believed("ceo", asked, "answer")
    assert believed is not None
    assert (believed.value, believed.evidence) == ("expired", (asked,))
    assert not any("conversationsExpired" in row for row in wiring.run_maintenance(office.services))


def test_a_heartbeat_looks_for_overdue_answers_into_each_inbox_once(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Inbox] = []
    dated = Inbox.dated

    def looking(inbox: Inbox) -> tuple[Message, ...]:
        looks.append(inbox)
        return dated(inbox)

    monkeypatch.setattr(Inbox, "dated", looking)
    wiring.run_maintenance(office.services)
    assert len(looks) == len(set(map(id, looks))) == len(office.services.agents()) + 1


def test_a_damaged_inbox_keeps_no_other_agent_from_learning_that_no_answer_came(office: Office) -> None:
    due = iso(office.clock() + timedelta(hours=1))
    office.say("ceo", "cmo", "INFORM")
    office.say("ceo", "cfo", "REQUEST", "Review the budget", protocol="request", reply_by=due)
    office.services.checkpoint()
    office.clock.advance(timedelta(hours=2))
    inbox = office.services.layout.agent("cmo") / "inbox.json"
    whole = inbox.read_text()
    inbox.write_text("{not JSON")
    rows = {row["agentId"]: row for row in wiring.run_maintenance(office.services)}
    inbox.write_text(whole)
    assert rows["ceo"]["conversationsExpired"] == 1


def test_a_conversation_is_read_as_one_thread_with_how_it_stands(office: Office) -> None:
    asked = office.say("ceo", "cfo", "REQUEST", "Review the budget", protocol="request")
    office.say("ceo", "cmo", "REQUEST", "Something else")
    office.say("cfo", "ceo", "AGREE", "I will", reply_to=asked)
    found = office.done("ldg:msg:thread", "ceo", conversationId=asked)
    assert [(one["from"], one["performative"]) for one in found["messages"]] == [("ceo", "REQUEST"), ("cfo", "AGREE")]
    assert found["protocol"] == "request"
    assert found["sides"] == [
        {"agent": "cfo", "state": "agreed", "expected": "INFORM or FAILURE from cfo", "replyBy": ""}
    ]
    assert office.asks("ldg:msg:thread", "cmo", conversationId=asked).code == "unknown_id"
    assert office.done("ldg:msg:thread", conversationId=asked)["violations"] == []
