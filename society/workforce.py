"""People outside: the contractor pool, trust, work packages and handoffs (S3 section 11).

The pool is shared by all businesses (`contractor-pool.json` at the root); packages and handoffs belong to one.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from configs.errors import InvalidArgument, Refused
from society.records import Records
from workspace.documents import json_document
from workspace.sync import Sync

Availability = Literal["full-time", "part-time", "unavailable"]
PackageStatus = Literal["open", "assigned", "in_progress", "delivered", "complete", "failed", "cancelled"]
Area = Literal["product", "support", "compliance"]
HandoffType = Literal["agent_to_human", "human_to_agent", "agent_to_agent", "human_to_human"]

FLAGGED_BELOW = 0.4
DEFAULT_HOURS = 40.0
FINAL: frozenset[PackageStatus] = frozenset({"complete", "failed", "cancelled"})


@dataclass(frozen=True, slots=True)
class TrustChange:
    """One step of a contractor's trust: the quality judged, and what trust became."""

    id: str
    at: str
    quality_score: float
    before: float
    after: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Contractor:
    """A person who may be given work packages; trust and all scores are from 0 to 1."""

    id: str
    name: str
    skills: tuple[str, ...]
    hourly_rate_usd: float
    availability: Availability = "part-time"
    trust_score: float = 0.5
    completed_packages: int = 0
    active_packages: int = 0
    preferred_contact: str = "email"
    timezone: str = "UTC"
    working_on: tuple[str, ...] = ()
    delivered: tuple[str, ...] = ()
    history: tuple[TrustChange, ...] = ()

    @property
    def flagged(self) -> bool:
        """Whether HR must review this contractor before any further assignment: trust below 0.4."""
        return self.trust_score < FLAGGED_BELOW


@dataclass(frozen=True, slots=True)
class WorkPackage:
    """A scoped deliverable; `estimated_hours` turns its budget into an hourly one (a week's work unless stated)."""

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

    @property
    def budget_rate_usd(self) -> float:
        """The hourly rate the budget can pay."""
        return self.budget_usd / self.estimated_hours


@dataclass(frozen=True, slots=True)
class Handoff:
    """The record that control of a package passed from one to another (S3 section 11.4)."""

    id: str
    sender: str
    recipient: str
    work_package_id: str
    handoff_type: HandoffType
    artifacts: tuple[dict[str, Any], ...] = ()
    instructions: str = ""
    context_summary: str = ""
    created_at: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A contractor considered for a package, with the score and its three parts."""

    contractor: Contractor
    score: float
    skill_overlap: float
    rate_fit: float


def updated_trust(trust: float, quality_score: float) -> float:
    """Return `trust + (quality_score - 0.5) x 0.2` within [0, 1] (S3 section 11.2).

    >>> updated_trust(0.82, 0.95)
    0.91
    """
    # Rounded, so that files show 0.91 and not 0.9099999999999999.
    return round(min(1.0, max(0.0, trust + (quality_score - 0.5) * 0.2)), 6)


def rate_fit(rate_usd: float, budget_rate_usd: float) -> float:
    """Return 1 up to the budgeted rate, falling linearly to 0 at twice that rate; 0 without a budget.

    >>> rate_fit(150, 100)
    0.5
    """
    if budget_rate_usd <= 0:
        return 1.0 if rate_usd <= 0 else 0.0
    return max(0.0, 1 - max(0.0, rate_usd - budget_rate_usd) / budget_rate_usd)


def skill_overlap(skills: Iterable[str], required: Sequence[str]) -> float:
    """Return the share of the required skills that are there, whatever their case; 1 if none is required."""
    wanted = {skill.strip().lower() for skill in required}
    return len(wanted & {skill.strip().lower() for skill in skills}) / len(wanted) if wanted else 1.0


def match(contractor: Contractor, package: WorkPackage) -> Candidate:
    """Return the contractor's score for a package: overlap x 0.5 + trust x 0.3 + rate fit x 0.2 (S3 section 11.1)."""
    overlap = skill_overlap(contractor.skills, package.required_skills)
    fit = rate_fit(contractor.hourly_rate_usd, package.budget_rate_usd)
    score = overlap * 0.5 + contractor.trust_score * 0.3 + fit * 0.2
    return Candidate(contractor, score, overlap, fit)


def ranked(contractors: Iterable[Contractor], package: WorkPackage) -> tuple[Candidate, ...]:
    """Return the contractors that may be assigned without a review, best match first."""
    free = (one for one in contractors if one.availability != "unavailable" and not one.flagged)
    return tuple(sorted((match(one, package) for one in free), key=lambda found: (-found.score, found.contractor.id)))


def judged(contractor: Contractor, quality_score: float, *, change_id: str, at: str, reason: str = "") -> Contractor:
    """Return the contractor after a delivery of this quality, with the change in the history.

    One delivery is judged once: a change with a known id is not made again, and the score that completing a package
    has already brought in is confirmed when `contractor_trust_update` repeats it, not counted twice (S3 section 11.3
    calls one after the other).
    """
    if any(change.id == change_id for change in contractor.history):
        return contractor
    last = contractor.history[-1] if contractor.history else None
    if last is not None and last.id in contractor.delivered and last.quality_score == quality_score:
        confirmed = replace(last, id=change_id, reason=reason or last.reason)
        return replace(contractor, history=(*contractor.history[:-1], confirmed))
    after = updated_trust(contractor.trust_score, quality_score)
    change = TrustChange(change_id, at, quality_score, contractor.trust_score, after, reason)
    return replace(contractor, trust_score=after, history=(*contractor.history, change))


def taken_on(contractor: Contractor, package_id: str) -> Contractor:
    """Return the contractor with one more active package; the same package again counts once."""
    if package_id in contractor.working_on:
        return contractor
    working_on = (*contractor.working_on, package_id)
    return replace(contractor, working_on=working_on, active_packages=contractor.active_packages + 1)


def let_go(contractor: Contractor, package_id: str, *, complete: bool) -> Contractor:
    """Return the contractor with the package off the desk, and counted as completed if it was."""
    if package_id in contractor.working_on:
        working_on = tuple(one for one in contractor.working_on if one != package_id)
        active = max(0, contractor.active_packages - 1)
        contractor = replace(contractor, working_on=working_on, active_packages=active)
    if complete and package_id not in contractor.delivered:
        delivered = (*contractor.delivered, package_id)
        contractor = replace(contractor, delivered=delivered, completed_packages=contractor.completed_packages + 1)
    return contractor


def assigned(package: WorkPackage, contractor: Contractor, *, at: str, reviewed: bool = False) -> WorkPackage:
    """Return the package in the contractor's hands.

    `reviewed` says that HR stands behind the assignment, which a flagged contractor needs. Raises `Refused` for one
    who is flagged or unavailable, `InvalidArgument` for a package that is over or taken.
    """
    if package.status in FINAL or package.status == "delivered":
        message = f"work package {package.id} is {package.status}; create a new one to assign"
        raise InvalidArgument(message, argument="package_id")
    if package.assigned_to not in {"", contractor.id}:
        message = f"work package {package.id} is already with {package.assigned_to}; cancel it or hand it off"
        raise InvalidArgument(message, argument="package_id")
    if contractor.availability == "unavailable":
        raise Refused(f"contractor {contractor.id} is unavailable; choose another", argument="contractor_id")
    if contractor.flagged and not reviewed:
        message = (
            f"contractor {contractor.id} has trust {contractor.trust_score:.2f}, below {FLAGGED_BELOW}; "
            "the hr agent must review and make the assignment itself"
        )
        raise Refused(message, argument="contractor_id")
    return replace(package, status="assigned", assigned_to=contractor.id, updated_at=at)


def progressed(
    package: WorkPackage, status: PackageStatus, *, at: str, quality_score: float | None = None
) -> WorkPackage:
    """Return the package with its new status; raises `InvalidArgument` where that step is not possible."""
    if package.status in FINAL and package.status != status:
        message = f"work package {package.id} is {package.status} and stays so; create a new one"
        raise InvalidArgument(message, argument="status")
    if status == "assigned" and not package.assigned_to:
        message = f"work package {package.id} has nobody; use work_package_assign with a contractor_id"
        raise InvalidArgument(message, argument="status")
    score = package.quality_score if quality_score is None else quality_score
    return replace(package, status=status, quality_score=score, updated_at=at)


class Workforce:
    """The contractors of a workspace and the packages and handoffs of one business."""

    def __init__(
        self, contractors: Records[Contractor], packages: Records[WorkPackage], handoffs: Records[Handoff]
    ) -> None:
        self.contractors = contractors
        self.packages = packages
        self.handoffs = handoffs


def open_pool(root: Path, sync: Sync) -> Records[Contractor]:
    """Return the contractor pool of the workspace at `root`."""
    pool = json_document(root / "contractor-pool.json", ["contractors"], root="array", sync=sync)
    return Records(pool, "contractors", Contractor, noun="contractor", argument="contractor_id")


def open_workforce(directory: Path, contractors: Records[Contractor], sync: Sync) -> Workforce:
    """Return the workforce of the business in `directory`, with the contractor pool of its workspace."""
    packages = json_document(directory / "work-packages.json", ["packages"], root="array", sync=sync)
    handoffs = json_document(directory / "handoff-log.json", ["handoffs"], root="array", sync=sync)
    return Workforce(
        contractors,
        Records(packages, "packages", WorkPackage, noun="work package", argument="package_id"),
        Records(
            handoffs,
            "handoffs",
            Handoff,
            noun="handoff",
            argument="handoff_id",
            spelled={"sender": "from", "recipient": "to"},
        ),
    )
