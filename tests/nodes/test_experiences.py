"""What agents remember of what they went through: typed memories that a cycle and a decision of the owner leave."""

from mabos.graphs import wiring
from mabos.memory.model import MemoryItem
from mabos.mind.lookup import BeliefIndex
from mabos.mind.model import Belief, Goal, Intention, Plan, Revision, Step
from mabos.nodes.learning.experiences import (
    build_adoption_memory,
    build_finding_memories,
    build_goal_memory,
    build_message_memory,
    build_outcome_memory,
    build_plan_memory,
    build_step_memory,
)
from mabos.nodes.perception.messages import PERSON
from mabos.society.messages import Message
from mabos.tools.runtime.services import Services

CHURN = Belief(
    "B-churn_rate", "churn_rate is 5.9% a month", 0.95, subject="churn_rate", value="5.9%", source="market",
    revisions=(Revision("2026-01-19T09:00:00.000Z", "5.4%", "5.9%", 0.9, 0.95),), evidence=("MET-1", "MET-2"),
)  # fmt: skip
GOAL = Goal("G-1", "Reduce churn", target="churn_rate < 5%", deadline="2026-03-01T09:00:00.000Z")
CALL = Step(
    "book", "Commission help", tool="work_package_create", arguments={"title": "Call those at risk", "source": "x"},
    cost=2374, status="done", result="WP-7",
)  # fmt: skip
NOTE = Step("note", "Note the order", tool="fact_assert", arguments={"subject": "order", "object": "{book.result}"})
PLAN = Plan("P-1", "G-1", "keep customers", steps=(CALL, NOTE), risks=("It may come too late",), template="keep")
INDEX = BeliefIndex([CHURN])


def said(sender: str, text: str, protocol: str = "") -> Message:
    return Message("MSG-1", sender, "coo", "INFORM", text, "2026-01-19T09:00:00.000Z", protocol=protocol)


def test_a_message_is_an_observation_news_from_outside_an_event_and_an_answer_of_the_owner_a_decision() -> None:
    assert build_message_memory(said("cto", "The repair is booked"), ["cto"])["type"] == "observation"
    assert build_message_memory(said("market", "A rival has launched"), ["cto"])["type"] == "event"
    assert build_message_memory(said(PERSON, "How are you?"), ["cto"])["type"] == "observation"
    assert build_message_memory(said(PERSON, "Trademark: approved", protocol="decision"), ["cto"])["type"] == "decision"


def test_what_was_measured_is_one_fact_that_tells_what_was_held_before() -> None:
    hearsay = Belief("B-MSG-1", "x is y", subject="x", source="message from cto")
    (fact,) = build_finding_memories([CHURN, hearsay])
    assert fact["content"] == "Found: churn_rate is 5.9% a month (5.4% before)"
    assert (fact["type"], fact["evidence"]) == ("fact", ["MET-2"])
    assert list(build_finding_memories([hearsay])) == []


def test_a_goal_is_remembered_with_what_was_believed_when_it_was_taken_up_and_when_it_ended() -> None:
    assert build_adoption_memory(GOAL, INDEX)["content"] == (
        "Took up the goal 'Reduce churn' (wanted: churn_rate < 5%; churn_rate is 5.9%), until 2026-03-01"
    )
    reached = build_goal_memory(Goal("G-1", "Write it up", status="achieved"), INDEX)
    assert (reached["content"], reached["type"]) == ("The goal 'Write it up' is achieved", "outcome")


def test_a_decision_is_remembered_with_its_reason_its_steps_and_its_risks() -> None:
    decision = build_plan_memory(Intention("I-1", "G-1", "P-1", evidence=("M-1",)), PLAN, GOAL, INDEX)
    assert decision["content"] == (
        "Decided on keep customers for 'Reduce churn' (wanted: churn_rate < 5%; churn_rate is 5.9%). "
        "Steps: Commission help; Note the order. Risks: It may come too late."
    )
    assert (decision["type"], decision["evidence"]) == ("decision", ("M-1",))


def test_a_deed_is_an_event_with_its_cost_and_what_a_step_makes_known_a_fact() -> None:
    event, fact = build_step_memory(PLAN, CALL, "WP-7"), build_step_memory(PLAN, NOTE, "F-1")
    assert (event["type"], event["content"]) == ("event", "Commission help: title Call those at risk ($2,374)")
    assert (fact["type"], fact["content"]) == ("fact", "Note the order: order WP-7")


def test_what_came_of_a_plan_is_an_outcome_and_a_failure_weighs_more() -> None:
    good = build_outcome_memory(
        Intention("I-1", "G-1", "P-1", status="completed", reason="every step is done"), PLAN, GOAL, INDEX
    )
    bad = build_outcome_memory(
        Intention("I-1", "G-1", "P-1", status="failed", reason="nobody was free"), PLAN, GOAL, INDEX
    )
    assert good["type"] == bad["type"] == "outcome"
    assert "commission help ($2,374). At the end churn rate was 5.9%" in good["content"]
    assert bad["content"] == "Plan keep customers for 'Reduce churn' is failed: nobody was free."
    assert bad["importance"] > good["importance"]


def remembered(services: Services, agent_id: str) -> list[MemoryItem]:
    return list(services.agent(agent_id).memory.recent(500))


def test_a_cycle_leaves_what_was_decided_done_and_reached_and_an_idle_one_nothing(services: Services) -> None:
    asked = Message("MSG-1", "ceo", "cfo", "REQUEST", "Please review the budget.", "2026-01-19T09:00:00.000Z")
    services.mail.deliver(asked)
    wiring.run_cycle(services, "cfo")
    kept = remembered(services, "cfo")
    assert {"decision", "observation"} <= {item.type for item in kept}
    chosen = [item for item in kept if item.content.startswith("Decided on ")]
    assert len(chosen) == 1
    intention = chosen[0].source.removeprefix("intention ")
    deeds = [item for item in kept if item.source.startswith("step ")]
    assert deeds
    assert any(item.source == f"intention {intention}" and item.type == "outcome" for item in kept) or any(
        one.id == intention for one in services.agent("cfo").mind.intentions
    )
    for _ in range(30):
        if wiring.run_cycle(services, "cfo").outcome == "idle":
            break
    before = len(remembered(services, "cfo"))
    assert wiring.run_cycle(services, "cfo").outcome == "idle"
    assert len(remembered(services, "cfo")) == before


def test_a_goal_or_plan_is_told_once_and_not_in_every_cycle_that_works_on_it(services: Services) -> None:
    for _ in range(12):
        if wiring.run_cycle(services, "cmo").outcome == "idle":
            break
    told = [item.source for item in remembered(services, "cmo") if item.type == "decision"]
    assert len(told) == len(set(told)) > 0
