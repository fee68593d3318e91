"""A reply parsed for the check: its sentences, their subjects, and its numbers, except those of days and ids."""

import re
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property

from mabos.language.claims.days import DaySpan, day_spans
from mabos.language.claims.figures import WrittenFigure, figures_in
from mabos.language.claims.index import addresses_in, masked_text
from mabos.language.claims.sentences import ReplySentence, reply_sentences
from mabos.language.claims.stems import stems_of
from mabos.language.claims.tables import rows_in
from mabos.language.spoken_time import SpokenTime
from mabos.language.times import times_in
from mabos.language.wordlists import order_form

CODE = re.compile(r"(?<![\w@./-])(?=[\w/-]*\d)(?=[\w/-]*[A-Za-z])[A-Za-z0-9]+(?:[-/_][A-Za-z0-9]+)*(?![\w@]|\.\w)")
FILE_NAME = order_form("claims_reply.file_name")
_NO_CODE = re.compile(
    r"\d+(?:st|nd|rd|th|k|m|mn|bn|am|pm|h|s|x|kg|g|t|l|cm|mm|km|ml|kwh|mwh|kw|sqm|m2|m3|min|hrs?|usd|eur|gbp|chf|d|"
    r"w|y)|[a-z]{1,3}\d{1,2}[a-z]?|covid-19|\d+x\d+|\d{1,3}-[a-z-]+|(?:19|20)\d\d-\w+|[qh][1-4](?:[-/]?(?:20)?\d\d)?|"
    r"(?:usd|eur|gbp|chf)\d+|\d+[a-z]{1,2}",
    re.IGNORECASE,
)  # fmt: skip
_ORDINAL = re.compile(r"\b\d+(?:st|nd|rd|th)\b|\b24/7\b|\b\d+/\d+\b(?! *(?:%|of))", re.IGNORECASE)
_PERIOD = order_form("claims_reply.period")


@dataclass(frozen=True, slots=True)
class ReplyFigure:
    """A number of a reply and the position of its sentence."""

    figure: WrittenFigure
    sentence: int


class ReplyText:
    """A reply, parsed once for all parts of the check."""

    def __init__(self, text: str, now: datetime) -> None:
        self.text = text
        self.now = now
        self.sentences: tuple[ReplySentence, ...] = reply_sentences(text)

    @cached_property
    def times(self) -> tuple[tuple[SpokenTime, ...], ...]:
        """The days and times of day of each sentence."""
        return tuple(
            tuple(
                time
                for time in times_in(one.text, self.now)
                if (time.kind == "day" or time.every) and not re.fullmatch(r"\d+\.\d+\.?|may|march", time.words)
            )
            for one in self.sentences
        )

    @cached_property
    def days(self) -> tuple[tuple[DaySpan, ...], ...]:
        """The days and times of day written in each sentence."""
        return tuple(tuple(day_spans(one.text)) for one in self.sentences)

    @cached_property
    def figures(self) -> tuple[ReplyFigure, ...]:
        """The numbers of the reply that are not part of a day, a time of day, an id, an address or a title."""
        found = []
        for position, sentence in enumerate(self.sentences):
            spans = [(start, end) for start, end, _ in addresses_in(sentence.text)]
            spans += [(one.start, one.end) for one in self.days[position]]
            spans += [
                (one.start, one.end) for one in self.times[position] if re.search(r"[\w]", one.words) and not one.every
            ]
            spans += [(code.start(), code.end()) for code in codes_in(sentence.text)]
            spans += [
                match.span() for pattern in (_ORDINAL, FILE_NAME, _PERIOD) for match in pattern.finditer(sentence.text)
            ]
            masked = masked_text(sentence.text, spans)
            found += [ReplyFigure(figure, position) for figure in figures_in(masked, hedges=True)]
        return tuple(found)

    @cached_property
    def rows(self) -> list[dict[str, str]]:
        """The rows of the reply's own tables."""
        return [dict(row) for row in rows_in(self.text)]

    def context(self, position: int) -> frozenset[str]:
        """Return the stems of a sentence, the one before it, the head of its table and the heading above it."""
        sentence = self.sentences[position]
        found = set(stems_of(sentence.text.replace("_", " ")))
        if position:
            found |= stems_of(self.sentences[position - 1].text)
        for before in reversed(self.sentences[:position]):
            if before.kind in ("header", "heading") or before.text.rstrip().endswith(":"):
                found |= stems_of(before.text)
                break
        return frozenset(found)


def codes_in(text: str) -> list[re.Match[str]]:
    """Return the codes of a text, as ids of records: letters with digits that are not a measure, ordinal or quarter."""
    return [match for match in CODE.finditer(text) if not _NO_CODE.fullmatch(match[0])]
