"""Workflows: BPMN 2.0 processes that agents build, modelling tools open, and MABOS runs (S3 section 14)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from mabos.configs.errors import InvalidArgument, Refused, unknown
from mabos.society.bpmn.checks.dry_run import ProcessPath, dry_run, readiness
from mabos.society.bpmn.checks.finding import WorkflowFinding
from mabos.society.bpmn.checks.validation import validate_document
from mabos.society.bpmn.diagram.layout import draw_diagram as laid_out
from mabos.society.bpmn.document import WorkflowDocument, encode_text, read
from mabos.society.bpmn.editing import blank
from mabos.society.bpmn.engine.state import ExecutionState, Token
from mabos.society.bpmn.model import TASKS, WorkflowModel
from mabos.society.workflows import Workflow, WorkflowRun, Workflows
from mabos.tools.catalogue.declaration import OwnId, Text, Tool
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.tools.workflow.bpmn import MODULE, summarize_workflow
from mabos.tools.workflow.due import doer, resolve_seat
from mabos.tools.workflow.running import cancel_run, draw_workflow, put_beside, start_run
from mabos.tools.workflow.tasks import assignee, contractor
from mabos.workspace.clock import iso

if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business

_SHOWN = 20  # ways and findings told in words


def workflow_create(
    agent: Agent,
    *,
    name: Text,
    goal_id: str = "",
    goal_ids: list[str] | None = None,
    business_id: str = "",
    workflow_id: OwnId = "",
    bpmn: str = "",
) -> dict[str, Any]:
    """Create a workflow, empty or from BPMN 2.0 that another tool has written; it lies as a file in `workflows/`.

    Args:
        name: What it is called.
        goal_id: The goal it serves; its progress then counts for that goal.
        goal_ids: Further goals that it serves.
        business_id: The business; the agent's own if left out.
        workflow_id: An id of your own; made if left out.
        bpmn: The text of a BPMN 2.0 file to begin with.
    """
    workflows, at = business_of(agent, business_id).workflows, iso(agent.clock())
    chosen = workflow_id or agent.ids.new("WF")
    served = tuple(dict.fromkeys([*([goal_id] if goal_id else []), *(goal_ids or [])]))
    _check_goals(agent, goal_id, *(goal_ids or []))
    document = _ensure_layout(read(encode_text(bpmn), f"{chosen}.bpmn")) if bpmn else blank(name)
    workflow = Workflow(chosen, name, served, at, agent.id, at)
    answer = summarize_workflow(workflow, document)  # what cannot be read is refused before anything is written
    with workflows.alone():
        _check_free(workflows, workflow)
        workflows.records.save(workflow)  # first: a call that is cut short finds it, and writes the file
        workflows.keep(chosen, document)
    return answer | {"path": workflows.path(chosen).name}


def _ensure_layout(document: WorkflowDocument) -> WorkflowDocument:
    """Return a file with a layout, if it has none, so that it opens as a picture; any other stays as it is."""
    return document if document.model.shapes else laid_out(document)


def _check_free(workflows: Workflows, new: Workflow) -> None:
    """Raise `InvalidArgument` where a workflow, or anybody's file, has the place of a new one already."""
    known = workflows.records.find(new.id)
    if known is not None and (known.created_at, known.created_by) != (new.created_at, new.created_by):
        raise InvalidArgument(f"workflow {new.id!r} exists; choose another id", argument="workflow_id")
    path = workflows.path(new.id)
    if known is None and (path.exists() or any(one.id.lower() == new.id.lower() for one in workflows.all())):
        message = f"a file {path.name!r} lies in workflows/ already; choose another id"
        raise InvalidArgument(message, argument="workflow_id")


def workflow_delete(agent: Agent, *, workflow_id: Text, business_id: str = "") -> dict[str, Any]:
    """Remove a workflow that is not running; its past runs are kept.

    Args:
        workflow_id: Which workflow.
        business_id: The business; the agent's own if left out.
    """
    workflows = business_of(agent, business_id).workflows
    with workflows.alone():
        workflow = workflows.records.one(workflow_id) if agent.is_again else workflows.one(workflow_id)
        if any(one.workflow_id == workflow_id for one in workflows.running()):
            message = f"workflow {workflow_id!r} is running; stop it first with workflow_status and status 'cancelled'"
            raise Refused(message, argument="workflow_id")
        workflows.remove(workflow_id)
        workflows.records.save(replace(workflow, deleted_at=iso(agent.clock())))
    return {"workflow_id": workflow_id, "deleted": True, "text": f"Removed workflow {workflow.name!r} ({workflow_id})."}


def workflow_status(
    agent: Agent,
    *,
    workflow_id: Text,
    status: Literal["", "running", "cancelled"] = "",
    variables: dict[str, Any] | None = None,
    business_id: str = "",
) -> dict[str, Any]:
    """Return where a workflow is; `running` starts it, `cancelled` stops it.

    Agents do the tasks of their lanes in their cycles. What nobody can do by a tool is put before a person.

    Args:
        workflow_id: Which workflow.
        status: running to start it, cancelled to stop it; left out, it is only told.
        variables: Values to start with, by name.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    workflow = business.workflows.one(workflow_id)
    run = run_of(business, workflow)
    if status == "running":
        run = start_run(agent, business, workflow_id, variables or {})
    elif status == "cancelled":
        by = f"cancelled by {agent.id}"
        if run is None or (run.status != "running" and run.outcome != by):
            raise InvalidArgument(f"workflow {workflow_id!r} is not running", argument="status")
        run = cancel_run(business, run.id, iso(agent.clock()), by)
    where = stands(agent, business, workflow, run)
    return where | {"picture": put_beside(business, run)} if run is not None else where


def workflow_inspect(agent: Agent, *, workflow_id: Text, business_id: str = "") -> dict[str, Any]:
    """Return the whole workflow: its elements, the ways it can take, what is missing to run, and its picture as SVG.

    Args:
        workflow_id: Which workflow.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    workflow = business.workflows.one(workflow_id)
    document = business.workflows.document(workflow_id)
    run, model = run_of(business, workflow), document.model
    found = dry_run(model)
    ways = [{"process": one.process, "more": one.is_cut, "ways": [_way(way) for way in one.ways]} for one in found]
    lacking = readiness(model)
    text = [f"{workflow.name} ({workflow.id}): {len(model.nodes)} nodes, {len(model.flows)} flows."]
    shown = [way for one in found for way in one.ways][:_SHOWN]
    text += [f"- {', '.join(way.decided) or 'straight on'}: {' > '.join(way.steps)}" for way in shown]
    text += [_line(one) for one in lacking]
    return {
        **summarize_workflow(workflow, document),
        "nodes": [_node(model, one) for one in model.nodes],
        "flows": [
            {"flow_id": one.id, "from": one.source, "to": one.target, "name": one.name, "condition": one.condition}
            for one in model.flows.values()
        ],
        "lanes": [{"lane_id": one.id, "name": one.name, "assignee": one.assignee} for one in model.lanes.values()],
        "ways": ways,
        "missing_to_run": [_finding(one) for one in lacking],
        "svg": draw_workflow(document, run),
        "text": "\n".join(text),
    }


def workflow_validate(agent: Agent, *, workflow_id: Text, business_id: str = "") -> dict[str, Any]:
    """Check a workflow: orphans, dead ends, what cannot be reached, gateways, lanes, good modelling, and deadlocks.

    Args:
        workflow_id: Which workflow.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    document = business.workflows.document(workflow_id)
    found = [*validate_document(document), *_strangers(business, document.model)]
    errors = sum(one.severity == "error" for one in found)
    lines = [_line(one) for one in found[:_SHOWN]]
    lines += [f"and {len(found) - _SHOWN} more"] if len(found) > _SHOWN else []
    return {
        "workflow_id": workflow_id,
        "valid": not errors,
        "errors": errors,
        "findings": [_finding(one) for one in found],
        "text": "\n".join(lines) or "Nothing is wrong with it.",
    }


def _strangers(business: Business, model: WorkflowModel) -> Iterator[WorkflowFinding]:
    """Yield a finding for each assignee of tasks that is not an agent, role or contractor of the business."""
    responsible = {assignee(model, node): node.lane or node.id for node in model.nodes.values() if node.type in TASKS}
    for named, element in responsible.items():
        if named and not resolve_seat(business, named) and contractor(business, named) is None:
            message = (
                f"{named!r} is not an agent, role or contractor; the agent that starts the workflow does its tasks"
            )
            mend = f"name one as mabos:assignee: {', '.join(business.manifest.agents)}"
            yield WorkflowFinding("unknown-assignee", element, message, mend, "warning")


def _check_goals(agent: Agent, goal_id: str, *further: str) -> None:
    """Raise `UnknownId` for a goal that none of the agents has."""
    if goal_id or further:
        services = agent.services
        known = {goal.id for one in services.agents() for goal in services.agent(one).mind.goals}
        if goal_id and goal_id not in known:
            raise unknown("goal", goal_id, known, argument="goal_id")
        for one in further:
            if one not in known:
                raise unknown("goal", one, known, argument="goal_ids")


def run_of(business: Business, workflow: Workflow) -> WorkflowRun | None:
    """Return the latest run of a workflow, or None."""
    return business.workflows.runs.find(workflow.run_id) if workflow.run_id else None


def stands(agent: Agent, business: Business, workflow: Workflow, run: WorkflowRun | None) -> dict[str, Any]:
    """Return the status of a workflow by its latest run, if any: its open questions, and its values."""
    named = {"workflow_id": workflow.id, "name": workflow.name, "goal_ids": list(workflow.goal_ids)}
    if run is None:
        return named | {"status": "draft", "progress": 0.0, "waits": [], "text": f"{workflow.name!r} never ran."}
    progress = business.workflows.progress(run)
    waits = (
        [_wait(agent, business, run, one) for one in ExecutionState.of(run.state).waits()]
        if run.status == "running"
        else []
    )
    departure = business.workflows.departure(run) if run.status == "running" else ""
    lines = [f"{workflow.name!r} is {run.status}, {progress:.0%} done."]
    lines += [f"- {one['label']}: waits for {one['for']}{' by ' + one['who'] if one['who'] else ''}" for one in waits]
    lines += [one for one in (run.outcome, departure) if one]
    return named | {
        "run_id": run.id,
        "status": run.status,
        "progress": round(progress, 4),
        "waits": waits,
        "variables": dict(run.state.get("variables", {})),
        "outcome": run.outcome,
        "file": departure,
        "text": "\n".join(lines),
    }


def _wait(agent: Agent, business: Business, run: WorkflowRun, token: Token) -> dict[str, Any]:
    model = business.workflows.model_of(run)
    node = model.nodes[token.node]
    hired = contractor(business, assignee(model, node))
    return {
        "node_id": node.id,
        "label": node.label,
        "for": token.why or token.wait,
        "who": hired.name if hired is not None else doer(agent, business, run, node),
        "due": min(token.due.values(), default=""),
        "asked": run.asked.get(token.occasion, ""),
    }


def _way(way: ProcessPath) -> dict[str, Any]:
    return {"steps": list(way.steps), "decided": list(way.decided), "ends": way.ends}


def _node(model: WorkflowModel, node_id: str) -> dict[str, Any]:
    node = model.nodes[node_id]
    lane = model.lanes.get(node.lane)
    told = {"node_id": node.id, "type": node.type, "name": node.name, "lane": lane.name if lane else ""}
    return told | {key: value for key, value in node.settings.items() if value}


def _finding(one: WorkflowFinding) -> Mapping[str, Any]:
    return {
        "rule": one.rule,
        "severity": one.severity,
        "element": one.element,
        "message": one.message,
        "mend": one.mend,
    }


def _line(one: WorkflowFinding) -> str:
    return f"{one.severity}: {one.message}; {one.mend} ({one.rule})"


TOOLS = [
    Tool.of(workflow_create, module=MODULE, writes=True, addresses=("bpmn",)),
    Tool.of(workflow_delete, module=MODULE, writes=True),
    Tool.of(workflow_status, module=MODULE, writes=True, addresses=("variables",)),
    Tool.of(workflow_inspect, module=MODULE, writes=False),
    Tool.of(workflow_validate, module=MODULE, writes=False),
]
