"""Questions about the agent's own state are answered from its mind, its requests and the decisions."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.language.request import Check, Request
from mabos.mind.model import Desire, Goal, Step
from mabos.tools.requests.answers.dispatch import answer_question
from mabos.tools.requests.answers.smalltalk import small_talk
from mabos.tools.requests.response import Say
from tests.world import Member, World

OPTIONS = [
    {"id": "buy", "label": "Buy it", "impact": "3,150 dollars"},
    {"id": "wait", "label": "Wait a year", "impact": "The insurer may refuse"},
]
LIFT = {
    "subject": "Replace the goods lift",
    "description": "The inspector closed the lift on 2 February, and two porters carry 140 crates a day.",
    "options": OPTIONS,
    "recommendation": "buy",
    "estimated_cost": 3150,
}


def asked(member: Member, question: str, sender: str = "stakeholder") -> Say:
    return answer_question(member.handle, Request("REQ-Q", "MSG-Q", sender, "question", question))


def ordered(member: Member, sentence: str, name: str = "1", **more: Any) -> Request:
    """Let the owner have asked for something."""
    fields = {"status": "underway", "goal_id": f"G-{name}", "created_at": member.world.now, **more}
    request = Request(f"REQ-{name}", f"MSG-{name}", "stakeholder", "order", sentence, **fields)
    member.handle.requests.save(request)
    return request


def figures(text: str) -> set[str]:
    """Return the amounts and long numbers of a text; ids are none."""
    plain = re.sub(r"\b[A-Z]+-[\w-]+", "", text)
    return {one.replace(",", "") for one in re.findall(r"\$?\d[\d,]*", plain) if one.startswith("$") or len(one) > 2}


@pytest.fixture
def cfo(tmp_path: Path) -> Member:
    member = World.small(tmp_path).agent("cfo")
    member.want_nothing()
    return member


def test_work_in_hand_is_what_is_open_and_own_goals_are_named_as_such(cfo: Member) -> None:
    cfo.mind.save(Desire("D-own", "Tidy books", description="Keep the ledger tidy"))
    cfo.commit(
        Step("s1", "Weigh the crates"), name="1", goal={"description": "Move the archive", "deadline": "2026-03-20"}
    )
    cfo.commit(Step("s2", "Sort receipts"), name="2", goal={"description": "Order the receipts", "desire_id": "D-own"})
    cfo.mind.save(Goal("G-9", "Paint the hall", status="achieved"), Goal("G-8", "Burn the papers", status="abandoned"))
    said = asked(cfo, "So what's on your plate right now?")
    assert said.text.index("Move the archive") < said.text.index("y own goal") < said.text.index("Order the receipts")
    assert "20 March 2026" in said.text
    assert "Weigh the crates" in said.text
    assert not {"Paint the hall", "Burn the papers"} & set(re.findall(r"'([^']*)'", said.text))
    assert ("G-1", "deadline", "2026-03-20") in {(one.record, one.field, one.value) for one in said.claims}


def test_only_the_most_important_work_is_named_and_the_rest_counted(cfo: Member) -> None:
    cfo.mind.save(*(Goal(f"G-{n}", f"Errand number {n}", priority=n / 10) for n in range(8)))
    said = asked(cfo, "Might I ask what occupies you at present?").text
    assert {"Errand number 7", "Errand number 3"} <= set(re.findall(r"'([^']*)'", said))
    assert "Errand number 2" not in said
    assert "3 more" in said


def test_what_waits_is_every_open_decision_question_and_step_to_report(cfo: Member) -> None:
    decision = cfo.do("decision_request", **LIFT)["decision_id"]
    cfo.world.agent("cto").do("decision_request", **{**LIFT, "subject": "A quicker line"})
    ordered(cfo, "Book the van.", "2", status="asking", question="On which day?")
    cfo.commit(Step("s1", "Measure the yard"), name="3", goal={"description": "Pave the yard"})
    ordered(cfo, "Have the yard paved.", "3")
    said = asked(cfo, "And does anything await my word, pray?")
    for words in ("Replace the goods lift", "$3,150", decision, "Buy it", "On which day?", "Measure the yard"):
        assert words in said.text
    assert "A quicker line" in said.text
    assert figures(said.text) <= {"$3150", "3150", "140", "2026"}
    cfo.world.answer("approve", decision)
    assert "Replace the goods lift" not in asked(cfo, "What is pending on my side?").text


def test_nothing_waits_where_nothing_is_open(cfo: Member) -> None:
    assert asked(cfo, "am i holding you up anywhere").text == "Nothing of mine waits for you."
    assert "no open work" in asked(cfo, "what are you working on").text


def test_a_reason_is_the_one_on_record(cfo: Member) -> None:
    decision = cfo.do("decision_request", **LIFT)["decision_id"]
    cfo.mind.save(Desire("D-own", "Tidy books", description="The auditor comes in May"))
    cfo.mind.save(Goal("G-1", "Sort the vouchers", desire_id="D-own"))
    said = asked(cfo, "Remind me why we need a new lift")
    assert {"140 crates", "Wait a year"} <= {one for one in ("140 crates", "Wait a year") if one in said.text}
    assert (decision, "description", LIFT["description"]) in {(one.record, one.field, one.value) for one in said.claims}
    assert "The auditor comes in May" in asked(cfo, "For what reason are you at the vouchers, if I may ask?").text


def test_a_reason_that_no_record_gives_is_not_made_up(cfo: Member) -> None:
    cfo.do("decision_request", **LIFT)
    said = asked(cfo, "Why did the heating fail?").text
    assert "no record" in said
    assert "lift" not in said


def test_questions_change_nothing(cfo: Member) -> None:
    cfo.do("decision_request", **LIFT)
    before = cfo.world.files()
    for question in ("What waits for me?", "Why the lift?", "What are you doing?", "How far is it, and what is next?"):
        asked(cfo, question)
    assert cfo.world.files() == before


@pytest.mark.parametrize(
    ("words", "back"),
    [
        ("Good evening!", "Good evening"),
        ("mornin", "Good morning"),
        ("thx a lot", "welcome"),
        ("that's all, bye", "Goodbye"),
    ],
)
def test_small_talk_is_returned_without_a_figure(cfo: Member, words: str, back: str) -> None:
    said = small_talk(cfo.handle, replace(Request("REQ-Q", "MSG-Q", "stakeholder", "small_talk"), sentence=words))
    assert back in said.text
    assert not re.search(r"\d", said.text)


CAMPAIGN = {"name": "Spring camp", "channel": "search", "segment": "all", "weekly_budget_usd": 150.0, "weeks": 3}


@pytest.mark.parametrize(("resolution", "word"), [("", "Not yet."), ("reject", "No."), ("approve", "Yes.")])
def test_an_outcome_is_what_decision_and_records_say(cfo: Member, resolution: str, word: str) -> None:
    cfo.world.do("stakeholder_profile", approval_threshold_usd=100)
    cfo.commit(Step("s1", "Record the campaign", "ad_campaign_create", CAMPAIGN), name="1")
    check = Check("campaigns", {"name": "Spring camp", "weeks": 3})
    ordered(cfo, "Book the campaign 'Spring camp' on search", checks=(check,))
    decision = cfo.ask("ad_campaign_create", **CAMPAIGN).decision_id
    if resolution:
        cfo.world.answer(resolution, decision)
        cfo.ask("ad_campaign_create", **CAMPAIGN)
    said = asked(cfo, "Is the spring camp booked?").text
    assert said.startswith(word)
    assert ("$450 in total" in said) == (resolution == "approve")
    assert (decision in said) == (resolution != "approve")
    assert asked(cfo, "did it go through?").text == said
    assert not asked(cfo, "Is the spring camp running?").text.startswith("Yes")
    cost = asked(cfo, "What did it cost?").text
    assert "$450" in cost
    assert ("Nothing so far" in cost) == (resolution != "approve")


def test_a_project_is_as_far_as_its_steps(cfo: Member) -> None:
    steps = (
        Step("s1", "measure the hall", status="done"),
        Step("s2", "approve the drawing", "decision_request", status="waiting"),
        Step("s3", "order the benches", "work_package_create", {"title": "Benches", "budget_usd": 90}),
    )
    decision = cfo.do("decision_request", **{**LIFT, "subject": "approve the drawing", "estimated_cost": 0})[
        "decision_id"
    ]
    cfo.commit(steps[0], replace(steps[1], decision_id=decision), steps[2], name="1")
    ordered(cfo, "We refit the hall: measure, approve the drawing, benches.")
    said = asked(cfo, "How far is the hall?").text
    assert "1 of 3 steps" in said
    assert decision in said
    assert asked(cfo, "Have the benches been ordered?").text.startswith("Not yet.")
    cfo.world.answer("reject", decision)
    said = asked(cfo, "and what's next on the hall?").text
    assert "rejected" in said
    assert not asked(cfo, "Have the benches been ordered?").text.startswith("Yes")


def test_a_refused_order_did_not_happen_and_the_nearest_thing_is_offered(cfo: Member) -> None:
    said = "I cannot go anywhere. I can order it as a work package."
    ordered(cfo, "Fetch the sacks from Dales Feed", status="refused", replied=said, reason="I cannot go anywhere.")
    assert asked(cfo, "got them?").text.startswith("No. I cannot go anywhere")
    assert "work package" in asked(cfo, "Charming. And what is it that you CAN do about it?").text


def test_answers_of_colleagues_are_told_by_name_and_what_is_missing_too(cfo: Member) -> None:
    cfo.do("agent_message", to="cto", performative="QUERY", content="How many looms are down?")
    cfo.do("agent_message", to="ceo", performative="QUERY", content="Who signs for the yarn?")
    (query,) = cfo.world.agent("cto").messages("cfo")
    cfo.world.agent("cto").do("agent_message", to="cfo", performative="INFORM", content="4 looms", reply_to=query.id)
    said = asked(cfo, "What did the two answer?").text
    assert "4 looms" in said
    assert "CEO has not answered" in said
    assert "4 looms" not in asked(cfo, "Has the CEO replied?").text


def test_what_it_can_do_is_what_its_capabilities_list(tmp_path: Path) -> None:
    member = World.small(tmp_path, capabilities=["ad_campaign_create"]).agent("cfo")
    said = asked(member, "What can you do?").text
    assert "advertising" in said
    assert "work package" not in said
