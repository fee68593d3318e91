"""Numbers of a reply: found in the evidence, counted, or derived from two that are."""

import re
from collections.abc import Iterator, Sequence

from mabos.language.calls.quantities import valid_date
from mabos.language.claims.binding import is_of_another_day, is_of_another_thing, is_of_another_unit, spots_of
from mabos.language.claims.bound import (
    breaks_its_product,
    breaks_its_sum,
    contradicts_its_own,
    is_of_another_fact,
    is_of_another_month,
    is_of_another_record,
)
from mabos.language.claims.completion import claims_in
from mabos.language.claims.derived import COMMON, follows, same_currency, sums_up
from mabos.language.claims.figures import WrittenFigure, tells
from mabos.language.claims.index import EvidenceText, Occurrence, matching
from mabos.language.claims.reply import ReplyFigure, ReplyText
from mabos.language.claims.shown import PAYMENT_WORDS, is_shown
from mabos.language.claims.stems import stem, stems_of
from mabos.language.claims.support import SHORT, TARGETED, EvidenceIndex, is_target
from mabos.language.wordlists import order_form

_LABEL = order_form("claims_numbers.label")
_FORETELLS = order_form("claims_numbers.foretells")
_GIVEN_THAT = order_form("claims_numbers.given_that")
_MONEY_FIELD = re.compile(r"(?:^|_)(?:amount|price|cost|fee|usd|eur|gbp)(?:$|_)", re.IGNORECASE)
_MARKER = re.compile(r"^\s*\(?\d{1,2}[.):]?\s*$")
_SPAN_UNITS = {"day": 1, "night": 1, "week": 7, "fortnight": 14, "month": 30.4, "year": 365.25}


def unsupported_figures(reply: ReplyText, support: EvidenceIndex) -> Iterator[ReplyFigure]:
    """Yield the numbers of a reply that no record supports."""
    open_ones: list[ReplyFigure] = []
    known: list[ReplyFigure] = []
    foreign: list[ReplyFigure] = []
    for one in reply.figures:
        told = [] if _is_label(reply, one) else list(_find_occurrences(one, reply.context(one.sentence), support))
        if _is_forecast(reply, one):
            told = [each for each in told if _is_forecast_told(reply, one, each)]
        if (
            breaks_its_sum(one, reply, told)
            or breaks_its_product(one, reply)
            or is_of_another_month(one, reply, support)
            or is_of_another_fact(one, reply, told, support)
            or (told and contradicts_its_own(one, reply, support))
        ):
            yield one
        elif told and _is_foreign(one, reply, told, support):
            is_reported = any(text not in support.standing for text, _ in told)
            (foreign if is_reported else open_ones).append(one)
        elif told or _is_label(reply, one):
            known.append(one)
        else:
            open_ones.append(one)
    left: list[ReplyFigure] = []
    for one in open_ones:
        (known if _is_derived(reply, one, known, support) else left).append(one)
    for one in foreign:
        is_summed = sums_up(one.figure, reply, one.sentence, known, support)
        if not is_summed and not _is_counted(reply, one, support):
            yield one
    for one in left:
        if not _is_derived(reply, one, known, support):
            yield one


def _is_label(reply: ReplyText, one: ReplyFigure) -> bool:
    """Return whether a number only names a place in the reply ("option 2"), or is 0 or 1."""
    figure, text = one.figure, reply.sentences[one.sentence].text
    value = figure.values[0]
    if figure.kind != "count":
        return value == 0
    before = text[: figure.start]
    return (
        value in (0, 1)
        or (value <= 20 and bool(_LABEL.search(before)))
        or bool(
            _MARKER.match(text[: figure.end])
            and not figure.is_spelled
            and len(text) > figure.end + 1
            and figure.end < 4
            and text[figure.end] in ".):"
        )
    )


def _find_occurrences(
    one: ReplyFigure, about: frozenset[str], support: EvidenceIndex
) -> Iterator[tuple[EvidenceText, Occurrence]]:
    """Yield the places of the evidence that have a number of the reply."""
    figure = one.figure
    for text in support.texts:
        for found in matching(figure, text):
            value = _comparable(figure, found)
            if not value or not same_currency(figure, found, text):
                continue
            if not any(tells(figure, each) for each in value):
                continue
            if _is_other_kind(figure, found):
                continue
            is_sure = not _needs_context(figure, found) or len(text.text) <= SHORT or _is_money(figure, found, text)
            if is_sure or text.about(found.at) & (about - {"time"}):
                yield text, found


def _is_foreign(
    one: ReplyFigure, reply: ReplyText, told: Sequence[tuple[EvidenceText, Occurrence]], support: EvidenceIndex
) -> bool:
    """Return whether a recorded number is given for another thing, or for another day."""
    spots = spots_of([(text, found.at) for text, found in told])
    return (
        is_of_another_record(one, reply, support)
        or is_of_another_thing(one.figure, reply, one.sentence, spots, support)
        or is_of_another_day(one.figure, reply, one.sentence, spots)
        or is_of_another_unit(one.figure, reply.sentences[one.sentence].text, spots, support)
    )


def _comparable(figure: WrittenFigure, found: Occurrence) -> tuple[float, ...]:
    """Return the values that a number of the evidence has in the unit of the figure: 0.12 is 12 %."""
    if figure.kind == "percent":
        return (found.value, found.value * 100) if found.kind == "count" and found.value <= 1.5 else (found.value,)
    return (found.value,)


def _is_other_kind(figure: WrittenFigure, found: Occurrence) -> bool:
    """Return whether a reply counts things by the number of an amount: "seven steps" and 7 pounds."""
    return figure.kind == "count" and figure.noun.endswith("s") and found.kind == "money"


def _needs_context(figure: WrittenFigure, found: Occurrence) -> bool:
    """Return whether a number is so common that it must be near the words around it in the reply."""
    if figure.kind == found.kind != "count":
        return False
    value = figure.values[0]
    return value < COMMON and len(f"{value:g}".replace(".", "").strip("0")) <= 2


def _is_money(figure: WrittenFigure, found: Occurrence, text: EvidenceText) -> bool:
    """Return whether both numbers are amounts, the one on record by the name of its field: "amount_eur": 22."""
    return figure.kind == "money" and bool(_MONEY_FIELD.search(text.column(found.at)))


# --- counted -----------------------------------------------------------------


def _is_counted(reply: ReplyText, one: ReplyFigure, support: EvidenceIndex) -> bool:
    """Return whether a number counts listed items: in the reply, on record, or in a text of the evidence."""
    figure, about = one.figure, reply.context(one.sentence)
    value = figure.values[0]
    if figure.kind != "count" or value != int(value):
        return False
    return (
        int(value) in _list_lengths(reply, one)
        or any(value in _counts(text, about) for text in (*support.reports, support.deeds))
        or any(value == _items(text, about) for text in support.standing)
        or value in _deed_counts(support)
    )


def _list_lengths(reply: ReplyText, one: ReplyFigure) -> set[int]:
    """Return the lengths of the lists that follow or precede a number, and of the enumerations in its sentence."""
    sentence = reply.sentences[one.sentence]
    found = set()
    blocks: dict[int, int] = {}
    for each in reply.sentences:
        if each.kind in ("item", "row"):
            first = (
                each.kind == "row"
                or each.start == 0
                or re.search(
                    r"\n[^\n\w]*(?:\d+[.)]|[a-z]\))?[^\n\w]*$|^[^\w]*(?:\d+[.)])?\s*$", reply.text[: each.start]
                )
            )
            blocks[each.block] = blocks.get(each.block, 0) + bool(first)
    found |= set(blocks.values())
    rest = re.sub(r"(?<=\d),(?=\d)", "", sentence.text)
    for part in (rest, *re.split(r"[:(–—]", rest)[1:]):
        pieces = [
            piece for piece in re.split(r",\s*(?:and\s|or\s)?|;\s*(?:and\s)?|\sand\s|\sor\s", part) if piece.strip()
        ]
        found |= {len(pieces)} if len(pieces) > 1 else set()
    commas = re.search(r",\s|\sand\s(?=[A-Z])", rest)
    if commas:
        runs = re.findall(
            r"[A-Z][\w'’-]*(?: [\w'’-]+){0,4}(?:, [A-Z][\w'’-]*(?: [\w'’-]+){0,4})*,? and (?:the )?[A-Z]", rest
        )
        found |= {run.count(",") + 2 for run in runs}
    near = [each for each in reply.sentences if each.block == sentence.block and each.kind == "prose"]
    return found | ({len(near)} if len(near) > 2 else set()) - {1}


def _counts(text: EvidenceText, about: frozenset[str]) -> set[float]:
    found = {one.value for one in text.row_counts if not one.about or one.about & about}
    if not text.rows:
        found |= {float(text.line_counts[one]) for one in about if text.line_counts[one] > 1}
        found |= {_items(text, about)} - {0.0}
    return found


def _items(text: EvidenceText, about: frozenset[str]) -> float:
    """Return the number of items of a list, or 0 where its title is about something else."""
    if text.header and not text.header & about:
        return 0.0
    items = len(re.findall(r"^\s*(?:[-*•]|\d{1,2}[.)])\s", text.text[:20000], re.M))
    return float(items) if items > 1 else 0.0


def _deed_counts(support: EvidenceIndex) -> set[float]:
    done = support.evidence.done
    kinds = [deed.kind for deed in done]
    return {float(len(done)), *(float(kinds.count(kind)) for kind in set(kinds))} - {0.0}


def _is_forecast(reply: ReplyText, one: ReplyFigure) -> bool:
    """Return whether a sentence foretells a result by a number, with no condition under which it follows."""
    text = reply.sentences[one.sentence].text
    return bool(_FORETELLS.search(text)) and not _GIVEN_THAT.search(text) and not text.rstrip().endswith("?")


def _is_forecast_told(reply: ReplyText, one: ReplyFigure, told: tuple[EvidenceText, Occurrence]) -> bool:
    """Return whether a record has the forecast number; a target is not a forecast, unless it is called so."""
    text, found = told
    words = stems_of(reply.sentences[one.sentence].text)
    if is_target(text, found.at) and not words & TARGETED:
        return False
    about = text.about(found.at)
    return bool(about & words) and (one.figure.kind != "count" or not one.figure.noun or stem(one.figure.noun) in about)


def _is_derived(reply: ReplyText, one: ReplyFigure, known: Sequence[ReplyFigure], support: EvidenceIndex) -> bool:
    return not _is_forecast(reply, one) and (
        _is_counted(reply, one, support)
        or _is_time_between(reply, one, support)
        or _is_of_payments(reply, one, support)
        or follows(one.figure, reply, one.sentence, known, support)
    )


def _is_of_payments(reply: ReplyText, one: ReplyFigure, support: EvidenceIndex) -> bool:
    """Return whether a number is the sum, or the count, of the payments that a clause with "paid" names."""
    figure = one.figure
    is_of_them = figure.kind == "money" or (figure.kind == "count" and PAYMENT_WORDS.match(figure.noun))
    return bool(is_of_them) and any(
        claim.kind == "paid" and figure.words in claim.clause and is_shown(claim, support)
        for claim in claims_in(reply.sentences[one.sentence].text)
    )


def _is_time_between(reply: ReplyText, one: ReplyFigure, support: EvidenceIndex) -> bool:
    """Return whether a number of days, weeks or months is the time between a named day and another, or today."""
    figure = one.figure
    unit = _SPAN_UNITS.get(re.sub(r"s$", "", figure.noun))
    words = reply.sentences[one.sentence].text[figure.end :][:24].lower()
    unit = unit or next(
        (size for name, size in _SPAN_UNITS.items() if re.match(rf"\W*(?:\w+ )?{name}s?\b", words)), None
    )
    if not unit:
        return False
    about = reply.context(one.sentence)
    days = {
        time.day
        for position in (one.sentence, one.sentence - 1)
        if position >= 0
        for time in reply.times[position]
        if time.day
    }
    for text in support.texts:
        for span in text.spans:
            if span.day and (len(text.text) <= SHORT or text.about(span.start) & about):
                days.add(valid_date(span.year or support.today.year, span.month, span.day) or support.today)
    known = sorted({*days, support.today})[-60:]
    return any(
        tells(figure, gap / unit)
        or (unit > 1 and round(gap / unit) == figure.values[0] and gap % unit < 1)
        or (unit > 28 and abs(gap + 1 - figure.values[0] * unit) < 3)
        for at, first in enumerate(known)
        for second in known[at + 1 :]
        for gap in [(second - first).days]
    )
