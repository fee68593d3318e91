"""Integrations: products and prices in the shapes of Stripe's published API (TOOLS.md, Integration)."""

from typing import Any, Literal

from configs.errors import InvalidArgument
from society.campaigns import ALL_SEGMENTS
from society.pricing import Price, Product
from tools.agent import Agent
from tools.declaration import Money, Text, Tool
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
    sold = pricing.product(product)
    cents = round(amount_usd * 100)
    if cents < 1:
        message = f"amount_usd must be at least 0.01, got {amount_usd}; what is free needs no price"
        raise InvalidArgument(message, argument="amount_usd")
    price = Price(
        id=agent.ids.new("price"),
        product=sold.id,
        unit_amount=cents,
        interval=interval,
        segment=segment.strip().lower() or ALL_SEGMENTS,
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
    ),
]
