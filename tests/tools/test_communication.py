from pathlib import Path
from typing import Any

import orjson
import pytest

from society.messages import Message
from tests.tools.workspaces import SOCIETY, laid_out, opened
from tools.agent import Caller
from tools.bidding import hours
from tools.call import Outcome, call
from tools.services import Services

Given = dict[str, Any]


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return opened(laid_out(tmp_path), modules=SOCIETY)


def by(services: Services, agent_id: str, tool: str, **arguments: Any) -> Outcome:
    renamed = {name.removesuffix("_"): value for name, value in arguments.items()}
    return call(services, tool, renamed, caller=Caller("agent", agent_id))


def done(services: Services, agent_id: str, tool: str, **arguments: Any) -> Given:
    outcome = by(services, agent_id, tool, **arguments)
    assert outcome.ok, outcome.message
    return dict(outcome.result)


def received(services: Services, agent_id: str) -> tuple[Message, ...]:
    return services.inbox(agent_id).unread()


def say(services: Services, agent_id: str = "ceo", to: str = "cfo", **more: Any) -> Given:
    given = {"to": to, "performative": "QUERY", "content": "How long will the money last?"}
    return done(services, agent_id, "agent_message", **(given | more))


# --- messages


def test_a_message_lies_in_the_recipients_inbox(services: Services) -> None:
    sent = say(services)
    (found,) = received(services, "cfo")
    assert (found.id, found.sender, found.performative) == (sent["message_id"], "ceo", "QUERY")
    assert sent["from"] == "ceo"


def test_an_answer_stays_in_the_conversation(services: Services) -> None:
    asked = say(services)
    say(services, "cfo", "ceo", performative="INFORM", content="Nine months", reply_to=asked["message_id"])
    (found,) = received(services, "ceo")
    assert (found.reply_to, found.conversation_id) == (asked["message_id"], asked["message_id"])
    say(services, "ceo", "cfo", performative="CANCEL", content="Never mind", reply_to=asked["message_id"])


@pytest.mark.parametrize(
    ("change", "argument", "said"),
    [
        ({"to": "cfoo"}, "to", "did you mean 'cfo'?"),
        ({"to": "../cfo"}, "to", "did you mean 'cfo'?"),
        ({"performative": "INFROM"}, "performative", "did you mean 'INFORM'?"),
        ({"content": " "}, "content", "a non-empty string"),
        ({"reply_to": "MSG-404"}, "reply_to", "no message 'MSG-404'"),
        ({"reply_by": "soon"}, "reply_by", "ISO 8601"),
        ({"priority": "high!"}, "priority", "did you mean 'high'?"),
        ({"from_": "cto"}, "from", "may act only as itself"),
    ],
)
def test_a_bad_message_is_not_sent(services: Services, change: Given, argument: str, said: str) -> None:
    given: Given = {"to": "cfo", "performative": "INFORM", "content": "x"} | change
    found = by(services, "ceo", "agent_message", **given)
    assert found.argument == argument
    assert said in found.message
    assert received(services, "cfo") == ()


def test_the_recipient_is_woken_and_told_whether_it_is_urgent(services: Services) -> None:
    woken: list[tuple[str, bool]] = []
    stop = services.on_wake(lambda agent_id, urgent: woken.append((agent_id, urgent)))
    say(services)
    say(services, priority="urgent")
    stop()
    say(services)
    assert woken == [("cfo", False), ("cfo", True)]


def test_a_person_writes_as_the_stakeholder_and_is_answered(services: Services) -> None:
    asked = call(services, "agent_message", {"to": "cfo", "performative": "QUERY", "content": "Runway?"})
    assert received(services, "cfo")[0].sender == "stakeholder"
    say(services, "cfo", "stakeholder", content="Nine months", reply_to=asked.result["message_id"])
    assert [found.content for found in received(services, "stakeholder")] == ["Nine months"]


def test_a_keyed_message_arrives_once(services: Services) -> None:
    given = {"to": "cfo", "performative": "INFORM", "content": "x"}
    for _ in range(2):
        call(services, "agent_message", given, caller=Caller("agent", "ceo"), key="reply:1")
    assert len(received(services, "cfo")) == 1


# --- decisions


def ask(services: Services, **more: Any) -> Outcome:
    given = {"subject": "Sign the lease?", "description": "Twelve months", "options": ["Sign", "Wait"]}
    return by(services, "coo" if "coo" in services.agents() else "cto", "decision_request", **(given | more))


def test_a_question_gets_into_the_queue_with_its_options(services: Services) -> None:
    found = ask(services, recommendation="B", deadline="2026-03-01", estimated_cost=1200)
    decision = services.decisions("acme").decision(found.result["decision_id"])
    assert [option["id"] for option in decision.options] == ["A", "B"]
    assert (decision.from_agent, decision.recommendation, decision.cost) == ("cto", "B", 1200)
    assert decision.deadline == "2026-03-01T00:00:00.000Z"
    assert found.result["status"] == "pending"


def test_options_may_be_objects_with_their_impact(services: Services) -> None:
    options = [{"id": "yes", "label": "Sign", "impact": "-$12,000"}, {"label": "Wait"}]
    found = ask(services, options=options)
    assert found.result["options"][0] == options[0]
    assert found.result["options"][1] == {"id": "B", "label": "Wait"}


@pytest.mark.parametrize(
    ("change", "argument"),
    [
        ({"options": []}, "options"),
        ({"options": [{"id": "A"}]}, "options"),
        ({"options": [{"id": "B", "label": "x"}, {"label": "y"}]}, "options"),
        ({"recommendation": "C"}, "recommendation"),
        ({"deadline": "soon"}, "deadline"),
        ({"business_id": "other"}, "business_id"),
    ],
)
def test_a_bad_question_is_not_asked(services: Services, change: Given, argument: str) -> None:
    assert ask(services, **change).argument == argument
    assert services.decisions("acme").pending() == ()


def test_an_id_of_ones_own_is_used_once(services: Services) -> None:
    assert ask(services, decision_id="DEC-LEASE").ok
    found = ask(services, decision_id="DEC-LEASE", subject="Another")
    assert (found.ok, found.argument) == (False, "decision_id")


# --- contract net


def offer(services: Services, **more: Any) -> Given:
    given: Given = {"task_description": "Build the landing page", "deadline": "2026-03-01"}
    return done(services, "ceo", "contract_net_initiate", **(given | more))


def bid(services: Services, agent_id: str, task_id: str, **more: Any) -> Outcome:
    given: Given = {
        "task_id": task_id, "approach": "Build it", "estimated_cost": 1000, "estimated_duration": "2 days",
        "confidence": 0.8,
    }  # fmt: skip
    return by(services, agent_id, "contract_net_propose", **(given | more))


def test_the_ceo_calls_two_bid_and_the_best_gets_the_task(services: Services) -> None:
    task_id = offer(services)["task_id"]
    (call_for,) = received(services, "cfo")
    assert (call_for.performative, call_for.protocol, call_for.metadata["task_id"]) == ("CFP", "contract-net", task_id)
    assert call_for.reply_by == "2026-03-01T00:00:00.000Z"
    assert bid(services, "cfo", task_id, confidence=0.6).ok
    assert bid(services, "cto", task_id, confidence=0.9).ok
    assert {found.performative for found in received(services, "ceo")} == {"PROPOSE"}
    awarded = done(services, "ceo", "contract_net_award", task_id=task_id)
    assert awarded["awarded_to"] == "cto"
    assert [row["agent_id"] for row in awarded["ranking"]] == ["cto", "cfo"]
    assert received(services, "cto")[-1].performative == "ACCEPT"
    assert received(services, "cfo")[-1].performative == "REJECT"
    file = orjson.loads((services.layout.root / "contract-net" / f"{task_id}.json").read_bytes())
    assert (file["status"], file["awarded_to"], len(file["proposals"])) == ("awarded", "cto", 2)


def test_everyone_but_the_initiator_is_asked_unless_candidates_are_named(services: Services) -> None:
    assert offer(services)["candidates"] == ["cfo", "cto"]
    assert offer(services, candidates=["cto"])["candidates"] == ["cto"]
    assert (
        by(services, "ceo", "contract_net_initiate", task_description="x", candidates=["cgo"]).argument == "candidates"
    )
    assert by(services, "ceo", "contract_net_initiate", task_description="x", candidates=[]).argument == "candidates"


def test_criteria_may_be_weights_or_names(services: Services) -> None:
    assert offer(services, evaluation_criteria=["cost", "confidence"])["evaluation_criteria"] == {
        "cost": 0.5, "confidence": 0.5,
    }  # fmt: skip
    wrong = by(services, "ceo", "contract_net_initiate", task_description="x", evaluation_criteria={"price": 1})
    assert wrong.argument == "evaluation_criteria"
    odd = by(services, "ceo", "contract_net_initiate", task_description="x", evaluation_criteria={"cost": "high"})
    assert odd.argument == "evaluation_criteria"


def test_unknown_tasks_and_uninvited_bids_are_refused(services: Services) -> None:
    assert bid(services, "cfo", "CFP-404").code == "unknown_id"
    task_id = offer(services, candidates=["cto"])["task_id"]
    assert bid(services, "cfo", task_id).code == "refused"
    assert by(services, "cto", "contract_net_award", task_id=task_id).code == "refused"
    assert by(services, "ceo", "contract_net_award", task_id=task_id).code == "refused"


def test_an_award_cut_short_still_tells_the_bidders(services: Services) -> None:
    task_id = offer(services)["task_id"]
    bid(services, "cto", task_id)
    deliver, told = type(services).deliver, []
    key = {"caller": Caller("agent", "ceo"), "key": "K"}

    class Killed(BaseException):
        pass

    def dying(self: Services, message: Message) -> bool:
        told.append(message)
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(services), "deliver", dying)
        with pytest.raises(Killed):
            call(services, "contract_net_award", {"task_id": task_id}, **key)  # type: ignore[arg-type]
    assert type(services).deliver is deliver
    assert told
    assert call(services, "contract_net_award", {"task_id": task_id}, **key).ok  # type: ignore[arg-type]
    assert received(services, "cto")[-1].performative == "ACCEPT"


@pytest.mark.parametrize(("given", "found"), [(8, 8), ("8", 8), ("3 days", 72), ("1.5 weeks", 252), ("2h", 2)])
def test_durations_are_hours_or_say_their_unit(given: float | str, found: float) -> None:
    assert hours(given) == found
