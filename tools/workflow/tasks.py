"""An agent's work for one token of a workflow: a tool, a rule, a script, or a question to a person."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, cast

import orjson

from mabos.configs.errors import InvalidArgument, MabosError, Refused, UnknownId
from mabos.society.bpmn.engine.expressions import run_script, value_of
from mabos.society.bpmn.engine.running import ProcessExecution
from mabos.society.bpmn.engine.state import Token
from mabos.society.bpmn.model import FlowNode, WorkflowModel
from mabos.society.contractors import Contractor
from mabos.society.decisions import Decision, DecisionAnswer
from mabos.society.workflows import WorkflowRun, place
from mabos.tools.runtime.services import Agent, Caller
from mabos.workspace.clock import iso

if TYPE_CHECKING:
    from mabos.tools.gate.call import Outcome
    from mabos.tools.runtime.company import Business


_FEW, _SHOWN = 12, 60  # values of a workflow that are shown to who decides, and characters of each
_NAMED = re.compile(r"\{(\w+)\}")


@dataclass(slots=True)
class Advance:
    """An agent's progress in a workflow."""

    run: WorkflowRun
    did: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)


def assignee(model: WorkflowModel, node: FlowNode) -> str:
    """Return the party responsible for a node: its own assignee, else that of its lane, or the lane's name."""
    lane = model.lanes.get(node.lane)
    return node.settings.get("assignee") or (lane.assignee or lane.name if lane is not None else "")


def contractor(business: Business, named: str) -> Contractor | None:
    """Return the contractor that a lane or task names by id or name."""
    return next((one for one in business.workforce.contractors.all() if named and named in (one.id, one.name)), None)


@dataclass(slots=True)
class Work:
    """A token whose work this agent does."""

    agent: Agent
    business: Business
    found: Advance
    made: ProcessExecution
    token: Token
    node: FlowNode

    @property
    def now(self) -> datetime:
        """The present moment of the agent's clock."""
        return self.agent.clock()

    @property
    def key(self) -> str:
        """The effect key of the work."""
        return f"{self.found.run.id}:{self.token.occasion}"

    def step(self) -> bool:
        """Return whether the token could continue."""
        waits = self.found.run.asked.get(self.token.occasion, "")
        if waits:
            return self._heed(waits)
        if self.token.wait == "script":
            return self._complete_computed(lambda: run_script(self.node.script, self.made.state.variables))
        if self.token.wait == "rule" and "rule" in self.node.settings:
            return self._complete_computed(self._evaluate_rule)
        if self.token.wait != "trouble" and "tool" in self.node.settings:
            return self._call(self.node.settings["tool"])
        if self.token.wait != "trouble" and self._hire():
            return False
        called = f"it calls {self.token.why!r}, which is not in this file" if self.token.wait == "call" else ""
        return self._ask(called or self.token.why)

    def _complete_computed(self, compute: Any) -> bool:
        try:
            result = compute()
        except MabosError as error:
            return self._ask(error.message)
        self.made.complete(self.token.id, result, self.now)
        return True

    def _evaluate_rule(self) -> dict[str, Any]:
        """Return whether a rule of the agent applies now, under the rule's id."""
        rule = self.agent.rules.rule(self.node.settings["rule"])
        holds = bool(self.agent.rules.evaluate(rule, self.agent.facts, self.made.state.variables))
        return {rule.id.replace("-", "_"): holds, "decided": holds}

    def _call(self, tool: str) -> bool:
        try:
            arguments = _arguments(self.node, self.made.state.variables)
        except InvalidArgument as error:
            return self._ask(error.message)
        outcome = self._call_tool(tool, arguments)
        if outcome.awaiting:
            self._wait_for(outcome.decision_id)
            return False
        if outcome.is_hindered:
            return False
        if outcome.ok:
            self.made.complete(self.token.id, {_name(self.node): dict(outcome.result)}, self.now)
        else:
            self.made.fail(self.token.id, outcome.code, f"{self.node.label}: {outcome.message}", self.now)
        return True

    def _call_tool(self, tool: str, arguments: Mapping[str, Any], what: str = "") -> Outcome:
        from mabos.tools.gate.call import call

        return call(
            self.agent.services,
            tool,
            arguments,
            caller=Caller("agent", self.agent.id),
            agent_id=self.agent.id,
            key=self.key + what,
            cycle=self.agent.cycle,
            because={"workflow": self.found.run.workflow_id, "node": place(self.found.run.id, self.node.id)},
        )

    def _hire(self) -> bool:
        """Give the work to the contractor whom the lane names; False where it names none."""
        hired = contractor(self.business, assignee(self.made.tables.model, self.node))
        if hired is None:
            return False
        package = f"WP-{self.found.run.id}-{self.token.occasion}"
        budget = float(self.node.settings.get("budget_usd", 0))
        about = {"title": self.node.label, "description": f"{self.node.label} of {self.found.run.workflow_id}",
                 "required_skills": [], "budget_usd": budget, "package_id": package}  # fmt: skip
        made = self._call_tool("work_package_create", about, ":package")
        given = (
            made
            if not made.ok
            else self._call_tool("work_package_assign", {"package_id": package, "contractor_id": hired.id}, ":assign")
        )
        if given.ok:
            self._wait_for(package)
        return given.ok

    def _ask(self, trouble: str) -> bool:
        """Put the work, or its obstacle, before a person; False: it waits."""
        flows = self.made.tables.outgoing[self.node.id] if self.token.wait == "trouble" else ()
        options = [{"id": flow.id, "label": flow.name or self.made.tables.label(flow.target)} for flow in flows]
        workflow = self.business.workflows.records.one(self.found.run.workflow_id)
        wanted = (
            trouble or "Please do this; approve when it is done, modify to hand over values, reject if it cannot be"
        )
        decision = Decision(
            id=f"DEC-{self.found.run.id}-{self.token.occasion}",
            from_agent=self.agent.id,
            subject=f"{workflow.name}: {self.node.label}",
            description=" ".join(filter(None, [f"{wanted}.", self.node.documentation, self._describe_variables()])),
            options=tuple(options) or ({"id": "done", "label": "Done"}, {"id": "failed", "label": "It cannot be done"}),
            created_at=iso(self.now),
            reasons=(place(self.found.run.id, self.node.id),),
            cycle=self.agent.cycle,
        )
        known = next((one for one in self.business.decisions.all() if one.id == decision.id), None)
        self._wait_for((known or self.business.decisions.request(decision)).id)
        return False

    def _describe_variables(self) -> str:
        """Return in words the values that the workflow has, for who decides."""
        plain = {
            name: value
            for name, value in self.made.state.variables.items()
            if isinstance(value, str | int | float) and name != "loopCounter"
        }
        said = [f"{name} = {str(value)[:_SHOWN]}" for name, value in list(plain.items())[:_FEW]]
        return f"Known: {', '.join(said)}." if said else ""

    def _wait_for(self, what: str) -> None:
        self.found.asked.append(what)
        self.found.run = replace(self.found.run, asked={**self.found.run.asked, self.token.occasion: what})

    def _heed(self, waits: str) -> bool:
        """Return whether an answer has come, after going on with it."""
        answer = find_answers(self.business, [waits]).get(waits)
        if answer is None:
            return False
        decision = answer if isinstance(answer, Decision) else None
        others = {key: one for key, one in self.found.run.asked.items() if key != self.token.occasion}
        self.found.run = replace(self.found.run, asked=others)
        if decision is not None and decision.action is not None and decision.status != "rejected":
            return self._resume_approved(decision)
        if decision is None:
            is_done = answer == "complete"
        else:
            is_done = decision.status != "rejected" and decision.chosen_option != "failed"
        if not is_done:
            told = (decision.feedback if decision is not None else "") or f"{self.node.label} was not done"
            self.made.fail(self.token.id, "rejected", told, self.now)
        elif decision is not None and self.token.wait == "trouble" and decision.chosen_option in self._flows():
            self.made.choose(self.token.id, decision.chosen_option, self.now)
        else:
            given = dict(decision.modifications) if decision is not None else {}
            self.made.complete(self.token.id, given, self.now)
        return True

    def _flows(self) -> list[str]:
        return [flow.id for flow in self.made.tables.outgoing[self.node.id]]

    def _resume_approved(self, decision: Decision) -> bool:
        """Go on with a permitted action: perform it, or take the result if it was performed already."""
        if not decision.performed_at:
            return self._call(str((decision.action or {}).get("tool", self.node.settings.get("tool", ""))))
        known = self.agent.services.directory.effects(self.agent.id).find(decision.performed_key)
        result = {} if known is None else dict(known.result or {})
        self.made.complete(self.token.id, {_name(self.node): result}, self.now)
        return True


def _name(node: FlowNode) -> str:
    """Return under which name a task's result is a variable of the workflow."""
    return node.settings.get("result", "") or "".join(one if one.isalnum() else "_" for one in node.id)


def _arguments(node: FlowNode, variables: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of a task's tool; a text `{expression}` is replaced by its value.

    Inside a longer text `{name}` is replaced by that variable; an unknown name stays as it is.
    """
    told = node.settings.get("arguments", "") or "{}"
    try:
        given = orjson.loads(told)
    except orjson.JSONDecodeError as error:
        raise InvalidArgument(f"the arguments of {node.label!r} are not JSON ({error})", argument="arguments") from None
    if not isinstance(given, dict):
        raise InvalidArgument(f"the arguments of {node.label!r} are not a JSON object", argument="arguments")
    return cast("dict[str, Any]", _fill_values(given, variables))


def _fill_values(value: Any, variables: Mapping[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("{") and value.endswith("}") and len(value) > 2:
        return value_of(value[1:-1], variables)
    if isinstance(value, str):
        return _NAMED.sub(lambda found: str(variables.get(found[1], found[0])), value)
    if isinstance(value, Mapping):
        return {key: _fill_values(one, variables) for key, one in value.items()}
    return [_fill_values(one, variables) for one in value] if isinstance(value, list) else value


def find_answers(business: Business, waits: Collection[str]) -> Mapping[str, Decision | str]:
    """Return the answered decisions among those waited for, and the final status of finished work packages."""
    if not waits:
        return {}
    over = {one.id: one.status for one in business.workforce.packages.all() if one.id in waits and one.is_over}
    return over | {one.id: one for one in business.decisions.all() if one.id in waits and not one.open}


def taken_back(business: Business, waits: str, run: WorkflowRun, now: str) -> None:
    """Close a workflow's question that no longer needs an answer, so that no unwanted action is allowed."""
    said = f"{run.workflow_id} went on without it ({run.id})" if run.status == "running" else f"{run.id} is over"
    with suppress(Refused, UnknownId):  # answered already, or the work package of a contractor, which stands
        business.decisions.resolve(waits, DecisionAnswer("reject", now, by=run.id, feedback=said))
