"""A plan that a model puts together where nothing else has one: of operations that exist, and asked of a person first.

Every step is made and verified like one written by hand; the plan begins with a question that shows it whole, and each
of its steps is governed like any other. A plan that does not hold together is refused, and the ledger says why.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any

from pydantic import BaseModel, Field

from mabos.backends.chat import NOT_ASKED, ChatMessage
from mabos.backends.structured import structured
from mabos.configs.errors import MabosError
from mabos.configs.prompts import prompt
from mabos.mind.model import Goal, Plan
from mabos.nodes.cycle import Cycle
from mabos.nodes.planning.proposals import Planned
from mabos.tools.catalogue.declaration import Tool
from mabos.tools.plans.case_steps import written
from mabos.tools.plans.grounds import hindrance
from mabos.tools.plans.risks import ASKED_FIRST, LEAVE, question
from mabos.tools.plans.sources import by_hand
from mabos.tools.runtime.services import Agent
from mabos.workspace.text import STOPWORDS, terms

MOST_STEPS = 5
SHOWN = 20
"""Beliefs that a model is shown, the surest first."""
OPERATIONS = 24
"""Operations that a model is shown: the whole catalogue is longer than small models read."""
CONFIDENCE = 0.3
"""What is thought of a plan that nobody has carried out yet."""


class _Argument(BaseModel):
    name: Annotated[str, Field(max_length=60)]
    value: Annotated[str, Field(max_length=400)]


class _Step(BaseModel):
    operation: Annotated[str, Field(max_length=60)]
    description: Annotated[str, Field(min_length=3, max_length=160)]
    arguments: list[_Argument] = []


class _Suggestion(BaseModel):
    steps: list[_Step] = []


def suggested(cycle: Cycle, goal: Goal, found: Planned) -> Planned:
    """Return `found`, with the plan of a model where it has none; a person is asked before its first step."""
    model = cycle.services.model
    if found.plan is not None or model.name in NOT_ASKED:
        return found
    asked = [ChatMessage("system", prompt("plan")), ChatMessage("user", "\n".join(_question(cycle.agent, goal, found)))]
    answer = structured(model, asked, _Suggestion, max_tokens=1_200, tag="plan")
    if answer is None or not answer.steps:
        return found
    try:
        made = _made(cycle.agent, goal, answer)
    except MabosError as error:
        return replace(found, why_not=(*found.why_not, f"what the model suggests cannot be used: {error.message}"))
    if made.risks:
        return replace(found, why_not=(*found.why_not, f"what the model suggests: {made.risks[0]}"))
    cycle.note(suggested=[step.description for step in made.steps])
    return replace(found, plan=_asked_first(made))


def _made(agent: Agent, goal: Goal, answer: _Suggestion) -> Plan:
    """Return the plan of a suggestion; raises a `MabosError` that names the step at fault."""
    given: list[dict[str, Any]] = [
        {"tool": one.operation, "description": " ".join(one.description.split()), "arguments": _arguments(one)}
        for one in answer.steps[:MOST_STEPS]
    ]
    steps = written(agent, given)
    for step in steps:
        agent.services.tools.tool(step.tool).validated(step.arguments)
    made = by_hand(agent, goal, steps, "model")
    return replace(made, confidence=CONFIDENCE, strategy=f"put together by {agent.services.model.name}")


def _arguments(step: _Step) -> dict[str, Any]:
    return {one.name: _value(one.value) for one in step.arguments}


def _value(text: str) -> Any:
    """Return a number, a list or an object that a text is, else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _asked_first(made: Plan) -> Plan:
    """Return a plan with a question before its first step, which shows every step as it would be done."""
    steps = "; ".join(
        f"{number}. {one.description} ({one.tool} {json.dumps(dict(one.arguments), ensure_ascii=False)})"
        for number, one in enumerate(made.steps, 1)
    )
    says = f"No plan of the library fits {made.name!r}. {made.strategy}, it would be: {steps}"
    asked = question(ASKED_FIRST, f"Try a new plan: {made.name}", says, recommended=LEAVE, then=made.steps[0].id)
    change = f"insert: step {ASKED_FIRST} is added, because a person decides whether a model's plan is tried"
    return replace(made, steps=(asked, *made.steps), changes=(*made.changes, change))


def _question(agent: Agent, goal: Goal, found: Planned) -> Iterator[str]:
    """Yield what a model is shown: the goal, why there is no plan, what is believed, and what can be done."""
    yield f"Goal [{goal.id}]: {goal.description}. Target: {goal.target or 'none'}. Deadline: {goal.deadline or 'none'}"
    yield from (f"Not possible: {one}" for one in found.why_not[:MOST_STEPS])
    yield "Believed:"
    held = sorted((one for one in agent.mind.beliefs if one.status == "held"), key=lambda one: (-one.certainty, one.id))
    yield from (f"[{one.id}] {' '.join(one.statement.split())[:200]}" for one in held[:SHOWN])
    yield "Operations, with their arguments (? may be left out):"
    for tool in _usable(agent, goal):
        fields = tool.arguments.model_fields.items()
        names = ", ".join(f"{name}{'' if field.is_required() else '?'}" for name, field in fields)
        yield f"{tool.name}({names}): {tool.summary}"


def _usable(agent: Agent, goal: Goal) -> list[Tool]:
    """Return the operations that the agent may use, those first that share most words with the goal."""
    cannot_use = hindrance(agent)
    wanted = {one for one in terms(f"{goal.description} {goal.target}") if one not in STOPWORDS}
    usable = [one for one in agent.services.tools.all() if not cannot_use(one.name)]
    shared = {one.name: len(wanted & set(terms(f"{one.name.replace('_', ' ')} {one.summary}"))) for one in usable}
    return sorted(usable, key=lambda one: (-shared[one.name], one.name))[:OPERATIONS]
