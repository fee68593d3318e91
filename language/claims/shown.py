"""Payments and bookings that a record shows without the word: a payment with its amount, a booking with its id.

Only JSON objects count, and only what they say of themselves: not of today's orders, of what is due, failed or undone.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from mabos.language.claims.completion import CompletionClaim
from mabos.language.claims.days import day_spans
from mabos.language.claims.figures import figures_in, tells
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.claims.tables import json_values, number_cell

SHOWN_KINDS = ("paid", "invoiced", "booked")
_PAYMENTS = re.compile(r"payments?(?:_?history)?|transactions?", re.IGNORECASE)
_IS_PAYMENT = re.compile(r"payment_id|paid_?(?:at|on)|transaction_(?:id|type)", re.IGNORECASE)
_PAID_ON = re.compile(r"paid_?(?:at|on)", re.IGNORECASE)
_AMOUNT = re.compile(r"(?:amount|total|sum|price|paid)(?:_[a-z]{3})?", re.IGNORECASE)
_BOOKING = re.compile(r"(?:reservation|booking)_?(?:id|number|code|reference)", re.IGNORECASE)
_BEGUN = re.compile(r"(?:created|booked|reserved|placed)_?(?:at|on|date)?", re.IGNORECASE)
_BOOKED_ON = re.compile(r"(?:booked|reserved)_(?:at|on|date)", re.IGNORECASE)
_UNDONE = re.compile(
    r"(?<![a-z])(?:refund\w*|cancel\w*|pending|fail\w*|declined|void\w*|revers\w*|open|unpaid|due|drafts?|quot\w+|"
    r"wait\w*|request\w*|hold|tentative|option|planned|scheduled|upcoming|next|expired|rejected)(?![a-z])",
    re.IGNORECASE,
)
_CODE = re.compile(r"#?\b(?=[\w-]*[A-Za-z#])(?=[\w-]*\d)[\w-]*\w")
_BEFORE = re.compile(r"\b(?:was|were|you)\b(?! (?:have|are)\b)", re.IGNORECASE)
_BACK = re.compile(r"\b(?:back|refunded|reimbursed|settled)\b", re.IGNORECASE)
_NO = re.compile(r'"\w+": (?:"no"|"none"|false|null|0)(?=[,}])', re.IGNORECASE)
_EMPTY = (None, "", False)
_PAYING = stems_of("payment pay dollars euros pounds")
"""Words of a claim that need not be in the record."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An object of a text: its own fields that say something, the name that holds it, and the fields around it."""

    value: Mapping[str, object]
    fields: Mapping[str, object]
    holder: str
    around: str

    def has(self, *names: re.Pattern[str]) -> bool:
        """Return whether a field has a name of each of these forms."""
        return all(any(name.fullmatch(key) for key in self.fields) for name in names)


def is_shown(claim: CompletionClaim, support: EvidenceIndex) -> bool:
    """Return whether a record shows the payment or the booking of a claim."""
    if claim.voice in ("I", "we", "attribute") or claim.kind not in SHOWN_KINDS or _BACK.search(claim.clause):
        return False
    entries = (entry for text in support.texts[:-1] if "{" in text.text for entry in _entries(text.text))
    try:
        if claim.kind == "booked":
            return any(_shows_booking(claim, entry) for entry in entries)
        return any(_shows_payment(claim, entry, support.today) for entry in entries)
    except RecursionError:
        return False


def _shows_payment(claim: CompletionClaim, entry: _Entry, today: date) -> bool:
    is_payment = _PAYMENTS.fullmatch(entry.holder) or entry.has(_IS_PAYMENT)
    own = _json(entry.fields)
    if not is_payment or not (entry.has(_AMOUNT) or entry.has(_PAID_ON)) or _UNDONE.search(own):
        return False
    if any((one.year, one.month, one.day) > (today.year, today.month, today.day) for one in day_spans(own) if one.day):
        return False
    amounts = [one for one in figures_in(claim.clause) if one.kind == "money"]
    known = [number_cell(str(one)) for key, one in entry.fields.items() if _AMOUNT.fullmatch(key)]
    values = stems_of(" ".join(map(str, entry.fields.values())).replace("_", " "))
    is_named = amounts or _codes(claim) or (claim.about & values and claim.kind == "paid")
    is_amount = all(any(value is not None and tells(one, value) for value in known) for one in amounts)
    return bool(is_named) and is_amount and _fits(claim, f"{own} {entry.holder}", entry)


def _shows_booking(claim: CompletionClaim, entry: _Entry) -> bool:
    own = _json(entry.fields)
    if not (entry.has(_BOOKED_ON) or entry.has(_BOOKING, _BEGUN)) or _UNDONE.search(own):
        return False
    days = [one for one in day_spans(claim.clause) if one.day]
    is_named = _codes(claim) or (_BEFORE.search(claim.clause) and (days or claim.about & stems_of(own)))
    return bool(is_named) and _fits(claim, _json(entry.value), entry)


def _fits(claim: CompletionClaim, own: str, entry: _Entry) -> bool:
    """Return whether the words, ids and days of a claim are those of an object; a field that says no has no word."""
    shown = _NO.sub("", f"{own} {entry.around}")
    said, known = ({(one.month, one.day) for one in day_spans(part) if one.day} for part in (claim.clause, own))
    is_about = claim.about - _PAYING <= stems_of(shown.replace("_", " "))
    return is_about and said <= known and all(one in shown.casefold() for one in _codes(claim))


def _codes(claim: CompletionClaim) -> set[str]:
    """Return the ids in a claim: words of letters and digits that are no days or amounts."""
    spans = [(one.start, one.end) for one in day_spans(claim.clause)]
    found = [one for one in _CODE.finditer(claim.clause) if not any(a <= one.start() < b for a, b in spans)]
    return {one[0].casefold() for one in found if not re.fullmatch(r"\d+(?:st|nd|rd|th|[ap]m|k)", one[0])}


@lru_cache(maxsize=64)
def _entries(text: str) -> tuple[_Entry, ...]:
    return tuple(entry for value in json_values(text) for entry in _walk(value, "", ""))


def _walk(value: object, holder: str, around: str) -> Iterator[_Entry]:
    if isinstance(value, Mapping):
        fields = {key: one for key, one in value.items() if not isinstance(one, dict | list) and one not in _EMPTY}
        yield _Entry(value, fields, holder, around)
        within = f"{around} {_json(fields)}" if len(fields) < len(value) else ""
        for key, one in value.items():
            yield from _walk(one, key, within)
    elif isinstance(value, list):
        for one in value:
            yield from _walk(one, holder, around)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
