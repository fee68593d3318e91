"""Personal data and secrets in a text, found before anything is stored (S2, "PII Detection").

S2 prints two patterns; `[A-Za-z0-9]{32,}` for keys would flag every hash and id. Here an account or card number must
pass its check digits, a key must have a known beginning or look random, and a password must be assigned. Each pattern
begins only where a word does and is bounded, so that time grows with the text alone, whatever it is.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from math import log2
from typing import Any, Literal, cast, get_args

from mabos.configs.errors import InvalidArgument
from mabos.language.wordlists import order_form, order_words

Kind = Literal[
    "email", "phone", "iban", "card", "ssn", "passport", "birth_date", "address", "ip", "api_key", "password",
    "private_key", "jwt",
]  # fmt: skip
Policy = Literal["flag", "redact", "refuse"]
CONTACT: frozenset[Kind] = frozenset({"email", "phone", "address", "iban"})
"""Contact and payment data: kept in the arguments of an operation that uses them."""


@dataclass(frozen=True, slots=True)
class SensitiveSpan:
    """A span of data that should not be stored: its kind and position."""

    kind: Kind
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Screened:
    """A text with its sensitive spans handled, and those spans."""

    text: str
    found: tuple[SensitiveSpan, ...]


@dataclass(slots=True)
class Screening:
    """The screening of one write: `notices` list the findings by place and kind, never their text."""

    policy: Policy
    notices: list[str] = field(default_factory=list)
    keeps: frozenset[Kind] = frozenset()

    def text(self, text: str, place: str, label: str = "") -> str:
        """Return a text cleaned for storage, given its label; raises `InvalidArgument` if it may not be stored."""
        try:
            done = screen_text(text, self.policy, self.keeps, label)
        except InvalidArgument as error:
            raise InvalidArgument(f"{place}: {error.message}", argument=place) from None
        kinds = ", ".join(dict.fromkeys(one.kind for one in done.found))
        if kinds:
            self.notices.append(f"{place} {'had' if self.policy == 'redact' else 'holds'} sensitive data: {kinds}")
        return done.text

    def value(self, value: Any, place: str, label: str = "") -> Any:
        """Return a value with every text in it cleaned for storage."""
        if isinstance(value, str):
            return self.text(value, place, label)
        if isinstance(value, dict):
            return {
                self.text(str(key), place): self.value(one, f"{place}.{key}" if place else key, _label(key, value))
                for key, one in value.items()
            }
        return [self.value(one, place, label) for one in value] if isinstance(value, list | tuple) else value


_PRIVATE_KEY = re.compile(r"-----BEGIN (?:[A-Z0-9]{1,12} ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{1,60}-----")
_KNOWN = order_form("entities_sensitive.known")
_JWT = re.compile(r"(?<![\w.-])eyJ[\w-]{8,}\.eyJ[\w-]{4,}\.[\w-]*")
_RANDOM = re.compile(r"(?<![\w+/=.-])(?P<prefix>sk-|pk-)?[\w+/-]{20,200}={0,2}(?![\w+/=-])")
_OWN_ID = re.compile(r"(?<![0-9])[0-9]{13}-[0-9a-f]{4}|\bLTR-[0-9a-f]{24}\b")
"""The part in all ids of MABOS: milliseconds and digits, as in `P-1768208400003-3c91/1/S1/0/ad9a2a18356b6328`."""
_NAMED = re.compile(r"^(?:[A-Za-z]+_)+")
"""The words before an identifier that a tool has made: `TimerEventDefinition_0ye5h81`."""
_UUID = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}(?![0-9A-Fa-f])")
"""An identifier, as drawings and exports are full of, whatever stands before it."""
_ASSIGNED = order_form("entities_sensitive.assigned")
_PASSWORDS = ("pass", "pwd", "kenn")
_BESIDE = order_form("entities_sensitive.beside")
"""A password beside its word without a sign, and digits of a key that without the word could be a checksum."""
_SPOKEN = order_form("entities_sensitive.spoken")
"""A password and what follows its word in a sentence: `the password for the safe is correct horse battery`."""
_PROSE, _STATE, _AFTER = (order_form(f"entities_sensitive.{one}") for one in ("prose", "state", "after"))
"""Words with which a sentence about a password goes on, those that may begin a password too, and those after it."""
_URL_PASSWORD = re.compile(r"(?<=://)[^\s/:@]{1,64}:(?P<value>[^\s/@]{1,128})@")
_EMAIL = order_form("entities_sensitive.email")
_CARD = order_form("entities_sensitive.card")
_IBAN = re.compile(r"(?<!\w)(?=([A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){11,31}))")
_PHONE = order_form("entities_sensitive.phone")
_CALLED = order_form("entities_sensitive.called")
_SSN, _PERSONAL = order_form("entities_sensitive.ssn"), order_form("entities_sensitive.personal")
"""What tells of a person only beside the word that says so: elsewhere it is a date, a version, a number of anything."""
_PLACEHOLDER = order_form("entities_sensitive.placeholder")
_IBAN_LENGTHS = {code[:2]: int(code[2:]) for code in order_words("entities_sensitive.countries")}
_ISSUERS = order_form("entities_sensitive.issuers")
_DIGITS = re.compile(r"[0-9][^0-9]+[0-9]")
"""Digits in two places at least: words joined have a number at their end."""
_HEXADECIMAL = re.compile(r"[0-9a-fA-F-]+")
_LEAST_BITS = 3.7
"""Entropy of the letters of a short key; English words joined have less, and change their kind of letter less often."""
_LEAST_TURNS = 0.3
_LONG = 32
"""Letters from which a key may also be of letters of one size; S2's own pattern begins there."""


_LABEL = order_form("entities_sensitive.label")
"""The name of a field that says what its value is, as a word before it does in a text."""


@lru_cache(1024)
def _prefix(label: str, is_word: bool) -> str:
    found = _LABEL.search(label)
    return label.replace("_", " ").rstrip("s") + (" = " if is_word and found["password"] else ": ") if found else ""


def _label(key: object, among: Mapping[Any, Any]) -> str:
    """Return what names a value: its key, or in a triple or a pair of name and value the text beside it."""
    names = ("predicate", "name", "key", "field") if key in ("object", "value", "content") else ()
    return str(next((among[one] for one in names if one in among), key))


def scan(text: str, label: str = "") -> tuple[SensitiveSpan, ...]:
    """Return the spans that should not be stored, in order, without overlaps; the more certain kind wins.

    A `label` names the field that holds the text.
    """
    if at := len(before := _prefix(label, " " not in text)):
        found = scan(before + text)
        return tuple(SensitiveSpan(one.kind, max(one.start - at, 0), one.end - at) for one in found if one.end > at)
    taken: list[SensitiveSpan] = []
    for finder, may_find in _FINDERS:
        if may_find.search(text) is None:
            continue
        kept, starts = sorted(taken, key=lambda one: one.start), sorted(one.start for one in taken)
        end = 0
        for one in sorted(finder(text), key=lambda one: (one.start, -one.end)):
            if one.start >= end and not _overlaps(one, kept, starts):
                taken.append(one)
                end = one.end
    return tuple(sorted(taken, key=lambda one: one.start))


def redact_text(text: str, keeps: frozenset[Kind] = frozenset(), label: str = "") -> str:
    """Return `text` with each find replaced by its kind, except the kinds it `keeps`.

    >>> redact_text("write to kim@acme.io"), redact_text("sesame", label="password")
    ('write to [email]', '[password]')
    """
    return (_redacted_again if len(text) <= _REPEATED else _redact_uncached)(text, keeps, label)


def _redact_uncached(text: str, keeps: frozenset[Kind], label: str) -> str:
    return _mask_spans(text, (one for one in scan(text, label) if one.kind not in keeps))


_REPEATED = 200
"""Characters of a text that comes again and again, as ids and field names; longer ones are not kept in memory."""
_redacted_again = lru_cache(4096)(_redact_uncached)


def _mask_spans(text: str, found: Iterable[SensitiveSpan]) -> str:
    parts, at = [], 0
    for one in found:
        parts += [text[at : one.start], f"[{one.kind}]"]
        at = one.end
    return "".join((*parts, text[at:]))


def redact_all(value: Any, keeps: frozenset[Kind] = frozenset(), label: str = "") -> Any:
    """Return a JSON value with each text in it redacted, keys included, except the kinds it `keeps`."""
    if isinstance(value, str):
        return redact_text(value, keeps, label if _prefix(label, is_word=True) else "")
    if isinstance(value, Mapping):
        return {redact_all(key, keeps): redact_all(one, keeps, _label(key, value)) for key, one in value.items()}
    return [redact_all(one, keeps, label) for one in value] if isinstance(value, list | tuple) else value


def cleaner(policy: Policy) -> Callable[[Any], Any]:
    """Return the function that screens writes when nobody is present to correct them.

    It redacts, also where a call would be refused; under `flag` it changes nothing.
    """
    return keep_value if policy == "flag" else redact_all


def has_redactions(value: Any) -> bool:
    """Return whether a text in a JSON value has been redacted."""
    if isinstance(value, Mapping | list | tuple):
        return any(map(has_redactions, value.values() if isinstance(value, Mapping) else value))
    return isinstance(value, str) and any(f"[{kind}]" in value for kind in get_args(Kind))


def keep_value(value: Any) -> Any:
    """Return `value` unchanged: the screening for callers that keep everything."""
    return value


def screen_text(text: str, policy: Policy, keeps: frozenset[Kind] = frozenset(), label: str = "") -> Screened:
    """Return `text` as it may be stored: unchanged when flagging, redacted, or refused; kinds in `keeps` may stay.

    Raises `InvalidArgument` under `refuse`, with the kinds and places, never with the text found.
    """
    found = tuple(one for one in scan(text, label) if one.kind not in keeps)
    if found and policy == "refuse":
        told = ", ".join(f"{one.kind} at {one.start}" for one in found[:5])
        message = f"the text holds what must not be stored ({told}); leave it out, or set the policy to redact"
        raise InvalidArgument(message, argument="text")
    return Screened(_mask_spans(text, found) if found and policy == "redact" else text, found)


def _private_keys(text: str) -> Iterator[SensitiveSpan]:
    at = 0
    while (begin := _PRIVATE_KEY.search(text, at)) is not None:
        end = _KEY_END.search(text, begin.end())
        at = len(text) if end is None else end.end()
        yield SensitiveSpan("private_key", begin.start(), at)


def _tokens(text: str) -> Iterator[SensitiveSpan]:
    yield from _all("jwt", _JWT, text)
    yield from _all("api_key", _KNOWN, text)


def _random(text: str) -> Iterator[SensitiveSpan]:
    for one in _RANDOM.finditer(text):
        if _OWN_ID.search(one[0]):
            continue
        whole = one[0].removeprefix(one["prefix"] or "")
        rest = _NAMED.sub("", _UUID.sub("", whole))
        if looks_random(rest, least=20 if one["prefix"] else 28 if rest == whole else 24):
            yield SensitiveSpan("api_key", *one.span())


def _passwords(text: str) -> Iterator[SensitiveSpan]:
    for one in _BESIDE.finditer(text):
        kind: Kind = "password" if one["password"] else "api_key"
        start, end = one.span(kind)
        yield SensitiveSpan(kind, start, end - (text[end - 1] in ".!?"))
    for one in _SPOKEN.finditer(text):
        start = one.start("words" if one["words"] else "used")
        if length := _spoken_length(one["words"] or one["used"]):
            yield SensitiveSpan("password", start, start + length)
    for one in _URL_PASSWORD.finditer(text):
        if _PLACEHOLDER.fullmatch(one["value"]) is None:
            yield SensitiveSpan("password", *one.span("value"))
    for one in _ASSIGNED.finditer(text):
        part, name = "quoted" if one["quoted"] else "value", one["name"].casefold()
        value = one[part] if one["quoted"] else one[part].rstrip(".!?" if one["sign"].strip().isalpha() else ".")
        if not one["behind"] and _is_secret(name, one["sign"].strip(), bool(one["quoted"]), value):
            start = one.start(part)
            yield SensitiveSpan("password" if name.startswith(_PASSWORDS) else "api_key", start, start + len(value))


def _spoken_length(words: str) -> int:
    """Return how much of what a sentence says of a password is the password, 0 if it only describes one."""
    end = _AFTER.search(words)
    said = words[: end.start() if end else None].rstrip()
    is_prose = any(form.search(said) for form in (_PROSE, _STATE)) or _PLACEHOLDER.fullmatch(said)
    return 0 if len(said) < 5 or is_prose else len(said)


def _is_secret(name: str, sign: str, is_quoted: bool, value: str) -> bool:
    """Return whether a value is a secret, and not a word of prose, a variable or a placeholder."""
    if len(value) < 6 or _PLACEHOLDER.fullmatch(value):
        return False
    mixed = any(not char.isalpha() for char in value) and any(char.isalpha() for char in value)
    if name == "pass":  # it is also a ticket and a way
        return mixed and any(char.isdecimal() for char in value)
    if name.startswith(_PASSWORDS):
        # "password: forgotten" is prose, "password=forgotten" is not.
        return mixed or (value.isdecimal() and len(value) < 13) or is_quoted or sign in ("=", ":=", "=>")
    return mixed and len(value) >= 12 and any(char.isdecimal() for char in value) and _OWN_ID.search(value) is None


def _accounts(text: str) -> Iterator[SensitiveSpan]:
    for one in _IBAN.finditer(text):
        if account := iban(one[1]):
            yield SensitiveSpan("iban", one.start(), one.start() + len(account))
    yield from _all("card", _CARD, text, is_card)
    yield from _all("ssn", _SSN, text)


def _emails(text: str) -> Iterator[SensitiveSpan]:
    yield from _all("email", _EMAIL, text, lambda address: not address.startswith("git@"))


def _phones(text: str) -> Iterator[SensitiveSpan]:
    yield from _all("phone", _PHONE, text)
    for one in _CALLED.finditer(text):
        yield SensitiveSpan("phone", *one.span("number"))


def _personal(text: str) -> Iterator[SensitiveSpan]:
    for one in _PERSONAL.finditer(text):
        kind = cast("Kind", one.lastgroup)
        yield SensitiveSpan(kind, *one.span(kind))


def _all(
    kind: Kind, pattern: re.Pattern[str], text: str, is_real: Callable[[str], bool] | None = None
) -> Iterator[SensitiveSpan]:
    for one in pattern.finditer(text):
        if is_real is None or is_real(one[0]):
            yield SensitiveSpan(kind, *one.span())


def _overlaps(one: SensitiveSpan, kept: list[SensitiveSpan], starts: list[int]) -> bool:
    """Return whether a find touches one of those kept before, which do not touch each other."""
    behind = bisect_right(starts, one.start)
    return (behind > 0 and kept[behind - 1].end > one.start) or (behind < len(kept) and starts[behind] < one.end)


def is_card(text: str) -> bool:
    """Return whether digits, perhaps grouped, are a card number of a known issuer with the right check digit.

    >>> is_card("4111 1111 1111 1111"), is_card("4111 1111 1111 1112")
    (True, False)
    """
    digits = re.sub(r"[ -]", "", text)
    if _ISSUERS.fullmatch(digits) is None:
        return False
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(digits))]
    return sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def iban(text: str) -> str:
    """Return the account number that `text` begins with, if it has its country's length and the right check digits.

    >>> iban("DE89 3704 0044 0532 0130 00 AND MORE"), iban("DE88 3704 0044 0532 0130 00")
    ('DE89 3704 0044 0532 0130 00', '')
    """
    length = _IBAN_LENGTHS.get(text[:2], 0)
    places = [place for place, char in enumerate(text) if char not in " -"][:length]
    if not length or len(places) < length:
        return ""
    told, behind = text[: places[-1] + 1], text[places[-1] + 1 : places[-1] + 2]
    account = told.replace(" ", "").replace("-", "")
    proof = int("".join(str(int(char, 36)) for char in account[4:] + account[:4])) % 97
    return told if proof == 1 and not behind.isalnum() else ""


def looks_random(text: str, *, least: int) -> bool:
    """Return whether a word is most likely a key: long, of unordered upper- and lower-case letters and digits.

    Hashes and ids of hexadecimal digits are not, nor are words joined in any way.
    """
    if len(text) < least or _HEXADECIMAL.fullmatch(text):
        return False
    kinds = ["a" if char.islower() else "A" if char.isupper() else "0" if char.isdecimal() else "-" for char in text]
    is_long = len(text) >= _LONG and kinds.count("0") >= _LONG // 5 and "-" not in kinds
    is_mixed = is_long or min(kinds.count("a"), kinds.count("A")) >= 3
    if not is_mixed or _DIGITS.search(text) is None or kinds.count("-") > len(text) // 6:
        return False
    turns = sum(one != other for one, other in pairwise(kinds)) / len(text)
    bits = -sum(n / len(text) * log2(n / len(text)) for n in Counter(text).values())
    return turns >= _LEAST_TURNS and bits >= _LEAST_BITS


_DIGITS_ENOUGH = re.compile(r"(?:[0-9][^0-9]*){7}")
_WORD_ENOUGH = re.compile(r"[\w.:/+-]{15}")
_FINDERS: tuple[tuple[Callable[[str], Iterator[SensitiveSpan]], re.Pattern[str]], ...] = (
    (_private_keys, re.compile("-----BEGIN")),
    (_tokens, _WORD_ENOUGH),
    (_passwords, order_form("entities_sensitive.may_password")),
    (_accounts, _DIGITS_ENOUGH),
    (_emails, re.compile(r"[@＠﹫]|[(\[]at[)\]]")),
    (_phones, _DIGITS_ENOUGH),
    (_personal, order_form("entities_sensitive.may_personal")),
    (_random, _WORD_ENOUGH),
)
"""The finders in order of how sure they are, each with a quick pattern of what a text must have for it to find any."""
