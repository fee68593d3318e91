"""The client of Stripe's API: what is sent, what errors mean, and that the key goes nowhere it should not."""

from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mabos.backends import one_address
from mabos.backends.stripe import VERSION, HttpStripe, StripeAnswer, encode_params, interpret_error
from mabos.configs.errors import InvalidArgument, MabosError, Refused, Unavailable, UnknownId
from mabos.society.pricing import Pricing, open_pricing
from mabos.society.stripe import ApiFault, ApiRequest, FakeStripe, serve_locally
from mabos.society.stripe.request import parse_form
from mabos.workspace.clock import frozen_clock
from mabos.workspace.ids import Ids
from mabos.workspace.sync import Sync
from tests.backends.test_openai_compatible import broken
from tests.contracts.web_receiver import receiver
from tests.tools.offices import NOW


def client(address: str, pauses: list[float] | None = None) -> HttpStripe:
    return HttpStripe(address, "sk_test_secret", timeout_s=5, pause=([] if pauses is None else pauses).append)


def fake(root: Path) -> tuple[FakeStripe, Pricing]:
    pricing = open_pricing(root, Sync("off"))
    return FakeStripe(pricing, frozen_clock(NOW), Ids(frozen_clock(NOW), seed="test")), pricing


def test_what_is_asked_twice_with_one_key_is_done_once(tmp_path: Path) -> None:
    answering, pricing = fake(tmp_path)
    with serve_locally(answering) as address:
        api = client(address)
        made = [api.ask("POST", "/v1/products", {"name": "Pro"}, key="k") for _ in range(2)]
        assert made[0] == made[1]
        assert api.ask("GET", f"/v1/products/{made[0]['id']}")["name"] == "Pro"
        assert api.ask("GET", "/v1/products", {"limit": 1})["has_more"] is False
    assert len(pricing.products.all()) == 1


def test_a_request_has_key_version_and_form() -> None:
    with receiver(answer=b'{"id": "price_1"}') as server:
        given = {"product": "prod_1", "recurring": {"interval": "month"}, "nickname": None}
        client(f"http://127.0.0.1:{server.port}").ask("POST", "/v1/prices", given, key="k-1")
    (request,) = server.requests
    told = {name.lower(): value for name, value in request.headers.items()}
    assert request.path == "/v1/prices"
    assert request.body == b"product=prod_1&recurring%5Binterval%5D=month"
    assert (told["authorization"], told["stripe-version"]) == ("Bearer sk_test_secret", VERSION)
    assert (told["idempotency-key"], told["content-type"]) == ("k-1", "application/x-www-form-urlencoded")


def test_a_busy_server_is_asked_three_times_with_the_same_key_and_only_with_one() -> None:
    with receiver(status=503, answer=b"busy") as server:
        pauses: list[float] = []
        api = client(f"http://127.0.0.1:{server.port}", pauses)
        with pytest.raises(Unavailable):
            api.ask("POST", "/v1/products", {"name": "Pro"}, key="k")
        assert [one.headers["Idempotency-Key"] for one in server.requests] == ["k"] * 3
        assert len(pauses) == 2
        with pytest.raises(Unavailable):
            api.ask("POST", "/v1/products", {"name": "Pro"})
        assert len(server.requests) == 4


def test_a_server_that_is_not_there_is_named_without_the_key() -> None:
    with pytest.raises(Unavailable, match=r"127\.0\.0\.1:1 did not answer POST /v1/products") as error:
        client("http://127.0.0.1:1").ask("POST", "/v1/products", {"name": "Pro"}, key="k")
    assert "sk_test_secret" not in error.value.message


def test_who_sends_on_to_another_address_gets_the_key_and_nobody_else() -> None:
    with (
        receiver(answer=b'{"id": "x"}') as other,
        receiver(status=302, headers={"Location": other.url("v1/products")}) as server,
    ):
        with pytest.raises(InvalidArgument, match="HTTP 302"):
            client(f"http://127.0.0.1:{server.port}").ask("POST", "/v1/products", {"name": "Pro"}, key="k")
        assert other.requests == []


@pytest.mark.parametrize(
    "address",
    ["http://api.stripe.com", "http://localhost.example.com", "ftp://x", "file:///etc/passwd", "", "http://[x"],
)
def test_an_address_that_would_show_the_key_is_refused(address: str) -> None:
    with pytest.raises(InvalidArgument) as error:
        client(address).ask("GET", "/v1/products")
    assert error.value.argument == "stripe.api_base"


@pytest.mark.parametrize("key", ["sk_test_secret\r", "sk_test_secret\n", "sk_test_sécret", "sk_test\x00"])
def test_a_key_that_no_header_can_carry_is_refused_and_quoted_nowhere(key: str) -> None:
    with receiver() as server, pytest.raises(Refused, match="STRIPE_API_KEY contains a line break") as error:
        HttpStripe(f"http://127.0.0.1:{server.port}", key, timeout_s=5).ask("POST", "/v1/products", key="k")
    assert key.strip() not in error.value.message
    assert server.requests == []


def test_a_server_that_repeats_the_key_is_quoted_without_it() -> None:
    said = b'{"error": {"type": "invalid_request_error", "message": "no such key: sk_test_secret"}}'
    with receiver(401, said) as server, pytest.raises(Refused, match=r"no such key: \*\*\*") as error:
        client(f"http://127.0.0.1:{server.port}").ask("POST", "/v1/products")
    assert "sk_test_secret" not in error.value.message


def test_an_address_with_a_password_is_told_without_it() -> None:
    assert client("https://owner:hunter2@prices.example").name == "https://prices.example"


BROKEN_OFF = b"Content-Length: 900\r\n\r\n{", b'"error": '


@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad Request", b"503 Busy"])
def test_an_answer_that_breaks_off_is_no_answer(status: bytes) -> None:
    said = r"did not answer POST /v1/products: its answer broke off"
    with broken(b"HTTP/1.1 " + status + b"\r\n", *BROKEN_OFF) as url, pytest.raises(Unavailable, match=said):
        client(url.removesuffix("/v1")).ask("POST", "/v1/products")


@pytest.mark.parametrize("status", [b"200 OK", b"400 Bad Request"])
def test_an_answer_that_trickles_is_given_up_when_its_time_is_over(status: bytes) -> None:
    parts = [b"HTTP/1.1 " + status + b"\r\nContent-Length: 900\r\n\r\n", *[b" "] * 400]
    with broken(*parts, pause_s=0.05) as url:
        api = HttpStripe(url.removesuffix("/v1"), "sk_test_secret", timeout_s=0.4)
        with pytest.raises(Unavailable, match=r"its answer took longer than 0\.4 s"):
            api.ask("POST", "/v1/products")


def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_address, "_LARGEST", 100)
    with receiver(answer=b" " * 200) as server, pytest.raises(Unavailable, match="larger than 100 bytes"):
        client(f"http://127.0.0.1:{server.port}").ask("POST", "/v1/products")


@pytest.mark.parametrize("content", [b"<html>", b"[]", b'"x"', b"{}"])
def test_an_answer_that_is_no_object_of_the_api_is_said(content: bytes) -> None:
    with receiver(answer=content) as server, pytest.raises(Unavailable, match="without a Stripe object"):
        client(f"http://127.0.0.1:{server.port}").ask("POST", "/v1/products")


@pytest.mark.parametrize(
    ("status", "error", "kind", "argument"),
    [
        (400, {"type": "invalid_request_error", "code": "parameter_missing", "param": "name"}, InvalidArgument, "name"),
        (404, {"type": "invalid_request_error", "code": "resource_missing", "param": "id"}, UnknownId, "id"),
        (401, {"type": "invalid_request_error", "message": "Invalid API Key"}, Refused, None),
        (402, {"type": "card_error", "code": "card_declined"}, InvalidArgument, None),
        (409, {"type": "idempotency_error"}, Unavailable, None),
        (429, {"type": "invalid_request_error", "code": "rate_limit"}, Unavailable, None),
        (500, {"type": "api_error"}, Unavailable, None),
        (400, "no object", InvalidArgument, None),
    ],
)
def test_an_error_means_who_must_act(status: int, error: object, kind: type[MabosError], argument: str | None) -> None:
    found = interpret_error(StripeAnswer(status, {"error": error}, {}))
    assert (type(found), found.argument) == (kind, argument)
    if isinstance(error, dict):
        assert all(value in found.message for value in error.values())


names = st.text("abcxyz_", min_size=1, max_size=5)
texts = st.text(max_size=8)
nested = st.recursive(
    texts,
    lambda inner: st.dictionaries(names, inner, min_size=1, max_size=3) | st.lists(inner, min_size=1, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(names, nested, max_size=4).filter(lambda one: depth(one) <= 5))
def test_what_is_encoded_is_what_is_decoded(params: dict[str, object]) -> None:
    assert parse_form(encode_params(params)) == params


def depth(value: object) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max(map(depth, inner), default=0) + bool(isinstance(value, dict | list))


@given(st.text(alphabet="ab[]=&0%\0", max_size=60))
def test_no_form_makes_the_fake_fail(tmp_path_factory: pytest.TempPathFactory, form: str) -> None:
    answering, _ = fake(tmp_path_factory.mktemp("fake"))
    try:
        answer = answering.answer(ApiRequest("POST", "/v1/products", parse_form(form)))
    except ApiFault as fault:
        answer = fault.answer
    assert answer.status in (200, 400)
    orjson.dumps(answer.body)
