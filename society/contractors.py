"""Outside people who may get work: their skills, their trust, and HR's reviews (S3 sections 11.1 and 11.2)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mabos.workspace.numbers import clamp
from mabos.workspace.records import Document, record

Availability = Literal["full-time", "part-time", "unavailable"]

FLAGGED_BELOW = 0.4
LATE = 0.4
"""The quality of a delivery that is late: the middle of what S3 section 11.2 calls late or partial."""


@dataclass(frozen=True, slots=True)
class TrustChange:
    """A change of a contractor's trust: the judged quality, and the new trust."""

    id: str
    at: str
    quality_score: float
    before: float
    after: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """HR's approval of new work for a contractor with low trust: reviewer, time, reason, and trust at the time."""

    id: str
    at: str
    reviewer: str
    reason: str
    trust_score: float


@record(Document("contractor-pool.json", ("contractors",), root="array"), "contractors", noun="contractor")
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
    reviews: tuple[Review, ...] = ()

    @property
    def flagged(self) -> bool:
        """Return whether trust is below 0.4, so that HR must review further assignments."""
        return self.trust_score < FLAGGED_BELOW

    @property
    def review(self) -> Review | None:
        """The valid review: the last one, unless trust has fallen since."""
        last = self.reviews[-1] if self.reviews else None
        return last if last is not None and self.trust_score >= last.trust_score else None

    @property
    def awaits_review(self) -> bool:
        """Return whether assignments are blocked until HR has reviewed this contractor."""
        return self.flagged and self.review is None


def updated_trust(trust: float, quality_score: float) -> float:
    """Return `trust + (quality_score - 0.5) × 0.2` within [0, 1] (S3 section 11.2).

    >>> updated_trust(0.82, 0.95)
    0.91
    """
    # Rounded, so that files show 0.91 and not 0.9099999999999999.
    return round(clamp(trust + (quality_score - 0.5) * 0.2), 6)


def rate_fit(rate_usd: float, budget_rate_usd: float) -> float:
    """Return 1 up to the budgeted rate, falling linearly to 0 at twice that rate; 0 without a budget.

    >>> rate_fit(150, 100)
    0.5
    """
    if budget_rate_usd <= 0:
        return 1.0 if rate_usd <= 0 else 0.0
    return max(0.0, 1 - max(0.0, rate_usd - budget_rate_usd) / budget_rate_usd)


def skill_overlap(skills: Iterable[str], required: Sequence[str]) -> float:
    """Return the share of the required skills present, ignoring case; 1 if none is required."""
    wanted = {skill.strip().lower() for skill in required}
    return len(wanted & {skill.strip().lower() for skill in skills}) / len(wanted) if wanted else 1.0


def judge_delivery(
    contractor: Contractor, quality_score: float, *, change_id: str, at: str, reason: str = ""
) -> Contractor:
    """Return the contractor after a delivery of this quality, with the change in the history.

    Each delivery is judged once: a change with a known id is ignored, and a score already counted when the package was
    completed is only confirmed when `contractor_trust_update` repeats it (S3 section 11.3 calls one after the other).
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


def record_review(contractor: Contractor, *, review_id: str, reviewer: str, reason: str, at: str) -> Contractor:
    """Return the contractor with HR's review; the same review again is not recorded twice."""
    if any(one.id == review_id for one in contractor.reviews):
        return contractor
    review = Review(review_id, at, reviewer, reason, contractor.trust_score)
    return replace(contractor, reviews=(*contractor.reviews, review))


def taken_on(contractor: Contractor, package_id: str) -> Contractor:
    """Return the contractor with another active package; the same package counts once."""
    if package_id in contractor.working_on:
        return contractor
    working_on = (*contractor.working_on, package_id)
    return replace(contractor, working_on=working_on, active_packages=contractor.active_packages + 1)


def let_go(contractor: Contractor, package_id: str, *, complete: bool) -> Contractor:
    """Return the contractor without the package, counted as completed if it was."""
    if package_id in contractor.working_on:
        working_on = tuple(one for one in contractor.working_on if one != package_id)
        active = max(0, contractor.active_packages - 1)
        contractor = replace(contractor, working_on=working_on, active_packages=active)
    if complete and package_id not in contractor.delivered:
        delivered = (*contractor.delivered, package_id)
        contractor = replace(contractor, delivered=delivered, completed_packages=contractor.completed_packages + 1)
    return contractor
