from pathlib import Path

import pytest

from configs.errors import UnknownId
from society.pricing import Price, Pricing, Product, offered, open_pricing
from workspace.sync import Sync


def price(price_id: str, cents: int, *, segment: str = "all", at: str = "2026-01-05", **changed: object) -> Price:
    return Price(price_id, "prod_1", cents, segment=segment, created_at=at, **changed)  # type: ignore[arg-type]  # shorthand


def opened(directory: Path) -> Pricing:
    return open_pricing(directory, Sync("off"))


def test_a_yearly_price_counts_with_a_twelfth() -> None:
    assert price("p", 99_900, interval="year").monthly_usd == 83.25
    assert price("p", 2900).monthly_usd == 29


def test_the_newest_active_price_for_the_segment_or_all_is_offered() -> None:
    prices = [
        price("everybody", 3000),
        price("small", 2500, segment="smb", at="2026-01-06"),
        price("later", 9000, segment="ent", at="2026-01-07"),
        price("withdrawn", 100, segment="smb", at="2026-01-08", active=False),
    ]
    assert {name: getattr(offered(prices, name), "id", None) for name in ("smb", "mid", "ent")} == {
        "smb": "small",
        "mid": "everybody",
        "ent": "later",
    }
    assert offered([], "smb") is None


def test_a_product_is_found_by_id_or_name(tmp_path: Path) -> None:
    pricing = opened(tmp_path)
    pricing.products.save(Product("prod_1", "Subscription"))
    assert pricing.product("subscription") == pricing.product("prod_1")
    with pytest.raises(UnknownId, match="did you mean 'Subscription'"):
        pricing.product("Subscripton")


def test_products_and_prices_have_stripes_shape() -> None:
    shape = price("p", 2900, segment="smb").as_stripe()
    assert shape["object"] == "price"
    assert shape["recurring"] == {"interval": "month"}
    assert (shape["unit_amount"], shape["currency"], shape["metadata"]) == (2900, "usd", {"segment": "smb"})
    assert Product("prod_1", "X").as_stripe()["object"] == "product"


def test_both_kinds_live_in_one_document(tmp_path: Path) -> None:
    pricing = opened(tmp_path)
    pricing.products.save(Product("prod_1", "Subscription"))
    pricing.prices.save(price("p", 2900))
    pricing.products.store.close()
    assert opened(tmp_path).prices.one("p").unit_amount == 2900
    assert (tmp_path / "pricing.json").exists()
