"""Products and prices: made in the business's own files, or at a server that speaks Stripe's API."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mabos.configs.settings import environment, load_settings, without_servers
from mabos.society.decisions import DecisionAnswer
from mabos.society.pricing import Pricing, Product, open_pricing, select_price
from mabos.society.stripe import FakeStripe, serve_locally
from mabos.tools.runtime.effects import Effects
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync
from mabos.workspace.view import View
from tests.tools.offices import NOW, office
from tests.world import World


def shop(root: Path, style: str = "exception-based") -> World:
    world = office(root, style=style)
    world.services.business("acme").pricing.products.save(Product("prod_1", "Subscription"))
    return world


def test_a_product_has_stripes_shape_and_is_made_once(tmp_path: Path) -> None:
    world = shop(tmp_path)
    made = world.agent("cto").do("stripe_create_product", name="Enterprise", description="SSO")
    assert (made["object"], made["name"], made["active"]) == ("product", "Enterprise", True)
    assert made["id"].startswith("prod-")
    assert world.agent("cto").do("stripe_create_product", name=" enterprise ")["product_id"] == made["product_id"]


def test_a_new_price_is_what_the_segment_is_offered_and_one_by_the_year_stands_beside_it(tmp_path: Path) -> None:
    world = shop(tmp_path)
    first = world.agent("strategy").do("stripe_create_price", product="prod_1", amount_usd=29)
    made = world.agent("strategy").do(
        "stripe_create_price", product="Subscription", amount_usd=999, interval="year", segment="mid"
    )
    assert made["unit_amount"] == 99_900
    assert made["recurring"]["interval"] == "year"
    assert made["metadata"] == {"segment": "mid", "agent": "strategy"}
    assert made["monthly_usd"] == 83.25
    assert made["replaces"] == ""
    again = world.agent("strategy").do(
        "stripe_create_price", product="Subscription", amount_usd=899, interval="year", segment="mid"
    )
    assert again["replaces"] == made["price_id"]
    pricing = world.services.business("acme").pricing
    offers = {name: offer.id for name in ("smb", "mid") if (offer := pricing.offered(name)) is not None}
    assert offers == {"smb": first["price_id"], "mid": first["price_id"]}
    yearly = select_price(pricing.prices.all(), "mid", by_year=True)
    assert yearly is not None
    assert yearly.id == again["price_id"]


def test_a_price_is_strategic_and_waits_for_a_strategic_owner(tmp_path: Path) -> None:
    world = shop(tmp_path, style="strategic-only")
    price: dict[str, Any] = {"product": "prod_1", "amount_usd": 34.0, "segment": "smb"}
    assert world.agent("strategy").ask("stripe_create_price", **price).awaiting
    (decision,) = world.services.decisions("acme").pending()
    assert world.services.business("acme").pricing.prices.all() == ()
    world.services.decisions("acme").resolve(decision.id, DecisionAnswer("approve", "2026-01-06T09:00:00.000Z"))
    assert world.agent("strategy").ask("stripe_create_price", **price).ok
    (made,) = world.services.business("acme").pricing.prices.all()
    assert made.monthly_usd == 34


def test_an_unknown_product_is_answered_with_the_nearest(tmp_path: Path) -> None:
    outcome = shop(tmp_path).agent("strategy").ask("stripe_create_price", product="Subscripton", amount_usd=9)
    assert (outcome.code, outcome.argument) == ("unknown_id", "product")
    assert "Subscription" in outcome.message


def test_a_price_of_nothing_is_refused(tmp_path: Path) -> None:
    world = shop(tmp_path)
    outcome = world.agent("strategy").ask("stripe_create_price", product="prod_1", amount_usd=0.001)
    assert (outcome.code, outcome.argument) == ("invalid_argument", "amount_usd")
    assert world.services.business("acme").pricing.prices.all() == ()


def connected(world: World, address: str, key: str = "sk_test_1") -> World:
    """Return the world with prices made at an address, and the key in the environment."""
    stripe = world.services.settings.stripe.model_copy(update={"api_base": address})
    settings = world.services.settings.model_copy(update={"stripe": stripe})
    variables = {"STRIPE_API_KEY": key} if key else {}
    return world.variant(settings=settings, environment=environment(variables))


@pytest.fixture
def elsewhere(tmp_path: Path) -> Iterator[tuple[str, Pricing]]:
    """A server that speaks the API, and what lies behind it."""
    pricing = open_pricing(tmp_path / "elsewhere", Sync("off"))
    clock = frozen_clock(NOW)
    with serve_locally(FakeStripe(pricing, clock, Ids(clock, seed="elsewhere"))) as address:
        yield address, pricing


def test_with_an_address_products_and_prices_are_made_there_and_known_here(
    tmp_path: Path, elsewhere: tuple[str, Pricing]
) -> None:
    address, there = elsewhere
    world = connected(office(tmp_path, style="exception-based"), address)
    product = world.agent("cto").do("stripe_create_product", name="Enterprise", description="SSO")
    assert product["api"] == address
    assert there.products.one(product["product_id"]).description == "SSO"
    assert world.agent("cto").do("stripe_create_product", name="enterprise")["product_id"] == product["product_id"]
    price = world.agent("strategy").do("stripe_create_price", product="Enterprise", amount_usd=99.5, segment="ent")
    made = there.prices.one(price["price_id"])
    assert (made.unit_amount, made.segment, made.created_by) == (9950, "ent", "strategy")
    offer = world.services.business("acme").pricing.offered("ent")
    assert offer is not None
    assert (offer.id, offer.monthly_usd) == (price["price_id"], 99.5)


def test_a_product_that_is_gone_there_is_made_again(tmp_path: Path, elsewhere: tuple[str, Pricing]) -> None:
    address, there = elsewhere
    world = shop(tmp_path)
    made = connected(world, address).agent("cto").do("stripe_create_product", name="Subscription")
    assert made["product_id"] != "prod_1"
    assert [one.id for one in there.products.all()] == [made["product_id"]]
    assert world.services.business("acme").pricing.product("Subscription").id == made["product_id"]


@pytest.mark.parametrize(("tool", "agent_id"), [("stripe_create_product", "cto"), ("stripe_create_price", "strategy")])
def test_a_call_killed_between_its_effect_and_its_record_is_done_once(
    tmp_path: Path, elsewhere: tuple[str, Pricing], monkeypatch: pytest.MonkeyPatch, tool: str, agent_id: str
) -> None:
    address, there = elsewhere
    world = connected(office(tmp_path, style="exception-based"), address)
    sold = world.agent("cto").do("stripe_create_product", name="Pro")
    given = {"name": "Team"} if tool == "stripe_create_product" else {"product": sold["id"], "amount_usd": 29}
    with monkeypatch.context() as killed:
        killed.setattr(View, "save", lambda *_: (_ for _ in ()).throw(SystemExit("killed")))
        with pytest.raises(SystemExit):
            world.agent(agent_id).ask(tool, **given, effect="plan/1/step")
    records = (there.products if tool == "stripe_create_product" else there.prices).all()
    again = world.agent(agent_id).do(tool, **given, effect="plan/1/step")
    assert again["id"] == records[-1].id
    assert (there.products if tool == "stripe_create_product" else there.prices).all() == records


def test_a_call_killed_before_the_local_record_counts_is_done_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = shop(tmp_path)
    with monkeypatch.context() as killed:
        killed.setattr(Effects, "done", lambda *_: (_ for _ in ()).throw(SystemExit("killed")))
        with pytest.raises(SystemExit):
            world.agent("strategy").ask("stripe_create_price", product="prod_1", amount_usd=29, effect="plan/1/step")
    (made,) = world.services.business("acme").pricing.prices.all()
    again = world.agent("strategy").do("stripe_create_price", product="prod_1", amount_usd=29, effect="plan/1/step")
    assert again["price_id"] == made.id
    assert world.services.business("acme").pricing.prices.all() == (made,)


def test_without_a_key_nothing_is_sent_and_what_to_set_is_said(tmp_path: Path, elsewhere: tuple[str, Pricing]) -> None:
    address, there = elsewhere
    outcome = connected(office(tmp_path), address, key="").agent("cto").ask("stripe_create_product", name="Pro")
    assert outcome.code == "unavailable"
    assert "STRIPE_API_KEY" in outcome.message
    assert there.products.all() == ()


def test_a_refused_key_stands_in_no_error_and_no_record(tmp_path: Path, elsewhere: tuple[str, Pricing]) -> None:
    world = connected(office(tmp_path), elsewhere[0], key="sk_live_secret")
    outcome = world.agent("cto").ask("stripe_create_product", name="Pro")
    assert (outcome.code, "sk_live_secret" in outcome.message) == ("refused", False)
    world.close()
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert not [path for path in files if b"sk_live_secret" in path.read_bytes()]
    assert world.services.business("acme").pricing.products.all() == ()


def test_a_server_that_is_down_is_unavailable_and_nothing_is_kept(tmp_path: Path) -> None:
    world = connected(office(tmp_path), "http://127.0.0.1:1")
    assert world.agent("cto").ask("stripe_create_product", name="Pro").code == "unavailable"
    assert world.services.business("acme").pricing.products.all() == ()


def test_an_address_in_the_environment_is_used_and_a_simulation_forgets_it() -> None:
    variables = environment({"STRIPE_API_BASE": "https://api.stripe.com"})
    settings = load_settings(None, variables)
    assert settings.stripe.api_base == "https://api.stripe.com"
    assert without_servers(settings).stripe.api_base == ""
    assert load_settings(None, environment({})).stripe.api_base == ""


def test_a_product_is_told_before_it_is_put_on_sale(tmp_path: Path) -> None:
    world = shop(tmp_path, style="hands-on")
    assert world.agent("cto").ask("stripe_create_product", name="Enterprise").awaiting
    (decision,) = world.services.decisions("acme").pending()
    assert "Put the product 'Enterprise' of Acme on sale" in decision.subject + decision.description
