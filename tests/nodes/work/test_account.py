"""Under a reply stand the records of what its orders came to, as far as the reply does not say it."""

from collections.abc import Sequence

import pytest

from mabos.backends.chat import ToolUse
from tests.nodes.work.conftest import Office
from tests.nodes.work.working import Scripted, Working, campaign, orders, session, told, use
from tests.world import Member

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
BIG = "Start a search campaign 'Big' for everybody, 2000 dollars a week for 4 weeks."
WAITS = "The campaign 'Big' waits for your approval."


def after(office: Office, said: str, *script: Scripted) -> Member:
    cmo = office(Working(*script))
    cmo.cycle(said)
    return cmo


def extra(cmo: Member, reply: str) -> list[str]:
    """Return the lines under the last reply, which begins with these words."""
    last = told(cmo)[-1]
    assert last.startswith(reply)
    return last.removeprefix(reply).strip().splitlines()


def test_what_was_done_and_is_not_said_stands_under_the_reply_with_its_record(office: Office) -> None:
    reply = "Search is a good choice."
    cmo = after(office, ORDER, campaign(), reply)
    (made,) = cmo.world.business.campaigns.all()
    (line,) = extra(cmo, reply)
    assert made.id in line
    assert "$90" in line


@pytest.mark.parametrize(
    "reply",
    [
        "The campaign 'Spring' is recorded on search: $90 a week for 3 weeks, $270 in total.",
        "'Spring' is on record: 90 dollars a week, three weeks, on search.",
        "I recorded Spring. No advertising platform is connected.",
    ],
)
def test_what_the_reply_says_is_not_said_again(office: Office, reply: str) -> None:
    assert extra(after(office, ORDER, campaign(), reply), reply) == []


def test_a_denial_of_what_was_done_does_not_hide_it(office: Office) -> None:
    reply = "The campaign 'Spring' could not be started."
    cmo = after(office, ORDER, campaign(), reply, reply)
    (made,) = cmo.world.business.campaigns.all()
    assert made.id in told(cmo)[-1]


@pytest.mark.parametrize("claim", ["The campaign 'Big' is recorded.", "'Big' has been booked and is running."])
def test_a_completion_that_is_claimed_while_the_call_waits_is_removed_and_the_wait_is_told(
    office: Office, claim: str
) -> None:
    cmo = after(office, BIG, campaign("Big", 2000, 4), claim, claim)
    (decision,) = cmo.world.questions()
    (reply,) = told(cmo)
    assert claim not in reply
    assert decision.id in reply


def test_what_was_refused_is_told_where_the_model_is_silent_about_it(office: Office) -> None:
    cmo = after(office, BIG, campaign("Big", 2000, 4), WAITS, "Search remains a good choice.")
    (decision,) = cmo.world.questions()
    cmo.world.answer("reject")
    cmo.cycle()
    (line,) = extra(cmo, "Search remains a good choice.")
    assert decision.id in line
    assert cmo.world.business.campaigns.all() == ()


def test_a_refusal_that_the_reply_tells_is_not_told_twice(office: Office) -> None:
    reply = "You rejected the campaign 'Big', so nothing was recorded."
    cmo = after(office, BIG, campaign("Big", 2000, 4), WAITS, reply)
    cmo.world.answer("reject")
    cmo.cycle()
    assert extra(cmo, reply) == []


def test_a_call_that_was_mended_leaves_no_line_about_its_failure(office: Office) -> None:
    reply = "The campaign 'Spring' is recorded on search."
    cmo = after(office, ORDER, campaign(weekly=-5), campaign(call="call-2"), reply)
    assert extra(cmo, reply) == []


@pytest.mark.parametrize(
    ("calls", "is_kept"), [((), False), ((use("remind", text="look at the licence", date="2026-03-20"),), True)]
)
def test_a_promise_reaches_the_person_only_with_a_record_that_keeps_it(
    office: Office, calls: Sequence[ToolUse], is_kept: bool
) -> None:
    promise = "I'll remind you about the licence on 20 March 2026."
    said = f"Search is a good choice. {promise}"
    script: list[Scripted] = [*calls, said] if is_kept else [said, said]
    cmo = after(office, "Remind me on 20 March to look at the licence.", *script)
    assert (promise in told(cmo)[-1]) == is_kept
    assert session(cmo).complained != is_kept
    assert len(orders(cmo)) == len(calls)
