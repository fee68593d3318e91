"""Past failures in similar situations, and revision of a plan that would repeat them (S3 7.4).

The risk is flagged in the plan. Then an alternative is sought from the failed step on. If there is none, the plan
begins with a question to the stakeholder, whose answer decides whether it is executed.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from mabos.knowledge.case_records import Case
from mabos.knowledge.cases import Similar
from mabos.mind.binding import laid_out, missing, tasks_of, values_for
from mabos.mind.model import Goal, Plan, Step
from mabos.mind.situation import list_desires, read_beliefs
from mabos.mind.tasks import PlanTask, adapt_to_agent, parts_of, ways_above
from mabos.tools.plans.case_steps import recorded_steps
from mabos.tools.plans.grounds import build_lookup
from mabos.tools.plans.sources import Worded, from_parts, of_template, tasks_of_goal
from mabos.tools.runtime.services import Agent

RISKY = 0.6
"""The factor for a plan's confidence after a similar failure in a similar situation."""
ASKS = "decision_request"
ASKED_FIRST, ASKED_AFTER, PROPOSED = "risk", "failed", "propose"
"""The ids of the steps that ask whether a plan goes on: before it begins, after a step has failed, and as a step."""
GO_ON, LEAVE = "A", "B"
"""The answers to these questions."""


@dataclass(frozen=True, slots=True)
class Risk:
    """A negative case with similarity above 0.7 that argues against a plan, and its failed step."""

    case_id: str
    said: str
    failed_step: str = ""


def bad_ends(agent: Agent, goal: Goal) -> list[Similar]:
    """Return the unsuccessful cases in a situation like the present one of `goal`, most similar first."""
    return agent.cases.risks(read_beliefs(goal, agent.mind.index), list_desires(goal))


def describe_risk(one: Similar) -> str:
    """Return the sentence that warns of a case."""
    return f"{one.case.id}: it ended as {one.case.outcome} in a situation like this ({one.score:.2f})"


def risks_of(plan: Plan, ended_badly: Iterable[Similar]) -> tuple[Risk, ...]:
    """Return the cases that did the same as `plan`, in the order given."""
    alike = (one for one in ended_badly if _is_alike(one.case, plan))
    return tuple(Risk(one.case.id, describe_risk(one), _failed_step(one.case)) for one in alike)


def guard_plan(
    agent: Agent, goal: Goal, plan: Plan, risks: Sequence[Risk], *, worded: Worded = lambda one: one
) -> tuple[Plan, bool]:
    """Return `plan` with its risks flagged and avoided if possible, and whether it is then safe.

    An unsafe plan gets less confidence.
    """
    if not risks:
        return plan, True
    safer = _around(agent, goal, plan, risks, worded)
    if safer is None:
        flagged = (*plan.risks, *(risk.said for risk in risks))
        return replace(plan, risks=flagged, confidence=round(plan.confidence * RISKY, 4)), False
    around = tuple(
        f"around: {risk.failed_step} is done in another way, because {risk.case_id} failed there" for risk in risks
    )
    flagged = tuple(f"{risk.said}; gone around" for risk in risks)
    made = replace(plan, steps=safer.steps, risks=(*plan.risks, *flagged), changes=(*plan.changes, *around))
    return made, True


def asking_first(plan: Plan, risks: Sequence[str]) -> Plan:
    """Return `plan` preceded by a question to the stakeholder: whether to take the risk."""
    why = "; ".join(risks)
    asked = question(
        ASKED_FIRST,
        f"Take the risk: {plan.name}",
        f"The plan {plan.name!r} has failed before: {why}. No other way around it was found.",
        recommended=GO_ON if plan.confidence >= 0.5 else LEAVE,  # more likely than not
        then=plan.steps[0].id,
    )
    change = f"insert: step {ASKED_FIRST} is added, because a person must decide on the risk"
    return replace(plan, steps=(asked, *plan.steps), changes=(*plan.changes, change))


def question(step_id: str, subject: str, description: str, *, recommended: str, then: str) -> Step:
    """Return the step that asks the stakeholder whether to continue; the plan waits for the answer."""
    options = [
        {"id": GO_ON, "label": "Go on", "impact": "The plan is carried out from here"},
        {"id": LEAVE, "label": "Leave it", "impact": "The plan is given up; the goal is planned for anew or waits"},
    ]
    arguments = {
        "subject": subject, "description": description, "options": options, "recommendation": recommended,
    }  # fmt: skip
    return Step(step_id, f"Ask the owner: {subject}", ASKS, arguments, branches=(("always", then),))


def find_declined_question(plan: Plan) -> Step | None:
    """Return the declined question of `plan`, unless the plan has already been changed accordingly."""
    return next(
        (
            step
            for step in plan.steps
            if _asks(step)
            and step.status == "done"
            and step.result == LEAVE
            and describe_decline(step) not in plan.changes
        ),
        None,
    )


def describe_decline(question: Step) -> str:
    """Return the sentence in a plan which records that a declined question was respected."""
    return f"declined: what {question.id} asked for is left, because a person answered so"


def turned_down(plans: Iterable[Plan], goal_id: str) -> frozenset[str]:
    """Return the templates whose risk a person declined for a goal."""
    return frozenset(
        plan.template
        for plan in plans
        if plan.goal_id == goal_id
        and plan.template
        and any(
            step.id == ASKED_FIRST and (step.result == LEAVE or (plan.status == "abandoned" and step.decision_id))
            for step in plan.steps
        )
    )


def _asks(step: Step) -> bool:
    return step.tool == ASKS and step.id.split("-")[0] in (ASKED_FIRST, ASKED_AFTER, PROPOSED)


def _around(agent: Agent, goal: Goal, plan: Plan, risks: Sequence[Risk], worded: Worded) -> Plan | None:
    """Return the plan with another way around each failure, the nearest to the step, or None."""
    refused = set[str]()
    made: Plan | None = None
    for risk in risks:
        for way in ways_above(risk.failed_step):
            made = _made_again(agent, goal, plan, refused | {way}, worded)
            if made is not None:
                refused.add(way)
                break
        else:
            return None
    return made


def _made_again(agent: Agent, goal: Goal, plan: Plan, refused: set[str], worded: Worded) -> Plan | None:
    """Return the source of `plan` planned again without the ways in `refused`; None if nothing is left."""
    library = agent.services.library
    if plan.template in library.names:
        made = of_template(agent, goal, worded(library.template(plan.template)), refused=refused)
        return made if isinstance(made, Plan) else None
    drafts = from_parts(agent, goal, refused=refused) if plan.source == "htn" else None
    return drafts.found[0].plan if drafts and drafts.found else None


def tasks_behind(agent: Agent, goal: Goal, plan: Plan, worded: Worded) -> tuple[PlanTask, ...]:
    """Return the tasks behind a plan, with all their methods; none if it was made of steps."""
    library, lookup = agent.services.library, build_lookup(agent)
    if plan.template in library.names:
        written = worded(library.template(plan.template))
        template = None if missing(written, lookup) else laid_out(written, lookup, agent.mind.index.names)
        if template is None:
            return ()
        return adapt_to_agent(tasks_of(template, values_for(template, goal, lookup, agent.clock())), agent.id) or ()
    return tasks_of_goal(agent, goal, parts_of(goal.description)) if plan.source == "htn" else ()


def _failed_step(case: Case) -> str:
    failed = next((str(one.get("id")) for one in recorded_steps(case) if one.get("status") == "failed"), "")
    return failed or str(case.results.get("failed_step") or "")


def _is_alike(case: Case, plan: Plan) -> bool:
    """Return whether a case followed the same plan: by the same template, else with one of its calls."""
    if plan.template and case.solution.get("template"):
        return bool(case.solution["template"] == plan.template)
    done = {str(one.get("tool")) for one in recorded_steps(case)}
    return not done or bool(done & {step.tool for step in plan.steps})
