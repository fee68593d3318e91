"""Contractors, work packages and formal handoffs of a business, and their files (S3 section 11).

The pool is shared by all businesses (`contractor-pool.json` at the root); packages and handoffs belong to one business.
`contractors.py` has people and trust, `packages.py` the work.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from mabos.configs.errors import InvalidArgument, Refused
from mabos.society.contractors import Contractor
from mabos.society.packages import WorkPackage
from mabos.workspace.field_types import stored_as
from mabos.workspace.records import Document, declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

HandoffType = Literal["agent_to_human", "human_to_agent", "agent_to_agent", "human_to_human"]
HandoffStatus = Literal["offered", "accepted", "refused"]
Answer = Literal["accept", "refuse"]


@record(Document("handoff-log.json", ("handoffs",), root="array"), "handoffs", noun="handoff")
@dataclass(frozen=True, slots=True)
class Handoff:
    """The transfer of control of a package from one party to another (S3 section 11.4).

    It is offered first and takes effect when the recipient accepts; `offered_by` recorded it and gets the answer.
    """

    id: str
    sender: Annotated[str, stored_as("from")]
    recipient: Annotated[str, stored_as("to")]
    work_package_id: str
    handoff_type: HandoffType
    artifacts: tuple[dict[str, Any], ...] = ()
    instructions: str = ""
    context_summary: str = ""
    created_at: str = ""
    status: HandoffStatus = "offered"
    offered_by: str = ""
    answered_at: str = ""
    answer: str = ""

    @property
    def to_agent(self) -> bool:
        """Return whether an agent takes over."""
        return self.handoff_type.endswith("_to_agent")

    @property
    def from_agent(self) -> bool:
        """Return whether an agent hands over."""
        return self.handoff_type.startswith("agent_to_")


def may_be_offered(handoff: Handoff, package: WorkPackage, log: Iterable[Handoff]) -> None:
    """Raise `InvalidArgument` if the package cannot be handed over: finished, elsewhere, or already offered.

    An agent may also hand over an unassigned package, or one already assigned to the recipient (S3 section 11.4). The
    recipient of an offer may hand back its assigned package without an answer.
    """
    holders = {handoff.sender, *(("", handoff.recipient) if handoff.from_agent else ())}
    message = ""
    if package.is_over:
        message = f"work package {package.id} is {package.status}; there is nothing to hand over"
    elif package.assigned_to not in holders:
        message = f"work package {package.id} is with {package.assigned_to or 'nobody'}, not with {handoff.sender}"
    for other in log:
        is_waiting = other.work_package_id == package.id and other.status == "offered" and other.id != handoff.id
        if is_waiting and not hands_back(handoff, other):
            message = f"work package {package.id} is offered to {other.recipient} in {other.id}; wait for the answer"
    if message:
        raise InvalidArgument(message, argument="package_id")


def hands_back(handoff: Handoff, offer: Handoff) -> bool:
    """Return whether a handoff returns a package with a pending offer to the offering party."""
    is_reverse = (handoff.sender, handoff.recipient) == (offer.recipient, offer.sender)
    return is_reverse and offer.status == "offered" and handoff.work_package_id == offer.work_package_id


def answer_handoff(handoff: Handoff, answer: Answer, *, at: str, reason: str, missing: Iterable[str] = ()) -> Handoff:
    """Return the handoff with the recipient's answer; repeating the answer changes nothing.

    Raises `Refused` for an answer that contradicts the recorded one, and for accepting missing artifacts.
    """
    status: HandoffStatus = "accepted" if answer == "accept" else "refused"
    if handoff.status == status:
        return handoff
    if handoff.status != "offered":
        raise Refused(f"handoff {handoff.id} was {handoff.status} on {handoff.answered_at}", argument="answer")
    lacking = ", ".join(missing)
    if lacking and status == "accepted":
        message = f"handoff {handoff.id} cannot be accepted: there is no {lacking}; put it in place, or refuse"
        raise Refused(message, argument="artifacts")
    return replace(handoff, status=status, answered_at=at, answer=reason)


class Workforce:
    """The contractors of a workspace, and the packages and handoffs of one business."""

    def __init__(self, contractors: View[Contractor], packages: View[WorkPackage], handoffs: View[Handoff]) -> None:
        self.contractors = contractors
        self.packages = packages
        self.handoffs = handoffs


def open_pool(root: Path, sync: Sync) -> View[Contractor]:
    """Return the contractor pool of the workspace at `root`."""
    return View(declaration(Contractor).open(root, sync), Contractor)


def open_workforce(directory: Path, contractors: View[Contractor], sync: Sync) -> Workforce:
    """Return the workforce of the business in `directory`, with the workspace's contractor pool."""
    packages = View(declaration(WorkPackage).open(directory, sync), WorkPackage)
    return Workforce(contractors, packages, View(declaration(Handoff).open(directory, sync), Handoff))
