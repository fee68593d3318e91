"""Products and prices of a business, in the terms of Stripe's published API (`pricing.json`).

A product has any number of prices; a price's amount never changes; a new price is created instead. The offer to
customers of a segment is the newest active monthly or yearly price that names the segment, or `all`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from mabos.configs.errors import unknown
from mabos.society.campaigns import ALL_SEGMENTS
from mabos.workspace.clock import parse_time
from mabos.workspace.currencies import home
from mabos.workspace.records import Document, declaration, record
from mabos.workspace.sync import Sync
from mabos.workspace.view import View

Interval = Literal["day", "week", "month", "year", ""]
PRODUCTS, PRICES, REQUESTS, REFUNDS = "products", "prices", "requests", "refunds"
_DOCUMENT = Document("pricing.json", (PRODUCTS, PRICES, REQUESTS, REFUNDS))
_A_MONTH: Mapping[str, float] = {"day": 365 / 12, "week": 52 / 12, "month": 1.0, "year": 1 / 12}
_UNSET_PRODUCT = (
    "default_price", "package_dimensions", "shippable", "statement_descriptor", "tax_code", "unit_label", "url",
)  # fmt: skip
_UNSET_PRICE = ("custom_unit_amount", "lookup_key", "nickname", "tiers_mode", "transform_quantity")


@record(_DOCUMENT, PRODUCTS, noun="product", argument="product")
@dataclass(frozen=True, slots=True)
class Product:
    """A product for sale; `details` are further fields in Stripe's form."""

    id: str
    name: str
    description: str = ""
    active: bool = True
    created_at: str = ""
    updated_at: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    def as_stripe(self) -> dict[str, Any]:
        """Return the product in Stripe's format."""
        return {
            "id": self.id, "object": "product", "name": self.name, "description": self.description or None,
            "active": self.active, "created": seconds(self.created_at),
            "updated": seconds(self.updated_at or self.created_at), "images": [], "marketing_features": [],
            "livemode": False, "metadata": dict(self.metadata), "type": "service", **dict.fromkeys(_UNSET_PRODUCT),
            **self.details,
        }  # fmt: skip


@record(_DOCUMENT, PRICES, noun="price")
@dataclass(frozen=True, slots=True)
class Price:
    """The price of a product for a segment and an interval; `unit_amount` is in cents, as in Stripe.

    Without an interval it is paid once. `details` are further fields in Stripe's form.
    """

    id: str
    product: str
    unit_amount: int
    interval: Interval = "month"
    segment: str = ALL_SEGMENTS
    currency: str = "usd"
    active: bool = True
    created_at: str = ""
    created_by: str = ""
    interval_count: int = 1
    metadata: Mapping[str, str] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def monthly_usd(self) -> float:
        """The price per month in dollars; a one-time price, or one in another currency, counts as 0."""
        if self.currency.upper() != home() or not self.interval:
            return 0.0
        if self.interval == "year":
            return self.unit_amount / 100 / (12 * self.interval_count)
        return self.unit_amount / 100 * _A_MONTH[self.interval] / self.interval_count

    def as_stripe(self) -> dict[str, Any]:
        """Return the price in Stripe's format, with segment and maker in the metadata."""
        segment = {} if self.segment == ALL_SEGMENTS else {"segment": self.segment}
        maker = {"agent": self.created_by} if self.created_by else {}
        recurring = {
            "interval": self.interval,
            "interval_count": self.interval_count,
            "meter": None,
            "trial_period_days": None,
            "usage_type": "licensed",
        }
        return {
            "id": self.id, "object": "price", "product": self.product, "unit_amount": self.unit_amount,
            "unit_amount_decimal": str(self.unit_amount), "currency": self.currency,
            "recurring": recurring if self.interval else None, "type": "recurring" if self.interval else "one_time",
            "billing_scheme": "per_unit", "tax_behavior": "unspecified", "active": self.active, "livemode": False,
            "metadata": {**self.metadata, **segment, **maker}, "created": seconds(self.created_at),
            **dict.fromkeys(_UNSET_PRICE), **self.details,
        }  # fmt: skip


@record(_DOCUMENT, REQUESTS, noun="request", argument="request")
@dataclass(frozen=True, slots=True)
class AnsweredRequest:
    """The answer to a request with an idempotency key; `digest` is the hash of the request."""

    id: str
    digest: str
    at: str
    status: int
    body: Mapping[str, Any]


@record(_DOCUMENT, REFUNDS, noun="refund")
@dataclass(frozen=True, slots=True)
class Refund:
    """Money that customers of a segment get back together; `recorded` until its payment is confirmed."""

    id: str
    segment: str
    amount_usd: float
    reason: str = ""
    status: Literal["recorded", "paid"] = "recorded"
    created_at: str = ""
    created_by: str = ""


def seconds(at: str) -> int:
    """Return a time in Stripe's format, in seconds since 1970; 0 if it is unknown."""
    return int(parse_time(at).timestamp()) if at else 0


def customers_of(segment: str) -> str:
    """Return the customers of a segment in words."""
    return "all customers" if segment == ALL_SEGMENTS else f"{segment} customers"


def select_price(prices: Iterable[Price], segment: str, *, by_year: bool = False) -> Price | None:
    """Return the price that a new customer of the segment sees: the newest active one; `None` without an offer.

    A price `by_year` is offered next to the monthly price, for customers who pay a year in advance.
    """
    open_prices = [
        price
        for price in prices
        if price.active
        and price.interval
        and (price.interval == "year") == by_year
        and price.currency == "usd"
        and price.segment in {segment, ALL_SEGMENTS}
    ]
    # Of two made at the same moment the one written later counts; `max` keeps the first it meets.
    return max(reversed(open_prices), key=lambda price: price.created_at, default=None)


class Pricing:
    """The products and prices of one business, and the requests that created them."""

    def __init__(
        self, products: View[Product], prices: View[Price], requests: View[AnsweredRequest], refunds: View[Refund]
    ) -> None:
        self.products = products
        self.prices = prices
        self.requests = requests
        self.refunds = refunds

    def named(self, name: str) -> Product | None:
        """Return the product with this name, active ones first; None if it does not exist."""
        wanted = name.strip().lower()
        found = [product for product in self.products.all() if product.name.lower() == wanted]
        return min(found, key=lambda product: not product.active, default=None)

    def product(self, named: str) -> Product:
        """Return the product with this id or name; raises `UnknownId`."""
        wanted = named.strip().lower()
        by_id = next((product for product in self.products.all() if product.id.lower() == wanted), None)
        found = by_id or self.named(named)
        if found is not None:
            return found
        known = [name for product in self.products.all() for name in (product.id, product.name)]
        raise unknown("product", named, known, argument="product")

    def offered(self, segment: str) -> Price | None:
        """Return the segment's current price for new customers: monthly, or yearly if there is no other."""
        known = self.prices.all()
        return select_price(known, segment) or select_price(known, segment, by_year=True)


def open_pricing(directory: Path, sync: Sync) -> Pricing:
    """Return the products and prices of the business in `directory`."""
    store = declaration(Product).open(directory, sync)
    return Pricing(View(store, Product), View(store, Price), View(store, AnsweredRequest), View(store, Refund))
