"""Workforce: work packages and handoffs (S3 section 11); the contractors themselves are in `contractors.py`."""

from typing import Any

from configs.errors import InvalidArgument, unknown
from society.records import plain
from society.workforce import (
    DEFAULT_HOURS,
    FINAL,
    Area,
    Contractor,
    Handoff,
    HandoffType,
    PackageStatus,
    Workforce,
    WorkPackage,
    assigned,
    judged,
    let_go,
    match,
    progressed,
    ranked,
    taken_on,
)
from tools.agent import Agent
from tools.contractors import CONTRACTOR_TOOLS, Rate
from tools.declaration import Arguments, Fraction, Money, OwnId, Text, Tool
from tools.for_business import business_of, reachable
from workspace.clock import iso, parse_time


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
        raise _taken(package_id)
    package = WorkPackage(
        id=package_id or agent.ids.new("WP"),
        title=title,
        description=description,
        required_skills=tuple(required_skills),
        budget_usd=budget_usd,
        deadline=iso(parse_time(deadline, argument="deadline")) if deadline else "",
        deliverables=tuple(deliverables or ()),
        goal_id=goal_id,
        area=area,
        estimated_hours=estimated_hours,
        created_at=at,
        created_by=agent.id,
        updated_at=at,
    )
    workforce.packages.save(package)
    best = [
        {"contractor_id": one.contractor.id, "name": one.contractor.name, "match_score": round(one.score, 6)}
        for one in ranked(workforce.contractors.all(), package)[:3]
    ]
    return {**_shown(package), "candidates": best}


def _ordered(agent: Agent, arguments: Arguments) -> str:
    packages = business_of(agent, arguments["business_id"]).workforce.packages
    if packages.find(arguments["package_id"]) is not None:
        raise _taken(arguments["package_id"])
    due = arguments["deadline"]
    by = f", due {iso(parse_time(due, argument='deadline'))[:10]}" if due else ""
    skills = ", ".join(arguments["required_skills"])
    return f"Order {arguments['title']!r}" + (f", which needs {skills}" if skills else "") + by


def _taken(package_id: str) -> InvalidArgument:
    message = f"work package {package_id!r} exists; choose another id, or use work_package_update"
    return InvalidArgument(message, argument="package_id")


def work_package_assign(
    agent: Agent, *, package_id: Text, contractor_id: Text, business_id: str = ""
) -> dict[str, Any]:
    """Assign a work package to a contractor; one with trust below 0.4 only the hr agent may assign.

    Args:
        package_id: Which package.
        contractor_id: Who does it.
        business_id: The business; the agent's own if left out.
    """
    workforce = business_of(agent, business_id).workforce
    contractor = workforce.contractors.one(contractor_id)
    reviewed = agent.id == "hr" or agent.id.endswith("-hr")
    at = iso(agent.clock())
    package = workforce.packages.change(package_id, lambda one: assigned(one, contractor, at=at, reviewed=reviewed))
    contractor = workforce.contractors.change(contractor_id, lambda one: taken_on(one, package_id))
    return {**_shown(package), "match_score": round(match(contractor, package).score, 6)}


def work_package_update(
    agent: Agent,
    *,
    package_id: Text,
    status: PackageStatus,
    business_id: str = "",
    quality_score: Fraction | None = None,
) -> dict[str, Any]:
    """Set a work package's status; completing it with a quality score also updates the contractor's trust.

    Args:
        package_id: Which package.
        status: Where it stands now.
        business_id: The business; the agent's own if left out.
        quality_score: How good the delivery was, from 0 to 1.
    """
    workforce = business_of(agent, business_id).workforce
    at = iso(agent.clock())
    package = workforce.packages.change(
        package_id, lambda one: progressed(one, status, at=at, quality_score=quality_score)
    )
    result = _shown(package)
    if package.assigned_to:
        result["trust_score"] = _settled(workforce, package, quality_score, at).trust_score
    return result


def _settled(workforce: Workforce, package: WorkPackage, quality_score: float | None, at: str) -> Contractor:
    """Return the contractor after the package; a package changes trust once, however often it is said to be done."""

    def settled(contractor: Contractor) -> Contractor:
        if package.status not in FINAL:
            return taken_on(contractor, package.id)
        contractor = let_go(contractor, package.id, complete=package.status == "complete")
        if quality_score is None or package.status == "cancelled":
            return contractor
        return judged(contractor, quality_score, change_id=package.id, at=at, reason=f"work package {package.id}")

    return workforce.contractors.change(package.assigned_to, settled)


def work_package_list(agent: Agent, *, business_id: str = "", status: PackageStatus | None = None) -> dict[str, Any]:
    """List the work packages of a business, oldest first.

    Args:
        business_id: The business; the agent's own if left out.
        status: Only those that stand so.
    """
    packages = business_of(agent, business_id).workforce.packages.all()
    found = [_shown(one) for one in packages if status in {None, one.status}]
    return {"packages": found, "count": len(found)}


def handoff(
    agent: Agent,
    *,
    from_: Text,
    to: Text,
    package_id: Text,
    handoff_type: HandoffType,
    business_id: str = "",
    artifacts: list[dict[str, Any]] | None = None,
    instructions: str = "",
    context_summary: str = "",
) -> dict[str, Any]:
    """Record that control of a work package passes from one to another, with what they need to go on.

    Args:
        from_: The agent or contractor who hands over.
        to: The agent or contractor who takes over.
        package_id: Which package.
        handoff_type: Between whom: agents or humans.
        business_id: The business; the agent's own if left out.
        artifacts: What is handed over, each with type and path.
        instructions: What to do first.
        context_summary: Why it matters.
    """
    workforce = business_of(agent, business_id).workforce
    package = workforce.packages.one(package_id)
    sides = handoff_type.split("_to_")
    for argument, party, kind in (("from", from_, sides[0]), ("to", to, sides[1])):
        _check_party(agent, workforce, argument, party, kind)
    record = Handoff(
        id=agent.ids.new("HO"),
        sender=from_,
        recipient=to,
        work_package_id=package.id,
        handoff_type=handoff_type,
        artifacts=tuple(artifacts or ()),
        instructions=instructions,
        context_summary=context_summary,
        created_at=iso(agent.clock()),
    )
    workforce.handoffs.save(record)
    row = plain(record)
    return {"handoff_id": record.id, "from": row.pop("sender"), "to": row.pop("recipient"), **row}


def _check_party(agent: Agent, workforce: Workforce, argument: str, party: str, kind: str) -> None:
    """Raise unless the party is an agent or a contractor, as the handoff's type says."""
    if kind == "agent":
        reachable(agent, party, argument)
    elif workforce.contractors.find(party) is None:
        raise unknown("contractor", party, (one.id for one in workforce.contractors.all()), argument=argument)


def _shown(package: WorkPackage) -> dict[str, Any]:
    return {"package_id": package.id, **plain(package)}


TOOLS = [
    *CONTRACTOR_TOOLS,
    Tool.of(
        work_package_create,
        module="Workforce",
        writes=True,
        category="contractor_invoices",
        cost="budget_usd",
        about=_ordered,
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
    Tool.of(handoff, module="Workforce", writes=True, category="handoff"),
]
