"""Check that a claim of completion is supported: by deeds of its kind about the same thing, or by a text."""

import re
from collections.abc import Iterator, Sequence

from mabos.language.claims.completion import CompletionClaim, claims_in
from mabos.language.claims.evidence import Deed
from mabos.language.claims.figures import figures_in, tells
from mabos.language.claims.index import EvidenceText, addresses_in, index_of
from mabos.language.claims.names import names_in
from mabos.language.claims.reply import ReplyText
from mabos.language.claims.shown import SHOWN_KINDS, is_shown
from mabos.language.claims.stems import folded_word, stem, stems_of, words_of
from mabos.language.claims.support import EvidenceIndex
from mabos.language.claims.verbs import FORMS, NO_EFFECT, OBSERVING, WORDS, form_of, kind_named, supporting
from mabos.language.wordlists import order_form
from mabos.workspace.text import terms

_TYPES = tuple(frozenset(stem(word) for word in words.split()) for words in WORDS["types"])
_GENERIC = frozenset().union(*_TYPES) | frozenset(stem(word) for word in terms(WORDS["generic"]))
_ADDRESSED = frozenset(
    ("sent", "informed", "asked", "delegated", "paid", "agreed", "approved", "hired", "invoiced", "rejected")
)
_FALSE_AFTER = re.compile(r"^\W{0,4}(?:false|0|no|none|null|not|never|nothing|pending)\b", re.IGNORECASE)
_DENIED_FIELD = re.compile(r'"(\w+)"\s*:\s*(?:"no"|"none"|false|null|0)(?=\s*[,}\]]|$)', re.IGNORECASE)
"""A field that says no: "insurance": "no" shows no insurance."""
_DATED_KEY = re.compile(r'_(?:at|on|date)"\s*:')
"""After a verb that is the name of a field: `is_shown` reads such a record as a whole."""
_WISH = order_form("claims_deeds.wish")
_PRONOUN = re.compile(r"\b(?:it|they|them|this|these|both|all|everything|that|those|each)\b", re.IGNORECASE)
_APPROVAL = {"approved": r"\bI approve\b|\bgo ahead\b|\byes\b", "agreed": r"\b(?:I|we) agree\b|\bit'?s a deal\b"}
_PREPOSITION = re.compile(r"(?i)\b(?:with|in|of|from|to|for|at|by|over|within|after|than|about|on) (?:the |all )?$")
_PLANNED = order_form("claims_deeds.planned")
_AGE = re.compile(r"\b(?:booked|created|made|ordered|placed)\b[^,;]*\b(?:ago|within the last)\b", re.IGNORECASE)
"""Expressions for the age of a record, which are not present deeds."""
_BEGUN = re.compile(r"\b(?:created|booked|ordered|placed)(?:_(?:at|on))?\b", re.IGNORECASE)
_OPEN_RECORD = re.compile(r"[\[(](?:open|waiting|pending|blocked|assigned|in progress|planned)\b", re.IGNORECASE)
_REQUEST = 1000
_HITS = 120


def unsupported_completions(reply: ReplyText, support: EvidenceIndex) -> Iterator[tuple[int, str, str]]:
    """Yield the position of the sentence, the words and the kind of each claim of completion without support."""
    for position, sentence in enumerate(reply.sentences):
        if sentence.kind == "header" or _is_planned(reply, position):
            continue
        for claim in claims_in(sentence.text):
            if not is_supported(claim, support):
                yield position, claim.words, claim.kind


def _is_planned(reply: ReplyText, position: int) -> bool:
    """Return whether a sentence is an item below a heading such as "Next steps"."""
    if reply.sentences[position].kind not in ("item", "row"):
        return False
    for before in reversed(reply.sentences[:position]):
        if before.kind == "heading" or before.text.rstrip(" *").endswith(":"):
            return bool(_PLANNED.search(before.text)) and not any(True for _ in claims_in(before.text))
    return False


def is_supported(claim: CompletionClaim, support: EvidenceIndex) -> bool:
    """Return whether deeds support a claim, or texts if its agent is not "I"; a bare "done" needs deeds."""
    if claim.kind == "done" and (_has_other_claim(claim) or _opens_list(claim, support)):
        return True
    if _AGE.search(claim.clause) and any(_BEGUN.search(text.text) for text in support.reports):
        return True
    deeds = [deed for deed in support.evidence.done if _is_of_kind(claim, deed)]
    if deeds and _fit(claim, deeds, support):
        return True
    if claim.kind == "looked":
        return bool(deeds)
    if claim.voice == "I":
        return False
    return is_shown(claim, support) or any(_text_supports(claim, text) for text in support.reports)


def _has_other_claim(claim: CompletionClaim) -> bool:
    """Return whether "done" only announces a deed that the same clause names and that is checked by itself."""
    rest = re.sub(form_of("done"), " ", claim.clause)
    return any(other.kind != "done" for other in claims_in(rest))


def _opens_list(claim: CompletionClaim, support: EvidenceIndex) -> bool:
    """Return whether "done" announces a list of deeds, which are checked by themselves, and there are any."""
    return claim.clause.rstrip(" *").endswith(":") and any(
        kind_named(deed.kind) not in NO_EFFECT | OBSERVING for deed in support.evidence.done
    )


def _is_of_kind(claim: CompletionClaim, deed: Deed) -> bool:
    kind = kind_named(deed.kind)
    if claim.kind == "done":
        said = stem(kind) in stems_of(claim.clause) or stem(kind)[:5] in {one[:5] for one in stems_of(claim.clause)}
        return kind not in NO_EFFECT | OBSERVING or said
    if claim.kind not in FORMS:
        return stem(deed.kind) == stem(claim.kind)
    return kind in supporting(claim.kind)


def _fit(claim: CompletionClaim, deeds: Sequence[Deed], support: EvidenceIndex) -> bool:
    """Return whether deeds are about the thing of a claim: words, readers, money and how many."""
    if claim.voice == "attribute":
        return True
    about = claim.about - _GENERIC
    about = frozenset(one for one in about if not one.isdigit())
    same = [deed for deed in deeds if about & stems_of(deed.words.replace("_", " "))]
    if not same:
        same = [
            deed for deed in deeds if about & _record_stems(deed, support) or _is_bridged(claim, about, deed, support)
        ]
    if not same:
        if about and not _is_vague(claim, about):
            return False
        same = [deed for deed in deeds if _same_type(claim, deed) and not deed.is_earlier]
    return bool(same) and _readers_fit(claim, same, support) and _money_fits(claim, same) and _count_fits(claim, same)


def _is_bridged(claim: CompletionClaim, about: frozenset[str], deed: Deed, support: EvidenceIndex) -> bool:
    """Return whether a request has the words of a claim about letters, "the largest customers", and those of a deed."""
    words = stems_of(deed.words.replace("_", " ")) - _GENERIC
    if claim.kind not in ("drafted", "sent", "informed") or names_in(claim.clause):
        return False
    return any(
        len(about & stems_of(text.text)) > 1 and len(words & stems_of(text.text)) > 1
        for text in support.texts[:-1]
        if len(text.text) <= _REQUEST
    )


def _record_stems(deed: Deed, support: EvidenceIndex) -> frozenset[str]:
    """Return the stems of the records of a deed's readers: "the hotels" are those whose addresses it has."""
    found: set[str] = set()
    for _, (_, _, address) in zip(range(8), addresses_in(deed.words), strict=False):
        for text in support.texts[:-1]:
            if address in text.addresses and (place := text.text.casefold().find(address)) >= 0:
                found |= text.about(place)
    return frozenset(found)


def _is_vague(claim: CompletionClaim, about: frozenset[str]) -> bool:
    """Return whether a clause names its thing by a pronoun, and little else."""
    return bool(_PRONOUN.search(claim.clause)) and len(about) <= 1


def _same_type(claim: CompletionClaim, deed: Deed) -> bool:
    said, on_record = claim.about, stems_of(f"{deed.kind} {deed.words}".replace("_", " "))
    wanted = [types for types in _TYPES if types & said]
    found = [types for types in _TYPES if types & on_record]
    return not wanted or not found or any(types in found for types in wanted)


def _readers_fit(claim: CompletionClaim, deeds: Sequence[Deed], support: EvidenceIndex) -> bool:
    """Return whether the people that a claim names are those of the deeds, under one of their names."""
    if claim.kind not in _ADDRESSED:
        return True
    words = {folded_word(word) for deed in deeds for word in words_of(deed.words.replace("_", " "))}
    for _, _, address in addresses_in(claim.clause):
        if not any(address in deed.words.casefold() for deed in deeds):
            return False
    for name in names_in(_without_sources(claim.clause)):
        parts = {folded_word(part) for part in words_of(name)}
        if not parts & words and not _is_alias(parts, words, support):
            return False
    return True


def _without_sources(clause: str) -> str:
    return re.sub(
        r"\b(?:as|per|for|on behalf of|from|in|at|on|about|by) (?:(?:Mr|Ms|Mrs|Dr)\.? )?[A-Z]\S*(?: [A-Z]\S*)*",
        " ",
        clause,
    )


def _is_alias(parts: set[str], words: set[str], support: EvidenceIndex) -> bool:
    """Return whether a record names both: "Hotel Anker" and its Petra Vane, or her address."""
    for text in support.texts[:-1]:
        for part in parts & text.words:
            places = re.finditer(rf"\b{re.escape(part)}\b", text.text, re.IGNORECASE)
            for _, place in zip(range(12), places, strict=False):
                passage = text.passage(place.start())
                near = {folded_word(word) for word in words_of(passage) if word[0].isupper()}
                for _, _, address in addresses_in(passage):
                    near |= set(words_of(address.rpartition(".")[0]))
                if parts <= {folded_word(word) for word in words_of(passage)} and near & words - parts:
                    return True
    return False


def _money_fits(claim: CompletionClaim, deeds: Sequence[Deed]) -> bool:
    """Return whether the money of a claim is the money of its deeds, or follows from their numbers."""
    stated = [one for one in figures_in(claim.clause, hedges=True) if one.kind == "money"]
    known = [one.value for deed in deeds for one in index_of(deed.words).numbers]
    if not stated or not known:
        return True
    made = {*known, sum(known), *(x * y for at, x in enumerate(known[:12]) for y in known[at + 1 : 12])}
    made |= {x + y for at, x in enumerate(known[:12]) for y in known[at + 1 : 12]} | {
        x / y for x in known[:12] for y in known[:12] if y
    }
    return all(any(tells(one, value) for value in made) for one in stated)


def _count_fits(claim: CompletionClaim, deeds: Sequence[Deed]) -> bool:
    """Return whether as many things are on record as a claim counts."""
    number = _count(claim)
    if not number or claim.kind in ("asked", "delegated"):
        return True
    known = {one.value for deed in deeds for one in index_of(deed.words).numbers}
    things = sum(max(1, len(list(addresses_in(deed.words)))) for deed in deeds)
    return number in known or number <= things or number == len(deeds)


def _count(claim: CompletionClaim) -> float:
    """Return how many things a claim says are done, or 0."""
    for figure in figures_in(claim.clause, hedges=True):
        value = figure.values[0]
        plural = figure.noun.endswith("s") or figure.noun in ("of", "people")
        is_time = re.match(r"(?:day|week|month|year|hour|minute|dollar|euro|kilo|cubic|percent)", figure.noun)
        lead = claim.clause[: figure.start]
        if _PREPOSITION.search(lead) and not (claim.kind in _ADDRESSED and lead.endswith("to ")):
            continue
        if figure.kind == "count" and not figure.hedge and 1 < value == int(value) <= 60 and plural and not is_time:
            return value
    return 0.0


# --- texts -------------------------------------------------------------------


def _text_supports(claim: CompletionClaim, text: EvidenceText) -> bool:
    """Return whether passages of a text make the same claim: enough of them for the claim's count."""
    about, number, found = claim.about, _count(claim), 0
    for passage, start, end in _passages(claim, text):
        if claim.kind in SHOWN_KINDS and (_DATED_KEY.match(passage, end) or _heads_a_table(passage, text)):
            continue
        if not _asserts(passage, start, end) or _is_open(claim, passage):
            continue
        words = stems_of(passage.replace("_", " "))
        if about & stems_of(" ".join(_DENIED_FIELD.findall(passage)).replace("_", " ")):
            continue
        shared = about & (words | text.header)
        specific = (about - _GENERIC) & words
        content = words - stems_of(passage[start:end])
        is_same = bool(specific) or (
            claim.kind != "done"
            and (claim.voice == "attribute" or not about or not content or (shared and not about - _GENERIC))
        )
        if is_same and _text_names_fit(claim, passage, text):
            found += 1
            if number <= found or number in {one.value for one in index_of(passage).numbers}:
                return True
    return False


def _heads_a_table(passage: str, text: EvidenceText) -> bool:
    """Return whether a passage has the names of the columns of a table: "paid" in it is no payment."""
    return bool(text.rows) and all(name in passage and f'"{name}"' not in passage for name in text.rows[0])


def _text_names_fit(claim: CompletionClaim, passage: str, text: EvidenceText) -> bool:
    """Return whether a passage has the names and ids of a claim that the rest of its text has too."""
    if claim.kind not in _ADDRESSED and not re.search(r"\w*\d", claim.clause):
        return True
    low = {folded_word(word) for word in words_of(passage)}
    for name in names_in(claim.clause):
        parts = {folded_word(part) for part in words_of(name)}
        if not parts & low and parts & text.words:
            return False
    codes = re.findall(r"\b[A-Za-z]+-\d[\w-]*", claim.clause)
    return not codes or any(code.casefold() in passage.casefold() for code in codes)


def _passages(claim: CompletionClaim, text: EvidenceText) -> Iterator[tuple[str, int, int]]:
    """Yield the passages of a text with a verb that supports a claim, and where in them it is."""
    kinds = supporting(claim.kind) & FORMS.keys() if claim.kind != "done" else {"done"}
    forms = "|".join(FORMS[kind] for kind in sorted(kinds)) or re.escape(claim.kind)
    pattern = rf"(?<![^\W_])(?:{forms})(?![^\W_])" + (f"|{_APPROVAL[claim.kind]}" if claim.kind in _APPROVAL else "")
    for number, match in enumerate(re.finditer(pattern, text.text, re.IGNORECASE)):
        if number >= _HITS:
            return
        passage, start = text.passage_around(match.start())
        yield passage, match.start() - start, match.end() - start


def _is_open(claim: CompletionClaim, passage: str) -> bool:
    """Return whether a passage is a record that is still open: its title is a task."""
    if claim.kind in ("recorded", "asked", "drafted", "delegated", "rejected", "cancelled"):
        return False
    return _OPEN_RECORD.search(passage) is not None


def _asserts(passage: str, start: int, end: int) -> bool:
    """Return whether a passage says that it is so: it denies nothing, wishes nothing and asks nothing."""
    if passage.rstrip().endswith("?") or _FALSE_AFTER.match(passage[end:]):
        return False
    before = re.split(r"[,;:|{}\"]|\b(?:and|but)\b", passage[:start])[-1]
    return not _WISH.search(before)
