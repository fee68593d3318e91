"""Formal handoffs of work packages, offered by one side and answered by the other (S3 section 11.4)."""

import re
from typing import Any

from mabos.configs.errors import InvalidArgument, Refused, unknown
from mabos.configs.settings import EscalationContact
from mabos.mind.proficiency import COMPETENT, proficiency
from mabos.society.commitments import commit
from mabos.society.contractors import let_go, taken_on
from mabos.society.messages import Message
from mabos.society.packages import WorkPackage, may_work, transfer_package
from mabos.society.workforce import Answer, Handoff, HandoffType, Workforce, answer_handoff, hands_back, may_be_offered
from mabos.tools.catalogue.declaration import Text
from mabos.tools.gate.identity import check_capability
from mabos.tools.people.notices import FILE, notify
from mabos.tools.people.obligations import end_commitments, tell_of_package
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of, reachable
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.records import as_json

_ELSEWHERE = ("http://", "https://", "mailto:")
_FILE = re.compile(r"[^\s/][^\s]*\.\w{1,8}")
_WORK = re.compile(r"MSG-(HO-.+)-work")


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
    answer: Answer | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """Offer a work package to somebody else with what they need to go on, or answer such an offer; then it passes.

    Args:
        from_: The agent or contractor who hands over.
        to: The agent or contractor who takes over.
        package_id: Which package.
        handoff_type: Between whom: agents or humans.
        business_id: The business; the agent's own if left out.
        artifacts: What is handed over, each with type and path, within the business's folder or a web address.
        instructions: What to do first.
        context_summary: Why it matters.
        answer: The recipient's answer to the offer that stands; a contractor's is given by a person.
        reason: Why it is refused, or what else belongs to the answer.
    """
    business = business_of(agent, business_id)
    workforce = business.workforce
    package = workforce.packages.one(package_id)
    for argument, party, kind in zip(("from", "to"), (from_, to), handoff_type.split("_to_"), strict=True):
        _check_party(agent, workforce, argument, party, kind)
    if answer is not None:
        offer = _standing_offer(workforce, package_id, from_, to)
        return _serialize_handoff(business, _answer_handoff(agent, business, offer, answer, reason))
    if agent.caller.kind == "agent" and agent.id not in {from_, to}:
        message = f"{agent.id!r} is not a party to a handoff from {from_!r} to {to!r}; ask one with agent_message"
        raise Refused(message, argument="from")
    offer = Handoff(
        id=agent.ids.new("HO"), sender=from_, recipient=to, work_package_id=package.id, handoff_type=handoff_type,
        artifacts=tuple(artifacts or ()), instructions=instructions, context_summary=context_summary,
        created_at=iso(agent.clock()), offered_by=agent.id,
    )  # fmt: skip
    may_be_offered(offer, package, workforce.handoffs.all())
    back = f"handed back in {offer.id}"
    for earlier in (one for one in workforce.handoffs.all() if hands_back(offer, one)):
        workforce.handoffs.change(
            earlier.id, lambda one: answer_handoff(one, "refuse", at=offer.created_at, reason=back)
        )
    workforce.handoffs.save(offer)
    _offer(agent, business, offer, package)
    return _serialize_handoff(business, offer)


def missing_artifacts(business: Business, offer: Handoff) -> tuple[str, ...]:
    """Return the paths of a handoff that are missing: not in the business's folder, and no web address."""
    paths = (str(one.get("path", "")) for one in offer.artifacts)
    return tuple(path for path in paths if not path.startswith(_ELSEWHERE) and business.file_below(path) is None)


def missing_files(business: Business, package: WorkPackage) -> tuple[str, ...]:
    """Return the deliverables of a package that are named as files but missing."""
    return tuple(one for one in package.deliverables if _FILE.fullmatch(one) and business.file_below(one) is None)


def unfit(agent: Agent, offer: Handoff) -> str:
    """Return why an agent refuses an offer, or an empty text: missing artifacts, rights or skills.

    It must be able to report the work as done and be competent in one of the required skills, unless it ordered the
    work itself.
    """
    business = agent.business
    try:
        check_capability(agent, agent.services.tools.tool("work_package_update"))
    except Refused as refused:
        return refused.message
    lacking = missing_artifacts(business, offer)
    if lacking:
        return f"not there: {', '.join(lacking)}"
    package = business.workforce.packages.one(offer.work_package_id)
    wanted = package.required_skills
    if package.created_by == agent.id or not wanted or proficiency(agent.mind.capabilities, wanted) >= COMPETENT:
        return ""
    return f"not competent in {', '.join(wanted)}, as Capabilities.md says"


def handoff_of(message_id: str) -> str:
    """Return the handoff whose message asked an agent to continue the work, or an empty text."""
    found = _WORK.fullmatch(message_id)
    return found[1] if found else ""


def _check_party(agent: Agent, workforce: Workforce, argument: str, party: str, kind: str) -> None:
    """Raise unless the party is an agent or a contractor, as the handoff's type says."""
    if kind == "agent":
        reachable(agent, party, argument)
    elif workforce.contractors.find(party) is None:
        raise unknown("contractor", party, (one.id for one in workforce.contractors.all()), argument=argument)


def _standing_offer(workforce: Workforce, package_id: str, sender: str, recipient: str) -> Handoff:
    """Return the last handoff of a package between two parties, which is the one that is answered."""
    parties = (package_id, sender, recipient)
    for one in reversed(workforce.handoffs.all()):
        if (one.work_package_id, one.sender, one.recipient) == parties:
            return one
    message = f"{package_id} was not offered by {sender} to {recipient}; leave 'answer' out to offer it"
    raise InvalidArgument(message, argument="answer")


def _offer(agent: Agent, business: Business, offer: Handoff, package: WorkPackage) -> None:
    """Put an offer before the new owner of the work; for a contractor it is a letter in the outbox."""
    said = f"{offer.sender} offers you {package.title!r} ({package.id}). {offer.context_summary}".strip()
    if not offer.to_agent:
        to, text = EscalationContact(name=offer.recipient, role="contractor"), f"{said}\n\n{_brief(offer, package)}\n"
        notify(agent.services, business, FILE, to, text, subject=f"Offer: {package.title}", key=f"offer-{offer.id}")
        return
    agent.services.mail.deliver(
        Message(
            f"MSG-{offer.id}", agent.id, offer.recipient, "PROPOSE", said, offer.created_at, priority="high",
            conversation_id=offer.id, metadata={"handoff_id": offer.id, "package_id": package.id},
        )
    )  # fmt: skip


def _answer_handoff(agent: Agent, business: Business, offer: Handoff, answer: Answer, reason: str) -> Handoff:
    """Return the handoff after the recipient's answer, and let the package pass if it is accepted."""
    _speaks_for(agent, offer)
    missing, at = missing_artifacts(business, offer), iso(agent.clock())
    workforce = business.workforce
    contractor = workforce.contractors.find(offer.recipient)
    if answer == "accept" and contractor is not None:
        may_work(contractor, "to")
    after = workforce.handoffs.change(
        offer.id, lambda one: answer_handoff(one, answer, at=at, reason=reason, missing=missing)
    )
    if after.status == "accepted":
        _pass_on(agent, business, after)
    _tell_sides(agent, after, "accepted" if after.status == "accepted" else f"refused: {reason or 'no reason given'}")
    return after


def _speaks_for(agent: Agent, offer: Handoff) -> None:
    """Raise `Refused` unless the caller may answer for the recipient: itself, or a person for a contractor."""
    if agent.caller.kind == "person" or (offer.to_agent and agent.id == offer.recipient):
        return
    message = f"only {offer.recipient} may answer {offer.id}"
    raise Refused(message if offer.to_agent else f"{message}; a person must do it in their name", argument="answer")


def _pass_on(agent: Agent, business: Business, done: Handoff) -> None:
    """Give the package to the recipient, with the word that goes with it, and have an agent go on with the work."""
    workforce, package_id = business.workforce, done.work_package_id
    package = workforce.packages.change(
        package_id, lambda one: transfer_package(one, done.recipient, at=done.answered_at)
    )
    if workforce.contractors.find(done.sender) is not None:
        workforce.contractors.change(done.sender, lambda one: let_go(one, package_id, complete=False))
        end_commitments(agent, business, package_id, "cancelled")
    if workforce.contractors.find(done.recipient) is not None:
        workforce.contractors.change(done.recipient, lambda one: taken_on(one, package_id))
    _give_word(agent, done, package)
    tell_of_package(agent, package, *((done.recipient,) if done.to_agent else ()))
    if done.to_agent:
        agent.services.mail.deliver(_go_on(done, package))


def _give_word(agent: Agent, done: Handoff, package: WorkPackage) -> None:
    """Record the present obligation: with the agent that takes over, else with the one that handed over."""
    if not (done.to_agent or done.from_agent):
        return
    commit(
        agent.mind_of(done.recipient if done.to_agent else done.sender),
        done.sender if done.to_agent else done.recipient,
        f"{done.recipient} delivers {package.title!r} ({package.id})",
        due=package.deadline,
        about=package.id,
        owed_by="" if done.to_agent else done.recipient,
        consequences="Trust falls as after a late delivery",
    )


def _go_on(done: Handoff, package: WorkPackage) -> Message:
    """Return the request that becomes the recipient's desire: the work so far, with all that was handed over."""
    return Message(
        f"MSG-{done.id}-work", done.offered_by, done.recipient, "REQUEST", f"{package.title}: {_brief(done, package)}",
        done.answered_at, priority="high", reply_by=package.deadline, conversation_id=done.id,
        metadata={"handoff_id": done.id, "package_id": package.id, "artifacts": list(done.artifacts)},
    )  # fmt: skip


def _brief(one: Handoff, package: WorkPackage) -> str:
    """Return the work in words: the package, the first steps, its importance, and the items handed over."""
    due = f"Due {package.deadline[:10]}." if package.deadline else ""
    files = ", ".join(str(artifact.get("path", "")) for artifact in one.artifacts)
    parts = (package.description, one.instructions, one.context_summary, due, f"Files: {files}." if files else "")
    return " ".join(part for part in parts if part)


def _tell_sides(agent: Agent, done: Handoff, how: str) -> None:
    """Tell the agents on the other side how an offer was answered."""
    performative = "ACCEPT" if done.status == "accepted" else "REJECT"
    for one in dict.fromkeys((done.offered_by, *((done.sender,) if done.from_agent else ()))):
        if one and one != agent.id:
            agent.services.mail.deliver(
                Message(
                    f"MSG-{done.id}-{done.status}-{one}", agent.id, one, performative,
                    f"{done.recipient} has {how} ({done.work_package_id}, {done.id})", done.answered_at,
                    reply_to=f"MSG-{done.id}", conversation_id=done.id,
                    metadata={"handoff_id": done.id, "package_id": done.work_package_id, "answer": done.answer},
                )
            )  # fmt: skip


def _serialize_handoff(business: Business, one: Handoff) -> dict[str, Any]:
    parties = {"handoff_id": one.id, "from": one.sender, "to": one.recipient}
    return {**parties, **as_json(one), "missing_artifacts": list(missing_artifacts(business, one))}
