"""An agent's commitments to others, in its Commitments.md: made, kept, or broken when due (S3 section 4.2)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Literal

from mabos.mind.mind import Mind
from mabos.mind.model import Commitment, CommitmentStatus
from mabos.mind.times import is_past

Value = Callable[[str, str], str | None]
"""Returns what is held about a subject and a predicate, or None."""

_KEPT = frozenset({"met", "kept", "done", "complete", "completed", "delivered"})
_OFF = frozenset({"cancelled", "withdrawn"})


def commit(
    mind: Mind, counterparty: str, terms: str, *, due: str, about: str, owed_by: str = "", consequences: str = ""
) -> Commitment:
    """Record a commitment in Commitments.md and return it; an existing one on the same subject is kept.

    `about` is the id of the task or work package, `owed_by` the debtor if that is not the agent itself.
    """
    given = Commitment(
        id=f"COM-{about}", counterparty=counterparty, terms=terms, deadline=due, consequences=consequences,
        about=about, owed_by=owed_by,
    )  # fmt: skip
    for known in mind.commitments:
        if known.id == given.id and (known.status == "open" or replace(known, status="open") == given):
            return known
    mind.save(given, why=f"gave its word to {counterparty}" if not owed_by else f"took the word of {owed_by}")
    return given


def settle_commitments(mind: Mind, about: str, status: CommitmentStatus) -> tuple[Commitment, ...]:
    """Return the open commitments about a task or work package, closed with this status."""
    ended = tuple(
        replace(one, status=status) for one in mind.commitments if one.about == about and one.status == "open"
    )
    if about and ended:
        mind.save(*ended, why=f"{about} ended")
        return ended
    return ()


def outcome(commitment: Commitment, value: Value, now: datetime) -> Literal["", "met", "cancelled", "breached"]:
    """Return the outcome of an open commitment: kept, by the agent's belief, or overdue without a report.

    The belief is the `status` of the commitment or of its subject; `COM-1 status met` is set with `belief_update`, or
    by a message.
    """
    if commitment.status != "open":
        return ""
    said = {(value(one, "status") or "").casefold() for one in (commitment.id, commitment.about) if one}
    if said & _KEPT:
        return "met"
    if said & _OFF:
        return "cancelled"
    return "breached" if is_past(commitment.deadline, now) else ""
