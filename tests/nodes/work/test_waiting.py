"""Orders that wait: for the owner's answer, for a colleague, for the person; the session goes on days later."""

from mabos.backends.chat import ToolUse
from tests.nodes.work.conftest import Office
from tests.nodes.work.working import Scripted, Working, campaign, orders, performed, session, told, use
from tests.world import Member

BIG = (
    "Start a search campaign 'Big' for everybody, 2000 dollars a week for 4 weeks. Then remind me on 20 March to "
    "look at it."
)
REMIND = use("remind", "call-2", text="look at the campaign 'Big'", date="2026-03-20")


def asked(office: Office, *after: Scripted) -> Member:
    cmo = office(Working(campaign("Big", 2000, 4), "The campaign 'Big' waits for you.", *after))
    cmo.cycle(BIG)
    return cmo


def model_of(cmo: Member) -> Working:
    model = cmo.services.model
    found = getattr(model, "model", model)
    assert isinstance(found, Working)
    return found


def test_an_order_that_waits_is_said_to_wait_with_its_decision_and_cost(office: Office) -> None:
    cmo = asked(office)
    (decision,) = cmo.world.questions()
    assert decision.cost == 8000
    (reply,) = told(cmo)
    assert decision.id in reply, "the model did not name it, so the records do"
    assert (session(cmo).status, session(cmo).waits_for) == ("waiting", (orders(cmo)[0].id,))
    assert cmo.world.business.campaigns.all() == ()


def test_while_nothing_changes_the_model_is_not_asked_and_nobody_is_told_again(office: Office) -> None:
    cmo = asked(office)
    for _ in range(3):
        cmo.world.later(hours=5)
        assert cmo.cycle().outcome == "idle"
    assert len(model_of(cmo).works) == 2
    assert len(told(cmo)) == 1


def test_an_approval_days_later_and_after_a_restart_performs_it_once_and_the_session_goes_on(office: Office) -> None:
    cmo = asked(office, REMIND, "The campaign 'Big' is recorded, and I remind you on 20 March 2026.")
    cmo.world.later(days=2)
    cmo.world.restart()
    cmo.world.answer("approve")
    cmo.cycle()
    (made,) = cmo.world.business.campaigns.all()
    assert (made.weekly_budget_usd, made.weeks) == (2000, 4)
    campaign_order, reminder = orders(cmo)
    assert (campaign_order.status, reminder.status) == ("done", "standing")
    assert reminder.wanted_by.startswith("2026-03-20")
    assert told(cmo)[1:] == ["The campaign 'Big' is recorded, and I remind you on 20 March 2026."]
    assert "Update on record" in model_of(cmo).said()
    for _ in range(2):
        cmo.cycle()
    assert performed(cmo, "ad_campaign_create") == 1
    assert (len(model_of(cmo).works), session(cmo).status) == (4, "done")


def test_that_the_owner_approved_it_may_be_said_of_what_the_owner_approved_alone(office: Office) -> None:
    said = "You approved it: the campaign 'Big' is recorded."
    cmo = asked(office, said)
    (decision,) = cmo.world.questions()
    cmo.world.answer("approve")
    cmo.cycle()
    assert told(cmo)[1:] == [said]
    assert f"The owner approved it ({decision.id})" in model_of(cmo).said()
    assert not session(cmo).complained


def test_a_duty_that_a_session_took_on_is_done_on_its_day_without_the_model(office: Office) -> None:
    cmo = asked(office, REMIND, "I remind you on 20 March 2026.")
    cmo.world.answer("approve")
    cmo.cycle()
    cmo.world.later(days=18)
    cmo.cycle()
    assert "look at the campaign 'Big'" in told(cmo)[-1]
    assert len(model_of(cmo).works) == 4


def test_where_the_model_is_away_when_the_answer_comes_the_records_are_the_report(office: Office) -> None:
    cmo = asked(office)
    cmo.world.answer("approve")
    cmo.cycle()
    (made,) = cmo.world.business.campaigns.all()
    assert made.id in told(cmo)[1]
    assert session(cmo).status == "done"


def test_an_order_that_waits_is_changed_in_a_later_message_and_asked_about_anew(office: Office) -> None:
    def changed(_: object) -> ToolUse:
        return use("change_order", request_id=orders(cmo)[0].id, changes={"weekly_budget_usd": 1500})

    cmo = asked(office, changed, "I changed the campaign 'Big' to $1,500 a week; it waits for you.")
    (before,) = cmo.world.questions()
    cmo.cycle("No, make it 1500.")
    (after,) = cmo.world.questions()
    assert (after.id != before.id, after.cost) == (True, 6000)
    cmo.world.answer("approve")
    cmo.cycle()
    assert [one.weekly_budget_usd for one in cmo.world.business.campaigns.all()] == [1500]


def test_an_order_that_waits_is_withdrawn_and_its_question_with_it(office: Office) -> None:
    def withdrawn(_: object) -> ToolUse:
        message = cmo.handle.requests.all()[0].id  # the message stands for its one order
        return use("withdraw_order", request_id=message, words="Forget it")

    cmo = asked(office, withdrawn, "I leave it; nothing is booked.")
    cmo.cycle("Forget the big campaign.")
    assert cmo.world.questions() == []
    assert orders(cmo)[0].status == "withdrawn"
    cmo.cycle()
    assert {one.status for one in cmo.handle.work.all()} == {"done"}


def test_a_question_back_waits_for_the_answer_which_starts_the_work(office: Office) -> None:
    cmo = office(
        Working(
            "For how many weeks shall the campaign 'Spring' run?",
            campaign(),
            "The campaign 'Spring' is recorded for 3 weeks.",
        )
    )
    cmo.cycle("Start a search campaign 'Spring' for everybody, 90 dollars a week.")
    (work,) = cmo.handle.requests.all()
    assert (work.status, cmo.services.inbox("stakeholder").messages()[-1].performative) == ("asking", "QUERY")
    cmo.cycle("3 weeks.")
    assert [one.weeks for one in cmo.world.business.campaigns.all()] == [3]
    assert cmo.world.questions() == []
    assert cmo.handle.requests.one(work.id).status == "answered"


def test_what_a_colleague_was_asked_comes_back_as_an_update(office: Office) -> None:
    ask = use("ask_colleagues", questions=[{"to": "cfo", "question": "Which budget is left for advertising?"}])
    model = Working(
        ask,
        "I asked the CFO and report the answer.",
        "There is no budget for advertising on record.",  # the CFO's session
        "The CFO answered: there is no budget for advertising on record.",
    )
    cmo = office(model)
    cmo.world.agent("cfo").want_nothing()
    cmo.cycle("Ask the CFO which budget is left for advertising.")
    assert session(cmo).status == "waiting"
    cmo.world.cycle("cfo")
    cmo.cycle()
    assert told(cmo)[-1] == "The CFO answered: there is no budget for advertising on record."
    assert session(cmo).status == "done"


def test_an_order_that_was_handed_on_is_done_by_the_colleague_with_the_persons_values(office: Office) -> None:
    order = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
    model = Working(
        use("delegate", to="cmo", text=order),
        "I gave this to the CMO.",
        campaign(),
        "The campaign 'Spring' is recorded.",
        "The CMO reports: the campaign 'Spring' is recorded.",
    )
    cmo = office(model)
    ceo = cmo.world.quiet("ceo")
    ceo.cycle(f"Tell the CMO: {order}")
    cmo.cycle()
    ceo.cycle()
    assert [one.name for one in cmo.world.business.campaigns.all()] == ["Spring"]
    assert cmo.world.questions() == [], "the person behind the colleague said every value"
    assert [one.status for one in orders(ceo)] == ["done"]
    assert told(ceo)[-1] == "The CMO reports: the campaign 'Spring' is recorded."


def test_work_of_a_person_is_done_when_the_person_reports_it(office: Office) -> None:
    def reported(_: object) -> ToolUse:
        return use("report_done", request_id=orders(cmo)[0].id, steps=["Paint the shop window"])

    model = Working(
        use("task", text="Paint the shop window", deadline="2026-03-20"),
        "I keep this until you report it, by 20 March 2026.",
        reported,
        "Noted: the shop window is painted.",
    )
    cmo = office(model)
    cmo.cycle("Somebody must paint the shop window by 20 March.")
    (task, *_) = orders(cmo)
    assert (task.status, cmo.mind.goal(task.goal_id).deadline[:10]) == ("underway", "2026-03-20")
    cmo.cycle("The shop window is painted.")
    assert cmo.handle.requests.one(task.id).status == "done"
    cmo.cycle()
    assert {one.status for one in cmo.handle.work.all()} == {"done"}


def test_a_figure_that_should_move_is_a_wish_with_its_target(office: Office) -> None:
    cmo = office(Working(use("improve", metric="churn", direction="down", target=3), "I take this up as a goal."))
    cmo.world.do("metrics_record", "cmo", name="churn", value=5, unit="%")
    cmo.cycle("Bring churn down to 3 percent.")
    assert [one.target for one in cmo.mind.desires if one.status == "active"] == ["churn <= 3"]
