"""Where the sentences of a text end, and which of them define something: by rules, without a parser or a model."""

import re
from dataclasses import dataclass

_END = re.compile(r"(?<=[a-z0-9)\"'”%][.!?])\s+(?=[A-Z\"“(0-9])|(?<=[A-Z]{2}[.!?])\s+(?=[A-Z])|\n+")
_ABBREVIATED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|approx|No|Inc|Ltd|Co|Jr|Sr|Gen|Col|Capt|U\.S|[A-Z])\.$"
)
_ANAPHOR = re.compile(r"(?:It|He|She|They|Its|His|Her|Their|This|The [a-z]+(?: [a-z]+)?)\b")
_SMALL = re.compile(
    r"(?:is|are|was|were|be|been|being|has|have|had|an?|the|also|which|who|whom|that|where|and|it|its|he|she|they|his|her"
    r"|their|with|[()])"
)
_DEFINITION = re.compile(
    r"^(?:(?:An?|The)\s+)?(?P<subject>[^\s,;:]+(?:\s[^\s,;:]+){0,4}?)\s+"
    r"(?:(?:is|are)\s+(?=(?:an?|the|one of the)\s)|means\s+(?!that\b)|refers to\s+)(?P<meaning>[^.;]{3,200})"
)


@dataclass(frozen=True, slots=True)
class Definition:
    """What a text says that a thing is."""

    subject: str
    meaning: str


def sentences(text: str) -> list[str]:
    """Return the sentences of a text; an abbreviation ends none.

    >>> sentences("Dr. Lee left. She was 60.")
    ['Dr. Lee left.', 'She was 60.']
    """
    found: list[list[str]] = []
    for part in (" ".join(part.split()) for part in _END.split(text)):
        if found and _ABBREVIATED.search(found[-1][-1][-12:]):
            found[-1].append(part)
        elif part:
            found.append([part])
    return [" ".join(parts) for parts in found]


def definitions(text: str) -> tuple[Definition, ...]:
    """Return what a text says a thing is: `Retrieval is the search for stored knowledge`.

    >>> definitions("A circuit breaker is a guard that stops calls to a failing service.")[0].subject
    'circuit breaker'
    """
    found = (_DEFINITION.match(sentence) for sentence in sentences(text))
    return tuple(
        Definition(one["subject"], one["meaning"].strip())
        for one in found
        if one and not _ANAPHOR.fullmatch(one["subject"]) and _SMALL.fullmatch(one["subject"].split()[0]) is None
    )
