"""The sources of plans: the library, the parts of a goal, a past case, or steps by hand (S3 7.1 to 7.3).

Every source returns drafts: plans whose steps are all feasible in order, and why others are not.
"""

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.case_records import Case
from mabos.mind.binding import laid_out, missing, needs, tasks_of, unmet, values_for
from mabos.mind.conditions import direction, subjects
from mabos.mind.fitting import PastSituation, Situation, bears_on, fit_steps
from mabos.mind.goals import is_decidable
from mabos.mind.library import CLOSE, FIT, TemplateMatch, serves
from mabos.mind.model import Goal, Plan, PlanSource, Step
from mabos.mind.situation import is_success, list_desires, read_beliefs
from mabos.mind.tasks import PlanTask, Way, adapt_to_agent, parts_of, remove_refused, steps_of
from mabos.mind.templates import Template
from mabos.mind.ways import fault_in, ways
from mabos.society.business import agent_ids, read_agent
from mabos.tools.gate.initiative import is_asked_for
from mabos.tools.plans.case_steps import recorded_steps, steps_of_case
from mabos.tools.plans.grounds import asked_by_rules, build_lookup, hindrance, offers
from mabos.tools.plans.orders import ordered_already
from mabos.tools.plans.search import kind_of, templates_for
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso

ALIKE = 0.5
"""The least similarity of a case whose steps are worth adapting."""
LOOKED_AT = 8
"""Templates that are looked at for a goal, and cases."""
TO_PEOPLE = ("agent_message", "decision_request")
"""Operations whose arguments are words to people and colleagues."""
Worded = Callable[[Template], Template]
"""Puts what a template says in words for its readers."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A feasible plan, and the fit of its source to the goal, in [0, 1]."""

    plan: Plan
    fit: float = 1.0


@dataclass(frozen=True, slots=True)
class Drafts:
    """The result of a source: plans, best first, and a sentence for each infeasible one."""

    found: tuple[Draft, ...] = ()
    why_not: tuple[str, ...] = ()


def role_of(agent: Agent) -> str:
    """Return the role of an agent, or an empty text for a handwritten one."""
    known_ids = agent_ids(agent.services.layout)
    return read_agent(agent.services.layout, agent.id).role if agent.id in known_ids else ""


def drafts_for(
    agent: Agent,
    goal: Goal,
    text: str = "",
    *,
    source: PlanSource | None = None,
    without: Container[str] = (),
    worded: Worded = lambda one: one,
) -> Drafts:
    """Return the drafts of `source`, else of the first source with any, and why those tried have no more.

    A goal of several parts is split first; a case is adapted if nothing in the library fits. Goals of a routine are
    left to it: actions that it does not need now are not done in another way.
    """
    matches: Sequence[TemplateMatch] = ()
    if source in (None, "library"):
        said = text or f"{goal.description} {goal.target}"
        matches = templates_for(agent, said, role=role_of(agent), limit=LOOKED_AT).matches
    sources: dict[PlanSource, Callable[[], Drafts]] = {
        "htn": lambda: from_parts(agent, goal, without=without),
        "library": lambda: from_library(agent, goal, matches, without=without, worded=worded),
        "case": lambda: from_cases(agent, goal, without=without),
    }
    if source is None and _begins_with_routine([one for one in matches if serves(one.template, goal)]):
        source = "library"
    why_not = list[str]()
    for kind, look in sources.items():
        if source in (None, kind):
            drafts = _not_ordered_yet(agent, goal, look())
            why_not += drafts.why_not
            if drafts.found:
                return Drafts(drafts.found, tuple(why_not))
    return Drafts(why_not=tuple(why_not))


def _begins_with_routine(matches: Sequence[TemplateMatch]) -> bool:
    """Return whether the best match is a routine."""
    return bool(matches) and matches[0].score >= FIT and matches[0].template.routine


def _not_ordered_yet(agent: Agent, goal: Goal, drafts: Drafts) -> Drafts:
    """Return the drafts that order nothing for a goal that is under way for it already."""
    library = agent.services.library
    why_not = {
        one.plan.id: "" if library.is_routine(one.plan.template) else ordered_already(agent, goal, one.plan)
        for one in drafts.found
    }
    left = tuple(one for one in drafts.found if not why_not[one.plan.id])
    lacking = (
        f"{one.plan.template or one.plan.name}: {why_not[one.plan.id]}" for one in drafts.found if one not in left
    )
    return Drafts(left, (*drafts.why_not, *lacking))


def from_library(
    agent: Agent,
    goal: Goal,
    matches: Sequence[TemplateMatch],
    *,
    without: Container[str] = (),
    worded: Worded = lambda one: one,
) -> Drafts:
    """Return the drafts from the templates found for a goal, best first."""
    found, why_not = list[Draft](), list[str]()
    kinds = {one for one in kind_of(agent) if one}
    matches = [one for one in matches if one.score >= _least_fit(agent, goal)]
    has_routine = _begins_with_routine([one for one in matches if serves(one.template, goal)])
    for match in matches:
        if match.template.name in without or has_routine > match.template.routine:
            continue
        if match.template.domains and kinds and kinds.isdisjoint(match.template.domains):
            why_not.append(f"{match.template.name}: it is a plan for {' or '.join(match.template.domains)}")
            continue
        if not serves(match.template, goal):
            wanted = goal.target or "a goal without a target"
            why_not.append(f"{match.template.name}: it promises nothing of {wanted}")
            continue
        made = of_template(agent, goal, worded(match.template))
        if isinstance(made, Plan):
            found.append(Draft(made, match.score))
        else:
            why_not.append(f"{match.template.name}: {made}")
    return Drafts(tuple(found), tuple(why_not))


def _least_fit(agent: Agent, goal: Goal) -> float:
    """Return how well a template must fit a goal: better where nothing can decide afterwards whether it is reached.

    An agent without a role is never at home in a template, and all its scores are lower.
    """
    return FIT if is_decidable(goal) or direction(goal.target) or not role_of(agent) else CLOSE


def of_template(agent: Agent, goal: Goal, template: Template, *, refused: Container[str] = ()) -> Plan | str:
    """Return the plan of a template without the methods in `refused`, or why it is infeasible now."""
    lookup = build_lookup(agent)
    lacking = missing(template, lookup) or unmet(template, lookup)
    if lacking and not missing(template, lookup) and is_asked_for(agent, goal):
        lacking = unmet(template, lookup, is_asked=True)
    if lacking:
        return f"it needs {', '.join(lacking)}"
    called = laid_out(template, lookup, agent.mind.index.names)
    if called is None:
        return "none of its steps is called for now"
    template = called
    every = adapt_to_agent(tasks_of(template, values_for(template, goal, lookup, agent.clock())), agent.id)
    if every is None:
        return f"it is a plan for {' or '.join(template.roles) or 'others'}: {agent.id} would ask it of itself"
    tasks = remove_refused(every, refused)
    if tasks is None:
        return f"no other way is left to do it than {refused}"
    found = ways(tasks, lookup, hindrance(agent))
    if not found:
        return found.why
    name = template.name.removeprefix("saas_").replace("_", " ")
    made = _draft(agent, goal, steps_of(tasks, found.chosen), source="library", name=name)
    return replace(made, template=template.name, confidence=template.confidence, risks=template.risks)


def from_parts(agent: Agent, goal: Goal, *, without: Container[str] = (), refused: Container[str] = ()) -> Drafts:
    """Return the draft of a goal with several parts, at least two of which need their own plans."""
    parts = parts_of(goal.description)
    tasks = tasks_of_goal(agent, goal, parts, without=without) if len(parts) > 1 else ()
    lacking = [task.step.description for task in tasks if not task.ways]
    if not tasks or len(lacking) == len(tasks):
        return Drafts()
    if lacking:
        return Drafts(why_not=tuple(f"no template is for {part!r}" for part in lacking))
    left = remove_refused(tasks, refused)
    found = ways(left, build_lookup(agent), hindrance(agent)) if left else None
    if left is None or not found:
        return Drafts(why_not=(f"its parts together: {found.why if found else 'no other way is left'}",))
    used = [agent.services.library.template(found.chosen[task.step.id]) for task in left]
    if len({template.name for template in used}) < 2:  # else it is one task with many words
        return Drafts()
    made = _draft(agent, goal, steps_of(left, found.chosen), source="htn", name=goal.description)
    risks = tuple(dict.fromkeys(risk for template in used for risk in template.risks))
    return Drafts((Draft(replace(made, confidence=min(one.confidence for one in used), risks=risks)),))


def tasks_of_goal(
    agent: Agent, goal: Goal, parts: Sequence[str], *, without: Container[str] = ()
) -> tuple[PlanTask, ...]:
    """Return a compound task for each part of a goal; its methods are the matching templates, best first."""
    return tuple(
        PlanTask(Step(f"t{number}", part), tuple(_ways(agent, replace(goal, description=part), f"t{number}", without)))
        for number, part in enumerate(parts, 1)
    )


def _ways(agent: Agent, goal: Goal, path: str, without: Container[str]) -> Iterator[Way]:
    lookup = build_lookup(agent)
    found = templates_for(agent, goal.description, role=role_of(agent), limit=LOOKED_AT).matches
    for match in found:
        if match.score < _least_fit(agent, goal) or match.template.name in without or missing(match.template, lookup):
            continue
        template = laid_out(match.template, lookup, agent.mind.index.names)
        if template is None:
            continue
        values = values_for(template, goal, lookup, agent.clock())
        tasks = adapt_to_agent(tasks_of(template, values, f"{path}.{template.name}."), agent.id)
        if tasks is not None:
            yield Way(template.name, tasks, needs(template, lookup), fit=match.score)


def from_cases(agent: Agent, goal: Goal, *, without: Container[str] = ()) -> Drafts:
    """Return drafts from the most similar cases, adapted to the present."""
    found, why_not, in_vain, vain = list[Draft](), list[str](), list[str](), _vain(agent, goal)
    for similar in agent.cases.retrieve(read_beliefs(goal, agent.mind.index), list_desires(goal), LOOKED_AT):
        case, template = similar.case, str(similar.case.solution.get("template") or "")
        if similar.score < ALIKE or template in without or agent.services.library.is_routine(template):
            continue
        if not is_success(case):
            in_vain.append(case.id)
            continue
        if template in vain:
            why_not.append(f"{case.id}: {template} was done for {goal.target} before, and nothing came of it")
            continue
        if _is_of_its_day(case):
            continue
        try:
            steps = steps_of_case(agent, case)
        except InvalidArgument as error:  # other cases may do
            why_not.append(error.message)
            continue
        if not bears_on(goal, case.context, str(case.results.get("expected") or ""), steps):
            continue
        made = adapt_case(agent, goal, case, steps) if steps else "nothing is known of its steps"
        if isinstance(made, Plan):
            found.append(Draft(made, similar.score))
        else:
            why_not.append(f"{case.id}: {made}")
    if in_vain:
        why_not.append(
            f"what {', '.join(in_vain)} {'was' if len(in_vain) == 1 else 'were'} for did not come nearer yet"
        )
    return Drafts(tuple(found), tuple(why_not))


def _is_of_its_day(case: Case) -> bool:
    """Return whether steps are about one event: a playbook's, and words of a model to people, with figures and days."""
    source, tools = case.solution.get("source"), {one.get("tool") for one in recorded_steps(case)}
    return source == "playbook" or (source == "model" and not tools.isdisjoint(TO_PEOPLE))


def _vain(agent: Agent, goal: Goal) -> frozenset[str]:
    """Return the templates carried out for the same measured target without any later measurement.

    A measure that moved too little may move further; one that was never observed shows that these are no steps towards
    it.
    """
    seen = {f"{subject}_after" for subject in subjects(goal.target)}
    return frozenset(
        str(case.solution.get("template") or "")
        for case in agent.cases.all()
        if seen and case.results.get("expected") == goal.target and seen.isdisjoint(case.results)
    ) - {""}


def adapt_case(agent: Agent, goal: Goal, case: Case, steps: Sequence[Step]) -> Plan | str:
    """Return the plan of a case with all necessary changes for the present, or why it is infeasible."""
    skipped = frozenset(str(one.get("id")) for one in recorded_steps(case) if one.get("status") == "skipped")
    lookup = build_lookup(agent)
    present = Situation(goal, lookup, agent.clock(), asked_by_rules(agent), offers(agent, lookup))
    fitting, changes = fit_steps(steps, PastSituation(case.id, case.beliefs, case.context, skipped), present)
    own = adapt_to_agent([PlanTask(step) for step in fitting], agent.id)
    if own is None:
        return f"{agent.id} would ask it of itself"
    fitting = tuple(task.step for task in own)
    why = cannot(agent, fitting)
    return why or replace(of_case(agent, goal, case, fitting), changes=changes)


def of_case(agent: Agent, goal: Goal, case: Case, steps: tuple[Step, ...]) -> Plan:
    """Return a plan from the steps of a case; an unsuccessful case lends little confidence."""
    name = str(case.solution.get("name") or case.context or goal.description)
    made = _draft(agent, goal, steps, source="case", name=name, confidence=0.7 if case.success else 0.3)
    risks = (f"{case.id} ended as {case.outcome}",) if case.negative else ()
    return replace(
        made, template=str(case.solution.get("template") or ""), risks=risks, strategy=f"as it worked in {case.id}"
    )


def cannot(agent: Agent, steps: Sequence[Step]) -> str:
    """Return why `steps` cannot be done in order, at the furthest point, or nothing if they can.

    Steps from a person, a case or a repaired plan are checked in this way before any is performed.
    """
    open_steps = [PlanTask(step) for step in steps if step.status not in ("done", "skipped")]
    return fault_in(open_steps, build_lookup(agent), hindrance(agent)) if open_steps else ""


def by_hand(agent: Agent, goal: Goal, steps: tuple[Step, ...], source: PlanSource) -> Plan:
    """Return a plan of given steps; its present obstacle, if any, is among its risks."""
    why = cannot(agent, steps)
    made = _draft(agent, goal, steps, source=source, name=goal.description)
    return replace(made, risks=(f"it cannot be carried out now: {why}",) if why else ())


def found_plan(agent: Agent, goal: Goal, source: PlanSource | None) -> Plan:
    """Return a plan from `source`, else from the first that has one; raises `InvalidArgument` with the reasons."""
    drafts = drafts_for(agent, goal, source=source)
    if drafts.found:
        return drafts.found[0].plan
    where = "no template, case or decomposition" if source is None else f"no {source} plan"
    because = f": {'; '.join(drafts.why_not)}" if drafts.why_not else ""
    message = f"{where} fits goal {goal.id!r} ({goal.description}){because}; give steps"
    raise InvalidArgument(message, argument="steps")


def _draft(
    agent: Agent, goal: Goal, steps: tuple[Step, ...], *, source: PlanSource, name: str, confidence: float = 0.5
) -> Plan:
    now = iso(agent.clock())
    plan_id = agent.ids.new("P", {plan.id for plan in agent.mind.plans})
    return Plan(plan_id, goal.id, name, source, confidence, steps=steps, created=now, updated=now)
