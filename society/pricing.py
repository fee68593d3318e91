"""Products and prices of a business, in the terms of Stripe's published API (`pricing.json`).

A product has any number of prices; a price is never changed, a new one is made. What customers of a segment are
offered is the newest active price that names the segment, or `all`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from configs.errors import unknown
from society.campaigns import ALL_SEGMENTS
from society.records import Records
from workspace.documents import json_document
from workspace.sync import Sync

Interval = Literal["month", "year"]


@dataclass(frozen=True, slots=True)
class Product:
    """Something that is sold."""

    id: str
    name: str
    description: str = ""
    active: bool = True
    created_at: str = ""

    def as_stripe(self) -> dict[str, Any]:
        """Return the product in the shape of Stripe's API."""
        return {
            "id": self.id,
            "object": "product",
            "name": self.name,
            "description": self.description,
            "active": self.active,
            "created": self.created_at,
        }


@dataclass(frozen=True, slots=True)
class Price:
    """What a product costs a segment for each interval; `unit_amount` is in cents, as Stripe counts."""

    id: str
    product: str
    unit_amount: int
    interval: Interval = "month"
    segment: str = ALL_SEGMENTS
    currency: str = "usd"
    active: bool = True
    created_at: str = ""
    created_by: str = ""

    @property
    def monthly_usd(self) -> float:
        """The price of one month in dollars."""
        return self.unit_amount / 100 / (12 if self.interval == "year" else 1)

    def as_stripe(self) -> dict[str, Any]:
        """Return the price in the shape of Stripe's API."""
        return {
            "id": self.id,
            "object": "price",
            "product": self.product,
            "unit_amount": self.unit_amount,
            "currency": self.currency,
            "recurring": {"interval": self.interval},
            "active": self.active,
            "metadata": {"segment": self.segment},
            "created": self.created_at,
        }


def offered(prices: Iterable[Price], segment: str) -> Price | None:
    """Return the price a new customer of the segment sees: the newest active one; `None` if nothing is offered."""
    open_prices = [price for price in prices if price.active and price.segment in {segment, ALL_SEGMENTS}]
    # Of two made at the same moment the one written later counts; `max` keeps the first it meets.
    return max(reversed(open_prices), key=lambda price: price.created_at, default=None)


class Pricing:
    """The products and prices of one business."""

    def __init__(self, products: Records[Product], prices: Records[Price]) -> None:
        self.products = products
        self.prices = prices

    def product(self, named: str) -> Product:
        """Return the product with this id or name; raises `UnknownId`."""
        wanted = named.strip().lower()
        for product in self.products.all():
            if wanted in {product.id.lower(), product.name.lower()}:
                return product
        known = [name for product in self.products.all() for name in (product.id, product.name)]
        raise unknown("product", named, known, argument="product")

    def offered(self, segment: str) -> Price | None:
        """Return the price a new customer of the segment sees now."""
        return offered(self.prices.all(), segment)


def open_pricing(directory: Path, sync: Sync) -> Pricing:
    """Return the products and prices of the business in `directory`."""
    store = json_document(directory / "pricing.json", ["products", "prices"], sync=sync)
    return Pricing(
        Records(store, "products", Product, noun="product", argument="product"),
        Records(store, "prices", Price, noun="price", argument="price_id"),
    )
