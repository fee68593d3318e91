"""The machine of one agent, run for real in a workspace with one business."""

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from mabos.backends.chat import ChatMessage, ScriptedModel
from mabos.backends.metering import BudgetExhausted, Spent
from mabos.configs.errors import Damaged, Refused, Unavailable
from mabos.graphs import wiring
from mabos.graphs.bdi import build
from mabos.mind.mind import JOURNAL
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.nodes.open_workspaces import OPEN, begin
from mabos.nodes.state import Context
from mabos.society.messages import Message
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from mabos.workspace import sync
from mabos.workspace.clock import SteppedClock, iso
from mabos.workspace.locks import AgentLock
from tests.world import World, write_company


def tell(services: Services, to: str, performative: str, content: str, **more: Any) -> None:
    services.mail.deliver(
        Message(f"MSG-{content[:9]}", "ceo", to, performative, content, iso(services.clock()), **more)
    )


def rest(services: Services, agent_id: str) -> None:
    for _ in range(30):
        if wiring.run_cycle(services, agent_id).outcome == "idle":
            return
    raise AssertionError(f"{agent_id} never came to rest")


def test_the_machine_has_the_edges_of_the_design() -> None:
    edges = {(edge.source, edge.target) for edge in build().compile().get_graph().edges}
    assert edges == {
        ("__start__", "perceive"), ("perceive", "deliberate"), ("deliberate", "plan"), ("deliberate", "learn"),
        ("plan", "act"), ("plan", "learn"), ("act", "act"), ("act", "plan"), ("act", "work"), ("act", "learn"),
        ("work", "act"), ("work", "learn"), ("learn", "__end__"),
    }  # fmt: skip


def test_an_order_is_carried_out_as_it_was_given_and_ends_its_goal(services: Services) -> None:
    said = "Start a search campaign named 'Spring': 90 dollars a week for 2 weeks, for everybody."
    report = wiring.run_cycle(services, "cmo", message=said)
    (campaign,) = [one for one in services.business().campaigns.all() if one.name == "Spring"]
    assert (campaign.channel, campaign.weekly_budget_usd, campaign.weeks) == ("search", 90, 2)
    agent = services.agent("cmo")
    (request,) = agent.requests.all()
    assert (request.status, agent.mind.goal(request.goal_id).status) == ("done", "achieved"), report
    assert agent.inbox.unread() == ()


def test_the_phases_are_told_as_they_happen(services: Services) -> None:
    events: list[dict[str, Any]] = []
    wiring.run_cycle(services, "cfo", on_event=lambda event: events.append(dict(event)))
    done = [event["phase"] for event in events if event["status"] == "done"]
    assert done[:2] == ["perceive", "deliberate"]
    assert done[-1] == "learn"
    assert [event["phase"] for event in events if event["status"] == "begun"] == done


def commit_to_three_steps(services: Services) -> None:
    agent, now = services.agent("cfo"), iso(services.clock())
    said = [{"content": f"Said {number}", "importance": 0.4} for number in range(3)]
    steps = tuple(Step(f"s{number}", tool="memory_store_item", arguments=one) for number, one in enumerate(said))
    goal = Goal("G-three", "Three things", priority=0.99, created=now, updated=now)
    plan = Plan("P-three", goal.id, "three", steps=steps, status="active", created=now, updated=now)
    agent.mind.save(goal, plan, Intention("I-three", goal.id, plan.id, started=now, updated=now))


def test_what_an_effect_follows_from_is_forced_to_the_disk_once_before_it_and_the_rest_at_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with World.small(tmp_path, settings={"durability": "phase"}) as world:
        services = world.services
        commit_to_three_steps(services)
        tell(services, "cfo", "INFORM", "News", metadata={"subject": "news", "value": "7"})
        seen: list[int] = []
        effect, force, run = -1, sync._force, Tool.run

        def forced(fd: int) -> None:
            seen.append(os.fstat(fd).st_ino)
            force(fd)

        def counted(tool: Tool, agent: Any, values: Any) -> Any:
            seen.append(effect)
            return run(tool, agent, values)

        monkeypatch.setattr(sync, "_force", forced)
        monkeypatch.setattr(Tool, "run", counted)
        report = wiring.run_cycle(services, "cfo")
        mind, inbox = (services.layout.agent("cfo") / name for name in (JOURNAL, "inbox.journal.jsonl"))
        assert [result["status"] for result in report.results] == ["done"] * 3
        assert seen[: seen.index(effect)].count(mind.stat().st_ino) == 1
        assert inbox.stat().st_ino in seen[len(seen) - seen[::-1].index(effect) :]


def test_every_step_of_a_plan_is_told_by_itself_and_on_record_when_it_is(services: Services) -> None:
    commit_to_three_steps(services)
    told: list[tuple[str, int]] = []

    def hear(event: Mapping[str, Any]) -> None:
        if event["phase"] == "act" and event["status"] == "done":
            told.append((event["noted"]["step"], len(services.directory.effects("cfo").all())))

    report = wiring.run_cycle(services, "cfo", on_event=hear)
    assert [result["status"] for result in report.results] == ["done"] * 3
    assert [step for step, _ in told] == ["s0", "s1", "s2"]
    assert all(known > number for number, (_, known) in enumerate(told))


def test_an_inform_revises_beliefs_and_a_query_is_answered_once(services: Services) -> None:
    rest(services, "cfo")
    tell(services, "cfo", "INFORM", "told", metadata={"subject": "rival_price", "value": "19", "certainty": 0.9})
    wiring.run_cycle(services, "cfo")
    assert services.agent("cfo").mind.value("rival_price") == "19"
    tell(services, "cfo", "QUERY", "asked", metadata={"subject": "rival_price"})
    wiring.run_cycle(services, "cfo")
    wiring.run_cycle(services, "cfo")
    answers = [one for one in services.inbox("ceo").messages() if one.reply_to == "MSG-asked"]
    assert len(answers) == 1
    assert "19" in answers[0].content


def test_nothing_leaks_from_one_cycle_into_the_next(services: Services) -> None:
    wiring.run_cycle(services, "cfo", message="Review our runway")
    rest(services, "cfo")
    before = len(services.inbox("cfo").messages())
    report = wiring.run_cycle(services, "cfo")
    assert report.outcome == "idle"
    assert report.results == ()
    assert len(services.inbox("cfo").messages()) == before


def test_the_state_stays_small(services: Services) -> None:
    for number in range(120):
        tell(services, "cfo", "INFORM", f"{number:09} has a long text " + "x" * 500)
    wiring.run_cycle(services, "cfo", message="Review our runway")
    home = OPEN.find(services.layout.root)
    graph = home.machines["bdi"]
    values = graph.get_state({"configurable": {"thread_id": home.threads["agent", "cfo"]}}).values
    assert len(json.dumps(values)) < 16 * 1024, "something put a body where an id belongs"


def test_an_agent_that_another_process_runs_is_left_alone(services: Services) -> None:
    with AgentLock(services.layout.internal / "locks" / "cfo.lock", "cfo"), pytest.raises(Unavailable, match="cfo"):
        wiring.run_cycle(services, "cfo")
    assert wiring.run_cycle(services, "cfo").ok


def test_a_cycle_cannot_start_itself_again(services: Services) -> None:
    with OPEN.find(services.layout.root).turn("cfo"), pytest.raises(Refused, match="inside itself"):
        wiring.run_cycle(services, "cfo")


def test_a_dead_cycle_hears_its_messages_again(services: Services) -> None:
    rest(services, "cfo")
    tell(services, "cfo", "INFORM", "told", metadata={"subject": "rival_price", "value": "19"})

    def die(event: Any) -> None:
        if event["phase"] == "deliberate":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wiring.run_cycle(services, "cfo", on_event=die)
    assert [one.id for one in services.inbox("cfo").unread()] == ["MSG-told"]
    wiring.run_cycle(services, "cfo")
    assert services.inbox("cfo").unread() == ()
    assert sum(belief.subject == "rival_price" for belief in services.agent("cfo").mind.beliefs) == 1


def test_dropped_figures_are_believed_with_the_line_they_stand_in(services: Services) -> None:
    inbox = services.business("acme").directory / "inbox"
    (inbox / "metrics.csv").write_text("month,cash,churn_rate\n2026-01,310000,4.1\n2026-02,298000,4.4\n", "utf-8")
    wiring.run_cycle(services, "cfo")
    agent = services.agent("cfo")
    held = {belief.subject: belief for belief in agent.mind.beliefs}
    assert held["cash"].value == "298000"
    assert any("metrics.csv:3" in evidence for evidence in held["cash"].evidence)
    assert any(fact.predicate == "cash" and "metrics.csv:3" in fact.source for fact in agent.facts.query())
    again = wiring.run_cycle(services, "cfo")
    assert "documents" not in (again.counts or {})


def test_a_forecast_among_dropped_figures_is_told_and_not_believed(services: Services) -> None:
    business = services.business("acme")
    dropped = business.directory / "inbox" / "metrics.csv"
    dropped.write_text("month,cash,burn\n2026-02,298000,61000\n2099-03,900000,1000\n", "utf-8")
    told = list[Mapping[str, Any]]()
    wiring.run_cycle(services, "cfo", on_event=told.append)
    assert {one.value for one in services.agent("cfo").mind.beliefs if one.subject == "cash"} == {"298000"}
    assert [point.value for point in business.metrics.series("cash")] == [298000]
    assert "metrics.csv:3: 2099-03-31 is still to come" in str(told)


def test_learning_that_fails_ends_the_cycle_and_is_not_begun_again(
    services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = list[str]()

    def hindered(*_: object) -> str:
        asked.append("report")
        assert len(asked) == 1
        raise Damaged("memory-store.json: line 3 is no JSON; correct it by hand")

    monkeypatch.setattr("mabos.nodes.learn.report", hindered)
    made = wiring.run_cycle(services, "cfo")
    assert made.outcome == "failed"
    assert "memory-store.json: line 3" in str(made.failures)


def test_the_heartbeat_answers_for_every_agent(services: Services) -> None:
    rows = wiring.run_maintenance(services)
    assert [row["agentId"] for row in rows] == services.agents()
    assert all("skipped" not in row for row in rows)
    assert len(wiring.run_maintenance(services, "cfo")) == 1


def test_a_heartbeat_brings_the_pages_of_memory_up_to_date(tmp_path: Path) -> None:
    with wiring.hold_services(tmp_path / "w", clock=SteppedClock(datetime(2026, 2, 24, 9, tzinfo=UTC))) as services:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        agent = services.agent("cfo")
        agent.memory.store("Runway is nine months", store="long_term")
        page = agent.memory.directory / "MEMORY.md"
        assert not page.exists()
        wiring.run_maintenance(services, "cfo")
        assert "Runway is nine months" in page.read_text("utf-8")


def asked_twice(services: Services, agent: str, wanted: str) -> list[tuple[str, str]]:
    """Ask an agent for the same with two numbers, and return the answers to the second message; one wish stands."""
    rest(services, agent)
    for number in (1, 2):
        text = f"{number} of 9 customers left. Please {wanted}."
        services.mail.deliver(Message(f"MSG-ask-{number}", "ceo", agent, "REQUEST", text, iso(services.clock())))
        wiring.run_cycle(services, agent)
    wishes = [one.id for one in services.agent(agent).mind.desires if one.id.startswith("D-MSG-ask")]
    assert wishes == ["D-MSG-ask-1"]
    told = services.inbox("ceo").messages()
    return [(one.performative, one.sender) for one in told if one.reply_to == "MSG-ask-2"]


def test_a_request_sent_again_with_other_numbers_is_confirmed_and_not_wished_for_twice(services: Services) -> None:
    assert asked_twice(services, "cfo", "review our runway") == [("CONFIRM", "cfo")]


def test_a_request_sent_again_for_which_there_is_no_plan_is_refused_again(services: Services) -> None:
    assert asked_twice(services, "coo", "find a new name for the newsletter") == [("REFUSE", "coo")]


def test_the_limits_of_a_cycle_bind_model_calls_in_every_phase_and_the_ledger_names_them(tmp_path: Path) -> None:
    with wiring.hold_services(tmp_path / "w", model=ScriptedModel(["One.", "Two.", "Three."])) as services:
        made = call(services, "business_create", {"business_id": "acme", "name": "Acme", "template": "saas"})
        assert made.ok, made.message
        home = OPEN.find(services.layout.root)
        cycle = begin(home, "cfo", Context(workspace=str(services.layout.root), agent_id="cfo"))
        cycle.meter.spent = Spent(model_calls=(cycle.meter.budget.model_calls or 0) - 2)
        question = [ChatMessage("user", "How long?")]
        for phase in ("perceive", "plan"):
            with cycle.bind_budgets(phase):
                services.model.complete(question, tag="ask")
        with pytest.raises(BudgetExhausted), cycle.bind_budgets("act"):
            services.model.complete(question, tag="ask")
        cycle.end()
        told = [one.body["phase"] for one in services.ledger.entries("cfo") if one.kind == "model"]
        assert told == ["perceive", "plan"]


def test_what_is_remembered_about_a_goal_stands_behind_its_intention(services: Services) -> None:
    agent = services.agent("cfo")
    wanted = [f"{desire.name}: it took three weeks last time" for desire in agent.mind.desires]
    known = {item.id for item in agent.memory.store_many([{"content": text, "importance": 0.9} for text in wanted])}
    tell(services, "cfo", "REQUEST", "Please review our runway.")
    report = wiring.run_cycle(services, "cfo")
    assert report.intention_id
    recalled = [
        one.body["recalled"] for one in services.ledger.entries("cfo") if one.kind == "deliberate" and one.body["goal"]
    ]
    assert known & set(recalled[-1])
    kept = [op for change in agent.mind.store.history() for op in change.ops if op.collection == "Intentions.md"]
    assert any(recalled[-1][0] in str(op) for op in kept)


def test_a_cycle_that_cannot_even_perceive_fails_by_name_and_the_next_one_works(tmp_path: Path) -> None:
    with wiring.hold_services(write_company(tmp_path)) as services:
        manifest = services.layout.agent("cto") / "agent.json"
        written = manifest.read_bytes()
        manifest.write_bytes(b"{")
        report = wiring.run_cycle(services, "cto")
        assert report.outcome == "failed"
        assert "agents/cto/agent.json" in report.failures[0]
        manifest.write_bytes(written)
        again = wiring.run_cycle(services, "cto")
        assert (again.outcome, again.failures) == ("idle", ())
