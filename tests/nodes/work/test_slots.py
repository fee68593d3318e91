"""Each value of a call is bound to the words for its slot: the wrong call is stopped, and the right one passes."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from bench.tau_desk import Desk, Talk
from mabos.backends.chat import ToolUse
from mabos.configs.yaml_file import read_yaml
from mabos.tools.catalogue.functions import own_tool
from tests.nodes.work.conftest import Office
from tests.nodes.work.working import Scripted, Working, campaign, orders, performed, session, use
from tests.world import Member

CASES = read_yaml(Path(__file__).with_name("slots_cases.yaml"))


def ads(cmo: Member) -> list[tuple[str, str, float, int]]:
    """Return the campaigns on record."""
    return [(one.name, one.channel, one.weekly_budget_usd, one.weeks) for one in cmo.world.business.campaigns.all()]


def ad(name: str, weekly: float, weeks: int, channel: str = "search", call: str = "call-1") -> ToolUse:
    made = campaign(name, weekly, weeks, call)
    return use(made.name, call, **{**made.arguments, "channel": channel})


def posters(title: str, budget: float, deadline: str = "", call: str = "call-1") -> ToolUse:
    due = {"deadline": deadline} if deadline else {}
    return use(
        "work_package_create", call, title=title, description=title, required_skills=[], budget_usd=budget, **due
    )


def reasons(member: Member) -> str:
    """Return why the owner is asked."""
    return " ".join(reason for one in member.world.questions() for reason in one.reasons)


# --- amounts ------------------------------------------------------------------


@dataclass
class Till:
    """A user's own tool that pays, and what it paid."""

    paid: list[tuple[str, float]] = field(default_factory=list)

    def pay(self, payee: str, amount_usd: float) -> dict[str, Any]:
        """Pay somebody.

        Args:
            payee: Who gets it.
            amount_usd: Dollars.
        """
        self.paid.append((payee, amount_usd))
        return {"payee": payee, "amount_usd": amount_usd, "status": "done"}


Counter = Callable[[Working], tuple[Till, Talk]]


@pytest.fixture
def counter(tmp_path: Path) -> Iterator[Counter]:
    """Yield a function that opens a desk whose only tool of its own pays."""
    opened = []

    def start(model: Working) -> tuple[Till, Talk]:
        till = Till()
        desk = Desk(tmp_path / "desk", [own_tool(till.pay, writes=True, reversible=False)], "# Till\n").opened(model)
        opened.append(desk)
        return till, desk.__enter__()

    yield start
    for one in opened:
        one.__exit__(None, None, None)


def pay(payee: str, amount: float, call: str = "call-1") -> ToolUse:
    return use("pay", call, payee=payee, amount_usd=amount)


@pytest.mark.parametrize(
    ("said", "payee", "amount", "is_paid"), CASES["an_amount_is_paid_to_whom_the_person_named_with_it"]
)
def test_an_amount_is_paid_to_whom_the_person_named_with_it(
    counter: Counter, said: str, payee: str, amount: float, *, is_paid: bool
) -> None:
    till, talk = counter(Working(pay(payee, amount), "I have put it on record."))
    talk.say(said)
    assert till.paid == ([(payee, amount)] if is_paid else [])
    assert [one.action for one in talk.waiting() if one.action is not None] == (
        [] if is_paid else [{**talk.waiting()[0].action, "arguments": {"payee": payee, "amount_usd": amount}}]  # type: ignore[dict-item]  # it has an action
    )


SWAP = "Start a social campaign named 'Swap', 100 dollars a week for two weeks."
PAIR = "Start search campaigns for everybody: 'One' 110 dollars a week for 3 weeks, 'Two' 330 for 6 weeks."


@pytest.mark.parametrize(
    ("said", "order", "missing"),
    [
        (SWAP, ad("Swap", 2, 100, "social"), "weekly budget 2"),
        (SWAP, ad("Swap", 200, 2, "social"), "weekly budget 200"),
        (SWAP, ad("Swap", 100, 2, "search"), "channel search"),
        (SWAP, ad("Other", 100, 2, "social"), "Swap"),
        ("Start 'Ulm' on search and 'Bonn' on social, each a campaign of 50 dollars a week for 2 weeks.",
         ad("Ulm", 50, 2, "social"), "channel social"),
        ("Start a social campaign 'Pro', 100 dollars a week for 5 weeks.", ad("Pro", 20, 5, "social"), "budget 20"),
        (PAIR, ad("One", 330, 3), "weekly budget 330"),
        (PAIR, ad("Two", 330, 3), "weeks 3"),
        ("Order flyers for 60 dollars. Start a search campaign 'Mai', 90 dollars a week for 3 weeks.",
         posters("Flyers", 90), "budget 90"),
        ("Order flyers for 60 dollars by 6 March and banners for 80 dollars by 20 March.",
         posters("Banners", 80, "2026-03-06"), "2026-03-06"),
        ("Order flyers for the fair on 20 March, 60 dollars, by 10 March.",
         posters("Flyers", 60, "2026-03-20"), "2026-03-20"),
    ],
)  # fmt: skip
def test_the_owner_sees_the_exact_call_where_a_value_belongs_elsewhere(
    office: Office, said: str, order: ToolUse, missing: str
) -> None:
    cmo = office(Working(order, "It waits for you."))
    cmo.cycle(said)
    (decision,) = cmo.world.questions()
    assert missing in str(decision.reasons)
    assert decision.action is not None
    assert decision.action["tool"] == order.name
    assert (ads(cmo), cmo.world.business.workforce.packages.all()) == ([], ())


@pytest.mark.parametrize(
    ("said", "made"),
    [
        (SWAP, [ad("Swap", 100, 2, "social")]),
        (PAIR, [ad("One", 110, 3, call="a"), ad("Two", 330, 6, call="b")]),
        ("Could you get a campaign called 'Mai' going on Instagram? 90 a week, five weeks, for all. Thanks!",
         [ad("Mai", 90, 5, "social")]),
        ("My budget is 1200 dollars in all. Please run a search campaign 'Mai' with it over four weeks.",
         [ad("Mai", 300, 4)]),
        ("Start a search campaign 'Mai' until 30 March, 90 dollars a week.", [ad("Mai", 90, 4)]),
        ("Start 'Ulm' on search and 'Bonn' on social, each a campaign of 50 dollars a week for 2 weeks.",
         [ad("Ulm", 50, 2, call="a"), ad("Bonn", 50, 2, "social", "b")]),
        ("We'd like a search campaign, 'Mai', for a month. 90 dollars a week.", [ad("Mai", 90, 4)]),
    ],
)  # fmt: skip
def test_what_the_person_said_is_done_without_a_question(office: Office, said: str, made: list[ToolUse]) -> None:
    cmo = office(Working(list(made), "Recorded."))
    cmo.cycle(said)
    assert reasons(cmo) == ""
    assert [one[0] for one in ads(cmo)] == [one.arguments["name"] for one in made]


def test_an_earlier_order_gives_no_values_to_one_that_has_its_own(office: Office) -> None:
    old, again = ad("Old", 90, 3), ad("Older", 90, 3, call="call-2")
    cmo = office(Working(old, "Recorded.", again, "It waits for you."))
    cmo.cycle("Start a search campaign 'Old', 90 dollars a week for 3 weeks.")
    cmo.cycle("Start a search campaign 'Stu', 2000 dollars a week for 8 weeks.")
    assert [one[0] for one in ads(cmo)] == ["Old"]
    assert "2000" in reasons(cmo)


@pytest.mark.parametrize(
    ("then", "made"),
    [
        ("The same on social please, but only for two weeks.", ("Old", "social", 90, 2)),
        ("And one on social called 'Neu' for the same money and time.", ("Neu", "social", 90, 3)),
    ],
)
def test_what_an_order_leaves_open_comes_from_the_order_before(
    office: Office, then: str, made: tuple[Any, ...]
) -> None:
    name, channel, weekly, weeks = made
    cmo = office(Working(ad("Old", 90, 3), "Recorded.", ad(name, weekly, weeks, channel, "call-2"), "Recorded."))
    cmo.cycle("Start a search campaign 'Old', 90 dollars a week for 3 weeks.")
    cmo.cycle(then)
    assert ads(cmo)[1:] == [made]


@pytest.mark.parametrize(
    ("said", "weekly", "is_done"),
    [
        ("Raise the weekly budget of 'Old' by 10 percent.", 99, True),
        ("Raise the weekly budget of 'Old' by 10 dollars.", 100, True),
        ("Cut the weekly budget of 'Old' by 10%.", 81, True),
        ("Raise the weekly budget of 'Old' by 10 percent.", 81, False),
        ("Raise the weekly budget of 'Old' by 10 percent.", 110, False),
        ("Raise the weekly budget of 'Old'.", 99, False),
    ],
)
def test_a_share_of_what_is_on_record_is_the_persons_value(
    office: Office, said: str, weekly: float, *, is_done: bool
) -> None:
    def changed(_: object) -> ToolUse:
        return use("change_order", "c", request_id=orders(cmo)[0].id, changes={"weekly_budget_usd": weekly})

    cmo = office(Working(ad("Old", 90, 3), "Recorded.", changed, "I looked at it."))
    cmo.cycle("Start a search campaign 'Old', 90 dollars a week for 3 weeks.")
    cmo.cycle(said)
    assert [one[2] for one in ads(cmo)][-1] == (weekly if is_done else 90)


@pytest.mark.parametrize(("text", "is_asked"), [
    ("Dear {{ name }}, the rent is 900 dollars and the deposit 1800 dollars.", False),
    ("Dear {{ name }}, the deposit is 900 dollars and the rent 1800 dollars.", True),
])  # fmt: skip
def test_a_value_in_a_letter_is_that_of_its_own_thing(office: Office, text: str, *, is_asked: bool) -> None:
    cmo = office(Working(use("write_letter", subject="Rent", text=text, to=["Ada Fern"], draft=False), "It waits."))
    cmo.world.do("crm_create_contact", email="ad@example.com", name="Ada Fern", source="fair")
    cmo.cycle("Write to Ada that the rent is 900 dollars and the deposit 1800 dollars.")
    assert ("not in what you said" in reasons(cmo)) is is_asked


# --- documents and mails ------------------------------------------------------

OFFER = "Offer of Brandt & Co\n\nSearch advertising: 300 dollars a week.\n"


@pytest.mark.parametrize(
    ("said", "is_booked"),
    [
        ("Book the search campaign 'Mai' as in offer.md, for 2 weeks.", True),
        ("Start a search campaign 'Mai' for 2 weeks at what the offer says.", True),
        ("Look at offer.md. Start a search campaign 'Mai' for 2 weeks.", False),
        ("Start a search campaign 'Mai' for 2 weeks.", False),
        ("Start a search campaign 'Mai' for 2 weeks.\n\n> From: Brandt <b@example.com>\n> 300 dollars a week.", False),
    ],
)
def test_an_amount_of_a_document_counts_where_the_order_points_at_it(
    office: Office, said: str, *, is_booked: bool
) -> None:
    cmo = office(Working(ad("Mai", 300, 2), "It is with you."))
    cmo.world.write("businesses/acme/inbox/offer.md", OFFER)
    cmo.cycle(said)
    assert ads(cmo) == ([("Mai", "search", 300, 2)] if is_booked else [])
    assert ("weekly budget 300" in reasons(cmo)) is not is_booked
    if is_booked:
        (order,) = orders(cmo)
        assert {one["place"] for one in order.data["grounds"] if one["slot"] == "weekly_budget_usd"} == {"offer.md"}


# --- wishes -------------------------------------------------------------------

AD = ad("Neg", 100, 2, "social")


@pytest.mark.parametrize(
    "said",
    [
        "Do not start the social campaign 'Neg' yet, 100 dollars a week for 2 weeks.",
        "Should we start a social campaign 'Neg', 100 dollars a week for 2 weeks?",
        "Would it be wise to start a social campaign 'Neg', 100 dollars a week for 2 weeks? Just your opinion.",
        "What would a social campaign 'Neg' bring us, at 100 dollars a week for 2 weeks?",
        "Tell me what you think of a social campaign 'Neg', 100 dollars a week for 2 weeks.",
        "We should not start the social campaign 'Neg', 100 dollars a week for 2 weeks.",
        "How are sales? And don't start the campaign 'Neg', 100 dollars a week for 2 weeks.",
        "Remind me on 9 March of the fair, but do not start the social campaign 'Neg' yet: 100 a week, 2 weeks.",
    ],
)
def test_a_question_or_a_ban_starts_nothing_and_a_model_that_insists_leaves_it_to_the_owner(
    office: Office, said: str
) -> None:
    model = Working(AD, use(AD.name, "call-2", **AD.arguments), "It is with you.")
    cmo = office(model)
    cmo.cycle(said)
    assert ads(cmo) == []
    assert "Not done yet" in model.said(1)
    assert "call-1" not in [one.data["use"] for one in orders(cmo)]
    (decision,) = cmo.world.questions()
    assert decision.action is not None
    assert decision.action["arguments"]["weekly_budget_usd"] == 100
    cmo.world.answer("approve")
    cmo.cycle()
    assert len(ads(cmo)) == 1


@pytest.mark.parametrize(
    "said",
    [
        "Can you start a social campaign 'Neg', 100 dollars a week for 2 weeks?",
        "Would you please start a social campaign 'Neg', 100 dollars a week for 2 weeks? How are sales, by the way?",
        "Don't forget to start the social campaign 'Neg': 100 dollars a week for 2 weeks.",
        "Start a social campaign 'Neg', 100 dollars a week for 2 weeks, but do not write to anybody about it yet.",
        "Don't start the search campaign, start the social one: 'Neg', 100 dollars a week for 2 weeks.",
        "I would like to have a social campaign 'Neg', 100 dollars a week for 2 weeks. Is that all right?",
        "The social campaign 'Neg' may begin: 100 dollars a week for 2 weeks, and never more than that.",
    ],
)
def test_an_order_in_whatever_form_is_carried_out(office: Office, said: str) -> None:
    cmo = office(Working(AD, "Recorded."))
    cmo.cycle(said)
    assert ads(cmo) == [("Neg", "social", 100, 2)]
    assert cmo.world.questions() == []


def test_a_question_needs_no_duty_and_no_task(office: Office) -> None:
    model = Working(
        [use("task", "a", text="Look into ads"), use("remind", "b", text="Look into ads", date="2026-03-09")],
        "I think that they would help.",
    )
    cmo = office(model)
    cmo.cycle("Do you think that ads would help us by 9 March?")
    assert orders(cmo) == []
    assert model.said().count("Not done yet") == 2


def test_an_order_under_a_condition_waits_until_something_was_looked_up(office: Office) -> None:
    looked = use("records", "call-2", section_="metrics")
    model = Working(AD, looked, use(AD.name, "call-3", **AD.arguments), "Recorded.")
    cmo = office(model)
    cmo.cycle("If churn is below 90, start a social campaign 'Neg', 100 dollars a week for 2 weeks.")
    assert "condition" in model.said(1)
    assert len(ads(cmo)) == 1


# --- the same call ------------------------------------------------------------


def test_the_same_call_of_a_session_is_made_once(office: Office) -> None:
    again: list[Scripted] = [use(AD.name, f"call-{number}", **AD.arguments) for number in (3, 4)]
    model = Working([AD, use(AD.name, "call-2", **AD.arguments)], *again, "Recorded.")
    cmo = office(model)
    cmo.cycle("Start a social campaign 'Neg', 100 dollars a week for 2 weeks.")
    assert (len(ads(cmo)), performed(cmo, AD.name), len(orders(cmo))) == (1, 1, 1)
    assert model.said().count("made this call before") == 3
    assert session(cmo).status == "done"


def test_a_new_message_may_want_the_same_again(office: Office) -> None:
    order = posters("Posters", 40)
    cmo = office(Working(order, "Set up.", use(order.name, "call-2", **order.arguments), "Set up again."))
    cmo.cycle("Order posters for 40 dollars.")
    cmo.cycle("Order posters for 40 dollars once more, please.")
    assert len(cmo.world.business.workforce.packages.all()) == 2


# --- small records ------------------------------------------------------------


def metric(value: float, name: str = "customers") -> ToolUse:
    return use("metrics_record", name=name, value=value)


def note(text: str) -> ToolUse:
    return use("memory_store_item", content=text, importance=0.7)


@pytest.mark.parametrize(
    ("said", "call", "is_done"),
    [
        ("We won 400 new customers.", metric(400), True),
        ("We won 400 new customers.", metric(4000), False),
        ("We won 400 new customers. Isn't that great?", metric(400), True),
        ("How many customers have we?", metric(99), False),
        ("Please read offer.md and tell me what they offer.", metric(99, "churn_rate"), False),
        ("Record the churn of offer.md.", metric(99, "churn_rate"), True),
        ("Tag all contacts as winter.", use("crm_tag_contacts", tag="winter"), True),
        ("Tag Ada Fern as winter.", use("crm_tag_contacts", tag="winter"), False),
        ("Tag all contacts as winter.", use("crm_tag_contacts", tag="evil"), False),
        ("How many contacts have we?", use("crm_tag_contacts", tag="evil"), False),
        ("Note that our rent is 900 dollars.", note("The rent is 900 dollars."), True),
        ("Note that our rent is 900 dollars.", note("The rent is 9000 dollars."), False),
    ],
)
def test_small_records_hold_what_the_person_said(office: Office, said: str, call: ToolUse, *, is_done: bool) -> None:
    model = Working(call, "That is a small record.")
    cmo = office(model)
    for name in ("Ada Fern", "Bea Lind"):
        cmo.world.do("crm_create_contact", email=f"{name[:2].lower()}@example.com", name=name, source="fair")
    cmo.world.write("businesses/acme/inbox/offer.md", "The churn rate of the market is 99.\n")
    cmo.cycle(said)
    assert (performed(cmo, call.name) == 1) is is_done
    assert [one.operation for one in orders(cmo)] == ([call.name] if is_done else [])
    assert cmo.world.questions() == []


@pytest.mark.parametrize(("day", "is_kept"), [("2026-12-01", True), ("2026-12-04", False), ("2026-11-30", False)])
def test_a_reminder_is_for_the_day_that_was_said_of_it(office: Office, day: str, *, is_kept: bool) -> None:
    model = Working(use("remind", text="prepare the meeting of 4 December", date=day), "Noted.")
    cmo = office(model)
    cmo.cycle("Remind me on 1 December to prepare the meeting of 4 December.")
    assert [one.status for one in orders(cmo)] == (["standing"] if is_kept else [])
    assert ("Not done" not in model.said()) is is_kept


def test_a_correction_has_the_value_for_the_slot_that_it_changes(office: Office) -> None:
    def changed(field_: str) -> Callable[[object], ToolUse]:
        return lambda _: use("change_order", f"c-{field_}", request_id=orders(cmo)[0].id, changes={field_: 200})

    cmo = office(Working(ad("Big", 2000, 3), "It waits.", changed("weeks"), changed("weekly_budget_usd"), "Changed."))
    cmo.cycle("Start a search campaign 'Big', 2000 dollars a week for 3 weeks.")
    cmo.cycle("No, make it 200 dollars a week instead.")
    assert ads(cmo) == [("Big", "search", 200, 3)]


# --- colleagues ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_passed"),
    [
        ("Please pay 400 dollars to Globex by 9 March, the owner asks.", True),
        ("Please pay 400000 dollars to Globex by 9 March.", False),
        ("Please pay 400 dollars to Initech by 9 March.", False),
        ("Please pay 400 dollars to Globex by 19 March.", False),
    ],
)
def test_what_a_colleague_gets_has_the_persons_numbers_dates_and_names(
    office: Office, text: str, *, is_passed: bool
) -> None:
    model = Working(use("delegate", to="cfo", text=text), "I gave it to the CFO.")
    cmo = office(model)
    cmo.cycle("Have the cfo pay 400 dollars to Globex by 9 March.")
    assert [one.operation for one in orders(cmo)] == (["delegate"] if is_passed else [])
    assert ("Not done" not in model.said()) is is_passed


# --- readers ------------------------------------------------------------------


@pytest.mark.parametrize(("to", "is_asked"), [("Bea Lind", False), ("Ada Fern", True)])
def test_a_letter_goes_to_whom_this_message_names(office: Office, to: str, *, is_asked: bool) -> None:
    def letter(name: str, call: str) -> ToolUse:
        return use("write_letter", call, subject="Hello", text="Dear {{ name }}, good day.", to=[name], draft=False)

    cmo = office(Working(letter("Ada Fern", "a"), "It waits.", letter(to, "b"), "It waits."))
    for name in ("Ada Fern", "Bea Lind"):
        cmo.world.do("crm_create_contact", email=f"{name[:2].lower()}@example.com", name=name, source="fair")
    cmo.cycle("Write a letter to Ada: good day.")
    cmo.cycle("Now write one to Bea: good day.")
    assert ("as a reader" in reasons(cmo)) is is_asked


# --- why ----------------------------------------------------------------------


def test_why_shows_the_words_that_each_value_comes_from(office: Office) -> None:
    cmo = office(Working(ad("Mai", 300, 4), "Recorded."))
    cmo.cycle("Please run a search campaign 'Mai' for 1200 dollars in all, over four weeks.")
    (made,) = cmo.world.business.campaigns.all()
    (order,) = orders(cmo)
    grounds = {one["slot"]: one for one in order.data["grounds"]}
    assert grounds["weekly_budget_usd"]["how"] == "1200 / 4 = 300"
    assert grounds["weekly_budget_usd"]["place"] == order.message_id
    assert "four weeks" in grounds["weeks"]["words"]
    chain = str(cmo.world.why(made.id).as_json())
    assert "1200 / 4 = 300" in chain
    assert order.id in chain
