from pathlib import Path
from typing import Any

from society.decisions import Answer
from society.pricing import Product
from tests.tools.offices import ask, done, office
from tools.services import Services


def shop(root: Path, style: str = "exception-based") -> Services:
    services = office(root, style=style)
    services.business("acme").pricing.products.save(Product("prod_1", "Subscription"))
    return services


def test_a_product_has_stripes_shape_and_is_made_once(tmp_path: Path) -> None:
    services = shop(tmp_path)
    made = done(services, "cto", "stripe_create_product", name="Enterprise", description="SSO")
    assert (made["object"], made["name"], made["active"]) == ("product", "Enterprise", True)
    assert made["id"].startswith("prod-")
    assert done(services, "cto", "stripe_create_product", name=" enterprise ")["product_id"] == made["product_id"]


def test_a_new_price_is_what_the_segment_is_offered(tmp_path: Path) -> None:
    services = shop(tmp_path)
    first = done(services, "strategy", "stripe_create_price", product="prod_1", amount_usd=29)
    made = done(
        services,
        "strategy",
        "stripe_create_price",
        product="Subscription",
        amount_usd=999,
        interval="year",
        segment="mid",
    )
    assert made["unit_amount"] == 99_900
    assert made["recurring"] == {"interval": "year"}
    assert made["monthly_usd"] == 83.25
    assert made["replaces"] == first["price_id"]
    pricing = services.business("acme").pricing
    offers = {name: offer.id for name in ("smb", "mid") if (offer := pricing.offered(name)) is not None}
    assert offers == {"smb": first["price_id"], "mid": made["price_id"]}


def test_a_price_is_strategic_and_waits_for_a_strategic_owner(tmp_path: Path) -> None:
    services = shop(tmp_path, style="strategic-only")
    price: dict[str, Any] = {"product": "prod_1", "amount_usd": 34.0, "segment": "smb"}
    assert ask(services, "strategy", "stripe_create_price", **price).awaiting
    (decision,) = services.decisions("acme").pending()
    assert services.business("acme").pricing.prices.all() == ()
    services.decisions("acme").resolve(decision.id, Answer("approve", "2026-01-06T09:00:00.000Z"))
    assert ask(services, "strategy", "stripe_create_price", **price).ok
    (made,) = services.business("acme").pricing.prices.all()
    assert made.monthly_usd == 34


def test_an_unknown_product_is_answered_with_the_nearest(tmp_path: Path) -> None:
    outcome = ask(shop(tmp_path), "strategy", "stripe_create_price", product="Subscripton", amount_usd=9)
    assert (outcome.code, outcome.argument) == ("unknown_id", "product")
    assert "Subscription" in outcome.message


def test_a_price_of_nothing_is_refused(tmp_path: Path) -> None:
    services = shop(tmp_path)
    outcome = ask(services, "strategy", "stripe_create_price", product="prod_1", amount_usd=0.001)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "amount_usd")
    assert services.business("acme").pricing.prices.all() == ()
