"""Stripe's own client works against the fake: made, found, changed, listed, retried, and refused as Stripe refuses."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import stripe

from mabos.society.pricing import Pricing, open_pricing
from mabos.society.stripe import FakeStripe, serve_locally
from mabos.workspace.clock import SteppedClock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)


@pytest.fixture
def clock() -> SteppedClock:
    return SteppedClock(NOON)


@pytest.fixture
def pricing(tmp_path: Path) -> Pricing:
    return open_pricing(tmp_path, Sync("off"))


@pytest.fixture
def address(pricing: Pricing, clock: SteppedClock) -> Iterator[str]:
    with serve_locally(FakeStripe(pricing, clock, Ids(clock, seed="test"))) as address:
        yield address


@pytest.fixture
def client(address: str) -> stripe.StripeClient:
    return stripe.StripeClient("sk_test_123", base_addresses={"api": address}, max_network_retries=0)


def headers(answered: stripe.StripeObject) -> Mapping[str, str]:
    """Return the headers of what was answered."""
    assert answered.last_response is not None
    found: Mapping[str, str] = answered.last_response.headers
    return found


def test_a_product_is_made_found_changed_and_deleted(client: stripe.StripeClient, pricing: Pricing) -> None:
    made = client.v1.products.create({"name": "Pro", "description": "Everything", "metadata": {"tier": "2"}})
    assert (made.object, made.name, made.active, made.livemode) == ("product", "Pro", True, False)
    assert made.created == int(NOON.timestamp())
    assert pricing.products.one(made.id).metadata == {"tier": "2"}
    changed = client.v1.products.update(made.id, {"description": "More", "metadata": {"tier": "", "seats": "5"}})
    assert (changed.description, changed.metadata.to_dict()) == ("More", {"seats": "5"})
    assert client.v1.products.retrieve(made.id).description == "More"
    assert client.v1.products.delete(made.id).deleted
    assert pricing.products.all() == ()


def test_a_price_is_of_a_product_and_is_what_the_segment_is_offered(
    client: stripe.StripeClient, pricing: Pricing
) -> None:
    product = client.v1.products.create({"name": "Pro"})
    price = client.v1.prices.create(
        {
            "product": product.id,
            "currency": "usd",
            "unit_amount": 99_900,
            "recurring": {"interval": "year"},
            "metadata": {"segment": "mid"},
            "nickname": "Yearly",
        }
    )
    assert (price.unit_amount, price.currency, price.type, price.nickname) == (99_900, "usd", "recurring", "Yearly")
    assert price.recurring is not None
    assert (price.recurring.interval, price.recurring.interval_count) == ("year", 1)
    offer = pricing.offered("mid")
    assert offer is not None
    assert (offer.id, offer.monthly_usd) == (price.id, 83.25)
    assert not client.v1.prices.update(price.id, {"active": False}).active
    assert pricing.offered("mid") is None


def test_a_price_may_bring_its_product_and_be_paid_once(client: stripe.StripeClient) -> None:
    price = client.v1.prices.create({"currency": "eur", "unit_amount": 500, "product_data": {"name": "Set-up"}})
    assert (price.type, price.recurring) == ("one_time", None)
    assert client.v1.products.retrieve(str(price.product)).name == "Set-up"


def test_a_list_has_pages_the_newest_first(client: stripe.StripeClient, clock: SteppedClock) -> None:
    for number in range(25):
        client.v1.products.create({"name": f"P{number:02}", "active": number % 5 != 0})
        clock.advance(timedelta(seconds=1))
    page = client.v1.products.list({"limit": 10})
    assert (len(page.data), page.has_more, page.url) == (10, True, "/v1/products")
    assert [one.name for one in page.data[:2]] == ["P24", "P23"]
    everything = [one.name for one in client.v1.products.list({"limit": 7}).auto_paging_iter()]
    assert everything == [f"P{number:02}" for number in reversed(range(25))]
    earlier = client.v1.products.list({"limit": 3, "ending_before": page.data[9].id})
    assert [one.name for one in earlier.data] == [one.name for one in page.data[6:9]]
    assert len(client.v1.products.list({"active": False, "limit": 100}).data) == 5


def test_the_same_key_again_has_one_effect_and_one_answer(client: stripe.StripeClient, pricing: Pricing) -> None:
    first = client.v1.products.create({"name": "Pro"}, {"idempotency_key": "k-1"})
    again = client.v1.products.create({"name": "Pro"}, {"idempotency_key": "k-1"})
    assert first.id == again.id
    assert headers(again)["Idempotent-Replayed"] == "true"
    assert len(pricing.products.all()) == 1
    with pytest.raises(stripe.IdempotencyError) as refused:
        client.v1.products.create({"name": "Other"}, {"idempotency_key": "k-1"})
    assert refused.value.http_status == 400
    assert client.v1.products.create({"name": "Pro"}, {"idempotency_key": "k-2"}).id != first.id


def test_a_key_is_forgotten_after_a_day(client: stripe.StripeClient, pricing: Pricing, clock: SteppedClock) -> None:
    first = client.v1.products.create({"name": "Pro"}, {"idempotency_key": "k-1"})
    clock.advance(timedelta(hours=25))
    assert client.v1.products.create({"name": "Pro"}, {"idempotency_key": "k-1"}).id != first.id
    assert [one.id for one in pricing.requests.all()] == ["k-1"]


def test_an_error_says_type_code_param_and_status(client: stripe.StripeClient) -> None:
    def refused(ask: object) -> tuple[str | None, str | None, int | None]:
        with pytest.raises(stripe.InvalidRequestError) as error:
            ask()  # type: ignore[operator]  # a lambda of each case
        return error.value.code, error.value.param, error.value.http_status

    products, prices = client.v1.products, client.v1.prices
    assert refused(lambda: products.retrieve("prod_x")) == ("resource_missing", "id", 404)
    assert refused(lambda: products.create({})) == ("parameter_missing", "name", 400)  # type: ignore[typeddict-item]  # what is refused
    assert refused(lambda: products.create({"name": ""})) == ("parameter_invalid_empty", "name", 400)
    assert refused(lambda: products.create({"name": "A", "colour": "red"})) == ("parameter_unknown", "colour", 400)  # type: ignore[typeddict-unknown-key]  # likewise
    made = products.create({"name": "A", "id": "prod_a"})
    assert refused(lambda: products.create({"name": "A", "id": "prod_a"})) == ("resource_already_exists", "id", 400)
    good = {"product": made.id, "currency": "usd", "unit_amount": 100}
    assert refused(lambda: prices.create({**good, "product": "prod_x"})) == ("resource_missing", "product", 400)  # type: ignore[typeddict-item]  # likewise
    assert refused(lambda: prices.create({**good, "unit_amount": -1}))[1] == "unit_amount"  # type: ignore[typeddict-item]  # likewise
    assert refused(lambda: prices.create({**good, "unit_amount": "a"}))[0] == "parameter_invalid_integer"  # type: ignore[typeddict-item]  # likewise
    assert refused(lambda: prices.create({**good, "currency": "xxx"}))[1] == "currency"  # type: ignore[typeddict-item]  # likewise
    assert refused(lambda: prices.create({**good, "recurring": {"interval": "hour"}}))[1] == "recurring[interval]"  # type: ignore[typeddict-item]  # likewise
    assert refused(lambda: prices.create({**good, "recurring": {"cat": "x"}}))[1] == "recurring[interval]"  # type: ignore[typeddict-item]  # likewise
    prices.create({**good})  # type: ignore[typeddict-item]  # likewise
    assert refused(lambda: products.delete(made.id))[2] == 400
    assert refused(lambda: products.list({"limit": 101}))[1] == "limit"
    assert refused(client.v1.customers.list)[2] == 404


def test_a_key_is_wanted_and_a_live_one_refused(address: str, pricing: Pricing) -> None:
    for key in ("sk_live_123", "nonsense"):
        client = stripe.StripeClient(key, base_addresses={"api": address}, max_network_retries=0)
        with pytest.raises(stripe.AuthenticationError):
            client.v1.products.create({"name": "Pro"})
    assert pricing.products.all() == ()


def test_a_version_is_answered_and_nonsense_refused(client: stripe.StripeClient) -> None:
    made = client.v1.products.create({"name": "Pro"}, {"stripe_version": "2024-06-20"})
    assert headers(made)["Stripe-Version"] == "2024-06-20"
    assert headers(made)["Request-Id"].startswith("req_")
    with pytest.raises(stripe.InvalidRequestError, match="Invalid Stripe API version"):
        client.v1.products.create({"name": "Pro"}, {"stripe_version": "yesterday"})


def test_what_an_official_client_made_is_there_when_the_files_are_opened_again(
    client: stripe.StripeClient, pricing: Pricing, tmp_path: Path
) -> None:
    made = client.v1.products.create({"name": "Größe ✓ & <more>", "description": "a=b&c[d]=e"})
    pricing.products.store.close()
    found = open_pricing(tmp_path, Sync("off")).products.one(made.id)
    assert (found.name, found.description) == ("Größe ✓ & <more>", "a=b&c[d]=e")
