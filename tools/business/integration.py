"""Integrations: products and prices through Stripe's API, and webhooks of services (TOOLS.md, Integration)."""

from dataclasses import replace
from hashlib import blake2b
from typing import Any, Literal

from mabos.backends.stripe import HttpStripe, StripeApi
from mabos.configs.errors import InvalidArgument, Unavailable, UnknownId
from mabos.society.campaigns import ALL_SEGMENTS
from mabos.society.pricing import Interval, Price, Pricing, Product, customers_of
from mabos.society.stripe import FakeStripe, LocalStripe
from mabos.tools.business.webhooks import webhook_process
from mabos.tools.catalogue.declaration import Arguments, Money, Text, Tool
from mabos.tools.runtime.for_business import business_of
from mabos.tools.runtime.services import Agent
from mabos.workspace.clock import iso
from mabos.workspace.currencies import home, money

API_KEY = "STRIPE_API_KEY"


def stripe_create_product(agent: Agent, *, name: Text, description: str = "", business_id: str = "") -> dict[str, Any]:
    """Create a product and return it in Stripe's form; a product with this name is returned as it is.

    Args:
        name: What customers call it.
        description: What it contains.
        business_id: The business; the agent's own if left out.
    """
    pricing = business_of(agent, business_id).pricing
    api = _api(agent, pricing)
    product = _standing(api, pricing, name)
    if product is None:
        given = {"name": name.strip(), "description": description or None}
        product = api.ask("POST", "/v1/products", given, key=_key(agent, api))
        _keep_product(agent, api, pricing, product)
    return {"product_id": product["id"], **product, "api": api.name}


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
    api, whom = _api(agent, pricing), _segment(segment)
    sold = pricing.product(product).id
    rhythm = _rhythm(pricing, sold, interval)
    given: dict[str, Any] = {
        "product": sold, "currency": home().lower(), "unit_amount": _cents(amount_usd),
        **({"recurring": {"interval": rhythm}} if rhythm else {}), "metadata": {"segment": whom, "agent": agent.id},
    }  # fmt: skip
    before = _price_before(pricing, sold, whom, rhythm)
    made = api.ask("POST", "/v1/prices", given, key=_key(agent, api))
    price = _keep_price(agent, api, pricing, given, made)
    return {
        "price_id": price.id,
        **made,
        "monthly_usd": price.monthly_usd,
        "replaces": before.id if before is not None and before.id != price.id else "",
        "api": api.name,
    }


def _api(agent: Agent, pricing: Pricing) -> StripeApi:
    """Return who answers: the server that settings name, with the environment's key, or the business's own files."""
    settings, environment = agent.services.settings.stripe, agent.services.environment
    if not settings.api_base:
        return LocalStripe(FakeStripe(pricing, agent.clock, agent.ids))
    key = environment.secret(API_KEY)
    if not key:
        message = f"{API_KEY} is not set; prices are made at {settings.api_base}, which needs a key"
        raise Unavailable(f"{message}. Set it, or leave stripe.api_base empty")
    return HttpStripe(settings.api_base, key, timeout_s=settings.timeout_s)


def _key(agent: Agent, api: StripeApi) -> str:
    """Return the idempotency key of a call: that of its effect, so that one cut short does not do it twice.

    A call without one may still have to be sent twice over a network.
    """
    seed = agent.key or ("" if isinstance(api, LocalStripe) else agent.ids.new("call"))
    return seed and f"mabos-{blake2b(f'{agent.id}/{seed}'.encode(), digest_size=16).hexdigest()}"


def _standing(api: StripeApi, pricing: Pricing, name: str) -> dict[str, Any] | None:
    """Return the product of this name as Stripe has it; None if it does not exist, or is gone there."""
    known = pricing.named(name)
    if known is None:
        return None
    try:
        return api.ask("GET", f"/v1/products/{known.id}")
    except UnknownId:
        pricing.products.save(replace(known, active=False))
        return None


def _keep_product(agent: Agent, api: StripeApi, pricing: Pricing, made: dict[str, Any]) -> None:
    """Keep a product that a server made, so that its prices are known here; business files have it already."""
    if not isinstance(api, LocalStripe):
        told = str(made.get("description") or "")
        pricing.products.save(Product(made["id"], str(made["name"]), told, created_at=iso(agent.clock())))


def _keep_price(agent: Agent, api: StripeApi, pricing: Pricing, given: dict[str, Any], made: dict[str, Any]) -> Price:
    if not isinstance(api, LocalStripe):
        price = Price(
            id=made["id"],
            product=given["product"],
            unit_amount=given["unit_amount"],
            interval=given.get("recurring", {}).get("interval", ""),
            segment=given["metadata"]["segment"],
            created_at=iso(agent.clock()),
            created_by=agent.id,
        )
        pricing.prices.save(price)
    return pricing.prices.one(made["id"])


def _cents(amount_usd: float) -> int:
    cents = round(amount_usd * 100)
    if cents < 1:
        message = f"amount_usd must be at least 0.01, got {amount_usd}; free products need no price"
        raise InvalidArgument(message, argument="amount_usd")
    return cents


def _segment(named: str) -> str:
    return named.strip().lower() or ALL_SEGMENTS


def _describe_pricing(agent: Agent, arguments: Arguments) -> str:
    pricing = business_of(agent, arguments["business_id"]).pricing
    sold, segment = pricing.product(arguments["product"]), _segment(arguments["segment"])
    wanted = money(_cents(arguments["amount_usd"]) / 100)
    rhythm = _rhythm(pricing, sold.id, arguments["interval"])
    before, each = _price_before(pricing, sold.id, segment, rhythm), f" a {rhythm}" if rhythm else ""
    now = f", now {money(before.unit_amount / 100, before.currency.upper())}{each}" if before else ""
    return f"Set the price of {sold.name} for {customers_of(segment)} to {wanted}{each}{now}"


def _rhythm(pricing: Pricing, product_id: str, wanted: Interval) -> Interval:
    """Return the interval of a price: that of the product, where it is paid once, by the day or by the week."""
    known = {one.interval for one in pricing.prices.all() if one.product == product_id and one.active}
    return next(iter(known)) if wanted == "month" and len(known) == 1 and not known & {"month", "year"} else wanted


def _price_before(pricing: Pricing, product_id: str, segment: str, interval: str) -> Price | None:
    """Return the newest price of a product that another of this interval replaces for a segment."""
    same = [one for one in pricing.prices.all() if (one.product, one.interval) == (product_id, interval) and one.active]
    open_to = [one for one in reversed(same) if one.segment in (segment, ALL_SEGMENTS)]
    return max(open_to, key=lambda one: one.created_at, default=None)


def _describe_launch(agent: Agent, arguments: Arguments) -> str:
    business = business_of(agent, arguments["business_id"])
    return f"Put the product {arguments['name']!r} of {business.manifest.name} on sale, without a price yet"


TOOLS = [
    Tool.of(
        stripe_create_product, module="Integration", writes=True, category="product", external=True,
        about=_describe_launch,
    ),
    # What customers pay is what S3 calls strategic: the owner of a strategic-only company sees every price.
    Tool.of(
        stripe_create_price, module="Integration", writes=True, category="pricing", strategic=True, external=True,
        counterparty="product", about=_describe_pricing, skills={"pricing": "competent"},
    ),
    # What comes in was signed by who reports it, and commits the company to nothing.
    Tool.of(webhook_process, module="Integration", writes=True, category="reporting", sealed=True),
]  # fmt: skip
