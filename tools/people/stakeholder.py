"""Stakeholder: the owner's preferences for questions, open questions, and answers (S3 section 10)."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from mabos.configs.errors import InvalidArgument, Misuse, Refused, unknown
from mabos.mind.model import Learning
from mabos.society.decisions import Decision, DecisionAnswer, Decisions, Resolution
from mabos.society.governance import (
    OwnInitiative,
    ProposedAction,
    Risk,
    Style,
    first_profile,
    kind,
    read_profile,
    write_profile,
)
from mabos.society.messages import message
from mabos.society.reporting import Frequency
from mabos.society.roles import STAKEHOLDER
from mabos.tools.catalogue.declaration import Fraction, Money, Text, Tool
from mabos.tools.gate.approval import check_governance
from mabos.tools.people.communication import desk
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent, Services
from mabos.workspace.clock import iso, parse_time
from mabos.workspace.locks import file_lock

MODULE = "Stakeholder"
STRATEGIC = frozenset(map(kind, ("price", "pricing", "hiring", "contract", "strategic_goal", "strategy")))
"""Kinds of action that are strategic unless a check says otherwise (the approval table, rule 4)."""


def stakeholder_profile(
    agent: Agent,
    *,
    business_id: str = "",
    approval_threshold_usd: Money | None = None,
    decision_style: Style | None = None,
    risk_tolerance: Risk | None = None,
    auto_approve_categories: list[str] | None = None,
    name: str | None = None,
    report_frequency: Frequency | None = None,
    notification_channels: list[str] | None = None,
    escalation_contacts: list[dict[str, str]] | None = None,
    initiative: OwnInitiative | None = None,
) -> dict[str, Any]:
    """Return the stakeholder's profile, changed first where something is given; only a person may change it.

    Args:
        business_id: The business; the agent's own if left out.
        approval_threshold_usd: Dollars above which a person always decides.
        decision_style: What the owner wants to be asked about.
        risk_tolerance: How much uncertainty is escalated.
        auto_approve_categories: Allowed without asking, as marketing_spend_under_500.
        name: The owner's name.
        report_frequency: How often a report is wanted.
        notification_channels: Where the owner is notified.
        escalation_contacts: Whom to tell, as objects with name, email and role.
        initiative: Whether agents propose what was not asked for, or act on measured figures within the limits.
    """
    given = {
        "approval_threshold_usd": approval_threshold_usd, "decision_style": decision_style,
        "risk_tolerance": risk_tolerance, "auto_approve_categories": auto_approve_categories, "name": name,
        "report_frequency": report_frequency, "notification_channels": notification_channels,
        "escalation_contacts": escalation_contacts, "initiative": initiative,
    }  # fmt: skip
    changes = {field: value for field, value in given.items() if value is not None}
    home = business_of(agent, business_id) if business_id or agent.business_id else None
    known = home.id if home else agent.services.directory.the_business()
    if changes:
        _only_a_person(agent, "change the stakeholder's profile")
        _check_contacts(escalation_contacts)
        change_profile(agent, known, changes)
    profile = agent.services.directory.profile(known)
    return {"business_id": known, **profile.model_dump(mode="json")}


def change_profile(agent: Agent, business_id: str, changes: Mapping[str, Any]) -> None:
    """Change the stakeholder's profile of a business, or of all if `business_id` is empty, at a person's request."""
    layout, settings = agent.services.layout, agent.services.settings
    default = first_profile(settings.governance)
    directory = layout.root
    if business_id:
        default, directory = read_profile(default, layout.root), layout.business(business_id)
    with file_lock(layout.internal / "locks" / "stakeholder.lock"):
        write_profile(directory, changes, default)


def _check_contacts(contacts: list[dict[str, str]] | None) -> None:
    for number, contact in enumerate(contacts or ()):
        if not contact.get("name") or not contact.keys() <= {"name", "email", "role"}:
            message = f"escalation_contacts[{number}] must have 'name' and may have 'email' and 'role'"
            raise InvalidArgument(message, argument="escalation_contacts")


def _only_a_person(agent: Agent, what: str) -> None:
    if agent.caller.kind != "person":
        message = f"only a person may {what}; put it before the stakeholder with decision_request"
        raise Refused(message, argument="agent_id")


def decision_review(
    agent: Agent, *, business_id: str = "", status: Literal["open", "all"] = "open", mine: bool = False
) -> dict[str, Any]:
    """Return the decisions that wait for the stakeholder, the most pressing first.

    Args:
        business_id: The business; the agent's own if left out.
        status: Only what is open, or everything there ever was.
        mine: Only what the agent itself has asked.
    """
    home = desk(agent, business_id)
    every = [one.as_of(agent.clock()) for one in home.all()]
    found = [one for one in every if (one.open or status == "all") and (one.from_agent == agent.id or not mine)]
    found.sort(key=_pressing)
    now = iso(agent.clock())
    listed = [{**one.as_json(), "decision_id": one.id, "overdue": is_overdue(one, now)} for one in found]
    lines = [f"{one.id} [{one.status}] {one.from_agent}: {one.subject}" for one in found]
    return {
        "decisions": listed,
        "count": len(found),
        "pending": sum(one.open for one in found),
        "text": "\n".join(lines) or "Nothing waits for the stakeholder.",
    }


def all_decisions(services: Services) -> list[Decision]:
    """Return the decisions of all businesses, answered ones too, most urgent first."""
    now = services.clock()
    return sorted((one.as_of(now) for one, _ in _everywhere(services)), key=_pressing)


def home_of(services: Services, decision_id: str) -> Decisions:
    """Return the decisions that include one; raises `UnknownId` with the nearest."""
    known = {one.id: home for one, home in _everywhere(services)}
    if decision_id not in known:
        raise unknown("decision", decision_id, known, argument="decision_id")
    return known[decision_id]


def _everywhere(services: Services) -> Iterator[tuple[Decision, Decisions]]:
    """Yield every decision with those among which it is answered.

    The root mirrors all of them; its own are those of no business, asked where there was none or several were meant.
    """
    root = services.directory.root_decisions()
    yield from ((one, root) for one in root.all() if not one.business_id)
    homes = [services.business(one).decisions for one in services.businesses()]
    yield from ((one, home) for home in homes for one in home.all())


def _pressing(decision: Decision) -> tuple[int, str, str]:
    return _PRESSING.get(decision.urgency, 1), decision.deadline or "9999", decision.created_at


_PRESSING = {"urgent": 0, "high": 1, "normal": 2, "low": 3}


def is_overdue(decision: Decision, now: str) -> bool:
    """Return whether an open decision is overdue at a time (ISO 8601)."""
    due = decision.until or decision.deadline
    return decision.open and bool(due) and parse_time(due) < parse_time(now)


def decision_resolve(
    agent: Agent,
    *,
    decision_id: Text,
    resolution: Resolution,
    business_id: str = "",
    chosen_option: str = "",
    feedback: str = "",
    until: str = "",
    modifications: dict[str, Any] | None = None,
    version: int | None = None,
    by: str = "",
) -> dict[str, Any]:
    """Answer a decision as the stakeholder; the agent is told, and performs what was approved, exactly and once.

    Args:
        decision_id: Which decision.
        resolution: The answer.
        business_id: Its business; found by the decision if left out.
        chosen_option: The option chosen; the recommended one if left out.
        feedback: What the agent should know, as why it was rejected.
        until: With defer: when to ask again, ISO 8601.
        modifications: With modify: the arguments to change, with their new values.
        version: The version that was read; the answer is refused if it has changed since.
        by: Who answers, where several people may; the stakeholder if left out.
    """
    _only_a_person(agent, "answer a decision")
    services = agent.services
    decisions = services.business(business_id).decisions if business_id else home_of(services, decision_id)
    asked = decisions.one(decision_id)
    answer = DecisionAnswer(
        resolution=resolution,
        at=iso(agent.clock()),
        by=by or STAKEHOLDER,
        chosen_option=chosen_option,
        feedback=feedback,
        until=iso(parse_time(until, argument="until")) if until else "",
        modifications=modifications or {},
        arguments=_merge_modifications(agent, asked, modifications) if resolution == "modify" else None,
    )
    is_done = agent.is_again and asked.resolved_at == answer.at
    resolved = asked if is_done else decisions.resolve(decision_id, answer, version=version)
    _inform(agent, resolved)
    if resolved.status == "rejected":
        _learn(agent, resolved)
    return {"decision_id": resolved.id, **resolved.as_json(), "will_be_performed": resolved.granted}


def _merge_modifications(
    agent: Agent, asked: Decision, modifications: Mapping[str, Any] | None
) -> Mapping[str, Any] | None:
    """Return the whole arguments of the modified action, checked as the call itself will be."""
    if asked.action is None or not modifications:
        return None
    services = agent.services
    tool = services.tools.tool(asked.action["tool"])
    asker = services.agent(asked.from_agent) if asked.from_agent in services.agents() else services.seat()
    try:
        values = tool.validate_arguments({**asked.action["arguments"], **modifications})
        tool.told(asker, values.model_dump(mode="json", by_alias=True))
    except Misuse as error:
        raise InvalidArgument(error.message, argument="modifications") from None
    return tool.canonical(values)


def _learn(agent: Agent, decision: Decision) -> None:
    """Write a rejection and its reason into the learnings of the agent that asked (S3 10.3)."""
    services = agent.services
    if decision.from_agent not in services.agents() or "learning" in services.without:
        return
    learning = Learning(
        id=f"LRN-{decision.id}",
        insight=f"The stakeholder rejected: {decision.subject}. {decision.feedback or 'no reason given'}",
        context=decision.description,
        applies_when=f"an action like {decision.category or decision.subject} is planned",
        at=decision.resolved_at,
    )
    agent.mind_of(decision.from_agent).save(learning, why=f"{decision.id} was rejected", cycle=agent.cycle)


def _inform(agent: Agent, decision: Decision) -> None:
    """Tell the agent that asked; urgent, so that it acts on an answer at once.

    The belief is spelled out: a record needs no reading.
    """
    services = agent.services
    if decision.from_agent not in services.agents():
        return
    details = [
        part for part in (decision.chosen_option and f"option {decision.chosen_option}", decision.feedback) if part
    ]
    said = f"{decision.subject}: {decision.status}" + (f" ({'; '.join(details)})" if details else "")
    services.mail.deliver(
        message(
            STAKEHOLDER,
            decision.from_agent,
            "INFORM",
            said,
            ids=agent.ids,
            clock=agent.clock,
            priority="normal" if decision.open else "urgent",
            conversation_id=decision.id,
            protocol="decision",
            metadata={
                "decision_id": decision.id,
                "resolution": decision.resolution,
                "chosen_option": decision.chosen_option,
                "until": decision.until,
                "subject": decision.id,
                "predicate": "status",
                "value": decision.status,
                "statement": f"The owner answered {decision.id}, {said}",
                "category": "agent",
                "certainty": 1.0,
            },
        )
    )


def governance_check(
    agent: Agent,
    *,
    action: Text,
    category: Text,
    estimated_cost: Money,
    business_id: str = "",
    counterparty: str = "",
    confidence: Fraction = 1.0,
    reversible: bool = True,
    strategic: bool | None = None,
    external: bool = False,
) -> dict[str, Any]:
    """Return whether a person must decide on an action, and every reason; nothing is done and nobody is asked.

    Args:
        action: What the agent is about to do, in words.
        category: Which kind of action it is, as marketing_spend.
        estimated_cost: Dollars; what was spent on the same in the last 24 hours is added.
        business_id: The business; the agent's own if left out.
        counterparty: Who is paid or bound.
        confidence: How sure the agent is, 0 to 1.
        reversible: Whether it can be undone.
        strategic: Whether it is about price, hiring, a contract or a strategic goal; follows from category if left out.
        external: Whether it leaves the company.
    """
    if business_id:
        business_of(agent, business_id)
    asked = ProposedAction(
        agent_id=agent.id, category=category, cost=estimated_cost, reversible=reversible,
        strategic=kind(category) in STRATEGIC if strategic is None else strategic, external=external,
        confidence=confidence, counterparty=counterparty,
    )  # fmt: skip
    verdict = check_governance(agent, asked, business_id)
    word = "A person must decide" if verdict.requires_approval else "Allowed"
    return {
        "requires_approval": verdict.requires_approval,
        "reasons": list(verdict.reasons),
        "rule": verdict.rule,
        "action": action,
        "category": category,
        "estimated_cost": estimated_cost,
        "text": f"{word}: {'; '.join(verdict.reasons)}.",
    }


TOOLS = [
    Tool.of(stakeholder_profile, module=MODULE, writes=True, category="governance", addresses=("escalation_contacts",)),
    Tool.of(decision_review, module=MODULE, writes=False),
    Tool.of(
        decision_resolve, module=MODULE, writes=True, category="governance", addresses=("feedback", "modifications")
    ),
    Tool.of(governance_check, module=MODULE, writes=False),
]
