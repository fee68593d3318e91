"""What time alone brings comes when it is due, and not at the next heartbeat, which in these tests is a year away."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import pytest

from mabos.graphs.live import LiveCompany
from mabos.mind.model import Commitment
from mabos.society.roles import STAKEHOLDER
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Caller, Services
from mabos.workspace.clock import SteppedClock, iso
from tests.graphs.test_live import PATIENCE, quiet, running, wait_for
from tests.world import NOON

YEAR = 365 * 86400.0
CEO = Caller("agent", "ceo")


@pytest.fixture
def company(services: Services) -> LiveCompany:
    return LiveCompany(services, pace=0.05, heartbeat=YEAR)


def do(services: Services, tool: str, caller: Caller | None = None, /, **given: Any) -> Mapping[str, Any]:
    outcome = call(services, tool, given, caller=caller) if caller else call(services, tool, given)
    assert outcome.ok, outcome.message
    return outcome.result


def test_a_timer_of_a_workflow_fires_at_its_moment(
    services: Services, company: LiveCompany, clock: SteppedClock
) -> None:
    do(services, "workflow_create", CEO, name="Wait", workflow_id="wait")
    wait: dict[str, Any] = {"trigger": "timer", "when": "PT2H"}
    nodes: dict[str, tuple[str, dict[str, Any]]] = {
        "begin": ("startEvent", {}),
        "hold": ("intermediateCatchEvent", wait),
        "end": ("endEvent", {}),
    }
    for node_id, (kind, more) in nodes.items():
        do(services, "bpmn_add_node", CEO, workflow_id="wait", node_id=node_id, type=kind, name=node_id, **more)
    for source, target in (("begin", "hold"), ("hold", "end")):
        do(services, "bpmn_connect", CEO, workflow_id="wait", to=target, **{"from": source})
    do(services, "workflow_status", CEO, workflow_id="wait", status="running")
    runs = services.business().workflows
    with running(company):
        wait_for(lambda: quiet(company))
        clock.advance(timedelta(minutes=119))
        wait_for(lambda: quiet(company))
        assert runs.running()
        clock.advance(timedelta(minutes=1))
        wait_for(lambda: not runs.running())


def test_a_question_that_was_put_off_is_asked_again_when_its_date_comes(
    services: Services, company: LiveCompany, clock: SteppedClock
) -> None:
    question = {"subject": "Open an office?", "description": "In Lyon.", "options": ["Yes", "No"]}
    asked = do(services, "decision_request", Caller("agent", "cfo"), **question)
    decision_id = str(asked["decision_id"])
    with running(company):
        wait_for(lambda: quiet(company))
        until = iso(NOON + timedelta(hours=3))
        do(services, "decision_resolve", decision_id=decision_id, resolution="defer", until=until)
        wait_for(lambda: quiet(company))
        clock.advance(timedelta(hours=3))
        wait_for(lambda: services.decisions("acme").one(decision_id).asked_again)


def test_a_word_that_is_not_kept_is_broken_when_it_is_due(
    services: Services, company: LiveCompany, clock: SteppedClock
) -> None:
    due = iso(NOON + timedelta(hours=1))
    services.agent("cfo").mind.save(Commitment("COM-1", STAKEHOLDER, "The figures", deadline=due), why="agreed")
    with running(company):
        wait_for(lambda: quiet(company))
        clock.advance(timedelta(hours=1))
        wait_for(lambda: services.agent("cfo").mind.commitments[0].status == "breached")


def test_who_gets_no_answer_in_time_learns_so_at_once(
    services: Services, company: LiveCompany, clock: SteppedClock
) -> None:
    given = {"to": "cto", "performative": "CFP", "content": "Who can mend the printer?", "protocol": "contract-net"}
    due = iso(NOON + timedelta(hours=1))
    with running(company):
        wait_for(lambda: quiet(company))
        do(services, "contract_net_initiate", Caller("agent", "cfo"), task_description=given["content"],
           candidates=["cto"], deadline=due)  # fmt: skip
        (task,) = services.contract_net.list_unannounced_tasks("cfo")
        wait_for(lambda: quiet(company))
        clock.advance(timedelta(hours=1, seconds=1))
        wait_for(lambda: services.contract_net.task(task.id).status != "open")


def test_a_heartbeat_that_was_missed_comes_when_the_company_is_run_again(
    services: Services, clock: SteppedClock
) -> None:
    folder = services.layout.agent("ceo") / "memory" / "maintenance"
    first = LiveCompany(services, heartbeat=1800)
    with running(first):
        wait_for(lambda: quiet(first))
    assert not folder.is_dir()
    clock.advance(timedelta(minutes=31))
    again = LiveCompany(services, heartbeat=1800)
    with running(again):
        wait_for(lambda: folder.is_dir() and list(folder.iterdir()))


def test_a_run_until_nobody_has_anything_to_do_keeps_the_heartbeat_that_is_due(
    services: Services, clock: SteppedClock
) -> None:
    beats: list[str] = []
    for _ in range(3):
        LiveCompany(
            services, heartbeat=1800, on_event=lambda one: beats.append(one.at) if one.kind == "heartbeat" else None
        ).run(once=True, seconds=PATIENCE)
        clock.advance(timedelta(minutes=31))
    assert beats == [iso(NOON + timedelta(minutes=number)) for number in (31, 62)]


def test_a_clock_that_jumps_a_year_brings_one_heartbeat_and_one_set_back_brings_the_next_in_time(
    services: Services, clock: SteppedClock
) -> None:
    told: list[str] = []
    company = LiveCompany(services, heartbeat=1800, on_event=lambda one: told.append(one.kind))
    with running(company):
        wait_for(lambda: quiet(company))
        clock.advance(timedelta(days=365))
        wait_for(lambda: "heartbeat" in told)
        clock.advance(timedelta(days=-365))
        wait_for(lambda: "clock" in told)
        assert told.count("heartbeat") == 1
        clock.advance(timedelta(minutes=31))
        wait_for(lambda: told.count("heartbeat") == 2)
