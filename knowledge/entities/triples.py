"""Read relations between names from plain sentences by rules (no parser, no model).

A sentence is read from name to name: the words between two of them relate the second to the subject. The subject is the
first name, or the one that a relative clause describes. `X is the Y of Z` and `Z's Y is X` both say (Z, Y, X). Pronouns
and `the airport` at the beginning mean the last subject. `python -m bench.entities` prints the quality on public data:
too low to take the triples as facts. Their subjects show the topics of a text well enough to be concepts of the
archive.
"""

import re
from dataclasses import dataclass

from mabos.knowledge.entities.mentions import Mention, mentions
from mabos.knowledge.entities.thoughts import ANAPHOR, sentences

_BE = r"(?:is|are|was|were|be|been|being)"
_OWNED = re.compile(r"^(?:Its|His|Her|Their)\s+(?P<what>[a-z][a-z -]*?)\s+(?:is|are|was|were)\b")
_PLAIN_SUBJECT = re.compile(
    rf"^(?:(?:An?|The|Some|Every)\s+)?(?P<subject>[\w-]+(?:\s[a-z][\w-]*){{0,3}}?)\s+(?:{_BE}|has|have|had|can|uses?)\b"
)
_OF = re.compile(
    rf"^\s*,?\s*(?:who|which)?\s*{_BE}\s+(?:also\s+)?(?:an?|the|one of the)\s+(?P<what>[a-z][\w -]*?)"
    r"\s+(?:of|for|in|to|at)\s+(?:the\s+)?$"
)
_POSSESSED = re.compile(rf"^['’]s\s+(?P<what>[a-z][a-z -]*?)(?:\s+{_BE}|\s+(?:named|called))?\s*$")
_RELATIVE = re.compile(r"^\s*,?\s*(?:in\s|at\s|of\s)?(?:which|who|whom|whose|where|that)\b")
_AND = re.compile(r"^\s*(?:,|,?\s?and|,?\s?or|&)\s*(?:the\s|an?\s)?$")
_WITHIN = re.compile(r"^\s*(?:,|\()\s*(?:in\s)?$")
_SMALL = re.compile(
    rf"\b(?:{_BE}|has|have|had|an?|the|also|which|who|whom|that|where|and|it|its|he|she|they|his|her|their|with)\b|[,;:()]"
)
_PREPOSITION = re.compile(r"(?:in|at|on|from|by|of|to|for|near|within)")


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation of a subject to an object, in the words of the text."""

    subject: str
    relation: str
    object: str


def triples(text: str) -> tuple[Triple, ...]:
    """Return the relations between names in a text, each once, in order.

    >>> triples("Indianapolis is the capital of Indiana. It was founded in 1821.")  # doctest: +NORMALIZE_WHITESPACE
    (Triple(subject='Indiana', relation='capital', object='Indianapolis'),
     Triple(subject='Indianapolis', relation='founded in', object='1821'))
    """
    found: dict[Triple, None] = {}
    subject = ""
    for sentence in sentences(text):
        told, subject = _sentence(sentence, subject)
        found.update(dict.fromkeys(told))
    return tuple(found)


def _sentence(sentence: str, last: str) -> tuple[list[Triple], str]:
    """Return the triples of one sentence, and its subject."""
    spots = list(mentions(sentence))
    subject, at, relation = _begins(sentence, spots, last)
    previous = subject
    told: list[Triple] = []
    main = subject
    for spot in spots:
        if spot.start < at:
            continue
        between, at = sentence[at : spot.start], spot.end
        if not subject:
            subject = main = previous = spot.text
            continue
        if of := _OF.match(between):
            told.append(Triple(spot.text, of["what"], previous))
            subject, previous = previous, spot.text
            continue
        if possessed := _POSSESSED.match(between):
            told.append(Triple(previous, possessed["what"], spot.text))
            previous = spot.text
            continue
        if _WITHIN.match(between) and spot.kind == "name" and previous != main:
            told.append(Triple(previous, "is in", spot.text))
            continue
        if _RELATIVE.match(between):
            subject = previous
        relation = relation if _AND.match(between) else _build_relation(between, relation)
        if relation:
            told.append(Triple(subject, relation, spot.text))
        previous = spot.text
    return told, main or last


def _begins(sentence: str, spots: list[Mention], last: str) -> tuple[str, int, str]:
    """Return the subject at the start of a sentence, its end, and any relation given at once."""
    if owned := _OWNED.match(sentence):
        return last, owned.end(), owned["what"]
    first = spots[0].start if spots else len(sentence)
    anaphor = ANAPHOR.match(sentence)
    if anaphor and last and anaphor.end() <= first:
        return last, anaphor.end(), ""
    plain = _PLAIN_SUBJECT.match(sentence)
    if plain and plain.end("subject") <= first:
        return plain["subject"], plain.end("subject"), ""
    return "", 0, ""


def _build_relation(between: str, before: str) -> str:
    """Return the words between two names as a relation; a lone preposition goes on with the verb before it."""
    words = " ".join(_SMALL.sub(" ", between).split()).lower()
    if _PREPOSITION.fullmatch(words) and before:
        return f"{before.split(maxsplit=1)[0]} {words}"
    return words or before if len(words) < 60 else ""
