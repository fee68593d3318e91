"""Obligations of agents and contractors: kept, cancelled, or broken when the due date passes.

Commitments.md holds the commitment (`society.commitments`); here are its consequences: the ledger, the counterparty,
and trust. Each notice has an id derived from its subject, so that it is sent once.
"""

from dataclasses import replace
from typing import Any

from mabos.configs.settings import EscalationContact
from mabos.knowledge.values import number
from mabos.mind.model import Belief, Commitment, CommitmentStatus
from mabos.society.commitments import outcome, settle_commitments
from mabos.society.contractors import LATE, judge_delivery, updated_trust
from mabos.society.messages import Message
from mabos.society.packages import WorkPackage
from mabos.society.roles import STAKEHOLDER
from mabos.tools.people.contractors import tell_hr
from mabos.tools.people.notices import FILE, notify
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso


def review_word(agent: Agent) -> tuple[Commitment, ...]:
    """Return the commitments of an agent that just ended: kept or cancelled by its belief, else broken when due.

    A breach is reported to its counterparty and to the ledger; the trust in the agent falls as after a late delivery.
    """
    now, over = agent.clock(), list[Commitment]()
    for one in agent.mind.commitments:
        status = outcome(one, agent.mind.value, now)
        if status:
            over.append(replace(one, status=status))
    for one in over:
        if one.status == "breached":
            _report_breach(agent, one)
    if over:
        agent.mind.save(*over, why="the word given was looked at")
    return tuple(over)


def _report_breach(agent: Agent, broken: Commitment) -> None:
    services, counterparty = agent.services, counterparty_of(agent, broken.counterparty)
    said = f"{broken.terms} was due {broken.deadline[:10]}, and nobody has said that it was done ({broken.id})."
    beliefs = [_belief(broken.about or broken.id, "commitment", "breached", 0.95)]
    if broken.owed_by:
        _trust_less(agent, broken)
        _remind(agent, broken, said)
        counterparty = broken.owed_by
    elif counterparty in services.agents():
        _believed_less(agent, counterparty, broken)
    if counterparty != agent.id and not broken.owed_by:
        services.mail.deliver(
            Message(
                f"MSG-{agent.id}-{broken.id}-{broken.deadline[:10]}",
                agent.id,
                counterparty,
                "INFORM",
                said,
                iso(agent.clock()),
                priority="high",
                metadata={"beliefs": beliefs, "commitment_id": broken.id},
            )
        )
    services.note(
        agent,
        "breach",
        {
            "commitment": broken.id,
            "counterparty": broken.counterparty,
            "owed_by": broken.owed_by or agent.id,
            "terms": broken.terms,
            "due": broken.deadline,
            "told": counterparty,
        },
    )


def counterparty_of(agent: Agent, named: str) -> str:
    """Return the agent to notify of a commitment to `named`: that agent, else the holder of that role, else the
    owner.
    """
    roles, known = agent.business.manifest.agents if agent.business_id else {}, agent.services.agents()
    for one in (named, roles.get(named.casefold(), "")):
        if one in known:
            return one
    return STAKEHOLDER


def _believed_less(agent: Agent, counterparty: str, broken: Commitment) -> None:
    """Lower the counterparty's trust in the agent that broke a promise, once; by default a colleague has full trust.

    It is not a message: agents do not believe messages about trust.
    """
    mind, now = agent.mind_of(counterparty), iso(agent.clock())
    held = mind.index.belief(agent.id, "trust") or Belief(
        f"B-trust-{agent.id}", "", 0.9, "agent", subject=agent.id, predicate="trust", value="1"
    )
    if broken.id not in held.evidence:
        value = f"{updated_trust(_share(held.value), LATE):g}"
        said, evidence = f"{agent.id} is trusted to {value}", (*held.evidence, broken.id)
        less = replace(held, statement=said, value=value, source="words kept and broken", updated=now)
        mind.save(replace(less, evidence=evidence), why=f"{agent.id} broke {broken.id}")


def _trust_less(agent: Agent, broken: Commitment) -> None:
    pool, at = agent.services.directory.contractors(), iso(agent.clock())
    before = pool.find(broken.owed_by)
    if before is not None:
        change_id, reason = f"late:{broken.about or broken.id}", f"{broken.id} was due {broken.deadline[:10]}"
        after = pool.change(before.id, lambda one: judge_delivery(one, LATE, change_id=change_id, at=at, reason=reason))
        tell_hr(agent, before, after)


def _remind(agent: Agent, broken: Commitment, said: str) -> None:
    """Put a letter to the party that owes it into the outbox of the business: a person sends it on."""
    if agent.business_id:
        to = EscalationContact(name=broken.owed_by, role="contractor")
        subject, key = f"Overdue: {broken.terms}", f"breach-{agent.id}-{broken.id}-{broken.deadline[:10]}"
        notify(agent.services, agent.business, FILE, to, said, subject=subject, key=key)


def end_commitments(agent: Agent, business: Business, about: str, status: CommitmentStatus) -> None:
    """End the open commitments of every agent of the business about a work package or task, with this status."""
    known = agent.services.agents()
    for one in business.manifest.agents.values():
        if one in known:
            settle_commitments(agent.mind_of(one), about, status)


def tell_of_package(agent: Agent, package: WorkPackage, *also: str) -> None:
    """Notify the requester of a package, and `also` others, of its status: one message and one belief each."""
    services = agent.services
    standing = {"status": package.status, "assigned_to": package.assigned_to, "overdue_since": package.overdue_since}
    known = services.agents()
    for one in dict.fromkeys((package.created_by, *also)):
        if one in known and (one != agent.id or one in also):
            said = f"{package.title!r} ({package.id}) is {package.status.replace('_', ' ')}"
            said += f", with {package.assigned_to}." if package.assigned_to else "."
            said += f" It was due {package.deadline[:10]}." if package.overdue_since else ""
            told = [_belief(package.id, name, value, 0.95) for name, value in standing.items() if value]
            message_id = f"MSG-{package.id}-{package.status}-{package.overdue_since or package.updated_at}-{one}"
            services.mail.deliver(
                Message(
                    message_id, agent.id, one, "INFORM", said, iso(agent.clock()),
                    conversation_id=package.id, metadata={"beliefs": told, "package_id": package.id},
                )
            )  # fmt: skip


def _belief(subject: str, predicate: str, value: str, certainty: float) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "value": value, "certainty": certainty}


def _share(text: str) -> float:
    value = number(text)
    return 1.0 if value is None else min(1.0, max(0.0, value))
