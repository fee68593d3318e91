"""`mabos why` of what a workflow did: back by its node and its run to who started it, and for which goal."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mabos.interfaces.reasons.chain import Reason, explain_record
from mabos.interfaces.reasons.gathering import gather_records
from mabos.tools.gate.call import call
from mabos.tools.runtime.services import Services
from tests.acceptance.workflows import AFTER, START_FLOW, Ceo, opened
from tests.interfaces.command_line import answer

STORE = {"tool": "memory_store_item", "arguments": {"content": "noted here", "importance": 0.9}}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "workspace"


@pytest.fixture
def ceo(root: Path) -> Iterator[Ceo]:
    with opened(root) as ceo:
        yield ceo


def back(services: Services, record_id: str) -> list[str]:
    """Return kind and words of each link, the first of each followed back."""
    records = gather_records(services)
    links: tuple[Reason, ...] = (explain_record(records.find(record_id), records, services.layout.root),)
    told = []
    while links:
        told.append(f"{links[0].kind}: {links[0].words}")
        links = links[0].because
    return told


def effect(services: Services) -> str:
    """Return the entry of the tool that the workflow's task has called."""
    calls = (one for one in services.ledger.entries("ceo") if one.kind == "call")
    return next(one.id for one in calls if one.body["arguments"].get("content") == "noted here")


def test_an_effect_goes_back_by_node_and_run_to_the_plan_and_goal_that_started_it(ceo: Ceo) -> None:
    ceo.draw_task("serviceTask", **STORE)
    ceo.plan_for_flow(START_FLOW, AFTER)
    ceo.run(3)
    services = ceo.services
    started = [
        "run: Flow: completed, every path has ended",
        "action: workflow_status(status=running, workflow_id=flow)",
        "intention: by hand: completed",
        "plan: by hand (manual, completed)",
        "goal: Carry the flow through",
    ]
    assert back(services, effect(services))[1:] == ["node: t (serviceTask)", *started]
    (run,) = ceo.world.business.workflows.runs.all()
    assert back(services, run.id) == started
    belief = services.agent("ceo").mind.index.about("flow status")
    assert belief is not None
    assert started[0] in back(services, belief.id)


def test_what_a_person_was_asked_names_the_node_and_a_run_the_person_who_started_it(ceo: Ceo, root: Path) -> None:
    ceo.draw_task("userTask")
    begun = call(ceo.services, "workflow_status", {"workflow_id": "flow", "status": "running"})
    assert begun.ok, begun.message
    ceo.run(2)
    (asked,) = ceo.questions()
    told = back(ceo.services, asked.id)
    assert told[1:3] == ["node: t (userTask)", "run: Flow: running"]
    assert told[3].startswith("action: workflow_status(")
    (run,) = ceo.world.business.workflows.runs.all()
    cli = answer("why", run.id, workspace=root)
    assert (cli["kind"], cli["because"][1]["text"]) == ("run", "Flow")
    assert cli["because"][0]["text"].startswith("workflow_status(")


def test_a_workflow_serves_a_goal_and_an_ordinary_word_as_its_id_names_nothing_else(ceo: Ceo) -> None:
    ceo.plan_for_flow(AFTER)
    given = {"name": "Sales of the quarter", "workflow_id": "cash", "goal_id": "G-1"}
    ceo.do("workflow_create", **given)
    assert back(ceo.services, "cash") == ["workflow: Sales of the quarter", "goal: Carry the flow through"]
    ceo.do("belief_update", description="We have cash", certainty=0.9, source="cash", subject="money", value="yes")
    belief = ceo.mind.index.about("money")
    assert belief is not None
    assert not any(one.startswith("workflow") for one in back(ceo.services, belief.id))


def test_a_run_whose_copy_is_gone_is_told_all_the_same(root: Path) -> None:
    with opened(root) as ceo:
        ceo.draw_task("serviceTask", **STORE)
        ceo.do("workflow_status", workflow_id="flow", status="running")
        ceo.run(2)
    for copy in (root / "businesses" / "acme" / "workflows" / "versions").iterdir():
        copy.unlink()
    with opened(root) as ceo:
        assert back(ceo.services, effect(ceo.services))[1:3] == [
            "node: t",
            "run: Flow: completed, every path has ended",
        ]
