"""Duties, questions, rules and letters as records show them."""

from pathlib import Path

import pytest

from mabos.tools.requests.records import section
from tests.tools.requests.test_orders import said
from tests.world import Member, World


def owner_heard(member: Member) -> int:
    return len(member.world.services.inbox("stakeholder").messages())


def test_a_report_comes_on_its_days_tells_no_old_figure_as_new_and_ends_after_its_number(coo: Member) -> None:
    coo.cycle("Each Friday send me the loaves, and stop after the second. Nothing new? Then say so.")
    coo.world.do("metrics_record", "coo", name="loaves", value=731)
    coo.world.later(days=4)
    coo.cycle()
    assert "731" in said(coo)
    heard = owner_heard(coo)
    coo.world.later(days=3)
    coo.cycle()
    assert owner_heard(coo) == heard
    coo.world.later(days=4)
    coo.cycle()
    assert owner_heard(coo) == heard + 1
    assert "731" not in said(coo)
    assert [one.status for one in coo.handle.requests.all() if one.operation == "report_regularly"] == ["done"]


def test_a_reminder_in_a_rhythm_comes_back(coo: Member) -> None:
    coo.cycle("Every Friday remind me to water the plants.")
    for _ in range(2):
        heard = owner_heard(coo)
        coo.world.later(days=7)
        coo.cycle()
        assert owner_heard(coo) == heard + 1
        assert "water the plants" in said(coo)


def test_what_is_only_reminded_of_does_not_count_as_done(coo: Member) -> None:
    coo.cycle("The Welsh contract has to be translated by 20 March. Nudge me two days before.")
    coo.world.later(days=17)
    coo.cycle()
    coo.cycle("Is the Welsh contract finished?")
    assert not said(coo).startswith("Yes")
    assert [one.deadline[:10] for one in coo.handle.mind.goals if "Welsh" in one.description] == ["2026-03-20"]


def test_colleagues_are_said_to_be_asked_exactly_where_a_message_to_them_is_on_record(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        ceo = world.quiet("ceo")
        ceo.cycle("How many ovens do we have? Ask the CFO and the COO, each of them.")
        for one in ("cfo", "coo"):
            sent = [m for m in world.services.inbox(one).messages() if m.sender == "ceo" and "ovens" in m.content]
            assert [m.performative for m in sent] == ["QUERY"]


def test_a_rule_about_one_channel_leaves_the_others_alone(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        cmo = world.quiet("cmo")
        world.do("stakeholder_profile", approval_threshold_usd=1000, decision_style="strategic-only")
        cmo.cycle("From now on we do no advertising on social any more.")
        assert [one.channel for one in world.business.instructions.all()] == ["social"]
        for channel in ("social", "search"):
            cmo.cycle(f"Start a campaign 'Tea {channel}' on {channel} for everybody, 50 dollars a week for 2 weeks.")
        asked = [
            one.subject for one in world.services.decisions("acme").all() if "your instruction" in str(one.reasons)
        ]
        assert len(asked) == 1
        assert "social" in asked[0]


@pytest.mark.parametrize(
    ("message", "hindrance"),
    [
        ("Go on the Castle website and tell me what they charge.", "browse"),
        ("Have a look whether the light over the pool is still on.", "look"),
    ],
)
def test_what_nobody_can_look_at_is_refused_and_leaves_no_goal(coo: Member, message: str, hindrance: str) -> None:
    goals = len(coo.handle.mind.goals)
    coo.cycle(message)
    (request,) = coo.handle.requests.all()
    assert (request.status, request.slot("impossible")) == ("refused", hindrance)
    assert len(coo.handle.mind.goals) == goals


def test_a_letter_takes_its_new_text_and_leaves_out_whom_the_words_leave_out(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        cmo = world.quiet("cmo")
        for name in ("Joe Baker", "Ada Pell", "Tom Voss"):
            world.do("crm_create_contact", name=name, email=f"{name.split()[1].lower()}@x.example", tags=["rower"])
        cmo.cycle(
            "Send a letter to everyone tagged rower, but nothing to Baker. Subject: Lock. Text: The lock is shut 4 May."
        )
        cmo.cycle("Stop, that's wrong. The text should be: The lock is shut on 4 and 5 May.")
        (waiting,) = [one for one in world.services.decisions("acme").all() if one.open]
        assert "2 people" in waiting.subject
        assert "4 and 5 May" in str(waiting.action)
        assert not section(cmo.handle, "letters")


def test_a_day_before_which_nothing_may_begin_is_no_deadline(coo: Member) -> None:
    coo.cycle("Order a work package 'Gutters' for 200 dollars, but not before 1 May.")
    assert not coo.world.business.workforce.packages.all()


def test_a_reminder_counts_from_a_day_on_record_and_asks_where_there_is_none(coo: Member) -> None:
    inbox = coo.handle.business.directory / "inbox"
    inbox.mkdir(parents=True, exist_ok=True)
    (inbox / "hearings.csv").write_text("matter,court,date\nDale v Moor,County Court,2026-03-20\n", "utf-8")
    coo.cycle("Nudge me two days before the Dale hearing.")
    (reminder,) = [one for one in coo.handle.requests.all() if one.operation == "remind"]
    assert (reminder.status, reminder.wanted_by[:10]) == ("standing", "2026-03-18")
    coo.cycle("Remind me two days before the party.")
    assert coo.handle.requests.all()[-1].status == "asking"
    coo.cycle("Send 40 pounds of vouchers to our three best members.")  # a bare number is no day
    coo.cycle("May we give Brook & Lane credit again?")  # and this "May" is no month
    assert [one.slot("date", "") for one in coo.handle.requests.all() if one.sentence.startswith("Remind me two")] == [
        ""
    ]
    coo.world.later(days=16)
    coo.cycle()
    assert "Dale" in said(coo)
