"""Numbers that prove themselves: payment cards (Luhn), bank accounts (ISO 13616), and what looks like a random key."""

import re
from collections import Counter
from itertools import pairwise
from math import log2

_COUNTRIES = (
    "AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29"
    " ES24 FI18 FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28"
    " LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25"
    " QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20"
)
_IBAN_LENGTHS = {code[:2]: int(code[2:]) for code in _COUNTRIES.split()}
_ISSUERS = re.compile(
    r"4(?:\d{12}|\d{15}|\d{18})|5[1-5]\d{14}|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)\d{12}|3[47]\d{13}"
    r"|6(?:011|5\d\d|4[4-9]\d)\d{12}|35(?:2[89]|[3-8]\d)\d{12}|3(?:0[0-5]|[68]\d)\d{11}|62\d{14,17}"
)
_DIGITS = re.compile(r"[0-9][^0-9]+[0-9]")
"""Digits in two places at least: words joined have a number at their end."""
_HEXADECIMAL = re.compile(r"[0-9a-fA-F-]+")
_LEAST_BITS = 3.7
"""Entropy of the letters of a short key; English words joined have less, and change their kind of letter less often."""
_LEAST_TURNS = 0.3


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
    places = [place for place, char in enumerate(text) if char != " "][:length]
    if not length or len(places) < length:
        return ""
    told, behind = text[: places[-1] + 1], text[places[-1] + 1 : places[-1] + 2]
    account = told.replace(" ", "")
    proof = int("".join(str(int(char, 36)) for char in account[4:] + account[:4])) % 97
    return told if proof == 1 and not behind.isalnum() else ""


def looks_random(text: str, *, least: int) -> bool:
    """Return whether a word is most likely a key: long, of small and large letters and digits without any order.

    Hashes and ids of hexadecimal digits are not, nor are words joined in any way.
    """
    if len(text) < least or _HEXADECIMAL.fullmatch(text):
        return False
    kinds = ["a" if char.islower() else "A" if char.isupper() else "0" if char.isdecimal() else "-" for char in text]
    if min(kinds.count("a"), kinds.count("A")) < 3 or _DIGITS.search(text) is None or kinds.count("-") > len(text) // 6:
        return False
    turns = sum(one != other for one, other in pairwise(kinds)) / len(text)
    bits = -sum(n / len(text) * log2(n / len(text)) for n in Counter(text).values())
    return turns >= _LEAST_TURNS and bits >= _LEAST_BITS
