"""Causes in a reply: a stated reason must be on record, together with its effect."""

import re
from collections.abc import Iterator

from mabos.language.claims.index import EvidenceText
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.stems import stems_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.wordlists import order_form

_MARK = order_form("claims_causes.mark")
_UNSURE = order_form("claims_causes.unsure")
_OWN = order_form("claims_causes.own")
"""Reasons of the writer or reader, and that something is lacking: the rest of the check looks at those."""
_END = re.compile(r"[;.!]|,\s|\s[–—-]\s|\)", re.IGNORECASE)
_EMPTY = stems_of(
    "reason cause result fact thing way lot bit dollars go went get come set new old year policy requirement "
    "rule limit "
    "limitation guideline strict restriction constraint circumstance condition specific certain various like other such"
)


def unsupported_causes(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str]]:
    """Yield the position of the sentence and the words of each cause that no record has."""
    for position, sentence in enumerate(reply.sentences):
        match = _MARK.search(sentence.text)
        if not match or _UNSURE.search(sentence.text):
            continue
        rest = sentence.text[match.end() :]
        effect = sentence.text[: match.start()]
        if len(stems_of(effect)) < 2 and (comma := re.search(r",\s", rest)):  # "Because it rained, we closed."
            effect, rest = rest[comma.end() :], rest[: comma.start()]
        cause = rest[: end.start()] if (end := _END.search(rest)) else rest
        if _OWN.search(cause):
            continue
        words = stems_of(cause) - _EMPTY
        moves = bool(_MOVES.search(cause))
        if words and not any(_has_cause(text, words, moves=moves) for text in support.texts):
            yield position, f"{match[0]}{cause}".strip()


def _has_cause(text: EvidenceText, words: frozenset[str], *, moves: bool) -> bool:
    """Return whether most of the words of a cause occur together in a text, with a movement where it names one."""
    needed = len(words) if len(words) < 3 else -(-len(words) * 3 // 5)
    if sum(text.line_counts[one] > 0 for one in words) < needed:
        return False
    if len(text.text) > _LONG:
        return True
    close = [passage for passage, stems in text.close_passages if len(words & stems) >= needed]
    return any(
        not moves or _MOVES.search(passage) or len(_NUMBER.findall(_DAY.sub(" ", passage))) > 2 for passage in close
    )


_MOVES = order_form("claims_causes.moves")
_DAY = re.compile(r"\d{1,2} [A-Z][a-z]+(?: \d{4})?|\d{4}-\d\d-\d\d")
_NUMBER = re.compile(r"(?<![\w.,-])[$€£]?\d[\d,.]*(?![\w-])")
_LONG = 40_000
