"""Personal data and secrets in a text, found before anything is stored (S2, "PII Detection").

S2 prints two patterns; `[A-Za-z0-9]{32,}` for keys would flag every hash and id. Here an account or card number must
pass its check digits, a key must have a known beginning or look random, and a password must be assigned. Each pattern
begins only where a word does and is bounded, so that time grows with the text alone, whatever it is.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

from mabos.configs.errors import InvalidArgument
from mabos.knowledge.entities.checksums import iban, is_card, looks_random

Kind = Literal["email", "phone", "iban", "card", "ssn", "api_key", "password", "private_key", "jwt"]
Policy = Literal["flag", "redact", "refuse"]


@dataclass(frozen=True, slots=True)
class Found:
    """Something that should not be stored, and where it stands."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Screened:
    """A text as it may be stored, and what was found in it before."""

    text: str
    found: tuple[Found, ...]


_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{1,60}-----")
_KNOWN = re.compile(
    r"(?<![\w-])(?:"
    r"(?:AKIA|ASIA)[A-Z0-9]{16}|gh[opsru]_[A-Za-z0-9]{36,255}|github_pat_\w{22,255}|glpat-[\w-]{20,64}"
    r"|xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-[A-Za-z0-9-]{20,255}|[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"
    r"|sk-ant-[\w-]{20,255}|AIza[\w-]{35}|GOCSPX-[\w-]{20,64}|SG\.[\w-]{16,64}\.[\w-]{16,64}|npm_[A-Za-z0-9]{36}"
    r"|pypi-AgE[\w-]{50,512}|hf_[A-Za-z0-9]{30,64}|do[opr]_v1_[0-9a-f]{64}|shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"
    r"|dapi[0-9a-f]{32}|hvs\.[\w-]{24,255}|lin_api_[A-Za-z0-9]{32,64}|PMAK-[0-9a-f-]{32,80}|key-[0-9a-f]{32}"
    r"|SK[0-9a-f]{32}|sq0(?:atp|csp)-[\w-]{22,64}|[0-9]{8,10}:AA[\w-]{33}|AGE-SECRET-KEY-1[A-Z0-9]{58}"
    r")(?![\w-])"
    r"|(?<=hooks\.slack\.com/services/)T\w{6,16}/B\w{6,16}/\w{16,64}"
)
_JWT = re.compile(r"(?<![\w.-])eyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]*")
_RANDOM = re.compile(r"(?<![\w+/=.-])(?P<prefix>sk-|pk-)?[\w+/-]{20,200}={0,2}(?![\w+/=-])")
_ASSIGNED = re.compile(
    r"(?P<name>pass(?:word|wd|phrase)|pwd|secret|token|(?:api|access|auth|account|private)[_ -]?key)[\"']?"
    r"(?P<sign>[ \t]{0,4}(?::=|=>|=|:)[ \t]{0,4}|[ ](?:is|was)[ ])"
    r"(?:(?P<quote>[\"'`])(?P<quoted>[^\"'`\n]{6,200})(?P=quote)|(?P<value>[^\s\"'`,;<>(){}]{6,200})(?P<behind>[(\[]?))",
    re.IGNORECASE,
)
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/:@]{1,64}:(?P<value>[^\s/@]{1,128})@")
_EMAIL = re.compile(
    r"(?<![\w.+%-])[\w%+-][\w.%+-]{0,63}@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![\w-])"
)
_CARD = re.compile(
    r"(?<![\w.-])(?:[0-9]{13,19}|[0-9]{4}(?P<gap>[ -])[0-9]{4}(?P=gap)[0-9]{4}(?P=gap)[0-9]{4}(?:(?P=gap)[0-9]{3})?"
    r"|3[0-9]{3}(?P<gap2>[ -])[0-9]{6}(?P=gap2)[0-9]{4,5})(?![\w-]|\.[0-9])"
)
_IBAN = re.compile(r"(?<!\w)(?=([A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]){11,31}))")
_PHONE = re.compile(
    r"(?<![\w.+-])\+[1-9](?:[ ./-]?\(?[0-9]\)?){8,14}(?![\w%]|[.,][0-9]|[ ]?[€$£])"
    r"|(?<![\w.(+/-])(?:\(0?[2-9][0-9]{1,4}\)[ ]?|[2-9][0-9]{2}[-.])[2-9][0-9]{2}[-.][0-9]{4}(?![\w-]|\.[0-9])"
)
_CALLED = re.compile(
    r"\b(?:tel|phone|telephone|telefon|mobile|mobil|handy|cell|fax|call|ring)[.:]{0,2}[ ]{0,3}"
    r"(?P<number>0[1-9][0-9]{1,4}[ /-]?[0-9]{3,4}[ -]?[0-9]{2,5})(?![\w-]|[.,][0-9])",
    re.IGNORECASE,
)
_SSN = re.compile(r"(?<![\w.-])(?!000|666|9)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}(?![\w-])")
_PLACEHOLDER = re.compile(
    r"[*x.•_-]+|(?:your|my|the|some|an?|new|old|test|example|changeme|placeholder|redacted|hidden|dummy)(?:[_-].*)?"
    r"|(?:none|null|true|false|nil|undefined|required|optional|missing|invalid|expired|string|password|secret|token)\W*"
    r"|\$\{?\w+\}?|%\w+%|\[.*|[a-z_]\w*(?:\.\w+)+|https?:.*|(?:~|\.{0,2})/.*",
    re.IGNORECASE,
)


def scan(text: str) -> tuple[Found, ...]:
    """Return what should not be stored, in order and without overlaps; of two at one place the surer kind counts."""
    taken: list[Found] = []
    for finder in (_private_keys, _tokens, _passwords, _accounts, _contacts, _random):
        kept = sorted(taken, key=lambda one: one.start)
        starts = [one.start for one in kept]
        taken += [one for one in finder(text) if not _overlaps(one, kept, starts)]
    return tuple(sorted(taken, key=lambda one: one.start))


def redacted(text: str) -> str:
    """Return `text` with each find replaced by its kind.

    >>> redacted("write to kim@acme.io")
    'write to [email]'
    """
    parts, at = [], 0
    for one in scan(text):
        parts += [text[at : one.start], f"[{one.kind}]"]
        at = one.end
    return "".join((*parts, text[at:]))


def screened(text: str, policy: Policy) -> Screened:
    """Return `text` as it may be stored: as it is when flagging, redacted, or not at all.

    Raises `InvalidArgument` under `refuse`, with the kinds and places, never with what was found.
    """
    found = scan(text)
    if found and policy == "refuse":
        told = ", ".join(f"{one.kind} at {one.start}" for one in found[:5])
        message = f"the text holds what must not be stored ({told}); leave it out, or set the policy to redact"
        raise InvalidArgument(message, argument="text")
    return Screened(redacted(text) if found and policy == "redact" else text, found)


def _private_keys(text: str) -> Iterator[Found]:
    at = 0
    while (begin := _PRIVATE_KEY.search(text, at)) is not None:
        end = _KEY_END.search(text, begin.end())
        at = len(text) if end is None else end.end()
        yield Found("private_key", begin.start(), at)


def _tokens(text: str) -> Iterator[Found]:
    yield from _all("jwt", _JWT, text)
    yield from _all("api_key", _KNOWN, text)


def _random(text: str) -> Iterator[Found]:
    for one in _RANDOM.finditer(text):
        if looks_random(one[0].removeprefix(one["prefix"] or ""), least=20 if one["prefix"] else 28):
            yield Found("api_key", *one.span())


def _passwords(text: str) -> Iterator[Found]:
    for one in _URL_PASSWORD.finditer(text):
        if _PLACEHOLDER.fullmatch(one["value"]) is None:
            yield Found("password", *one.span("value"))
    for one in _ASSIGNED.finditer(text):
        part, name = "quoted" if one["quoted"] else "value", one["name"].casefold()
        value = one[part] if one["quoted"] else one[part].rstrip(".!?" if one["sign"].strip().isalpha() else ".")
        if not one["behind"] and _is_secret(name, one["sign"].strip(), bool(one["quoted"]), value):
            start = one.start(part)
            yield Found("password" if name.startswith("p") else "api_key", start, start + len(value))


def _is_secret(name: str, sign: str, is_quoted: bool, value: str) -> bool:
    """Return whether a value stands there as a secret, and not as a word of prose, a variable or a placeholder."""
    if len(value) < 6 or _PLACEHOLDER.fullmatch(value):
        return False
    mixed = any(not char.isalpha() for char in value) and any(char.isalpha() for char in value)
    if name.startswith(("pass", "pwd")):
        # "password: forgotten" is prose, "password=forgotten" is not.
        return mixed or (value.isdecimal() and len(value) < 13) or is_quoted or sign in ("=", ":=", "=>")
    return mixed and len(value) >= 12 and any(char.isdecimal() for char in value)


def _accounts(text: str) -> Iterator[Found]:
    for one in _IBAN.finditer(text):
        if account := iban(one[1]):
            yield Found("iban", one.start(), one.start() + len(account))
    yield from _all("card", _CARD, text, is_card)
    yield from _all("ssn", _SSN, text)


def _contacts(text: str) -> Iterator[Found]:
    yield from _all("email", _EMAIL, text, lambda address: not address.startswith("git@"))
    yield from _all("phone", _PHONE, text)
    for one in _CALLED.finditer(text):
        yield Found("phone", *one.span("number"))


def _all(
    kind: Kind, pattern: re.Pattern[str], text: str, is_real: Callable[[str], bool] | None = None
) -> Iterator[Found]:
    for one in pattern.finditer(text):
        if is_real is None or is_real(one[0]):
            yield Found(kind, *one.span())


def _overlaps(one: Found, kept: list[Found], starts: list[int]) -> bool:
    """Return whether a find touches one of those kept before, which do not touch each other."""
    behind = bisect_right(starts, one.start)
    return (behind > 0 and kept[behind - 1].end > one.start) or (behind < len(kept) and starts[behind] < one.end)
