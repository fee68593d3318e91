"""The claims of a document, extracted sentence by sentence: fields, days, sums and people, with their places.

    for claim in claims_of(document):
        claim.kind, claim.text, claim.place      # 'day', 'The lease ends on 31 March 2027.', 'page 2'

A claim is unconfirmed, and no figure of the business follows from it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from mabos.language.amounts import amounts_in
from mabos.society.documents.text import DocumentText, Passage
from mabos.workspace.dates import dates_in, day_named
from mabos.workspace.text import shorten

MOST_CLAIMS = 60
"""Claims that are kept of one document, the first of them."""

ClaimKind = Literal["field", "day", "sum", "person", "meeting", "deadline"]

_FIELD = re.compile(r"[^\W\d_][^:|.?!]{0,48}:\s+\S.*")
_TITLES = "".join(rf"(?<!\b{one}\.)" for one in ("Dr", "Mr", "Ms", "Mrs", "Prof", "St", "No", "Nr"))
_SENTENCES = re.compile(rf"(?<=[a-z\d)%][.!?]){_TITLES}\s+(?=[A-Z])")
_NUMERIC_DAY = re.compile(r"\b\d{4}-\d\d-\d\d\b|\b\d{1,2}\.\d{1,2}\.\d{4}\b")
_PERSON = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof|Herr|Frau)\b\.?\s+[A-ZÄÖÜ][\w'’-]+(?:\s+[A-ZÄÖÜ][\w'’-]+)?"
    r"|\b[A-ZÄÖÜ][\w'’-]+\s+[A-ZÄÖÜ][\w'’-]+(?=\s+(?:will|has|is going to|retires|leaves|joins|starts|signs|agreed)\b)"
)
_LONGEST = 300


@dataclass(frozen=True, slots=True)
class DocumentClaim:
    """A sentence of a document, the kind of statement, and its place."""

    kind: ClaimKind
    text: str
    place: str


def claims_of(document: DocumentText) -> tuple[DocumentClaim, ...]:
    """Return a document's potentially relevant statements: the first sixty of its fields, days, sums and people."""
    return tuple(islice(_claims(document), MOST_CLAIMS))


def _claims(document: DocumentText) -> Iterator[DocumentClaim]:
    seen = set[str]()
    for passage in document.passages:
        for sentence in _SENTENCES.split(passage.text):
            kind = _kind(sentence, passage)
            if kind and sentence not in seen:
                seen.add(sentence)
                yield DocumentClaim(kind, shorten(sentence, _LONGEST), passage.place)


def _kind(sentence: str, passage: Passage) -> ClaimKind | None:
    """Return the kind of a sentence's statement, the first that fits; None for a sentence not worth keeping."""
    if passage.heading in ("Meeting", "Deadline") and passage.place.startswith("entry"):
        return "meeting" if passage.heading == "Meeting" else "deadline"
    if any(one.day or one.year for one in dates_in(sentence)) or any(map(day_named, _NUMERIC_DAY.findall(sentence))):
        return "day"
    if any(one.kind == "money" for one in amounts_in(sentence)):
        return "sum"
    if _FIELD.fullmatch(sentence):
        return "field"
    return "person" if _PERSON.search(sentence) else None
