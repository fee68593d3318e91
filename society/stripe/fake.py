"""The routes of products and prices over a business's own `pricing.json`; a change and its answer are one write."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any, TypeVar

from mabos.backends.stripe import StripeAnswer, check_answer, encode_params
from mabos.society.campaigns import ALL_SEGMENTS
from mabos.society.pricing import PRICES, PRODUCTS, REQUESTS, AnsweredRequest, Interval, Price, Pricing, Product
from mabos.society.stripe.params import Params
from mabos.society.stripe.request import ApiFault, ApiRequest, checked_version, parse_form
from mabos.workspace.clock import Clock, iso, parse_time
from mabos.workspace.ids import Ids
from mabos.workspace.store import Collections, Drop, Op

KEYS_KEPT = timedelta(hours=24)
"""The time for which the answer to an idempotency key is stored."""

_LONGEST_KEY = 255
_INTERVALS = ("day", "week", "month", "year")
_DETAILS = ("url", "unit_label", "statement_descriptor")
R = TypeVar("R", Product, Price)


@dataclass(slots=True)
class StripeTransaction:
    """The view within a transaction, and its pending writes."""

    products: dict[str, Product]
    prices: dict[str, Price]
    saved: list[Product | Price] = field(default_factory=list)
    dropped: list[tuple[str, str]] = field(default_factory=list)


class FakeStripe:
    """An implementation of the API for one business, from its files."""

    def __init__(self, pricing: Pricing, clock: Clock, ids: Ids) -> None:
        self._pricing, self._clock, self._ids = pricing, clock, ids

    def answer(self, request: ApiRequest) -> StripeAnswer:
        """Return the answer to a request; a repeated idempotency key gets the same answer again."""
        try:
            checked_version(request.version)
            if request.method == "GET":
                return StripeAnswer(200, self._read(request), {})
            if len(request.key) > _LONGEST_KEY:
                raise ApiFault(f"Idempotency keys have at most {_LONGEST_KEY} characters.", kind="idempotency_error")
            return self._commit_request(request)
        except ApiFault as fault:
            return fault.answer

    def _read(self, request: ApiRequest) -> dict[str, Any]:
        kind, record_id = _route(request)
        pricing, params = self._pricing, Params(request.params)
        if kind == PRODUCTS:
            products = {one.id: one for one in pricing.products.all()}
            if record_id:
                params.done()
                return _one(products, record_id, "product", "id", status=404).as_stripe()
            return _page(products.values(), params, "/v1/products", _product_filter)
        prices = {one.id: one for one in pricing.prices.all()}
        if record_id:
            params.done()
            return _one(prices, record_id, "price", "price", status=404).as_stripe()
        return _page(prices.values(), params, "/v1/prices", _price_filter)

    def _commit_request(self, request: ApiRequest) -> StripeAnswer:
        answers: list[StripeAnswer] = []
        at = iso(self._clock())

        def decide(now: Collections) -> list[Op]:
            known = self._pricing.requests.parsed(now)
            if request.key and (seen := known.get(request.key)) is not None and not self._is_over(seen):
                answers[:] = [_again(seen, request)]
                return []
            draft = StripeTransaction(self._pricing.products.parsed(now), self._pricing.prices.parsed(now))
            body = self._change(request, draft, at)
            answers[:] = [StripeAnswer(200, body, {})]
            ops: list[Op] = [Drop(section, record_id) for section, record_id in draft.dropped]
            ops += [Drop(REQUESTS, one.id) for one in known.values() if self._is_over(one)]
            ops += self._pricing.products.puts(now, [one for one in draft.saved if isinstance(one, Product)])
            ops += self._pricing.prices.puts(now, [one for one in draft.saved if isinstance(one, Price)])
            if request.key:
                answered = AnsweredRequest(request.key, request.digest, at, 200, body)
                ops += self._pricing.requests.puts(now, [answered])
            return ops

        self._pricing.products.store.commit(decide)
        return answers[0]

    def _is_over(self, answered: AnsweredRequest) -> bool:
        return parse_time(answered.at) + KEYS_KEPT < self._clock()

    def _change(self, request: ApiRequest, draft: StripeTransaction, at: str) -> dict[str, Any]:
        kind, record_id = _route(request)
        params = Params(request.params)
        if request.method == "DELETE":
            return _delete_product(kind, record_id, draft)
        if kind == PRODUCTS:
            made: Product | Price = (
                _changed_product(_one(draft.products, record_id, "product", "id", status=404), params, at)
                if record_id
                else self._product(params, draft, at)
            )
        elif record_id:
            made = _changed_price(_one(draft.prices, record_id, "price", "price", status=404), params)
        else:
            made = self._price(params, draft, at)
        params.done()
        draft.saved.append(made)
        return made.as_stripe()

    def _product(self, params: Params, draft: StripeTransaction, at: str) -> Product:
        name = params.text("name", needed=True)
        wanted = params.text("id", most=255)
        if wanted in draft.products:
            raise ApiFault("Product already exists.", code="resource_already_exists", param="id")
        product = Product(wanted or self._ids.new("prod", draft.products), name.strip(), created_at=at)
        return replace(_changed_product(product, params, at), updated_at="")

    def _price(self, params: Params, draft: StripeTransaction, at: str) -> Price:
        currency = params.currency()
        product_id = self._resolve_product(params, draft, at)
        if not params.has("unit_amount"):
            raise ApiFault("Missing required param: unit_amount.", code="parameter_missing", param="unit_amount")
        recurring = params.within("recurring")
        interval, count = "", 1
        if recurring is not None:
            interval = recurring.choice("interval", _INTERVALS, needed=True)
            count = recurring.whole("interval_count", 1, least=1, most=1095)
            recurring.choice("usage_type", ("licensed",), "licensed")
            recurring.done()
        params.choice("billing_scheme", ("per_unit",), "per_unit")
        price = Price(
            id=self._ids.new("price", draft.prices), product=product_id, unit_amount=params.whole("unit_amount"),
            interval=_interval(interval), interval_count=count, currency=currency, created_at=at,
        )  # fmt: skip
        return _changed_price(price, params)

    def _resolve_product(self, params: Params, draft: StripeTransaction, at: str) -> str:
        """Return the product that a price is of: one that exists, or a new one."""
        told = params.within("product_data")
        if told is not None:
            product = self._product(told, draft, at)
            told.done()
            draft.saved.append(product)
            return product.id
        return _one(draft.products, params.text("product", needed=True), "product", "product", status=400).id


class LocalStripe:
    """A business's own files instead of a server, used if no address is configured."""

    name = "local"

    def __init__(self, fake: FakeStripe) -> None:
        self._fake = fake

    def ask(self, method: str, path: str, params: Mapping[str, Any] | None = None, *, key: str = "") -> dict[str, Any]:
        """Return the body of the answer; raises the errors of a server."""
        return check_answer(self._fake.answer(ApiRequest(method, path, parse_form(encode_params(params or {})), key)))


def _route(request: ApiRequest) -> tuple[str, str]:
    """Return the kind of record and the id that a path names; raises `ApiFault` for one that leads nowhere."""
    version, *parts = request.path.strip("/").split("/")
    is_known = version == "v1" and parts and parts[0] in (PRODUCTS, PRICES) and len(parts) <= 2
    needs_id = request.method == "DELETE"
    if not is_known or (needs_id and (len(parts) != 2 or parts[0] == PRICES)):
        message = f"Unrecognized request URL ({request.method}: {request.path[:120]}). Here are products and prices."
        raise ApiFault(message, status=404)
    return parts[0], parts[1] if len(parts) == 2 else ""


def _one(records: Mapping[str, R], record_id: str, noun: str, param: str, *, status: int) -> R:
    found = records.get(record_id)
    if found is None:
        raise ApiFault(f"No such {noun}: '{record_id[:80]}'", code="resource_missing", param=param, status=status)
    return found


def _again(seen: AnsweredRequest, request: ApiRequest) -> StripeAnswer:
    if seen.digest != request.digest:
        message = (
            "Keys for idempotent requests can only be used with the same parameters they were first used with. Try "
            f"using a key other than '{request.key}' if you meant to execute a different request."
        )
        raise ApiFault(message, kind="idempotency_error")
    return StripeAnswer(seen.status, seen.body, {"Idempotent-Replayed": "true"})


def _changed_product(product: Product, params: Params, at: str) -> Product:
    details = {name: params.text(name) or None for name in _DETAILS if params.has(name)}
    return replace(
        product,
        name=params.text("name", product.name).strip() or product.name,
        description=params.text("description", product.description),
        active=params.yes("active", otherwise=product.active),
        metadata=params.metadata(product.metadata),
        details={**product.details, **details},
        updated_at=at,
    )


def _changed_price(price: Price, params: Params) -> Price:
    """Return a price after a change: its amount stays, so only its description may change."""
    metadata = params.metadata({**price.metadata, "segment": price.segment, "agent": price.created_by})
    details = {name: params.text(name) or None for name in ("nickname", "lookup_key") if params.has(name)}
    return replace(
        price,
        segment=metadata.pop("segment", ALL_SEGMENTS).strip().lower() or ALL_SEGMENTS,
        created_by=metadata.pop("agent", ""),
        metadata=metadata,
        active=params.yes("active", otherwise=price.active),
        details={**price.details, **details},
    )


def _delete_product(kind: str, record_id: str, draft: StripeTransaction) -> dict[str, Any]:
    product = _one(draft.products, record_id, "product", "id", status=404)
    if any(price.product == product.id for price in draft.prices.values()):
        raise ApiFault("This product cannot be deleted because it has one or more user-created prices.")
    draft.dropped.append((kind, product.id))
    return {"id": product.id, "object": "product", "deleted": True}


def _interval(name: str) -> Interval:
    known: dict[str, Interval] = {"day": "day", "week": "week", "month": "month", "year": "year"}
    return known.get(name, "")


def _product_filter(params: Params) -> Callable[[Any], bool]:
    active = params.yes("active") if params.has("active") else None
    return lambda one: active is None or one.active is active


def _price_filter(params: Params) -> Callable[[Any], bool]:
    active = params.yes("active") if params.has("active") else None
    product, currency, kind = params.text("product"), params.text("currency"), params.text("type")
    return lambda one: (
        (active is None or one.active is active)
        and product in ("", one.product)
        and currency in ("", one.currency)
        and kind in ("", "recurring" if one.interval else "one_time")
    )


def _page(
    records: Iterable[R], params: Params, url: str, filtered: Callable[[Params], Callable[[Any], bool]]
) -> dict[str, Any]:
    """Return one page of a list, the newest first, as the API pages: by the id that the page follows or precedes."""
    limit = params.whole("limit", 10, least=1, most=100)
    after, before = params.text("starting_after"), params.text("ending_before")
    wanted = filtered(params)
    params.done()
    if after and before:
        raise ApiFault("You can not pass both starting_after and ending_before.", param="ending_before")
    found = sorted(enumerate(records), key=lambda one: (one[1].created_at, one[0]), reverse=True)
    kept = [one for _, one in found if wanted(one)]
    if before:
        at = _at(kept, before, "ending_before")
        page, more = kept[max(0, at - limit) : at], at > limit
    else:
        start = _at(kept, after, "starting_after") + 1 if after else 0
        page, more = kept[start : start + limit], len(kept) > start + limit
    return {"object": "list", "url": url, "has_more": more, "data": [one.as_stripe() for one in page]}


def _at(records: Sequence[R], record_id: str, param: str) -> int:
    for number, one in enumerate(records):
        if one.id == record_id:
            return number
    raise ApiFault(f"No such object: '{record_id[:80]}'", code="resource_missing", param=param)
