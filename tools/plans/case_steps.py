"""Steps from outside: recorded in a case, or written by a person (S3 7.3)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.configs.yaml_file import validate_content
from mabos.knowledge.case_records import Case
from mabos.knowledge.entities.sensitive import has_redactions
from mabos.mind.binding import known_values, missing, step_of, tasks_of
from mabos.mind.model import Step
from mabos.mind.tasks import PlanTask
from mabos.mind.templates import StepTemplate, check_branches
from mabos.tools.catalogue.naming import given_as
from mabos.tools.plans.grounds import build_lookup
from mabos.tools.runtime.services import Agent

_LISTED = ("branches", "preconditions", "effects")


def recorded_steps(case: Case) -> list[dict[str, Any]]:
    """Return a case's record of each executed step; empty if it has none."""
    steps = case.solution.get("steps")
    return [one for one in steps if isinstance(one, dict)] if isinstance(steps, list | tuple) else []


def steps_of_case(agent: Agent, case: Case) -> tuple[Step, ...]:
    """Return the steps of a case as recorded; missing parts come from their template.

    Raises `InvalidArgument` for a step that cannot be executed as written, since any agent may write steps into a case.
    """
    described = _load_template_steps(agent, str(case.solution.get("template") or ""))
    if recorded := recorded_steps(case):
        return tuple(_restore_step(case.id, number, one, described) for number, one in enumerate(recorded, 1))
    names = {tool.name for tool in agent.services.tools.all()}
    told = case.solution.get("actions")
    actions = [str(one) for one in told] if isinstance(told, list | tuple) else []
    return tuple(Step(f"s{number}", said, tool=said if said in names else "") for number, said in enumerate(actions, 1))


def _load_template_steps(agent: Agent, name: str) -> dict[str, Step]:
    """Return the steps of a template by id, those of all ways; none where it is gone or a value is not known."""
    library, lookup = agent.services.library, build_lookup(agent)
    template = library.template(name) if name in library.names else None
    if template is None or missing(template, lookup):
        return {}
    return {step.id: step for step in _every(tasks_of(template, known_values(template, lookup)))}


def _every(tasks: Sequence[PlanTask]) -> list[Step]:
    below = [step for task in tasks for way in task.ways for step in _every(way.tasks)]
    return [*(task.step for task in tasks if not task.ways), *below]


def _restore_step(case_id: str, number: int, said: Mapping[str, Any], described: Mapping[str, Step]) -> Step:
    if wrong := _fault(said):
        message = f"step {number} of {case_id} cannot be read: {wrong}; keep the case again, or give 'steps'"
        raise InvalidArgument(message, argument="source_case_id")
    tool, step_id = str(said.get("tool") or ""), str(said.get("id") or f"s{number}")
    step = described.get(step_id.rsplit("-", 1)[0]) or described.get(step_id) or Step(step_id, tool)
    branches = tuple((str(when), str(go)) for when, go in said.get("branches") or step.branches)
    return replace(
        step,
        id=step_id,
        description=str(said.get("description") or step.description),
        tool=tool,
        arguments=dict(said.get("arguments") or {}),
        preconditions=tuple(map(str, said.get("preconditions") or step.preconditions)),
        effects=tuple(map(str, said.get("effects") or step.effects)),
        branches=branches,
        cost=float(said.get("cost") or step.cost),
    )


def _fault(said: Mapping[str, Any]) -> str:
    """Return the error in the form of a recorded step, or an empty text."""
    for name in _LISTED:
        if not isinstance(said.get(name) or (), list | tuple):
            return f"{name} is {said[name]!r:.60}, and no list"
    for one in said.get("branches") or ():
        if not isinstance(one, list | tuple) or len(one) != 2:
            return f"branches holds {one!r:.60}, and no pair of condition and step"
    if not isinstance(said.get("arguments") or {}, Mapping):
        return f"arguments is {said['arguments']!r:.60}, and no object"
    if has_redactions(said.get("arguments")):
        return "an address or secret in its arguments is not kept"
    if _dollars(said.get("cost") or 0.0) is None:
        return f"cost is {said['cost']!r:.60}; expected dollars"
    return ""


def _dollars(said: object) -> float | None:
    """Return an amount as a case or a person wrote it; None if it is not a finite number."""
    try:
        amount = float(said)  # type: ignore[arg-type]  # whatever is no number raises
    except (TypeError, ValueError, OverflowError):
        return None
    return amount if isfinite(amount) else None


def parse_steps(agent: Agent, steps: Sequence[Mapping[str, Any]]) -> tuple[Step, ...]:
    """Return a person's steps; raises `InvalidArgument` or `UnknownId` with the faulty step."""
    forms = tuple(_form(number, given) for number, given in enumerate(steps, 1))
    try:
        check_branches(forms)
    except ValueError as error:
        raise InvalidArgument(str(error), argument="steps") from None
    made = tuple(_build_step(form) for form in forms)
    with given_as("steps"):
        check_tools(agent, made)
    return made


def insertion(number: int, given: Any) -> tuple[str, Step]:
    """Return a step to insert, with the id of its predecessor; raises `InvalidArgument`."""
    if not isinstance(given, dict):
        raise InvalidArgument(f"insert holds {given!r}; expected a step", argument="differences")
    content = dict(given)
    return str(content.pop("after", "")), _build_step(_form(number, {"id": f"new{number}", **content}))


def check_tools(agent: Agent, steps: Sequence[Step]) -> None:
    """Raise `UnknownId` for a step whose tool does not exist."""
    for step in steps:
        if step.tool:
            agent.services.tools.tool(step.tool)


def _form(number: int, given: Mapping[str, Any]) -> StepTemplate:
    content = {"id": f"s{number}", "description": given.get("tool", f"step {number}"), **given}
    try:
        return validate_content(StepTemplate, content, f"steps[{number - 1}]")
    except InvalidArgument as error:
        raise InvalidArgument(error.message, argument="steps") from None


def _build_step(form: StepTemplate) -> Step:
    if form.task:
        message = f"step {form.id!r} is a task; only templates have methods, so give its steps"
        raise InvalidArgument(message, argument="steps")
    try:
        step = step_of(form, {})
    except ValueError:
        step = None
    if step is None or not isfinite(step.cost):
        message = f"step {form.id!r}: cost is {form.cost!r}; expected dollars"
        raise InvalidArgument(message, argument="steps")
    return step
