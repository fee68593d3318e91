"""What holds for a model's calls holds over HTTP too: the right call is made, the wrong one is stopped, once each."""

from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ToolUse
from mabos.tools.work.account import IDLE
from tests.nodes.work.served import DIES, Served, open_office, serving
from tests.nodes.work.working import campaign, orders, performed, session, told, use
from tests.world import Member

PAIR = "Start search campaigns for everybody: 'One' 110 dollars a week for 3 weeks, 'Two' 330 for 6 weeks."
BIG = "Start a search campaign 'Big' for everybody, 2000 dollars a week for 4 weeks."
NEG = campaign("Neg", 100, 2)
SPRING = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."


def ads(cmo: Member) -> list[tuple[str, float, int]]:
    return [(one.name, one.weekly_budget_usd, one.weeks) for one in cmo.world.business.campaigns.all()]


def asked(cmo: Member) -> str:
    """Return why the owner is asked."""
    return " ".join(reason for one in cmo.world.questions() for reason in one.reasons)


def results(seen: list[dict[str, object]]) -> str:
    """Return the results of tools that the server was sent last."""
    messages = seen[-1]["messages"]
    assert isinstance(messages, list)
    return "\n".join(str(one["content"]) for one in messages if one["role"] == "tool")


@pytest.mark.parametrize(
    ("said", "call", "why"),
    [
        pytest.param(PAIR, campaign("One", 330, 3), "weekly budget 330", id="values of another item"),
        pytest.param("Start a search campaign 'Pro' for everybody, 100 dollars a week for 5 weeks.",
                     campaign("Pro", 500, 5), "weekly budget 500", id="a product that nobody asked for"),
    ],
)  # fmt: skip
def test_a_value_of_something_else_is_put_before_the_owner(tmp_path: Path, said: str, call: ToolUse, why: str) -> None:
    with serving(call, "It waits for you.") as (address, _), open_office(tmp_path, address) as cmo:
        cmo.cycle(said)
        assert why in asked(cmo)
        assert ads(cmo) == []


def test_an_older_order_gives_no_value(tmp_path: Path) -> None:
    again = campaign("Stu", 90, 3, "call-2")
    with (
        serving(campaign("Old", 90, 3), "Recorded.", again, "It waits.") as (address, _),
        open_office(tmp_path, address) as cmo,
    ):
        cmo.cycle("Start a search campaign 'Old' for everybody, 90 dollars a week for 3 weeks.")
        cmo.cycle("Start a search campaign 'Stu' for everybody, 200 dollars a week for 8 weeks.")
        assert [one[0] for one in ads(cmo)] == ["Old"]
        assert "weekly budget 90" in asked(cmo)


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("Should we start a search campaign 'Neg', 100 dollars a week for 2 weeks?", id="question"),
        pytest.param("Do not start the search campaign 'Neg' yet, 100 dollars a week for 2 weeks.", id="prohibition"),
    ],
)  # fmt: skip
def test_a_question_and_a_prohibition_start_nothing(tmp_path: Path, said: str) -> None:
    with serving(NEG, "I have not started it.") as (address, seen), open_office(tmp_path, address) as cmo:
        cmo.cycle(said)
        assert "Not done yet" in results(seen)
        assert (ads(cmo), cmo.world.questions(), orders(cmo)) == ([], [], [])


def test_the_same_call_again_is_not_made_twice(tmp_path: Path) -> None:
    again = use(NEG.name, "call-2", **NEG.arguments)
    with serving(NEG, again, "Recorded.") as (address, seen), open_office(tmp_path, address) as cmo:
        cmo.cycle("Start a search campaign 'Neg' for everybody, 100 dollars a week for 2 weeks.")
        assert (performed(cmo, NEG.name), len(orders(cmo))) == (1, 1)
        assert "made this call before" in results(seen)


def test_a_colleague_gets_no_number_that_the_person_did_not_say(tmp_path: Path) -> None:
    wrong = use("delegate", to="cfo", text="Please pay 4000 dollars to Globex.")
    right = use("delegate", "call-2", to="cfo", text="Please pay 400 dollars to Globex.")
    with serving(wrong, right, "I gave it to the CFO.") as (address, _), open_office(tmp_path, address) as cmo:
        cmo.cycle("Have the cfo pay 400 dollars to Globex.")
        (order,) = orders(cmo)
        assert "400 dollars" in str(order.slot("text", ""))


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_parallel_calls_have_a_result_each_and_a_refused_one_its_reason(tmp_path: Path, *, stream: bool) -> None:
    one, two = campaign("One", 110, 3, "a"), campaign("Two", 330, 6, "b")
    wrong = use("no_such_tool", "c")
    script: list[Served] = [[one, two, wrong], "Both are recorded."]
    with serving(*script) as (address, seen), open_office(tmp_path, address, stream=stream) as cmo:
        cmo.cycle(PAIR)
        assert sorted(ads(cmo)) == [("One", 110, 3), ("Two", 330, 6)]
        messages = seen[-1]["messages"]
        assert [turn["tool_call_id"] for turn in messages if turn["role"] == "tool"] == ["a", "b", "c"]
        assert "no tool 'no_such_tool'" in results(seen)


def test_an_approval_resumes_days_later_after_a_restart(tmp_path: Path) -> None:
    script: list[Served] = [
        campaign("Big", 2000, 4),
        "The campaign 'Big' waits for you.",
        "The campaign 'Big' is recorded.",
    ]
    with serving(*script) as (address, seen), open_office(tmp_path, address) as cmo:
        cmo.cycle(BIG)
        assert (ads(cmo), session(cmo).status) == ([], "waiting")
        cmo.world.later(days=4)
        cmo.world.restart()
        cmo.world.answer("approve")
        cmo.cycle()
        assert ads(cmo) == [("Big", 2000, 4)]
        assert "Update on record" in str(seen[-1]["messages"])
        assert told(cmo)[-1] == "The campaign 'Big' is recorded."


def test_a_refused_approval_ends_the_order(tmp_path: Path) -> None:
    script: list[Served] = [campaign("Big", 2000, 4), "It waits for you.", "You refused it; nothing was booked."]
    with serving(*script) as (address, seen), open_office(tmp_path, address) as cmo:
        cmo.cycle(BIG)
        cmo.world.answer("reject", feedback="Too dear.")
        cmo.cycle()
        assert "Too dear." in str(seen[-1]["messages"])
        assert (ads(cmo), [one.status for one in orders(cmo)]) == ([], ["failed"])
        assert told(cmo)[-1].startswith("You refused it; nothing was booked.\nYou rejected it")
        assert ("Too dear. Nothing" in told(cmo)[-1], session(cmo).status) == (True, "done")


def test_an_exhausted_budget_leaves_the_records_to_report(tmp_path: Path) -> None:
    limit: dict[str, Any] = {"budgets.cycle.model_calls": 1}
    with serving(campaign(), "Recorded.") as (address, seen), open_office(tmp_path, address, **limit) as cmo:
        cmo.cycle(SPRING)
        assert (ads(cmo), len(seen)) == ([("Spring", 90, 3)], 1)
        (made,) = cmo.world.business.campaigns.all()
        assert [made.id in reply for reply in told(cmo)].count(True) == 1
        cmo.cycle()
        assert performed(cmo, "ad_campaign_create") == 1


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_an_endpoint_that_dies_in_the_second_answer_of_parallel_work_repeats_nothing(
    tmp_path: Path, *, stream: bool
) -> None:
    both = [campaign("One", 110, 3, "a"), use("records", "b", section="campaigns")]
    with serving(both, DIES) as (address, _), open_office(tmp_path, address, stream=stream) as cmo:
        cmo.cycle("Start a search campaign 'One' for everybody, 110 dollars a week for 3 weeks.")
        cmo.cycle()
        assert (ads(cmo), performed(cmo, "ad_campaign_create"), len(told(cmo))) == ([("One", 110, 3)], 1, 1)


def test_no_word_of_completion_reaches_the_owner_without_a_call_that_took_effect(tmp_path: Path) -> None:
    orders_said = ("Write to Ann Bell and start the campaign 'Spring'.", "Stop the campaign 'Old'.", "Pause all ads.")
    words = ("Done.", "All is carried out as you asked, and everything is in place.", "I took care of it.")
    failing = [use("contractor_add", f"call-{number}", name="Ivo") for number in range(3)]
    script = [word for word in words for _ in range(2)] + ["Certainly."]
    told_wrong = ("I did as I was told.", "Certainly.", failing[0], "I have read the mails.", "Good.")
    with serving(*script, *failing, *told_wrong) as (address, _), open_office(tmp_path, address) as cmo:
        for said, word in zip(orders_said, words, strict=True):
            cmo.cycle(said)
            assert word not in told(cmo)[-1]
        cmo.cycle("Stop the campaign 'Old' now.")
        assert told(cmo)[-1].splitlines() == ["Certainly.", IDLE]
        for said in ("Add the contractor Ivo.", "Add the contractor Ivo again."):
            cmo.cycle(said)
            reply, line = told(cmo)[-1].splitlines()
            assert reply in ("Certainly.", "Good.")
            assert "contractor add" in line
        assert orders(cmo) == []
