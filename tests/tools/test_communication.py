from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest

from mabos.mind.model import Capabilities, Proficiency
from mabos.society.messages import Message
from mabos.society.packages import WorkPackage
from mabos.tools.gate.call import Outcome, call
from mabos.tools.people.bidding import hours
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import parse_time
from tests.tools.workspaces import SOCIETY, opened

Given = dict[str, Any]


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return opened(tmp_path, modules=SOCIETY)


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
    stop = services.mail.on_wake(lambda agent_id, urgent: woken.append((agent_id, urgent)))
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
    decision = services.decisions("acme").one(found.result["decision_id"])
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


def skilled(services: Services, agent_id: str, **skills: Proficiency) -> None:
    services.agent(agent_id).mind.save(Capabilities(skills=skills))


def test_an_agent_bids_for_what_it_is_good_at_and_no_surer_than_that(services: Services) -> None:
    skilled(services, "cfo", pricing="expert", architecture="novice")
    skilled(services, "cto", architecture="competent")
    task_id = offer(services, task_description="Review the architecture")["task_id"]
    refused = bid(services, "cfo", task_id)
    assert (refused.code, refused.argument) == ("refused", "task_id")
    assert bid(services, "cto", task_id, confidence=0.95).ok
    (proposal,) = services.contract_net.task(task_id).proposals
    assert (proposal.agent_id, proposal.confidence) == ("cto", 0.6)


def test_an_award_is_the_winners_word_due_in_the_time_of_its_bid(services: Services) -> None:
    task_id = offer(services)["task_id"]
    assert bid(services, "cto", task_id, estimated_duration="3 days").ok
    done(services, "ceo", "contract_net_award", task_id=task_id)
    (word,) = services.agent("cto").mind.commitments
    task = services.contract_net.task(task_id)
    assert (word.counterparty, word.terms, word.about, word.status) == ("ceo", task.task_description, task_id, "open")
    assert parse_time(word.deadline) - parse_time(task.awarded_at) == timedelta(days=3)
    assert services.agent("ceo").mind.commitments == ()


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
    deliver, told = type(services.mail).deliver, []
    key = {"caller": Caller("agent", "ceo"), "key": "K"}

    class Killed(BaseException):
        pass

    def dying(self: Any, message: Message) -> bool:
        told.append(message)
        raise Killed

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(services.mail), "deliver", dying)
        with pytest.raises(Killed):
            call(services, "contract_net_award", {"task_id": task_id}, **key)  # type: ignore[arg-type]
    assert type(services.mail).deliver is deliver
    assert told
    assert call(services, "contract_net_award", {"task_id": task_id}, **key).ok  # type: ignore[arg-type]
    assert received(services, "cto")[-1].performative == "ACCEPT"


@pytest.mark.parametrize(("given", "found"), [(8, 8), ("8", 8), ("3 days", 72), ("1.5 weeks", 252), ("2h", 2)])
def test_durations_are_hours_or_say_their_unit(given: float | str, found: float) -> None:
    assert hours(given) == found


# --- two businesses in one workspace


@pytest.fixture
def neighbours(tmp_path: Path) -> Services:
    services = opened(
        tmp_path, modules=(*SOCIETY, "people.workforce", "business.metrics", "business.marketing", "knowledge.facts")
    )
    layout = services.layout
    for agent_id in ("beta-cfo", "beta-ceo"):
        layout.agent(agent_id).mkdir()
        manifest = {"id": agent_id, "business_id": "beta", "role": agent_id[5:]}
        (layout.agent(agent_id) / "agent.json").write_bytes(orjson.dumps(manifest))
        (layout.agent(agent_id) / "Persona.md").write_text("# Persona\n\n- **Autonomy:** full\n")
    agents = {"ceo": "beta-ceo", "cfo": "beta-cfo"}
    write_manifest(services, "beta", agents=agents)
    return services


def write_manifest(services: Services, business_id: str, **fields: Any) -> None:
    path = services.layout.business(business_id) / "business.json"
    path.parent.mkdir(exist_ok=True)
    known = orjson.loads(path.read_bytes()) if path.exists() else {"id": business_id, "name": business_id.title()}
    path.write_bytes(orjson.dumps({**known, **fields}))


TOLD = {"performative": "INFORM", "content": "Cash is gone", "metadata": {"subject": "cash", "value": "0"}}


def test_an_agent_of_another_business_cannot_tell_ours_anything(neighbours: Services) -> None:
    for to in ("cfo", "ceo"):
        outcome = by(neighbours, "beta-cfo", "agent_message", to=to, **TOLD)
        assert (outcome.code, outcome.argument) == ("refused", "to")
        assert "a person may list it in 'counterparties' of businesses/acme/business.json" in outcome.message
        assert received(neighbours, to) == ()
    assert by(neighbours, "beta-cfo", "agent_message", to="beta-ceo", **TOLD).ok
    assert by(neighbours, "beta-cfo", "agent_message", to="stakeholder", **TOLD).ok
    assert not call(neighbours, "agent_message", {"to": "cfo", **TOLD}, agent_id="beta-cfo").ok
    assert call(neighbours, "agent_message", {"to": "cfo", **TOLD}).ok


@pytest.mark.parametrize("listed", ["beta", "beta-cfo"])
def test_a_listed_counterparty_may_write_and_is_answered(neighbours: Services, listed: str) -> None:
    write_manifest(neighbours, "acme", counterparties=[listed])
    sent = done(neighbours, "beta-cfo", "agent_message", to="cfo", performative="QUERY", content="Will you pay?")
    assert by(neighbours, "beta-ceo", "agent_message", to="cfo", **TOLD).ok is (listed == "beta")
    answer = {"to": "beta-cfo", "performative": "INFORM", "content": "Yes"}
    assert not by(neighbours, "cfo", "agent_message", **answer).ok
    assert not by(neighbours, "ceo", "agent_message", **answer, reply_to=sent["message_id"]).ok
    assert by(neighbours, "cfo", "agent_message", **answer, reply_to=sent["message_id"]).ok


def test_a_call_for_proposals_stays_in_its_business_unless_strangers_are_known(neighbours: Services) -> None:
    given = {"task_description": "Audit the books", "task_id": "CFP-1"}
    refused = by(neighbours, "beta-cfo", "contract_net_initiate", candidates=["beta-ceo", "cfo"], **given)
    assert (refused.code, refused.argument) == ("refused", "candidates")
    assert done(neighbours, "beta-cfo", "contract_net_initiate", **given)["candidates"] == ["beta-ceo"]
    bid = {"task_id": "CFP-1", "approach": "x", "estimated_cost": 1, "estimated_duration": 1, "confidence": 1}
    assert by(neighbours, "cfo", "contract_net_propose", **bid).code == "refused"
    assert received(neighbours, "cfo") == ()
    write_manifest(neighbours, "acme", counterparties=["beta"])
    asked = {**given, "task_id": "CFP-2", "candidates": ["cfo"]}
    assert by(neighbours, "beta-cfo", "contract_net_initiate", **asked).ok
    assert by(neighbours, "cfo", "contract_net_propose", **bid | {"task_id": "CFP-2"}).ok
    assert by(neighbours, "beta-cfo", "contract_net_award", task_id="CFP-2").ok


def test_an_agent_of_no_business_is_a_stranger_where_there_are_several(neighbours: Services) -> None:
    folder = neighbours.layout.agent("intern")
    folder.mkdir()
    (folder / "Beliefs.md").write_text("# Beliefs\n")
    assert not by(neighbours, "intern", "agent_message", to="cfo", **TOLD).ok
    assert by(neighbours, "cfo", "agent_message", to="intern", **TOLD).ok
    assert by(neighbours, "intern", "contract_net_initiate", task_description="x").argument == "candidates"


OTHERS = [
    ("metrics_record", {"name": "cash", "value": 0}), ("metrics_dashboard", {}), ("report_generate", {}),
    ("decision_request", {"subject": "Pay?", "description": "x", "options": ["yes"]}), ("decision_review", {}),
    ("stakeholder_profile", {}), ("governance_check", {"action": "x", "category": "x", "estimated_cost": 1}),
    ("work_package_list", {}), ("work_package_update", {"package_id": "WP-1", "status": "failed"}),
    ("work_package_assign", {"package_id": "WP-1", "contractor_id": "C"}), ("contractor_list", {"package_id": "WP-1"}),
    ("content_generate", {"type": "case_study", "title": "x"}),
    ("ad_campaign_manage", {"campaign_id": "CMP-1", "action": "stop"}),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments"), OTHERS, ids=lambda one: one if isinstance(one, str) else "")
def test_no_operation_reaches_into_another_business(neighbours: Services, tool: str, arguments: Given) -> None:
    outcome = by(neighbours, "beta-cfo", tool, **arguments, business_id="acme")
    assert (outcome.code, outcome.argument) == ("refused", "business_id"), outcome


def test_a_package_is_not_handed_to_a_stranger(neighbours: Services) -> None:
    packages = neighbours.business("beta").workforce.packages
    packages.save(WorkPackage("WP-1", "Audit", "x", (), 10.0))
    given = {"from": "beta-cfo", "package_id": "WP-1", "handoff_type": "agent_to_agent"}
    assert by(neighbours, "beta-cfo", "handoff", **given, to="cfo").argument == "to"
    assert by(neighbours, "beta-cfo", "handoff", **given, to="beta-ceo").ok
