"""What must not be stored is found, what only looks like it is not, and no text takes long."""

import random
import string
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from time import process_time
from timeit import timeit

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.sensitive import Kind, redact_all, redact_text, scan, screen_text

HEX = "3f786850e387550fdab836ed7e6dc881de23001b"
RANDOM = "q7Zt3Kx9LmW2vR8sYb4NcPd6"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----"


def made(*parts: str) -> str:
    """Return a key in one piece, which no scanner of this repository should take for a real one."""
    return "".join(parts)


JWT = made("ey", "JhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc-_1")
HOOK = made("T0", "1234567/B0", "1234567/", RANDOM)
KEYS = [
    made("AK", "IAIOSFODNN7EXAMPLE"),
    made("gh", "p_", "a1B2" * 9),
    made("xo", "xb-", "123456789012-abcdefABCDEF"),
    made("sk", "_live_", "4eC39HqLyjWDarjtT1zdp7dc"),
    made("sk", "-proj-", RANDOM, RANDOM),
    made("AI", "za", "SyA1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q"),
    made("wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYzR8x3Qk9Zt2v"),
]
SECRETS: list[tuple[Kind, str, str]] = [
    ("email", "write to kim.lee+x@mail.acme-corp.co.uk today", "kim.lee+x@mail.acme-corp.co.uk"),
    ("email", "<a@b.io>", "a@b.io"),
    ("phone", "call +49 (0)30 1234567 now", "+49 (0)30 1234567"),
    ("phone", "call +14155550132.", "+14155550132"),
    ("phone", "(212) 765-1737 or later", "(212) 765-1737"),
    ("phone", "fax 212-765-1737", "212-765-1737"),
    ("phone", "Tel: 0171 1234567", "0171 1234567"),
    ("iban", "to DE89 3704 0044 0532 0130 00 PLEASE", "DE89 3704 0044 0532 0130 00"),
    ("iban", "GB82WEST12345698765432", "GB82WEST12345698765432"),
    ("iban", "AB12 CDEF FR14 2004 1010 0505 0001 3M02 606", "FR14 2004 1010 0505 0001 3M02 606"),
    ("card", "card 4111 1111 1111 1111, thanks", "4111 1111 1111 1111"),
    ("card", "5555-5555-5555-4444", "5555-5555-5555-4444"),
    ("card", "amex 3782 822463 10005", "3782 822463 10005"),
    ("card", "378282246310005", "378282246310005"),
    ("ssn", "ssn 536-22-8726", "536-22-8726"),
    ("ip", "Server IP: 2001:db8::5054:1.", "2001:db8::5054:1"),
    *[("api_key", f"use {key} here.", key) for key in KEYS],
    ("api_key", f"hooks.slack.com/services/{HOOK}", HOOK),
    ("api_key", f"api_key: '{HEX}'", HEX),
    ("api_key", "client_secret=abc123def456", "abc123def456"),
    ("password", "DB_PASSWORD=hunter2!", "hunter2!"),
    ("password", 'password = "correct horse battery"', "correct horse battery"),
    ("password", "the password is s3cr3t99.", "s3cr3t99"),
    ("password", '{"password": "forgotten"}', "forgotten"),
    ("password", "postgres://admin:pa55word@db/prod", "pa55word"),
    ("password", "log in with the password CorrectHorse77.", "CorrectHorse77"),
    ("api_key", f"the token {HEX} expires", HEX),
    ("api_key", made("key: ", "a7k2m9q4w8e3r6t1", "y5u0p2z7x4c9v6b3"), made("a7k2m9q4w8e3r6t1", "y5u0p2z7x4c9v6b3")),
    ("api_key", made("use gl", "dt-", "a1B2c3D4e5F6g7H8i9J0"), made("gl", "dt-", "a1B2c3D4e5F6g7H8i9J0")),
    ("email", "jörg@müller.de wrote", "jörg@müller.de"),
    ("email", "to kim＠acme.io", "kim＠acme.io"),
    ("email", "bob (at) example (dot) com", "bob (at) example (dot) com"),
    ("email", "at info@пример.xn--p1ai", "info@пример.xn--p1ai"),
    ("phone", "reach me: 0170 1234567", "0170 1234567"),
    ("phone", "My Israeli number is 09-7625400", "09-7625400"),
    ("phone", "phone 090-1234-5678", "090-1234-5678"),
    ("iban", "DE89-3704-0044-0532-0130-00", "DE89-3704-0044-0532-0130-00"),
    ("card", "maestro 6759649826438453", "6759649826438453"),
    ("ssn", "536.22.8726 or later", "536.22.8726"),
    ("passport", "passport number: C01X00T47", "C01X00T47"),
    ("birth_date", "she was born on 12.03.1985", "12.03.1985"),
    ("birth_date", "DOB: March 12, 1985", "March 12, 1985"),
    ("address", "he lives at 12 Abbey Road", "12 Abbey Road"),
    ("address", "wohnt in der Lange Straße 12", "Lange Straße 12"),
    ("ip", "from her home IP 84.12.33.7", "84.12.33.7"),
    ("phone", "reach Kim: 0049 170 1234567", "0049 170 1234567"),
    ("birth_date", "Kim Lee, geb. 04.05.1987", "04.05.1987"),
    ("password", "pass: hunter2!", "hunter2!"),
    ("ssn", "SSN: 078051120", "078051120"),
    ("password", "Passwort: Geheim123!", "Geheim123!"),
    ("password", "Kim: the shared password is correct horse battery staple. Keep it.", "correct horse battery staple"),
    ("password", "changed the wifi password to blue kettle, tell Omar", "blue kettle"),
    ("password", "Das Kennwort für das Lager lautet gelbe Ente 7", "gelbe Ente 7"),
    ("password", "staging login: user admin, password hunter2", "hunter2"),
    ("password", "the code for the door is 4711", "4711"),
    ("password", "The wifi key is blue kettle.", "blue kettle"),
    ("password", "user kim, pass dragon", "dragon"),
    ("password", "login kim/blue42kettle", "blue42kettle"),
    ("private_key", f"x {PEM} y", PEM),
    ("private_key", "-----BEGIN PRIVATE KEY-----\nMIIE cut", "-----BEGIN PRIVATE KEY-----\nMIIE cut"),
    ("jwt", f"Bearer {JWT}", JWT),
]

HARMLESS = Path(__file__).with_name("harmless.txt").read_text("utf-8").splitlines()
ATTACKS: list[Callable[[int], str]] = [
    lambda n: "a" * n,
    lambda n: "1" * n,
    lambda n: "1 " * (n // 2),
    lambda n: "1-" * (n // 2),
    lambda n: "a@" * (n // 2),
    lambda n: "x@" + "a." * (n // 2),
    lambda n: "a.a-a_" * (n // 6),
    lambda n: "+1(" * (n // 3),
    lambda n: "+1" + "(2)" * (n // 3),
    lambda n: "AA00 " * (n // 5),
    lambda n: "eyJ" * (n // 3),
    lambda n: "eyJaaaaaaaaa.eyJ" * (n // 16),
    lambda n: "-----BEGIN PRIVATE KEY-----" * (n // 27),
    lambda n: "-----BEGIN A " * (n // 13),
    lambda n: "password=" * (n // 9),
    lambda n: "password" + " " * n,
    lambda n: "password='" * (n // 10),
    lambda n: "://a:" * (n // 5),
    lambda n: "aB3" * (n // 3),
    lambda n: "a b" * (n // 3) + "\n" * 100,
    lambda n: "kim@acme.io " * (n // 12),
]


@pytest.mark.parametrize(
    ("kind", "text", "secret"), SECRETS, ids=[f"{kind}-{n}" for n, (kind, _, _) in enumerate(SECRETS)]
)
def test_a_secret_is_found_whole_and_alone(kind: Kind, text: str, secret: str) -> None:
    assert [(one.kind, text[one.start : one.end]) for one in scan(text)] == [(kind, secret)]


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_is_left_alone(text: str) -> None:
    assert [(one.kind, text[one.start : one.end]) for one in scan(text)] == []


def test_many_random_keys_are_found_and_many_hashes_are_not() -> None:
    chance = random.Random(4)
    letters = string.ascii_letters + string.digits
    keys = ["".join(chance.choices(letters, k=40)) for _ in range(500)]
    hashes = ["".join(chance.choices("0123456789abcdef", k=40)) for _ in range(500)]
    assert sum(bool(scan(f"use {key} here")) for key in keys) >= 490
    assert not any(scan(f"commit {one} here") for one in hashes)


def test_a_text_is_redacted_around_what_it_says() -> None:
    text = "kim@acme.io paid with 4111 1111 1111 1111 from DE89370400440532013000"
    assert redact_text(text) == "[email] paid with [card] from [iban]"


def test_the_name_of_a_field_says_what_its_value_is() -> None:
    told = {"passwords": ["letmein"], "passport_number": "Z12803456", "phone": "0170 1234567"}
    triple = {"predicate": "root_password", "object": "CorrectHorse77, then Enter"}
    for fields in (told, triple, {"name": "API key", "value": HEX}, {"birth_date": "1990-01-02"}):
        found = redact_all(fields)
        assert all(one not in str(found) for one in ("letmein", "Z128", "0170", "Correct", HEX, "1990"))
        assert redact_all(found) == found
    kept = {"password": "required", "secret": "the plan", "token": f"T-1768208400003-3c91/{HEX}", "value": "hunter2"}
    assert redact_all(kept) == kept


def test_each_policy_does_what_it_is_called() -> None:
    text = "ask kim@acme.io"
    assert screen_text(text, "flag").found == screen_text(text, "redact").found == scan(text)
    assert [screen_text(text, how).text for how in ("flag", "redact")] == [text, "ask [email]"]
    assert screen_text("nothing", "refuse").text == "nothing"
    with pytest.raises(InvalidArgument, match="email at 4") as refused:
        screen_text(text, "refuse")
    assert "kim" not in str(refused.value)


@example(["key: a7k2m9q4w8e3r6t1y5u0p2z7x4c9v6b3", HEX])
@given(st.lists(st.sampled_from([text for _, text, _ in SECRETS] + HARMLESS + ["\n", "é", "x"]), max_size=8))
def test_finds_are_in_order_do_not_overlap_and_are_gone_after_redaction(parts: list[str]) -> None:
    text = "\n".join(parts)
    found = scan(text)
    assert all(0 <= one.start < one.end <= len(text) for one in found)
    assert all(one.end <= later.start for one, later in pairwise(found))
    assert scan(redact_text(text)) == ()


@given(st.text(max_size=300))
def test_any_text_can_be_scanned_and_redacting_twice_changes_nothing(text: str) -> None:
    assert redact_text(redact_text(text)) == redact_text(text)


@pytest.mark.parametrize("attack", ATTACKS, ids=[attack(30)[:30].strip() for attack in ATTACKS])
def test_eight_times_the_text_takes_no_more_than_its_share_of_the_time(attack: Callable[[int], str]) -> None:
    def spent(size: int) -> float:
        return timeit(lambda: scan(attack(size)), number=1, timer=process_time)

    assert spent(120_000) < 40 * max(min(spent(15_000) for _ in range(3)), 0.002)  # quadratic time would be 64 times


def test_identifiers_of_modellers_and_of_our_own_are_no_keys() -> None:
    told = "sid-46891B57-A9D3-4A8B-AEBF-D4BA5F3961AD IntermediateThrowEvent_04exs19_di B-MSG-1775466000010-ad9a2a18 "
    told += "Bpmn_ResourceRole_m_HMwJ1_EeS1-pEyeWEPig P-C-1771923600000-0e18-r2/1/S1/0/f5f3a27f6224042d"
    assert not [one for one in told.split() if scan(f'<node id="{one}" name="Pay"/>')]
