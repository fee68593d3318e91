"""Payments and bookings proved by a record without the word itself: by an amount paid, or by a booking id.

Only objects of JSON and rows of tables count, and only what they say of themselves: not of today's orders, of what is
due, failed or undone. A sum counts if it is of all payments with the names, ways, ids and days next to it, in one
currency, and no result leaves any out.
"""

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from mabos.language.claims.completion import CompletionClaim
from mabos.language.claims.days import day_spans
from mabos.language.claims.figures import WrittenFigure, figures_in, tells
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.claims.tables import choose_rows, delimited_rows, is_cut, json_values, number_cell, rows_at
from mabos.language.wordlists import order_form
from mabos.workspace.copies import replace
from mabos.workspace.currencies import CURRENCIES

SHOWN_KINDS = ("paid", "invoiced", "booked")
PAYMENT_WORDS = re.compile(r"payment|instal|transact", re.IGNORECASE)
"""Words for payments that a clause counts."""
_PAYMENTS = re.compile(r"payments?(?:_?history)?|transactions?", re.IGNORECASE)
_IS_PAYMENT = re.compile(r"payment_id|paid_?(?:at|on)|transaction_(?:id|type)|paid(?:_[a-z]{3})?", re.IGNORECASE)
_PAID_ON = re.compile(r"paid_?(?:at|on)", re.IGNORECASE)
_AMOUNT = re.compile(r"(?:amount|total|sum|price|paid)(?:_[a-z]{3})?", re.IGNORECASE)
_STATE = re.compile(r"(?:\w+_)?(?:status|state|type|kind|result)", re.IGNORECASE)
_BOOKING = re.compile(r"(?:reservation|booking)_?(?:id|number|code|reference)", re.IGNORECASE)
_BEGUN = re.compile(r"(?:created|booked|reserved|placed)_?(?:at|on|date)?", re.IGNORECASE)
_BOOKED_ON = re.compile(r"(?:booked|reserved)_(?:at|on|date)", re.IGNORECASE)
_UNDONE = order_form("claims_shown.undone")
_CODE = re.compile(r"#?\b(?=[\w-]*[A-Za-z#])(?=[\w-]*\d)[\w-]*\w")
_BEFORE = re.compile(r"\b(?:was|were|you)\b(?! (?:have|are)\b)", re.IGNORECASE)
_BACK = re.compile(r"\b(?:back|refunded|reimbursed|settled)\b", re.IGNORECASE)
_NO = re.compile(r'"[\w.]+": (?:"no"|"none"|false|null|0)(?=[,}])', re.IGNORECASE)
_RATE = re.compile(r"\s?(?:an?|per|each|every|/)\s?[a-z]+\b|.{0,20}\bon average\b", re.IGNORECASE)
_IN_ALL = re.compile(r"\b(?:together|altogether|in all|in total|so far|to date)\b", re.IGNORECASE)
_SPAN = re.compile(r"\b(?:before|after|since|until|till|by|from|between|through)\s+(?:the )?$", re.IGNORECASE)
"""Before a day that bounds a time: a sum over the days between is not read."""
_EMPTY = (None, "", False)
_PAYING = stems_of("payment pay dollars euros pounds together altogether mr mrs ms dr")
"""Words of a claim that need not be in the record."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An object of a text: its own fields that say something, the name that holds it, and the fields around it."""

    value: Mapping[str, object]
    fields: Mapping[str, object]
    holder: str
    around: Mapping[str, object]

    def has(self, *names: re.Pattern[str]) -> bool:
        """Return whether a field has a name of each of these forms."""
        return all(any(name.fullmatch(key) for key in self.fields) for name in names)

    def is_payment(self) -> bool:
        """Return whether it has the form of a payment; it may have failed, or be due."""
        has_form = _PAYMENTS.fullmatch(self.holder) is not None or self.has(_IS_PAYMENT)
        return has_form and (self.has(_AMOUNT) or self.has(_PAID_ON))

    def is_undone(self) -> bool:
        """Return whether a state, or a field such as "due" without a payment, says that it is not paid."""
        states = [one for key, one in self.fields.items() if _STATE.fullmatch(key)]
        names = [] if self.has(_IS_PAYMENT) else list(self.fields)
        return _UNDONE.search(_json([states, names])) is not None


def is_shown(claim: CompletionClaim, support: EvidenceIndex) -> bool:
    """Return whether a record shows the payment or the booking of a claim, or records the payments that it sums up."""
    if claim.voice in ("I", "we", "attribute") or claim.kind not in SHOWN_KINDS or _BACK.search(claim.clause):
        return False
    try:
        if claim.kind == "booked":
            return any(_shows_booking(claim, entry) for text in support.reports for entry in _entries(text.text))
        amounts = [one for one in figures_in(claim.clause, hedges=True) if one.kind == "money"]
        if amounts:
            return all(_is_amount_shown(claim, amounts, at, support) for at in range(len(amounts)))
        return any(is_named for _, is_named in _choose(claim, _payments(support)[0]))
    except RecursionError:
        return False


def _is_amount_shown(claim: CompletionClaim, amounts: list[WrittenFigure], at: int, support: EvidenceIndex) -> bool:
    """Return whether an amount of a claim is a payment or a sum of payments, or adds up the others of the claim.

    Its words are those before the first amount, and those up to the next: "Bo paid $3 by card and $4 in cash".
    """
    figure, clause = amounts[at], claim.clause
    others = [one.values[0] for one in amounts if one is not figure]
    if len(others) > 1 and _IN_ALL.search(clause) and tells(figure, sum(others)):
        return True
    if at and _RATE.match(clause, figure.end):
        return True  # the check of numbers reads rates
    end = amounts[at + 1].start if at + 1 < len(amounts) else len(clause)
    part = replace(claim, clause=f"{clause[: amounts[0].start]}{clause[figure.end : end]}")
    counts = {one.values[0] for one in figures_in(clause, hedges=True) if PAYMENT_WORDS.match(one.noun)}
    known, is_whole = _payments(support)
    return any(
        tells(figure, value) and figure.currency in ("", code or figure.currency)
        for kept, _ in _choose(part, known)
        for value, count, code in _amounts(kept, is_whole=is_whole)
        if (count == 1 or counts <= {count}) and (count == len(kept) or not _IN_ALL.search(part.clause))
    )


def _payments(support: EvidenceIndex) -> tuple[list[_Entry], bool]:
    """Return the payments made, each once though several results show it, and whether they are sure to be all."""
    found, times, is_whole = dict[str, _Entry](), Counter[str](), True
    for text in support.reports:
        payments = [entry for entry in _entries(text.text) if entry.is_payment()]
        today = (support.today.year, support.today.month, support.today.day)
        made = [
            (_json([entry.around, entry.fields]), entry)
            for entry in payments
            if not entry.is_undone()
            and all((one.year, one.month, one.day) <= today for one in day_spans(_json(entry.fields)) if one.day)
        ]
        is_whole = is_whole and not (payments and is_cut(text.text))
        found |= dict(made)
        times |= Counter(key for key, _ in made)
    return [found[key] for key, count in times.items() for _ in range(count)], is_whole


def _choose(claim: CompletionClaim, known: list[_Entry]) -> Iterator[tuple[list[_Entry], bool]]:
    """Yield the payments that a claim names, by each field with days, and whether it names a value of them.

    There are none if a word or an id of the claim is no value and no field, or if a day of it bounds a time.
    """
    rows = [{**entry.around, **entry.fields} for entry in known]
    codes, about = _codes(claim), claim.about - _PAYING
    kept, named = choose_rows(rows, about, codes)
    fields = " ".join({entry.holder for entry in known} | {key for row in rows for key in row})
    names = stems_of(fields.replace("_", " ")) | named
    spans = [one for one in day_spans(claim.clause) if one.month]
    is_read = all(one in names or one.removesuffix("s") in names for one in about) and codes <= named
    if kept and is_read and not any(_SPAN.search(claim.clause[: one.start]) for one in spans):
        for places in rows_at([known[at].fields for at in kept], spans):
            yield [known[kept[at]] for at in places], bool(named)


def _amounts(payments: list[_Entry], *, is_whole: bool) -> Iterator[tuple[float, int, str]]:
    """Yield each amount, and their sum where it is sure: value, number of payments and currency."""
    is_sure = is_whole and len(payments) > 1
    summed = dict[tuple[str, str], list[float]]()
    for one in payments:
        texts = _json([value for key, value in one.fields.items() if not _STATE.fullmatch(key)])
        is_sure = is_sure and not _UNDONE.search(texts)
        for key, cell in one.fields.items():
            value = number_cell(str(cell))
            if value is not None and _AMOUNT.fullmatch(key):
                told = str(one.fields.get("currency", one.around.get("currency", ""))) or key.rpartition("_")[2]
                code = CURRENCIES.get(told.lower(), "")
                summed.setdefault((key, code), []).append(value)
                if not _UNDONE.search(texts):
                    yield value, 1, code
    yield from (
        (sum(each), len(each), code) for (_, code), each in summed.items() if is_sure and len(each) == len(payments)
    )


def _shows_booking(claim: CompletionClaim, entry: _Entry) -> bool:
    own = _json(entry.fields)
    if not (entry.has(_BOOKED_ON) or entry.has(_BOOKING, _BEGUN)) or _UNDONE.search(own):
        return False
    days = [one for one in day_spans(claim.clause) if one.day]
    is_named = _codes(claim) or (_BEFORE.search(claim.clause) and (days or claim.about & stems_of(own)))
    return bool(is_named) and _fits(claim, _json(entry.value), entry)


def _fits(claim: CompletionClaim, own: str, entry: _Entry) -> bool:
    """Return whether the words, ids and days of a claim are those of an object; a field that says no has no word."""
    shown = _NO.sub("", f"{own} {_json(entry.around)}")
    said, known = ({(one.month, one.day) for one in day_spans(part) if one.day} for part in (claim.clause, own))
    is_about = claim.about - _PAYING <= stems_of(shown.replace("_", " "))
    return is_about and said <= known and all(one in shown.casefold() for one in _codes(claim))


def _codes(claim: CompletionClaim) -> frozenset[str]:
    """Return the ids in a claim: words of letters and digits that are no days or amounts."""
    spans = [(one.start, one.end) for one in day_spans(claim.clause)]
    found = [one for one in _CODE.finditer(claim.clause) if not any(a <= one.start() < b for a, b in spans)]
    return frozenset(one[0].casefold() for one in found if not re.fullmatch(r"\d+(?:st|nd|rd|th|[ap]m|k)", one[0]))


@lru_cache(maxsize=64)
def _entries(text: str) -> tuple[_Entry, ...]:
    """Return the objects of a text, or the rows of its tables."""
    found = tuple(entry for value in json_values(text) for entry in _walk(value, "", {})) if "{" in text else ()
    return found or tuple(
        _Entry(row, {key: one for key, one in row.items() if one}, "", {}) for row in delimited_rows(text)
    )


def _walk(value: object, holder: str, around: Mapping[str, object]) -> Iterator[_Entry]:
    if isinstance(value, Mapping):
        fields = {key: one for key, one in value.items() if not isinstance(one, dict | list) and one not in _EMPTY}
        yield _Entry(value, fields, holder, around)
        within = {**around, **{f"{holder}.{key}": one for key, one in fields.items()}}
        for key, one in value.items():
            yield from _walk(one, key, within)
    elif isinstance(value, list):
        for one in value:
            yield from _walk(one, holder, around)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
