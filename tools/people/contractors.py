"""The contractor pool and trust (S3 sections 11.1 and 11.2): part of the Workforce module."""

from typing import Annotated, Any

from pydantic import Field

from mabos.configs.errors import InvalidArgument, Refused
from mabos.society.contractors import Availability, Contractor, judge_delivery, record_review
from mabos.society.messages import Message
from mabos.society.packages import by_fit, match
from mabos.tools.catalogue.declaration import Fraction, OwnId, Text, Tool
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.records import as_json

Rate = Annotated[float, Field(gt=0)]
"""Dollars or hours, more than none."""


def contractor_add(
    agent: Agent,
    *,
    name: Text,
    skills: list[str],
    hourly_rate_usd: Rate,
    contractor_id: OwnId = "",
    trust_score: Fraction = 0.5,
    availability: Availability = "part-time",
    timezone: str = "UTC",
    preferred_contact: str = "email",
) -> dict[str, Any]:
    """Add a contractor to the pool of the workspace.

    Args:
        name: The person's name.
        skills: What they can do.
        hourly_rate_usd: Dollars an hour.
        contractor_id: An id of your own; made if left out.
        trust_score: Where trust starts, from 0 to 1.
        availability: How much of their time is free.
        timezone: As in America/New_York.
        preferred_contact: How to reach them.
    """
    contractor = Contractor(
        id=contractor_id or agent.ids.new("CONT"), name=name,
        skills=tuple(skill.strip() for skill in skills if skill.strip()), hourly_rate_usd=hourly_rate_usd,
        trust_score=trust_score, availability=availability, timezone=timezone, preferred_contact=preferred_contact,
    )  # fmt: skip
    if not contractor.skills:
        raise InvalidArgument("skills must name at least one skill", argument="skills")
    pool = agent.services.directory.contractors()
    stands = pool.find(contractor.id)
    if stands is not None and stands != contractor:
        message = f"contractor {contractor.id!r} exists and is {stands.name}; choose another id"
        raise InvalidArgument(message, argument="contractor_id")
    pool.save(contractor)
    return _person(contractor)


def contractor_list(
    agent: Agent,
    *,
    skill: str = "",
    min_trust: Fraction = 0.0,
    availability: Availability | None = None,
    package_id: str = "",
    business_id: str = "",
) -> dict[str, Any]:
    """List contractors, flagged ones last; with a work package, best match first with its score.

    Args:
        skill: Only those who have it.
        min_trust: Only those trusted at least so much.
        availability: Only those with this much time.
        package_id: Score them for this package: overlap x 0.5 + trust x 0.3 + rate fit x 0.2.
        business_id: The business of the package; the agent's own if left out.
    """
    wanted = skill.strip().lower()
    found = [
        one
        for one in agent.services.directory.contractors().all()
        if one.trust_score >= min_trust
        and (not wanted or wanted in {known.lower() for known in one.skills})
        and availability in {None, one.availability}
    ]
    if not package_id:
        found.sort(key=lambda one: one.flagged)
        return {"contractors": [_person(one) for one in found], "count": len(found)}
    package = business_of(agent, business_id).workforce.packages.one(package_id)
    scored = sorted((match(one, package) for one in found), key=by_fit)
    rows = [
        {
            **_person(one.contractor),
            "match_score": round(one.score, 6),
            "skill_overlap": one.skill_overlap,
            "rate_fit": one.rate_fit,
        }
        for one in scored
    ]
    return {"contractors": rows, "count": len(rows), "package_id": package_id}


def contractor_trust_update(
    agent: Agent, *, contractor_id: Text, quality_score: Fraction | None = None, reason: str = "", review: str = ""
) -> dict[str, Any]:
    """Update a contractor's trust by `(quality - 0.5) x 0.2` after a delivery, or record HR's review of a flagged one.

    Args:
        contractor_id: Who delivered.
        quality_score: How good it was: 0.9 exceptional, 0.7 good, 0.5 acceptable, 0.3 substandard, below failed.
        reason: What it rests on.
        review: Only by hr: why one with trust below 0.4 may be given work again; it counts until trust falls further.
    """
    if quality_score is None and not review:
        raise InvalidArgument("give 'quality_score', the quality of the delivery", argument="quality_score")
    if review:
        _only_hr(agent)
    pool, at = agent.services.directory.contractors(), iso(agent.clock())
    before = after = pool.one(contractor_id)
    if quality_score is not None:
        change_id = agent.ids.new("TRUST")
        after = pool.change(
            contractor_id, lambda one: judge_delivery(one, quality_score, change_id=change_id, at=at, reason=reason)
        )
    if review:
        after = review_recorded(agent, contractor_id, review)
    tell_hr(agent, before, after)
    last = after.history[-1].before if quality_score is not None else after.trust_score
    return {**_person(after), "previous_trust": last, "review": as_json(after.review) if after.review else None}


def review_recorded(agent: Agent, contractor_id: str, reason: str) -> Contractor:
    """Return the contractor with a review by HR; raises `Refused` for any other agent."""
    _only_hr(agent)
    review_id, at = agent.ids.new("REV"), iso(agent.clock())
    return agent.services.directory.contractors().change(
        contractor_id, lambda one: record_review(one, review_id=review_id, reviewer=agent.id, reason=reason, at=at)
    )


def _only_hr(agent: Agent) -> None:
    if not is_hr(agent):
        message = f"only the hr agent reviews contractors, not {agent.id!r}; ask it with agent_message"
        raise Refused(message, argument="review")


def is_hr(agent: Agent) -> bool:
    """Return whether the agent has the role hr in its business."""
    return bool(agent.business_id) and agent.business.manifest.role_of(agent.id) == "hr"


def tell_hr(agent: Agent, before: Contractor, after: Contractor) -> None:
    """Notify the business's hr agent that a contractor's trust has fallen below 0.4, once per fall."""
    hr = agent.business.manifest.agents.get("hr", "") if agent.business_id else ""
    if before.flagged or not after.flagged or hr not in agent.services.agents():
        return
    said = f"{after.name} ({after.id}) has trust {after.trust_score:.2f} now: no assignment before your review."
    belief = {"subject": after.id, "predicate": "trust_score", "value": f"{after.trust_score:g}", "certainty": 0.95}
    agent.services.mail.deliver(
        Message(
            f"MSG-{after.history[-1].id}-flagged",
            agent.id,
            hr,
            "INFORM",
            said,
            iso(agent.clock()),
            priority="high",
            metadata={"beliefs": [belief], "contractor_id": after.id},
        )
    )


def _person(contractor: Contractor) -> dict[str, Any]:
    row = as_json(contractor)
    for internal in ("history", "working_on", "delivered", "reviews"):
        del row[internal]
    return {
        "contractor_id": contractor.id,
        **row,
        "flagged": contractor.flagged,
        "awaits_review": contractor.awaits_review,
    }


CONTRACTOR_TOOLS = [
    Tool.of(
        contractor_add, module="Workforce", writes=True, category="contractor_pool", skills={"sourcing": "competent"},
        addresses=("preferred_contact",),
    ),
    Tool.of(contractor_list, module="Workforce", writes=False),
    Tool.of(
        contractor_trust_update, module="Workforce", writes=True, category="contractor_pool",
        skills={"performance assessment": "competent"},
    ),
]  # fmt: skip
