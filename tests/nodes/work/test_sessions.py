"""A model works on a message: its orders are requests, their records are the results, and the reply is supported."""

from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ChatModel, ToolUse
from mabos.backends.recording import RecordedModel, Replayed
from mabos.tools.work.office import ORDERS
from mabos.tools.work.reads import READS
from tests.nodes.work.conftest import Office
from tests.nodes.work.working import Working, campaign, orders, performed, session, told, use
from tests.world import WORDS_ALONE, Member, World

ORDER = "Start a search campaign named 'Spring' for everybody: 90 dollars a week for 3 weeks."
REPORT = "The campaign 'Spring' is recorded on search: $90 a week for 3 weeks, $270 in total."
PEOPLE = {"Ada Fern": "wholesale", "Bo Lind": "wholesale", "Cy Reed": "retail"}


def with_people(cmo: Member) -> None:
    for name, tag in PEOPLE.items():
        address = f"{name.split()[0].lower()}@example.com"
        made = cmo.world.do("crm_create_contact", email=address, name=name, tags=[tag], source="fair")
        assert made["contact_id"]


def test_a_campaign_is_booked_exactly_as_asked_and_leads_back_to_the_message(office: Office) -> None:
    model = Working(campaign(), REPORT)
    cmo = office(model)
    cmo.cycle(ORDER)
    (made,) = cmo.world.business.campaigns.all()
    assert (made.name, made.channel, made.segment, made.weekly_budget_usd, made.weeks) == (
        "Spring", "search", "all", 90, 3,
    )  # fmt: skip
    (order,) = orders(cmo)
    assert (order.operation, order.status, cmo.mind.goal(order.goal_id).status) == (
        "ad_campaign_create", "done", "achieved",
    )  # fmt: skip
    assert (session(cmo).status, performed(cmo, "ad_campaign_create")) == ("done", 1)
    assert told(cmo) == [REPORT]
    reasons = str(cmo.world.why(made.id).as_json())
    assert order.goal_id in reasons
    assert order.message_id in reasons
    assert cmo.handle.inbox.unread() == ()


def test_the_model_sees_the_whole_message_its_tools_and_each_result_as_data(office: Office) -> None:
    model = Working(campaign(), REPORT)
    cmo = office(model)
    cmo.cycle(ORDER)
    first, second = model.works
    assert [one.role for one in first.messages] == ["system", "user"]
    assert first.messages[1].content.endswith(f"</data>\n\n{ORDER}")
    assert {"ad_campaign_create", "find_operations", "look_up", "records"} <= {one.name for one in first.tools}
    assert len(first.tools) <= cmo.services.settings.work.tools
    answer, result = second.messages[2:]
    assert (answer.role, result.role, result.tool_use_id) == ("assistant", "tool", "call-1")
    assert result.content.startswith("<data>")
    assert "$270" in result.content


def test_the_instructions_name_only_tools_that_are_offered(office: Office) -> None:
    model = Working("We have none.", campaign(), REPORT, "As before.")
    cmo = office(model)
    cmo.cycle("Which campaigns do we have?")
    (first,) = model.works
    shown = " ".join(f"{one.name} {one.description}" for one in first.tools)
    system = first.messages[0].content
    tools = [name for name in (*ORDERS, *READS) if "_" in name]
    assert [name for name in tools if name in system and name not in shown] == []
    assert ("find_operations" in system, "change_order" in system) == (True, False), "there is no order to change yet"
    cmo.cycle(ORDER)
    cmo.cycle("Which campaigns do we have now?")
    assert "change_order" in model.works[-1].messages[0].content


def test_a_letter_is_drafted_to_exactly_the_contacts_that_were_selected(office: Office) -> None:
    letter = use(
        "write_letter", subject="New catalogue", text="Dear {{ name }}, our new catalogue is out.",
        select={"where": {"tags": "wholesale"}}, draft=True,
    )  # fmt: skip
    cmo = office(Working(letter, "Two drafts of 'New catalogue' are in mail/drafts, not sent."))
    with_people(cmo)
    cmo.cycle("Draft a letter to our wholesale contacts: our new catalogue is out. I want to read it first.")
    drafts = cmo.world.business.directory.glob("mail/drafts/**/*.eml")
    assert len(list(drafts)) == 2
    (order,) = orders(cmo)
    assert order.status == "done"
    assert order.checks[0].maximum == 2
    tagged = [one.name for one in cmo.world.business.customers.contacts.all() if order.data["tag"] in one.tags]
    assert tagged == ["Ada Fern", "Bo Lind"]
    assert cmo.world.business.mailings.letters.all() == ()


def test_parallel_calls_have_a_result_each_and_every_effect_once(office: Office) -> None:
    both = [campaign("Spring", call="a"), campaign("Summer", 40, 2, call="b")]
    model = Working(both, "Both campaigns are recorded: 'Spring' and 'Summer'.")
    cmo = office(model)
    cmo.cycle(
        "Start two search campaigns for everybody: 'Spring' 90 dollars a week for 3 weeks, 'Summer' 40 for 2 weeks."
    )
    assert [(one.name, one.weekly_budget_usd) for one in cmo.world.business.campaigns.all()] == [
        ("Spring", 90), ("Summer", 40),
    ]  # fmt: skip
    results = [one for one in model.works[-1].messages if one.role == "tool"]
    assert [one.tool_use_id for one in results] == ["a", "b"]


def test_servers_that_count_their_calls_anew_mix_nothing_up(office: Office) -> None:
    model = Working(campaign("Spring"), campaign("Summer", 40, 2), "Both are recorded.")
    cmo = office(model)
    cmo.cycle("Start search campaigns for everybody: 'Spring' 90 dollars a week for 3 weeks, 'Summer' 40 for 2 weeks.")
    assert len({one.id for one in orders(cmo)}) == len(cmo.world.business.campaigns.all()) == 2


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (campaign(weekly=-5), "weekly_budget_usd"),
        (ToolUse("call-1", "ad_campaign_create", {}, "the arguments are no JSON: {name: "), "no JSON"),
        (use("start_ads", name="Spring"), "find_operations"),
        (use("email_campaign", name="x", subject="y", text="z"), "write_letter"),
        (use("decision_resolve", decision_id="DEC-1", resolution="approve"), "people"),
    ],
)
def test_a_call_that_cannot_be_made_is_answered_with_what_is_wrong_and_can_be_mended(
    office: Office, wrong: ToolUse, hint: str
) -> None:
    model = Working(wrong, campaign(call="call-2"), REPORT)
    cmo = office(model)
    cmo.cycle(ORDER)
    assert hint in model.said(1)
    assert [one.weekly_budget_usd for one in cmo.world.business.campaigns.all()] == [90]
    assert [one.operation for one in orders(cmo)] == ["ad_campaign_create"]


def test_an_operation_that_was_found_is_shown_from_then_on(office: Office) -> None:
    model = Working(use("find_operations", query="hire a contractor for work"), "I found what there is.")
    cmo = office(model)
    cmo.cycle("Hello, what can you do about people?")
    before, after = ({one.name for one in call.tools} for call in model.works)
    found = set(session(cmo).shown)
    assert found
    assert found <= after
    assert before != after


def test_looking_something_up_has_no_effect_and_leaves_no_order(office: Office) -> None:
    model = Working(use("records", section="campaigns"), "There are no campaigns on record.")
    cmo = office(model)
    cmo.cycle("Which campaigns do we have?")
    assert orders(cmo) == []
    assert told(cmo) == ["There are no campaigns on record."]


@pytest.mark.parametrize(
    ("invented", "kept"),
    [
        ("The campaign 'Spring' is recorded. It will bring 4,711 visitors.", "The campaign 'Spring' is recorded."),
        ("The campaign 'Spring' is recorded. I sent the invoice.", "The campaign 'Spring' is recorded."),
    ],
)
def test_what_nothing_supports_is_sent_back_once_and_then_removed(office: Office, invented: str, kept: str) -> None:
    model = Working(campaign(), invented, invented)
    cmo = office(model)
    cmo.cycle(ORDER)
    assert len(model.works) == 3, "sent back once, and no more"
    assert told(cmo) == [kept]


def test_an_answer_that_was_mended_is_sent_as_it_is(office: Office) -> None:
    model = Working(campaign(), "It is sent and running, and 4,711 people saw it.", REPORT)
    cmo = office(model)
    cmo.cycle(ORDER)
    assert told(cmo) == [REPORT]


def test_where_nothing_is_left_of_a_reply_the_records_speak(office: Office) -> None:
    model = Working(campaign(), "4,711 people saw it.", "4,711 people saw it.")
    cmo = office(model)
    cmo.cycle(ORDER)
    (reply,) = told(cmo)
    assert "4,711" not in reply
    assert cmo.world.business.campaigns.all()[0].id in reply


def test_a_colleagues_question_is_answered_by_the_model(office: Office) -> None:
    cmo = office(Working("No campaign is on record."))
    cmo.hear("How many campaigns do we have?", "asked", "ceo", "QUERY")
    cmo.cycle()
    (answer,) = [one for one in cmo.world.agent("ceo").messages("cmo") if one.reply_to == "MSG-asked"]
    assert (answer.performative, answer.content) == ("INFORM", "No campaign is on record.")


def test_each_use_of_a_tool_is_one_line_of_the_streamed_phases(office: Office) -> None:
    both = [use("records", "a", section="campaigns"), campaign(call="b")]
    cmo, events = office(Working(both, REPORT)), list[Any]()
    cmo.cycle(ORDER, on_event=events.append)
    done = [one["noted"] for one in events if one["phase"] == "act" and one["status"] == "done"]
    assert [one["tool"] for one in done if "tool" in one] == ["records", "ad_campaign_create"]
    assert [one["phase"] for one in events if one["status"] == "done" and one["phase"] in ("act", "work")] == [
        "act", "work", "act", "act", "work",
    ]  # fmt: skip


@pytest.mark.parametrize("settings", [{"models.active": "none"}, {"models.work": False}])
def test_without_a_model_or_where_it_may_not_work_rules_read_the_message(tmp_path: Path, settings: Any) -> None:
    model = Working(campaign("Other"), "Done.") if "models.work" in settings else None
    more: dict[str, Any] = {"model": model} if model else {}
    with World(tmp_path / "workspace", settings=settings, **more) as world:
        cmo = world.quiet("cmo")
        cmo.cycle(ORDER)
        assert [one.name for one in world.business.campaigns.all()] == ["Spring"]
        assert cmo.handle.work.all() == ()
        assert not (world.path("agents/cmo") / "work.json").exists()
        assert model is None or model.works == []


def test_a_session_is_had_again_from_its_recording_also_across_a_restart(tmp_path: Path) -> None:
    def played(name: str, model: ChatModel) -> tuple[list[str], list[str]]:
        with World(tmp_path / name, model=model, settings=WORDS_ALONE) as world:
            cmo = world.quiet("cmo")
            cmo.cycle("Start a search campaign 'Big' for everybody, 2000 dollars a week for 4 weeks.")
            world.later(days=1)
            world.restart()
            world.answer("approve")
            cmo.cycle()
            return [one.rpartition("(DEC")[0] for one in told(cmo)], [one.status for one in orders(cmo)]

    path = tmp_path / "calls.jsonl"
    script = Working(campaign("Big", 2000, 4), "The campaign 'Big' waits.", "The campaign 'Big' is recorded.")
    first = played("one", RecordedModel(script, path))
    again = Replayed(path)
    assert played("two", again) == first
    assert again.unused == 0
