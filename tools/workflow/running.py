"""Execution of workflows: each agent does the work in its lanes through the call path, and asks people for the rest.

A token's work has an effect key of run, token, visit and turn: after a crash finished work is not repeated, and the
workflow continues from the positions in `workflows.json`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from mabos.configs.errors import InvalidArgument, MabosError, Refused
from mabos.society.bpmn.checks.structure import endless_calls
from mabos.society.bpmn.diagram.svg import picture
from mabos.society.bpmn.document import WorkflowDocument
from mabos.society.bpmn.engine.running import ProcessExecution
from mabos.society.bpmn.engine.state import ExecutionState
from mabos.society.bpmn.engine.tables import tables
from mabos.society.bpmn.model import WorkflowModel
from mabos.society.workflows import RunStatus, Workflow, WorkflowRun
from mabos.tools.runtime.services import Agent, Caller
from mabos.tools.workflow.due import doer, news
from mabos.tools.workflow.tasks import Advance, Work, taken_back
from mabos.workspace.atomic import write_atomic
from mabos.workspace.clock import iso
from mabos.workspace.locks import try_lock

if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business

MOST = 200
"""At most this many tasks of one workflow are done in one go; the rest in the next cycle."""


def start_run(agent: Agent, business: Business, workflow_id: str, variables: Mapping[str, Any]) -> WorkflowRun:
    """Return a new run of a workflow, its first tokens waiting; an interrupted call finds its own run.

    Only one runs at a time: raises `Refused` while another does, `InvalidArgument` for an empty file.
    """
    workflows, run_id = business.workflows, agent.ids.new("WR")
    with workflows.alone():
        workflow = workflows.one(workflow_id)
        known, others = workflows.runs.find(run_id), [one for one in workflows.running() if one.id != run_id]
        if known is not None:
            return known
        other = next((one.id for one in others if one.workflow_id == workflow_id), "")
        if other:
            raise Refused(f"workflow {workflow_id!r} is already running ({other})", argument="status")
        made, version = _begin_execution(agent, business, workflow, ExecutionState(run_id, variables=dict(variables)))
        now = iso(agent.clock())
        # Whoever is killed between these two has a workflow that never ran, and no run that nobody knows of.
        workflows.records.save(replace(workflow, run_id=run_id, updated_at=now))
        run = WorkflowRun(run_id, workflow_id, "running", version, {}, started_at=now, started_by=agent.id)
        return _save_run(business, run, made, now)


def _begin_execution(
    agent: Agent, business: Business, workflow: Workflow, state: ExecutionState
) -> tuple[ProcessExecution, str]:
    """Return the first moves of a workflow by its file as it is now, and the copy that it goes by."""
    document = business.workflows.document(workflow.id)
    processes = [one for one in document.model.processes if document.model.members.get(one)]
    if not processes:
        raise InvalidArgument(f"workflow {workflow.id!r} is empty; add nodes first", argument="workflow_id")
    if endless := endless_calls(document.model):
        raise InvalidArgument(f"{endless[0].message}; {endless[0].mend}", argument="workflow_id")
    made = ProcessExecution(tables(document.model), state)
    made.begin(_beginning(document.model, processes), agent.clock())
    return made, business.workflows.version(document)


def _beginning(model: WorkflowModel, processes: Sequence[str]) -> list[str]:
    """Return the processes that begin by themselves: those that wait for a message of another begin with that."""
    by_message = {
        node.scope
        for node in model.nodes.values()
        if node.type == "startEvent" and any(flow.target == node.id for flow in model.message_flows.values())
    }
    return [one for one in processes if one not in by_message] or list(processes)


def cancel_run(business: Business, run_id: str, now: str, why: str) -> WorkflowRun:
    """Return a run after stopping it, with its questions to people withdrawn; an ended one is unchanged."""

    def stop(run: WorkflowRun) -> WorkflowRun:
        stopped = replace(run, status="cancelled", outcome=why, ended_at=now, updated_at=now)
        return stopped if run.status == "running" else run

    run = business.workflows.runs.change(run_id, stop)
    for waits in run.asked.values():
        taken_back(business, waits, run, now)
    return run


def advance_run(agent: Agent, run_id: str) -> Advance:
    """Do the work in this agent's lanes of a run, as far as possible; return the work and the questions."""
    business = agent.business
    with try_lock(agent.services.layout.internal / "locks" / f"workflow-{run_id.lower()}.lock") as is_free:
        found = Advance(business.workflows.runs.one(run_id))
        if is_free and found.run.status == "running":
            _advance(agent, business, found)
    return found


def _advance(agent: Agent, business: Business, found: Advance) -> None:
    made = ProcessExecution(business.workflows.tables_of(found.run), ExecutionState.of(found.run.state))
    for message in news(agent, found.run):
        if made.state.status != "running":
            break
        given = message.metadata.get("variables")
        values = given if isinstance(given, Mapping) else {}
        if not made.tell_of("message", str(message.metadata["message"]), agent.clock(), values):
            made.keep_mail(str(message.metadata["message"]))
        found.run = replace(found.run, heard=(*found.run.heard, message.id))
    if doer(agent, business, found.run, None) == agent.id and made.state.status == "running":
        made.tick(agent.clock())
    for _ in range(MOST):
        if made.state.status != "running" or not _one_step(agent, business, found, made):
            break
        if made.state.status == "running":
            found.run = _save_run(business, found.run, made, iso(agent.clock()))
    is_open = business.workflows.runs.one(found.run.id).status == "running"  # nobody has stopped it meanwhile
    if made.state.status != "running" and is_open:  # told before it is written: what has ended is not looked at again
        _announce(agent, business, found.run, made.state)
    now = iso(agent.clock())
    found.run = _save_run(business, _without_the_gone(business, found.run, made.state, now), made, now)
    if found.run.status == "cancelled":
        for waits in found.asked:  # asked while somebody stopped it
            taken_back(business, waits, found.run, now)


def _without_the_gone(business: Business, run: WorkflowRun, state: ExecutionState, now: str) -> WorkflowRun:
    """Return a run that waits for nothing whose token is gone, as by a timer; questions to people are withdrawn."""
    occasions = {token.occasion for token in state.tokens.values() if token.wait}
    waiting = {key: waits for key, waits in run.asked.items() if key in occasions}
    for waits in run.asked.values():
        if waits not in waiting.values():
            taken_back(business, waits, run, now)
    return replace(run, asked=waiting)


def _one_step(agent: Agent, business: Business, found: Advance, made: ProcessExecution) -> bool:
    """Return whether one token of this agent could go on."""
    for token in (*made.state.work(), *made.state.troubles()):
        node = made.tables.node(token.node)
        if doer(agent, business, found.run, node) != agent.id:
            continue
        doing = Work(agent, business, found, made, token, node)
        if doing.step():
            found.did.append(node.label)
            return True
    return False


def _save_run(business: Business, run: WorkflowRun, made: ProcessExecution, now: str) -> WorkflowRun:
    """Write where a run is, if it has moved; return it."""
    came = tuple(dict.fromkeys((*run.came_to, *(move.node for move in made.moves if move.kind == "came"))))
    made.moves.clear()
    status = cast("RunStatus", made.state.status)
    kept = replace(run, status=status, state=made.state.as_json(), came_to=came, outcome=made.state.outcome)
    kept = replace(kept, updated_at=now, ended_at="" if status == "running" else run.ended_at or now)
    runs = business.workflows.runs
    before = runs.find(run.id)
    if before is None:
        runs.save(kept)
        return kept
    if replace(kept, updated_at=before.updated_at) == before:
        return kept
    stays = runs.change(run.id, lambda known: kept if known.status == "running" else known)
    if stays.status == "cancelled":  # somebody stopped it meanwhile
        made.state.status = "terminated"
    return stays


def _announce(agent: Agent, business: Business, run: WorkflowRun, state: ExecutionState) -> None:
    """Let who started a run, and who ended it, believe how it ended."""
    from mabos.tools.gate.call import call

    workflow = business.workflows.records.one(run.workflow_id)
    for who in dict.fromkeys(one for one in (run.started_by, agent.id) if one in business.manifest.agents.values()):
        told = {
            "description": f"Workflow {workflow.name!r} is {state.status}: {state.outcome}",
            "certainty": 0.95,
            "source": run.id,
            "subject": run.workflow_id,
            "predicate": "status",
            "value": state.status,
        }
        call(
            agent.services,
            "belief_update",
            told,
            caller=Caller("agent", who),
            agent_id=who,
            key=f"{run.id}:end:{who}",
            because={"workflow": run.workflow_id, "run": run.id},
        )


if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business


def draw_workflow(document: WorkflowDocument, run: WorkflowRun | None) -> str:
    """Return a workflow as SVG, with the tokens of the active run and the nodes it reached."""
    tokens: dict[str, int] = {}
    for token in run.state.get("tokens", ()) if run is not None and run.status == "running" else ():
        tokens[token["node"]] = tokens.get(token["node"], 0) + 1
    return picture(document, tokens=tokens, done=run.came_to if run is not None else ())


def put_beside(business: Business, run: WorkflowRun) -> str:
    """Draw a run next to the file of its workflow and return the picture's name; "" if its copy is unreadable."""
    path = business.workflows.path(run.workflow_id).with_suffix(".svg")
    try:
        write_atomic(path, draw_workflow(business.workflows.copy_of(run), run), durable=False)
    except MabosError:
        return ""
    return path.name
