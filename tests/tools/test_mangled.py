"""What a model, a stranger or a person's hand may write where a tool looks: told in a sentence, and nothing is lost."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.errors import Damaged
from mabos.configs.settings import EscalationContact
from mabos.nodes.open_workspaces import OpenWorkspaces
from mabos.society.decisions import Decision
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.catalogue.registry import Registry
from mabos.tools.gate.call import call
from mabos.tools.people.bidding import hours
from mabos.tools.people.notices import FILE, notify
from mabos.tools.runtime.effects import KEPT, Effect
from mabos.tools.runtime.services import Agent
from mabos.workspace.store import Put
from tests.tools.offices import office
from tests.world import World

AT = "2026-01-05T09:00:00.000Z"
MODULES = (
    "mind.bdi", "plans.planning", "knowledge.cases", "knowledge.rules", "people.communication", "people.workforce",
    "people.stakeholder", "business.integration",
)  # fmt: skip


@pytest.fixture
def company(tmp_path: Path) -> World:
    return office(tmp_path, tools=(*MODULES, "business.businesses"))


# --- cases


MANGLED = [
    {"cost": "abc"}, {"cost": "nan"}, {"cost": {"usd": 1}}, {"branches": 5}, {"branches": ["ab", "c"]},
    {"arguments": "zz"}, {"arguments": [1]}, {"preconditions": 5}, {"effects": 5},
]  # fmt: skip


@pytest.mark.parametrize("wrong", MANGLED, ids=str)
def test_a_case_whose_step_cannot_be_read_is_told_with_its_place(company: World, wrong: Mapping[str, Any]) -> None:
    goal = _goal(company)
    _case(company, "CASE-1", {"steps": [{"id": "x", "tool": "belief_get", **wrong}]})
    found = company.agent("ceo").ask("plan_adapt", source_case_id="CASE-1", target_goal_id=goal)
    assert (found.code, found.argument) == ("invalid_argument", "source_case_id")
    assert "step 1 of CASE-1 cannot be read" in found.message
    found = company.agent("ceo").ask("plan_generate", goal_id=goal, source="case")
    assert found.code == "invalid_argument"
    assert "step 1 of CASE-1 cannot be read" in found.message


@pytest.mark.parametrize("wrong", ["a\0b", "a b", "../x", "я" * 121])
def test_the_id_of_a_case_or_a_rule_is_one_that_keys_and_references_can_hold(company: World, wrong: str) -> None:
    found = company.agent("ceo").ask(
        "cbr_store", case_id=wrong, situation={"beliefs": ["a"]}, solution={}, outcome="success"
    )
    assert (found.code, found.argument) == ("invalid_argument", "case_id")
    given: Any = {"name": "r", "description": "", "type": "policy", "conditions": [{"predicate": "p"}], "action": "x"}
    found = company.agent("ceo").ask("rule_create", rule_id=wrong, **given)
    assert (found.code, found.argument) == ("invalid_argument", "rule_id")


def _goal(company: World) -> str:
    wanted = {"level": "operational", "description": "Reduce churn quickly", "target": "churn_rate < 3%"}
    known = {"subject": "churn_rate", "value": "4%", "certainty": 0.9, "source": "billing"}
    company.agent("ceo").do("belief_update", description="churn_rate is 4%", **known)
    return str(company.agent("ceo").do("goal_create", **wanted)["goal_id"])


def _case(company: World, case_id: str, solution: Mapping[str, Any]) -> None:
    situation = {"beliefs": ["churn_rate"], "desires": ["churn_rate"]}
    company.agent("ceo").do("cbr_store", case_id=case_id, situation=situation, solution=solution, outcome="success")


# --- bids, handoffs, notices


def test_a_duration_in_figures_is_hours() -> None:
    assert (hours(0.00001), hours(8), hours("2 days")) == (0.00001, 8, 48)


def test_what_agents_write_begins_no_header_of_a_notice(company: World) -> None:
    business, to = company.services.business("acme"), EscalationContact(name="Ann")
    notify(company.services, business, FILE, to, "Hello", subject="Offer\nBcc: everybody\n\nforged", key="offer-1")
    written = next((business.directory / "outbox" / FILE).iterdir()).read_text("utf-8")
    assert written.splitlines()[:3] == ["To: Ann", "Subject: Offer Bcc: everybody  forged", ""]


# --- decisions of no business


def test_what_a_person_is_asked_where_several_businesses_are_can_be_answered(tmp_path: Path) -> None:
    several = office(tmp_path, businesses=("acme", "beta"), style="hands-on", tools=(*MODULES, "business.businesses"))
    given = {"name": "Widget", "business_id": "acme"}
    asked = several.ask("stripe_create_product", **given)
    assert asked.awaiting
    answered = several.ask("decision_resolve", decision_id=asked.decision_id, resolution="approve")
    assert answered.ok, answered.message
    assert several.ask("stripe_create_product", **given).ok
    again = several.ask("stripe_create_product", **given)
    assert again.awaiting, "an approval is for one call"


def test_a_decision_of_a_business_is_told_once(tmp_path: Path) -> None:
    from mabos.tools.people.stakeholder import all_decisions

    several = office(tmp_path, businesses=("acme", "beta"))
    several.services.decisions("acme").request(Decision("DEC-1", "ceo", "Raise the price?", created_at=AT))
    assert [one.id for one in all_decisions(several.services)] == ["DEC-1"]


# --- effects


def test_a_call_that_was_begun_long_ago_and_ended_just_now_is_remembered(company: World) -> None:
    known = company.services.directory.effects("ceo")
    old = known.begin(Effect("old", "note", "d", AT))
    for number in range(KEPT + KEPT // 10):
        at = f"2026-01-06T00:00:00.{number % 1000:03}Z" if number < 1000 else f"2026-01-06T00:00:01.{number - 1000:03}Z"
        known.store.commit([Put("effects", f"K-{number}", _ended(f"K-{number}", at))])
    known.done(old, {"done": True}, "2026-01-07T00:00:00.000Z")
    known.done(known.begin(Effect("last", "note", "d", AT)), {}, "2026-01-07T00:00:01.000Z")
    kept = known.find("old")
    assert kept is not None
    assert kept.status == "done"


def test_an_effect_without_its_standing_is_one_that_was_begun(company: World) -> None:
    known = company.services.directory.effects("ceo")
    for number in range(KEPT + KEPT // 10 + 1):
        known.store.commit([Put("effects", f"K-{number}", _ended(f"K-{number}", AT))])
    known.store.commit([Put("effects", "mangled", {"id": "mangled", "tool": "note", "digest": "d", "begun_at": AT})])
    known.done(known.begin(Effect("new", "note", "d", AT)), {}, AT)
    assert known.find("mangled") is not None


@pytest.mark.parametrize(
    "wrong", [{"begun_at": None}, {"cost": "much"}, {"result": [1]}, {"broke_off": "yes"}], ids=str
)
def test_a_mangled_effect_is_damage_with_its_place(company: World, wrong: Mapping[str, Any]) -> None:
    known = company.services.directory.effects("ceo")
    known.store.commit([Put("effects", "K-1", {**_ended("K-1", AT), **wrong})])
    with pytest.raises(Damaged, match=f"effects.json: effect 'K-1': {next(iter(wrong))}"):
        known.find("K-1")


def _ended(key: str, at: str) -> dict[str, Any]:
    return {"id": key, "tool": "note", "digest": "d", "begun_at": AT, "status": "done", "ended_at": at, "error": "",
            "result": {}}  # fmt: skip


# --- results, and closing


def test_a_result_that_json_cannot_hold_is_told_as_far_as_it_can(company: World) -> None:
    def odd(agent: Agent) -> dict[str, Any]:
        """Return what no file can hold."""
        deep: list[Any] = []
        for _ in range(400):
            deep = [deep]
        return {"text": "half \ud83d", "count": 10**30, "huge": 10**400, "deep": deep, "agent": agent.id}

    world = company.variant(tools=Registry((), [Tool.of(odd, module="Memory", writes=True)]))
    found = call(world.services, "odd", {}, agent_id="ceo", key="K")
    assert found.ok, found.message
    assert (found.result["text"], found.result["count"], found.result["agent"]) == ("half ?", 1e30, "ceo")
    assert call(world.services, "odd", {}, agent_id="ceo", key="K").repeated


def test_a_defect_in_one_part_keeps_no_other_from_being_closed(company: World, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = list[str]()
    store = company.services.directory.stores_of("ceo").facts

    def broken() -> None:
        raise KeyError("defect")

    monkeypatch.setattr(type(company.services.index), "close", lambda _: closed.append("index"))
    monkeypatch.setattr(type(company.services.directory.stores_of("ceo")), "publish", lambda *_: broken())
    monkeypatch.setattr(store, "close", lambda: closed.append("facts"))
    with pytest.raises(KeyError, match="defect"):
        company.close()
    assert closed == ["facts", "index"]


def test_what_cannot_be_closed_keeps_no_workspace_open(company: World) -> None:
    places = OpenWorkspaces()
    home = places.hold(company.services.layout.root, lambda _: company.services)

    def broken() -> None:
        raise Damaged("perceived.json: line 1 is no JSON")

    closed = list[str]()
    home.on_close += [broken, lambda: closed.append("the rest")]
    with pytest.raises(Damaged, match="perceived"):
        places.release(company.services.layout.root)
    assert closed == ["the rest"]
    company.close()  # it is closed already, and closing twice is allowed
    assert company.services.closed.is_set()  # nothing else says so
