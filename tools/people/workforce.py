"""Workforce: work packages and handoffs (S3 section 11); the contractors themselves are in `contractors.py`."""

from dataclasses import replace
from typing import Any

from mabos.configs.errors import InvalidArgument
from mabos.mind.model import CommitmentStatus
from mabos.society.commitments import commit
from mabos.society.contractors import Contractor, judge_delivery, let_go, taken_on
from mabos.society.packages import (
    DEFAULT_HOURS,
    Area,
    PackageStatus,
    WorkPackage,
    assign_package,
    change_status,
    match,
    rank_contractors,
    share_complete,
)
from mabos.tools.catalogue.declaration import Arguments, Fraction, Money, OwnId, Text, Tool
from mabos.tools.people.contractors import CONTRACTOR_TOOLS, Rate, tell_hr
from mabos.tools.people.handoffs import handoff
from mabos.tools.people.obligations import end_commitments, tell_of_package
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.records import as_json


def work_package_create(
    agent: Agent,
    *,
    title: Text,
    description: Text,
    required_skills: list[str],
    budget_usd: Money,
    business_id: str = "",
    package_id: OwnId = "",
    deadline: str = "",
    deliverables: list[str] | None = None,
    goal_id: OwnId = "",
    area: Area = "product",
    estimated_hours: Rate = DEFAULT_HOURS,
) -> dict[str, Any]:
    """Create a work package: a scoped deliverable with a budget, and the contractors that match it best.

    Args:
        title: What it is called.
        description: What is to be done.
        required_skills: What whoever does it must be able to do.
        budget_usd: Dollars in all; approval may be needed.
        business_id: The business; the agent's own if left out.
        package_id: An id of your own; made if left out.
        deadline: ISO 8601.
        deliverables: What is handed over.
        goal_id: The goal it serves.
        area: What it improves: the product, the support desk, or compliance.
        estimated_hours: Hours of work, which make the budget an hourly rate; 40 unless stated.
    """
    workforce = business_of(agent, business_id).workforce
    at = iso(agent.clock())
    stands = workforce.packages.find(package_id)
    # A call that was cut short after its write may run again: then the package that stands is its own.
    if stands is not None and (stands.created_at, stands.created_by) != (at, agent.id):
        raise _duplicate_error(package_id)
    package = WorkPackage(
        id=package_id or agent.ids.new("WP"), title=title, description=description,
        required_skills=tuple(required_skills), budget_usd=budget_usd,
        deadline=iso(parse_time(deadline, argument="deadline")) if deadline else "",
        deliverables=tuple(deliverables or ()), goal_id=goal_id, area=area, estimated_hours=estimated_hours,
        created_at=at, created_by=agent.id, updated_at=at,
    )  # fmt: skip
    workforce.packages.save(package)
    best = [
        {"contractor_id": one.contractor.id, "name": one.contractor.name, "match_score": round(one.score, 6)}
        for one in rank_contractors(workforce.contractors.all(), package)[:3]
    ]
    return {**_serialize_package(package), "candidates": best}


def _describe_order(agent: Agent, arguments: Arguments) -> str:
    packages = business_of(agent, arguments["business_id"]).workforce.packages
    if packages.find(arguments["package_id"]) is not None:
        raise _duplicate_error(arguments["package_id"])
    due = arguments["deadline"]
    by = f", due {iso(parse_time(due, argument='deadline'))[:10]}" if due else ""
    skills = ", ".join(arguments["required_skills"])
    return f"Order {arguments['title']!r}" + (f", which needs {skills}" if skills else "") + by


def _duplicate_error(package_id: str) -> InvalidArgument:
    message = f"work package {package_id!r} exists; choose another id, or use work_package_update"
    return InvalidArgument(message, argument="package_id")


def work_package_assign(
    agent: Agent, *, package_id: Text, contractor_id: Text, business_id: str = ""
) -> dict[str, Any]:
    """Assign a work package to a contractor; with trust below 0.4 only after a recorded review by the hr agent.

    Args:
        package_id: Which package.
        contractor_id: Who does it.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    workforce, at = business.workforce, iso(agent.clock())
    contractor = workforce.contractors.one(contractor_id)
    package = workforce.packages.change(package_id, lambda one: assign_package(one, contractor, at=at))
    contractor = workforce.contractors.change(contractor_id, lambda one: taken_on(one, package_id))
    _take_their_word(agent, package, contractor.name)
    score = match(contractor, package).score
    placed = f"{agent.id} assigned {package.title!r} ({package.id}) to {contractor.name} ({contractor.id})"
    _have_hr_remember(agent, business, f"{placed}: match {score:.2f}, trust {contractor.trust_score:.2f}", package)
    return {**_serialize_package(package), "match_score": round(score, 6)}


def _have_hr_remember(agent: Agent, business: Business, content: str, package: WorkPackage) -> None:
    """Store the outcome of a placement in the memory of the agent that keeps the pool (S3 section 11.1)."""
    hr = business.manifest.agents.get("hr", "")
    if hr in agent.services.agents():
        memory = agent.services.agent(hr, clock=agent.clock, ids=agent.ids).memory
        skills = [skill.lower() for skill in package.required_skills]
        memory.store(content, importance=0.6, source="workforce", tags=["work package", *skills], evidence=[package.id])


def _take_their_word(agent: Agent, package: WorkPackage, name: str) -> None:
    """Write the contractor's obligation into the Commitments.md of the requester, else of the agent that assigns."""
    known = agent.services.agents()
    ordered_by = package.created_by if package.created_by in known else agent.id
    if ordered_by in known:
        commit(
            agent.mind_of(ordered_by),
            package.assigned_to,
            f"{name} delivers {package.title!r} ({package.id})",
            due=package.deadline,
            about=package.id,
            owed_by=package.assigned_to,
            consequences="Its trust falls, and below 0.4 nothing is assigned before a review",
        )


def work_package_update(
    agent: Agent,
    *,
    package_id: Text,
    status: PackageStatus,
    business_id: str = "",
    quality_score: Fraction | None = None,
) -> dict[str, Any]:
    """Set a work package's status; completing it moves its goal and, with a quality score, the contractor's trust.

    Args:
        package_id: Which package.
        status: Where it stands now.
        business_id: The business; the agent's own if left out.
        quality_score: How good the delivery was, from 0 to 1.
    """
    business = business_of(agent, business_id)
    at = iso(agent.clock())
    package = business.workforce.packages.change(
        package_id, lambda one: change_status(one, status, at=at, quality_score=quality_score)
    )
    result = _serialize_package(package)
    trust = _update_trust(agent, business, package, quality_score)
    if trust is not None:
        result["trust_score"] = trust
    if package.is_over:
        end_commitments(agent, business, package.id, _WORD[package.status])
    if package.status == "complete" and package.goal_id:
        result["goal_progress"] = _advance_goal(agent, business, package)
    tell_of_package(agent, package)
    return result


_WORD: dict[PackageStatus, CommitmentStatus] = {"complete": "met", "failed": "breached", "cancelled": "cancelled"}


def _update_trust(agent: Agent, business: Business, package: WorkPackage, quality_score: float | None) -> float | None:
    """Return the contractor's trust after the package; a package changes trust once, however often it is done."""
    pool, at = business.workforce.contractors, iso(agent.clock())
    before = pool.find(package.assigned_to)
    if before is None:
        return None

    def update_contractor(contractor: Contractor) -> Contractor:
        if not package.is_over:
            return taken_on(contractor, package.id)
        contractor = let_go(contractor, package.id, complete=package.status == "complete")
        if quality_score is None or package.status == "cancelled":
            return contractor
        return judge_delivery(
            contractor, quality_score, change_id=package.id, at=at, reason=f"work package {package.id}"
        )

    after = pool.change(before.id, update_contractor)
    tell_hr(agent, before, after)
    if package.is_over:
        quality = "" if quality_score is None else f", quality {quality_score:.2f}"
        ended_as = f"{after.name} ({after.id}): {package.title!r} ({package.id}) is {package.status}{quality}"
        _have_hr_remember(agent, business, f"{ended_as}, trust {after.trust_score:.2f} now", package)
    return after.trust_score


def _advance_goal(agent: Agent, business: Business, package: WorkPackage) -> float | None:
    """Return the progress of the package's goal, in percent, moved up to the share of its packages that is complete."""
    share = share_complete(business.workforce.packages.all(), package.goal_id) or 0.0
    holders, known = dict.fromkeys([package.created_by, *business.manifest.agents.values()]), agent.services.agents()
    for holder in (one for one in holders if one in known):
        mind = agent.mind_of(holder)
        for goal in mind.goals:
            if goal.id == package.goal_id:
                progress = max(goal.progress, round(100 * share, 1))
                evidence = tuple(dict.fromkeys((*goal.evidence, package.id)))
                moved = replace(goal, progress=progress, evidence=evidence, updated=iso(agent.clock()))
                mind.save(moved, why=f"{package.id} is complete", cycle=agent.cycle)
                return progress
    return None


def work_package_list(agent: Agent, *, business_id: str = "", status: PackageStatus | None = None) -> dict[str, Any]:
    """List the work packages of a business, oldest first.

    Args:
        business_id: The business; the agent's own if left out.
        status: Only those that stand so.
    """
    packages = business_of(agent, business_id).workforce.packages.all()
    found = [_serialize_package(one) for one in packages if status in {None, one.status}]
    return {"packages": found, "count": len(found)}


def _serialize_package(package: WorkPackage) -> dict[str, Any]:
    return {"package_id": package.id, **as_json(package)}


TOOLS = [
    *CONTRACTOR_TOOLS,
    Tool.of(
        work_package_create,
        module="Workforce",
        writes=True,
        category="contractor_invoices",
        cost="budget_usd",
        about=_describe_order,
        addresses=("description",),
    ),
    Tool.of(
        work_package_assign,
        module="Workforce",
        writes=True,
        category="contractor_invoices",
        counterparty="contractor_id",
    ),
    Tool.of(work_package_update, module="Workforce", writes=True, category="contractor_pool"),
    Tool.of(work_package_list, module="Workforce", writes=False),
    Tool.of(handoff, module="Workforce", writes=True, category="handoff", addresses=("instructions",)),
]
