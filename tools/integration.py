"""Integrations: products and prices in the shapes of Stripe's published API (TOOLS.md, Integration)."""

from typing import Any, Literal

from configs.errors import InvalidArgument
from society.campaigns import ALL_SEGMENTS
from society.governance import usd
from society.pricing import Price, Product
from tools.agent import Agent
from tools.declaration import Arguments, Money, Text, Tool
from tools.for_business import business_of
from workspace.clock import iso


def stripe_create_product(agent: Agent, *, name: Text, description: str = "", business_id: str = "") -> dict[str, Any]:
    """Create a product and return it in Stripe's form; a product with this name is returned as it is.

    Args:
        name: What customers call it.
        description: What it contains.
        business_id: The business; the agent's own if left out.
    """
    pricing = business_of(agent, business_id).pricing
    wanted = name.strip().lower()
    found = next((one for one in pricing.products.all() if one.name.lower() == wanted), None)
    if found is None:
        product_id = agent.ids.new("prod")
        found = Product(product_id, name.strip(), description=description, created_at=iso(agent.clock()))
        pricing.products.save(found)
    return {"product_id": found.id, **found.as_stripe()}


def stripe_create_price(
    agent: Agent,
    *,
    product: Text,
    amount_usd: Money,
    interval: Literal["month", "year"] = "month",
    segment: str = ALL_SEGMENTS,
    business_id: str = "",
) -> dict[str, Any]:
    """Create a price and return it in Stripe's form; new customers of the segment are offered the newest one.

    Args:
        product: The product's id or name.
        amount_usd: Dollars for each interval.
        interval: How often it is paid.
        segment: Which customers it is offered to, as smb, mid or ent; `all` for everybody.
        business_id: The business; the agent's own if left out.
    """
    pricing = business_of(agent, business_id).pricing
    price = Price(
        id=agent.ids.new("price"),
        product=pricing.product(product).id,
        unit_amount=_cents(amount_usd),
        interval=interval,
        segment=_segment(segment),
        created_at=iso(agent.clock()),
        created_by=agent.id,
    )
    before = pricing.offered(price.segment)
    pricing.prices.save(price)
    return {
        "price_id": price.id,
        **price.as_stripe(),
        "monthly_usd": price.monthly_usd,
        "replaces": before.id if before is not None and before.id != price.id else "",
    }


def _cents(amount_usd: float) -> int:
    cents = round(amount_usd * 100)
    if cents < 1:
        message = f"amount_usd must be at least 0.01, got {amount_usd}; what is free needs no price"
        raise InvalidArgument(message, argument="amount_usd")
    return cents


def _segment(named: str) -> str:
    return named.strip().lower() or ALL_SEGMENTS


def _priced(agent: Agent, arguments: Arguments) -> str:
    pricing = business_of(agent, arguments["business_id"]).pricing
    sold, segment = pricing.product(arguments["product"]), _segment(arguments["segment"])
    wanted = usd(_cents(arguments["amount_usd"]) / 100)
    before = pricing.offered(segment)
    now = f", now {usd(before.unit_amount / 100)} a {before.interval}" if before is not None else ""
    whom = "all customers" if segment == ALL_SEGMENTS else f"{segment} customers"
    return f"Set the price of {sold.name} for {whom} to {wanted} a {arguments['interval']}{now}"


TOOLS = [
    Tool.of(stripe_create_product, module="Integration", writes=True, category="product"),
    # What customers pay is what S3 calls strategic: the owner of a strategic-only company sees every price.
    Tool.of(
        stripe_create_price,
        module="Integration",
        writes=True,
        category="pricing",
        strategic=True,
        external=True,
        counterparty="product",
        about=_priced,
        skills={"pricing": "competent"},
    ),
]
