"""Workflow runs in which it is an agent's turn. Each cycle checks this, so data for all runs is read once."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from mabos.configs.errors import MabosError
from mabos.society.bpmn.engine.state import OUTSIDE, occasion
from mabos.society.bpmn.model import FlowNode, WorkflowModel
from mabos.society.messages import Message
from mabos.society.workflows import WorkflowRun
from mabos.tools.runtime.services import Agent
from mabos.tools.workflow.tasks import assignee, find_answers
from mabos.workspace.clock import iso

if TYPE_CHECKING:
    from mabos.tools.runtime.company import Business


def due(agent: Agent) -> list[WorkflowRun]:
    """Return the runs in which this agent has something to do now."""
    if not agent.business_id:
        return []
    business = agent.business
    runs = business.workflows.running()
    if not runs:
        return []
    waits = {one for run in runs for one in run.asked.values()}
    look = _DueRuns(
        agent,
        business,
        _seats(business),
        _messages(agent, min(run.started_at for run in runs)),
        find_answers(business, waits).keys(),
        iso(agent.clock()),
    )
    return [run for run in runs if look.is_due(run)]


def doer(agent: Agent, business: Business, run: WorkflowRun, node: FlowNode | None) -> str:
    """Return the agent responsible for a node: its lane's, else the run's starter, else the first agent."""
    named = "" if node is None else assignee(business.workflows.model_of(run), node)
    return _select_seat(_seats(business), named, run.started_by) or agent.id


def resolve_seat(business: Business, named: str) -> str:
    """Return the agent that a lane or task names by id or role; "" if it names none."""
    seats = _seats(business)
    return seats.get(named) or seats.get(named.lower(), "")


def news(agent: Agent, run: WorkflowRun) -> list[Message]:
    """Return unprocessed messages for a run: their metadata names it or its workflow, and the message.

    One read since the run began counts too, since a crashed cycle may have read it without acting on it.
    """
    return _for(run, _messages(agent, run.started_at))


@dataclass(frozen=True, slots=True)
class _DueRuns:
    """An agent's view of all running workflows: the role holders, the messages received, and the answers."""

    agent: Agent
    business: Business
    seats: Mapping[str, str]
    messages: Collection[Message]
    answered: Collection[str]
    now: str

    def is_due(self, run: WorkflowRun) -> bool:
        try:
            model = self.business.workflows.model_of(run)
        except MabosError:  # its copy is lost or damaged: `workflow_status` says so, and the other runs go on
            return False
        tokens = run.state["tokens"]  # as they are kept, and not read into tokens
        if self.messages and _for(run, self.messages):
            return True
        timers = [at for one in (*tokens, *run.state["scopes"]) for at in one.get("due", {}).values()]
        if any(at <= self.now for at in timers) and self._is_mine(run, ""):
            return True
        for token in tokens:
            if token.get("wait") in (*OUTSIDE, "trouble"):
                waits = run.asked.get(occasion(token["id"], token.get("visit", 0), token.get("turn", 0)), "")
                if (not waits or waits in self.answered) and self._does(run, model, token["node"]):
                    return True
        return False

    def _does(self, run: WorkflowRun, model: WorkflowModel, node_id: str) -> bool:
        return self._is_mine(run, assignee(model, model.nodes[node_id]))

    def _is_mine(self, run: WorkflowRun, named: str) -> bool:
        return (_select_seat(self.seats, named, run.started_by) or self.agent.id) == self.agent.id


def _seats(business: Business) -> dict[str, str]:
    """Return the agents of a business by role and by id."""
    agents = business.manifest.agents
    return dict(agents) | {one: one for one in agents.values()}


def _select_seat(seats: Mapping[str, str], named: str, started_by: str) -> str:
    first = next(iter(seats.values()), "")
    return seats.get(named) or seats.get(named.lower()) or seats.get(started_by) or first


def _messages(agent: Agent, since: str) -> list[Message]:
    """Return the messages about workflows that are unread, or have come since then, each once."""
    late = takewhile(lambda one: one.timestamp >= since, reversed(agent.inbox.messages()))
    known = {one.id: one for one in (*agent.inbox.unread(), *reversed(list(late)))}
    return [one for one in known.values() if one.metadata.get("workflow") and one.metadata.get("message")]


def _for(run: WorkflowRun, messages: Collection[Message]) -> list[Message]:
    about = (run.id, run.workflow_id)
    return [one for one in messages if one.metadata["workflow"] in about and one.id not in run.heard]
