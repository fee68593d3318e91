"""The people whom tagged words mean: each of their words has to be a name, a tag or a field of some contact.

audience(["the wedding parties who hire from us in June"], ["the August ones"], vocabulary)
# ({"records": "contacts", "where": {"tags": {"all": ["wedding", "june"], "not": "august"}}}, ())
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mabos.language.amounts import amounts_in
from mabos.language.interpreter import Vocabulary
from mabos.language.selectors import SelectionDraft, known_names, look_up, selector_in
from mabos.language.wordlists import order_words

_IGNORED = order_words("selectors.determiners") | order_words("selectors.filler") | order_words("selectors.anyone")
"""Words that choose nobody."""
_JOINED = re.compile(r"\s*(?:,|;|&|\band\b|\bor\b|\bplus\b)\s*(?:also\s+)?", re.IGNORECASE)
_CLAUSE = re.compile(r"\b(?:who|whom|whose|which|that|we|they|you|i)\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"(?i)\b(?:not|never|no|used to|without|except|or|before|after|since|over|under|more|less|\w+n['’]t)\b"
)
Term = tuple[str, str]


def audience(
    wanted: Sequence[str], others: Sequence[str], vocabulary: Vocabulary
) -> tuple[Mapping[str, Any] | None, tuple[str, ...]]:
    """Return a selector of contacts, or None, and the words that nothing on record explains."""
    if not wanted:
        return None, ()
    plain = f"write to {' and '.join(wanted)}" + (f" except {' and '.join(others)}" if others else "")
    usual = selector_in(plain, vocabulary)
    if usual and not usual.unexplained and not _content(plain[len("write to ") : usual.start] + plain[usual.end :]):
        return usual.value, ()
    names = known_names(vocabulary)
    terms, unknown = _terms_of(wanted, names)
    if not terms:
        return None, unknown or tuple(wanted)
    draft = SelectionDraft()
    counts = [int(one.value) for one in amounts_in(" ".join(wanted)) if one.kind == "count"]
    draft.limit = counts[0] if len(counts) == 1 else 0
    for field, value in terms[0] if len(terms) == 1 else ():
        draft.wanted.setdefault(field, []).append(value)
    if len(terms) > 1:
        fields = {field for term in terms for field, _ in term}
        if len(fields) > 1 or any(len(term) > 1 for term in terms):
            return None, (*unknown, " and ".join(wanted))
        draft.conditions[fields.pop()] = {"in": [term[0][1] for term in terms]}
    left_out, unclear = _terms_of(others, names)
    flat = [one for term in terms for one in term]
    for term in left_out:
        only = [one for one in term if one not in flat]
        only = [one for one in only if one[0] == "name"] or only
        if len(only) != 1:
            return None, (*unknown, *others)
        draft.barred.setdefault(only[0][0], []).append(only[0][1])
    return draft.value(), (*unknown, *unclear)


def _content(text: str) -> list[str]:
    """Return the words of a text that say something about people."""
    return [word for word in re.findall(r"[^\W_][\w'’.&@-]*", text) if word.lower() not in _IGNORED]


def _terms_of(phrases: Iterable[str], names: Mapping[str, Term]) -> tuple[list[list[Term]], tuple[str, ...]]:
    """Return what each joined part of some phrases names, and the words that name nothing."""
    terms: list[list[Term]] = []
    unknown: list[str] = []
    for phrase in phrases:
        whole = look_up(re.sub(r"(?i)^(?:the|our|all)\s+", "", phrase), names)
        for part in [phrase] if whole else filter(None, _JOINED.split(phrase)):
            found, left = _read_phrase(part, names)
            unknown += left
            if found:
                terms.append(found)
            elif not left:
                unknown.append(part)
    return terms, tuple(unknown)


def _read_phrase(phrase: str, names: Mapping[str, Term]) -> tuple[list[Term], list[str]]:
    """Return the names in one phrase and its unexplained words; a noun behind a name, and a verb, need no record."""
    words = re.findall(r"[\w@][\w'’.&@-]*", phrase)
    clause = _CLAUSE.search(phrase)
    free = len(re.findall(r"[\w@][\w'’.&@-]*", phrase[: clause.start()])) if clause else len(words)
    is_plain = clause is None or not _OTHERWISE.search(phrase[clause.start() :])
    found: list[Term] = []
    unknown: list[str] = []
    at, after_name = 0, False
    while at < len(words):
        known = next(
            ((size, term) for size in (4, 3, 2, 1) if (term := look_up(" ".join(words[at : at + size]), names))), None
        )
        if known and known[1][0]:
            found.append(known[1])
            at, after_name = at + known[0], True
            continue
        word = words[at].lower().strip(".'’")
        is_counted = any(one.kind == "count" for one in amounts_in(word))
        if word not in _IGNORED and not is_counted and not (after_name or (at >= free and is_plain)):
            unknown.append(words[at])
        after_name, at = False, at + 1
    return found, unknown
