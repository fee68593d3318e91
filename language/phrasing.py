"""Rewrite a request without an imperative as the imperative that it means.

as_imperative("The list of tenants is to be prepared by Friday.")    # "prepare the list of tenants by Friday."
as_imperative("the rooms need measuring")                            # "measure the rooms"
"""

import re
from collections.abc import Callable
from functools import cache

from mabos.language.selectors import singular
from mabos.language.wordlists import order_form, word_lists
from mabos.workspace.text import STOPWORDS, terms

_IRREGULAR = {
    "begun": "begin", "bought": "buy", "brought": "bring", "built": "build", "chosen": "choose", "cut": "cut",
    "done": "do", "drawn": "draw", "found": "find", "given": "give", "got": "get", "hung": "hang", "kept": "keep",
    "laid": "lay", "made": "make", "paid": "pay", "put": "put", "read": "read", "run": "run", "sent": "send",
    "set": "set", "shown": "show", "sold": "sell", "swept": "sweep", "taken": "take", "told": "tell",
    "written": "write",
}  # fmt: skip
_ARTICLES = ("the", "our", "my", "a", "an", "all", "these", "those", "both", "this", "that")
_WHAT = r"(?P<what>(?:the|our|my|a|an|all|these|those|both|this|that|\w+['’]s)\s[^,.;:!?()]{1,80}?|it|they)"
_ADVERB = r"(?:(?:also|then|first|next|now|finally|all|please|still|only then)\s)*"
_FORMS = (
    rf"^(?P<lead>(?:(?:and|then|so|also|please|now|secondly|thirdly|in addition),?\s)*){_WHAT}\s{_ADVERB}"
    rf"(?P<how>(?:is|are) {_ADVERB}to be|(?:must|should|shall|has to|have to|needs to|need to|ought to|will have to) "
    rf"{_ADVERB}be|gets?|is|are|need(?:s)? (?=\w+ing\b))\s*{_ADVERB}(?P<verb>\w+)\b(?P<rest>.*)$",
    rf"^(?P<lead>)(?P<how>it (?:must|should|has to|needs to|is to|ought to) be) (?P<verb>\w+)\s{_WHAT}"
    r"(?P<rest>\s(?:by|until|till|before|for|at|on|\().*|[.!]*)$",
    rf"^(?P<lead>)(?P<how>(?:is|are)) {_WHAT} to be (?P<verb>\w+)\b(?P<rest>.*)$",
    rf"^(?P<lead>)(?P<how>(?:have|get)) {_WHAT} (?P<verb>\w+)(?P<rest>(?:\s*\(.*|\sby .*)?)$",
)
_BOUND = re.compile(r"\b(?:is|are) (?:\w+ )?to be\b", re.IGNORECASE)
_DUE = re.compile(r"\b(?:by|until|till|before|no later than|not later than)\s+\S", re.IGNORECASE)
_RULES = order_form("claims_phrasing.rules")


@cache
def _forms() -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(one, re.IGNORECASE | re.DOTALL) for one in _FORMS)


def as_imperative(sentence: str, *, is_step: bool = False) -> str:
    """Return a wish in the passive as an order; any other sentence unchanged.

    "Must be", "should be" and "has to be" may be news, and count where a day says by when, or in a step of a project.
    """
    text = sentence.strip()
    first, _, others = text.partition(" ")
    if is_step and others and (verb := base_of(first) if first.lower().endswith("ing") else _of_somebody(first)):
        return f"{verb} {others}"
    if _RULES.search(text):
        return sentence
    for form in _forms():
        found = form.match(text)
        if found is None or not (verb := base_of(found["verb"])):
            continue
        if found["how"].lower() in ("have", "get") and found["verb"].lower().endswith("ing"):
            continue  # "get the builder's drawing" is no drawing by the agent
        is_wanted = bool(_BOUND.match(found["how"])) or is_step
        if not is_wanted and not _DUE.search(found["rest"]):
            continue
        is_pointing = found["what"].lower() in ("it", "they")
        if not is_step and (is_pointing or found["how"].lower() in ("have", "get", "gets", "are", "is")):
            continue
        rest = re.sub(r"(?i)^\s+(?:first|next|now)(?=[.,]|$)", "", found["rest"])
        what = found["what"].strip()
        what = "them" if what.lower() == "they" else what
        return f"{verb} {what[0].lower() if what.split()[0].lower() in _ARTICLES else what[0]}{what[1:]}{rest}"
    return sentence


def _of_somebody(word: str) -> str:
    """Return the verb of "(somebody) draws a sketch", or ""."""
    verb = word.lower().removesuffix("s")
    return (
        verb if word.islower() and word.endswith("s") and not word.endswith("ss") and verb in word_lists().verbs else ""
    )


def base_of(word: str) -> str:
    """Return the verb of a participle or of an -ing form, or "" if the word lists do not have it.

    >>> base_of("measured"), base_of("stopped"), base_of("drawn"), base_of("blue")
    ('measure', 'stop', 'draw', '')
    """
    low = word.lower()
    verbs = word_lists().verbs
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    stems: tuple[Callable[[str], str], ...] = (
        lambda one: one,
        lambda one: f"{one}e",
        lambda one: one[:-1] if one[-2:-1] == one[-1:] else "",
        lambda one: f"{one[:-1]}y" if one.endswith("i") else "",
    )
    for end in ("ed", "ing"):
        if low.endswith(end):
            found = [stem(low[: -len(end)]) for stem in stems]
            return next((one for one in found if one in verbs), "")
    return ""


def roots(text: str) -> set[str]:
    """Return the words of a text as in a list of steps: verbs in their base form, nouns in the singular."""
    return {base_of(word) or singular(word) for word in terms(text) if word not in STOPWORDS}
