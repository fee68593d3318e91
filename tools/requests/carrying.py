"""A request in a mind: its goal, plan and intention, created once under ids derived from the request's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from mabos.language.request import Check, Request
from mabos.mind.goals import level_for
from mabos.mind.model import Goal, Intention, Plan, Step
from mabos.society.commitments import commit, settle_commitments
from mabos.tools.requests.acceptance import is_accepted, judge_order
from mabos.tools.requests.response import Do
from mabos.tools.runtime.services import Agent
from mabos.workspace.copies import replace
from mabos.workspace.text import shorten

_PRIORITY = 0.9
"""A person's order comes before what an agent wants of its own accord."""


TAKEN_BACK_BY: Mapping[str, tuple[str, str, Mapping[str, Any]]] = {
    "campaigns": ("ad_campaign_manage", "campaign_id", {"action": "stop"}),
    "work_packages": ("work_package_update", "package_id", {"status": "cancelled"}),
}
"""The undoing of a record: the operation, the argument that names it, and the other arguments."""

OVER = ("stopped", "completed", "cancelled", "complete", "failed")
"""The states of a record that nothing happens with any more."""


@dataclass(frozen=True, slots=True)
class Carried:
    """The records in a mind for a request."""

    goal: Goal
    plan: Plan
    intention: Intention


def take_up(agent: Agent, request: Request, response: Do) -> Request:
    """Return the request with its goal; goal, plan and intention are written once, in one transaction."""
    suffix = f"{request.id.removeprefix('REQ-')}{_revision(request)}"
    goal_id, now = f"G-{suffix}", agent.now()
    endings = ending_steps(request) if response.replaces else ()
    if not any(one.id == goal_id for one in agent.mind.goals):
        goal = Goal(
            id=goal_id,
            description=shorten(response.goal, 120, at_word=True),
            level=level_for(response.deadline, agent.clock()),
            priority=_PRIORITY,
            target=response.target,
            deadline=response.deadline,
            success_criteria=tuple(one.note for one in response.checks if one.note),
            created=now,
            updated=now,
            evidence=(request.id, request.message_id),
            request_id=request.id,
        )
        plan = Plan(
            id=f"P-{suffix}",
            goal_id=goal_id,
            name=shorten(response.goal, 80, at_word=True),
            source="request",
            confidence=request.confidence,
            steps=(*response.steps, *endings),
            status="active",
            created=now,
            updated=now,
        )
        intention = Intention(
            id=f"I-{suffix}",
            goal_id=goal_id,
            plan_id=plan.id,
            strategy="single-minded",
            deadline=response.deadline,
            started=now,
            updated=now,
            description=plan.name,
            evidence=(request.id,),
        )
        agent.mind.save(goal, plan, intention, why="asked for", cycle=agent.cycle)
        if request.sender in agent.services.agents():
            commit(agent.mind, request.sender, response.goal, due=response.deadline, about=request.id)
    data = {**request.data, **response.data, **({"told": response.told} if response.told else {})}
    checks = (*response.checks, *ended_checks(endings))
    return replace(request, status="underway", goal_id=goal_id, checks=checks, missing=(), question="", data=data)


def plan_id(request: Request) -> str:
    """Return the id of a request's plan, existing or future."""
    return f"P-{request.id.removeprefix('REQ-')}{_revision(request)}"


def find_carrying_records(agent: Agent, request: Request) -> Carried | None:
    """Return the records for a request, also after its intention was archived; None if one is missing."""
    suffix = request.goal_id.removeprefix("G-")
    goal = next((one for one in agent.mind.goals if one.id == request.goal_id), None)
    plan = next((one for one in agent.mind.plans if one.id == f"P-{suffix}"), None)
    if goal is None or plan is None:
        return None
    intention = next((one for one in agent.mind.intentions if one.id == f"I-{suffix}"), None)
    return Carried(goal, plan, intention or Intention(f"I-{suffix}", goal.id, plan.id, status="abandoned"))


def release(agent: Agent, request: Request, reason: str) -> tuple[str, ...]:
    """Stop the work for a request before it is done, and return the open questions withdrawn with it."""
    found = find_carrying_records(agent, request)
    if found is None:
        return ()
    now, decisions = agent.now(), agent.services.decisions(agent.business_id)
    asked = {one.decision_id for one in found.plan.steps if one.status == "waiting"} | {found.intention.decision_id}
    known = [one for key in sorted(asked - {""}) if (one := decisions.find(key)) is not None]
    open_before = tuple(one.id for one in known if one.open)
    for one in known:
        decisions.withdraw(one.id, reason, at=now)
    if found.goal.status in ("achieved", "abandoned"):
        return open_before
    agent.mind.save(
        replace(found.goal, status="abandoned", updated=now),
        replace(found.plan, status="abandoned", updated=now),
        replace(found.intention, status="abandoned", reason=reason, decision_id="", updated=now),
        why=reason,
        cycle=agent.cycle,
    )
    return open_before


def abandon(agent: Agent, goal_id: str, reason: str) -> None:
    """Give up a goal that no request carries, with its open plans, intentions and questions."""
    mind, now = agent.mind, agent.now()
    plans = [one for one in mind.plans if one.goal_id == goal_id and one.status in ("draft", "active")]
    intentions = [one for one in mind.intentions if one.goal_id == goal_id and one.status not in _ENDED]
    asked = {step.decision_id for one in plans for step in one.steps} | {one.decision_id for one in intentions}
    decisions = agent.services.decisions(agent.business_id)
    for key in sorted(asked - {""}):
        if (known := decisions.find(key)) is not None and known.open:
            decisions.withdraw(key, reason, at=now)
    mind.save(
        replace(mind.goal(goal_id), status="abandoned", updated=now),
        *(replace(one, status="abandoned", updated=now) for one in plans),
        *(replace(one, status="abandoned", reason=reason, decision_id="", updated=now) for one in intentions),
        why=reason,
        cycle=agent.cycle,
    )


_ENDED = ("completed", "failed", "expired", "abandoned")


def settle(agent: Agent, request: Request) -> bool:
    """Return whether a request is done by its checks; if so, its goal is achieved and its intention completed."""
    found = find_carrying_records(agent, request)
    if found is None or not is_accepted(agent, request.checks):
        return False
    now = agent.now()
    goal = replace(found.goal, status="achieved", progress=100.0, updated=now, last_evaluated=now)
    plan = replace(found.plan, status="completed", updated=now)
    intention = replace(found.intention, status="completed", progress=1.0, reason="its checks passed", updated=now)
    agent.mind.save(goal, plan, intention, why="the acceptance checks passed", cycle=agent.cycle)
    settle_commitments(agent.mind, request.id, "met")
    _taken_back(agent, request, plan)
    return True


def _taken_back(agent: Agent, request: Request, plan: Plan) -> None:
    """End the orders whose records a plan has stopped or cancelled: a withdrawn record no longer fulfils them."""
    ended = {
        str(step.arguments.get(argument, ""))
        for step in plan.steps
        for tool, argument, more in TAKEN_BACK_BY.values()
        if step.tool == tool and more.items() <= step.arguments.items()
    }
    for one in agent.requests.all() if ended else ():
        if one.status != "done" or one.id == request.id:
            continue
        made = [
            found
            for verdict in judge_order(agent, one)
            if verdict.check.section in TAKEN_BACK_BY
            for found in verdict.found
        ]
        if not any(str(found.get("id", "")) in ended for found in made):
            continue
        agent.requests.save(replace(one, status="withdrawn", reason=request.sentence, updated_at=agent.now()))
        if (before := find_carrying_records(agent, one)) is not None:
            goal = replace(before.goal, status="abandoned", updated=agent.now())
            agent.mind.save(goal, why=f"taken back: {request.sentence}", cycle=agent.cycle)


def ending_steps(request: Request) -> tuple[Step, ...]:
    """Return the steps that end an amended request's earlier records, once its new record exists."""
    return tuple(Step(**one) for one in request.data.get("after", ()))


def ended_checks(steps: Sequence[Step]) -> tuple[Check, ...]:
    """Return the checks that the records ended by these steps are over, without which the goal cannot end."""
    return tuple(
        Check(section, {"id": step.arguments[argument], "status": {"in": list(OVER)}}, note=f"{step.description}: done")
        for step in steps
        for section, (tool, argument, more) in TAKEN_BACK_BY.items()
        if step.tool == tool and more.items() <= step.arguments.items()
    )


def _revision(request: Request) -> str:
    number = int(request.data.get("revision", 1))
    return "" if number == 1 else f"-r{number}"
