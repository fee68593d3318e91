"""The evidence as a whole: all its texts and deeds, searched for numbers, days, words and addresses."""

import re
from collections.abc import Collection, Iterator, Mapping
from datetime import date
from functools import cached_property

from mabos.language.claims.evidence import Evidence
from mabos.language.claims.index import REACH, EvidenceText, LabelKind, Occurrence, index_of, named_days
from mabos.language.claims.stems import folded_word, stems_of
from mabos.workspace.dates import MONTHS, WEEKDAYS

_TITLES = frozenset(
    folded_word(one) for one in (*MONTHS, *WEEKDAYS, *(day[:3] for day in WEEKDAYS), "mr", "mrs", "ms", "dr", "i")
)
TARGETED = stems_of("target goal aim aimed objective short below above exceeds missing reach left")
"""Words with which a reply speaks of targets."""
_GOALS = ("## Your own goals", "## Goals")
_TARGET = re.compile(r"\b(?:targets?|goal|aims?)\b[^.;\n]*$", re.IGNORECASE)
SHORT = 400
"""Up to this many characters a text has so few numbers that a match is no accident."""


class EvidenceIndex:
    """The support from a conversation's texts and deeds; the indexes of its texts are kept between replies."""

    def __init__(self, evidence: Evidence) -> None:
        self.evidence = evidence
        self.deeds = index_of("\n".join(f"{deed.kind} {deed.words}" for deed in evidence.done))
        self.reports, self.standing = (tuple(map(index_of, one)) for one in (evidence.texts, evidence.standing))
        self.texts: tuple[EvidenceText, ...] = (*self.reports, *self.standing, self.deeds)

    @cached_property
    def today(self) -> date:
        """The day of the reply."""
        return self.evidence.now.date()

    @cached_property
    def days(self) -> frozenset[tuple[int, int, int]]:
        """Return every written day as (year, month, day); 0 for missing parts."""
        return frozenset((one.year, one.month, one.day) for text in self.texts for one in text.spans if one.month)

    @cached_property
    def clocks(self) -> frozenset[str]:
        """Return every time of day."""
        return frozenset(clock for text in self.texts for one in text.spans for clock in one.clocks)

    @cached_property
    def relative(self) -> frozenset[date]:
        """Return every day named by a weekday or relative to today."""
        return frozenset(day for text in self.texts for day in named_days(text.text, self.today))

    @cached_property
    def labels(self) -> Mapping[LabelKind, tuple[tuple[EvidenceText, frozenset[str]], ...]]:
        """The stems of each passage with a number, a day or a time of day, with its text."""
        kinds: tuple[LabelKind, ...] = ("number", "day", "clock")
        return {kind: tuple((text, one) for text in self.texts for one in text.labels[kind]) for kind in kinds}

    @cached_property
    def proper(self) -> frozenset[str]:
        """The words that are always capitalised, as names of people and companies."""
        found = frozenset().union(*(text.proper for text in self.texts))
        return found - frozenset().union(*(text.small for text in self.texts)) - _TITLES

    def share_a_record(self, names: Collection[str], others: Collection[str]) -> bool:
        """Return whether one record contains words of both: "Hotel Anker" and its Petra Vane."""
        return any(part & set(names) and part & set(others) for text in self.texts for part in text.people)

    def has_word(self, folded: str) -> bool:
        """Return whether any text contains this word, given without case and accents."""
        return any(folded in text.words for text in self.texts)

    def has_phrase(self, words: str) -> bool:
        """Return whether any text contains these words in this order, ignoring case."""
        low = " ".join(words.casefold().split())
        form = re.compile(rf"(?<!\w){re.escape(low)}(?!\w)")
        return any(low in text.low and form.search(text.low) is not None for text in self.texts)

    def has_address(self, address: str) -> bool:
        """Return whether a text contains exactly this address, link or domain."""
        for text in self.texts:
            if address in text.addresses or any(
                one.startswith(f"{address}/") or one.endswith(f"@{address}") for one in text.addresses
            ):
                return True
        return False

    def operands(self, about: frozenset[str]) -> Iterator[tuple[EvidenceText, Occurrence, frozenset[str]]]:
        """Yield the numbers whose passages share words with `about`: from each text the first that share most."""
        for text in self.texts:
            found = [
                (occurrence, text.about(occurrence.at))
                for occurrence in _candidates(text, about)
                if about & TARGETED or not is_target(text, occurrence.at)
            ]
            near = [(occurrence, words) for occurrence, words in found if words & about or len(text.text) <= SHORT]
            near.sort(key=lambda one: -len(one[1] & about))
            for occurrence, words in sorted(near[:24], key=lambda one: one[0].at):
                yield text, occurrence, words


def is_target(text: EvidenceText, at: int) -> bool:
    """Return whether a number is a target, as of a goal: it says nothing about the present."""
    return text.text.startswith(_GOALS) or bool(_TARGET.search(text.text, max(0, at - 40), at))


def _candidates(text: EvidenceText, about: frozenset[str]) -> list[Occurrence]:
    """Return the numbers of a small text, or those of a large one near the rarest words that are asked about."""
    if len(text.numbers) <= 60:
        return text.numbers
    rare = sorted((text.line_counts[one], one) for one in about if text.line_counts[one])[:4]
    places: list[int] = []
    for _, one in rare:
        places += [
            match.start() for _, match in zip(range(12), re.finditer(re.escape(one), text.text, re.I), strict=False)
        ]
    found: list[Occurrence] = []
    for place in sorted(set(places)):
        found += text.between(max(place - REACH, found[-1].at + 1 if found else 0), place + REACH)
    return found[:80]
