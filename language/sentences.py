"""A message as sentences: normal spelling for matching, no greetings, lists and quotes kept whole."""

import re

from mabos.language.wordlists import order_form, word_lists

NAME = '"name"'
"""The replacement of a quoted name in plain text."""

_QUOTES = str.maketrans({"’": "'", "‘": "'", "`": "'", "“": '"', "”": '"', "„": '"', "–": "-", "—": "-"})
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|(?<!\w)'(?:[^'\n]|'(?=\w)){1,400}'(?!\w)")
_NUMBER = re.compile(r"(?<![a-z])\d(?:[\d,.:]*\d)?")
_TOKEN = re.compile(r"(?<![\w'])'?[a-z0-9][a-z0-9']*(?![\w'])")
_BOUNDARY = re.compile(r"(?<=[^\s])([.!?]+[\"')\]]*)\s+|\n+")
_LIST_NUMBER = re.compile(r"(?:^\s*|\n\s*|[;:,.]\s+)\(?\d{1,2}$")
_GERMAN_DAY = re.compile(r"\b(?:am|dem|den|zum|vom|der|des|bis|ab|seit) \d{1,2}$")
_AND = order_form("sentences.and")
_REST = order_form("sentences.rest")
_LEADER = re.compile(r"^(?:\w+ ){1,3}(?:things|jobs|tasks|requests|points|bits|items)\b[^:]{0,30}:\s*", re.I)


def plain(text: str) -> str:
    """Return text for matching: lower case, normal spelling, every number as 0, a quoted name as `"name"`.

    >>> plain("pls send teh letter 'Club night' to 25 ppl")
    'please send the letter "name" to 0 people'
    """
    flat = _QUOTED.sub(NAME, text.translate(_QUOTES)).lower()
    spellings = word_lists().spellings
    flat = _TOKEN.sub(lambda found: spellings.get(found[0], found[0]), flat)
    return " ".join(_NUMBER.sub("0", flat).split())


def without_greeting(text: str) -> str:
    """Return a text without the greeting it begins with; an empty text if it is nothing else.

    >>> without_greeting("Good morning! Please have the figures ready.")
    'Please have the figures ready.'
    """
    text = text.strip()
    flat = text.translate(_QUOTES).lower().replace("mornin'", "morning").replace("mornin!", "morning!")
    flat = re.sub(r"^mornin\b", "morning", flat)
    found = word_lists().greeting.match(flat)
    if not found:
        return text
    cut = found.end() - (len(flat) - len(text))
    rest = re.sub(r"^\s*[,.!;:?-]*\s*", "", text[max(cut, 0) :])
    # "Morning, Tom!" greets somebody by a name
    return (
        re.sub(r"^[A-Z][a-z]+\s*[,!.]\s+", "", rest) if re.match(r"^\s*,?\s*[A-Z][a-z]+\s*[,!.]", text[cut:]) else rest
    )


def split(text: str) -> tuple[str, ...]:
    """Return the sentences of a message in order; numbers of lists, titles, quotes and file names do not end one.

    >>> split("Ask Mr. Stone. Look into stock.xlsx: which is short?")
    ('Ask Mr. Stone.', 'Look into stock.xlsx: which is short?')
    """
    quoted = [found.span() for found in _QUOTED.finditer(text.translate(_QUOTES))]
    start, sentences = 0, []
    for boundary in _BOUNDARY.finditer(text):
        inside = any(begin < boundary.start() < end - 1 for begin, end in quoted)
        if inside or not _ends(text, start, boundary):
            continue
        sentences.append(text[start : boundary.end()].strip())
        start = boundary.end()
    sentences.append(text[start:].strip())
    return tuple(sentence for sentence in sentences if sentence)


def _ends(text: str, start: int, boundary: re.Match[str]) -> bool:
    """Return whether a sentence ends at this mark."""
    mark = boundary[1] or ""
    before, after = text[start : boundary.start()], text[boundary.end() :]
    if "\n" in boundary[0]:
        return not before.rstrip().endswith((",", ":", ";"))
    if not mark.startswith("."):
        return True
    if _GERMAN_DAY.search(before) and after[:1].isupper():
        return False  # "ab dem 1. Januar"
    last = before.split()[-1].lower().lstrip("(\"'") if before.split() else ""
    if last in word_lists().abbreviations or (len(last) == 1 and last.isalpha() and last != "i"):
        return False
    if last in {"a.m", "p.m", "etc"} or mark.startswith(".."):
        return after[:1].isupper()
    return not _LIST_NUMBER.search(text[max(start - 2, 0) : boundary.start()])


def without_courtesy(sentence: str) -> str:
    """Return a sentence without the polite words it opens with.

    >>> without_courtesy("Would you be so kind as to list the groups?")
    'list the groups?'
    """
    text = sentence.strip().translate(_QUOTES)
    found = word_lists().forms["courtesy"].match(text.lower())
    rest = text[found.end() :].strip() if found else ""
    return rest or sentence


def asks_for_rest(text: str) -> bool:
    """Return whether a question only asks for one more detail of the one before it.

    >>> asks_for_rest("To how many?"), asks_for_rest("How many chairs?")
    (True, False)
    """
    return bool(_REST.match(text.strip()))


def clauses(sentence: str) -> tuple[str, ...]:
    """Return the parts of a sentence that each begin with a verb of their own ("create ..., and start ...").

    >>> clauses("Two things: create a package, 260 dollars; and start a campaign on events.")
    ('create a package, 260 dollars', 'start a campaign on events.')
    """
    rest = _LEADER.sub("", sentence)
    parts, start = [], 0
    spans = [found.span() for found in _QUOTED.finditer(rest.translate(_QUOTES))]
    for found in _AND.finditer(rest):
        inside = any(begin < found.start() < end for begin, end in spans)
        if not inside and begins_with_verb(rest[found.end() :]) and begins_with_verb(rest[start:]):
            parts.append(rest[start : found.start()].strip())
            start = found.end()
    parts.append(rest[start:].strip())
    return tuple(part for part in parts if part)


def opening(flat: str) -> list[str]:
    """Return plain text without the words that only open it ("and then please ...")."""
    words = re.findall(r"\"name\"|[\w$'&-]+|[?]", flat)
    openers = word_lists().openers
    while len(words) > 1 and words[0] in openers:
        words = words[1:]
    return words


def begins_with_verb(text: str) -> bool:
    """Return whether a text begins as an order does: with a verb, after any opening words."""
    words = opening(plain(text))
    if words[:1] in (["can"], ["could"], ["would"], ["will"]) and words[1:2] == ["you"]:
        words = opening(" ".join(words[2:]))
    is_noun = words[1:2] and words[1] in ("is", "are", "was", "were", "has")  # "date is picked"
    return bool(words) and words[0] in word_lists().verbs and not is_noun
