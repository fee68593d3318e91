"""Work packages: the best contractor for one, and its life from open to complete (S3 sections 11.1 and 11.3)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import Literal

from mabos.backends.graph.mapping import Link, agent, graph_node
from mabos.configs.errors import InvalidArgument, Refused
from mabos.society.contractors import FLAGGED_BELOW, Contractor, rate_fit, skill_overlap
from mabos.workspace.clock import parse_time
from mabos.workspace.records import Document, record

PackageStatus = Literal["open", "assigned", "in_progress", "delivered", "complete", "failed", "cancelled"]
Area = Literal["product", "support", "compliance", "supply", "delivery"]

AREA_LEADERS: Mapping[Area, str] = MappingProxyType(
    {"product": "cto", "support": "coo", "compliance": "legal", "supply": "coo", "delivery": "coo"}
)
"""The role that leads the work of each area."""

DEFAULT_HOURS = 40.0
FINAL: frozenset[PackageStatus] = frozenset({"complete", "failed", "cancelled"})
_ENDS: tuple[PackageStatus, ...] = ("complete", "failed", "cancelled")
# Work goes forward; what was delivered may be sent back.
_NEXT: dict[PackageStatus, tuple[PackageStatus, ...]] = {
    "open": ("in_progress", "delivered", *_ENDS),
    "assigned": ("in_progress", "delivered", *_ENDS),
    "in_progress": ("delivered", *_ENDS),
    "delivered": ("in_progress", *_ENDS),
}


@graph_node(
    "task",
    name=("title",),
    text=("description",),
    properties=("id", "status", "budget_usd", "deadline", "assigned_to"),
    place="shared",
    links=(Link("agent_owns", "created_by", to=agent, incoming=True),),
)
@record(Document("work-packages.json", ("packages",), root="array"), "packages", noun="work package")
@dataclass(frozen=True, slots=True)
class WorkPackage:
    """A defined deliverable; `estimated_hours` (by default a week) turns its budget into an hourly rate.

    `assigned_to` is the contractor, or the agent it was returned to, and `review_id` HR's review behind an assignment.
    `overdue_since` is set once, when the missed deadline is noticed.
    """

    id: str
    title: str
    description: str
    required_skills: tuple[str, ...]
    budget_usd: float
    deadline: str = ""
    status: PackageStatus = "open"
    assigned_to: str = ""
    goal_id: str = ""
    deliverables: tuple[str, ...] = ()
    area: Area = "product"
    estimated_hours: float = DEFAULT_HOURS
    quality_score: float | None = None
    created_at: str = ""
    created_by: str = ""
    updated_at: str = ""
    review_id: str = ""
    overdue_since: str = ""

    @property
    def budget_rate_usd(self) -> float:
        """The hourly rate the budget can pay."""
        return self.budget_usd / self.estimated_hours

    @property
    def is_over(self) -> bool:
        """Return whether it is finished."""
        return self.status in FINAL

    @property
    def is_under_way(self) -> bool:
        """Return whether it is ordered but not yet delivered."""
        return not self.is_over and self.status != "delivered"


@dataclass(frozen=True, slots=True)
class ContractorMatch:
    """A contractor considered for a package, with the score and its three parts."""

    contractor: Contractor
    score: float
    skill_overlap: float
    rate_fit: float


def match(contractor: Contractor, package: WorkPackage) -> ContractorMatch:
    """Return the contractor's score for a package: overlap × 0.5 + trust × 0.3 + rate fit × 0.2 (S3 section 11.1)."""
    overlap = skill_overlap(contractor.skills, package.required_skills)
    fit = rate_fit(contractor.hourly_rate_usd, package.budget_rate_usd)
    score = overlap * 0.5 + contractor.trust_score * 0.3 + fit * 0.2
    return ContractorMatch(contractor, score, overlap, fit)


def rank_contractors(contractors: Iterable[Contractor], package: WorkPackage) -> tuple[ContractorMatch, ...]:
    """Return the contractors that may be assigned now, best match first, flagged ones last."""
    free = (one for one in contractors if one.availability != "unavailable" and not one.awaits_review)
    return tuple(sorted((match(one, package) for one in free), key=by_fit))


def by_fit(found: ContractorMatch) -> tuple[bool, float, str]:
    """Return the sort key of a match: flagged contractors last, then by score."""
    return found.contractor.flagged, -found.score, found.contractor.id


def assign_package(package: WorkPackage, contractor: Contractor, *, at: str) -> WorkPackage:
    """Return the package assigned to the contractor, with the underlying review if trust is low.

    Raises `Refused` for one who awaits a review or is unavailable, `InvalidArgument` for a package that is over or
    already assigned.
    """
    if not package.is_under_way:
        message = f"work package {package.id} is {package.status}; create a new one to assign"
        raise InvalidArgument(message, argument="package_id")
    if package.assigned_to not in {"", contractor.id}:
        message = f"work package {package.id} is already with {package.assigned_to}; cancel it or hand it off"
        raise InvalidArgument(message, argument="package_id")
    may_work(contractor)
    review = contractor.review if contractor.flagged else None
    given = replace(package, assigned_to=contractor.id, review_id=review.id if review else package.review_id)
    return given if package.status == "in_progress" else replace(given, status="assigned", updated_at=at)


def may_work(contractor: Contractor, argument: str = "contractor_id") -> None:
    """Raise `Refused` for a contractor who may not get a package now."""
    if contractor.availability == "unavailable":
        raise Refused(f"contractor {contractor.id} is unavailable; choose another", argument=argument)
    if contractor.awaits_review:
        message = (
            f"contractor {contractor.id} has trust {contractor.trust_score:.2f}, below {FLAGGED_BELOW}, and no review "
            "since; the hr agent must review first: contractor_trust_update with 'review'"
        )
        raise Refused(message, argument=argument)


def transfer_package(package: WorkPackage, to: str, *, at: str) -> WorkPackage:
    """Return the package transferred and in progress; raises `InvalidArgument` for one that is over."""
    return replace(change_status(package, "in_progress", at=at), assigned_to=to)


def change_status(
    package: WorkPackage, status: PackageStatus, *, at: str, quality_score: float | None = None
) -> WorkPackage:
    """Return the package with its new status; raises `InvalidArgument` if that step is not possible."""
    if status != package.status and status not in _NEXT.get(package.status, ()):
        raise InvalidArgument(_impossible(package, status), argument="status")
    score = package.quality_score if quality_score is None else quality_score
    return replace(package, status=status, quality_score=score, updated_at=at)


def _impossible(package: WorkPackage, status: PackageStatus) -> str:
    if package.is_over:
        return f"work package {package.id} is {package.status} and stays so; create a new one"
    if status == "assigned":
        return f"work package {package.id} is {package.status}; use work_package_assign with a contractor_id"
    known = ", ".join(_NEXT[package.status])
    return f"work package {package.id} is {package.status} and cannot become {status}; expected one of {known}"


def is_overdue(package: WorkPackage, now: datetime) -> bool:
    """Return whether the deadline has passed without a delivery."""
    late = bool(package.deadline) and parse_time(package.deadline) < now
    return late and package.is_under_way


def share_complete(packages: Iterable[WorkPackage], goal_id: str) -> float | None:
    """Return the completed share of a goal's packages, 0 to 1; cancelled ones do not count. None without any."""
    own = [one for one in packages if one.goal_id == goal_id and one.status != "cancelled"]
    return sum(one.status == "complete" for one in own) / len(own) if own else None
