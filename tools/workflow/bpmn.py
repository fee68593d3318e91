"""Building of workflows: nodes, flows and lanes in a BPMN 2.0 file, whose drawing is preserved (S3 14.2)."""

from collections.abc import Callable
from typing import Any

import orjson

from mabos.configs.errors import unknown
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.editing import add_lane, add_node, connect, remove, set_default
from mabos.society.bpmn.elements import is_there
from mabos.society.workflows import Workflow, Workflows
from mabos.tools.catalogue.declaration import OwnId, Text, Tool
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent

MODULE = "Workflows"

_Change = Callable[[WorkflowDocument], WorkflowDocument]
_Test = Callable[[WorkflowDocument], bool]


def summarize_workflow(workflow: Workflow, document: WorkflowDocument) -> dict[str, Any]:
    """Return the name and the size of a workflow.

    In a call's result the new ids come first, since later steps of a plan refer to the first id.
    """
    model = document.model
    count = f"{len(model.nodes)} nodes, {len(model.flows)} flows, {len(model.lanes)} lanes"
    return {
        "workflow_id": workflow.id,
        "name": workflow.name,
        "goal_ids": list(workflow.goal_ids),
        "text": f"Workflow {workflow.name!r} ({workflow.id}) has {count}.",
    }


def _edit_once(
    agent: Agent, workflows: Workflows, workflow_id: str, change: _Change, is_done: _Test
) -> WorkflowDocument:
    """Return the file after a change; a change already made by an interrupted call is not repeated."""
    return workflows.edit(workflow_id, lambda one: one if agent.is_again and is_done(one) else change(one))


def bpmn_add_node(
    agent: Agent,
    *,
    workflow_id: Text,
    type_: Text,
    name: str = "",
    lane_id: str = "",
    node_id: OwnId = "",
    tool: str = "",
    arguments: dict[str, Any] | None = None,
    rule_id: str = "",
    script: str = "",
    trigger: str = "",
    when: str = "",
    attached_to: str = "",
    scope: str = "",
    assignee: str = "",
    business_id: str = "",
) -> dict[str, Any]:
    """Add a task, event or gateway to a workflow.

    Args:
        workflow_id: Which workflow.
        type: startEvent, endEvent, intermediateEvent, boundaryEvent, userTask, serviceTask, scriptTask,
            businessRuleTask, exclusiveGateway, parallelGateway, inclusiveGateway, subProcess, pool and others of
            BPMN 2.0.
        name: What people read.
        lane_id: The lane it stands in.
        node_id: An id of your own; made if left out.
        tool: Of a service task: the tool that does it.
        arguments: What the tool is called with; a text {amount} is the workflow's variable of that name.
        rule_id: Of a business rule task: the rule that decides.
        script: Of a script task: lines of name = expression.
        trigger: Of an event: message, timer, signal, error, conditional, terminate and others.
        when: Its time (ISO 8601 date, duration or cycle), its condition, or the name of the message, signal or error.
        attached_to: Of a boundary event: the activity it belongs to.
        scope: The sub-process or pool it goes into; where there is one process, that if left out.
        assignee: Who does it, where that is not the lane's: an agent, a role or a contractor.
        business_id: The business; the agent's own if left out.
    """
    workflows = business_of(agent, business_id).workflows
    chosen = node_id or agent.ids.new("N")
    known = [one.name for one in agent.services.tools.all()]
    if tool and tool not in known:
        raise unknown("tool", tool, known, argument="tool")
    said = {"tool": tool, "rule": rule_id, "assignee": assignee,
            "arguments": orjson.dumps(arguments).decode() if arguments else ""}  # fmt: skip

    def change(document: WorkflowDocument) -> WorkflowDocument:
        settings = {key: value for key, value in said.items() if value}
        return add_node(document, chosen, type_, name, scope=scope, lane=lane_id, attached_to=attached_to,
                        trigger=trigger, when=when, script=script, settings=settings)  # fmt: skip

    document = _edit_once(agent, workflows, workflow_id, change, lambda one: is_there(one.root, chosen))
    return {"node_id": chosen} | summarize_workflow(workflows.one(workflow_id), document)


def bpmn_remove_node(agent: Agent, *, workflow_id: Text, node_id: Text, business_id: str = "") -> dict[str, Any]:
    """Remove an element of a workflow, with what is attached to it and all its connections.

    Args:
        workflow_id: Which workflow.
        node_id: The node, flow, lane or pool.
        business_id: The business; the agent's own if left out.
    """
    workflows = business_of(agent, business_id).workflows
    document = _edit_once(
        agent, workflows, workflow_id, lambda one: remove(one, node_id), lambda one: not is_there(one.root, node_id)
    )
    return summarize_workflow(workflows.one(workflow_id), document) | {"node_id": node_id}


def bpmn_connect(
    agent: Agent,
    *,
    workflow_id: Text,
    from_: Text,
    to: Text,
    name: str = "",
    condition: str = "",
    default: bool = False,
    flow_id: OwnId = "",
    business_id: str = "",
) -> dict[str, Any]:
    """Connect two nodes of a workflow by a sequence flow, two pools by a message flow, data or a note with a node.

    Args:
        workflow_id: Which workflow.
        from: The node it leaves.
        to: The node it leads to.
        name: What people read, as yes or no.
        condition: When it is taken, as amount > 5; names are variables of the workflow.
        default: Take it where no other flow's condition holds.
        flow_id: An id of your own; made if left out.
        business_id: The business; the agent's own if left out.
    """
    workflows = business_of(agent, business_id).workflows
    chosen = flow_id or agent.ids.new("F")

    def change(document: WorkflowDocument) -> WorkflowDocument:
        after = connect(document, chosen, from_, to, name=name, condition=condition)
        return set_default(after, from_, chosen) if default else after

    document = _edit_once(agent, workflows, workflow_id, change, lambda one: is_there(one.root, chosen))
    return {"flow_id": chosen} | summarize_workflow(workflows.one(workflow_id), document)


def bpmn_add_lane(
    agent: Agent,
    *,
    workflow_id: Text,
    name: Text,
    assignee: str = "",
    lane_id: OwnId = "",
    scope: str = "",
    business_id: str = "",
) -> dict[str, Any]:
    """Add a lane: who is responsible for the nodes in it.

    Args:
        workflow_id: Which workflow.
        name: What people read.
        assignee: An agent, a role or a contractor; by its name if left out.
        lane_id: An id of your own; made if left out.
        scope: The pool it stands in; where there is one process, that if left out.
        business_id: The business; the agent's own if left out.
    """
    workflows = business_of(agent, business_id).workflows
    chosen = lane_id or agent.ids.new("L")

    def change(document: WorkflowDocument) -> WorkflowDocument:
        return add_lane(document, chosen, name, assignee=assignee, scope=scope)

    document = _edit_once(agent, workflows, workflow_id, change, lambda one: is_there(one.root, chosen))
    return {"lane_id": chosen} | summarize_workflow(workflows.one(workflow_id), document)


TOOLS = [
    Tool.of(bpmn_add_node, module=MODULE, writes=True, addresses=("arguments",)),
    Tool.of(bpmn_remove_node, module=MODULE, writes=True),
    Tool.of(bpmn_connect, module=MODULE, writes=True),
    Tool.of(bpmn_add_lane, module=MODULE, writes=True),
]
