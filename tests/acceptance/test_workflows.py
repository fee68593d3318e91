"""S3 section 14: a sales process with lanes is made by tools, checked, tied to a goal, run by agents and a person."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.mind.model import Goal
from mabos.society.bpmn.document import read
from mabos.tools.gate.call import call
from tests.world import Member, World


class Sales(Member):
    """The CEO of a small ceo, who makes the sales process."""

    def where(self) -> dict[str, str]:
        """Return the labels that wait, with what for."""
        return {one["label"]: one["for"] for one in self.do("workflow_status", workflow_id="sales")["waits"]}

    def run(self, *agents: str) -> list[str]:
        """Return the outcome of a cycle of each of these agents."""
        return [self.world.cycle(one).outcome for one in agents]

    def answer(self, resolution: str, **more: Any) -> None:
        """Answer the one question that a workflow asks."""
        waiting = self.world.questions()
        of_runs = [one.id for one in waiting if one.id.startswith("DEC-WR-")]
        (asked,) = of_runs or [one.id for one in waiting if one.action]
        self.world.answer(resolution, asked, **more)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def ceo(root: Path) -> Iterator[Sales]:
    with World.small(root) as world:
        yield Sales(world, "ceo")


def sales(ceo: Sales, **more: Any) -> None:
    """Make an enterprise sales process: CFO qualifies, CTO shows, the CEO's offer is approved by a person."""
    ceo.do("workflow_create", name="Enterprise Sales", workflow_id="sales", **more)
    for agent in ("cfo", "cto", "ceo"):
        ceo.do("bpmn_add_lane", workflow_id="sales", name=agent.upper(), assignee=agent, lane_id=f"lane_{agent}")

    def node(kind: str, node_id: str, name: str, lane: str = "", **given: Any) -> None:
        home = {"lane_id": f"lane_{lane}"} if lane else {}
        ceo.do("bpmn_add_node", workflow_id="sales", type=kind, node_id=node_id, name=name, **home, **given)

    node("startEvent", "lead", "Lead arrives", "cfo")
    node("scriptTask", "value", "Work out the value", "cfo", script="value = seats * 100")
    node("exclusiveGateway", "big", "Big enough?", "cfo")
    node("serviceTask", "demo", "Demo call", "cto", tool="memory_store_item",
         arguments={"content": "{'Demo for ' + customer}", "importance": 0.7})  # fmt: skip
    node("userTask", "offer", "Approve the offer", "ceo")
    node("boundaryEvent", "late", "No answer", attached_to="offer", trigger="timer", when="P3D")
    node("serviceTask", "note", "Note the win", "ceo", tool="fact_assert", arguments={
        "subject": "{customer}", "predicate": "deal_value", "object": "{text(price)}",
        "confidence": 0.9, "source": "workflow"})  # fmt: skip
    node("endEvent", "won", "Won", "ceo")
    node("endEvent", "lost", "Lost", "cfo")
    for source, target, given in (
        ("lead", "value", {}), ("value", "big", {}), ("big", "demo", {"name": "yes", "condition": "value > 1000"}),
        ("big", "lost", {"name": "no", "default": True}), ("demo", "offer", {}), ("offer", "note", {}),
        ("note", "won", {}), ("late", "lost", {}),
    ):  # fmt: skip
        ceo.do("bpmn_connect", workflow_id="sales", to=target, **{"from": source}, **given)


def test_a_sales_process_is_made_checked_and_run_by_three_agents_and_a_person(ceo: Sales, root: Path) -> None:
    goal = Goal("G-sales", "Win enterprise customers", level="strategic", created="2026-01-01", updated="2026-01-01")
    ceo.services.agent("ceo").mind.save(goal)
    sales(ceo, goal_id="G-sales")
    checked = ceo.do("workflow_validate", workflow_id="sales")
    assert checked["valid"], checked["text"]
    seen = ceo.do("workflow_inspect", workflow_id="sales")
    assert seen["missing_to_run"] == []
    assert [way["steps"][-1] for one in seen["ways"] for way in one["ways"]] == ["Won", "Lost", "Lost"]
    file = read((root / "businesses" / "acme" / "workflows" / "sales.bpmn").read_bytes())
    assert set(file.model.nodes) <= set(file.model.shapes)

    ceo.do("workflow_status", workflow_id="sales", status="running", variables={"customer": "Globex", "seats": 50})
    assert ceo.where() == {"Work out the value": "script"}
    assert ceo.run("cto") == ["idle"]
    assert ceo.run("cfo", "cfo") == ["acted", "idle"]
    assert ceo.where() == {"Demo call": "service"}
    ceo.run("cto")
    assert ceo.services.agent("cto").memory.recall("demo Globex")[0].content == "Demo for Globex"
    ceo.run("ceo", "ceo")
    evaluated = ceo.do("goal_evaluate", goal_id="G-sales")
    assert (evaluated["workflows"], evaluated["progress"]) == ({"sales": 0.5}, 50.0)
    (wait,) = ceo.do("workflow_status", workflow_id="sales")["waits"]
    assert (wait["label"], wait["who"]) == ("Approve the offer", "ceo")
    ceo.answer("modify", modifications={"price": 4500})
    ceo.run("ceo")
    found = ceo.do("workflow_status", workflow_id="sales")
    assert (found["status"], found["progress"], found["variables"]["price"]) == ("completed", 1.0, 4500)
    assert ceo.do("fact_query", subject="Globex")["facts"][0]["object"] == "4500"
    assert ceo.services.agent("ceo").mind.value("sales", "status") == "completed"
    assert (root / "businesses" / "acme" / "workflows" / "sales.svg").read_text().startswith("<svg")


def test_a_person_who_says_no_and_a_timer_that_runs_out_take_the_ways_that_the_process_has(ceo: Sales) -> None:
    sales(ceo)
    ceo.do("workflow_status", workflow_id="sales", status="running", variables={"customer": "Globex", "seats": 50})
    ceo.run("cfo", "cto", "ceo")
    ceo.world.later(days=3)
    ceo.run("ceo")
    assert ceo.do("workflow_status", workflow_id="sales")["outcome"] == "every path has ended"
    again = ceo.do("workflow_status", workflow_id="sales", status="running", variables={"customer": "X", "seats": 9})
    assert again["status"] == "running"
    ceo.run("cfo")
    assert ceo.do("workflow_status", workflow_id="sales")["status"] == "completed"


def test_a_run_goes_on_in_another_process_where_it_stood_and_does_nothing_twice(ceo: Sales) -> None:
    sales(ceo)
    given = {"customer": "Globex", "seats": 50}
    ceo.do("workflow_status", workflow_id="sales", status="running", variables=given)
    ceo.run("cfo")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mabos.tools.workflow.running._save_run", _die)
        with pytest.raises(KeyboardInterrupt):
            ceo.run("cto")  # the demo is done, and the process dies before that is written
    ceo.world.restart()
    ceo.run("cto")
    assert ceo.where() == {"Approve the offer": "user"}
    cto = ceo.world.agent("cto")
    held = [hit.content for hit in cto.handle.memory.recall("demo Globex", limit=20) if hit.item]
    assert held.count("Demo for Globex") == 1
    assert len([one for one in ceo.services.ledger.entries("cto") if one.body.get("tool") == "memory_store_item"]) == 1


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_what_nothing_decides_is_put_before_a_person_who_chooses_the_way(ceo: Sales) -> None:
    ceo.do("workflow_create", name="Fork", workflow_id="sales")
    for kind, node_id in (("startEvent", "s"), ("exclusiveGateway", "x"), ("endEvent", "a"), ("endEvent", "b")):
        ceo.do("bpmn_add_node", workflow_id="sales", type=kind, node_id=node_id, name=node_id)
    for flow, source, target in (("f1", "s", "x"), ("left", "x", "a"), ("right", "x", "b")):
        ceo.do("bpmn_connect", workflow_id="sales", flow_id=flow, to=target, **{"from": source})
    ceo.do("workflow_status", workflow_id="sales", status="running")
    ceo.run("ceo")
    ceo.answer("approve", chosen_option="right")
    ceo.run("ceo")
    found = ceo.do("workflow_status", workflow_id="sales")
    assert found["status"] == "completed"
    run = ceo.services.business().workflows.runs.one(found["run_id"])
    assert run.came_to == ("s", "x", "b")


def test_what_costs_too_much_waits_for_the_owner_and_happens_once(ceo: Sales) -> None:
    ceo.do("workflow_create", name="Spend", workflow_id="sales")
    ceo.do("bpmn_add_lane", workflow_id="sales", name="CEO", assignee="ceo", lane_id="l")
    given = {"title": "Build it", "description": "All of it", "required_skills": [], "budget_usd": 10_000}
    task = {"tool": "work_package_create", "arguments": given}
    for kind, node_id in (("startEvent", "s"), ("serviceTask", "t"), ("endEvent", "e")):
        more: dict[str, Any] = task if node_id == "t" else {}
        ceo.do("bpmn_add_node", workflow_id="sales", type=kind, node_id=node_id, name=node_id, lane_id="l", **more)
    for source, target in (("s", "t"), ("t", "e")):
        ceo.do("bpmn_connect", workflow_id="sales", to=target, **{"from": source})
    ceo.do("workflow_status", workflow_id="sales", status="running")
    ceo.run("ceo", "ceo")
    assert ceo.services.business().workforce.packages.all() == ()
    ceo.answer("approve")
    ceo.run("ceo", "ceo")
    assert ceo.do("workflow_status", workflow_id="sales")["status"] == "completed"
    assert [one.budget_usd for one in ceo.services.business().workforce.packages.all()] == [10_000]


def test_bad_edits_are_refused_and_leave_the_file_as_it_was(ceo: Sales, root: Path) -> None:
    sales(ceo)
    path = root / "businesses" / "acme" / "workflows" / "sales.bpmn"
    before = path.read_bytes()
    for tool, given, argument in (
        ("bpmn_add_node", {"type": "userTaks"}, "type"),
        ("bpmn_add_node", {"type": "serviceTask", "tool": "memory_store"}, "tool"),
        ("bpmn_add_node", {"type": "userTask", "lane_id": "lane_cmo"}, "lane_id"),
        ("bpmn_connect", {"from": "lead", "to": "nowhere"}, "to"),
        ("bpmn_remove_node", {"node_id": "nowhere"}, "node_id"),
    ):
        outcome = ceo.ask(tool, workflow_id="sales", **given)
        assert (outcome.ok, outcome.argument) == (False, argument), outcome.message
    assert path.read_bytes() == before
    assert ceo.ask("workflow_status", workflow_id="sails").argument == "workflow_id"
    assert ceo.ask("workflow_create", name="X", goal_id="G-none").argument == "goal_id"
    assert ceo.ask("workflow_create", name="X", bpmn="<nonsense").code
    ceo.do("workflow_status", workflow_id="sales", status="running", variables={"customer": "X", "seats": 1})
    assert "running" in ceo.ask("workflow_delete", workflow_id="sales").message
    ceo.do("workflow_status", workflow_id="sales", status="cancelled")
    ceo.do("workflow_delete", workflow_id="sales")
    assert not path.exists()
    assert json.dumps(ceo.ask("workflow_inspect", workflow_id="sales").as_json()).count("deleted")


def one_task(ceo: Sales, workflow_id: str, **given: Any) -> None:
    """Start a workflow of one service task, which the CEO does."""
    ceo.do("workflow_create", name="One", workflow_id=workflow_id)
    for kind, node_id in (("startEvent", "s"), ("serviceTask", "t"), ("endEvent", "e")):
        more = given if node_id == "t" else {}
        ceo.do("bpmn_add_node", workflow_id=workflow_id, type=kind, node_id=node_id, **more)
    for source, target in (("s", "t"), ("t", "e")):
        ceo.do("bpmn_connect", workflow_id=workflow_id, to=target, **{"from": source})
    ceo.do("workflow_status", workflow_id=workflow_id, status="running")


def test_a_run_whose_copy_is_damaged_says_so_and_lets_the_others_go_on(ceo: Sales, root: Path) -> None:
    one_task(ceo, "sales", tool="memory_store_item", arguments={"content": "1", "importance": 1})
    (copy,) = (root / "businesses" / "acme" / "workflows" / "versions").iterdir()
    one_task(ceo, "other", tool="memory_store_item", arguments={"content": "2", "importance": 1})
    copy.write_text("<damaged")
    ceo.world.restart()
    ceo.run("ceo")
    assert ceo.do("workflow_status", workflow_id="other")["status"] == "completed"
    told = ceo.ask("workflow_status", workflow_id="sales")
    assert (told.ok, copy.name in told.message) == (False, True)


def test_arguments_that_come_to_nothing_are_put_before_a_person(ceo: Sales) -> None:
    one_task(ceo, "sales", tool="memory_store_item", arguments={"content": "{nobody_set_this}", "importance": 0.5})
    ceo.run("ceo")
    (asked,) = [one for one in ceo.services.decisions().all() if one.id.startswith("DEC-WR-")]
    assert "nobody_set_this" in asked.description


def test_a_run_that_is_cancelled_while_it_goes_stays_cancelled(ceo: Sales) -> None:
    one_task(ceo, "sales", tool="workflow_status", arguments={"workflow_id": "sales", "status": "cancelled"})
    ceo.run("ceo", "ceo")
    assert ceo.do("workflow_status", workflow_id="sales")["status"] == "cancelled"
    assert ceo.services.agent("ceo").mind.value("sales", "status") is None


GUIDE = (Path(__file__).parents[2] / "docs" / "workflows.md").read_text("utf-8").replace("\\\n> ", "")
COMMANDS = re.findall(r"^\$ mabos call (\w+) +'(.*)' --agent (\w+)$", GUIDE, flags=re.MULTILINE)


def test_the_commands_of_the_guide_make_a_sound_workflow_that_waits_for_the_owner(tmp_path: Path) -> None:
    with World(tmp_path / "workspace") as world:
        found = [world.agent(agent).do(tool, **json.loads(given)) for tool, given, agent in COMMANDS]
        assert len(found) == 11
        assert found[-2]["valid"], found[-2]["text"]
        ceo = Sales(world, "ceo")
        ceo.run("cfo")
        assert world.agent("cfo").do("workflow_status", workflow_id="sales")["variables"]["value"] == 5000
        assert ceo.where() == {"Approve": "user"}


def test_a_message_that_comes_too_early_waits_for_the_workflow(ceo: Sales) -> None:
    ceo.do("workflow_create", name="Pay", workflow_id="sales")
    ceo.do("bpmn_add_lane", workflow_id="sales", name="CEO", assignee="ceo", lane_id="l")
    for kind, node_id, given in (
        ("startEvent", "s", {}), ("userTask", "t", {}), ("endEvent", "e", {}),
        ("intermediateEvent", "paid", {"trigger": "message", "when": "Paid"}),
    ):  # fmt: skip
        ceo.do("bpmn_add_node", workflow_id="sales", type=kind, node_id=node_id, name=node_id, lane_id="l", **given)
    for source, target in (("s", "t"), ("t", "paid"), ("paid", "e")):
        ceo.do("bpmn_connect", workflow_id="sales", to=target, **{"from": source})
    ceo.do("workflow_status", workflow_id="sales", status="running")
    told = {"workflow": "sales", "message": "Paid", "variables": {"amount": 5}}
    ceo.world.agent("cfo").do("agent_message", to="ceo", performative="INFORM", content="They paid", metadata=told)
    ceo.run("ceo", "ceo")
    assert ceo.where() == {"t": "user"}
    ceo.answer("approve")
    ceo.run("ceo")
    assert ceo.do("workflow_status", workflow_id="sales")["status"] == "completed"


def test_two_workflows_do_not_share_a_file_and_nobodys_file_is_overwritten(ceo: Sales, root: Path) -> None:
    ceo.do("workflow_create", name="One", workflow_id="sales")
    assert ceo.ask("workflow_create", name="Two", workflow_id="Sales").argument == "workflow_id"
    own = root / "businesses" / "acme" / "workflows" / "mine.bpmn"
    own.write_text("by hand")
    assert ceo.ask("workflow_create", name="Mine", workflow_id="mine").argument == "workflow_id"
    assert own.read_text() == "by hand"


def test_work_of_a_contractors_lane_is_a_package_and_a_rule_decides_over_the_workflows_values(ceo: Sales) -> None:
    hired = {"name": "Ada", "skills": ["design"], "hourly_rate_usd": 50, "contractor_id": "ada", "trust_score": 0.8}
    assert call(ceo.services, "contractor_add", hired).ok
    condition = {"subject": "acme", "predicate": "seats", "object": "10", "operator": "gt"}
    rule: dict[str, Any] = {"name": "Many seats", "description": "", "type": "constraint", "conditions": [condition]}
    ceo.do("rule_create", rule_id="R-many", violation_message="many", **rule)
    ceo.do("workflow_create", name="Design", workflow_id="sales")
    ceo.do("bpmn_add_lane", workflow_id="sales", name="Ada", assignee="ada", lane_id="l")
    for kind, node_id, given in (
        ("startEvent", "s", {}), ("userTask", "design", {}), ("endEvent", "e", {}),
        ("businessRuleTask", "many", {"rule_id": "R-many"}),
    ):  # fmt: skip
        ceo.do("bpmn_add_node", workflow_id="sales", type=kind, node_id=node_id, name=node_id, lane_id="l", **given)
    for source, target in (("s", "design"), ("design", "many"), ("many", "e")):
        ceo.do("bpmn_connect", workflow_id="sales", to=target, **{"from": source})
    ceo.do("workflow_status", workflow_id="sales", status="running", variables={"seats": 50})
    assert ceo.run("ceo", "ceo") == ["acted", "idle"]
    (package,) = ceo.services.business().workforce.packages.all()
    assert (package.title, package.assigned_to, package.status) == ("design", "ada", "assigned")
    for status in ("delivered", "complete"):
        given_back = {"package_id": package.id, "status": status, "quality_score": 0.9}
        assert call(ceo.services, "work_package_update", given_back).ok
    assert ceo.run("ceo", "ceo") == ["acted", "idle"]
    found = ceo.do("workflow_status", workflow_id="sales")
    assert (found["status"], found["variables"]["decided"]) == ("completed", True)
