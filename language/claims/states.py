"""States of records in a reply: "the invoice is open" contradicts a record with another state."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from mabos.language.claims.index import EvidenceText
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.wordlists import order_form

Group = Literal["open", "met", "off"]

_GROUPS: dict[Group, str] = {
    "open": r"open|unpaid|outstanding|overdue|waiting|pending|unanswered|undecided|in progress|underway|draft(?:ed)?|"
    r"not sent|not started|planned|assigned|blocked|waits for|awaiting|unconfirmed|tentative",
    "met": r"paid|settled|approved|confirmed|accepted|agreed|done|completed?|finished|closed|achieved|sent|published|"
    r"signed|delivered|filed|resolved|granted",
    "off": r"rejected|declined|refused|cancell?ed|stopped|withdrawn|failed|called off|turned down|revoked|expired",
}
"""Words of a state by what it means: something is still to come, it came about, or it will not."""
_STATE = "|".join(f"(?P<{group}>{words})" for group, words in _GROUPS.items())
_WORD = re.compile(rf"\W*(?:{_STATE})\b", re.IGNORECASE)
_FIELDS = ("status", "state", "stage", "standing")
_SAID = re.compile(
    r"\b(?:is|are|was|were|stays?|remains?|has been|have been)\s+(?:still |now |already |all |both |currently |yet )*"
    rf"(?:{_STATE})\b|\b(?:still )?(?P<waits>waits?|awaits?)(?= for (?:your|the owner|an?) )",
    re.IGNORECASE,
)
_CODE = re.compile(r"\b[A-Z]{2,}-[\w-]*\d[\w-]*")
_EDGE = re.compile(r"[;:(]|,\s|\s(?:and|but|so|while|because|as|since|that|which|until|if|once|when)\s", re.IGNORECASE)
_UNSURE = order_form("claims_states.unsure")
_GENERIC = stems_of("order request decision approval owner record number still now all your waiting dollars")
_ASIDE = re.compile(r"[\[(]([^\[\]()]*)[\])]")


@dataclass(frozen=True, slots=True)
class RecordState:
    """The state of a record: its ids, the stems of its words, and the group of its state."""

    ids: frozenset[str]
    words: frozenset[str]
    group: Group


def contradicted_states(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str]]:
    """Yield the position of the sentence and the words of each state that the record of its subject contradicts."""
    records = [one for text in support.texts[:-1] for one in _records(text)]
    if not records:
        return
    for position, sentence in enumerate(reply.sentences):
        for match in _SAID.finditer(sentence.text):
            lead = sentence.text[: match.start()]
            edges = [edge.end() for edge in _EDGE.finditer(lead)]
            subject = lead[edges[-1] if edges else 0 :]
            if (
                _UNSURE.search(subject)
                or _UNSURE.search(match[0])
                or re.match(r"[^.;]{0,40}\?", sentence.text[match.end() :])
            ):
                continue
            group: Group = "open" if match["waits"] else _group(match)
            known = _match_records(subject, sentence.text, records)
            if known and all(one.group != group for one in known):
                yield position, match[0].strip()


def _group(match: re.Match[str]) -> Group:
    return next(group for group in _GROUPS if match[group])


def _match_records(subject: str, sentence: str, records: list[RecordState]) -> list[RecordState]:
    """Return the records that a subject names: by an id, else those that share most of its words, and all of them."""
    words = stems_of(subject) - _GENERIC
    if ids := set(_CODE.findall(subject if words else sentence)):
        return [one for one in records if ids & one.ids] if len(ids) == 1 else []
    shared = [(len(words & one.words), one) for one in records]
    most = max((many for many, _ in shared), default=0)
    if not most or (most < 2 and len(words) > 1):
        return []
    return [one for many, one in shared if many == most]


def _records(text: EvidenceText) -> Iterator[RecordState]:
    """Yield the records of a text that say their state, in a field of that name, in brackets or in an aside."""
    if len(text.text) > _LONG:
        return
    has_fields = False
    for row in text.rows[:200]:
        state = next((value for key, value in row.items() if key.lower() in _FIELDS), "")
        if match := _WORD.match(state.replace("_", " ")):
            said = " ".join(value for key, value in row.items() if key.lower() not in _FIELDS)
            has_fields = True
            yield RecordState(frozenset(_CODE.findall(said)), stems_of(said), _group(match))
    if has_fields:
        return
    for line in text.text.split("\n"):
        for aside in _ASIDE.finditer(line):
            match = next((found for part in aside[1].split(",") if (found := _WORD.fullmatch(part.strip()))), None)
            if match:
                before = line[: aside.start()].rpartition(";")[2]
                said = f"{before} {line[aside.end() :].partition(';')[0] if aside[0][0] == '[' else ''}"
                yield RecordState(frozenset(_CODE.findall(f"{said} {aside[1]}")), stems_of(said), _group(match))


_LONG = 40_000
