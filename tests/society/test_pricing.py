from pathlib import Path

import pytest

from mabos.configs.errors import UnknownId
from mabos.society.pricing import Price, Pricing, Product, open_pricing, select_price
from mabos.workspace.sync import Sync


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
    assert {name: getattr(select_price(prices, name), "id", None) for name in ("smb", "mid", "ent")} == {
        "smb": "small",
        "mid": "everybody",
        "ent": "later",
    }
    assert select_price([], "smb") is None


def test_a_product_is_found_by_id_or_name(tmp_path: Path) -> None:
    pricing = opened(tmp_path)
    pricing.products.save(Product("prod_1", "Subscription"))
    assert pricing.product("subscription") == pricing.product("prod_1")
    with pytest.raises(UnknownId, match="did you mean 'Subscription'"):
        pricing.product("Subscripton")


def test_products_and_prices_have_stripes_shape() -> None:
    shape = price("p", 2900, segment="smb").as_stripe()
    assert shape["object"] == "price"
    assert (shape["recurring"]["interval"], shape["type"]) == ("month", "recurring")
    assert (shape["unit_amount"], shape["currency"], shape["metadata"]) == (2900, "usd", {"segment": "smb"})
    product = Product("prod_1", "X", created_at="2026-01-05T00:00:00.000Z").as_stripe()
    assert (product["object"], product["created"], product["livemode"]) == ("product", 1767571200, False)


def test_what_is_paid_once_or_in_another_currency_is_offered_to_no_segment() -> None:
    once, euros = price("once", 9900, interval=""), price("euros", 2900, currency="eur")
    assert (once.monthly_usd, euros.monthly_usd, select_price([once, euros], "smb")) == (0, 0, None)
    assert once.as_stripe()["recurring"] is None
    assert price("quarterly", 9000, interval_count=3).monthly_usd == 30
    assert round(price("weekly", 1200, interval="week").monthly_usd, 2) == 52


def test_both_kinds_live_in_one_document(tmp_path: Path) -> None:
    pricing = opened(tmp_path)
    pricing.products.save(Product("prod_1", "Subscription"))
    pricing.prices.save(price("p", 2900))
    pricing.products.store.close()
    assert opened(tmp_path).prices.one("p").unit_amount == 2900
    assert (tmp_path / "pricing.json").exists()
