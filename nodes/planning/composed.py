"""A model's suggestion as a plan: arguments checked, delegations addressed, conditions parsed, levers limited."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, BeforeValidator, Field

from mabos.configs.errors import InvalidArgument, MabosError
from mabos.language.request import Check
from mabos.mind.conditions import fault
from mabos.mind.model import Goal, Plan, Step
from mabos.nodes.planning.levers import fault_of_move, is_lever, owner_of
from mabos.nodes.planning.merit import Way, aims_at
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.plans.case_steps import parse_steps
from mabos.tools.plans.risks import GO_ON, PROPOSED, question
from mabos.tools.plans.sources import by_hand
from mabos.tools.requests.acceptance import is_accepted
from mabos.tools.requests.colleagues import capable
from mabos.tools.requests.records import section, sections
from mabos.tools.runtime.services import Agent
from mabos.tools.work.briefing.thinking import figure_named
from mabos.tools.work.toolbox import OF_PEOPLE, may_use
from mabos.workspace.copies import replace

MOST_STEPS: Final = 8
DELEGATE: Final = "delegate"
"""The name of the step that asks a colleague to do something."""
PROPOSE: Final = "propose"
"""The name of the step that puts a proposal to the owner."""
MESSAGE: Final = "agent_message"
NOT_STEPS: Final = OF_PEOPLE | {"handoff", "knowledge", "memory_store_item", "reason", "stakeholder_profile"}
"""Operations that are not steps towards a goal, or that only people use."""
STATES: Final = frozenset({"belief_update", "fact_assert", "metrics_record"})
"""Operations that state how something is."""
_FROM_PERSON = "D-MSG-"


def _named_values(given: Any) -> Any:
    """Return arguments as an object, also where they were written as a list of names and values."""
    if not isinstance(given, list) or not all(isinstance(one, Mapping) and "name" in one for one in given):
        return given
    return {str(one["name"]): _value(one.get("value")) for one in given}


def _value(given: Any) -> Any:
    """Return a number, a list or an object that a text is, else the text."""
    if not isinstance(given, str):
        return given
    try:
        return json.loads(given)
    except ValueError:
        return given


class SuggestedStep(BaseModel):
    """One step: an operation with its arguments, and the conditions for doing it."""

    operation: Annotated[str, Field(max_length=60)]
    description: Annotated[str, Field(min_length=3, max_length=400)]
    arguments: Annotated[dict[str, Any], BeforeValidator(_named_values)] = {}
    conditions: list[str] = []


class ExpectedMove(BaseModel):
    """A figure that a plan is expected to change, and its direction."""

    figure: Annotated[str, Field(max_length=80)]
    direction: Literal["higher", "lower"]


class ExpectedRecord(BaseModel):
    """Records expected to exist after the plan: its acceptance check, as for a request's goal."""

    records: Annotated[str, Field(max_length=40, description=f"One of {', '.join(sections())}.")]
    where: Annotated[dict[str, Any], Field(description="A value by field, or {contains}, {min}, {max}, {in}, {not}.")]
    minimum: Annotated[int, Field(ge=1, le=1000)] = 1

    @property
    def check(self) -> Check:
        """The acceptance check in the form used to judge records."""
        fields = ", ".join(f"{name} {json.dumps(value)}" for name, value in self.where.items())
        note = f"{self.minimum} of {self.records} with {fields}"
        return Check(self.records, self.where, self.minimum, note=note)


class Suggestion(BaseModel):
    """A model's answer when asked for a plan: steps, or one search for operations."""

    reason: Annotated[str, Field(max_length=400)] = ""
    evidence: list[str] = []
    probability: Annotated[float, Field(ge=0, le=1)] = 0.5
    expects: list[ExpectedMove] = []
    within_days: Annotated[int, Field(ge=1, le=365)] = 28
    done_when: Annotated[list[ExpectedRecord], Field(max_length=3)] = []
    steps: list[SuggestedStep] = []
    find: Annotated[str, Field(max_length=200)] = ""

    @property
    def expected(self) -> dict[str, Way]:
        """The figures that it is expected to change, by name, with directions."""
        return {figure_named(one.figure): one.direction for one in self.expects}

    @property
    def calling(self) -> frozenset[str]:
        """The figures that it uses as reasons and expects to lower."""
        rests = {figure_named(one) for one in self.evidence}
        return frozenset(figure for figure, way in self.expected.items() if way == "lower" and figure in rests)


def acceptance_checks(agent: Agent, answer: Suggestion) -> tuple[Check, ...]:
    """Return the acceptance checks of a suggestion; raises a `MabosError` for an undecidable one."""
    checks = tuple(one.check for one in answer.done_when)
    for check in checks:
        known = {name for record in section(agent, check.section) for name in record}
        missing = sorted(set(check.where) - known) if known else []
        if missing or not check.where:
            said = f"records of {check.section} have {', '.join(sorted(known))}, and not {', '.join(missing)}"
            raise InvalidArgument(said if missing else "it names no field", argument="done_when")
    if checks and is_accepted(agent, checks):
        raise InvalidArgument("these records exist already, before any step", argument="done_when")
    return checks


def compose_plan(agent: Agent, goal: Goal, answer: Suggestion) -> Plan:
    """Return the plan of a suggestion; raises a `MabosError` that names the faulty step."""
    if len(answer.steps) > MOST_STEPS:
        message = f"it has {len(answer.steps)} steps, and {MOST_STEPS} are the most"
        raise InvalidArgument(message, argument="steps")
    given = list[dict[str, Any]]()
    for number, step in enumerate(answer.steps, 1):
        try:
            form = _form(agent, goal, step, answer.calling)
            given.append(form | {"id": f"{PROPOSED}-{number}"} if step.operation == PROPOSE else form)
        except MabosError as error:
            raise InvalidArgument(f"step {number}, {step.operation}: {error.message}", argument="steps") from None
    steps = parse_steps(agent, _merge_requests(given))
    return replace(by_hand(agent, goal, _side_by_side(steps), "model"), status="active")


def _form(agent: Agent, goal: Goal, step: SuggestedStep, figures: Collection[str]) -> dict[str, Any]:
    """Return a step as a person would write it; raises a `MabosError` where it could not be done so."""
    described = " ".join(step.description.split())
    for condition in step.conditions:
        if wrong := fault(condition):
            raise InvalidArgument(
                f"nothing could decide the condition {condition!r}, at {wrong}", argument="conditions"
            )
    form: dict[str, Any] = {"description": described, "preconditions": list(step.conditions)}
    if step.operation == DELEGATE:
        return form | _request(agent, str(step.arguments.get("to", "")), _order(step, described))
    if step.operation == PROPOSE:
        asked = question("", described, _order(step, described), recommended=GO_ON, then="")
        return form | {"tool": asked.tool, "arguments": dict(asked.arguments)}
    tool = agent.services.tools.tool(step.operation)
    values = tool.validate_arguments(step.arguments)
    given, arguments = values.model_dump(mode="json", by_alias=True), tool.canonical(values)
    if tool.name in NOT_STEPS:
        raise InvalidArgument("it is not a step of a plan", argument="operation")
    if tool.name in STATES and (own := _own_figures(goal, given)):
        raise InvalidArgument(f"{own} is what the goal is about: it is measured", argument="operation")
    if (other := _owner(agent, tool)) != agent.id:
        return form | _request(agent, other, f"{tool.told(agent, given)}. {described}")
    is_bound = is_lever(tool) and not _is_asked_for(goal)
    wrong = fault_of_move(agent, goal, tool.name, arguments, figures) if is_bound else ""
    if wrong:
        raise InvalidArgument(wrong, argument="arguments")
    return form | {"tool": tool.name, "arguments": arguments, "cost": tool.amount(given)}


def _own_figures(goal: Goal, arguments: Mapping[str, Any]) -> str:
    """Return the figures of a goal's target that arguments name."""
    said = figure_named(" ".join(map(str, arguments.values())))
    return ", ".join(one for one in aims_at(goal.target) if one in said)


def _owner(agent: Agent, tool: Tool) -> str:
    """Return who performs an operation: the owner of a lever, else the agent itself where it may, else a colleague."""
    if is_lever(tool) and (owner := owner_of(agent, tool)):
        return owner
    return agent.id if may_use(agent, tool) else capable(agent, tool) or agent.id


def _is_asked_for(goal: Goal) -> bool:
    """Return whether a message requests a goal's aim, with values of its own."""
    return goal.desire_id.startswith(_FROM_PERSON)


def _order(step: SuggestedStep, described: str) -> str:
    """Return the order to a colleague, in whole words, with the day by which it is wanted."""
    said = " ".join(str(step.arguments.get("text", "")).split()) or described
    due = str(step.arguments.get("deadline", ""))
    return f"{said} (by {due})" if due and due not in said else said


def _request(agent: Agent, to: str, text: str) -> dict[str, Any]:
    """Return the step that asks a colleague; raises `InvalidArgument` where there is no such colleague."""
    seats = agent.business.manifest.agents if agent.business_id else {}
    found = seats.get(to.casefold(), to)
    if found == agent.id or found not in agent.services.agents():
        raise InvalidArgument(f"{to!r} is not a colleague; name one of {', '.join(seats)}", argument="to")
    return {"tool": MESSAGE, "arguments": {"to": found, "performative": "REQUEST", "content": text}}


def _merge_requests(given: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the steps with neighbouring requests to one colleague, under the same conditions, as one message."""
    steps = list[dict[str, Any]]()
    for one in given:
        before = steps[-1] if steps else None
        if before is not None and _are_alike(before, one):
            said = f"{before['arguments']['content']} {one['arguments']['content']}"
            described = f"{before['description']}; {one['description']}"
            steps[-1] = {**before, "description": described, "arguments": {**before["arguments"], "content": said}}
        else:
            steps.append(one)
    return steps


def _are_alike(before: Mapping[str, Any], one: Mapping[str, Any]) -> bool:
    if not before["tool"] == one["tool"] == MESSAGE or before["preconditions"] != one["preconditions"]:
        return False
    first, second = before["arguments"], one["arguments"]
    return (first["to"], first["performative"], second["performative"]) == (second["to"], "REQUEST", "REQUEST")


def _side_by_side(steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps, in which neighbours with one operation do not wait for each other."""
    tools = ["", *(one.tool for one in steps), ""]
    return tuple(
        replace(one, ordering="parallel") if one.tool and one.tool in (tools[at], tools[at + 2]) else one
        for at, one in enumerate(steps)
    )
