"""Staff, loans and refunds: operations that S3's catalogue lacks, besides prices and advertising.

All of them are records. They take effect in a simulated market; elsewhere they stay `recorded` or `requested`, since no
bank or payroll is connected.
"""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import Field

from mabos.configs.errors import Refused, unknown
from mabos.society.campaigns import ALL_SEGMENTS
from mabos.society.packages import Area
from mabos.society.pricing import Refund, customers_of
from mabos.society.staff import Loan, Position
from mabos.tools.catalogue.declaration import Arguments, OwnId, Text, Tool
from mabos.tools.runtime.company import Business
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.currencies import money
from mabos.workspace.records import as_json

FAMILY = "Staff and finance"
_QUARTER = 13
Term = Annotated[int, Field(ge=4, le=260)]
"""Weeks over which a loan is repaid."""


def staff_hire(
    agent: Agent,
    *,
    title: Text,
    area: Area,
    weekly_usd: Annotated[float, Field(gt=0)],
    business_id: str = "",
    position_id: OwnId = "",
) -> dict[str, Any]:
    """Open a position that is paid every week until notice is given; governance looks at a quarter's pay.

    Args:
        title: What the position is called.
        area: What the work improves: the product, the support desk, or delivery.
        weekly_usd: Dollars a week.
        business_id: The business; the agent's own if left out.
        position_id: An id of your own; made if left out.
    """
    position = Position(
        id=position_id or agent.ids.new("POS"),
        title=title,
        area=area,
        weekly_usd=weekly_usd,
        created_at=iso(agent.clock()),
        created_by=agent.id,
    )
    business_of(agent, business_id).staff.positions.save(position)
    return {"position_id": position.id, **as_json(position), "text": _tell(agent, "The position is on record")}


def staff_release(agent: Agent, *, position_id: Text, business_id: str = "") -> dict[str, Any]:
    """Give notice to whoever fills a position; pay goes on until the notice is over.

    Args:
        position_id: Whose work is to end.
        business_id: The business; the agent's own if left out.
    """

    def release(position: Position) -> Position:
        if not position.is_paid:
            raise Refused(f"{position.title!r} is already {position.status}", argument="position_id")
        return replace(position, status="on_notice", updated_at=iso(agent.clock()))

    position = business_of(agent, business_id).staff.positions.change(position_id, release)
    return {"position_id": position.id, **as_json(position), "text": _tell(agent, "Notice is on record")}


def loan_request(
    agent: Agent, *, amount_usd: Annotated[float, Field(gt=0)], weeks: Term = 104, business_id: str = ""
) -> dict[str, Any]:
    """Ask the bank for a loan that is repaid in equal weekly parts; the owner always decides first.

    Args:
        amount_usd: Dollars to borrow.
        weeks: Over how many weeks it is repaid.
        business_id: The business; the agent's own if left out.
    """
    loan = Loan(agent.ids.new("LOAN"), amount_usd, weeks, created_at=iso(agent.clock()), created_by=agent.id)
    business_of(agent, business_id).staff.loans.save(loan)
    return {"loan_id": loan.id, **as_json(loan), "text": _loan_text(agent)}


def refund_issue(
    agent: Agent, *, segment: Text, amount_usd: Annotated[float, Field(gt=0)], reason: Text, business_id: str = ""
) -> dict[str, Any]:
    """Pay all customers of a segment something back, together; it soothes those who would leave.

    Args:
        segment: Which customers, as smb, mid or ent; `all` for everybody. It is no refund to a single customer.
        amount_usd: Dollars in all.
        reason: What it makes good.
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    refund = Refund(
        agent.ids.new("RF"),
        _segment(business, segment),
        amount_usd,
        reason,
        created_at=iso(agent.clock()),
        created_by=agent.id,
    )
    business.pricing.refunds.save(refund)
    return {"refund_id": refund.id, **as_json(refund), "text": _tell(agent, "The refund is on record")}


def finance_show(agent: Agent, *, business_id: str = "") -> dict[str, Any]:
    """Show who was hired, what is owed to the bank, and what was refunded.

    Args:
        business_id: The business; the agent's own if left out.
    """
    business = business_of(agent, business_id)
    return {
        "positions": [as_json(one) for one in business.staff.positions.all()],
        "loans": [as_json(one) for one in business.staff.loans.all()],
        "refunds": [as_json(one) for one in business.pricing.refunds.all()],
        "weekly_usd": business.staff.weekly_usd(),
    }


def _segment(business: Business, named: str) -> str:
    """Return the segment of that name; raises `UnknownId` for a segment without customers on record."""
    whom, known = named.strip().lower(), (*business.segments, ALL_SEGMENTS)
    if whom not in known:
        raise unknown("segment", named, known, argument="segment")
    return whom


def _loan_text(agent: Agent) -> str:
    if agent.services.is_simulated:
        return "The bank has not answered yet."
    return "The request is on record; no bank is connected, and nobody has been asked."


def _tell(agent: Agent, said: str) -> str:
    return f"{said}." if agent.services.is_simulated else f"{said}; nobody outside has confirmed it."


def _pay(arguments: Arguments) -> float:
    return _QUARTER * float(arguments["weekly_usd"])


def _describe_hire(_: Agent, arguments: Arguments) -> str:
    return f"Hire {arguments['title']} for {money(float(arguments['weekly_usd']))} a week"


def _describe_release(agent: Agent, arguments: Arguments) -> str:
    position = business_of(agent, arguments["business_id"]).staff.positions.one(arguments["position_id"])
    if not position.is_paid:
        raise Refused(f"{position.title!r} is already {position.status}", argument="position_id")
    return f"Give notice to {position.title}, who costs {money(position.weekly_usd)} a week"


def _describe_refund(agent: Agent, arguments: Arguments) -> str:
    segment = _segment(business_of(agent, arguments["business_id"]), arguments["segment"])
    return f"Pay {customers_of(segment)} {money(float(arguments['amount_usd']))} back together: {arguments['reason']}"


def _describe_loan(_: Agent, arguments: Arguments) -> str:
    return f"Borrow {money(float(arguments['amount_usd']))} over {arguments['weeks']} weeks"


TOOLS = [
    Tool.of(staff_hire, module=FAMILY, writes=True, category="hiring", cost=_pay, external=True, about=_describe_hire),
    Tool.of(
        staff_release, module=FAMILY, writes=True, category="hiring", external=True, about=_describe_release,
        asks=True,
    ),
    Tool.of(
        loan_request, module=FAMILY, writes=True, category="finance", strategic=True, about=_describe_loan, asks=True,
    ),
    Tool.of(
        refund_issue, module=FAMILY, writes=True, category="refunds", cost="amount_usd", reversible=False,
        external=True, about=_describe_refund,
    ),
    Tool.of(finance_show, module=FAMILY, writes=False),
]  # fmt: skip
