"""Find the party whose value a question asks for: the subject of its verb, which an answer must share.

>>> party = party_of("What did the joiner pay for the workshop?")
>>> party.words, fits(party, "The rent of the workshop is 900 dollars.", ""), fits(party, "The joiner paid 700.", "")
('the joiner', False, True)
"""

import re
from dataclasses import dataclass

from mabos.tools.requests.answers.synonyms import core, covering, stems_of
from mabos.workspace.text import terms

_DIRECTED = r"(?:promis|ow(?:e|ing)|lend|lent|borrow|offer|agree|ask|want|charg|demand|refus|accept)\w*"
_VERB = rf"(?:{_DIRECTED}|pa(?:y|ys|id)|sell|sold|buy|bought|spen[dt]|earn\w*|get|have|need|think|say|said)"
_ASKED = re.compile(
    rf"\b(?:do|does|did|has|have|had|will|would|must|can)\s+(?P<who>(?!not\b)[\w.'’&-]+(?:\s+[\w.'’&-]+){{0,3}}?)\s+"
    rf"(?:(?:still|now|really|already|ever|currently|have to|to)\s+)*(?P<verb>{_VERB})\b",
    re.IGNORECASE,
)
_OURS = re.compile(r"\b(?:we|i|us|our|ours|my)\b", re.IGNORECASE)
_PRONOUNS = re.compile(r"^(?:we|i|you|he|she|it|they|that|this|these|those|one|anybody|anyone|somebody|people)\b", re.I)
_NAMED = re.compile(r"\b(?i:the|a|an|mr|mrs|ms|dr|their|his|her)\.? \w+\W*(?:\w+\W*){0,2}$|\b[A-Z][a-z]+\W*$")


@dataclass(frozen=True, slots=True)
class Party:
    """The subject of a question: its words, their stems, whether that is us, and the stem of the verb."""

    words: str
    stems: tuple[str, ...]
    is_us: bool
    verb: str


def party_of(question: str) -> Party | None:
    """Return the party whose value a question asks for, or None if it names none, or uses a pronoun."""
    found = _ASKED.search(question)
    if found is None:
        return None
    words, verb = found["who"], found["verb"].lower()
    directed = stems_of(verb)[0] if re.fullmatch(_DIRECTED, verb) else ""
    if re.match(r"(?:we|i)\b", words, re.IGNORECASE):
        paid = "pays" if re.fullmatch(r"pay|paid|spen[dt]", verb) else ""  # "the landlord pays for the roof" is not us
        return Party(words, (), True, directed or paid) if directed or paid else None
    return None if _PRONOUNS.match(words) else Party(words, core(words), False, directed)


def fits(party: Party, text: str, around: str) -> bool:
    """Return whether a sentence fits this party: it names it, unless it is us, and no other is before the verb.

    `around` is the context of the sentence: the title, the sender and the file of its document.
    """
    at = _place_of(party.verb, text)
    before = text[:at] if at is not None else ""
    if party.is_us:
        return at is None or not before.strip() or bool(_OURS.search(before)) or not _NAMED.search(before)
    own = [stem for word in terms(f"{text} {around}") for stem in stems_of(word)]
    is_ours_there = at is not None and re.search(r"\b(?:we|i)\W+(?:\w+\W+)?$", before, re.IGNORECASE)
    return all(covering(stem, own) for stem in party.stems) and not is_ours_there


def _place_of(verb: str, text: str) -> int | None:
    """Return where a text has a verb, by its stem."""
    for found in re.finditer(r"[\w'’]+", text) if verb else ():
        if verb in (found[0].lower(), *stems_of(found[0].lower())):
            return found.start()
    return None
