"""Orders of the office: each comes to slots that the handler of its request understands, exactly as they were given."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.language.request import Check, Reading, Request
from mabos.society.roles import STAKEHOLDER
from mabos.tools.requests.handlers import handler_of
from mabos.tools.requests.records import select
from mabos.tools.requests.response import Amend, Ask, Decline, Do, Response, Say, StepReport, Withdraw
from mabos.tools.runtime.services import Agent
from mabos.tools.work.office import ORDERS, call_reading, find_draft_orders, slots_of
from tests.world import World

CONTACTS = (
    {"email": "ada@lido.example", "name": "Ada Moor", "company": "Lido", "tags": ["swimmers", "east"]},
    {"email": "ben@lido.example", "name": "Ben Holt", "company": "Lido", "tags": ["swimmers", "west"]},
    {"email": "cleo@quay.example", "name": "Cleo Moor", "company": "Quay", "tags": ["rowers", "east"]},
)


@pytest.fixture
def world(tmp_path: Path) -> World:
    found = World(tmp_path)
    for one in CONTACTS:
        found.do("crm_create_contact", "cmo", **one)
    return found


def request_of(agent: Agent, reading: Reading, name: str = "1") -> Request:
    return Request(
        f"REQ-{name}", f"MSG-{name}", STAKEHOLDER, reading.act, reading.sentence, reading.operation, reading.slots,
        reading.missing, reading.refers_to, created_at=agent.now(),
    )  # fmt: skip


def handled(agent: Agent, name: str, arguments: Mapping[str, Any], key: str = "1") -> Response:
    request = request_of(agent, call_reading(agent, name, arguments), key)
    handler = handler_of(agent.services, request)
    assert handler is not None
    return handler(agent, request)


def kept(agent: Agent, name: str, arguments: Mapping[str, Any], key: str, status: Any = "open") -> Request:
    """Return an order that is on record."""
    request = replace(request_of(agent, call_reading(agent, name, arguments), key), status=status)
    agent.requests.save(request)
    return request


def test_every_order_has_a_schema_with_descriptions() -> None:
    for order in ORDERS.values():
        properties = order.spec.parameters["properties"]
        assert "agent_id" not in properties
        assert "$ref" not in str(order.spec.parameters)
        assert all(one.get("description") for one in properties.values()), order.name
        assert order.spec.description


def test_a_reminder_stands_for_its_day(world: World) -> None:
    response = handled(world.services.agent("ceo"), "remind", {"text": "Renew the lease", "date": "2026-05-04"})
    assert isinstance(response, Say)
    assert (response.status, response.data["wanted_by"][:10]) == ("standing", "2026-05-04")


def test_a_day_that_is_none_is_refused(world: World) -> None:
    with pytest.raises(InvalidArgument, match="ISO 8601"):
        call_reading(world.services.agent("ceo"), "remind", {"text": "Renew the lease", "date": "next Tuesday"})


@pytest.mark.parametrize(
    ("rhythm", "first"),
    [
        ({"every": "day"}, "2026-03-03"),
        ({"every": "week", "weekday": "Thursday"}, "2026-03-05"),
        ({"every": "week", "weekday": "Thursday", "interval": 2}, "2026-03-12"),
        ({"every": "month", "day": 31}, "2026-03-31"),
    ],
)
def test_a_regular_report_has_its_rhythm_and_figures(world: World, rhythm: dict[str, Any], first: str) -> None:
    response = handled(world.services.agent("cfo"), "report_regularly", {"figures": ["cash", "burn"], **rhythm})
    assert isinstance(response, Say)
    assert (response.status, response.data["wanted_by"][:10]) == ("standing", first)


def test_a_task_keeps_its_words_and_its_deadline(world: World) -> None:
    response = handled(world.services.agent("coo"), "task", {"text": "Sweep the chimney", "deadline": "2026-04-01"})
    assert isinstance(response, Do)
    assert (response.goal, response.deadline) == ("Sweep the chimney", "2026-04-01")


def test_a_figure_is_taken_up_with_its_target(world: World) -> None:
    world.do("metrics_record", "cfo", name="churn_rate", value=5)
    response = handled(
        world.services.agent("cfo"), "improve", {"metric": "churn_rate", "direction": "down", "target": 3}
    )
    assert isinstance(response, Say)
    assert "churn_rate <= 3" in response.text


def test_a_project_has_its_steps_in_order(world: World) -> None:
    order = {"title": "Terrace", "channel": "social", "segment": "all", "weekly_budget_usd": 40, "weeks": 3}
    steps = [
        {"text": "measure the terrace", "kind": "work"},
        {"text": "my yes on the drawing", "kind": "approval"},
        {"text": "advertise it", "kind": "operation", "operation": "ad_campaign_create",
         "arguments": {"name": "Terrace", **{k: v for k, v in order.items() if k != "title"}}},
        {"text": "invite the swimmers", "kind": "operation", "operation": "write_letter",
         "arguments": {"select": {"tags": "swimmers"}, "subject": "Terrace", "text": "It opens."}},
    ]  # fmt: skip
    response = handled(world.services.agent("cmo"), "project", {"title": "Terrace", "steps": steps})
    assert isinstance(response, Do)
    assert [one.tool for one in response.steps] == [
        "", "decision_request", "ad_campaign_create", "crm_tag_contacts", "email_campaign",
    ]  # fmt: skip
    assert not response.data["lacks"]


def test_a_step_that_cannot_be_done_is_refused_before_the_project_begins(world: World) -> None:
    steps = [
        {"text": "choose", "kind": "work"},
        {"text": "advertise", "kind": "operation", "operation": "ad_campaign_create", "arguments": {"name": "x"}},
    ]
    with pytest.raises(MabosError, match="step 2"):
        call_reading(world.services.agent("cmo"), "project", {"title": "Terrace", "steps": steps})


def test_colleagues_are_asked_by_role(world: World) -> None:
    questions = [{"to": "CFO", "question": "What do we owe?"}, {"to": "legal", "question": "When does the lease end?"}]
    response = handled(world.services.agent("ceo"), "ask_colleagues", {"questions": questions})
    assert isinstance(response, Do)
    assert [one.arguments.get("to") for one in response.steps[:2]] == ["cfo", "legal"]
    with pytest.raises(InvalidArgument, match="no colleague 'gardener'"):
        call_reading(world.services.agent("ceo"), "delegate", {"to": "gardener", "text": "Water the plants"})


def test_an_order_is_delegated_in_full(world: World) -> None:
    text = "Advertise the terrace on Facebook for 40 dollars a week, 3 weeks."
    response = handled(world.services.agent("ceo"), "delegate", {"to": "cmo", "text": text, "deadline": "2026-03-20"})
    assert isinstance(response, Do)
    assert (response.steps[0].arguments["content"], response.deadline) == (text, "2026-03-20")


def test_rules_are_written_down_and_lifted(world: World) -> None:
    agent = world.services.agent("cmo")
    handled(agent, "standing_rule", {"kind": "forbid", "words": "Nobody writes to Quay.", "who": "Quay"}, "1")
    cap = {"kind": "cap", "words": "At most 70 a week for ads.", "amount": 70, "per": "week"}
    handled(agent, "standing_rule", {**cap, "operations": ["ad_campaign_create"]}, "2")
    rules = {one.id: one for one in agent.business.instructions.all()}
    assert (rules["INS-1"].who, rules["INS-2"].amount, rules["INS-2"].per) == ("Quay", 70.0, "week")
    assert rules["INS-2"].operations == ("ad_campaign_create",)
    handled(agent, "standing_rule", {"kind": "lift", "words": "You may write to Quay again.", "rule": "INS-1"}, "3")
    assert [one.id for one in agent.business.instructions.all() if one.is_in_force] == ["INS-2"]


def test_a_letter_goes_to_exactly_those_who_are_selected(world: World) -> None:
    agent = world.services.agent("cmo")
    letter = {"subject": "Towels", "text": "Dear {{ name }}, towels cost 2 dollars from 1 May."}
    readers: dict[str, dict[str, Any]] = {
        "by tags": {"select": {"where": {"tags": {"all": ["swimmers", "east"]}}}},
        "by name": {"to": ["Ada Moor"]},
        "by address": {"to": ["ada@lido.example"]},
        "by both": {"to": ["Ada Moor", "Cleo Moor"], "select": {"where": {"company": "Lido"}}},
    }
    for how, chosen in readers.items():
        slots = {one.name: one.value for one in slots_of(agent, "write_letter", {**letter, **chosen})}
        assert [one["email"] for one in select(agent, slots["recipients"])] == ["ada@lido.example"], how
        assert slots["text"] == letter["text"]


def test_a_draft_is_laid_down_for_each_reader(world: World) -> None:
    arguments = {"select": {"tags": "swimmers"}, "subject": "Towels", "text": "From [date] on.", "draft": True}
    response = handled(world.services.agent("cmo"), "write_letter", arguments)
    assert isinstance(response, Do)
    (check,) = response.checks
    assert (check.section, check.minimum, check.maximum) == ("drafts", 2, 2)


@pytest.mark.parametrize(
    ("readers", "says"),
    [
        ({"to": ["Moor"]}, "may be"),
        ({"to": ["Zoe"]}, "no contact 'Zoe'"),
        ({"select": {"where": {"region": "north"}}}, "no field 'region'"),
        ({"select": {"where": {"tags": "divers"}}}, "no contact fits"),
        ({}, "say for whom"),
    ],
)
def test_readers_that_are_not_exact_are_refused(world: World, readers: dict[str, Any], says: str) -> None:
    with pytest.raises(InvalidArgument, match=says):
        call_reading(world.services.agent("cmo"), "write_letter", {"subject": "S", "text": "T", **readers})


def test_a_letter_with_blanks_is_not_sent(world: World) -> None:
    arguments = {"to": ["Ada Moor"], "subject": "Towels", "text": "They cost [price]."}
    with pytest.raises(InvalidArgument, match="blanks"):
        call_reading(world.services.agent("cmo"), "write_letter", arguments)


def test_an_order_is_changed_by_the_names_of_its_arguments(world: World) -> None:
    agent = world.services.agent("cmo")
    campaign = {"name": "Spa", "channel": "search", "segment": "all", "weekly_budget_usd": 90, "weeks": 2}
    kept(agent, "ad_campaign_create", campaign, "C")
    kept(agent, "report_regularly", {"figures": ["cash"], "every": "week", "weekday": "Monday"}, "R", "standing")
    kept(agent, "write_letter", {"to": ["Ada Moor"], "subject": "S", "text": "old"}, "L")
    changes: dict[str, dict[str, Any]] = {
        "REQ-C": {"weekly_budget_usd": 80},
        "REQ-R": {"weekday": "Friday", "figures": ["cash", "churn"]},
        "REQ-L": {"text": "new", "draft": True},
    }
    for key, new in changes.items():
        response = handled(agent, "change_order", {"request_id": key, "changes": new}, f"N-{key}")
        assert isinstance(response, Amend)
        assert response.request_id == key
        values = {one.name: one.value for one in response.slots}
        rhythm = values.pop("rhythm", {})
        assert {**values, **({"weekday": rhythm["weekday"]} if rhythm else {})} == new


def test_a_change_that_fits_no_argument_is_refused(world: World) -> None:
    agent = world.services.agent("cmo")
    campaign = {"name": "Spa", "channel": "search", "segment": "all", "weekly_budget_usd": 90, "weeks": 2}
    kept(agent, "ad_campaign_create", campaign, "C")
    with pytest.raises(InvalidArgument, match="has no 'colour'"):
        call_reading(agent, "change_order", {"request_id": "REQ-C", "changes": {"colour": "red"}})
    with pytest.raises(InvalidArgument, match="REQ-C"):
        call_reading(agent, "change_order", {"request_id": "REQ-X", "changes": {"weeks": 3}})


def test_an_order_is_withdrawn(world: World) -> None:
    agent = world.services.agent("coo")
    kept(agent, "task", {"text": "Sweep the chimney"}, "T")
    response = handled(agent, "withdraw_order", {"request_id": "REQ-T", "words": "forget it"}, "W")
    assert isinstance(response, Withdraw)
    assert response.request_id == "REQ-T"


def test_a_person_reports_steps_of_a_project(world: World) -> None:
    cycle = world.cycle("coo", "Plan the terrace as a project: 1. measure it; 2. my approval; 3. lay the boards.")
    assert cycle
    agent = world.services.agent("coo")
    (order,) = [one for one in agent.requests.all() if one.operation == "project"]
    response = handled(agent, "report_done", {"request_id": order.id, "steps": ["measure it"]}, "D")
    assert isinstance(response, StepReport)
    assert {key: len(steps) for key, steps in response.done.items()} == {order.id: 1}
    with pytest.raises(InvalidArgument, match="open:"):
        call_reading(agent, "report_done", {"request_id": order.id, "steps": ["paint it"]})


def test_a_call_of_an_operation_keeps_its_arguments(world: World) -> None:
    agent = world.services.agent("cmo")
    arguments = {"name": "Spa", "channel": "search", "segment": "all", "weekly_budget_usd": 90, "weeks": 2}
    reading = call_reading(agent, "ad_campaign_create", arguments)
    assert (reading.act, reading.operation) == ("order", "ad_campaign_create")
    assert {one.name: one.value for one in reading.slots} == arguments
    assert isinstance(handled(agent, "ad_campaign_create", arguments), Do)
    with pytest.raises(InvalidArgument, match="'channel' must be"):
        call_reading(agent, "ad_campaign_create", {**arguments, "channel": "balloon"})


def test_a_record_may_be_given_by_its_name(world: World) -> None:
    world.do("stakeholder_profile", approval_threshold_usd=10_000)
    order = {"name": "Spa", "channel": "search", "segment": "all", "weekly_budget_usd": 90, "weeks": 2}
    world.do("ad_campaign_create", "cmo", **order)
    response = handled(world.services.agent("cmo"), "ad_campaign_manage", {"campaign_id": "Spa", "action": "pause"})
    assert isinstance(response, Do)
    assert response.steps[0].arguments["campaign_id"] != "Spa"


def test_nothing_is_answered_with_a_question_or_a_refusal(world: World) -> None:
    """Valid orders need nothing more than their arguments."""
    valid: Mapping[str, dict[str, Any]] = {
        "remind": {"text": "Ring the bank", "date": "2026-06-01"},
        "task": {"text": "Collect the cups", "deadline": "2026-06-01"},
        "write_letter": {"to": ["Ben Holt"], "subject": "Lockers", "text": "They are new."},
    }
    for name, arguments in valid.items():
        assert not isinstance(handled(world.services.agent("cmo"), name, arguments, name), Ask | Decline), name


def test_the_id_of_a_message_means_its_only_order(world: World) -> None:
    agent = world.services.agent("coo")
    one = kept(agent, "task", {"text": "Sweep the chimney"}, "T-W1")
    agent.requests.save(replace(one, data={"work": "REQ-T"}))
    agent.requests.save(Request("REQ-T", "MSG-T", STAKEHOLDER, "order", "Sweep it", "work"))
    assert call_reading(agent, "withdraw_order", {"request_id": "REQ-T"}).refers_to == "REQ-T-W1"
    agent.requests.save(replace(one, id="REQ-T-W2", data={"work": "REQ-T"}))
    with pytest.raises(InvalidArgument, match="REQ-T-W2"):
        call_reading(agent, "withdraw_order", {"request_id": "REQ-T"})


def laid_down(agent: Agent, subject: str, number: int) -> Request:
    """Keep an order whose letter was laid down as drafts."""
    letter = {"select": {"tags": "swimmers"}, "subject": subject, "text": f"{subject} are new.", "draft": True}
    order = kept(agent, "write_letter", letter, f"L{number}", "done")
    data = {"tag": f"letter-{number}", "letter": {"subject": subject, "text": f"{subject} are new."}}
    made = replace(order, checks=(Check("drafts"),), data=data)
    agent.requests.save(made)
    return made


def test_the_letters_that_wait_as_drafts_are_sent_by_name(world: World) -> None:
    agent = world.services.agent("cmo")
    with pytest.raises(InvalidArgument, match="no draft"):
        call_reading(agent, "send_drafts", {})
    towels, lockers = laid_down(agent, "Towels", 1), laid_down(agent, "Lockers", 2)
    with pytest.raises(InvalidArgument, match=rf"{towels.id} 'Towels'; {lockers.id} 'Lockers'"):
        call_reading(agent, "send_drafts", {})
    for number, (letter, text) in enumerate((("towels", "Towels are new."), (lockers.id, "Lockers are new."))):
        world.do("crm_tag_contacts", "cmo", tag=f"letter-{number + 1}", list="swimmers")
        response = handled(agent, "send_drafts", {"letter": letter}, f"S{number}")
        assert isinstance(response, Do)
        assert response.steps[-1].arguments["text"] == text


def test_drafts_that_were_sent_wait_no_longer(world: World) -> None:
    agent = world.services.agent("cmo")
    towels, lockers = laid_down(agent, "Towels", 1), laid_down(agent, "Lockers", 2)
    kept(agent, "send_drafts", {"letter": "Towels"}, "S1", "done")
    assert [one.id for one in find_draft_orders(agent)] == [lockers.id]
    assert call_reading(agent, "send_drafts", {}).refers_to == lockers.id
    with pytest.raises(InvalidArgument, match=lockers.id):
        call_reading(agent, "send_drafts", {"letter": towels.id})
