"""Correction of typing errors before a message is read: words of the catalogue and of time, one letter apart.

repaired("strat a serch campain for evryone, 3 wks")    # "start a search campaign for everyone, 3 weeks"

Names in quotes, words with a capital inside a sentence, addresses and the text of a letter stay as they were typed. A
word that English knows is never changed, so a slip that makes another word stays.
"""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from mabos.configs.yaml_file import read_yaml
from mabos.language.wordlists import word_lists
from mabos.workspace.dates import MONTHS, WEEKDAYS, with_digits
from mabos.workspace.text import terms

_CONFIGS = Path(__file__).parents[1] / "configs"
_SHORTEST = 4
"""Letters of a word below which a slip is not told from another word."""
_SHORT_WORD = 5
"""Letters up to which only a missing, a doubled or a swapped letter is mended: too many words are one letter apart."""
_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_AS_TYPED = frozenset(terms("its y ty nm th em ur bc cheers tks w r ya yea aye lets txt luv"))
"""Short forms that are words of their own where a sentence is read as it is."""
_MORE = terms(
    """
    everybody everyone anybody nobody please would could should because before after until with from about their them
    tomorrow today morning afternoon evening weekly monthly daily yearly dollars dollar budget weeks week months month
    days year years called named customers members suppliers invoice invoices approval approve approved cancel instead
    subject letter receive address calendar separate definitely which where there another again never always still
    """
)
_RARE = frozenset(terms("daft invent apologise"))
_SHORT = {"gr8": "great", "evry": "every", "evryone": "everyone", "evrybody": "everybody", "chk": "check",
          "nite": "night", "pw": "a week", "frm": "from", "wot": "what", "r": "are"}  # fmt: skip
_ENDINGS = (
    ("s", ""), ("es", ""), ("ies", "y"), ("ves", "f"), ("ves", "fe"), ("ers", ""), ("ers", "e"), ("ings", ""),
    ("r", ""), ("ed", ""), ("ed", "e"), ("ing", ""), ("ing", "e"), ("er", ""), ("ly", ""),
)  # fmt: skip
_PROTECTED = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|(?<!\w)['‘](?:[^'’\n]|(?<=\w)['’](?=\w))+['’](?!\w)|\S*[@/_\\]\S*|\S+\.\w{2,4}\b|"
    r"\b(?:text|body|message|wording|subject(?: line)?|title)(?: is)?\s*:.*",
    re.IGNORECASE | re.DOTALL,
)
_VERB_NEXT = re.compile(r"(?i)(?:^|[.!?:;,\n]|\b(?:please|pls|plz|and|to|then|you|not|also|just|now|u|can))\s*$")
_WORD = re.compile(r"(?<![\w'’&.-])[A-Za-z][A-Za-z0-9]*(?![\w'’&-])")


@lru_cache(maxsize=256)
def repair_spelling(text: str) -> str:
    """Return a message with its typing errors corrected and its short forms written out."""
    kept, last = list[str](), 0
    for span in _PROTECTED.finditer(text):
        kept += [_mend_words(text, last, span.start()), span[0]]
        last = span.end()
    return re.sub(r"(?<=\w) \+ (?=\w)", " and ", "".join((*kept, _mend_words(text, last, len(text)))))


def _mend_words(text: str, start: int, end: int) -> str:
    """Return a part of a text with its words mended."""

    def mend(found: re.Match[str]) -> str:
        word = found[0]
        is_first = not text[: start + found.start()].rstrip() or text[: start + found.start()].rstrip()[-1] in ".!?:\n"
        if word != word.lower() and not (is_first and word[1:] == word[1:].lower()):
            return word
        if (
            len(word) == _SHORTEST
            and re.search("[aeiou]", word)
            and not _VERB_NEXT.search(text[: start + found.start()])
        ):
            return word  # "a winter bock" is a beer, and no slip for a block
        right = _right(word.lower())
        if right == word.lower():
            return word
        return right if word[0].islower() else right[:1].upper() + right[1:]

    return with_digits(_WORD.sub(mend, text[start:end]))


@cache
def _right(word: str) -> str:
    """Return the word that was meant, or the word itself."""
    if word in _SHORT:
        return _SHORT[word]
    if word not in _AS_TYPED and (spelled := word_lists().spellings.get(word)):
        return spelled
    if len(word) < _SHORTEST or not word.isalpha() or word in _RARE or _is_known(word.removeprefix("re")):
        return word
    allowed = 1 if len(word) <= _SHORT_WORD else 2
    near = [
        (rank, _english().get(one, 10**6), one)
        for rank, one in _slips(word)
        if rank <= allowed and one in _collect_vocabulary() and one[0] == word[0]
    ]
    return min(near)[2] if near else word


def _is_known(word: str) -> bool:
    """Return whether English has a word, also with an ending that the vocabulary leaves out."""
    forms = [word, f"{word}s"] + [word[: -len(end)] + more for end, more in _ENDINGS if word.endswith(end)]
    forms += [doubled[1]] if (doubled := re.fullmatch(r"(\w+(\w))\2(?:ed|ing|er|est)", word)) else []  # "binned"
    return any(one in _english() or one in _catalogue() or one in _stems() for one in forms)


def _slips(word: str) -> Iterator[tuple[int, str]]:
    """Yield the words that one slip away from a word was, the likeliest kind of slip first by its rank."""
    halves = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    for left, right in halves:
        if len(right) > 1:
            yield 0, left + right[1] + right[0] + right[2:]
        if right and left:
            yield (0 if left[-1] == right[0] else 2), left + right[1:]
        for letter in _LETTERS if left else "":
            yield 1, left + letter + right
            if right:
                yield 2, left + letter + right[1:]


@cache
def _english() -> dict[str, int]:
    """Return the words of English that the vocabulary of the local embedder has, each with its rank."""
    lines = (_CONFIGS / "minilm" / "vocab.txt").read_text("utf-8").splitlines()
    return {word: rank for rank, word in enumerate(lines) if len(word) >= _SHORTEST - 1 and word.isalpha()}


@cache
def _collect_vocabulary() -> frozenset[str]:
    """Return the words by which messages are read: of the catalogue, of the word lists, of the calendar."""
    found = (
        set(_MORE)
        | _catalogue()
        | word_lists().verbs
        | word_lists().informing
        | {one.lower() for one in (*MONTHS, *WEEKDAYS)}
    )
    found |= {f"{one.removesuffix('e')}ed" for one in word_lists().verbs}
    return frozenset(one for one in found if len(one) >= _SHORTEST and one in _english())


@cache
def _stems() -> frozenset[str]:
    """Return the stems of WordNet's words, of which the embedder's vocabulary lacks the rarer, as "mow"."""
    return frozenset((_CONFIGS / "requests" / "related_words.txt").read_text("utf-8").split())


@cache
def _catalogue() -> frozenset[str]:
    files = (read_yaml(_CONFIGS / "requests" / name) for name in ("operations.yaml", "words.yaml"))
    return frozenset(one for text in map(_text_of, files) for one in re.findall(r"[a-z]{4,}", text))


def _text_of(value: object) -> str:
    """Return all the words of a file; expressions and comments have them too."""
    if isinstance(value, dict):
        return " ".join(_text_of(one) for one in value.values())
    return " ".join(map(_text_of, value)) if isinstance(value, list) else str(value).lower()
