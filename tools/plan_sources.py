"""Where a plan comes from: steps by hand, the library, a case, or the decomposition of the goal (S3 7.1 to 7.4)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from configs.errors import InvalidArgument
from configs.yaml_file import checked
from knowledge.model import Case
from mind.htn import decompose, steps_of
from mind.library import FITS, StepTemplate, bind, bound_steps, choose, load_library, missing, parameters
from mind.model import Goal, Plan, PlanSource, Step
from mind.situation import believed, wanted
from society.business import agent_ids, read_agent
from tools.agent import Agent
from tools.naming import given_as
from workspace.clock import iso

RISKY = 0.6
"""What a plan's confidence is multiplied by when something like it failed in a situation like this."""


def role_of(agent: Agent) -> str:
    """Return the role of an agent, or an empty text for one that was written by hand."""
    known = agent_ids(agent.services.layout)
    return read_agent(agent.services.layout, agent.id).role if agent.id in known else ""


def found_plan(agent: Agent, goal: Goal, source: PlanSource | None) -> Plan:
    """Return a plan from `source`, else from the first that has one; raises `InvalidArgument` if none has."""
    for kind, make in (("library", _from_library), ("case", _from_cases), ("htn", _from_decomposition)):
        if source in (None, kind):
            made = make(agent, goal)
            if made is not None:
                return made
    where = "no template, case or decomposition" if source is None else f"no {source} plan"
    raise InvalidArgument(f"{where} fits goal {goal.id!r} ({goal.description}); give steps", argument="steps")


def _from_library(agent: Agent, goal: Goal) -> Plan | None:
    match = choose(load_library(), goal, role_of(agent), agent.mind.index)
    return None if match is None else bind(match.template, goal, agent.mind.index, ids=agent.ids, now=agent.clock())


def _from_cases(agent: Agent, goal: Goal) -> Plan | None:
    for similar in agent.cases.retrieve(believed(goal, agent.mind.index), wanted(goal), 3):
        steps = steps_of_case(agent, similar.case)
        if similar.score >= FITS and steps:
            return from_case(agent, goal, similar.case, steps)
    return None


def _from_decomposition(agent: Agent, goal: Goal) -> Plan | None:
    root = decompose(goal.description, load_library(), role_of(agent), agent.mind.index)
    steps = steps_of(root)
    return _draft(agent, goal, steps, source="htn", name=goal.description) if steps else None


def by_hand(agent: Agent, goal: Goal, steps: Sequence[dict[str, Any]], source: PlanSource | None) -> Plan:
    """Return a plan of the given steps; raises `InvalidArgument` or `UnknownId` that names the step at fault."""
    made = tuple(_step(number, given) for number, given in enumerate(steps, 1))
    ids = [step.id for step in made]
    if len(set(ids)) != len(ids):
        raise InvalidArgument("two steps have the same id", argument="steps")
    for step in made:
        for _, go in step.branches:
            if go not in (*ids, "end"):
                raise InvalidArgument(f"step {step.id!r} branches to {go!r}, which is no step", argument="steps")
    with given_as("steps"):
        check_tools(agent, made)
    return _draft(agent, goal, made, source=source or "manual", name=goal.description)


def _draft(
    agent: Agent, goal: Goal, steps: tuple[Step, ...], *, source: PlanSource, name: str, confidence: float = 0.5
) -> Plan:
    now = iso(agent.clock())
    plan_id = agent.ids.new("P", {plan.id for plan in agent.mind.plans})
    return Plan(plan_id, goal.id, name, source, confidence, steps=steps, created=now, updated=now)


def _step(number: int, given: dict[str, Any]) -> Step:
    content = {"id": f"s{number}", "description": given.get("tool", f"step {number}")} | given
    try:
        template = checked(StepTemplate, content, f"steps[{number - 1}]")
    except InvalidArgument as error:
        raise InvalidArgument(error.message, argument="steps") from None
    return Step(
        id=template.id,
        description=template.description,
        tool=template.tool,
        arguments=dict(template.arguments),
        preconditions=template.preconditions,
        effects=template.effects,
        ordering=template.ordering,
        branches=tuple((branch.when, branch.go) for branch in template.branches),
        cost=_cost(template),
    )


def _cost(template: StepTemplate) -> float:
    try:
        return float(template.cost)
    except ValueError:
        message = f"step {template.id!r}: cost is {template.cost!r}; expected dollars"
        raise InvalidArgument(message, argument="steps") from None


def insertion(number: int, given: Any) -> tuple[str, Step]:
    """Return a step to insert, with the id of the step it follows; raises `InvalidArgument`."""
    if not isinstance(given, dict):
        raise InvalidArgument(f"insert holds {given!r}; expected a step", argument="differences")
    content = dict(given)
    return str(content.pop("after", "")), _step(number, {"id": f"new{number}", **content})


def check_tools(agent: Agent, steps: Sequence[Step]) -> None:
    """Raise `UnknownId` for a step whose tool does not exist."""
    for step in steps:
        if step.tool:
            agent.services.tools.tool(step.tool)


def steps_of_case(agent: Agent, case: Case) -> tuple[Step, ...]:
    """Return the steps of a case: as recorded, described by their template; else the template's, bound anew."""
    solution = case.solution
    library, lookup = load_library(), agent.mind.index
    name = str(solution.get("template") or "")
    template = library.template(name) if name in library.names else None
    ready = template is not None and not missing(template, lookup)
    bound = bound_steps(template, parameters(template, lookup)) if template and ready else ()
    known = {step.id: step for step in bound}
    recorded = [one for one in solution.get("steps") or () if isinstance(one, dict)]
    if not recorded:
        actions = [str(one) for one in solution.get("actions") or ()]
        return bound or tuple(_action(agent, number, one) for number, one in enumerate(actions, 1))
    return tuple(
        replace(
            known.get(str(one.get("id")), Step(str(one.get("id") or f"s{number}"), str(one.get("tool") or ""))),
            tool=str(one.get("tool") or ""),
            arguments=dict(one.get("arguments") or {}),
        )
        for number, one in enumerate(recorded, 1)
    )


def _action(agent: Agent, number: int, said: str) -> Step:
    names = {tool.name for tool in agent.services.tools.all()}
    return Step(f"s{number}", said, tool=said if said in names else "")


def from_case(agent: Agent, goal: Goal, case: Case, steps: tuple[Step, ...]) -> Plan:
    """Return a plan of the steps of a case; one that ended badly lends little confidence."""
    name = str(case.solution.get("name") or case.context or goal.description)
    made = _draft(agent, goal, steps, source="case", name=name, confidence=0.7 if case.success else 0.3)
    risks = (f"{case.id} ended as {case.outcome}",) if case.negative else ()
    return replace(made, template=str(case.solution.get("template") or ""), risks=risks)


def warned(agent: Agent, goal: Goal, made: Plan) -> Plan:
    """Return the plan with a risk for every like case that ended badly (S3 7.4)."""
    risky = [
        similar
        for similar in agent.cases.risks(believed(goal, agent.mind.index), wanted(goal))
        if _is_alike(similar.case, made)
    ]
    if not risky:
        return made
    risks = [f"{one.case.id} ended as {one.case.outcome} in a situation like this ({one.score:.2f})" for one in risky]
    return replace(made, risks=(*made.risks, *risks), confidence=round(made.confidence * RISKY, 4))


def _is_alike(case: Case, plan: Plan) -> bool:
    if plan.template and case.solution.get("template"):
        return bool(case.solution["template"] == plan.template)
    done = {str(one.get("tool")) for one in case.solution.get("steps") or () if isinstance(one, dict)}
    return not done or bool(done & {step.tool for step in plan.steps})
